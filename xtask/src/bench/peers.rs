//! `bench peers`: ragmeter, RAGAS and deepeval before the same stand-in endpoint, one after the
//! other.
//!
//! The stand-in (`mock_openai.mjs`) and the peers' scripts (`ragas_baseline.py`,
//! `deepeval_baseline.py`) are not in this repository; their folder is an argument, and so is the
//! Python that has each peer installed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::long_answers::long_answers;
use super::measured::{Measured, measured};

const PORT: u16 = 18_080;
const DELAY_MS: u32 = 200;
const CONTEXTS: usize = 5;
/// Stands before the number of a record in each of its texts.
pub(super) const MARK: &str = "record-";
pub(super) const FOUR: &str = "faithfulness,answer_relevancy,context_precision,context_recall";
pub(super) const THREE: &str = "faithfulness,context_precision,context_recall";

/// What is run, in the order of the table: metrics, calls in flight, records.
const OURS: [(&str, usize, usize); 5] =
    [(FOUR, 16, 300), (FOUR, 20, 300), (FOUR, 128, 2000), (THREE, 16, 300), (THREE, 128, 2000)];
const RAGAS: [(&str, usize, usize); 4] =
    [(FOUR, 16, 100), (FOUR, 128, 100), (THREE, 16, 200), (THREE, 128, 500)];
const DEEPEVAL: (&str, usize, usize) = (FOUR, 20, 50);

/// Runs the comparison and prints a Markdown table. `args`:
/// `--bench DIR [--ragas PYTHON] [--deepeval PYTHON] [--binary FILE]`.
pub(crate) fn peers(args: &[&str]) -> Result<()> {
    let folder = option(args, "--bench").map(PathBuf::from);
    let folder = folder.context("give --bench DIR, with mock_openai.mjs in it")?;
    let binary = build(args)?;
    let work = std::env::temp_dir().join("ragmeter-bench");
    std::fs::create_dir_all(&work)?;
    let _endpoint = Endpoint::start(&folder)?;
    println!(
        "| tool | metrics | in flight | records/s | chat calls/record | embedding calls/record | prompt characters/record | CPU ms/record | peak memory |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    if let Some(python) = option(args, "--ragas") {
        for row in RAGAS {
            peer_row("ragas", python, &folder.join("ragas_baseline.py"), row)?;
        }
    }
    if let Some(python) = option(args, "--deepeval") {
        peer_row("deepeval", python, &folder.join("deepeval_baseline.py"), DEEPEVAL)?;
    }
    for (metrics, in_flight, records) in OURS {
        ours(&binary, &work, records, &Target { port: PORT, in_flight, metrics })?;
    }
    long_answers(&binary, &work)
}

/// The value after an option.
pub(super) fn option<'a>(args: &[&'a str], name: &str) -> Option<&'a str> {
    let at = args.iter().position(|arg| *arg == name)?;
    args.get(at + 1).copied()
}

/// The binary named by `--binary`, else one built now: optimised for release with `--release`.
pub(super) fn build(args: &[&str]) -> Result<PathBuf> {
    if let Some(binary) = option(args, "--binary") {
        return Ok(PathBuf::from(binary));
    }
    let release = args.contains(&"--release");
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--bin", "ragmeter"]);
    if release {
        cargo.arg("--release");
    }
    if !cargo.status()?.success() {
        bail!("ragmeter does not build");
    }
    let metadata =
        Command::new("cargo").args(["metadata", "--format-version=1", "--no-deps"]).output()?;
    let metadata: Value = serde_json::from_slice(&metadata.stdout)?;
    let target = metadata["target_directory"].as_str().context("no target folder")?;
    Ok(Path::new(target).join(if release { "release" } else { "debug" }).join("ragmeter"))
}

struct Endpoint(Child);

impl Endpoint {
    fn start(folder: &Path) -> Result<Self> {
        let child = Command::new("node")
            .arg(folder.join("mock_openai.mjs"))
            .args([PORT.to_string(), DELAY_MS.to_string()])
            .stdout(Stdio::null())
            .spawn()
            .context("node is needed for the stand-in endpoint")?;
        std::thread::sleep(std::time::Duration::from_secs(1));
        Ok(Self(child))
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn endpoint(path: &str) -> Result<Value> {
    let url = format!("http://127.0.0.1:{PORT}/{path}");
    let output = Command::new("curl").args(["-s", &url]).output()?;
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// One row of a script of the folder: it prints its own figures, as they leave its imports out.
fn peer_row(
    tool: &str,
    python: &str,
    script: &Path,
    (metrics, in_flight, records): (&str, usize, usize),
) -> Result<()> {
    let mut command = Command::new(python);
    command.arg(script).args([records, CONTEXTS, in_flight].map(|n| n.to_string()));
    if metrics == THREE {
        command.arg("three");
    }
    let done = measured(command.env("BASE", format!("http://127.0.0.1:{PORT}/v1")))?;
    let line = done.out.lines().rev().find(|line| line.contains("samples_per_s"));
    let line = line.with_context(|| format!("{tool} printed no figures: {}", done.out))?;
    let result: Value = serde_json::from_str(line)?;
    let used = Used {
        wall: number(&result["wall"])?,
        cpu: number(&result["cpu"])?,
        memory: number(&result["rss_mb"])?,
    };
    let version = version(tool, python)?;
    row(&format!("{tool} {version}"), metrics, in_flight, records, &used, &result["stats"])
}

fn version(package: &str, python: &str) -> Result<String> {
    let script = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))";
    Ok(measured(Command::new(python).args(["-c", script, package]))?.out.trim().to_owned())
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().context("a number is missing in the result")
}

/// What the work took.
pub(super) struct Used {
    /// Seconds.
    pub(super) wall: f64,
    /// Seconds.
    pub(super) cpu: f64,
    /// MiB.
    pub(super) memory: f64,
}

/// What records are scored against.
pub(super) struct Target {
    pub(super) port: u16,
    pub(super) in_flight: usize,
    pub(super) metrics: &'static str,
}

fn ours(binary: &Path, work: &Path, records: usize, target: &Target) -> Result<()> {
    let file = work.join("records.jsonl");
    std::fs::write(&file, sample(records))?;
    endpoint("reset")?;
    let used = score(binary, work, &file, target)?;
    row("ragmeter", target.metrics, target.in_flight, records, &used, &endpoint("stats")?)
}

/// Scores a file into a new store.
pub(super) fn score(binary: &Path, work: &Path, file: &Path, target: &Target) -> Result<Used> {
    let _ = std::fs::remove_dir_all(work.join("store"));
    score_again(binary, work, file, target)
}

/// The same into the store that is there.
pub(super) fn score_again(
    binary: &Path,
    work: &Path,
    file: &Path,
    target: &Target,
) -> Result<Used> {
    let mut command = Command::new(binary);
    command
        .arg("score")
        .arg(file)
        .args(["--metrics", target.metrics, "--judge", "openai:mock", "--embedder", "openai:mock"])
        .args(["--base-url", &format!("http://127.0.0.1:{}/v1", target.port)])
        .args(["--concurrency", &target.in_flight.to_string(), "--format", "json", "--store"])
        .arg(work.join("store"));
    let Measured { wall, cpu, memory, .. } = measured(&mut command)?;
    Ok(Used { wall, cpu, memory })
}

fn row(
    tool: &str,
    metrics: &str,
    in_flight: usize,
    records: usize,
    used: &Used,
    stats: &Value,
) -> Result<()> {
    let n = records as f64;
    let a_record = |name: &str| number(&stats[name]).map(|count| count / n);
    println!(
        "| {tool} | {} | {in_flight} | {:.2} | {:.2} | {:.3} | {:.0} | {:.2} | {:.0} MiB |",
        if metrics == FOUR { "four" } else { "three" },
        n / used.wall,
        a_record("chat")?,
        a_record("embeddings")?,
        a_record("prompt_chars")?,
        1000.0 * used.cpu / n,
        used.memory
    );
    Ok(())
}

pub(super) fn sample(records: usize) -> String {
    let context =
        "The Sun is the star at the centre of the Solar System. It is a ball of hot plasma, \
        heated by fusion in its core, and gives off light, ultraviolet and infrared radiation that \
        carry most of the energy for life on Earth. "
            .repeat(3);
    let mut out = String::new();
    for i in 0..records {
        let contexts: Vec<String> =
            (0..CONTEXTS).map(|j| format!("{context}{j}, {MARK}{i}")).collect();
        let record = json!({
            "id": i.to_string(),
            "user_input": format!("What is the Sun? {MARK}{i}"),
            "response": format!("The Sun is a star at the centre of the Solar System that revolves \
                around the Earth, providing light and heat. {MARK}{i}"),
            "retrieved_contexts": contexts,
            "reference": format!("The Sun is a star at the centre of the Solar System, {MARK}{i}."),
        });
        let _ = writeln!(out, "{record}");
    }
    out
}
