use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Digest, Hasher, Lang};

/// One loaded and cleaned document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Where it came from: a path relative to the corpus, or a URL.
    pub source: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// The language of most of its text.
    pub lang: Lang,
    /// The cleaned text; paragraphs are separated by blank lines.
    pub text: String,
}

/// A piece of a document, the unit of retrieval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Hash of source and text, see [`Chunk::id_of`].
    pub id: Digest,
    /// The document's source.
    pub source: String,
    /// The document's title.
    pub title: Option<String>,
    /// The language of this piece.
    pub lang: Lang,
    /// Byte range of `text` in the document's text, on character borders.
    pub span: Range<usize>,
    /// The text itself.
    pub text: String,
}

impl Chunk {
    /// The id of the piece `text` of `source`: the same text in two documents is two chunks.
    /// The offset is left out, so that an edit above a piece does not change its id; a piece
    /// that repeats inside one document is told apart by `repeat` (0 for the first).
    pub fn id_of(source: &str, text: &str, repeat: usize) -> Digest {
        Hasher::new("chunk").text(source).text(text).text(&repeat.to_string()).finish()
    }
}
