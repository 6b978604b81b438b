use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::bca::{bca, linear};
use crate::betting::betting;
use crate::population::{Unit, check, units};
use crate::{Interval, Population, Refusal};

/// Under this many scores no approximation is trusted and [`betting`] is used.
pub const BETTING_BELOW: usize = 10;

/// From this many units on, unbounded statistics take the bootstrap and not Student's t.
pub const BCA_FROM: usize = 50;

/// How an interval was made. [`Method::rule`] says when which is taken: never after looking at
/// widths or at results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Hedged capital, [`betting`]: right for any scores in `[0, 1]` and any number of them.
    Betting,
    /// Wilson's interval with an effective number of scores, [`mean_interval`].
    Wilson,
    /// The same, with the spread taken between clusters.
    WilsonClustered,
    /// Student's t, for ratios linearised (the delta method).
    StudentT,
    /// The bias-corrected and accelerated bootstrap of [`RESAMPLES`](crate::RESAMPLES) resamples.
    Bca,
}

impl Method {
    /// A stable name for files: `betting`, `wilson`, `wilson_clustered`, `student_t` or `bca`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Betting => "betting",
            Self::Wilson => "wilson",
            Self::WilsonClustered => "wilson_clustered",
            Self::StudentT => "student_t",
            Self::Bca => "bca",
        }
    }

    /// The rule by which it was chosen, in English and in Russian.
    pub const fn rule(self) -> (&'static str, &'static str) {
        match self {
            Self::Betting => (
                "scores in [0, 1], fewer than 10 of them: betting",
                "оценки в [0, 1], их меньше 10: метод ставок",
            ),
            Self::Wilson => (
                "scores in [0, 1], 10 or more, these documents: Wilson with effective n",
                "оценки в [0, 1], их не меньше 10, эти документы: Уилсон с эффективным n",
            ),
            Self::WilsonClustered => (
                "scores in [0, 1], new documents: Wilson with effective n, spread between clusters",
                "оценки в [0, 1], новые документы: Уилсон с эффективным n, разброс между кластерами",
            ),
            Self::StudentT => (
                "unbounded or a ratio, fewer than 50 units: Student's t",
                "без границ или отношение, единиц меньше 50: t Стьюдента",
            ),
            Self::Bca => (
                "unbounded or a ratio, 50 units or more: BCa bootstrap",
                "без границ или отношение, единиц не меньше 50: бутстреп BCa",
            ),
        }
    }
}

/// A mean, or a ratio, with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanInterval {
    /// The mean over cases, or the ratio of sums.
    pub mean: f64,
    /// Where the true one may lie. Never of zero width; for scores inside `[0, 1]`.
    pub interval: Interval,
    /// How it was made, and so by which rule.
    pub method: Method,
    /// How many cases.
    pub cases: usize,
    /// How many units the spread was taken between: cases, or clusters of documents.
    pub units: usize,
    /// What the population is.
    pub population: Population,
}

/// The default interval of a mean of scores in `[0, 1]`; the mean over cases is the estimand.
///
/// The rule looks at the number of scores and at the population, and at nothing else:
///
/// - *new documents*: Wilson with effective n, spread between clusters ([`Method::WilsonClustered`]);
/// - *these documents*, fewer than [`BETTING_BELOW`] scores: [`betting`], in an order drawn from `seed`;
/// - *these documents*, [`BETTING_BELOW`] or more: Wilson with effective n ([`Method::Wilson`]).
///
/// Wilson's interval for a proportion takes the variance `m(1−m)/n`, the largest that scores in
/// `[0, 1]` with that mean can have. Here n is replaced by the n that would give the variance seen
/// (L. Korn and B. Graubard, Survey Methodology 24, 1998), and the normal quantile by Student's
/// with one degree of freedom fewer than there are units. The ratio `φ` of the variance seen to
/// `m(1−m)/n` is drawn a little towards that of zeros and ones, correlated within clusters, so that
/// equal scores keep a width; for zeros and ones without clusters it is 1. Unequal clusters count as
/// `n²/Σnᵍ²` equal ones (Kish) for the degrees of freedom. How often this interval holds the truth was
/// simulated: `docs/intervals.md`.
///
/// # Errors
/// No score, one outside `[0, 1]`, a level that is none, not one label a score; for *new documents*
/// no labels or fewer than [`FEWEST_CLUSTERS`](crate::FEWEST_CLUSTERS).
pub fn mean_interval(
    values: &[f64],
    clusters: Option<&[usize]>,
    population: Population,
    level: f64,
    seed: u64,
) -> Result<MeanInterval, Refusal> {
    check(values, 0.0, 1.0, level)?;
    let units = units(values, clusters, population)?;
    let cases = values.len();
    let mean = mean_of(values);
    let (interval, method) = match population {
        Population::TheseDocuments if cases < BETTING_BELOW => {
            (betting(values, level, seed)?, Method::Betting)
        }
        Population::TheseDocuments => (wilson_effective(values, &units, level), Method::Wilson),
        Population::NewDocuments => {
            (wilson_effective(values, &units, level), Method::WilsonClustered)
        }
    };
    Ok(MeanInterval { mean, interval, method, cases, units: units.len(), population })
}

/// The mean, summed in order of size so that the order of the cases doesn't matter.
fn mean_of(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.iter().sum::<f64>() / sorted.len() as f64
}

/// Wilson with Student's quantile and the n that explains the spread between units.
fn wilson_effective(values: &[f64], units: &[Unit], level: f64) -> Interval {
    let n = values.len() as f64;
    let count = units.len() as f64;
    let mean = mean_of(values).clamp(0.0, 1.0);
    let mut squares: Vec<f64> =
        units.iter().map(|unit| (unit.sum - unit.cases * mean).powi(2)).collect();
    squares.sort_by(f64::total_cmp);
    // For units of one case zeros and ones give exactly the largest spread.
    let clustered = units.iter().any(|unit| unit.cases > 1.5);
    let correction = if clustered { count / (count - 1.0) } else { 1.0 };
    let seen = squares.iter().sum::<f64>() * correction;
    let largest = n * mean * (1.0 - mean);
    // The size of unit that a case meets on average, and the number of such units.
    let size = units.iter().map(|unit| unit.cases * unit.cases).sum::<f64>() / n;
    let equal_units = n / size;
    let weight = PRIOR_WEIGHT * size;
    let inflation = 1.0 + PRIOR_CORRELATION * (size - 1.0);
    let ratio = (seen + weight * inflation) / (largest + weight);
    let quantile = student_quantile((equal_units - 1.0).max(1.0), level);
    wilson(mean, n / ratio, quantile)
}

/// The weight of the belief that scores are 0 or 1, a case of a unit, in units of the sum of
/// squares: as much as one score of 1 where one half is expected.
const PRIOR_WEIGHT: f64 = 0.25;

/// The correlation of cases within a cluster in that belief. Few clusters often miss the hard
/// documents and then show less spread than there is.
const PRIOR_CORRELATION: f64 = 0.25;

fn wilson(mean: f64, n: f64, z: f64) -> Interval {
    let shrink = 1.0 + z * z / n;
    let centre = (mean + z * z / (2.0 * n)) / shrink;
    let half = z * (mean * (1.0 - mean) / n + z * z / (4.0 * n * n)).sqrt() / shrink;
    Interval { low: (centre - half).clamp(0.0, mean), high: (centre + half).clamp(mean, 1.0) }
}

/// The two-sided quantile of Student's t.
pub(crate) fn student_quantile(freedom: f64, level: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom)
        .map_or(f64::INFINITY, |student| student.inverse_cdf(f64::midpoint(1.0, level)))
}

/// The interval of a mean of numbers without bounds (seconds, tokens, money).
///
/// The rule looks at the number of units only: fewer than [`BCA_FROM`] take Student's t with the
/// spread between units, more take the BCa bootstrap of units.
///
/// # Errors
/// As [`mean_interval`], and numbers that are all equal: nothing bounds what was not seen, so any
/// width would be invented.
pub fn unbounded_mean_interval(
    values: &[f64],
    clusters: Option<&[usize]>,
    population: Population,
    level: f64,
    seed: u64,
) -> Result<MeanInterval, Refusal> {
    ratio_interval(values, &vec![1.0; values.len()], clusters, population, level, seed)
}

/// The interval of a ratio of sums, `Σ numerators / Σ denominators` (supported claims of all
/// claims, dollars a token); a case, or a cluster, is the unit, never the claim.
///
/// The same rule as [`unbounded_mean_interval`].
///
/// # Errors
/// As [`unbounded_mean_interval`]; a number that isn't finite, a denominator below 0 or all of them
/// 0, not as many numerators as denominators.
pub fn ratio_interval(
    numerators: &[f64],
    denominators: &[f64],
    clusters: Option<&[usize]>,
    population: Population,
    level: f64,
    seed: u64,
) -> Result<MeanInterval, Refusal> {
    check(numerators, f64::MIN, f64::MAX, level)?;
    check(denominators, 0.0, f64::MAX, level)?;
    if numerators.len() != denominators.len() {
        let (values, labels) = (numerators.len(), denominators.len());
        return Err(Refusal::Labels { values, labels });
    }
    let above = units(numerators, clusters, population)?;
    let denominators = units(denominators, clusters, population)?;
    // Sorted, so that the order of the cases doesn't matter to what is drawn.
    let mut pairs: Vec<(f64, f64)> =
        above.iter().zip(&denominators).map(|(above, below)| (above.sum, below.sum)).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let n = pairs.len();
    let below: f64 = pairs.iter().map(|pair| pair.1).sum();
    if below <= 0.0 {
        let what = "the sum of denominators";
        return Err(Refusal::Argument { what, value: below, at_most: f64::MAX });
    }
    let no_spread = Refusal::NoSpread { n };
    let (interval, method) = if n < BCA_FROM {
        (linear(&pairs, level).ok_or(no_spread)?, Method::StudentT)
    } else {
        (bca(&pairs, level, seed).ok_or(no_spread)?, Method::Bca)
    };
    let mean = pairs.iter().map(|pair| pair.0).sum::<f64>() / below;
    Ok(MeanInterval { mean, interval, method, cases: numerators.len(), units: n, population })
}
