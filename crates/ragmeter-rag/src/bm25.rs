use std::collections::BTreeMap;

use ragmeter_text::terms;

/// Saturation of the term frequency.
const K1: f64 = 1.2;
/// Share of the length normalisation.
const B: f64 = 0.75;

/// How often each term occurs in a text.
pub(crate) type TermCounts = BTreeMap<String, u32>;

/// Counts the terms of a text.
pub(crate) fn count_terms(text: &str) -> TermCounts {
    let mut counts = TermCounts::new();
    for term in terms(text) {
        *counts.entry(term).or_default() += 1;
    }
    counts
}

/// An inverted index that scores texts by Okapi BM25 (Robertson and Zaragoza 2009):
/// `Σ idf(t) · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / mean length))` over the distinct
/// terms of the query, with `idf(t) = ln(1 + (N − df + 0.5) / (df + 0.5))`, k1 = 1.2, b = 0.75.
///
/// Written here because the crates for it either bring a whole search engine or hash terms to
/// 32 bits and sum in `f32`, so that strangers collide and ties fall by chance; an evaluator must
/// give the same ranking every time. Terms are those of [`ragmeter_text::terms`].
#[derive(Clone, Debug, Default)]
pub struct Bm25 {
    /// Term → (text, times it occurs there), by text.
    postings: BTreeMap<String, Vec<(u32, u32)>>,
    /// Terms of each text.
    lengths: Vec<f64>,
    mean_length: f64,
}

impl Bm25 {
    /// Indexes the texts; a text is known by its position from then on.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::from_counts(texts.into_iter().map(count_terms))
    }

    /// Indexes texts by the times that each term occurs in them, see [`count_terms`].
    pub(crate) fn from_counts(texts: impl IntoIterator<Item = TermCounts>) -> Self {
        let mut index = Self::default();
        for (position, counts) in (0_u32..).zip(texts) {
            let length: u32 = counts.values().sum();
            for (term, count) in counts {
                index.postings.entry(term).or_default().push((position, count));
            }
            index.lengths.push(f64::from(length));
        }
        let total: f64 = index.lengths.iter().sum();
        index.mean_length = total / (index.lengths.len().max(1) as f64);
        index
    }

    /// How telling a term is, above 0; a term that no text holds is the most telling.
    pub fn idf(&self, term: &str) -> f64 {
        let holding = self.postings.get(term).map_or(0, Vec::len) as f64;
        let texts = self.lengths.len() as f64;
        ((texts - holding + 0.5) / (holding + 0.5)).ln_1p()
    }

    /// Scores of the texts that share a term with the query, by position; all are above 0.
    pub fn scores(&self, query: &str) -> Vec<(usize, f64)> {
        let mut wanted = terms(query);
        wanted.sort_unstable();
        wanted.dedup();
        let mut scores = vec![0.0; self.lengths.len()];
        for term in &wanted {
            let Some(postings) = self.postings.get(term) else {
                continue;
            };
            let idf = self.idf(term);
            for (position, count) in postings {
                let (position, count) = (*position as usize, f64::from(*count));
                let length = self.lengths[position] / self.mean_length;
                let saturated = count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
                scores[position] += idf * saturated;
            }
        }
        scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect()
    }
}
