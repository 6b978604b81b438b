//! Measures that ask only whether a document is relevant.
//!
//! Definitions are trec_eval 9's; a measure of a query without relevant documents is 0, as there.

use super::ranking::{Ranking, Seen};

/// `part / whole`, 0 where there is no whole.
pub(super) fn ratio(part: f64, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part / whole as f64 }
}

/// The sum of these; of none 0, where Rust's own is −0, which would be printed so.
pub(super) fn added(terms: impl Iterator<Item = f64>) -> f64 {
    terms.fold(0.0, |sum, term| sum + term)
}

/// Relevant documents among the first `k` ranks, over `k`: places left empty count as misses.
pub(super) fn precision_at(ranking: &Ranking, k: usize) -> f64 {
    ratio(ranking.relevant_at(k) as f64, k)
}

/// Relevant documents among the first `k` ranks, over all relevant ones.
pub(super) fn recall_at(ranking: &Ranking, k: usize) -> f64 {
    ratio(ranking.relevant_at(k) as f64, ranking.total())
}

/// Precision at `k` over the best that is possible there.
pub(super) fn relative_precision_at(ranking: &Ranking, k: usize) -> f64 {
    ratio(ranking.relevant_at(k) as f64, k.min(ranking.total()))
}

/// 1 if a relevant document stands among the first `k` ranks.
pub(super) fn success_at(ranking: &Ranking, k: usize) -> f64 {
    if ranking.relevant_at(k) > 0 { 1.0 } else { 0.0 }
}

/// One over the rank of the first relevant document.
pub(super) fn reciprocal_rank(ranking: &Ranking) -> f64 {
    ranking.relevant().first().map_or(0.0, |&rank| 1.0 / rank as f64)
}

/// Precision at each of the first `k` ranks that holds a relevant document, summed and divided by
/// the number of all relevant documents.
pub(super) fn average_precision_at(ranking: &Ranking, k: usize) -> f64 {
    let ranks = ranking.relevant().iter().take_while(|rank| **rank <= k).enumerate();
    let sum = added(ranks.map(|(before, &rank)| (before + 1) as f64 / rank as f64));
    ratio(sum, ranking.total())
}

/// Precision at as many ranks as there are relevant documents.
pub(super) fn r_precision(ranking: &Ranking) -> f64 {
    precision_at(ranking, ranking.total())
}

/// Precision at `multiple` times as many ranks as there are relevant documents. The number of
/// ranks is rounded as in trec_eval 9: up from a tenth on.
pub(super) fn r_precision_at_multiple(ranking: &Ranking, multiple: f64) -> f64 {
    precision_at(ranking, mostly_up(multiple, ranking.total()))
}

/// trec_eval 9's rounding of a share of the relevant documents: 0.9 is added, the rest cut off.
fn mostly_up(share: f64, of: usize) -> usize {
    (share * of as f64 + 0.9) as usize
}

/// Interpolated precision at a recall: the best precision at any rank down to which at least that
/// share of the relevant documents was retrieved. The share's count is rounded as in trec_eval 9.
pub(super) fn interpolated_precision(ranking: &Ranking, recall: f64) -> f64 {
    let wanted = mostly_up(recall, ranking.total()).max(1);
    let ranks = ranking.relevant().iter().enumerate().skip(wanted - 1);
    ranks.map(|(before, &rank)| (before + 1) as f64 / rank as f64).fold(0.0, f64::max)
}

/// Recalls at which interpolated precision is looked at.
pub(super) const RECALLS: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// The mean of interpolated precision at recalls 0, 0.1, …, 1.
pub(super) fn eleven_point_average(ranking: &Ranking) -> f64 {
    let best_first = RECALLS.iter().rev();
    let sum = added(best_first.map(|&at| interpolated_precision(ranking, at)));
    ratio(sum, RECALLS.len())
}

/// Binary preference (Buckley and Voorhees 2004, as trec_eval 9 corrects it): over the relevant
/// documents, the mean of `1 − n / min(R, N)`, where n (at most R) counts the judged, not relevant
/// documents above it, and R and N are the numbers of relevant and of not relevant judgements.
/// What was not judged is passed over.
pub(super) fn bpref(ranking: &Ranking) -> f64 {
    let (total, others) = (ranking.total(), ranking.not_relevant());
    let mut above = 0_usize;
    let mut sum = 0.0;
    for one in ranking.seen() {
        match one {
            Seen::Grade(grade) if ranking.counts(*grade) => {
                let lost = ratio(above.min(total) as f64, others.min(total));
                sum += 1.0 - lost;
            }
            Seen::Grade(_) => above += 1,
            Seen::Unpooled | Seen::Unjudged => {}
        }
    }
    ratio(sum, total)
}

/// What keeps a share without observations from being 0 / 0 in [`inferred_ap`].
const EPSILON: f64 = 0.00001;

/// Inferred average precision (Yilmaz and Aslam 2006): the precision above a relevant document is
/// estimated from the judged documents there, where only a sample of the pool was judged.
pub(super) fn inferred_ap(ranking: &Ranking) -> f64 {
    let (mut relevant, mut others, mut unjudged) = (0.0, 0.0, 0.0);
    let mut sum = 0.0;
    for (above, one) in ranking.seen().iter().enumerate() {
        match one {
            Seen::Unpooled => {}
            Seen::Unjudged => unjudged += 1.0,
            Seen::Grade(grade) if !ranking.counts(*grade) => others += 1.0,
            Seen::Grade(_) if above == 0 => {
                relevant += 1.0;
                sum += 1.0;
            }
            Seen::Grade(_) => {
                let above = above as f64;
                let pooled = (relevant + others + unjudged) / above;
                let precise = (relevant + EPSILON) / (relevant + others + 2.0 * EPSILON);
                sum += 1.0 / (above + 1.0) + above / (above + 1.0) * pooled * precise;
                relevant += 1.0;
            }
        }
    }
    ratio(sum, ranking.total())
}

/// The mean over the relevant documents of `1 / log2(2 + documents above it that are not)`.
pub(super) fn binary_gain(ranking: &Ranking) -> f64 {
    let ranks = ranking.relevant().iter().enumerate();
    let sum = added(ranks.map(|(before, &rank)| 1.0 / ((1 + rank - before) as f64).log2()));
    ratio(sum, ranking.total())
}

/// Relevant documents retrieved, over all retrieved.
pub(super) fn set_precision(ranking: &Ranking) -> f64 {
    ratio(ranking.relevant().len() as f64, ranking.retrieved())
}

/// Relevant documents retrieved, over all relevant.
pub(super) fn set_recall(ranking: &Ranking) -> f64 {
    ratio(ranking.relevant().len() as f64, ranking.total())
}

/// Set precision over the best that a set of this size could have.
pub(super) fn set_relative_precision(ranking: &Ranking) -> f64 {
    ratio(ranking.relevant().len() as f64, ranking.retrieved().min(ranking.total()))
}

/// Set precision times set recall.
pub(super) fn set_map(ranking: &Ranking) -> f64 {
    set_precision(ranking) * set_recall(ranking)
}

/// The harmonic mean of set precision and set recall.
pub(super) fn set_f(ranking: &Ranking) -> f64 {
    ratio(2.0 * ranking.relevant().len() as f64, ranking.retrieved() + ranking.total())
}

/// Relevant documents retrieved less the others retrieved; may be negative.
pub(super) fn utility(ranking: &Ranking) -> f64 {
    let relevant = ranking.relevant().len() as f64;
    relevant - (ranking.retrieved() as f64 - relevant)
}

/// Documents retrieved that were judged not relevant.
pub(super) fn judged_not_relevant(ranking: &Ranking) -> usize {
    let bad = |one: &&Seen| matches!(one, Seen::Grade(grade) if !ranking.counts(*grade));
    ranking.seen().iter().filter(bad).count()
}
