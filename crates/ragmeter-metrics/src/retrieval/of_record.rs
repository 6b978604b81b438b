//! Measures of one record: ids of its contexts against the ids that its case calls relevant.

use std::collections::{BTreeMap, BTreeSet};

use ragmeter_core::{CaseRun, Outcome, UnitInterval};

use super::ranking::{Ranking, Seen};
use super::{formulas as plain, gains};

/// Relevant contexts at the first `k` places, over `k`.
pub(super) fn precision_at(run: CaseRun<'_>, k: usize) -> Result<Outcome, Outcome> {
    let ranking = ranking(run)?;
    let hits = ranking.relevant_at(k);
    let why =
        format!("{hits} of the first {k} places hold a relevant context{}", short(&ranking, k));
    scored(plain::precision_at(&ranking, k), why)
}

/// Relevant contexts at the first `k` places, over all relevant ones.
pub(super) fn recall_at(run: CaseRun<'_>, k: usize) -> Result<Outcome, Outcome> {
    let ranking = ranking(run)?;
    let (hits, total) = (ranking.relevant_at(k), ranking.total());
    let why = format!("{hits} of {total} relevant contexts stand among the first {k}");
    scored(plain::recall_at(&ranking, k), why)
}

/// Whether a relevant context stands at the first `k` places: 1 or 0.
pub(super) fn success_at(run: CaseRun<'_>, k: usize) -> Result<Outcome, Outcome> {
    let ranking = ranking(run)?;
    let why = match ranking.relevant().first() {
        Some(rank) if *rank <= k => format!("a relevant context stands at rank {rank}"),
        Some(rank) => format!("the first relevant context stands at rank {rank}, below {k}"),
        None => nothing(&ranking),
    };
    scored(plain::success_at(&ranking, k), why)
}

/// One over the rank of the first relevant context.
pub(super) fn reciprocal_rank(run: CaseRun<'_>) -> Result<Outcome, Outcome> {
    let ranking = ranking(run)?;
    let why = match ranking.relevant().first() {
        Some(rank) => format!("the first relevant context stands at rank {rank}"),
        None => nothing(&ranking),
    };
    scored(plain::reciprocal_rank(&ranking), why)
}

/// Average precision.
pub(super) fn average_precision(run: CaseRun<'_>) -> Result<Outcome, Outcome> {
    let ranking = ranking(run)?;
    let why = where_relevant(&ranking);
    scored(plain::average_precision_at(&ranking, usize::MAX), why)
}

/// nDCG at `k`, with the grade as the gain.
pub(super) fn ndcg_at(run: CaseRun<'_>, k: usize) -> Result<Outcome, Outcome> {
    let ranking = ranking(run)?;
    let graded = |(index, gain)| format!("{gain} at rank {}", index + 1);
    let gains = ranking.gains().take(k).enumerate().filter(|(_, gain)| *gain > 0.0);
    let gains: Vec<String> = gains.map(graded).collect();
    let why = if gains.is_empty() {
        nothing(&ranking)
    } else {
        format!("grades among the first {k}: {}", gains.join(", "))
    };
    scored(gains::ndcg_at(&ranking, k), why)
}

/// Precision at as many places as there are relevant contexts.
pub(super) fn r_precision(run: CaseRun<'_>) -> Result<Outcome, Outcome> {
    let ranking = ranking(run)?;
    let total = ranking.total();
    let hits = ranking.relevant_at(total);
    scored(
        plain::r_precision(&ranking),
        format!("{hits} relevant contexts at the first {total} places, as many as are relevant"),
    )
}

/// Binary preference.
pub(super) fn bpref(run: CaseRun<'_>) -> Result<Outcome, Outcome> {
    let ranking = ranking(run)?;
    let why = format!(
        "{} of {} relevant contexts and {} of {} judged not relevant were retrieved",
        ranking.relevant().len(),
        ranking.total(),
        plain::judged_not_relevant(&ranking),
        ranking.not_relevant()
    );
    scored(plain::bpref(&ranking), why)
}

/// Expected reciprocal rank at `k`, on gdeval's scale of grades from 0 to 4.
pub(super) fn err_at(run: CaseRun<'_>, k: usize) -> Result<Outcome, Outcome> {
    let ranking = ranking(run)?;
    scored(gains::err_at(&ranking, k), where_relevant(&ranking))
}

/// The share of the distinct retrieved ids that are relevant (RAGAS, by ids).
pub(super) fn context_precision(run: CaseRun<'_>) -> Result<Outcome, Outcome> {
    let ranking = ranking(run)?;
    if ranking.retrieved() == 0 {
        return scored(0.0, nothing(&ranking));
    }
    let why = format!(
        "{} of {} distinct ids retrieved are relevant",
        ranking.relevant().len(),
        ranking.retrieved()
    );
    scored(plain::set_precision(&ranking), why)
}

/// The share of the relevant ids that were retrieved (RAGAS, by ids).
pub(super) fn context_recall(run: CaseRun<'_>) -> Result<Outcome, Outcome> {
    let ranking = ranking(run)?;
    let (hits, total) = (ranking.relevant().len(), ranking.total());
    scored(plain::set_recall(&ranking), format!("{hits} of {total} relevant ids were retrieved"))
}

fn scored(value: f64, explanation: String) -> Result<Outcome, Outcome> {
    let value = UnitInterval::clamped(value)
        .ok_or_else(|| Outcome::not_applicable("the ranking has no such measure"))?;
    Ok(Outcome::scored(value, explanation))
}

fn nothing(ranking: &Ranking) -> String {
    match ranking.retrieved() {
        0 => "nothing was retrieved".to_owned(),
        many => format!("none of {many} contexts is relevant"),
    }
}

/// What to say where a ranking is shorter than the cutoff.
fn short(ranking: &Ranking, k: usize) -> String {
    if ranking.retrieved() >= k {
        return String::new();
    }
    format!("; {} were retrieved", ranking.retrieved())
}

fn where_relevant(ranking: &Ranking) -> String {
    if ranking.relevant().is_empty() {
        return nothing(ranking);
    }
    let ranks: Vec<String> = ranking.relevant().iter().map(ToString::to_string).collect();
    let (retrieved, total) = (ranking.retrieved(), ranking.total());
    format!("relevant at ranks {} of {retrieved}; {total} are relevant in all", ranks.join(", "))
}

/// The record's ranking beside the judgements of its case. An id that repeats counts at its best
/// rank only, and what stands below it moves up.
fn ranking(run: CaseRun<'_>) -> Result<Ranking, Outcome> {
    let judged = judgements(run);
    if judged.is_empty() {
        return Err(Outcome::not_applicable(
            "the case has no ids of relevant contexts (reference_context_ids, relevance)",
        ));
    }
    if judged.values().all(|&grade| grade < 1) {
        return Err(Outcome::not_applicable("no context is relevant to the case"));
    }
    let ids = ids(run)?;
    let mut met = BTreeSet::new();
    let seen = ids.into_iter().filter(|id| met.insert(*id)).map(|id| match judged.get(id) {
        Some(&grade) => u32::try_from(grade).map_or(Seen::Unjudged, Seen::Grade),
        None => Seen::Unpooled,
    });
    let grades = judged.values().filter_map(|&grade| u32::try_from(grade).ok());
    Ok(Ranking::new(seen.collect(), grades.collect(), 1))
}

/// Grades by id: those of `relevance`, and 1 for what is named a reference context only.
fn judgements(run: CaseRun<'_>) -> BTreeMap<&str, i32> {
    let named = run.case.reference_context_ids.iter().map(|id| (id.as_str(), 1));
    let graded = run.case.relevance.iter().map(|(id, &grade)| (id.as_str(), grade));
    named.chain(graded).collect()
}

/// The ids of what was retrieved, in rank order. Unlike other metrics these need no texts.
fn ids(run: CaseRun<'_>) -> Result<Vec<&str>, Outcome> {
    let contexts = match &run.record.contexts {
        Some(contexts) => contexts.as_slice(),
        None if run.record.error.is_some() => &[],
        None => return Err(Outcome::not_applicable("the record has no contexts")),
    };
    let named: Vec<&str> = contexts.iter().filter_map(|one| one.id.as_deref()).collect();
    match contexts.len() - named.len() {
        0 => Ok(named),
        missing if missing == contexts.len() => {
            Err(Outcome::not_applicable("the contexts have no ids"))
        }
        missing => Err(Outcome::not_applicable(format!(
            "{missing} of {} contexts have no id",
            contexts.len()
        ))),
    }
}
