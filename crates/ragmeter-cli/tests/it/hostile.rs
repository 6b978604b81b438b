//! What a careless or hostile world hands in: links as outputs, pipes in folders, control characters
//! in answers, secrets in addresses, columns given twice.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::labels::workbook_and;
use crate::support::{command, outcomes, run, summary, write_rows};

const SCORE: [&str; 7] = [
    "score",
    "rows.jsonl",
    "--metrics",
    "faithfulness,answer_relevancy",
    "--out",
    "out.jsonl",
    "-v",
];

fn row(id: &str, answer: &Value) -> Value {
    json!({
        "id": id, "question": "What is the gate made of?", "answer": answer,
        "contexts": ["The gate is made of oak."], "reference": "Oak.",
    })
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_pipe_in_the_corpus_is_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    write_rows(&at("rows.jsonl"), &[row("a", &json!("The gate is made of oak."))]);
    std::fs::write(at("target.jsonl"), "old").expect("written");
    std::os::unix::fs::symlink("target.jsonl", at("link.jsonl")).expect("linked");
    let args = ["score", "rows.jsonl", "--metrics", "faithfulness", "--out", "link.jsonl"];
    assert_eq!(run(folder.path(), &args).code, Some(0));
    assert!(at("link.jsonl").symlink_metadata().expect("there").is_symlink());
    let text = std::fs::read_to_string(at("target.jsonl")).expect("there");
    assert!(text.contains("faithfulness"), "{text}");

    std::fs::create_dir(at("docs")).expect("made");
    std::fs::write(at("docs/a.txt"), "The gate is made of oak.").expect("written");
    assert!(Command::new("mkfifo").arg(at("docs/pipe.txt")).status().expect("mkfifo").success());
    let config = "corpus: [{ path: docs }]\n\
        systems: [{ name: words, retriever: { kind: bm25 }, generator: extractive }]\n";
    std::fs::write(at("ragmeter.yaml"), config).expect("written");
    let index = run(folder.path(), &["index", "--format", "json"]).ok();
    assert_eq!(index["documents"], 1);
    assert!(index["unread"].to_string().contains("not a regular file"), "{index}");
}

#[test]
fn a_failed_answer_has_no_refusal_rate_and_shown_text_commands_no_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut failed = row("b", &Value::Null);
    failed["error"] = json!("no reply\u{1b}[31m in time");
    let rows = [row("a", &json!("The gate is\u{1b}[31m made of \u{202e}oak.")), failed];
    write_rows(&folder.path().join("rows.jsonl"), &rows);
    run(folder.path(), &SCORE);
    let scores = outcomes(&folder.path().join("out.jsonl"));
    assert_eq!(scores["a"]["refusal_rate"]["value"], 0.0);
    assert_eq!(scores["b"]["refusal_rate"]["status"], "not_applicable", "{}", scores["b"]);
    for case in ["a", "b"] {
        let shown = run(folder.path(), &["show", "latest", case]);
        assert!(!shown.out.contains('\u{1b}') && !shown.out.contains('\u{202e}'), "{shown:?}");
        assert!(shown.out.contains("⟨U+001B⟩"), "{shown:?}");
    }
}

#[test]
fn a_blank_answer_in_a_table_is_an_empty_answer_and_a_column_stands_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = "id,question,answer,contexts,error\n\
        a,What is the gate made of?,,The gate is made of oak.,\n\
        b,What is the gate made of?,,The gate is made of oak.,no reply\n";
    std::fs::write(folder.path().join("rows.csv"), csv).expect("written");
    let args = [
        "score",
        "rows.csv",
        "--metrics",
        "answer_relevancy",
        "--out",
        "out.jsonl",
        "--format",
        "json",
    ];
    let whole = run(folder.path(), &args).json();
    let scores = outcomes(&folder.path().join("out.jsonl"));
    assert_eq!(scores["a"]["answer_relevancy"]["value"], 0.0, "{scores:?}");
    assert_eq!(summary(&whole, "recorded", "answer_relevancy")["n_scored"], 2, "{whole}");
    let twice = "question,answer,answer\nWhat?,one,two\n";
    std::fs::write(folder.path().join("twice.csv"), twice).expect("written");
    run(folder.path(), &["score", "twice.csv"]).refused(2, &["two columns `answer`"]);
}

#[test]
fn a_stray_cell_far_out_in_a_sheet_is_named_and_asks_for_no_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = [vec!["question", "answer"], vec!["What?", "Oak."]];
    let far = "<row r=\"1048576\"><c r=\"XFD1048576\"><v>1</v></c></row>";
    std::fs::write(folder.path().join("far.xlsx"), workbook_and(&table, far)).expect("written");
    run(folder.path(), &["score", "far.xlsx"]).refused(2, &["1048576 rows", "stray cell"]);
    std::fs::write(folder.path().join("near.xlsx"), workbook_and(&table, "")).expect("written");
    let near = run(folder.path(), &["score", "near.xlsx", "--metrics", "refusal_rate"]);
    assert_eq!(near.code, Some(0), "{near:?}");
}

/// Every file below a folder, as bytes.
fn everything(folder: &Path, all: &mut Vec<u8>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().is_dir() {
            everything(&entry.path(), all);
        } else {
            all.extend(std::fs::read(entry.path()).expect("a file"));
        }
    }
}

#[test]
fn a_variable_in_an_address_is_shown_as_it_stands_and_half_an_answer_is_not_success() {
    const SECRET: &str = "sk-secret-12345";
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(
        &folder.path().join("cases.jsonl"),
        &[json!({ "id": "q", "question": "Where?", "reference": "Here." })],
    );
    for url in ["http://127.0.0.1:1/${BOT_TOKEN}/ask", "http://[${BOT_TOKEN}/"] {
        let config = format!(
            "testset: cases.jsonl\nmetrics: [faithfulness]\n\
             systems: [{{ name: bot, http: {{ url: '{url}', answer: /answer, retries: 0 }} }}]\n"
        );
        std::fs::write(folder.path().join("ragmeter.yaml"), config).expect("written");
        let output = command(folder.path(), &["run"]).env("BOT_TOKEN", SECRET).output();
        let output = output.expect("the binary starts");
        let mut all = [output.stdout.clone(), output.stderr.clone()].concat();
        assert!(String::from_utf8_lossy(&all).contains("${BOT_TOKEN}"), "{output:?}");
        assert!(matches!(output.status.code(), Some(2 | 3)), "{output:?}");
        let shown = run(folder.path(), &["show", "latest", "q"]);
        all.extend(shown.out.into_bytes());
        if folder.path().join(".ragmeter").exists() {
            everything(&folder.path().join(".ragmeter"), &mut all);
        }
        let found = all.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        assert!(!found, "the secret is shown or kept");
    }
}
