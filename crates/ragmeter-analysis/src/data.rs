use std::collections::BTreeMap;

use ragmeter_core::{AnswerKind, Lang, Outcome, RecordFacts, RunRecord, TestCase, Usage};
use serde::{Deserialize, Serialize};

use crate::CompareOptions;

/// A text in every language of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bilingual {
    /// English.
    pub en: String,
    /// Russian.
    pub ru: String,
}

impl Bilingual {
    /// A text in both languages.
    pub fn new(en: impl Into<String>, ru: impl Into<String>) -> Self {
        Self { en: en.into(), ru: ru.into() }
    }

    /// The text in this language.
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Ru => &self.ru,
        }
    }
}

/// One run with all its systems: everything that a summary, a comparison or a report is made of.
#[derive(Clone, Debug, Default)]
pub struct RunData {
    /// The run's id.
    pub run_id: String,
    /// When it was made, as it shall be printed.
    pub created: String,
    /// Seed of every draw.
    pub seed: u64,
    /// What was declared of comparisons before the run.
    pub compare: CompareOptions,
    /// The judge's model, or the local judge's fingerprint.
    pub judge: String,
    /// What the numbers depend on (judge, embedder, profile, hashes of prompts, …) by name, in the
    /// order of showing.
    pub settings: Vec<(String, String)>,
    /// Values of settings that are words, by the setting's name, in every language. What is not
    /// here is the same in all of them.
    pub wording: BTreeMap<String, Bilingual>,
    /// The metrics, in the order of showing.
    pub metrics: Vec<MetricInfo>,
    /// The systems, in the order of showing; the first is the one that many are compared with.
    pub systems: Vec<SystemData>,
    /// The test cases, in the order of the test set.
    pub cases: Vec<TestCase>,
    /// Calls made.
    pub calls: CallCounts,
    /// Tokens billed.
    pub tokens: Usage,
    /// What people said of the records.
    pub people: crate::PeopleData,
}

/// What is to be known of a metric to show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a metric")]
pub struct MetricInfo {
    /// The id, as in `faithfulness`.
    pub id: String,
    /// The title.
    pub title: Bilingual,
    /// The exact definition in one sentence.
    pub definition: Bilingual,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// Stands beside other metrics to keep absence honest; does not rank cases or systems.
    pub companion: bool,
    /// Can only rise when contexts are added to others (recall): nested systems are not tested.
    pub rises_with_contexts: bool,
    /// Is made of cosines, whose scale is the embedder's own.
    pub rests_on_cosines: bool,
    /// Judges the order of the contexts.
    pub ranks_contexts: bool,
    /// Is computed from texts alone: it means the same whoever judged the rest.
    pub needs_no_judge: bool,
}

/// One system with its judged records.
#[derive(Clone, Debug, Default)]
pub struct SystemData {
    /// Its name.
    pub name: String,
    /// The model that writes its answers, where that is configured.
    pub generator: Option<String>,
    /// One record for each case, in the order of the cases; some may be missing.
    pub records: Vec<JudgedRecord>,
}

/// A record with what was judged and what came of it.
#[derive(Clone, Debug, Default)]
pub struct JudgedRecord {
    /// What the system did.
    pub record: RunRecord,
    /// The facts.
    pub facts: RecordFacts,
    /// The outcome of each metric, by the metric's id.
    pub outcomes: BTreeMap<String, Outcome>,
    /// The fingerprint of the judge behind facts and outcomes; empty where nobody knows.
    pub judge: String,
}

impl JudgedRecord {
    /// Whether the system declined to answer, by its generator's word or by the judge's.
    pub fn is_refusal(&self) -> bool {
        let judged =
            matches!(&self.facts.refusal, Some(Ok(fact)) if fact.value == AnswerKind::Refused);
        self.record.refused_by_model || judged
    }

    /// The score of a metric, where there is one.
    pub fn score(&self, metric: &str) -> Option<f64> {
        self.outcomes.get(metric).and_then(Outcome::value)
    }
}

/// Calls to models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallCounts {
    /// Chat calls sent.
    pub chat: u64,
    /// Embedding calls sent.
    pub embeddings: u64,
    /// Facts and vectors read from the store instead of being asked for.
    pub cached: u64,
}
