use serde_json::{Map, Value};

use super::{Foreign, take, translated};
use crate::fields::KNOWN;
use crate::rows::Raw;

/// RAGAS: `EvaluationDataset.to_jsonl` and `to_csv`, `to_pandas` saved as anything, generated test
/// sets, and the columns of 0.1. Its names are known here; how a question was made becomes a tag.
pub fn ragas(rows: Raw) -> Foreign {
    translated(rows, &[], |row| {
        let mut ours = Map::new();
        let known: Vec<String> =
            row.keys().filter(|key| KNOWN.contains(&key.as_str())).cloned().collect();
        for key in known {
            if let Some(value) = row.remove(&key) {
                ours.insert(key, value);
            }
        }
        // A generated set of 0.4 names the synthesizer, one of 0.1 the evolution.
        if !ours.contains_key("tags")
            && let Some(Value::String(kind)) = take(row, &["synthesizer_name", "evolution_type"])
            && !kind.trim().is_empty()
        {
            ours.insert("tags".to_owned(), Value::Array(vec![Value::String(kind)]));
        }
        ours
    })
}
