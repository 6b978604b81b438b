use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::Interval;
use crate::mean::student_quantile;

/// How many times the bootstrap resamples.
pub const RESAMPLES: usize = 9_999;

/// The bias-corrected and accelerated bootstrap interval of `Σ numerators / Σ denominators`
/// (B. Efron, "Better bootstrap confidence intervals", JASA 82, 1987), of units drawn from `seed`.
/// `None` if all units have one ratio, or if there are more than 2^32 of them.
pub(crate) fn bca(pairs: &[(f64, f64)], level: f64, seed: u64) -> Option<Interval> {
    let n = u64::from(u32::try_from(pairs.len()).ok()?);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    // The high half of a product: uneven by less than n / 2^32.
    let resampled = (0..RESAMPLES)
        .map(|_| ratio((0..n).map(|_| pairs[((u64::from(random.next_u32()) * n) >> 32) as usize])))
        .collect();
    interval(pairs, resampled, level)
}

/// The BCa interval from given resamples: each row of `indices` names the units of one. Every index must be
/// below the number of units.
///
/// `None` if all units have one ratio, without units or resamples, or if an index is out of range.
pub fn bca_of(pairs: &[(f64, f64)], indices: &[Vec<usize>], level: f64) -> Option<Interval> {
    if indices.is_empty() || indices.iter().flatten().any(|&index| index >= pairs.len()) {
        return None;
    }
    let resampled =
        indices.iter().map(|row| ratio(row.iter().map(|&index| pairs[index]))).collect();
    interval(pairs, resampled, level)
}

fn ratio(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (above, below) = pairs.fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    above / below
}

fn interval(pairs: &[(f64, f64)], mut resampled: Vec<f64>, level: f64) -> Option<Interval> {
    let estimate = ratio(pairs.iter().copied());
    if !estimate.is_finite() || spread(pairs, estimate) <= 0.0 {
        return None;
    }
    // A resample without any denominator has no ratio.
    resampled.retain(|value| value.is_finite());
    resampled.sort_by(f64::total_cmp);
    let count = resampled.len() as f64;
    let below = resampled.partition_point(|&value| value < estimate);
    let up_to = resampled.partition_point(|&value| value <= estimate);
    let normal = Normal::standard();
    // Half a resample in from the ends, where the normal quantile is infinite.
    let share = ((below + up_to) as f64 / 2.0 / count).clamp(0.5 / count, 1.0 - 0.5 / count);
    let bias = normal.inverse_cdf(share);
    let acceleration = acceleration(pairs);
    let end = |tail: f64| {
        let z = bias + normal.inverse_cdf(tail);
        percentile(&resampled, normal.cdf(bias + z / (1.0 - acceleration * z)))
    };
    let tail = (1.0 - level) / 2.0;
    Some(Interval { low: end(tail).min(estimate), high: end(1.0 - tail).max(estimate) })
}

/// Skewness of the ratios without each unit in turn: `Σd³ / 6(Σd²)^1.5`.
fn acceleration(pairs: &[(f64, f64)]) -> f64 {
    let all = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    let without: Vec<f64> = pairs
        .iter()
        .map(|pair| (all.0 - pair.0) / (all.1 - pair.1))
        .filter(|value| value.is_finite())
        .collect();
    let mean = without.iter().sum::<f64>() / without.len() as f64;
    let (squares, cubes) = without.iter().fold((0.0, 0.0), |(squares, cubes), value| {
        let d = mean - value;
        (squares + d * d, cubes + d * d * d)
    });
    if squares > 0.0 { cubes / (6.0 * squares.powf(1.5)) } else { 0.0 }
}

/// The quantile of sorted numbers, linear between neighbours.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

/// The standard error of a ratio by linearisation, or 0 if all units have one ratio.
fn spread(pairs: &[(f64, f64)], estimate: f64) -> f64 {
    let n = pairs.len() as f64;
    let below: f64 = pairs.iter().map(|pair| pair.1).sum();
    let size = pairs.iter().fold(0.0_f64, |most, pair| most.max(pair.0.abs()));
    let residuals = pairs.iter().map(|pair| pair.0 - estimate * pair.1);
    if residuals.clone().all(|residual| residual.abs() <= size * 1e-12 * n) {
        return 0.0;
    }
    let squares: f64 = residuals.map(|residual| residual * residual).sum();
    (squares * n / (n - 1.0)).sqrt() / below
}

/// Student's t of a ratio, linearised; for denominators of 1 the usual interval of a mean.
/// `None` if all units have one ratio.
pub(crate) fn linear(pairs: &[(f64, f64)], level: f64) -> Option<Interval> {
    let estimate = ratio(pairs.iter().copied());
    let spread = spread(pairs, estimate);
    let half = student_quantile(pairs.len() as f64 - 1.0, level) * spread;
    (spread > 0.0 && half.is_finite() && estimate.is_finite())
        .then_some(Interval { low: estimate - half, high: estimate + half })
}
