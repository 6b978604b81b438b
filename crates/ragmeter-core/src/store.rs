//! What is kept between runs, as the runner sees it.

use serde::{Deserialize, Serialize};

use crate::{Digest, RunRecord, Rung, Usage};

/// A judge's reply as it is kept: append-only, under a key that holds everything it depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredReply {
    /// Call group with its version.
    pub group: String,
    /// The text, or the arguments of the tool call.
    pub text: String,
    /// Cut off at the token limit.
    pub truncated: bool,
    /// Withheld by a filter.
    pub filtered: bool,
    /// The model as the endpoint named it.
    pub model: String,
    /// Tokens billed.
    pub usage: Usage,
    /// The body as received.
    pub raw: String,
}

/// What was learnt about a configured model from its endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelState {
    /// The name it gives itself in its replies.
    pub returned: String,
    /// The highest rung that it does not refuse.
    pub first_rung: Rung,
    /// How often everything was asked anew; part of every key, so that older replies stay.
    pub generation: u32,
}

/// The store could not be read or written; the run stops, what is in it stays.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("store: {0}")]
pub struct StoreError(pub String);

/// Keeps replies, vectors and records. Every write is durable against the death of the process
/// when the call returns, so that nothing is paid for twice.
pub trait Store: Send + Sync + std::fmt::Debug {
    /// The reply under a key.
    fn reply(&self, key: &Digest) -> Result<Option<StoredReply>, StoreError>;
    /// Keeps a reply; an older one under the same key stays.
    fn put_reply(&self, key: &Digest, reply: &StoredReply) -> Result<(), StoreError>;
    /// What is known of a model at an endpoint.
    fn model_state(&self, endpoint: &str, model: &str) -> Result<Option<ModelState>, StoreError>;
    /// Replaces what is known of a model at an endpoint.
    fn put_model_state(
        &self,
        endpoint: &str,
        model: &str,
        state: &ModelState,
    ) -> Result<(), StoreError>;
    /// Vectors under these keys, in order.
    fn vectors(&self, keys: &[Digest]) -> Result<Vec<Option<Vec<f32>>>, StoreError>;
    /// Keeps vectors.
    fn put_vectors(&self, vectors: &[(Digest, Vec<f32>)]) -> Result<(), StoreError>;
    /// Records of a run, by system and case.
    fn records(&self, run_id: &str) -> Result<Vec<RunRecord>, StoreError>;
    /// Keeps a record of a run; replaces an earlier one of the same system and case, and forgets
    /// what was judged of that if it differs.
    fn put_record(&self, run_id: &str, record: &RunRecord) -> Result<(), StoreError>;
}
