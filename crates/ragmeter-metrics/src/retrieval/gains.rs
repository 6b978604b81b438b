//! Measures that look at grades: what a document gains, discounted by its rank.
//!
//! The gain of nDCG and its kin is the grade itself, as in trec_eval; ERR's is gdeval's.

use super::formulas::{added, ratio};
use super::ranking::Ranking;

/// What a gain at this rank (from 0) is divided by: `log2(rank + 2)` (Järvelin and Kekäläinen 2002,
/// with the discount that begins at the second rank).
fn discount(index: usize) -> f64 {
    ((index + 2) as f64).log2()
}

fn discounted(gains: impl Iterator<Item = f64>, k: usize) -> f64 {
    added(gains.take(k).enumerate().map(|(index, gain)| gain / discount(index)))
}

/// Discounted cumulated gain of the first `k` ranks, over that of the best ranking's first `k`; 0
/// if nothing has a gain. Every grade counts, whatever level is called relevant.
pub(super) fn ndcg_at(ranking: &Ranking, k: usize) -> f64 {
    let ideal = discounted(ranking.ideal(), k);
    if ideal > 0.0 { discounted(ranking.gains(), k) / ideal } else { 0.0 }
}

/// nDCG averaged over the ranks of documents with a gain; one that was not retrieved counts as the
/// gain at the end over the ideal gain.
pub(super) fn ndcg_over_relevant(ranking: &Ranking) -> f64 {
    let mut ideal = ranking.ideal();
    let (mut gained, mut possible, mut sum) = (0.0, 0.0, 0.0);
    let mut found = 0_usize;
    for (index, gain) in ranking.gains().enumerate() {
        gained += gain / discount(index);
        possible += ideal.next().unwrap_or(0.0) / discount(index);
        if gain > 0.0 {
            sum += gained / possible;
            found += 1;
        }
    }
    let whole = discounted(ranking.ideal(), usize::MAX);
    let total = ranking.ideal().count();
    if total == 0 {
        return 0.0;
    }
    ratio(sum + (total - found) as f64 * gained / whole, total)
}

/// nDCG averaged over the ranks at which the gain of the best ranking changes, the last of which is
/// where the ranking ends. 0 without relevant documents.
pub(super) fn ndcg_over_levels(ranking: &Ranking) -> f64 {
    if ranking.total() == 0 {
        return 0.0;
    }
    let (mut gained, mut possible, mut sum) = (0.0, 0.0, 0.0);
    let mut places = 0_usize;
    let ideal: Vec<f64> = ranking.ideal().collect();
    let mut before = ideal.first().copied().unwrap_or(0.0);
    let mut gains = ranking.gains();
    // One rank past the last gain, where the best ranking falls to 0.
    for index in 0..=ideal.len() {
        let best = ideal.get(index).copied().unwrap_or(0.0);
        if (best - before).abs() > 0.0 {
            sum += gained / possible;
            places += 1;
            before = best;
        }
        gained += gains.next().unwrap_or(0.0) / discount(index);
        possible += best / discount(index);
    }
    if ranking.retrieved() > ideal.len() + 1 {
        let rest = gains.enumerate();
        gained += added(rest.map(|(at, gain)| gain / discount(ideal.len() + 1 + at)));
        sum += gained / possible;
        places += 1;
    }
    ratio(sum, places)
}

/// Gains, each divided by `log2(2 + what the best ranking has gained more by then)`, over all that
/// can be gained (Buckley's G). A rank without an ideal gain costs 1.
pub(super) fn normalized_gain(ranking: &Ranking) -> f64 {
    let mut ideal = ranking.ideal();
    let (mut gained, mut cost, mut sum) = (0.0, 0.0, 0.0);
    for gain in ranking.gains() {
        gained += gain;
        cost += ideal.next().unwrap_or(0.0).max(1.0);
        if gain > 0.0 {
            sum += gain / (2.0 + cost - gained).log2();
        }
    }
    let whole = added(ranking.ideal());
    if whole > 0.0 { sum / whole } else { 0.0 }
}

/// The largest grade that gdeval's scale has.
const GDEVAL_GRADES: u32 = 4;

/// Expected reciprocal rank at `k` (Chapelle et al. 2009): a reader goes down the list and stops at
/// a document of grade g with probability `(2^g − 1) / 2^top`; the mean of one over the rank where
/// that happens. `top` is the largest grade of the scale: gdeval's 4, or the ranking's if it is larger.
pub(super) fn err_at(ranking: &Ranking, k: usize) -> f64 {
    let top = f64::from(ranking.top().max(GDEVAL_GRADES));
    let (mut goes_on, mut sum) = (1.0, 0.0);
    for (index, grade) in ranking.gains().take(k).enumerate() {
        // (2^g − 1) / 2^top, without a power that overflows.
        let stops = (grade - top).exp2() - (-top).exp2();
        sum += goes_on * stops / (index + 1) as f64;
        goes_on *= 1.0 - stops;
    }
    sum
}
