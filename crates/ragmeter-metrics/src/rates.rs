//! Companions: rates that stand beside a metric because they show what left its mean.

use ragmeter_core::{AnswerKind, CaseRun, FactKind, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const REFUSAL: Definition = Definition {
    id: "refusal_rate",
    title: ["Refusal rate", "Доля отказов"],
    definition: [
        "Share of answers that decline to answer; they leave the metrics of claims and are counted here.",
        "Доля ответов-отказов; они не входят в метрики по утверждениям и считаются здесь.",
    ],
    card: include_str!("../cards/refusal_rate.md"),
    facts: &[FactKind::Refusal],
    higher_is_better: false,
    companion_of: &[
        "faithfulness",
        "faithfulness_each",
        "factual_correctness_precision",
        "hallucination",
        "self_knowledge",
        "noise_sensitivity",
        "noise_sensitivity_irrelevant",
        "citation_precision",
        "citation_recall",
    ],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(refusal(run, facts)),
};

pub(crate) const NONCOMMITTAL: Definition = Definition {
    id: "noncommittal_rate",
    title: ["Noncommittal rate", "Доля уклончивых ответов"],
    definition: [
        "Share of answers that evade the question or are empty; they score 0 on answer relevancy.",
        "Доля уклончивых или пустых ответов; их релевантность равна 0.",
    ],
    card: include_str!("../cards/noncommittal_rate.md"),
    facts: &[FactKind::ImpliedQuestions],
    higher_is_better: false,
    companion_of: &["answer_relevancy"],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(noncommittal(run, facts)),
};

pub(crate) const REFUSAL_CORRECTNESS: Definition = Definition {
    id: "refusal_correctness",
    title: ["Refusal correctness", "Уместность отказа"],
    definition: [
        "Whether the system answers what can be answered and declines what cannot.",
        "Отвечает ли система на то, на что можно ответить, и отказывается ли от остального.",
    ],
    card: include_str!("../cards/refusal_correctness.md"),
    facts: &[FactKind::Refusal],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(refusal_correctness(run, facts)),
};

/// The tag of a case whose question the documents do not answer.
const UNANSWERABLE: &str = "unanswerable";

fn refusal_correctness(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    if run.record.error.is_some() {
        return Err(Outcome::not_applicable("the system failed"));
    }
    let unanswerable = run.case.tags.iter().any(|tag| tag.eq_ignore_ascii_case(UNANSWERABLE));
    if !unanswerable {
        need::reference(run)?;
    }
    let refuses = *need::fact(&facts.refusal)? == AnswerKind::Refused;
    if !refuses && run.answer().is_none() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    }
    let words = match (unanswerable, refuses) {
        (true, true) => "cannot be answered, and is declined",
        (true, false) => "cannot be answered, but is not declined",
        (false, true) => "can be answered, but is declined",
        (false, false) => "can be answered, and is not declined",
    };
    Ok(rate(unanswerable == refuses, words, words))
}

fn rate(counts: bool, yes: &str, no: &str) -> Outcome {
    if counts {
        Outcome::scored(UnitInterval::ONE, yes)
    } else {
        Outcome::scored(UnitInterval::ZERO, no)
    }
}

fn refusal(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    // A system that failed neither refused nor answered: a good rate must not come from failing.
    if run.record.error.is_some() {
        return Err(Outcome::not_applicable("the system failed"));
    }
    let kind = *need::fact(&facts.refusal)?;
    Ok(rate(kind == AnswerKind::Refused, "the answer refuses", "the answer does not refuse"))
}

fn noncommittal(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    let evades = need::fact(&facts.implied)?.noncommittal;
    Ok(rate(evades, "the answer evades the question", "the answer does not evade the question"))
}
