//! What `run` and `score` have in common once cases and systems are known.

use std::collections::BTreeMap;
use std::sync::Arc;

use ragmeter_analysis::{
    CompareOptions, Comparison, Drift, RunData, SystemSummary, compare_all, family_warnings,
    rankings, summarize,
};
use ragmeter_core::{Embedder, FactKind, Lang, RagSystem, RunRecord, Store, TestCase, Usage};
use ragmeter_facts::{Profile, Wanted, prompt_hashes};
use ragmeter_metrics::{Metric, Own};
use ragmeter_runner::{Control, Events, answer_all};
use ragmeter_store::SqliteStore;
use serde_json::{Value, json};

use crate::assemble;
use crate::budget::{Budget, Counters, Price};
use crate::config::{JudgeConfig, JudgeProfile};
use crate::drift;
use crate::ending::Ending;
use crate::error::Error;
use crate::evaluate::{Bench, evaluate};
use crate::fingerprint;
use crate::judge::{Judge, judge, lang_of};
use crate::models::{Environment, Models};
use crate::programs::Scorer;
use crate::spec::{CorpusSpec, NO_EMBEDDER, RunSpec, SystemSpec, hash_cases};

/// What a run is held together by: where it keeps things, who may stop it, who watches it.
#[derive(Clone, Debug)]
pub struct Session {
    /// The store.
    pub store: Arc<SqliteStore>,
    /// Stops it.
    pub control: Control,
    /// Watches it.
    pub events: Events,
    /// Counts its calls.
    pub counters: Arc<Counters>,
}

/// What came of a run.
#[derive(Debug)]
pub struct RunResult {
    /// The run with all its records.
    pub data: RunData,
    /// Its systems in numbers.
    pub summaries: Vec<SystemSummary>,
    /// Its systems beside each other.
    pub comparisons: Vec<Comparison>,
    /// What `--format json` prints.
    pub json: Value,
    /// How it ended.
    pub ending: Ending,
    /// What the user should know, one line each.
    pub notes: Vec<String>,
    /// What judging in the other profile changes, where that was asked for.
    pub drift: Option<Drift>,
}

/// A system, live or recorded.
pub(crate) enum System {
    Live(Arc<dyn RagSystem>),
    Recorded(Vec<RunRecord>),
}

/// Everything a run needs, resolved.
pub(crate) struct Plan<'a> {
    pub(crate) name: String,
    pub(crate) cases: Vec<TestCase>,
    pub(crate) systems: Vec<(SystemSpec, System)>,
    pub(crate) corpus: Option<CorpusSpec>,
    pub(crate) metrics: Vec<Metric>,
    /// What the project defines itself.
    pub(crate) own: Own,
    /// The programs among it.
    pub(crate) programs: Vec<Scorer>,
    pub(crate) judge: JudgeConfig,
    pub(crate) models: &'a Models,
    pub(crate) concurrency: usize,
    pub(crate) seed: u64,
    pub(crate) compare: CompareOptions,
    pub(crate) budget: Budget,
    pub(crate) max_failed: f64,
    pub(crate) fresh: bool,
    /// The run that this one judges again.
    pub(crate) second_of: Option<String>,
    /// The share of records that is judged in the other profile, too.
    pub(crate) drift: Option<f64>,
    pub(crate) notes: Vec<String>,
}

impl Plan<'_> {
    /// How a language model would be asked.
    pub(crate) fn profile(&self) -> Profile {
        match self.judge.profile {
            JudgeProfile::Split => Profile::Split,
            JudgeProfile::Grouped | JudgeProfile::Local => Profile::Grouped,
        }
    }
}

/// Answers, judges, scores, keeps and sums up.
pub(crate) async fn execute(
    session: &Session,
    mut plan: Plan<'_>,
    env: Environment<'_>,
) -> Result<RunResult, Error> {
    session.counters.watch(plan.models.endpoints());
    let mut notes = plan.notes.clone();
    let metrics = ragmeter_metrics::with_companions(&plan.metrics);
    let wanted = ragmeter_metrics::wanted(&metrics);
    let judge = judge(session, &plan, (plan.profile(), plan.fresh), &wanted, env)?;
    if plan.drift.is_some() && judge.asker.is_none() {
        return Err(Error::usage(
            "drift is between two ways of asking a language model: the local judge is asked nothing",
        ));
    }
    let embeds = [FactKind::QuestionSimilarity, FactKind::AnswerSimilarity];
    let embedder: Option<Arc<dyn Embedder>> = if wanted.has_any(&embeds) {
        Some(plan.models.embedder(&plan.judge.embedder, env)?)
    } else {
        None
    };
    let tokens =
        if wanted.has(FactKind::TokenSimilarity) { Some(plan.models.local()?) } else { None };
    if judge.asker.is_none() {
        notes.extend(beyond_local(&metrics));
    }
    let spec = resolve(&plan, &metrics, &wanted, &judge, embedder.as_deref());
    let run_id = spec.id();
    let spec_json =
        serde_json::to_string(&spec).map_err(|error| Error::Failed(error.to_string()))?;
    session.store.begin_run(&run_id, &plan.name, &spec_json, &plan.cases)?;
    if plan.fresh {
        session.store.clear_run(&run_id)?;
    }
    let records = records(session, &mut plan, &run_id).await?;
    let cases: BTreeMap<&str, &TestCase> =
        plan.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let bench = Bench {
        store: &session.store,
        run_id: &run_id,
        cases: &cases,
        metrics: &metrics,
        judge: judge.records.as_ref(),
        wanted: &wanted,
        local: judge.asker.is_none(),
        embedder,
        tokens,
        programs: &plan.programs,
        concurrency: plan.concurrency,
        events: &session.events,
        control: &session.control,
    };
    let judged = evaluate(&bench, &records).await?;
    if let Some(error) = judge.asker.as_ref().and_then(|asker| asker.fatal()) {
        return Err(Error::Store(error.clone()));
    }
    let whole = judged.unjudged == 0 && !session.control.cancelled();
    let drift = match plan.drift.filter(|_| whole && !session.counters.budget_reached()) {
        None => None,
        Some(share) => {
            let other = drift::other(plan.profile());
            let judge = crate::judge::judge(session, &plan, (other, false), &wanted, env)?;
            let bench = Bench { judge: judge.records.as_ref(), ..bench };
            let rows = session.store.judged(&run_id)?;
            let both = (records.as_slice(), rows.as_slice());
            let (found, more) =
                drift::measure(&bench, both, share, plan.seed, plan.profile()).await?;
            notes.extend(more);
            Some(found)
        }
    };
    // Errors in recorded answers are data; answers that a live system failed to give are missing
    // from this run.
    let unanswered = plan.systems.iter().any(|(system, kind)| {
        let of_system = || records.iter().filter(|record| record.system == system.name);
        let failed = of_system().filter(|record| record.error.is_some()).count();
        let all = of_system().count();
        let most = match kind {
            System::Live(_) => plan.max_failed,
            System::Recorded(_) => 1.0 - f64::EPSILON,
        };
        all > 0 && failed as f64 / all as f64 > most
    });
    let share = judged.failed_share();
    let ending = if session.counters.budget_reached() {
        Ending::Budget
    } else if session.control.cancelled() || judged.unjudged > 0 {
        Ending::Interrupted
    } else if share > plan.max_failed || unanswered {
        Ending::Incomplete
    } else {
        Ending::Done
    };
    notes.extend(plan.systems.iter().filter_map(|(spec, system)| match system {
        System::Live(_) => failures(&spec.name, &records),
        System::Recorded(_) => None,
    }));
    if share > plan.max_failed {
        notes.push(format!(
            "{:.1} % of the facts failed (run.max_failed is {:.1} %): run it again, only they are \
             asked for",
            share * 100.0,
            plan.max_failed * 100.0
        ));
    }
    let card = fingerprint::card(&spec, &judged.returned);
    let came = Came { ending, floor: judged.floor, drift, card };
    // They come back out of the store, with what was judged of them.
    drop(records);
    plan.cases = Vec::new();
    finish(session, &plan, &run_id, came, notes)
}

/// What came of judging, to be kept with the run.
struct Came {
    ending: Ending,
    floor: Option<f64>,
    drift: Option<Drift>,
    /// Who judged.
    card: Value,
}

/// What to say of metrics that need a language model, where there is none.
fn beyond_local(metrics: &[Metric]) -> Option<String> {
    let beyond: Vec<&str> = metrics
        .iter()
        .filter(|metric| !metric.facts().iter().all(|kind| ragmeter_facts::local_gives(*kind)))
        .map(|metric| metric.id.as_str())
        .collect();
    let (what, them) = match beyond.as_slice() {
        [] => return None,
        [one] => (
            (*one).to_owned(),
            "needs a language model as judge: the local one does not give its facts, so it is",
        ),
        many => (
            many.join(", "),
            "need a language model as judge: the local one does not give their facts, so they are",
        ),
    };
    Some(format!("{what} {them} not applicable here"))
}

/// What to say of a live system that failed on cases, with the first of its errors.
fn failures(system: &str, records: &[RunRecord]) -> Option<String> {
    let of_system: Vec<&RunRecord> =
        records.iter().filter(|record| record.system == system).collect();
    let mut failed = of_system
        .iter()
        .filter_map(|record| Some((&record.case_id, record.error.as_deref()?)))
        .peekable();
    let (case, error) = *failed.peek()?;
    let count = failed.count();
    Some(format!(
        "system `{system}` failed on {count} of {} cases, `{case}` first: {error}\n  run it again: \
         only these are asked",
        of_system.len()
    ))
}

fn finish(
    session: &Session,
    plan: &Plan<'_>,
    run_id: &str,
    came: Came,
    notes: Vec<String>,
) -> Result<RunResult, Error> {
    let Came { ending, floor, drift, card } = came;
    let usage = session.counters.usage();
    let mut totals = json!({
        "status": ending.status().name(),
        "calls": {
            "chat": session.counters.calls(),
            "embeddings": plan.models.embedding_calls(),
            "cached": session.counters.cached(),
        },
        "limits": plan.models.endpoints().limits(),
        "tokens": { "input": usage.input, "cached": usage.cached, "output": usage.output },
        "cost": cost(plan.budget.price.as_ref(), usage),
        "seconds_per_call": session.counters.seconds_a_call(),
        "characters_per_token": session.counters.characters_a_token(),
        "answer_relevancy_floor": floor,
        "judge": card,
    });
    if let Some(drift) = &drift {
        totals["drift"] = json!(drift);
    }
    session.store.end_run(run_id, ending.status(), &totals.to_string())?;
    let row = session
        .store
        .find_run(run_id)?
        .ok_or_else(|| Error::Failed(format!("run {run_id} is gone from the store")))?;
    let data = assemble::assemble(&session.store, row)?;
    let (summaries, comparisons) = (summarize(&data), compare_all(&data));
    let mut notes = notes;
    notes.extend(family_warnings(&data, Lang::En));
    notes.extend(crate::tongues::notes(&data));
    let mut json = json!({
        "run_id": run_id,
        "systems": summaries,
        "rankings": rankings(&data, &comparisons),
        "comparisons": comparisons,
    });
    if let (Value::Object(whole), Value::Object(totals)) = (&mut json, totals) {
        whole.extend(totals);
    }
    Ok(RunResult { data, summaries, comparisons, json, ending, notes, drift })
}

/// Money with its currency and the day of the price; `null` is "not known", never zero.
pub(crate) fn cost(price: Option<&Price>, usage: Usage) -> Value {
    json!({
        "amount": price.map(|price| price.of(usage)),
        "currency": price.map(|price| &price.currency),
        "price_date": price.and_then(|price| price.date.as_ref()),
    })
}

async fn records(
    session: &Session,
    plan: &mut Plan<'_>,
    run_id: &str,
) -> Result<Vec<RunRecord>, Error> {
    let store = &session.store;
    let live: Vec<Arc<dyn RagSystem>> = (plan.systems.iter())
        .filter_map(|(_, system)| match system {
            System::Live(system) => Some(Arc::clone(system)),
            System::Recorded(_) => None,
        })
        .collect();
    for (_, system) in &mut plan.systems {
        if let System::Recorded(records) = system {
            // From here on the store has them.
            store.put_records(run_id, &std::mem::take(records))?;
        }
    }
    if live.is_empty() {
        return Ok(store.records(run_id)?);
    }
    let (events, control) = (&session.events, &session.control);
    answer_all(&live, &plan.cases, store.as_ref(), run_id, plan.concurrency, events, control)
        .await?;
    Ok(store.records(run_id)?)
}

fn resolve(
    plan: &Plan<'_>,
    metrics: &[Metric],
    wanted: &Wanted,
    judge: &Judge,
    embedder: Option<&dyn Embedder>,
) -> RunSpec {
    let empty = RunRecord::default();
    let mut langs: Vec<Lang> = plan
        .cases
        .iter()
        .map(|case| lang_of(ragmeter_core::CaseRun { case, record: &empty }))
        .collect();
    langs.sort_unstable();
    langs.dedup();
    let prompts = if judge.asker.is_some() {
        prompt_hashes(wanted, plan.profile(), &langs)
    } else {
        BTreeMap::default()
    };
    RunSpec {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        metrics: metrics.iter().map(|metric| metric.id.clone()).collect(),
        own: plan.own.clone(),
        judge: judge.spec.clone(),
        embedder: embedder
            .map_or_else(|| NO_EMBEDDER.to_owned(), |one| one.fingerprint().to_owned()),
        prompts,
        langs,
        seed: plan.seed,
        compare: plan.compare.clone(),
        second_of: plan.second_of.clone(),
        cases: hash_cases(&plan.cases),
        corpus: plan.corpus.clone(),
        systems: plan.systems.iter().map(|(spec, _)| spec.clone()).collect(),
    }
}
