//! Remote models: chat and embeddings over HTTP.
//!
//! A provider is pure translation, from ragmeter's request to the provider's JSON and back
//! (see [`Provider`]), and knows nothing of sockets. Everything that a network
//! needs is done once, in the transport: pooling, deadlines, retries, an adaptive limit on the
//! calls in flight, pacing by what the replies' headers say of requests and tokens a minute, and a
//! breaker that ends a run against a dead endpoint early. Several servers of the same models are
//! one endpoint, with one queue. A call is never sent twice to see which reply comes first: it
//! would be paid for twice.
//!
//! ```no_run
//! use ragmeter_core::{ChatModel, Embedder};
//! use ragmeter_models::{Remote, RemoteConfig, Secret};
//!
//! # fn main() -> Result<(), ragmeter_models::ConfigError> {
//! let endpoint = Remote::connect(&RemoteConfig {
//!     api_key: Some(Secret::new("…")),
//!     concurrency: 16,
//!     ..RemoteConfig::new("https://api.example.com/v1")
//! })?;
//! // Both share one pool of connections and one quota.
//! let judge = endpoint.chat_model("some-model");
//! let embedder = endpoint.embedder("some-embedder");
//! println!("{} {}", judge.endpoint(), embedder.fingerprint());
//! # Ok(())
//! # }
//! ```

mod accepts;
mod auth;
mod breaker;
mod bucket;
mod dialect;
mod effort;
mod embedder;
mod errors;
mod limits;
mod openai;
mod patience;
mod pool;
mod provider;
mod quota;
mod rates;
mod remote;
mod said;
mod secret;
mod server;
mod target;
mod transport;

pub use limits::{Limits, ServerLimits, Waiting};
pub use patience::Patience;
pub use provider::Provider;
pub use remote::{Remote, RemoteConfig};
pub use secret::Secret;
pub use target::ConfigError;
pub use transport::TransportStats;
