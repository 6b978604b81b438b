//! Metrics over ids through `score`: the numbers of `retrieval` over the same judgements.

use serde_json::{Value, json};

use crate::support::{outcomes, run, write_rows};

/// What trec_eval calls the metrics of records.
const SAME: &[(&str, &str)] = &[
    ("precision_at_5", "P_5"),
    ("recall_at_10", "recall_10"),
    ("hit_rate_at_5", "success_5"),
    ("success_at_1", "success_1"),
    ("mrr", "recip_rank"),
    ("map", "map"),
    ("ndcg_at_10", "ndcg_cut_10"),
    ("r_precision", "Rprec"),
    ("bpref", "bpref"),
    ("err_at_20", "err_20"),
    ("context_precision_by_ids", "set_P"),
    ("context_recall_by_ids", "set_recall"),
];

#[test]
fn metrics_over_ids_are_those_of_the_same_run_and_judgements() {
    let folder = tempfile::tempdir().expect("a folder");
    let goldens = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../ragmeter-metrics/goldens/retrieval");
    let (run_file, qrels) = (goldens.join("graded.run"), goldens.join("graded.qrels"));
    let (run_file, qrels) = (run_file.display().to_string(), qrels.display().to_string());
    let topics: String = (0..24).map(|n| format!("q{n}\tWhat is {n}?\n")).collect();
    std::fs::write(folder.path().join("topics.tsv"), topics).expect("written");
    for args in [
        ["import", "trec-qrels", &qrels, "--topics", "topics.tsv", "--out", "cases.jsonl"],
        ["import", "trec-run", &run_file, "--testset", "cases.jsonl", "--out", "run.jsonl"],
    ] {
        let done = run(folder.path(), &args);
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    let list = |at: fn(&(&'static str, &'static str)) -> &'static str| -> String {
        SAME.iter().map(at).collect::<Vec<_>>().join(",")
    };
    let args = ["score", "run.jsonl", "--metrics", &list(|one| one.0), "--out", "out.jsonl"];
    let done = run(folder.path(), &args);
    assert_eq!(done.code, Some(0), "{done:?}");
    let args = ["retrieval", "--run", &run_file, "--qrels", &qrels, "--format", "json"];
    let whole = run(folder.path(), &[&args[..], &["--metrics", &list(|one| one.1)]].concat()).ok();
    let queries = whole["per_query"].as_object().expect("queries");
    let (mut compared, mut without) = (0, 0);
    let records = outcomes(&folder.path().join("out.jsonl"));
    for (query, values) in queries {
        for (ours, theirs) in SAME {
            let outcome = &records[query][*ours];
            match outcome["value"].as_f64() {
                Some(value) => {
                    let golden = values[*theirs].as_f64().expect("a number");
                    assert!((value - golden).abs() < 1e-12, "{query}: {ours}: {value}, {golden}");
                    compared += 1;
                }
                // trec_eval's 0 of a query without relevant documents is no number here.
                None => {
                    assert_eq!(outcome["status"], "not_applicable", "{query} {ours}: {outcome}");
                    assert_eq!(values[*theirs].as_f64(), Some(0.0), "{query} {ours}");
                    without += 1;
                }
            }
        }
    }
    assert!(compared > 100 && without > 0, "{compared} compared, {without} without");
}

#[test]
fn absent_ids_are_no_number_and_nothing_retrieved_is_zero() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: Vec<Value> = vec![
        json!({ "id": "empty", "question": "Где маяк?", "contexts": [], "reference_context_ids": ["a"] }),
        json!({ "id": "nameless", "question": "Где маяк?", "contexts": ["На мысе."], "reference_context_ids": ["a"] }),
        json!({ "id": "unjudged", "question": "Where?", "contexts": [{ "id": "a", "text": "There." }] }),
        json!({ "id": "twice", "question": "Where?", "reference_context_ids": ["a", "b"],
            "contexts": [{ "id": "x", "text": "." }, { "id": "x", "text": "." }, { "id": "a", "text": "There." }] }),
    ];
    write_rows(&folder.path().join("rows.jsonl"), &rows);
    let metrics = "mrr,precision_at_2,context_recall_by_ids";
    let done =
        run(folder.path(), &["score", "rows.jsonl", "--metrics", metrics, "--out", "out.jsonl"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let records = outcomes(&folder.path().join("out.jsonl"));
    for metric in metrics.split(',') {
        assert_eq!(records["empty"][metric]["value"], 0.0, "{metric}");
        assert_eq!(records["nameless"][metric]["reason"], "the contexts have no ids", "{metric}");
        let reason = records["unjudged"][metric]["reason"].as_str().unwrap_or_default();
        assert!(reason.contains("reference_context_ids"), "{metric}: {reason}");
        // The repeated id counts once: `a` stands second.
        assert_eq!(records["twice"][metric]["value"], 0.5, "{metric}");
    }
}
