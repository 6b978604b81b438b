use ragmeter_core::{CaseRun, FactKind, Outcome, RecordFacts, UnitInterval};

use crate::context_precision::average_precision;
use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "context_precision_without_reference",
    title: ["Context precision without reference", "Точность контекстов без эталона"],
    definition: [
        "Average precision of the ranking by the contexts that served to arrive at the answer given.",
        "Средняя точность ранжирования по контекстам, которые послужили данному ответу.",
    ],
    card: include_str!("../cards/context_precision_without_reference.md"),
    facts: &[FactKind::ContextUsefulAnswer],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

fn score(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    if need::contexts(run)?.is_empty() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "nothing was retrieved"));
    }
    let useful = need::fact(&facts.useful_answer)?;
    let value = average_precision(useful)
        .ok_or_else(|| Outcome::not_applicable("the ranking has no average precision"))?;
    let ranks: Vec<String> =
        (1..=useful.len()).filter(|rank| useful[rank - 1]).map(|rank| rank.to_string()).collect();
    let explanation = if ranks.is_empty() {
        format!("none of {} contexts served the answer", useful.len())
    } else {
        format!("served the answer: ranks {} of {}", ranks.join(", "), useful.len())
    };
    Ok(Outcome::scored(value, explanation))
}
