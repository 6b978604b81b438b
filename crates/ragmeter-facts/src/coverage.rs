//! Parts of the question, and which of them the answer answers.

use ragmeter_core::{Absence, Fact, PartVerdict, RecordFacts};

use crate::code::{answer_kind_by_code, by_code};
use crate::group::{Field, Group};
use crate::judging::{Checklist, Judging, borrowed, numbered};
use crate::replies;
use crate::template::View;

/// Parts of the question, and which of them the answer answers.
pub(crate) async fn side(j: &Judging<'_>) -> RecordFacts {
    let answer = match answer_kind_by_code(j.run) {
        Ok(answer) => answer,
        Err(None) => return RecordFacts::default(),
        Err(Some((_, rule))) => {
            let part = PartVerdict { part: j.run.case.question.clone(), answered: false };
            return RecordFacts {
                parts: by_code(vec![part.part.clone()], rule),
                coverage: by_code(vec![part], rule),
                ..RecordFacts::default()
            };
        }
    };
    let question = j.question(
        Group::Parts,
        |view| view.text(Field::Question, "question", &j.run.case.question),
        replies::parts_schema(),
    );
    let read = |reply: replies::Parts| {
        let parts = replies::distinct(replies::non_blank(reply.parts));
        if parts.is_empty() { Err("no part in the reply".to_owned()) } else { Ok(parts) }
    };
    let parts = j.ask(question, read).await;
    let coverage = match &parts {
        Ok(parts) => covered(j, &parts.value, answer).await,
        Err(absence) => Err(absence.clone()),
    };
    RecordFacts { parts: Some(parts), coverage: Some(coverage), ..RecordFacts::default() }
}

async fn covered(
    j: &Judging<'_>,
    parts: &[String],
    answer: &str,
) -> Result<Fact<Vec<PartVerdict>>, Absence> {
    let texts = borrowed(parts);
    let show = |view: View, texts: &[&str]| {
        view.list(Field::Parts, "parts", numbered(texts)).text(Field::Answer, "answer", answer)
    };
    let list: Checklist<'_, replies::Coverage, replies::PartAnswered> = Checklist {
        group: Group::Coverage,
        what: "parts",
        texts: &texts,
        batch: usize::MAX,
        show: &show,
        schema: &replies::coverage_schema,
        items: |reply| reply.parts,
    };
    let judged = j.check(&list).await?;
    let verdicts = parts.iter().zip(&judged.value);
    let value = verdicts
        .map(|(part, verdict)| PartVerdict { part: part.clone(), answered: verdict.answered })
        .collect();
    Ok(Fact { value, source: judged.source })
}
