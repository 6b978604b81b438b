//! The core of every paired test: what all patterns of signs, or many drawn ones, say at once.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::halves::{all_halves, drawn_halves};
use crate::population::Unit;
use crate::{DRAWS, EXACT_UP_TO, Interval};

/// How many patterns of signs are drawn where they are not enumerated, and from which seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    /// How many, the observed one not counted.
    pub count: usize,
    /// The seed.
    pub seed: u64,
}

impl Draws {
    /// As many as every test takes, [`DRAWS`].
    pub const fn usual(seed: u64) -> Self {
        Self { count: DRAWS, seed }
    }
}

/// The patterns of signs of some units, applied to every shift at once.
///
/// A pattern flips the units of a set `A`. With sums `S` and numbers of cases `N`, the shifted
/// total `Σ(sᵢ − δnᵢ)` is at least as far out after the flip as before, on its own side, exactly if
/// the mean over `A`, `S_A/N_A`, is `≤ δ` (for `δ` below the overall mean); on the other side if
/// that holds for the rest. So two numbers a pattern, the means over `A` and over the rest, answer
/// every question: p at any shift, one-sided or two-sided, and the interval at any level.
#[derive(Debug)]
pub(crate) struct Flips {
    pub(crate) units: usize,
    pub(crate) mean: f64,
    pub(crate) exact: bool,
    /// Pairs of patterns (each with its mirror image), the observed one included.
    pairs: f64,
    /// The smaller mean of the two halves that each pattern makes.
    smaller: Vec<f64>,
    /// The larger one.
    larger: Vec<f64>,
    /// What units not yet seen may hold, either way, in `(0, 1]`; see [`Flips::unseen`].
    reach: f64,
    /// Below this, two means are one: a tie lost to rounding would make p too small.
    rounding: f64,
}

impl Flips {
    /// The result depends neither on the order of the units nor, but for its sign, on which of
    /// two systems came first: of the units and their mirror image only one is worked out.
    pub(crate) fn new(mut units: Vec<Unit>, draws: Draws) -> Self {
        sort(&mut units);
        // Subtracted from zero and not negated: no result is a negative zero.
        let mut mirror: Vec<Unit> =
            units.iter().map(|u| Unit { sum: 0.0 - u.sum, cases: u.cases }).collect();
        sort(&mut mirror);
        if !comes_first(&mirror, &units) {
            return Self::of_sorted(&units, draws);
        }
        let flips = Self::of_sorted(&mirror, draws);
        let negate = |means: &[f64]| means.iter().map(|mean| 0.0 - mean).collect();
        Self {
            mean: 0.0 - flips.mean,
            smaller: negate(&flips.larger),
            larger: negate(&flips.smaller),
            ..flips
        }
    }

    fn of_sorted(units: &[Unit], draws: Draws) -> Self {
        let n = units.len();
        let exact = n <= EXACT_UP_TO;
        let halves = if exact { all_halves(units) } else { drawn_halves(units, draws) };
        let cases: f64 = units.iter().map(|unit| unit.cases).sum();
        let ratios = units.iter().map(|unit| unit.sum / unit.cases);
        let scale = ratios.clone().fold(0.0_f64, |most, ratio| most.max(ratio.abs()));
        let low = ratios.clone().fold(f64::INFINITY, f64::min);
        let high = ratios.fold(f64::NEG_INFINITY, f64::max);
        let rounding = scale * 1e-12 * cases;
        let snap = |mean: f64| if mean.abs() <= rounding { 0.0 } else { mean };
        Self {
            units: n,
            mean: snap(units.iter().map(|unit| unit.sum).sum::<f64>() / cases),
            exact,
            pairs: (halves.len() + 1) as f64,
            smaller: halves.iter().map(|half| snap(half.smaller)).collect(),
            larger: halves.iter().map(|half| snap(half.larger)).collect(),
            reach: if high - low <= rounding { 1.0 } else { scale },
            rounding,
        }
    }

    /// The smallest two-sided p that this many units could give.
    pub(crate) fn smallest_p(&self) -> f64 {
        1.0 / self.pairs
    }

    /// Two-sided p of the shift `δ`, in `(0, 1]`.
    pub(crate) fn p(&self, shift: f64) -> f64 {
        self.by_flips(shift).max(self.unseen(shift))
    }

    fn by_flips(&self, shift: f64) -> f64 {
        let tie = self.tie(shift);
        let beyond = if self.mean > shift + tie {
            self.smaller.iter().filter(|&&mean| mean <= shift + tie).count()
        } else if self.mean < shift - tie {
            self.larger.iter().filter(|&&mean| mean >= shift - tie).count()
        } else {
            self.smaller.len()
        };
        (beyond + 1) as f64 / self.pairs
    }

    /// Means that near to a shift are equal to it. At 0 the means themselves are snapped.
    fn tie(&self, shift: f64) -> f64 {
        if shift == 0.0 { 0.0 } else { self.rounding + shift.abs() * 1e-12 }
    }

    /// One-sided p of "the true mean is at most `δ`": small if the mean is well above. Half of the
    /// two-sided p on its side, so that it is below `α` exactly if `δ` lies below the interval of
    /// level `1 − 2α`.
    pub(crate) fn p_above(&self, shift: f64) -> f64 {
        let tie = self.tie(shift);
        if self.mean > shift + tie {
            return self.p(shift) / 2.0;
        }
        // Every pattern that flips the smaller half is as far up as the observed one, as are the
        // observed one and its mirror image.
        let both = self.larger.iter().filter(|&&mean| mean <= shift + tie).count();
        ((self.smaller.len() + both + 2) as f64 / (2.0 * self.pairs)).min(1.0)
    }

    /// The same for "the true mean is at least `δ`".
    pub(crate) fn p_below(&self, shift: f64) -> f64 {
        let tie = self.tie(shift);
        if self.mean < shift - tie {
            return self.p(shift) / 2.0;
        }
        let both = self.smaller.iter().filter(|&&mean| mean >= shift - tie).count();
        ((self.larger.len() + both + 2) as f64 / (2.0 * self.pairs)).min(1.0)
    }

    /// Two-sided p of a shift, seen from units of a kind that was not drawn.
    ///
    /// Scores are full of ties, and patterns of signs know nothing but what was drawn: of twenty
    /// differences of which one is not 0 they would say that the truth lies on its side, and of
    /// equal ones that it is known exactly. So a share `w` of the units is taken to be of a kind
    /// not yet seen: with the largest difference drawn (1 if all are equal) away from 0, and towards
    /// 0 without any, or with the largest one beyond 0 if 0 isn't rejected anyway.
    /// `w = z²/(n + z²)` is Wilson's upper end for 0 seen of n; solved for `z` it gives the p of the
    /// shift. At 0 this never decides. For differences without heavy ties it is far narrower than
    /// what the patterns say, and has no part in the result.
    fn unseen(&self, shift: f64) -> f64 {
        let reach = self.reach;
        let (mean, shift) =
            if self.mean < 0.0 { (0.0 - self.mean, 0.0 - shift) } else { (self.mean, shift) };
        if shift > mean {
            return self.p_of_share((shift - mean) / (reach - mean));
        }
        if shift > 0.0 {
            return self.p_of_share(1.0 - shift / mean);
        }
        let p = self.p_of_share((mean - shift) / (reach + mean));
        // Nothing beyond 0 is more likely than 0 itself.
        if mean > 0.0 { p.min(self.by_flips(0.0)) } else { p }
    }

    fn p_of_share(&self, share: f64) -> f64 {
        let share = share.max(0.0);
        if share >= 1.0 {
            return 0.0;
        }
        let z = (self.units as f64 * share / (1.0 - share)).sqrt();
        2.0 * Normal::standard().cdf(-z)
    }

    /// The shifts that the test doesn't reject at this level; `z` is its normal quantile. `None`
    /// if it can't reject any.
    pub(crate) fn interval(&self, level: f64, z: f64) -> Option<Interval> {
        let rank = ((1.0 - level) * self.pairs - 1e-9).ceil() as usize;
        // The observed pair counts under every shift, hence one less; below that nothing is
        // rejected.
        let nth = rank.checked_sub(2)?;
        let (mut smaller, mut larger) = (self.smaller.clone(), self.larger.clone());
        let (_, low, _) = smaller.select_nth_unstable_by(nth, f64::total_cmp);
        let (_, high, _) = larger.select_nth_unstable_by(nth, |a, b| b.total_cmp(a));
        let by_flips = Interval { low: low.min(self.mean), high: high.max(self.mean) };
        let reach = self.reach;
        let share = z * z / (self.units as f64 + z * z);
        let seen = self.mean * (1.0 - share);
        let zero_inside = self.by_flips(0.0) >= 1.0 - level;
        let towards_zero = if zero_inside { share * reach } else { 0.0 };
        let (below, above) = if self.mean > 0.0 {
            (towards_zero, share * reach)
        } else if self.mean < 0.0 {
            (share * reach, towards_zero)
        } else {
            (share * reach, share * reach)
        };
        Some(Interval {
            low: by_flips.low.min(seen - below),
            high: by_flips.high.max(seen + above),
        })
    }
}

fn sort(units: &mut [Unit]) {
    units.sort_by(|a, b| a.sum.total_cmp(&b.sum).then(a.cases.total_cmp(&b.cases)));
}

/// Whether the first list stands before the second, number by number.
fn comes_first(first: &[Unit], second: &[Unit]) -> bool {
    let mut orders = first
        .iter()
        .zip(second)
        .map(|(a, b)| (a.sum + 0.0).total_cmp(&(b.sum + 0.0)).then(a.cases.total_cmp(&b.cases)));
    orders.find(|order| order.is_ne()).is_some_and(std::cmp::Ordering::is_lt)
}
