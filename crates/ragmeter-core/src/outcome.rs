use serde::{Deserialize, Serialize};

use crate::fact::Absence;

/// A finite number in `[0, 1]`; no other value can be made.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct UnitInterval(f64);

impl UnitInterval {
    /// The number, or `None` if it is not finite or lies outside `[0, 1]`.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// The number nearest to `value` inside `[0, 1]`; `None` only if it is not a number.
    pub fn clamped(value: f64) -> Option<Self> {
        if value.is_nan() { None } else { Some(Self(value.clamp(0.0, 1.0))) }
    }

    /// The share `part / whole`; `None` if `whole` is zero or `part` is larger.
    pub fn share(part: usize, whole: usize) -> Option<Self> {
        if whole == 0 { None } else { Self::new(part as f64 / whole as f64) }
    }

    /// 0.
    pub const ZERO: Self = Self(0.0);
    /// 1.
    pub const ONE: Self = Self(1.0);

    /// The plain number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for UnitInterval {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        Self::new(value).ok_or_else(|| format!("{value} is not a number between 0 and 1"))
    }
}

impl From<UnitInterval> for f64 {
    fn from(value: UnitInterval) -> Self {
        value.0
    }
}

/// What a metric says about one record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Outcome {
    /// A number.
    Scored(Score),
    /// The metric does not apply to this record (a field is missing, the system refused, …).
    NotApplicable(NotApplicable),
    /// A fact that the metric needs could not be had.
    Failed(Absence),
}

/// A score with the sentence that explains it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The number.
    pub value: UnitInterval,
    /// How the number came about, in words and counts.
    pub explanation: String,
}

/// Why a metric does not apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotApplicable {
    /// The reason, as a sentence fragment.
    pub reason: String,
}

impl Outcome {
    /// A score.
    pub fn scored(value: UnitInterval, explanation: impl Into<String>) -> Self {
        Self::Scored(Score { value, explanation: explanation.into() })
    }

    /// An outcome that says why there can be no number.
    pub fn not_applicable(reason: impl Into<String>) -> Self {
        Self::NotApplicable(NotApplicable { reason: reason.into() })
    }

    /// The number, where there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Scored(score) => Some(score.value.get()),
            Self::NotApplicable(_) | Self::Failed(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_interval_is_a_score() {
        for value in [f64::NAN, f64::INFINITY, -0.1, 1.000_001] {
            assert!(UnitInterval::new(value).is_none(), "{value}");
        }
        assert!(UnitInterval::share(1, 0).is_none());
        assert_eq!(UnitInterval::share(3, 4).map(UnitInterval::get), Some(0.75));
    }
}
