//! Every test of the crate, in one binary.

mod sentences;
mod terms;
