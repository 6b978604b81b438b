//! Claims against texts: all contexts jointly, each context alone, or the reference answer.

use futures::future::join_all;
use ragmeter_core::{Absence, Checked, Claim, ClaimVerdict, Fact, Source, Support};
use serde_json::Value;

use crate::ask::join;
use crate::contexts::OrderedContexts;
use crate::group::{Field, Group, VERIFY_CLAIMS};
use crate::judging::{Checklist, Judging, numbered};
use crate::replies::{self, Verdict, Verdicts};
use crate::template::View;
use crate::wanted::Profile;

pub(crate) fn by_rule<T>(value: T, rule: &str) -> Fact<T> {
    Fact { value, source: Source::Code { rule: rule.to_owned() } }
}

/// Texts without repetitions, and where each of the given ones is among them.
fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> (Vec<&'a str>, Vec<usize>) {
    let mut distinct: Vec<&str> = Vec::new();
    let places = texts
        .map(|text| {
            distinct.iter().position(|known| *known == text).unwrap_or_else(|| {
                distinct.push(text);
                distinct.len() - 1
            })
        })
        .collect();
    (distinct, places)
}

/// Claims that one call holds: eight in groups, all as RAGAS asks.
pub(crate) fn batch(j: &Judging<'_>) -> usize {
    match j.profile {
        Profile::Grouped => VERIFY_CLAIMS,
        Profile::Split => usize::MAX,
    }
}

/// Verdicts on these claims by these numbered contexts, in the order of the claims; equal claims
/// are judged once.
async fn against(
    j: &Judging<'_>,
    group: Group,
    claims: &[&str],
    contexts: &[(usize, &str)],
) -> Result<Fact<Vec<Verdict>>, Absence> {
    let (texts, places) = distinct(claims.iter().copied());
    let show = |view: View, texts: &[&str]| {
        view.list(Field::Contexts, "contexts", contexts.iter().copied()).list(
            Field::Claims,
            "claims",
            numbered(texts),
        )
    };
    let schema = |claims| replies::verify_schema(claims, contexts.len());
    let judged = j.check(&checklist(group, &texts, batch(j), &show, &schema)).await?;
    let value = places.iter().map(|&at| judged.value[at].clone()).collect();
    Ok(Fact { value, source: judged.source })
}

fn checklist<'a>(
    group: Group,
    texts: &'a [&'a str],
    batch: usize,
    show: &'a (dyn Fn(View, &[&str]) -> View + Sync),
    schema: &'a (dyn Fn(usize) -> Value + Sync),
) -> Checklist<'a, Verdicts, Verdict> {
    let items = |reply: Verdicts| reply.verdicts;
    Checklist { group, what: "claims", texts, batch, show, schema, items }
}

fn texts(claims: &[Claim]) -> Vec<&str> {
    claims.iter().map(|claim| claim.text.as_str()).collect()
}

/// Each claim against all contexts jointly.
pub(crate) async fn support(
    j: &Judging<'_>,
    claims: &[Claim],
    contexts: &OrderedContexts<'_>,
) -> Result<Fact<Vec<ClaimVerdict>>, Absence> {
    if claims.is_empty() {
        return Ok(by_rule(Vec::new(), "no-claims@1"));
    }
    if contexts.len() == 0 {
        return Ok(by_rule((0..claims.len()).map(unsupported).collect(), "no-contexts@1"));
    }
    let shown: Vec<(usize, &str)> = contexts.numbered().collect();
    let judged = against(j, Group::Verify, &texts(claims), &shown).await?;
    let verdict = |(claim, verdict): (usize, &Verdict)| {
        let (quote, quote_dropped) = verdict.quoted(|quote| contexts.holds(quote));
        ClaimVerdict {
            claim,
            support: verdict.support,
            contexts: contexts.ranks(&verdict.contexts),
            quote,
            quote_dropped,
            probability: None,
        }
    };
    let value = judged.value.iter().enumerate().map(verdict).collect();
    Ok(Fact { value, source: judged.source })
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

/// Each of these statements against each context alone: one row a statement, verdicts in rank
/// order.
pub(crate) async fn support_each(
    j: &Judging<'_>,
    group: Group,
    statements: &[&str],
    contexts: &OrderedContexts<'_>,
) -> Result<Fact<Vec<Vec<Support>>>, Absence> {
    if statements.is_empty() {
        return Ok(by_rule(Vec::new(), "no-claims@1"));
    }
    if contexts.len() == 0 {
        return Ok(by_rule(vec![Vec::new(); statements.len()], "no-contexts@1"));
    }
    let calls = contexts
        .numbered()
        .map(|(_, text)| async move { against(j, group, statements, &[(1, text)]).await });
    let mut columns = Vec::with_capacity(contexts.len());
    let mut source: Option<Source> = None;
    for judged in join_all(calls).await {
        let judged = judged?;
        columns.push(judged.value);
        join(&mut source, judged.source);
    }
    let row = |statement: usize| -> Vec<Support> {
        let of_statement: Vec<Support> =
            columns.iter().map(|column| column[statement].support).collect();
        contexts.by_rank(&of_statement)
    };
    let value = (0..statements.len()).map(row).collect();
    let source = source.unwrap_or_else(|| Source::Code { rule: "no-contexts@1".to_owned() });
    Ok(Fact { value, source })
}

/// Each claim against the reference answer.
pub(crate) async fn correct(
    j: &Judging<'_>,
    claims: &[Claim],
    reference: &str,
) -> Result<Fact<Vec<Checked>>, Absence> {
    if claims.is_empty() {
        return Ok(by_rule(Vec::new(), "no-claims@1"));
    }
    let (distinct, places) = distinct(claims.iter().map(|claim| claim.text.as_str()));
    let show = |view: View, texts: &[&str]| {
        view.text(Field::Reference, "reference", reference).list(
            Field::Claims,
            "claims",
            numbered(texts),
        )
    };
    let schema = |claims| replies::checked_schema("verdicts", "claim", claims);
    let judged = j.check(&checklist(Group::Correct, &distinct, batch(j), &show, &schema)).await?;
    let value = places
        .iter()
        .map(|&at| judged.value[at].checked(|quote| reference.contains(quote)))
        .collect();
    Ok(Fact { value, source: judged.source })
}
