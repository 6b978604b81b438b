//! What the systems took: seconds, tokens, and other figures that their records tell.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::distribution::quantile;
use crate::summary::mean;
use crate::{RunData, SystemData};

/// What one system took for its answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SystemCost {
    /// The system.
    pub system: String,
    /// Its records.
    pub n_records: usize,
    /// Seconds for an answer; `None` if no record tells.
    pub seconds: Option<Seconds>,
    /// Other figures by name, in the order of names.
    pub figures: BTreeMap<String, Figure>,
}

/// Seconds for an answer, over the records that tell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Seconds {
    /// Records that tell.
    pub n: usize,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub median: f64,
    /// 95 of 100 answers took no longer.
    pub p95: f64,
}

/// One figure, over the records that tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Figure {
    /// Records that tell.
    pub n: usize,
    /// Sum over them.
    pub total: f64,
}

impl SystemCost {
    /// The figure that is money: one whose name begins with `cost` or `price`.
    pub fn money(&self) -> Option<(&str, Figure)> {
        let is_money = |name: &str| name.starts_with("cost") || name.starts_with("price");
        let found = self.figures.iter().find(|(name, _)| is_money(name));
        found.map(|(name, figure)| (name.as_str(), *figure))
    }
}

/// What each system took, in the order of the systems.
pub fn costs(run: &RunData) -> Vec<SystemCost> {
    run.systems.iter().map(of_system).collect()
}

fn of_system(system: &SystemData) -> SystemCost {
    let mut seconds: Vec<f64> = Vec::new();
    let mut figures: BTreeMap<String, Figure> = BTreeMap::new();
    for record in system.records.iter().map(|record| &record.record) {
        seconds.extend(record.seconds.filter(|seconds| seconds.is_finite()));
        for (name, value) in record.figures.iter().filter(|(_, value)| value.is_finite()) {
            let figure = figures.entry(name.clone()).or_default();
            figure.n += 1;
            figure.total += value;
        }
    }
    seconds.sort_by(f64::total_cmp);
    let seconds = mean(&seconds).and_then(|mean| {
        let [median, p95] = [quantile(&seconds, 0.5)?, quantile(&seconds, 0.95)?];
        Some(Seconds { n: seconds.len(), mean, median, p95 })
    });
    SystemCost { system: system.name.clone(), n_records: system.records.len(), seconds, figures }
}
