use std::collections::{BTreeMap, BTreeSet};

use ragmeter_core::{FactKind, Label};
use ragmeter_stats::{
    Order, Weights, alpha, alpha_interval, kappa, kappa_interval, kappa_interval_clustered,
};
use serde::Serialize;

use super::calibration::{self, CalibrationOf};
use super::{Majority, Vocabulary, Word, majority, units, vocabulary};
use crate::summary::LEVEL;

/// How two raters agree on units that both labelled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Raters {
    /// Units that both labelled.
    pub n: usize,
    /// Cases that they belong to.
    pub n_cases: usize,
    /// Units with equal labels.
    pub agreed: usize,
    /// `agreed / n`; `None` if `n` is 0.
    pub share: Option<f64>,
    /// Cohen's kappa; `None` if both gave one label only.
    pub kappa: Option<f64>,
    /// Its 95 % interval; `None` below ten cases.
    pub interval: Option<[f64; 2]>,
    /// How the interval was made: `analytic` (every case has one unit) or `clustered`.
    pub method: &'static str,
    /// Kappa with linear weights, where the labels have an order.
    pub weighted_kappa: Option<f64>,
    /// Counts: a row for each label of the first rater, a column for each of the second.
    pub confusion: Vec<Vec<usize>>,
}

/// Two annotators.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Between {
    /// The first by name.
    pub a: String,
    /// The second.
    pub b: String,
    /// How they agree.
    pub raters: Raters,
}

/// Krippendorff's alpha of all annotators.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlphaOf {
    /// Units with at least two labels.
    pub n_units: usize,
    /// Alpha.
    pub alpha: f64,
    /// Its 95 % interval over cases drawn whole; `None` below ten cases.
    pub interval: Option<[f64; 2]>,
}

/// A unit on which most annotators say otherwise than the judge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// The system.
    pub system: String,
    /// The case.
    pub case: String,
    /// The unit's text; empty for the answer as a whole.
    pub text: String,
    /// The judge's label.
    pub judge: &'static str,
    /// The label of most annotators.
    pub people: String,
    /// Each annotator's label.
    pub labels: Vec<(String, String)>,
    /// Their comments.
    pub comments: Vec<String>,
}

/// A unit whose annotators are evenly split.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tie {
    /// The system.
    pub system: String,
    /// The case.
    pub case: String,
    /// The unit's text; empty for the answer as a whole.
    pub text: String,
    /// Each annotator's label.
    pub labels: Vec<(String, String)>,
}

/// A claim that the extractor missed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Added {
    /// The system.
    pub system: String,
    /// The case.
    pub case: String,
    /// The claim.
    pub text: String,
    /// Each annotator's label.
    pub labels: Vec<(String, String)>,
}

/// One kind of fact, labelled by people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FactAgreement {
    /// The kind's name.
    pub fact: &'static str,
    /// Its labels, in the order of the confusion's rows and columns.
    pub labels: Vec<&'static str>,
    /// Units of this run with a label.
    pub n_units: usize,
    /// Records that they belong to.
    pub n_records: usize,
    /// Labelled units that the judge gave no verdict on.
    pub n_not_judged: usize,
    /// Labels on units that this run does not have: the claims of another extraction.
    pub n_elsewhere: usize,
    /// Units whose annotators are evenly split: in no count of agreement.
    pub ties: Vec<Tie>,
    /// Claims that the extractor missed.
    pub added: Vec<Added>,
    /// The judge (rows) against most annotators (columns).
    pub judge: Raters,
    /// The same for each system.
    pub by_system: Vec<(String, Raters)>,
    /// The judge (rows) against each annotator alone: what the majority leaves out as a tie is in
    /// these.
    pub by_annotator: Vec<(String, Raters)>,
    /// Every pair of annotators with common units.
    pub between: Vec<Between>,
    /// All annotators; `None` if no unit has two labels, or all labels are one.
    pub alpha: Option<AlphaOf>,
    /// The judge's probabilities against most annotators; `None` if it gives none.
    pub calibration: Option<CalibrationOf>,
    /// Where most annotators say otherwise than the judge.
    pub disagreements: Vec<Disagreement>,
}

/// Labels of the first and second rater, and the cluster.
type Item = (usize, usize, usize);

pub(super) fn of_fact(word: &Word<'_>, kind: FactKind) -> Option<FactAgreement> {
    let vocabulary = vocabulary(kind)?;
    let mut found = FactAgreement {
        fact: kind.name(),
        labels: vocabulary.labels.iter().map(|name| name.id).collect(),
        n_units: 0,
        n_records: 0,
        n_not_judged: 0,
        n_elsewhere: 0,
        ties: Vec::new(),
        added: Vec::new(),
        judge: raters(&[], vocabulary, 0),
        by_system: Vec::new(),
        by_annotator: Vec::new(),
        between: Vec::new(),
        alpha: None,
        calibration: None,
        disagreements: Vec::new(),
    };
    let mut probabilities: Vec<(f64, bool)> = Vec::new();
    let mut items: Vec<(&str, Item)> = Vec::new();
    let mut alone: BTreeMap<&str, Vec<Item>> = BTreeMap::new();
    // Labels of each unit by annotator, with the cluster: for agreement between annotators.
    let mut voices: Vec<(usize, Vec<(&str, usize)>)> = Vec::new();
    for placed in &word.records {
        let mut any = false;
        let (system, case) = (placed.system.to_owned(), placed.case.id.clone());
        let mut known = BTreeSet::new();
        for unit in units(kind, placed.case, placed.judged) {
            let labels = word.of_unit(&placed.id, kind.name(), &unit.id);
            known.insert(unit.id.clone());
            if labels.is_empty() {
                continue;
            }
            any = true;
            found.n_units += 1;
            let by_annotator: Vec<(&str, usize)> = labels
                .iter()
                .filter_map(|label| {
                    Some((label.annotator.as_str(), vocabulary.index(label.label.as_deref()?)?))
                })
                .collect();
            if let Some(judge) = unit.judge.and_then(|label| vocabulary.index(label)) {
                for (annotator, label) in &by_annotator {
                    let item = (judge, *label, placed.cluster);
                    alone.entry(*annotator).or_default().push(item);
                }
            }
            voices.push((placed.cluster, by_annotator));
            let Some(judge) = unit.judge else {
                found.n_not_judged += 1;
                continue;
            };
            match majority(labels) {
                Some(Majority::Label(people)) => {
                    let pair = vocabulary.index(judge).zip(vocabulary.index(people));
                    if let Some((left, right)) = pair {
                        items.push((placed.system, (left, right, placed.cluster)));
                    }
                    if let Some(probability) = unit.probability {
                        probabilities.push((probability, people == vocabulary.labels[0].id));
                    }
                    if people != judge {
                        found.disagreements.push(Disagreement {
                            system: system.clone(),
                            case: case.clone(),
                            text: unit.text,
                            judge,
                            people: people.to_owned(),
                            labels: named(labels),
                            comments: labels.iter().filter_map(|one| one.comment.clone()).collect(),
                        });
                    }
                }
                Some(Majority::Tie(_)) => found.ties.push(Tie {
                    system: system.clone(),
                    case: case.clone(),
                    text: unit.text,
                    labels: named(labels),
                }),
                None => {}
            }
        }
        for (key, labels) in word.labels.range((&placed.id, kind.name(), "")..) {
            if key.0 != &placed.id || key.1 != kind.name() {
                break;
            }
            if labels[0].added {
                any = true;
                let text = labels[0].text.clone();
                let labels = named(labels);
                found.added.push(Added {
                    system: system.clone(),
                    case: case.clone(),
                    text,
                    labels,
                });
            } else if !known.contains(key.2) {
                found.n_elsewhere += labels.len();
            }
        }
        found.n_records += usize::from(any);
    }
    if found.n_units == 0 && found.added.is_empty() && found.n_elsewhere == 0 {
        return None;
    }
    let seed = word.run.seed;
    let of = |system: Option<&str>| -> Vec<Item> {
        let wanted = |one: &&(&str, Item)| system.is_none_or(|name| one.0 == name);
        items.iter().filter(wanted).map(|one| one.1).collect()
    };
    found.judge = raters(&of(None), vocabulary, seed);
    if word.run.systems.len() > 1 {
        for system in &word.run.systems {
            let items = of(Some(&system.name));
            if !items.is_empty() {
                found.by_system.push((system.name.clone(), raters(&items, vocabulary, seed)));
            }
        }
    }
    found.by_annotator = (alone.into_iter())
        .map(|(name, items)| (name.to_owned(), raters(&items, vocabulary, seed)))
        .collect();
    found.between = between(&voices, vocabulary, seed);
    found.alpha = alpha_of(&voices, vocabulary, seed);
    found.calibration = calibration::of(&probabilities, vocabulary);
    Some(found)
}

fn named(labels: &[&Label]) -> Vec<(String, String)> {
    let pair = |label: &&Label| Some((label.annotator.clone(), label.label.clone()?));
    labels.iter().filter_map(pair).collect()
}

/// Agreement on these items. The interval is the analytic one where every case has one item, and
/// is drawn over whole cases where some case has more.
fn raters(items: &[Item], vocabulary: Vocabulary, seed: u64) -> Raters {
    let k = vocabulary.labels.len();
    let mut confusion = vec![vec![0; k]; k];
    for (left, right, _) in items {
        confusion[*left][*right] += 1;
    }
    let (clusters, items) = dense(items);
    let agreed: usize = (0..k).map(|label| confusion[label][label]).sum();
    let found = kappa(&confusion, Weights::Nominal);
    let independent = clusters == items.len();
    let interval = found.as_ref().and_then(|found| {
        if independent {
            kappa_interval(found, LEVEL)
        } else {
            kappa_interval_clustered(&items, k, Weights::Nominal, LEVEL, seed)
        }
    });
    let weighted = vocabulary.ordered.then(|| kappa(&confusion, Weights::Linear)).flatten();
    Raters {
        n: items.len(),
        n_cases: clusters,
        agreed,
        share: (!items.is_empty()).then(|| agreed as f64 / items.len() as f64),
        kappa: found.map(|found| found.kappa),
        interval: interval.map(|interval| [interval.low, interval.high]),
        method: if independent { "analytic" } else { "clustered" },
        weighted_kappa: weighted.map(|found| found.kappa),
        confusion,
    }
}

/// The items with their clusters numbered from 0 without gaps.
fn dense(items: &[Item]) -> (usize, Vec<Item>) {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, _, cluster) in items {
        let next = numbers.len();
        numbers.entry(*cluster).or_insert(next);
    }
    let items = items.iter().map(|(a, b, cluster)| (*a, *b, numbers[cluster])).collect();
    (numbers.len(), items)
}

fn between(
    voices: &[(usize, Vec<(&str, usize)>)],
    vocabulary: Vocabulary,
    seed: u64,
) -> Vec<Between> {
    let mut pairs: BTreeMap<(&str, &str), Vec<Item>> = BTreeMap::new();
    for (cluster, labels) in voices {
        for (index, (a, left)) in labels.iter().enumerate() {
            for (b, right) in &labels[index + 1..] {
                let ((a, left), (b, right)) =
                    if a < b { ((a, left), (b, right)) } else { ((b, right), (a, left)) };
                pairs.entry((a, b)).or_default().push((*left, *right, *cluster));
            }
        }
    }
    let of = |((a, b), items): ((&str, &str), Vec<Item>)| Between {
        a: a.to_owned(),
        b: b.to_owned(),
        raters: raters(&items, vocabulary, seed),
    };
    pairs.into_iter().map(of).collect()
}

fn alpha_of(
    voices: &[(usize, Vec<(&str, usize)>)],
    vocabulary: Vocabulary,
    seed: u64,
) -> Option<AlphaOf> {
    let shared: Vec<&(usize, Vec<(&str, usize)>)> =
        voices.iter().filter(|(_, labels)| labels.len() > 1).collect();
    let units: Vec<Vec<usize>> =
        shared.iter().map(|(_, labels)| labels.iter().map(|label| label.1).collect()).collect();
    let clusters: Vec<Item> = shared.iter().map(|(cluster, _)| (0, 0, *cluster)).collect();
    let clusters: Vec<usize> = dense(&clusters).1.into_iter().map(|item| item.2).collect();
    let k = vocabulary.labels.len();
    let found = alpha(&units, k, Order::Nominal)?;
    let interval = alpha_interval(&units, &clusters, (k, Order::Nominal), LEVEL, seed);
    Some(AlphaOf {
        n_units: found.units,
        alpha: found.alpha,
        interval: interval.map(|interval| [interval.low, interval.high]),
    })
}
