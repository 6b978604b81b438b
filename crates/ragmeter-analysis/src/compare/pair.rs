//! Two systems, case by case.

use std::collections::{BTreeMap, BTreeSet};

use ragmeter_core::Outcome;
use ragmeter_stats::{
    Estimate, PairedTest, Population, Refusal, coverage_warning, margin_test, paired_test,
};

use super::mismatch::refusing;
use super::nested::{is_nested, nested_ranking};
use super::{
    CompareOptions, Comparison, Margin, Mismatch, PairCounts, Side, Spread, Units, Verdict,
};
use crate::summary::{LEVEL, mean};
use crate::{Bilingual, JudgedRecord, MetricInfo, RunData, SystemData};

pub(super) type Pair<'a> = (&'a JudgedRecord, &'a JudgedRecord);

/// From so many cases on, metrics are compared side by side.
const MANY: usize = 1_000;

/// What all metrics of a pair of systems have in common.
struct Sides<'a> {
    a: Side,
    b: Side,
    pairs: Vec<Pair<'a>>,
    nested: bool,
    n_other_question: usize,
    units: Option<&'a Units<'a>>,
    options: &'a CompareOptions,
    seed: u64,
}

/// Compares two systems in every metric that both runs have; nothing is corrected yet.
pub(super) fn compare_pair<'a>(
    ((run_a, system_a), (run_b, system_b)): (
        (&'a RunData, &'a SystemData),
        (&'a RunData, &'a SystemData),
    ),
    units: Option<&'a Units<'a>>,
    other_questions: &BTreeSet<&str>,
    mismatches: &[Mismatch],
    options: &'a CompareOptions,
) -> Vec<Comparison> {
    let of_b: BTreeMap<&str, &JudgedRecord> =
        system_b.records.iter().map(|record| (record.record.case_id.as_str(), record)).collect();
    let mut pairs: Vec<Pair<'_>> = system_a
        .records
        .iter()
        .filter_map(|a| of_b.get(a.record.case_id.as_str()).map(|b| (a, *b)))
        .collect();
    let shared = pairs.len();
    pairs.retain(|(a, _)| !other_questions.contains(a.record.case_id.as_str()));
    pairs.sort_by(|left, right| left.0.record.case_id.cmp(&right.0.record.case_id));
    let sides = Sides {
        a: Side { run_id: run_a.run_id.clone(), system: system_a.name.clone() },
        b: Side { run_id: run_b.run_id.clone(), system: system_b.name.clone() },
        nested: is_nested(&pairs),
        n_other_question: shared - pairs.len(),
        pairs,
        units,
        options,
        seed: run_a.seed,
    };
    let metrics: Vec<&MetricInfo> = (run_a.metrics.iter())
        .filter(|metric| run_b.metrics.iter().any(|other| other.id == metric.id))
        .collect();
    let one = |metric: &MetricInfo| compare_metric(metric, &sides, refusing(metric, mismatches));
    if sides.pairs.len() < MANY {
        return metrics.into_iter().map(one).collect();
    }
    // Each metric by itself gives the same numbers on any thread.
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = metrics.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let started: Vec<_> = metrics
            .chunks(share)
            .map(|some| scope.spawn(move || some.iter().map(|metric| one(metric)).collect()))
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<Comparison>>| match thread.join()
        {
            Ok(comparisons) => comparisons,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        started.into_iter().flat_map(join).collect()
    })
}

fn compare_metric(metric: &MetricInfo, sides: &Sides<'_>, mismatches: Vec<String>) -> Comparison {
    let id = metric.id.as_str();
    let pairs = &sides.pairs;
    let scores: Vec<(Option<f64>, Option<f64>)> =
        pairs.iter().map(|(a, b)| (a.score(id), b.score(id))).collect();
    let scored: Vec<(&str, f64, f64)> = pairs
        .iter()
        .zip(&scores)
        .filter_map(|((a, _), &(of_a, of_b))| {
            of_a.zip(of_b).map(|(of_a, of_b)| (a.record.case_id.as_str(), of_a, of_b))
        })
        .collect();
    let cases = || scored.iter().map(|(case, _, _)| *case);
    let differences: Vec<f64> = scored.iter().map(|(_, a, b)| b - a).collect();
    let labels = sides.units.map(|units| units.labels(cases()));
    let labels = labels.as_deref();
    let untested = sides.nested && metric.rises_with_contexts;
    let comparable = mismatches.is_empty();
    let test = if untested || !comparable || differences.is_empty() {
        None
    } else {
        let population = sides.options.population.into();
        Some(paired_test(&differences, labels, population, LEVEL, sides.seed))
    };
    let (test, refusal) = match test {
        Some(Err(refusal)) => (None, Some(refusal)),
        Some(Ok(test)) => (Some(test), None),
        None => (None, None),
    };
    let count = |a_scored, b_scored| {
        scores.iter().filter(|(a, b)| (a.is_some(), b.is_some()) == (a_scored, b_scored)).count()
    };
    Comparison {
        metric: metric.id.clone(),
        title: metric.title.clone(),
        companion: metric.companion,
        primary: sides.options.primary.as_deref() == Some(id),
        higher_is_better: metric.higher_is_better,
        a: sides.a.clone(),
        b: sides.b.clone(),
        n_shared: pairs.len(),
        n_other_question: sides.n_other_question,
        scored: PairCounts {
            both: scored.len(),
            only_a: count(true, false),
            only_b: count(false, true),
            neither: count(false, false),
        },
        n_refused_a: pairs.iter().filter(|(a, _)| a.is_refusal()).count(),
        n_refused_b: pairs.iter().filter(|(_, b)| b.is_refusal()).count(),
        population: sides.options.population,
        clusters: sides.units.map(|units| units.counts(cases())),
        mean_a: mean(&scored.iter().map(|(_, a, _)| *a).collect::<Vec<_>>()),
        mean_b: mean(&scored.iter().map(|(_, _, b)| *b).collect::<Vec<_>>()),
        difference: mean(&differences).filter(|_| comparable),
        interval: test.and_then(|test| test.interval).map(|interval| [interval.low, interval.high]),
        p: test.map(|test| test.p),
        p_holm: None,
        n_tests: 0,
        smallest_p: test.map(|test| test.smallest_p),
        method: method(test),
        refusal: refusal.map(|refusal: Refusal| refusal.to_string()),
        warning: test.and_then(|_| weakness(scored.len(), labels, sides.options)),
        bounds: bounds(id, pairs).filter(|_| comparable),
        margin: test.and_then(|_| margin(metric, &differences, labels, sides)),
        cases_needed: Vec::new(),
        spread: test.and_then(|_| Spread::of(&differences, labels, sides.options)),
        nested: (sides.nested && metric.ranks_contexts).then(|| nested_ranking(pairs)).flatten(),
        verdict: if !comparable {
            Verdict::NotComparable
        } else if untested && !scored.is_empty() {
            Verdict::Nested
        } else {
            Verdict::NoCommonScores
        },
        mismatches,
    }
}

/// What simulations found amiss with the procedure for so many cases and documents.
fn weakness(cases: usize, labels: Option<&[usize]>, options: &CompareOptions) -> Option<Bilingual> {
    let clusters = labels.map(|labels| labels.iter().collect::<BTreeSet<_>>().len());
    let warning = |of| coverage_warning(of, cases, clusters, options.population.into());
    // The pair's own test first; then the intervals of the means that it is made of.
    let (en, ru) = warning(Estimate::Paired).or_else(|| warning(Estimate::Mean))?.text();
    Some(Bilingual::new(en, ru))
}

fn method(test: Option<PairedTest>) -> &'static str {
    match test {
        None => "not tested",
        Some(PairedTest { population: Population::TheseDocuments, exact: true, .. }) => {
            "paired sign-flip permutation test, exact"
        }
        Some(PairedTest { population: Population::TheseDocuments, .. }) => {
            "paired sign-flip permutation test, 19,999 draws"
        }
        Some(PairedTest { exact: true, .. }) => {
            "paired sign-flip permutation test of whole documents, exact"
        }
        Some(_) => "paired sign-flip permutation test of whole documents, 19,999 draws",
    }
}

/// What the user's margin says of these differences; corrected later.
fn margin(
    metric: &MetricInfo,
    differences: &[f64],
    labels: Option<&[usize]>,
    sides: &Sides<'_>,
) -> Option<Margin> {
    let margin = sides.options.margin?;
    let turned: Vec<f64> = differences
        .iter()
        .map(|difference| if metric.higher_is_better { *difference } else { 0.0 - difference })
        .collect();
    let population = sides.options.population.into();
    let test = margin_test(&turned, labels, population, margin, LEVEL, sides.seed).ok()?;
    Some(Margin {
        margin,
        p_non_inferiority: test.p_lower,
        p_non_inferiority_holm: test.p_lower,
        p_equivalence: test.p_equivalence,
        p_equivalence_holm: test.p_equivalence,
        interval: test.interval.map(|interval| [interval.low, interval.high]),
    })
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
