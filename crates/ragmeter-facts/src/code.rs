//! Facts that follow from the record alone: they cost nothing and are the same for every judge.

use ragmeter_core::{
    Absence, AbsenceClass, AnswerKind, CaseRun, Claim, Fact, FactSlot, Implied, Lang, Source,
    UnitVerdict,
};

use crate::ask::absence;
use crate::contexts::OrderedContexts;

/// A fact that follows from the record alone.
#[expect(clippy::unnecessary_wraps, reason = "made for slots, which are options")]
pub(crate) fn by_code<T>(value: T, rule: &str) -> FactSlot<T> {
    Some(Ok(Fact { value, source: Source::Code { rule: rule.to_owned() } }))
}

/// What the record alone tells about the answer; `Ok(answer)` if a judge must be asked.
pub(crate) fn answer_kind_by_code(
    run: CaseRun<'_>,
) -> Result<&str, Option<(AnswerKind, &'static str)>> {
    if run.record.refused_by_model {
        return Err(Some((AnswerKind::Refused, "generator-refused@1")));
    }
    match run.answer() {
        Some(answer) => Ok(answer),
        None if run.tells_answer() => Err(Some((AnswerKind::NoFactualContent, "empty-answer@1"))),
        None => Err(None),
    }
}

/// The claims of an answer of this kind. Only an answer that answers has any; one that answers
/// and has none is the extractor's failure, not a merit of the answer.
pub(crate) fn claims_fact(
    kind: AnswerKind,
    claims: Vec<Claim>,
    source: &Source,
) -> Result<Fact<Vec<Claim>>, Absence> {
    match kind {
        AnswerKind::Answered if claims.is_empty() => Err(absence(
            AbsenceClass::ExtractorEmpty,
            "the answer answers, but the judge extracted no claim",
        )),
        AnswerKind::Answered => Ok(Fact { value: claims, source: source.clone() }),
        AnswerKind::Refused | AnswerKind::NoFactualContent => {
            Ok(Fact { value: Vec::new(), source: source.clone() })
        }
    }
}

/// What the record alone tells about implied questions; `Ok(answer)` if a judge must be asked.
pub(crate) fn implied_by_code(run: CaseRun<'_>) -> Result<&str, FactSlot<Implied>> {
    let none = |rule| by_code(Implied { questions: Vec::new(), noncommittal: true }, rule);
    answer_kind_by_code(run).map_err(|known| known.and_then(|(_, rule)| none(rule)))
}

pub(crate) type QuestionSideFacts =
    (FactSlot<Vec<String>>, FactSlot<Vec<UnitVerdict>>, FactSlot<Vec<bool>>);

/// The reference's sentences, which cost nothing.
pub(crate) fn reference_units(reference: &str, lang: Lang) -> Vec<String> {
    let ranges = ragmeter_text::sentences(reference, lang);
    ranges.into_iter().map(|range| reference[range].to_owned()).collect()
}

/// The facts of the question side that need no judge.
pub(crate) fn question_side_by_code(
    run: CaseRun<'_>,
    contexts: Option<&OrderedContexts<'_>>,
    lang: Lang,
) -> Result<Vec<String>, Box<QuestionSideFacts>> {
    let Some(reference) = run.reference() else { return Err(Box::new((None, None, None))) };
    let units = reference_units(reference, lang);
    let slot = by_code(units.clone(), "reference-sentences@1");
    match contexts {
        None => Err(Box::new((slot, None, None))),
        Some(contexts) if contexts.len() == 0 => {
            let verdict = |unit| UnitVerdict { unit, attributable: false, contexts: Vec::new() };
            let verdicts = (0..units.len()).map(verdict).collect();
            let support = by_code(verdicts, "no-contexts@1");
            let useful = by_code(Vec::new(), "no-contexts@1");
            Err(Box::new((slot, support, useful)))
        }
        Some(_) => Ok(units),
    }
}
