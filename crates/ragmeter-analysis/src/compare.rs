use std::collections::{BTreeMap, BTreeSet};

use ragmeter_core::Lang;
use ragmeter_stats::holm;
use serde::Serialize;

use crate::{Bilingual, RunData};

mod pair;

use pair::compare_pair;

/// Below this an adjusted p shows a difference; the intervals' level seen from the other side.
pub(crate) const ALPHA: f64 = 0.05;

/// Up to this many systems every pair is compared; above it each one with the first.
const ALL_PAIRS_UP_TO: usize = 6;

/// What may be said of system `b` beside system `a`, for one metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// `b` is better: shown after correction, and no missing score could turn it.
    Better,
    /// `b` is worse: shown after correction, and no missing score could turn it.
    Worse,
    /// No difference is shown. That does not show that there is none.
    CannotTell,
    /// A difference is shown between the scores at hand, but the missing ones could turn it.
    MissingCouldTurn,
    /// So few cases have both scores that not even agreement in all of them would show anything, or
    /// that agreement in all of them does not survive the correction for many comparisons.
    TooFewCases,
    /// No case has both scores; what is missing stands in the counts.
    NoCommonScores,
    /// One system retrieves all that the other does and more: the metric can only rise, so the
    /// difference is reported and not tested.
    Nested,
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
    /// Whether more is better.
    pub higher_is_better: bool,
    /// The system compared with.
    pub a: Side,
    /// The system compared.
    pub b: Side,
    /// Cases that both have a record of.
    pub n_shared: usize,
    /// Those by whether they have a score.
    pub scored: PairCounts,
    /// Shared cases in which `a` declined to answer.
    pub n_refused_a: usize,
    /// Shared cases in which `b` declined to answer.
    pub n_refused_b: usize,
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
    /// How many comparisons were corrected for: those of metrics, or those of companions.
    pub n_tests: usize,
    /// The smallest p that so many cases could give, before correction.
    pub smallest_p: Option<f64>,
    /// How interval and p were made.
    pub method: &'static str,
    /// The mean difference if every missing score were as bad, and as good, for `b` as can be.
    /// Cases to which the metric applies in neither system are left out.
    pub bounds: Option<[f64; 2]>,
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

/// Compares system `b` with system `a` in every metric that both runs have, over the cases that
/// both have records of, by the case's id. Empty if a system is not there.
pub fn compare(
    run_a: &RunData,
    system_a: &str,
    run_b: &RunData,
    system_b: &str,
    seed: u64,
) -> Vec<Comparison> {
    let find = |run: &'_ RunData, name: &str| run.systems.iter().position(|s| s.name == name);
    let (Some(a), Some(b)) = (find(run_a, system_a), find(run_b, system_b)) else {
        return Vec::new();
    };
    let mut comparisons =
        compare_pair((run_a, &run_a.systems[a]), (run_b, &run_b.systems[b]), seed);
    settle(&mut comparisons);
    comparisons
}

/// Compares the systems of a run: all pairs of up to six, each one with the first of more. Holm's
/// correction is over all of it.
pub fn compare_all(run: &RunData) -> Vec<Comparison> {
    let n = run.systems.len();
    let firsts = if n <= ALL_PAIRS_UP_TO { n } else { 1 };
    let mut comparisons = Vec::new();
    for a in 0..firsts {
        for b in a + 1..n {
            let pair = ((run, &run.systems[a]), (run, &run.systems[b]));
            comparisons.extend(compare_pair(pair.0, pair.1, run.seed));
        }
    }
    settle(&mut comparisons);
    comparisons
}

/// A setting in which two runs differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The setting's name.
    pub setting: String,
    /// Its value in the first run, if it has one.
    pub a: Option<String>,
    /// Its value in the second run, if it has one.
    pub b: Option<String>,
}

/// The settings in which two runs differ, by name: their numbers then differ in definition.
pub fn mismatches(run_a: &RunData, run_b: &RunData) -> Vec<Mismatch> {
    let of_run = |run: &'_ RunData| run.settings.iter().cloned().collect::<BTreeMap<_, _>>();
    let (of_a, of_b) = (of_run(run_a), of_run(run_b));
    let names: BTreeSet<&String> = of_a.keys().chain(of_b.keys()).collect();
    names
        .into_iter()
        .filter(|name| of_a.get(*name) != of_b.get(*name))
        .map(|name| Mismatch {
            setting: name.clone(),
            a: of_a.get(name).cloned(),
            b: of_b.get(name).cloned(),
        })
        .collect()
}

/// Corrects the p-values for being looked at together, then says what may be said.
fn settle(comparisons: &mut [Comparison]) {
    // Companions are a family of their own: what they add must not hide what the metrics show.
    for companion in [false, true] {
        let in_family = |c: &&mut Comparison| c.companion == companion && c.p.is_some();
        let mut tested: Vec<&mut Comparison> = comparisons.iter_mut().filter(in_family).collect();
        let p: Vec<f64> = tested.iter().filter_map(|comparison| comparison.p).collect();
        for (comparison, adjusted) in tested.iter_mut().zip(holm(&p)) {
            comparison.p_holm = Some(adjusted);
            comparison.n_tests = p.len();
            comparison.verdict = verdict(comparison, adjusted);
        }
    }
}

fn verdict(comparison: &Comparison, p_holm: f64) -> Verdict {
    let (Some(difference), Some(smallest_p)) = (comparison.difference, comparison.smallest_p)
    else {
        return Verdict::NoCommonScores;
    };
    if p_holm >= ALPHA {
        // Where nothing could have been shown, "no difference shown" would say too much.
        let as_extreme_as_can_be = comparison.p == Some(smallest_p);
        let hopeless = smallest_p >= ALPHA || as_extreme_as_can_be;
        return if hopeless { Verdict::TooFewCases } else { Verdict::CannotTell };
    }
    let rises = difference > 0.0;
    let same_side = |[low, high]: [f64; 2]| if rises { low > 0.0 } else { high < 0.0 };
    if !comparison.bounds.is_some_and(same_side) {
        Verdict::MissingCouldTurn
    } else if rises == comparison.higher_is_better {
        Verdict::Better
    } else {
        Verdict::Worse
    }
}
