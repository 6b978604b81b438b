//! One server: its connections, its key and its secrets.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ragmeter_core::Redactor;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Certificate, RequestBuilder};

use crate::auth::Credentials;
use crate::said::with_causes;
use crate::target::Target;
use crate::{ConfigError, RemoteConfig};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The way to one server.
#[derive(Debug)]
pub(crate) struct Server {
    client: reqwest::Client,
    target: Target,
    pub(crate) credentials: Arc<dyn Credentials>,
    redactor: Redactor,
}

impl Server {
    /// Sets it up. Nothing is sent yet.
    pub(crate) fn new(base_url: &str, config: &RemoteConfig) -> Result<Self, ConfigError> {
        let key = config.api_key.as_ref().filter(|key| !key.is_empty());
        let (target, redactor) = Target::parse(base_url, key)?;
        let credentials = config.provider.credentials(config, &target.endpoint)?;
        let client =
            client(&target, config.timeout, config.ca_bundle.as_deref()).map_err(|reason| {
                ConfigError::Client {
                    endpoint: target.endpoint.clone(),
                    reason: redactor.clean(&reason),
                }
            })?;
        Ok(Self { client, target, credentials, redactor })
    }

    /// Scheme, host, port and path, without credentials.
    pub(crate) fn endpoint(&self) -> &str {
        &self.target.endpoint
    }

    /// Removes every secret of this server from a text.
    pub(crate) fn clean(&self, text: &str) -> String {
        self.credentials.clean(&self.redactor.clean(text))
    }

    /// A request to a path under the base URL, with these headers.
    pub(crate) fn post(&self, path: &str, headers: HeaderMap) -> RequestBuilder {
        let request = self.client.post(self.target.url(path));
        request.headers(headers).header(CONTENT_TYPE, "application/json")
    }
}

/// A client for one place and no other: what it trusts besides the system's certificates, it trusts
/// for this place alone.
pub(crate) fn client(
    target: &Target,
    timeout: Duration,
    ca_bundle: Option<&Path>,
) -> Result<reqwest::Client, String> {
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
    } else if let Some(path) = ca_bundle {
        builder = builder.tls_certs_merge(certificates(path)?);
    }
    builder.build().map_err(with_causes)
}

/// The certificates of a file, PEM or DER.
fn certificates(path: &Path) -> Result<Vec<Certificate>, String> {
    let wrong = |reason: &str| format!("ca_bundle {}: {reason}", path.display());
    let bytes = std::fs::read(path).map_err(|err| wrong(&err.to_string()))?;
    let certificates = if bytes.starts_with(b"\x30") {
        Certificate::from_der(&bytes).map(|one| vec![one])
    } else {
        Certificate::from_pem_bundle(&bytes)
    };
    let certificates = certificates.map_err(|err| wrong(&with_causes(err)))?;
    if certificates.is_empty() {
        return Err(wrong("has no certificate: expected PEM (-----BEGIN CERTIFICATE-----) or DER"));
    }
    Ok(certificates)
}
