//! What every metric asks of a record before it asks anything of the facts.

use ragmeter_core::{CaseRun, Context, FactSlot, Outcome};

/// The answer's field must be there, if only to say that nothing was answered.
pub(crate) fn answer_field(run: CaseRun<'_>) -> Result<(), Outcome> {
    if run.tells_answer() {
        Ok(())
    } else {
        Err(Outcome::not_applicable("the record has no answer"))
    }
}

/// The contexts of the record.
pub(crate) fn contexts(run: CaseRun<'_>) -> Result<&[Context], Outcome> {
    run.contexts().ok_or_else(|| Outcome::not_applicable("the record has no contexts"))
}

/// The case must have a reference answer.
pub(crate) fn reference(run: CaseRun<'_>) -> Result<&str, Outcome> {
    run.reference().ok_or_else(|| Outcome::not_applicable("the case has no reference answer"))
}

/// The fact in a slot; its absence is the metric's.
pub(crate) fn fact<T>(slot: &FactSlot<T>) -> Result<&T, Outcome> {
    match slot {
        Some(Ok(fact)) => Ok(&fact.value),
        Some(Err(absence)) => Err(Outcome::Failed(absence.clone())),
        None => Err(Outcome::not_applicable("this judge does not give the facts it needs")),
    }
}

/// Both arms of a formula written with `?`.
pub(crate) fn merge(result: Result<Outcome, Outcome>) -> Outcome {
    result.unwrap_or_else(|absent| absent)
}
