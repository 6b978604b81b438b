//! Arguments of `compare`.

use clap::ValueEnum;

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("again").args(["second_judge", "rejudge"]))]
pub(crate) struct CompareArgs {
    /// RUN or RUN:SYSTEM, the one compared with.
    pub(crate) a: String,
    /// RUN or RUN:SYSTEM; left out: every pair of systems of the run.
    pub(crate) b: Option<String>,
    /// What the verdict speaks of: questions about these documents, or about other ones.
    #[arg(long, value_enum)]
    pub(crate) population: Option<PopulationArg>,
    /// The metric that the decision rests on; the others are corrected apart from it.
    #[arg(long, value_name = "METRIC")]
    pub(crate) primary: Option<String>,
    /// The largest difference that does not matter: equivalence is tested, cases needed are told.
    #[arg(long, value_name = "DIFFERENCE")]
    pub(crate) margin: Option<f64>,
    /// The width that the interval of the difference shall have: cases needed are told.
    #[arg(long, value_name = "WIDTH")]
    pub(crate) width: Option<f64>,
    /// Judge a sample again: `local` or `openai:MODEL`; does the order of the systems hold?
    #[arg(long, value_name = "MODEL")]
    pub(crate) second_judge: Option<String>,
    /// Judge both runs again by the judge of the first one, in a new run each, and compare those.
    #[arg(long, requires = "b")]
    pub(crate) rejudge: bool,
    /// Cases for the second judge.
    #[arg(long, value_name = "N", default_value = "50", requires = "second_judge", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) sample: u16,
    /// The endpoint of `openai:…`, up to and with /v1.
    #[arg(long, value_name = "URL", requires = "again")]
    pub(crate) base_url: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PopulationArg {
    /// Other questions about the same documents.
    TheseDocuments,
    /// Questions about other documents: cases need their `source`, and ten documents or more.
    NewDocuments,
}
