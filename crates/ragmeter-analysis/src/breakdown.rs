//! Means by group of cases: by tag, by kind, by document, by language.

use std::collections::{BTreeMap, BTreeSet};

use ragmeter_core::TestCase;
use ragmeter_stats::{Population, mean_interval};
use serde::Serialize;

use crate::summary::{LEVEL, mean};
use crate::{JudgedRecord, RunData};

/// Under so many scores a group's mean stands without an interval: it would say little else than
/// that the group is small.
pub const ENOUGH: usize = 10;

/// Most groups of one dimension that stand by themselves; the smaller ones are gathered.
const GROUPS: usize = 12;

/// What cases are grouped by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// A free tag; a case with several stands in several groups.
    Tag,
    /// Tags of the form `name:value`, by their name, as in `kind:reasoning`.
    Label(String),
    /// A document that the question was made from; a case on several stands in several groups.
    Document,
    /// The language.
    Language,
}

/// The means of all groups of one dimension.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Breakdown {
    /// What is grouped by.
    pub dimension: Dimension,
    /// The groups, largest first, ties by name.
    pub groups: Vec<Group>,
    /// Cases that are in no group.
    pub n_ungrouped: usize,
}

/// One group of cases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Its name; empty for the rest.
    pub name: String,
    /// How many smaller groups are gathered in it; 0 for a group of its own.
    pub gathered: usize,
    /// Cases in it.
    pub n_cases: usize,
    /// The mean of each metric of each system: by system, then by metric.
    pub means: Vec<Vec<GroupMean>>,
}

/// One metric of one system over the cases of a group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GroupMean {
    /// The mean of the scores; `None` if there is none.
    pub mean: Option<f64>,
    /// How many scores there are.
    pub n: usize,
    /// The 95 % interval; `None` under [`ENOUGH`] scores.
    pub interval: Option<[f64; 2]>,
}

/// Every dimension in which the cases fall into at least two groups.
pub fn breakdowns(run: &RunData) -> Vec<Breakdown> {
    let mut groups: BTreeMap<Dimension, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for case in &run.cases {
        for (dimension, name) in memberships(case) {
            groups.entry(dimension).or_default().entry(name).or_default().insert(&case.id);
        }
    }
    let records: Vec<BTreeMap<&str, &JudgedRecord>> = run
        .systems
        .iter()
        .map(|system| system.records.iter().map(|r| (r.record.case_id.as_str(), r)).collect())
        .collect();
    groups
        .into_iter()
        .filter(|(_, groups)| groups.len() > 1)
        .map(|(dimension, groups)| breakdown(run, &records, dimension, groups))
        .collect()
}

fn memberships(case: &TestCase) -> Vec<(Dimension, &str)> {
    let mut found: Vec<(Dimension, &str)> = Vec::new();
    for tag in case.tags.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty()) {
        found.push(match labelled(tag) {
            Some((name, value)) => (Dimension::Label(name.to_owned()), value),
            None => (Dimension::Tag, tag),
        });
    }
    let documents = case.documents().into_iter().filter(|document| !document.is_empty());
    found.extend(documents.map(|document| (Dimension::Document, document)));
    found.extend(case.lang.map(|lang| (Dimension::Language, lang.code())));
    found
}

/// `name:value`, where the name is a short word.
fn labelled(tag: &str) -> Option<(&str, &str)> {
    let (name, value) = tag.split_once(':')?;
    let value = value.trim();
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let fits = (1..=24).contains(&name.chars().count()) && is_word(name);
    (fits && !value.is_empty() && !value.starts_with("//")).then_some((name, value))
}

fn breakdown(
    run: &RunData,
    records: &[BTreeMap<&str, &JudgedRecord>],
    dimension: Dimension,
    groups: BTreeMap<&str, BTreeSet<&str>>,
) -> Breakdown {
    let grouped: BTreeSet<&str> = groups.values().flatten().copied().collect();
    let mut ordered: Vec<(&str, BTreeSet<&str>)> = groups.into_iter().collect();
    ordered.sort_by(|left, right| right.1.len().cmp(&left.1.len()).then(left.0.cmp(right.0)));
    // A rest of one is no rest.
    let kept = if ordered.len() > GROUPS + 1 { GROUPS } else { ordered.len() };
    let rest = ordered.split_off(kept);
    let mut made: Vec<Group> = ordered
        .into_iter()
        .map(|(name, cases)| group(run, records, name.to_owned(), 0, &cases))
        .collect();
    if !rest.is_empty() {
        let cases = rest.iter().flat_map(|(_, cases)| cases).copied().collect();
        made.push(group(run, records, String::new(), rest.len(), &cases));
    }
    Breakdown { dimension, groups: made, n_ungrouped: run.cases.len() - grouped.len() }
}

fn group(
    run: &RunData,
    records: &[BTreeMap<&str, &JudgedRecord>],
    name: String,
    gathered: usize,
    cases: &BTreeSet<&str>,
) -> Group {
    let means = records
        .iter()
        .map(|of_system| {
            let of_metric = |metric: &crate::MetricInfo| {
                let found = cases.iter().filter_map(|case| of_system.get(case)?.score(&metric.id));
                group_mean(&found.collect::<Vec<f64>>(), run.seed)
            };
            run.metrics.iter().map(of_metric).collect()
        })
        .collect();
    Group { name, gathered, n_cases: cases.len(), means }
}

/// A group is looked at as it is: what is said of it is about its own documents.
fn group_mean(scores: &[f64], seed: u64) -> GroupMean {
    let found = mean_interval(scores, None, Population::TheseDocuments, LEVEL, seed);
    let interval = found.ok().filter(|_| scores.len() >= ENOUGH).map(|found| found.interval);
    GroupMean {
        mean: mean(scores),
        n: scores.len(),
        interval: interval.map(|interval| [interval.low, interval.high]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_from_tags() {
        assert_eq!(labelled("kind:reasoning"), Some(("kind", "reasoning")));
        assert_eq!(labelled("вид: простой"), Some(("вид", "простой")));
        assert_eq!(labelled("http://example.org"), None);
        assert_eq!(labelled("plain"), None);
        assert_eq!(labelled("two words:x"), None);
    }
}
