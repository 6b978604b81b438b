//! `bench stats`: what a comparison of 10,000 records computes, against scipy on the same arrays.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use ragmeter_stats::{
    DRAWS, Population, RESAMPLES, holm, mean_interval, paired_test, unbounded_mean_interval,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::{Value, json};

use crate::coverage_data::share;

const RECORDS: usize = 10_000;
const SYSTEMS: usize = 3;
const LEVEL: f64 = 0.95;

/// The same work in scipy: reads the scores, times both functions, writes the times.
const SCIPY: &str = r#"
import json, sys, time
import numpy as np, scipy
from scipy.stats import bootstrap, permutation_test
work = json.load(sys.stdin)
scores = np.asarray(work["scores"])  # metric, system, record
def mean(x, axis): return np.mean(x, axis=axis)
p, ends, flips, boots = [], [], 0.0, 0.0
for metric in scores:
    for a, b in ((0, 1), (0, 2), (1, 2)):
        start = time.perf_counter()
        p.append(permutation_test((metric[b] - metric[a],), mean, permutation_type="samples",
            vectorized=True, n_resamples=work["draws"], batch=500, rng=np.random.default_rng(1)).pvalue)
        flips += time.perf_counter() - start
    for system in metric:
        start = time.perf_counter()
        ends.append(list(bootstrap((system,), np.mean, vectorized=True, method="BCa", batch=500,
            n_resamples=work["resamples"], rng=np.random.default_rng(1)).confidence_interval))
        boots += time.perf_counter() - start
json.dump({"p": p, "ends": ends, "permutation_test": flips, "bootstrap": boots,
    "versions": f"scipy {scipy.__version__}, numpy {np.__version__}"}, sys.stdout)
"#;

/// Runs both and prints a table. `args`: `--python PYTHON [--metrics N]`.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    let value = |name: &str| {
        let at = args.iter().position(|arg| *arg == name)?;
        args.get(at + 1).copied()
    };
    let Some(python) = value("--python").map(PathBuf::from) else {
        bail!("bench stats needs --python PYTHON, an interpreter with scipy installed");
    };
    let metrics = value("--metrics").unwrap_or("10").parse::<usize>().context("--metrics")?;
    ensure!(metrics > 0, "--metrics must be at least 1");
    let scores = scores(metrics);

    let start = Instant::now();
    let mut p = Vec::new();
    for metric in &scores {
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let differences: Vec<f64> =
                metric[b].iter().zip(&metric[a]).map(|(b, a)| b - a).collect();
            p.push(paired_test(&differences, None, Population::TheseDocuments, LEVEL, 1)?.p);
        }
    }
    let flips = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let systems = || scores.iter().flatten();
    for system in systems() {
        mean_interval(system, None, Population::TheseDocuments, LEVEL, 1)?;
    }
    let defaults = start.elapsed().as_secs_f64();
    let adjusted = holm(&p);
    let start = Instant::now();
    let mut ends = Vec::new();
    for system in systems() {
        ends.push(
            unbounded_mean_interval(system, None, Population::TheseDocuments, LEVEL, 1)?.interval,
        );
    }
    let boots = start.elapsed().as_secs_f64();

    let work = json!({ "scores": scores, "draws": DRAWS, "resamples": RESAMPLES });
    let theirs = scipy(&python, &work)?;
    let number = |key: &str| theirs[key].as_f64().context("scipy's times");
    let (their_flips, their_boots) = (number("permutation_test")?, number("bootstrap")?);
    let tests = p.len();
    println!(
        "{RECORDS} records, {SYSTEMS} systems, {metrics} metrics; {}\n\n\
         | what | ragmeter | scipy | ratio |\n|---|---|---|---|\n\
         | {tests} paired sign-flip tests with intervals, {DRAWS} draws | {flips:.2} s | {their_flips:.1} s (p only) | {:.0} |\n\
         | {tests} BCa intervals, {RESAMPLES} resamples | {boots:.2} s | {their_boots:.1} s | {:.0} |\n\
         | {tests} default intervals of means (ragmeter) against BCa (scipy) | {defaults:.3} s | {their_boots:.1} s | {:.0} |\n\
         | all that `compare` computes | {:.2} s | {:.1} s | {:.0} |",
        theirs["versions"].as_str().unwrap_or("?"),
        their_flips / flips,
        their_boots / boots,
        their_boots / defaults,
        flips + defaults,
        their_flips + their_boots,
        (their_flips + their_boots) / (flips + defaults),
    );
    let their_p: Vec<f64> = serde_json::from_value(theirs["p"].clone())?;
    let off = p.iter().zip(&their_p).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let their_ends: Vec<[f64; 2]> = serde_json::from_value(theirs["ends"].clone())?;
    let off_ends = ends
        .iter()
        .zip(&their_ends)
        .map(|(a, b)| (a.low - b[0]).abs().max((a.high - b[1]).abs()))
        .fold(0.0, f64::max);
    let found = adjusted.iter().filter(|p| **p < 1.0 - LEVEL).count();
    println!(
        "\nlargest difference of p: {off:.4}, of an end of a BCa interval: {off_ends:.5}; \
         {found} of {tests} adjusted p below {:.2}",
        1.0 - LEVEL
    );
    Ok(())
}

/// Shares of four claims by metric, system and record; the last system is a little better.
fn scores(metrics: usize) -> Vec<Vec<Vec<f64>>> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let of_system = |random: &mut ChaCha8Rng, system: usize| {
        let chance = if system + 1 == SYSTEMS { 0.855 } else { 0.85 };
        (0..RECORDS).map(|_| share(random, 4, chance)).collect()
    };
    (0..metrics)
        .map(|_| (0..SYSTEMS).map(|system| of_system(&mut random, system)).collect())
        .collect()
}

fn scipy(python: &Path, work: &Value) -> Result<Value> {
    let mut child = Command::new(python)
        .args(["-c", SCIPY])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} does not start", python.display()))?;
    let stdin = child.stdin.take().context("a pipe was asked for")?;
    serde_json::to_writer(stdin, work)?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "scipy's side failed: {}", output.status);
    serde_json::from_slice(&output.stdout).context("scipy's side wrote no JSON")
}
