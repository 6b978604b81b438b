//! The side of the answer: its kind, its claims, what supports them, and what it implies.

use futures::future::join_all;
use ragmeter_core::{
    Absence, AnswerKind, Claim, Fact, FactKind, FactSlot, Implied, RecordFacts, Source,
};

use crate::ask::{Question, ask, join};
use crate::code::{answer_kind_by_code, by_code, claims_fact, implied_by_code};
use crate::contexts_side;
use crate::group::{Field, Group, IMPLIED_QUESTIONS};
use crate::judging::Judging;
use crate::replies;
use crate::verify::{correct, support, support_each};
use crate::wanted::{Profile, Wanted};

/// The temperature of RAGAS's sampled questions: at 0 the samples would be copies.
const SAMPLE_TEMPERATURE: f64 = 0.3;

/// Kind, claims, and every verdict on the claims that is wanted.
pub(crate) async fn side(j: &Judging<'_>, wanted: &Wanted) -> RecordFacts {
    let (refusal, claims) = match j.profile {
        Profile::Grouped => extract(j).await,
        Profile::Split => {
            let refusal = refusal(j).await;
            let claims = match &refusal {
                Some(Ok(kind)) if wanted.has(FactKind::ResponseClaims) => {
                    Some(self::claims(j, kind).await)
                }
                Some(Err(absence)) => Some(Err(absence.clone())),
                _ => None,
            };
            (refusal, claims)
        }
    };
    let refuses = matches!(&refusal, Some(Ok(kind)) if kind.value == AnswerKind::Refused);
    let mut facts = RecordFacts { refusal, ..RecordFacts::default() };
    // Whether the contexts could answer matters where the answer doesn't.
    if refuses && wanted.has(FactKind::Answerable) {
        facts.answerable = contexts_side::answerable(j).await;
    }
    if let Some(claims) = &claims {
        let (support, each, correct) = futures::join!(
            jointly(j, wanted, claims),
            each(j, wanted, claims),
            right(j, wanted, claims)
        );
        facts.support = support;
        facts.support_each = each;
        facts.correct = correct;
    }
    facts.claims = claims;
    facts
}

type Claims = Result<Fact<Vec<Claim>>, Absence>;

async fn jointly(
    j: &Judging<'_>,
    wanted: &Wanted,
    claims: &Claims,
) -> FactSlot<Vec<ragmeter_core::ClaimVerdict>> {
    let contexts = j.contexts.as_ref().filter(|_| wanted.has(FactKind::ClaimSupport))?;
    Some(match claims {
        Ok(claims) => support(j, &claims.value, contexts).await,
        Err(absence) => Err(absence.clone()),
    })
}

async fn each(
    j: &Judging<'_>,
    wanted: &Wanted,
    claims: &Claims,
) -> FactSlot<Vec<Vec<ragmeter_core::Support>>> {
    let contexts = j.contexts.as_ref().filter(|_| wanted.has(FactKind::ClaimSupportEach))?;
    Some(match claims {
        Ok(claims) => {
            let texts: Vec<&str> = claims.value.iter().map(|claim| claim.text.as_str()).collect();
            support_each(j, Group::Each, &texts, contexts).await
        }
        Err(absence) => Err(absence.clone()),
    })
}

async fn right(
    j: &Judging<'_>,
    wanted: &Wanted,
    claims: &Claims,
) -> FactSlot<Vec<ragmeter_core::Checked>> {
    let reference = j.run.reference().filter(|_| wanted.has(FactKind::ClaimCorrect))?;
    Some(match claims {
        Ok(claims) => correct(j, &claims.value, reference).await,
        Err(absence) => Err(absence.clone()),
    })
}

async fn extract(j: &Judging<'_>) -> (FactSlot<AnswerKind>, Option<Claims>) {
    let answer = match answer_kind_by_code(j.run) {
        Ok(answer) => answer,
        Err(None) => return (None, None),
        Err(Some((kind, rule))) => return (by_code(kind, rule), by_code(Vec::new(), rule)),
    };
    let question = j.question(
        Group::Extract,
        |view| {
            view.text(Field::Question, "question", &j.run.case.question).text(
                Field::Answer,
                "answer",
                answer,
            )
        },
        replies::extract_schema(),
    );
    let read =
        |reply: replies::Extracted| Ok((reply.kind, replies::claims_of(reply.claims, answer)));
    match j.ask(question, read).await {
        Ok(Fact { value: (kind, claims), source }) => {
            let claims = claims_fact(kind, claims, &source);
            (Some(Ok(Fact { value: kind, source })), Some(claims))
        }
        Err(absence) => (Some(Err(absence.clone())), Some(Err(absence))),
    }
}

async fn refusal(j: &Judging<'_>) -> FactSlot<AnswerKind> {
    let answer = match answer_kind_by_code(j.run) {
        Ok(answer) => answer,
        Err(None) => return None,
        Err(Some((kind, rule))) => return by_code(kind, rule),
    };
    let question = j.question(
        Group::SplitRefusal,
        |view| {
            view.text(Field::Question, "question", &j.run.case.question).text(
                Field::Answer,
                "answer",
                answer,
            )
        },
        replies::refusal_schema(),
    );
    Some(j.ask_voted(question, |reply: replies::Kind| Ok(reply.kind)).await)
}

async fn claims(j: &Judging<'_>, kind: &Fact<AnswerKind>) -> Claims {
    let answer = match j.run.answer() {
        Some(answer) if kind.value == AnswerKind::Answered => answer,
        _ => return claims_fact(kind.value, Vec::new(), &kind.source),
    };
    let question = j.question(
        Group::SplitClaims,
        |view| {
            view.text(Field::Question, "question", &j.run.case.question).text(
                Field::Answer,
                "answer",
                answer,
            )
        },
        replies::claims_schema(),
    );
    let read = |reply: replies::Claims| Ok(replies::claims_of(reply.claims, answer));
    let claims = j.ask(question, read).await?;
    claims_fact(kind.value, claims.value, &claims.source)
}

/// Questions that the answer answers: three in one call, or in three calls as RAGAS asks.
pub(crate) async fn implied(j: &Judging<'_>) -> FactSlot<Implied> {
    let answer = match implied_by_code(j.run) {
        Ok(answer) => answer,
        Err(slot) => return slot,
    };
    let asked = |questions: usize| {
        j.question(
            Group::Invert,
            |view| view.text(Field::Answer, "answer", answer).figure("n", questions),
            replies::invert_schema(questions),
        )
    };
    if j.profile == Profile::Grouped {
        return Some(j.ask(asked(IMPLIED_QUESTIONS), read_implied).await);
    }
    let samples = (0..IMPLIED_QUESTIONS).map(|vote| {
        let question = Question { vote, temperature: SAMPLE_TEMPERATURE, ..asked(1) };
        async move { ask(j.asker, &question, read_implied).await }
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
            join(&mut source, of);
        }
        let source = source.unwrap_or_else(|| Source::Code { rule: "no-samples@1".to_owned() });
        Fact { value: Implied { questions, noncommittal }, source }
    }))
}

fn read_implied(reply: replies::Implications) -> Result<Implied, String> {
    let questions = replies::non_blank(reply.questions);
    if questions.is_empty() && !reply.noncommittal {
        return Err("no question in the reply".to_owned());
    }
    Ok(Implied { questions, noncommittal: reply.noncommittal })
}
