use serde::Deserialize;

use super::compare::FEATURES;
use crate::error::{LocalError, malformed};

/// A logistic regression over standardised features.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    mean: Vec<f64>,
    scale: Vec<f64>,
    weights: Vec<f64>,
    bias: f64,
    /// Probability from which on the verdict is yes.
    pub(crate) threshold: f64,
}

impl Head {
    /// Probability of yes.
    pub(crate) fn probability(&self, features: &[f64]) -> f64 {
        let standard =
            features.iter().zip(&self.mean).zip(&self.scale).map(|((x, m), s)| (x - m) / s);
        let sum: f64 = standard.zip(&self.weights).map(|(x, w)| x.clamp(-6.0, 6.0) * w).sum();
        1.0 / (1.0 + (-(sum + self.bias)).exp())
    }
}

/// The heads of the judge, as `scripts/train_judge.py` writes them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Heads {
    features: Vec<String>,
    /// Short answers to a question.
    pub(crate) answer: Head,
    /// Statements.
    pub(crate) statement: Head,
    /// Usefulness of a context for a question alone.
    pub(crate) useful_question: Head,
    /// Usefulness of a context for a question and its reference answer.
    pub(crate) useful_reference: Head,
}

impl Heads {
    pub(crate) fn parse(json: &str) -> Result<Self, LocalError> {
        let heads: Self =
            serde_json::from_str(json).map_err(|error| malformed(format!("judge: {error}")))?;
        let all =
            [&heads.answer, &heads.statement, &heads.useful_question, &heads.useful_reference];
        let fits = |head: &Head| {
            [&head.mean, &head.scale, &head.weights].iter().all(|v| v.len() == FEATURES.len())
                && head.scale.iter().all(|s| *s > 0.0)
        };
        if heads.features != FEATURES || !all.into_iter().all(fits) {
            return Err(malformed("judge: made for other features"));
        }
        Ok(heads)
    }
}
