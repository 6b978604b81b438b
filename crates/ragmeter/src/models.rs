//! `MODEL` everywhere: a key of `models:`, or `provider:name`, or `local`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ragmeter_core::{ChatModel, Embedder, PairScorer};
use ragmeter_local::{E5Embedder, LocalJudge};
use ragmeter_models::{Limits, Remote, RemoteConfig, Secret};

use crate::config::{BaseUrl, LOCAL, ModelConfig, Provider};
use crate::error::Error;

/// Looks up an environment variable. Only the command line reads the environment itself.
pub type Environment<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// Makes models by name; models at one endpoint share its connections and its quota.
#[derive(Debug, Default)]
pub(crate) struct Models {
    configured: BTreeMap<String, ModelConfig>,
    /// Replaces the endpoint of `PROVIDER:NAME`.
    base_url: Option<String>,
    concurrency: usize,
    clients: Endpoints,
    local: Mutex<Option<Arc<E5Embedder>>>,
}

/// The endpoints that a run has to do with so far. Shared with whoever shows progress.
#[derive(Clone, Debug, Default)]
pub struct Endpoints(Arc<Mutex<BTreeMap<String, Arc<Remote>>>>);

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

    /// Mean seconds of the chat calls that were answered.
    pub(crate) fn seconds_a_call(&self) -> Option<f64> {
        let clients = self.lock();
        let calls: u64 = clients.values().map(|client| client.stats().chat_calls).sum();
        let time: Duration = clients.values().map(|client| client.stats().chat_time).sum();
        (calls > 0).then(|| time.as_secs_f64() / calls as f64)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Remote>>> {
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

    fn client(&self, name: &str, env: Environment<'_>) -> Result<(Arc<Remote>, String), Error> {
        let config = self.resolve(name)?;
        let provider = config.provider.remote();
        let own: Vec<String> = provider.base_url().map(str::to_owned).into_iter().collect();
        let given = config.base_url.as_ref().map_or(own.as_slice(), BaseUrl::all);
        let urls: Vec<String> =
            given.iter().map(|url| expand(name, url, env)).collect::<Result<_, _>>()?;
        let Some((url, more_urls)) = urls.split_first() else {
            let reason = match config.base_url {
                Some(_) => "is an empty list".to_owned(),
                None => format!("must be given for {}", provider.name()),
            };
            return Err(Error::usage(format!("models.{name}.base_url: {reason}")));
        };
        let key = match &config.api_key {
            Some(reference) => Some(secret(name, reference, env)?),
            None => provider
                .key_variables()
                .iter()
                .find_map(|variable| env(variable).filter(|key| !key.is_empty()))
                .filter(|_| self.may_send_key(&config)),
        };
        if key.is_none()
            && own.first() == Some(url)
            && let Some(variable) = provider.key_variables().first()
        {
            return Err(Error::usage(format!(
                "model `{name}` needs a key: set {variable}, or give its endpoint with --base-url"
            )));
        }
        let concurrency = config.concurrency.unwrap_or(self.concurrency);
        let deadlines = [config.timeout, config.total_timeout, config.queue_timeout];
        // One client for all models of an endpoint, unless they differ in what a client is.
        let id = format!(
            "{provider:?} {urls:?} {:?} {concurrency} {deadlines:?} {:?} {:?} {}",
            config.pool,
            config.ca_bundle,
            config.options(),
            config.api_key.as_deref().unwrap_or("")
        );
        let mut clients = self.clients.lock();
        if let Some(client) = clients.get(&id) {
            return Ok((Arc::clone(client), config.model));
        }
        let mut settings = RemoteConfig::new(url);
        settings.provider = provider;
        settings.options = config.options();
        settings.ca_bundle = config.ca_bundle.as_ref().map(Into::into);
        settings.more_urls = more_urls.to_vec();
        settings.pool_name.clone_from(&config.pool);
        settings.api_key = key.map(Secret::new);
        settings.concurrency = concurrency;
        let [timeout, total, queue] = deadlines.map(|of| of.map(Duration::from_secs_f64));
        settings.timeout = timeout.unwrap_or(settings.timeout);
        let patience = &mut settings.patience;
        patience.budget = total.unwrap_or(patience.budget.max(settings.timeout * 2));
        patience.queue = queue.unwrap_or(patience.queue);
        let client = Remote::connect(&settings)
            .map_err(|error| Error::usage(format!("model `{name}`: {error}")))?;
        let client = Arc::new(client);
        clients.insert(id, Arc::clone(&client));
        drop(clients);
        Ok((client, config.model))
    }

    /// A provider's key of the environment is for the provider's own endpoint, and for the one named
    /// on the command line.
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
        let named = name.split_once(':').and_then(|(before, model)| {
            let provider = Provider::ALL.into_iter().find(|one| one.remote().name() == before)?;
            (!model.is_empty()).then(|| (provider, model.to_owned()))
        });
        match named {
            Some((provider, model)) => Ok(ModelConfig {
                provider,
                model,
                base_url: self.base_url.clone().map(BaseUrl::One),
                ..ModelConfig::default()
            }),
            None => Err(Error::usage(self.unknown(name))),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let known = self.configured.keys().map(String::as_str).chain([LOCAL]);
        let near = crate::config::nearest(name, known)
            .map(|near| format!(" (did you mean `{near}`?)"))
            .unwrap_or_default();
        format!(
            "there is no model `{name}`{near}: give a key of `models:`, `PROVIDER:NAME` ({}), or `local`",
            Provider::ALL.map(|one| one.remote().name()).join(", ")
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
