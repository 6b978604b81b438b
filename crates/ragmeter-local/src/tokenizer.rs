//! Unigram tokenizer (Kudo 2018): the most probable split of a text into pieces of the
//! vocabulary, found by Viterbi search after the normalisation that the vocabulary was made with.

use std::ops::Range;

use crate::error::{LocalError, malformed};
use crate::model_file::ModelFile;

/// Marks a space inside pieces.
const SPACE_MARK: char = '\u{2581}';
/// Bits of a table slot that hold the piece; the rest holds a part of its hash.
const INDEX_BITS: u32 = 18;
/// Log-probability of a place that no split reaches.
const UNREACHED: f32 = -1e30;

/// The vocabulary and its normalisation.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    offsets: Vec<u32>,
    scores: Vec<f32>,
    pieces: Range<usize>,
    table: Vec<u32>,
    norm_from: Vec<u32>,
    norm_offsets: Vec<u32>,
    norm_to: Vec<char>,
    unknown: u32,
    unknown_score: f32,
    longest: usize,
}

/// One piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) id: u32,
    /// Bytes of the text that it was made from, at character borders.
    pub(crate) range: Range<usize>,
}

/// A normalised character and where it came from.
struct Normal {
    bytes: [u8; 4],
    length: u8,
    from: usize,
    to: usize,
}

impl Tokenizer {
    pub(crate) fn new(file: &ModelFile) -> Result<Self, LocalError> {
        let parameters = &file.parameters;
        let offsets = file.integers("pieces.offsets")?;
        let pieces = file.any_range("pieces.bytes")?;
        let table = file.integers("pieces.table")?;
        let norm_from = file.integers("norm.codepoints")?;
        let norm_offsets = file.integers("norm.offsets")?;
        let norm_to = file
            .integers("norm.replacements")?
            .into_iter()
            .map(|code| char::from_u32(code).ok_or_else(|| malformed("not a character")))
            .collect::<Result<Vec<_>, _>>()?;
        let sound = offsets.len() == parameters.pieces + 1
            && offsets.is_sorted()
            && offsets.last().is_some_and(|&end| end as usize == pieces.len())
            && table.len() == parameters.table_size
            && table.len().is_power_of_two()
            && table.contains(&0)
            && table.iter().all(|&slot| piece_of(slot) <= parameters.pieces)
            && norm_offsets.len() == norm_from.len() + 1
            && norm_offsets.is_sorted()
            && norm_offsets.last().is_some_and(|&end| end as usize == norm_to.len());
        if !sound {
            return Err(malformed("the vocabulary does not fit together"));
        }
        Ok(Self {
            offsets,
            scores: file.floats("pieces.scores", parameters.pieces)?,
            pieces,
            table,
            norm_from,
            norm_offsets,
            norm_to,
            unknown: parameters.unknown,
            unknown_score: parameters.unknown_score,
            longest: parameters.longest_piece_chars.max(1),
        })
    }

    /// Tokens of `prefix` followed by `text`, at most `limit`; ranges are of `text`, and empty
    /// where a token lies in the prefix.
    pub(crate) fn tokens(
        &self,
        file: &ModelFile,
        prefix: &str,
        text: &str,
        limit: usize,
    ) -> Vec<Token> {
        // The tokens that are kept can't reach further than this, so the rest need not be read.
        let most = limit.saturating_add(1).saturating_mul(self.longest);
        let normal = self.normalise(prefix, text, most);
        let blob = &file.bytes()[self.pieces.clone()];
        let (from, ids) = self.best_split(&normal, blob);
        let mut tokens = Vec::new();
        let mut end = normal.len();
        while end > 0 {
            let start = from[end];
            let range = normal[start].from..normal[end - 1].to;
            tokens.push(Token { id: ids[end], range });
            end = start;
        }
        tokens.reverse();
        tokens.truncate(limit);
        tokens
    }

    /// Maps characters, joins runs of spaces, and puts one space in front.
    fn normalise(&self, prefix: &str, text: &str, most: usize) -> Vec<Normal> {
        let mut normal: Vec<Normal> = Vec::with_capacity(text.len().min(most) + prefix.len() + 1);
        let mut last_was_space = false;
        let mut push = |normal: &mut Vec<Normal>, c: char, range: Range<usize>| {
            let space = c == ' ';
            if space && last_was_space {
                // A run of spaces belongs to its first one.
                if let Some(last) = normal.last_mut() {
                    last.to = last.to.max(range.end);
                }
                return;
            }
            last_was_space = space;
            let mut bytes = [0; 4];
            let c = if space { SPACE_MARK } else { c };
            let length = c.encode_utf8(&mut bytes).len() as u8;
            normal.push(Normal { bytes, length, from: range.start, to: range.end });
        };
        let in_prefix = prefix.chars().map(|c| (c, 0..0));
        let in_text = text.char_indices().map(|(at, c)| (c, at..at + c.len_utf8()));
        for (c, range) in in_prefix.chain(in_text) {
            let first = self.mapped(c).and_then(|to| to.first()).unwrap_or(&c);
            if normal.is_empty() && *first != ' ' {
                push(&mut normal, ' ', 0..0);
            }
            match self.mapped(c) {
                None => push(&mut normal, c, range),
                Some(to) => to.iter().for_each(|&c| push(&mut normal, c, range.clone())),
            }
            if normal.len() > most {
                break;
            }
        }
        if normal.is_empty() {
            push(&mut normal, ' ', 0..0);
        }
        normal
    }

    fn mapped(&self, c: char) -> Option<&[char]> {
        let index = self.norm_from.binary_search(&u32::from(c)).ok()?;
        let range = self.norm_offsets[index] as usize..self.norm_offsets[index + 1] as usize;
        Some(&self.norm_to[range])
    }

    /// For each place after a character: where the best last piece starts, and which it is.
    fn best_split(&self, normal: &[Normal], blob: &[u8]) -> (Vec<usize>, Vec<u32>) {
        let n = normal.len();
        let mut best = vec![UNREACHED; n + 1];
        let mut from = vec![0_usize; n + 1];
        let mut ids = vec![self.unknown; n + 1];
        best[0] = 0.0;
        let mut bytes = Vec::with_capacity(4 * self.longest);
        for start in 0..n {
            bytes.clear();
            let mut hash = FNV_OFFSET;
            for (end, c) in normal.iter().enumerate().skip(start).take(self.longest) {
                for &byte in &c.bytes[..c.length as usize] {
                    bytes.push(byte);
                    hash = (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
                }
                let Some(piece) = self.find(hash, &bytes, blob) else {
                    continue;
                };
                let score = best[start] + self.scores[piece];
                if piece as u32 != self.unknown && score > best[end + 1] {
                    (best[end + 1], from[end + 1], ids[end + 1]) = (score, start, piece as u32);
                }
            }
            let score = best[start] + self.unknown_score;
            if score > best[start + 1] {
                best[start + 1] = score;
                from[start + 1] = start;
                ids[start + 1] = self.unknown;
            }
        }
        (from, ids)
    }

    fn find(&self, hash: u64, bytes: &[u8], blob: &[u8]) -> Option<usize> {
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.table[at];
            if slot == 0 {
                return None;
            }
            if slot >> INDEX_BITS == (hash >> 50) as u32 {
                let piece = piece_of(slot) - 1;
                let range = self.offsets[piece] as usize..self.offsets[piece + 1] as usize;
                if &blob[range] == bytes {
                    return Some(piece);
                }
            }
            at = (at + 1) & mask;
        }
    }
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// Number of the piece in a slot, from 1.
fn piece_of(slot: u32) -> usize {
    (slot & ((1 << INDEX_BITS) - 1)) as usize
}
