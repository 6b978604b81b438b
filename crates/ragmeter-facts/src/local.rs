//! The local judge: the same facts from rules and a [`PairScorer`], with no language model.

use ragmeter_core::{
    Absence, AbsenceClass, AnswerKind, CaseRun, Claim, ClaimVerdict, ErrorClass, Fact, FactKind,
    Implied, Lang, ModelError, PairScorer, RecordFacts, Source, Support, SupportItem, UnitVerdict,
    UsefulItem,
};

use crate::code::{self, by_code};
use crate::contexts::OrderedContexts;
use crate::refusal;
use crate::wanted::Wanted;

/// Judges one record without a language model.
///
/// Claims are the answer's sentences; the question makes them self-contained for the scorer. The
/// implied question is the answer itself: its similarity with the question is what is measured.
/// What needs more than support and usefulness (parts of questions, grades, entities, criteria) is
/// beyond it and stays not asked.
pub fn judge_locally(
    run: CaseRun<'_>,
    wanted: &Wanted,
    lang: Lang,
    scorer: &dyn PairScorer,
) -> RecordFacts {
    let mut facts = RecordFacts::default();
    let contexts = OrderedContexts::of(run);
    if wanted.has(FactKind::Refusal) {
        answer_side(run, wanted, lang, contexts.as_ref(), scorer, &mut facts);
    }
    if wanted.has(FactKind::ImpliedQuestions) {
        facts.implied = match code::implied_by_code(run) {
            Ok(answer) => {
                let noncommittal = local_kind(answer, lang).0 != AnswerKind::Answered;
                let questions = vec![answer.trim().to_owned()];
                by_code(Implied { questions, noncommittal }, "answer-as-question@1")
            }
            Err(slot) => slot,
        };
    }
    if wanted.has_any(&[FactKind::ReferenceUnits, FactKind::ContextUsefulReference]) {
        question_side(run, wanted, lang, contexts.as_ref(), scorer, &mut facts);
    }
    if wanted.has(FactKind::ReferenceClaims) {
        crate::local_claims::reference_side(
            run,
            wanted,
            lang,
            contexts.as_ref(),
            scorer,
            &mut facts,
        );
    }
    facts
}

/// Whether the local judge gives this fact, or something else than a judge does.
pub fn local_gives(kind: FactKind) -> bool {
    use FactKind as F;
    matches!(
        kind,
        F::Refusal
            | F::ResponseClaims
            | F::ClaimSupport
            | F::ClaimSupportEach
            | F::ClaimCorrect
            | F::ImpliedQuestions
            | F::QuestionSimilarity
            | F::ReferenceUnits
            | F::ReferenceSupport
            | F::ReferenceClaims
            | F::ReferenceSupportEach
            | F::ReferenceCovered
            | F::ContextUsefulReference
            | F::AnswerSimilarity
            | F::TokenSimilarity
    )
}

/// Kind of answer and its sentences. One all of whose sentences decline refuses, however long.
fn local_kind(answer: &str, lang: Lang) -> (AnswerKind, Vec<std::ops::Range<usize>>) {
    let ranges = ragmeter_text::sentences(answer, lang);
    let sentences: Vec<&str> = ranges.iter().map(|range| &answer[range.clone()]).collect();
    let mut kind = refusal::answer_kind(answer, &sentences);
    if kind == AnswerKind::Answered && sentences.iter().all(|sentence| refusal::declines(sentence))
    {
        kind = AnswerKind::Refused;
    }
    (kind, ranges)
}

fn answer_side(
    run: CaseRun<'_>,
    wanted: &Wanted,
    lang: Lang,
    contexts: Option<&OrderedContexts<'_>>,
    scorer: &dyn PairScorer,
    facts: &mut RecordFacts,
) {
    let answer = match code::answer_kind_by_code(run) {
        Ok(answer) => answer,
        Err(None) => return,
        Err(Some((kind, rule))) => {
            facts.refusal = by_code(kind, rule);
            facts.claims = by_code(Vec::new(), rule);
            if wanted.has(FactKind::ClaimSupport) && contexts.is_some() {
                facts.support = by_code(Vec::new(), rule);
            }
            if wanted.has(FactKind::ClaimSupportEach) && contexts.is_some() {
                facts.support_each = by_code(Vec::new(), rule);
            }
            if wanted.has(FactKind::ClaimCorrect) && run.reference().is_some() {
                facts.correct = by_code(Vec::new(), rule);
            }
            return;
        }
    };
    let (kind, ranges) = local_kind(answer, lang);
    facts.refusal = by_code(kind, "refusal-phrases@1");
    let claims: Vec<Claim> = ranges
        .into_iter()
        .filter(|range| {
            let sentence = &answer[range.clone()];
            kind == AnswerKind::Answered
                && sentence.chars().any(char::is_alphanumeric)
                && !refusal::declines(sentence)
        })
        .map(|span| Claim { text: answer[span.clone()].to_owned(), span: Some(span) })
        .collect();
    if wanted.has(FactKind::ClaimSupport)
        && let Some(contexts) = contexts
    {
        facts.support = if contexts.len() == 0 || claims.is_empty() {
            let absent = |claim| verdict(claim, Support::Absent, None);
            by_code((0..claims.len()).map(absent).collect(), "no-contexts@1")
        } else {
            Some(supported(run, &claims, lang, contexts, scorer))
        };
    }
    crate::local_claims::answer_side(run, wanted, lang, contexts, scorer, &claims, facts);
    facts.claims = by_code(claims, "answer-sentences@1");
}

fn verdict(claim: usize, support: Support, probability: Option<f64>) -> ClaimVerdict {
    ClaimVerdict {
        claim,
        support,
        contexts: Vec::new(),
        quote: None,
        quote_dropped: false,
        probability,
    }
}

fn supported(
    run: CaseRun<'_>,
    claims: &[Claim],
    lang: Lang,
    contexts: &OrderedContexts<'_>,
    scorer: &dyn PairScorer,
) -> Result<Fact<Vec<ClaimVerdict>>, Absence> {
    let texts: Vec<&str> = contexts.numbered().map(|(_, text)| text).collect();
    let items: Vec<SupportItem<'_>> = claims
        .iter()
        .map(|claim| SupportItem {
            question: &run.case.question,
            claim: &claim.text,
            contexts: &texts,
            lang,
        })
        .collect();
    let scores = scorer.support(&items).map_err(|error| absence(&error))?;
    let value = scores
        .into_iter()
        .enumerate()
        .map(|(claim, score)| {
            let support = if score.supported { Support::Supported } else { Support::Absent };
            let context = texts[score.context];
            ClaimVerdict {
                contexts: contexts.ranks(&[score.context as i64 + 1]),
                quote: context.get(score.sentence).map(str::to_owned),
                ..verdict(claim, support, Some(score.probability))
            }
        })
        .collect();
    Ok(Fact { value, source: source(scorer) })
}

fn question_side(
    run: CaseRun<'_>,
    wanted: &Wanted,
    lang: Lang,
    contexts: Option<&OrderedContexts<'_>>,
    scorer: &dyn PairScorer,
    facts: &mut RecordFacts,
) {
    let units = match code::question_side_by_code(run, contexts, lang) {
        Ok(units) => units,
        Err(known) => {
            (facts.units, facts.reference_support, facts.useful) = *known;
            return;
        }
    };
    let Some(contexts) = contexts else { return };
    let texts: Vec<&str> = contexts.numbered().map(|(_, text)| text).collect();
    if wanted.has(FactKind::ReferenceSupport) {
        let items: Vec<SupportItem<'_>> = units
            .iter()
            .map(|unit| SupportItem {
                question: &run.case.question,
                claim: unit,
                contexts: &texts,
                lang,
            })
            .collect();
        let judged = scorer.support(&items).map_err(|error| absence(&error)).map(|scores| {
            let verdict = |(unit, score): (usize, ragmeter_core::SupportScore)| UnitVerdict {
                unit,
                attributable: score.supported,
                contexts: contexts.ranks(&[score.context as i64 + 1]),
            };
            Fact {
                value: scores.into_iter().enumerate().map(verdict).collect(),
                source: source(scorer),
            }
        });
        facts.reference_support = Some(judged);
    }
    if wanted.has(FactKind::ContextUsefulReference) {
        let reference = run.reference().unwrap_or_default();
        let items: Vec<UsefulItem<'_>> = texts
            .iter()
            .map(|context| UsefulItem { question: &run.case.question, reference, context, lang })
            .collect();
        let judged = scorer.useful(&items).map_err(|error| absence(&error));
        facts.useful = Some(
            judged.map(|useful| Fact { value: contexts.by_rank(&useful), source: source(scorer) }),
        );
    }
    facts.units = by_code(units, "reference-sentences@1");
}

pub(crate) fn source(scorer: &dyn PairScorer) -> Source {
    Source::Local { fingerprint: scorer.fingerprint().to_owned() }
}

pub(crate) fn absence(error: &ModelError) -> Absence {
    let class = match error.class {
        ErrorClass::Failed(class) => class,
        ErrorClass::UnsupportedFormat => AbsenceClass::Unsupported,
    };
    Absence { class, detail: error.to_string() }
}
