//! The seams: small object-safe traits whose implementations live in crates of their own.

use std::collections::BTreeMap;
use std::pin::Pin;

use serde::{Deserialize, Serialize};

use crate::{AbsenceClass, CaseRun, Chunk, Context, Lang, RecordFacts, TestCase};

/// A future that a trait object can return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions.
    System,
    /// The asker.
    User,
    /// The model.
    Assistant,
}

/// One message of a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A message of this role.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into() }
    }
}

/// How the shape of a reply is asked for; the fallback ladder goes down from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rung {
    /// The endpoint is given a JSON schema as response format.
    Native,
    /// The reply is the argument of a forced tool call.
    Tool,
    /// The schema stands in the prompt; what comes back is parsed and, if need be, repaired.
    Prompt,
}

impl Rung {
    /// The ladder from the top.
    pub const LADDER: [Self; 3] = [Self::Native, Self::Tool, Self::Prompt];

    /// The rung `steps` below this one; the last rung has none below it.
    #[must_use]
    pub fn down(self, steps: usize) -> Self {
        Self::LADDER[(self as usize + steps).min(2)]
    }

    /// The name used in keys and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Tool => "tool",
            Self::Prompt => "prompt",
        }
    }
}

/// The shape of the reply asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyFormat {
    /// Free text.
    Text,
    /// One JSON object.
    Json {
        /// Name of the object, in `[a-z_]`.
        name: &'static str,
        /// Its JSON schema: flat, no `$ref`, `additionalProperties: false`, all required.
        schema: serde_json::Value,
        /// How to ask for it.
        rung: Rung,
    },
}

/// One request to a chat model.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest {
    /// The messages.
    pub messages: Vec<Message>,
    /// The shape of the reply. With [`Rung::Prompt`] the caller has put the schema in the text.
    pub format: ReplyFormat,
    /// Sampling temperature; left out of the request if the model refuses it.
    pub temperature: f64,
    /// Most tokens to generate.
    pub max_tokens: Option<u32>,
    /// Seed, where the endpoint takes one.
    pub seed: Option<u64>,
    /// Ask for the probabilities of tokens, where the endpoint gives them.
    pub logprobs: bool,
}

/// One generated token, and what else could have stood in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenChoice {
    /// The token.
    pub token: String,
    /// The most probable tokens at this place with the logarithms of their probabilities.
    pub alternatives: Vec<(String, f64)>,
}

/// Tokens that a reply was billed for, as the endpoint counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt tokens, cached ones included.
    pub input: u64,
    /// Of them, those read from the endpoint's prefix cache.
    pub cached: u64,
    /// Generated tokens.
    pub output: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.cached += other.cached;
        self.output += other.output;
    }
}

/// A chat model's reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatReply {
    /// The text, or the arguments of the tool call.
    pub text: String,
    /// Cut off at the token limit.
    pub truncated: bool,
    /// Withheld or declined by a filter or by the model's own refusal channel.
    pub filtered: bool,
    /// The model as the endpoint names it.
    pub model: String,
    /// Tokens billed.
    pub usage: Usage,
    /// The body as received.
    pub raw: String,
}

/// Why a model gave no reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{model} at {endpoint}: {detail}")]
pub struct ModelError {
    /// The class.
    pub class: ErrorClass,
    /// Which model.
    pub model: String,
    /// Which endpoint.
    pub endpoint: String,
    /// What happened; never holds a secret.
    pub detail: String,
}

/// Classes of model errors, after the transport has retried what may be retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// The endpoint does not know this way of asking for a shape: go down a rung.
    UnsupportedFormat,
    /// No reply will come; counted under this class.
    Failed(AbsenceClass),
}

/// A remote or local chat model.
pub trait ChatModel: Send + Sync + std::fmt::Debug {
    /// The model as configured.
    fn model(&self) -> &str;
    /// The endpoint, or the name of its pool; without any secret.
    fn endpoint(&self) -> &str;
    /// The tokens of a reply, out of its raw body; none where the endpoint didn't give them.
    fn token_choices(&self, _raw: &str) -> Vec<TokenChoice> {
        Vec::new()
    }
    /// Asks for one reply. Retries, quotas and backing off happen inside.
    fn chat(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatReply, ModelError>>;
}

/// What a text is embedded as: some models embed questions and passages differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EmbedRole {
    /// A question; also both sides of a comparison of like with like.
    Query,
    /// A passage to be found.
    Passage,
}

impl EmbedRole {
    /// The name used in keys.
    pub fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Passage => "passage",
        }
    }
}

/// Vectors for a list of texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embeddings {
    /// One vector of unit length for each text, in order.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens billed.
    pub usage: Usage,
}

/// A text embedder.
pub trait Embedder: Send + Sync + std::fmt::Debug {
    /// Name, version and settings: equal fingerprints give equal vectors.
    fn fingerprint(&self) -> &str;
    /// Whether calls go over the network and are counted.
    fn is_remote(&self) -> bool;
    /// Most texts worth sending in one call.
    fn max_batch(&self) -> usize;
    /// Embeds the texts.
    fn embed<'a>(
        &'a self,
        texts: &'a [String],
        role: EmbedRole,
    ) -> BoxFuture<'a, Result<Embeddings, ModelError>>;
}

/// A statement to be checked against contexts. `question` is the one the statement was said in
/// answer to: local claims are bare sentences, and the question is what makes them self-contained.
#[derive(Clone, Copy, Debug)]
pub struct SupportItem<'a> {
    /// The question; may be empty.
    pub question: &'a str,
    /// The statement.
    pub claim: &'a str,
    /// The contexts; not empty.
    pub contexts: &'a [&'a str],
    /// Language of the statement.
    pub lang: Lang,
}

/// How well contexts support a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct SupportScore {
    /// Probability of support, in `[0, 1]`.
    pub probability: f64,
    /// Whether it counts as supported: the scorer's own calibrated threshold.
    pub supported: bool,
    /// Index of the best context.
    pub context: usize,
    /// Byte range of the best sentence in that context.
    pub sentence: std::ops::Range<usize>,
}

/// A context to be judged useful for arriving at a reference answer.
#[derive(Clone, Copy, Debug)]
pub struct UsefulItem<'a> {
    /// The question.
    pub question: &'a str,
    /// The reference answer.
    pub reference: &'a str,
    /// The context.
    pub context: &'a str,
    /// Language of the question.
    pub lang: Lang,
}

/// A local encoder that judges pairs of texts.
pub trait PairScorer: Send + Sync + std::fmt::Debug {
    /// Model, head and thresholds: equal fingerprints judge alike.
    fn fingerprint(&self) -> &str;
    /// Scores statements against their contexts, one score for each item.
    fn support(&self, items: &[SupportItem<'_>]) -> Result<Vec<SupportScore>, ModelError>;
    /// Whether each context is useful, one verdict for each item.
    fn useful(&self, items: &[UsefulItem<'_>]) -> Result<Vec<bool>, ModelError>;
}

/// One retrieved chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct Retrieved {
    /// The chunk.
    pub chunk: Chunk,
    /// The retriever's score, on its own scale; higher is better.
    pub score: f64,
}

/// Finds chunks for a question.
pub trait Retriever: Send + Sync + std::fmt::Debug {
    /// The best `k` chunks, best first.
    fn retrieve<'a>(
        &'a self,
        question: &'a str,
        k: usize,
    ) -> BoxFuture<'a, Result<Vec<Retrieved>, ModelError>>;
}

/// What a system answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The answer.
    pub text: String,
    /// What it was made from, in rank order; `None` if the system does not tell.
    pub contexts: Option<Vec<Context>>,
    /// The generator refused or was filtered: a scored refusal.
    pub refused_by_model: bool,
    /// Tokens billed.
    pub usage: Usage,
    /// Other figures by name.
    pub figures: BTreeMap<String, f64>,
}

/// Why a system gave no answer. The run goes on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AnswerError(pub String);

/// A RAG system under test.
pub trait RagSystem: Send + Sync + std::fmt::Debug {
    /// Its name in reports.
    fn name(&self) -> &str;
    /// Most cases that it is asked at once; `None` if it shares the run's bound with the others.
    fn concurrency(&self) -> Option<usize> {
        None
    }
    /// Answers one case.
    fn answer<'a>(&'a self, case: &'a TestCase) -> BoxFuture<'a, Result<Answer, AnswerError>>;
}

/// Judges whole records; built from call groups and a model, or from a local encoder.
pub trait RecordJudge: Send + Sync + std::fmt::Debug {
    /// Every fact wanted about one record. What can't be had is an absence inside.
    fn judge<'a>(&'a self, run: CaseRun<'a>) -> BoxFuture<'a, RecordFacts>;
}
