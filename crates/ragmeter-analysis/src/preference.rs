//! Systems compared answer by answer: counts, tests and strengths out of verdicts on pairs.

use std::collections::BTreeMap;

use ragmeter_core::{FactSlot, Preference, Preferred, TestCase};
use ragmeter_stats::{Population, Refusal, holm, mean_interval, paired_test, sign_test};
use serde::Serialize;

use crate::compare::Units;
use crate::family::family;
use crate::{Documents, RunData};

mod chapters;
mod position;
mod standing;
mod tables;

pub use chapters::preference_chapters;
pub use position::Position;
pub use standing::SystemStrength;

const LEVEL: f64 = 0.95;
const ALPHA: f64 = 0.05;

/// Every verdict on one pair of systems.
#[derive(Clone, Debug)]
pub struct JudgedPair {
    /// The first system's name.
    pub a: String,
    /// The second system's.
    pub b: String,
    /// Case by case; a slot is `None` where a recording does not tell what was answered.
    pub cases: Vec<(String, FactSlot<Preference>)>,
}

/// What may be said about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PreferenceVerdict {
    /// The first system is preferred more often.
    A,
    /// The second is.
    B,
    /// No difference is shown.
    CannotTell,
    /// One is preferred more often, but cases without a verdict could turn it.
    MissingCouldTurn,
    /// So few cases are decided that no result could have shown a difference.
    TooFewDecided,
    /// Nothing can be said about new documents from so few.
    TooFewDocuments,
    /// There is no verdict at all.
    Nothing,
}

/// One pair of systems. Wins and losses are those of `a`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairPreference {
    /// The first system.
    pub a: String,
    /// The second system.
    pub b: String,
    /// Cases with a verdict.
    pub n: usize,
    /// Cases where `a` was preferred.
    pub wins: usize,
    /// Cases where `b` was.
    pub losses: usize,
    /// Ties of every kind.
    pub ties: usize,
    /// Of the ties, those where the two orders disagreed.
    pub ties_by_disagreement: usize,
    /// Verdicts that the texts alone gave: equal answers, or none.
    pub by_code: usize,
    /// Cases without a verdict because a recording does not tell the answer.
    pub not_told: usize,
    /// Cases where the judge failed, by class.
    pub failures: BTreeMap<&'static str, usize>,
    /// The share that `a` won, a tie as half.
    pub win_share: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// How the interval was made.
    pub method: Option<&'static str>,
    /// Exact sign test over cases, ties left out; for new documents the paired test by clusters.
    pub p: Option<f64>,
    /// The same corrected over all pairs by Holm.
    pub p_holm: Option<f64>,
    /// The smallest p that so many decided cases, or clusters, could give.
    pub smallest_p: Option<f64>,
    /// What may be said.
    pub verdict: PreferenceVerdict,
    /// Position bias in this pair.
    pub position: Position,
}

impl PairPreference {
    /// Cases without a verdict.
    pub fn missing(&self) -> usize {
        self.not_told + self.failures.values().sum::<usize>()
    }
}

/// What the verdicts on all pairs come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PreferenceReport {
    /// The systems, in the order asked for.
    pub systems: Vec<String>,
    /// What the numbers speak of.
    pub population: Documents,
    /// Every pair.
    pub pairs: Vec<PairPreference>,
    /// Position bias over all pairs. Its p counts every case of every pair as one.
    pub position: Position,
    /// Strengths of more than two systems, the strongest first.
    pub strengths: Vec<SystemStrength>,
    /// Systems whose generator is of the judge's family, and that family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kin: Option<(String, Vec<String>)>,
}

/// Counts and tests verdicts on pairs. `cases` tell which documents they were made from. Neither
/// the order of the cases nor that of the systems changes a number.
pub fn preferences(
    systems: &[String],
    pairs: &[JudgedPair],
    cases: &[TestCase],
    population: Documents,
    seed: u64,
) -> PreferenceReport {
    let units = Units::of(cases);
    let mut found: Vec<PairPreference> =
        pairs.iter().map(|pair| of_pair(pair, units.as_ref(), population, seed)).collect();
    let p: Vec<f64> = found.iter().filter_map(|pair| pair.p).collect();
    let tested = found.iter_mut().filter(|pair| pair.p.is_some());
    for (at, (one, adjusted)) in tested.zip(holm(&p)).enumerate() {
        one.p_holm = Some(adjusted);
        let mut least = p.clone();
        least[at] = one.smallest_p.unwrap_or_default();
        one.verdict = verdict(one, adjusted, holm(&least)[at] >= ALPHA);
    }
    let position = Position::of(pairs.iter().flat_map(verdicts));
    let strengths = standing::strengths(systems, &found, pairs, units.as_ref(), population, seed);
    PreferenceReport {
        systems: systems.to_vec(),
        population,
        pairs: found,
        position,
        strengths,
        kin: None,
    }
}

/// The family of models that a judge and the generators of some of these systems, but not of all,
/// are of, and those systems: the judge may favour them.
pub fn judge_kin(run: &RunData, judge: &str, systems: &[String]) -> Option<(String, Vec<String>)> {
    let judge = family(judge)?;
    let own: Vec<String> = (run.systems.iter())
        .filter(|system| systems.contains(&system.name))
        .filter(|system| system.generator.as_deref().and_then(family) == Some(judge))
        .map(|system| system.name.clone())
        .collect();
    (!own.is_empty() && own.len() < systems.len()).then(|| (judge.to_owned(), own))
}

fn verdicts(pair: &JudgedPair) -> impl Iterator<Item = &Preference> {
    pair.cases.iter().filter_map(|(_, slot)| slot.as_ref()?.as_ref().ok().map(|fact| &fact.value))
}

/// What the first system gets of a case: 1, ½ or 0.
fn points(preferred: Preferred) -> f64 {
    match preferred {
        Preferred::A => 1.0,
        Preferred::Tie => 0.5,
        Preferred::B => 0.0,
    }
}

fn of_pair(
    pair: &JudgedPair,
    units: Option<&Units<'_>>,
    population: Documents,
    seed: u64,
) -> PairPreference {
    let mut failures = BTreeMap::new();
    let (mut not_told, mut by_code) = (0, 0);
    let mut scored: BTreeMap<&str, &Preference> = BTreeMap::new();
    for (case, slot) in &pair.cases {
        match slot {
            None => not_told += 1,
            Some(Err(absence)) => *failures.entry(absence.class.name()).or_insert(0) += 1,
            Some(Ok(fact)) => {
                by_code += usize::from(fact.value.orders.is_none());
                scored.insert(case, &fact.value);
            }
        }
    }
    let count = |of: Preferred| scored.values().filter(|one| one.preferred == of).count();
    let (wins, losses) = (count(Preferred::A), count(Preferred::B));
    let values: Vec<f64> = scored.values().map(|one| points(one.preferred)).collect();
    let labels = units.map(|units| units.labels(scored.keys().copied()));
    let of = Population::from(population);
    let share = mean_interval(&values, labels.as_deref(), of, LEVEL, seed);
    let test = match population {
        Documents::These if values.is_empty() => None,
        Documents::These => {
            Some((sign_test(wins as u64, losses as u64), sign_test((wins + losses) as u64, 0)))
        }
        Documents::New => {
            let signs: Vec<f64> = values.iter().map(|value| 2.0 * value - 1.0).collect();
            let test = paired_test(&signs, labels.as_deref(), of, LEVEL, seed).ok();
            test.map(|test| (test.p, test.smallest_p))
        }
    };
    let verdict = match share {
        Err(Refusal::NoClusters | Refusal::FewClusters { .. }) => {
            PreferenceVerdict::TooFewDocuments
        }
        _ => PreferenceVerdict::Nothing,
    };
    let share = share.ok();
    let mean = || values.iter().sum::<f64>() / values.len() as f64;
    PairPreference {
        a: pair.a.clone(),
        b: pair.b.clone(),
        n: scored.len(),
        wins,
        losses,
        ties: scored.len() - wins - losses,
        ties_by_disagreement: scored.values().filter(|one| one.disagreed()).count(),
        by_code,
        not_told,
        failures,
        win_share: (!values.is_empty()).then(mean),
        interval: share.map(|share| [share.interval.low, share.interval.high]),
        method: share.map(|share| share.method.name()),
        p: test.map(|test| test.0),
        p_holm: None,
        smallest_p: test.map(|test| test.1),
        verdict,
        position: Position::of(verdicts(pair)),
    }
}

/// No winner that cases without a verdict could unseat, were they all the other's.
fn verdict(pair: &PairPreference, p_holm: f64, hopeless: bool) -> PreferenceVerdict {
    let lead = pair.wins.abs_diff(pair.losses);
    match (p_holm < ALPHA, pair.wins > pair.losses) {
        (true, _) if lead <= pair.missing() => PreferenceVerdict::MissingCouldTurn,
        (true, true) => PreferenceVerdict::A,
        (true, false) => PreferenceVerdict::B,
        (false, _) if hopeless => PreferenceVerdict::TooFewDecided,
        (false, _) => PreferenceVerdict::CannotTell,
    }
}
