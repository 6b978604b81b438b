//! What facts say: one type for the value of each.

use std::ops::Range;

use serde::{Deserialize, Serialize};

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

/// The verdict on one statement against one text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The verdict.
    pub support: Support,
    /// A passage found verbatim in that text.
    pub quote: Option<String>,
    /// A quote was given that does not stand there, and was dropped.
    pub quote_dropped: bool,
}

/// A grade on a scale that its group names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    /// The grade: what most votes say, or the mean weighted by the probabilities of the tokens
    /// where the endpoint gives them. On the group's own scale.
    pub grade: f64,
    /// The grade of each vote.
    pub votes: Vec<i64>,
    /// The judge's sentence; of the first vote that says the grade.
    pub reason: String,
}

/// One fact of the source that a good answer may hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nugget {
    /// The fact, self-contained.
    pub text: String,
    /// Without it the answer is not good.
    pub vital: bool,
}

/// How far an answer says a nugget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NuggetSupport {
    /// In full.
    Support,
    /// In part.
    PartialSupport,
    /// Not at all.
    NotSupport,
}

/// A topic that the human of a conversation raised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topic {
    /// The topic.
    pub topic: String,
    /// The system went into it; it did not decline.
    pub answered: bool,
}

/// What a conversation was for, and where it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// What the human wanted.
    pub goal: String,
    /// What was reached in the end.
    pub end_state: String,
}

/// Distances between two vectors of unit length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distances {
    /// Cosine, in `[-1, 1]`.
    pub cosine: f64,
    /// Length of the difference, in `[0, 2]`.
    pub euclidean: f64,
    /// Sum of the absolute differences as a share of the largest that unit vectors of n numbers can
    /// have, 2 √n; in `[0, 1]`.
    pub manhattan: f64,
}

/// Greedy matching of the tokens of two texts by the cosines of their vectors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenMatch {
    /// Mean, over the answer's tokens, of the cosine with the nearest token of the reference.
    pub precision: f64,
    /// The same the other way round.
    pub recall: f64,
    /// Harmonic mean of both.
    pub f1: f64,
}
