use serde::{Deserialize, Serialize};

use crate::{Digest, Lang, Rung};

/// Who judged, and with what. Equal sources judge alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Source {
    /// A language model through one call group. Boxed, as are annotators: a record has a slot for
    /// every kind of fact, and most of its slots are empty.
    Judge(Box<JudgeSource>),
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
    Person(Box<PersonSource>),
}

/// A language model, and how it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeSource {
    /// Call group with its version, as in `verify@1`.
    pub group: String,
    /// Model as the endpoint named it in its reply.
    pub model: String,
    /// Endpoint, or the name of its pool.
    pub endpoint: String,
    /// Language of the prompt.
    pub lang: Lang,
    /// Hash of the template.
    pub template: Digest,
    /// How the reply's shape was asked for.
    pub rung: Rung,
    /// Keys of the raw replies in the store.
    pub replies: Vec<Digest>,
    /// How far the votes agreed, where several were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub votes: Option<Votes>,
}

/// Annotators, and what they were told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonSource {
    /// Who labelled.
    pub who: Vec<String>,
    /// Hashes of the policies that they were given.
    pub policies: Vec<String>,
}

/// Several replies to one question, and how far they agreed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Votes {
    /// Replies asked for.
    pub asked: usize,
    /// Verdicts given, over all replies.
    pub given: usize,
    /// Of them, those that say what most say on that item.
    pub agreed: usize,
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
