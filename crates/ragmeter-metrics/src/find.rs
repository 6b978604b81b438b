//! From an id to a metric: the table, its families, and what a project defines itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use ragmeter_facts::{Criterion, Scale, Seen};
use serde::{Deserialize, Serialize};

use crate::METRICS;
use crate::builtin::{BUILTIN, Builtin, Kind};
use crate::criteria::{ASPECT, INSTANCE, PRESET, RUBRIC, SIMPLE};
use crate::formula::{self, Formula};
use crate::metric::{Definition, Metric, Parameter, Takes};
use crate::program::{self, Program};

/// What a project defines itself, by the id of the metric that rests on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Own {
    /// Criteria and rubrics: `aspect_critic:NAME`, `rubric:NAME`, `simple_criteria:NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub criteria: BTreeMap<String, Criterion>,
    /// Formulas: `formula:NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub formulas: BTreeMap<String, Formula>,
    /// Programs: `command:NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, Program>,
}

impl Own {
    /// Whether nothing is defined.
    pub fn is_empty(&self) -> bool {
        self.criteria.is_empty() && self.formulas.is_empty() && self.programs.is_empty()
    }

    /// The metric with this id, of the project or of the table.
    pub fn find(&self, id: &str) -> Option<Metric> {
        if let Some(criterion) = self.criteria.get(id) {
            let definition = match id.split_once(':')?.0 {
                "aspect_critic" => &ASPECT,
                "simple_criteria" => &SIMPLE,
                _ => &RUBRIC,
            };
            return Some(Metric::new(
                definition,
                id,
                Parameter::Criterion(Arc::new(criterion.clone())),
            ));
        }
        if let Some(formula) = self.formulas.get(id) {
            let parameter = Parameter::Formula(Arc::new(formula.clone()));
            return Some(Metric::new(&formula::METRIC, id, parameter));
        }
        if let Some(program) = self.programs.get(id) {
            let parameter = Parameter::Program(Arc::new(program.clone()));
            return Some(Metric::new(&program::METRIC, id, parameter));
        }
        find(id)
    }

    /// Every id that a project can name: the table's, the presets' and its own.
    pub fn ids(&self) -> Vec<String> {
        known_ids().into_iter().chain(self.ids_of_own()).collect()
    }

    /// The ids of what it defines.
    pub fn ids_of_own(&self) -> impl Iterator<Item = String> {
        self.criteria.keys().chain(self.formulas.keys()).chain(self.programs.keys()).cloned()
    }
}

/// The metric with this id: of the table, of one of its families, or a preset.
pub fn find(id: &str) -> Option<Metric> {
    if let Some(builtin) = builtin(id) {
        let definition = if builtin.kind == Kind::YesNo { &ASPECT } else { &PRESET };
        return Some(Metric::new(definition, id, Parameter::Criterion(builtin.criterion(id))));
    }
    if id == INSTANCE.id {
        return Some(Metric::new(&INSTANCE, id, Parameter::Criterion(Arc::new(of_case()))));
    }
    METRICS.iter().find_map(|definition| of_definition(definition, id))
}

fn of_definition(definition: &'static Definition, id: &str) -> Option<Metric> {
    let parameter = match definition.takes {
        Takes::Nothing => (definition.id == id).then_some(Parameter::Nothing)?,
        Takes::Cutoff => {
            let rank: usize = id.strip_prefix(definition.id.strip_suffix('K')?)?.parse().ok()?;
            // One way to write a rank: `precision_at_05` is no metric.
            let plain = rank > 0 && id.ends_with(&format!("_{rank}"));
            plain.then_some(Parameter::Cutoff(rank))?
        }
        Takes::Number { name, default, range } => {
            let given = id.strip_prefix(definition.id)?;
            let number = if given.is_empty() {
                default
            } else {
                given.strip_prefix(':')?.strip_prefix(name)?.strip_prefix('=')?.parse().ok()?
            };
            if !(range[0]..=range[1]).contains(&number) {
                return None;
            }
            // However a number is written, it makes one metric.
            let plain = (number - default).abs() == 0.0;
            let id = if plain {
                definition.id.to_owned()
            } else {
                format!("{}:{name}={number}", definition.id)
            };
            return Some(Metric::new(definition, &id, Parameter::Number(number)));
        }
        Takes::Criterion | Takes::Formula | Takes::Program => return None,
    };
    Some(Metric::new(definition, id, parameter))
}

/// `harmfulness` is graded, `aspect_critic:harmfulness` is yes or no.
fn builtin(id: &str) -> Option<&'static Builtin> {
    let (kind, name) = match id.split_once(':') {
        Some(("aspect_critic", name)) => (Kind::YesNo, name),
        None => (Kind::Grades, id),
        Some(_) => return None,
    };
    BUILTIN.iter().find(|builtin| builtin.kind == kind && builtin.name == name)
}

/// The rubric that each case brings itself.
fn of_case() -> Criterion {
    let ask = ["How good is the answer by this rubric?", "Насколько хорош ответ по этой рубрике?"];
    Criterion {
        name: INSTANCE.id.to_owned(),
        ask: ask.map(str::to_owned),
        scale: Scale::OfCase,
        sees: vec![Seen::Question, Seen::Contexts, Seen::Reference],
        higher_is_better: true,
    }
}

/// Ids of the built-in criteria: `coherence`, `aspect_critic:coherence`, …
pub fn presets() -> Vec<String> {
    let id = |builtin: &Builtin| match builtin.kind {
        Kind::YesNo => format!("aspect_critic:{}", builtin.name),
        Kind::Grades => builtin.name.to_owned(),
    };
    BUILTIN.iter().map(id).collect()
}

/// Every id of the table and of the presets; a family stands under its own id.
pub fn known_ids() -> Vec<String> {
    METRICS.iter().map(|metric| metric.id.to_owned()).chain(presets()).collect()
}

/// These metrics with their companions, by id, each once.
pub fn with_companions(metrics: &[Metric]) -> Vec<Metric> {
    let mut all: BTreeMap<String, Metric> = BTreeMap::new();
    for metric in metrics {
        all.insert(metric.id.clone(), metric.clone());
        let companions = METRICS
            .iter()
            .filter(|other| other.companion_of.contains(&metric.definition.id))
            .filter_map(|other| of_definition(other, other.id));
        for companion in companions {
            all.entry(companion.id.clone()).or_insert(companion);
        }
    }
    all.into_values().collect()
}
