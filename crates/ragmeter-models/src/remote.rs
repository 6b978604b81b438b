//! An endpoint: one transport, one dialect, and the models made from them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ragmeter_core::{
    BoxFuture, ChatModel, ChatReply, ChatRequest, Embedder, ErrorClass, ModelError, TokenChoice,
};

use crate::accepts::Accepts;
use crate::dialect::{Dialect, rung};
use crate::embedder::RemoteEmbedder;
use crate::provider::Provider;
use crate::said::{characters, status_line};
use crate::transport::{Call, CallError, Kind, Transport};
use crate::{ConfigError, Limits, Patience, Secret, TransportStats};

/// How to reach an endpoint.
#[derive(Clone, Debug)]
pub struct RemoteConfig {
    /// Whose language it speaks.
    pub provider: Provider,
    /// The URL that the provider's paths are appended to, such as `https://api.example.com/v1`.
    pub base_url: String,
    /// Further servers that give the same models; `pool_name` must name all of them together.
    pub more_urls: Vec<String>,
    /// The key, if the endpoint wants one.
    pub api_key: Option<Secret>,
    /// What else the provider wants to know, by the name it has in `ragmeter.yaml`.
    pub options: BTreeMap<&'static str, String>,
    /// Certificates (PEM or DER) that this endpoint's chain may end in besides the system's.
    pub ca_bundle: Option<PathBuf>,
    /// Most calls in flight at once at each server, chat and embeddings together.
    pub concurrency: usize,
    /// Longest time one try may take, from connecting to the end of the reply.
    pub timeout: Duration,
    /// What to call the endpoint in keys and reports instead of its URL, as `pool:NAME`: endpoints
    /// that share a name count as one.
    pub pool_name: Option<String>,
    /// Most texts in one embedding call; a provider that takes fewer gets fewer.
    pub embedding_batch: usize,
    /// How long to keep trying.
    pub patience: Patience,
}

impl RemoteConfig {
    /// An OpenAI-compatible endpoint with no key, 16 calls in flight, 120 s a call and 128 texts a
    /// batch.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            provider: Provider::OpenAi,
            base_url: base_url.into(),
            more_urls: Vec::new(),
            api_key: None,
            options: BTreeMap::new(),
            ca_bundle: None,
            concurrency: 16,
            timeout: Duration::from_mins(2),
            pool_name: None,
            embedding_batch: 128,
            patience: Patience::default(),
        }
    }
}

/// A provider's endpoint. The models made from it share its connections and its quota.
#[derive(Clone, Debug)]
pub struct Remote {
    transport: Arc<Transport>,
    provider: Provider,
    dialect: Arc<dyn Dialect>,
    name: String,
    embedding_batch: usize,
}

impl Remote {
    /// Sets up the way to an endpoint. Nothing is sent yet.
    pub fn connect(config: &RemoteConfig) -> Result<Self, ConfigError> {
        let name = config.pool_name.as_ref().filter(|name| !name.is_empty());
        if name.is_none() && !config.more_urls.is_empty() {
            return Err(ConfigError::Unnamed { count: config.more_urls.len() + 1 });
        }
        let dialect = config.provider.dialect(config)?;
        let transport = Transport::new(config)?;
        let name =
            name.map_or_else(|| transport.endpoint().to_owned(), |name| format!("pool:{name}"));
        let embedding_batch = config.embedding_batch.clamp(1, dialect.most_texts());
        Ok(Self { transport, provider: config.provider, dialect, name, embedding_batch })
    }

    /// A chat model of this endpoint.
    pub fn chat_model(&self, model: &str) -> Arc<dyn ChatModel> {
        Arc::new(RemoteChat {
            transport: self.transport.clone(),
            dialect: self.dialect.clone(),
            model: model.to_owned(),
            endpoint: self.name.clone(),
            accepts: Mutex::new(Accepts::known(model)),
        })
    }

    /// An embedding model of this endpoint.
    pub fn embedder(&self, model: &str) -> Arc<dyn Embedder> {
        Arc::new(RemoteEmbedder::new(
            self.transport.clone(),
            self.provider.name(),
            self.dialect.clone(),
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
struct RemoteChat {
    transport: Arc<Transport>,
    dialect: Arc<dyn Dialect>,
    model: String,
    endpoint: String,
    /// Parameters that the model takes, as far as known.
    accepts: Mutex<Accepts>,
}

impl RemoteChat {
    async fn ask(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let rung = rung(&request.format);
        let dialect = &self.dialect;
        let mut accepts = *self.accepts.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let outgoing = dialect
                .chat(&self.model, request, accepts)
                .map_err(|(class, detail)| self.error(class, detail))?;
            let judge = |status, body: &str| dialect.verdict(status, body, rung);
            let chars = characters(&outgoing.body);
            let (path, body) = (outgoing.path.as_ref(), outgoing.body);
            let call = Call { path, model: &self.model, body, kind: Kind::Chat };
            match self.transport.post(call, judge).await {
                Ok(body) => {
                    let body = self.transport.clean(&body);
                    let reply = dialect
                        .read(body, &self.model, request)
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
                    let class = dialect.class(status, &body, rung);
                    let hint = dialect.hint(status, &body).unwrap_or_default();
                    return Err(self.error(class, status_line(status, &body) + hint));
                }
                Err(CallError::GaveUp { class, detail }) => {
                    return Err(self.error(ErrorClass::Failed(class), detail));
                }
            }
        }
    }

    fn error(&self, class: ErrorClass, detail: String) -> ModelError {
        ModelError { class, model: self.model.clone(), endpoint: self.endpoint.clone(), detail }
    }
}

impl ChatModel for RemoteChat {
    fn model(&self) -> &str {
        &self.model
    }

    fn endpoint(&self) -> &str {
        &self.endpoint
    }

    fn token_choices(&self, raw: &str) -> Vec<TokenChoice> {
        self.dialect.token_choices(raw)
    }

    fn chat(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatReply, ModelError>> {
        Box::pin(async move { self.ask(&request).await })
    }
}
