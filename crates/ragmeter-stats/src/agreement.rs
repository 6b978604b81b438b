use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::{FEWEST_CLUSTERS, Interval, normal_quantile};

/// Draws of clusters behind an interval of [`clustered`].
pub const CLUSTER_DRAWS: usize = 2_000;

/// Largest share of draws in which a statistic may be undefined before its interval is.
const UNDEFINED: f64 = 0.05;

/// What a disagreement between two labels costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Every disagreement alike (Cohen's kappa).
    Nominal,
    /// In proportion to the distance between the labels in their order.
    Linear,
    /// In proportion to the square of that distance.
    Quadratic,
}

impl Weights {
    /// Agreement of two labels of `k`, in `[0, 1]`; 1 for equal ones.
    fn agreement(self, left: usize, right: usize, k: usize) -> f64 {
        let distance = left.abs_diff(right) as f64 / (k.max(2) - 1) as f64;
        match self {
            Self::Nominal => f64::from(u8::from(left == right)),
            Self::Linear => 1.0 - distance,
            Self::Quadratic => 1.0 - distance * distance,
        }
    }
}

/// Agreement of two raters beyond chance; see [`kappa`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kappa {
    /// How many items.
    pub n: usize,
    /// Observed agreement, in `[0, 1]`; weighted, if weights were asked for.
    pub observed: f64,
    /// Agreement that the raters' own rates of labels would give by chance, in `[0, 1)`.
    pub expected: f64,
    /// `(observed − expected) / (1 − expected)`, at most 1.
    pub kappa: f64,
    /// Its standard error for independent items.
    pub standard_error: f64,
}

/// Cohen's kappa, weighted if asked, of a square table of counts: `table[i][j]` items that the
/// first rater gave label `i` and the second label `j`.
///
/// J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
/// Measurement 20, 1960; the standard error is the large-sample one of J. L. Fleiss, J. Cohen and
/// B. S. Everitt, "Large sample standard errors of kappa and weighted kappa", Psychological
/// Bulletin 72, 1969, for items that are independent of each other.
///
/// `None` if the table is not square, holds nothing, or if chance alone would agree always (both
/// raters gave one label only): kappa is not defined then.
pub fn kappa(table: &[Vec<usize>], weights: Weights) -> Option<Kappa> {
    let k = table.len();
    if table.iter().any(|row| row.len() != k) {
        return None;
    }
    let n: usize = table.iter().flatten().sum();
    if n == 0 {
        return None;
    }
    let share = |i: usize, j: usize| table[i][j] as f64 / n as f64;
    let rows: Vec<f64> = (0..k).map(|i| (0..k).map(|j| share(i, j)).sum()).collect();
    let columns: Vec<f64> = (0..k).map(|j| (0..k).map(|i| share(i, j)).sum()).collect();
    let weight = |i, j| weights.agreement(i, j, k);
    let cells = || (0..k).flat_map(|i| (0..k).map(move |j| (i, j)));
    let observed: f64 = cells().map(|(i, j)| weight(i, j) * share(i, j)).sum();
    let expected: f64 = cells().map(|(i, j)| weight(i, j) * rows[i] * columns[j]).sum();
    if 1.0 - expected < 1e-12 {
        return None;
    }
    let kappa = (observed - expected) / (1.0 - expected);
    // Mean weight of a label of one rater against the other's rates.
    let of_row: Vec<f64> =
        (0..k).map(|i| (0..k).map(|j| columns[j] * weight(i, j)).sum()).collect();
    let of_column: Vec<f64> =
        (0..k).map(|j| (0..k).map(|i| rows[i] * weight(i, j)).sum()).collect();
    let spread: f64 = cells()
        .map(|(i, j)| {
            let term = weight(i, j) - (of_row[i] + of_column[j]) * (1.0 - kappa);
            share(i, j) * term * term
        })
        .sum();
    let centre = kappa - expected * (1.0 - kappa);
    let variance = (spread - centre * centre) / (n as f64 * (1.0 - expected).powi(2));
    Some(Kappa { n, observed, expected, kappa, standard_error: variance.max(0.0).sqrt() })
}

/// The interval `kappa ± z · SE`, cut at -1 and 1, for items that are independent of each other.
///
/// Where the items agree so far that the standard error is 0, a share `w = z²/(n + z²)` of items
/// of a kind not yet seen (Wilson's upper end for 0 seen of `n`) is taken to disagree, so that the
/// width stays above zero. `None` below [`FEWEST_CLUSTERS`] items, or if `level` is not inside
/// `(0, 1)`.
pub fn kappa_interval(kappa: &Kappa, level: f64) -> Option<Interval> {
    let z = normal_quantile(level)?;
    if kappa.n < FEWEST_CLUSTERS {
        return None;
    }
    let half = z * kappa.standard_error;
    if half > 1e-9 {
        let (low, high) = (kappa.kappa - half, kappa.kappa + half);
        return Some(Interval { low: low.max(-1.0), high: high.min(1.0) });
    }
    Some(widened(kappa.kappa, kappa.expected, kappa.n, z))
}

/// The interval of an agreement without any spread in `n` items.
fn widened(value: f64, expected: f64, n: usize, z: f64) -> Interval {
    let unseen = z * z / (n as f64 + z * z);
    let least = (value - unseen / (1.0 - expected).max(1e-12)).max(-1.0);
    Interval { low: least.min(value), high: value.max(-1.0) }
}

/// The percentile interval of a statistic over clusters drawn whole, with replacement
/// ([`CLUSTER_DRAWS`] draws from `seed`).
///
/// `statistic` is given how often each of `clusters` clusters was drawn. `at` is its value on the
/// data, `expected` the agreement that chance would give there: they are used where every draw
/// gives the same value, as in [`kappa_interval`]. Items of one cluster are not independent of
/// each other; clusters must be. `None` below [`FEWEST_CLUSTERS`] clusters, if more than one draw
/// in twenty leaves the statistic undefined, or if `level` is not inside `(0, 1)`.
pub fn clustered(
    clusters: usize,
    at: f64,
    expected: f64,
    level: f64,
    seed: u64,
    statistic: impl Fn(&[usize]) -> Option<f64>,
) -> Option<Interval> {
    let z = normal_quantile(level)?;
    if clusters < FEWEST_CLUSTERS {
        return None;
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut drawn = vec![0_usize; clusters];
    let mut values = Vec::with_capacity(CLUSTER_DRAWS);
    for _ in 0..CLUSTER_DRAWS {
        drawn.fill(0);
        for _ in 0..clusters {
            // 64 random bits scaled to the range: the bias is below 2^-40 for any real number.
            let index = (u128::from(random.next_u64()) * clusters as u128) >> 64;
            drawn[index as usize] += 1;
        }
        values.extend(statistic(&drawn));
    }
    if values.len() < ((1.0 - UNDEFINED) * CLUSTER_DRAWS as f64) as usize {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let low = quantile(&values, (1.0 - level) / 2.0).min(at);
    let high = quantile(&values, f64::midpoint(1.0, level)).max(at);
    if high - low > 1e-9 {
        return Some(Interval { low, high });
    }
    Some(widened(at, expected, clusters, z))
}

/// The quantile of sorted values by linear interpolation (type 7 of Hyndman and Fan).
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, part) = (at.floor() as usize, at.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + part * (sorted[above] - sorted[below])
}

/// Krippendorff's alpha; see [`alpha`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alpha {
    /// Units with at least two labels.
    pub units: usize,
    /// Labels in them.
    pub labels: usize,
    /// Agreement that the labels' own rates would give by chance: `1 − expected disagreement`.
    pub expected: f64,
    /// 1 for perfect agreement, 0 for chance, below 0 for less.
    pub alpha: f64,
}

/// Whether labels have an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// They have none: every disagreement weighs alike.
    Nominal,
    /// They stand in the order of their numbers: far labels disagree more.
    Ordinal,
}

/// Krippendorff's alpha for labels with missing data. `units[u]` holds the labels that the raters
/// who labelled unit `u` gave it, each below `k`; who gave which does not matter.
///
/// K. Krippendorff, "Content Analysis", 2004, chapter 11: a unit of `m ≥ 2` labels adds each of its
/// ordered pairs with weight `1/(m − 1)` to the coincidences `o`; with `n_c` labels of value `c` in
/// `n`, alpha is `1 − (n − 1) · Σ_{c≠d} δ_cd o_cd / Σ_{c≠d} δ_cd n_c n_d`. For nominal labels
/// `δ_cd` is 1; for ordinal ones the square of the labels between both, the ends by half:
/// `(Σ_{g=c..d} n_g − (n_c + n_d)/2)²`. Units of fewer than two labels say nothing of agreement and
/// leave. `None` if no unit is left, if a label is not below `k`, or if only one label was ever
/// given: alpha is not defined then.
pub fn alpha(units: &[Vec<usize>], k: usize, order: Order) -> Option<Alpha> {
    let each = vec![1; units.len()];
    let tallies = tallies(units, k)?;
    alpha_of(&tallies, &each, order)
}

/// How often each label stands in a unit.
fn tallies(units: &[Vec<usize>], k: usize) -> Option<Vec<Vec<usize>>> {
    let tally = |labels: &Vec<usize>| {
        let mut counts = vec![0; k];
        for &label in labels {
            *counts.get_mut(label)? += 1;
        }
        Some(counts)
    };
    units.iter().map(tally).collect()
}

/// Alpha of units that each count so often.
fn alpha_of(tallies: &[Vec<usize>], times: &[usize], order: Order) -> Option<Alpha> {
    let k = tallies.first()?.len();
    let counted = || {
        let all = tallies.iter().zip(times.iter().copied());
        all.filter(|(counts, times)| *times > 0 && counts.iter().sum::<usize>() > 1)
    };
    let mut of_label = vec![0_usize; k];
    for (counts, times) in counted() {
        for (total, count) in of_label.iter_mut().zip(counts) {
            *total += count * times;
        }
    }
    let distances = distances(&of_label, order);
    let pairs = || (0..k).flat_map(|c| (c + 1..k).map(move |d| (c, d)));
    // Unordered pairs: each stands for the two ordered ones of the formula.
    let by_chance: f64 =
        pairs().map(|(c, d)| distances[c][d] * (of_label[c] * of_label[d]) as f64).sum();
    if by_chance <= 0.0 {
        return None;
    }
    let (mut units, mut seen) = (0, 0.0);
    for (counts, times) in counted() {
        let m: usize = counts.iter().sum();
        let within: f64 =
            pairs().map(|(c, d)| distances[c][d] * (counts[c] * counts[d]) as f64).sum();
        units += times;
        seen += times as f64 * within / (m - 1) as f64;
    }
    let n: usize = of_label.iter().sum();
    // Expected disagreement on a scale where the largest distance is 1.
    let largest = distances.iter().flatten().copied().fold(0.0, f64::max);
    let expected = 2.0 * by_chance / (n * (n - 1)) as f64 / largest;
    let alpha = 1.0 - (n - 1) as f64 * seen / by_chance;
    Some(Alpha { units, labels: n, expected: 1.0 - expected, alpha })
}

/// What each pair of labels costs, given how often each was given.
fn distances(of_label: &[usize], order: Order) -> Vec<Vec<f64>> {
    let k = of_label.len();
    let distance = |c: usize, d: usize| match order {
        Order::Nominal => f64::from(u8::from(c != d)),
        Order::Ordinal => {
            let between: usize = of_label[c.min(d)..=c.max(d)].iter().sum();
            (between as f64 - f64::midpoint(of_label[c] as f64, of_label[d] as f64)).powi(2)
        }
    };
    (0..k).map(|c| (0..k).map(|d| distance(c, d)).collect()).collect()
}

/// The interval of [`alpha`] over clusters of units drawn whole: `cluster[u]` is the cluster that
/// unit `u` belongs to. Refused as [`clustered`] refuses.
pub fn alpha_interval(
    units: &[Vec<usize>],
    cluster: &[usize],
    (k, order): (usize, Order),
    level: f64,
    seed: u64,
) -> Option<Interval> {
    let tallies = tallies(units, k)?;
    let at = alpha_of(&tallies, &vec![1; units.len()], order)?;
    let clusters = cluster.iter().max()? + 1;
    clustered(clusters, at.alpha, at.expected, level, seed, |drawn| {
        let times: Vec<usize> = cluster.iter().map(|&cluster| drawn[cluster]).collect();
        alpha_of(&tallies, &times, order).map(|alpha| alpha.alpha)
    })
}

/// The interval of [`kappa`] over clusters of items drawn whole: `items` holds the two labels of
/// each item, below `k`, and its cluster. Refused as [`clustered`] refuses.
pub fn kappa_interval_clustered(
    items: &[(usize, usize, usize)],
    k: usize,
    weights: Weights,
    level: f64,
    seed: u64,
) -> Option<Interval> {
    let clusters = items.iter().map(|item| item.2).max()? + 1;
    let table = |times: &dyn Fn(usize) -> usize| {
        let mut table = vec![vec![0; k]; k];
        for &(left, right, cluster) in items {
            *table.get_mut(left)?.get_mut(right)? += times(cluster);
        }
        kappa(&table, weights)
    };
    let at = table(&|_| 1)?;
    clustered(clusters, at.kappa, at.expected, level, seed, |drawn| {
        table(&|cluster| drawn[cluster]).map(|kappa| kappa.kappa)
    })
}
