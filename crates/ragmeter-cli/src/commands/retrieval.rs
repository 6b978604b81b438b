//! A TREC run and its judgements, told as trec_eval tells them.

use std::io::{BufWriter, Write};

use anyhow::Result;
use ragmeter::{Measure, RetrievalRequest, RetrievalResult};
use serde_json::json;

use super::Common;
use crate::args::RetrievalArgs;

/// The name under which trec_eval tells values of all queries.
const ALL: &str = "all";

pub(crate) fn retrieval(common: &Common, args: RetrievalArgs) -> Result<u8> {
    let RetrievalArgs { run, qrels, metrics, complete, level, per_query } = args;
    let whole = metrics.is_empty();
    let found = ragmeter::retrieval(&RetrievalRequest { run, qrels, metrics, level, complete })?;
    if found.unjudged > 0 {
        eprintln!("note: queries of the run without judgements, left out: {}", found.unjudged);
    }
    if found.unanswered > 0 {
        let what = if complete { "counted as 0" } else { "left out (-c counts them as 0)" };
        eprintln!("note: judged queries without results, {what}: {}", found.unanswered);
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    if common.json {
        as_json(&mut out, &found)?;
    } else {
        as_lines(&mut out, &found, whole, per_query)?;
    }
    out.flush()?;
    Ok(0)
}

/// trec_eval's lines: name, query, value, parted by tabs.
fn as_lines(
    out: &mut impl Write,
    found: &RetrievalResult,
    whole: bool,
    per_query: bool,
) -> std::io::Result<()> {
    let names = found.measures.iter().map(|one| format!("{:22}", one.to_string()));
    let names: Vec<String> = names.collect();
    if per_query {
        for (query, values) in &found.queries {
            let query = ragmeter_analysis::visible(query);
            lines(out, &found.measures, &names, &query, values.iter().copied())?;
        }
    }
    if whole {
        let name = ragmeter_analysis::visible(&found.run_id);
        writeln!(out, "{:22}\t{ALL}\t{name}", "runid")?;
    }
    lines(out, &found.measures, &names, ALL, found.overall.iter().copied().map(Some))
}

fn lines(
    out: &mut impl Write,
    measures: &[Measure],
    names: &[String],
    query: &str,
    values: impl Iterator<Item = Option<f64>>,
) -> std::io::Result<()> {
    for ((measure, name), value) in measures.iter().zip(names).zip(values) {
        let Some(value) = value else { continue };
        if measure.is_count() {
            writeln!(out, "{name}\t{query}\t{value}")?;
        } else {
            writeln!(out, "{name}\t{query}\t{value:6.4}")?;
        }
    }
    Ok(())
}

/// One object, written as it goes: ten thousand queries have a million numbers.
fn as_json(out: &mut impl Write, found: &RetrievalResult) -> std::io::Result<()> {
    let names: Vec<String> =
        found.measures.iter().map(|one| json!(one.to_string()).to_string()).collect();
    writeln!(out, "{{\n  \"runid\": {},", json!(found.run_id))?;
    writeln!(
        out,
        "  \"queries\": {},",
        json!({
            "measured": found.queries.len(),
            "without_judgements": found.unjudged,
            "without_results": found.unanswered,
        })
    )?;
    write!(out, "  \"metrics\": ")?;
    object(out, &found.measures, &names, found.overall.iter().copied().map(Some))?;
    write!(out, ",\n  \"per_query\": {{")?;
    for (at, (query, values)) in found.queries.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(out, "{comma}\n    {}: ", json!(query))?;
        object(out, &found.measures, &names, values.iter().copied())?;
    }
    writeln!(out, "\n  }}\n}}")
}

fn object(
    out: &mut impl Write,
    measures: &[Measure],
    names: &[String],
    values: impl Iterator<Item = Option<f64>>,
) -> std::io::Result<()> {
    let mut comma = "{";
    for ((measure, name), value) in measures.iter().zip(names).zip(values) {
        let Some(value) = value else { continue };
        if measure.is_count() {
            write!(out, "{comma}{name}: {value}")?;
        } else {
            // The shortest digits that read back as the same number.
            write!(out, "{comma}{name}: {value:?}")?;
        }
        comma = ", ";
    }
    write!(out, "{}", if comma == "{" { "{}" } else { "}" })
}
