//! The core of every paired test: what all patterns of signs, or many drawn ones, say at once.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::population::Unit;
use crate::{DRAWS, EXACT_UP_TO, Interval};

/// How many drawn patterns are summed together, so that their masks stay in the cache.
const TOGETHER: usize = 256;

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
    /// What units not yet seen may hold, either way; see [`Flips::unseen`].
    reach: Option<f64>,
    /// Below this, two means are one: a tie lost to rounding would make p too small.
    rounding: f64,
}

impl Flips {
    /// The result depends neither on the order of the units nor, but for its sign, on which of
    /// two systems came first: of the units and their mirror image only one is worked out.
    pub(crate) fn new(mut units: Vec<Unit>, seed: u64) -> Self {
        sort(&mut units);
        // Subtracted from zero and not negated: no result is a negative zero.
        let mut mirror: Vec<Unit> =
            units.iter().map(|u| Unit { sum: 0.0 - u.sum, cases: u.cases }).collect();
        sort(&mut mirror);
        if !comes_first(&mirror, &units) {
            return Self::of_sorted(&units, seed);
        }
        let flips = Self::of_sorted(&mirror, seed);
        let negate = |means: &[f64]| means.iter().map(|mean| 0.0 - mean).collect();
        Self {
            mean: 0.0 - flips.mean,
            smaller: negate(&flips.larger),
            larger: negate(&flips.smaller),
            ..flips
        }
    }

    fn of_sorted(units: &[Unit], seed: u64) -> Self {
        let n = units.len();
        let exact = n <= EXACT_UP_TO;
        let halves = if exact { all_halves(units) } else { drawn_halves(units, seed) };
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
            reach: (high - low <= rounding).then_some(1.0),
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
    /// Subsets of equal numbers have one mean, and the interval would have no width. Then a share
    /// `w` of the units is taken to be of a kind not yet seen: without any difference at the end
    /// towards 0 (with the largest one the other way if 0 isn't rejected anyway), with the largest
    /// one at the other end. `w = z²/(n + z²)` is Wilson's upper end for 0 seen of n; solved for
    /// `z` it gives the p of the shift.
    fn unseen(&self, shift: f64) -> f64 {
        let Some(reach) = self.reach else { return 0.0 };
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
        if !(share < 1.0) {
            return 0.0;
        }
        let z = (self.units as f64 * share.max(0.0) / (1.0 - share.max(0.0))).sqrt();
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
        let Some(reach) = self.reach else { return Some(by_flips) };
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
    let orders = first
        .iter()
        .zip(second)
        .map(|(a, b)| (a.sum + 0.0).total_cmp(&(b.sum + 0.0)).then(a.cases.total_cmp(&b.cases)));
    orders.into_iter().find(|order| order.is_ne()).is_some_and(std::cmp::Ordering::is_lt)
}

/// The means of a set of units and of the rest, in order of size.
struct Halves {
    smaller: f64,
    larger: f64,
}

/// Sums of every subset of up to eight neighbouring units, so that the sum over any subset of all
/// units is one look-up for each eight.
struct SubsetSums {
    sums: Vec<[f64; 256]>,
    /// The same of numbers of cases; `None` if each unit is one case.
    cases: Option<Vec<[f64; 256]>>,
    total: f64,
    total_cases: f64,
}

impl SubsetSums {
    fn new(units: &[Unit]) -> Self {
        let single = units.iter().all(|unit| (unit.cases - 1.0).abs() < 0.5);
        Self {
            sums: units.chunks(8).map(|eight| table(eight.iter().map(|unit| unit.sum))).collect(),
            cases: (!single).then(|| {
                units.chunks(8).map(|eight| table(eight.iter().map(|unit| unit.cases))).collect()
            }),
            total: units.iter().map(|unit| unit.sum).sum(),
            total_cases: units.iter().map(|unit| unit.cases).sum(),
        }
    }

    /// The halves of each of some masks; `masks` holds them word by word, `count` words of the
    /// first 64 units, then `count` words of the next. One bit a unit, lowest first, none beyond
    /// the last.
    fn halves(&self, masks: &[u64], count: usize, into: &mut Vec<Halves>) {
        let mut sums = [0.0; TOGETHER];
        let mut cases = [0.0; TOGETHER];
        for (word, column) in masks.chunks(count).enumerate() {
            let tables = &self.sums[word * 8..self.sums.len().min(word * 8 + 8)];
            look_up(tables, column, &mut sums);
            match &self.cases {
                None => {
                    for (sum, mask) in cases.iter_mut().zip(column) {
                        *sum += f64::from(mask.count_ones());
                    }
                }
                Some(all) => look_up(&all[word * 8..word * 8 + tables.len()], column, &mut cases),
            }
        }
        let made = sums.iter().zip(&cases).take(count).map(|(&sum, &cases)| {
            // A mask of nothing or of everything always counts as extreme.
            if cases < 0.5 || cases > self.total_cases - 0.5 {
                return Halves { smaller: f64::NEG_INFINITY, larger: f64::INFINITY };
            }
            let of_set = sum / cases;
            let of_rest = (self.total - sum) / (self.total_cases - cases);
            Halves { smaller: of_set.min(of_rest), larger: of_set.max(of_rest) }
        });
        into.extend(made);
    }
}

/// Sums of all subsets of at most eight numbers, by mask.
fn table(numbers: impl Iterator<Item = f64>) -> [f64; 256] {
    let mut table = [0.0; 256];
    for (bit, number) in numbers.enumerate() {
        let known = 1 << bit;
        for mask in 0..known {
            table[known + mask] = table[mask] + number;
        }
    }
    table
}

fn look_up(tables: &[[f64; 256]], column: &[u64], sums: &mut [f64; TOGETHER]) {
    for (sum, mask) in sums.iter_mut().zip(column) {
        for (table, byte) in tables.iter().zip(mask.to_le_bytes()) {
            *sum += table[usize::from(byte)];
        }
    }
}

/// Every way to split the units in two, but for the split into all and nothing. The last unit
/// always stays in the rest: the other splits are the same ones named the other way.
fn all_halves(units: &[Unit]) -> Vec<Halves> {
    let sums = SubsetSums::new(units);
    let masks: Vec<u64> = (1..1_u64 << (units.len() - 1)).collect();
    let mut halves = Vec::with_capacity(masks.len());
    for chunk in masks.chunks(TOGETHER) {
        sums.halves(chunk, chunk.len(), &mut halves);
    }
    halves
}

/// [`DRAWS`] splits; each takes the next words of the generator, 64 units a word.
fn drawn_halves(units: &[Unit], seed: u64) -> Vec<Halves> {
    let sums = SubsetSums::new(units);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let words = units.len().div_ceil(64);
    let unused = (words * 64 - units.len()) as u32;
    let mut halves = Vec::with_capacity(DRAWS);
    let mut masks = vec![0_u64; words * TOGETHER];
    while halves.len() < DRAWS {
        let count = TOGETHER.min(DRAWS - halves.len());
        for draw in 0..count {
            for word in 0..words {
                masks[word * count + draw] = random.next_u64();
            }
            masks[(words - 1) * count + draw] >>= unused;
        }
        sums.halves(&masks[..words * count], count, &mut halves);
    }
    halves
}
