use std::collections::BTreeMap;

use super::overlap::likeness;
use super::passage::Sentence;
use super::question::Asked;
use super::token::Token;

/// Words over which nearness falls to 1/e.
const NEAR: f64 = 8.0;

/// What [`rivals`] looks at.
pub(crate) struct Rivalry<'a> {
    pub(crate) sentences: &'a [&'a Sentence],
    /// The question's terms, their weights (0: the claim repeats it), and what they ask for.
    pub(crate) asked: &'a [&'a str],
    pub(crate) weights: &'a [f64],
    /// The claim's terms.
    pub(crate) terms: &'a [&'a str],
    pub(crate) kind: Asked,
    pub(crate) claim: &'a [Token],
}

/// Where the claim stands among the words that could as well be the answer.
pub(crate) struct Nearness {
    /// Nearness of the claim to the question's words, in [0, 1].
    pub(crate) own: f64,
    /// The same as a share of it and the nearest rival's.
    pub(crate) rank: f64,
    /// Share of the rivals that are nearer.
    pub(crate) nearer: f64,
}

/// A short answer should stand near the question's words; so may others of its kind.
pub(crate) fn rivals(r: &Rivalry<'_>) -> Nearness {
    let number = r.claim.iter().any(|t| t.number.is_some());
    let name = r.claim.iter().any(|t| t.name);
    // Rivals are of the claim's kind; what is both is taken for what the question asks for.
    let by_name = name && (r.kind == Asked::Name || !number);
    let is_rival = |t: &Token| match (by_name, number) {
        (true, _) => t.name,
        (false, true) => t.number.is_some(),
        (false, false) => true,
    };
    let mut mine: BTreeMap<&str, f64> = BTreeMap::new();
    let mut others: BTreeMap<&str, f64> = BTreeMap::new();
    for sentence in r.sentences {
        let mut found = Vec::new();
        for (term, weight) in r.asked.iter().zip(r.weights).filter(|(_, w)| **w > 0.0) {
            let at = sentence.tokens.iter().enumerate();
            let at = at.filter_map(|(p, t)| (likeness(term, &t.term) > 0.0).then_some(p));
            found.push((at.collect::<Vec<_>>(), *weight));
        }
        for (p, token) in sentence.tokens.iter().enumerate().filter(|(_, t)| t.content) {
            let is_mine = r.terms.contains(&token.term.as_str());
            let in_question = r.asked.iter().any(|q| likeness(q, &token.term) > 0.0);
            if !is_mine && (in_question || !is_rival(token)) {
                continue;
            }
            let near = |(places, weight): &(Vec<usize>, f64)| {
                let distance = places.iter().map(|q| q.abs_diff(p)).min();
                distance.map_or(0.0, |d| weight * (-(d as f64) / NEAR).exp())
            };
            let total: f64 = r.weights.iter().sum();
            let score = if total > 0.0 { found.iter().map(near).sum::<f64>() / total } else { 0.0 };
            let best = if is_mine { &mut mine } else { &mut others };
            let entry = best.entry(token.term.as_str()).or_insert(0.0);
            *entry = entry.max(score);
        }
    }
    let own =
        if r.terms.is_empty() { 0.0 } else { mine.values().sum::<f64>() / r.terms.len() as f64 };
    let best = others.values().copied().fold(0.0, f64::max);
    let nearer = others.values().filter(|score| **score > own).count() as f64;
    Nearness {
        own,
        rank: if own + best > 0.0 { own / (own + best) } else { 0.5 },
        nearer: nearer / others.len().max(1) as f64,
    }
}
