//! Metrics that compare texts by their characters and words: no fact, no judge, no call.
//!
//! Families share a file where they share a formula. What each is equal to (sacreBLEU,
//! rouge-score, rapidfuzz, SQuAD) is on its card, and held by `goldens/lexical.py`.

pub(crate) mod bleu;
pub(crate) mod chrf;
pub(crate) mod edit;
pub(crate) mod exact;
pub(crate) mod language_match;
mod ngrams;
mod normalize;
mod porter;
pub(crate) mod rouge;
pub(crate) mod similar_contexts;
pub(crate) mod squad;
mod texts;
mod tokens_13a;
mod words;
