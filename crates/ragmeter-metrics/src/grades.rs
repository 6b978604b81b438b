//! Grades of a whole answer, or of each context, on a scale of a few steps.

use ragmeter_core::{CaseRun, FactKind, Grade, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const CONTEXT_RELEVANCE: Definition = Definition {
    id: "context_relevance",
    title: ["Context relevance", "Релевантность контекстов"],
    definition: [
        "Mean grade of the retrieved contexts as search results for the question: 0, 1/3, 2/3 or 1 each.",
        "Средняя оценка найденных контекстов как результатов поиска по вопросу: 0, 1/3, 2/3 или 1 каждому.",
    ],
    card: include_str!("../cards/context_relevance.md"),
    facts: &[FactKind::ContextRelevance],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(context_relevance(run, facts)),
};

pub(crate) const ANSWER_RELEVANCE: Definition = Definition {
    id: "answer_relevance",
    title: ["Answer relevance", "Соответствие ответа вопросу"],
    definition: [
        "How far the answer answers the whole question, whether true or not: 0, 1/3, 2/3 or 1.",
        "Насколько ответ отвечает на весь вопрос, верно или неверно: 0, 1/3, 2/3 или 1.",
    ],
    card: include_str!("../cards/answer_relevance.md"),
    facts: &[FactKind::RelevanceGrade],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(answer_relevance(run, facts)),
};

pub(crate) const RESPONSE_GROUNDEDNESS: Definition = Definition {
    id: "response_groundedness",
    title: ["Response groundedness", "Обоснованность ответа"],
    definition: [
        "How well the contexts back the answer as a whole: 0, 1/2 or 1.",
        "Насколько контексты подтверждают ответ в целом: 0, 1/2 или 1.",
    ],
    card: include_str!("../cards/response_groundedness.md"),
    facts: &[FactKind::GroundednessGrade],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(response_groundedness(run, facts)),
};

pub(crate) const ANSWER_ACCURACY: Definition = Definition {
    id: "answer_accuracy",
    title: ["Answer accuracy", "Точность ответа"],
    definition: [
        "How far answer and reference agree as wholes, mean of both orders of showing: 0 to 1 in quarters.",
        "Насколько ответ и эталон совпадают в целом, среднее по двум порядкам показа: от 0 до 1 с шагом 1/4.",
    ],
    card: include_str!("../cards/answer_accuracy.md"),
    facts: &[FactKind::AccuracyGrade],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(answer_accuracy(run, facts)),
};

/// A grade as a share of the highest one.
fn share(grade: &Grade, most: f64) -> Result<UnitInterval, Outcome> {
    UnitInterval::new(grade.grade / most)
        .ok_or_else(|| Outcome::not_applicable("the grade lies outside its scale"))
}

/// A grade; one that is weighted by probabilities to two places.
pub(crate) fn shown(grade: f64) -> String {
    if grade.fract() == 0.0 { grade.to_string() } else { format!("{grade:.2}") }
}

/// What a grade is explained by.
fn because(grade: &Grade, most: u8) -> String {
    let said = match grade.votes.as_slice() {
        [_] | [] => format!("{} of {most}", shown(grade.grade)),
        votes => {
            let votes: Vec<String> = votes.iter().map(ToString::to_string).collect();
            format!("{} of {most} (votes {})", shown(grade.grade), votes.join(", "))
        }
    };
    if grade.reason.is_empty() { said } else { format!("{said}: {}", grade.reason) }
}

fn context_relevance(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    if need::contexts(run)?.is_empty() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "nothing was retrieved"));
    }
    let grades = need::fact(&facts.relevance)?;
    let mean = grades.iter().map(|grade| grade.grade / 3.0).sum::<f64>() / grades.len() as f64;
    let value = UnitInterval::clamped(mean)
        .ok_or_else(|| Outcome::not_applicable("no context was graded"))?;
    let shown: Vec<String> = grades.iter().map(|grade| self::shown(grade.grade)).collect();
    Ok(Outcome::scored(value, format!("grades by rank, of 3: {}", shown.join(", "))))
}

fn answer_relevance(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    if run.answer().is_none() && !run.record.refused_by_model {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    }
    let grade = need::fact(&facts.answer_relevance)?;
    Ok(Outcome::scored(share(grade, 3.0)?, because(grade, 3)))
}

fn response_groundedness(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    let empty = need::contexts(run)?.is_empty();
    if run.answer().is_none() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    }
    if empty {
        return Ok(Outcome::scored(UnitInterval::ZERO, "nothing was retrieved"));
    }
    let grade = need::fact(&facts.groundedness)?;
    Ok(Outcome::scored(share(grade, 2.0)?, because(grade, 2)))
}

fn answer_accuracy(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    need::reference(run)?;
    if run.answer().is_none() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    }
    let grades = need::fact(&facts.accuracy)?;
    let [one, other] = grades.as_slice() else {
        return Err(Outcome::not_applicable("the answer was not graded in both orders"));
    };
    let value = UnitInterval::clamped((one.grade + other.grade) / 8.0)
        .ok_or_else(|| Outcome::not_applicable("the grade lies outside its scale"))?;
    let explanation =
        format!("answer first: {}; reference first: {}", because(one, 4), because(other, 4));
    Ok(Outcome::scored(value, explanation))
}
