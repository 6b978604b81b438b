//! How the scores of one metric of one system lie.

use serde::Serialize;

use crate::RunData;

/// Tenths of the scale, with the two ends by themselves: ties at 0 and 1 are the rule.
pub(crate) const BINS: usize = 12;

/// The scores of one metric of one system.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// The system.
    pub system: String,
    /// The metric's id.
    pub metric: String,
    /// How many scores there are.
    pub n: usize,
    /// Scores that are exactly 0, in the tenths between (low end included, 0 and 1 left out), and
    /// exactly 1.
    pub bins: [usize; BINS],
    /// Different values among the scores.
    pub distinct: usize,
    /// First quartile, median, third quartile, interpolated between neighbours (type 7 of Hyndman
    /// and Fan 1996); `None` without a score.
    pub quartiles: Option<[f64; 3]>,
    /// The scores, lowest first.
    #[serde(skip)]
    pub values: Vec<f64>,
}

/// The distribution of every metric of every system: by metric, then by system.
pub fn distributions(run: &RunData) -> Vec<Distribution> {
    let of_metric = |metric: &str| -> Vec<Distribution> {
        let of_system = |system: &crate::SystemData| {
            let scores = system.records.iter().filter_map(|record| record.score(metric));
            distribution(&system.name, metric, scores.collect())
        };
        run.systems.iter().map(of_system).collect()
    };
    run.metrics.iter().flat_map(|metric| of_metric(&metric.id)).collect()
}

fn distribution(system: &str, metric: &str, mut values: Vec<f64>) -> Distribution {
    values.sort_by(f64::total_cmp);
    let mut bins = [0; BINS];
    for value in &values {
        bins[bin(*value)] += 1;
    }
    let mut distinct = values.clone();
    distinct.dedup();
    Distribution {
        system: system.to_owned(),
        metric: metric.to_owned(),
        n: values.len(),
        bins,
        distinct: distinct.len(),
        quartiles: quartiles(&values),
        values,
    }
}

fn bin(value: f64) -> usize {
    match value {
        v if v <= 0.0 => 0,
        v if v >= 1.0 => BINS - 1,
        v => 1 + ((v * 10.0) as usize).min(9),
    }
}

/// The quartiles of sorted values.
fn quartiles(sorted: &[f64]) -> Option<[f64; 3]> {
    Some([quantile(sorted, 0.25)?, quantile(sorted, 0.5)?, quantile(sorted, 0.75)?])
}

/// A quantile of sorted values, interpolated between neighbours.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = share * last as f64;
    let low = at.floor() as usize;
    let high = (low + 1).min(last);
    Some(sorted[low] + (at - low as f64) * (sorted[high] - sorted[low]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_stand_alone_and_ties_are_counted() {
        let one = distribution("s", "m", vec![1.0, 0.0, 0.5, 0.5, 0.99, 0.01, 1.0, 0.1]);
        assert_eq!(one.bins, [1, 1, 1, 0, 0, 0, 2, 0, 0, 0, 1, 2]);
        assert_eq!((one.n, one.distinct), (8, 6));
        // numpy.quantile of the same values, by its default method.
        let quartiles = one.quartiles.unwrap();
        for (ours, theirs) in quartiles.into_iter().zip([0.0775, 0.5, 0.9925]) {
            assert!((ours - theirs).abs() < 1e-12, "{quartiles:?}");
        }
        assert_eq!(distribution("s", "m", Vec::new()).quartiles, None);
    }
}
