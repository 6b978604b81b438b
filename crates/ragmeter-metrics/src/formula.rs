//! Formulas of a project's own: an expression over facts.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::value::Serde;
use minijinja::{Environment, Value};
use ragmeter_core::{CaseRun, FactKind, Outcome, RecordFacts, UnitInterval};
use serde::{Deserialize, Serialize};

use crate::{Definition, Parameter, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "formula",
    title: ["{}", "{}"],
    definition: ["The project's own formula: {}", "Собственная формула проекта: {}"],
    card: include_str!("../cards/formula.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Formula,
    score: |run, facts, parameter| need::merge(score(run, facts, parameter)),
};

/// An expression over facts by their names, with the operators, tests and filters of Jinja.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Formula {
    /// Its name.
    pub name: String,
    /// The expression; it must give a number from 0 to 1.
    pub expression: String,
    /// Whether more is better.
    pub higher_is_better: bool,
    facts: Vec<FactKind>,
}

/// A formula as it is written down.
#[derive(Clone, Serialize, Deserialize)]
struct Written {
    name: String,
    expression: String,
    higher_is_better: bool,
}

impl TryFrom<Written> for Formula {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        Self::new(&written.name, &written.expression, written.higher_is_better)
    }
}

impl From<Formula> for Written {
    fn from(formula: Formula) -> Self {
        let Formula { name, expression, higher_is_better, .. } = formula;
        Self { name, expression, higher_is_better }
    }
}

impl Formula {
    /// A formula of this name; the error says what is wrong with the expression.
    pub fn new(name: &str, expression: &str, higher_is_better: bool) -> Result<Self, String> {
        let environment = Environment::new();
        let compiled =
            environment.compile_expression(expression).map_err(|error| error.to_string())?;
        let mut facts = Vec::new();
        // Sorted, so that of several unknown names the same one is always told.
        let variables: BTreeSet<String> =
            compiled.undeclared_variables(false).into_iter().collect();
        for variable in variables {
            let known = FactKind::ALL.iter().find(|kind| kind.name() == variable);
            match known.copied().filter(|kind| *kind != FactKind::Criteria) {
                Some(kind) => facts.push(kind),
                None => {
                    let names: Vec<&str> = FactKind::ALL.iter().map(|kind| kind.name()).collect();
                    return Err(format!(
                        "there is no fact `{variable}`; there are: {}",
                        names.join(", ")
                    ));
                }
            }
        }
        if facts.is_empty() {
            return Err("the expression names no fact".to_owned());
        }
        facts.sort_unstable();
        let (name, expression) = (name.to_owned(), expression.to_owned());
        Ok(Self { name, expression, higher_is_better, facts })
    }

    /// The facts that it names.
    pub fn facts(&self) -> &[FactKind] {
        &self.facts
    }
}

fn score(_: CaseRun<'_>, facts: &RecordFacts, parameter: &Parameter) -> Result<Outcome, Outcome> {
    let Parameter::Formula(formula) = parameter else {
        return Err(Outcome::not_applicable("no formula is given"));
    };
    let mut values: BTreeMap<&str, Value> = BTreeMap::new();
    for kind in &formula.facts {
        match facts.value(*kind) {
            Some(Ok(value)) => drop(values.insert(kind.name(), Value::from(Serde(value)))),
            Some(Err(absence)) => return Err(Outcome::Failed(absence.clone())),
            None => {
                let reason = format!("the fact `{}` is not given", kind.name());
                return Err(Outcome::not_applicable(reason));
            }
        }
    }
    let environment = Environment::new();
    let value = environment
        .compile_expression(&formula.expression)
        .and_then(|compiled| compiled.eval(&values))
        .map_err(|error| Outcome::not_applicable(format!("the formula fails: {error}")))?;
    let number = f64::try_from(value.clone())
        .map_err(|_| Outcome::not_applicable(format!("the formula gives no number but {value}")))?;
    let score = UnitInterval::new(number).ok_or_else(|| {
        Outcome::not_applicable(format!("the formula gives {number}, which is not from 0 to 1"))
    })?;
    Ok(Outcome::scored(score, format!("{} = {number}", formula.expression)))
}
