//! `ragmeter.yaml`: what may stand in it, and how it is read.

mod error;
mod model;
mod own;
mod read;
mod system;

pub use error::ConfigError;
pub use model::{BaseUrl, ModelConfig, Provider};
pub use own::{
    CriterionConfig, Definitions, FormulaConfig, ProgramConfig, RubricConfig, Words, definitions,
};
pub use read::{Loaded, load, parse};
pub(crate) use read::{environment_name, nearest, unknown_metric};
pub(crate) use system::{ANSWER, CONTEXT_TEXT, DELTA, variables};
pub use system::{CommandConfig, HttpConfig, MethodConfig, StreamConfig, UsageConfig};

use std::collections::BTreeMap;

use ragmeter_facts::Profile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A whole `ragmeter.yaml`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where the documents are.
    pub corpus: Vec<CorpusEntry>,
    /// How documents are cut into chunks.
    pub chunking: Chunking,
    /// How chunks are indexed.
    pub index: IndexConfig,
    /// Models by name, for `MODEL` everywhere else.
    pub models: BTreeMap<String, ModelConfig>,
    /// The RAG systems under test.
    pub systems: Vec<SystemConfig>,
    /// A file of test cases: JSONL, CSV, XLSX (`FILE#SHEET`) or Parquet.
    pub testset: Option<String>,
    /// Metrics to score; the four RAGAS-style ones, `question_coverage` and your own if left out.
    pub metrics: Vec<String>,
    /// Your own yes-or-no questions about an answer: NAME is the metric `aspect_critic:NAME`.
    pub criteria: BTreeMap<String, CriterionConfig>,
    /// Your own rubrics: NAME is the metric `rubric:NAME`, or `simple_criteria:NAME` without words.
    pub rubrics: BTreeMap<String, RubricConfig>,
    /// Your own formulas over facts: NAME is the metric `formula:NAME`.
    pub formulas: BTreeMap<String, FormulaConfig>,
    /// Your own programs that score records: NAME is the metric `command:NAME`.
    pub commands: BTreeMap<String, ProgramConfig>,
    /// Who judges.
    pub judge: JudgeConfig,
    /// What is declared of comparisons before a number is seen.
    pub compare: CompareConfig,
    /// How the run goes.
    pub run: RunConfig,
    /// The report.
    pub report: ReportConfig,
}

/// One source of documents: either `path` or `url`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CorpusEntry {
    /// A file, a folder (taken whole) or a glob; relative to this file.
    pub path: Option<String>,
    /// An http or https address.
    pub url: Option<String>,
    /// CSS selectors of what to keep of HTML pages, as in `div.article-formatted-body`.
    pub select: Vec<String>,
}

/// How documents are cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Chunking {
    /// What `size` and `overlap` count.
    pub unit: ChunkUnit,
    /// The tokenizer, if `unit` is `tokens`: `cl100k_base`, `o200k_base`, or `e5`.
    pub tokenizer: Option<String>,
    /// Largest chunk.
    pub size: usize,
    /// How much of a chunk is repeated in the next.
    pub overlap: usize,
}

impl Default for Chunking {
    fn default() -> Self {
        Self { unit: ChunkUnit::Characters, tokenizer: None, size: 1000, overlap: 150 }
    }
}

/// What a chunk's size counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChunkUnit {
    /// Characters.
    #[default]
    Characters,
    /// Tokens of a named tokenizer.
    Tokens,
}

/// How chunks are indexed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IndexConfig {
    /// The embedder of dense and hybrid retrieval: a MODEL; `local` is inside ragmeter.
    pub embedder: String,
}

impl Default for IndexConfig {
    fn default() -> Self {
        Self { embedder: LOCAL.to_owned() }
    }
}

/// The name of the models that are inside ragmeter.
pub const LOCAL: &str = "local";

/// One RAG system: `records`, `http`, `command`, or `retriever` with `generator`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SystemConfig {
    /// Its name in reports.
    pub name: String,
    /// How it finds contexts.
    #[serde(default)]
    pub retriever: Option<RetrieverConfig>,
    /// What answers: `extractive` (best sentences, no language model) or a MODEL.
    #[serde(default)]
    pub generator: Option<String>,
    /// A file of recorded answers (JSONL, CSV, XLSX or Parquet).
    #[serde(default)]
    pub records: Option<String>,
    /// A system behind an address.
    #[serde(default)]
    pub http: Option<HttpConfig>,
    /// A system that is a program.
    #[serde(default)]
    pub command: Option<CommandConfig>,
}

/// How contexts are found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetrieverConfig {
    /// What ranks the chunks.
    pub kind: RetrieverKind,
    /// How many are kept.
    pub k: usize,
    /// Weights of the two rankings, if `kind` is `hybrid`.
    pub weights: HybridWeights,
    /// Maximal marginal relevance: 1 is relevance alone, 0 is variety alone; off if left out.
    pub mmr: Option<f64>,
    /// Chunks scored below this are dropped; off if left out.
    pub threshold: Option<f64>,
}

impl Default for RetrieverConfig {
    fn default() -> Self {
        Self {
            kind: RetrieverKind::Hybrid,
            k: 5,
            weights: HybridWeights::default(),
            mmr: None,
            threshold: None,
        }
    }
}

/// What ranks chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RetrieverKind {
    /// Words, stemmed for each language.
    Bm25,
    /// Vectors, searched exactly.
    Dense,
    /// Both rankings joined by reciprocal rank.
    Hybrid,
}

/// Weights in the sum of reciprocal ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HybridWeights {
    /// Of the ranking by words.
    pub bm25: f64,
    /// Of the ranking by vectors.
    pub dense: f64,
}

impl Default for HybridWeights {
    fn default() -> Self {
        Self { bm25: 1.0, dense: 1.0 }
    }
}

/// Who judges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeConfig {
    /// The judge: a MODEL; `local` is inside ragmeter and needs no key.
    pub model: String,
    /// The embedder of answer relevancy: a MODEL; `local` is inside ragmeter.
    pub embedder: String,
    /// How a language model is asked.
    pub profile: JudgeProfile,
    /// Replies to each question whose answer most of them decide; 1 is no vote.
    pub votes: usize,
}

impl Default for JudgeConfig {
    fn default() -> Self {
        Self {
            model: LOCAL.to_owned(),
            embedder: LOCAL.to_owned(),
            profile: JudgeProfile::Grouped,
            votes: 1,
        }
    }
}

/// How facts are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JudgeProfile {
    /// In groups: four calls a record for the four RAGAS-style metrics.
    Grouped,
    /// One fact a call, in RAGAS's steps and units.
    Split,
    /// By local encoders, whatever `judge.model` says.
    Local,
}

impl JudgeProfile {
    /// The name used in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grouped => "grouped",
            Self::Split => "split",
            Self::Local => "local",
        }
    }
}

impl From<Profile> for JudgeProfile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Grouped => Self::Grouped,
            Profile::Split => Self::Split,
        }
    }
}

/// What is declared of comparisons before a number is seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CompareConfig {
    /// The questions that a verdict speaks of.
    pub population: PopulationConfig,
    /// The metric that the decision rests on; all metrics weigh alike if left out.
    pub primary: Option<String>,
    /// The largest difference that does not matter, above 0 and at most 1: equivalence is tested.
    pub margin: Option<f64>,
    /// The width that the interval of a difference shall have: the cases needed are told.
    pub width: Option<f64>,
}

/// The questions that a verdict speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PopulationConfig {
    /// Other questions about the same documents.
    #[default]
    TheseDocuments,
    /// Questions about other documents: cases need their `source`, and ten documents or more.
    NewDocuments,
}

/// How the run goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RunConfig {
    /// What you call it.
    pub name: Option<String>,
    /// Calls in flight to begin with, for each endpoint.
    pub concurrency: usize,
    /// Seed of every draw in the analysis.
    pub seed: u64,
    /// Where to stop.
    pub budget: BudgetConfig,
    /// Largest share of facts that may fail before the run counts as incomplete.
    pub max_failed: f64,
    /// The share of records that is judged in the other profile too (30 records with 200 verdicts at
    /// least, where there are so many), to see what the profile does to the numbers; left out: none.
    pub drift: Option<f64>,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            name: None,
            concurrency: 16,
            seed: 1,
            budget: BudgetConfig::default(),
            max_failed: 0.02,
            drift: None,
        }
    }
}

/// Where a run stops; its work is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetConfig {
    /// Most calls to the judge.
    pub calls: Option<u64>,
    /// Most tokens billed by the judge.
    pub tokens: Option<u64>,
    /// Most money for the judge, in the currency of its `price`.
    pub money: Option<f64>,
}

/// The report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReportConfig {
    /// The file to write after a run, by its ending HTML (`.html`), Markdown (`.md`) or data (`.json`);
    /// none if left out.
    pub out: Option<String>,
    /// Its language: `en` or `ru`.
    pub lang: ReportLang,
}

impl Default for ReportConfig {
    fn default() -> Self {
        Self { out: None, lang: ReportLang::En }
    }
}

/// Languages of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReportLang {
    /// English.
    En,
    /// Russian.
    Ru,
}

/// The JSON Schema of `ragmeter.yaml`.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}
