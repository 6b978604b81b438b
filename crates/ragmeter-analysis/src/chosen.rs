//! Which cases are worth a look: the worst, the most disputed, the most changed.

use std::collections::{BTreeMap, BTreeSet};

use ragmeter_core::{AnswerKind, FactSlot, RecordFacts};
use serde::Serialize;

use crate::summary::mean;
use crate::{JudgedRecord, RunData};

/// Records shown as the worst, over all systems together; each system has at least three.
const WORST: usize = 36;
/// Records or cases of each kind of dispute.
const DISPUTED: usize = 6;
/// Cases that changed, over all pairs of systems together; each pair has at least two.
const CHANGED: usize = 24;
/// Metrics of one record, or systems in one case, this far apart dispute.
const APART: f64 = 0.5;
/// A change of a record's mean by less is none.
const MOVED: f64 = 0.01;
/// A probability of support this near to one half is no verdict.
const UNDECIDED: f64 = 0.1;

/// One case that was chosen, with why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chosen {
    /// The case's id.
    pub case: String,
    /// The one system, or the two that differ.
    pub systems: Vec<String>,
    /// Why it was chosen.
    pub reason: Reason,
}

/// Why a case was chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// Among the lowest means of main metrics of its system.
    Worst {
        /// That mean, lower-is-better metrics turned round.
        mean: f64,
    },
    /// Two main metrics of one record are far apart.
    MetricsDisagree {
        /// The metric that is low.
        low: String,
        /// The metric that is high.
        high: String,
        /// How far apart.
        by: f64,
    },
    /// Two systems are far apart in one case.
    SystemsDisagree {
        /// How far apart their means of main metrics are.
        by: f64,
    },
    /// The judge's verdicts on one record do not go together.
    JudgeConflict {
        /// In which ways.
        conflicts: Vec<Conflict>,
    },
    /// The mean of main metrics differs most between the first system and another.
    Changed {
        /// Second minus first.
        by: f64,
    },
}

/// A way in which a judge's verdicts on one record do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conflict {
    /// A probability of support lies within 0.1 of one half.
    Undecided,
    /// A quote that stands in no context was given as evidence.
    QuoteDropped,
    /// A sentence of the reference rests on contexts all of which are called useless.
    UselessEvidence,
    /// A refusal that is said to answer a part of the question.
    RefusalAnswers,
    /// An answer that is said to answer, and to evade.
    EvasiveAnswer,
}

/// What is worth a look, in three lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Choice {
    /// The lowest, by system.
    pub worst: Vec<Chosen>,
    /// Where metrics, systems or the judge's own verdicts disagree.
    pub disputed: Vec<Chosen>,
    /// Where another system differs most from the first one, worse cases before better ones.
    pub changed: Vec<Chosen>,
}

/// Chooses the cases. Ties go by the case's id.
pub fn choose(run: &RunData) -> Choice {
    let means: Vec<BTreeMap<&str, f64>> = run
        .systems
        .iter()
        .map(|system| {
            let of_record = |record: &'_ JudgedRecord| record_mean(run, record);
            let known = system.records.iter().filter_map(|record| {
                of_record(record).map(|mean| (record.record.case_id.as_str(), mean))
            });
            known.collect()
        })
        .collect();
    Choice {
        worst: worst(run, &means),
        disputed: disputed(run, &means),
        changed: changed(run, &means),
    }
}

/// The main metrics of a record with their scores, all of them so that more is better.
fn scores<'a>(run: &'a RunData, record: &JudgedRecord) -> Vec<(&'a str, f64)> {
    let main = run.metrics.iter().filter(|metric| !metric.companion);
    main.filter_map(|metric| {
        let score = record.score(&metric.id)?;
        Some((metric.id.as_str(), if metric.higher_is_better { score } else { 1.0 - score }))
    })
    .collect()
}

/// The mean of a record's main metrics, lower-is-better ones turned round.
pub(crate) fn record_mean(run: &RunData, record: &JudgedRecord) -> Option<f64> {
    mean(&scores(run, record).iter().map(|(_, score)| *score).collect::<Vec<_>>())
}

fn worst(run: &RunData, means: &[BTreeMap<&str, f64>]) -> Vec<Chosen> {
    let each = (WORST / run.systems.len().max(1)).clamp(3, 12);
    let of_system = |(system, means): (&crate::SystemData, &BTreeMap<&str, f64>)| {
        let ranked = ordered(means.iter().map(|(case, mean)| (*mean, *case)).collect());
        let chosen = ranked.into_iter().take(each).map(|(mean, case)| Chosen {
            case: case.to_owned(),
            systems: vec![system.name.clone()],
            reason: Reason::Worst { mean },
        });
        chosen.collect::<Vec<_>>()
    };
    run.systems.iter().zip(means).flat_map(of_system).collect()
}

/// Lowest first, ties by the case's id.
fn ordered(mut cases: Vec<(f64, &str)>) -> Vec<(f64, &str)> {
    cases.sort_by(|left, right| left.0.total_cmp(&right.0).then_with(|| left.1.cmp(right.1)));
    cases
}

fn disputed(run: &RunData, means: &[BTreeMap<&str, f64>]) -> Vec<Chosen> {
    let (mut metrics, mut judge) = (Vec::new(), Vec::new());
    for system in &run.systems {
        for record in &system.records {
            let one = |reason| Chosen {
                case: record.record.case_id.clone(),
                systems: vec![system.name.clone()],
                reason,
            };
            let scores = scores(run, record);
            let low = scores.iter().min_by(|left, right| left.1.total_cmp(&right.1));
            let high = scores.iter().max_by(|left, right| left.1.total_cmp(&right.1));
            if let (Some((low, from)), Some((high, to))) = (low, high) {
                let by = to - from;
                let (low, high) = ((*low).to_owned(), (*high).to_owned());
                if by >= APART {
                    metrics.push((by, one(Reason::MetricsDisagree { low, high, by })));
                }
            }
            let conflicts = conflicts(&record.facts);
            if !conflicts.is_empty() {
                judge.push((conflicts.len() as f64, one(Reason::JudgeConflict { conflicts })));
            }
        }
    }
    let mut systems: Vec<(f64, Chosen)> = Vec::new();
    for case in &run.cases {
        let of_case = means
            .iter()
            .enumerate()
            .filter_map(|(system, means)| means.get(case.id.as_str()).map(|mean| (system, *mean)));
        let of_case: Vec<(usize, f64)> = of_case.collect();
        let low = of_case.iter().min_by(|left, right| left.1.total_cmp(&right.1));
        let high = of_case.iter().rev().max_by(|left, right| left.1.total_cmp(&right.1));
        if let (Some((low, from)), Some((high, to))) = (low, high)
            && to - from >= APART
        {
            let (a, b) = (*low.min(high), *low.max(high));
            let names = [a, b].map(|at| run.systems[at].name.clone()).to_vec();
            let by = to - from;
            let reason = Reason::SystemsDisagree { by };
            systems.push((by, Chosen { case: case.id.clone(), systems: names, reason }));
        }
    }
    [metrics, systems, judge].into_iter().flat_map(largest).collect()
}

/// The few with the largest figure, ties by case and systems.
fn largest(mut found: Vec<(f64, Chosen)>) -> Vec<Chosen> {
    found.sort_by(|(left, one), (right, other)| {
        let by_name = (&one.case, &one.systems).cmp(&(&other.case, &other.systems));
        right.total_cmp(left).then(by_name)
    });
    // One record of a case is enough to look at.
    let mut known: BTreeSet<String> = BTreeSet::new();
    found.retain(|(_, chosen)| known.insert(chosen.case.clone()));
    found.into_iter().take(DISPUTED).map(|(_, chosen)| chosen).collect()
}

#[expect(clippy::ref_option, reason = "a slot is an option by its own name")]
fn had<T>(slot: &FactSlot<T>) -> Option<&T> {
    slot.as_ref()?.as_ref().ok().map(|fact| &fact.value)
}

/// The ways in which the verdicts on one record do not go together.
pub(crate) fn conflicts(facts: &RecordFacts) -> Vec<Conflict> {
    let support = had(&facts.support).map_or(&[][..], Vec::as_slice);
    let useful = had(&facts.useful).map_or(&[][..], Vec::as_slice);
    let units = had(&facts.reference_support).map_or(&[][..], Vec::as_slice);
    let coverage = had(&facts.coverage).map_or(&[][..], Vec::as_slice);
    let kind = had(&facts.refusal).copied();
    let evades = had(&facts.implied).is_some_and(|implied| implied.noncommittal);
    let is_useless = |rank: &usize| useful.get(*rank) == Some(&false);
    let found = [
        (
            Conflict::Undecided,
            support
                .iter()
                .filter_map(|verdict| verdict.probability)
                .any(|probability| (probability - 0.5).abs() < UNDECIDED),
        ),
        (Conflict::QuoteDropped, support.iter().any(|verdict| verdict.quote_dropped)),
        (
            Conflict::UselessEvidence,
            units.iter().any(|unit| {
                unit.attributable
                    && !unit.contexts.is_empty()
                    && unit.contexts.iter().all(is_useless)
            }),
        ),
        (
            Conflict::RefusalAnswers,
            kind == Some(AnswerKind::Refused) && coverage.iter().any(|part| part.answered),
        ),
        (Conflict::EvasiveAnswer, kind == Some(AnswerKind::Answered) && evades),
    ];
    found.into_iter().filter(|(_, is_there)| *is_there).map(|(conflict, _)| conflict).collect()
}

fn changed(run: &RunData, means: &[BTreeMap<&str, f64>]) -> Vec<Chosen> {
    let Some((first, others)) = means.split_first() else { return Vec::new() };
    let each = (CHANGED / others.len().max(1)).clamp(2, 8) / 2;
    let mut chosen = Vec::new();
    for (index, other) in others.iter().enumerate() {
        let both = first.iter().filter_map(|(case, a)| Some((other.get(case)? - a, *case)));
        let ranked = ordered(both.filter(|(by, _)| by.abs() >= MOVED).collect());
        let (worse, better): (Vec<_>, Vec<_>) = ranked.into_iter().partition(|(by, _)| *by < 0.0);
        let systems = [0, index + 1].map(|at| run.systems[at].name.clone()).to_vec();
        let picked = worse.into_iter().take(each).chain(better.into_iter().rev().take(each));
        chosen.extend(picked.map(|(by, case)| Chosen {
            case: case.to_owned(),
            systems: systems.clone(),
            reason: Reason::Changed { by },
        }));
    }
    chosen
}
