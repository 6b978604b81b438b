use ragmeter_core::{CaseRun, FactKind, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "summarization_score",
    title: ["Summarization score", "Качество пересказа"],
    definition: [
        "Half the share of closed questions on the source that the summary answers with yes, half how much shorter it is than the source.",
        "Половина — доля закрытых вопросов по источнику, на которые пересказ отвечает «да»; половина — насколько он короче источника.",
    ],
    card: include_str!("../cards/summarization_score.md"),
    facts: &[FactKind::SummaryQuestions, FactKind::SummaryAnswers],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

fn score(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    let source: usize =
        run.case.reference_contexts.iter().map(|text| text.trim().chars().count()).sum();
    if source == 0 {
        return Err(Outcome::not_applicable("the case has no reference contexts"));
    }
    let Some(summary) = run.answer() else {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    };
    let answers = need::fact(&facts.summary_answers)?;
    let yes = answers.iter().filter(|yes| **yes).count();
    let covered = UnitInterval::share(yes, answers.len())
        .ok_or_else(|| Outcome::not_applicable("there is no question on the source"))?
        .get();
    let length = summary.trim().chars().count();
    let shorter = 1.0 - length.min(source) as f64 / source as f64;
    let value = UnitInterval::clamped(f64::midpoint(covered, shorter))
        .ok_or_else(|| Outcome::not_applicable("there is no number"))?;
    let words = format!(
        "{yes} of {} questions answered with yes; {length} of {source} characters",
        answers.len()
    );
    Ok(Outcome::scored(value, words))
}
