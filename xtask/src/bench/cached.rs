//! `bench cached`: a large file whose facts a model judged before, scored again.

use std::sync::PoisonError;

use anyhow::{Context as _, Result, bail};

use super::long_answers::stand_in;
use super::peers::{THREE, Target, build, option, sample, score, score_again};

/// Calls in flight.
const IN_FLIGHT: usize = 16;
const CLAIMS: usize = 4;

/// Scores a file cold, then by other metrics over the same facts, then by those again, and prints
/// a table; an error if anything was asked twice. `args`: `[--records N]`.
pub(crate) fn cached(args: &[&str]) -> Result<()> {
    let records: usize =
        option(args, "--records").unwrap_or("100000").parse().context("--records")?;
    let binary = build(args)?;
    let work = std::env::temp_dir().join("ragmeter-bench-cached");
    let _ = std::fs::remove_dir_all(&work);
    std::fs::create_dir_all(&work)?;
    let (port, calls) = stand_in(CLAIMS..=CLAIMS)?;
    let asked = || calls.lock().unwrap_or_else(PoisonError::into_inner).values().sum::<usize>();
    let file = work.join("cached.jsonl");
    std::fs::write(&file, sample(records))?;
    println!("| {records} records | chat calls | wall s | CPU s | peak memory |");
    println!("|---|---|---|---|---|");
    let target = |metrics| Target { port, in_flight: IN_FLIGHT, metrics };
    let mut before = 0;
    for (what, metrics) in [
        ("judged by three metrics", THREE),
        ("by other metrics over the same facts", OTHERS),
        ("by those again", OTHERS),
    ] {
        let used = if before == 0 {
            score(&binary, &work, &file, &target(metrics))?
        } else {
            score_again(&binary, &work, &file, &target(metrics))?
        };
        println!(
            "| {what} | {} | {:.1} | {:.1} | {:.0} MiB |",
            asked() - before,
            used.wall,
            used.cpu,
            used.memory
        );
        if before > 0 && asked() > before {
            bail!("facts that were in the store were asked for again");
        }
        before = asked();
    }
    let _ = std::fs::remove_dir_all(&work);
    Ok(())
}

/// Functions of the facts that the three rest on.
const OTHERS: &str = "faithfulness,context_precision,refusal_rate";
