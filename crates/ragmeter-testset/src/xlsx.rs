//! Spreadsheets.

use std::io::Cursor;

use calamine::{Data, Reader, Xlsx, XlsxError};
use serde_json::{Map, Value};

use crate::RowError;
use crate::date::clock;
use crate::rows::{Place, Raw, Row, header_names};

/// The rows of a sheet of an Excel workbook (XLSX): the named one, else the first. Its first row
/// that isn't blank is the header. Dates become ISO 8601 texts, whole numbers lose their `.0`.
///
/// The error says why the file can't be read, or which sheets there are.
pub fn xlsx_rows(bytes: &[u8], sheet: Option<&str>) -> Result<Raw, String> {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(|error| reason(&error))?;
    let names = book.sheet_names();
    let name = match sheet {
        Some(wanted) => names.iter().find(|name| *name == wanted).ok_or_else(|| {
            format!("there is no sheet `{wanted}`; the sheets are: {}", names.join(", "))
        })?,
        None => names.first().ok_or("the workbook has no sheet")?,
    }
    .clone();
    check_extent(&mut book, &name)?;
    let range = book.worksheet_range(&name).map_err(|error| reason(&error))?;
    let (first, _) = range.start().unwrap_or_default();
    let mut raw = Raw { loose: true, ..Raw::default() };
    for (index, cells) in range.rows().enumerate() {
        if cells.iter().all(|cell| matches!(cell, Data::Empty)) {
            continue;
        }
        // As the spreadsheet numbers it.
        let place = Place { row: first as usize + index + 1, line: 0 };
        match &raw.header {
            None => {
                let names: Vec<String> =
                    cells.iter().map(|cell| value(cell).map_or_else(|e| e, text_of)).collect();
                raw.header = Some(header_names(names.iter().map(String::as_str)));
            }
            Some(columns) => raw.rows.push(row(place, columns, cells)),
        }
    }
    Ok(raw)
}

/// Refuses a sheet in which a stray cell far out spans more than any table: the reader makes room
/// for everything between the first cell and the last.
fn check_extent(book: &mut Xlsx<Cursor<&[u8]>>, sheet: &str) -> Result<(), String> {
    const MOST: u64 = 50_000_000;
    let mut cells = book.worksheet_cells_reader(sheet).map_err(|error| reason(&error))?;
    let (mut rows, mut columns) = (0_u64, 0_u64);
    while let Some(cell) = cells.next_cell().map_err(|error| reason(&error))? {
        let (row, column) = cell.get_position();
        rows = rows.max(u64::from(row) + 1);
        columns = columns.max(u64::from(column) + 1);
    }
    if rows * columns <= MOST {
        return Ok(());
    }
    Err(format!(
        "sheet `{sheet}` spans {rows} rows and {columns} columns: a stray cell lies far from the \
         table; delete the rows and columns after it"
    ))
}

fn row(place: Place, columns: &[String], cells: &[Data]) -> Row {
    let mut object = Map::new();
    for (column, cell) in columns.iter().zip(cells).filter(|(column, _)| !column.is_empty()) {
        match value(cell) {
            // A blank cell is a blank text, as in CSV.
            Ok(Value::Null) => {
                object.insert(column.clone(), Value::String(String::new()));
            }
            Ok(value) => {
                object.insert(column.clone(), value);
            }
            Err(error) => {
                let error = RowError {
                    row: place.row,
                    line: 0,
                    column: None,
                    key: Some(column.clone()),
                    expected: "a value".to_owned(),
                    got: format!("the error {error}"),
                };
                return Row { place, object: Err(error) };
            }
        }
    }
    Row { place, object: Ok(object) }
}

fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The value of a cell; the error is the spreadsheet's own, as `#N/A`.
fn value(cell: &Data) -> Result<Value, String> {
    Ok(match cell {
        Data::Empty => Value::Null,
        Data::Bool(flag) => Value::Bool(*flag),
        Data::Int(number) => Value::Number((*number).into()),
        Data::Float(number) => {
            let number = serde_json::Number::from_f64(*number);
            number.map_or(Value::Null, |number| crate::cells::whole(&number))
        }
        Data::DateTime(date) if date.is_datetime() => {
            let (year, month, day, hour, minute, second, millis) = date.to_ymd_hms_milli();
            let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
            let micros = seconds * 1_000_000 + i64::from(millis) * 1000;
            let time = if micros == 0 { String::new() } else { format!("T{}", clock(micros)) };
            Value::String(format!("{year:04}-{month:02}-{day:02}{time}"))
        }
        // A time span: days as a number, here as hours, minutes and seconds.
        Data::DateTime(span) => {
            Value::String(clock((span.as_f64() * 86_400_000_000.0).round() as i64))
        }
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => {
            Value::String(text.clone())
        }
        Data::Error(error) => return Err(error.to_string()),
    })
}

fn reason(error: &XlsxError) -> String {
    match error {
        XlsxError::Password => "the workbook is protected by a password".to_owned(),
        other => format!("not a readable Excel workbook (.xlsx): {other}"),
    }
}
