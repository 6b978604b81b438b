//! Arguments of `prefer`.

use super::{LangArg, PopulationArg, SpendArgs};

#[derive(Debug, clap::Args)]
pub(crate) struct PreferArgs {
    /// The run: its id, the beginning of it, or `latest`.
    pub(crate) run: String,
    /// The systems, separated by commas; all of the run if left out.
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub(crate) systems: Vec<String>,
    /// What the verdict speaks of: questions about these documents, or about other ones; as the run
    /// declares if left out.
    #[arg(long, value_enum)]
    pub(crate) population: Option<PopulationArg>,
    /// The judge: `openai:MODEL`; the key is read from OPENAI_API_KEY.
    #[arg(long, value_name = "MODEL")]
    pub(crate) judge: String,
    /// The endpoint of `openai:…`, up to and with /v1; a key is optional with it.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Replies to each question, of which most decide.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=99))]
    pub(crate) votes: u8,
    /// Calls in flight to begin with; cut when the endpoint says 429.
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) concurrency: u16,
    #[command(flatten)]
    pub(crate) spend: SpendArgs,
    /// Largest share of verdicts that may fail before it counts as incomplete.
    #[arg(long, value_name = "SHARE", default_value = "0.02")]
    pub(crate) max_failed: f64,
    /// Only the first N cases.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Ask everything anew; older replies stay in the store.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// The language; that of most cases if left out.
    #[arg(long, value_enum)]
    pub(crate) lang: Option<LangArg>,
}
