use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{Foreign, moved, take, translated};
use crate::literal::literal;
use crate::rows::{Raw, inner_array, json_rows};

const NAMES: &[(&str, &str)] = &[
    ("id", "name"),
    ("question", "input"),
    ("answer", "actual_output"),
    ("reference", "expected_output"),
    ("contexts", "retrieval_context"),
    ("reference_contexts", "context"),
    ("reference_tool_calls", "expected_tools"),
    ("source", "source_file"),
    ("messages", "turns"),
];
/// Between the passages in one cell of a CSV file.
const DELIMITER: char = '|';

/// deepeval: `EvaluationDataset.save_as("json" | "jsonl")`, and the `testCases` of a test run's
/// JSON. Names are those of the Python attributes or, in test runs, in camel case.
pub fn deepeval_json(text: &str) -> Foreign {
    let mut inner = ["testCases", "test_cases", "goldens"].iter();
    match inner.find_map(|key| inner_array(text, &[key])) {
        Some(rows) => deepeval(Raw { rows, ..Raw::default() }),
        None => deepeval(json_rows(text)),
    }
}

/// deepeval: rows of `EvaluationDataset.save_as("csv")`, where a cell holds passages parted by
/// bars and tool calls as JSON.
pub fn deepeval(rows: Raw) -> Foreign {
    let named = names_are_unique(&rows);
    let loose = rows.loose;
    translated(rows, NAMES, |row| {
        let mut ours = Map::new();
        if named {
            moved(row, &["name"], &mut ours, "id");
        }
        moved(
            row,
            &["expected_output", "expectedOutput", "expected_outcome"],
            &mut ours,
            "reference",
        );
        moved(row, &["source_file", "sourceFile"], &mut ours, "source");
        moved(row, &["tags"], &mut ours, "tags");
        let question = take(row, &["input"]);
        let answer = take(row, &["actual_output", "actualOutput"]);
        if let Some(context) = take(row, &["context"]) {
            ours.insert("reference_contexts".to_owned(), passages(context, loose));
        }
        if let Some(contexts) = take(row, &["retrieval_context", "retrievalContext"]) {
            ours.insert("contexts".to_owned(), passages(contexts, loose));
        }
        if let Some(calls) = take(row, &["expected_tools", "expectedTools"]).map(tools) {
            ours.insert("reference_tool_calls".to_owned(), calls);
        }
        if let Some(turns) = take(row, &["turns"]).map(tools) {
            ours.insert("messages".to_owned(), turns);
        } else if let Some(calls) = take(row, &["tools_called", "toolsCalled"])
            .map(tools)
            .filter(|calls| calls.as_array().is_some_and(|calls| !calls.is_empty()))
        {
            let asked = json!({ "role": "human", "content": question });
            let said = json!({ "role": "ai", "content": answer, "tool_calls": calls });
            ours.insert("messages".to_owned(), json!([asked, said]));
        }
        for (key, value) in [("question", question), ("answer", answer)] {
            if let Some(value) = value {
                ours.insert(key.to_owned(), value);
            }
        }
        ours
    })
}

/// Names make ids only if they tell the rows apart.
fn names_are_unique(rows: &Raw) -> bool {
    let mut seen = BTreeSet::new();
    rows.rows.iter().filter_map(|row| row.object.as_ref().ok()).all(|row| {
        let name = row.get("name").and_then(Value::as_str).unwrap_or_default();
        !name.trim().is_empty() && seen.insert(name)
    })
}

/// A list that a CSV file keeps as JSON.
fn tools(value: Value) -> Value {
    match &value {
        Value::String(text) => literal(text).unwrap_or(value),
        _ => value,
    }
}

/// Passages, each with its source where deepeval keeps one.
fn passages(value: Value, loose: bool) -> Value {
    const SOURCE: &str = "deepeval_source=";
    const CONTEXT: &str = ",deepeval_context=";
    let items = match value {
        Value::String(text) if loose => {
            if text.trim().is_empty() {
                return Value::Null;
            }
            text.split(DELIMITER).map(|part| json!(part.trim())).collect()
        }
        Value::Array(items) => items,
        other => return other,
    };
    let passage = |item: Value| {
        let text = item.as_str()?.strip_prefix(SOURCE)?;
        let (source, text) = text.split_once(CONTEXT)?;
        Some(json!({ "text": text, "source": source }))
    };
    items.into_iter().map(|item| passage(item.clone()).unwrap_or(item)).collect()
}
