//! Two runs of different judges, judged again by one of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use ragmeter_analysis::RunData;
use ragmeter_core::{Embedder, RunRecord};
use ragmeter_local::E5Embedder;
use ragmeter_metrics::Metric;
use ragmeter_models::Provider;

use crate::assemble::{info, own_of, spec_of_run};
use crate::budget::Budget;
use crate::config::{JudgeConfig, LOCAL, RunConfig};
use crate::ending::Ending;
use crate::error::Error;
use crate::models::{Environment, Models};
use crate::pipeline::{Plan, Session, System, execute};
use crate::score::{metrics_of, recorded};
use crate::spec::{JudgeSpec, NO_EMBEDDER, RunSpec, SystemSpec};

/// Both runs before the judge of the first.
#[derive(Debug)]
pub struct Rejudged {
    /// The first run's records, judged again; a run of its own, kept in the store.
    pub a: RunData,
    /// The second run's.
    pub b: RunData,
    /// How judging ended; the worse of both.
    pub ending: Ending,
    /// What the user should know, one line each.
    pub notes: Vec<String>,
}

/// Judges the records of both runs by the judge of the first one, in a new run each: the same model
/// at the same endpoint (or at `base_url`), profile and votes, for the metrics that both have. What
/// is judged is kept: replies that were paid for are not asked for again.
pub async fn rejudge(
    session: &Session,
    (a, b): (&RunData, &RunData),
    base_url: Option<&str>,
    env: Environment<'_>,
) -> Result<Rejudged, Error> {
    if a.run_id == b.run_id {
        return Err(Error::usage("one run has one judge: name two runs to judge them again"));
    }
    let spec = spec_of_run(&session.store, &a.run_id)?;
    let judge = JudgeConfig {
        model: model_of(&spec.judge, base_url)?,
        profile: spec.judge.asked_in().into(),
        votes: spec.judge.votes,
        ..JudgeConfig::default()
    };
    let concurrency = RunConfig::default().concurrency;
    let models = Models::new(BTreeMap::new(), base_url.map(str::to_owned), concurrency);
    let own = own_of(&session.store, &a.run_id)?;
    let shared = a.metrics.iter().filter(|one| b.metrics.iter().any(|other| other.id == one.id));
    let ids: Vec<String> =
        shared.filter(|metric| !metric.companion).map(|metric| metric.id.clone()).collect();
    if ids.is_empty() {
        return Err(Error::usage("the runs have no metric in common to judge again"));
    }
    let mut notes = Vec::new();
    let metrics = cosines(&spec, &models)?.may_use(metrics_of(&ids, &own)?, &mut notes);
    let mut judged = Vec::new();
    let mut ending = Ending::Done;
    for run in [a, b] {
        let plan = Plan {
            name: format!("{} judged again by {}", run.run_id, spec.judge.model),
            cases: run.cases.clone(),
            systems: systems(run),
            corpus: None,
            metrics: metrics.clone(),
            own: own.clone(),
            programs: Vec::new(),
            judge: judge.clone(),
            models: &models,
            concurrency,
            seed: run.seed,
            compare: a.compare.clone(),
            budget: Budget::default(),
            max_failed: RunConfig::default().max_failed,
            fresh: false,
            second_of: Some(run.run_id.clone()),
            drift: None,
            notes: Vec::new(),
        };
        let done = execute(session, plan, env).await?;
        if ending == Ending::Done {
            ending = done.ending;
        }
        notes.extend(done.notes);
        judged.push(done.data);
    }
    let (Some(b), Some(a)) = (judged.pop(), judged.pop()) else {
        return Err(Error::Failed("two runs were judged, and are not there".to_owned()));
    };
    Ok(Rejudged { a, b, ending, notes })
}

fn systems(run: &RunData) -> Vec<(SystemSpec, System)> {
    let records = |index: usize| -> Vec<RunRecord> {
        run.systems[index].records.iter().map(|one| one.record.clone()).collect()
    };
    let names = run.systems.iter().map(|system| system.name.clone()).enumerate();
    names.map(|(index, name)| recorded(name, records(index))).collect()
}

/// The name by which a kept run's judge is asked again. Its endpoint must be named anew, but for a
/// provider's own: a key must not go where only a file says so.
pub(crate) fn model_of(judge: &JudgeSpec, base_url: Option<&str>) -> Result<String, Error> {
    if judge.endpoint == LOCAL {
        return Ok(LOCAL.to_owned());
    }
    let own = Provider::ALL.into_iter().find(|one| one.base_url() == Some(&judge.endpoint));
    if own.is_none() && base_url.is_none() {
        return Err(Error::usage(format!(
            "the judge is {} at {}: name its endpoint with --base-url",
            judge.model, judge.endpoint
        )));
    }
    Ok(format!("{}:{}", own.unwrap_or_default().name(), judge.model))
}

/// The embedder of a kept run.
pub(crate) enum Cosines {
    /// None: no metric of the run rests on one.
    None,
    /// The one inside ragmeter.
    Local(Arc<E5Embedder>),
    /// Another one, by its fingerprint: it can't be asked again by that alone.
    Remote(String),
}

pub(crate) fn cosines(spec: &RunSpec, models: &Models) -> Result<Cosines, Error> {
    if spec.embedder == NO_EMBEDDER {
        return Ok(Cosines::None);
    }
    let local = models.local()?;
    Ok(if spec.embedder == local.fingerprint() {
        Cosines::Local(local)
    } else {
        Cosines::Remote(spec.embedder.clone())
    })
}

impl Cosines {
    /// The metrics that can be had with this embedder; says which can't.
    pub(crate) fn may_use(&self, metrics: Vec<Metric>, notes: &mut Vec<String>) -> Vec<Metric> {
        let Self::Remote(embedder) = self else { return metrics };
        let (out, kept): (Vec<Metric>, Vec<Metric>) =
            metrics.into_iter().partition(|metric| info(metric).rests_on_cosines);
        if !out.is_empty() {
            let names: Vec<&str> = out.iter().map(|metric| metric.id.as_str()).collect();
            notes.push(format!(
                "{}: left out, since they rest on the embedder {embedder}, which is not asked again",
                names.join(", ")
            ));
        }
        kept
    }
}
