//! `compare` through the built binary: the verdict in words for planted systems, populations,
//! margins, mismatches, ranks and the second judge.

use std::path::Path;

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Request, Response};
use crate::oracle::{Bench, Truth, planted_folder, read_json};
use crate::support::{run, write_rows};

/// What compare says of one metric.
fn of<'a>(whole: &'a Value, metric: &str) -> &'a Value {
    let list = whole["comparisons"].as_array().expect("comparisons");
    list.iter().find(|one| one["metric"] == metric).expect("the metric is compared")
}

fn compared(folder: &Path, args: &[&str]) -> Value {
    let mut all = vec!["compare", "--store", "store", "--format", "json"];
    all.extend(args);
    run(folder, &all).ok()
}

#[test]
fn every_planted_pair_gets_the_independent_scripts_verdict_and_its_words() {
    let golden = read_json(&planted_folder().join("compare.json"));
    for (at, lang) in ["en", "ru"].into_iter().enumerate() {
        let truth = Truth::load(lang);
        let bench = Bench::new(truth.clone().endpoint());
        let metrics = "faithfulness,context_precision,context_recall,question_coverage";
        bench.score(&truth.jsonl(&truth.systems()), &["--metrics", metrics], 0);
        let mut verdicts = std::collections::BTreeSet::new();
        for (pair, expected) in golden[lang].as_object().expect("pairs") {
            let (a, b) = pair.split_once(' ').expect("two systems");
            let whole = compared(bench.folder(), &[&format!("latest:{a}"), &format!("latest:{b}")]);
            for (metric, expected) in expected.as_object().expect("metrics") {
                let one = of(&whole, metric);
                let at_hand = format!("{lang} {pair} {metric}: {one}");
                assert_eq!(one["verdict"], expected["verdict"], "{at_hand}");
                assert_eq!(one["scored"]["both"], expected["both"], "{at_hand}");
                for (key, at) in
                    [("p", None), ("p_holm", None), ("bounds", Some(0)), ("bounds", Some(1))]
                {
                    let get = |value: &Value| match at {
                        None => value[key].as_f64(),
                        Some(at) => value[key][at].as_f64(),
                    };
                    let (found, wanted) = (get(one), get(expected));
                    let close = match (found, wanted) {
                        (Some(found), Some(wanted)) => (found - wanted).abs() < 1e-9,
                        (found, wanted) => found == wanted,
                    };
                    assert!(close, "{key}: {found:?} and not {wanted:?}: {at_hand}");
                }
                verdicts.insert(expected["verdict"].as_str().expect("a verdict").to_owned());
            }
            // Words for each metric of the pair, told by its title; companions are not in the golden.
            let sentences: Vec<&str> = whole["sentences"]
                .as_array()
                .expect("sentences")
                .iter()
                .filter_map(Value::as_str)
                .collect();
            for (metric, expected) in expected.as_object().expect("metrics") {
                let title = title(metric, at);
                let says = |words: &str| {
                    sentences.iter().any(|one| one.contains(words) && one.contains(title))
                };
                let better = says(
                    &[format!("{b} is better than {a} in"), format!("{b} лучше, чем {a},")][at],
                );
                let worse =
                    says(&[format!("{b} is worse than {a} in"), format!("{b} хуже, чем {a},")][at]);
                let expected = expected["verdict"].as_str();
                let said = (better, worse);
                let wanted = (expected == Some("better"), expected == Some("worse"));
                assert_eq!(said, wanted, "{lang} {pair} {metric}: {sentences:?}");
            }
        }
        assert!(verdicts.len() >= 5, "the planted set has all kinds: {verdicts:?}");
    }
}

#[test]
fn a_refusing_system_wins_and_loses_nothing_by_what_it_did_not_say() {
    let truth = Truth::load("en");
    let bench = Bench::new(truth.clone().endpoint());
    bench.score(&truth.jsonl(&["faithful", "refusing"]), &["--metrics", "faithfulness"], 0);
    let whole = compared(bench.folder(), &["latest"]);
    let one = of(&whole, "faithfulness");
    assert_eq!((&one["scored"]["only_a"], &one["n_refused_b"]), (&9.into(), &9.into()));
    assert!(one["bounds"][0].as_f64() < Some(0.0) && one["bounds"][1].as_f64() >= Some(0.0));
    assert_eq!(of(&whole, "refusal_rate")["verdict"], "worse");
}

/// A metric's title in English (0) or in Russian (1).
fn title(metric: &str, lang: usize) -> &'static str {
    match metric {
        "faithfulness" => ["Faithfulness", "Достоверность (faithfulness)"][lang],
        "context_precision" => ["Context precision", "Точность контекстов"][lang],
        "context_recall" => ["Context recall", "Полнота контекстов"][lang],
        _ => ["Question coverage", "Полнота ответа на вопрос"][lang],
    }
}

/// Records of two systems over cases of so many documents. The judge believes an answer that says
/// "oak" and no other, so that `good` is right in every case and `bad` in every `every`-th.
fn rows(cases: usize, documents: usize, every: usize) -> Vec<Value> {
    let mut rows = Vec::new();
    for (system, right) in [("good", 1), ("bad", every)] {
        for case in 0..cases {
            let wood = if case % right == 0 { "oak" } else { "tin" };
            rows.push(json!({
                "id": format!("c{case}"), "system": system, "source": format!("doc-{}", case % documents),
                "question": format!("What is gate {case} made of?"),
                "answer": format!("Gate {case} is made of {wood}."),
                "contexts": [format!("Gate {case} is made of oak.")],
            }));
        }
    }
    rows
}

/// Extracts the answer as one claim and supports it if it says `believed`.
fn judge(believed: &'static str) -> Endpoint {
    Endpoint::start(move |request: &Request| -> Response {
        let reply = if request.group().as_str() == "extract" {
            let answer = request.tagged("answer").remove(0);
            json!({ "kind": "answered", "claims": [{ "text": answer, "span": "" }] })
        } else {
            let claims = request.tagged("claim");
            let verdicts = claims.iter().enumerate().map(|(at, claim)| {
                let verdict = if claim.contains(believed) { "supported" } else { "absent" };
                json!({ "claim": at + 1, "quote": "", "contexts": [1], "verdict": verdict })
            });
            json!({ "verdicts": verdicts.collect::<Vec<_>>() })
        };
        request.reply(&reply.to_string())
    })
}

/// A folder in which these rows were scored by a judge who believes in oak.
fn scored(rows: &[Value]) -> (tempfile::TempDir, Endpoint) {
    let folder = tempfile::tempdir().expect("a folder");
    let endpoint = judge("oak");
    score(folder.path(), rows, &endpoint, "oak");
    (folder, endpoint)
}

fn score(folder: &Path, rows: &[Value], endpoint: &Endpoint, model: &str) -> String {
    write_rows(&folder.join("rows.jsonl"), rows);
    let (url, model) = (endpoint.url(), format!("openai:{model}"));
    let args = [
        "score",
        "rows.jsonl",
        "--metrics",
        "faithfulness",
        "--judge",
        &model,
        "--base-url",
        &url,
        "--store",
        "store",
        "--format",
        "json",
    ];
    run(folder, &args).ok()["run_id"].as_str().expect("an id").to_owned()
}

#[test]
fn new_documents_are_units_and_refused_when_few() {
    let (folder, _endpoint) = scored(&rows(24, 4, 2));
    let these = compared(folder.path(), &["latest"]);
    let one = of(&these, "faithfulness");
    assert_eq!((&one["verdict"], &one["population"]), (&"worse".into(), &"these".into()));
    assert_eq!(one["clusters"]["documents"], 4);
    assert!(these["sentences"].to_string().contains("questions about these documents (4"));
    let new = compared(folder.path(), &["latest", "--population", "new-documents"]);
    let one = of(&new, "faithfulness");
    assert_eq!((&one["verdict"], &one["p"]), (&"too_few_documents".into(), &Value::Null));
    assert!(new["sentences"].to_string().contains("at least 10 are needed"));

    // Ten cases of ten documents: the intervals of the means are wider than need be.
    let (folder, _endpoint) = scored(&rows(10, 10, 2));
    let few = compared(folder.path(), &["latest"]);
    assert!(few["sentences"].to_string().contains("wider than need be"), "{}", few["sentences"]);

    // Twelve documents of two cases, all of which agree within a document.
    let (folder, _endpoint) = scored(&rows(24, 12, 2));
    let new = compared(folder.path(), &["latest", "--population", "new-documents"]);
    let these = compared(folder.path(), &["latest"]);
    let p = |whole: &Value| of(whole, "faithfulness")["p"].as_f64().expect("a p");
    assert!(p(&new) > 4.0 * p(&these), "documents are the units: {} {}", p(&new), p(&these));
    assert!(
        of(&new, "faithfulness")["method"].as_str().is_some_and(|m| m.contains("whole documents"))
    );
}

#[test]
fn a_margin_and_a_width_are_answered() {
    let (folder, _endpoint) = scored(&rows(60, 12, 20));
    let args = ["latest:good", "latest:good-copy"];
    assert_eq!(
        run(folder.path(), &[&["compare", "--store", "store"], &args[..]].concat()).code,
        Some(2)
    );
    let close: Vec<Value> = rows(60, 12, 1);
    let (folder, _endpoint) = scored(&close);
    let equal = compared(folder.path(), &["latest", "--margin", "0.1"]);
    let one = of(&equal, "faithfulness");
    assert_eq!(one["verdict"], "equivalent", "{one}");
    assert!(one["margin"]["p_equivalence"].as_f64() < Some(0.05));
    let (folder, _endpoint) = scored(&rows(8, 8, 2));
    let open = compared(folder.path(), &["latest", "--margin", "0.1", "--width", "0.2"]);
    let needed = of(&open, "faithfulness")["cases_needed"].as_array().expect("told").clone();
    let cases: Vec<u64> = needed.iter().filter_map(|one| one["cases"].as_u64()).collect();
    assert_eq!(cases.len(), 3, "{needed:?}");
    assert!(cases.iter().all(|n| *n > 8), "{cases:?}");
    let human = run(folder.path(), &["compare", "latest", "--store", "store", "--margin", "0.1"]);
    assert!(human.out.contains("With this spread and 80"), "{human:?}");
    for bad in [["--margin", "0"], ["--width", "2"], ["--primary", "nope"]] {
        let args = [&["compare", "latest", "--store", "store"], &bad[..]].concat();
        run(folder.path(), &args).refused(2, &[bad[0]]);
    }
}

#[test]
fn other_judges_are_not_compared_and_their_settings_are_named() {
    let (folder, endpoint) = scored(&rows(12, 12, 2));
    let first = run(folder.path(), &["runs", "--store", "store", "--format", "json"]).ok();
    let first = first["runs"][0]["run_id"].as_str().expect("an id").to_owned();
    let second = score(folder.path(), &rows(12, 12, 2), &endpoint, "pine");
    let whole = compared(folder.path(), &[&format!("{first}:good"), &format!("{second}:good")]);
    let one = of(&whole, "faithfulness");
    assert_eq!((&one["verdict"], &one["difference"]), (&"not_comparable".into(), &Value::Null));
    assert_eq!(one["mismatches"], json!(["judge"]));
    assert!(whole["sentences"].to_string().contains("the runs differ in judge"));
    assert_eq!(whole["mismatches"][0]["effect"], "refuses_all");
}

#[test]
fn a_second_judge_that_is_gone_says_nothing_of_the_order() {
    let (folder, _endpoint) = scored(&rows(12, 12, 2));
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("an address").port()
    };
    let url = format!("http://127.0.0.1:{port}/v1");
    let args = ["compare", "latest", "--store", "store", "--format", "json"];
    let second = ["--second-judge", "openai:gone", "--base-url", &url];
    let done = run(folder.path(), &[&args[..], &second].concat());
    assert_eq!(done.code, Some(3), "{done:?}");
    assert!(done.json()["sentences"].to_string().contains("nothing can be said of the order"));
    let first = ["--second-judge", "openai:oak", "--base-url", &url];
    run(folder.path(), &[&args[..], &first].concat()).refused(2, &["judged these runs already"]);
    let none = ["--second-judge", "local", "--sample", "0"];
    run(folder.path(), &[&args[..], &none].concat()).refused(2, &["--sample"]);
}

#[test]
fn equal_ids_of_other_questions_are_not_paired() {
    let folder = tempfile::tempdir().expect("a folder");
    let endpoint = judge("oak");
    let first = score(folder.path(), &rows(12, 12, 2), &endpoint, "oak");
    let mut other = rows(12, 12, 2);
    for row in other.iter_mut().filter(|row| row["id"] != "c0") {
        row["question"] = json!("Who painted the gate?");
    }
    let second = score(folder.path(), &other, &endpoint, "oak");
    let whole = compared(folder.path(), &[&format!("{first}:good"), &format!("{second}:bad")]);
    let one = of(&whole, "faithfulness");
    assert_eq!((&one["n_shared"], &one["n_other_question"]), (&1.into(), &11.into()), "{one}");
    assert!(whole["sentences"].to_string().contains("ask another question"), "{whole}");
}

#[test]
fn a_failed_answer_does_not_hide_that_systems_are_nested() {
    let mut all = Vec::new();
    for (system, k) in [("k1", 1), ("k2", 2)] {
        for case in 0..12 {
            let contexts: Vec<String> = (0..k).map(|n| format!("Passage {n} of {case}.")).collect();
            all.push(json!({
                "id": format!("c{case}"), "system": system, "question": format!("What of {case}?"),
                "answer": "oak", "contexts": contexts, "reference": format!("Passage 1 of {case}."),
            }));
        }
    }
    let failed = all.last_mut().expect("a row");
    failed["error"] = json!("no reply in time");
    for key in ["answer", "contexts"] {
        failed[key] = Value::Null;
    }
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &all);
    let metrics = "context_recall,context_precision";
    let args =
        ["score", "rows.jsonl", "--metrics", metrics, "--store", "store", "--format", "json"];
    run(folder.path(), &args);
    let whole = compared(folder.path(), &["latest"]);
    assert_eq!(of(&whole, "context_recall")["verdict"], "nested", "{whole}");
    assert_eq!(of(&whole, "context_precision")["nested"]["k"], 1);
    assert!(whole["sentences"].to_string().contains("on the first 1"), "{whole}");
}

#[test]
fn a_second_judge_shows_whether_the_order_holds_and_is_paid_once() {
    let (folder, _endpoint) = scored(&rows(20, 20, 4));
    for (believed, flips) in [("oak", false), ("tin", true)] {
        let other = judge(believed);
        let (url, model) = (other.url(), format!("openai:{believed}-judge"));
        let args = ["latest", "--second-judge", &model, "--base-url", &url, "--sample", "16"];
        let whole = compared(folder.path(), &args);
        let second = &whole["second_judge"];
        assert_eq!((&second["cases"], &second["looks"][0]["flips"]), (&16.into(), &flips.into()));
        assert_eq!(second["looks"][0]["n"], json!([16, 16]));
        let words = if flips { "the order changes" } else { "no pair of systems changes" };
        assert!(whole["sentences"].to_string().contains(words), "{}", whole["sentences"]);
        assert!(!other.take().is_empty());
        assert_eq!(compared(folder.path(), &args)["second_judge"], *second);
        assert!(other.take().is_empty(), "asking again costs nothing");
        // The sample is a run of its own and never what `latest` means.
        let shown = run(folder.path(), &["show", "latest", "c0", "--store", "store"]);
        assert!(shown.out.contains("== good"), "{shown:?}");
    }
}

#[test]
fn many_systems_get_rank_ranges_and_tied_groups() {
    let mut all = rows(16, 16, 16);
    let copies: Vec<Value> = (all.iter().filter(|row| row["system"] == "good"))
        .map(|row| {
            let mut row = row.clone();
            row["system"] = json!("twin");
            row
        })
        .collect();
    all.extend(copies);
    let (folder, _endpoint) = scored(&all);
    let whole = compared(folder.path(), &["latest"]);
    let ranked: Vec<(&str, String, &str)> = whole["rankings"][0]["systems"]
        .as_array()
        .expect("ranked")
        .iter()
        .map(|one| {
            let name = one["name"].as_str().expect("a name");
            (name, one["ranks"].to_string(), one["tied"].as_str().expect("letters"))
        })
        .collect();
    let expected = [("good", "[1,2]", "a"), ("bad", "[3,3]", "b"), ("twin", "[1,2]", "a")];
    assert_eq!(ranked, expected.map(|(name, ranks, tied)| (name, ranks.to_owned(), tied)));
}

#[test]
fn a_run_declares_its_comparison_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let endpoint = judge("oak");
    write_rows(&folder.path().join("rows.jsonl"), &rows(12, 12, 2));
    for system in ["good", "bad"] {
        let mine: Vec<Value> =
            rows(12, 12, 2).into_iter().filter(|row| row["system"] == system).collect();
        write_rows(&folder.path().join(format!("{system}.jsonl")), &mine);
    }
    let config = |compare: &str| {
        let url = endpoint.url();
        let text = format!(
            "models: {{ oak: {{ provider: openai, model: oak, base_url: \"{url}\" }} }}\n\
             systems: [{{ name: good, records: good.jsonl }}, {{ name: bad, records: bad.jsonl }}]\n\
             metrics: [faithfulness, context_precision]\njudge: {{ model: oak }}\n{compare}"
        );
        std::fs::write(folder.path().join("ragmeter.yaml"), text).expect("written");
    };
    config("compare: { primary: faithfulness, margin: 0.2, population: new_documents }\n");
    let whole = run(folder.path(), &["run", "--format", "json"]).ok();
    let one = of(&whole, "faithfulness");
    assert_eq!((&one["primary"], &one["n_tests"]), (&true.into(), &1.into()));
    assert_eq!((&one["population"], &one["margin"]["margin"]), (&"new".into(), &json!(0.2)));
    let after = run(folder.path(), &["compare", "latest", "--primary", "context_precision"]);
    assert!(after.err.contains("declared after the run"), "{after:?}");
    for (bad, words) in [
        ("compare: { primary: context_recall }\n", "context_recall"),
        ("compare: { margin: 1.5 }\n", "margin"),
        ("compare: { population: all }\n", "these_documents"),
    ] {
        config(bad);
        run(folder.path(), &["run"]).refused(2, &["ragmeter.yaml", words]);
    }
}
