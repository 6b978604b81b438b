//! One server: its connections, its key and its secrets.

use std::time::Duration;

use ragmeter_core::Redactor;
use reqwest::RequestBuilder;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};

use crate::said::with_causes;
use crate::target::Target;
use crate::{ConfigError, Secret};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The way to one server.
#[derive(Debug)]
pub(crate) struct Server {
    client: reqwest::Client,
    target: Target,
    authorization: Option<HeaderValue>,
    redactor: Redactor,
}

impl Server {
    /// Sets it up. Nothing is sent yet.
    pub(crate) fn new(
        base_url: &str,
        key: Option<&Secret>,
        timeout: Duration,
    ) -> Result<Self, ConfigError> {
        let (target, redactor) = Target::parse(base_url, key)?;
        let authorization = key.map(|key| bearer(key, &target)).transpose()?;
        // One provider serves the whole process; `Err` means that it is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(timeout)
            // A redirected POST loses its body, and a key must not follow to another host.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("ragmeter/", env!("CARGO_PKG_VERSION")));
        if target.loopback {
            builder = builder.no_proxy();
        }
        if !target.is_encrypted() {
            // Without TLS the system's certificates aren't needed, and a bare container has none:
            // looking for them would fail there.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|err| ConfigError::Client {
            endpoint: target.endpoint.clone(),
            reason: redactor.clean(&with_causes(err)),
        })?;
        Ok(Self { client, target, authorization, redactor })
    }

    /// Scheme, host, port and path, without credentials.
    pub(crate) fn endpoint(&self) -> &str {
        &self.target.endpoint
    }

    /// Removes every secret of this server from a text.
    pub(crate) fn clean(&self, text: &str) -> String {
        self.redactor.clean(text)
    }

    /// A request to a path under the base URL.
    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        let request =
            self.client.post(self.target.url(path)).header(CONTENT_TYPE, "application/json");
        match &self.authorization {
            Some(value) => request.header(AUTHORIZATION, value.clone()),
            None => request,
        }
    }
}

fn bearer(key: &Secret, target: &Target) -> Result<HeaderValue, ConfigError> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
        .map_err(|_| ConfigError::Key { endpoint: target.endpoint.clone() })?;
    value.set_sensitive(true);
    Ok(value)
}
