//! Terms of one text against the sentences of others.

use std::collections::BTreeSet;

use super::passage::Sentence;
use super::token::Token;

/// Similarity of terms that are related but not equal.
const RELATED: f64 = 0.6;
/// Terms of a question or claim that are compared: far more than either has, unless it is a
/// document pasted there.
const MOST_TERMS: usize = 400;

/// Content terms of a text, each once, in order; at most [`MOST_TERMS`].
pub(crate) fn distinct(tokens: &[Token]) -> Vec<&str> {
    let all_stop = !tokens.iter().any(|token| token.content);
    let mut seen = BTreeSet::new();
    let kept = tokens.iter().filter(|token| token.content || all_stop);
    kept.map(|token| token.term.as_str())
        .filter(|term| seen.insert(*term))
        .take(MOST_TERMS)
        .collect()
}

/// 1 for equal terms, less for terms that share their beginning.
pub(crate) fn likeness(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    if a.starts_with(|c: char| c.is_ascii_digit()) {
        return 0.0;
    }
    let (mut shared, mut longer) = (0, a.chars().count().max(b.chars().count()));
    for (x, y) in a.chars().zip(b.chars()) {
        if x != y {
            break;
        }
        shared += 1;
    }
    longer = longer.max(1);
    if shared >= 5 && 10 * shared >= 6 * longer { RELATED } else { 0.0 }
}

/// For each term its likeness to each sentence's nearest term.
pub(crate) fn matches(terms: &[&str], sentences: &[&Sentence]) -> Vec<Vec<f64>> {
    let row = |term: &str| {
        let best = |sentence: &&Sentence| {
            if sentence.terms.contains(term) {
                return 1.0;
            }
            sentence.terms.iter().map(|other| likeness(term, other)).fold(0.0, f64::max)
        };
        sentences.iter().map(best).collect()
    };
    terms.iter().map(|term| row(term)).collect()
}

/// Weight of each term: rare among the sentences is more.
pub(crate) fn weights(matches: &[Vec<f64>]) -> Vec<f64> {
    let weight = |row: &Vec<f64>| {
        let having = row.iter().filter(|m| **m >= 1.0).count() as f64;
        (1.0 + (row.len() as f64 + 0.5) / (having + 0.5)).ln()
    };
    matches.iter().map(weight).collect()
}

/// Share of the terms' weight that `of` gives; 0 without terms.
pub(crate) fn share(weights: &[f64], of: impl Fn(usize) -> f64) -> f64 {
    let total: f64 = weights.iter().sum();
    if total > 0.0 {
        weights.iter().enumerate().map(|(i, w)| w * of(i)).sum::<f64>() / total
    } else {
        0.0
    }
}

pub(crate) fn portion<'a>(
    items: impl Iterator<Item = &'a str>,
    counts: impl Fn(&str) -> bool,
) -> f64 {
    let (mut all, mut counted) = (0.0, 0.0);
    for item in items {
        all += 1.0;
        counted += f64::from(u8::from(counts(item)));
    }
    if all > 0.0 { counted / all } else { 0.0 }
}

pub(crate) fn argmax(count: usize, score: impl Fn(usize) -> f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for i in 0..count {
        let score = score(i);
        if score > best.1 {
            best = (i, score);
        }
    }
    best.0
}

pub(crate) fn portion_of(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}
