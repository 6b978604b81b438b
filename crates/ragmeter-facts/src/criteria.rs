//! Criteria in a project's own words: met or not, or a grade.

use std::sync::Arc;

use ragmeter_core::{Absence, Fact, Grade, RecordFacts};
use serde::Deserialize;

use crate::criterion::{Criterion, Scale, Seen};
use crate::grades::graded;
use crate::group::{Field, Group};
use crate::judging::Judging;
use crate::schema::{boolean, object, text};
use crate::template::View;

/// What this criterion says of the record: nothing if the record lacks what it sees.
pub(crate) async fn side(j: &Judging<'_>, criterion: &Arc<Criterion>) -> RecordFacts {
    let mut facts = RecordFacts::default();
    if let Some(fact) = judged(j, criterion).await {
        facts.criteria.insert(criterion.name.clone(), fact);
    }
    facts
}

#[derive(Deserialize)]
struct Met {
    #[serde(default)]
    reason: String,
    verdict: bool,
}

async fn judged(j: &Judging<'_>, criterion: &Criterion) -> Option<Result<Fact<Grade>, Absence>> {
    let answer = j.run.answer()?;
    let sees = |seen: Seen| criterion.sees.contains(&seen);
    // The rubric of a case speaks of what its case has.
    let whatever = criterion.scale == Scale::OfCase;
    let contexts: Vec<(usize, &str)> = match &j.contexts {
        Some(contexts) if sees(Seen::Contexts) => contexts.numbered().collect(),
        None if sees(Seen::Contexts) && !whatever => return None,
        _ => Vec::new(),
    };
    let reference = j.run.reference().filter(|_| sees(Seen::Reference));
    if sees(Seen::Reference) && reference.is_none() && !whatever {
        return None;
    }
    let question = sees(Seen::Question).then_some(j.run.case.question.as_str());
    let grades = criterion.grades(j.run, j.lang)?;
    let show = |view: View| {
        view.list(Field::Contexts, "contexts", contexts)
            .maybe(Field::Question, "question", question)
            .text(Field::Answer, "answer", answer)
            .maybe(Field::Reference, "reference", reference)
            .text(Field::Criterion, "criterion", criterion.ask(j.lang))
            .grades(&grades)
    };
    if criterion.scale == Scale::YesNo {
        let schema = object([("reason", text()), ("verdict", boolean())]);
        let read = |reply: Met| {
            let said = i64::from(reply.verdict);
            let reason = reply.reason.trim().to_owned();
            Ok(Grade { grade: said as f64, votes: vec![said], reason })
        };
        return Some(j.ask_voted(j.question(Group::Meets, show, schema), read).await);
    }
    let values: Vec<i64> = grades.iter().map(|(grade, _)| *grade).collect();
    let question = j.question(Group::Grade, show, graded(&values));
    Some(j.ask_grade(question, &values).await)
}
