//! Arguments of `feedback` and `label`.

use std::path::PathBuf;

use clap::Subcommand;

use super::LangArg;

#[derive(Debug, Subcommand)]
pub(crate) enum FeedbackAction {
    /// Read a CSV or JSONL file: record (or run, system, case_id), thumbs, rating, text,
    /// correction, who, when.
    Import {
        /// The file.
        file: PathBuf,
        /// The run of rows that name none.
        #[arg(long)]
        run: Option<String>,
        /// The system of rows that name none.
        #[arg(long)]
        system: Option<String>,
        /// Leave bad rows out instead of stopping.
        #[arg(long)]
        skip_invalid: bool,
    },
    /// List everything that users said of a run's records.
    List {
        /// The run: its id, the beginning of it, or `latest`.
        run: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabelAction {
    /// Write a CSV with a row for each unit to label, and the policy beside it.
    Export {
        /// The run: its id, the beginning of it, or `latest`.
        run: String,
        /// The CSV file to write; the policy goes beside it, as FILE.policy.md.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Kinds of facts, separated by commas: claim_support, refusal, context_useful_reference,
        /// reference_support, question_coverage.
        #[arg(
            long = "fact",
            value_delimiter = ',',
            value_name = "LIST",
            default_value = "claim_support"
        )]
        facts: Vec<String>,
        /// So many records at most, drawn by the seed.
        #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
        sample: Option<usize>,
        /// The seed of the draw.
        #[arg(long, default_value = "0")]
        seed: u64,
        /// Leave the judge's verdicts out.
        #[arg(long)]
        blind: bool,
        /// Your own guidelines instead of the built-in ones.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// The language; that of most cases if left out.
        #[arg(long, value_enum)]
        lang: Option<LangArg>,
    },
    /// Read a labelled CSV; claims that were missed may be added as rows without a unit.
    Import {
        /// The file.
        file: PathBuf,
        /// Who labelled the rows that name nobody.
        #[arg(long, value_name = "NAME")]
        annotator: Option<String>,
        /// Leave bad rows out instead of stopping.
        #[arg(long)]
        skip_invalid: bool,
    },
}
