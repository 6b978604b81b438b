//! Grades of the answer as a whole.

use futures::future::join_all;
use ragmeter_core::{Fact, FactSlot, Grade, TokenChoice};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::ask::{Question, Reply, ask_voted_with};
use crate::code::{answer_kind_by_code, by_code};
use crate::group::{Field, Group};
use crate::judging::Judging;
use crate::question::in_turn;
use crate::schema::{object, text};
use crate::wanted::Profile;

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

/// Reads one of these grades; another one is a reply that can't be read. Where the endpoint gives
/// the probabilities of tokens, the grade is their mean weighted by them (Liu et al. 2023, G-Eval,
/// section 2), and the vote stays what was said.
pub(crate) fn read_grade(grades: &[i64]) -> impl Fn(Graded, &Reply) -> Result<Grade, String> {
    move |said, reply| {
        if !grades.contains(&said.grade) {
            return Err("not one of the grades".to_owned());
        }
        let reason = said.reason.trim().to_owned();
        let grade = weighted(&reply.tokens, said.grade, grades).unwrap_or(said.grade as f64);
        Ok(Grade { grade, votes: vec![said.grade], reason })
    }
}

/// The mean of the grades that could have stood where this one stands, weighted by their
/// probabilities; `None` if the tokens don't tell.
fn weighted(tokens: &[TokenChoice], said: i64, grades: &[i64]) -> Option<f64> {
    let text: String = tokens.iter().map(|choice| choice.token.as_str()).collect();
    let key = text.rfind("\"grade\"")?;
    let value = key + text[key..].find(|c: char| c.is_ascii_digit() || c == '-')?;
    let mut end = 0;
    let place = tokens.iter().find(|choice| {
        end += choice.token.len();
        end > value
    })?;
    // A grade of two digits may be two tokens: then the first tells too little.
    let number = |token: &str| token.trim_matches([' ', ':', '\n', '\t']).parse::<i64>().ok();
    if number(&place.token) != Some(said) {
        return None;
    }
    let (mut sum, mut mass) = (0.0, 0.0);
    for (token, logprob) in &place.alternatives {
        if let Some(grade) = number(token).filter(|grade| grades.contains(grade)) {
            sum += grade as f64 * logprob.exp();
            mass += logprob.exp();
        }
    }
    (mass > 0.0 && sum.is_finite()).then(|| sum / mass)
}

/// A question for a grade. RAGAS takes a grade as it is said, and so does the split profile.
pub(crate) fn for_a_grade(j: &Judging<'_>, question: Question) -> Question {
    Question { logprobs: j.profile == Profile::Grouped, ..question }
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
    Some(j.ask_grade(question, &GROUNDEDNESS).await)
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
        ask_voted_with(j.asker, &for_a_grade(j, question), read_grade(&ACCURACY)).await
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
    Some(j.ask_grade(question, &ANSWER_RELEVANCE).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(parts: &[(&str, &[(&str, f64)])]) -> Vec<TokenChoice> {
        let choice = |(token, alternatives): &(&str, &[(&str, f64)])| TokenChoice {
            token: (*token).to_owned(),
            alternatives: alternatives.iter().map(|(t, p)| ((*t).to_owned(), p.ln())).collect(),
        };
        parts.iter().map(choice).collect()
    }

    #[test]
    fn a_grade_is_weighted_by_what_else_could_stand_there() {
        let said = tokens(&[
            ("{\"reason\":\"1 of 3\",\"", &[]),
            ("grade", &[]),
            ("\":", &[]),
            ("3", &[("3", 0.6), ("2", 0.3), ("x", 0.1)]),
            ("}", &[]),
        ]);
        let mean = weighted(&said, 3, &[0, 1, 2, 3]).expect("the tokens tell");
        assert!((mean - (3.0 * 0.6 + 2.0 * 0.3) / 0.9).abs() < 1e-12, "{mean}");
        assert_eq!(weighted(&[], 3, &[0, 1, 2, 3]), None);
        let split = tokens(&[("{\"grade\":", &[]), ("1", &[("1", 1.0)]), ("0", &[("0", 1.0)])]);
        assert_eq!(weighted(&split, 10, &(0..=10).collect::<Vec<_>>()), None);
    }
}
