use ragmeter_core::{CaseRun, FactKind, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "answer_relevancy",
    title: ["Answer relevancy", "Релевантность ответа"],
    definition: [
        "Mean cosine between the question and the questions that the answer, read alone, implies; \
         0 for an evasive or empty answer.",
        "Средний косинус между вопросом и вопросами, на которые отвечает сам ответ; \
         0, если ответ уклончив или пуст.",
    ],
    card: include_str!("../cards/answer_relevancy.md"),
    facts: &[FactKind::ImpliedQuestions, FactKind::QuestionSimilarity],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

fn score(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    if run.answer().is_none() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    }
    if need::fact(&facts.implied)?.noncommittal {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer evades the question"));
    }
    let cosines = need::fact(&facts.similarity)?;
    let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
    let value = UnitInterval::clamped(mean)
        .ok_or_else(|| Outcome::not_applicable("the answer implies no question"))?;
    let shown: Vec<String> = cosines.iter().map(|cosine| format!("{cosine:.3}")).collect();
    Ok(Outcome::scored(value, format!("cosines with the implied questions: {}", shown.join(", "))))
}
