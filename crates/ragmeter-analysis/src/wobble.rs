//! How far a judge says the same of the same records, asked again.

use std::collections::{BTreeMap, BTreeSet};

use ragmeter_stats::{Order, Population, alpha, alpha_interval, mean_interval};
use serde::Serialize;

use crate::summary::LEVEL;
use crate::verdicts::{order, verdicts};
use crate::{JudgedRecord, MetricInfo};

mod said;

pub use said::wobble_sentences;

/// One record, judged several times.
#[derive(Clone, Debug, Default)]
pub struct Repeated {
    /// Number of its case: records of one case are drawn together.
    pub case: usize,
    /// Its judgements with the claims and parts of the first one.
    pub same_units: Vec<JudgedRecord>,
    /// Its judgements with claims and parts extracted anew each time.
    pub whole: Vec<JudgedRecord>,
}

/// How steady a judge is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wobble {
    /// Records judged again.
    pub n_records: usize,
    /// Their cases.
    pub n_cases: usize,
    /// How often each was judged, the first time included.
    pub repeats: usize,
    /// Agreement for each kind of fact.
    pub facts: Vec<FactWobble>,
    /// What that does to the scores.
    pub metrics: Vec<MetricWobble>,
}

/// Agreement of a judge with itself on one kind of fact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FactWobble {
    /// The kind's name; `criteria:NAME` for a criterion.
    pub fact: String,
    /// Units (claims, contexts, answers) with at least two verdicts.
    pub n_units: usize,
    /// Records that they belong to.
    pub n_records: usize,
    /// Units whose verdicts are all the same.
    pub n_same: usize,
    /// Mean over units of the share of pairs of verdicts that are equal, in `[0, 1]`.
    pub agreement: f64,
    /// Krippendorff's alpha; `None` if one label only was ever given.
    pub alpha: Option<f64>,
    /// Its 95 % interval over cases drawn whole; `None` below ten cases.
    pub interval: Option<[f64; 2]>,
    /// `nominal` or `ordinal`.
    pub scale: &'static str,
}

/// How far a metric's score of one record moves between judgements.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricWobble {
    /// The metric's id.
    pub metric: String,
    /// Records that were scored at least twice.
    pub n: usize,
    /// Mean over records of the mean absolute difference between two judgements, in `[0, 1]`.
    pub difference: Option<f64>,
    /// Its 95 % interval, cases being the unit.
    pub interval: Option<[f64; 2]>,
    /// Records whose scores are not all the same.
    pub n_changed: usize,
    /// `n_changed / n`.
    pub share_changed: Option<f64>,
    /// Records that have a score in some of the judgements only.
    pub n_sometimes: usize,
}

/// Scores nearer than this are the same.
const SAME: f64 = 1e-9;

/// Counts how far repeated judgements agree.
pub fn wobble(records: &[Repeated], metrics: &[MetricInfo], seed: u64) -> Wobble {
    let cases: BTreeSet<usize> = records.iter().map(|one| one.case).collect();
    Wobble {
        n_records: records.len(),
        n_cases: cases.len(),
        repeats: records.iter().map(|one| one.whole.len()).max().unwrap_or(0),
        facts: facts(records, seed),
        metrics: metrics
            .iter()
            .filter(|metric| !metric.companion && !metric.needs_no_judge)
            .map(|metric| of_metric(records, &metric.id, seed))
            .collect(),
    }
}

/// Labels of one unit, with its record and case.
struct Unit {
    record: usize,
    case: usize,
    labels: Vec<usize>,
}

fn facts(records: &[Repeated], seed: u64) -> Vec<FactWobble> {
    let mut by_fact: BTreeMap<String, Vec<Unit>> = BTreeMap::new();
    for (record, one) in records.iter().enumerate() {
        let mut labels: BTreeMap<(String, (String, usize)), Vec<usize>> = BTreeMap::new();
        for (kept, whole) in one.same_units.iter().zip(&one.whole) {
            let mut said = verdicts(kept);
            // It is told in the call that extracts claims, which is kept where units are.
            said.remove("refusal");
            said.extend(verdicts(whole).remove_entry("refusal"));
            for (fact, said) in said {
                for (unit, verdict) in said.units {
                    labels.entry((fact.clone(), unit)).or_default().push(verdict.label);
                }
            }
        }
        for ((fact, _), labels) in labels {
            if labels.len() > 1 {
                by_fact.entry(fact).or_default().push(Unit { record, case: one.case, labels });
            }
        }
    }
    by_fact.into_iter().map(|(fact, units)| of_fact(fact, &units, seed)).collect()
}

fn of_fact(fact: String, units: &[Unit], seed: u64) -> FactWobble {
    let order = order(&fact);
    let labels: Vec<Vec<usize>> = units.iter().map(|unit| unit.labels.clone()).collect();
    let k = labels.iter().flatten().max().map_or(1, |largest| largest + 1);
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let clusters: Vec<usize> = units
        .iter()
        .map(|unit| {
            let next = numbers.len();
            *numbers.entry(unit.case).or_insert(next)
        })
        .collect();
    let interval = alpha_interval(&labels, &clusters, (k, order), LEVEL, seed);
    let records: BTreeSet<usize> = units.iter().map(|unit| unit.record).collect();
    let same = |labels: &&Vec<usize>| labels.iter().all(|label| *label == labels[0]);
    FactWobble {
        n_units: units.len(),
        n_records: records.len(),
        n_same: labels.iter().filter(same).count(),
        agreement: labels.iter().map(|labels| agreement(labels)).sum::<f64>() / units.len() as f64,
        alpha: alpha(&labels, k, order).map(|found| found.alpha),
        interval: interval.map(|interval| [interval.low, interval.high]),
        scale: match order {
            Order::Nominal => "nominal",
            Order::Ordinal => "ordinal",
        },
        fact,
    }
}

/// The share of pairs of labels that are equal; there are two labels at least.
fn agreement(labels: &[usize]) -> f64 {
    let n = labels.len();
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let equal = pairs.filter(|(i, j)| labels[*i] == labels[*j]).count();
    equal as f64 / (n * (n - 1) / 2) as f64
}

fn of_metric(records: &[Repeated], metric: &str, seed: u64) -> MetricWobble {
    let mut by_case: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    let (mut n_changed, mut n_sometimes) = (0, 0);
    for one in records {
        let scores: Vec<f64> = one.whole.iter().filter_map(|one| one.score(metric)).collect();
        n_sometimes += usize::from(!scores.is_empty() && scores.len() < one.whole.len());
        if scores.len() < 2 {
            continue;
        }
        n_changed += usize::from(scores.iter().any(|score| (score - scores[0]).abs() > SAME));
        by_case.entry(one.case).or_default().push(mean_distance(&scores));
    }
    let all: Vec<f64> = by_case.values().flatten().copied().collect();
    let n = all.len();
    // Records of one case share replies: the case is what is drawn.
    let of_cases: Vec<f64> =
        by_case.values().map(|all| all.iter().sum::<f64>() / all.len() as f64).collect();
    let interval = mean_interval(&of_cases, None, Population::TheseDocuments, LEVEL, seed);
    MetricWobble {
        metric: metric.to_owned(),
        n,
        difference: (n > 0).then(|| all.iter().sum::<f64>() / n as f64),
        interval: interval.ok().map(|found| [found.interval.low, found.interval.high]),
        n_changed,
        share_changed: (n > 0).then(|| n_changed as f64 / n as f64),
        n_sometimes,
    }
}

/// Mean absolute difference over all pairs; there are two scores at least.
fn mean_distance(scores: &[f64]) -> f64 {
    let n = scores.len();
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let sum: f64 = pairs.map(|(i, j)| (scores[i] - scores[j]).abs()).sum();
    (sum / (n * (n - 1) / 2) as f64).min(1.0)
}
