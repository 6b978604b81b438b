//! Where more than two systems stand.

use std::collections::{BTreeMap, BTreeSet};

use ragmeter_stats::{Ranks, Standing, ranks, standings};
use serde::Serialize;

use super::{JudgedPair, LEVEL, PairPreference, PreferenceVerdict, points};
use crate::Documents;
use crate::compare::Units;

/// Where a system stands among all of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SystemStrength {
    /// Its name.
    pub system: String,
    /// The chance of being preferred to the average system, by Bradley and Terry's model.
    pub win_probability: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// The strength, in logits.
    pub strength: f64,
    /// The best and the worst rank that the corrected tests leave; `None` if a pair was not tested.
    pub ranks: Option<(usize, usize)>,
    /// The groups of systems not told apart that it is in, a letter each.
    pub tied: Option<String>,
}

/// Strengths of these systems, the strongest first; none of two, or where nothing may be said.
pub(super) fn strengths(
    systems: &[String],
    found: &[PairPreference],
    pairs: &[JudgedPair],
    units: Option<&Units<'_>>,
    population: Documents,
    seed: u64,
) -> Vec<SystemStrength> {
    if systems.len() < 3 {
        return Vec::new();
    }
    // By name, so that the draws do not depend on the order of showing.
    let mut names: Vec<&str> = systems.iter().map(String::as_str).collect();
    names.sort_unstable();
    let mut by_pair: BTreeMap<(&str, &str), BTreeMap<&str, f64>> = BTreeMap::new();
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for pair in pairs {
        let turned = pair.a > pair.b;
        let key = if turned { (&*pair.b, &*pair.a) } else { (&*pair.a, &*pair.b) };
        let of_pair = by_pair.entry(key).or_default();
        for (case, slot) in &pair.cases {
            let Some(Ok(fact)) = slot else { continue };
            let first = points(fact.value.preferred);
            of_pair.insert(case, if turned { 1.0 - first } else { first });
            ids.insert(case);
        }
    }
    let in_order: Vec<(&str, &str)> = (names.iter().enumerate())
        .flat_map(|(at, one)| names[at + 1..].iter().map(|other| (*one, *other)))
        .collect();
    let row = |case: &&str| -> Vec<Option<f64>> {
        in_order.iter().map(|pair| by_pair.get(pair)?.get(case).copied()).collect()
    };
    let rows: Vec<Vec<Option<f64>>> = ids.iter().map(row).collect();
    let labels = units.map(|units| units.labels(ids.iter().copied()));
    let of = standings(&rows, names.len(), labels.as_deref(), population.into(), LEVEL, seed);
    let Ok(of) = of else { return Vec::new() };
    let ranked = ranked(&names, found);
    let strength = |(at, one): (usize, &Standing)| SystemStrength {
        system: names[at].to_owned(),
        win_probability: one.win_probability,
        interval: [one.interval.low, one.interval.high],
        strength: one.strength,
        ranks: ranked.as_ref().map(|ranks| ranks.ranges[at]),
        tied: ranked.as_ref().map(|ranks| ranks.letters[at].clone()),
    };
    let mut strengths: Vec<SystemStrength> = of.iter().enumerate().map(strength).collect();
    // A stable sort: systems of one strength stand by name.
    strengths.sort_by(|one, other| other.strength.total_cmp(&one.strength));
    strengths
}

fn ranked(names: &[&str], found: &[PairPreference]) -> Option<Ranks> {
    if found.iter().any(|pair| pair.p.is_none()) {
        return None;
    }
    let at = |name: &str| names.iter().position(|known| *known == name);
    let mut better = vec![vec![false; names.len()]; names.len()];
    for pair in found {
        let (a, b) = (at(&pair.a)?, at(&pair.b)?);
        better[a][b] = pair.verdict == PreferenceVerdict::A;
        better[b][a] = pair.verdict == PreferenceVerdict::B;
    }
    ranks(&better)
}
