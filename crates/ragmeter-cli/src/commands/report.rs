//! The report of a run, in the form asked for.

use std::path::{Path, PathBuf};

use anyhow::Result;
use ragmeter::{Error, load_run};
use ragmeter_analysis::RunData;
use ragmeter_core::Lang;
use serde_json::json;

use super::Common;
use super::inspect::store;
use super::running::write_file;
use crate::args::{LangArg, ReportForm};
use crate::output;

/// The name of a file that stands for stdout.
const STDOUT: &str = "-";

/// Writes the report of a kept run.
pub(crate) fn report(
    common: &Common,
    run: &str,
    out: Option<&Path>,
    form: Option<ReportForm>,
    lang: LangArg,
) -> Result<u8> {
    let lang = match lang {
        LangArg::En => Lang::En,
        LangArg::Ru => Lang::Ru,
    };
    let out = out.map_or_else(|| default_name(form), Path::to_owned);
    // Before the run is read: a wrong name costs nothing.
    let form = form_of(&out, form)?;
    let data = load_run(&store(common)?, run)?;
    let text = rendered(&data, form, lang);
    if out == Path::new(STDOUT) {
        output::line(text.trim_end_matches('\n'))?;
        return Ok(0);
    }
    write_file(&out, &text)?;
    if common.json {
        output::json(&json!({ "run_id": data.run_id, "report": out.display().to_string() }))?;
    } else {
        output::line(&format!("report {}", out.display()))?;
    }
    Ok(0)
}

fn default_name(form: Option<ReportForm>) -> PathBuf {
    PathBuf::from(match form {
        None | Some(ReportForm::Html) => "report.html",
        Some(ReportForm::Md) => "report.md",
        Some(ReportForm::Json) => "report.json",
    })
}

/// The form that is asked for, or else the one that the file's ending tells.
pub(crate) fn form_of(out: &Path, form: Option<ReportForm>) -> Result<ReportForm, Error> {
    if let Some(form) = form {
        return Ok(form);
    }
    let ending = out.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("html" | "htm") => Ok(ReportForm::Html),
        Some("md" | "markdown") => Ok(ReportForm::Md),
        Some("json") => Ok(ReportForm::Json),
        _ => Err(Error::Usage(format!(
            "{}: the form of a report is told by the file's ending, .html, .md or .json; with \
             another one say which: `ragmeter report RUN --as html|md|json`",
            out.display()
        ))),
    }
}

/// The report's text.
pub(crate) fn rendered(data: &RunData, form: ReportForm, lang: Lang) -> String {
    match form {
        ReportForm::Html => ragmeter_analysis::html(data, lang),
        ReportForm::Md => ragmeter_analysis::markdown(data, lang),
        ReportForm::Json => ragmeter_analysis::json(data, lang),
    }
}
