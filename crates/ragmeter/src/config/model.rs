//! Models behind endpoints.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Price;

/// A remote model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// The dialect spoken.
    #[serde(default)]
    pub provider: Provider,
    /// The model's name at its endpoint.
    pub model: String,
    /// The endpoint, up to and with `/v1`, if it isn't the provider's own; a list of several servers of this model is one endpoint,
    /// named by `pool`.
    #[serde(default)]
    pub base_url: Option<BaseUrl>,
    /// What the servers are together: this name, not their addresses, is in the keys of what is
    /// kept. Needed if `base_url` is a list.
    #[serde(default)]
    pub pool: Option<String>,
    /// The key: always `${NAME}` of an environment variable, never the key itself.
    #[serde(default)]
    pub api_key: Option<String>,
    /// A file of certificates (PEM or DER) that this endpoint's chain may end in, besides the system's.
    #[serde(default)]
    pub ca_bundle: Option<String>,
    /// Calls in flight to begin with, at each server; `run.concurrency` if left out.
    #[serde(default)]
    pub concurrency: Option<usize>,
    /// Seconds that one call may take, from connecting to the end of its reply; 120 if left out.
    #[serde(default)]
    pub timeout: Option<f64>,
    /// Seconds that one question may take with all its tries and the waits between them, but for
    /// the queue; 300, or twice `timeout` if that is more.
    #[serde(default)]
    pub total_timeout: Option<f64>,
    /// Seconds that a call may wait for its turn, pauses of the endpoint included; 3600 if left out.
    #[serde(default)]
    pub queue_timeout: Option<f64>,
    /// What a million of its tokens cost; without it no money is told, and none is a bound.
    #[serde(default)]
    pub price: Option<Price>,
}

/// One server or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "an address or a list of addresses")]
pub enum BaseUrl {
    /// An address.
    One(String),
    /// Addresses of servers that give the same model.
    Many(Vec<String>),
}

impl BaseUrl {
    /// The addresses.
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(url) => std::slice::from_ref(url),
            Self::Many(urls) => urls,
        }
    }
}

impl ModelConfig {
    /// What only some providers want to know, as far as it is set, by its key here.
    #[expect(clippy::unused_self, reason = "no provider has an option of its own yet")]
    pub(crate) fn options(&self) -> BTreeMap<&'static str, String> {
        BTreeMap::new()
    }
}

/// Dialects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// OpenAI and everything compatible with its chat completions.
    #[default]
    Openai,
}

impl Provider {
    /// All of them.
    pub(crate) const ALL: [Self; 1] = [Self::Openai];

    /// The provider as the crate of models knows it.
    pub(crate) fn remote(self) -> ragmeter_models::Provider {
        match self {
            Self::Openai => ragmeter_models::Provider::OpenAi,
        }
    }
}
