use ragmeter_core::FactKind;
use serde::{Deserialize, Serialize};

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

/// The facts that a set of metrics needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of facts: one flag for each")]
pub struct Wanted {
    /// What kind of answer it is.
    pub refusal: bool,
    /// Its claims and their support.
    pub support: bool,
    /// The implied questions.
    pub implied: bool,
    /// Their similarity with the question.
    pub similarity: bool,
    /// Support of the reference's sentences.
    pub reference_support: bool,
    /// Usefulness of each context.
    pub useful: bool,
    /// Coverage of the question's parts.
    pub coverage: bool,
}

impl Wanted {
    /// Adds a fact and whatever it is made from.
    pub fn add(&mut self, kind: FactKind) {
        match kind {
            FactKind::Refusal => self.refusal = true,
            FactKind::ResponseClaims | FactKind::ClaimSupport => {
                self.refusal = true;
                self.support = true;
            }
            FactKind::ImpliedQuestions => self.implied = true,
            FactKind::QuestionSimilarity => {
                self.implied = true;
                self.similarity = true;
            }
            FactKind::ReferenceUnits | FactKind::ReferenceSupport => self.reference_support = true,
            FactKind::ContextUsefulReference => self.useful = true,
            FactKind::SubQuestions | FactKind::QuestionCoverage => self.coverage = true,
        }
    }

    /// The facts that these kinds need.
    pub fn of(kinds: impl IntoIterator<Item = FactKind>) -> Self {
        let mut wanted = Self::default();
        for kind in kinds {
            wanted.add(kind);
        }
        wanted
    }
}
