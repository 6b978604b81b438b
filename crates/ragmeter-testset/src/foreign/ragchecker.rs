use serde_json::{Map, Value};

use super::{Foreign, moved, take, translated};
use crate::rows::{Raw, inner_array, json_rows};

const NAMES: &[(&str, &str)] = &[
    ("id", "query_id"),
    ("question", "query"),
    ("reference", "gt_answer"),
    ("answer", "response"),
    ("contexts", "retrieved_context"),
];

/// RAGChecker: the file that its `RAGResults` are read from and written to. Its claims and verdicts
/// are another tool's judgements and are dropped.
pub fn ragchecker(text: &str) -> Foreign {
    let rows = match inner_array(text, &["results"]) {
        Some(rows) => Raw { rows, ..Raw::default() },
        None => json_rows(text),
    };
    translated(rows, NAMES, |row| {
        let mut ours = Map::new();
        for (name, theirs) in NAMES.iter().filter(|(name, _)| *name != "contexts") {
            moved(row, &[theirs], &mut ours, name);
        }
        if let Some(contexts) = take(row, &["retrieved_context"]) {
            ours.insert("contexts".to_owned(), with_ids(contexts));
        }
        ours
    })
}

/// `doc_id` is our `id`.
fn with_ids(mut contexts: Value) -> Value {
    for context in contexts.as_array_mut().into_iter().flatten() {
        if let Value::Object(context) = context
            && let Some(id) = context.remove("doc_id")
        {
            context.insert("id".to_owned(), id);
        }
    }
    contexts
}
