//! The repository's own automation: `cargo xtask <task>`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task talks to the person who runs it"
)]

mod bench;
mod bench_stats;
mod coverage;
mod coverage_data;
mod coverage_page;
mod dist;
mod elf;
mod layers;
mod metadata;
mod sources;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask tidy            check crate edges, exclusive dependencies and the shape of the sources
cargo xtask dist [--check]  build the static release binary into dist/; --check also runs it in an empty root
cargo xtask bench peers --bench DIR [--ragas PYTHON] [--deepeval PYTHON] [--release | --binary FILE]
                            ragmeter, RAGAS and deepeval before the stand-in endpoint of DIR
cargo xtask bench cached [--records N] [--release | --binary FILE]
                            records that were judged before, scored again and by other metrics
cargo xtask bench lexical --python PYTHON [--records N] [--release | --binary FILE]
                            metrics that need no judge beside ranx and sacreBLEU, on one file
cargo xtask bench stats --python PYTHON [--metrics N]
                            the statistics of a comparison against scipy, on the same arrays
cargo xtask coverage [--quick]
                            how often the default intervals hold the truth, into docs/intervals.md";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["tidy"] => tidy::run(),
        ["dist"] => dist::run(false),
        ["dist", "--check"] => dist::run(true),
        ["bench", "peers", rest @ ..] => bench::peers(rest),
        ["bench", "cached", rest @ ..] => bench::cached(rest),
        ["bench", "lexical", rest @ ..] => bench::lexical(rest),
        ["bench", "stats", rest @ ..] => bench_stats::run(rest),
        ["coverage", rest @ ..] => coverage::run(rest),
        _ => bail!("unknown task\n{USAGE}"),
    }
}
