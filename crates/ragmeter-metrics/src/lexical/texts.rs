//! What every comparison with a reference answer asks of a record first.

use ragmeter_core::{CaseRun, Outcome, UnitInterval};

use crate::need;

/// An answer beside the reference answer; both have a visible character.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texts<'a> {
    pub(super) answer: &'a str,
    pub(super) reference: &'a str,
}

/// Both texts; else why there is no number, or the 0 of a system that answered nothing.
pub(super) fn texts(run: CaseRun<'_>) -> Result<Texts<'_>, Outcome> {
    need::answer_field(run)?;
    let reference = need::reference(run)?;
    Ok(Texts { answer: answered(run)?, reference })
}

/// The answer; else the 0 of a system that failed, was filtered, or said nothing: no text of
/// its own stands there to be compared.
pub(super) fn answered(run: CaseRun<'_>) -> Result<&str, Outcome> {
    let nothing = |why: &str| Err(Outcome::scored(UnitInterval::ZERO, why));
    if run.record.error.is_some() {
        return nothing("the system failed");
    }
    if run.record.refused_by_model {
        return nothing("the generator refused or was filtered");
    }
    run.answer().map_or_else(|| nothing("the answer is empty"), Ok)
}

/// A score for a number that the formula keeps inside `[0, 1]` up to rounding.
pub(super) fn scored(value: f64, explanation: impl Into<String>) -> Result<Outcome, Outcome> {
    let value = UnitInterval::clamped(value)
        .ok_or_else(|| Outcome::not_applicable("the texts have nothing to compare"))?;
    Ok(Outcome::scored(value, explanation))
}

/// `2pr / (p + r)`, and 0 where nothing is shared.
pub(super) fn f1(precision: f64, recall: f64) -> f64 {
    let sum = precision + recall;
    if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 }
}

/// `part / whole`, and 0 of nothing.
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// White space as Python's `str.split` has it: Unicode's and the four separators of ASCII. The
/// libraries that these metrics are equal to cut texts by it.
pub(super) fn is_python_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}
