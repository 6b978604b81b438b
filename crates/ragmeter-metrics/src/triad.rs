//! Metrics after the TruLens triad, and its completeness.

use ragmeter_core::{
    AnswerKind, CaseRun, FactKind, NuggetSupport, Outcome, RecordFacts, Support, UnitInterval,
};

use crate::{Definition, Takes, need};

pub(crate) const GROUNDEDNESS: Definition = Definition {
    id: "groundedness",
    title: ["Groundedness", "Опора на контексты"],
    definition: [
        "Share of the answer's claims that all contexts together support; a refusal is 1 where the contexts could not answer the question and 0 where they could.",
        "Доля утверждений ответа, подтверждённых всеми контекстами вместе; отказ — 1, если по контекстам ответить нельзя, и 0, если можно.",
    ],
    card: include_str!("../cards/groundedness.md"),
    facts: &[
        FactKind::Refusal,
        FactKind::ResponseClaims,
        FactKind::ClaimSupport,
        FactKind::Answerable,
    ],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(groundedness(run, facts)),
};

pub(crate) const COMPREHENSIVENESS: Definition = Definition {
    id: "comprehensiveness",
    title: ["Comprehensiveness", "Охват"],
    definition: [
        "Mean over the facts of the source passages of how far the answer says each: 1, 1/2 or 0.",
        "Среднее по фактам исходных текстов: насколько ответ передаёт каждый — 1, 1/2 или 0.",
    ],
    card: include_str!("../cards/comprehensiveness.md"),
    facts: &[FactKind::Nuggets, FactKind::NuggetSupport],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(comprehensiveness(run, facts)),
};

fn groundedness(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    need::contexts(run)?;
    match need::fact(&facts.refusal)? {
        AnswerKind::Answered => {}
        AnswerKind::NoFactualContent => {
            return Err(Outcome::not_applicable("the answer makes no claim"));
        }
        AnswerKind::Refused if need::contexts(run)?.is_empty() => {
            let words = "the answer refuses, and nothing was retrieved";
            return Ok(Outcome::scored(UnitInterval::ZERO, words));
        }
        AnswerKind::Refused if *need::fact(&facts.answerable)? => {
            let words = "the answer refuses, though the contexts could answer";
            return Ok(Outcome::scored(UnitInterval::ZERO, words));
        }
        AnswerKind::Refused => {
            let words = "the answer refuses, and the contexts could not answer";
            return Ok(Outcome::scored(UnitInterval::ONE, words));
        }
    }
    let verdicts = need::fact(&facts.support)?;
    let supported = verdicts.iter().filter(|one| one.support == Support::Supported).count();
    let value = UnitInterval::share(supported, verdicts.len())
        .ok_or_else(|| Outcome::not_applicable("the answer makes no claim"))?;
    Ok(Outcome::scored(value, format!("{supported} of {} claims supported", verdicts.len())))
}

fn comprehensiveness(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    if run.case.reference_contexts.iter().all(|text| text.trim().is_empty()) {
        return Err(Outcome::not_applicable("the case has no reference contexts"));
    }
    if run.answer().is_none() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    }
    let verdicts = need::fact(&facts.nugget_support)?;
    let points: f64 = verdicts.iter().map(|verdict| worth(*verdict)).sum();
    let value = UnitInterval::clamped(points / verdicts.len() as f64)
        .ok_or_else(|| Outcome::not_applicable("the source has no fact"))?;
    Ok(Outcome::scored(value, format!("{points} of {} facts of the source", verdicts.len())))
}

/// What a nugget is worth by how far the answer says it.
pub(crate) fn worth(support: NuggetSupport) -> f64 {
    match support {
        NuggetSupport::Support => 1.0,
        NuggetSupport::PartialSupport => 0.5,
        NuggetSupport::NotSupport => 0.0,
    }
}
