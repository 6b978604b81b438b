use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ragmeter_analysis::{CompareOptions, Documents};
use ragmeter_core::{RunRecord, TestCase};
use ragmeter_metrics::Metric;
use ragmeter_runner::RunEvent;

use crate::budget::{Budget, Price};
use crate::config::{Loaded, PopulationConfig, SystemConfig};
use crate::corpus::{build, models_of};
use crate::error::Error;
use crate::input;
use crate::models::{Environment, Models};
use crate::pipeline::{Plan, RunResult, Session, System, execute};
use crate::plan::{Planned, rehearse};
use crate::programs::ready;
use crate::score::{metrics_of, recorded};
use crate::systems::{Heard, live_system};

/// What the command line may change of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// Only the first so many cases.
    pub limit: Option<usize>,
    /// Ask everything anew.
    pub fresh: bool,
    /// Leave bad rows of input files out instead of stopping.
    pub skip_invalid: bool,
}

/// Runs a configuration: index, answer, judge, compare.
pub async fn run(
    session: &Session,
    loaded: &Loaded,
    options: RunOptions,
    env: Environment<'_>,
) -> Result<RunResult, Error> {
    let models = models_of(&loaded.config);
    let plan = plan(session, loaded, options, &models, env).await?;
    execute(session, plan, env).await
}

/// What running a configuration would ask and cost. Documents are indexed, no system is asked.
pub async fn plan_run(
    session: &Session,
    loaded: &Loaded,
    options: RunOptions,
    env: Environment<'_>,
) -> Result<Planned, Error> {
    let models = models_of(&loaded.config);
    let plan = plan(session, loaded, options, &models, env).await?;
    rehearse(session, &plan, env).await
}

async fn plan<'a>(
    session: &Session,
    loaded: &Loaded,
    options: RunOptions,
    models: &'a Models,
    env: Environment<'_>,
) -> Result<Plan<'a>, Error> {
    let config = &loaded.config;
    if config.systems.is_empty() {
        return Err(Error::usage(format!(
            "{}: `systems` is missing: name at least one system",
            loaded.file
        )));
    }
    let budget = budget(loaded, models.price(&config.judge.model))?;
    let (own, programs) = ready(&config.definitions(), &loaded.folder, env, Some(&heard(session)))?;
    let metrics = metrics_of(&config.metrics, &own)?;
    let compare = compare_options(loaded, &metrics)?;
    let mut notes = Vec::new();
    let mut of_records = BTreeMap::new();
    for system in &config.systems {
        if let Some(file) = &system.records {
            let rows = input::records(&loaded.folder.join(file), options.skip_invalid)?;
            notes.extend(rows.notes);
            of_records.insert(system.name.as_str(), rows.rows);
        }
    }
    let mut cases = cases(loaded, &of_records, options, &mut notes)?;
    if let Some(limit) = options.limit {
        cases.truncate(limit);
    }
    let store_folder = session.store.path().parent().unwrap_or(Path::new("."));
    let chains = config.systems.iter().any(SystemConfig::is_chain);
    let built = if chains { Some(build(loaded, store_folder, models, env).await?) } else { None };
    if let Some(built) = &built {
        let outcome = &built.outcome;
        notes.extend(outcome.unread_lines());
        notes.extend(outcome.notes.iter().cloned());
    }
    let mut systems = Vec::new();
    for system in &config.systems {
        if let Some(rows) = of_records.remove(system.name.as_str()) {
            let records = recorded_records(system, rows, &cases, &mut notes);
            systems.push(recorded(system.name.clone(), records));
        } else {
            let heard = Some(heard(session));
            let (spec, live) = live_system(system, loaded, built.as_ref(), models, env, heard)?;
            systems.push((spec, System::Live(live)));
        }
    }
    Ok(Plan {
        name: config.run.name.clone().unwrap_or_else(|| loaded.file.clone()),
        cases,
        systems,
        corpus: built.as_ref().map(|built| built.spec.clone()),
        metrics,
        own,
        programs,
        judge: config.judge.clone(),
        models,
        concurrency: config.run.concurrency,
        seed: config.run.seed,
        compare,
        budget,
        max_failed: config.run.max_failed,
        fresh: options.fresh,
        second_of: None,
        drift: config.run.drift,
        notes,
    })
}

/// What the configuration declares of comparisons, checked against the metrics of the run.
fn compare_options(loaded: &Loaded, metrics: &[Metric]) -> Result<CompareOptions, Error> {
    let declared = &loaded.config.compare;
    let options = CompareOptions {
        population: match declared.population {
            PopulationConfig::TheseDocuments => Documents::These,
            PopulationConfig::NewDocuments => Documents::New,
        },
        primary: declared.primary.clone(),
        margin: declared.margin,
        width: declared.width,
    };
    let ids: Vec<&str> = metrics.iter().map(|metric| metric.id.as_str()).collect();
    check_compare(&options, &ids)
        .map_err(|error| Error::usage(format!("{}: compare.{error}", loaded.file)))?;
    Ok(options)
}

/// Where the run stops; a bound of money needs a price.
fn budget(loaded: &Loaded, price: Option<Price>) -> Result<Budget, Error> {
    let config = &loaded.config;
    let bound = &config.run.budget;
    if bound.money.is_some() && price.is_none() {
        return Err(Error::usage(format!(
            "{}: run.budget.money: the price of the judge `{}` is not known: give it as \
             models.NAME.price, and NAME as judge.model",
            loaded.file, config.judge.model
        )));
    }
    Ok(Budget { calls: bound.calls, tokens: bound.tokens, money: bound.money, price })
}

/// What is wrong with a declaration, beginning with its key.
pub fn check_compare(options: &CompareOptions, metrics: &[&str]) -> Result<(), String> {
    for (key, value) in [("margin", options.margin), ("width", options.width)] {
        if let Some(value) = value.filter(|value| !(*value > 0.0 && *value <= 1.0)) {
            return Err(format!("{key}: {value} is not above 0 and at most 1"));
        }
    }
    match &options.primary {
        Some(primary) if !metrics.contains(&primary.as_str()) => Err(format!(
            "primary: `{primary}` is not among the metrics of the run: {}",
            metrics.join(", ")
        )),
        _ => Ok(()),
    }
}

/// What programs say goes the way of everything that happens in a run.
pub(crate) fn heard(session: &Session) -> Heard {
    let events = session.events.clone();
    Arc::new(move |system, line| {
        let (system, line) = (system.to_owned(), line.to_owned());
        let _ = events.send(RunEvent::Said { system, line });
    })
}

type Recorded = Vec<(TestCase, RunRecord)>;

/// The test set, or the cases that the recorded answers bring with them.
fn cases(
    loaded: &Loaded,
    records: &BTreeMap<&str, Recorded>,
    options: RunOptions,
    notes: &mut Vec<String>,
) -> Result<Vec<TestCase>, Error> {
    if let Some(file) = &loaded.config.testset {
        let rows = input::cases(&loaded.folder.join(file), options.skip_invalid)?;
        notes.extend(rows.notes);
        return Ok(rows.rows);
    }
    let mut cases: Vec<TestCase> = Vec::new();
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for (system, rows) in records {
        for (case, _) in rows {
            match known.get(case.id.as_str()) {
                None => {
                    known.insert(&case.id, &case.question);
                    cases.push(case.clone());
                }
                Some(question) if *question == case.question => {}
                Some(_) => {
                    return Err(Error::usage(format!(
                        "system `{system}`: case `{}` asks another question than it does in an \
                         earlier file: give a `testset`, or make ids and questions agree",
                        case.id
                    )));
                }
            }
        }
    }
    if cases.is_empty() {
        return Err(Error::usage(format!(
            "{}: `testset` is missing: name a JSONL file of test cases",
            loaded.file
        )));
    }
    Ok(cases)
}

/// Records of the cases that are scored, under the system's name. A case without a record counts
/// as an error of the system: a missing answer must not help it.
fn recorded_records(
    system: &SystemConfig,
    rows: Recorded,
    cases: &[TestCase],
    notes: &mut Vec<String>,
) -> Vec<RunRecord> {
    let mut by_case: BTreeMap<String, RunRecord> =
        rows.into_iter().map(|(case, record)| (case.id, record)).collect();
    let mut missing = 0;
    let records = cases
        .iter()
        .map(|case| {
            if let Some(record) = by_case.remove(&case.id) {
                return RunRecord { system: system.name.clone(), ..record };
            }
            missing += 1;
            RunRecord {
                system: system.name.clone(),
                case_id: case.id.clone(),
                error: Some("there is no recorded answer for this case".to_owned()),
                ..RunRecord::default()
            }
        })
        .collect();
    if missing > 0 {
        notes.push(format!(
            "system `{}`: {missing} of {} cases have no recorded answer, which counts as an error",
            system.name,
            cases.len()
        ));
    }
    records
}
