//! What proves to a server who is asking.

use ragmeter_core::BoxFuture;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::effort::Failure;
use crate::{ConfigError, Secret};

/// Headers that go with every call to one server.
pub(crate) trait Credentials: Send + Sync + std::fmt::Debug {
    /// The headers for a call; getting them may take a call of its own.
    fn headers(&self) -> BoxFuture<'_, Result<HeaderMap, Failure>>;

    /// The server refused a call with these headers for who asks. Whether others can be had: then
    /// the call is sent once more.
    fn refused(&self, _used: &HeaderMap) -> bool {
        false
    }

    /// Removes secrets that came into being since the start from a text.
    fn clean(&self, text: &str) -> String {
        text.to_owned()
    }
}

/// Headers that stay the same.
#[derive(Debug, Default)]
pub(crate) struct Fixed(HeaderMap);

impl Fixed {
    /// A key in a header of this name, after `prefix`.
    pub(crate) fn key(
        self,
        name: HeaderName,
        prefix: &str,
        key: &Secret,
        endpoint: &str,
    ) -> Result<Self, ConfigError> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", key.expose()))
            .map_err(|_| ConfigError::Key { endpoint: endpoint.to_owned() })?;
        value.set_sensitive(true);
        Ok(self.with(name, value))
    }

    /// Another header.
    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.insert(name, value);
        self
    }
}

impl Credentials for Fixed {
    fn headers(&self) -> BoxFuture<'_, Result<HeaderMap, Failure>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}
