//! The local judge on claims: against each context alone, and against the reference answer.

use ragmeter_core::{
    Absence, CaseRun, Checked, Claim, Fact, FactKind, Lang, PairScorer, RecordFacts, Support,
    SupportItem,
};

use crate::code::{answer_kind_by_code, by_code, reference_units};
use crate::contexts::OrderedContexts;
use crate::local::{absence, source};
use crate::wanted::Wanted;

/// Whether each context alone supports each statement; one row a statement, in rank order.
fn each(
    run: CaseRun<'_>,
    statements: &[&str],
    lang: Lang,
    contexts: &OrderedContexts<'_>,
    scorer: &dyn PairScorer,
) -> Result<Fact<Vec<Vec<bool>>>, Absence> {
    let texts: Vec<[&str; 1]> = contexts.numbered().map(|(_, text)| [text]).collect();
    let items: Vec<SupportItem<'_>> = statements
        .iter()
        .flat_map(|claim| {
            texts.iter().map(|context| SupportItem {
                question: &run.case.question,
                claim,
                contexts: context,
                lang,
            })
        })
        .collect();
    let scores = scorer.support(&items).map_err(|error| absence(&error))?;
    let supported: Vec<bool> = scores.iter().map(|score| score.supported).collect();
    let rows = if texts.is_empty() {
        vec![Vec::new(); statements.len()]
    } else {
        supported.chunks(texts.len()).map(|row| contexts.by_rank(row)).collect()
    };
    Ok(Fact { value: rows, source: source(scorer) })
}

/// Whether one text supports each statement.
fn against(
    run: CaseRun<'_>,
    statements: &[&str],
    lang: Lang,
    text: &str,
    scorer: &dyn PairScorer,
) -> Result<Fact<Vec<Checked>>, Absence> {
    let contexts = [text];
    let items: Vec<SupportItem<'_>> = statements
        .iter()
        .map(|claim| SupportItem { question: &run.case.question, claim, contexts: &contexts, lang })
        .collect();
    let scores = scorer.support(&items).map_err(|error| absence(&error))?;
    let checked = |score: ragmeter_core::SupportScore| Checked {
        support: verdict(score.supported),
        quote: text.get(score.sentence).map(str::to_owned),
        quote_dropped: false,
    };
    Ok(Fact { value: scores.into_iter().map(checked).collect(), source: source(scorer) })
}

fn verdict(supported: bool) -> Support {
    if supported { Support::Supported } else { Support::Absent }
}

/// Adds what is wanted about the answer's claims.
pub(crate) fn answer_side(
    run: CaseRun<'_>,
    wanted: &Wanted,
    lang: Lang,
    contexts: Option<&OrderedContexts<'_>>,
    scorer: &dyn PairScorer,
    claims: &[Claim],
    facts: &mut RecordFacts,
) {
    let texts: Vec<&str> = claims.iter().map(|claim| claim.text.as_str()).collect();
    if wanted.has(FactKind::ClaimSupportEach)
        && let Some(contexts) = contexts
    {
        let judged = each(run, &texts, lang, contexts, scorer);
        facts.support_each = Some(judged.map(|fact| Fact {
            value:
                fact.value.into_iter().map(|row| row.into_iter().map(verdict).collect()).collect(),
            source: fact.source,
        }));
    }
    if wanted.has(FactKind::ClaimCorrect)
        && let Some(reference) = run.reference()
    {
        facts.correct = Some(against(run, &texts, lang, reference, scorer));
    }
}

/// Adds what is wanted about the reference's claims, which are its sentences.
pub(crate) fn reference_side(
    run: CaseRun<'_>,
    wanted: &Wanted,
    lang: Lang,
    contexts: Option<&OrderedContexts<'_>>,
    scorer: &dyn PairScorer,
    facts: &mut RecordFacts,
) {
    let Some(reference) = run.reference() else { return };
    let units = reference_units(reference, lang);
    let texts: Vec<&str> = units.iter().map(String::as_str).collect();
    if wanted.has(FactKind::ReferenceSupportEach)
        && let Some(contexts) = contexts
    {
        facts.reference_support_each = Some(each(run, &texts, lang, contexts, scorer));
    }
    if wanted.has(FactKind::ReferenceCovered) {
        facts.reference_covered = match answer_kind_by_code(run) {
            Ok(answer) => Some(against(run, &texts, lang, answer, scorer)),
            Err(None) => None,
            Err(Some((_, rule))) => {
                let absent =
                    Checked { support: Support::Absent, quote: None, quote_dropped: false };
                by_code(vec![absent; units.len()], rule)
            }
        };
    }
    facts.reference_claims = by_code(units, "reference-sentences@1");
}
