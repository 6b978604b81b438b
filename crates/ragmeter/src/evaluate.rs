//! From records to outcomes: judge, embed, score, keep.

use std::collections::BTreeMap;
use std::sync::Arc;

use ragmeter_core::{
    CaseRun, Embedder, Outcome, RecordFacts, RecordJudge, RunRecord, Store, StoreError, TestCase,
};
use ragmeter_facts::Wanted;
use ragmeter_local::E5Embedder;
use ragmeter_metrics::Metric;
use ragmeter_runner::{Control, Events, judge_all};
use ragmeter_store::{JudgedRow, SqliteStore};

use crate::vectors;

/// What is needed to judge records.
pub(crate) struct Bench<'a> {
    pub(crate) store: &'a SqliteStore,
    pub(crate) run_id: &'a str,
    pub(crate) cases: &'a BTreeMap<&'a str, &'a TestCase>,
    pub(crate) metrics: &'a [Metric],
    pub(crate) judge: &'a dyn RecordJudge,
    pub(crate) wanted: &'a Wanted,
    /// No language model judges.
    pub(crate) local: bool,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    /// The encoder inside, where vectors of single tokens are wanted.
    pub(crate) tokens: Option<Arc<E5Embedder>>,
    pub(crate) concurrency: usize,
    pub(crate) events: &'a Events,
    pub(crate) control: &'a Control,
}

/// What came of it.
pub(crate) struct Judged {
    pub(crate) rows: Vec<JudgedRow>,
    /// Records that the run was stopped before.
    pub(crate) unjudged: usize,
    /// Mean cosine of questions with the implied questions of *other* cases.
    pub(crate) floor: Option<f64>,
}

/// Judges records that were not judged before, scores all of them, and keeps what came of it.
pub(crate) async fn evaluate(
    bench: &Bench<'_>,
    records: &[RunRecord],
) -> Result<Judged, StoreError> {
    let runs: Vec<CaseRun<'_>> = records
        .iter()
        .filter_map(|record| {
            let case = bench.cases.get(record.case_id.as_str())?;
            Some(CaseRun { case, record })
        })
        .collect();
    let (facts, unjudged) = judge(bench, &runs).await?;
    let mut judged: Vec<(CaseRun<'_>, RecordFacts)> =
        runs.into_iter().zip(facts).filter_map(|(run, facts)| Some((run, facts?))).collect();
    let floor = vectors::add(bench, &mut judged).await?;
    let rows: Vec<JudgedRow> = judged
        .into_iter()
        .map(|(run, facts)| JudgedRow {
            system: run.record.system.clone(),
            case_id: run.case.id.clone(),
            outcomes: outcomes(bench.metrics, bench.local, run, &facts),
            facts,
        })
        .collect();
    bench.store.put_judged(bench.run_id, &rows)?;
    Ok(Judged { rows, unjudged, floor })
}

fn outcomes(
    metrics: &[Metric],
    local: bool,
    run: CaseRun<'_>,
    facts: &RecordFacts,
) -> BTreeMap<String, Outcome> {
    let outcome = |metric: &Metric| {
        // A judge that can't give a metric's facts must not leave a mean over the records that
        // need none.
        if local && !metric.facts().iter().all(|kind| ragmeter_facts::local_gives(*kind)) {
            return Outcome::not_applicable("this judge does not give the facts it needs");
        }
        metric.score(run, facts)
    };
    metrics.iter().map(|metric| (metric.id.clone(), outcome(metric))).collect()
}

/// Facts of every record, in order; those kept whole from before are not judged again.
async fn judge(
    bench: &Bench<'_>,
    runs: &[CaseRun<'_>],
) -> Result<(Vec<Option<RecordFacts>>, usize), StoreError> {
    let mut known: BTreeMap<(String, String), RecordFacts> = bench
        .store
        .judged(bench.run_id)?
        .into_iter()
        .filter(|row| row.facts.failures().next().is_none())
        .map(|row| ((row.system, row.case_id), row.facts))
        .collect();
    let mut facts: Vec<Option<RecordFacts>> = runs
        .iter()
        .map(|run| known.remove(&(run.record.system.clone(), run.case.id.clone())))
        .collect();
    let todo: Vec<usize> = (0..runs.len()).filter(|&index| facts[index].is_none()).collect();
    let work: Vec<CaseRun<'_>> = todo.iter().map(|&index| runs[index]).collect();
    let keep = |at: usize, facts: &RecordFacts| {
        let run = work[at];
        let row = JudgedRow {
            system: run.record.system.clone(),
            case_id: run.case.id.clone(),
            facts: facts.clone(),
            outcomes: BTreeMap::new(),
        };
        bench.store.put_judged(bench.run_id, &[row])
    };
    // Twice as many records under way as calls in flight: a record that waits for its claims
    // leaves its place on the wire to another.
    let window = bench.concurrency * 2;
    let judged = judge_all(&work, bench.judge, window, &keep, bench.events, bench.control).await?;
    let unjudged = judged.iter().filter(|facts| facts.is_none()).count();
    for (index, judged) in todo.into_iter().zip(judged) {
        facts[index] = judged;
    }
    Ok((facts, unjudged))
}

/// Shares of facts that could not be had.
pub(crate) fn failed_share(rows: &[JudgedRow]) -> f64 {
    let asked: usize = rows.iter().map(|row| row.facts.asked()).sum();
    let failed: usize = rows.iter().map(|row| row.facts.failures().count()).sum();
    if asked == 0 { 0.0 } else { failed as f64 / asked as f64 }
}

/// Records by system, then case, as the store gives them.
pub(crate) fn put_records(
    store: &SqliteStore,
    run_id: &str,
    records: &[RunRecord],
) -> Result<(), StoreError> {
    records.iter().try_for_each(|record| store.put_record(run_id, record))
}
