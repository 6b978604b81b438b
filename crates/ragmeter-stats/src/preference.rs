use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::population::FEWEST_CLUSTERS;
use crate::{Interval, Population, Refusal};

/// How many times [`standings`] draws weights.
pub const WEIGHT_DRAWS: usize = 4_999;

/// What each side of every pair is given beyond what was seen: half a win.
pub const HALF_WIN: f64 = 0.5;

/// Two-sided exact p of "either of two is preferred as often", in `(0, 1]`: the sign test.
///
/// Ties say nothing about the direction and are left out. p is twice the smaller tail of the
/// binomial distribution with ½, at most 1; without a win or a loss it is 1.
pub fn sign_test(wins: u64, losses: u64) -> f64 {
    let (few, all) = (wins.min(losses), wins + losses);
    if all == 0 {
        return 1.0;
    }
    // A probability of one half is always valid.
    Binomial::new(0.5, all).map_or(1.0, |binomial| (2.0 * binomial.cdf(few)).min(1.0))
}

/// Strengths of Bradley and Terry's model: `P(i is preferred to j) = 1 / (1 + e^(θj − θi))`.
///
/// `wins[i][j]` counts how often `i` was preferred to `j`, a tie as half a win each; the diagonal
/// is not read. The strengths `θ` come in the order given and sum to 0: the *average system* is
/// one of strength 0.
///
/// The likelihood alone has no maximum where a system wins or loses everything: the strength would
/// be infinite. So each side of every pair is given half a win more ([`HALF_WIN`]), as if one more
/// case had been asked and tied. That makes the maximum unique and finite whatever was seen; for
/// two systems it gives `(wins + ½) / (n + 1)`, the mean of Jeffreys' posterior. It draws strengths
/// together, by one case in n.
///
/// Found by Hunter's MM algorithm (D. R. Hunter, "MM algorithms for generalized Bradley–Terry
/// models", Annals of Statistics 32, 2004). `None` for fewer than two systems, if the matrix is not
/// square, or if a count is negative or not finite.
pub fn bradley_terry(wins: &[Vec<f64>]) -> Option<Vec<f64>> {
    let n = wins.len();
    let square = n >= 2 && wins.iter().all(|row| row.len() == n);
    let off_diagonal = |i: usize| (0..n).filter(move |&j| j != i).map(move |j| wins[i][j]);
    if !square || !(0..n).flat_map(off_diagonal).all(|count| count.is_finite() && count >= 0.0) {
        return None;
    }
    let with_halves: Vec<Vec<f64>> =
        wins.iter().map(|row| row.iter().map(|count| count + HALF_WIN).collect()).collect();
    Some(fit(&with_halves, vec![0.0; n], EXACT))
}

/// How far a fit goes: the largest last step, and the most steps.
type Care = (f64, usize);
const EXACT: Care = (1e-13, 100_000);
/// Enough for quantiles of draws.
const DRAWN: Care = (1e-6, 1_000);

/// The maximum for these counts, all of them positive, from this start.
fn fit(wins: &[Vec<f64>], mut strengths: Vec<f64>, (step, steps): Care) -> Vec<f64> {
    let n = wins.len();
    for _ in 0..steps {
        let powers: Vec<f64> = strengths.iter().map(|strength: &f64| strength.exp()).collect();
        let next = (0..n).map(|i| {
            let (mut won, mut expected) = (0.0, 0.0);
            for j in (0..n).filter(|&j| j != i) {
                won += wins[i][j];
                expected += (wins[i][j] + wins[j][i]) / (powers[i] + powers[j]);
            }
            (won / expected).ln()
        });
        let mut next: Vec<f64> = next.collect();
        let mean = next.iter().sum::<f64>() / n as f64;
        for strength in &mut next {
            *strength -= mean;
        }
        let moved = next.iter().zip(&strengths).map(|(new, old)| (new - old).abs());
        let moved = moved.fold(0.0, f64::max);
        strengths = next;
        if moved < step {
            break;
        }
    }
    strengths
}

/// Where one of several systems stands; see [`standings`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// The strength of [`bradley_terry`], in logits.
    pub strength: f64,
    /// The chance of being preferred to the average system, in `(0, 1)`.
    pub win_probability: f64,
    /// Where the true chance may lie. Never of zero width.
    pub interval: Interval,
}

/// Strengths of systems from verdicts on pairs of them, with intervals over cases.
///
/// A row of `cases` holds one case's verdicts on the pairs (0, 1), (0, 2), …, (1, 2), …: 1 if the
/// first of the two was preferred, 0 if the second, ½ for a tie, `None` where there is no verdict.
///
/// Intervals are percentiles of a Bayesian bootstrap over cases (D. B. Rubin, Annals of Statistics
/// 9, 1981): [`WEIGHT_DRAWS`] times every case gets a weight drawn from Exp(1), with all of its
/// verdicts, and every half win beyond what was seen one drawn from Gamma(½). A bootstrap that
/// draws cases would give a system that wins everywhere an interval of zero width; this one gives
/// two systems without ties exactly Jeffreys' interval. For *new documents* clusters are weighted
/// in place of cases.
///
/// The order of the cases does not matter; that of the systems only within the error of drawing.
///
/// # Errors
/// No case, fewer than two systems, rows of another length, a verdict outside `[0, 1]`, a level
/// that is none; for *new documents* no labels or fewer than [`FEWEST_CLUSTERS`] clusters.
pub fn standings(
    cases: &[Vec<Option<f64>>],
    systems: usize,
    clusters: Option<&[usize]>,
    population: Population,
    level: f64,
    seed: u64,
) -> Result<Vec<Standing>, Refusal> {
    let pairs: Vec<(usize, usize)> =
        (0..systems).flat_map(|i| (i + 1..systems).map(move |j| (i, j))).collect();
    if cases.is_empty() || pairs.is_empty() {
        return Err(Refusal::Empty);
    }
    if !(level > 0.0 && level < 1.0) {
        return Err(Refusal::Level(level));
    }
    for (at, row) in cases.iter().enumerate() {
        if row.len() != pairs.len() {
            return Err(Refusal::Labels { values: pairs.len(), labels: row.len() });
        }
        let wrong = row.iter().flatten().find(|verdict| !(0.0..=1.0).contains(*verdict));
        if let Some(&value) = wrong {
            return Err(Refusal::OutOfRange { at, value, low: 0.0, high: 1.0 });
        }
    }
    let units = units(cases, clusters, population)?;
    let counts = |weights: &mut dyn FnMut() -> f64, half: &mut dyn FnMut() -> f64| {
        let mut sums = vec![[0.0; 2]; pairs.len()];
        for unit in &units {
            let weight = weights();
            for (sum, seen) in sums.iter_mut().zip(unit) {
                sum[0] += weight * seen[0];
                sum[1] += weight * seen[1];
            }
        }
        let mut wins = vec![vec![0.0; systems]; systems];
        for ((i, j), sum) in pairs.iter().zip(sums) {
            wins[*i][*j] = sum[0] + half();
            wins[*j][*i] = sum[1] + half();
        }
        wins
    };
    let strengths = fit(&counts(&mut || 1.0, &mut || HALF_WIN), vec![0.0; systems], EXACT);
    let random = std::cell::RefCell::new(ChaCha8Rng::seed_from_u64(seed));
    let mut drawn = vec![Vec::with_capacity(WEIGHT_DRAWS); systems];
    for _ in 0..WEIGHT_DRAWS {
        let weights = counts(&mut || exponential(&mut random.borrow_mut()), &mut || {
            half_gamma(&mut random.borrow_mut())
        });
        for (of, strength) in drawn.iter_mut().zip(fit(&weights, strengths.clone(), DRAWN)) {
            of.push(strength);
        }
    }
    let tail = (1.0 - level) / 2.0;
    let standing = |(strength, mut drawn): (f64, Vec<f64>)| {
        drawn.sort_by(f64::total_cmp);
        let end = |share: f64| drawn[((drawn.len() - 1) as f64 * share).round() as usize];
        let win_probability = against_average(strength);
        let interval = Interval {
            low: against_average(end(tail)).min(win_probability),
            high: against_average(end(1.0 - tail)).max(win_probability),
        };
        Standing { strength, win_probability, interval }
    };
    Ok(strengths.into_iter().zip(drawn).map(standing).collect())
}

fn against_average(strength: f64) -> f64 {
    1.0 / (1.0 + (-strength).exp())
}

/// What each case or cluster says of every pair: points of the first and of the second. Sorted, so
/// that the order of the cases does not matter: equal ones may change places.
fn units(
    cases: &[Vec<Option<f64>>],
    clusters: Option<&[usize]>,
    population: Population,
) -> Result<Vec<Vec<[f64; 2]>>, Refusal> {
    let points = |row: &Vec<Option<f64>>| -> Vec<[f64; 2]> {
        row.iter().map(|one| one.map_or([0.0; 2], |first| [first, 1.0 - first])).collect()
    };
    let mut units: Vec<Vec<[f64; 2]>> = match population {
        Population::TheseDocuments => cases.iter().map(points).collect(),
        Population::NewDocuments => {
            let labels = clusters.ok_or(Refusal::NoClusters)?;
            if labels.len() != cases.len() {
                return Err(Refusal::Labels { values: cases.len(), labels: labels.len() });
            }
            let mut by_label: BTreeMap<usize, Vec<[f64; 2]>> = BTreeMap::new();
            for (label, case) in labels.iter().zip(cases) {
                let zero = || vec![[0.0; 2]; case.len()];
                let sums = by_label.entry(*label).or_insert_with(zero);
                for (sum, one) in sums.iter_mut().zip(points(case)) {
                    // Halves add up without rounding, in any order.
                    sum[0] += one[0];
                    sum[1] += one[1];
                }
            }
            let clusters = by_label.len();
            if clusters < FEWEST_CLUSTERS {
                return Err(Refusal::FewClusters { clusters, needed: FEWEST_CLUSTERS });
            }
            by_label.into_values().collect()
        }
    };
    let flat = |unit: &Vec<[f64; 2]>| unit.concat();
    units.sort_by(|one, other| {
        let ends = flat(one).into_iter().zip(flat(other)).map(|(a, b)| a.total_cmp(&b));
        ends.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    Ok(units)
}

/// A number in `(0, 1)`.
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

fn exponential(random: &mut ChaCha8Rng) -> f64 {
    -uniform(random).ln()
}

/// A draw from Gamma(½): half the square of a normal deviate, by Box and Muller. The floor, which a
/// draw meets once in a million times, keeps strengths finite.
fn half_gamma(random: &mut ChaCha8Rng) -> f64 {
    let turn = (std::f64::consts::TAU * uniform(random)).cos();
    (exponential(random) * turn * turn).max(1e-12)
}
