//! Killed, stopped, refused and cut off: what was paid for is kept, and nothing is invented.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{
    Done, Endpoint, Faults, command, outcomes, records, run, summary, write_rows,
};

const METRICS: &str = "faithfulness,answer_relevancy,context_precision,context_recall";
const CONCURRENCY: u64 = 4;
/// Calls of an unbroken run for each record.
const CALLS: u64 = 4;

fn arguments<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = [
        "score",
        "rows.jsonl",
        "--metrics",
        METRICS,
        "--judge",
        "openai:m",
        "--embedder",
        "openai:e",
        "--concurrency",
        "4",
        "--format",
        "json",
        "--out",
        "out.jsonl",
        "--base-url",
        url,
    ];
    [&fixed, more].concat()
}

fn folder(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &records(count));
    folder
}

fn start(folder: &Path, args: &[&str]) -> Child {
    command(folder, args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

fn end(child: Child) -> Done {
    let output = child.wait_with_output().expect("the child ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Done { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// What an unbroken run over these rows scores.
fn unbroken(count: usize) -> (Value, BTreeMap<String, Value>) {
    let endpoint = Endpoint::start(Faults::default());
    let folder = folder(count);
    let whole = run(folder.path(), &arguments(&endpoint.url, &[])).ok();
    (whole, outcomes(&folder.path().join("out.jsonl")))
}

/// The counts of every summary add up to the records.
fn assert_adds_up(whole: &Value, count: u64) {
    for summary in whole["systems"][0]["summaries"].as_array().expect("a list") {
        let of = |key: &str| summary[key].as_u64().expect("a count");
        assert_eq!(of("n_scored") + of("n_not_applicable") + of("n_failed"), count, "{summary}");
        let failures = summary["failures"].as_object().expect("classes");
        let named: u64 = failures.values().filter_map(Value::as_u64).sum();
        assert_eq!(named, of("n_failed"), "every failure has a class: {summary}");
    }
}

/// Whatever is scored has the value that it has without faults.
fn assert_nothing_invented(scores: &BTreeMap<String, Value>, truth: &BTreeMap<String, Value>) {
    assert_eq!(scores.keys().collect::<Vec<_>>(), truth.keys().collect::<Vec<_>>());
    for (id, of_record) in scores {
        for (metric, outcome) in of_record.as_object().expect("an object") {
            if outcome["status"] == "failed" {
                assert!(outcome.get("value").is_none() && outcome["reason"].is_string());
            } else {
                assert_eq!(outcome, &truth[id][metric], "{id} {metric}");
            }
        }
    }
}

#[test]
fn killed_five_times_it_pays_only_for_what_was_in_flight() {
    const RECORDS: usize = 30;
    let endpoint =
        Endpoint::start(Faults { delay: Duration::from_millis(20), ..Faults::default() });
    let folder = folder(RECORDS);
    // Seeded: the points differ, and are the same in every run of the test.
    let mut seed: u64 = 7;
    for _ in 0..5 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let paid = endpoint.paid();
        let mut child = start(folder.path(), &arguments(&endpoint.url, &[]));
        assert!(endpoint.wait_for(paid + 1 + (seed >> 33) % 20), "the run went on");
        assert!(child.try_wait().expect("a child").is_none(), "killed while it works");
        child.kill().expect("SIGKILL");
        child.wait().expect("dead");
    }
    let last = run(folder.path(), &arguments(&endpoint.url, &[])).ok();
    let total = RECORDS as u64 * CALLS;
    assert!(last["calls"]["chat"].as_u64() < Some(total), "work was kept: {}", last["calls"]);
    let again = endpoint.paid_again();
    assert!(again <= 5 * CONCURRENCY, "{again} calls were paid twice");
    assert_eq!(endpoint.paid(), total + again, "nothing was asked besides");
    assert_eq!(endpoint.embedded_again(), 0);
    let (whole, truth) = unbroken(RECORDS);
    assert_eq!(outcomes(&folder.path().join("out.jsonl")), truth);
    assert_eq!(last["systems"], whole["systems"]);
}

#[test]
fn ctrl_c_ends_with_130_and_keeps_the_work() {
    const RECORDS: usize = 20;
    let endpoint =
        Endpoint::start(Faults { delay: Duration::from_millis(20), ..Faults::default() });
    let folder = folder(RECORDS);
    let child = start(folder.path(), &arguments(&endpoint.url, &[]));
    assert!(endpoint.wait_for(12), "the run went on");
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &pid]).status().expect("kill");
    assert!(sent.success());
    let stopped = end(child);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let paid = endpoint.paid();
    assert!(paid < RECORDS as u64 * CALLS / 2, "it stopped soon: {paid}");
    let last = run(folder.path(), &arguments(&endpoint.url, &[])).ok();
    assert_eq!(last["calls"]["chat"], RECORDS as u64 * CALLS - paid);
    assert_eq!(endpoint.paid_again(), 0, "what was in flight was waited for and kept");
    assert_eq!(outcomes(&folder.path().join("out.jsonl")), unbroken(RECORDS).1);
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_what_is_under_way() {
    let endpoint = Endpoint::start(Faults { delay: Duration::from_secs(8), ..Faults::default() });
    let folder = folder(4);
    let mut child = start(folder.path(), &arguments(&endpoint.url, &[]));
    // Nothing is answered yet: the first signal waits for it, the second does not.
    std::thread::sleep(Duration::from_secs(2));
    let pid = child.id().to_string();
    let interrupt = || std::process::Command::new("kill").args(["-INT", &pid]).status();
    let begun = Instant::now();
    interrupt().expect("kill");
    std::thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().expect("a child").is_none(), "the first one waits");
    interrupt().expect("kill");
    assert_eq!(end(child).code, Some(130));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn a_spent_budget_ends_with_5_and_the_next_run_pays_the_rest() {
    const RECORDS: usize = 8;
    let endpoint = Endpoint::start(Faults::default());
    let folder = folder(RECORDS);
    let cut = run(folder.path(), &arguments(&endpoint.url, &["--max-calls", "10"]));
    assert_eq!(cut.code, Some(5), "{cut:?}");
    assert_eq!(endpoint.paid(), 10);
    assert_eq!(cut.json()["calls"]["chat"], 10);
    assert_adds_up(&cut.json(), RECORDS as u64);
    assert!(cut.json()["systems"][0]["summaries"].to_string().contains("\"budget"), "{}", cut.out);
    let rest = run(folder.path(), &arguments(&endpoint.url, &[])).ok();
    assert_eq!(rest["calls"]["chat"], RECORDS as u64 * CALLS - 10);
    assert_eq!((endpoint.paid(), endpoint.paid_again()), (RECORDS as u64 * CALLS, 0));
    assert_eq!(rest["run_id"], cut.json()["run_id"]);
    assert_eq!(outcomes(&folder.path().join("out.jsonl")), unbroken(RECORDS).1);
}

#[test]
fn quota_and_broken_replies_change_no_score() {
    const RECORDS: usize = 30;
    let faults = Faults { too_many: 0.2, broken: 0.1, ..Faults::default() };
    let endpoint = Endpoint::start(faults);
    let folder = folder(RECORDS);
    let done = run(folder.path(), &arguments(&endpoint.url, &[]));
    assert!(matches!(done.code, Some(0 | 3)), "{done:?}");
    let (refused, broken) = endpoint.faults();
    assert!(refused >= 15 && broken >= 5, "the endpoint misbehaved: {refused} {broken}");
    assert_adds_up(&done.json(), RECORDS as u64);
    let scores = outcomes(&folder.path().join("out.jsonl"));
    assert_nothing_invented(&scores, &unbroken(RECORDS).1);
    let scored = summary(&done.json(), "recorded", "faithfulness")["n_scored"].as_u64();
    assert!(scored >= Some(RECORDS as u64 * 9 / 10), "repairs work: {scored:?}");
}

#[test]
fn replies_that_stay_broken_are_counted_and_named() {
    const RECORDS: usize = 20;
    let endpoint = Endpoint::start(Faults { broken: 0.7, ..Faults::default() });
    let folder = folder(RECORDS);
    let done = run(folder.path(), &arguments(&endpoint.url, &[]));
    assert_eq!(done.code, Some(3), "{done:?}");
    assert_adds_up(&done.json(), RECORDS as u64);
    let whole = done.json();
    let failed = summary(&whole, "recorded", "faithfulness");
    assert!(failed["n_failed"].as_u64() >= Some(3), "{failed}");
    assert!(failed["failures"]["unparsable"].as_u64() >= Some(3), "{failed}");
    assert_nothing_invented(&outcomes(&folder.path().join("out.jsonl")), &unbroken(RECORDS).1);
}

#[test]
fn an_unreachable_endpoint_ends_the_run_with_3() {
    let folder = folder(10);
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("an address").port()
    };
    let url = format!("http://127.0.0.1:{port}/v1");
    let begun = Instant::now();
    let done = run(folder.path(), &arguments(&url, &[]));
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    assert_eq!(done.code, Some(3), "{done:?}");
    assert_adds_up(&done.json(), 10);
    let whole = done.json();
    let failed = summary(&whole, "recorded", "faithfulness");
    assert_eq!((&failed["n_failed"], &failed["mean"]), (&10.into(), &Value::Null), "{failed}");
    assert_eq!(failed["failures"], serde_json::json!({ "unreachable": 10 }));
    // The work is kept, and when the endpoint is back the run goes on.
    let runs = run(folder.path(), &["runs", "--format", "json"]).ok();
    assert_eq!(runs["runs"][0]["run_id"], done.json()["run_id"]);
    assert_eq!(runs["runs"][0]["status"], "incomplete");
}
