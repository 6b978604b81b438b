//! The providers: which dialect, where, and what each wants to know.

use std::sync::Arc;

use reqwest::header::AUTHORIZATION;

use crate::auth::{Credentials, Fixed};
use crate::dialect::Dialect;
use crate::openai::OpenAi;
use crate::{ConfigError, RemoteConfig};

/// Whose language an endpoint speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Provider {
    /// OpenAI and everything compatible with its chat completions.
    #[default]
    OpenAi,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::OpenAi];

    /// Its name in `ragmeter.yaml` and before the colon of a MODEL.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
        }
    }

    /// Where it is if nothing else is said; `None` if that must be said.
    pub fn base_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
        }
    }

    /// The environment variables that its own client reads the key from, first one first.
    pub fn key_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &["OPENAI_API_KEY"],
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "the other providers' options can be wrong")]
    pub(crate) fn dialect(self, _config: &RemoteConfig) -> Result<Arc<dyn Dialect>, ConfigError> {
        Ok(match self {
            Self::OpenAi => Arc::new(OpenAi),
        })
    }

    /// What goes with every call to the server at `endpoint`.
    pub(crate) fn credentials(
        self,
        config: &RemoteConfig,
        endpoint: &str,
    ) -> Result<Arc<dyn Credentials>, ConfigError> {
        let key = config.api_key.as_ref().filter(|key| !key.is_empty());
        let fixed = Fixed::default();
        Ok(Arc::new(match (self, key) {
            (_, None) => fixed,
            (Self::OpenAi, Some(key)) => fixed.key(AUTHORIZATION, "Bearer ", key, endpoint)?,
        }))
    }
}
