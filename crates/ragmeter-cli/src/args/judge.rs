//! Arguments of `judge`.

use clap::Subcommand;

use super::LangArg;

#[derive(Debug, Subcommand)]
pub(crate) enum JudgeAction {
    /// Judge a share of a run again: how far does the judge agree with itself?
    Wobble(WobbleArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct WobbleArgs {
    /// The run: its id, the beginning of it, or `latest`.
    pub(crate) run: String,
    /// The share of its cases that is judged again, drawn by the run's seed.
    #[arg(long, value_name = "SHARE", default_value = "0.1", value_parser = super::share)]
    pub(crate) share: f64,
    /// How often each record is judged, the run's own time included.
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u8).range(2..=50))]
    pub(crate) repeats: u8,
    /// The judge, `openai:MODEL`; the run's own if left out.
    #[arg(long, value_name = "MODEL")]
    pub(crate) judge: Option<String>,
    /// The endpoint of `openai:…`, up to and with /v1.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Calls in flight to begin with; cut when the endpoint says 429.
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) concurrency: u16,
    /// Most calls to the judge.
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<u64>,
    /// The language; that of most cases if left out.
    #[arg(long, value_enum)]
    pub(crate) lang: Option<LangArg>,
}
