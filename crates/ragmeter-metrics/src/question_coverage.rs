use ragmeter_core::{CaseRun, FactKind, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "question_coverage",
    title: ["Question coverage", "Полнота ответа на вопрос"],
    definition: [
        "Share of the question's parts that the answer answers, rightly or wrongly.",
        "Доля частей вопроса, на которые ответ отвечает, верно или неверно.",
    ],
    card: include_str!("../cards/question_coverage.md"),
    facts: &[FactKind::SubQuestions, FactKind::QuestionCoverage],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

fn score(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    // Empty, and asked for: the record itself tells, whatever the judge could not. A judge that
    // does not give this fact at all must not leave a mean over empty answers alone.
    if run.answer().is_none() && !run.record.refused_by_model && facts.coverage.is_some() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    }
    let parts = need::fact(&facts.coverage)?;
    let answered = parts.iter().filter(|part| part.answered).count();
    let value = UnitInterval::share(answered, parts.len())
        .ok_or_else(|| Outcome::not_applicable("the question has no part"))?;
    let missing: Vec<&str> =
        parts.iter().filter(|part| !part.answered).map(|part| part.part.as_str()).collect();
    let mut explanation = format!("{answered} of {} parts answered", parts.len());
    if !missing.is_empty() {
        explanation.push_str("; not answered: ");
        explanation.push_str(&missing.join(" · "));
    }
    Ok(Outcome::scored(value, explanation))
}
