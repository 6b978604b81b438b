use serde_json::Value;

use super::{Exported, record_object};
use crate::formula::inert;

/// The columns of a table, before those of the scores.
const COLUMNS: &[&str] = &[
    "id",
    "system",
    "question",
    "answer",
    "contexts",
    "reference",
    "reference_contexts",
    "reference_context_ids",
    "reference_tool_calls",
    "reference_topics",
    "rubrics",
    "relevance",
    "messages",
    "tags",
    "source",
    "sources",
    "author",
    "lang",
    "error",
    "refused_by_model",
    "seconds",
    "figures",
];

/// A table as CSV with a mark of UTF-8, without which Excel takes it for something else.
pub(super) fn csv(rows: &[Exported<'_>]) -> Result<Vec<u8>, String> {
    let objects: Vec<_> = rows.iter().map(|row| record_object(row.case, row.record)).collect();
    // Columns that nothing stands in only widen the table.
    let columns: Vec<&str> = COLUMNS
        .iter()
        .copied()
        .filter(|column| objects.iter().any(|object| object.contains_key(*column)))
        .collect();
    let metrics: Vec<&str> =
        rows.first().map(|row| row.scores.iter().map(|(id, _)| *id).collect()).unwrap_or_default();
    let mut writer = csv::Writer::from_writer("\u{feff}".as_bytes().to_vec());
    let failed = |error: csv::Error| error.to_string();
    writer.write_record(columns.iter().chain(&metrics)).map_err(failed)?;
    for (object, row) in objects.iter().zip(rows) {
        let cells = columns.iter().map(|column| match object.get(*column) {
            None => String::new(),
            Some(Value::String(text)) => cell(text),
            Some(value) => value.to_string(),
        });
        let scores =
            row.scores.iter().map(|(_, score)| score.map_or(String::new(), |s| s.to_string()));
        writer.write_record(cells.chain(scores)).map_err(failed)?;
    }
    writer.into_inner().map_err(|error| error.to_string())
}

/// A text as a cell that a spreadsheet shows as it is. A negative number is no formula.
fn cell(text: &str) -> String {
    let is_number = text.starts_with('-') && text.parse::<f64>().is_ok_and(f64::is_finite);
    if is_number { text.to_owned() } else { inert(text) }
}
