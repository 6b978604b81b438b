mod compare;
mod exchange;
mod judge;
mod people;
mod prefer;
mod price;
mod retrieval;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use compare::{CompareArgs, PopulationArg};
pub(crate) use exchange::{ExportArgs, ExportFormatArg, ImportArgs, ImportFormatArg};
pub(crate) use judge::{JudgeAction, WobbleArgs};
pub(crate) use people::{FeedbackAction, LabelAction};
pub(crate) use prefer::PreferArgs;
pub(crate) use price::SpendArgs;
pub(crate) use retrieval::RetrievalArgs;

/// Measures RAG systems: from documents or recorded answers to a verdict that you can defend.
///
/// Exit codes: 0 done, 2 usage or configuration, 3 run incomplete, 5 budget reached,
/// 130 interrupted (work kept).
#[derive(Debug, Parser)]
#[command(name = "ragmeter", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// What stdout gets.
    #[arg(long, global = true, value_enum, default_value = "human")]
    pub(crate) format: Format,
    /// Where replies, runs and the index are kept.
    #[arg(long, global = true, value_name = "DIR", default_value = ".ragmeter")]
    pub(crate) store: PathBuf,
    /// More detail on stderr.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables and sentences.
    Human,
    /// One JSON object.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LangArg {
    /// English.
    En,
    /// Russian.
    Ru,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileArg {
    /// Facts in groups: four calls a record for the four RAGAS-style metrics.
    Grouped,
    /// One fact a call, in RAGAS's steps and units.
    Split,
    /// Local encoders, no language model.
    Local,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Starter {
    /// Your documents, the built-in chain, a test set.
    Documents,
    /// Recorded answers of your systems.
    Records,
    /// Documents with models behind an OpenAI-compatible endpoint.
    External,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// One self-contained page.
    Html,
    /// Markdown for a pull request.
    Md,
    /// One JSON object, with the version of its form.
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a sample project and run it: no network, no key.
    Quickstart {
        /// The folder to make.
        dir: PathBuf,
        /// Its language.
        #[arg(long, value_enum, default_value = "en")]
        lang: LangArg,
    },
    /// Run a configuration: index, answer, judge, compare, report.
    Run {
        /// The configuration file.
        #[arg(default_value = "ragmeter.yaml")]
        config: PathBuf,
        #[command(flatten)]
        options: RunArgs,
    },
    /// Judge a file of recorded answers, without a configuration file.
    Score(ScoreArgs),
    /// What a run or `score` would ask, and what that would cost, before anything is asked.
    Plan(PlanArgs),
    /// Write the report of a run: a page, Markdown for a pull request, or data.
    Report {
        /// The run: its id, the beginning of it, or `latest`.
        run: String,
        /// The file to write, its form told by its ending; `-` is stdout.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// The form, whatever the file's ending; `report.FORM` is written if no file is named.
        #[arg(long = "as", value_enum, value_name = "FORM")]
        form: Option<ReportForm>,
        /// Its language.
        #[arg(long, value_enum, default_value = "en")]
        lang: LangArg,
    },
    /// Compare systems, of one run or of two: the verdict in words, then the table.
    Compare(CompareArgs),
    /// Which system's answers a judge prefers, each pair shown in both orders: who wins, by how much,
    /// and where all of them stand.
    Prefer(PreferArgs),
    /// List runs, or remove one.
    Runs {
        #[command(subcommand)]
        action: Option<RunsAction>,
    },
    /// Show one case of a run in full.
    Show {
        /// The run: its id, the beginning of it, or `latest`.
        run: String,
        /// The case's id.
        case: String,
    },
    /// Export a run: as a table, or for another tool.
    Export(ExportArgs),
    /// Turn a file of another tool into a test set or records (JSON Lines).
    Import(ImportArgs),
    /// Read what users said of answers, or list it.
    Feedback {
        #[command(subcommand)]
        action: FeedbackAction,
    },
    /// Hand facts out to be labelled by people, and take them back.
    Label {
        #[command(subcommand)]
        action: LabelAction,
    },
    /// People's word beside the judge's: agreement, metrics by labels, metrics and thumbs.
    People {
        /// The run: its id, the beginning of it, or `latest`.
        run: String,
        /// The language; that of most cases if left out.
        #[arg(long, value_enum)]
        lang: Option<LangArg>,
    },
    /// Look at the judge itself.
    Judge {
        #[command(subcommand)]
        action: JudgeAction,
    },
    /// Index the documents of a configuration.
    Index {
        /// The configuration file.
        #[arg(default_value = "ragmeter.yaml")]
        config: PathBuf,
    },
    /// Ask a system of a configuration one question.
    Ask {
        /// The question.
        question: String,
        /// The configuration file.
        #[arg(long, default_value = "ragmeter.yaml")]
        config: PathBuf,
        /// The system; the first one that is not recorded if left out.
        #[arg(long)]
        system: Option<String>,
    },
    /// Measure a TREC run by its judgements (qrels), as trec_eval does: map, nDCG, recall, …
    Retrieval(RetrievalArgs),
    /// List metrics, or show the card of one.
    Metrics {
        #[command(subcommand)]
        action: Option<MetricsAction>,
    },
    /// Print the JSON Schema of ragmeter.yaml.
    Schema,
    /// Write a commented ragmeter.yaml.
    Init {
        /// What to start from.
        #[arg(value_enum)]
        starter: Starter,
        /// The file to write.
        #[arg(long, default_value = "ragmeter.yaml")]
        out: PathBuf,
    },
    /// Ask every configured model one cheap question.
    Doctor {
        /// The configuration file; the local models are probed if there is none.
        #[arg(default_value = "ragmeter.yaml")]
        config: PathBuf,
    },
    /// Print completions for a shell.
    #[command(hide = true)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsAction {
    /// Remove a run; replies that were paid for stay.
    Rm {
        /// The run: its id, or the beginning of it.
        run: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum MetricsAction {
    /// Show the card of a metric.
    Show {
        /// The metric's id.
        name: String,
    },
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// Only the first N cases.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Ask everything anew; older replies stay in the store.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Leave bad rows of input files out instead of stopping.
    #[arg(long)]
    pub(crate) skip_invalid: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ScoreArgs {
    /// Recorded answers (JSONL, CSV, XLSX, Parquet): question, answer, contexts, reference.
    pub(crate) file: PathBuf,
    /// Write one JSON object a record here.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Judge this share of the records in the other profile too (30 records with 200 verdicts at
    /// least, where there are so many): what does the profile do to the numbers?
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) drift: Option<f64>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// A share, above 0 and at most 1.
fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("a share is above 0 and at most 1, as in 0.1".to_owned()),
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct PlanArgs {
    /// A configuration (.yaml), or recorded answers as `score` takes them.
    #[arg(default_value = "ragmeter.yaml")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// How recorded answers are judged.
#[derive(Debug, clap::Args)]
pub(crate) struct HowArgs {
    /// Metrics by id, separated by commas (`ragmeter metrics` lists them); the four RAGAS-style ones,
    /// question_coverage and your own if left out.
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub(crate) metrics: Vec<String>,
    /// A YAML file with your own `criteria`, `rubrics`, `formulas` and `commands`.
    #[arg(long, value_name = "FILE")]
    pub(crate) define: Option<PathBuf>,
    /// The judge: `local` or `openai:MODEL`; the key is read from OPENAI_API_KEY.
    #[arg(long, default_value = "local", value_name = "MODEL")]
    pub(crate) judge: String,
    /// The endpoint of `openai:…`, up to and with /v1; a key is optional with it.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The embedder of answer relevancy: `local` or `openai:MODEL`.
    #[arg(long, default_value = "local", value_name = "MODEL")]
    pub(crate) embedder: String,
    /// How facts are asked for.
    #[arg(long, value_enum, default_value = "grouped")]
    pub(crate) profile: ProfileArg,
    /// Replies to each question whose answer most of them decide.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=99))]
    pub(crate) votes: u8,
    /// Calls in flight to begin with; cut when the endpoint says 429.
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) concurrency: u16,
    #[command(flatten)]
    pub(crate) spend: SpendArgs,
    /// Largest share of facts that may fail before the run counts as incomplete.
    #[arg(long, value_name = "SHARE", default_value = "0.02")]
    pub(crate) max_failed: f64,
    #[command(flatten)]
    pub(crate) options: RunArgs,
}
