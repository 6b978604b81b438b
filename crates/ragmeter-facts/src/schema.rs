//! JSON schemas of replies: flat, everything required, nothing else allowed, ids as enums, so
//! that an endpoint with structured output can't leave out, repeat or invent one by accident.

use serde_json::{Map, Value, json};

/// An object of these properties, in this order of writing.
pub(crate) fn object<const N: usize>(properties: [(&str, Value); N]) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let map: Map<String, Value> =
        properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({
        "type": "object",
        "properties": map,
        "required": required,
        "additionalProperties": false,
    })
}

/// A list of exactly `count` items.
pub(crate) fn list_of(count: usize, items: &Value) -> Value {
    json!({ "type": "array", "items": items, "minItems": count, "maxItems": count })
}

/// A list of any length.
pub(crate) fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// One of the ids `1..=count`.
pub(crate) fn id(count: usize) -> Value {
    json!({ "type": "integer", "enum": (1..=count).collect::<Vec<_>>() })
}

/// One of these words.
pub(crate) fn word(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// Any text.
pub(crate) fn text() -> Value {
    json!({ "type": "string" })
}

/// True or false.
pub(crate) fn boolean() -> Value {
    json!({ "type": "boolean" })
}
