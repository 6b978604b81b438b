//! A project's own criteria, rubrics and formulas.

use std::collections::BTreeMap;
use std::path::Path;

use ragmeter_facts::{Criterion, Scale, Seen};
use ragmeter_metrics::{Formula, Own, Program};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read::parse_yaml;
use super::system::check_command;
use super::{CommandConfig, Config, ConfigError};

/// A text, or one for each language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Words {
    /// The same in every language.
    Same(String),
    /// One for each.
    Each {
        /// In English.
        en: String,
        /// In Russian.
        ru: String,
    },
}

impl Words {
    fn both(&self) -> [String; 2] {
        match self {
            Self::Same(text) => [text.clone(), text.clone()],
            Self::Each { en, ru } => [en.clone(), ru.clone()],
        }
    }

    fn is_blank(&self) -> bool {
        self.both().iter().any(|text| text.trim().is_empty())
    }
}

/// What a criterion shows the judge beside the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sees {
    /// The question.
    Question,
    /// The contexts.
    Contexts,
    /// The reference answer.
    Reference,
}

impl Sees {
    fn seen(self) -> Seen {
        match self {
            Self::Question => Seen::Question,
            Self::Contexts => Seen::Contexts,
            Self::Reference => Seen::Reference,
        }
    }
}

fn the_question() -> Vec<Sees> {
    vec![Sees::Question]
}

fn yes() -> bool {
    true
}

/// A question about an answer that is answered with yes or no.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CriterionConfig {
    /// What is asked about the answer.
    pub ask: Words,
    /// What the judge sees beside the answer.
    #[serde(default = "the_question")]
    pub sees: Vec<Sees>,
    /// Whether yes is better.
    #[serde(default = "yes")]
    pub higher_is_better: bool,
}

/// A question about an answer that gets a grade.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RubricConfig {
    /// What is asked about the answer.
    pub ask: Words,
    /// What each grade means; or give `from` and `to`.
    #[serde(default)]
    pub grades: BTreeMap<i64, Words>,
    /// The least grade, if none is put into words.
    #[serde(default)]
    pub from: Option<i64>,
    /// The greatest grade, if none is put into words.
    #[serde(default)]
    pub to: Option<i64>,
    /// What the judge sees beside the answer.
    #[serde(default = "the_question")]
    pub sees: Vec<Sees>,
    /// Whether a higher grade is better.
    #[serde(default = "yes")]
    pub higher_is_better: bool,
}

/// A formula: the expression, or with what is better.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FormulaConfig {
    /// The expression; more is better.
    Plain(String),
    /// The expression, and whether more is better.
    Full {
        /// The expression.
        expression: String,
        /// Whether more is better.
        higher_is_better: bool,
    },
}

/// A program that scores records, a JSON object a line in and out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramConfig {
    /// How it is run; paths are relative to this file.
    pub command: CommandConfig,
    /// Whether more is better.
    #[serde(default = "yes")]
    pub higher_is_better: bool,
}

/// A file of definitions alone, as `score --define` reads it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Definitions {
    /// Yes-or-no questions.
    pub criteria: BTreeMap<String, CriterionConfig>,
    /// Rubrics.
    pub rubrics: BTreeMap<String, RubricConfig>,
    /// Formulas.
    pub formulas: BTreeMap<String, FormulaConfig>,
    /// Programs.
    pub commands: BTreeMap<String, ProgramConfig>,
}

/// Reads a file of definitions; the error tells what is wrong with them.
pub fn definitions(path: &Path) -> Result<Definitions, ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
    let file = path.display().to_string();
    let definitions: Definitions = parse_yaml(&file, &text)?;
    match definitions.own() {
        Ok(_) => Ok(definitions),
        Err((key, message)) => Err(ConfigError::Value { file, key, message }),
    }
}

impl Config {
    /// What the project defines itself; the error is a key and what is wrong with its value.
    pub(crate) fn own(&self) -> Result<Own, (String, String)> {
        self.definitions().own()
    }

    /// What the project defines itself, as it is written.
    pub(crate) fn definitions(&self) -> Definitions {
        let Self { criteria, rubrics, formulas, commands, .. } = self.clone();
        Definitions { criteria, rubrics, formulas, commands }
    }
}

/// Most grades of a rubric.
const MOST_GRADES: i64 = 101;

impl Definitions {
    /// What these definitions come to; the error is a key and what is wrong with its value.
    pub fn own(&self) -> Result<Own, (String, String)> {
        let mut own = Own::default();
        for (name, given) in &self.criteria {
            let key = format!("criteria.{name}");
            check_name(&key, name)?;
            if given.ask.is_blank() {
                return Err((format!("{key}.ask"), "is empty".to_owned()));
            }
            let id = format!("aspect_critic:{name}");
            let criterion = Criterion {
                name: id.clone(),
                ask: given.ask.both(),
                scale: Scale::YesNo,
                sees: given.sees.iter().map(|sees| sees.seen()).collect(),
                higher_is_better: given.higher_is_better,
            };
            own.criteria.insert(id, criterion);
        }
        for (name, given) in &self.rubrics {
            let key = format!("rubrics.{name}");
            check_name(&key, name)?;
            let criterion = rubric(&key, name, given)?;
            own.criteria.insert(criterion.name.clone(), criterion);
        }
        for (name, given) in &self.formulas {
            let key = format!("formulas.{name}");
            check_name(&key, name)?;
            let (expression, higher) = match given {
                FormulaConfig::Plain(expression) => (expression, true),
                FormulaConfig::Full { expression, higher_is_better } => {
                    (expression, *higher_is_better)
                }
            };
            let formula = Formula::new(name, expression, higher).map_err(|error| (key, error))?;
            own.formulas.insert(format!("formula:{name}"), formula);
        }
        for (name, given) in &self.commands {
            let key = format!("commands.{name}");
            check_name(&key, name)?;
            check_command(&given.command)
                .map_err(|(under, why)| (format!("{key}.command{under}"), why))?;
            let program = Program {
                name: name.clone(),
                runs: given.command.run.join(" "),
                identity: String::new(),
                higher_is_better: given.higher_is_better,
            };
            own.programs.insert(format!("command:{name}"), program);
        }
        Ok(own)
    }
}

fn rubric(key: &str, name: &str, given: &RubricConfig) -> Result<Criterion, (String, String)> {
    let wrong = |under: &str, message: &str| Err((format!("{key}{under}"), message.to_owned()));
    if given.ask.is_blank() {
        return wrong(".ask", "is empty");
    }
    let (id, grades) = match (given.grades.is_empty(), given.from, given.to) {
        (false, None, None) => {
            if given.grades.len() < 2 {
                return wrong(".grades", "needs two grades at least");
            }
            let grades = given.grades.iter().map(|(grade, words)| (*grade, words.both())).collect();
            (format!("rubric:{name}"), grades)
        }
        (true, Some(from), Some(to)) => {
            if to <= from || to - from >= MOST_GRADES {
                return wrong(".to", "must be above `from`, by 100 at most");
            }
            let grades = (from..=to).map(|grade| (grade, Default::default())).collect();
            (format!("simple_criteria:{name}"), grades)
        }
        _ => return wrong("", "give either `grades`, or `from` and `to`"),
    };
    Ok(Criterion {
        name: id,
        ask: given.ask.both(),
        scale: Scale::Grades(grades),
        sees: given.sees.iter().map(|sees| sees.seen()).collect(),
        higher_is_better: given.higher_is_better,
    })
}

/// A name stands in ids that commas separate.
fn check_name(key: &str, name: &str) -> Result<(), (String, String)> {
    let fine = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    if fine {
        Ok(())
    } else {
        Err((key.to_owned(), "a name is made of letters, digits, `_`, `-` and `.`".to_owned()))
    }
}
