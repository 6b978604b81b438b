//! Parts of the question, and which of them the answer answers.

use ragmeter_core::{Absence, CaseRun, Fact, FactSlot, Lang, PartVerdict, Source};

use crate::ask::{Asker, Question, ask, joined, missing_ids};
use crate::attribution::numbered;
use crate::code::{answer_kind_by_code, by_code};
use crate::group::{Field, Group};
use crate::replies::{self, by_id};
use crate::template::View;

type CoverageFacts = (FactSlot<Vec<String>>, FactSlot<Vec<PartVerdict>>);

/// Parts of the question, and which of them the answer answers.
pub(crate) async fn coverage(
    run: CaseRun<'_>,
    lang: Lang,
    asker: &dyn Asker,
    parts_group: Group,
    coverage_group: Group,
) -> CoverageFacts {
    let answer = match answer_kind_by_code(run) {
        Ok(answer) => answer,
        Err(None) => return (None, None),
        Err(Some((_, rule))) => {
            let part = PartVerdict { part: run.case.question.clone(), answered: false };
            return (by_code(vec![part.part.clone()], rule), by_code(vec![part], rule));
        }
    };
    let view = View::new(parts_group).text(Field::Question, "question", &run.case.question);
    let question = Question::new(parts_group, lang, view, replies::parts_schema());
    let read = |reply: replies::Parts| {
        let mut parts = replies::non_blank(reply.parts);
        parts.dedup();
        if parts.is_empty() { Err("no part in the reply".to_owned()) } else { Ok(parts) }
    };
    let (parts, source) = match ask(asker, &question, read).await {
        Ok(parts) => parts,
        Err(absence) => return (Some(Err(absence.clone())), Some(Err(absence))),
    };
    let verdicts = covered(&parts, answer, lang, asker, coverage_group).await;
    (Some(Ok(Fact { value: parts, source })), Some(verdicts))
}

async fn covered(
    parts: &[String],
    answer: &str,
    lang: Lang,
    asker: &dyn Asker,
    group: Group,
) -> Result<Fact<Vec<PartVerdict>>, Absence> {
    let (first, mut source) = coverage_call(parts, answer, lang, asker, group, false).await?;
    let alone: Vec<String> = (parts.iter().zip(&first))
        .filter(|(_, verdict)| verdict.is_none())
        .map(|(part, _)| part.clone())
        .collect();
    let second = if alone.is_empty() {
        Vec::new()
    } else {
        let (verdicts, of) = coverage_call(&alone, answer, lang, asker, group, true).await?;
        source = joined(source, of);
        verdicts
    };
    let mut second = second.into_iter();
    let verdicts: Option<Vec<PartVerdict>> = (parts.iter().zip(first))
        .map(|(part, verdict)| {
            let verdict = verdict.or_else(|| second.next().flatten())?;
            Some(PartVerdict { part: part.clone(), answered: verdict.answered })
        })
        .collect();
    Ok(Fact { value: verdicts.ok_or_else(|| missing_ids("parts"))?, source })
}

async fn coverage_call(
    parts: &[String],
    answer: &str,
    lang: Lang,
    asker: &dyn Asker,
    group: Group,
    again: bool,
) -> Result<(Vec<Option<replies::PartAnswered>>, Source), Absence> {
    let view = View::new(group).list(Field::Parts, "parts", numbered(parts)).text(
        Field::Answer,
        "answer",
        answer,
    );
    let schema = replies::coverage_schema(parts.len());
    let question = Question { again, ..Question::new(group, lang, view, schema) };
    ask(asker, &question, |r: replies::Coverage| Ok(by_id(&r.parts, parts.len()))).await
}
