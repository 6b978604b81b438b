use std::collections::BTreeMap;

use crate::{FEWEST_CLUSTERS, Refusal, normal_quantile};

/// What more cases are wanted for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// To show, two-sided, a true difference of this size.
    Detect(f64),
    /// To show "not worse by this margin" where there is no true difference.
    NonInferior(f64),
    /// To show equivalence within this margin where there is no true difference.
    Equivalent(f64),
    /// An interval of a mean this far to either side.
    HalfWidth(f64),
}

/// How the cases hang together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// How many times larger the variance of the mean is than that of as many independent cases,
    /// at least 1; [`design_effect`] estimates it.
    pub effect: f64,
    /// Cases a cluster, on average, at least 1.
    pub cases_per_cluster: f64,
}

/// How many cases; see [`cases_needed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CasesNeeded {
    /// Cases in all, not on top of those at hand.
    pub cases: u64,
    /// Clusters of documents in all, for *new documents*.
    pub clusters: Option<u64>,
    /// Whether the spread asks for fewer, and the count is what the smallest p of a sign-flip test,
    /// or the fewest clusters, demands.
    pub by_smallest_p: bool,
}

/// How many cases an [`Aim`] takes, for a spread of the (paired) values, power and level.
///
/// The spread is the standard deviation of the cases' values or differences; the *observed effect*
/// has no part in it: power computed from what was observed only says again what p said. The usual
/// formula for the t test, `(z₁ + z₂)² · (sd/margin)² + z₁²/2` (W. C. Guenther, The American
/// Statistician 35, 1981), within a case or two of the noncentral t. For equivalence half of what
/// the power leaves is taken on either side. Multiplied by the design effect. Never fewer than can
/// show anything at all: a sign-flip test of `u` units has no p below `2^(1−u)`.
///
/// `design` is given for *new documents*, of which there must be enough clusters too; `None` means
/// independent cases. With tests adjusted for each other pass the adjusted level (Holm's first step: `1 − α/tests`).
///
/// # Errors
/// An argument that is not above 0, or a level or a power that is not below 1; it is named.
pub fn cases_needed(
    aim: Aim,
    spread: f64,
    power: f64,
    level: f64,
    design: Option<Design>,
) -> Result<CasesNeeded, Refusal> {
    let within = |what, value: f64, at_most| {
        let fits = value > 0.0 && value <= at_most;
        if fits { Ok(()) } else { Err(Refusal::Argument { what, value, at_most }) }
    };
    within("the spread", spread, f64::MAX)?;
    within("the power", power, 1.0 - 1e-9)?;
    within("the level", level, 1.0 - 1e-9)?;
    let clustered = design.is_some();
    let design = design.unwrap_or(Design { effect: 1.0, cases_per_cluster: 1.0 });
    within("the design effect", design.effect, f64::MAX)?;
    within("the cases per cluster", design.cases_per_cluster, f64::MAX)?;
    let two_sided = |level: f64| normal_quantile(level).ok_or(Refusal::Level(level));
    // The one-sided quantile of a probability above one half.
    let one_sided = |share: f64| {
        if share > 0.5 {
            two_sided(2.0 * share - 1.0)
        } else {
            two_sided(1.0 - 2.0 * share).map(|z| -z)
        }
    };
    let (size, first, second, what) = match aim {
        Aim::Detect(size) => (size, two_sided(level)?, one_sided(power)?, "the difference"),
        Aim::NonInferior(size) => (size, one_sided(level)?, one_sided(power)?, "the margin"),
        Aim::Equivalent(size) => {
            (size, one_sided(level)?, one_sided(f64::midpoint(1.0, power))?, "the margin")
        }
        Aim::HalfWidth(size) => (size, two_sided(level)?, 0.0, "the half-width"),
    };
    within(what, size, f64::MAX)?;
    let independent = ((first + second) * spread / size).powi(2) + first * first / 2.0;
    let cases = (independent * design.effect.max(1.0)).ceil().max(1.0);
    let alpha = match aim {
        Aim::Detect(_) | Aim::HalfWidth(_) => 1.0 - level,
        Aim::NonInferior(_) | Aim::Equivalent(_) => 2.0 * (1.0 - level),
    };
    let mut units = fewest_units(alpha);
    if !clustered {
        let by_spread = cases as u64;
        return Ok(CasesNeeded {
            cases: by_spread.max(units),
            clusters: None,
            by_smallest_p: by_spread < units,
        });
    }
    units = units.max(FEWEST_CLUSTERS as u64);
    let by_spread = (cases / design.cases_per_cluster).ceil() as u64;
    let clusters = by_spread.max(units);
    let floor = (units as f64 * design.cases_per_cluster).ceil();
    Ok(CasesNeeded {
        cases: cases.max(floor) as u64,
        clusters: Some(clusters),
        by_smallest_p: by_spread < units,
    })
}

/// The fewest units of which a two-sided sign-flip test can have `p < α`: `2^(1−u) < α`.
fn fewest_units(alpha: f64) -> u64 {
    let mut units = 1;
    let mut smallest_p = 1.0;
    while smallest_p >= alpha {
        units += 1;
        smallest_p /= 2.0;
    }
    units
}

/// The standard deviation of some values, the spread that [`cases_needed`] asks for. `None` for
/// fewer than two.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    Some((values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}

/// How clustering inflates the variance of a mean: `1 + (m' − 1)·ρ`.
///
/// `m' = Σnᵍ²/Σnᵍ` is the size of cluster that a case meets on average (L. Kish, "Survey sampling",
/// 1965), `ρ` the intra-cluster correlation by one-way analysis of variance, not below 0. `None`
/// without two clusters, without a cluster of two cases, without any spread, or if there isn't one
/// label a value.
pub fn design_effect(values: &[f64], clusters: &[usize]) -> Option<Design> {
    if values.len() != clusters.len() {
        return None;
    }
    let mut members: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (value, label) in values.iter().zip(clusters) {
        members.entry(*label).or_default().push(*value);
    }
    let (n, groups) = (values.len() as f64, members.len() as f64);
    if members.len() < 2 || members.len() == values.len() {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let (mut between, mut within, mut squared_sizes) = (0.0, 0.0, 0.0);
    for group in members.values() {
        let size = group.len() as f64;
        let own = group.iter().sum::<f64>() / size;
        between += size * (own - mean).powi(2);
        within += group.iter().map(|value| (value - own).powi(2)).sum::<f64>();
        squared_sizes += size * size;
    }
    let between = between / (groups - 1.0);
    let within = within / (n - groups);
    let size = (n - squared_sizes / n) / (groups - 1.0);
    let spread = between + (size - 1.0) * within;
    if spread <= 0.0 {
        return None;
    }
    let correlation = ((between - within) / spread).clamp(0.0, 1.0);
    let effect = 1.0 + (squared_sizes / n - 1.0) * correlation;
    Some(Design { effect, cases_per_cluster: n / groups })
}
