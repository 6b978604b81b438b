use crate::{Interval, normal_quantile};

/// A number with its interval. There is none where it would have no width or no meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// The number.
    pub value: f64,
    /// Its interval.
    pub interval: Option<Interval>,
}

/// Pearson's correlation of pairs, in `[-1, 1]`; with one side 0 or 1 it is the point-biserial one.
///
/// The interval is Fisher's (R. A. Fisher, 1921): `tanh(atanh r ± z/√(n − 3))`. There is none for
/// fewer than four pairs or where the pairs lie on one line (`|r| = 1`), since it would have no
/// width. `None` if there are fewer than two pairs, if a side does not vary, or if a number is not
/// finite.
pub fn pearson(pairs: &[(f64, f64)], level: f64) -> Option<Correlation> {
    let z = normal_quantile(level)?;
    let value = correlation(pairs)?;
    Some(Correlation { value, interval: fisher(value, pairs.len(), 1.0, z) })
}

/// Spearman's rank correlation of pairs, in `[-1, 1]`; equal values share their mean rank.
///
/// The interval is Fisher's with the variance `(1 + r²/2)/(n − 3)` (D. G. Bonett and T. A. Wright,
/// "Sample size requirements for estimating Pearson, Kendall and Spearman correlations",
/// Psychometrika 65, 2000). Refused as [`pearson`] refuses.
pub fn spearman(pairs: &[(f64, f64)], level: f64) -> Option<Correlation> {
    let z = normal_quantile(level)?;
    if !pairs.iter().all(|(x, y)| x.is_finite() && y.is_finite()) {
        return None;
    }
    let of = |side: &dyn Fn(&(f64, f64)) -> f64| ranks(&pairs.iter().map(side).collect::<Vec<_>>());
    let ranked: Vec<(f64, f64)> = of(&|pair| pair.0).into_iter().zip(of(&|pair| pair.1)).collect();
    let value = correlation(&ranked)?;
    let interval = fisher(value, pairs.len(), 1.0 + value * value / 2.0, z);
    Some(Correlation { value, interval })
}

/// The chance that a value drawn from `high` lies above one drawn from `low`, ties counted half:
/// the area under the ROC curve, and the Mann-Whitney statistic over the number of pairs. In
/// `[0, 1]`; 0.5 says that the values tell nothing.
///
/// The interval is the score interval of R. G. Newcombe, "Confidence intervals for an effect size
/// measure based on the Mann-Whitney statistic, part 2", Statistics in Medicine 25, 2006, method 5:
/// every `θ` with `|θ − θ̂| ≤ z·√V(θ)`, where `V(θ) = θ(1 − θ)[1 + N((1 − θ)/(2 − θ) + θ/(1 + θ))]/mn`
/// and `N = (m + n)/2 − 1`. Its width is never zero. `None` if a side is empty or a number is not
/// finite.
pub fn auc(low: &[f64], high: &[f64], level: f64) -> Option<Correlation> {
    let z = normal_quantile(level)?;
    let (m, n) = (low.len(), high.len());
    let all: Vec<f64> = high.iter().chain(low).copied().collect();
    if m == 0 || n == 0 || !all.iter().all(|value| value.is_finite()) {
        return None;
    }
    let sum: f64 = ranks(&all)[..n].iter().sum();
    let pairs = (m * n) as f64;
    let value = ((sum - (n * (n + 1)) as f64 / 2.0) / pairs).clamp(0.0, 1.0);
    let spare = (m + n) as f64 / 2.0 - 1.0;
    let variance = |theta: f64| {
        let other = (1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta);
        theta * (1.0 - theta) * (1.0 + spare * other) / pairs
    };
    // Inside the interval at the value itself, outside at 0 or 1 unless the value lies there.
    let end = |outside: f64| {
        let (mut inside, mut outside) = (value, outside);
        for _ in 0..100 {
            let middle = f64::midpoint(inside, outside);
            if (middle - value).abs() <= z * variance(middle).sqrt() {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        f64::midpoint(inside, outside)
    };
    let interval = Interval {
        low: if value > 0.0 { end(0.0) } else { 0.0 },
        high: if value < 1.0 { end(1.0) } else { 1.0 },
    };
    Some(Correlation { value, interval: Some(interval) })
}

fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    if pairs.len() < 2 || !pairs.iter().all(|(x, y)| x.is_finite() && y.is_finite()) {
        return None;
    }
    // Sums of rounding errors must not pass for variation.
    let varies = |side: &dyn Fn(&(f64, f64)) -> f64| {
        pairs.iter().any(|pair| (side(pair) - side(&pairs[0])).abs() > 0.0)
    };
    if !varies(&|pair| pair.0) || !varies(&|pair| pair.1) {
        return None;
    }
    let mean_x = pairs.iter().map(|pair| pair.0).sum::<f64>() / n;
    let mean_y = pairs.iter().map(|pair| pair.1).sum::<f64>() / n;
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        let (x, y) = (x - mean_x, y - mean_y);
        xy += x * y;
        xx += x * x;
        yy += y * y;
    }
    let value = xy / (xx.sqrt() * yy.sqrt());
    value.is_finite().then(|| value.clamp(-1.0, 1.0))
}

fn fisher(value: f64, n: usize, variance: f64, z: f64) -> Option<Interval> {
    if n < 4 || value.abs() > 1.0 - 1e-12 {
        return None;
    }
    let half = z * (variance / (n - 3) as f64).sqrt();
    Some(Interval { low: (value.atanh() - half).tanh(), high: (value.atanh() + half).tanh() })
}

/// Ranks from 1 in the order given; equal values share the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&left, &right| values[left].total_cmp(&values[right]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let first = values[order[start]];
        let end = order[start..].iter().take_while(|&&at| values[at] <= first).count() + start;
        let rank = f64::midpoint((start + 1) as f64, end as f64);
        for &at in &order[start..end] {
            ranks[at] = rank;
        }
        start = end;
    }
    ranks
}
