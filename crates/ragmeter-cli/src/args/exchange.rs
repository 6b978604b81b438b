//! Arguments of `import` and `export`.

use std::path::PathBuf;

use clap::ValueEnum;

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("target").required(true).args(["csv", "to"]))]
pub(crate) struct ExportArgs {
    /// The run: its id, the beginning of it, or `latest`.
    pub(crate) run: String,
    /// Write every score with its reasons to this CSV file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "system"])]
    pub(crate) csv: Option<PathBuf>,
    /// Write the records in this layout.
    #[arg(long, value_enum, value_name = "FORMAT", requires = "out")]
    pub(crate) to: Option<ExportFormatArg>,
    /// The file to write.
    #[arg(long, value_name = "FILE", requires = "to")]
    pub(crate) out: Option<PathBuf>,
    /// Only this system's records.
    #[arg(long, value_name = "NAME", requires = "to")]
    pub(crate) system: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormatArg {
    /// Our JSON Lines: all fields, with scores.
    Jsonl,
    /// A table that can be scored again; lists are JSON in their cells.
    Csv,
    /// The same with lists as lists.
    Parquet,
    /// JSON Lines for RAGAS 0.4 (`EvaluationDataset.from_jsonl`).
    Ragas,
    /// JSON for deepeval 4 (`add_goldens_from_json_file`).
    Deepeval,
    /// A promptfoo configuration that grades the answers.
    Promptfoo,
    /// JSON for RAGChecker 0.1.
    Ragchecker,
    /// TREC relevance judgements, from `reference_context_ids`.
    TrecQrels,
    /// A TREC run, from the ids of contexts.
    TrecRun,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// Whose file it is.
    #[arg(value_enum, value_name = "FORMAT")]
    pub(crate) from: ImportFormatArg,
    /// The file; of a workbook FILE#SHEET.
    pub(crate) file: PathBuf,
    /// The JSON Lines file to write; stdout if left out.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Leave bad rows out instead of stopping.
    #[arg(long)]
    pub(crate) skip_invalid: bool,
    /// TREC: the test set whose cases are meant.
    #[arg(long, value_name = "FILE")]
    pub(crate) testset: Option<PathBuf>,
    /// TREC: the questions, as lines of id, tab and text, or as JSON Lines.
    #[arg(long, value_name = "FILE")]
    pub(crate) topics: Option<PathBuf>,
    /// TREC runs: the documents' texts, in the same form.
    #[arg(long, value_name = "FILE")]
    pub(crate) documents: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormatArg {
    /// RAGAS 0.1 to 0.4: JSON Lines, CSV, XLSX or Parquet.
    Ragas,
    /// deepeval 4: goldens or a test run, as JSON, JSON Lines or CSV.
    Deepeval,
    /// promptfoo: results (JSON), or tests (YAML, JSON, CSV).
    Promptfoo,
    /// RAGChecker 0.1: JSON.
    Ragchecker,
    /// TREC relevance judgements.
    TrecQrels,
    /// A TREC run.
    TrecRun,
}
