//! Files with more records than are scored at a time: order, sameness and memory.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Endpoint, Faults, command, outcomes, records, run, write_rows};

/// More than two portions of what is scored at a time, and the last one begun only.
const MANY: usize = 2100;

const LEXICAL: &str = "bleu,chrf,levenshtein_similarity,precision_at_2,token_f1";

/// Every record has other scores, so that one in another's place shows.
fn rows(count: usize) -> Vec<Value> {
    let words = |from: usize, to: usize| -> Vec<String> {
        (from..to).map(|n| format!("word{n}")).collect()
    };
    let row = |n: usize| {
        let (same, other) = (1 + n % 43, 1 + n % 47);
        let answer = [words(0, same), words(n + 100, n + 100 + other)].concat().join(" ");
        json!({
            "id": format!("r{n}"), "question": "Which words?", "answer": answer,
            "reference": words(0, 43).join(" "),
            "contexts": [{ "id": format!("c{n}"), "text": "one" }, { "id": "d", "text": "two" }],
            "reference_context_ids": [if n.is_multiple_of(3) { "d".to_owned() } else { format!("x{n}") }],
        })
    };
    (0..count).map(row).collect()
}

fn score(rows: &[Value], times: usize) -> (String, BTreeMap<String, Value>) {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), rows);
    let args = ["score", "rows.jsonl", "--metrics", LEXICAL, "--format", "json", "--out", "out"];
    let printed: Vec<String> = (0..times)
        .map(|_| {
            let done = run(folder.path(), &args);
            done.ok();
            done.out
        })
        .collect();
    assert!(printed.windows(2).all(|two| two[0] == two[1]), "scored again, it says the same");
    (printed[0].clone(), outcomes(&folder.path().join("out")))
}

#[test]
fn each_of_many_records_has_the_outcome_that_it_has_alone() {
    let all = rows(MANY);
    let (_, many) = score(&all, 2);
    assert_eq!(many.len(), MANY);
    // The first and the last of each portion, and of each thread's share of it.
    for at in [0, 511, 512, 1023, 1024, 1535, 1536, 2047, 2048, 2073, 2074, MANY - 1] {
        let (_, alone) = score(&all[at..=at], 1);
        let id = format!("r{at}");
        assert_eq!(alone[&id], many[&id], "{id}");
    }
    let values: Vec<f64> =
        many.values().map(|one| one["bleu"]["value"].as_f64().expect("a score")).collect();
    let mut distinct = values.clone();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    assert!(distinct.len() > 500, "the rows tell a wrong order: {}", distinct.len());
}

/// Facts of a model are asked for once, whichever thread takes the record, and stay with it.
#[test]
fn many_judged_records_are_scored_by_other_metrics_without_a_call() {
    const RECORDS: usize = 1030;
    let endpoint = Endpoint::start(Faults::default());
    let folder = tempfile::tempdir().expect("a folder");
    let rows = records(RECORDS);
    write_rows(&folder.path().join("rows.jsonl"), &rows);
    let score = |file: &str, metrics: &str, out: &str| {
        let args = ["score", file, "--metrics", metrics, "--judge", "openai:m", "--format", "json"];
        let more = ["--base-url", &endpoint.url, "--concurrency", "16", "--out", out];
        run(folder.path(), &[&args[..], &more].concat()).ok()
    };
    let cold = score("rows.jsonl", "faithfulness,context_precision,context_recall", "cold");
    assert!(cold["calls"]["chat"].as_u64() >= Some(RECORDS as u64), "{}", cold["calls"]);
    let warm = score("rows.jsonl", "faithfulness,context_recall", "warm");
    assert_eq!(warm["calls"]["chat"], 0);
    let (cold, warm) =
        (outcomes(&folder.path().join("cold")), outcomes(&folder.path().join("warm")));
    assert_eq!(warm.len(), RECORDS);
    for (id, scores) in &warm {
        for metric in ["faithfulness", "context_recall"] {
            assert_eq!(scores[metric]["status"], "scored", "{id} {metric}");
            assert_eq!(scores[metric], cold[id][metric], "{id} {metric}");
        }
    }
}

/// The texts of a file are in memory about twice at most: as read, and as they come back out of the
/// store. Peak memory is the kernel's word.
#[cfg(target_os = "linux")]
#[test]
fn a_large_file_takes_little_more_memory_than_its_texts() {
    const FILE_MIB: usize = 48;
    const MOST_MIB: usize = 160;
    let folder = tempfile::tempdir().expect("a folder");
    let words = "some words of a long context that nobody reads ".repeat(200);
    let each = words.len() * 5;
    let row = |n: usize| {
        let context = |at: usize| json!({ "id": format!("{n}-{at}"), "text": words });
        let contexts: Vec<Value> = (0..5).map(context).collect();
        json!({
            "id": n.to_string(), "question": "Which?", "answer": format!("Answer {n}."),
            "contexts": contexts, "reference_context_ids": [format!("{n}-1")],
        })
    };
    let rows: Vec<Value> = (0..FILE_MIB * 1024 * 1024 / each).map(row).collect();
    write_rows(&folder.path().join("rows.jsonl"), &rows);
    drop(rows);
    let args = ["score", "rows.jsonl", "--metrics", "mrr,precision_at_5", "--format", "json"];
    let mut child = command(folder.path(), &args)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("the binary starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        if let Some(ended) = child.try_wait().expect("it runs") {
            break ended;
        }
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
        let kib: usize =
            line.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or_default();
        peak = peak.max(kib / 1024);
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    assert!(ended.success());
    assert!(peak > FILE_MIB, "memory was looked at: {peak} MiB");
    assert!(peak < MOST_MIB, "{peak} MiB for a file of {FILE_MIB}");
}
