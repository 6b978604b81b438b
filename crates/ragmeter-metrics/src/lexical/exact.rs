//! Verbatim comparisons.

use ragmeter_core::{CaseRun, Outcome, RecordFacts};

use super::texts::{scored, texts};
use crate::{Definition, Takes, need};

pub(crate) const EXACT_MATCH: Definition = Definition {
    id: "exact_match",
    title: ["Exact match", "Точное совпадение"],
    definition: [
        "1 if the answer is the reference answer, character by character; else 0.",
        "1, если ответ посимвольно равен эталонному; иначе 0.",
    ],
    card: include_str!("../../cards/exact_match.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(exact_match(run, facts)),
};

pub(crate) const STRING_PRESENCE: Definition = Definition {
    id: "string_presence",
    title: ["String presence", "Вхождение строки"],
    definition: [
        "1 if the reference answer stands in the answer, character by character; else 0.",
        "1, если эталонный ответ посимвольно содержится в ответе; иначе 0.",
    ],
    card: include_str!("../../cards/string_presence.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(string_presence(run, facts)),
};

pub(crate) fn exact_match(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let texts = texts(run)?;
    if texts.answer == texts.reference {
        return scored(1.0, "the answer is the reference answer");
    }
    let same = texts.answer.chars().zip(texts.reference.chars()).take_while(|(a, b)| a == b);
    scored(0.0, format!("they differ from character {} on", same.count() + 1))
}

pub(crate) fn string_presence(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let texts = texts(run)?;
    match texts.answer.find(texts.reference) {
        Some(at) => {
            let before = texts.answer[..at].chars().count();
            scored(1.0, format!("the reference answer stands at character {}", before + 1))
        }
        None => scored(0.0, "the answer does not hold the reference answer"),
    }
}
