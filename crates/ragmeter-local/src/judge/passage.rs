use std::collections::BTreeSet;
use std::ops::Range;

use ragmeter_core::Lang;
use ragmeter_text::sentences;

use super::token::{Token, is_negation, tokenise};

/// A sentence of a context, ready to be compared.
#[derive(Debug)]
pub(crate) struct Sentence {
    /// Bytes in the context.
    pub(crate) range: Range<usize>,
    pub(crate) tokens: Vec<Token>,
    /// Terms of the content words.
    pub(crate) terms: BTreeSet<String>,
    pub(crate) numbers: BTreeSet<String>,
    pub(crate) negated: bool,
}

/// Splits a context and prepares its sentences.
pub(crate) fn prepare(context: &str, lang: Lang) -> Vec<Sentence> {
    sentences(context, lang)
        .into_iter()
        .map(|range| {
            let text = &context[range.clone()];
            let tokens = tokenise(text);
            let content = tokens.iter().filter(|token| token.content);
            let terms = content.map(|token| token.term.clone()).collect();
            let numbers = tokens.iter().filter_map(|token| token.number.clone()).collect();
            let negated = is_negated(text);
            Sentence { range, tokens, terms, numbers, negated }
        })
        .collect()
}

/// Whether any word of the text denies.
pub(crate) fn is_negated(text: &str) -> bool {
    ragmeter_text::words(text)
        .into_iter()
        .any(|range| is_negation(&ragmeter_text::fold(&text[range])))
}
