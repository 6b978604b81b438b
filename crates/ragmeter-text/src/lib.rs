//! Text without I/O: sentences, paragraphs, words, stems, stop words, language, token counts.
//!
//! Every function takes any Unicode text, never panics, and treats Russian as it treats English.
//! Ranges are byte ranges on character borders of the text that was given.

mod abbreviations;
mod lang;
mod sentences;
mod stop_words;
mod terms;
mod tokens;

pub use lang::detect;
pub use sentences::{paragraphs, sentences};
pub use stop_words::is_stop_word;
pub use terms::{content_terms, fold, terms, words};
pub use tokens::{TokenCounter, UnknownTokenizer};

/// The sources of this crate's rules, for those who keep what was made by them: a change of the
/// rules then changes the key, and nobody has to remember to raise a version.
pub const RULES: &[&str] = &[
    include_str!("abbreviations.rs"),
    include_str!("lang.rs"),
    include_str!("sentences.rs"),
    include_str!("stop_words.rs"),
    include_str!("terms.rs"),
    include_str!("tokens.rs"),
];
