//! Tables as text.

use serde_json::{Map, Value};

use crate::formula::live;
use crate::rows::{Place, Raw, Row, header_names};
use crate::{RowError, rows};

/// The rows of a table with a header line. Fields are parted by comma, semicolon or tab, whichever
/// the header line has most of; line breaks inside quotes belong to their field.
pub fn csv_rows(text: &str) -> Raw {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Excel's own way to name the separator.
    let (text, line, separator) = match text.split_once('\n') {
        Some((head, rest))
            if head.starts_with("sep=") && head.trim_end_matches('\r').len() == 5 =>
        {
            (rest, 2, head.as_bytes()[4])
        }
        _ => (text, 1, delimiter(text)),
    };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut raw = Raw { loose: true, ..Raw::default() };
    let mut lines = Lines { text, line, counted_to: 0 };
    let mut record = csv::StringRecord::new();
    loop {
        let at = usize::try_from(reader.position().byte()).unwrap_or(text.len());
        match reader.read_record(&mut record) {
            Ok(true) => {}
            // The text is UTF-8 and lengths are free: nothing else can go wrong here.
            Ok(false) | Err(_) => break,
        }
        let line = lines.of(at);
        let place = Place { row: line, line };
        let Some(columns) = &raw.header else {
            raw.header = Some(header_names(record.iter()));
            continue;
        };
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        let ours = is_ours(columns);
        let object = if record.len() == columns.len() {
            let cells = columns.iter().zip(&record);
            let cells = cells.filter(|(column, _)| !column.is_empty());
            let text = |field: &str| if ours { live(field).to_owned() } else { field.to_owned() };
            Ok(cells.map(|(c, f)| (c.clone(), Value::String(text(f)))).collect::<Map<_, _>>())
        } else {
            Err(RowError {
                row: line,
                line,
                column: None,
                key: None,
                expected: format!("{} as in the header", rows::fields(columns.len())),
                got: format!("{} (is a quote missing?)", record.len()),
            })
        };
        raw.rows.push(Row { place, object });
    }
    raw
}

/// Whether the columns have our names, as those of [`crate::write()`] do: then what is inert in a
/// cell is made live. In other tools' tables an apostrophe is an apostrophe.
fn is_ours(columns: &[String]) -> bool {
    ["id", "question"].iter().all(|name| columns.iter().any(|column| column == name))
}

/// The separator that the header line has most of, outside quotes.
fn delimiter(text: &str) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    let start = text.trim_start_matches(['\r', '\n']);
    for byte in start.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if quoted => {}
            _ => {
                for (separator, count) in &mut counts {
                    *count += usize::from(*separator == byte);
                }
            }
        }
    }
    // The first of the most frequent: a comma where there is but one column.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(separator, _)| *separator)
}

/// Counts lines from place to place.
struct Lines<'a> {
    text: &'a str,
    line: usize,
    counted_to: usize,
}

impl Lines<'_> {
    /// The line on which the record at this byte begins, with blank lines before it skipped.
    fn of(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = at.min(bytes.len());
        while bytes.get(at).is_some_and(|byte| matches!(byte, b'\r' | b'\n')) {
            at += 1;
        }
        let passed = self.text.get(self.counted_to.min(at)..at).unwrap_or_default();
        self.line += passed.matches('\n').count();
        self.counted_to = at;
        self.line
    }
}
