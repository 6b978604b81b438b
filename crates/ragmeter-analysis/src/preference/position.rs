//! Whether a judge leans to one of two places.

use ragmeter_core::Preference;
use ragmeter_stats::sign_test;
use serde::Serialize;

use super::ALPHA;

/// How often a judge named the answer that it was shown first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Position {
    /// Replies that named one of the two answers.
    pub named: usize,
    /// Of them, those that named the answer shown first.
    pub first: usize,
    /// `first / named`; `None` if no reply named one.
    pub share_first: Option<f64>,
    /// Cases where both orders named the answer shown first.
    pub both_first: usize,
    /// Cases where both named the one shown second.
    pub both_second: usize,
    /// Sign test of these two counts; `None` if there is no such case.
    pub p: Option<f64>,
}

impl Position {
    pub(super) fn of<'a>(verdicts: impl Iterator<Item = &'a Preference>) -> Self {
        let mut found = Self::default();
        for verdict in verdicts {
            let shown = verdict.first_shown();
            found.named += shown.iter().flatten().count();
            found.first += shown.iter().flatten().filter(|first| **first).count();
            found.both_first += usize::from(shown == [Some(true); 2]);
            found.both_second += usize::from(shown == [Some(false); 2]);
        }
        found.share_first = (found.named > 0).then(|| found.first as f64 / found.named as f64);
        let (first, second) = (found.both_first as u64, found.both_second as u64);
        found.p = (first + second > 0).then(|| sign_test(first, second));
        found
    }

    /// Whether the judge was shown to lean to one place.
    pub fn leans(&self) -> bool {
        self.p.is_some_and(|p| p < ALPHA)
    }
}
