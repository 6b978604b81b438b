use std::collections::{BTreeMap, BTreeSet};

use ragmeter_core::{Lang, TestCase};
use serde::Serialize;

use crate::{Bilingual, RunData};

mod mismatch;
mod needed;
mod nested;
mod options;
mod pair;
mod ranking;
mod settle;
mod units;

pub use mismatch::{Effect, Mismatch, mismatches};
pub use nested::NestedRanking;
pub use options::{CompareOptions, Documents};
pub use ranking::{RankedSystem, Ranking, rankings};
pub use units::ClusterCounts;
pub(crate) use units::Units;

use needed::Spread;
use pair::compare_pair;
use settle::settle;

/// Below this an adjusted p shows a difference; the intervals' level seen from the other side.
pub(crate) const ALPHA: f64 = 0.05;

/// What may be said of system `b` beside system `a`, for one metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// `b` is better: shown after correction, and no missing score could turn it.
    Better,
    /// `b` is worse: shown after correction, and no missing score could turn it.
    Worse,
    /// The difference is smaller than the margin either way: shown after correction, and no missing
    /// score could turn it.
    Equivalent,
    /// `b` is not worse by the margin or more: shown after correction, and no missing score could
    /// turn it.
    NonInferior,
    /// No difference is shown. That does not show that there is none.
    CannotTell,
    /// A difference is shown between the scores at hand, but the missing ones could turn it.
    MissingCouldTurn,
    /// So few cases have both scores that not even agreement in all of them would show anything, or
    /// that agreement in all of them does not survive the correction for many comparisons.
    TooFewCases,
    /// Other documents are asked about, and too few documents, or none, are known.
    TooFewDocuments,
    /// No case has both scores; what is missing stands in the counts.
    NoCommonScores,
    /// One system retrieves all that the other does and more: the metric can only rise, so the
    /// difference is reported and not tested.
    Nested,
    /// The two runs were judged in other ways, so the numbers mean other things.
    NotComparable,
}

/// One system in a comparison.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Side {
    /// The run.
    pub run_id: String,
    /// The system.
    pub system: String,
}

/// The shared cases by whether they have a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PairCounts {
    /// Scored in both.
    pub both: usize,
    /// Scored in `a` alone.
    pub only_a: usize,
    /// Scored in `b` alone.
    pub only_b: usize,
    /// Scored in neither.
    pub neither: usize,
}

/// What a margin that the user gave says. Differences are turned so that more is better.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Margin {
    /// The margin.
    pub margin: f64,
    /// p of "worse by the margin or more", one-sided, before correction.
    pub p_non_inferiority: f64,
    /// After Holm's correction over the margins of all comparisons made together.
    pub p_non_inferiority_holm: f64,
    /// p of "different by the margin or more", the larger of two one-sided ones, before correction.
    pub p_equivalence: f64,
    /// After Holm's correction.
    pub p_equivalence_holm: f64,
    /// The interval at 90 %: inside the margins exactly if equivalence is shown before correction.
    pub interval: Option<[f64; 2]>,
}

/// How many cases something would take in all. The spread of the differences enters, never the
/// difference that was observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CasesFor {
    /// What for: `difference` or `equivalence` (of the margin's size), or `width`.
    pub aim: &'static str,
    /// Cases, counted with those at hand.
    pub cases: u64,
    /// Clusters of documents, where new documents are asked about.
    pub clusters: Option<u64>,
}

/// The paired comparison of two systems in one metric; differences are `b - a`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The metric's id.
    pub metric: String,
    /// The metric's title.
    #[serde(skip)]
    pub title: Bilingual,
    /// Whether the metric stands beside others.
    #[serde(skip)]
    pub companion: bool,
    /// Whether the metric was declared to be the one that the decision rests on.
    pub primary: bool,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// The system compared with.
    pub a: Side,
    /// The system compared.
    pub b: Side,
    /// Cases that both have a record of and that ask the same.
    pub n_shared: usize,
    /// Cases of one id that ask another question, or have another reference, in the two runs: they
    /// are left out.
    pub n_other_question: usize,
    /// Those by whether they have a score.
    pub scored: PairCounts,
    /// Shared cases in which `a` declined to answer.
    pub n_refused_a: usize,
    /// Shared cases in which `b` declined to answer.
    pub n_refused_b: usize,
    /// What the verdict is about.
    pub population: Documents,
    /// The cases scored in both by source document; `None` if no case tells its document.
    pub clusters: Option<ClusterCounts>,
    /// Mean of `a` over the cases scored in both.
    pub mean_a: Option<f64>,
    /// Mean of `b` over the cases scored in both.
    pub mean_b: Option<f64>,
    /// Mean difference over the cases scored in both.
    pub difference: Option<f64>,
    /// The differences that the test does not reject, at 95 %, before correction.
    pub interval: Option<[f64; 2]>,
    /// Two-sided p before correction.
    pub p: Option<f64>,
    /// p after Holm's correction over all comparisons made together.
    pub p_holm: Option<f64>,
    /// How many comparisons were corrected for: those of the primary metric, of the other metrics,
    /// or of companions.
    pub n_tests: usize,
    /// The smallest p that so many cases, or clusters, could give, before correction.
    pub smallest_p: Option<f64>,
    /// How interval and p were made.
    pub method: &'static str,
    /// Why there is no test, where the data would allow one.
    pub refusal: Option<String>,
    /// A known weakness of interval and p for data of this kind.
    pub warning: Option<Bilingual>,
    /// The mean difference if every missing score were as bad, and as good, for `b` as can be.
    /// Cases to which the metric applies in neither system are left out.
    pub bounds: Option<[f64; 2]>,
    /// What the user's margin says.
    pub margin: Option<Margin>,
    /// Cases that the user's margin or width would take, with 80 % power, at the level left by the
    /// correction.
    pub cases_needed: Vec<CasesFor>,
    /// What the cases needed are computed from.
    #[serde(skip)]
    pub(crate) spread: Option<Spread>,
    /// For nested systems and a metric of the ranking: AP at the smaller k, and nDCG.
    pub nested: Option<NestedRanking>,
    /// The settings for which the runs' numbers are not compared.
    pub mismatches: Vec<String>,
    /// What may be said.
    pub verdict: Verdict,
}

impl Comparison {
    /// The metric's title, or its id if it has none.
    pub fn title(&self, lang: Lang) -> &str {
        match self.title.get(lang) {
            "" => &self.metric,
            title => title,
        }
    }

    /// The names of `a` and `b`, with their runs where these differ.
    pub fn names(&self) -> (String, String) {
        if self.a.run_id == self.b.run_id {
            return (self.a.system.clone(), self.b.system.clone());
        }
        let name = |side: &Side| format!("{}:{}", side.run_id, side.system);
        (name(&self.a), name(&self.b))
    }
}

/// Two systems by name, the one compared with first.
pub type SystemPair<'a> = (&'a str, &'a str);

/// Compares systems of two runs, or of one, in every metric that both have, over the cases that
/// both have records of, by the case's id; cases of one id that ask different things are left out. Holm's correction is over all of it. Pairs of which a
/// system is not there are left out.
pub fn compare(
    run_a: &RunData,
    run_b: &RunData,
    pairs: &[SystemPair<'_>],
    options: &CompareOptions,
) -> Vec<Comparison> {
    let find = |run: &'_ RunData, name: &str| run.systems.iter().position(|s| s.name == name);
    let mismatches = mismatches(run_a, run_b);
    let units = Units::of(&run_a.cases);
    let other = other_questions(run_a, run_b);
    let mut comparisons = Vec::new();
    for (a, b) in pairs {
        let (Some(a), Some(b)) = (find(run_a, a), find(run_b, b)) else { continue };
        let sides = ((run_a, &run_a.systems[a]), (run_b, &run_b.systems[b]));
        comparisons.extend(compare_pair(sides, units.as_ref(), &other, &mismatches, options));
    }
    settle(&mut comparisons, options);
    comparisons
}

/// The ids under which two runs ask different things. Ids are line numbers where a file gives none,
/// so equal ids alone say little.
fn other_questions<'a>(run_a: &'a RunData, run_b: &RunData) -> BTreeSet<&'a str> {
    let of_b: BTreeMap<&str, &TestCase> =
        run_b.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let differs = |case: &&TestCase| {
        of_b.get(case.id.as_str()).is_some_and(|other| {
            (&other.question, &other.reference) != (&case.question, &case.reference)
        })
    };
    run_a.cases.iter().filter(differs).map(|case| case.id.as_str()).collect()
}

/// Compares all pairs of systems of a run, as the run declares it.
pub fn compare_all(run: &RunData) -> Vec<Comparison> {
    compare(run, run, &all_pairs(run), &run.compare)
}

/// Every pair of systems of a run, each with the later ones; none if there is one system.
pub fn all_pairs(run: &RunData) -> Vec<SystemPair<'_>> {
    let names: Vec<&str> = run.systems.iter().map(|system| system.name.as_str()).collect();
    let mut pairs = Vec::new();
    for (at, a) in names.iter().enumerate() {
        pairs.extend(names[at + 1..].iter().map(|b| (*a, *b)));
    }
    pairs
}
