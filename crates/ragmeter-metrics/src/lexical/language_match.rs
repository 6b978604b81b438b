use ragmeter_core::{CaseRun, Lang, Outcome, RecordFacts};

use super::texts::{answered, scored};
use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "language_match",
    title: ["Language match", "Совпадение языка"],
    definition: [
        "1 if the answer is in the language of the question (English or Russian, by script); \
         else 0.",
        "1, если ответ дан на языке вопроса (английский или русский, по алфавиту); иначе 0.",
    ],
    card: include_str!("../../cards/language_match.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

pub(crate) fn score(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    let asked = run.case.lang.or_else(|| language(&run.case.question));
    let asked =
        asked.ok_or_else(|| Outcome::not_applicable("the question's language cannot be told"))?;
    let given = language(answered(run)?)
        .ok_or_else(|| Outcome::not_applicable("the answer's language cannot be told"))?;
    let value = if asked == given { 1.0 } else { 0.0 };
    scored(value, format!("asked in `{asked}`, answered in `{given}`"))
}

/// The language of a text by its letters; `None` where it has none, or most are of a script that
/// neither language is written in.
fn language(text: &str) -> Option<Lang> {
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    // Latin with its European letters, and Cyrillic.
    let ours = letters()
        .filter(|c| matches!(c, '\0'..='\u{24f}' | '\u{400}'..='\u{52f}' | '\u{1e00}'..='\u{1eff}'))
        .count();
    (ours > 0 && ours * 2 >= letters().count()).then(|| ragmeter_text::detect(text))
}
