//! One system's contexts hold all of the other's: k = 3 inside k = 5.

use std::collections::BTreeSet;

use serde::Serialize;

use super::pair::Pair;
use crate::JudgedRecord;
use crate::summary::mean;

/// How the rankings of nested systems compare where AP alone would mislead: a longer list can
/// lower average precision by what it adds at the end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NestedRanking {
    /// The smaller number of contexts.
    pub k: usize,
    /// Cases in which the usefulness of both systems' contexts is known.
    pub n: usize,
    /// Mean average precision of `a`, of its first `k` contexts.
    pub ap_a: f64,
    /// Mean average precision of `b`, of its first `k` contexts.
    pub ap_b: f64,
    /// Mean nDCG of `a`, of all its contexts.
    pub ndcg_a: f64,
    /// Mean nDCG of `b`, of all its contexts.
    pub ndcg_b: f64,
}

/// Whether one system's contexts hold all of the other's in every shared case, and more in some.
pub(super) fn is_nested(pairs: &[Pair<'_>]) -> bool {
    let (mut a_in_b, mut b_in_a) = (true, true);
    // A system that failed on a case retrieved nothing there, which says nothing about its k.
    let whole = pairs.iter().filter(|(a, b)| a.record.error.is_none() && b.record.error.is_none());
    for (a, b) in whole {
        let (Some(of_a), Some(of_b)) = (&a.record.contexts, &b.record.contexts) else {
            return false;
        };
        let of_a: BTreeSet<&str> = of_a.iter().map(|context| context.text.as_str()).collect();
        let of_b: BTreeSet<&str> = of_b.iter().map(|context| context.text.as_str()).collect();
        a_in_b &= of_a.is_subset(&of_b);
        b_in_a &= of_b.is_subset(&of_a);
    }
    // Both are subsets only if all sets are equal: one retriever, two generators.
    a_in_b != b_in_a
}

/// AP at the smaller k and nDCG of both systems; `None` if usefulness was not judged.
///
/// nDCG has gain 1 for a useful context and the discount `1/log₂(rank + 1)` (Järvelin and Kekäläinen,
/// TOIS 20, 2002). What could be found is what the longer list found; the ideal list has as many
/// places as the list that is judged.
pub(super) fn nested_ranking(pairs: &[Pair<'_>]) -> Option<NestedRanking> {
    let judged: Vec<(&[bool], &[bool])> =
        pairs.iter().filter_map(|(a, b)| useful(a).zip(useful(b))).collect();
    // A system may find fewer than its k: the longest list tells it.
    let longest = |side: fn(&(&[bool], &[bool])) -> usize| judged.iter().map(side).max();
    let k = longest(|(a, _)| a.len())?.min(longest(|(_, b)| b.len())?);
    let first = |useful: &[bool]| average_precision(&useful[..useful.len().min(k)]);
    let (ap_a, ap_b) = means(judged.iter().map(|(a, b)| (first(a), first(b))))?;
    let (ndcg_a, ndcg_b) = means(judged.iter().map(|(a, b)| {
        let found = hits(a).max(hits(b));
        (ndcg(a, found), ndcg(b, found))
    }))?;
    Some(NestedRanking { k, n: judged.len(), ap_a, ap_b, ndcg_a, ndcg_b })
}

fn means(values: impl Iterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    let (a, b): (Vec<f64>, Vec<f64>) = values.unzip();
    mean(&a).zip(mean(&b))
}

fn useful(record: &JudgedRecord) -> Option<&[bool]> {
    match &record.facts.useful {
        Some(Ok(fact)) => Some(&fact.value),
        _ => None,
    }
}

fn hits(useful: &[bool]) -> usize {
    useful.iter().filter(|useful| **useful).count()
}

/// The same average precision as the metric's: over the useful contexts that the list holds.
fn average_precision(useful: &[bool]) -> f64 {
    let mut found = 0.0;
    let mut sum = 0.0;
    for (index, _) in useful.iter().enumerate().filter(|(_, useful)| **useful) {
        found += 1.0;
        sum += found / (index + 1) as f64;
    }
    if found > 0.0 { sum / found } else { 0.0 }
}

fn ndcg(useful: &[bool], could_be_found: usize) -> f64 {
    let discount = |rank: usize| 1.0 / ((rank + 1) as f64).log2();
    let ideal: f64 = (1..=could_be_found.min(useful.len())).map(discount).sum();
    let gained = |(index, useful): (usize, &bool)| if *useful { discount(index + 1) } else { 0.0 };
    let dcg: f64 = useful.iter().enumerate().map(gained).sum();
    if ideal > 0.0 { dcg / ideal } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scikit-learn 1.9: `ndcg_score([[0, 1, 1]], [[3, 2, 1]])` and the like.
    #[test]
    fn ndcg_as_scikit_learn_has_it() {
        assert!((ndcg(&[false, true, true], 2) - 0.693_426_403_617_270_8).abs() < 1e-12);
        assert!(
            (ndcg(&[true, false, true, false, true], 3) - 0.885_459_881_571_487_4).abs() < 1e-12
        );
        assert!((ndcg(&[true, true], 2) - 1.0).abs() < 1e-15);
        assert!(ndcg(&[false, false], 0).abs() < 1e-15);
    }

    #[test]
    fn a_list_that_misses_what_the_longer_one_found_is_not_perfect() {
        // Room for two, two could be found, one was.
        assert!((ndcg(&[true, false], 2) - 1.0 / (1.0 + 1.0 / 3f64.log2())).abs() < 1e-15);
    }
}
