//! Settings in which two runs differ, and what of them makes numbers incomparable.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::{MetricInfo, RunData};

/// A setting in which two runs differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The setting's name.
    pub setting: String,
    /// Its value in the first run, if it has one.
    pub a: Option<String>,
    /// Its value in the second run, if it has one.
    pub b: Option<String>,
    /// What it does to the comparison.
    pub effect: Effect,
}

/// What a mismatch does to a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Every metric that a judge has a say in means another thing: none of them is compared.
    RefusesAll,
    /// Cosines of other embedders are on another scale: metrics made of them are not compared.
    RefusesCosines,
    /// The user is told.
    Warns,
    /// It is a system's own, or what the runs are about.
    Nothing,
}

fn effect(setting: &str) -> Effect {
    match setting {
        "judge" | "judge.profile" => Effect::RefusesAll,
        "judge.embedder" => Effect::RefusesCosines,
        // Votes change how far a verdict wobbles, a name in the replies which weights judged.
        "judge.endpoint" | "judge.votes" | "judge.returned" | "definitions" | "languages"
        | "ragmeter" => Effect::Warns,
        // Runs in one language lack the other's prompts, and that is told by the languages.
        _ if setting.starts_with("prompt ") => Effect::RefusesAll,
        _ => Effect::Nothing,
    }
}

/// The settings in which two runs differ, by name: their numbers then differ in definition. A
/// prompt that only one run has does not count: it was not used in the other.
pub fn mismatches(run_a: &RunData, run_b: &RunData) -> Vec<Mismatch> {
    let of_run = |run: &'_ RunData| run.settings.iter().cloned().collect::<BTreeMap<_, _>>();
    let (of_a, of_b) = (of_run(run_a), of_run(run_b));
    let names: BTreeSet<&String> = of_a.keys().chain(of_b.keys()).collect();
    let mut found: Vec<Mismatch> = names
        .into_iter()
        .filter(|name| of_a.get(*name) != of_b.get(*name))
        .map(|name| {
            let (a, b) = (of_a.get(name).cloned(), of_b.get(name).cloned());
            let one_sided = a.is_none() || b.is_none();
            let effect = if one_sided && (name.starts_with("prompt ") || name == "judge.returned") {
                Effect::Nothing
            } else {
                effect(name)
            };
            Mismatch { setting: name.clone(), a, b, effect }
        })
        .collect();
    // Another selection of metrics asks other prompts, and gives another fingerprint to the same
    // judge: it is worth a word where what both runs share differs, too.
    let differs = |one: &Mismatch| {
        one.effect != Effect::Nothing
            && one.setting != "judge.embedder"
            && ["judge", "prompt ", "definitions", "languages"]
                .iter()
                .any(|start| one.setting.starts_with(start))
    };
    let judged_otherwise = found.iter().any(differs);
    for one in found.iter_mut().filter(|one| one.setting == FINGERPRINT && judged_otherwise) {
        one.effect = Effect::Warns;
    }
    found
}

/// The setting that sums up who judged.
const FINGERPRINT: &str = "judge.fingerprint";

/// The settings for which this metric must not be compared between the runs.
pub(super) fn refusing(metric: &MetricInfo, mismatches: &[Mismatch]) -> Vec<String> {
    let refuses = |effect| match effect {
        Effect::RefusesAll => !metric.needs_no_judge,
        Effect::RefusesCosines => metric.rests_on_cosines,
        Effect::Warns | Effect::Nothing => false,
    };
    let refusing = mismatches.iter().filter(|mismatch| refuses(mismatch.effect));
    refusing.map(|mismatch| mismatch.setting.clone()).collect()
}
