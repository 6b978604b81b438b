use std::path::{Path, PathBuf};

use anyhow::Result;
use ragmeter::config::{JudgeConfig, JudgeProfile, Loaded, ReportLang};
use ragmeter::{RunOptions, RunResult, ScoreRequest};
use ragmeter_core::Lang;
use serde_json::json;

use super::{Common, report};
use crate::args::{HowArgs, LangArg, ProfileArg, RunArgs, ScoreArgs};
use crate::output;
use crate::quickstart;
use crate::session::{Live, environment};

/// Writes the sample project and runs it.
pub(crate) async fn quickstart(common: &Common, dir: &Path, lang: LangArg) -> Result<u8> {
    let lang = match lang {
        LangArg::En => Lang::En,
        LangArg::Ru => Lang::Ru,
    };
    quickstart::write(dir, lang)?;
    eprintln!("sample project in {}", dir.display());
    let inside = Common { store: dir.join(".ragmeter"), ..*common };
    run(&inside, &dir.join("ragmeter.yaml"), NO_OPTIONS).await
}

const NO_OPTIONS: RunArgs = RunArgs { limit: None, fresh: false, skip_invalid: false };

/// Runs a configuration.
pub(crate) async fn run(common: &Common, config: &Path, options: RunArgs) -> Result<u8> {
    let loaded = ragmeter::config::load(config).map_err(ragmeter::Error::from)?;
    if let Some(out) = &loaded.config.report.out {
        // Told before anything is paid for.
        report::form_of(Path::new(out), None)?;
    }
    let live = Live::open(&common.store, common.verbose)?;
    let options = RunOptions {
        limit: options.limit,
        fresh: options.fresh,
        skip_invalid: options.skip_invalid,
    };
    let result = ragmeter::run(&live.session, &loaded, options, &environment).await;
    live.close().await;
    let result = result?;
    print(common, &result)?;
    write_report(common, &loaded, &result)?;
    Ok(result.ending.exit_code())
}

fn write_report(common: &Common, loaded: &Loaded, result: &RunResult) -> Result<()> {
    let Some(out) = &loaded.config.report.out else { return Ok(()) };
    let lang = match loaded.config.report.lang {
        ReportLang::En => Lang::En,
        ReportLang::Ru => Lang::Ru,
    };
    let path = loaded.folder.join(out);
    write_file(&path, report::rendered(&result.data, report::form_of(&path, None)?, lang))?;
    if common.json {
        eprintln!("report: {}", path.display());
        return Ok(());
    }
    Ok(output::line(&format!("report {}", path.display()))?)
}

/// What is asked of a file of recorded answers.
pub(crate) fn request(file: PathBuf, how: HowArgs) -> Result<ScoreRequest> {
    let own = match &how.define {
        Some(file) => ragmeter::config::definitions(file).map_err(ragmeter::Error::from)?,
        None => ragmeter::config::Definitions::default(),
    };
    let base = how.define.as_ref().and_then(|file| file.parent()).map(Path::to_owned);
    Ok(ScoreRequest {
        own,
        base: base.unwrap_or_default(),
        file,
        metrics: how.metrics.into_iter().map(|id| id.trim().to_owned()).collect(),
        judge: JudgeConfig {
            model: how.judge,
            embedder: how.embedder,
            profile: match how.profile {
                ProfileArg::Grouped => JudgeProfile::Grouped,
                ProfileArg::Split => JudgeProfile::Split,
                ProfileArg::Local => JudgeProfile::Local,
            },
            votes: usize::from(how.votes),
        },
        base_url: how.base_url,
        concurrency: usize::from(how.concurrency),
        skip_invalid: how.options.skip_invalid,
        limit: how.options.limit,
        fresh: how.options.fresh,
        budget: how.spend.budget(),
        max_failed: how.max_failed,
        drift: None,
    })
}

/// Judges a file of recorded answers.
pub(crate) async fn score(common: &Common, args: ScoreArgs) -> Result<u8> {
    let request = ScoreRequest { drift: args.drift, ..request(args.file, args.how)? };
    let live = Live::open(&common.store, common.verbose)?;
    let result = ragmeter::score(&live.session, &request, &environment).await;
    live.close().await;
    let result = result?;
    if let Some(out) = &args.out {
        write_file(out, output::records(&result.data))?;
    }
    print(common, &result)?;
    Ok(result.ending.exit_code())
}

fn print(common: &Common, result: &RunResult) -> Result<()> {
    for note in &result.notes {
        eprintln!("note: {}", ragmeter_analysis::visible(note));
    }
    if common.json {
        let mut json = result.json.clone();
        json["notes"] = json!(result.notes);
        return Ok(output::json(&json)?);
    }
    output::run(result)?;
    if let Some(drift) = &result.drift {
        output::line("")?;
        let lang = output::lang_of(&result.data);
        output::chapters(&[ragmeter_analysis::drift_sentences(drift, lang)])?;
    }
    Ok(())
}

/// Writes a file so that a reader never sees half of it.
pub(crate) fn write_file(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    let failed =
        |source| ragmeter::Error::File { verb: "write", path: path.display().to_string(), source };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    // A device or a pipe is written to, never replaced; a link leads to what is written.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Ok(std::fs::write(path, contents).map_err(failed)?);
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    std::fs::write(&part, contents).map_err(failed)?;
    std::fs::rename(&part, path).map_err(failed)?;
    Ok(())
}
