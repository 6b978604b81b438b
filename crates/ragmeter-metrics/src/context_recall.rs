use ragmeter_core::{CaseRun, FactKind, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "context_recall",
    title: ["Context recall", "Полнота контекстов"],
    definition: [
        "Share of the reference answer's sentences that the contexts, taken together, say.",
        "Доля предложений эталонного ответа, которые есть в контекстах, взятых вместе.",
    ],
    card: include_str!("../cards/context_recall.md"),
    facts: &[FactKind::ReferenceUnits, FactKind::ReferenceSupport],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

fn score(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::reference(run)?;
    if need::contexts(run)?.is_empty() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "nothing was retrieved"));
    }
    let units = need::fact(&facts.units)?.len();
    let verdicts = need::fact(&facts.reference_support)?;
    let said = verdicts.iter().filter(|verdict| verdict.attributable).count();
    let value = UnitInterval::share(said, units)
        .ok_or_else(|| Outcome::not_applicable("the reference answer has no sentence"))?;
    Ok(Outcome::scored(
        value,
        format!("{said} of {units} reference sentences found in the contexts"),
    ))
}
