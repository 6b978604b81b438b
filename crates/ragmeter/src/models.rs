//! `MODEL` everywhere: a key of `models:`, or `provider:name`, or `local`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ragmeter_core::{ChatModel, Embedder, PairScorer};
use ragmeter_local::{E5Embedder, LocalJudge};
use ragmeter_models::{Limits, OpenAi, OpenAiConfig, Secret};

use crate::config::{BaseUrl, LOCAL, ModelConfig, Provider};
use crate::error::Error;

/// The endpoint of `openai:…` where nothing else is said.
pub(crate) const OPENAI_URL: &str = "https://api.openai.com/v1";

/// Looks up an environment variable. Only the command line reads the environment itself.
pub type Environment<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// Makes models by name; models at one endpoint share its connections and its quota.
#[derive(Debug, Default)]
pub(crate) struct Models {
    configured: BTreeMap<String, ModelConfig>,
    /// Replaces the endpoint of `openai:…`.
    base_url: Option<String>,
    concurrency: usize,
    clients: Endpoints,
    local: Mutex<Option<Arc<E5Embedder>>>,
}

/// The endpoints that a run has to do with so far. Shared with whoever shows progress.
#[derive(Clone, Debug, Default)]
pub struct Endpoints(Arc<Mutex<BTreeMap<String, Arc<OpenAi>>>>);

impl Endpoints {
    /// What each takes at once and a minute, by the name that is in keys. Models that differ in
    /// key or deadlines at one endpoint are added up.
    pub fn limits(&self) -> BTreeMap<String, Limits> {
        let mut limits: BTreeMap<String, Limits> = BTreeMap::new();
        for client in self.lock().values() {
            let of_client = client.limits();
            limits
                .entry(client.name().to_owned())
                .and_modify(|known| known.add(&of_client))
                .or_insert(of_client);
        }
        limits
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<OpenAi>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Models {
    pub(crate) fn new(
        configured: BTreeMap<String, ModelConfig>,
        base_url: Option<String>,
        concurrency: usize,
    ) -> Self {
        Self { configured, base_url, concurrency, ..Self::default() }
    }

    /// What a model's tokens cost, as configured.
    pub(crate) fn price(&self, name: &str) -> Option<crate::budget::Price> {
        self.configured.get(name)?.price.clone()
    }

    /// A chat model; `None` for `local`, which is no chat model.
    pub(crate) fn chat(
        &self,
        name: &str,
        env: Environment<'_>,
    ) -> Result<Option<Arc<dyn ChatModel>>, Error> {
        if name == LOCAL {
            return Ok(None);
        }
        let (client, model) = self.client(name, env)?;
        Ok(Some(client.chat_model(&model)))
    }

    /// An embedder.
    pub(crate) fn embedder(
        &self,
        name: &str,
        env: Environment<'_>,
    ) -> Result<Arc<dyn Embedder>, Error> {
        if name == LOCAL {
            return Ok(self.local()? as Arc<dyn Embedder>);
        }
        let (client, model) = self.client(name, env)?;
        Ok(client.embedder(&model))
    }

    /// The encoder inside ragmeter, loaded once for everything that uses it.
    pub(crate) fn local(&self) -> Result<Arc<E5Embedder>, Error> {
        let mut local = self.local.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(embedder) = local.as_ref() {
            return Ok(Arc::clone(embedder));
        }
        let embedder = Arc::new(E5Embedder::bundled().map_err(Error::local)?);
        *local = Some(Arc::clone(&embedder));
        Ok(embedder)
    }

    /// The local judge.
    pub(crate) fn local_scorer(&self) -> Result<Arc<dyn PairScorer>, Error> {
        Ok(Arc::new(LocalJudge::new(self.local()?).map_err(Error::local)?))
    }

    /// Embedding calls sent so far, over all endpoints.
    pub(crate) fn embedding_calls(&self) -> u64 {
        self.clients.lock().values().map(|client| client.stats().embedding_calls).sum()
    }

    /// The endpoints, to watch them.
    pub(crate) fn endpoints(&self) -> Endpoints {
        self.clients.clone()
    }

    fn client(&self, name: &str, env: Environment<'_>) -> Result<(Arc<OpenAi>, String), Error> {
        let config = self.resolve(name)?;
        let Provider::Openai = config.provider;
        let key = match &config.api_key {
            Some(reference) => Some(secret(name, reference, env)?),
            None => env("OPENAI_API_KEY").filter(|_| self.may_send_key(&config)),
        };
        let openai = [OPENAI_URL.to_owned()];
        let given = config.base_url.as_ref().map_or(openai.as_slice(), BaseUrl::all);
        let urls: Vec<String> =
            given.iter().map(|url| expand(name, url, env)).collect::<Result<_, _>>()?;
        let Some((url, more_urls)) = urls.split_first() else {
            return Err(Error::usage(format!("models.{name}.base_url: is an empty list")));
        };
        if key.is_none() && url == OPENAI_URL {
            return Err(Error::usage(format!(
                "model `{name}` needs a key: set OPENAI_API_KEY, or give its endpoint with --base-url"
            )));
        }
        let concurrency = config.concurrency.unwrap_or(self.concurrency);
        let deadlines = [config.timeout, config.total_timeout, config.queue_timeout];
        // One client for all models of an endpoint, unless they differ in what a client is.
        let id = format!(
            "{urls:?} {:?} {concurrency} {deadlines:?} {}",
            config.pool,
            config.api_key.as_deref().unwrap_or("")
        );
        let mut clients = self.clients.lock();
        if let Some(client) = clients.get(&id) {
            return Ok((Arc::clone(client), config.model));
        }
        let mut settings = OpenAiConfig::new(url);
        settings.more_urls = more_urls.to_vec();
        settings.pool_name.clone_from(&config.pool);
        settings.api_key = key.map(Secret::new);
        settings.concurrency = concurrency;
        let [timeout, total, queue] = deadlines.map(|of| of.map(Duration::from_secs_f64));
        settings.timeout = timeout.unwrap_or(settings.timeout);
        let patience = &mut settings.patience;
        patience.budget = total.unwrap_or(patience.budget.max(settings.timeout * 2));
        patience.queue = queue.unwrap_or(patience.queue);
        let client = OpenAi::connect(&settings)
            .map_err(|error| Error::usage(format!("model `{name}`: {error}")))?;
        let client = Arc::new(client);
        clients.insert(id, Arc::clone(&client));
        drop(clients);
        Ok((client, config.model))
    }

    /// The key of `OPENAI_API_KEY` is for OpenAI, and for the endpoint named on the command line.
    fn may_send_key(&self, config: &ModelConfig) -> bool {
        config
            .base_url
            .as_ref()
            .is_none_or(|given| given.all().iter().all(|url| self.base_url.as_ref() == Some(url)))
    }

    fn resolve(&self, name: &str) -> Result<ModelConfig, Error> {
        if let Some(config) = self.configured.get(name) {
            return Ok(config.clone());
        }
        match name.split_once(':') {
            Some(("openai", model)) if !model.is_empty() => Ok(ModelConfig {
                provider: Provider::Openai,
                model: model.to_owned(),
                base_url: self.base_url.clone().map(BaseUrl::One),
                pool: None,
                api_key: None,
                concurrency: None,
                timeout: None,
                price: None,
                total_timeout: None,
                queue_timeout: None,
            }),
            _ => Err(Error::usage(self.unknown(name))),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let known = self.configured.keys().map(String::as_str).chain([LOCAL]);
        let near = crate::config::nearest(name, known)
            .map(|near| format!(" (did you mean `{near}`?)"))
            .unwrap_or_default();
        format!(
            "there is no model `{name}`{near}: give a key of `models:`, `openai:NAME`, or `local`"
        )
    }
}

fn secret(model: &str, reference: &str, env: Environment<'_>) -> Result<String, Error> {
    let name = crate::config::environment_name(reference)
        .ok_or_else(|| Error::usage(format!("models.{model}.api_key: write ${{NAME}}")))?;
    env(name).filter(|key| !key.is_empty()).ok_or_else(|| {
        Error::usage(format!(
            "model `{model}` needs the environment variable {name}, which is not set"
        ))
    })
}

/// Replaces a value that is `${NAME}` as a whole.
fn expand(model: &str, value: &str, env: Environment<'_>) -> Result<String, Error> {
    match crate::config::environment_name(value) {
        None => Ok(value.to_owned()),
        Some(name) => env(name).ok_or_else(|| {
            Error::usage(format!(
                "model `{model}` needs the environment variable {name}, which is not set"
            ))
        }),
    }
}
