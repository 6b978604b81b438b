use std::collections::BTreeMap;

use ragmeter_core::{AbsenceClass, Outcome};
use ragmeter_stats::mean_interval;
use serde::Serialize;

use crate::compare::Units;
use crate::diagnosis::{Diagnosis, diagnose};
use crate::{JudgedRecord, RunData, SystemData};

/// The confidence of every interval, fixed before any width is seen.
pub(crate) const LEVEL: f64 = 0.95;

/// One system in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SystemSummary {
    /// The system.
    pub name: String,
    /// One summary for each metric, in the order of the run's metrics.
    pub summaries: Vec<Summary>,
    /// How many records there are.
    pub n_records: usize,
    /// Records in which the system declined to answer.
    pub n_refused: usize,
    /// Records in which the system failed.
    pub n_errors: usize,
    /// Where its wrong claims come from, if facts tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<Diagnosis>,
}

/// One metric of one system. The three counts add up to the number of records.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The metric's id.
    pub metric: String,
    /// The mean of the scores; `None` if there is none.
    pub mean: Option<f64>,
    /// Low and high end of the interval; `None` if there is no score.
    pub interval: Option<[f64; 2]>,
    /// How the interval was made: a rule that never looks at widths or results.
    pub method: &'static str,
    /// Why there is no interval although there are scores.
    pub refusal: Option<String>,
    /// Records with a score.
    pub n_scored: usize,
    /// Records to which the metric does not apply.
    pub n_not_applicable: usize,
    /// Records whose score could not be had; also those that were never measured.
    pub n_failed: usize,
    /// Of the records without a score, those in which the system declined to answer.
    pub n_refused: usize,
    /// The failed ones by class; what is missing to `n_failed` was never measured.
    pub failures: BTreeMap<AbsenceClass, usize>,
}

/// Every system's summary, in the order of the systems.
pub fn summarize(run: &RunData) -> Vec<SystemSummary> {
    let units = Units::of(&run.cases);
    run.systems.iter().map(|system| summarize_system(run, system, units.as_ref())).collect()
}

fn summarize_system(
    run: &RunData,
    system: &SystemData,
    units: Option<&Units<'_>>,
) -> SystemSummary {
    let records = &system.records;
    SystemSummary {
        name: system.name.clone(),
        summaries: run
            .metrics
            .iter()
            .map(|metric| summarize_metric(&metric.id, records, run, units))
            .collect(),
        n_records: records.len(),
        n_refused: records.iter().filter(|record| record.is_refusal()).count(),
        n_errors: records.iter().filter(|record| record.record.error.is_some()).count(),
        diagnosis: diagnose(records),
    }
}

fn summarize_metric(
    metric: &str,
    records: &[JudgedRecord],
    run: &RunData,
    units: Option<&Units<'_>>,
) -> Summary {
    let (mut cases, mut scores) = (Vec::new(), Vec::new());
    let mut failures = BTreeMap::new();
    let (mut n_not_applicable, mut n_failed, mut n_refused) = (0, 0, 0);
    for record in records {
        match record.outcomes.get(metric) {
            Some(Outcome::Scored(score)) => {
                cases.push(record.record.case_id.as_str());
                scores.push(score.value.get());
                continue;
            }
            Some(Outcome::NotApplicable(_)) => n_not_applicable += 1,
            Some(Outcome::Failed(absence)) => {
                n_failed += 1;
                *failures.entry(absence.class).or_insert(0) += 1;
            }
            None => n_failed += 1,
        }
        n_refused += usize::from(record.is_refusal());
    }
    let labels = units.map(|units| units.labels(cases.into_iter()));
    let population = run.compare.population.into();
    let interval = mean_interval(&scores, labels.as_deref(), population, LEVEL, run.seed);
    let (interval, method, refusal) = match interval {
        Ok(found) => (Some([found.interval.low, found.interval.high]), found.method.rule().0, None),
        Err(_) if scores.is_empty() => (None, "no score", None),
        Err(refusal) => (None, "refused", Some(refusal)),
    };
    Summary {
        metric: metric.to_owned(),
        mean: mean(&scores),
        interval,
        method,
        refusal: refusal.map(|refusal| refusal.to_string()),
        n_scored: scores.len(),
        n_not_applicable,
        n_failed,
        n_refused,
        failures,
    }
}

pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
