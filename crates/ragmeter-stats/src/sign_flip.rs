use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::{Interval, normal_quantile};

/// Up to this many differences every pattern of signs is enumerated (2^15 pairs of patterns).
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
/// Too few differences to reject anything give no interval. If all differences are equal, all
/// subsets have one mean and the interval would have no width. Then a share `w = z²/(n + z²)` of
/// the cases (Wilson's upper end for 0 seen of n) is taken to be of a kind not yet seen: without
/// any difference at the end towards 0, with the largest one at the other end, and with the largest
/// one either way if all differences are 0. So the width stays above zero, and 0 stays on its side.
///
/// The result depends neither on the order of the differences nor on which system came first.
/// `None` if there is no difference, if one lies outside `[-1, 1]`, or if `level` is not inside
/// `(0, 1)`.
pub fn sign_flip(differences: &[f64], level: f64, seed: u64) -> Option<SignFlip> {
    let z = normal_quantile(level)?;
    if differences.is_empty() || !differences.iter().all(|d| (-1.0..=1.0).contains(d)) {
        return None;
    }
    let mut sorted = differences.to_vec();
    sorted.sort_by(f64::total_cmp);
    if mirror_comes_first(&sorted) {
        // Subtracted from zero and not negated: no result is a negative zero.
        let mirrored: Vec<f64> = sorted.iter().rev().map(|d| 0.0 - d).collect();
        let result = test_sorted(&mirrored, z, level, seed);
        let interval = result.interval.map(|i| Interval { low: 0.0 - i.high, high: 0.0 - i.low });
        return Some(SignFlip { mean: 0.0 - result.mean, interval, ..result });
    }
    Some(test_sorted(&sorted, z, level, seed))
}

/// Whether the negated differences, sorted, stand before the differences themselves: of the two
/// only one is tested, so that swapping the systems negates the result to the last bit.
#[expect(clippy::float_cmp, reason = "the same numbers in another order, not results of formulas")]
fn mirror_comes_first(sorted: &[f64]) -> bool {
    let mirrored = sorted.iter().rev().map(|d| 0.0 - d);
    let first_unequal = mirrored.zip(sorted).find(|(mirror, own)| mirror != *own);
    first_unequal.is_some_and(|(mirror, own)| mirror < *own)
}

fn test_sorted(differences: &[f64], z: f64, level: f64, seed: u64) -> SignFlip {
    let n = differences.len();
    let exact = n <= EXACT_UP_TO;
    let halves = if exact { all_halves(differences) } else { drawn_halves(differences, seed) };
    // The observed pattern and, where enumerated, its mirror image make one more pair.
    let pairs = (halves.len() + 1) as f64;
    let scale = differences.iter().fold(0.0_f64, |most, d| most.max(d.abs()));
    // Means that are 0 but for rounding must be 0: a tie lost would make p too small.
    let snap = |mean: f64| {
        if mean.abs() <= scale * 1e-12 * n as f64 { 0.0 } else { mean }
    };
    let mean = snap(differences.iter().sum::<f64>() / n as f64);

    let mut lower: Vec<f64> = halves.iter().map(|half| snap(half.smaller)).collect();
    let mut upper: Vec<f64> = halves.iter().map(|half| snap(half.larger)).collect();
    let beyond = if mean > 0.0 {
        lower.iter().filter(|&&m| m <= 0.0).count()
    } else if mean < 0.0 {
        upper.iter().filter(|&&m| m >= 0.0).count()
    } else {
        halves.len()
    };
    let rank = ((1.0 - level) * pairs - 1e-9).ceil() as usize;
    // The observed pair counts under every shift, hence one less; below that nothing is rejected.
    let interval = (rank >= 2).then(|| {
        let nth = rank - 2;
        let (_, low, _) = lower.select_nth_unstable_by(nth, f64::total_cmp);
        let (_, high, _) = upper.select_nth_unstable_by(nth, |left, right| right.total_cmp(left));
        Interval { low: low.min(mean), high: high.max(mean) }
    });
    let all_equal = differences[0] >= differences[n - 1];
    let interval = if all_equal {
        interval.map(|_| interval_of_equal(differences[0], n, z))
    } else {
        interval
    };
    SignFlip { n, mean, p: (beyond + 1) as f64 / pairs, interval, smallest_p: 1.0 / pairs, exact }
}

fn interval_of_equal(difference: f64, n: usize, z: f64) -> Interval {
    let unseen = z * z / (n as f64 + z * z);
    let seen = difference * (1.0 - unseen);
    Interval {
        low: if difference > 0.0 { seen } else { seen - unseen },
        high: if difference < 0.0 { seen } else { seen + unseen },
    }
}

/// The means of a set of differences and of the rest, in order of size.
struct Halves {
    smaller: f64,
    larger: f64,
}

/// Sums of every subset of up to eight neighbouring differences, so that the sum of any subset of
/// all differences is one look-up for each eight.
struct SubsetSums {
    tables: Vec<[f64; 256]>,
    total: f64,
    n: usize,
}

impl SubsetSums {
    fn new(differences: &[f64]) -> Self {
        let tables = differences
            .chunks(8)
            .map(|eight| {
                let mut table = [0.0; 256];
                for (bit, difference) in eight.iter().enumerate() {
                    let known = 1 << bit;
                    for mask in 0..known {
                        table[known + mask] = table[mask] + difference;
                    }
                }
                table
            })
            .collect();
        Self { tables, total: differences.iter().sum(), n: differences.len() }
    }

    /// The halves that a mask makes; one bit a difference, lowest first, no bit set beyond the
    /// last. A mask of nothing or of everything always counts as extreme.
    fn halves(&self, mask: &[u64]) -> Halves {
        let size: u32 = mask.iter().map(|word| word.count_ones()).sum();
        let size = size as usize;
        if size == 0 || size == self.n {
            return Halves { smaller: f64::NEG_INFINITY, larger: f64::INFINITY };
        }
        let bytes = mask.iter().flat_map(|word| word.to_le_bytes());
        let sum: f64 = self.tables.iter().zip(bytes).map(|(t, byte)| t[usize::from(byte)]).sum();
        let of_set = sum / size as f64;
        let of_rest = (self.total - sum) / (self.n - size) as f64;
        Halves { smaller: of_set.min(of_rest), larger: of_set.max(of_rest) }
    }
}

/// Every way to split the differences in two, but for the split into all and nothing. The last
/// difference always stays in the rest: the other splits are the same ones named the other way.
fn all_halves(differences: &[f64]) -> Vec<Halves> {
    let sums = SubsetSums::new(differences);
    let splits = 1_u64 << (differences.len() - 1);
    (1..splits).map(|mask| sums.halves(&[mask])).collect()
}

fn drawn_halves(differences: &[f64], seed: u64) -> Vec<Halves> {
    let sums = SubsetSums::new(differences);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let words = differences.len().div_ceil(64);
    let unused = (words * 64 - differences.len()) as u32;
    let mut mask = vec![0_u64; words];
    (0..DRAWS)
        .map(|_| {
            mask.fill_with(|| random.next_u64());
            mask[words - 1] >>= unused;
            sums.halves(&mask)
        })
        .collect()
}
