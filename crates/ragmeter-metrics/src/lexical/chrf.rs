//! chrF2 and chrF2++ as sacreBLEU has them: precision and recall of character n-grams (and, for
//! ++, of words and pairs of words), averaged over the lengths that both texts have.

use ragmeter_core::{CaseRun, Outcome, RecordFacts};

use super::ngrams::{Shared, numbered, shared};
use super::texts::{Texts, is_python_space, ratio, scored, texts};
use crate::{Definition, Takes, need};

pub(crate) const CHRF: Definition = Definition {
    id: "chrf",
    title: ["chrF", "chrF"],
    definition: [
        "F2 of the character n-grams (1 to 6, without white space) that answer and reference \
         answer share.",
        "F2 по символьным n-граммам (от 1 до 6, без пробелов), общим для ответа и эталона.",
    ],
    card: include_str!("../../cards/chrf.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(chrf(run, facts)),
};

pub(crate) const CHRF_PP: Definition = Definition {
    id: "chrf_pp",
    title: ["chrF++", "chrF++"],
    definition: [
        "chrF with words and pairs of words beside the character n-grams.",
        "chrF, в которой к символьным n-граммам добавлены слова и пары слов.",
    ],
    card: include_str!("../../cards/chrf_pp.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(chrf_pp(run, facts)),
};

/// The longest n-gram of characters, and of words.
const CHARACTERS: usize = 6;
const WORDS: usize = 2;

/// β²: recall weighs four times as much as precision in the mean of their inverses.
const BETA_SQUARED: f64 = 4.0;

pub(crate) fn chrf(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    of_grams(&characters(texts(run)?))
}

pub(crate) fn chrf_pp(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let texts = texts(run)?;
    let mut grams = characters(texts);
    let (answer, reference) = (words(texts.answer), words(texts.reference));
    let (answer, reference) = numbered(&answer, &reference);
    grams.extend(shared(&answer, &reference, WORDS));
    of_grams(&grams)
}

fn characters(texts: Texts<'_>) -> Vec<Shared> {
    let of = |text: &str| -> Vec<u32> {
        text.chars().filter(|&c| !is_python_space(c)).map(|c| u32::from(c) + 1).collect()
    };
    shared(&of(texts.answer), &of(texts.reference), CHARACTERS)
}

/// Words with one punctuation mark taken off: the last, else the first. `(hi)` stays `(hi` and
/// `)`, as in chrF++.py and sacreBLEU.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for word in text.split(is_python_space).filter(|word| !word.is_empty()) {
        let mut chars = word.chars();
        match (chars.next(), chars.next_back()) {
            (Some(_), Some(last)) if last.is_ascii_punctuation() => {
                words.extend([&word[..word.len() - 1], &word[word.len() - 1..]]);
            }
            (Some(first), Some(_)) if first.is_ascii_punctuation() => {
                words.extend([&word[..1], &word[1..]]);
            }
            _ => words.push(word),
        }
    }
    words
}

fn of_grams(grams: &[Shared]) -> Result<Outcome, Outcome> {
    // Lengths that one of the texts is too short for say nothing and leave the mean.
    let had: Vec<&Shared> =
        grams.iter().filter(|grams| grams.left > 0 && grams.right > 0).collect();
    if grams.iter().all(|grams| grams.right == 0) {
        return Err(Outcome::not_applicable("the reference answer has no characters"));
    }
    let mean = |part: fn(&Shared) -> f64| {
        had.iter().map(|grams| part(grams)).sum::<f64>() / had.len().max(1) as f64
    };
    let precision = mean(|grams| ratio(grams.both, grams.left));
    let recall = mean(|grams| ratio(grams.both, grams.right));
    let value = if precision + recall > 0.0 {
        (1.0 + BETA_SQUARED) * precision * recall / (BETA_SQUARED * precision + recall)
    } else {
        0.0
    };
    scored(
        value,
        format!(
            "mean precision {:.1} %, mean recall {:.1} % over {} lengths of n-grams",
            precision * 100.0,
            recall * 100.0,
            had.len()
        ),
    )
}
