//! Tables that people send: CSV under any delimiter and charset, or JSON Lines.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::error::Error;

/// A column under its name and the others that people give it.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) also: &'static [&'static str],
}

/// One row: its place, and its cells by the columns' names; blank ones are left out.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) place: Place,
    cells: BTreeMap<&'static str, String>,
}

/// Where a row stands, both from 1: a cell with line breaks in it sets the two apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its number as a spreadsheet counts, the header among them.
    pub(crate) row: usize,
    /// The line on which it begins.
    pub(crate) line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.row == self.line {
            write!(f, "line {}", self.line)
        } else {
            write!(f, "row {} (line {})", self.row, self.line)
        }
    }
}

impl Line {
    /// The text of a cell, where it is not blank.
    pub(crate) fn get(&self, column: &str) -> Option<&str> {
        self.cells.get(column).map(String::as_str)
    }

    /// Whether every cell is blank.
    pub(crate) fn is_blank(&self) -> bool {
        self.cells.is_empty()
    }

    /// A fault of this row for a list.
    pub(crate) fn fault(&self, key: &str, expected: impl std::fmt::Display) -> String {
        let got = self.get(key).map_or_else(|| "nothing".to_owned(), |text| format!("`{text}`"));
        format!("{}, `{key}`: expected {expected}, got {got}", self.place)
    }
}

/// What a file holds.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) lines: Vec<Line>,
    /// Rows that are no rows.
    pub(crate) faults: Vec<String>,
    /// Columns that mean nothing here.
    pub(crate) notes: Vec<String>,
}

/// Reads a file of rows.
pub(crate) fn read(path: &Path, columns: &[Column]) -> Result<Lines, Error> {
    let file = path.display().to_string();
    let failed = |source| Error::File { verb: "read", path: file.clone(), source };
    let bytes = std::fs::read(path).map_err(failed)?;
    let text = ragmeter_rag::decode(&bytes, None)
        .map_err(|why| Error::usage(format!("{file}: {why}: save it as UTF-8")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut found = if text.trim_start().starts_with(['{', '[']) {
        json_lines(text, columns)
    } else {
        csv_lines(&file, text, columns)?
    };
    found.lines.retain(|line| !line.is_blank());
    if found.lines.is_empty() && found.faults.is_empty() {
        return Err(Error::usage(format!("{file}: there is no row in it")));
    }
    Ok(found)
}

/// The column that a heading means.
fn meaning(heading: &str, columns: &[Column]) -> Option<&'static str> {
    let heading = heading.trim().to_lowercase().replace([' ', '-'], "_");
    columns
        .iter()
        .find(|column| column.name == heading || column.also.contains(&heading.as_str()))
        .map(|column| column.name)
}

fn unknown(headings: &[String], columns: &[Column]) -> Vec<String> {
    if headings.is_empty() {
        return Vec::new();
    }
    let known: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let names: Vec<String> = headings.iter().map(|name| format!("`{name}`")).collect();
    vec![format!("not used: {}; there are the columns {}", names.join(", "), known.join(", "))]
}

fn csv_lines(file: &str, text: &str, columns: &[Column]) -> Result<Lines, Error> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(text))
        .flexible(true)
        .from_reader(text.as_bytes());
    let broken = |error: csv::Error| Error::usage(format!("{file}: not a CSV table: {error}"));
    let headings: Vec<String> =
        reader.headers().map_err(broken)?.iter().map(str::to_owned).collect();
    let meanings: Vec<Option<&'static str>> =
        headings.iter().map(|heading| meaning(heading, columns)).collect();
    for (at, name) in meanings.iter().enumerate() {
        if let Some(first) = meanings[..at].iter().position(|other| name.is_some() && other == name)
        {
            return Err(Error::usage(format!(
                "{file}: the columns `{}` and `{}` mean the same: leave one of them out",
                headings[first], headings[at]
            )));
        }
    }
    if meanings.iter().all(Option::is_none) {
        let known: Vec<&str> = columns.iter().map(|column| column.name).collect();
        return Err(Error::usage(format!(
            "{file}: its first line names no column that is known here; there are: {}",
            known.join(", ")
        )));
    }
    let odd: Vec<String> = (headings.iter().zip(&meanings))
        .filter(|(heading, meaning)| meaning.is_none() && !heading.trim().is_empty())
        .map(|(heading, _)| heading.clone())
        .collect();
    let mut found = Lines { notes: unknown(&odd, columns), ..Lines::default() };
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(broken)?;
        let line = record.position().map_or(0, |position| position.line() as usize);
        let place = Place { row: index + 2, line };
        if record.iter().skip(headings.len()).any(|cell| !cell.trim().is_empty()) {
            found.faults.push(format!(
                "{place}: {} cells under {} headings: is a text with the delimiter in it \
                 without quotes?",
                record.len(),
                headings.len()
            ));
            continue;
        }
        let cells = meanings
            .iter()
            .zip(record.iter())
            .filter_map(|(meaning, cell)| Some(((*meaning)?, live(cell).trim().to_owned())))
            .filter(|(_, cell)| !cell.is_empty())
            .collect();
        found.lines.push(Line { place, cells });
    }
    Ok(found)
}

/// The most frequent of the three delimiters in the header line, outside quotes.
fn delimiter(text: &str) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for byte in text.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            _ if quoted => {}
            other => {
                counts.iter_mut().filter(|one| one.0 == other).for_each(|one| one.1 += 1);
            }
        }
    }
    // The first of equals: a table of one column has none of them.
    counts.iter().rev().max_by_key(|one| one.1).map_or(b',', |one| one.0)
}

fn json_lines(text: &str, columns: &[Column]) -> Lines {
    let mut found = Lines::default();
    let mut odd: Vec<String> = Vec::new();
    let rows: Vec<(usize, Result<Value, serde_json::Error>)> = if text.trim_start().starts_with('[')
    {
        match serde_json::from_str::<Vec<Value>>(text) {
            Ok(rows) => rows.into_iter().enumerate().map(|(at, row)| (at + 1, Ok(row))).collect(),
            Err(error) => vec![(error.line(), Err(error))],
        }
    } else {
        text.split('\n')
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(at, line)| (at + 1, serde_json::from_str(line)))
            .collect()
    };
    for (number, row) in rows {
        let object = match row {
            Ok(Value::Object(object)) => object,
            Ok(_) => {
                found.faults.push(format!("line {number}: expected a JSON object"));
                continue;
            }
            Err(error) => {
                found.faults.push(format!("line {number}: broken JSON ({error})"));
                continue;
            }
        };
        let mut cells = BTreeMap::new();
        for (heading, value) in object {
            let Some(name) = meaning(&heading, columns) else {
                if !odd.contains(&heading) {
                    odd.push(heading);
                }
                continue;
            };
            let cell = match value {
                Value::Null => continue,
                Value::String(text) => text.trim().to_owned(),
                other => other.to_string(),
            };
            if cell.is_empty() {
                continue;
            }
            if cells.insert(name, cell).is_some() {
                found.faults.push(format!("line {number}: `{name}` is given twice"));
            }
        }
        found.lines.push(Line { place: Place { row: number, line: number }, cells });
    }
    found.notes = unknown(&odd, columns);
    found
}

/// Signs at the start of a cell that make a spreadsheet take it for a formula, or cut it.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// A cell that no spreadsheet takes for a formula: an apostrophe goes in front of what begins like
/// one, and of what already has such an apostrophe, so that [`live`] takes off exactly what this
/// puts on.
pub(crate) fn inert(text: &str) -> String {
    if is_inert_at(text.trim_start_matches('\'')) { format!("'{text}") } else { text.to_owned() }
}

/// The text that [`inert`] was given.
pub(crate) fn live(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if is_inert_at(rest.trim_start_matches('\'')) => rest,
        _ => cell,
    }
}

fn is_inert_at(text: &str) -> bool {
    text.starts_with(FORMULA)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_inert_comes_back() {
        for text in
            ["=1+1", "+7 495", "-5", "@a", "'=x", "''-", "'quoted'", "plain", "", "'", "\tx"]
        {
            let cell = inert(text);
            assert!(!cell.starts_with(FORMULA), "{cell}");
            assert_eq!(live(&cell), text);
        }
        assert_eq!(live("'tis"), "'tis");
    }

    #[test]
    fn the_delimiter_is_seen_in_the_header() {
        assert_eq!(delimiter("a;b;\"c,d,e,f\"\n1,2,3"), b';');
        assert_eq!(delimiter("a\tb\n"), b'\t');
        assert_eq!(delimiter("a\n1;2"), b',');
    }
}
