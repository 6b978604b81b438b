use crate::flips::{Draws, Flips};
use crate::population::Unit;
use crate::{Interval, normal_quantile};

/// Up to this many differences or clusters every pattern of signs is enumerated (2^15 pairs of patterns).
pub const EXACT_UP_TO: usize = 16;

/// Patterns of signs drawn where there are too many to enumerate; the observed one is added.
pub const DRAWS: usize = 19_999;

/// What the paired sign-flip test says; see [`sign_flip`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignFlip {
    /// How many differences.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// Two-sided p of "the differences are symmetric around 0", in `(0, 1]`.
    pub p: f64,
    /// The shifts that the same test does not reject; `None` if it cannot reject any.
    pub interval: Option<Interval>,
    /// The smallest p that this many differences could give.
    pub smallest_p: f64,
    /// Whether every pattern was enumerated, so that p has no error of its own.
    pub exact: bool,
}

/// The paired sign-flip permutation test of differences of scores, each in `[-1, 1]`.
///
/// If neither system is better, each difference is as likely to have the other sign. The test
/// compares the mean with the means of all 2^n patterns of signs (R. A. Fisher, "The Design of
/// Experiments", 1935); p is the share of patterns at least as far from 0. Above [`EXACT_UP_TO`]
/// differences it draws [`DRAWS`] patterns from `seed` and counts the observed one too, so p is
/// never 0 (B. Phipson and G. K. Smyth, 2010).
///
/// The interval holds every shift `δ` for which the same patterns, applied to the differences
/// minus `δ`, give `p ≥ 1 − level`: so `p < 1 − level` exactly if 0 lies outside. No search is
/// needed. Flipping the signs of a set `A` brings the shifted mean at least as far from 0 on its
/// own side if the mean over `A` is `≤ δ` (for `δ` below the overall mean), and on the other side
/// if that holds for the rest; so the ends are order statistics of means of subsets
/// (J. A. Hartigan, "Using subsample values as typical values", JASA 64, 1969).
///
/// Too few differences to reject anything give no interval. Patterns of signs know nothing but
/// what was drawn; with heavy ties that is little, and with equal differences the interval would
/// have no width. So the interval also holds what a share `w = z²/(n + z²)` of cases not yet seen
/// (Wilson's upper end for 0 of n) could make of the mean: without any difference at the end
/// towards 0 if 0 is rejected, else with the largest one drawn either way; with 1 if all
/// differences are equal. 0 stays on its side, so p is not touched.
///
/// The result depends neither on the order of the differences nor on which system came first.
/// `None` if there is no difference, if one lies outside `[-1, 1]`, or if `level` is not inside
/// `(0, 1)`.
pub fn sign_flip(differences: &[f64], level: f64, seed: u64) -> Option<SignFlip> {
    let z = normal_quantile(level)?;
    if differences.is_empty() || !differences.iter().all(|d| (-1.0..=1.0).contains(d)) {
        return None;
    }
    let units = differences.iter().map(|&sum| Unit { sum, cases: 1.0 }).collect();
    let flips = Flips::new(units, Draws::usual(seed));
    Some(SignFlip {
        n: differences.len(),
        mean: flips.mean,
        p: flips.p(0.0),
        interval: flips.interval(level, z),
        smallest_p: flips.smallest_p(),
        exact: flips.exact,
    })
}
