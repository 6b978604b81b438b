//! Summaries: closed questions on the source, and whether the summary answers them with yes.

use ragmeter_core::{Absence, Fact, FactKind, FactSlot, RecordFacts};
use serde::Deserialize;

use crate::code::{answer_kind_by_code, by_code};
use crate::group::{Field, Group};
use crate::judging::{Checklist, Judging, borrowed, numbered};
use crate::replies::{self, Identified};
use crate::schema::{boolean, id, list, list_of, object, text};
use crate::template::View;
use crate::votes::Same;
use crate::wanted::Wanted;

#[derive(Deserialize)]
struct Questions {
    questions: Vec<String>,
}

#[derive(Deserialize)]
struct Answers {
    questions: Vec<Answered>,
}

#[derive(Clone, PartialEq, Deserialize)]
struct Answered {
    question: i64,
    yes: bool,
}

impl Identified for Answered {
    fn id(&self) -> i64 {
        self.question
    }
}

impl Same for Answered {
    fn same(&self, other: &Self) -> bool {
        self.yes == other.yes
    }
}

pub(crate) async fn side(j: &Judging<'_>, wanted: &Wanted) -> RecordFacts {
    let source = j.run.case.reference_contexts.join("\n\n");
    if source.trim().is_empty() || !j.run.tells_answer() {
        return RecordFacts::default();
    }
    let question = j.question(
        Group::SummaryQuestions,
        |view| view.text(Field::ReferenceContexts, "source", &source),
        object([("questions", list(&text()))]),
    );
    let read = |reply: Questions| {
        let questions = replies::distinct(replies::non_blank(reply.questions));
        if questions.is_empty() {
            Err("no question in the reply".to_owned())
        } else {
            Ok(questions)
        }
    };
    let questions = j.ask(question, read).await;
    let answers = if wanted.has(FactKind::SummaryAnswers) {
        match &questions {
            Ok(questions) => answers(j, &questions.value).await,
            Err(absence) => Some(Err(absence.clone())),
        }
    } else {
        None
    };
    RecordFacts {
        summary_questions: Some(questions),
        summary_answers: answers,
        ..RecordFacts::default()
    }
}

async fn answers(j: &Judging<'_>, questions: &[String]) -> FactSlot<Vec<bool>> {
    let answer = match answer_kind_by_code(j.run) {
        Ok(answer) => answer,
        Err(None) => return None,
        Err(Some((_, rule))) => return by_code(vec![false; questions.len()], rule),
    };
    let texts = borrowed(questions);
    let show = |view: View, texts: &[&str]| {
        view.text(Field::Answer, "answer", answer).list(
            Field::SourceQuestions,
            "questions",
            numbered(texts),
        )
    };
    let schema = |count| {
        let verdict = object([("question", id(count)), ("yes", boolean())]);
        object([("questions", list_of(count, &verdict))])
    };
    let checklist: Checklist<'_, Answers, Answered> = Checklist {
        group: Group::SummaryAnswers,
        what: "questions",
        texts: &texts,
        batch: usize::MAX,
        show: &show,
        schema: &schema,
        items: |reply| reply.questions,
    };
    let judged: Result<Fact<Vec<Answered>>, Absence> = j.check(&checklist).await;
    Some(judged.map(|fact| Fact {
        value: fact.value.iter().map(|one| one.yes).collect(),
        source: fact.source,
    }))
}
