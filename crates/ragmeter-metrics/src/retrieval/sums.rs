//! Measures summed up over queries.

use super::formulas::ratio;
use super::measure::{LEAST, Measure, Summing};
use super::ranking::Ranking;

/// Measures being summed up over queries.
#[derive(Clone, Debug)]
pub struct Sums {
    measures: Vec<Measure>,
    sums: Vec<f64>,
    queries: usize,
}

impl Sums {
    /// Of no query yet.
    pub fn new(measures: &[Measure]) -> Self {
        Self { measures: measures.to_vec(), sums: vec![0.0; measures.len()], queries: 0 }
    }

    /// Adds a query. Gives its value of each measure that trec_eval tells of a single query:
    /// geometric means and the number of queries are of all of them only.
    pub fn add(&mut self, ranking: &Ranking) -> Vec<Option<f64>> {
        self.queries += 1;
        let added = self.measures.iter().zip(&mut self.sums).map(|(measure, sum)| {
            let value = measure.value(ranking);
            *sum += value;
            let told = !matches!(measure.summing(), Summing::Geometric | Summing::Queries);
            told.then_some(value)
        });
        added.collect()
    }

    /// The queries added.
    pub fn queries(&self) -> usize {
        self.queries
    }

    /// The value of each measure over the queries added; of none, 0. With `complete`, queries that
    /// were judged and have no results count as 0 (trec_eval's `-c`).
    pub fn finish(self, complete: Option<Complete>) -> Vec<f64> {
        let queries = complete.map_or(self.queries, |all| all.queries.max(self.queries));
        let missing = (queries - self.queries) as f64;
        let summed = self.measures.iter().zip(self.sums);
        summed
            .map(|(measure, sum)| match (measure.summing(), complete) {
                (Summing::Queries, _) => queries as f64,
                (Summing::SumOfJudged, Some(all)) => all.relevant as f64,
                (Summing::Sum | Summing::SumOfJudged, _) => sum,
                (Summing::Mean, _) => ratio(sum, queries),
                (Summing::Geometric, _) if queries == 0 => 0.0,
                (Summing::Geometric, _) => ratio(sum + missing * LEAST.ln(), queries).exp(),
            })
            .collect()
    }
}

/// The judgements as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Complete {
    /// Queries with judgements, results or not.
    pub queries: usize,
    /// Judgements of a grade above 0 in them, whatever grade is called relevant: so trec_eval
    /// counts `num_rel` here.
    pub relevant: usize,
}
