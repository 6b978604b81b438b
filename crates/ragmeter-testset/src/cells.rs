//! What the cells of a table mean: CSV and spreadsheets know texts and numbers only.

use serde_json::{Map, Number, Value};

use crate::literal::literal;

/// Columns whose cells are lists; another text in one is a list of that one text.
const LISTS: &[&str] = &[
    "contexts",
    "retrieved_contexts",
    "reference_contexts",
    "retrieved_context_ids",
    "reference_context_ids",
    "reference_topics",
    "reference_tool_calls",
    "tags",
    "sources",
];
/// Columns whose cells may be lists or objects.
const MAYBE: &[&str] = &[
    "question",
    "user_input",
    "messages",
    "ground_truth",
    "ground_truths",
    "rubrics",
    "relevance",
    "figures",
    "schema",
    "ddl",
    "database_schema",
];
/// Columns of answers.
const ANSWERS: &[&str] = &["answer", "response"];
/// Columns whose cells are numbers or truth values.
const PLAIN: &[&str] = &["seconds", "refused_by_model"];

/// The row with every cell as what its column holds; blank cells are dropped. The second part names
/// the columns whose cells begin like a list but are none, and were taken for one text.
pub(crate) fn typed(row: &Map<String, Value>) -> (Map<String, Value>, Vec<String>) {
    let mut typed = Map::new();
    let mut odd = Vec::new();
    for (column, value) in row {
        let name = column.as_str();
        let value = match value {
            // A table with answers tells them all: one that is blank is an empty answer, which must
            // not count for less than a wrong one, unless the row says what went wrong.
            Value::String(text) if text.trim().is_empty() => {
                if !ANSWERS.contains(&name) || tells_why(row) {
                    continue;
                }
                Value::String(String::new())
            }
            Value::String(text) if LISTS.contains(&name) => match literal(text) {
                Some(Value::Array(items)) => Value::Array(items),
                // One passage with its id is a list of one, too.
                Some(object) => Value::Array(vec![object]),
                None => {
                    if text.trim_start().starts_with("['") || text.trim_start().starts_with("[\"") {
                        odd.push(column.clone());
                    }
                    Value::Array(vec![Value::String(text.clone())])
                }
            },
            Value::String(text) if MAYBE.contains(&name) => match literal(text) {
                // A question may well begin with a bracket; a conversation is made of objects.
                Some(Value::Array(items))
                    if matches!(name, "question" | "user_input")
                        && !items.iter().all(Value::is_object) =>
                {
                    value.clone()
                }
                Some(found) => found,
                None => value.clone(),
            },
            Value::String(text) if PLAIN.contains(&name) => plain(text),
            // Spreadsheets and data frames make numbers of ids.
            Value::Number(number) if name == "id" || name.ends_with("_ids") => whole(number),
            Value::Number(number) if !PLAIN.contains(&name) && name != "figures" => {
                Value::String(whole(number).to_string())
            }
            Value::Bool(flag) if !PLAIN.contains(&name) => Value::String(flag.to_string()),
            other => other.clone(),
        };
        typed.insert(column.clone(), value);
    }
    (typed, odd)
}

/// Whether the row says why there is no answer.
fn tells_why(row: &Map<String, Value>) -> bool {
    let says = |column: &str| match row.get(column) {
        Some(Value::String(text)) => !text.trim().is_empty() && text.trim() != "false",
        Some(Value::Bool(flag)) => *flag,
        _ => false,
    };
    says("error") || says("refused_by_model")
}

fn plain(text: &str) -> Value {
    let text = text.trim();
    match text.to_lowercase().as_str() {
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        _ => {}
    }
    let number = text.replace(',', ".").parse().ok().and_then(Number::from_f64);
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// A number without its fraction if that is nothing.
pub(crate) fn whole(number: &Number) -> Value {
    /// Up to here every whole number is exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < EXACT => {
            Value::Number((value as i64).into())
        }
        _ => Value::Number(number.clone()),
    }
}
