//! Companions: rates that stand beside a metric because they show what left its mean.

use ragmeter_core::{AnswerKind, CaseRun, FactKind, Outcome, RecordFacts, UnitInterval};

use crate::{Metric, need};

pub(crate) const REFUSAL: Metric = Metric {
    id: "refusal_rate",
    title: ["Refusal rate", "Доля отказов"],
    definition: [
        "Share of answers that decline to answer; they leave faithfulness and are counted here.",
        "Доля ответов-отказов; они не входят в faithfulness и считаются здесь.",
    ],
    card: include_str!("../cards/refusal_rate.md"),
    facts: &[FactKind::Refusal],
    higher_is_better: false,
    companion_of: Some("faithfulness"),
    score: |run, facts| need::merge(refusal(run, facts)),
};

pub(crate) const NONCOMMITTAL: Metric = Metric {
    id: "noncommittal_rate",
    title: ["Noncommittal rate", "Доля уклончивых ответов"],
    definition: [
        "Share of answers that evade the question or are empty; they score 0 on answer relevancy.",
        "Доля уклончивых или пустых ответов; их релевантность равна 0.",
    ],
    card: include_str!("../cards/noncommittal_rate.md"),
    facts: &[FactKind::ImpliedQuestions],
    higher_is_better: false,
    companion_of: Some("answer_relevancy"),
    score: |run, facts| need::merge(noncommittal(run, facts)),
};

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
