//! Nuggets, as TREC's RAG track counts them.

use ragmeter_core::{CaseRun, FactKind, NuggetSupport, Outcome, RecordFacts, UnitInterval};

use crate::triad::worth;
use crate::{Definition, Takes, need};

pub(crate) const ALL: Definition = Definition {
    id: "nugget_recall",
    title: ["Nugget recall", "Полнота по наггетам"],
    definition: [
        "Mean over all nuggets of how far the answer says each: 1, 1/2 or 0.",
        "Среднее по всем наггетам: насколько ответ передаёт каждый — 1, 1/2 или 0.",
    ],
    card: include_str!("../cards/nugget_recall.md"),
    facts: &[FactKind::Nuggets, FactKind::NuggetSupport],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| {
        need::merge(score(
            run,
            facts,
            |vital, support| Some((worth(support), weight(vital, 1.0))),
            "nuggets",
        ))
    },
};

pub(crate) const VITAL: Definition = Definition {
    id: "nugget_vital_recall",
    title: ["Vital nugget recall", "Полнота по важным наггетам"],
    definition: [
        "Share of the vital nuggets that the answer says in full.",
        "Доля важных наггетов, которые ответ передаёт полностью.",
    ],
    card: include_str!("../cards/nugget_vital_recall.md"),
    facts: &[FactKind::Nuggets, FactKind::NuggetSupport],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| {
        need::merge(score(
            run,
            facts,
            |vital, support| vital.then(|| (full(support), 1.0)),
            "vital nuggets in full",
        ))
    },
};

pub(crate) const WEIGHTED: Definition = Definition {
    id: "nugget_weighted_recall",
    title: ["Weighted nugget recall", "Взвешенная полнота по наггетам"],
    definition: [
        "Mean over nuggets of how far the answer says each, vital ones counted twice as much as others.",
        "Среднее по наггетам: насколько ответ передаёт каждый; важные считаются вдвое.",
    ],
    card: include_str!("../cards/nugget_weighted_recall.md"),
    facts: &[FactKind::Nuggets, FactKind::NuggetSupport],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| {
        need::merge(score(
            run,
            facts,
            |vital, support| Some((worth(support), weight(vital, 0.5))),
            "nuggets, vital ones double",
        ))
    },
};

/// The weight of a nugget, if one that is not vital has this.
fn weight(vital: bool, okay: f64) -> f64 {
    if vital { 1.0 } else { okay }
}

fn full(support: NuggetSupport) -> f64 {
    if support == NuggetSupport::Support { 1.0 } else { 0.0 }
}

/// The weighted mean over the nuggets that count.
fn score(
    run: CaseRun<'_>,
    facts: &RecordFacts,
    counts: impl Fn(bool, NuggetSupport) -> Option<(f64, f64)>,
    what: &str,
) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    if run.case.reference_contexts.is_empty() {
        need::reference(run)?;
    }
    if run.answer().is_none() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    }
    let nuggets = need::fact(&facts.nuggets)?;
    let support = need::fact(&facts.nugget_support)?;
    let counted: Vec<(f64, f64)> = (nuggets.iter().zip(support))
        .filter_map(|(nugget, support)| counts(nugget.vital, *support))
        .collect();
    let points: f64 = counted.iter().map(|(worth, weight)| worth * weight).sum();
    let most: f64 = counted.iter().map(|(_, weight)| weight).sum();
    let value = UnitInterval::clamped(points / most)
        .ok_or_else(|| Outcome::not_applicable("no such nugget"))?;
    Ok(Outcome::scored(value, format!("{points} of {most} {what}")))
}
