//! Exact match and F1 of SQuAD, over normalised words.

use std::collections::HashMap;

use ragmeter_core::{CaseRun, Outcome, RecordFacts};

use super::normalize::normalized;
use super::texts::{f1, ratio, scored, texts};
use crate::{Definition, Takes, need};

pub(crate) const EXACT_MATCH: Definition = Definition {
    id: "exact_match_normalized",
    title: ["Exact match, normalised", "Точное совпадение после нормализации"],
    definition: [
        "1 if answer and reference answer have the same words, case, punctuation, white space and \
         English articles aside; else 0.",
        "1, если слова ответа и эталона совпадают без учёта регистра, пунктуации, пробелов и \
         английских артиклей; иначе 0.",
    ],
    card: include_str!("../../cards/exact_match_normalized.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(exact_match(run, facts)),
};

pub(crate) const TOKEN_F1: Definition = Definition {
    id: "token_f1",
    title: ["Token F1", "F1 по словам"],
    definition: [
        "SQuAD's F1: words shared by answer and reference answer after normalisation.",
        "F1 из SQuAD: слова, общие для ответа и эталона после нормализации.",
    ],
    card: include_str!("../../cards/token_f1.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(token_f1(run, facts)),
};

pub(crate) fn exact_match(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let (answer, reference) = both(run)?;
    if answer == reference {
        scored(1.0, "the same words after normalisation")
    } else {
        scored(0.0, "other words after normalisation")
    }
}

pub(crate) fn token_f1(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let (answer, reference) = both(run)?;
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in &reference {
        *left.entry(word).or_default() += 1;
    }
    let take = |word: &&String| {
        left.get_mut(word.as_str()).is_some_and(|count| {
            let had = *count > 0;
            *count -= usize::from(had);
            had
        })
    };
    let shared = answer.iter().filter(take).count();
    scored(
        f1(ratio(shared, answer.len()), ratio(shared, reference.len())),
        format!(
            "{shared} words shared, of {} in the answer and {} in the reference",
            answer.len(),
            reference.len()
        ),
    )
}

/// The normalised words of both; the reference's language decides about articles, so that both
/// are treated alike.
fn both(run: CaseRun<'_>) -> Result<(Vec<String>, Vec<String>), Outcome> {
    let texts = texts(run)?;
    let lang = ragmeter_text::detect(texts.reference);
    let reference = normalized(texts.reference, lang);
    if reference.is_empty() {
        return Err(Outcome::not_applicable("the reference answer has no words"));
    }
    Ok((normalized(texts.answer, lang), reference))
}
