//! From the text of a file to its rows.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::{RowError, RowWarning};

/// The rows of a file before anything is known of their meaning. [`crate::json_rows`],
/// [`crate::csv_rows`], [`crate::xlsx_rows`] and [`crate::parquet_rows`] make them,
/// [`crate::cases`] and [`crate::records`] read them.
#[derive(Debug, Default)]
pub struct Raw {
    pub(crate) rows: Vec<Row>,
    pub(crate) warnings: Vec<RowWarning>,
    /// The columns, where the file is a table; a column without a name is empty.
    pub(crate) header: Option<Vec<String>>,
    /// Cells hold texts and numbers only, whatever is meant.
    pub(crate) loose: bool,
    /// Our names of keys with the names that the file has for them, where it is another tool's.
    pub(crate) names: &'static [(&'static str, &'static str)],
}

impl Raw {
    /// The columns, where the file is a table; a column without a name is empty.
    pub fn columns(&self) -> &[String] {
        self.header.as_deref().unwrap_or_default()
    }

    /// Every row with its number: the texts of its cells by column, blank ones left out, or why it
    /// is none.
    pub fn texts(
        &self,
    ) -> impl Iterator<Item = (usize, Result<BTreeMap<&str, String>, &RowError>)> {
        let text = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        self.rows.iter().map(move |row| {
            let cells = row.object.as_ref().map(|object| {
                let cells = object.iter().map(|(column, value)| (column.as_str(), text(value)));
                cells
                    .filter(|(_, text)| !text.trim().is_empty())
                    .collect::<BTreeMap<&str, String>>()
            });
            (row.place.row, cells)
        })
    }
}

/// One row as an object, or why it is none.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) place: Place,
    pub(crate) object: Result<Map<String, Value>, RowError>,
}

/// Where a row stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Its line in JSON Lines and CSV, its position elsewhere; from 1.
    pub(crate) row: usize,
    /// The line on which it begins, from 1; 0 where there are no lines.
    pub(crate) line: usize,
}

/// The rows of JSON Lines, or of a file that is one JSON array. A byte order mark and blank lines
/// are skipped.
pub fn json_rows(text: &str) -> Raw {
    Raw { rows: split(text), ..Raw::default() }
}

/// The names of columns as they are looked for: without spaces around them.
pub(crate) fn header_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    names.map(|name| name.trim().to_owned()).collect()
}

/// "5 fields", "1 field".
pub(crate) fn fields(count: usize) -> String {
    format!("{count} field{}", if count == 1 { "" } else { "s" })
}

fn split(text: &str) -> Vec<Row> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('[') {
        return array(text, text);
    }
    text.split('\n')
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            let place = Place { row: index + 1, line: index + 1 };
            Row { place, object: object(line, place) }
        })
        .collect()
}

/// The rows of the list that stands under a path of keys in a file that is one JSON object; none if
/// the file is something else, or has no list there.
pub(crate) fn inner_array(text: &str, path: &[&str]) -> Option<Vec<Row>> {
    let mut inner = text.trim_start_matches('\u{feff}');
    for key in path {
        let object: BTreeMap<String, &RawValue> = serde_json::from_str(inner).ok()?;
        inner = object.get(*key)?.get();
    }
    inner.starts_with('[').then(|| array(text, inner))
}

/// The elements of an array that is `inner`, a part of `text` or all of it.
fn array(text: &str, inner: &str) -> Vec<Row> {
    let elements: Vec<&RawValue> = match serde_json::from_str(inner) {
        Ok(elements) => elements,
        Err(err) => {
            let line = text.split('\n').nth(err.line().saturating_sub(1)).unwrap_or_default();
            let place = Place { row: err.line().max(1), line: err.line().max(1) };
            let error = json_error(&err, place, line, "a JSON array of objects");
            return vec![Row { place, object: Err(error) }];
        }
    };
    let mut rows = Vec::with_capacity(elements.len());
    let (mut line, mut counted_to) = (1, 0);
    for (index, element) in elements.into_iter().enumerate() {
        // The elements borrow from `text`, so their addresses tell where they stand in it.
        let start = element.get().as_ptr().addr() - text.as_ptr().addr();
        line += text[counted_to..start].matches('\n').count();
        counted_to = start;
        let place = Place { row: index + 1, line };
        rows.push(Row { place, object: object(element.get(), place) });
    }
    rows
}

fn object(text: &str, place: Place) -> Result<Map<String, Value>, RowError> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => Err(RowError {
            row: place.row,
            line: place.line,
            column: None,
            key: None,
            expected: "a JSON object".to_owned(),
            got: kind(&other),
        }),
        Err(err) => Err(json_error(&err, place, text, "a JSON object")),
    }
}

/// `text`: the line on which `err` says it is.
fn json_error(err: &serde_json::Error, place: Place, text: &str, expected: &str) -> RowError {
    let suffix = format!(" at line {} column {}", err.line(), err.column());
    let what = err.to_string();
    let what = what.strip_suffix(&suffix).unwrap_or(&what);
    // The parser counts bytes; people count characters.
    let bytes = err.column().min(text.len());
    let column = text.char_indices().take_while(|(at, _)| *at < bytes).count();
    RowError {
        row: place.row,
        line: place.line,
        column: Some(column.max(1)),
        key: None,
        expected: expected.to_owned(),
        got: format!("broken JSON ({what})"),
    }
}

/// A value in the words of a message.
pub(crate) fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.trim().is_empty() => "a blank text".to_owned(),
        Value::String(text) => format!("the text \"{}\"", shortened(text)),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    let text = text.replace(char::is_control, " ");
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}
