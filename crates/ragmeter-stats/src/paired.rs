use crate::flips::{Draws, Flips};
use crate::population::{check, units};
use crate::{Interval, Population, Refusal, normal_quantile};

/// What a paired comparison says; see [`paired_test`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedTest {
    /// How many differences.
    pub cases: usize,
    /// How many units had their signs flipped: cases, or clusters of documents.
    pub units: usize,
    /// What the result is about.
    pub population: Population,
    /// The mean over cases.
    pub mean: f64,
    /// Two-sided p of "neither system is better", in `(0, 1]`.
    pub p: f64,
    /// The mean differences that the same test doesn't reject; `None` if it can't reject any.
    pub interval: Option<Interval>,
    /// The smallest p that this many units could give. Not below `1 − level`: no difference, not
    /// even the largest, could have been shown.
    pub smallest_p: f64,
    /// Whether every pattern of signs was enumerated, so that p has no error of its own.
    pub exact: bool,
}

/// The paired test of differences of scores, each in `[-1, 1]`: p and interval from one procedure.
///
/// The estimand is the **mean over cases**, for both populations.
///
/// - *These documents*: the signs of cases are flipped, as in [`sign_flip`](crate::sign_flip). The
///   documents are not used as strata, which errs on the safe side (see
///   [`Population::TheseDocuments`]).
/// - *New documents*: the signs of whole clusters are flipped. The statistic is the sum over a
///   cluster's cases, so that with unequal clusters the estimate is the ratio of all differences to
///   all cases, a large document counting as often as it was asked about. The shift `δ` takes `δ`
///   times its number of cases from each cluster. Under the null the clusters' sums are
///   symmetric around 0; nothing is assumed about how cases within a cluster hang together.
///
/// `clusters` holds a label for each difference ([`clusters`](crate::clusters) makes them); only
/// which labels are equal matters. Up to [`EXACT_UP_TO`](crate::EXACT_UP_TO) units every pattern is
/// enumerated. `p < 1 − level` exactly if 0 lies outside the interval. The result depends neither
/// on the order of the cases nor, but for its sign, on which system came first.
///
/// # Errors
/// No difference, one outside `[-1, 1]`, a level that is none, not one label a difference; for *new
/// documents* no labels, or fewer than [`FEWEST_CLUSTERS`](crate::FEWEST_CLUSTERS) clusters.
pub fn paired_test(
    differences: &[f64],
    clusters: Option<&[usize]>,
    population: Population,
    level: f64,
    seed: u64,
) -> Result<PairedTest, Refusal> {
    paired_test_drawn(differences, clusters, population, level, Draws::usual(seed))
}

/// [`paired_test`] with another number of patterns, for simulations. A drawn test keeps its size
/// with any number of draws; with fewer, p is coarser.
///
/// # Errors
/// As [`paired_test`].
pub fn paired_test_drawn(
    differences: &[f64],
    clusters: Option<&[usize]>,
    population: Population,
    level: f64,
    draws: Draws,
) -> Result<PairedTest, Refusal> {
    check(differences, -1.0, 1.0, level)?;
    let z = normal_quantile(level).ok_or(Refusal::Level(level))?;
    let flips = Flips::new(units(differences, clusters, population)?, draws);
    Ok(PairedTest {
        cases: differences.len(),
        units: flips.units,
        population,
        mean: flips.mean,
        p: flips.p(0.0),
        interval: flips.interval(level, z),
        smallest_p: flips.smallest_p(),
        exact: flips.exact,
    })
}

/// What may be said about a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarginVerdict {
    /// The true difference is inside `(−margin, margin)`.
    Equivalent,
    /// The true difference is above `−margin`; it may be above `margin` too.
    NonInferior,
    /// The true difference may be `−margin` or lower.
    NotShown,
}

/// What a test against a margin says; see [`margin_test`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarginTest {
    /// The verdict at `α = 1 − level`.
    pub verdict: MarginVerdict,
    /// The mean over cases.
    pub mean: f64,
    /// One-sided p of "worse by the margin or more", in `(0, 1]`: non-inferiority.
    pub p_lower: f64,
    /// One-sided p of "better by the margin or more", in `(0, 1]`.
    pub p_upper: f64,
    /// The larger of the two: the p of equivalence by two one-sided tests.
    pub p_equivalence: f64,
    /// The interval of level `1 − 2α`. Its low end is above `−margin` exactly if non-inferiority is
    /// shown, and it lies inside `(−margin, margin)` exactly if equivalence is.
    pub interval: Option<Interval>,
    /// The smallest one-sided p that this many units could give.
    pub smallest_p: f64,
}

/// Equivalence and non-inferiority for a margin that the user gives, in `(0, 1]`, at
/// `α = 1 − level`, from the same patterns of signs as [`paired_test`].
///
/// Differences are *new minus old*, higher is better. The test shifts them by the margin and asks
/// how often a pattern of signs gives a sum as far out (two one-sided tests, D. J. Schuirmann,
/// Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
///
/// # Errors
/// As [`paired_test`], and a margin outside `(0, 1]`.
pub fn margin_test(
    differences: &[f64],
    clusters: Option<&[usize]>,
    population: Population,
    margin: f64,
    level: f64,
    seed: u64,
) -> Result<MarginTest, Refusal> {
    check(differences, -1.0, 1.0, level)?;
    if !(margin > 0.0 && margin <= 1.0) {
        return Err(Refusal::Argument { what: "the margin", value: margin, at_most: 1.0 });
    }
    let flips = Flips::new(units(differences, clusters, population)?, Draws::usual(seed));
    let alpha = 1.0 - level;
    let (p_lower, p_upper) = (flips.p_above(0.0 - margin), flips.p_below(margin));
    // An interval of level 1 − 2α makes sense for α below one half only.
    let two_sided = 1.0 - 2.0 * alpha;
    let interval = normal_quantile(two_sided).and_then(|z| flips.interval(two_sided, z));
    let verdict = match (p_lower < alpha, p_upper < alpha) {
        (true, true) => MarginVerdict::Equivalent,
        (true, false) => MarginVerdict::NonInferior,
        (false, _) => MarginVerdict::NotShown,
    };
    Ok(MarginTest {
        verdict,
        mean: flips.mean,
        p_lower,
        p_upper,
        p_equivalence: p_lower.max(p_upper),
        interval,
        smallest_p: flips.smallest_p() / 2.0,
    })
}
