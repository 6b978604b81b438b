use ragmeter_core::{CaseRun, Outcome, RecordFacts, UnitInterval};

use super::ngrams::{Shared, numbered, shared};
use super::texts::{scored, texts};
use super::tokens_13a::tokens;
use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "bleu",
    title: ["BLEU", "BLEU"],
    definition: [
        "sacreBLEU's BLEU-4 of the whole answer against the reference answer, divided by 100.",
        "BLEU-4 из sacreBLEU для всего ответа и эталонного ответа, делённая на 100.",
    ],
    card: include_str!("../../cards/bleu.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

/// The longest n-gram.
const ORDER: usize = 4;

pub(crate) fn score(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let texts = texts(run)?;
    let (answer, reference) = (tokens(texts.answer), tokens(texts.reference));
    let (answer, reference) = numbered(&answer, &reference);
    let grams = shared(&answer, &reference, ORDER);
    let lengths = format!("{} tokens against {}", answer.len(), reference.len());
    if answer.len() < ORDER {
        let why = format!("{lengths}: an answer of fewer than {ORDER} tokens has a BLEU of 0");
        return Ok(Outcome::scored(UnitInterval::ZERO, why));
    }
    if grams.iter().all(|grams| grams.both == 0) {
        return Ok(Outcome::scored(UnitInterval::ZERO, format!("{lengths}, none shared")));
    }
    let brevity = brevity(answer.len(), reference.len());
    let precisions = precisions(&grams);
    let mean = precisions.iter().map(|precision| precision.ln()).sum::<f64>() / ORDER as f64;
    let shown: Vec<String> =
        precisions.iter().map(|precision| format!("{:.1}", precision * 100.0)).collect();
    scored(
        brevity * mean.exp(),
        format!(
            "{lengths}; precisions of 1- to 4-grams {} %, brevity penalty {brevity:.3}",
            shown.join(", ")
        ),
    )
}

/// What an answer shorter than its reference is multiplied by.
fn brevity(answer: usize, reference: usize) -> f64 {
    if answer < reference { (1.0 - reference as f64 / answer as f64).exp() } else { 1.0 }
}

/// The precision of each length; where nothing is shared, half, a quarter, … of one n-gram
/// (sacreBLEU's `exp` smoothing, method 3 of Chen and Cherry 2014).
fn precisions(grams: &[Shared]) -> Vec<f64> {
    let mut halved = 1.0;
    let precision = |grams: &Shared| {
        if grams.both == 0 {
            halved *= 2.0;
            1.0 / (halved * grams.left as f64)
        } else {
            grams.both as f64 / grams.left as f64
        }
    };
    grams.iter().map(precision).collect()
}
