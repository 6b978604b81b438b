//! Cases and records as files: our own JSON Lines and tables, and other tools' layouts.

mod flat;
mod foreign;
mod parquet;

use ragmeter_core::{Context, RunRecord, TestCase, Turn};
use serde_json::{Map, Value, json};

/// A case, what a system did with it, and its scores by metric (none where there is none).
#[derive(Clone, Debug)]
pub struct Exported<'a> {
    /// The case.
    pub case: &'a TestCase,
    /// What the system did.
    pub record: &'a RunRecord,
    /// The scores by metric.
    pub scores: Vec<(&'a str, Option<f64>)>,
}

/// What a file can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Our JSON Lines, one record a line, all fields.
    Jsonl,
    /// A CSV table of the same; lists are JSON in their cells, and no cell begins like a formula.
    Csv,
    /// A Parquet file of the same; contexts are a list of structs.
    Parquet,
    /// JSON Lines as `EvaluationDataset.from_jsonl` of RAGAS 0.4 reads them.
    Ragas,
    /// JSON as `EvaluationDataset.add_goldens_from_json_file` of deepeval 4 reads it.
    Deepeval,
    /// A promptfoo configuration that grades the recorded answers (provider `echo`).
    Promptfoo,
    /// JSON as RAGChecker 0.1 reads it.
    Ragchecker,
    /// TREC relevance judgements: grades of `relevance`, and 1 for other reference contexts.
    TrecQrels,
    /// A TREC run: contexts by rank, the system as tag.
    TrecRun,
}

impl Layout {
    /// Whether a file can hold several systems.
    pub fn holds_systems(self) -> bool {
        matches!(self, Self::Jsonl | Self::Csv | Self::Parquet | Self::TrecQrels | Self::TrecRun)
    }
}

/// The bytes of a file. The error says what the layout cannot hold.
pub fn write(layout: Layout, rows: &[Exported<'_>]) -> Result<Vec<u8>, String> {
    match layout {
        Layout::Jsonl => Ok(lines(rows.iter().map(|row| {
            let mut object = record_object(row.case, row.record);
            let scores: Map<String, Value> =
                row.scores.iter().map(|(id, score)| ((*id).to_owned(), json!(score))).collect();
            object.insert("scores".to_owned(), Value::Object(scores));
            object
        }))),
        Layout::Csv => flat::csv(rows),
        Layout::Parquet => parquet::parquet(rows).map_err(|error| error.to_string()),
        Layout::Ragas => Ok(lines(rows.iter().map(foreign::ragas))),
        Layout::Deepeval => Ok(pretty(&rows.iter().map(foreign::deepeval).collect())),
        Layout::Promptfoo => Ok(pretty(&foreign::promptfoo(rows))),
        Layout::Ragchecker => {
            let results: Vec<Value> = rows.iter().map(foreign::ragchecker).collect();
            Ok(pretty(&json!({ "results": results })))
        }
        Layout::TrecQrels => foreign::trec_qrels(rows).map(String::into_bytes),
        Layout::TrecRun => foreign::trec_run(rows).map(String::into_bytes),
    }
}

fn lines(objects: impl Iterator<Item = Map<String, Value>>) -> Vec<u8> {
    let mut out = String::new();
    for object in objects {
        out.push_str(&Value::Object(object).to_string());
        out.push('\n');
    }
    out.into_bytes()
}

fn pretty(value: &Value) -> Vec<u8> {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text.into_bytes()
}

/// A case as [`crate::cases`] reads it. What it doesn't have is left out.
pub fn case_object(case: &TestCase) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| {
        let empty = match &value {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        if !empty {
            object.insert(key.to_owned(), value);
        }
    };
    put("id", json!(case.id));
    put("question", json!(case.question));
    put("reference", json!(case.reference));
    put("reference_contexts", json!(case.reference_contexts));
    put("reference_context_ids", json!(case.reference_context_ids));
    put("reference_topics", json!(case.reference_topics));
    put("rubrics", json!(case.rubrics));
    put("relevance", json!(case.relevance));
    put("tags", json!(case.tags));
    put("source", json!(case.source));
    put("sources", json!(case.more_sources));
    put("author", json!(case.author));
    put("lang", json!(case.lang));
    put("messages", json!(case.messages));
    // An empty list says that no tool should be called.
    if let Some(calls) = &case.reference_tool_calls {
        object.insert("reference_tool_calls".to_owned(), json!(calls));
    }
    object
}

/// A record with its case as [`crate::records`] reads them. What they don't have is left out.
pub fn record_object(case: &TestCase, record: &RunRecord) -> Map<String, Value> {
    let mut object = case_object(case);
    if !record.system.is_empty() {
        object.insert("system".to_owned(), json!(record.system));
    }
    if let Some(answer) = &record.answer {
        object.insert("answer".to_owned(), json!(answer));
    }
    if let Some(contexts) = &record.contexts {
        let contexts: Vec<Value> = contexts.iter().map(context).collect();
        object.insert("contexts".to_owned(), Value::Array(contexts));
    }
    if let Some(error) = &record.error {
        object.insert("error".to_owned(), json!(error));
    }
    if record.refused_by_model {
        object.insert("refused_by_model".to_owned(), json!(true));
    }
    if let Some(seconds) = record.seconds {
        object.insert("seconds".to_owned(), json!(seconds));
    }
    if !record.figures.is_empty() {
        object.insert("figures".to_owned(), json!(record.figures));
    }
    if !record.messages.is_empty() {
        object.insert("messages".to_owned(), json!(conversation(case, record)));
    }
    object
}

/// A passage: a text if it is no more than that.
fn context(context: &Context) -> Value {
    let Context { id, text, source, score } = context;
    if id.is_none() && source.is_none() && score.is_none() {
        return json!(text);
    }
    let mut object = Map::new();
    object.insert("text".to_owned(), json!(text));
    for (key, value) in [("id", json!(id)), ("source", json!(source)), ("score", json!(score))] {
        if !value.is_null() {
            object.insert(key.to_owned(), value);
        }
    }
    Value::Object(object)
}

/// The whole conversation. A record may have messages where its case has none: then the question
/// opens it.
fn conversation(case: &TestCase, record: &RunRecord) -> Vec<Turn> {
    let mut messages = case.messages.clone();
    if messages.is_empty() {
        messages.push(Turn { content: case.question.clone(), ..Turn::default() });
    }
    messages.extend(record.messages.iter().cloned());
    messages
}
