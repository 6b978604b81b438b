use ragmeter_stats::{CALIBRATION_BINS, CalibrationBin, calibration};
use serde::Serialize;

use super::Vocabulary;

/// How far the judge's probabilities are from people's labels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibrationOf {
    /// The label that the probability is of; that of most annotators makes it come true.
    pub label: &'static str,
    /// Units with a probability and a label of most annotators.
    pub n: usize,
    /// Of them, those with that label.
    pub n_true: usize,
    /// Brier score: mean squared distance of probability and label, in `[0, 1]`.
    pub brier: f64,
    /// The Brier score of always saying the share of that label: a judge above it knows less.
    pub brier_of_share: f64,
    /// Expected calibration error over bins of equal width, in `[0, 1]`.
    pub ece: f64,
    /// The bins: closed below and open above, the last one closed.
    pub bins: Vec<BinOf>,
}

/// One bin of probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BinOf {
    /// Its lower edge.
    pub low: f64,
    /// Its upper edge.
    pub high: f64,
    /// Units in it.
    pub n: usize,
    /// Mean probability.
    pub probability: Option<f64>,
    /// Share of them with the label.
    pub came_true: Option<f64>,
}

/// Brier score and calibration error of these probabilities of the kind's first label.
pub(super) fn of(pairs: &[(f64, bool)], vocabulary: Vocabulary) -> Option<CalibrationOf> {
    let found = calibration(pairs, CALIBRATION_BINS)?;
    let n_true = pairs.iter().filter(|(_, came_true)| *came_true).count();
    let share = n_true as f64 / found.n as f64;
    let bin = |bin: CalibrationBin| BinOf {
        low: bin.low,
        high: bin.high,
        n: bin.n,
        probability: bin.probability,
        came_true: bin.came_true,
    };
    Some(CalibrationOf {
        label: vocabulary.labels[0].id,
        n: found.n,
        n_true,
        brier: found.brier,
        brier_of_share: share * (1.0 - share),
        ece: found.ece,
        bins: found.bins.into_iter().map(bin).collect(),
    })
}
