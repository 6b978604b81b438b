//! Whether the order of two systems holds before another judge.

use std::collections::BTreeSet;

use ragmeter_core::Lang;
use serde::Serialize;

use crate::number::{Noun, counted, difference};
use crate::{Comparison, JudgedRecord, RunData, Side};

/// One metric of a pair of systems before two judges, on the same cases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SecondLook {
    /// The metric's id.
    pub metric: String,
    /// The system compared with.
    pub a: Side,
    /// The system compared.
    pub b: Side,
    /// Cases that the first judge scored in both systems, and the second one.
    pub n: [usize; 2],
    /// Mean difference `b - a` before the first judge and before the second one.
    pub differences: [Option<f64>; 2],
    /// The judges put the systems in opposite orders.
    pub flips: bool,
}

/// Puts the comparisons of two judges over the same cases side by side. `second` has the systems
/// in the same order as `first`. Companions are left out: they order nothing.
pub fn second_looks(first: &[Comparison], second: &[Comparison]) -> Vec<SecondLook> {
    let same = |one: &Comparison, other: &Comparison| {
        one.metric == other.metric && one.a == other.a && one.b == other.b
    };
    first
        .iter()
        .filter(|one| !one.companion)
        .filter_map(|one| {
            let other = second.iter().find(|other| same(one, other))?;
            let mean = |one: &Comparison| one.mean_a.zip(one.mean_b).map(|(a, b)| b - a);
            let differences = [mean(one), mean(other)];
            let flips = matches!(differences, [Some(one), Some(other)] if one * other < 0.0);
            Some(SecondLook {
                metric: one.metric.clone(),
                a: one.a.clone(),
                b: one.b.clone(),
                n: [one.scored.both, other.scored.both],
                differences,
                flips,
            })
        })
        .collect()
}

/// The run with these cases only.
#[must_use]
pub fn only_cases(run: &RunData, cases: &BTreeSet<&str>) -> RunData {
    let mut run = run.clone();
    run.cases.retain(|case| cases.contains(case.id.as_str()));
    for system in &mut run.systems {
        let kept = |record: &JudgedRecord| cases.contains(record.record.case_id.as_str());
        system.records.retain(kept);
    }
    run
}

/// What the second judge says, in words.
pub fn second_sentences(
    looks: &[SecondLook],
    judge: &str,
    cases: usize,
    lang: Lang,
) -> Vec<String> {
    let cases = counted(cases, Noun::Case, lang);
    let turned: Vec<&SecondLook> = looks.iter().filter(|look| look.flips).collect();
    let seen = looks.iter().filter(|look| look.differences.iter().all(Option::is_some)).count();
    if seen == 0 {
        return vec![match lang {
            Lang::En => {
                format!("{judge} scored no case of any pair: nothing can be said of the order.")
            }
            Lang::Ru => format!(
                "Второй судья {judge} не оценил ни одного примера: о порядке сказать нечего."
            ),
        }];
    }
    let mut lines = vec![match (turned.is_empty(), lang) {
        (true, Lang::En) => {
            format!("Before {judge} ({cases}) no pair of systems changes its order.")
        }
        (true, Lang::Ru) => {
            format!("У второго судьи {judge} ({cases}) порядок систем нигде не меняется.")
        }
        (false, Lang::En) => format!("Before {judge} ({cases}) the order changes:"),
        (false, Lang::Ru) => format!("У второго судьи {judge} ({cases}) порядок меняется:"),
    }];
    if seen < looks.len() {
        lines.push(match lang {
            Lang::En => format!(
                "  {} of {} comparisons could not be looked at.",
                looks.len() - seen,
                looks.len()
            ),
            Lang::Ru => {
                format!("  Не проверено сравнений: {} из {}.", looks.len() - seen, looks.len())
            }
        });
    }
    lines.extend(turned.into_iter().map(|look| {
        let [first, second] =
            look.differences.map(|value| value.map_or("–".to_owned(), |v| difference(v, lang)));
        let (a, b, metric) = (&look.a.system, &look.b.system, &look.metric);
        match lang {
            Lang::En => {
                format!("  {metric}: {b} − {a} is {first}, before the second judge {second}")
            }
            Lang::Ru => format!("  {metric}: {b} − {a} равно {first}, у второго судьи {second}"),
        }
    }));
    lines
}
