//! What people say of answers: feedback in, labels out and in, and both beside the judge.

use std::path::{Path, PathBuf};

use anyhow::Result;
use ragmeter::{
    Collected, Error, FeedbackRequest, LabelImport, LabelRequest, export_labels, import_feedback,
    import_labels, load_run,
};
use ragmeter_analysis::RunData;
use ragmeter_analysis::people::{chapters, label_name, people, standing_feedback, standing_labels};
use ragmeter_core::{Digest, Lang, Thumb};
use serde_json::{Value, json};

use super::Common;
use super::inspect::store;
use super::running::write_file;
use crate::args::{FeedbackAction, LabelAction, LangArg};
use crate::output::{self, lang_of};

pub(crate) fn feedback(common: &Common, action: FeedbackAction) -> Result<u8> {
    match action {
        FeedbackAction::Import { file, run, system, skip_invalid } => {
            let request = FeedbackRequest { file, run, system, skip_invalid };
            let done = import_feedback(&store(common)?, &request)?;
            imported(common, &request.file, &done, "word(s) of feedback")
        }
        FeedbackAction::List { run } => list(common, &run),
    }
}

pub(crate) fn label(common: &Common, action: LabelAction) -> Result<u8> {
    match action {
        LabelAction::Export { run, out, facts, sample, seed, blind, policy, lang } => {
            let store = store(common)?;
            let data = load_run(&store, &run)?;
            let request = LabelRequest { facts, sample, seed, blind, policy };
            let lang = chosen(lang, &data);
            let table = export_labels(&store, &data, &request, lang)?;
            let policy = policy_path(&out);
            keep_labels(&out, &table.csv)?;
            write_file(&out, &table.csv)?;
            write_file(&policy, &table.policy)?;
            if common.json {
                output::json(&json!({
                    "set": table.set, "records": table.records,
                    "csv": out.display().to_string(), "policy": policy.display().to_string(),
                }))?;
            } else {
                output::line(&format!(
                    "{}: {} rows of {} records, set {}\n{}: how to label, policy {}",
                    out.display(),
                    table.set.rows,
                    table.records,
                    table.set.id,
                    policy.display(),
                    &table.set.policy[..12],
                ))?;
            }
            Ok(0)
        }
        LabelAction::Import { file, annotator, skip_invalid } => {
            let request = LabelImport { file, annotator, skip_invalid };
            let done = import_labels(&store(common)?, &request)?;
            imported(common, &request.file, &done, "label(s)")
        }
    }
}

/// Refuses to write over a table that is not the same: people's labels may stand in it.
fn keep_labels(out: &Path, csv: &str) -> Result<()> {
    let path = || out.display().to_string();
    match std::fs::read(out) {
        Ok(bytes) if bytes == csv.as_bytes() => Ok(()),
        Ok(_) => Err(Error::Usage(format!(
            "{}: it is there already and is not what would be written: labels in it would be lost. \
             Name another file with --out, or move this one away",
            path()
        ))
        .into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(Error::File { verb: "read", path: path(), source }.into()),
    }
}

/// `labels.csv` → `labels.policy.md`.
fn policy_path(out: &Path) -> PathBuf {
    out.with_extension("policy.md")
}

fn imported(common: &Common, file: &Path, done: &Collected, what: &str) -> Result<u8> {
    for note in &done.notes {
        eprintln!("note: {note}");
    }
    if common.json {
        output::json(&serde_json::to_value(done)?)?;
        return Ok(0);
    }
    let mut parts = vec![format!("{} {what} added", done.words.added)];
    let others = [
        (done.words.changed, "of them after an earlier word of the same person"),
        (done.words.known, "there already"),
        (done.blank, "row(s) without a label"),
        (done.left_out, "fault(s) left out"),
    ];
    parts.extend(
        others.into_iter().filter(|one| one.0 > 0).map(|(count, name)| format!("{count} {name}")),
    );
    output::line(&format!("{}: {}", file.display(), parts.join(", ")))?;
    Ok(0)
}

pub(crate) fn chosen(lang: Option<LangArg>, data: &RunData) -> Lang {
    match lang {
        Some(LangArg::En) => Lang::En,
        Some(LangArg::Ru) => Lang::Ru,
        None => lang_of(data),
    }
}

fn list(common: &Common, run: &str) -> Result<u8> {
    let data = load_run(&store(common)?, run)?;
    let words = &data.people.feedback;
    if common.json {
        output::json(&json!({ "run_id": data.run_id, "feedback": words }))?;
        return Ok(0);
    }
    let mut table = output::table(&["system", "case", "", "said", "who", "when"]);
    for word in words {
        let thumb = word.thumb.map(|thumb| if thumb == Thumb::Up { "up" } else { "down" });
        let rating = word.rating.map(|rating| format!("{rating}/5"));
        let marks: Vec<&str> = thumb.into_iter().chain(rating.as_deref()).collect();
        let correction = word.correction.as_ref().map(|text| format!("→ {text}"));
        let said: Vec<&str> =
            word.text.as_deref().into_iter().chain(correction.as_deref()).collect();
        table.add_row([
            word.system.as_str(),
            &word.case_id,
            &marks.join(" "),
            &said.join(" "),
            word.who.as_deref().unwrap_or("–"),
            word.at.as_deref().unwrap_or("–"),
        ]);
    }
    output::line(&table.to_string())?;
    Ok(0)
}

/// Agreement, metrics by people's labels, and metrics beside thumbs.
pub(crate) fn report(common: &Common, run: &str, lang: Option<LangArg>) -> Result<u8> {
    let data = load_run(&store(common)?, run)?;
    if data.people.is_empty() {
        return Err(Error::Usage(format!(
            "nobody has said anything about run {0} yet: `ragmeter label export {0} --out FILE.csv` \
             makes a table to label, `ragmeter feedback import FILE --run {0}` reads what users said",
            data.run_id
        ))
        .into());
    }
    let report = people(&data);
    if common.json {
        return Ok(output::json(&serde_json::to_value(&report)?).map(|()| 0)?);
    }
    output::chapters(&chapters(&report, chosen(lang, &data)))?;
    Ok(0)
}

/// What people said of one record: every word, and the labels that stand.
pub(crate) fn of_record(data: &RunData, record: &Digest) -> Value {
    let people = &data.people;
    let words: Vec<_> = people.feedback.iter().filter(|word| word.record == *record).collect();
    let standing = standing_feedback(words.iter().copied());
    let labels = people.labels.iter().filter(|label| label.record == *record);
    let labels: Vec<_> = standing_labels(labels).into_values().flatten().collect();
    json!({
        "record_id": record, "feedback": words,
        "standing": standing.get(record).map_or(&[][..], Vec::as_slice), "labels": labels,
    })
}

/// The same as lines for reading.
pub(crate) fn lines(people: &Value, lang: Lang) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut lines = vec![format!("record     {}", text(&people["record_id"]).unwrap_or_default())];
    for word in people["standing"].as_array().into_iter().flatten() {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(text(&word["thumb"]));
        parts.extend(word["rating"].as_u64().map(|rating| format!("{rating}/5")));
        parts.extend(text(&word["text"]));
        parts.extend(text(&word["correction"]).map(|correction| format!("→ {correction}")));
        let who = text(&word["who"]).unwrap_or_else(|| "–".to_owned());
        let at = text(&word["at"]).unwrap_or_default();
        lines.push(format!("feedback   {}  ({who} {at})", parts.join(" ")).replace(" )", ")"));
    }
    for label in people["labels"].as_array().into_iter().flatten() {
        let of = |key: &str| text(&label[key]).unwrap_or_default();
        let comment = text(&label["comment"]).map(|c| format!(" — {c}")).unwrap_or_default();
        let added = if label["added"] == true { " +" } else { "" };
        let name = label_name(&of("fact"), &of("label"), lang);
        lines.push(format!(
            "label      [{name}]{added} {} ({}, {}){comment}",
            of("text"),
            of("fact"),
            of("annotator"),
        ));
    }
    lines
}
