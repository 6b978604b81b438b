use ragmeter_core::Outcome;
use ragmeter_stats::{Population, mean_interval, sign_flip};
use serde::Serialize;

use super::{LABELLED, Word, vocabulary};
use crate::summary::{LEVEL, mean};

/// A metric of one system from people's labels, beside the judge's. The record is the unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricByPeople {
    /// The system.
    pub system: String,
    /// The metric's id.
    pub metric: String,
    /// Records with a label that the metric is made of.
    pub n_labelled: usize,
    /// Of them, those with an unlabelled unit or a tie: left out.
    pub n_partly: usize,
    /// Records with a score from labels.
    pub n_people: usize,
    /// Mean of these scores.
    pub people: Option<f64>,
    /// Its 95 % interval, Wilson's on the mean.
    pub people_interval: Option<[f64; 2]>,
    /// Records with a score from labels and one from the judge.
    pub n_both: usize,
    /// The judge's mean on those.
    pub judge: Option<f64>,
    /// People's mean on those.
    pub people_on_both: Option<f64>,
    /// Mean of people's score less the judge's.
    pub difference: Option<f64>,
    /// The shifts that the paired sign-flip test does not reject at 5 %.
    pub difference_interval: Option<[f64; 2]>,
    /// Two-sided p of that test.
    pub p: Option<f64>,
}

pub(super) fn metrics(word: &Word<'_>) -> Vec<MetricByPeople> {
    let mut found = Vec::new();
    for system in &word.run.systems {
        for kind in LABELLED {
            let Some(vocabulary) = vocabulary(kind) else { continue };
            if let Some(one) = of(word, &system.name, kind.name(), vocabulary.metric) {
                found.push(one);
            }
        }
    }
    found
}

fn of(word: &Word<'_>, system: &str, fact: &str, metric: &str) -> Option<MetricByPeople> {
    if !word.run.metrics.iter().any(|info| info.id == metric) {
        return None;
    }
    let (mut n_labelled, mut n_partly) = (0, 0);
    let (mut scores, mut pairs) = (Vec::new(), Vec::new());
    for placed in word.records.iter().filter(|placed| placed.system == system) {
        let mut labels = word.labels.range((&placed.id, fact, "")..);
        if !labels.next().is_some_and(|(key, _)| key.0 == &placed.id && key.1 == fact) {
            continue;
        }
        n_labelled += 1;
        let outcome = word.run.people.outcomes.get(&placed.id).and_then(|all| all.get(metric));
        match outcome {
            None => n_partly += 1,
            Some(outcome) => {
                let Some(people) = outcome.value() else { continue };
                scores.push(people);
                if let Some(judge) = placed.judged.outcomes.get(metric).and_then(Outcome::value) {
                    pairs.push((people, judge));
                }
            }
        }
    }
    if n_labelled == 0 {
        return None;
    }
    let differences: Vec<f64> = pairs.iter().map(|(people, judge)| people - judge).collect();
    let test = sign_flip(&differences, LEVEL, word.run.seed);
    let these = Population::TheseDocuments;
    let interval = mean_interval(&scores, None, these, LEVEL, word.run.seed);
    let of_side =
        |side: &dyn Fn(&(f64, f64)) -> f64| mean(&pairs.iter().map(side).collect::<Vec<_>>());
    Some(MetricByPeople {
        system: system.to_owned(),
        metric: metric.to_owned(),
        n_labelled,
        n_partly,
        n_people: scores.len(),
        people: mean(&scores),
        people_interval: interval.ok().map(|i| [i.interval.low, i.interval.high]),
        n_both: pairs.len(),
        judge: of_side(&|pair| pair.1),
        people_on_both: of_side(&|pair| pair.0),
        difference: test.as_ref().map(|test| test.mean),
        difference_interval: test.as_ref().and_then(|test| test.interval).map(|i| [i.low, i.high]),
        p: test.map(|test| test.p),
    })
}
