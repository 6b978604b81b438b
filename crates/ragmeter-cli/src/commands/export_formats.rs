//! Runs for other tools, and what a case holds beyond question and reference.

use anyhow::Result;
use ragmeter::{Layout, load_run};
use serde_json::{Value, json};

use super::Common;
use super::inspect::store;
use super::running::write_file;
use crate::args::{ExportArgs, ExportFormatArg};
use crate::output;

pub(crate) fn export(common: &Common, args: &ExportArgs) -> Result<u8> {
    let data = load_run(&store(common)?, &args.run)?;
    if let Some(csv) = &args.csv {
        write_file(csv, ragmeter_analysis::csv(&data))?;
        if common.json {
            output::json(&json!({ "run_id": data.run_id, "csv": csv.display().to_string() }))?;
        } else {
            output::line(&format!("table {}", csv.display()))?;
        }
    }
    if let (Some(format), Some(out)) = (args.to, &args.out) {
        let bytes = ragmeter::export(&data, layout(format), args.system.as_deref())?;
        write_file(out, bytes)?;
        if common.json {
            output::json(&json!({ "run_id": data.run_id, "out": out.display().to_string() }))?;
        } else {
            output::line(&format!("written {}", out.display()))?;
        }
    }
    Ok(0)
}

fn layout(format: ExportFormatArg) -> Layout {
    match format {
        ExportFormatArg::Jsonl => Layout::Jsonl,
        ExportFormatArg::Csv => Layout::Csv,
        ExportFormatArg::Parquet => Layout::Parquet,
        ExportFormatArg::Ragas => Layout::Ragas,
        ExportFormatArg::Deepeval => Layout::Deepeval,
        ExportFormatArg::Promptfoo => Layout::Promptfoo,
        ExportFormatArg::Ragchecker => Layout::Ragchecker,
        ExportFormatArg::TrecQrels => Layout::TrecQrels,
        ExportFormatArg::TrecRun => Layout::TrecRun,
    }
}

/// Conversation, tool calls, topics and rubrics of a case, for reading.
pub(super) fn more_of_case(case: &Value) -> Vec<String> {
    let mut lines = turns(&case["messages"]);
    if let Some(calls) = case["reference_tool_calls"].as_array() {
        let calls: Vec<String> = calls.iter().map(call).collect();
        let calls = if calls.is_empty() { "none".to_owned() } else { calls.join(", ") };
        lines.push(format!("tools      should call {calls}"));
    }
    for topic in case["reference_topics"].as_array().into_iter().flatten() {
        lines.push(format!("topic      {}", topic.as_str().unwrap_or_default()));
    }
    for (name, text) in case["rubrics"].as_object().into_iter().flatten() {
        lines.push(format!("rubric     {name}: {}", text.as_str().unwrap_or_default()));
    }
    lines
}

/// Messages, one a line.
pub(super) fn turns(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().into_iter().flatten();
    messages
        .map(|message| {
            let text = |key: &str| message[key].as_str().unwrap_or_default();
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            let calls: String = calls.map(|one| format!(" → {}", call(one))).collect();
            format!("{:10} {}{calls}", text("role"), text("content"))
        })
        .collect()
}

fn call(call: &Value) -> String {
    format!("{}({})", call["name"].as_str().unwrap_or_default(), call["args"])
}
