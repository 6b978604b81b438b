use statrs::distribution::{ContinuousCDF, Normal};

/// A closed interval; `low` is never above `high`, both are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether the number lies inside, ends included.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// `high - low`.
    pub fn width(self) -> f64 {
        self.high - self.low
    }
}

/// The two-sided standard normal quantile of a confidence level: 1.959964 for 0.95.
/// `None` unless the level lies strictly between 0 and 1.
pub fn normal_quantile(level: f64) -> Option<f64> {
    if level > 0.0 && level < 1.0 {
        Some(Normal::standard().inverse_cdf(f64::midpoint(1.0, level)))
    } else {
        None
    }
}

/// The Wilson score interval around the mean of `values`, scores in `[0, 1]`.
///
/// With mean `m` of `n` values and normal quantile `z` the ends are
/// `(m + z²/2n ± z·sqrt(m(1−m)/n + z²/4n²)) / (1 + z²/n)` (E. B. Wilson, "Probable inference, the
/// law of succession, and statistical inference", JASA 22, 1927). For scores that are only 0 or 1
/// this is his interval for a proportion. For scores in between it is conservative: among all
/// distributions on `[0, 1]` with mean `m` the variance is largest, `m(1−m)`, for zeros and ones.
///
/// The width is never zero: twenty equal scores still leave room for others that were not drawn.
/// `None` if there is no value, if a value lies outside `[0, 1]`, or if `level` is not inside
/// `(0, 1)`.
pub fn wilson_on_mean(values: &[f64], level: f64) -> Option<Interval> {
    if values.is_empty() || !values.iter().all(|value| (0.0..=1.0).contains(value)) {
        return None;
    }
    let z = normal_quantile(level)?;
    let n = values.len() as f64;
    let mean = (values.iter().sum::<f64>() / n).clamp(0.0, 1.0);
    let shrink = 1.0 + z * z / n;
    let centre = (mean + z * z / (2.0 * n)) / shrink;
    let half = z * (mean * (1.0 - mean) / n + z * z / (4.0 * n * n)).sqrt() / shrink;
    // The mean always lies inside; rounding must not push an end past it at 0 and 1.
    Some(Interval { low: (centre - half).clamp(0.0, mean), high: (centre + half).clamp(mean, 1.0) })
}
