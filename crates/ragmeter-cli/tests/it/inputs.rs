//! Inputs that are wrong, huge or odd: a clear message or a typed outcome, never a guess.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Done, Endpoint, Faults, outcomes, records, run, write_rows};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, bytes).expect("written");
}

/// Scores a file of these bytes.
fn score(bytes: impl AsRef<[u8]>) -> Done {
    let folder = folder();
    write(folder.path(), "rows.jsonl", bytes);
    run(folder.path(), &["score", "rows.jsonl", "--metrics", "faithfulness"])
}

#[test]
fn files_that_hold_no_rows_are_refused() {
    score("").refused(2, &["rows.jsonl", "no usable row"]);
    score("\n \n").refused(2, &["no usable row"]);
    score([0x7f, b'E', b'L', b'F', 0xff, 0xfe, 0]).refused(2, &["rows.jsonl", "not UTF-8"]);
    score(r#"{"answer": "A star."}"#).refused(2, &["line 1", "`question`"]);
    score(r#"{"question": " "}"#).refused(2, &["line 1", "`question`", "blank"]);
}

/// One good row among bad ones of every kind.
const BAD: &str = r#"{"id": "good", "question": "What is the Sun?", "answer": "A star.", "contexts": ["A star."]}
{"id": "q2", "question": "broken
{"id": "q3", "answer": "no question"}
[1, 2]
{"id": "q5", "question": 7}
{"id": "q6", "question": "?", "contexts": "one text"}
{"id": "good", "question": "What is the Sun?", "answer": "Twice."}
"#;

#[test]
fn bad_rows_are_all_listed_before_anything_is_sent() {
    let endpoint = Endpoint::start(Faults::default());
    let folder = folder();
    write(folder.path(), "rows.jsonl", BAD);
    let args = [
        "score",
        "rows.jsonl",
        "--metrics",
        "faithfulness",
        "--judge",
        "openai:m",
        "--base-url",
        &endpoint.url,
        "--out",
        "out.jsonl",
    ];
    let done = run(folder.path(), &args);
    let lines = ["line 2, column", "line 3, `question`", "line 4:", "line 5, `question`"];
    done.refused(2, &[&lines[..], &["line 6, `contexts`", "line 7, `id`", "row 1 again"]].concat());
    done.refused(2, &["6 rows", "--skip-invalid"]);
    assert!(!done.err.contains("line 1,"), "the good row is not listed: {}", done.err);
    assert_eq!(endpoint.paid(), 0);
    assert!(!folder.path().join("out.jsonl").exists());

    let done = run(folder.path(), &[&args[..], &["--skip-invalid"]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.err.contains("line 7") && done.err.contains("left out"), "{}", done.err);
    let scores = outcomes(&folder.path().join("out.jsonl"));
    assert_eq!(scores.keys().collect::<Vec<_>>(), ["good"]);
    assert!(endpoint.paid() > 0);
}

#[test]
fn a_path_with_cyrillic_and_spaces_emoji_and_cjk_come_through() {
    let folder = folder();
    let inner = folder.path().join("папка с пробелами");
    std::fs::create_dir(&inner).expect("made");
    let rows = [
        json!({ "id": "вопрос 1 🚢", "question": "Из чего сделан причал?", "answer": "Причал сделан из дуба 🌳.",
                "contexts": ["Причал сделан из дуба 🌳."], "reference": "Причал сделан из дуба 🌳." }),
        json!({ "id": "問2", "question": "太陽は何ですか？", "answer": "太陽は恒星です。",
                "contexts": ["太陽は恒星です。"], "reference": "太陽は恒星です。" }),
    ];
    write_rows(&inner.join("мои ответы.jsonl"), &rows);
    let args = [
        "score",
        "папка с пробелами/мои ответы.jsonl",
        "--format",
        "json",
        "--out",
        "папка с пробелами/оценки.jsonl",
        "--store",
        "папка с пробелами/склад",
    ];
    let whole = run(folder.path(), &args).ok();
    let scores = outcomes(&inner.join("оценки.jsonl"));
    assert_eq!(scores.len(), 2);
    for (id, of_record) in &scores {
        assert_eq!(of_record["context_recall"]["value"], 1.0, "{id}: {of_record}");
        assert_eq!(of_record["faithfulness"]["value"], 1.0, "{id}: {of_record}");
    }
    let run_id = whole["run_id"].as_str().expect("an id");
    let show = ["show", run_id, "вопрос 1 🚢", "--store", "папка с пробелами/склад"];
    let shown = run(folder.path(), &show);
    assert!(shown.code == Some(0) && shown.out.contains("🌳"), "{shown:?}");
}

#[test]
fn a_question_of_100_000_characters_ends_in_a_typed_outcome() {
    let long = "Из чего сделан причал? ".repeat(100_000 / 23 + 1);
    let row = json!({ "id": "long", "question": long, "answer": "It is made of oak.",
        "contexts": ["It is made of oak."], "reference": "It is made of oak." });
    let endpoint = Endpoint::start(Faults::default());
    for judge in ["local", "openai:m"] {
        let folder = folder();
        write_rows(
            &folder.path().join("rows.jsonl"),
            &[std::slice::from_ref(&row), &records(1)].concat(),
        );
        let args = [
            "score",
            "rows.jsonl",
            "--judge",
            judge,
            "--base-url",
            &endpoint.url,
            "--out",
            "out.jsonl",
            "--format",
            "json",
        ];
        run(folder.path(), &args).ok();
        let scores = outcomes(&folder.path().join("out.jsonl"));
        for (metric, outcome) in scores["long"].as_object().expect("an object") {
            let typed = if outcome["status"] == "scored" { "value" } else { "reason" };
            assert!(!outcome[typed].is_null(), "{judge} {metric}: {outcome}");
        }
        assert_eq!(scores["long"]["context_recall"]["status"], "scored");
    }
}

#[test]
fn a_record_with_no_contexts_goes_through_a_remote_judge() {
    let endpoint = Endpoint::start(Faults::default());
    let folder = folder();
    let mut rows = records(2);
    rows[0]["contexts"] = json!([]);
    rows[1].as_object_mut().expect("an object").remove("contexts");
    write_rows(&folder.path().join("rows.jsonl"), &rows);
    let metrics = "faithfulness,context_precision,context_recall";
    let args = [
        "score",
        "rows.jsonl",
        "--metrics",
        metrics,
        "--judge",
        "openai:m",
        "--base-url",
        &endpoint.url,
        "--out",
        "out.jsonl",
        "--format",
        "json",
    ];
    run(folder.path(), &args).ok();
    let scores = outcomes(&folder.path().join("out.jsonl"));
    for metric in metrics.split(',') {
        assert_eq!(scores["case-1"][metric]["value"], 0.0, "{metric}");
        assert_eq!(scores["case-2"][metric]["status"], "not_applicable", "{metric}");
    }
}

/// What `run` says of this configuration.
fn configured(yaml: &str) -> Done {
    let folder = folder();
    write(folder.path(), "ragmeter.yaml", yaml);
    run(folder.path(), &["run"])
}

#[test]
fn configuration_errors_name_the_place_and_the_nearest_key() {
    configured("run:\n  seed: 1\n  concurency: 2\n")
        .refused(2, &["ragmeter.yaml:3:3", "concurency", "did you mean `concurrency`?"]);
    configured("systems:\n  - name: a\n    retriver: {k: 5}\n")
        .refused(2, &["ragmeter.yaml:3:5", "did you mean `retriever`?"]);
    configured("metrics: [faithfullness]\n").refused(2, &["did you mean `faithfulness`?"]);
    configured("chunking: {size: ten}\n").refused(2, &["ragmeter.yaml:1:18"]);
    configured("run: [\n").refused(2, &["ragmeter.yaml:"]);
    configured("").refused(2, &["ragmeter.yaml", "ragmeter init"]);
    configured("run: {seed: 1}\n").refused(2, &["systems"]);
    run(folder().path(), &["run"]).refused(2, &["ragmeter.yaml"]);
}

#[test]
fn a_key_in_the_file_is_refused_and_not_repeated() {
    let yaml = "models:\n  gpt: {model: m, api_key: sk-secret-123}\n";
    let done = configured(yaml);
    done.refused(2, &["models.gpt.api_key", "${NAME}"]);
    assert!(!done.err.contains("sk-secret"), "{}", done.err);
}

#[test]
fn quickstart_leaves_a_foreign_folder_alone() {
    let folder = folder();
    write(folder.path(), "mine/notes.txt", "mine");
    run(folder.path(), &["quickstart", "mine"]).refused(2, &["mine", "not empty"]);
    assert_eq!(std::fs::read_dir(folder.path().join("mine")).expect("there").count(), 1);
}

const CORPUS: &str = "corpus:\n  - path: docs\nsystems:\n  - name: a\n    \
    retriever: {kind: bm25, k: 1}\n    generator: extractive\n";

#[test]
fn unreadable_documents_are_listed_and_the_rest_goes_on() {
    let folder = folder();
    write(folder.path(), "ragmeter.yaml", CORPUS);
    let paragraph = "<p>The old pier is made of oak and was built by Edith Marrow.</p>\n";
    let huge =
        format!("<html><body>{}</body></html>", paragraph.repeat(50_000_000 / paragraph.len()));
    write(folder.path(), "docs/huge.html", huge);
    write(
        folder.path(),
        "docs/binary.html",
        [b"<html>".as_slice(), &[0, 159, 146, 150, 1, 2]].concat(),
    );
    write(folder.path(), "docs/empty.md", "");
    // UTF-16 by its mark, and then halves of characters only.
    write(folder.path(), "docs/charset.txt", [vec![0xff, 0xfe], [0, 0xd8].repeat(400)].concat());
    write(folder.path(), "docs/picture.png", [0x89, b'P', b'N', b'G']);
    write(
        folder.path(),
        "docs/good.html",
        format!("<html><body><main>{paragraph}</main></body></html>"),
    );
    let done = run(folder.path(), &["index", "--format", "json"]);
    let whole = done.ok();
    assert_eq!(whole["documents"], 1, "{whole}");
    let reason = |name: &str| {
        let unread = whole["unread"].as_array().expect("a list");
        let found =
            unread.iter().find(|one| one["source"].as_str().is_some_and(|s| s.ends_with(name)));
        let found = found.unwrap_or_else(|| panic!("{name} is not listed: {whole}"));
        found["reason"].as_str().expect("words").to_owned()
    };
    assert!(reason("huge.html").contains("too large"));
    assert!(reason("binary.html").contains("binary"));
    assert!(reason("empty.md").contains("empty"));
    assert!(reason("charset.txt").contains("not valid UTF-16"));
    assert!(reason("picture.png").contains(".png"));
    assert!(done.err.contains("huge.html: too large"), "said on stderr too: {}", done.err);
    let answer = run(folder.path(), &["ask", "What is the pier made of?", "--format", "json"]).ok();
    assert!(answer["answer"].as_str().expect("words").contains("oak"), "{answer}");
}

#[test]
fn no_usable_document_is_an_error() {
    let folder = folder();
    write(folder.path(), "ragmeter.yaml", CORPUS);
    let index = || run(folder.path(), &["index", "--format", "json"]);
    index().refused(2, &["docs"]);
    write(folder.path(), "docs/empty.md", "");
    index().refused(2, &["no document could be read", "empty.md: the file is empty"]);
    write(folder.path(), "t.jsonl", json!({ "question": "What?" }).to_string());
    write(folder.path(), "ragmeter.yaml", format!("{CORPUS}testset: t.jsonl\n"));
    run(folder.path(), &["run"]).refused(2, &["no document could be read"]);
}

#[test]
fn a_system_without_an_answer_is_not_helped_by_it() {
    let folder = folder();
    let whole = records(4);
    write_rows(&folder.path().join("cases.jsonl"), &whole);
    write_rows(&folder.path().join("a.jsonl"), &whole);
    write_rows(&folder.path().join("b.jsonl"), &whole[..3]);
    write(
        folder.path(),
        "ragmeter.yaml",
        "testset: cases.jsonl\nsystems:\n  - {name: a, records: a.jsonl}\n  - {name: b, records: b.jsonl}\n",
    );
    let done = run(folder.path(), &["run", "--format", "json"]);
    let whole = done.ok();
    let b = whole["systems"].as_array().and_then(|all| all.iter().find(|one| one["name"] == "b"));
    assert_eq!(b.expect("system b")["n_errors"], 1, "{whole}");
    assert!(done.err.contains("1 of 4 cases have no recorded answer"), "{}", done.err);
    let of = |system| crate::support::summary(&whole, system, "answer_relevancy").clone();
    let (a, b) = (of("a"), of("b"));
    assert!(b["mean"].as_f64() < a["mean"].as_f64(), "{a} {b}");
    assert_eq!(b["n_scored"], Value::from(4));
}
