use std::sync::Arc;

use ragmeter_core::{CaseRun, FactKind, Lang, Outcome, RecordFacts};
use ragmeter_facts::Criterion;

use crate::formula::Formula;
use crate::program::Program;

/// One line of the table: a metric, or a family of metrics that differ in a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Its id, in snake case; that of a family ends in `_at_K`, or takes a name after a colon.
    pub id: &'static str,
    /// Its title, in the order of [`Lang::ALL`]; `{}` stands for the parameter.
    pub title: [&'static str; 2],
    /// One sentence that defines it, in the order of [`Lang::ALL`].
    pub definition: [&'static str; 2],
    /// Its card in Markdown.
    pub card: &'static str,
    /// The facts it is a function of.
    pub facts: &'static [FactKind],
    /// Whether more is better.
    pub higher_is_better: bool,
    /// The metrics beside which it is always shown, to keep absence honest.
    pub companion_of: &'static [&'static str],
    /// What it takes.
    pub takes: Takes,
    /// The formula.
    pub score: fn(CaseRun<'_>, &RecordFacts, &Parameter) -> Outcome,
}

/// What a definition takes to become a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Takes {
    /// Nothing: its id is the metric's.
    Nothing,
    /// A rank down to which is looked: `precision_at_K` is `precision_at_5`.
    Cutoff,
    /// A number that may be given, as in `factual_correctness:beta=0.5`.
    Number {
        /// Its name.
        name: &'static str,
        /// What it is where nothing is given.
        default: f64,
        /// The least and the greatest it may be.
        range: [f64; 2],
    },
    /// The name of a criterion, as in `aspect_critic:harmfulness`.
    Criterion,
    /// The name of a formula, as in `formula:NAME`.
    Formula,
    /// The name of a program, as in `command:NAME`.
    Program,
}

/// What a metric of a family differs by.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// Nothing.
    Nothing,
    /// A rank, from 1.
    Cutoff(usize),
    /// A number.
    Number(f64),
    /// A criterion.
    Criterion(Arc<Criterion>),
    /// A formula.
    Formula(Arc<Formula>),
    /// A program.
    Program(Arc<Program>),
}

/// A metric: a definition with its parameter.
#[derive(Clone, Debug)]
pub struct Metric {
    /// Its line of the table.
    pub definition: &'static Definition,
    /// Its id, as asked for.
    pub id: String,
    /// Its parameter.
    pub parameter: Parameter,
}

impl Metric {
    /// The metric of this definition with this parameter.
    pub(crate) fn new(definition: &'static Definition, id: &str, parameter: Parameter) -> Self {
        Self { definition, id: id.to_owned(), parameter }
    }

    /// The title in a language.
    pub fn title(&self, lang: Lang) -> String {
        let title = self.definition.title[lang as usize];
        let shown = match &self.parameter {
            Parameter::Nothing => return title.to_owned(),
            Parameter::Cutoff(rank) => rank.to_string(),
            Parameter::Criterion(criterion) => {
                crate::builtin::title(&criterion.name, lang).to_owned()
            }
            Parameter::Formula(formula) => formula.name.clone(),
            Parameter::Program(program) => program.name.clone(),
            Parameter::Number(number) => match self.definition.takes {
                Takes::Number { name, default, .. } if (number - default).abs() > 0.0 => {
                    return format!("{title} ({name} = {number})");
                }
                _ => return title.to_owned(),
            },
        };
        title.replace("{}", &shown)
    }

    /// The definition in a language.
    pub fn sentence(&self, lang: Lang) -> String {
        let sentence = self.definition.definition[lang as usize];
        match &self.parameter {
            Parameter::Cutoff(rank) => sentence.replace("{}", &rank.to_string()),
            Parameter::Criterion(criterion) => sentence.replace("{}", criterion.ask(lang)),
            Parameter::Formula(formula) => sentence.replace("{}", &formula.expression),
            Parameter::Program(program) => sentence.replace("{}", &program.runs),
            Parameter::Nothing | Parameter::Number(_) => sentence.to_owned(),
        }
    }

    /// Whether more is better.
    pub fn higher_is_better(&self) -> bool {
        match &self.parameter {
            Parameter::Criterion(criterion) => criterion.higher_is_better,
            Parameter::Formula(formula) => formula.higher_is_better,
            Parameter::Program(program) => program.higher_is_better,
            _ => self.definition.higher_is_better,
        }
    }

    /// The facts it is a function of.
    pub fn facts(&self) -> &[FactKind] {
        match &self.parameter {
            Parameter::Formula(formula) => formula.facts(),
            _ => self.definition.facts,
        }
    }

    /// What it says about a record.
    pub fn score(&self, run: CaseRun<'_>, facts: &RecordFacts) -> Outcome {
        (self.definition.score)(run, facts, &self.parameter)
    }
}
