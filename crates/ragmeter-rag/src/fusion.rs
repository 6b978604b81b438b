use std::collections::BTreeMap;

/// Damps the advantage of the first ranks (Cormack, Clarke and Büttcher 2009).
const RRF_K: f64 = 60.0;

/// Fuses rankings by reciprocal rank: an item's score is `Σ weight / (60 + rank)` over the
/// rankings that hold it, ranks from 1. Items come back in their own order, not ranked.
pub fn reciprocal_rank_fusion(rankings: &[(f64, Vec<usize>)]) -> Vec<(usize, f64)> {
    let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
    for (weight, ranking) in rankings {
        for (rank, item) in (1_u32..).zip(ranking) {
            *scores.entry(*item).or_default() += weight / (RRF_K + f64::from(rank));
        }
    }
    scores.into_iter().collect()
}

/// Picks `k` items, each time the one that maximises `λ · relevance − (1 − λ) · similarity to the
/// nearest item picked before` (Carbonell and Goldstein 1998). `relevance` lies in `[0, 1]` and is
/// given best first; the earlier item wins a tie. Returns positions in `relevance`.
pub fn maximal_marginal_relevance(
    relevance: &[f64],
    similarity: &dyn Fn(usize, usize) -> f64,
    lambda: f64,
    k: usize,
) -> Vec<usize> {
    let mut rest: Vec<usize> = (0..relevance.len()).collect();
    let mut nearest = vec![0.0_f64; relevance.len()];
    let mut picked = Vec::new();
    while picked.len() < k && !rest.is_empty() {
        let value = |item: usize| lambda * relevance[item] - (1.0 - lambda) * nearest[item];
        let mut best = 0;
        for at in 1..rest.len() {
            if value(rest[at]) > value(rest[best]) {
                best = at;
            }
        }
        let item = rest.remove(best);
        for other in &rest {
            nearest[*other] = nearest[*other].max(similarity(item, *other));
        }
        picked.push(item);
    }
    picked
}
