use std::path::PathBuf;

use ragmeter_analysis::CompareOptions;
use ragmeter_core::{RunRecord, TestCase};
use ragmeter_metrics::{Metric, Own};
use serde_json::json;

use crate::budget::Budget;
use crate::config::{Definitions, JudgeConfig, RunConfig, unknown_metric};
use crate::error::Error;
use crate::input;
use crate::models::{Environment, Models};
use crate::pipeline::{Plan, RunResult, Session, System, execute};
use crate::plan::{Planned, rehearse};
use crate::programs::ready;
use crate::run::heard;
use crate::spec::{SystemSpec, hash_json};

/// Recorded answers to be scored without a configuration file.
#[derive(Clone, Debug)]
pub struct ScoreRequest {
    /// The file of records.
    pub file: PathBuf,
    /// Metrics by id; the default ones if empty.
    pub metrics: Vec<String>,
    /// Criteria, rubrics, formulas and programs of the project's own.
    pub own: Definitions,
    /// The folder that paths in them start from.
    pub base: PathBuf,
    /// Who judges.
    pub judge: JudgeConfig,
    /// Replaces the endpoint of `openai:…`.
    pub base_url: Option<String>,
    /// Calls in flight to begin with.
    pub concurrency: usize,
    /// Leave bad rows out instead of stopping.
    pub skip_invalid: bool,
    /// Only the first so many records of each system.
    pub limit: Option<usize>,
    /// Ask everything anew.
    pub fresh: bool,
    /// Where to stop.
    pub budget: Budget,
    /// Largest share of facts that may fail.
    pub max_failed: f64,
    /// The share of records that is judged in the other profile, too.
    pub drift: Option<f64>,
}

impl Default for ScoreRequest {
    fn default() -> Self {
        let run = RunConfig::default();
        Self {
            file: PathBuf::new(),
            metrics: Vec::new(),
            own: Definitions::default(),
            base: PathBuf::new(),
            judge: JudgeConfig::default(),
            base_url: None,
            concurrency: run.concurrency,
            skip_invalid: false,
            limit: None,
            fresh: false,
            budget: Budget::default(),
            max_failed: run.max_failed,
            drift: None,
        }
    }
}

/// The system's name where the file gives none.
const RECORDED: &str = "recorded";

/// Judges a file of recorded answers.
pub async fn score(
    session: &Session,
    request: &ScoreRequest,
    env: Environment<'_>,
) -> Result<RunResult, Error> {
    let models = models_of(request);
    execute(session, plan(session, request, &models, env)?, env).await
}

/// What judging a file of recorded answers would ask and cost.
pub async fn plan_score(
    session: &Session,
    request: &ScoreRequest,
    env: Environment<'_>,
) -> Result<Planned, Error> {
    let models = models_of(request);
    rehearse(session, &plan(session, request, &models, env)?, env).await
}

fn models_of(request: &ScoreRequest) -> Models {
    Models::new(std::collections::BTreeMap::new(), request.base_url.clone(), request.concurrency)
}

fn plan<'a>(
    session: &Session,
    request: &ScoreRequest,
    models: &'a Models,
    env: Environment<'_>,
) -> Result<Plan<'a>, Error> {
    let (own, programs) = ready(&request.own, &request.base, env, Some(&heard(session)))?;
    let metrics = metrics_of(&request.metrics, &own)?;
    let rows = input::records(&request.file, request.skip_invalid)?;
    let (cases, systems) = by_system(rows.rows, request.limit);
    let name = request.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok(Plan {
        name: name.unwrap_or_else(|| RECORDED.to_owned()),
        cases,
        systems,
        corpus: None,
        metrics,
        own,
        programs,
        judge: request.judge.clone(),
        models,
        concurrency: request.concurrency,
        seed: RunConfig::default().seed,
        compare: CompareOptions::default(),
        budget: request.budget.clone(),
        max_failed: request.max_failed,
        fresh: request.fresh,
        second_of: None,
        drift: request.drift,
        notes: rows.notes,
    })
}

/// The metrics with these ids; the default ones and all that the project defines if none is named.
pub(crate) fn metrics_of(ids: &[String], own: &Own) -> Result<Vec<Metric>, Error> {
    let mut ids = ids.to_vec();
    if ids.is_empty() {
        ids.extend(ragmeter_metrics::DEFAULT.iter().map(|id| (*id).to_owned()));
        ids.extend(own.ids_of_own());
    }
    ids.iter().map(|id| own.find(id).ok_or_else(|| Error::usage(unknown_metric(id, own)))).collect()
}

/// Cases, each once, and the systems in the order in which the file names them.
fn by_system(
    rows: Vec<(TestCase, RunRecord)>,
    limit: Option<usize>,
) -> (Vec<TestCase>, Vec<(SystemSpec, System)>) {
    let mut cases: Vec<TestCase> = Vec::new();
    let mut known: std::collections::BTreeSet<String> = std::collections::BTreeSet::new();
    let mut systems: Vec<(String, Vec<RunRecord>)> = Vec::new();
    for (case, mut record) in rows {
        if record.system.is_empty() {
            RECORDED.clone_into(&mut record.system);
        }
        let at = systems.iter().position(|(name, _)| *name == record.system).unwrap_or_else(|| {
            systems.push((record.system.clone(), Vec::new()));
            systems.len() - 1
        });
        if limit.is_some_and(|most| systems[at].1.len() >= most) {
            continue;
        }
        if known.insert(case.id.clone()) {
            cases.push(case);
        }
        systems[at].1.push(record);
    }
    let systems = systems.into_iter().map(|(name, records)| recorded(name, records)).collect();
    (cases, systems)
}

/// A system whose answers are known.
pub(crate) fn recorded(name: String, records: Vec<RunRecord>) -> (SystemSpec, System) {
    let settings = json!({ "records": hash_json("records", &records) });
    (SystemSpec { name, k: None, settings }, System::Recorded(records))
}
