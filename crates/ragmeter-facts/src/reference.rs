//! The side of the reference answer: what it claims, who says it, its entities, its query.

use ragmeter_core::{
    Absence, AbsenceClass, Checked, Fact, FactKind, FactSlot, RecordFacts, Support,
};
use serde::Deserialize;

use crate::ask::absence;
use crate::code::{answer_kind_by_code, by_code, reference_units};
use crate::group::{Field, Group};
use crate::judging::{Checklist, Judging, borrowed, numbered, supports};
use crate::replies::{self, CheckedSentence};
use crate::schema::{boolean, list, object, text};
use crate::template::View;
use crate::verify::{batch, support_each};
use crate::wanted::{Profile, Wanted};

/// Reference claims, the contexts that say each of them, and whether the answer says it.
pub(crate) async fn side(j: &Judging<'_>, wanted: &Wanted) -> RecordFacts {
    let Some(reference) = j.run.reference() else { return RecordFacts::default() };
    let claims = match j.profile {
        Profile::Grouped => by_code(reference_units(reference, j.lang), "reference-sentences@1"),
        Profile::Split => Some(claims(j, reference).await),
    };
    let (each, covered) = match &claims {
        Some(Ok(claims)) => {
            let texts = borrowed(&claims.value);
            futures::join!(each(j, wanted, &texts), covered(j, wanted, &texts))
        }
        Some(Err(absence)) => {
            let failed = |kind| wanted.has(kind).then(|| absence.clone());
            (
                failed(FactKind::ReferenceSupportEach).map(Err),
                failed(FactKind::ReferenceCovered).map(Err),
            )
        }
        None => (None, None),
    };
    RecordFacts {
        reference_claims: claims,
        reference_support_each: each,
        reference_covered: covered,
        ..RecordFacts::default()
    }
}

#[derive(Deserialize)]
struct Claims {
    claims: Vec<String>,
}

async fn claims(j: &Judging<'_>, reference: &str) -> Result<Fact<Vec<String>>, Absence> {
    let question = j.question(
        Group::SplitReferenceClaims,
        |view| {
            view.text(Field::Question, "question", &j.run.case.question).text(
                Field::Reference,
                "reference",
                reference,
            )
        },
        object([("claims", list(&text()))]),
    );
    let read = |reply: Claims| Ok(replies::distinct(replies::non_blank(reply.claims)));
    let claims = j.ask(question, read).await?;
    if claims.value.is_empty() {
        return Err(absence(
            AbsenceClass::ExtractorEmpty,
            "the judge extracted no claim from the reference answer",
        ));
    }
    Ok(claims)
}

/// One context a call, as RAGAS asks. In groups the joint verdicts tell.
async fn each(j: &Judging<'_>, wanted: &Wanted, claims: &[&str]) -> FactSlot<Vec<Vec<bool>>> {
    if j.profile == Profile::Grouped || !wanted.has(FactKind::ReferenceSupportEach) {
        return None;
    }
    let contexts = j.contexts.as_ref()?;
    let judged = support_each(j, Group::SplitReferenceEach, claims, contexts).await;
    Some(judged.map(|fact| Fact {
        value: fact.value.into_iter().map(|row| row.into_iter().map(supports).collect()).collect(),
        source: fact.source,
    }))
}

async fn covered(j: &Judging<'_>, wanted: &Wanted, sentences: &[&str]) -> FactSlot<Vec<Checked>> {
    if !wanted.has(FactKind::ReferenceCovered) {
        return None;
    }
    let answer = match answer_kind_by_code(j.run) {
        Ok(answer) => answer,
        Err(None) => return None,
        Err(Some((_, rule))) => {
            let absent = Checked { support: Support::Absent, quote: None, quote_dropped: false };
            return by_code(vec![absent; sentences.len()], rule);
        }
    };
    let show = |view: View, texts: &[&str]| {
        view.text(Field::Answer, "answer", answer).list(
            Field::Reference,
            "sentences",
            numbered(texts),
        )
    };
    let schema = |count| replies::checked_schema("sentences", "sentence", count);
    let list: Checklist<'_, replies::CheckedSentences, CheckedSentence> = Checklist {
        group: Group::Covered,
        what: "sentences",
        texts: sentences,
        batch: batch(j),
        show: &show,
        schema: &schema,
        items: |reply| reply.sentences,
    };
    Some(j.check(&list).await.map(|fact| Fact {
        value: fact.value.iter().map(|one| one.checked(|quote| answer.contains(quote))).collect(),
        source: fact.source,
    }))
}

#[derive(Deserialize)]
pub(crate) struct Entities {
    entities: Vec<String>,
}

/// Entities of a text, as a group asks for them.
pub(crate) async fn entities_of(
    j: &Judging<'_>,
    group: Group,
    field: Field,
    shown: &str,
) -> Result<Fact<Vec<String>>, Absence> {
    let question = j.question(
        group,
        |view| view.text(field, "text", shown),
        object([("entities", list(&text()))]),
    );
    j.ask(question, |reply: Entities| Ok(replies::non_blank(reply.entities))).await
}

pub(crate) async fn entities(j: &Judging<'_>) -> FactSlot<Vec<String>> {
    let reference = j.run.reference()?;
    Some(entities_of(j, Group::ReferenceEntities, Field::Reference, reference).await)
}

#[derive(Deserialize)]
struct Equivalent {
    equivalent: bool,
}

/// Whether answer and reference are equivalent queries over the schema in the reference contexts.
pub(crate) async fn sql(j: &Judging<'_>) -> FactSlot<bool> {
    let reference = j.run.reference()?;
    let answer = match answer_kind_by_code(j.run) {
        Ok(answer) => answer,
        Err(None) => return None,
        Err(Some((_, rule))) => return by_code(false, rule),
    };
    if answer.trim() == reference.trim() {
        return by_code(true, "equal-text@1");
    }
    let question = j.question(
        Group::Sql,
        |view| {
            view.text(Field::ReferenceContexts, "schema", &j.run.case.reference_contexts.join("\n"))
                .text(Field::Answer, "first", answer)
                .text(Field::Reference, "second", reference)
        },
        object([("reason", text()), ("equivalent", boolean())]),
    );
    Some(j.ask_voted(question, |reply: Equivalent| Ok(reply.equivalent)).await)
}
