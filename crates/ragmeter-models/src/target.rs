use url::{Host, Url};

use crate::Secret;
use ragmeter_core::Redactor;

/// Why an endpoint cannot be used as configured.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The base URL is not one that calls can be made to.
    #[error("base URL {url}: {reason}")]
    BaseUrl {
        /// The URL, without its credentials.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Several servers without a name for all of them.
    #[error(
        "{count} servers are one endpoint only under a name of their own: it stands in the keys of \
         what is kept, so name the pool"
    )]
    Unnamed {
        /// How many.
        count: usize,
    },
    /// The key has characters that cannot stand in an HTTP header.
    #[error("the key for {endpoint} has characters that cannot be sent in an HTTP header")]
    Key {
        /// The endpoint.
        endpoint: String,
    },
    /// The HTTP client could not be set up.
    #[error("cannot set up the HTTP client for {endpoint}: {reason}")]
    Client {
        /// The endpoint.
        endpoint: String,
        /// What went wrong.
        reason: String,
    },
}

/// Where calls go.
#[derive(Clone)]
pub(crate) struct Target {
    /// With credentials, if the user wrote them into the URL and gave no key.
    base: Url,
    /// Without credentials and query.
    pub(crate) endpoint: String,
    pub(crate) loopback: bool,
}

impl Target {
    /// Reads a base URL such as `https://host/v1`, with or without a slash at its end. What it holds
    /// that must never be shown is added to `secrets`.
    pub(crate) fn parse(
        base_url: &str,
        key: Option<&Secret>,
    ) -> Result<(Self, Redactor), ConfigError> {
        let wrong = |url: &str, reason: &str| ConfigError::BaseUrl {
            url: url.to_owned(),
            reason: reason.to_owned(),
        };
        let mut base = Url::parse(base_url.trim())
            .map_err(|err| wrong(without_credentials(base_url), &err.to_string()))?;
        let mut secrets: Vec<String> = base.password().map(str::to_owned).into_iter().collect();
        secrets.extend(base.query_pairs().map(|(_, value)| value.into_owned()));
        secrets.extend(key.map(|key| key.expose().to_owned()));

        let mut shown = base.clone();
        // Fails only for URLs without a host, which are refused just below.
        let _ = shown.set_username("");
        let _ = shown.set_password(None);
        shown.set_query(None);
        shown.set_fragment(None);
        let endpoint = shown.as_str().trim_end_matches('/').to_owned();
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(wrong(without_credentials(&endpoint), "expected http://… or https://…"));
        }
        let loopback = match base.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        if key.is_some() {
            let _ = base.set_username("");
            let _ = base.set_password(None);
        }
        base.set_fragment(None);
        Ok((Self { base, endpoint, loopback }, Redactor::new(secrets)))
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// The URL of a path under the base, such as `chat/completions`.
    pub(crate) fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let joined = format!("{}/{path}", url.path().trim_end_matches('/'));
        url.set_path(&joined);
        url
    }
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.endpoint)
    }
}

/// What follows the last `@` of a text that is not a URL: it may hold a password all the same.
fn without_credentials(text: &str) -> &str {
    text.rsplit_once('@').map_or(text, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_are_joined_and_shown_without_credentials() {
        let cases = [
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", true),
            ("http://localhost/v1/", "http://localhost/v1", true),
            ("https://u:pass-word@host.example/v1/", "https://host.example/v1", false),
            ("https://host.example", "https://host.example", false),
            ("http://[::1]:9/api?api-version=2026-01-01#x", "http://[::1]:9/api", true),
            ("https://пример.рф/v1", "https://xn--e1afmkfd.xn--p1ai/v1", false),
        ];
        for (given, shown, loopback) in cases {
            let (target, _) = Target::parse(given, None).expect(given);
            assert_eq!(target.endpoint, shown);
            assert_eq!(target.loopback, loopback, "{given}");
            assert!(target.url("embeddings").path().ends_with("/embeddings"));
            assert!(!target.url("embeddings").path().contains("//"), "{given}");
            assert!(!format!("{target:?}").contains("pass-word"));
        }
        let (target, redactor) =
            Target::parse("http://u:pass-word@[::1]/api?api-version=2026-01-01", None)
                .expect("url");
        assert_eq!(
            target.url("x").as_str(),
            "http://u:pass-word@[::1]/api/x?api-version=2026-01-01"
        );
        assert_eq!(redactor.clean("no pass-word"), "no ***");
        // A key takes the place of credentials in the URL.
        let key = Secret::new("sk-key");
        let (target, _) = Target::parse("http://u:pass-word@h/v1", Some(&key)).expect("url");
        assert_eq!(target.url("x").as_str(), "http://h/v1/x");
    }

    #[test]
    fn bad_base_urls_are_refused_without_showing_their_password() {
        for given in [
            "host/v1",
            "ftp://u:pass-word@host/",
            "mailto:pass-word@host",
            "http://u:pass-word@",
            "",
        ] {
            let err = Target::parse(given, None).expect_err(given).to_string();
            assert!(!err.contains("pass-word"), "{given}: {err}");
        }
    }
}
