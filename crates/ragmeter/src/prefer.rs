//! Answers of a kept run judged in pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ragmeter_analysis::{
    JudgedPair, PreferenceReport, RunData, SystemData, judge_kin, preferences,
};
use ragmeter_core::{CaseRun, FactSlot, Preference, RunRecord, Source, Store, TestCase};
use ragmeter_facts::Profile;
use ragmeter_runner::{RunEvent, each};
use serde_json::{Value, json};

use crate::asker::StoredAsker;
use crate::assemble::spec_of_run;
use crate::budget::Budget;
use crate::config::LOCAL;
use crate::ending::Ending;
use crate::error::Error;
use crate::judge::lang_of;
use crate::models::{Environment, Models};
use crate::pipeline::{Session, cost};

/// What to judge in pairs, and how.
#[derive(Clone, Debug)]
pub struct PreferRequest {
    /// The systems; all of the run if none is named.
    pub systems: Vec<String>,
    /// The judge: `openai:MODEL`.
    pub judge: String,
    /// Replaces the endpoint of `openai:…`.
    pub base_url: Option<String>,
    /// Replies to each question, of which most decide.
    pub votes: usize,
    /// Calls in flight to begin with.
    pub concurrency: usize,
    /// Only the first so many cases.
    pub limit: Option<usize>,
    /// Where to stop.
    pub budget: Budget,
    /// The largest share of verdicts that may fail.
    pub max_failed: f64,
    /// Ask everything anew.
    pub fresh: bool,
}

/// What came of it.
#[derive(Debug)]
pub struct Preferred {
    /// Counts, tests and strengths.
    pub report: PreferenceReport,
    /// What `--format json` prints.
    pub json: Value,
    /// How it ended.
    pub ending: Ending,
    /// What the user should know, one line each.
    pub notes: Vec<String>,
}

/// One case with the records of two systems.
struct Piece<'a> {
    pair: usize,
    case: &'a TestCase,
    records: Option<[&'a RunRecord; 2]>,
}

/// Judges every pair of these systems case by case, in both orders. The replies are kept in the
/// store, and what was paid for is never asked again: a second call goes on where the first one
/// stopped. The run itself stays as it is. Calls have the form of the run's profile.
pub async fn prefer(
    session: &Session,
    run: &RunData,
    request: &PreferRequest,
    env: Environment<'_>,
) -> Result<Preferred, Error> {
    let systems = chosen(run, &request.systems)?;
    let models = Models::new(BTreeMap::new(), request.base_url.clone(), request.concurrency);
    let Some(model) = models.chat(&request.judge, env)? else {
        return Err(Error::usage(format!(
            "`{LOCAL}` cannot say which of two answers is better: name a language model with \
             --judge openai:MODEL, and its endpoint with --base-url"
        )));
    };
    session.counters.watch(models.endpoints());
    let asker = StoredAsker::new(
        Arc::clone(&model),
        Arc::clone(&session.store) as Arc<dyn Store>,
        Arc::clone(&session.counters),
        request.budget.clone(),
        session.control.clone(),
        request.fresh,
        request.votes,
    )?;
    let profile = spec_of_run(&session.store, &run.run_id)?.judge.asked_in();
    let cases = &run.cases[..run.cases.len().min(request.limit.unwrap_or(usize::MAX))];
    let pairs: Vec<[&SystemData; 2]> = (systems.iter().enumerate())
        .flat_map(|(at, one)| systems[at + 1..].iter().map(move |other| [*one, *other]))
        .collect();
    let work = pieces(cases, &pairs);
    let _ = session.events.send(RunEvent::Judging { total: work.len() });
    let futures = work.iter().map(|piece| judge(piece, profile, &asker));
    let done = |index, slot: &FactSlot<Preference>| {
        let failed = usize::from(matches!(slot, Some(Err(_))));
        let _ = session.events.send(RunEvent::Judged { index, failed });
    };
    let slots = each(futures, request.concurrency, done, &session.control).await;
    if let Some(error) = asker.fatal() {
        return Err(Error::Store(error.clone()));
    }
    let unjudged = slots.iter().filter(|slot| slot.is_none()).count();
    let failed = slots.iter().filter(|slot| matches!(slot, Some(Some(Err(_))))).count();
    let share = failed as f64 / work.len().max(1) as f64;
    let ending = if session.counters.budget_reached() {
        Ending::Budget
    } else if session.control.cancelled() || unjudged > 0 {
        Ending::Interrupted
    } else if share > request.max_failed {
        Ending::Incomplete
    } else {
        Ending::Done
    };
    let mut notes = Vec::new();
    if failed > 0 {
        notes.push(format!(
            "{failed} of {} verdicts could not be had: run it again, only they are asked for",
            work.len()
        ));
    }
    if unjudged > 0 {
        notes.push(format!("{unjudged} pairs of answers were not judged yet and are left out"));
    }
    let mut judged: Vec<JudgedPair> = pairs
        .iter()
        .map(|[a, b]| JudgedPair { a: a.name.clone(), b: b.name.clone(), cases: Vec::new() })
        .collect();
    let mut verdicts = Vec::new();
    for (piece, slot) in work.iter().zip(slots) {
        let Some(slot) = slot else { continue };
        let pair = &mut judged[piece.pair];
        verdicts.push(told(pair, &piece.case.id, &slot));
        pair.cases.push((piece.case.id.clone(), slot));
    }
    let names: Vec<String> = systems.iter().map(|system| system.name.clone()).collect();
    let population = run.compare.population;
    let mut report = preferences(&names, &judged, &run.cases, population, run.seed);
    report.kin = judge_kin(run, model.model(), &names);
    let usage = session.counters.usage();
    let mut json = json!({
        "run_id": run.run_id,
        "judge": {
            "model": model.model(), "endpoint": model.endpoint(), "profile": profile.name(),
            "votes": request.votes, "generation": asker.generation(),
        },
        "status": status(ending),
        "cases": cases.len(),
        "verdicts": verdicts,
        "calls": { "chat": session.counters.calls(), "cached": session.counters.cached() },
        "tokens": { "input": usage.input, "cached": usage.cached, "output": usage.output },
        "cost": cost(request.budget.price.as_ref(), usage),
    });
    let numbers = serde_json::to_value(&report).map_err(|e| Error::Failed(e.to_string()))?;
    if let (Value::Object(whole), Value::Object(numbers)) = (&mut json, numbers) {
        whole.extend(numbers);
    }
    Ok(Preferred { report, json, ending, notes })
}

fn status(ending: Ending) -> &'static str {
    match ending {
        Ending::Done => "done",
        Ending::Incomplete => "incomplete",
        Ending::Budget => "budget",
        Ending::Interrupted => "interrupted",
    }
}

/// The systems to compare, in the order asked for.
fn chosen<'a>(run: &'a RunData, names: &[String]) -> Result<Vec<&'a SystemData>, Error> {
    if names.is_empty() {
        if run.systems.len() < 2 {
            return Err(Error::usage(format!(
                "run {} has one system: there is no other to prefer. Score records of two systems \
                 together, each row with its `system`",
                run.run_id
            )));
        }
        return Ok(run.systems.iter().collect());
    }
    let known: Vec<&str> = run.systems.iter().map(|system| system.name.as_str()).collect();
    let mut seen = BTreeSet::new();
    let mut chosen = Vec::new();
    for name in names {
        let Some(system) = run.systems.iter().find(|system| system.name == *name) else {
            let near = crate::config::nearest(name, known.iter().copied());
            let near = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
            return Err(Error::usage(format!(
                "--systems: run {} has no system `{name}`{near}; it has: {}",
                run.run_id,
                known.join(", ")
            )));
        };
        if !seen.insert(name) {
            return Err(Error::usage(format!("--systems: `{name}` is named twice")));
        }
        chosen.push(system);
    }
    if chosen.len() < 2 {
        return Err(Error::usage(format!(
            "--systems: name two systems or more; run {} has: {}",
            run.run_id,
            known.join(", ")
        )));
    }
    Ok(chosen)
}

/// Case by case, so that what a stopped run has judged is whole cases.
fn pieces<'a>(cases: &'a [TestCase], pairs: &[[&'a SystemData; 2]]) -> Vec<Piece<'a>> {
    let records = |system: &'a SystemData| -> BTreeMap<&'a str, &'a RunRecord> {
        system.records.iter().map(|one| (one.record.case_id.as_str(), &one.record)).collect()
    };
    let by_pair: Vec<[BTreeMap<&str, &RunRecord>; 2]> =
        pairs.iter().map(|pair| pair.map(records)).collect();
    let of_case = |case: &'a TestCase| {
        by_pair.iter().enumerate().map(move |(pair, [a, b])| {
            let both = a.get(case.id.as_str()).zip(b.get(case.id.as_str()));
            Piece { pair, case, records: both.map(|(a, b)| [*a, *b]) }
        })
    };
    cases.iter().flat_map(of_case).collect()
}

async fn judge(piece: &Piece<'_>, profile: Profile, asker: &StoredAsker) -> FactSlot<Preference> {
    let records = piece.records?;
    let lang = lang_of(CaseRun { case: piece.case, record: records[0] });
    ragmeter_facts::prefer(piece.case, records, profile, lang, asker).await
}

/// One verdict with what it rests on, systems by their names.
fn told(pair: &JudgedPair, case: &str, slot: &FactSlot<Preference>) -> Value {
    let name = |preferred: &ragmeter_core::Preferred| match preferred {
        ragmeter_core::Preferred::A => json!(pair.a),
        ragmeter_core::Preferred::B => json!(pair.b),
        ragmeter_core::Preferred::Tie => Value::Null,
    };
    let mut told = json!({ "case_id": case, "a": pair.a, "b": pair.b });
    match slot {
        None => told["status"] = json!("not_told"),
        Some(Err(absence)) => {
            told["status"] = json!("failed");
            told["class"] = json!(absence.class);
            told["detail"] = json!(absence.detail);
        }
        Some(Ok(fact)) => {
            told["status"] = json!("judged");
            told["better"] = name(&fact.value.preferred);
            match &fact.source {
                Source::Judge(judge) => {
                    let orders = fact.value.orders.as_ref();
                    told["orders_agree"] = json!(!fact.value.disagreed());
                    told["said"] =
                        orders.map(|said| said.iter().map(name).collect()).unwrap_or_default();
                    told["reasons"] = json!(fact.value.reasons);
                    told["replies"] = json!(judge.replies);
                    if let Some(votes) = judge.votes {
                        told["votes"] = json!(votes);
                    }
                }
                Source::Code { rule } => told["rule"] = json!(rule),
                Source::Local { .. } | Source::Person { .. } => {}
            }
        }
    }
    told
}
