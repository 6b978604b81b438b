//! One metric against another, within one system.

use ragmeter_stats::spearman;
use serde::Serialize;

use crate::RunData;
use crate::summary::LEVEL;

/// Two main metrics of one system, over the records that have both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Relation {
    /// The system.
    pub system: String,
    /// The first metric's id.
    pub x: String,
    /// The second metric's id.
    pub y: String,
    /// Records with both scores.
    pub n: usize,
    /// Spearman's rank correlation with ties shared; `None` under three records or where one of
    /// the two is the same in all of them.
    pub spearman: Option<f64>,
    /// The pairs of scores, in the order of the records.
    #[serde(skip)]
    pub points: Vec<(f64, f64)>,
}

/// Every pair of main metrics of every system: by system, then in the order of the metrics.
pub fn relations(run: &RunData) -> Vec<Relation> {
    let main: Vec<&str> =
        run.metrics.iter().filter(|metric| !metric.companion).map(|m| m.id.as_str()).collect();
    let mut relations = Vec::new();
    for system in &run.systems {
        for (index, x) in main.iter().enumerate() {
            for y in &main[index + 1..] {
                let both = |record: &crate::JudgedRecord| record.score(x).zip(record.score(y));
                let points: Vec<(f64, f64)> = system.records.iter().filter_map(both).collect();
                relations.push(Relation {
                    system: system.name.clone(),
                    x: (*x).to_owned(),
                    y: (*y).to_owned(),
                    n: points.len(),
                    spearman: spearman(&points, LEVEL).map(|found| found.value),
                    points,
                });
            }
        }
    }
    relations
}
