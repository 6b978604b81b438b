//! Tests through the built binary.

mod compare;
mod documents;
mod endpoint;
mod faulty;
mod inputs;
mod ladder;
mod marks;
mod oracle;
mod planted;
mod project;
mod resume;
mod score;
mod support;
mod wire;
