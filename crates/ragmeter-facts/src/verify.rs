//! Claims against all contexts jointly.

use futures::future::join_all;
use ragmeter_core::{Absence, Claim, ClaimVerdict, Fact, Lang, Source, Support};

use crate::ask::{Asker, Question, ask, joined, missing_ids};
use crate::contexts::OrderedContexts;
use crate::group::{Field, Group};
use crate::replies::{self, by_id};
use crate::template::View;

/// Verdicts on all claims: equal ones are judged once, at most `batch` in a call.
pub(crate) async fn verify(
    claims: &Result<Fact<Vec<Claim>>, Absence>,
    contexts: &OrderedContexts<'_>,
    lang: Lang,
    asker: &dyn Asker,
    group: Group,
    batch: usize,
) -> Result<Fact<Vec<ClaimVerdict>>, Absence> {
    let claims = match claims {
        Ok(fact) => &fact.value,
        Err(absence) => return Err(absence.clone()),
    };
    let code = |rule: &str| Source::Code { rule: rule.to_owned() };
    if claims.is_empty() {
        return Ok(Fact { value: Vec::new(), source: code("no-claims@1") });
    }
    if contexts.len() == 0 {
        let value = (0..claims.len()).map(unsupported).collect();
        return Ok(Fact { value, source: code("no-contexts@1") });
    }
    let mut distinct: Vec<&str> = Vec::new();
    let place: Vec<usize> = claims
        .iter()
        .map(|claim| {
            distinct.iter().position(|text| *text == claim.text).unwrap_or_else(|| {
                distinct.push(&claim.text);
                distinct.len() - 1
            })
        })
        .collect();
    let batches: Vec<&[&str]> = distinct.chunks(batch).collect();
    let calls = batches.iter().map(|texts| verify_batch(texts, contexts, lang, asker, group));
    let mut verdicts = Vec::with_capacity(distinct.len());
    let mut source: Option<Source> = None;
    for judged in join_all(calls).await {
        for (verdict, of) in judged? {
            verdicts.push(verdict);
            source = Some(match source.take() {
                Some(known) => joined(known, of),
                None => of,
            });
        }
    }
    let value = place
        .iter()
        .enumerate()
        .map(|(claim, &at)| ClaimVerdict { claim, ..verdicts[at].clone() })
        .collect();
    Ok(Fact { value, source: source.unwrap_or_else(|| code("no-claims@1")) })
}

fn unsupported(claim: usize) -> ClaimVerdict {
    ClaimVerdict {
        claim,
        support: Support::Absent,
        contexts: Vec::new(),
        quote: None,
        quote_dropped: false,
        probability: None,
    }
}

async fn verify_batch(
    texts: &[&str],
    contexts: &OrderedContexts<'_>,
    lang: Lang,
    asker: &dyn Asker,
    group: Group,
) -> Result<Vec<(ClaimVerdict, Source)>, Absence> {
    let (first, source) = verify_call(texts, contexts, lang, asker, group, false).await?;
    let missing: Vec<usize> = (0..texts.len()).filter(|&index| first[index].is_none()).collect();
    let alone: Vec<&str> = missing.iter().map(|&index| texts[index]).collect();
    let mut second = if alone.is_empty() {
        Vec::new()
    } else {
        let (verdicts, source) = verify_call(&alone, contexts, lang, asker, group, true).await?;
        verdicts.into_iter().map(|verdict| (verdict, source.clone())).collect()
    }
    .into_iter();
    let all = first.into_iter().map(|verdict| match verdict {
        Some(verdict) => Some((verdict, source.clone())),
        None => second.next().and_then(|(verdict, source)| Some((verdict?, source))),
    });
    all.collect::<Option<Vec<_>>>().ok_or_else(|| missing_ids("claims"))
}

async fn verify_call(
    texts: &[&str],
    contexts: &OrderedContexts<'_>,
    lang: Lang,
    asker: &dyn Asker,
    group: Group,
    again: bool,
) -> Result<(Vec<Option<ClaimVerdict>>, Source), Absence> {
    let view = View::new(group).list(Field::Contexts, "contexts", contexts.numbered()).list(
        Field::Claims,
        "claims",
        texts.iter().enumerate().map(|(i, text)| (i + 1, *text)),
    );
    let schema = replies::verify_schema(texts.len(), contexts.len());
    let question = Question { again, ..Question::new(group, lang, view, schema) };
    let read = |reply: replies::Verdicts| {
        let verdicts = by_id(&reply.verdicts, texts.len());
        Ok(verdicts.into_iter().map(|v| v.map(|v| claim_verdict(&v, contexts))).collect())
    };
    ask(asker, &question, read).await
}

fn claim_verdict(verdict: &replies::Verdict, contexts: &OrderedContexts<'_>) -> ClaimVerdict {
    let quote = verdict.quote.trim();
    let quote = (!quote.is_empty()).then_some(quote);
    let found = quote.filter(|quote| contexts.holds(quote));
    ClaimVerdict {
        claim: 0,
        support: verdict.support,
        contexts: contexts.ranks(&verdict.contexts),
        quote: found.map(str::to_owned),
        quote_dropped: quote.is_some() && found.is_none(),
        probability: None,
    }
}
