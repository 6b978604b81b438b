use std::ops::Range;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::is_stop_word;
use crate::lang::{is_cyrillic, is_latin, is_unspaced};

/// Words by UAX 29, as byte ranges in order. Spaces and punctuation belong to none; a decimal
/// number is one word; ideographs are one word each.
pub fn words(text: &str) -> Vec<Range<usize>> {
    text.unicode_word_indices().map(|(start, word)| start..start + word.len()).collect()
}

/// A word as it is compared: NFKC, lower case, ё as е, without stress marks and soft hyphens.
pub fn fold(word: &str) -> String {
    // ё and й must be composed before stress marks go, or they would lose their own marks.
    word.nfkc().flat_map(char::to_lowercase).nfc().filter_map(fold_char).collect()
}

fn fold_char(c: char) -> Option<char> {
    match c {
        'ё' => Some('е'),
        '\u{2019}' | '\u{2bc}' => Some('\''),
        // Stress over a Cyrillic vowel has no composed form, so it stands alone here.
        '\u{300}' | '\u{301}' | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => {
            None
        }
        other => Some(other),
    }
}

/// The terms of a text for lexical search: folded and stemmed words by script (Cyrillic by the
/// Russian stemmer, Latin by the English one), numbers as they stand, and overlapping pairs of
/// characters for scripts without spaces. Mixed texts need no setting.
pub fn terms(text: &str) -> Vec<String> {
    collect_terms(text, false)
}

/// [`terms`] without the stop words of either language.
pub fn content_terms(text: &str) -> Vec<String> {
    collect_terms(text, true)
}

fn collect_terms(text: &str, content_only: bool) -> Vec<String> {
    let russian = Stemmer::create(Algorithm::Russian);
    let english = Stemmer::create(Algorithm::English);
    let mut found = Vec::new();
    let mut run = String::new();
    let mut run_end = 0;
    for (start, word) in text.unicode_word_indices() {
        let unspaced = word.chars().next().is_some_and(is_unspaced);
        if !run.is_empty() && (!unspaced || start != run_end) {
            push_pairs(&run, &mut found);
            run.clear();
        }
        if unspaced {
            run.push_str(&fold(word));
            run_end = start + word.len();
            continue;
        }
        let folded = fold(word);
        if folded.is_empty() || (content_only && is_stop_word(&folded)) {
            continue;
        }
        found.push(if folded.chars().any(is_cyrillic) {
            russian.stem(&folded).into_owned()
        } else if folded.chars().any(is_latin) {
            english.stem(&folded).into_owned()
        } else {
            folded
        });
    }
    push_pairs(&run, &mut found);
    found
}

/// Overlapping character pairs of one run; a lone character stands for itself.
fn push_pairs(run: &str, found: &mut Vec<String>) {
    let chars: Vec<char> = run.chars().collect();
    if chars.len() == 1 {
        found.push(run.to_owned());
    }
    found.extend(chars.windows(2).map(|pair| pair.iter().collect()));
}
