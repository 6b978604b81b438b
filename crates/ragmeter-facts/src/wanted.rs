use std::collections::BTreeSet;
use std::sync::Arc;

use ragmeter_core::FactKind;
use serde::{Deserialize, Serialize};

use crate::criterion::Criterion;
use crate::group::Group;

/// How facts are asked of a language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// In groups: four calls a record for the four RAGAS-style metrics.
    Grouped,
    /// One fact a call, in the steps and units that RAGAS documents. Never shares a reply with
    /// the grouped profile: the two have different groups, and the group is in the key.
    Split,
}

impl Profile {
    /// The name used in settings and fingerprints.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grouped => "grouped",
            Self::Split => "split",
        }
    }
}

/// The facts that a set of metrics needs, with all that they are made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    kinds: BTreeSet<FactKind>,
    criteria: Vec<Arc<Criterion>>,
}

impl Wanted {
    /// The facts that these kinds need.
    pub fn of(kinds: impl IntoIterator<Item = FactKind>) -> Self {
        let mut wanted = Self::default();
        for kind in kinds {
            wanted.add(kind);
        }
        wanted
    }

    /// Adds a fact and whatever it is made from.
    pub fn add(&mut self, kind: FactKind) {
        if self.kinds.insert(kind) {
            for &source in made_from(kind) {
                self.add(source);
            }
        }
    }

    /// Adds a criterion, once for each name.
    pub fn add_criterion(&mut self, criterion: Arc<Criterion>) {
        if !self.criteria.iter().any(|known| known.name == criterion.name) {
            self.criteria.push(criterion);
        }
    }

    /// Whether this fact is wanted.
    pub fn has(&self, kind: FactKind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Whether any of these is.
    pub fn has_any(&self, kinds: &[FactKind]) -> bool {
        kinds.iter().any(|kind| self.has(*kind))
    }

    /// Every fact that is wanted, but for criteria.
    pub fn kinds(&self) -> impl Iterator<Item = FactKind> {
        self.kinds.iter().copied()
    }

    /// The call groups that this profile asks them in.
    pub fn groups(&self, profile: Profile) -> Vec<Group> {
        let asks = |kind: &FactKind| match kind {
            FactKind::Criteria => !self.criteria.is_empty(),
            kind => self.has(*kind),
        };
        let of_profile = |group: &Group| {
            group.name().starts_with("split_") == (profile == Profile::Split)
                && group.facts().iter().any(asks)
        };
        Group::ALL.iter().copied().filter(of_profile).collect()
    }

    /// The criteria.
    pub fn criteria(&self) -> &[Arc<Criterion>] {
        &self.criteria
    }
}

/// What a fact is made from.
fn made_from(kind: FactKind) -> &'static [FactKind] {
    use FactKind as F;
    match kind {
        F::ResponseClaims | F::Answerable => &[F::Refusal],
        F::ClaimSupport | F::ClaimSupportEach | F::ClaimCorrect => &[F::ResponseClaims],
        F::QuestionSimilarity => &[F::ImpliedQuestions],
        F::ReferenceSupport => &[F::ReferenceUnits],
        F::ReferenceSupportEach | F::ReferenceCovered => &[F::ReferenceClaims],
        F::QuestionCoverage => &[F::SubQuestions],
        F::NuggetSupport => &[F::Nuggets],
        F::TopicsAllowed => &[F::Topics],
        F::GoalReached | F::ReferenceGoalReached => &[F::AgentGoal],
        F::SummaryAnswers => &[F::SummaryQuestions],
        _ => &[],
    }
}
