//! ROUGE as rouge-score has it, stemmed: F1 of shared words, pairs of words, or of the longest
//! common subsequence.

use ragmeter_core::{CaseRun, Outcome, RecordFacts};
use rapidfuzz::distance::lcs_seq;

use super::ngrams::shared;
use super::texts::{f1, ratio, scored, texts};
use super::words::numbered;
use crate::{Definition, Takes, need};

pub(crate) const ROUGE_1: Definition = Definition {
    id: "rouge_1",
    title: ["ROUGE-1", "ROUGE-1"],
    definition: [
        "F1 of the words that answer and reference answer share, stemmed.",
        "F1 по словам, общим для ответа и эталона, после стемминга.",
    ],
    card: include_str!("../../cards/rouge_1.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(rouge_1(run, facts)),
};

pub(crate) const ROUGE_2: Definition = Definition {
    id: "rouge_2",
    title: ["ROUGE-2", "ROUGE-2"],
    definition: [
        "F1 of the pairs of neighbouring words that answer and reference answer share, stemmed.",
        "F1 по парам соседних слов, общим для ответа и эталона, после стемминга.",
    ],
    card: include_str!("../../cards/rouge_2.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(rouge_2(run, facts)),
};

pub(crate) const ROUGE_L: Definition = Definition {
    id: "rouge_l",
    title: ["ROUGE-L", "ROUGE-L"],
    definition: [
        "F1 of the longest sequence of words that answer and reference answer have in the same \
         order, stemmed.",
        "F1 по самой длинной последовательности слов, идущих в ответе и в эталоне в одном порядке, \
         после стемминга.",
    ],
    card: include_str!("../../cards/rouge_l.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(rouge_l(run, facts)),
};

pub(crate) fn rouge_1(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    of_grams(run, 1, "words")
}

pub(crate) fn rouge_2(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    of_grams(run, 2, "pairs of words")
}

pub(crate) fn rouge_l(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let (answer, reference) = both(run)?;
    if reference.is_empty() {
        return Err(Outcome::not_applicable("the reference answer has no words"));
    }
    let common = lcs_seq::similarity(answer.iter().copied(), reference.iter().copied());
    outcome(common, answer.len(), reference.len(), "words in order")
}

fn of_grams(run: CaseRun<'_>, n: usize, what: &str) -> Result<Outcome, Outcome> {
    let (answer, reference) = both(run)?;
    let grams = shared(&answer, &reference, 2)[n - 1];
    // Recall is a share of what the reference has: of nothing there is none.
    if grams.right == 0 {
        return Err(Outcome::not_applicable(format!("the reference answer has no {what}")));
    }
    outcome(grams.both, grams.left, grams.right, what)
}

/// The words of answer and reference, numbered.
fn both(run: CaseRun<'_>) -> Result<(Vec<u32>, Vec<u32>), Outcome> {
    let texts = texts(run)?;
    Ok(numbered(texts.answer, texts.reference))
}

fn outcome(both: usize, answer: usize, reference: usize, what: &str) -> Result<Outcome, Outcome> {
    let value = f1(ratio(both, answer), ratio(both, reference));
    scored(
        value,
        format!("{both} {what} shared, of {answer} in the answer and {reference} in the reference"),
    )
}
