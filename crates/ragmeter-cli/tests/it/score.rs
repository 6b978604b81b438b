//! The contract of `ragmeter score`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Done, Endpoint, Faults, outcomes, records, run, summary, write_rows};

const SUN: &str = "The Sun is a star.";

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn set<const N: usize>(names: [&'static str; N]) -> BTreeSet<&'static str> {
    BTreeSet::from(names)
}

/// Scores rows with the local judge; the command's end and the rows of `--out`.
fn local(rows: &[Value], more: &[&str]) -> (Done, std::collections::BTreeMap<String, Value>) {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), rows);
    let fixed = ["score", "rows.jsonl", "--format", "json", "--out", "out.jsonl"];
    let done = run(folder.path(), &[&fixed, more].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(folder.path().join(".ragmeter/ragmeter.sqlite").exists(), "the default store");
    (done, outcomes(&folder.path().join("out.jsonl")))
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let other =
        json!({ "question": "What is the Moon?", "answer": "I don't know.", "contexts": [SUN] });
    let sun = json!({ "question": "What is the Sun?", "answer": SUN, "contexts": [SUN] });
    let mut rows = Vec::new();
    for system in ["a", "b"] {
        for (id, row) in [("1", &sun), ("2", &other)] {
            let mut row = row.clone();
            row["system"] = json!(system);
            row["id"] = json!(id);
            rows.push(row);
        }
    }
    let (done, _) = local(&rows, &[]);
    let whole = done.json();
    for key in ["run_id", "systems", "comparisons", "calls", "tokens"] {
        assert!(keys(&whole).contains(key), "no {key} in {whole}");
    }
    assert!(whole["run_id"].is_string());
    assert_eq!(keys(&whole["calls"]), set(["chat", "embeddings", "cached"]));
    assert!(keys(&whole["tokens"]).is_superset(&set(["input", "output"])));
    let systems = whole["systems"].as_array().expect("a list");
    assert_eq!(
        systems.iter().map(|one| one["name"].as_str()).collect::<Vec<_>>(),
        [Some("a"), Some("b")]
    );
    for summary in systems.iter().flat_map(|one| one["summaries"].as_array().expect("a list")) {
        let contract =
            set(["metric", "mean", "interval", "n_scored", "n_not_applicable", "n_failed"]);
        assert!(keys(summary).is_superset(&contract), "{summary}");
        let count = |key: &str| summary[key].as_u64().expect("a count");
        assert_eq!(count("n_scored") + count("n_not_applicable") + count("n_failed"), 2);
        if count("n_scored") == 0 {
            assert!(summary["mean"].is_null() && summary["interval"].is_null(), "{summary}");
        } else {
            let bound = |at: usize| summary["interval"][at].as_f64().expect("a bound");
            assert!(bound(0) < bound(1), "an interval has a width: {summary}");
        }
    }
    assert!(!whole["comparisons"].as_array().expect("a list").is_empty());
}

#[test]
fn out_has_one_typed_outcome_for_each_metric() {
    let row =
        json!({ "id": "sun", "question": "What is the Sun?", "answer": SUN, "contexts": [SUN] });
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &[row]);
    let args = "score rows.jsonl --metrics faithfulness,context_recall --out out.jsonl";
    let done = run(folder.path(), &args.split(' ').collect::<Vec<_>>());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.out.contains("faithfulness"), "a table by default: {}", done.out);
    let text = std::fs::read_to_string(folder.path().join("out.jsonl")).expect("written");
    let row: Value = serde_json::from_str(text.trim()).expect("one object");
    assert_eq!(keys(&row), set(["id", "judge", "scores"]));
    // Faithfulness brings the companion that keeps absence honest; nothing else is added.
    assert_eq!(keys(&row["scores"]), set(["context_recall", "faithfulness", "refusal_rate"]));
    let scored = &row["scores"]["faithfulness"];
    assert_eq!(keys(scored), set(["explanation", "status", "value"]));
    assert_eq!((&scored["status"], scored["value"].as_f64()), (&json!("scored"), Some(1.0)));
    let absent = &row["scores"]["context_recall"];
    assert_eq!(keys(absent), set(["reason", "status"]));
    assert_eq!(absent["status"], "not_applicable");
    assert!(absent["reason"].as_str().expect("words").contains("reference"));
}

#[test]
fn defaults_are_local_and_call_nobody() {
    let row = json!({ "question": "What is the Sun?", "answer": SUN, "contexts": [SUN], "reference": SUN });
    let (done, scores) = local(&[row], &[]);
    let whole = done.json();
    assert_eq!(whole["calls"], json!({ "chat": 0, "embeddings": 0, "cached": 0 }));
    let metrics = ["answer_relevancy", "context_precision", "context_recall", "faithfulness"];
    for metric in metrics {
        assert_eq!(scores["1"][metric]["status"], "scored", "{metric}: {scores:?}");
        assert_eq!(summary(&whole, "recorded", metric)["n_scored"], 1);
    }
}

/// In a network namespace without any interface, where the system lets a user make one.
#[test]
fn the_local_judge_needs_no_network() {
    let alone = |args: &[&str]| {
        let mut command = std::process::Command::new("unshare");
        command.args(["--map-root-user", "--net"]).args(args);
        command
    };
    if !alone(&["true"]).output().is_ok_and(|done| done.status.success()) {
        eprintln!("skipped: no network namespace can be made here");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &records(2));
    let mut command = alone(&[env!("CARGO_BIN_EXE_ragmeter"), "score", "rows.jsonl"]);
    let done = command.args(["--format", "json"]).current_dir(folder.path()).output();
    let done = done.expect("it starts");
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let whole: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(summary(&whole, "recorded", "answer_relevancy")["n_scored"], 2);
}

#[test]
fn missing_fields_are_not_applicable() {
    let whole = json!({ "question": "What is the Sun?", "answer": SUN, "contexts": [SUN], "reference": SUN });
    let needs = [
        ("answer", ["answer_relevancy", "faithfulness"].as_slice()),
        ("contexts", &["context_precision", "context_recall", "faithfulness"]),
        ("reference", &["context_precision", "context_recall"]),
    ];
    let rows: Vec<Value> = (needs.iter())
        .map(|(field, _)| {
            let mut row = whole.clone();
            row.as_object_mut().expect("an object").remove(*field);
            row["id"] = json!(field);
            row
        })
        .collect();
    let (_, scores) = local(&rows, &[]);
    for (field, metrics) in needs {
        for metric in ["answer_relevancy", "context_precision", "context_recall", "faithfulness"] {
            let outcome = &scores[field][metric];
            if metrics.contains(&metric) {
                assert_eq!(outcome["status"], "not_applicable", "{field} {metric}: {outcome}");
                assert!(outcome["reason"].as_str().expect("words").contains(field), "{outcome}");
                assert!(outcome.get("value").is_none());
            } else {
                assert_eq!(outcome["status"], "scored", "{field} {metric}: {outcome}");
            }
        }
    }
}

#[test]
fn absence_never_helps() {
    let rows = [
        json!({ "id": "no contexts", "question": "What is the Sun?", "answer": SUN, "contexts": [],
                "reference": SUN }),
        json!({ "id": "empty answer", "question": "What is the Sun?", "answer": "", "contexts": [SUN],
                "reference": SUN }),
        json!({ "id": "refusal", "question": "What is the Sun?", "answer": "I don't know.",
                "contexts": [SUN], "reference": SUN }),
    ];
    let (done, scores) = local(&rows, &[]);
    for metric in ["context_recall", "context_precision", "faithfulness"] {
        assert_eq!(scores["no contexts"][metric]["value"], 0.0, "{metric}: {scores:?}");
    }
    assert_eq!(scores["empty answer"]["answer_relevancy"]["value"], 0.0);
    assert_eq!(scores["empty answer"]["faithfulness"]["status"], "not_applicable");
    assert_eq!(scores["refusal"]["faithfulness"]["status"], "not_applicable");
    assert_eq!(scores["refusal"]["refusal_rate"]["value"], 1.0);
    assert_eq!(summary(&done.json(), "recorded", "faithfulness")["n_not_applicable"], 2);
}

#[test]
fn both_namings_of_the_field_say_the_same() {
    let (q, c) = ("What is the Sun?", [SUN, "The Moon is a rock."]);
    let rows = [
        json!({ "id": "ours", "question": q, "answer": SUN, "contexts": c, "reference": SUN }),
        json!({ "id": "theirs", "user_input": q, "response": SUN, "retrieved_contexts": c, "reference": SUN }),
        json!({ "id": "old", "question": q, "answer": SUN, "contexts": c, "ground_truths": [SUN] }),
        json!({ "id": "older", "question": q, "answer": SUN, "contexts": c, "ground_truth": SUN }),
    ];
    let (_, scores) = local(&rows, &[]);
    for id in ["theirs", "old", "older"] {
        assert_eq!(scores[id], scores["ours"], "{id}");
    }
    assert_eq!(scores["ours"]["context_recall"]["value"], 1.0);
}

#[test]
fn a_row_without_an_id_gets_its_line() {
    let row = json!({ "question": "What is the Sun?", "answer": SUN, "contexts": [SUN] });
    let folder = tempfile::tempdir().expect("a folder");
    let text =
        format!("\n{row}\n\n{}\n", json!({ "question": "What is the Moon?", "answer": "A rock." }));
    std::fs::write(folder.path().join("rows.jsonl"), text).expect("written");
    let done = run(folder.path(), &["score", "rows.jsonl", "--out", "out.jsonl"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let scores = outcomes(&folder.path().join("out.jsonl"));
    assert_eq!(scores.keys().collect::<Vec<_>>(), ["2", "4"]);
}

#[test]
fn unknown_words_are_refused_with_a_suggestion() {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &records(1));
    let score = |more: &[&str]| run(folder.path(), &[&["score", "rows.jsonl"], more].concat());
    score(&["--metrics", "faithfullness"])
        .refused(2, &["faithfullness", "did you mean `faithfulness`"]);
    score(&["--judge", "locl"]).refused(2, &["locl", "did you mean `local`"]);
    score(&["--profile", "groupd"]).refused(2, &["groupd", "grouped"]);
    // A remote judge without a key would be refused by its endpoint only after a wait.
    score(&["--judge", "openai:m"]).refused(2, &["OPENAI_API_KEY"]);
    run(folder.path(), &["score", "absent.jsonl"]).refused(2, &["absent.jsonl"]);
}

#[test]
fn a_remote_judge_and_embedder_cost_four_calls_a_record() {
    let endpoint = Endpoint::start(Faults::default());
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &records(6));
    let metrics = "faithfulness,answer_relevancy,context_precision,context_recall";
    let args = [
        "score",
        "rows.jsonl",
        "--metrics",
        metrics,
        "--judge",
        "openai:m",
        "--embedder",
        "openai:e",
        "--base-url",
        &endpoint.url,
        "--format",
        "json",
        "--store",
        "other",
        "--out",
        "out.jsonl",
    ];
    let first = run(folder.path(), &args).ok();
    assert_eq!(first["calls"]["chat"], 24, "{first}");
    assert_eq!(endpoint.paid(), 24);
    assert!(first["calls"]["embeddings"].as_u64().is_some_and(|calls| (1..=2).contains(&calls)));
    assert!(first["tokens"]["input"].as_u64() > Some(0));
    assert!(folder.path().join("other/ragmeter.sqlite").exists());
    let values: BTreeSet<String> = (outcomes(&folder.path().join("out.jsonl")).values())
        .map(|scores| scores["faithfulness"]["value"].to_string())
        .collect();
    assert!(values.len() > 1, "verdicts reach the scores: {values:?}");
    let again = run(folder.path(), &args).ok();
    assert_eq!((&again["calls"]["chat"], endpoint.paid()), (&json!(0), 24));
    assert_eq!(again["systems"], first["systems"]);
    let split = run(folder.path(), &[&args[..], &["--profile", "split"]].concat()).ok();
    assert!(split["calls"]["chat"].as_u64() > Some(24), "one fact a call: {}", split["calls"]);
}
