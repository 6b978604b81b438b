//! Two systems, case by case.

use std::collections::{BTreeMap, BTreeSet};

use ragmeter_core::Outcome;
use ragmeter_stats::sign_flip;

use super::{Comparison, PairCounts, Side, Verdict};
use crate::summary::{LEVEL, mean};
use crate::{JudgedRecord, MetricInfo, RunData, SystemData};

type Pair<'a> = (&'a JudgedRecord, &'a JudgedRecord);

/// Compares two systems in every metric that both runs have; nothing is corrected yet.
pub(super) fn compare_pair(
    (run_a, system_a): (&RunData, &SystemData),
    (run_b, system_b): (&RunData, &SystemData),
    seed: u64,
) -> Vec<Comparison> {
    let of_b: BTreeMap<&str, &JudgedRecord> =
        system_b.records.iter().map(|record| (record.record.case_id.as_str(), record)).collect();
    let mut pairs: Vec<Pair<'_>> = system_a
        .records
        .iter()
        .filter_map(|a| of_b.get(a.record.case_id.as_str()).map(|b| (a, *b)))
        .collect();
    pairs.sort_by(|left, right| left.0.record.case_id.cmp(&right.0.record.case_id));
    let nested = is_nested(&pairs);
    let a = Side { run_id: run_a.run_id.clone(), system: system_a.name.clone() };
    let b = Side { run_id: run_b.run_id.clone(), system: system_b.name.clone() };
    run_a
        .metrics
        .iter()
        .filter(|metric| run_b.metrics.iter().any(|other| other.id == metric.id))
        .map(|metric| compare_metric(metric, (&a, &b), &pairs, nested, seed))
        .collect()
}

/// Whether one system's contexts hold all of the other's in every shared case, and more in some.
fn is_nested(pairs: &[Pair<'_>]) -> bool {
    let (mut a_in_b, mut b_in_a) = (true, true);
    for (a, b) in pairs {
        let (Some(of_a), Some(of_b)) = (&a.record.contexts, &b.record.contexts) else {
            return false;
        };
        let of_a: BTreeSet<&str> = of_a.iter().map(|context| context.text.as_str()).collect();
        let of_b: BTreeSet<&str> = of_b.iter().map(|context| context.text.as_str()).collect();
        a_in_b &= of_a.is_subset(&of_b);
        b_in_a &= of_b.is_subset(&of_a);
    }
    // Both are subsets only if all sets are equal: one retriever, two generators.
    a_in_b != b_in_a
}

fn compare_metric(
    metric: &MetricInfo,
    (a, b): (&Side, &Side),
    pairs: &[Pair<'_>],
    nested: bool,
    seed: u64,
) -> Comparison {
    let id = metric.id.as_str();
    let scores: Vec<(Option<f64>, Option<f64>)> =
        pairs.iter().map(|(a, b)| (a.score(id), b.score(id))).collect();
    let both: Vec<(f64, f64)> = scores.iter().filter_map(|&(a, b)| a.zip(b)).collect();
    let differences: Vec<f64> = both.iter().map(|(a, b)| b - a).collect();
    let untested = nested && metric.rises_with_contexts;
    let test = if untested { None } else { sign_flip(&differences, LEVEL, seed) };
    let count = |a_scored, b_scored| {
        scores.iter().filter(|(a, b)| (a.is_some(), b.is_some()) == (a_scored, b_scored)).count()
    };
    Comparison {
        metric: metric.id.clone(),
        title: metric.title.clone(),
        companion: metric.companion,
        higher_is_better: metric.higher_is_better,
        a: a.clone(),
        b: b.clone(),
        n_shared: pairs.len(),
        scored: PairCounts {
            both: both.len(),
            only_a: count(true, false),
            only_b: count(false, true),
            neither: count(false, false),
        },
        n_refused_a: pairs.iter().filter(|(a, _)| a.is_refusal()).count(),
        n_refused_b: pairs.iter().filter(|(_, b)| b.is_refusal()).count(),
        mean_a: mean(&both.iter().map(|(a, _)| *a).collect::<Vec<_>>()),
        mean_b: mean(&both.iter().map(|(_, b)| *b).collect::<Vec<_>>()),
        difference: mean(&differences),
        interval: test.and_then(|test| test.interval).map(|interval| [interval.low, interval.high]),
        p: test.map(|test| test.p),
        p_holm: None,
        n_tests: 0,
        smallest_p: test.map(|test| test.smallest_p),
        method: match test {
            None => "not tested",
            Some(test) if test.exact => "paired sign-flip permutation test, exact",
            Some(_) => "paired sign-flip permutation test, 19,999 draws",
        },
        bounds: bounds(id, pairs),
        verdict: if untested && !both.is_empty() {
            Verdict::Nested
        } else {
            Verdict::NoCommonScores
        },
    }
}

/// The mean difference with every missing score at 0 or 1, whichever is worse or better for `b`.
///
/// Where the metric applies to neither record of a case (it has no reference, or both systems
/// declined), the case says nothing about either and is left out.
fn bounds(metric: &str, pairs: &[Pair<'_>]) -> Option<[f64; 2]> {
    let (mut low, mut high, mut n) = (0.0, 0.0, 0_usize);
    for (a, b) in pairs {
        let inapplicable = |record: &JudgedRecord| {
            matches!(record.outcomes.get(metric), Some(Outcome::NotApplicable(_)))
        };
        if inapplicable(a) && inapplicable(b) {
            continue;
        }
        let (a, b) = (a.score(metric), b.score(metric));
        low += b.unwrap_or(0.0) - a.unwrap_or(1.0);
        high += b.unwrap_or(1.0) - a.unwrap_or(0.0);
        n += 1;
    }
    (n > 0).then(|| [low / n as f64, high / n as f64])
}
