//! From records to outcomes: judge, embed, score, keep.

use std::collections::BTreeMap;
use std::sync::Arc;

use ragmeter_core::{
    Absence, CaseRun, EmbedRole, Embedder, ErrorClass, Fact, ModelError, RecordFacts, RecordJudge,
    RunRecord, Source, Store, StoreError, TestCase,
};
use ragmeter_metrics::Metric;
use ragmeter_runner::{Control, Embedded, Events, embed_all, judge_all};
use ragmeter_store::{JudgedRow, SqliteStore};

/// What is needed to judge records.
pub(crate) struct Bench<'a> {
    pub(crate) store: &'a SqliteStore,
    pub(crate) run_id: &'a str,
    pub(crate) cases: &'a BTreeMap<&'a str, &'a TestCase>,
    pub(crate) metrics: &'a [&'static Metric],
    pub(crate) judge: &'a dyn RecordJudge,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
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
    let floor = match &bench.embedder {
        Some(embedder) => similarities(bench, embedder.as_ref(), &mut judged).await?,
        None => None,
    };
    let rows: Vec<JudgedRow> = judged
        .into_iter()
        .map(|(run, facts)| JudgedRow {
            system: run.record.system.clone(),
            case_id: run.case.id.clone(),
            outcomes: outcomes(bench.metrics, run, &facts),
            facts,
        })
        .collect();
    bench.store.put_judged(bench.run_id, &rows)?;
    Ok(Judged { rows, unjudged, floor })
}

fn outcomes(
    metrics: &[&'static Metric],
    run: CaseRun<'_>,
    facts: &RecordFacts,
) -> BTreeMap<String, ragmeter_core::Outcome> {
    metrics.iter().map(|metric| (metric.id.to_owned(), (metric.score)(run, facts))).collect()
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

/// Gives every record with implied questions their cosines with its question; returns the floor.
async fn similarities(
    bench: &Bench<'_>,
    embedder: &dyn Embedder,
    judged: &mut [(CaseRun<'_>, RecordFacts)],
) -> Result<Option<f64>, StoreError> {
    let mut texts: Vec<&str> = Vec::new();
    for (run, facts) in judged.iter() {
        if let Some(questions) = implied(facts) {
            texts.push(&run.case.question);
            texts.extend(questions.iter().map(String::as_str));
        }
    }
    if texts.is_empty() {
        return Ok(None);
    }
    let embedded = embed_all(
        &texts,
        EmbedRole::Query,
        embedder,
        bench.store,
        bench.concurrency,
        bench.events,
        bench.control,
    )
    .await?;
    let floor = floor(&embedded, judged);
    let source = Source::Local { fingerprint: embedder.fingerprint().to_owned() };
    for (run, facts) in judged.iter_mut() {
        let Some(questions) = implied(facts) else { continue };
        let vector = |text: &str| embedded.vectors.get(text);
        let cosines: Option<Vec<f64>> = vector(&run.case.question).and_then(|asked| {
            questions.iter().map(|text| Some(cosine(asked, vector(text)?))).collect()
        });
        facts.similarity = Some(match cosines {
            Some(value) => Ok(Fact { value, source: source.clone() }),
            None => Err(absence(embedded.failure.as_ref())),
        });
    }
    Ok(floor)
}

/// The implied questions that are to be compared with the question asked.
fn implied(facts: &RecordFacts) -> Option<&[String]> {
    match &facts.implied {
        Some(Ok(fact)) if !fact.value.noncommittal => Some(&fact.value.questions),
        _ => None,
    }
}

/// Both vectors have unit length.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn absence(failure: Option<&ModelError>) -> Absence {
    let (class, detail) = match failure {
        Some(ModelError { class: ErrorClass::Failed(class), .. }) => {
            (*class, failure.map(ToString::to_string).unwrap_or_default())
        }
        Some(error) => (ragmeter_core::AbsenceClass::Rejected, error.to_string()),
        None => (
            ragmeter_core::AbsenceClass::Budget,
            "not embedded: the run was stopped before".to_owned(),
        ),
    };
    Absence { class, detail }
}

/// Mean cosine of each question with the implied questions of the next case of the same system:
/// what answers to *other* questions score in this very set. Cosines of e5 and its like lie close
/// to 1 for anything, so a score says little without it.
fn floor(embedded: &Embedded, judged: &[(CaseRun<'_>, RecordFacts)]) -> Option<f64> {
    let mut cosines = Vec::new();
    for (index, (run, _)) in judged.iter().enumerate() {
        let others = judged[index + 1..].iter().chain(&judged[..index]);
        let other = others.filter(|(other, _)| other.record.system == run.record.system).find(
            |(other, facts)| other.case.question != run.case.question && implied(facts).is_some(),
        );
        let Some((_, facts)) = other else { continue };
        let Some(asked) = embedded.vectors.get(&run.case.question) else { continue };
        let questions = implied(facts).unwrap_or_default().iter();
        cosines
            .extend(questions.filter_map(|text| Some(cosine(asked, embedded.vectors.get(text)?))));
    }
    (!cosines.is_empty()).then(|| cosines.iter().sum::<f64>() / cosines.len() as f64)
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
