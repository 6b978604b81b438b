use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Digest, Lang, Rung};

/// The small judgements that metrics are functions of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// Whether the answer answers, refuses, or says nothing that could be true or false.
    Refusal,
    /// The self-contained claims of the answer.
    ResponseClaims,
    /// Each claim against all contexts jointly.
    ClaimSupport,
    /// Questions that the answer, read alone, answers.
    ImpliedQuestions,
    /// Cosine of each implied question with the question asked.
    QuestionSimilarity,
    /// The sentences of the reference answer.
    ReferenceUnits,
    /// Each reference unit against all contexts jointly.
    ReferenceSupport,
    /// Whether each context helps to arrive at the reference answer.
    ContextUsefulReference,
    /// The parts of the question.
    SubQuestions,
    /// Whether the answer answers each part of the question.
    QuestionCoverage,
}

impl FactKind {
    /// The name used in plans, keys and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refusal => "refusal",
            Self::ResponseClaims => "response_claims",
            Self::ClaimSupport => "claim_support",
            Self::ImpliedQuestions => "implied_questions",
            Self::QuestionSimilarity => "question_similarity",
            Self::ReferenceUnits => "reference_units",
            Self::ReferenceSupport => "reference_support",
            Self::ContextUsefulReference => "context_useful_reference",
            Self::SubQuestions => "sub_questions",
            Self::QuestionCoverage => "question_coverage",
        }
    }
}

/// Who judged, and with what. Equal sources judge alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Source {
    /// A language model through one call group.
    Judge {
        /// Call group with its version, as in `verify@1`.
        group: String,
        /// Model as the endpoint named it in its reply.
        model: String,
        /// Endpoint, or the name of its pool.
        endpoint: String,
        /// Language of the prompt.
        lang: Lang,
        /// Hash of the template.
        template: Digest,
        /// How the reply's shape was asked for.
        rung: Rung,
        /// Keys of the raw replies in the store.
        replies: Vec<Digest>,
    },
    /// A local encoder.
    Local {
        /// Model, head and threshold.
        fingerprint: String,
    },
    /// Rules in code; the same input gives the same fact for everyone.
    Code {
        /// Name and version of the rule.
        rule: String,
    },
    /// Annotators, by the word of most of them.
    Person {
        /// Who labelled.
        who: Vec<String>,
        /// Hashes of the policies that they were given.
        policies: Vec<String>,
    },
}

/// A judgement with its source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact<T> {
    /// The judgement.
    pub value: T,
    /// Who made it.
    pub source: Source,
}

/// `None`: not asked for. `Some(Err)`: asked for, and not to be had.
pub type FactSlot<T> = Option<Result<Fact<T>, Absence>>;

/// Why a fact could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}: {detail}", class.name())]
pub struct Absence {
    /// The class, for counting.
    pub class: AbsenceClass,
    /// What happened, for reading.
    pub detail: String,
}

/// Classes of failure; reports count by these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbsenceClass {
    /// The endpoint could not be reached.
    Unreachable,
    /// No reply in time.
    Timeout,
    /// The endpoint kept refusing for its quota.
    RateLimited,
    /// The key was refused.
    Auth,
    /// The request was refused.
    Rejected,
    /// The endpoint failed.
    Server,
    /// The judge's reply was withheld by a filter.
    Filtered,
    /// The judge's reply was cut off.
    Truncated,
    /// The judge's reply did not have the shape asked for.
    Unparsable,
    /// The judge left ids out, when asked again alone too.
    MissingIds,
    /// The answer answers, but no claim was extracted.
    ExtractorEmpty,
    /// The run's budget was spent before.
    Budget,
    /// The local judge cannot give this fact.
    Unsupported,
}

impl AbsenceClass {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::RateLimited => "rate limited",
            Self::Auth => "key refused",
            Self::Rejected => "request refused",
            Self::Server => "endpoint failed",
            Self::Filtered => "filtered",
            Self::Truncated => "truncated",
            Self::Unparsable => "unparsable reply",
            Self::MissingIds => "ids missing",
            Self::ExtractorEmpty => "no claims extracted",
            Self::Budget => "budget reached",
            Self::Unsupported => "not supported by this judge",
        }
    }
}

/// What kind of answer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// It makes claims.
    Answered,
    /// It declines to answer.
    Refused,
    /// It says nothing that could be true or false (a greeting, a question back).
    NoFactualContent,
}

/// One self-contained statement of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The statement.
    pub text: String,
    /// Byte range in the answer that it was made from, if found there.
    pub span: Option<Range<usize>>,
}

/// What the contexts say about a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// The contexts say so.
    Supported,
    /// The contexts say otherwise.
    Contradicted,
    /// The contexts do not say.
    Absent,
}

/// The verdict on one claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimVerdict {
    /// Index of the claim.
    pub claim: usize,
    /// The verdict.
    pub support: Support,
    /// Ranks (from 0) of the contexts it rests on.
    pub contexts: Vec<usize>,
    /// A passage found verbatim in one of those contexts.
    pub quote: Option<String>,
    /// A quote was given that stands in no context, and was dropped.
    pub quote_dropped: bool,
    /// The probability of support, where the source gives one.
    pub probability: Option<f64>,
}

/// The verdict on one unit of the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitVerdict {
    /// Index of the unit.
    pub unit: usize,
    /// Whether the contexts say it.
    pub attributable: bool,
    /// Ranks (from 0) of the contexts it rests on.
    pub contexts: Vec<usize>,
}

/// Questions implied by an answer read alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Implied {
    /// The questions; none only if the answer evades.
    pub questions: Vec<String>,
    /// The answer evades.
    pub noncommittal: bool,
}

/// Whether one part of the question is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartVerdict {
    /// The part, as a question of its own.
    pub part: String,
    /// Whether the answer answers it.
    pub answered: bool,
}

/// Every fact about one record that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordFacts {
    /// [`FactKind::Refusal`].
    pub refusal: FactSlot<AnswerKind>,
    /// [`FactKind::ResponseClaims`].
    pub claims: FactSlot<Vec<Claim>>,
    /// [`FactKind::ClaimSupport`]: one verdict for each claim, in the order of the claims.
    pub support: FactSlot<Vec<ClaimVerdict>>,
    /// [`FactKind::ImpliedQuestions`].
    pub implied: FactSlot<Implied>,
    /// [`FactKind::QuestionSimilarity`]: cosines in `[-1, 1]`, one for each implied question.
    pub similarity: FactSlot<Vec<f64>>,
    /// [`FactKind::ReferenceUnits`].
    pub units: FactSlot<Vec<String>>,
    /// [`FactKind::ReferenceSupport`]: one verdict for each unit, in order.
    pub reference_support: FactSlot<Vec<UnitVerdict>>,
    /// [`FactKind::ContextUsefulReference`]: one verdict for each context, in rank order.
    pub useful: FactSlot<Vec<bool>>,
    /// [`FactKind::SubQuestions`].
    pub parts: FactSlot<Vec<String>>,
    /// [`FactKind::QuestionCoverage`]: one verdict for each part, in order.
    pub coverage: FactSlot<Vec<PartVerdict>>,
}

impl RecordFacts {
    /// The facts that were asked for and could not be had.
    pub fn failures(&self) -> impl Iterator<Item = (FactKind, &Absence)> {
        fn of<T>(slot: &FactSlot<T>) -> Option<&Absence> {
            slot.as_ref().and_then(|fact| fact.as_ref().err())
        }
        [
            (FactKind::Refusal, of(&self.refusal)),
            (FactKind::ResponseClaims, of(&self.claims)),
            (FactKind::ClaimSupport, of(&self.support)),
            (FactKind::ImpliedQuestions, of(&self.implied)),
            (FactKind::QuestionSimilarity, of(&self.similarity)),
            (FactKind::ReferenceUnits, of(&self.units)),
            (FactKind::ReferenceSupport, of(&self.reference_support)),
            (FactKind::ContextUsefulReference, of(&self.useful)),
            (FactKind::SubQuestions, of(&self.parts)),
            (FactKind::QuestionCoverage, of(&self.coverage)),
        ]
        .into_iter()
        .filter_map(|(kind, absence)| Some((kind, absence?)))
    }

    /// How many facts were asked for, had or not.
    pub fn asked(&self) -> usize {
        [
            self.refusal.is_some(),
            self.claims.is_some(),
            self.support.is_some(),
            self.implied.is_some(),
            self.similarity.is_some(),
            self.units.is_some(),
            self.reference_support.is_some(),
            self.useful.is_some(),
            self.parts.is_some(),
            self.coverage.is_some(),
        ]
        .into_iter()
        .filter(|asked| *asked)
        .count()
    }

    /// Every source that judged, each once.
    pub fn sources(&self) -> Vec<&Source> {
        fn of<T>(slot: &FactSlot<T>) -> Option<&Source> {
            slot.as_ref().and_then(|fact| fact.as_ref().ok()).map(|fact| &fact.source)
        }
        let mut sources: Vec<&Source> = Vec::new();
        for source in [
            of(&self.refusal),
            of(&self.claims),
            of(&self.support),
            of(&self.implied),
            of(&self.similarity),
            of(&self.units),
            of(&self.reference_support),
            of(&self.useful),
            of(&self.parts),
            of(&self.coverage),
        ]
        .into_iter()
        .flatten()
        {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        sources
    }
}
