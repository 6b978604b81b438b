use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::population::check;
use crate::{Interval, Refusal};

/// No bet risks more than this share of what is left.
const MOST_AT_RISK: f64 = 0.5;

/// Halvings of `[0, 1]` in the search for each end: below 1e-12.
const STEPS: usize = 40;

/// The betting interval of the mean of scores in `[0, 1]`: the hedged capital interval of
/// I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting",
/// JRSS B 86, 2024 (section 4.4 and remark 3).
///
/// For every possible mean `m` two gamblers bet that the scores are higher, or lower, each time a
/// share that the scores before it make sensible. If `m` is true, neither gets rich: the chance that
/// half a unit ever grows to `1/α` is below `α/2`. The interval holds every `m` against which
/// nobody got rich. So it covers with at least its level **for any number of scores and any
/// distribution in `[0, 1]`**; the price is some width.
///
/// The bets depend on the order of the scores; it is drawn from `seed`, after sorting. Never of zero
/// width, inside `[0, 1]`.
///
/// # Errors
/// No score, one outside `[0, 1]`, a level that is none.
pub fn betting(values: &[f64], level: f64, seed: u64) -> Result<Interval, Refusal> {
    check(values, 0.0, 1.0, level)?;
    let mut order = values.to_vec();
    order.sort_by(f64::total_cmp);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for last in (1..order.len()).rev() {
        // A number up to `last`: the high half of a product, uneven by less than 2^-50.
        let pick = (u128::from(random.next_u64()) * (last as u128 + 1)) >> 64;
        order.swap(last, pick as usize);
    }
    betting_in_order(&order, level)
}

/// [`betting`] with the scores in the order in which the bets are made.
///
/// # Errors
/// As [`betting`].
pub fn betting_in_order(values: &[f64], level: f64) -> Result<Interval, Refusal> {
    check(values, 0.0, 1.0, level)?;
    let stakes = stakes(values, 1.0 - level);
    let mirrored: Vec<f64> = values.iter().map(|value| 1.0 - value).collect();
    let low = end(values, &stakes, 1.0 - level);
    let high = 1.0 - end(&mirrored, &stakes, 1.0 - level);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    Ok(Interval { low: low.min(mean).max(0.0), high: high.max(mean).min(1.0) })
}

/// What to stake on each score, from those before it: `sqrt(2 ln(2/α) / (n σ²))` with a running
/// variance that starts at 1/4. The same for scores and for one minus scores.
fn stakes(values: &[f64], alpha: f64) -> Vec<f64> {
    let n = values.len() as f64;
    let (mut sum, mut squares, mut seen) = (0.5, 0.25, 1.0);
    values
        .iter()
        .map(|value| {
            let stake = (2.0 * (2.0 / alpha).ln() / (n * squares / seen)).sqrt();
            sum += value;
            seen += 1.0;
            squares += (value - sum / seen).powi(2);
            stake
        })
        .collect()
}

/// The largest mean against which the gambler on higher scores got rich; 0 if there is none.
fn end(values: &[f64], stakes: &[f64], alpha: f64) -> f64 {
    let rich = |mean: f64| {
        let mut capital: f64 = 0.0;
        values.iter().zip(stakes).any(|(value, stake)| {
            capital += (stake.min(MOST_AT_RISK / mean) * (value - mean)).ln_1p();
            capital >= (2.0 / alpha).ln()
        })
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if rich(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
