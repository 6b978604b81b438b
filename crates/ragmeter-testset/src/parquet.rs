//! Parquet files, row by row.

use std::collections::BTreeMap;

use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row as ParquetRow};
use serde_json::{Map, Number, Value};

use crate::cells::whole;
use crate::date::{clock, from_days, from_epoch};
use crate::problem::RowWarning;
use crate::rows::{Place, Raw, Row};

/// The rows of a Parquet file. Lists, structs and maps come as such; dates and times become
/// ISO 8601 texts; NaN is read as missing, as data frames mean it, and warned of by column.
///
/// The error says why the file can't be read.
pub fn parquet_rows(bytes: Bytes) -> Result<Raw, String> {
    let unreadable = |error| format!("not a readable Parquet file: {error}");
    let file = SerializedFileReader::new(bytes).map_err(unreadable)?;
    let schema = file.metadata().file_metadata().schema();
    let header = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let mut raw = Raw { loose: true, header: Some(header), ..Raw::default() };
    let mut not_numbers: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (index, row) in file.get_row_iter(None).map_err(unreadable)?.enumerate() {
        let row = row.map_err(unreadable)?;
        let place = Place { row: index + 1, line: 0 };
        let mut object = Map::new();
        for (column, field) in row.into_columns() {
            let mut nan = false;
            let value = value(field, &mut nan);
            if nan {
                not_numbers.entry(column.clone()).or_insert((place.row, 0)).1 += 1;
            }
            object.insert(column, value);
        }
        raw.rows.push(Row { place, object: Ok(object) });
    }
    raw.warnings = not_numbers
        .into_iter()
        .map(|(key, (row, rows))| {
            let message = "NaN is read as missing".to_owned();
            RowWarning { row, line: 0, rows, key, message }
        })
        .collect();
    Ok(raw)
}

fn value(field: Field, nan: &mut bool) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(flag) => Value::Bool(flag),
        Field::Byte(number) => number.into(),
        Field::Short(number) => number.into(),
        Field::Int(number) => number.into(),
        Field::Long(number) => number.into(),
        Field::UByte(number) => number.into(),
        Field::UShort(number) => number.into(),
        Field::UInt(number) => number.into(),
        Field::ULong(number) => number.into(),
        Field::Float16(number) => float(f64::from(number.to_f32()), nan),
        Field::Float(number) => float(f64::from(number), nan),
        Field::Double(number) => float(number, nan),
        Field::Str(text) => Value::String(text),
        // Older writers don't say that their bytes are text.
        Field::Bytes(bytes) => Value::String(String::from_utf8_lossy(bytes.data()).into_owned()),
        Field::Date(days) => Value::String(from_days(i64::from(days))),
        Field::TimeMillis(millis) => Value::String(clock(i64::from(millis) * 1000)),
        Field::TimeMicros(micros) => Value::String(clock(micros)),
        Field::TimestampMillis(millis) => Value::String(from_epoch(millis.saturating_mul(1000))),
        Field::TimestampMicros(micros) => Value::String(from_epoch(micros)),
        Field::Group(row) => Value::Object(object(row, nan)),
        Field::ListInternal(list) => {
            Value::Array(list.elements().iter().map(|item| value(item.clone(), nan)).collect())
        }
        Field::MapInternal(map) => {
            let pairs = map.entries().iter().map(|(key, field)| {
                let key = match value(key.clone(), nan) {
                    Value::String(key) => key,
                    other => other.to_string(),
                };
                (key, value(field.clone(), nan))
            });
            Value::Object(pairs.collect())
        }
        decimal @ Field::Decimal(_) => Value::String(decimal.to_string()),
    }
}

/// A struct without its empty members: a data frame fills every row of a list of objects up to the
/// same members.
fn object(row: ParquetRow, nan: &mut bool) -> Map<String, Value> {
    let members = row.into_columns().into_iter().map(|(name, field)| (name, value(field, nan)));
    members.filter(|(_, value)| !value.is_null()).collect()
}

fn float(number: f64, nan: &mut bool) -> Value {
    *nan |= number.is_nan();
    Number::from_f64(number).map_or(Value::Null, |number| whole(&number))
}
