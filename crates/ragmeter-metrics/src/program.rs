//! A project's own program as a metric.

use ragmeter_core::{CaseRun, Outcome, RecordFacts, UnitInterval};
use serde::{Deserialize, Serialize};

use crate::{Definition, Parameter, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "command",
    title: ["{}", "{}"],
    definition: [
        "What the project's own program says: {}",
        "Что говорит собственная программа проекта: {}",
    ],
    card: include_str!("../cards/command.md"),
    // What it says is kept beside the facts, but no judge gives it.
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Program,
    score: |run, facts, parameter| need::merge(score(run, facts, parameter)),
};

/// A program that scores records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// How it is called, for reading.
    pub runs: String,
    /// What it is, with the content of its script: another one says other things.
    pub identity: String,
    /// Whether more is better.
    pub higher_is_better: bool,
}

fn score(_: CaseRun<'_>, facts: &RecordFacts, parameter: &Parameter) -> Result<Outcome, Outcome> {
    let Parameter::Program(program) = parameter else {
        return Err(Outcome::not_applicable("no program is given"));
    };
    let said = match facts.criteria.get(&format!("command:{}", program.name)) {
        Some(Ok(fact)) => &fact.value,
        Some(Err(absence)) => return Err(Outcome::Failed(absence.clone())),
        None => return Err(Outcome::not_applicable("the program gives no score")),
    };
    let value = UnitInterval::new(said.grade)
        .ok_or_else(|| Outcome::not_applicable("the program's score is not from 0 to 1"))?;
    let words = if said.reason.is_empty() { "the program says so" } else { &said.reason };
    Ok(Outcome::scored(value, words))
}
