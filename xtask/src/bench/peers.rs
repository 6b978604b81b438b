//! `bench peers`: ragmeter and RAGAS before the same stand-in endpoint, in one run.
//!
//! The stand-in (`mock_openai.mjs`) and the RAGAS script (`ragas_baseline.py`) are not in this
//! repository; their folder is an argument, and so is the Python that has RAGAS installed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::long_answers::long_answers;

const PORT: u16 = 18_080;
const DELAY_MS: u32 = 200;
const CONTEXTS: usize = 5;
/// Stands before the number of a record in each of its texts.
pub(super) const MARK: &str = "record-";
pub(super) const FOUR: &str = "faithfulness,answer_relevancy,context_precision,context_recall";
const THREE: &str = "faithfulness,context_precision,context_recall";

/// Runs the comparison and prints a Markdown table. `args`: `--bench DIR [--ragas PYTHON]`.
pub(crate) fn peers(args: &[&str]) -> Result<()> {
    let value = |name: &str| {
        let at = args.iter().position(|arg| *arg == name)?;
        args.get(at + 1).map(PathBuf::from)
    };
    let folder = value("--bench").context("give --bench DIR, with mock_openai.mjs in it")?;
    let ragas = value("--ragas");
    let status = Command::new("cargo").args(["build", "--bin", "ragmeter"]).status()?;
    if !status.success() {
        bail!("ragmeter does not build");
    }
    let metadata =
        Command::new("cargo").args(["metadata", "--format-version=1", "--no-deps"]).output()?;
    let metadata: Value = serde_json::from_slice(&metadata.stdout)?;
    let target = metadata["target_directory"].as_str().context("no target folder")?;
    let binary = Path::new(target).join("debug/ragmeter");
    let work = std::env::temp_dir().join("ragmeter-bench");
    std::fs::create_dir_all(&work)?;
    let _endpoint = Endpoint::start(&folder)?;
    println!(
        "| tool | metrics | in flight | records | records/s | calls/s | chat calls/record | embedding calls/record | prompt characters/record | CPU ms/record |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    if let Some(python) = &ragas {
        for (records, workers, three) in [(100, 16, false), (500, 128, true)] {
            ragas_row(&folder, python, records, workers, three)?;
        }
    }
    for (records, in_flight, metrics) in [(300, 16, FOUR), (2000, 128, THREE)] {
        ours(&binary, &work, records, &Target { port: PORT, in_flight, metrics })?;
    }
    long_answers(&binary, &work)
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

fn ragas_row(
    folder: &Path,
    python: &Path,
    records: usize,
    workers: usize,
    three: bool,
) -> Result<()> {
    let mut command = Command::new(python);
    command.arg(folder.join("ragas_baseline.py")).args([
        records.to_string(),
        CONTEXTS.to_string(),
        workers.to_string(),
    ]);
    if three {
        command.arg("three");
    }
    let output = command.env("BASE", format!("http://127.0.0.1:{PORT}/v1")).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line =
        text.lines().rev().find(|line| line.contains("samples_per_s")).with_context(|| {
            format!("RAGAS failed: {}", String::from_utf8_lossy(&output.stderr))
        })?;
    let result: Value = serde_json::from_str(line)?;
    let (wall, cpu) = (number(&result["wall"])?, number(&result["cpu"])?);
    let metrics = if three { "three" } else { "four" };
    row("RAGAS", metrics, workers, records, wall, cpu, &result["stats"])
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().context("a number is missing in the result")
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
    let (wall, cpu) = score(binary, work, &file, target)?;
    let name = if target.metrics == FOUR { "four" } else { "three" };
    row("ragmeter", name, target.in_flight, records, wall, cpu, &endpoint("stats")?)
}

/// Scores a file into a new store; seconds of wall and of CPU.
pub(super) fn score(
    binary: &Path,
    work: &Path,
    file: &Path,
    target: &Target,
) -> Result<(f64, f64)> {
    let store = work.join("store");
    let _ = std::fs::remove_dir_all(&store);
    let begun = Instant::now();
    let before = children_cpu()?;
    let output = Command::new(binary)
        .arg("score")
        .arg(file)
        .args(["--metrics", target.metrics, "--judge", "openai:mock", "--embedder", "openai:mock"])
        .args(["--base-url", &format!("http://127.0.0.1:{}/v1", target.port)])
        .args(["--concurrency", &target.in_flight.to_string(), "--format", "json", "--store"])
        .arg(&store)
        .output()?;
    if !output.status.success() {
        bail!("ragmeter failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok((begun.elapsed().as_secs_f64(), children_cpu()? - before))
}

/// CPU seconds of all children that have ended, out of /proc (Linux).
fn children_cpu() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = fields[13].parse::<u64>()? + fields[14].parse::<u64>()?;
    Ok(ticks as f64 / 100.0)
}

fn row(
    tool: &str,
    metrics: &str,
    in_flight: usize,
    records: usize,
    wall: f64,
    cpu: f64,
    stats: &Value,
) -> Result<()> {
    let n = records as f64;
    let count = |name: &str| number(&stats[name]);
    println!(
        "| {tool} | {metrics} | {in_flight} | {records} | {:.2} | {:.1} | {:.2} | {:.3} | {:.0} | {:.2} |",
        n / wall,
        count("requests")? / wall,
        count("chat")? / n,
        count("embeddings")? / n,
        count("prompt_chars")? / n,
        1000.0 * cpu / n
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
