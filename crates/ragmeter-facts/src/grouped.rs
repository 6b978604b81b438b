//! The `grouped` profile: extract, verify, invert, question-side, parts and coverage.

use ragmeter_core::{
    AnswerKind, CaseRun, Claim, Fact, FactSlot, Implied, Lang, RecordFacts, Source,
};

use crate::ask::{Asker, Question, ask};
use crate::attribution::{attribution_again, numbered, useful_again};
use crate::code::{self, QuestionSideFacts, answer_kind_by_code, by_code, claims_fact};
use crate::contexts::OrderedContexts;
use crate::coverage::coverage;
use crate::group::{Field, Group, IMPLIED_QUESTIONS, VERIFY_CLAIMS};
use crate::replies::{self, by_id};
use crate::template::View;
use crate::verify::verify;
use crate::wanted::Wanted;

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
        let (refusal, claims) = extract(run, lang, asker).await;
        let support = match (&claims, contexts) {
            (Some(claims), Some(contexts)) if wanted.support => {
                Some(verify(claims, contexts, lang, asker, Group::Verify, VERIFY_CLAIMS).await)
            }
            _ => None,
        };
        (refusal, claims, support)
    };
    let implied = async { if wanted.implied { invert(run, lang, asker).await } else { None } };
    let question_side = async {
        if wanted.reference_support || wanted.useful {
            question_side(run, contexts, lang, asker).await
        } else {
            (None, None, None)
        }
    };
    let coverage = async {
        if wanted.coverage {
            coverage(run, lang, asker, Group::Parts, Group::Coverage).await
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

fn fact<T>((value, source): (T, Source)) -> Fact<T> {
    Fact { value, source }
}

type AnswerFacts = (FactSlot<AnswerKind>, FactSlot<Vec<Claim>>);

async fn extract(run: CaseRun<'_>, lang: Lang, asker: &dyn Asker) -> AnswerFacts {
    let answer = match answer_kind_by_code(run) {
        Ok(answer) => answer,
        Err(None) => return (None, None),
        Err(Some((kind, rule))) => return (by_code(kind, rule), by_code(Vec::new(), rule)),
    };
    let view = View::new(Group::Extract)
        .text(Field::Question, "question", &run.case.question)
        .text(Field::Answer, "answer", answer);
    let question = Question::new(Group::Extract, lang, view, replies::extract_schema());
    let read =
        |reply: replies::Extracted| Ok((reply.kind, replies::claims_of(reply.claims, answer)));
    match ask(asker, &question, read).await {
        Ok(((kind, claims), source)) => {
            let claims = claims_fact(kind, claims, &source);
            (Some(Ok(Fact { value: kind, source })), Some(claims))
        }
        Err(absence) => (Some(Err(absence.clone())), Some(Err(absence))),
    }
}

async fn invert(run: CaseRun<'_>, lang: Lang, asker: &dyn Asker) -> FactSlot<Implied> {
    let answer = match code::implied_by_code(run) {
        Ok(answer) => answer,
        Err(slot) => return slot,
    };
    let view = View::new(Group::Invert)
        .text(Field::Answer, "answer", answer)
        .figure("n", IMPLIED_QUESTIONS);
    let schema = replies::invert_schema(IMPLIED_QUESTIONS);
    let question = Question::new(Group::Invert, lang, view, schema);
    Some(ask(asker, &question, read_implied).await.map(fact))
}

pub(crate) fn read_implied(reply: replies::Implications) -> Result<Implied, String> {
    let questions = replies::non_blank(reply.questions);
    if questions.is_empty() && !reply.noncommittal {
        return Err("no question in the reply".to_owned());
    }
    Ok(Implied { questions, noncommittal: reply.noncommittal })
}

async fn question_side(
    run: CaseRun<'_>,
    contexts: Option<&OrderedContexts<'_>>,
    lang: Lang,
    asker: &dyn Asker,
) -> QuestionSideFacts {
    let units = match code::question_side_by_code(run, contexts, lang) {
        Ok(units) => units,
        Err(facts) => return facts,
    };
    let Some(contexts) = contexts else { return (None, None, None) };
    let view = View::new(Group::QuestionSide)
        .text(Field::Question, "question", &run.case.question)
        .list(Field::Reference, "sentences", numbered(&units))
        .list(Field::Contexts, "contexts", contexts.numbered());
    let schema = replies::question_side_schema(units.len(), contexts.len());
    let question = Question::new(Group::QuestionSide, lang, view, schema);
    let read = |reply: replies::QuestionSide| {
        Ok((by_id(&reply.sentences, units.len()), by_id(&reply.contexts, contexts.len())))
    };
    let slot = by_code(units.clone(), "reference-sentences@1");
    let ((sentences, useful), source) = match ask(asker, &question, read).await {
        Ok(reply) => reply,
        Err(absence) => return (slot, Some(Err(absence.clone())), Some(Err(absence))),
    };
    let support = attribution_again(run, &units, contexts, lang, asker, sentences, source.clone());
    let useful = useful_again(run, contexts, lang, asker, useful, source);
    let (support, useful) = futures::join!(support, useful);
    let useful = useful.map(|(values, source)| Fact { value: contexts.by_rank(&values), source });
    (slot, Some(support.map(fact)), Some(useful))
}
