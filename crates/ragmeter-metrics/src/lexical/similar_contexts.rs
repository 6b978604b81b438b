//! Contexts beside reference contexts, without a judge: two texts stand for each other if their
//! Levenshtein similarity is high enough.

use ragmeter_core::{CaseRun, Context, Outcome, RecordFacts, UnitInterval};
use rapidfuzz::distance::levenshtein;

use crate::context_precision::average_precision;
use crate::{Definition, Takes, need};

pub(crate) const PRECISION: Definition = Definition {
    id: "context_precision_non_llm",
    title: ["Context precision by text", "Точность контекстов по тексту"],
    definition: [
        "Average precision of the ranking, where a context counts if it resembles a reference \
         context (Levenshtein similarity of at least 0.5).",
        "Средняя точность ранжирования: контекст засчитывается, если похож на эталонный (сходство \
         по Левенштейну не ниже 0,5).",
    ],
    card: include_str!("../../cards/context_precision_non_llm.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(precision(run, facts)),
};

pub(crate) const RECALL: Definition = Definition {
    id: "context_recall_non_llm",
    title: ["Context recall by text", "Полнота контекстов по тексту"],
    definition: [
        "Share of the reference contexts that some context resembles (Levenshtein similarity of at \
         least 0.5).",
        "Доля эталонных контекстов, на которые похож хотя бы один контекст (сходство по \
         Левенштейну не ниже 0,5).",
    ],
    card: include_str!("../../cards/context_recall_non_llm.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(recall(run, facts)),
};

pub(crate) fn precision(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let (contexts, references) = both(run)?;
    let resembles = |context: &Vec<char>| references.iter().any(|one| alike(context, one));
    let found: Vec<bool> = contexts.iter().map(resembles).collect();
    let value = average_precision(&found)
        .ok_or_else(|| Outcome::not_applicable("the ranking has no average precision"))?;
    let ranks: Vec<String> =
        (1..=found.len()).filter(|rank| found[rank - 1]).map(|rank| rank.to_string()).collect();
    let explanation = if ranks.is_empty() {
        format!("none of {} contexts resembles a reference context", found.len())
    } else {
        format!("contexts at ranks {} of {} resemble one", ranks.join(", "), found.len())
    };
    Ok(Outcome::scored(value, explanation))
}

pub(crate) fn recall(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let (contexts, references) = both(run)?;
    let found = |one: &&Vec<char>| contexts.iter().any(|context| alike(context, one));
    let found = references.iter().filter(found).count();
    let value = UnitInterval::share(found, references.len())
        .ok_or_else(|| Outcome::not_applicable("the case has no reference contexts"))?;
    Ok(Outcome::scored(value, format!("{found} of {} reference contexts found", references.len())))
}

/// Contexts and reference contexts as characters, blank reference contexts left out.
type Both = (Vec<Vec<char>>, Vec<Vec<char>>);

fn both(run: CaseRun<'_>) -> Result<Both, Outcome> {
    let chars = |text: &str| -> Vec<char> { text.chars().collect() };
    let visible = |text: &&String| !text.trim().is_empty();
    let references: Vec<Vec<char>> =
        run.case.reference_contexts.iter().filter(visible).map(|text| chars(text)).collect();
    if references.is_empty() {
        return Err(Outcome::not_applicable("the case has no reference contexts"));
    }
    let contexts: &[Context] = need::contexts(run)?;
    if contexts.is_empty() {
        return Err(Outcome::scored(UnitInterval::ZERO, "nothing was retrieved"));
    }
    Ok((contexts.iter().map(|context| chars(&context.text)).collect(), references))
}

/// Whether at most half of the longer text must be edited: a similarity of at least 0.5, the
/// threshold of RAGAS, in whole numbers.
fn alike(a: &[char], b: &[char]) -> bool {
    let most = a.len().max(b.len()) / 2;
    let args = levenshtein::Args::default().score_cutoff(most);
    levenshtein::distance_with_args(a.iter().copied(), b.iter().copied(), &args).is_some()
}
