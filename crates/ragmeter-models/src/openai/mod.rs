//! OpenAI-compatible endpoints: the vendor's own, and vLLM, llama.cpp, LM Studio, gateways, …

mod embeddings;
mod errors;
mod reply;
mod request;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ragmeter_core::{
    AbsenceClass, BoxFuture, ChatModel, ChatReply, ChatRequest, Embedder, ErrorClass, ModelError,
    ReplyFormat, Rung, TokenChoice,
};

use crate::said::{characters, status_line};
use crate::transport::{Call, CallError, Kind, Transport};
use crate::{ConfigError, Limits, Patience, Secret, TransportStats};
use embeddings::OpenAiEmbedder;
use request::Accepts;

/// How to reach an endpoint.
#[derive(Clone, Debug)]
pub struct OpenAiConfig {
    /// The URL that `/chat/completions` is appended to, such as `https://api.example.com/v1`.
    pub base_url: String,
    /// Further servers that give the same models; `pool_name` must name all of them together.
    pub more_urls: Vec<String>,
    /// The key, if the endpoint wants one.
    pub api_key: Option<Secret>,
    /// Most calls in flight at once at each server, chat and embeddings together.
    pub concurrency: usize,
    /// Longest time one try may take, from connecting to the end of the reply.
    pub timeout: Duration,
    /// What to call the endpoint in keys and reports instead of its URL, as `pool:NAME`: endpoints
    /// that share a name count as one.
    pub pool_name: Option<String>,
    /// Most texts in one embedding call.
    pub embedding_batch: usize,
    /// How long to keep trying.
    pub patience: Patience,
}

impl OpenAiConfig {
    /// This endpoint with no key, 16 calls in flight, 120 s a call and 128 texts a batch.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            more_urls: Vec::new(),
            api_key: None,
            concurrency: 16,
            timeout: Duration::from_mins(2),
            pool_name: None,
            embedding_batch: 128,
            patience: Patience::default(),
        }
    }
}

/// An OpenAI-compatible endpoint. The models made from it share its connections and its quota.
#[derive(Clone, Debug)]
pub struct OpenAi {
    transport: Arc<Transport>,
    name: String,
    embedding_batch: usize,
}

impl OpenAi {
    /// Sets up the way to an endpoint. Nothing is sent yet.
    pub fn connect(config: &OpenAiConfig) -> Result<Self, ConfigError> {
        let name = config.pool_name.as_ref().filter(|name| !name.is_empty());
        if name.is_none() && !config.more_urls.is_empty() {
            return Err(ConfigError::Unnamed { count: config.more_urls.len() + 1 });
        }
        let transport = Transport::new(config)?;
        let name =
            name.map_or_else(|| transport.endpoint().to_owned(), |name| format!("pool:{name}"));
        Ok(Self { transport, name, embedding_batch: config.embedding_batch.max(1) })
    }

    /// A chat model of this endpoint.
    pub fn chat_model(&self, model: &str) -> Arc<dyn ChatModel> {
        Arc::new(OpenAiChat {
            transport: self.transport.clone(),
            model: model.to_owned(),
            endpoint: self.name.clone(),
            accepts: Mutex::new(Accepts::known(model)),
        })
    }

    /// An embedding model of this endpoint.
    pub fn embedder(&self, model: &str) -> Arc<dyn Embedder> {
        Arc::new(OpenAiEmbedder::new(
            self.transport.clone(),
            model.to_owned(),
            self.name.clone(),
            self.embedding_batch,
        ))
    }

    /// What all calls to this endpoint have amounted to so far.
    pub fn stats(&self) -> TransportStats {
        self.transport.stats()
    }

    /// Its name in keys and reports: the URL without credentials, or `pool:NAME`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it takes at once and a minute, as far as known.
    pub fn limits(&self) -> Limits {
        self.transport.limits()
    }
}

#[derive(Debug)]
struct OpenAiChat {
    transport: Arc<Transport>,
    model: String,
    endpoint: String,
    /// Parameters that the model takes, as far as known.
    accepts: Mutex<Accepts>,
}

impl OpenAiChat {
    async fn ask(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let rung = rung(&request.format);
        let mut accepts = *self.accepts.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let body = request::encode(&self.model, request, accepts);
            let judge = |status, body: &str| errors::verdict(status, body, rung);
            let chars = characters(&body);
            let path = "chat/completions";
            let call = Call { path, model: &self.model, body, kind: Kind::Chat };
            match self.transport.post(call, judge).await {
                Ok(body) => {
                    let body = self.transport.clean(&body);
                    let reply = reply::decode(body, &self.model, request)
                        .map_err(|(class, detail)| self.error(class, detail))?;
                    let tokens = reply.usage.input + reply.usage.output;
                    self.transport.used(&self.model, chars, tokens);
                    return Ok(reply);
                }
                Err(CallError::Refused { status, body }) => {
                    // Each step takes something away for good, so this ends.
                    if let Some(fewer) = accepts.after(status, &body, request) {
                        accepts = fewer;
                        *self.accepts.lock().unwrap_or_else(PoisonError::into_inner) = fewer;
                        continue;
                    }
                    let class = errors::class(status, &body, rung);
                    return Err(self.error(class, status_line(status, &body)));
                }
                Err(CallError::GaveUp { class, detail }) => {
                    return Err(self.error(ErrorClass::Failed(class), detail));
                }
            }
        }
    }

    fn error(&self, class: ErrorClass, detail: String) -> ModelError {
        model_error(class, &self.model, &self.endpoint, detail)
    }
}

impl ChatModel for OpenAiChat {
    fn model(&self) -> &str {
        &self.model
    }

    fn endpoint(&self) -> &str {
        &self.endpoint
    }

    fn token_choices(&self, raw: &str) -> Vec<TokenChoice> {
        reply::token_choices(raw)
    }

    fn chat(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatReply, ModelError>> {
        Box::pin(async move { self.ask(&request).await })
    }
}

/// The rung, where a shape is asked for by the endpoint's own means.
fn rung(format: &ReplyFormat) -> Option<Rung> {
    match format {
        ReplyFormat::Json { rung: rung @ (Rung::Native | Rung::Tool), .. } => Some(*rung),
        ReplyFormat::Json { rung: Rung::Prompt, .. } | ReplyFormat::Text => None,
    }
}

fn model_error(class: ErrorClass, model: &str, endpoint: &str, detail: String) -> ModelError {
    ModelError { class, model: model.to_owned(), endpoint: endpoint.to_owned(), detail }
}

/// A reply that is a success by its status and yet cannot be used.
fn unusable(detail: impl Into<String>) -> (ErrorClass, String) {
    (ErrorClass::Failed(AbsenceClass::Server), detail.into())
}
