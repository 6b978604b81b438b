//! Which cases hang together because they were made from the same documents.

use std::collections::BTreeMap;

use ragmeter_core::TestCase;
use ragmeter_stats::clusters;
use serde::Serialize;

/// Cases grouped by source document; cases on several documents join their groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterCounts {
    /// Groups of cases, no document being in two of them.
    pub clusters: usize,
    /// Distinct documents.
    pub documents: usize,
    /// Groups of several documents, joined because a case rests on more than one.
    pub merged: usize,
    /// Cases whose document is not known; each counts as a group of its own.
    pub without_document: usize,
}

/// The cluster of each case of a test set.
#[derive(Clone, Debug)]
pub(crate) struct Units<'a> {
    label: BTreeMap<&'a str, usize>,
    documents: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Units<'a> {
    /// Groups the cases; `None` if no case tells its document.
    pub(crate) fn of(cases: &'a [TestCase]) -> Option<Self> {
        let documents: Vec<Vec<&str>> = cases.iter().map(|case| case.documents()).collect();
        if documents.iter().all(Vec::is_empty) {
            return None;
        }
        let ids = cases.iter().map(|case| case.id.as_str());
        let labels = clusters(&documents).labels;
        Some(Self {
            label: ids.clone().zip(labels).collect(),
            documents: ids.zip(documents).collect(),
        })
    }

    /// A label for each of these cases. A case that is not in the test set stands alone.
    pub(crate) fn labels<'b>(&self, cases: impl Iterator<Item = &'b str>) -> Vec<usize> {
        let mut next = self.label.len();
        let mut label = |case| {
            self.label.get(case).copied().unwrap_or_else(|| {
                next += 1;
                next
            })
        };
        cases.map(&mut label).collect()
    }

    /// The groups among these cases.
    pub(crate) fn counts<'b>(&self, cases: impl Iterator<Item = &'b str>) -> ClusterCounts {
        let documents: Vec<Vec<&str>> =
            cases.map(|case| self.documents.get(case).cloned().unwrap_or_default()).collect();
        let found = clusters(&documents);
        ClusterCounts {
            clusters: found.count,
            documents: found.documents,
            merged: found.merged,
            without_document: found.without_document,
        }
    }
}
