use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use serde_json::{Map, Value};

use super::{Exported, record_object};

/// Text columns; what isn't a text stands in them as JSON.
const TEXTS: &[&str] = &[
    "id",
    "system",
    "question",
    "answer",
    "reference",
    "reference_tool_calls",
    "rubrics",
    "relevance",
    "messages",
    "source",
    "author",
    "lang",
    "error",
    "figures",
];
/// Columns of lists of texts.
const LISTS: &[&str] =
    &["reference_contexts", "reference_context_ids", "reference_topics", "tags", "sources"];
/// Members of a context.
const MEMBERS: [&str; 3] = ["text", "id", "source"];

/// A Parquet file with one row group: lists and structs as the format's standard has them.
pub(super) fn parquet(rows: &[Exported<'_>]) -> Result<Vec<u8>> {
    let objects: Vec<_> = rows.iter().map(|row| record_object(row.case, row.record)).collect();
    let metrics: Vec<&str> =
        rows.first().map(|row| row.scores.iter().map(|(id, _)| *id).collect()).unwrap_or_default();
    let schema = Arc::new(parse_message_type(&schema(&metrics))?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for column in TEXTS {
        let cells = objects.iter().map(|object| object.get(*column).map(text));
        optional::<ByteArrayType, _>(&mut group, cells)?;
    }
    for column in LISTS {
        let cells = objects.iter().map(|object| {
            let items = object.get(*column)?.as_array()?;
            Some(items.iter().map(|item| Some(text(item))).collect())
        });
        listed::<ByteArrayType, _>(&mut group, 2, cells)?;
    }
    for member in MEMBERS {
        let cells = objects.iter().map(|object| {
            of_contexts(object, |context| match context {
                Value::Object(context) => context.get(member).map(text),
                plain => (member == "text").then(|| text(plain)),
            })
        });
        listed::<ByteArrayType, _>(&mut group, 3, cells)?;
    }
    let scores =
        objects.iter().map(|object| of_contexts(object, |context| context.get("score")?.as_f64()));
    listed::<DoubleType, _>(&mut group, 3, scores)?;
    let flags = objects.iter().map(|object| object.get("refused_by_model")?.as_bool());
    optional::<BoolType, _>(&mut group, flags)?;
    let seconds = objects.iter().map(|object| object.get("seconds")?.as_f64());
    optional::<DoubleType, _>(&mut group, seconds)?;
    for index in 0..metrics.len() {
        let scores = rows.iter().map(|row| row.scores.get(index)?.1);
        optional::<DoubleType, _>(&mut group, scores)?;
    }
    group.close()?;
    writer.into_inner()
}

fn schema(metrics: &[&str]) -> String {
    let text = |name: &&str| format!("optional binary {name} (STRING);");
    let number = |name: &&str| format!("optional double {name};");
    let list = |name: &&str| {
        format!(
            "optional group {name} (LIST) {{ repeated group list {{ optional binary element (STRING); }} }}"
        )
    };
    let mut fields: Vec<String> = TEXTS.iter().map(text).collect();
    fields.extend(LISTS.iter().map(list));
    let members: Vec<String> = MEMBERS.iter().map(text).collect();
    fields.push(format!(
        "optional group contexts (LIST) {{ repeated group list {{ optional group element {{ {} {} }} }} }}",
        members.join(" "),
        number(&"score")
    ));
    fields.push("optional boolean refused_by_model;".to_owned());
    fields.push(number(&"seconds"));
    fields.extend(metrics.iter().map(number));
    format!("message records {{\n{}\n}}", fields.join("\n"))
}

fn text(value: &Value) -> ByteArray {
    match value {
        Value::String(text) => ByteArray::from(text.as_str()),
        other => ByteArray::from(other.to_string().into_bytes()),
    }
}

/// A member of each context; none where the record doesn't tell its contexts.
fn of_contexts<T>(
    object: &Map<String, Value>,
    member: impl Fn(&Value) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    Some(object.get("contexts")?.as_array()?.iter().map(member).collect())
}

/// Writes a column in which a value may be missing.
fn optional<D: DataType<T = T>, T>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    cells: impl Iterator<Item = Option<T>>,
) -> Result<()> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        levels.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    column::<D>(group, &values, &levels, None)
}

/// Writes a column inside of lists. `full` is the level of a value that is there, less one: 0 is no
/// list, 1 an empty one, and each further level one thing more that is there.
fn listed<D: DataType<T = T>, T>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    full: i16,
    cells: impl Iterator<Item = Option<Vec<Option<T>>>>,
) -> Result<()> {
    let (mut values, mut levels, mut repeats) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells {
        let items = match cell {
            None => {
                levels.push(0);
                repeats.push(0);
                continue;
            }
            Some(items) if items.is_empty() => {
                levels.push(1);
                repeats.push(0);
                continue;
            }
            Some(items) => items,
        };
        for (index, item) in items.into_iter().enumerate() {
            levels.push(if item.is_some() { full + 1 } else { full });
            repeats.push(i16::from(index > 0));
            values.extend(item);
        }
    }
    column::<D>(group, &values, &levels, Some(&repeats))
}

fn column<D: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[D::T],
    levels: &[i16],
    repeats: Option<&[i16]>,
) -> Result<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<D>().write_batch(values, Some(levels), repeats)?;
        column.close()?;
    }
    Ok(())
}
