//! Metrics that need no judge, through the built binary.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{outcomes, run, summary, write_rows};

/// Nobody listens there; to ask would fail, and take its time over it.
const NOWHERE: &str = "http://127.0.0.1:9/v1";

const GOLDENS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../ragmeter-metrics/goldens/lexical.json");

/// Scores rows by these metrics with a judge that cannot be reached; what is printed, and the
/// outcomes.
#[track_caller]
fn score(rows: &[Value], metrics: &str) -> (Value, BTreeMap<String, Value>) {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), rows);
    let judge = ["--judge", "openai:m", "--embedder", "openai:e", "--base-url", NOWHERE];
    let args =
        ["score", "rows.jsonl", "--metrics", metrics, "--format", "json", "--out", "out.jsonl"];
    let done = run(folder.path(), &[&args[..], &judge].concat()).ok();
    assert_eq!(done["calls"], json!({ "chat": 0, "embeddings": 0, "cached": 0 }));
    (done, outcomes(&folder.path().join("out.jsonl")))
}

#[track_caller]
fn value(scores: &Value, metric: &str) -> f64 {
    scores[metric]["value"].as_f64().unwrap_or_else(|| panic!("{metric}: {scores}"))
}

fn rows_of(pairs: &[(&str, &str)]) -> Vec<Value> {
    let row = |(n, (reference, answer)): (usize, &(&str, &str))| json!({ "id": format!("{n}"), "question": "Which?", "reference": reference, "answer": answer });
    pairs.iter().enumerate().map(row).collect()
}

/// The goldens are what sacreBLEU, rouge-score, rapidfuzz and SQuAD's script say.
#[test]
fn no_judge_is_asked_and_values_are_those_of_the_libraries() {
    let goldens = std::fs::read_to_string(Path::new(GOLDENS)).expect("a committed file");
    let goldens: Vec<Value> = serde_json::from_str(&goldens).expect("JSON");
    let pairs: Vec<(&str, &str)> = goldens
        .iter()
        .map(|row| {
            (row["reference"].as_str().expect("text"), row["answer"].as_str().expect("text"))
        })
        .collect();
    let metrics: Vec<&String> = goldens[0]["values"].as_object().expect("values").keys().collect();
    let list = metrics.iter().map(|metric| metric.as_str()).collect::<Vec<_>>().join(",");
    let (whole, scores) = score(&rows_of(&pairs), &list);
    for (n, golden) in goldens.iter().enumerate() {
        for metric in &metrics {
            let outcome = &scores[&n.to_string()][metric.as_str()];
            match golden["values"][metric.as_str()].as_f64() {
                Some(expected) => {
                    let near =
                        outcome["value"].as_f64().is_some_and(|v| (v - expected).abs() < 1e-9);
                    assert!(near, "{metric}, {golden}: {outcome}");
                }
                None if golden["answer"] == "" => assert_eq!(outcome["value"], 0.0),
                None => assert_eq!(outcome["status"], "not_applicable", "{metric}, {golden}"),
            }
        }
    }
    let mean = |metric: &str| summary(&whole, "recorded", metric)["mean"].as_f64().expect("a mean");
    let of = |golden: &Value| golden["values"]["bleu"].as_f64().expect("a number");
    let expected = goldens.iter().map(of).sum::<f64>() / goldens.len() as f64;
    assert!((mean("bleu") - expected).abs() < 1e-9);
}

#[test]
fn one_other_word_moves_every_metric_of_texts() {
    let right = "The ferry leaves the northern pier at nine in the morning.";
    let wrong = "The ferry leaves the northern pier at ten in the morning.";
    let metrics = "bleu,chrf,chrf_pp,rouge_1,rouge_2,rouge_l,exact_match,exact_match_normalized,\
                   token_f1,string_presence,levenshtein_similarity,hamming_similarity,\
                   jaro_similarity,jaro_winkler_similarity";
    let (_, scores) = score(&rows_of(&[(right, right), (right, wrong)]), metrics);
    for metric in metrics.split(',') {
        assert!((value(&scores["0"], metric) - 1.0).abs() < 1e-12, "{metric}: {}", scores["0"]);
        assert!(value(&scores["1"], metric) < 0.999, "{metric}: {}", scores["1"]);
        let said = scores["1"][metric]["explanation"].as_str().expect("words");
        assert!(!said.is_empty(), "{metric}");
    }
}

#[test]
fn russian_is_scored_like_english() {
    let (_, scores) = score(
        &rows_of(&[(
            "Билет на паром куплен за сорок рублей.",
            "Билеты на паром куплены за сорок рублей!",
        )]),
        "rouge_1,rouge_l,chrf,token_f1,exact_match_normalized",
    );
    // rouge-score drops every Cyrillic letter and says 0.
    assert!((value(&scores["0"], "rouge_1") - 1.0).abs() < 1e-12);
    assert!((value(&scores["0"], "rouge_l") - 1.0).abs() < 1e-12);
    assert!((value(&scores["0"], "token_f1") - 5.0 / 7.0).abs() < 1e-12);
    assert!(value(&scores["0"], "chrf") > 0.7);
    assert!(value(&scores["0"], "exact_match_normalized").abs() < 1e-12);
}

#[test]
fn contexts_quotations_and_languages_need_no_judge_either() {
    let sun = "The Sun is a star at the centre of the Solar System.";
    let row = |id: &str, answer: &str, contexts: Value| {
        json!({
            "id": id, "question": "What is the Sun?", "answer": answer, "contexts": contexts,
            "reference_contexts": [sun, "Ferries leave the pier at noon."],
        })
    };
    let rows = [
        row("right", "It is “a star at the centre”.", json!(["Cats purr.", sun])),
        row("wrong", "Это «звезда в центре системы».", json!(["Cats purr.", "The Moon."])),
        row("nothing", "A star.", json!([])),
    ];
    let metrics = "context_precision_non_llm,context_recall_non_llm,quoted_spans,language_match";
    let (_, scores) = score(&rows, metrics);
    for (id, expected) in [("right", [0.5, 0.5, 1.0, 1.0]), ("wrong", [0.0; 4])] {
        for (metric, expected) in metrics.split(',').zip(expected) {
            assert!(
                (value(&scores[id], metric) - expected).abs() < 1e-12,
                "{id} {metric}: {scores:?}"
            );
        }
    }
    assert!(value(&scores["nothing"], "context_recall_non_llm").abs() < 1e-12);
    assert!(value(&scores["nothing"], "context_precision_non_llm").abs() < 1e-12);
    assert_eq!(scores["nothing"]["quoted_spans"]["status"], "not_applicable");
}

#[test]
fn tool_calls_of_a_conversation_are_compared() {
    let calls = |limit: u32| {
        json!([
            { "name": "search", "args": { "query": "python", "limit": limit } },
            { "name": "filter", "args": { "type": "recent" } },
        ])
    };
    let row = |id: &str, made: Value| {
        json!({
            "id": id,
            "user_input": [
                { "type": "human", "content": "Find news on Python." },
                { "type": "ai", "content": "Searching.", "tool_calls": made },
                { "type": "tool", "content": "Python 4 is out." },
                { "type": "ai", "content": "Python 4 is out." },
            ],
            "reference_tool_calls": calls(10),
        })
    };
    let rows = [row("right", calls(10)), row("other limit", calls(5)), row("none", json!([]))];
    let (_, scores) = score(&rows, "tool_call_accuracy,tool_call_f1");
    for (id, accuracy, f1) in [("right", 1.0, 1.0), ("other limit", 0.75, 0.5), ("none", 0.0, 0.0)]
    {
        assert!(
            (value(&scores[id], "tool_call_accuracy") - accuracy).abs() < 1e-12,
            "{id}: {scores:?}"
        );
        assert!((value(&scores[id], "tool_call_f1") - f1).abs() < 1e-12, "{id}: {scores:?}");
    }
}

#[test]
fn absent_answers_are_zero_and_absent_fields_no_number() {
    let rows = [
        json!({ "id": "empty", "question": "Which?", "reference": "This one.", "answer": "" }),
        json!({ "id": "failed", "question": "Which?", "reference": "This one.", "error": "timeout" }),
        json!({ "id": "no reference", "question": "Which?", "answer": "This one." }),
        json!({ "id": "no answer", "question": "Which?", "reference": "This one." }),
    ];
    let (whole, scores) = score(&rows, "bleu,chrf,rouge_l,exact_match");
    for metric in ["bleu", "chrf", "rouge_l", "exact_match"] {
        for id in ["empty", "failed"] {
            assert!(value(&scores[id], metric).abs() < 1e-12, "{id} {metric}: {scores:?}");
        }
        for id in ["no reference", "no answer"] {
            assert_eq!(scores[id][metric]["status"], "not_applicable", "{id} {metric}");
        }
        assert_eq!(summary(&whole, "recorded", metric)["n_not_applicable"], 2);
    }
}

#[test]
fn they_are_listed_with_their_cards_and_asked_for_by_name_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = run(folder.path(), &["metrics", "--format", "json"]).ok();
    let free = |one: &&Value| one["facts"].as_array().is_some_and(Vec::is_empty);
    let free: Vec<&str> = (list["metrics"].as_array().expect("a list").iter().filter(free))
        .map(|one| one["id"].as_str().expect("an id"))
        .collect();
    assert!(free.len() >= 20, "{free:?}");
    for id in &free {
        let card = run(folder.path(), &["metrics", "show", id]);
        assert!(card.out.starts_with(&format!("# {id}\n")), "{card:?}");
    }
    let rows = rows_of(&[("This one.", "This one.")]);
    write_rows(&folder.path().join("rows.jsonl"), &rows);
    let done = run(folder.path(), &["score", "rows.jsonl", "--out", "out.jsonl"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let scores = &outcomes(&folder.path().join("out.jsonl"))["0"];
    assert!(scores.get("faithfulness").is_some());
    assert!(free.iter().all(|id| scores.get(id).is_none()), "{scores}");
}

/// Twelve cases, each answered over its first passage and over its first two.
fn nested_rows() -> Vec<Value> {
    let row = |system: &str, k: usize, case: usize| {
        let passages =
            [format!("Oaks {case} stand by the gate."), format!("Boats {case} leave at noon.")];
        json!({
            "id": format!("c{case}"), "system": system, "question": format!("What of {case}?"),
            "answer": format!("Boats {case} leave."), "reference": format!("Boats {case} leave at noon."),
            "contexts": passages[..k], "reference_contexts": [passages[1]],
        })
    };
    let of = |(system, k)| (0..12).map(move |case| row(system, k, case));
    [("k1", 1), ("k2", 2)].into_iter().flat_map(of).collect()
}

#[test]
fn recall_by_text_of_nested_systems_is_reported_and_not_tested() {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &nested_rows());
    let metrics = "context_recall_non_llm,chrf";
    run(folder.path(), &["score", "rows.jsonl", "--metrics", metrics, "--format", "json"]).ok();
    let whole = run(folder.path(), &["compare", "latest", "--format", "json"]).ok();
    let of = |metric: &str| {
        let list = whole["comparisons"].as_array().expect("comparisons");
        list.iter().find(|one| one["metric"] == metric).expect("compared").clone()
    };
    assert_eq!(of("context_recall_non_llm")["verdict"], "nested", "{whole}");
    assert_ne!(of("chrf")["verdict"], "nested", "{whole}");
}

#[test]
fn a_second_judge_is_not_asked_about_what_no_judge_said() {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &nested_rows());
    run(folder.path(), &["score", "rows.jsonl", "--metrics", "chrf", "--format", "json"]).ok();
    let args = ["compare", "latest", "--second-judge", "openai:m", "--base-url", NOWHERE];
    run(folder.path(), &args).refused(2, &["no metric of these runs is a judge's word"]);
}

#[test]
fn what_no_judge_said_is_compared_over_runs_of_other_judges() {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &nested_rows());
    let args = ["score", "rows.jsonl", "--metrics", "chrf,rouge_1", "--format", "json"];
    let id = |judge: &[&str]| {
        let whole = run(folder.path(), &[&args[..], judge].concat()).ok();
        whole["run_id"].as_str().expect("an id").to_owned()
    };
    let ids = [id(&["--judge", "local"]), id(&["--judge", "openai:m", "--base-url", NOWHERE])];
    assert_ne!(ids[0], ids[1]);
    let [a, b] = [format!("{}:k1", ids[0]), format!("{}:k2", ids[1])];
    let whole = run(folder.path(), &["compare", &a, &b, "--format", "json"]).ok();
    assert_eq!(whole["mismatches"][0]["effect"], "refuses_all", "{whole}");
    for one in whole["comparisons"].as_array().expect("comparisons") {
        assert_ne!(one["verdict"], "not_comparable", "{one}");
        assert_eq!(one["difference"], 0.0, "{one}");
    }
}

#[test]
fn a_russian_report_explains_them_in_russian() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut row = json!({
        "question": "Где причал?", "answer": "Сказано: «у старого моста через реку».",
        "reference": "Причал у старого моста, за рекой.", "contexts": ["У старого моста."],
        "reference_contexts": ["У старого моста."], "system": "бот", "id": "1",
    });
    let mut rows = vec![row.clone()];
    row["id"] = json!("2");
    row["answer"] = json!("");
    rows.push(row);
    write_rows(&folder.path().join("rows.jsonl"), &rows);
    let metrics = "bleu,chrf,rouge_1,rouge_2,rouge_l,exact_match,exact_match_normalized,token_f1,\
                   string_presence,levenshtein_similarity,hamming_similarity,jaro_similarity,\
                   jaro_winkler_similarity,language_match,quoted_spans,context_recall_non_llm,\
                   context_precision_non_llm,tool_call_f1";
    run(folder.path(), &["score", "rows.jsonl", "--metrics", metrics, "--format", "json"]).ok();
    run(folder.path(), &["report", "latest", "--lang", "ru", "--out", "report.html"]);
    let page = std::fs::read_to_string(folder.path().join("report.html")).expect("written");
    for said in [
        "токенов в ответе: 8, в эталоне: 8;",
        "средняя точность",
        "общих слов: 4; всего в ответе: 6, в эталоне: 6",
        "общих слов: 3; всего в ответе: 6, в эталоне: 6",
        "общих пар слов: 2;",
        "слов, общих по порядку: 4;",
        "различаются начиная с символа 1",
        "после нормализации слова другие",
        "эталона в ответе нет",
        "правок: ",
        "позиций с разными символами: ",
        "символов в ответе: 38, в эталоне: 33; совпадает первых: 0",
        "язык вопроса: ru, язык ответа: ru",
        "цитат найдено: 0 из 1; не найдены: у старого моста через реку",
        "эталонных контекстов найдено: 1 из 1",
        "места контекстов, похожих на эталонные: 1; всего контекстов: 1",
        "у примера нет эталонных вызовов инструментов",
        "ответ пуст",
    ] {
        assert!(page.contains(said), "{said}");
    }
    assert!(!page.contains(r#"<span lang="en" dir="auto">"#), "a phrase stands in English");
}
