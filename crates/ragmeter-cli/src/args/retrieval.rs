//! Arguments of `retrieval`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct RetrievalArgs {
    /// The run, lines of `query Q0 document rank score tag`; the rank isn't looked at. May be packed
    /// by gzip.
    #[arg(long, value_name = "FILE")]
    pub(crate) run: PathBuf,
    /// The judgements (qrels), lines of `query iteration document grade`. May be packed by gzip.
    #[arg(long, value_name = "FILE")]
    pub(crate) qrels: PathBuf,
    /// Measures by trec_eval's names, separated by commas (map, P_5, ndcg_cut_10, official, …), or
    /// gdeval's err_K; all of trec_eval's usual ones if left out.
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub(crate) metrics: Vec<String>,
    /// Count judged queries without results as 0, instead of leaving them out.
    #[arg(short, long)]
    pub(crate) complete: bool,
    /// The lowest grade that is relevant.
    #[arg(short, long, value_name = "GRADE", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) level: u32,
    /// Print the measures of each query, too.
    #[arg(short = 'q', long)]
    pub(crate) per_query: bool,
}
