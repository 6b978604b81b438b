//! Nuggets: the facts that a good answer may hold, made once a question, and which of them an
//! answer says.

use ragmeter_core::{Absence, Fact, FactKind, FactSlot, Nugget, NuggetSupport, RecordFacts};
use serde::Deserialize;

use crate::code::{answer_kind_by_code, by_code};
use crate::group::{Field, Group};
use crate::judging::{Checklist, Judging, numbered};
use crate::replies::Identified;
use crate::schema::{id, list, list_of, object, text, word};
use crate::template::View;
use crate::votes::Same;
use crate::wanted::Wanted;

/// Most nuggets of one question.
const MOST: usize = 20;

/// Most nuggets in one call that assigns them.
const BATCH: usize = 10;

pub(crate) async fn side(j: &Judging<'_>, wanted: &Wanted) -> RecordFacts {
    let mut facts = RecordFacts { nuggets: nuggets(j).await, ..RecordFacts::default() };
    if wanted.has(FactKind::NuggetSupport) {
        facts.nugget_support = match &facts.nuggets {
            Some(Ok(nuggets)) => assigned(j, &nuggets.value).await,
            Some(Err(absence)) => Some(Err(absence.clone())),
            None => None,
        };
    }
    facts
}

#[derive(Deserialize)]
struct Found {
    nuggets: Vec<FoundNugget>,
}

#[derive(Deserialize)]
struct FoundNugget {
    text: String,
    importance: Importance,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Importance {
    Vital,
    Okay,
}

/// Made of the passages that prove the reference answer, or of the reference answer itself.
async fn nuggets(j: &Judging<'_>) -> FactSlot<Vec<Nugget>> {
    if !j.run.tells_answer() {
        return None;
    }
    let passages = j.run.case.reference_contexts.join("\n\n");
    let (field, source) = if passages.trim().is_empty() {
        (Field::Reference, j.run.reference()?.to_owned())
    } else {
        (Field::ReferenceContexts, passages)
    };
    let nugget = object([("text", text()), ("importance", word(&["vital", "okay"]))]);
    let question = j.question(
        Group::NuggetsOf,
        |view| {
            view.text(Field::Question, "question", &j.run.case.question)
                .text(field, "source", &source)
        },
        object([("nuggets", list(&nugget))]),
    );
    let read = |reply: Found| {
        let mut nuggets: Vec<Nugget> = Vec::new();
        for found in reply.nuggets {
            let text = found.text.trim();
            if !text.is_empty() && !nuggets.iter().any(|known| known.text == text) {
                let vital = found.importance == Importance::Vital;
                nuggets.push(Nugget { text: text.to_owned(), vital });
            }
        }
        nuggets.truncate(MOST);
        Ok(nuggets)
    };
    Some(j.ask(question, read).await)
}

#[derive(Deserialize)]
struct Assigned {
    nuggets: Vec<AssignedNugget>,
}

#[derive(Clone, PartialEq, Deserialize)]
struct AssignedNugget {
    nugget: i64,
    verdict: NuggetSupport,
}

impl Identified for AssignedNugget {
    fn id(&self) -> i64 {
        self.nugget
    }
}

impl Same for AssignedNugget {
    fn same(&self, other: &Self) -> bool {
        self.verdict == other.verdict
    }
}

async fn assigned(j: &Judging<'_>, nuggets: &[Nugget]) -> FactSlot<Vec<NuggetSupport>> {
    let answer = match answer_kind_by_code(j.run) {
        Ok(answer) => answer,
        Err(None) => return None,
        Err(Some((_, rule))) => {
            return by_code(vec![NuggetSupport::NotSupport; nuggets.len()], rule);
        }
    };
    let texts: Vec<&str> = nuggets.iter().map(|nugget| nugget.text.as_str()).collect();
    let show = |view: View, texts: &[&str]| {
        view.text(Field::Question, "question", &j.run.case.question)
            .text(Field::Answer, "answer", answer)
            .list(Field::Nuggets, "nuggets", numbered(texts))
    };
    let words = ["support", "partial_support", "not_support"];
    let schema = |count| {
        let verdict = object([("nugget", id(count)), ("verdict", word(&words))]);
        object([("nuggets", list_of(count, &verdict))])
    };
    let checklist: Checklist<'_, Assigned, AssignedNugget> = Checklist {
        group: Group::Assign,
        what: "nuggets",
        texts: &texts,
        batch: BATCH,
        show: &show,
        schema: &schema,
        items: |reply| reply.nuggets,
    };
    let judged: Result<Fact<Vec<AssignedNugget>>, Absence> = j.check(&checklist).await;
    Some(judged.map(|fact| Fact {
        value: fact.value.iter().map(|one| one.verdict).collect(),
        source: fact.source,
    }))
}
