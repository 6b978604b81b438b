//! A share of a run's records judged again, to see how steady the judge is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ragmeter_analysis::{
    JudgedRecord, MetricInfo, Repeated, RunData, Wobble, only_cases, wobble as counted,
};
use ragmeter_core::{Embedder, FactKind, Hasher, RunRecord, Store, TestCase};
use ragmeter_facts::{Asker, Repeat};
use ragmeter_store::JudgedRow;

use crate::asker::StoredAsker;
use crate::assemble::{info, load_run, spec_of_run};
use crate::budget::Budget;
use crate::config::RunConfig;
use crate::ending::Ending;
use crate::error::Error;
use crate::evaluate::{Bench, evaluate_beside, failed_share};
use crate::judge::ModelJudge;
use crate::models::{Environment, Models};
use crate::pipeline::Session;
use crate::rejudge::{Cosines, cosines, model_of};

/// What to judge again.
#[derive(Clone, Debug)]
pub struct WobbleRequest {
    /// The run: its id, the beginning of it, or `latest`.
    pub run: String,
    /// The share of its cases, above 0 and at most 1.
    pub share: f64,
    /// How often each record is judged, the run's own time included; 2 at least.
    pub repeats: usize,
    /// The judge; the run's own if left out.
    pub judge: Option<String>,
    /// Replaces the endpoint of `openai:…`.
    pub base_url: Option<String>,
    /// Calls in flight to begin with.
    pub concurrency: usize,
    /// Where to stop.
    pub budget: Budget,
}

/// What came of it.
#[derive(Debug)]
pub struct WobbleResult {
    /// The run.
    pub run: RunData,
    /// The judge's model.
    pub judge: String,
    /// Whether it is the judge of the run.
    pub of_run: bool,
    /// How steady it is.
    pub wobble: Wobble,
    /// How judging ended.
    pub ending: Ending,
    /// What the user should know, one line each.
    pub notes: Vec<String>,
}

/// Judges a share of a run's cases again, with votes of its own, and counts how far the judge agrees
/// with itself. Cases are drawn by the run's seed, whatever their scores. Replies are kept: asking
/// again costs nothing, and what the run asked is the first of the repeats.
pub async fn wobble(
    session: &Session,
    request: &WobbleRequest,
    env: Environment<'_>,
) -> Result<WobbleResult, Error> {
    let run = load_run(&session.store, &request.run)?;
    let spec = spec_of_run(&session.store, &run.run_id)?;
    let name = match &request.judge {
        Some(name) => name.clone(),
        None => model_of(&spec.judge, request.base_url.as_deref())?,
    };
    let models = Models::new(BTreeMap::new(), request.base_url.clone(), request.concurrency);
    let Some(model) = models.chat(&name, env)? else {
        return Err(Error::usage(format!(
            "`{name}` says the same of the same text every time: name a language model with --judge"
        )));
    };
    session.counters.watch(models.endpoints());
    let of_run = model.model() == spec.judge.model && model.endpoint() == spec.judge.endpoint;
    let profile = spec.judge.asked_in();
    let mut notes = Vec::new();
    let all = spec.metrics.iter().filter_map(|id| spec.own.find(id));
    let cosines = cosines(&spec, &models)?;
    // What code computes from the texts doesn't wobble.
    let judged = all.filter(|metric| !info(metric).needs_no_judge).collect();
    let metrics = cosines.may_use(judged, &mut notes);
    if metrics.is_empty() {
        return Err(Error::usage(format!(
            "no metric of run {} is a judge's word: there is nothing to ask again",
            run.run_id
        )));
    }
    let wanted = ragmeter_metrics::wanted(&metrics);
    let judge = model.model().to_owned();
    let asker: Arc<dyn Asker> = Arc::new(StoredAsker::new(
        model,
        Arc::clone(&session.store) as Arc<dyn Store>,
        Arc::clone(&session.counters),
        request.budget.clone(),
        session.control.clone(),
        false,
        spec.judge.votes,
    )?);
    let drawn = draw(&run, request.share);
    let sample = only_cases(&run, &drawn);
    let records: Vec<RunRecord> = (sample.systems.iter())
        .flat_map(|system| system.records.iter().map(|one| one.record.clone()))
        .collect();
    let cases: BTreeMap<&str, &TestCase> =
        sample.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let embeds = [FactKind::QuestionSimilarity, FactKind::AnswerSimilarity];
    let embedder = match cosines {
        Cosines::Local(embedder) if wanted.has_any(&embeds) => Some(embedder as Arc<dyn Embedder>),
        _ => None,
    };
    let places: BTreeMap<&str, usize> =
        cases.keys().enumerate().map(|(at, case)| (*case, at)).collect();
    let mut found: BTreeMap<(String, String), Repeated> = BTreeMap::new();
    let (mut failed, mut complete) = (0.0_f64, true);
    for nth in 0..request.repeats {
        for keeps_units in [false, true] {
            let asker = Arc::new(Repeat::new(Arc::clone(&asker), nth, keeps_units));
            let judge = ModelJudge { asker, wanted: wanted.clone(), profile };
            let bench = Bench {
                store: &session.store,
                run_id: &run.run_id,
                cases: &cases,
                metrics: &metrics,
                judge: &judge,
                wanted: &wanted,
                local: false,
                // Scores are made of what was extracted anew.
                embedder: embedder.clone().filter(|_| !keeps_units),
                tokens: None,
                programs: &[],
                concurrency: request.concurrency,
                events: &session.events,
                control: &session.control,
            };
            let rows = evaluate_beside(&bench, &records).await?;
            complete &= rows.len() == records.len();
            failed = failed.max(failed_share(&rows));
            keep(&mut found, &places, &records, rows, keeps_units);
        }
    }
    let ending = if session.counters.budget_reached() {
        Ending::Budget
    } else if !complete {
        Ending::Interrupted
    } else if failed > RunConfig::default().max_failed {
        notes.push(format!("{:.1} % of the facts of a repeat failed", failed * 100.0));
        Ending::Incomplete
    } else {
        Ending::Done
    };
    if !of_run {
        notes.push(format!("{judge} is not the judge of run {}", run.run_id));
    }
    let found: Vec<Repeated> = found.into_values().collect();
    let infos: Vec<MetricInfo> = metrics.iter().map(info).collect();
    let wobble = counted(&found, &infos, run.seed);
    Ok(WobbleResult { run, judge, of_run, wobble, ending, notes })
}

fn keep(
    found: &mut BTreeMap<(String, String), Repeated>,
    places: &BTreeMap<&str, usize>,
    records: &[RunRecord],
    rows: Vec<JudgedRow>,
    keeps_units: bool,
) {
    let mut rows: BTreeMap<(String, String), JudgedRow> =
        rows.into_iter().map(|row| ((row.system.clone(), row.case_id.clone()), row)).collect();
    for record in records {
        let key = (record.system.clone(), record.case_id.clone());
        let Some(row) = rows.remove(&key) else { continue };
        let case = places.get(record.case_id.as_str()).copied().unwrap_or_default();
        let of_record =
            found.entry(key).or_insert_with(|| Repeated { case, ..Repeated::default() });
        let one = JudgedRecord {
            record: record.clone(),
            facts: row.facts,
            outcomes: row.outcomes,
            ..JudgedRecord::default()
        };
        if keeps_units { of_record.same_units.push(one) } else { of_record.whole.push(one) }
    }
}

/// A share of the cases, at least one, in the order of a seeded hash.
fn draw(run: &RunData, share: f64) -> BTreeSet<&str> {
    let wanted = ((run.cases.len() as f64 * share).ceil() as usize).max(1);
    let seed = run.seed.to_string();
    let mut drawn: Vec<(String, &str)> = (run.cases.iter())
        .map(|case| (Hasher::new("wobble").text(&seed).text(&case.id).finish().0, case.id.as_str()))
        .collect();
    drawn.sort();
    drawn.into_iter().take(wanted).map(|(_, case)| case).collect()
}
