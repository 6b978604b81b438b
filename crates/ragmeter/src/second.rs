//! A sample judged again by another model.

use std::collections::{BTreeMap, BTreeSet};

use ragmeter_analysis::{
    Comparison, RunData, SecondLook, SystemPair, compare, only_cases, second_looks,
};
use ragmeter_core::{Hasher, RunRecord};

use crate::assemble::spec_of_run;
use crate::budget::Budget;
use crate::config::{JudgeConfig, LOCAL, RunConfig};
use crate::ending::Ending;
use crate::error::Error;
use crate::models::{Environment, Models};
use crate::pipeline::{Plan, Session, System, execute};
use crate::score::{metrics_of, recorded};
use crate::spec::SystemSpec;

/// What to judge again.
#[derive(Clone, Debug)]
pub struct SecondJudge {
    /// The other judge.
    pub judge: JudgeConfig,
    /// Replaces the endpoint of `openai:…`.
    pub base_url: Option<String>,
    /// Most cases to judge.
    pub sample: usize,
}

/// What came of it.
#[derive(Debug)]
pub struct SecondOpinion {
    /// The run of the second judge, kept in the store.
    pub run_id: String,
    /// The second judge, as resolved.
    pub judge: String,
    /// Cases judged.
    pub cases: usize,
    /// Both judges side by side.
    pub looks: Vec<SecondLook>,
    /// How judging ended.
    pub ending: Ending,
}

/// Judges a sample of the cases that all these systems have records of by another judge, and puts
/// both judges' differences side by side. The sample is drawn by the run's seed and does not depend
/// on scores. Metrics made of cosines are left out: they are the embedder's word. What is judged is
/// kept: asking again costs nothing.
pub async fn second_judge(
    session: &Session,
    (run_a, run_b): (&RunData, &RunData),
    pairs: &[SystemPair<'_>],
    request: &SecondJudge,
    env: Environment<'_>,
) -> Result<SecondOpinion, Error> {
    let same = |run: &RunData| {
        let wanted = request.judge.model.strip_prefix("openai:").unwrap_or(&request.judge.model);
        let local =
            run.settings.iter().any(|(name, value)| name == "judge.endpoint" && value == LOCAL);
        run.judge == wanted || (local && wanted == LOCAL)
    };
    if same(run_a) && same(run_b) {
        return Err(Error::usage(format!(
            "{} judged these runs already: name another model for a second opinion",
            request.judge.model
        )));
    }
    let sample = sample(run_a, run_b, pairs, request.sample);
    if sample.is_empty() {
        return Err(Error::usage("the systems have no case in common to judge again"));
    }
    let own = &crate::assemble::own_of(&session.store, &run_a.run_id)?;
    let (a, b) = (only_cases(run_a, &sample), only_cases(run_b, &sample));
    let ids: Vec<String> = (a.metrics.iter())
        .filter(|metric| b.metrics.iter().any(|other| other.id == metric.id))
        // Cosines of another embedder would be another scale, and are no judge's word.
        .filter(|metric| !metric.companion && !metric.rests_on_cosines)
        // Neither is what code computes from the texts, whoever judges the rest.
        .filter(|metric| !metric.needs_no_judge)
        .map(|metric| metric.id.clone())
        .collect();
    if ids.is_empty() {
        return Err(Error::usage(
            "no metric of these runs is a judge's word: there is nothing to ask a second judge",
        ));
    }
    let models =
        Models::new(BTreeMap::new(), request.base_url.clone(), RunConfig::default().concurrency);
    let plan = Plan {
        name: format!("second judge of {}", a.run_id),
        cases: a.cases.clone(),
        systems: systems(&a, &b, pairs),
        corpus: None,
        metrics: metrics_of(&ids, own)?,
        own: own.clone(),
        programs: Vec::new(),
        // As the first judge was asked: another way of asking would be another difference.
        judge: JudgeConfig {
            profile: spec_of_run(&session.store, &run_a.run_id)?.judge.asked_in().into(),
            ..request.judge.clone()
        },
        models: &models,
        concurrency: RunConfig::default().concurrency,
        seed: a.seed,
        compare: a.compare.clone(),
        budget: Budget::default(),
        max_failed: RunConfig::default().max_failed,
        fresh: false,
        second_of: Some(a.run_id.clone()),
        drift: None,
        notes: Vec::new(),
    };
    let second = execute(session, plan, env).await?;
    let first = compare(&a, &b, pairs, &a.compare);
    let looks = second_looks(&first, &as_in(&first, &second.data, pairs, &a, &b));
    Ok(SecondOpinion {
        run_id: second.data.run_id.clone(),
        judge: second.data.judge.clone(),
        cases: sample.len(),
        looks,
        ending: second.ending,
    })
}

/// The comparisons of the second run, under the names and runs of the first ones.
fn as_in(
    first: &[Comparison],
    second: &RunData,
    pairs: &[SystemPair<'_>],
    a: &RunData,
    b: &RunData,
) -> Vec<Comparison> {
    let names: Vec<(String, String)> =
        pairs.iter().map(|(one, other)| (name(a, one), name(b, other))).collect();
    let named: Vec<SystemPair<'_>> =
        names.iter().map(|(one, other)| (one.as_str(), other.as_str())).collect();
    let mut comparisons = compare(second, second, &named, &a.compare);
    for comparison in &mut comparisons {
        let at = named
            .iter()
            .position(|(one, other)| comparison.a.system == *one && comparison.b.system == *other);
        let Some((one, other)) = at.map(|at| pairs[at]) else { continue };
        let sides = first.iter().find(|first| first.a.system == one && first.b.system == other);
        if let Some(sides) = sides {
            comparison.a = sides.a.clone();
            comparison.b = sides.b.clone();
        }
    }
    comparisons
}

/// Systems of two runs may have one name: the run tells them apart.
fn name(run: &RunData, system: &str) -> String {
    format!("{}:{system}", run.run_id)
}

fn systems(a: &RunData, b: &RunData, pairs: &[SystemPair<'_>]) -> Vec<(SystemSpec, System)> {
    let mut known = BTreeSet::new();
    let mut systems = Vec::new();
    let sides = pairs.iter().flat_map(|(one, other)| [(a, *one), (b, *other)]);
    for (run, system) in sides {
        let name = name(run, system);
        let found = run.systems.iter().find(|known| known.name == system);
        let Some(found) = found.filter(|_| known.insert(name.clone())) else { continue };
        let records = found.records.iter();
        let records: Vec<RunRecord> =
            records.map(|one| RunRecord { system: name.clone(), ..one.record.clone() }).collect();
        systems.push(recorded(name, records));
    }
    systems
}

/// The cases of the sample: those that all systems have a record of, in the order of a seeded hash.
fn sample<'a>(
    run_a: &'a RunData,
    run_b: &RunData,
    pairs: &[SystemPair<'_>],
    most: usize,
) -> BTreeSet<&'a str> {
    let has = |run: &RunData, system: &str, case: &str| {
        let system = run.systems.iter().find(|known| known.name == system);
        system.is_some_and(|system| system.records.iter().any(|one| one.record.case_id == case))
    };
    let shared = run_a
        .cases
        .iter()
        .map(|case| case.id.as_str())
        .filter(|case| pairs.iter().all(|(a, b)| has(run_a, a, case) && has(run_b, b, case)));
    let mut drawn: Vec<(String, &str)> = shared
        .map(|case| {
            let seed = run_a.seed.to_string();
            (Hasher::new("second judge").text(&seed).text(case).finish().0, case)
        })
        .collect();
    drawn.sort();
    drawn.into_iter().take(most).map(|(_, case)| case).collect()
}
