use std::collections::BTreeMap;

/// The fewest clusters from which anything is said about *new documents*.
///
/// The spread between documents is estimated from the documents; with fewer than ten, tests and
/// intervals that lean on it promise more than they hold (A. C. Cameron and D. L. Miller,
/// "A practitioner's guide to cluster-robust inference", Journal of Human Resources 50, 2015).
pub const FEWEST_CLUSTERS: usize = 10;

/// What a result is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Population {
    /// Other questions about the same documents, in the same shares. Cases are the units.
    ///
    /// The documents are strata then. They are not used as such: the spread between them counts
    /// as noise although it is none. So p is too large and the interval too wide rather than
    /// the other way round, the more so the more the documents differ.
    TheseDocuments,
    /// Questions about other documents of the same kind. Whole clusters of documents are the
    /// units: cases of one document succeed and fail together.
    NewDocuments,
}

/// Why there is no test or no interval.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// Nothing was given.
    #[error("there is no score")]
    Empty,
    /// A value is not a number, or lies outside the range that scores or differences have.
    #[error("value {at} (counted from 0) is {value}, outside [{low}, {high}]")]
    OutOfRange {
        /// Its place, counted from 0.
        at: usize,
        /// The value.
        value: f64,
        /// The lowest value allowed.
        low: f64,
        /// The highest value allowed.
        high: f64,
    },
    /// The level of confidence is not strictly between 0 and 1.
    #[error("the level {0} is not between 0 and 1")]
    Level(f64),
    /// A margin, width, spread or power that is not a positive finite number in its range.
    #[error("{what} is {value}, it must be above 0 and at most {at_most}")]
    Argument {
        /// Which one.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The highest value allowed.
        at_most: f64,
    },
    /// Not as many labels of clusters as values.
    #[error("{values} values have {labels} cluster labels")]
    Labels {
        /// How many values.
        values: usize,
        /// How many labels.
        labels: usize,
    },
    /// *New documents* are asked about, but it is not known which case belongs to which document.
    #[error(
        "nothing is known about the cases' source documents, so nothing can be said about new documents"
    )]
    NoClusters,
    /// *New documents* are asked about with fewer than [`FEWEST_CLUSTERS`].
    #[error(
        "{clusters} clusters of documents are too few to speak about new documents, {needed} are needed"
    )]
    FewClusters {
        /// How many there are.
        clusters: usize,
        /// How many are needed.
        needed: usize,
    },
    /// Too few values, or values without any spread and without bounds.
    #[error("{n} values without any spread give no interval, as nothing bounds them")]
    NoSpread {
        /// How many values.
        n: usize,
    },
}

/// Cases grouped so that no document is in two groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clusters {
    /// The group of each case, in the order given: 0, 1, 2, … by first appearance.
    pub labels: Vec<usize>,
    /// How many groups.
    pub count: usize,
    /// How many distinct documents.
    pub documents: usize,
    /// Groups that hold more than one document, joined by cases on several documents.
    pub merged: usize,
    /// Cases without any document; each is a group of its own.
    pub without_document: usize,
}

/// Groups cases by source document: two cases are in one group if they share a document, or if a
/// chain of such cases joins them (connected components).
///
/// `documents` names the source documents of each case. A name may be repeated. The labels depend
/// on which cases share documents and on the order of the cases, never on the documents' names.
pub fn clusters<D: AsRef<str>>(documents: &[Vec<D>]) -> Clusters {
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    // The parent of each document in a forest of joined ones; a root is its own parent.
    let mut parent: Vec<usize> = Vec::new();
    let mut first: Vec<Option<usize>> = Vec::with_capacity(documents.len());
    for case in documents {
        let mut root: Option<usize> = None;
        for name in case {
            let id = *ids.entry(name.as_ref()).or_insert(parent.len());
            if id == parent.len() {
                parent.push(id);
            }
            let own = root_of(&mut parent, id);
            match root {
                None => root = Some(own),
                Some(other) => parent[own] = other,
            }
        }
        first.push(root);
    }
    let mut label_of_root: BTreeMap<usize, usize> = BTreeMap::new();
    let mut count = 0;
    let mut next = || {
        count += 1;
        count - 1
    };
    let labels = first
        .iter()
        .map(|document| match document {
            None => next(),
            Some(id) => *label_of_root.entry(root_of(&mut parent, *id)).or_insert_with(&mut next),
        })
        .collect();
    let mut members: BTreeMap<usize, usize> = BTreeMap::new();
    for id in 0..parent.len() {
        *members.entry(root_of(&mut parent, id)).or_default() += 1;
    }
    Clusters {
        labels,
        count,
        documents: parent.len(),
        merged: members.values().filter(|&&size| size > 1).count(),
        without_document: first.iter().filter(|document| document.is_none()).count(),
    }
}

fn root_of(parent: &mut [usize], mut id: usize) -> usize {
    while parent[id] != id {
        parent[id] = parent[parent[id]];
        id = parent[id];
    }
    id
}

/// What a test or an interval is computed from: sums and numbers of cases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    /// The sum of the unit's values.
    pub(crate) sum: f64,
    /// How many cases it has.
    pub(crate) cases: f64,
}

/// The units for a population: each case, or each cluster.
///
/// # Errors
/// See [`Refusal`].
pub(crate) fn units(
    values: &[f64],
    clusters: Option<&[usize]>,
    population: Population,
) -> Result<Vec<Unit>, Refusal> {
    if let Some(labels) = clusters
        && labels.len() != values.len()
    {
        return Err(Refusal::Labels { values: values.len(), labels: labels.len() });
    }
    match population {
        Population::TheseDocuments => {
            Ok(values.iter().map(|&sum| Unit { sum, cases: 1.0 }).collect())
        }
        Population::NewDocuments => {
            let labels = clusters.ok_or(Refusal::NoClusters)?;
            let mut by_label: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
            for (label, value) in labels.iter().zip(values) {
                by_label.entry(*label).or_default().push(*value);
            }
            if by_label.len() < FEWEST_CLUSTERS {
                return Err(Refusal::FewClusters {
                    clusters: by_label.len(),
                    needed: FEWEST_CLUSTERS,
                });
            }
            let of_cluster = |mut members: Vec<f64>| {
                // Sorted, and from the smaller numbers up, so that neither the order of the cases
                // nor that of the systems changes the last bit.
                members.sort_by(|a, b| a.abs().total_cmp(&b.abs()).then(a.total_cmp(b)));
                Unit { sum: sum_symmetric(&members), cases: members.len() as f64 }
            };
            Ok(by_label.into_values().map(of_cluster).collect())
        }
    }
}

/// A sum whose mirror image is exactly its negation: positive and negative parts apart.
fn sum_symmetric(sorted_by_size: &[f64]) -> f64 {
    let positive: f64 = sorted_by_size.iter().filter(|v| **v > 0.0).sum();
    let negative: f64 = sorted_by_size.iter().filter(|v| **v < 0.0).map(|v| v.abs()).sum();
    positive - negative
}

/// Refuses values outside `[low, high]`, no values at all, and a level that is none.
pub(crate) fn check(values: &[f64], low: f64, high: f64, level: f64) -> Result<(), Refusal> {
    if values.is_empty() {
        return Err(Refusal::Empty);
    }
    if !(level > 0.0 && level < 1.0) {
        return Err(Refusal::Level(level));
    }
    match values.iter().position(|value| !(low..=high).contains(value)) {
        Some(at) => Err(Refusal::OutOfRange { at, value: values[at], low, high }),
        None => Ok(()),
    }
}
