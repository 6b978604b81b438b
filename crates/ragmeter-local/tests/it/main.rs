#![cfg(feature = "bundled-models")]

mod embedder;
mod judge;
