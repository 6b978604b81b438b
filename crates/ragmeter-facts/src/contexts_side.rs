//! The side of the contexts: what served the answer, what is relevant, what could be answered.

use futures::future::join_all;
use ragmeter_core::{Absence, Fact, FactSlot, Grade};
use serde::Deserialize;

use crate::ask::{Question, ask_voted, ask_voted_with, joined};
use crate::code::{answer_kind_by_code, by_code};
use crate::contexts::OrderedContexts;
use crate::grades::{for_a_grade, graded, read_grade};
use crate::group::{Field, Group};
use crate::judging::Judging;
use crate::question::in_turn;
use crate::reference::entities_of;
use crate::replies::{self, by_id};
use crate::schema::{boolean, id, list_of, object, text};
use crate::wanted::Profile;

#[derive(Deserialize)]
struct UsefulContexts {
    contexts: Vec<replies::ContextVerdict>,
}

/// Whether each context served to arrive at the answer given.
pub(crate) async fn useful_answer(j: &Judging<'_>) -> FactSlot<Vec<bool>> {
    let contexts = j.contexts.as_ref()?;
    let ranks = j.run.contexts()?.len();
    let answer = match answer_kind_by_code(j.run) {
        Ok(answer) => answer,
        Err(None) => return None,
        Err(Some((_, rule))) => return by_code(vec![false; ranks], rule),
    };
    if contexts.len() == 0 {
        return by_code(Vec::new(), "no-contexts@1");
    }
    Some(match j.profile {
        Profile::Grouped => useful_jointly(j, contexts, answer).await,
        Profile::Split => {
            let calls = contexts.numbered().map(|(_, text)| useful_alone(j, text, answer, false));
            in_turn(join_all(calls).await)
                .map(|(values, source)| Fact { value: contexts.by_rank(&values), source })
        }
    })
}

async fn useful_jointly(
    j: &Judging<'_>,
    contexts: &OrderedContexts<'_>,
    answer: &str,
) -> Result<Fact<Vec<bool>>, Absence> {
    let verdict = object([("context", id(contexts.len())), ("useful", boolean())]);
    let question = j.question(
        Group::UsefulAnswer,
        |view| {
            view.list(Field::Contexts, "contexts", contexts.numbered())
                .text(Field::Question, "question", &j.run.case.question)
                .text(Field::Answer, "answer", answer)
        },
        object([("contexts", list_of(contexts.len(), &verdict))]),
    );
    let read = |reply: UsefulContexts| Ok(by_id(&reply.contexts, contexts.len()));
    let (first, mut source) = ask_voted(j.asker, &question, read).await?;
    let mut values = Vec::with_capacity(first.len());
    for (verdict, (_, text)) in first.into_iter().zip(contexts.numbered()) {
        values.push(match verdict {
            Some(verdict) => verdict.useful,
            None => {
                let (useful, of) = useful_alone(j, text, answer, true).await?;
                source = joined(source, of);
                useful
            }
        });
    }
    Ok(Fact { value: contexts.by_rank(&values), source })
}

async fn useful_alone(
    j: &Judging<'_>,
    context: &str,
    answer: &str,
    again: bool,
) -> Result<(bool, ragmeter_core::Source), Absence> {
    let question = j.question(
        Group::UsefulAnswerOne,
        |view| {
            view.text(Field::Contexts, "context", context)
                .text(Field::Question, "question", &j.run.case.question)
                .text(Field::Answer, "answer", answer)
        },
        replies::useful_schema(),
    );
    let question = Question { again, ..question };
    ask_voted(j.asker, &question, |reply: replies::Useful| Ok(reply.useful)).await
}

/// How relevant each context is to the question. One context a call: systems that retrieve the
/// same text share its grade, whatever else they retrieved.
pub(crate) async fn relevance(j: &Judging<'_>) -> FactSlot<Vec<Grade>> {
    let contexts = j.contexts.as_ref()?;
    let calls = contexts.numbered().map(|(_, context)| async move {
        let question = j.question(
            Group::Relevance,
            |view| {
                view.text(Field::Question, "question", &j.run.case.question).text(
                    Field::Contexts,
                    "context",
                    context,
                )
            },
            graded(&RELEVANCE),
        );
        ask_voted_with(j.asker, &for_a_grade(j, question), read_grade(&RELEVANCE)).await
    });
    Some(
        in_turn(join_all(calls).await)
            .map(|(grades, source)| Fact { value: contexts.by_rank(&grades), source }),
    )
}

/// The grades of relevance.
const RELEVANCE: [i64; 4] = [0, 1, 2, 3];

#[derive(Deserialize)]
struct CouldAnswer {
    answerable: bool,
}

/// Whether the contexts could answer the question.
pub(crate) async fn answerable(j: &Judging<'_>) -> FactSlot<bool> {
    let contexts = j.contexts.as_ref()?;
    if contexts.len() == 0 {
        return by_code(false, "no-contexts@1");
    }
    let question = j.question(
        Group::Answerable,
        |view| {
            view.list(Field::Contexts, "contexts", contexts.numbered()).text(
                Field::Question,
                "question",
                &j.run.case.question,
            )
        },
        object([("reason", text()), ("answerable", boolean())]),
    );
    Some(j.ask_voted(question, |reply: CouldAnswer| Ok(reply.answerable)).await)
}

/// Entities of all contexts together.
pub(crate) async fn entities(j: &Judging<'_>) -> FactSlot<Vec<String>> {
    let contexts = j.contexts.as_ref()?;
    if contexts.len() == 0 {
        return by_code(Vec::new(), "no-contexts@1");
    }
    let texts: Vec<&str> = contexts.numbered().map(|(_, text)| text).collect();
    Some(entities_of(j, Group::ContextEntities, Field::Contexts, &texts.join("\n\n")).await)
}
