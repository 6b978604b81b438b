//! Every test of the crate, in one binary.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod answer;
mod charset;
mod chunk;
mod clean;
mod fetch;
mod files;
mod index;
mod stubs;
