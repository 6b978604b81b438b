//! Which words of two texts differ.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation;

/// Texts of more words than this together are not compared: finding the shortest difference of two
/// long unlike texts takes time that grows with the product of their lengths.
const MOST_WORDS: usize = 8_000;

/// Texts with a smaller share of their words in common are unlike.
const ALIKE: f64 = 0.25;

/// The ranges, in bytes, that stand in only one of two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    /// Ranges of the first text.
    pub a: Vec<Range<usize>>,
    /// Ranges of the second text.
    pub b: Vec<Range<usize>>,
    /// So little is common that marking the rest would mark nearly everything.
    pub unlike: bool,
}

/// The words that stand in only one of two texts; `None` if the texts are too long to compare.
///
/// Words are those of Unicode (UAX 29): a Russian word is whole, and in scripts without spaces a
/// character is one, never a part of it. Differences with nothing but white space between them
/// are one range.
pub(crate) fn differences(a: &str, b: &str) -> Option<Differences> {
    let (words_a, words_b) = (words(a), words(b));
    if words_a.len() + words_b.len() > MOST_WORDS {
        return None;
    }
    let texts =
        |words: &[(usize, &str)]| words.iter().map(|(_, word)| word.to_lowercase()).collect();
    let (texts_a, texts_b): (Vec<String>, Vec<String>) = (texts(&words_a), texts(&words_b));
    let (mut found, mut common) = (Differences::default(), 0);
    for op in capture_diff_slices(Algorithm::Myers, &texts_a, &texts_b) {
        if let DiffOp::Equal { len, .. } = op {
            common += len;
        } else {
            push(a, &mut found.a, &words_a[op.old_range()]);
            push(b, &mut found.b, &words_b[op.new_range()]);
        }
    }
    found.unlike = (common as f64) < ALIKE * words_a.len().max(words_b.len()) as f64;
    Some(found)
}

/// The words with their places; white space is none.
fn words(text: &str) -> Vec<(usize, &str)> {
    text.split_word_bound_indices().filter(|(_, word)| !word.trim().is_empty()).collect()
}

/// Adds the range of these words, or lengthens the last one.
fn push(text: &str, ranges: &mut Vec<Range<usize>>, words: &[(usize, &str)]) {
    let (Some((start, _)), Some((last, word))) = (words.first(), words.last()) else { return };
    let end = last + word.len();
    match ranges.last_mut() {
        Some(range) if text[range.end..*start].trim().is_empty() => range.end = end,
        _ => ranges.push(*start..end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(a: &str, b: &str) -> (Vec<String>, Vec<String>) {
        let found = differences(a, b).unwrap();
        let cut = |text: &str, ranges: Vec<Range<usize>>| {
            ranges.into_iter().map(|range| text[range].to_owned()).collect()
        };
        (cut(a, found.a), cut(b, found.b))
    }

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn whole_words_differ_in_every_script() {
        let (a, b) = only("Масса Солнца велика.", "Масса  Земли мала.");
        assert_eq!((a, b), (owned(&["Солнца велика"]), owned(&["Земли мала"])));
        let (a, b) = only("太阳的质量很大", "地球的质量很大");
        assert_eq!((a, b), (owned(&["太阳"]), owned(&["地球"])));
        let (a, b) = only("the gate is oak", "the gate is old oak");
        assert_eq!((a, b), (Vec::new(), owned(&["old"])));
        assert_eq!(only("Да 👩‍👩‍👧", "да 👩‍👩‍👧"), (Vec::new(), Vec::new()));
        assert_eq!(only("", "word"), (Vec::new(), owned(&["word"])));
    }

    #[test]
    fn texts_that_share_little_are_unlike() {
        let unlike = |a, b| differences(a, b).unwrap().unlike;
        assert!(unlike("I do not know.", "Oak, since it was hung there in 1701."));
        assert!(!unlike("The gate is oak.", "The gate is steel."));
    }

    #[test]
    fn very_long_texts_are_left_alone() {
        assert_eq!(differences(&"a ".repeat(MOST_WORDS), "b"), None);
    }
}
