//! The question side: sentences of the reference answer and the contexts, in one call or in pieces.

use futures::future::join_all;
use ragmeter_core::{Absence, Fact, FactKind, RecordFacts, Source, UnitVerdict};

use crate::ask::{Question, ask_voted, join, joined, missing_ids};
use crate::code::{self, by_code};
use crate::contexts::OrderedContexts;
use crate::group::{Field, Group};
use crate::judging::{Judging, borrowed, numbered};
use crate::replies::{self, SentenceVerdict, by_id};
use crate::wanted::{Profile, Wanted};

/// The reference's sentences, their support, and the usefulness of each context.
pub(crate) async fn side(j: &Judging<'_>, wanted: &Wanted) -> RecordFacts {
    let contexts = j.contexts.as_ref();
    let units = match code::question_side_by_code(j.run, contexts, j.lang) {
        Ok(units) => units,
        Err(known) => {
            let (units, reference_support, useful) = *known;
            return RecordFacts { units, reference_support, useful, ..RecordFacts::default() };
        }
    };
    let mut facts = RecordFacts {
        units: by_code(units.clone(), "reference-sentences@1"),
        ..RecordFacts::default()
    };
    let Some(contexts) = contexts else { return facts };
    let judges = wanted.has_any(&[
        FactKind::ReferenceSupport,
        FactKind::ContextUsefulReference,
        FactKind::ReferenceSupportEach,
    ]);
    match j.profile {
        _ if !judges => {}
        Profile::Grouped => grouped(j, &units, contexts, &mut facts).await,
        Profile::Split => {
            let support = async {
                let wanted = wanted.has(FactKind::ReferenceSupport);
                if wanted { Some(attribution(j, &units, contexts).await) } else { None }
            };
            let useful = async {
                let wanted = wanted.has(FactKind::ContextUsefulReference);
                if wanted { Some(useful_each(j, contexts).await) } else { None }
            };
            (facts.reference_support, facts.useful) = futures::join!(support, useful);
        }
    }
    facts
}

async fn grouped(
    j: &Judging<'_>,
    units: &[String],
    contexts: &OrderedContexts<'_>,
    facts: &mut RecordFacts,
) {
    let question = j.question(
        Group::QuestionSide,
        |view| {
            view.text(Field::Question, "question", &j.run.case.question)
                .list(Field::Reference, "sentences", numbered(&borrowed(units)))
                .list(Field::Contexts, "contexts", contexts.numbered())
        },
        replies::question_side_schema(units.len(), contexts.len()),
    );
    let read = |reply: replies::QuestionSide| {
        Ok((by_id(&reply.sentences, units.len()), by_id(&reply.contexts, contexts.len())))
    };
    match ask_voted(j.asker, &question, read).await {
        Err(absence) => {
            facts.reference_support = Some(Err(absence.clone()));
            facts.useful = Some(Err(absence));
        }
        Ok(((sentences, useful), source)) => {
            let support = attribution_again(j, units, contexts, sentences, source.clone());
            let useful = useful_again(j, contexts, useful, source);
            let (support, useful) = futures::join!(support, useful);
            facts.reference_support = Some(support);
            facts.useful = Some(useful);
        }
    }
}

/// Verdicts on every sentence, those that a call left out asked alone.
async fn attribution_again(
    j: &Judging<'_>,
    units: &[String],
    contexts: &OrderedContexts<'_>,
    first: Vec<Option<SentenceVerdict>>,
    mut source: Source,
) -> Result<Fact<Vec<UnitVerdict>>, Absence> {
    let alone: Vec<String> = (units.iter().zip(&first))
        .filter(|(_, verdict)| verdict.is_none())
        .map(|(unit, _)| unit.clone())
        .collect();
    let mut second = Vec::new().into_iter();
    if !alone.is_empty() {
        let (verdicts, of) = attribution_call(j, &alone, contexts, true).await?;
        source = joined(source, of);
        second = verdicts.into_iter();
    }
    let verdicts = first.into_iter().map(|verdict| verdict.or_else(|| second.next().flatten()));
    Ok(Fact { value: unit_verdicts(verdicts, contexts)?, source })
}

fn unit_verdicts(
    verdicts: impl IntoIterator<Item = Option<SentenceVerdict>>,
    contexts: &OrderedContexts<'_>,
) -> Result<Vec<UnitVerdict>, Absence> {
    let verdicts: Option<Vec<_>> = verdicts.into_iter().collect();
    let verdicts = verdicts.ok_or_else(|| missing_ids("sentences"))?;
    let verdict = |(unit, verdict): (usize, SentenceVerdict)| UnitVerdict {
        unit,
        attributable: verdict.attributable,
        contexts: contexts.ranks(&verdict.contexts),
    };
    Ok(verdicts.into_iter().enumerate().map(verdict).collect())
}

/// Attribution of every sentence.
async fn attribution(
    j: &Judging<'_>,
    units: &[String],
    contexts: &OrderedContexts<'_>,
) -> Result<Fact<Vec<UnitVerdict>>, Absence> {
    let (verdicts, source) = attribution_call(j, units, contexts, false).await?;
    attribution_again(j, units, contexts, verdicts, source).await
}

async fn attribution_call(
    j: &Judging<'_>,
    units: &[String],
    contexts: &OrderedContexts<'_>,
    again: bool,
) -> Result<(Vec<Option<SentenceVerdict>>, Source), Absence> {
    let question = j.question(
        Group::Attribution,
        |view| {
            view.text(Field::Question, "question", &j.run.case.question)
                .list(Field::Reference, "sentences", numbered(&borrowed(units)))
                .list(Field::Contexts, "contexts", contexts.numbered())
        },
        replies::attribution_schema(units.len(), contexts.len()),
    );
    let question = Question { again, ..question };
    let read = |reply: replies::Attributions| Ok(by_id(&reply.sentences, units.len()));
    ask_voted(j.asker, &question, read).await
}

/// Usefulness of every context, those that a call left out asked alone.
async fn useful_again(
    j: &Judging<'_>,
    contexts: &OrderedContexts<'_>,
    first: Vec<Option<replies::ContextVerdict>>,
    mut source: Source,
) -> Result<Fact<Vec<bool>>, Absence> {
    let calls = first.iter().zip(contexts.numbered()).map(|(verdict, (_, text))| async move {
        match verdict {
            Some(verdict) => Ok((verdict.useful, None)),
            None => useful(j, text, true).await.map(|(useful, of)| (useful, Some(of))),
        }
    });
    let mut values = Vec::with_capacity(first.len());
    for judged in join_all(calls).await {
        let (useful, of) = judged?;
        values.push(useful);
        if let Some(of) = of {
            source = joined(source, of);
        }
    }
    Ok(Fact { value: contexts.by_rank(&values), source })
}

/// Usefulness of every context, each asked alone.
async fn useful_each(
    j: &Judging<'_>,
    contexts: &OrderedContexts<'_>,
) -> Result<Fact<Vec<bool>>, Absence> {
    let calls = contexts.numbered().map(|(_, text)| useful(j, text, false));
    let (values, source) = in_turn(join_all(calls).await)?;
    Ok(Fact { value: contexts.by_rank(&values), source })
}

/// Values of several calls with one source of all their replies.
pub(crate) fn in_turn<T>(
    judged: Vec<Result<(T, Source), Absence>>,
) -> Result<(Vec<T>, Source), Absence> {
    let mut values = Vec::with_capacity(judged.len());
    let mut source: Option<Source> = None;
    for one in judged {
        let (value, of) = one?;
        values.push(value);
        join(&mut source, of);
    }
    let nothing = || Source::Code { rule: "nothing-asked@1".to_owned() };
    Ok((values, source.unwrap_or_else(nothing)))
}

async fn useful(j: &Judging<'_>, context: &str, again: bool) -> Result<(bool, Source), Absence> {
    let question = j.question(
        Group::Useful,
        |view| {
            view.text(Field::Question, "question", &j.run.case.question)
                .text(Field::Reference, "reference", j.run.reference().unwrap_or_default())
                .list(Field::Contexts, "contexts", [(1, context)])
        },
        replies::useful_schema(),
    );
    let question = Question { again, ..question };
    ask_voted(j.asker, &question, |reply: replies::Useful| Ok(reply.useful)).await
}
