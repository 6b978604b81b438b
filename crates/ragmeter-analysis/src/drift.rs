//! What becomes of verdicts and scores when the same records are judged in another profile.

use std::collections::{BTreeMap, BTreeSet};

use ragmeter_stats::{Population, mcnemar, paired_test};
use serde::Serialize;

use crate::summary::LEVEL;
use crate::verdicts::verdicts;
use crate::{JudgedRecord, MetricInfo};

mod said;

pub use said::drift_sentences;

/// One record, judged in both profiles.
#[derive(Clone, Debug, Default)]
pub struct BothWays {
    /// Number of its case.
    pub case: usize,
    /// As the run judged it.
    pub run: JudgedRecord,
    /// In the other profile.
    pub other: JudgedRecord,
}

/// How far two profiles of one judge differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Drift {
    /// The profile of the run.
    pub profile: String,
    /// The other profile; differences are what it says less what the run's profile says.
    pub other: String,
    /// Records judged in both.
    pub n_records: usize,
    /// Their cases.
    pub n_cases: usize,
    /// Verdicts of the run on them.
    pub n_facts: usize,
    /// Differences of scores.
    pub metrics: Vec<MetricDrift>,
    /// Differences of verdicts.
    pub facts: Vec<FactDrift>,
}

/// A metric in two profiles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricDrift {
    /// The metric's id.
    pub metric: String,
    /// Records scored in both.
    pub n: usize,
    /// Records scored in the run's profile only, and in the other one only.
    pub n_one_sided: [usize; 2],
    /// Means in the run's profile and in the other one, over the records scored in both.
    pub means: Option<[f64; 2]>,
    /// Mean over cases of other less run, in `[-1, 1]`.
    pub difference: Option<f64>,
    /// Its 95 % interval, cases being the unit.
    pub interval: Option<[f64; 2]>,
    /// Two-sided p of "no difference", by the sign-flip test over cases.
    pub p: Option<f64>,
}

/// A fact in two profiles: verdicts on the same units, as yes or no.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FactDrift {
    /// The kind's name.
    pub fact: String,
    /// Units with a verdict in both profiles.
    pub n: usize,
    /// Units with a verdict in one of them only: claims that the other did not extract.
    pub n_one_sided: usize,
    /// Yes in both.
    pub both: usize,
    /// Yes in the run's profile only.
    pub only_run: usize,
    /// Yes in the other profile only.
    pub only_other: usize,
    /// Yes in neither.
    pub neither: usize,
    /// McNemar's exact p, which takes units for independent of each other.
    pub p: f64,
}

/// Verdicts on this record that say yes or no, or give a grade.
pub fn count_verdicts(one: &JudgedRecord) -> usize {
    verdicts(one).values().map(|said| said.units.len()).sum()
}

/// Compares two profiles on the same records.
pub fn drift(records: &[BothWays], metrics: &[MetricInfo], seed: u64) -> Drift {
    let cases: BTreeSet<usize> = records.iter().map(|one| one.case).collect();
    Drift {
        n_records: records.len(),
        n_cases: cases.len(),
        n_facts: records.iter().map(|one| count_verdicts(&one.run)).sum(),
        metrics: metrics
            .iter()
            .filter(|metric| !metric.companion && !metric.needs_no_judge)
            .map(|metric| of_metric(records, &metric.id, seed))
            .collect(),
        facts: facts(records),
        ..Drift::default()
    }
}

fn of_metric(records: &[BothWays], metric: &str, seed: u64) -> MetricDrift {
    let mut by_case: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
    let mut n_one_sided = [0, 0];
    for one in records {
        match (one.run.score(metric), one.other.score(metric)) {
            (Some(run), Some(other)) => by_case.entry(one.case).or_default().push((run, other)),
            (Some(_), None) => n_one_sided[0] += 1,
            (None, Some(_)) => n_one_sided[1] += 1,
            (None, None) => {}
        }
    }
    let all: Vec<(f64, f64)> = by_case.values().flatten().copied().collect();
    let n = all.len();
    let mean = |of: fn(&(f64, f64)) -> f64| all.iter().map(of).sum::<f64>() / n as f64;
    // Systems that share a case share replies: their differences are one.
    let differences: Vec<f64> = by_case
        .values()
        .map(|all| all.iter().map(|(run, other)| other - run).sum::<f64>() / all.len() as f64)
        .collect();
    let test = paired_test(&differences, None, Population::TheseDocuments, LEVEL, seed).ok();
    MetricDrift {
        metric: metric.to_owned(),
        n,
        n_one_sided,
        means: (n > 0).then(|| [mean(|pair| pair.0), mean(|pair| pair.1)]),
        difference: test.as_ref().map(|test| test.mean),
        interval: test.as_ref().and_then(|test| test.interval).map(|ends| [ends.low, ends.high]),
        p: test.map(|test| test.p),
    }
}

fn facts(records: &[BothWays]) -> Vec<FactDrift> {
    let mut pairs: BTreeMap<String, Vec<(bool, bool)>> = BTreeMap::new();
    let mut one_sided: BTreeMap<String, usize> = BTreeMap::new();
    for one in records {
        let (run, mut other) = (verdicts(&one.run), verdicts(&one.other));
        for (fact, said) in run {
            let mut others = other.remove(&fact).unwrap_or_default().units;
            for (unit, verdict) in said.units {
                let Some(yes) = verdict.yes else { continue };
                match others.remove(&unit).and_then(|verdict| verdict.yes) {
                    Some(also) => pairs.entry(fact.clone()).or_default().push((yes, also)),
                    None => *one_sided.entry(fact.clone()).or_default() += 1,
                }
            }
            let left = others.values().filter(|verdict| verdict.yes.is_some()).count();
            *one_sided.entry(fact).or_default() += left;
        }
        for (fact, said) in other {
            let left = said.units.values().filter(|verdict| verdict.yes.is_some()).count();
            *one_sided.entry(fact).or_default() += left;
        }
    }
    let names: BTreeSet<String> = (one_sided.iter().filter(|(_, count)| **count > 0))
        .map(|(fact, _)| fact.clone())
        .chain(pairs.keys().cloned())
        .collect();
    let of_fact = |fact: String| {
        let pairs = pairs.get(&fact).map_or(&[][..], Vec::as_slice);
        let test = mcnemar(pairs);
        FactDrift {
            n: pairs.len(),
            n_one_sided: one_sided.get(&fact).copied().unwrap_or(0),
            both: test.both,
            only_run: test.only_first,
            only_other: test.only_second,
            neither: test.neither,
            p: test.p,
            fact,
        }
    };
    names.into_iter().map(of_fact).collect()
}
