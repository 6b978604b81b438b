//! OpenAI-compatible endpoints: the vendor's own, and vLLM, llama.cpp, LM Studio, gateways, …

mod reply;
mod request;
mod vectors;

use ragmeter_core::{ChatReply, ChatRequest, EmbedRole, Embeddings, TokenChoice};

use crate::accepts::Accepts;
use crate::dialect::{Dialect, Failed, Outgoing};

/// Chat completions and embeddings as OpenAI has them.
#[derive(Debug)]
pub(crate) struct OpenAi;

impl Dialect for OpenAi {
    fn chat(
        &self,
        model: &str,
        request: &ChatRequest,
        accepts: Accepts,
    ) -> Result<Outgoing, Failed> {
        Ok(request::encode(model, request, accepts))
    }

    fn read(&self, raw: String, model: &str, request: &ChatRequest) -> Result<ChatReply, Failed> {
        reply::decode(raw, model, request)
    }

    fn token_choices(&self, raw: &str) -> Vec<TokenChoice> {
        reply::token_choices(raw)
    }

    fn embed(&self, model: &str, texts: &[String], _role: EmbedRole) -> Result<Outgoing, Failed> {
        Ok(vectors::encode(model, texts))
    }

    fn vectors(&self, raw: &str, count: usize) -> Result<Embeddings, Failed> {
        vectors::decode(raw, count)
    }
}
