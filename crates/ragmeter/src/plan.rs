//! What a run would ask, and what that would cost, before anything is asked.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use ragmeter_core::{
    CaseRun, Digest, EmbedRole, FactKind, RunRecord, Rung, Store, TestCase, Usage,
};
use ragmeter_facts::judge_record;
use ragmeter_runner::vector_key;
use ragmeter_store::SqliteStore;
use serde::Serialize;
use serde_json::Value;

use crate::config::{JudgeProfile, LOCAL};
use crate::error::Error;
use crate::judge::lang_of;
use crate::models::Environment;
use crate::pipeline::{Plan, Session, System, cost};
use crate::rehearsal::{Counter, Rehearsal};
use crate::spec::{RunSpec, SystemSpec};

/// What a run would ask.
#[derive(Clone, Debug, Serialize)]
pub struct Planned {
    /// Records that each fact would be had for, by its name.
    pub facts: BTreeMap<&'static str, usize>,
    /// Calls.
    pub calls: PlannedCalls,
    /// Calls by their group.
    pub groups: BTreeMap<String, usize>,
    /// Tokens of the calls that are still to be paid.
    pub tokens: PlannedTokens,
    /// Money, with its currency and the day of the price; `amount` is `null` where no price is known.
    pub cost: Value,
    /// Seconds, where an earlier run with this judge tells how long a call takes.
    pub seconds: Option<f64>,
    /// How tokens were counted.
    pub counted: String,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Calls of a run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PlannedCalls {
    /// Chat calls still to be paid.
    pub chat: usize,
    /// Embedding calls still to be paid.
    pub embeddings: usize,
    /// Replies and vectors that are in the store already.
    pub cached: usize,
}

/// Tokens of the calls that are still to be paid.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PlannedTokens {
    /// Prompt tokens.
    pub input: u64,
    /// Tokens of replies, by their probable length.
    pub output: u64,
}

/// What an earlier run with this judge tells of it.
#[derive(Default)]
struct Known {
    seconds_a_call: Option<f64>,
    characters_a_token: Option<f64>,
}

fn known(store: &SqliteStore, model: &str, endpoint: &str) -> Result<Known, Error> {
    for row in store.runs()? {
        let spec: Value = serde_json::from_str(&row.spec).unwrap_or_default();
        let same = spec["judge"]["model"] == model && spec["judge"]["endpoint"] == endpoint;
        let summary: Value = row
            .summary
            .as_deref()
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        if same && summary["seconds_per_call"].is_number() {
            return Ok(Known {
                seconds_a_call: summary["seconds_per_call"].as_f64(),
                characters_a_token: summary["characters_per_token"].as_f64(),
            });
        }
    }
    Ok(Known::default())
}

/// Characters of a context that is not known yet.
const CONTEXT_CHARACTERS: usize = 1000;

/// What an earlier run has of this very system, by case.
fn answered(
    session: &Session,
    spec: &SystemSpec,
    cases: &[TestCase],
) -> Result<BTreeMap<String, RunRecord>, Error> {
    for row in session.store.runs()? {
        let same = serde_json::from_str::<RunSpec>(&row.spec)
            .is_ok_and(|run| run.systems.iter().any(|other| other == spec));
        if same {
            let records = session.store.records(&row.id)?.into_iter();
            let of_system = records.filter(|record| {
                record.system == spec.name && cases.iter().any(|case| case.id == record.case_id)
            });
            return Ok(of_system.map(|record| (record.case_id.clone(), record)).collect());
        }
    }
    Ok(BTreeMap::new())
}

/// A record as a system might give it.
fn likely_record(spec: &SystemSpec, case: &TestCase) -> RunRecord {
    let text = |n: usize| {
        let start = format!("Context {n} of {}. ", case.id);
        let filling = "some words of a text ".chars().cycle();
        start.chars().chain(filling).take(CONTEXT_CHARACTERS).collect::<String>()
    };
    let contexts = (1..=spec.k.unwrap_or(5))
        .map(|n| ragmeter_core::Context { text: text(n), ..ragmeter_core::Context::default() });
    RunRecord {
        system: spec.name.clone(),
        case_id: case.id.clone(),
        contexts: Some(contexts.collect()),
        answer: Some(case.reference.clone().unwrap_or_else(|| case.question.clone())),
        ..RunRecord::default()
    }
}

/// Rehearses a run: what is in the store is read, and nobody is asked.
pub(crate) async fn rehearse(
    session: &Session,
    plan: &Plan<'_>,
    env: Environment<'_>,
) -> Result<Planned, Error> {
    let metrics = ragmeter_metrics::with_companions(&plan.metrics);
    let wanted = ragmeter_metrics::wanted(&metrics);
    let local = plan.judge.model == LOCAL || plan.judge.profile == JudgeProfile::Local;
    let mut notes = plan.notes.clone();
    if plan.drift.is_some() {
        notes.push(
            "run.drift judges a share of the records in the other profile, too: its calls are not \
             counted here"
                .to_owned(),
        );
    }
    let cases: HashMap<&str, &TestCase> =
        plan.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let mut imagined: Vec<RunRecord> = Vec::new();
    for (spec, system) in &plan.systems {
        if let System::Live(_) = system {
            let known = answered(session, spec, &plan.cases)?;
            if known.len() < plan.cases.len() {
                notes.push(format!(
                    "system `{}` has answered {} of {} cases: the others are taken to have answers \
                     as long as their references, and contexts of {CONTEXT_CHARACTERS} characters",
                    spec.name,
                    known.len(),
                    plan.cases.len()
                ));
            }
            let mut known = known;
            imagined.extend(
                plan.cases.iter().map(|case| {
                    known.remove(&case.id).unwrap_or_else(|| likely_record(spec, case))
                }),
            );
        }
    }
    let mut records: Vec<&RunRecord> = imagined.iter().collect();
    for (_, system) in &plan.systems {
        if let System::Recorded(of_system) = system {
            records.extend(of_system);
        }
    }
    let runs: Vec<CaseRun<'_>> = records
        .iter()
        .filter_map(|record| Some(CaseRun { case: cases.get(record.case_id.as_str())?, record }))
        .collect();
    let mut facts: BTreeMap<&'static str, usize> = BTreeMap::new();
    if local {
        for kind in wanted.kinds().filter(|kind| ragmeter_facts::local_gives(*kind)) {
            facts.insert(kind.name(), runs.len());
        }
        let nothing = Usage::default();
        let free = crate::budget::Price {
            input: 0.0,
            cached: None,
            output: 0.0,
            currency: "USD".to_owned(),
            date: None,
        };
        return Ok(Planned {
            facts,
            calls: PlannedCalls::default(),
            groups: BTreeMap::new(),
            tokens: PlannedTokens::default(),
            cost: cost(Some(&free), nothing),
            seconds: None,
            counted: "the local judge asks nobody".to_owned(),
            notes,
        });
    }
    let Some(model) = plan.models.chat(&plan.judge.model, env)? else {
        return Err(Error::usage(format!("`{}` is no language model", plan.judge.model)));
    };
    let earlier = known(&session.store, model.model(), model.endpoint())?;
    let state = session.store.model_state(model.endpoint(), model.model())?;
    let rehearsal = Rehearsal {
        counter: Counter::of(model.model(), earlier.characters_a_token),
        returned: state.as_ref().map(|state| state.returned.clone()),
        first_rung: state.as_ref().map_or(Rung::Native, |state| state.first_rung),
        generation: state.as_ref().map_or(0, |state| state.generation) + u32::from(plan.fresh),
        votes: plan.judge.votes,
        model,
        store: Arc::clone(&session.store),
        asked: Mutex::default(),
    };
    let mut texts: BTreeSet<String> = BTreeSet::new();
    let judged =
        futures::stream::iter(runs.iter().map(|run| {
            let rehearsal = &rehearsal;
            let wanted = &wanted;
            async move {
                (*run, judge_record(*run, wanted, plan.profile(), lang_of(*run), rehearsal).await)
            }
        }));
    let mut judged = judged.buffered(64);
    while let Some((run, of_record)) = judged.next().await {
        for kind in of_record.kinds() {
            *facts.entry(kind.name()).or_default() += 1;
        }
        if wanted.has(FactKind::QuestionSimilarity)
            && let Some(Ok(implied)) = &of_record.implied
        {
            *facts.entry(FactKind::QuestionSimilarity.name()).or_default() += 1;
            texts.insert(run.case.question.clone());
            // Questions that are made up here are told apart by their record, as real ones would be.
            let made_up = rehearsal.made_up(implied);
            texts.extend(implied.value.questions.iter().map(|text| {
                if made_up {
                    format!("{text} {} {}", run.record.system, run.case.id)
                } else {
                    text.clone()
                }
            }));
        }
        if wanted.has(FactKind::AnswerSimilarity)
            && let Some((answer, reference)) = run.answer().zip(run.reference())
        {
            *facts.entry(FactKind::AnswerSimilarity.name()).or_default() += 1;
            texts.extend([answer.to_owned(), reference.to_owned()]);
        }
    }
    let (embeddings, stored) = vectors(session, plan, env, &texts)?;
    drop(judged);
    let counted = rehearsal.counter.words();
    let asked = rehearsal.asked.into_inner().unwrap_or_else(PoisonError::into_inner);
    let calls = PlannedCalls { embeddings, cached: asked.calls.cached + stored, ..asked.calls };
    let usage = Usage { input: asked.tokens.input, cached: 0, output: asked.tokens.output };
    let price = plan.budget.price.as_ref();
    if price.is_none() {
        notes.push(
            "the price of the judge is not known: `--price INPUT/OUTPUT`, or `price` of the model"
                .to_owned(),
        );
    }
    let seconds = earlier.seconds_a_call.map(|seconds| {
        calls.chat as f64 * seconds / plan.concurrency.min(calls.chat.max(1)) as f64
    });
    Ok(Planned {
        facts,
        calls,
        groups: asked.groups,
        tokens: asked.tokens,
        cost: cost(price, usage),
        seconds,
        counted,
        notes,
    })
}

/// Calls for vectors that are not in the store, and how many are; the embedder inside asks nobody.
fn vectors(
    session: &Session,
    plan: &Plan<'_>,
    env: Environment<'_>,
    texts: &BTreeSet<String>,
) -> Result<(usize, usize), Error> {
    if texts.is_empty() || plan.judge.embedder == LOCAL {
        return Ok((0, 0));
    }
    let embedder = plan.models.embedder(&plan.judge.embedder, env)?;
    let keys: Vec<Digest> =
        texts.iter().map(|text| vector_key(embedder.as_ref(), EmbedRole::Query, text)).collect();
    let stored = session.store.vectors(&keys)?.iter().filter(|vector| vector.is_some()).count();
    let missing = texts.len() - stored;
    Ok((missing.div_ceil(embedder.max_batch().max(1)), stored))
}
