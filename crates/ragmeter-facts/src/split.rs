//! The `split` profile: one fact a call, in the steps and units that RAGAS documents.

use futures::future::join_all;
use ragmeter_core::{
    Absence, AnswerKind, CaseRun, Claim, Fact, FactSlot, Implied, Lang, RecordFacts, Source,
};

use crate::ask::{Asker, Question, ask, joined};
use crate::attribution::{attribution, unit_verdicts, useful_each};
use crate::code::{self, QuestionSideFacts, by_code};
use crate::contexts::OrderedContexts;
use crate::coverage::coverage;
use crate::group::{Field, Group, IMPLIED_QUESTIONS};
use crate::grouped::read_implied;
use crate::replies;
use crate::template::View;
use crate::verify::verify;
use crate::wanted::Wanted;

/// The temperature of RAGAS's sampled questions: at 0 the samples would be copies.
const SAMPLE_TEMPERATURE: f64 = 0.3;

pub(crate) async fn judge(
    run: CaseRun<'_>,
    wanted: Wanted,
    lang: Lang,
    asker: &dyn Asker,
) -> RecordFacts {
    let contexts = OrderedContexts::of(run);
    let contexts = contexts.as_ref();
    let answer_side = async {
        if !(wanted.refusal || wanted.support) {
            return (None, None, None);
        }
        let refusal = refusal(run, lang, asker).await;
        let claims = match &refusal {
            Some(Ok(kind)) if wanted.support => Some(claims(run, kind, lang, asker).await),
            Some(Err(absence)) if wanted.support => Some(Err(absence.clone())),
            _ => None,
        };
        let support = match (&claims, contexts) {
            (Some(claims), Some(contexts)) => {
                Some(verify(claims, contexts, lang, asker, Group::SplitVerify, usize::MAX).await)
            }
            _ => None,
        };
        (refusal, claims, support)
    };
    let implied = async { if wanted.implied { implied(run, lang, asker).await } else { None } };
    let question_side = question_side(run, wanted, contexts, lang, asker);
    let coverage = async {
        if wanted.coverage {
            coverage(run, lang, asker, Group::SplitParts, Group::SplitCoverage).await
        } else {
            (None, None)
        }
    };
    let (
        (refusal, claims, support),
        implied,
        (units, reference_support, useful),
        (parts, coverage),
    ) = futures::join!(answer_side, implied, question_side, coverage);
    RecordFacts {
        refusal,
        claims,
        support,
        implied,
        similarity: None,
        units,
        reference_support,
        useful,
        parts,
        coverage,
    }
}

async fn refusal(run: CaseRun<'_>, lang: Lang, asker: &dyn Asker) -> FactSlot<AnswerKind> {
    let answer = match code::answer_kind_by_code(run) {
        Ok(answer) => answer,
        Err(None) => return None,
        Err(Some((kind, rule))) => return by_code(kind, rule),
    };
    let view = View::new(Group::SplitRefusal)
        .text(Field::Question, "question", &run.case.question)
        .text(Field::Answer, "answer", answer);
    let question = Question::new(Group::SplitRefusal, lang, view, replies::refusal_schema());
    let reply = ask(asker, &question, |reply: replies::Kind| Ok(reply.kind)).await;
    Some(reply.map(|(value, source)| Fact { value, source }))
}

async fn claims(
    run: CaseRun<'_>,
    kind: &Fact<AnswerKind>,
    lang: Lang,
    asker: &dyn Asker,
) -> Result<Fact<Vec<Claim>>, Absence> {
    let answer = match run.answer() {
        Some(answer) if kind.value == AnswerKind::Answered => answer,
        _ => return code::claims_fact(kind.value, Vec::new(), &kind.source),
    };
    let view = View::new(Group::SplitClaims)
        .text(Field::Question, "question", &run.case.question)
        .text(Field::Answer, "answer", answer);
    let question = Question::new(Group::SplitClaims, lang, view, replies::claims_schema());
    let read = |reply: replies::Claims| Ok(replies::claims_of(reply.claims, answer));
    let (claims, source) = ask(asker, &question, read).await?;
    code::claims_fact(kind.value, claims, &source)
}

async fn implied(run: CaseRun<'_>, lang: Lang, asker: &dyn Asker) -> FactSlot<Implied> {
    let answer = match code::implied_by_code(run) {
        Ok(answer) => answer,
        Err(slot) => return slot,
    };
    let samples = (0..IMPLIED_QUESTIONS).map(|vote| async move {
        let view =
            View::new(Group::SplitInvert).text(Field::Answer, "answer", answer).figure("n", 1);
        let question = Question {
            vote,
            temperature: SAMPLE_TEMPERATURE,
            ..Question::new(Group::SplitInvert, lang, view, replies::invert_schema(1))
        };
        ask(asker, &question, read_implied).await
    });
    let samples: Result<Vec<(Implied, Source)>, Absence> =
        join_all(samples).await.into_iter().collect();
    Some(samples.map(|samples| {
        // As RAGAS does since 0.2: the answer evades only if every sample says so.
        let noncommittal = samples.iter().all(|(implied, _)| implied.noncommittal);
        let mut questions = Vec::new();
        let mut source: Option<Source> = None;
        for (implied, of) in samples {
            questions.extend(implied.questions);
            source = Some(match source {
                Some(known) => joined(known, of),
                None => of,
            });
        }
        let source = source.unwrap_or_else(|| Source::Code { rule: "no-samples@1".to_owned() });
        Fact { value: Implied { questions, noncommittal }, source }
    }))
}

async fn question_side(
    run: CaseRun<'_>,
    wanted: Wanted,
    contexts: Option<&OrderedContexts<'_>>,
    lang: Lang,
    asker: &dyn Asker,
) -> QuestionSideFacts {
    if !(wanted.reference_support || wanted.useful) {
        return (None, None, None);
    }
    let units = match code::question_side_by_code(run, contexts, lang) {
        Ok(units) => units,
        Err(facts) => return facts,
    };
    let Some(contexts) = contexts else { return (None, None, None) };
    let support = async {
        if !wanted.reference_support {
            return None;
        }
        let judged = attribution(run, &units, contexts, lang, asker, false).await;
        Some(judged.and_then(|(verdicts, source)| {
            Ok(Fact { value: unit_verdicts(verdicts, contexts)?, source })
        }))
    };
    let useful = async {
        if !wanted.useful {
            return None;
        }
        let judged = useful_each(run, contexts, lang, asker).await.transpose()?;
        Some(judged.map(|(values, source)| Fact { value: contexts.by_rank(&values), source }))
    };
    let (reference_support, useful) = futures::join!(support, useful);
    (by_code(units.clone(), "reference-sentences@1"), reference_support, useful)
}
