//! From records to outcomes: judge, embed, score, keep.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use ragmeter_core::{
    CaseRun, Embedder, Outcome, RecordFacts, RecordJudge, RunRecord, StoreError, TestCase,
};
use ragmeter_facts::Wanted;
use ragmeter_local::E5Embedder;
use ragmeter_metrics::Metric;
use ragmeter_runner::{Control, Events, judge_all};
use ragmeter_store::{JudgedRow, SqliteStore};

use crate::fingerprint;
use crate::programs::{self, Scorer};
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
    /// Programs of the project's own.
    pub(crate) programs: &'a [Scorer],
    pub(crate) concurrency: usize,
    pub(crate) events: &'a Events,
    pub(crate) control: &'a Control,
}

/// What came of it; facts and outcomes are in the store.
pub(crate) struct Judged {
    /// Facts that were asked for.
    pub(crate) asked: usize,
    /// Of them, those that could not be had.
    pub(crate) failed: usize,
    /// Records that the run was stopped before.
    pub(crate) unjudged: usize,
    /// Mean cosine of questions with the implied questions of *other* cases.
    pub(crate) floor: Option<f64>,
    /// The models as they named themselves in their replies.
    pub(crate) returned: BTreeSet<String>,
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
    let (judged, floor) = completed(bench, runs, facts).await?;
    let asked = judged.iter().map(|(_, facts)| facts.asked()).sum();
    let failed = judged.iter().map(|(_, facts)| facts.failures().count()).sum();
    let returned = fingerprint::returned(judged.iter().map(|(_, facts)| facts));
    tokio::task::block_in_place(|| score(bench, judged))?;
    Ok(Judged { asked, failed, unjudged, floor, returned })
}

/// Judges and scores records once more, beside the run: replies and vectors are kept, so nothing
/// is paid twice, but no judgement of the run is read or changed. Records that the run was stopped
/// before are missing.
pub(crate) async fn evaluate_beside(
    bench: &Bench<'_>,
    records: &[RunRecord],
) -> Result<Vec<JudgedRow>, StoreError> {
    let case_of = |record: &RunRecord| bench.cases.get(record.case_id.as_str()).copied();
    let runs: Vec<CaseRun<'_>> = records
        .iter()
        .filter_map(|record| Some(CaseRun { case: case_of(record)?, record }))
        .collect();
    let (window, events, control) = (bench.concurrency * 2, bench.events, bench.control);
    let facts = judge_all(&runs, bench.judge, window, &|_, _| Ok(()), events, control).await?;
    let (judged, _) = completed(bench, runs, facts).await?;
    Ok(judged.into_iter().map(|(run, facts)| row(bench, run, facts)).collect())
}

/// Records with all their facts, those of vectors and programs included.
type Completed<'a> = Vec<(CaseRun<'a>, RecordFacts)>;

/// Records that were judged, completed, and the floor of question similarity.
async fn completed<'a>(
    bench: &Bench<'_>,
    runs: Vec<CaseRun<'a>>,
    facts: Vec<Option<RecordFacts>>,
) -> Result<(Completed<'a>, Option<f64>), StoreError> {
    let mut judged: Completed<'a> =
        runs.into_iter().zip(facts).filter_map(|(run, facts)| Some((run, facts?))).collect();
    let floor = vectors::add(bench, &mut judged).await?;
    let ids: Vec<String> = bench.metrics.iter().map(|metric| metric.id.clone()).collect();
    programs::add(bench.programs, &ids, &mut judged).await;
    Ok((judged, floor))
}

fn row(bench: &Bench<'_>, run: CaseRun<'_>, facts: RecordFacts) -> JudgedRow {
    JudgedRow {
        system: run.record.system.clone(),
        case_id: run.case.id.clone(),
        outcomes: outcomes(bench.metrics, bench.local, run, &facts),
        facts,
    }
}

impl Judged {
    /// The share of facts that could not be had.
    pub(crate) fn failed_share(&self) -> f64 {
        share(self.failed, self.asked)
    }
}

/// The share of these rows' facts that could not be had.
pub(crate) fn failed_share(rows: &[JudgedRow]) -> f64 {
    let asked: usize = rows.iter().map(|row| row.facts.asked()).sum();
    let failed: usize = rows.iter().map(|row| row.facts.failures().count()).sum();
    share(failed, asked)
}

fn share(failed: usize, asked: usize) -> f64 {
    if asked == 0 { 0.0 } else { failed as f64 / asked as f64 }
}

/// Records that are scored and kept at a time: few enough that a large run is never in memory
/// twice, enough that a thread and a transaction are worth it.
const AT_A_TIME: usize = 1024;

/// Scores and keeps, so many records at a time. Facts are let go as soon as they are kept.
fn score(bench: &Bench<'_>, judged: Vec<(CaseRun<'_>, RecordFacts)>) -> Result<(), StoreError> {
    let mut judged = judged.into_iter();
    loop {
        let some: Vec<_> = judged.by_ref().take(AT_A_TIME).collect();
        if some.is_empty() {
            return Ok(());
        }
        let outcomes =
            in_parallel(&some, |(run, facts)| outcomes(bench.metrics, bench.local, *run, facts));
        let rows: Vec<JudgedRow> = (some.into_iter().zip(outcomes))
            .map(|((run, facts), outcomes)| JudgedRow {
                system: run.record.system.clone(),
                case_id: run.case.id.clone(),
                facts,
                outcomes,
            })
            .collect();
        bench.store.put_judged(bench.run_id, &rows)?;
    }
}

/// Applies a pure function to each item on all cores; results are in the order of the items.
fn in_parallel<T: Sync, R: Send>(items: &[T], function: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = items.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let function = &function;
        let workers: Vec<_> = items
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(function).collect::<Vec<R>>()))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
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

/// Facts that a model's replies gave are kept so many records at a time. The replies themselves are
/// in the store before anyone reads them: a run that is killed in between reads them again and asks
/// for nothing. What a local judge found is all there is of it, and kept at once.
const KEPT_TOGETHER: usize = 64;

/// Facts of every record, in order; those kept whole from before are not judged again.
async fn judge(
    bench: &Bench<'_>,
    runs: &[CaseRun<'_>],
) -> Result<(Vec<Option<RecordFacts>>, usize), StoreError> {
    let mut known = bench.store.facts(bench.run_id)?;
    known.retain(|_, facts| facts.failures().next().is_none());
    let mut facts: Vec<Option<RecordFacts>> = runs
        .iter()
        .map(|run| known.remove(&(run.record.system.clone(), run.case.id.clone())))
        .collect();
    let todo: Vec<usize> = (0..runs.len()).filter(|&index| facts[index].is_none()).collect();
    let work: Vec<CaseRun<'_>> = todo.iter().map(|&index| runs[index]).collect();
    let together = if bench.local { 1 } else { KEPT_TOGETHER };
    let waiting: Mutex<Vec<JudgedRow>> = Mutex::default();
    let keep = |at: usize, facts: &RecordFacts| {
        if facts.asked() == 0 {
            // Metrics of texts and ids alone: what isn't there need not be kept.
            return Ok(());
        }
        let run = work[at];
        let row = JudgedRow {
            system: run.record.system.clone(),
            case_id: run.case.id.clone(),
            facts: facts.clone(),
            outcomes: BTreeMap::new(),
        };
        let rows = {
            let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.push(row);
            if waiting.len() < together {
                return Ok(());
            }
            std::mem::take(&mut *waiting)
        };
        bench.store.put_judged(bench.run_id, &rows)
    };
    // Twice as many records under way as calls in flight: a record that waits for its claims
    // leaves its place on the wire to another.
    let window = bench.concurrency * 2;
    let judged = judge_all(&work, bench.judge, window, &keep, bench.events, bench.control).await;
    let rest = waiting.into_inner().unwrap_or_else(PoisonError::into_inner);
    bench.store.put_judged(bench.run_id, &rest)?;
    let judged = judged?;
    let unjudged = judged.iter().filter(|facts| facts.is_none()).count();
    for (index, judged) in todo.into_iter().zip(judged) {
        facts[index] = judged;
    }
    Ok((facts, unjudged))
}
