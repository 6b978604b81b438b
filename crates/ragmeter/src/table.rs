//! Tables that people send: CSV under any delimiter and charset, spreadsheets, or JSON Lines.

use std::collections::BTreeMap;
use std::path::Path;

pub(crate) use ragmeter_testset::inert;
use ragmeter_testset::{Raw, live};
use serde_json::Value;

use crate::error::Error;
use crate::input::{Kind, open};

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
    /// The line on which it begins; 0 where there are no lines.
    pub(crate) line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "row {}", self.row),
            line if line == self.row => write!(f, "line {line}"),
            line => write!(f, "row {} (line {line})", self.row),
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

/// Reads a file of rows; `FILE#SHEET` names a sheet of a workbook.
pub(crate) fn read(path: &Path, columns: &[Column]) -> Result<Lines, Error> {
    let file = path.display().to_string();
    let opened = open(path)?;
    let mut found = if opened.kind() == Kind::Xlsx {
        sheet_lines(&file, &opened.raw()?, columns)?
    } else {
        let text = opened.text().map_err(|why| Error::usage(format!("{why}: save it as UTF-8")))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if text.trim_start().starts_with(['{', '[']) {
            json_lines(text, columns)
        } else {
            csv_lines(&file, text, columns)?
        }
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

/// What each heading of a table means.
fn meanings(
    file: &str,
    headings: &[String],
    columns: &[Column],
) -> Result<Vec<Option<&'static str>>, Error> {
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
    Ok(meanings)
}

/// Headings that are there and mean nothing here.
fn odd(headings: &[String], meanings: &[Option<&str>]) -> Vec<String> {
    (headings.iter().zip(meanings))
        .filter(|(heading, meaning)| meaning.is_none() && !heading.trim().is_empty())
        .map(|(heading, _)| heading.clone())
        .collect()
}

/// The rows of a spreadsheet.
fn sheet_lines(file: &str, raw: &Raw, columns: &[Column]) -> Result<Lines, Error> {
    let headings = raw.columns();
    let meanings = meanings(file, headings, columns)?;
    let notes = unknown(&odd(headings, &meanings), columns);
    let mut found = Lines { notes, ..Lines::default() };
    for (row, texts) in raw.texts() {
        let texts = match texts {
            Ok(texts) => texts,
            Err(error) => {
                found.faults.push(error.to_string());
                continue;
            }
        };
        let cells = (headings.iter().zip(&meanings))
            .filter_map(|(heading, meaning)| Some(((*meaning)?, texts.get(heading.as_str())?)))
            .map(|(name, text)| (name, live(text).trim().to_owned()))
            .filter(|(_, cell)| !cell.is_empty())
            .collect();
        found.lines.push(Line { place: Place { row, line: 0 }, cells });
    }
    Ok(found)
}

fn csv_lines(file: &str, text: &str, columns: &[Column]) -> Result<Lines, Error> {
    // Excel's own way to name the separator; it does not count that line among the rows.
    let (text, before, separator) = match text.split_once('\n') {
        Some((head, rest))
            if head.starts_with("sep=") && head.trim_end_matches('\r').len() == 5 =>
        {
            (rest, 1, head.as_bytes()[4])
        }
        _ => (text, 0, delimiter(text)),
    };
    let mut reader =
        csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes());
    let broken = |error: csv::Error| Error::usage(format!("{file}: not a CSV table: {error}"));
    let headings: Vec<String> =
        reader.headers().map_err(broken)?.iter().map(str::to_owned).collect();
    let meanings = meanings(file, &headings, columns)?;
    let notes = unknown(&odd(&headings, &meanings), columns);
    let mut found = Lines { notes, ..Lines::default() };
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(broken)?;
        let line = record.position().map_or(0, |position| position.line() as usize + before);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_seen_in_the_header() {
        assert_eq!(delimiter("a;b;\"c,d,e,f\"\n1,2,3"), b';');
        assert_eq!(delimiter("a\tb\n"), b'\t');
        assert_eq!(delimiter("a\n1;2"), b',');
    }
}
