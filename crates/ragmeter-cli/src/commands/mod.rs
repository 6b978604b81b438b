//! One function a command; each returns its exit code.

mod compare;
mod documents;
mod export_formats;
mod import;
mod inspect;
mod judge;
mod judged;
mod people;
mod plan;
mod prefer;
mod project;
mod report;
mod retrieval;
mod running;

use anyhow::Result;

use crate::args::{Args, Command};

/// What every command is given besides its own arguments.
#[derive(Debug)]
pub(crate) struct Common {
    pub(crate) json: bool,
    pub(crate) store: std::path::PathBuf,
    pub(crate) verbose: bool,
}

pub(crate) async fn execute(args: Args) -> Result<u8> {
    let common = Common {
        json: args.format == crate::args::Format::Json,
        store: args.store,
        verbose: args.verbose,
    };
    match args.command {
        Command::Quickstart { dir, lang } => running::quickstart(&common, &dir, lang).await,
        Command::Run { config, options } => running::run(&common, &config, options).await,
        Command::Score(args) => running::score(&common, args).await,
        Command::Plan(args) => plan::plan(&common, args).await,
        Command::Compare(args) => compare::compare(&common, args).await,
        Command::Prefer(args) => prefer::prefer(&common, args).await,
        Command::Report { run, out, form, lang } => {
            report::report(&common, &run, out.as_deref(), form, lang)
        }
        Command::Runs { action } => inspect::runs(&common, action),
        Command::Feedback { action } => people::feedback(&common, action),
        Command::Label { action } => people::label(&common, action),
        Command::People { run, lang } => people::report(&common, &run, lang),
        Command::Judge { action } => judge::judge(&common, action).await,
        Command::Show { run, case } => inspect::show(&common, &run, &case),
        Command::Export(args) => export_formats::export(&common, &args),
        Command::Import(args) => import::import(&common, args),
        Command::Index { config } => documents::index(&common, &config).await,
        Command::Ask { question, config, system } => {
            documents::ask(&common, &question, &config, system.as_deref()).await
        }
        Command::Retrieval(args) => retrieval::retrieval(&common, args),
        Command::Metrics { action } => project::metrics(&common, action),
        Command::Schema => project::schema(),
        Command::Init { starter, out } => project::init(&common, starter, &out),
        Command::Doctor { config } => project::doctor(&common, &config).await,
        Command::Completions { shell } => Ok(project::completions(shell)),
    }
}
