//! Files of other tools into test sets and records.

use anyhow::Result;
use ragmeter::{ImportFormat, ImportRequest, Imported};
use serde_json::json;

use super::Common;
use super::running::write_file;
use crate::args::{ImportArgs, ImportFormatArg};
use crate::output;

pub(crate) fn import(common: &Common, args: ImportArgs) -> Result<u8> {
    let request = ImportRequest {
        format: match args.from {
            ImportFormatArg::Ragas => ImportFormat::Ragas,
            ImportFormatArg::Deepeval => ImportFormat::Deepeval,
            ImportFormatArg::Promptfoo => ImportFormat::Promptfoo,
            ImportFormatArg::Ragchecker => ImportFormat::Ragchecker,
            ImportFormatArg::TrecQrels => ImportFormat::TrecQrels,
            ImportFormatArg::TrecRun => ImportFormat::TrecRun,
        },
        file: args.file,
        skip_invalid: args.skip_invalid,
        testset: args.testset,
        topics: args.topics,
        documents: args.documents,
    };
    let imported = ragmeter::import(&request)?;
    if let Some(out) = &args.out {
        write_file(out, imported.jsonl())?;
    }
    for note in &imported.notes {
        eprintln!("note: {note}");
    }
    if common.json {
        let mut summary = json!({
            "kind": if imported.records { "records" } else { "testset" },
            "rows": imported.rows.len(), "systems": imported.systems,
            "dropped": imported.dropped, "notes": imported.notes,
        });
        match &args.out {
            Some(out) => summary["out"] = json!(out.display().to_string()),
            None => summary["data"] = json!(imported.rows),
        }
        output::json(&summary)?;
        return Ok(0);
    }
    let mut said = vec![counted(&imported)];
    for (what, rows) in &imported.dropped {
        said.push(format!("dropped: {what} ({rows})"));
    }
    match &args.out {
        Some(out) => {
            said[0] = format!("{} → {}", said[0], out.display());
            output::line(&said.join("\n"))?;
        }
        // stdout is data.
        None => {
            output::line(imported.jsonl().trim_end())?;
            eprintln!("{}", said.join("\n"));
        }
    }
    Ok(0)
}

fn counted(imported: &Imported) -> String {
    let rows = imported.rows.len();
    let several = |count: usize| if count == 1 { "" } else { "s" };
    if !imported.records {
        return format!("{rows} test case{}", several(rows));
    }
    let systems: Vec<&str> = imported.systems.iter().map(String::as_str).collect();
    let of = match systems.len() {
        0 => String::new(),
        count => format!(" of {count} system{} ({})", several(count), systems.join(", ")),
    };
    format!("{rows} record{}{of}", several(rows))
}
