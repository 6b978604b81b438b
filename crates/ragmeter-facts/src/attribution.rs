//! The question side in pieces: sentences of the reference, single contexts; as the split profile
//! asks them, and as any profile asks again for ids that a call left out.

use futures::future::join_all;
use ragmeter_core::{Absence, CaseRun, Lang, Source, UnitVerdict};

use crate::ask::{Asker, Question, ask, joined, missing_ids};
use crate::contexts::OrderedContexts;
use crate::group::{Field, Group};
use crate::replies::{self, by_id};
use crate::template::View;

pub(crate) fn numbered(texts: &[String]) -> impl Iterator<Item = (usize, &str)> {
    texts.iter().enumerate().map(|(index, text)| (index + 1, text.as_str()))
}

/// Verdicts on every sentence, those that a call left out asked alone.
pub(crate) async fn attribution_again(
    run: CaseRun<'_>,
    units: &[String],
    contexts: &OrderedContexts<'_>,
    lang: Lang,
    asker: &dyn Asker,
    first: Vec<Option<replies::SentenceVerdict>>,
    mut source: Source,
) -> Result<(Vec<UnitVerdict>, Source), Absence> {
    let alone: Vec<String> = (units.iter().zip(&first))
        .filter(|(_, verdict)| verdict.is_none())
        .map(|(unit, _)| unit.clone())
        .collect();
    let second = if alone.is_empty() {
        Vec::new()
    } else {
        let (verdicts, of) = attribution(run, &alone, contexts, lang, asker, true).await?;
        source = joined(source, of);
        verdicts
    };
    let mut second = second.into_iter();
    let verdicts = first.into_iter().map(|verdict| verdict.or_else(|| second.next().flatten()));
    Ok((unit_verdicts(verdicts, contexts)?, source))
}

pub(crate) fn unit_verdicts(
    verdicts: impl IntoIterator<Item = Option<replies::SentenceVerdict>>,
    contexts: &OrderedContexts<'_>,
) -> Result<Vec<UnitVerdict>, Absence> {
    let verdicts: Option<Vec<_>> = verdicts.into_iter().collect();
    let verdicts = verdicts.ok_or_else(|| missing_ids("sentences"))?;
    let verdict = |(unit, verdict): (usize, replies::SentenceVerdict)| UnitVerdict {
        unit,
        attributable: verdict.attributable,
        contexts: contexts.ranks(&verdict.contexts),
    };
    Ok(verdicts.into_iter().enumerate().map(verdict).collect())
}

/// Attribution of these sentences alone.
pub(crate) async fn attribution(
    run: CaseRun<'_>,
    units: &[String],
    contexts: &OrderedContexts<'_>,
    lang: Lang,
    asker: &dyn Asker,
    again: bool,
) -> Result<(Vec<Option<replies::SentenceVerdict>>, Source), Absence> {
    let view = View::new(Group::SplitAttribution)
        .text(Field::Question, "question", &run.case.question)
        .list(Field::Reference, "sentences", numbered(units))
        .list(Field::Contexts, "contexts", contexts.numbered());
    let schema = replies::attribution_schema(units.len(), contexts.len());
    let question = Question { again, ..Question::new(Group::SplitAttribution, lang, view, schema) };
    ask(asker, &question, |r: replies::Attributions| Ok(by_id(&r.sentences, units.len()))).await
}

/// Usefulness of every context, those that a call left out asked alone.
pub(crate) async fn useful_again(
    run: CaseRun<'_>,
    contexts: &OrderedContexts<'_>,
    lang: Lang,
    asker: &dyn Asker,
    first: Vec<Option<replies::ContextVerdict>>,
    mut source: Source,
) -> Result<(Vec<bool>, Source), Absence> {
    let calls = first.iter().zip(contexts.numbered()).map(|(verdict, (_, text))| async move {
        if let Some(verdict) = verdict {
            return Ok((verdict.useful, None));
        }
        let (useful, of) = useful(run, text, lang, asker, true).await?;
        Ok((useful, Some(of)))
    });
    let mut values = Vec::with_capacity(first.len());
    for judged in join_all(calls).await {
        let (useful, of) = judged?;
        values.push(useful);
        if let Some(of) = of {
            source = joined(source, of);
        }
    }
    Ok((values, source))
}

/// Usefulness of every context, each asked alone.
pub(crate) async fn useful_each(
    run: CaseRun<'_>,
    contexts: &OrderedContexts<'_>,
    lang: Lang,
    asker: &dyn Asker,
) -> Result<Option<(Vec<bool>, Source)>, Absence> {
    let calls = contexts.numbered().map(|(_, text)| useful(run, text, lang, asker, false));
    let mut values = Vec::with_capacity(contexts.len());
    let mut source: Option<Source> = None;
    for judged in join_all(calls).await {
        let (useful, of) = judged?;
        values.push(useful);
        source = Some(match source {
            Some(known) => joined(known, of),
            None => of,
        });
    }
    Ok(source.map(|source| (values, source)))
}

/// Usefulness of one context alone.
async fn useful(
    run: CaseRun<'_>,
    context: &str,
    lang: Lang,
    asker: &dyn Asker,
    again: bool,
) -> Result<(bool, Source), Absence> {
    let view = View::new(Group::SplitUseful)
        .text(Field::Question, "question", &run.case.question)
        .text(Field::Reference, "reference", run.reference().unwrap_or_default())
        .list(Field::Contexts, "contexts", [(1, context)]);
    let question = Question {
        again,
        ..Question::new(Group::SplitUseful, lang, view, replies::useful_schema())
    };
    ask(asker, &question, |reply: replies::Useful| Ok(reply.useful)).await
}
