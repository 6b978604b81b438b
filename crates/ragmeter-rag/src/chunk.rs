use std::collections::BTreeMap;
use std::ops::Range;

use ragmeter_core::{Chunk, Document, Lang};
use ragmeter_text::{detect, paragraphs, sentences};
use unicode_segmentation::UnicodeSegmentation;

/// A one-line paragraph up to this long without closing punctuation is a heading.
const HEADING_CHARS: usize = 120;
/// A piece ends at a paragraph if that leaves it at least this share of the size.
const PARAGRAPH_SHARE: f64 = 0.5;

/// What sizes are counted in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Unicode characters.
    Characters,
    /// Tokens of the tokenizer of this name; the caller brings the counter.
    Tokens(String),
}

/// How documents are cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkSpec {
    /// What `size` and `overlap` count.
    pub unit: Unit,
    /// Largest piece.
    pub size: usize,
    /// Most text, in whole sentences, that a piece repeats of the one before; less than `size`.
    pub overlap: usize,
}

impl ChunkSpec {
    /// What is wrong with it, if anything.
    pub fn check(&self) -> Result<(), String> {
        if self.size == 0 {
            return Err("the size of a chunk must be at least 1".to_owned());
        }
        if self.overlap >= self.size {
            let Self { overlap, size, .. } = self;
            return Err(format!("the overlap ({overlap}) must be less than the size ({size})"));
        }
        Ok(())
    }
}

/// A stretch of text that stays whole: a sentence, or part of one that is too long by itself.
struct Piece {
    span: Range<usize>,
    size: usize,
    /// It opens a paragraph.
    opens: bool,
    /// It is a heading and belongs to what follows.
    heading: bool,
    /// It is a whole sentence and may be repeated as overlap.
    whole: bool,
}

/// Cuts a document into pieces of at most `spec.size` as `measure` counts (`spec.unit` only names
/// the count). Borders are those of paragraphs where that leaves half a piece or more, else of
/// sentences; a sentence longer than a piece is cut between words, a word longer than a piece
/// between characters. Only a single character can make a piece larger than asked for.
/// `document.text[chunk.span] == chunk.text` for every piece, and together they hold all text.
pub fn chunk(document: &Document, spec: &ChunkSpec, measure: &dyn Fn(&str) -> usize) -> Vec<Chunk> {
    let cutter = Cutter { text: &document.text, size: spec.size.max(1), measure };
    let pieces = cutter.pieces(document.lang);
    let mut repeats: BTreeMap<&str, usize> = BTreeMap::new();
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut end = 0;
    while start < pieces.len() {
        end = cutter.end_of_chunk(&pieces, start, end);
        let span = pieces[start].span.start..pieces[end - 1].span.end;
        let text = &document.text[span.clone()];
        let repeat = repeats.entry(text).or_default();
        let letters = text.chars().any(char::is_alphabetic);
        chunks.push(Chunk {
            id: Chunk::id_of(&document.source, text, *repeat),
            source: document.source.clone(),
            title: document.title.clone(),
            lang: if letters { detect(text) } else { document.lang },
            span,
            text: text.to_owned(),
        });
        *repeat += 1;
        start = cutter.start_of_next(&pieces, start, end, spec.overlap);
    }
    chunks
}

struct Cutter<'a> {
    text: &'a str,
    size: usize,
    measure: &'a dyn Fn(&str) -> usize,
}

impl Cutter<'_> {
    fn count(&self, span: Range<usize>) -> usize {
        (self.measure)(&self.text[span])
    }

    fn pieces(&self, lang: Lang) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for paragraph in paragraphs(self.text) {
            let body = &self.text[paragraph.clone()];
            let heading = is_heading(body);
            let mut opens = true;
            for sentence in sentences(body, lang) {
                let span = paragraph.start + sentence.start..paragraph.start + sentence.end;
                let size = self.count(span.clone());
                let whole = size <= self.size;
                let spans = if whole { vec![span] } else { self.cut_at_words(span) };
                for span in spans {
                    let size = if whole { size } else { self.count(span.clone()) };
                    pieces.push(Piece { span, size, opens, heading, whole });
                    opens = false;
                }
            }
        }
        pieces
    }

    /// Cuts a sentence that is too long into runs of words, and words that are into characters.
    fn cut_at_words(&self, span: Range<usize>) -> Vec<Range<usize>> {
        let body = &self.text[span.clone()];
        let mut words: Vec<Range<usize>> = Vec::new();
        for word in body.split_whitespace() {
            // The word is a slice of `body`, so its address tells where it stands.
            let start = span.start + (word.as_ptr() as usize - body.as_ptr() as usize);
            let word = start..start + word.len();
            if self.count(word.clone()) > self.size {
                words.extend(self.cut_at_characters(word));
            } else {
                words.push(word);
            }
        }
        self.fill(&words)
    }

    fn cut_at_characters(&self, word: Range<usize>) -> Vec<Range<usize>> {
        let characters: Vec<Range<usize>> = self.text[word.clone()]
            .grapheme_indices(true)
            .map(|(at, character)| word.start + at..word.start + at + character.len())
            .collect();
        self.fill(&characters)
    }

    /// Joins neighbours into runs as long as fit, each found by doubling and halving, since a
    /// count costs as much as the text counted.
    fn fill(&self, parts: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        let mut start = 0;
        let mut guess = 1;
        while start < parts.len() {
            let fits =
                |n: usize| self.count(parts[start].start..parts[start + n - 1].end) <= self.size;
            let rest = parts.len() - start;
            let mut low = 1;
            let mut high = guess.clamp(1, rest);
            while high < rest && fits(high) {
                low = high;
                high = (high * 2).min(rest);
            }
            if fits(high) {
                low = high;
            }
            while high - low > 1 {
                let middle = usize::midpoint(low, high);
                if fits(middle) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            // Token counts are not quite monotone; what is handed out is counted itself.
            while low > 1 && !fits(low) {
                low -= 1;
            }
            runs.push(parts[start].start..parts[start + low - 1].end);
            guess = low;
            start += low;
        }
        runs
    }

    /// The end (exclusive) of the chunk that begins with piece `start`. It lies after `done`, the
    /// end of the chunk before, which `start` may overlap.
    fn end_of_chunk(&self, pieces: &[Piece], start: usize, done: usize) -> usize {
        let fits = |end: usize| {
            self.count(pieces[start].span.start..pieces[end - 1].span.end) <= self.size
        };
        // The sum of the pieces is nearly the count of the whole: start there.
        let mut sum = 0;
        let mut end = start;
        while end < pieces.len() && sum + pieces[end].size <= self.size {
            sum += pieces[end].size;
            end += 1;
        }
        end = end.max(start + 1);
        while end < pieces.len() && fits(end + 1) {
            end += 1;
        }
        while end > start + 1 && !fits(end) {
            end -= 1;
        }
        if end == pieces.len() {
            return end;
        }
        let end = self.at_paragraph(pieces, start, done, end);
        let mut before_heading = end;
        while before_heading > done && pieces[before_heading - 1].heading {
            before_heading -= 1;
        }
        if before_heading > done { before_heading } else { end }
    }

    /// Moves `end` back to the start of a paragraph if enough is left.
    fn at_paragraph(&self, pieces: &[Piece], start: usize, done: usize, end: usize) -> usize {
        let border = (done + 1..=end).rev().find(|at| pieces[*at].opens);
        let Some(border) = border else { return end };
        let kept = self.count(pieces[start].span.start..pieces[border - 1].span.end);
        if kept as f64 >= PARAGRAPH_SHARE * self.size as f64 { border } else { end }
    }

    /// The first piece of the next chunk: as many whole sentences back from `end` as the overlap
    /// allows and as still leave room for what comes at `end` (a heading with its first sentence).
    fn start_of_next(&self, pieces: &[Piece], start: usize, end: usize, overlap: usize) -> usize {
        if end == pieces.len() {
            return end;
        }
        let headings = pieces[end..].iter().take_while(|piece| piece.heading).count();
        let first = (end + headings).min(pieces.len() - 1);
        let mut next = end;
        while next > start + 1 && pieces[next - 1].whole {
            let from = pieces[next - 1].span.start;
            let repeated = self.count(from..pieces[end - 1].span.end);
            if repeated > overlap || self.count(from..pieces[first].span.end) > self.size {
                break;
            }
            next -= 1;
        }
        next
    }
}

fn is_heading(paragraph: &str) -> bool {
    let closed = paragraph.ends_with(['.', '!', ';', ',', ':', '…', '。']);
    let listed = paragraph.starts_with(['-', '|', '*']) || paragraph.contains(" | ");
    !paragraph.contains('\n')
        && !closed
        && !listed
        && paragraph.chars().count() <= HEADING_CHARS
        && paragraph.chars().any(char::is_alphabetic)
}
