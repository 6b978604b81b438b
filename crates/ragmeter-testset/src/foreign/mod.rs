//! Files of other tools, put into our words.
//!
//! Each function takes rows as a file has them and gives rows as [`crate::cases`] and
//! [`crate::records`] read them, with a count of what has no place here. Layouts are those of
//! RAGAS 0.4.3, deepeval 4.3.1, promptfoo's results version 3, RAGChecker 0.1.9, and TREC's.

mod deepeval;
mod promptfoo;
mod ragas;
mod ragchecker;
mod trec;
mod trec_files;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::rows::{Raw, Row};

pub use deepeval::{deepeval, deepeval_json};
pub use promptfoo::{promptfoo_results, promptfoo_table, promptfoo_tests};
pub use ragas::ragas;
pub use ragchecker::ragchecker;
pub use trec::{Texts, read_texts, trec_qrels, trec_run};
pub use trec_files::{
    TrecFaults, TrecHit, TrecJudgement, TrecJudgements, TrecRun, read_trec_judgements,
    read_trec_run,
};

/// Rows in our words, and what was left out: what, and in how many rows.
#[derive(Debug, Default)]
pub struct Foreign {
    /// The rows.
    pub rows: Raw,
    /// What has no place here, with the number of rows that have it.
    pub dropped: BTreeMap<String, usize>,
}

impl Foreign {
    /// Whether any row tells what a system did: then they are records, else a test set.
    pub fn tells_answers(&self) -> bool {
        const TELLING: [&str; 5] =
            ["answer", "response", "contexts", "retrieved_contexts", "retrieved_context_ids"];
        let full = |value: &Value| match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            _ => true,
        };
        self.rows.rows.iter().filter_map(|row| row.object.as_ref().ok()).any(|object| {
            TELLING.iter().any(|key| object.get(*key).is_some_and(full))
                || object.get("error").is_some_and(full)
                || object.get("messages").or(object.get("user_input")).is_some_and(answered)
        })
    }
}

/// Whether something follows the last human message.
fn answered(messages: &Value) -> bool {
    let last = messages.as_array().and_then(|items| items.last());
    let who = last.and_then(|one| one.get("role").or_else(|| one.get("type")));
    who.and_then(Value::as_str).is_some_and(|who| !matches!(who, "human" | "user"))
}

/// Puts every row into our words; what `translate` leaves in a row is dropped and counted.
fn translated(
    mut rows: Raw,
    names: &'static [(&'static str, &'static str)],
    mut translate: impl FnMut(&mut Map<String, Value>) -> Map<String, Value>,
) -> Foreign {
    let mut dropped: BTreeMap<String, usize> = BTreeMap::new();
    for row in &mut rows.rows {
        let Ok(object) = &mut row.object else { continue };
        let ours = translate(object);
        for (key, value) in object.iter() {
            let empty = match value {
                Value::Null => true,
                Value::String(text) => text.trim().is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(members) => members.is_empty(),
                _ => false,
            };
            if !empty {
                *dropped.entry(key.clone()).or_default() += 1;
            }
        }
        *object = ours;
    }
    if let Some(header) = &mut rows.header {
        for column in header {
            if let Some((ours, _)) = names.iter().find(|(_, theirs)| theirs == column) {
                (*ours).clone_into(column);
            }
        }
    }
    rows.names = names;
    Foreign { rows, dropped }
}

/// Takes a value out of a row under the first of these names that has one.
fn take(object: &mut Map<String, Value>, names: &[&str]) -> Option<Value> {
    let mut found = None;
    for name in names {
        if let Some(value) = object.remove(*name)
            && found.is_none()
            && !value.is_null()
        {
            found = Some(value);
        }
    }
    found
}

/// Moves a value to its name here.
fn moved(from: &mut Map<String, Value>, names: &[&str], to: &mut Map<String, Value>, ours: &str) {
    if let Some(value) = take(from, names) {
        to.insert(ours.to_owned(), value);
    }
}

/// Rows from whole values, where a format keeps no lines.
fn numbered(objects: impl IntoIterator<Item = Map<String, Value>>) -> Raw {
    let rows = objects.into_iter().enumerate().map(|(index, object)| Row {
        place: crate::rows::Place { row: index + 1, line: 0 },
        object: Ok(object),
    });
    Raw { rows: rows.collect(), ..Raw::default() }
}
