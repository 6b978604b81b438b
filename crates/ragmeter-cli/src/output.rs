//! What a person reads: tables and sentences.

use std::io::Write;

use comfy_table::{Table, presets};
use ragmeter::RunResult;
use ragmeter_analysis::people::Chapter;
use ragmeter_analysis::{RunData, SystemSummary, diagnosis_sentence, footing, verdict_sentences};
use ragmeter_core::Lang;
use serde_json::{Value, json};

/// Writes a line to stdout; a closed pipe is the caller's to see.
pub(crate) fn line(text: &str) -> std::io::Result<()> {
    writeln!(std::io::stdout().lock(), "{text}")
}

/// Writes text that documents, models or systems said: nothing in it may command the terminal.
pub(crate) fn said(text: &str) -> std::io::Result<()> {
    line(&ragmeter_analysis::visible(text))
}

/// Writes a JSON value to stdout.
pub(crate) fn json(value: &Value) -> std::io::Result<()> {
    line(&serde_json::to_string_pretty(value).unwrap_or_default())
}

/// A table with a header and a line under it.
pub(crate) fn table<S: ToString>(header: &[S]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.iter().map(ToString::to_string));
    table
}

/// Chapters: sentences, then tables.
pub(crate) fn chapters(chapters: &[Chapter]) -> std::io::Result<()> {
    for (index, chapter) in chapters.iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        line(&format!("{gap}== {}", chapter.title))?;
        for sentence in &chapter.lines {
            said(sentence)?;
        }
        for grid in &chapter.grids {
            line("")?;
            if !grid.caption.is_empty() {
                line(&grid.caption)?;
            }
            let mut table = table(&grid.header);
            for row in &grid.rows {
                table.add_row(row.iter().map(|cell| ragmeter_analysis::visible(cell)));
            }
            line(&table.to_string())?;
        }
    }
    Ok(())
}

/// The language most cases are in: what a terminal speaks of them in.
pub(crate) fn lang_of(data: &RunData) -> Lang {
    let russian = data.cases.iter().filter(|case| case.lang == Some(Lang::Ru)).count();
    if russian * 2 > data.cases.len() { Lang::Ru } else { Lang::En }
}

/// A run in a table, then in sentences.
pub(crate) fn run(result: &RunResult) -> std::io::Result<()> {
    let RunResult { data, summaries, comparisons, .. } = result;
    line(&matrix(summaries).to_string())?;
    let coverage = coverage(summaries);
    if !coverage.is_empty() {
        line("")?;
        for text in coverage {
            line(&text)?;
        }
    }
    let lang = lang_of(data);
    let said = |system: &SystemSummary| diagnosis_sentence(&system.name, &system.diagnosis?, lang);
    let wrong: Vec<String> = summaries.iter().filter_map(said).collect();
    if !wrong.is_empty() {
        line("")?;
    }
    for sentence in wrong {
        line(&sentence)?;
    }
    let mut sentences = verdict_sentences(comparisons, lang);
    sentences.extend(footing(comparisons, lang));
    if !sentences.is_empty() {
        line("")?;
    }
    for sentence in sentences {
        line(&sentence)?;
    }
    if let Some((_, floor)) =
        data.settings.iter().find(|(name, _)| name == "answer_relevancy.floor")
    {
        line(&format!(
            "\nanswer_relevancy: answers to other questions of this set score {floor}; read the \
             scores from there up."
        ))?;
    }
    line(&format!("\nrun {}", data.run_id))
}

fn matrix(summaries: &[SystemSummary]) -> Table {
    let metrics = summaries.first().map(|one| one.summaries.as_slice()).unwrap_or_default();
    let mut header = vec!["system".to_owned()];
    header.extend(metrics.iter().map(|summary| summary.metric.clone()));
    let mut table = table(&header);
    for system in summaries {
        let mut row = vec![system.name.clone()];
        row.extend(system.summaries.iter().map(|summary| match (summary.mean, summary.interval) {
            (Some(mean), Some([low, high])) => format!("{mean:.3}\n[{low:.2}, {high:.2}]"),
            (Some(mean), None) => format!("{mean:.3}"),
            (None, _) => "–".to_owned(),
        }));
        table.add_row(row);
    }
    table
}

/// What has no score, where anything has none.
fn coverage(summaries: &[SystemSummary]) -> Vec<String> {
    let mut lines = Vec::new();
    for system in summaries {
        for summary in &system.summaries {
            let absent = summary.n_not_applicable + summary.n_failed;
            if absent == 0 {
                continue;
            }
            let mut parts = vec![format!("{} of {} scored", summary.n_scored, system.n_records)];
            if summary.n_not_applicable > 0 {
                let refused = match summary.n_refused {
                    0 => String::new(),
                    refused => format!(" ({refused} refused)"),
                };
                parts.push(format!("{} not applicable{refused}", summary.n_not_applicable));
            }
            if summary.n_failed > 0 {
                let classes: Vec<String> = (summary.failures.iter())
                    .map(|(class, count)| format!("{count} {}", class.name()))
                    .collect();
                parts.push(format!("{} failed ({})", summary.n_failed, classes.join(", ")));
            }
            lines.push(format!("{}: {}: {}", system.name, summary.metric, parts.join(", ")));
        }
    }
    lines
}

/// One object a record, as `score --out` writes them.
pub(crate) fn records(data: &RunData) -> String {
    let several = data.systems.len() > 1;
    let mut out = String::new();
    for system in &data.systems {
        for record in &system.records {
            let mut object = json!({ "id": record.record.case_id });
            if several {
                object["system"] = json!(system.name);
            }
            object["scores"] = record
                .outcomes
                .iter()
                .map(|(metric, outcome)| (metric.clone(), outcome_json(outcome)))
                .collect::<serde_json::Map<_, _>>()
                .into();
            object["judge"] = json!(record.judge);
            out.push_str(&object.to_string());
            out.push('\n');
        }
    }
    out
}

pub(crate) fn outcome_json(outcome: &ragmeter_core::Outcome) -> Value {
    use ragmeter_core::Outcome;
    match outcome {
        Outcome::Scored(score) => json!({
            "status": "scored", "value": score.value.get(), "explanation": score.explanation,
        }),
        Outcome::NotApplicable(why) => json!({ "status": "not_applicable", "reason": why.reason }),
        Outcome::Failed(absence) => json!({
            "status": "failed", "reason": absence.to_string(), "class": absence.class,
        }),
    }
}
