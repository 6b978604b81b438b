//! The transport and the OpenAI-compatible provider against a scripted endpoint on loopback.

mod chat;
mod embeddings;
mod endpoint;
mod resilience;
mod secrets;
mod tls;
