//! Grades of the answer as a whole.

use futures::future::join_all;
use ragmeter_core::{Fact, FactSlot, Grade};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::ask::ask_voted;
use crate::code::{answer_kind_by_code, by_code};
use crate::group::{Field, Group};
use crate::judging::Judging;
use crate::question::in_turn;
use crate::schema::{object, text};

#[derive(Deserialize)]
pub(crate) struct Graded {
    #[serde(default)]
    reason: String,
    grade: i64,
}

/// The schema of one of these grades, with the reason before it.
pub(crate) fn graded(grades: &[i64]) -> Value {
    object([("reason", text()), ("grade", json!({ "type": "integer", "enum": grades }))])
}

/// Reads one of these grades; another one is a reply that can't be read.
pub(crate) fn read_grade(grades: &[i64]) -> impl Fn(Graded) -> Result<Grade, String> {
    move |reply| {
        if !grades.contains(&reply.grade) {
            return Err("not one of the grades".to_owned());
        }
        let reason = reply.reason.trim().to_owned();
        Ok(Grade { grade: reply.grade as f64, votes: vec![reply.grade], reason })
    }
}

/// A grade that follows from the record alone.
fn given(grade: i64, rule: &str) -> FactSlot<Grade> {
    by_code(Grade { grade: grade as f64, votes: vec![grade], reason: String::new() }, rule)
}

const GROUNDEDNESS: [i64; 3] = [0, 1, 2];
const ACCURACY: [i64; 3] = [0, 2, 4];
const ANSWER_RELEVANCE: [i64; 4] = [0, 1, 2, 3];

/// An answer of so many characters that stands in a context word for word was taken from it; a
/// shorter one ("12", "no") stands in many words by chance.
const VERBATIM: usize = 30;

/// How well the contexts back the answer; wholly if they hold it word for word.
pub(crate) async fn groundedness(j: &Judging<'_>) -> FactSlot<Grade> {
    let contexts = j.contexts.as_ref()?;
    let answer = match answer_kind_by_code(j.run) {
        Ok(answer) => answer,
        Err(None) => return None,
        Err(Some((_, rule))) => return given(0, rule),
    };
    if contexts.len() == 0 {
        return given(0, "no-contexts@1");
    }
    if answer.trim().chars().count() >= VERBATIM && contexts.holds(answer.trim()) {
        return given(2, "answer-in-context@1");
    }
    let question = j.question(
        Group::Groundedness,
        |view| {
            view.list(Field::Contexts, "contexts", contexts.numbered()).text(
                Field::Answer,
                "answer",
                answer,
            )
        },
        graded(&GROUNDEDNESS),
    );
    Some(j.ask_voted(question, read_grade(&GROUNDEDNESS)).await)
}

/// How far answer and reference agree: once in either order, since a judge may favour one.
pub(crate) async fn accuracy(j: &Judging<'_>) -> FactSlot<Vec<Grade>> {
    let reference = j.run.reference()?;
    let answer = match answer_kind_by_code(j.run) {
        Ok(answer) => answer,
        Err(None) => return None,
        Err(Some((_, rule))) => {
            let none = Grade { grade: 0.0, votes: vec![0], reason: String::new() };
            return by_code(vec![none; 2], rule);
        }
    };
    let order = |first: (Field, String), second: (Field, String)| async move {
        let question = j.question(
            Group::Accuracy,
            |view| {
                view.text(Field::Question, "question", &j.run.case.question)
                    .text(first.0, "first", &first.1)
                    .text(second.0, "second", &second.1)
            },
            graded(&ACCURACY),
        );
        ask_voted(j.asker, &question, read_grade(&ACCURACY)).await
    };
    let answer = (Field::Answer, answer.to_owned());
    let reference = (Field::Reference, reference.to_owned());
    let both = [order(answer.clone(), reference.clone()), order(reference, answer)];
    Some(in_turn(join_all(both).await).map(|(value, source)| Fact { value, source }))
}

/// How far the answer answers the question.
pub(crate) async fn answer_relevance(j: &Judging<'_>) -> FactSlot<Grade> {
    let answer = match answer_kind_by_code(j.run) {
        Ok(answer) => answer,
        Err(None) => return None,
        Err(Some((_, rule))) => return given(0, rule),
    };
    let question = j.question(
        Group::AnswerRelevance,
        |view| {
            view.text(Field::Question, "question", &j.run.case.question).text(
                Field::Answer,
                "answer",
                answer,
            )
        },
        graded(&ANSWER_RELEVANCE),
    );
    Some(j.ask_voted(question, read_grade(&ANSWER_RELEVANCE)).await)
}
