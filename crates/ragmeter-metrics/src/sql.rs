use ragmeter_core::{CaseRun, FactKind, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "sql_semantic_equivalence",
    title: ["SQL equivalence", "Равносильность SQL"],
    definition: [
        "Whether the answer and the reference, both SQL queries, give the same result on every database of the schema.",
        "Дают ли ответ и эталон, оба запросы SQL, один и тот же результат на любой базе этой схемы.",
    ],
    card: include_str!("../cards/sql_semantic_equivalence.md"),
    facts: &[FactKind::SqlEquivalent],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

fn score(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    need::reference(run)?;
    Ok(if *need::fact(&facts.sql)? {
        Outcome::scored(UnitInterval::ONE, "the queries are equivalent")
    } else {
        Outcome::scored(UnitInterval::ZERO, "the queries are not equivalent")
    })
}
