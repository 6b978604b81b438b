//! Commands that look at what was kept.

use anyhow::Result;
use ragmeter::{Error, RunRow, SqliteStore, load_run};
use ragmeter_analysis::{JudgedRecord, causes, translated};
use ragmeter_core::{Lang, Source, Store, record_id};
use serde_json::{Value, json};

use super::{Common, judged, people};
use crate::args::RunsAction;
use crate::output::{self, lang_of, outcome_json};

pub(super) fn store(common: &Common) -> Result<SqliteStore, Error> {
    if !common.store.join("ragmeter.sqlite").exists() {
        return Err(Error::Usage(format!(
            "there is no store in {}: run something first, or name another folder with --store",
            common.store.display()
        )));
    }
    Ok(SqliteStore::open(&common.store)?)
}

pub(crate) fn runs(common: &Common, action: Option<RunsAction>) -> Result<u8> {
    let store = store(common)?;
    if let Some(RunsAction::Rm { run }) = action {
        let row = store.find_run(&run).map_err(Error::from)?.ok_or_else(|| {
            Error::Usage(format!("there is no run `{run}`: `ragmeter runs` lists them"))
        })?;
        store.remove_run(&row.id).map_err(Error::from)?;
        if common.json {
            output::json(&json!({ "removed": row.id }))?;
        } else {
            output::line(&format!("removed {}; replies that were paid for stay", row.id))?;
        }
        return Ok(0);
    }
    let rows = store.runs().map_err(Error::from)?;
    if common.json {
        let list: Vec<Value> = rows
            .iter()
            .map(|row| {
                json!({
                    "run_id": row.id, "name": row.name, "status": row.status.name(),
                    "created": row.created, "finished": row.finished, "cases": row.cases.len(),
                    "judge": card(row),
                    "spec": serde_json::from_str::<Value>(&row.spec).unwrap_or_default(),
                })
            })
            .collect();
        output::json(&json!({ "runs": list }))?;
        return Ok(0);
    }
    let header = ["run", "name", "status", "cases", "created", "judge"];
    let mut table = output::table(&header);
    for row in rows {
        let cases = row.cases.len().to_string();
        // A run that has not ended yet has not heard all that its judge says of itself.
        let judge = card(&row)["fingerprint"].as_str().unwrap_or("–").to_owned();
        table.add_row([row.id, row.name, row.status.name().to_owned(), cases, row.created, judge]);
    }
    output::line(&table.to_string())?;
    Ok(0)
}

/// Who judged a run, as it was kept when the run ended; `null` before.
fn card(row: &RunRow) -> Value {
    let summary = row.summary.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    summary.map(|summary| summary["judge"].clone()).unwrap_or_default()
}

pub(crate) fn show(common: &Common, run: &str, case_id: &str) -> Result<u8> {
    let store = store(common)?;
    let data = load_run(&store, run)?;
    let case = data.cases.iter().find(|case| case.id == case_id).ok_or_else(|| {
        Error::Usage(format!(
            "run {} has no case `{case_id}`; its {} cases begin with `{}`",
            data.run_id,
            data.cases.len(),
            data.cases.first().map_or("–", |case| case.id.as_str())
        ))
    })?;
    let mut systems = Vec::new();
    for system in &data.systems {
        for one in system.records.iter().filter(|one| one.record.case_id == case_id) {
            let outcomes: serde_json::Map<String, Value> =
                one.outcomes.iter().map(|(id, o)| (id.clone(), outcome_json(o))).collect();
            systems.push(json!({
                "system": system.name, "record": one.record, "facts": one.facts,
                "judge": one.judge, "scores": outcomes, "replies": raw_replies(&store, one)?,
                "causes": causes(&one.facts),
                "people": people::of_record(&data, &record_id(case, &one.record)),
            }));
        }
    }
    let whole = json!({ "run_id": data.run_id, "case": case, "systems": systems });
    if common.json {
        output::json(&whole)?;
    } else {
        output::said(&text_of(&whole, common.verbose, lang_of(&data)))?;
    }
    Ok(0)
}

/// The raw replies that a record's facts rest on, by key.
fn raw_replies(store: &SqliteStore, one: &JudgedRecord) -> Result<Value, Error> {
    let mut replies = serde_json::Map::new();
    for source in one.facts.sources() {
        let Source::Judge(judge) = source else { continue };
        for key in &judge.replies {
            if let Some(kept) = store.reply(key)? {
                // One fact may rest on calls of several groups: what was left out is asked alone.
                let reply = json!({ "group": kept.group, "rung": judge.rung, "raw": kept.raw });
                replies.insert(key.to_string(), reply);
            }
        }
    }
    Ok(Value::Object(replies))
}

/// A case for reading.
fn text_of(whole: &Value, verbose: bool, lang: Lang) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("–").to_owned();
    let explained = |value: &Value| translated(&text(value), lang).unwrap_or_else(|| text(value));
    let case = &whole["case"];
    let mut lines = vec![
        format!("case       {}", text(&case["id"])),
        format!("question   {}", text(&case["question"])),
        format!("reference  {}", text(&case["reference"])),
    ];
    lines.extend(super::export_formats::more_of_case(case));
    for system in whole["systems"].as_array().into_iter().flatten() {
        lines.push(format!("\n== {}", text(&system["system"])));
        let record = &system["record"];
        match record["error"].as_str() {
            Some(error) => lines.push(format!("error      {error}")),
            None => lines.push(format!("answer     {}", text(&record["answer"]))),
        }
        lines.extend(super::export_formats::turns(&record["messages"]));
        for (rank, context) in record["contexts"].as_array().into_iter().flatten().enumerate() {
            let source = context["source"].as_str().or(context["id"].as_str()).unwrap_or("");
            lines.push(format!("context {}  {} {}", rank + 1, text(&context["text"]), source));
        }
        lines.push(format!("judge      {}", text(&system["judge"])));
        lines.extend(judged::lines(system, lang));
        // Ids with a parameter are long; the scores still stand in one column.
        let ids = system["scores"].as_object().into_iter().flat_map(|scores| scores.keys());
        let width = ids.map(|id| id.chars().count()).max().unwrap_or_default().max(20);
        for (metric, score) in system["scores"].as_object().into_iter().flatten() {
            let said = match score["value"].as_f64() {
                Some(value) => format!("{value:.3}  {}", explained(&score["explanation"])),
                None => format!("{}: {}", text(&score["status"]), explained(&score["reason"])),
            };
            lines.push(format!("{metric:width$} {said}"));
        }
        lines.extend(people::lines(&system["people"], lang));
        for (key, reply) in system["replies"].as_object().into_iter().flatten() {
            lines.push(format!(
                "reply      {} {} {key}",
                text(&reply["group"]),
                text(&reply["rung"])
            ));
            if verbose {
                lines.push(text(&reply["raw"]));
            }
        }
    }
    lines.join("\n")
}
