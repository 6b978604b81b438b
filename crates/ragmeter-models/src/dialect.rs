//! What every provider is: pure translation between ragmeter's requests and its JSON.

use std::borrow::Cow;

use ragmeter_core::{
    AbsenceClass, ChatReply, ChatRequest, EmbedRole, Embeddings, ErrorClass, ReplyFormat, Rung,
    TokenChoice,
};

use crate::accepts::Accepts;
use crate::errors;
use crate::transport::Verdict;

/// A body to be posted.
#[derive(Debug)]
pub(crate) struct Outgoing {
    /// Below the base URL.
    pub(crate) path: Cow<'static, str>,
    /// JSON in UTF-8, nothing escaped that need not be.
    pub(crate) body: Vec<u8>,
}

impl Outgoing {
    /// This value as JSON, posted to this path.
    pub(crate) fn json(path: impl Into<Cow<'static, str>>, body: &impl serde::Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(body) => Self { path: path.into(), body },
            Err(err) => unreachable!("a body of strings and numbers always serialises: {err}"),
        }
    }
}

/// A failure as its class and words that hold no secret.
pub(crate) type Failed = (ErrorClass, String);

/// One provider's language. It opens no socket and keeps no state.
pub(crate) trait Dialect: Send + Sync + std::fmt::Debug {
    /// A chat request on the wire. Fails with [`ErrorClass::UnsupportedFormat`] where the provider
    /// has no such rung.
    fn chat(
        &self,
        model: &str,
        request: &ChatRequest,
        accepts: Accepts,
    ) -> Result<Outgoing, Failed>;

    /// A chat reply of a status of success.
    fn read(&self, raw: String, model: &str, request: &ChatRequest) -> Result<ChatReply, Failed>;

    /// The tokens of a reply, out of its raw body; none where the provider gives none.
    fn token_choices(&self, _raw: &str) -> Vec<TokenChoice> {
        Vec::new()
    }

    /// Texts to embed, on the wire. Fails where the provider embeds nothing.
    fn embed(&self, model: &str, texts: &[String], role: EmbedRole) -> Result<Outgoing, Failed>;

    /// A reply to `count` texts: vectors in their order, of any length.
    fn vectors(&self, raw: &str, count: usize) -> Result<Embeddings, Failed>;

    /// Most texts that one call takes.
    fn most_texts(&self) -> usize {
        2048
    }

    /// Whether what was refused is worth sending again. `rung`: how a shape was asked for, if by
    /// the endpoint's own means.
    fn verdict(&self, status: u16, body: &str, rung: Option<Rung>) -> Verdict {
        errors::verdict(status, body, rung)
    }

    /// The class of a final refusal.
    fn class(&self, status: u16, body: &str, rung: Option<Rung>) -> ErrorClass {
        errors::class(status, body, rung)
    }

    /// What the user can do about a final refusal, with a leading space.
    fn hint(&self, _status: u16, _body: &str) -> Option<&'static str> {
        None
    }
}

/// The rung, where a shape is asked for by the endpoint's own means.
pub(crate) fn rung(format: &ReplyFormat) -> Option<Rung> {
    match format {
        ReplyFormat::Json { rung: rung @ (Rung::Native | Rung::Tool), .. } => Some(*rung),
        ReplyFormat::Json { rung: Rung::Prompt, .. } | ReplyFormat::Text => None,
    }
}

/// A reply that is a success by its status and yet cannot be used.
pub(crate) fn unusable(detail: impl Into<String>) -> Failed {
    (ErrorClass::Failed(AbsenceClass::Server), detail.into())
}
