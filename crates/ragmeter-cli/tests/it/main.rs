//! Tests through the built binary.

mod compare;
mod documents;
mod endpoint;
mod exchange;
mod faulty;
mod formats;
mod hostile;
mod inputs;
mod judged;
mod labels;
mod ladder;
mod marks;
mod oracle;
mod people;
mod planted;
mod project;
mod report;
mod resume;
mod score;
mod script;
mod support;
mod systems;
mod wire;
