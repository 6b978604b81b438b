//! Files of other tools, in and out, and what a case keeps on the way.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::formats::fixture;
use crate::support::{Done, run, write_rows};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn import(folder: &Path, format: &str, file: &str, more: &[&str]) -> Done {
    run(folder, &[&["import", format, file, "--format", "json"], more].concat())
}

/// The rows that a fixture becomes.
fn imported(format: &str, file: &str, more: &[&str]) -> Value {
    import(folder().path(), format, &fixture(file).display().to_string(), more).ok()
}

fn scored(folder: &Path, file: &str) -> String {
    let args = ["score", file, "--metrics", "faithfulness,refusal_rate", "--format", "json"];
    run(folder, &args).ok()["run_id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_conversation_keeps_its_history_tool_calls_topics_and_rubrics() {
    let file = "ragas_conversations.jsonl";
    let path = fixture(file).display().to_string();
    let folder = folder();
    let bad = import(folder.path(), "ragas", &path, &[]);
    bad.refused(2, &["line 3, `user_input.role`", "робот"]);

    let whole = imported("ragas", file, &["--skip-invalid"]);
    let row = &whole["data"][0];
    assert_eq!(row["question"], "А переведи в градусы Фаренгейта.", "{row}");
    assert_eq!(row["answer"], "Это 39,2 °F.", "{row}");
    assert_eq!(row["reference_tool_calls"][1]["args"], json!({ "celsius": 4, "to": "F" }), "{row}");
    assert_eq!(row["reference_topics"], json!(["погода", "единицы"]), "{row}");
    assert_eq!(row["rubrics"]["score5_description"], "Число верно", "{row}");
    assert_eq!(row["messages"].as_array().map(Vec::len), Some(8), "{row}");
    assert_eq!(row["messages"][1]["tool_calls"][0]["name"], "weather", "{row}");
    // No tool should be called: that is not the same as not knowing.
    let short = &whole["data"][1];
    assert_eq!(short["reference_tool_calls"], json!([]), "{short}");
    assert_eq!(short["question"], "Is the gate open?", "{short}");

    // Through a run, for reading, and back to RAGAS.
    let args = ["score", &path, "--skip-invalid", "--metrics", "refusal_rate"];
    assert_eq!(run(folder.path(), &args).code, Some(0));
    let shown = run(folder.path(), &["show", "latest", "1"]);
    for words in [
        "→ weather({\"place\":\"Онега\"})",
        "tools      should call weather",
        "topic      погода",
        "rubric     score1_description: Число неверно",
        "tool       39.2",
    ] {
        assert!(shown.out.contains(words), "no {words:?} in {}", shown.out);
    }
    let args = ["export", "latest", "--to", "ragas", "--out", "back.jsonl"];
    assert_eq!(run(folder.path(), &args).code, Some(0));
    let text = std::fs::read_to_string(folder.path().join("back.jsonl")).expect("written");
    let back: Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    let source = std::fs::read_to_string(fixture(file)).expect("read");
    let given: Value = serde_json::from_str(source.lines().next().expect("a line")).expect("JSON");
    assert_eq!(back, given, "what came from RAGAS goes back as it was");
}

#[test]
fn a_schema_of_a_database_is_a_reference_context() {
    let rows = imported("ragas", "sql.jsonl", &[])["data"].clone();
    assert_eq!(
        rows[0]["reference_contexts"],
        json!(["CREATE TABLE ships (id INTEGER PRIMARY KEY, имя TEXT);"])
    );
    assert_eq!(rows[1]["reference_contexts"], json!(["CREATE TABLE ships (name TEXT, t REAL);"]));
}

#[test]
fn deepeval_goldens_come_in_from_json_and_csv() {
    let json = imported("deepeval", "deepeval.json", &[]);
    let row = &json["data"][0];
    assert_eq!(row["id"], "причал", "{row}");
    assert_eq!(
        row["contexts"][0],
        json!({ "text": "Причал сделан из дуба.", "source": "port.md" })
    );
    assert_eq!(row["contexts"][1], "Доски меняют.");
    assert_eq!(row["reference_contexts"], json!(["Причал сделан из дуба."]));
    assert_eq!(row["messages"][1]["tool_calls"][0]["args"], json!({ "q": "причал" }), "{row}");
    assert_eq!(row["reference_tool_calls"][0]["args"]["q"], "материал причала", "{row}");
    assert_eq!(json["dropped"], json!({ "additional_metadata": 1, "comments": 1 }), "{json}");

    let csv = imported("deepeval", "deepeval.csv", &[])["data"].clone();
    assert_eq!(csv[0]["contexts"], json!(["Причал сделан из дуба.", "Доски меняют."]), "{csv}");
    assert_eq!(csv[0]["reference_tool_calls"][0]["name"], "search", "{csv}");
    assert_eq!(
        (csv[1]["id"].clone(), csv[1]["answer"].clone()),
        (json!("lamp"), json!("Of brass."))
    );

    let folder = folder();
    std::fs::write(
        folder.path().join("bad.json"),
        "[\n {\"input\": 5},\n {\"input\": \"Где?\"}\n]",
    )
    .expect("written");
    import(folder.path(), "deepeval", "bad.json", &[])
        .refused(2, &["(line 2), `input`: expected a text"]);
}

#[test]
fn promptfoo_results_are_records_and_tests_are_cases() {
    let path = fixture("promptfoo_results.json").display().to_string();
    let folder = folder();
    import(folder.path(), "promptfoo", &path, &[])
        .refused(2, &["row 4", "`vars.question`", "the number 7"]);
    let whole = imported("promptfoo", "promptfoo_results.json", &["--skip-invalid"]);
    assert_eq!(whole["systems"], json!(["gigachat", "gpt"]), "{whole}");
    let rows = &whole["data"];
    assert_eq!(rows[0]["reference"], "Из дуба.", "{whole}");
    assert_eq!(rows[0]["contexts"], json!(["Причал сделан из дуба."]), "{whole}");
    assert_eq!(rows[0]["seconds"], 1.5, "{whole}");
    assert_eq!(rows[1]["error"], "429 too many requests", "{whole}");
    // A failed assertion is not a failed system.
    assert_eq!(
        (rows[2]["answer"].clone(), rows[2]["error"].clone()),
        (json!("Из сосны."), Value::Null)
    );
    assert_eq!(rows[2]["id"], rows[0]["id"], "the same test of another provider");

    for (file, lamp) in [("promptfoo.yaml", "2"), ("promptfoo.csv", "лампа")] {
        let tests = imported("promptfoo", file, &[]);
        let rows = &tests["data"];
        assert_eq!(rows[0]["id"], "причал", "{tests}");
        assert_eq!(rows[0]["reference"], "Из дуба.", "{tests}");
        assert_eq!(rows[1]["id"], lamp, "{tests}");
        assert_eq!(rows[1]["reference"], "Brass.", "{tests}");
    }
}

#[test]
fn ragchecker_results_come_in_without_its_judgements() {
    let path = fixture("ragchecker.json").display().to_string();
    let folder = folder();
    let bad = import(folder.path(), "ragchecker", &path, &[]);
    bad.refused(2, &["row 2 (line 6), `query`: expected a text, got the number 5"]);
    let whole = imported("ragchecker", "ragchecker.json", &["--skip-invalid"]);
    let row = &whole["data"][0];
    assert_eq!(row["id"], "причал", "{whole}");
    assert_eq!(
        row["contexts"],
        json!([{ "text": "Причал сделан из дуба.", "id": "d1" }, "Доски меняют."])
    );
    assert_eq!(whole["dropped"], json!({ "metrics": 1, "response_claims": 1 }), "{whole}");
}

#[test]
fn trec_judgements_and_runs_come_in_with_their_topics() {
    let topics = fixture("topics.tsv").display().to_string();
    let whole = imported("trec-qrels", "qrels.txt", &["--topics", &topics]);
    assert_eq!(whole["kind"], "testset", "{whole}");
    let rows = &whole["data"];
    assert_eq!(rows[0]["question"], "Из чего сделан причал?", "{whole}");
    assert_eq!(rows[0]["reference_context_ids"], json!(["d1", "d3"]), "best grade first: {whole}");
    assert_eq!(rows[0]["relevance"], json!({ "d1": 2, "d3": 1, "d9": 0 }), "{whole}");
    assert_eq!(rows[1].get("relevance"), None, "grades of 1 are told by the ids: {whole}");
    assert_eq!(whole["dropped"], json!({ "queries without a question": 1 }), "{whole}");

    let documents = fixture("corpus.jsonl").display().to_string();
    let more = ["--topics", topics.as_str(), "--documents", &documents];
    let whole = imported("trec-run", "run.txt", &more);
    assert_eq!(whole["systems"], json!(["bm25", "плотный"]), "{whole}");
    let ids: Vec<&str> = whole["data"][0]["contexts"]
        .as_array()
        .expect("contexts")
        .iter()
        .map(|one| one["id"].as_str().expect("an id"))
        .collect();
    // trec_eval: by score, equal scores by id, both descending; the file's ranks say otherwise.
    assert_eq!(ids, ["d2", "d3", "d1"], "{whole}");
    assert_eq!(
        whole["data"][0]["contexts"][2]["text"], "Причал\n\nПричал сделан из дуба.",
        "{whole}"
    );

    let folder = folder();
    std::fs::write(folder.path().join("bad.txt"), "q1 Q0 d1 1 x bm25\nq1 Q0 d1\n")
        .expect("written");
    let bad = import(folder.path(), "trec-run", "bad.txt", &["--topics", &topics]);
    bad.refused(2, &["line 1: expected a number as score", "line 2: expected 6 fields"]);
    let file = fixture("run.txt").display().to_string();
    import(folder.path(), "trec-run", &file, &[]).refused(2, &["--topics"]);
}

#[test]
fn contexts_known_by_id_only_are_no_empty_contexts() {
    let folder = folder();
    let (file, topics) = (fixture("run.txt"), fixture("topics.tsv"));
    let (file, topics) = (file.display().to_string(), topics.display().to_string());
    let args = ["import", "trec-run", &file, "--topics", &topics, "--out", "run.jsonl"];
    assert_eq!(run(folder.path(), &args).code, Some(0));
    let mut rows: Vec<Value> = std::fs::read_to_string(folder.path().join("run.jsonl"))
        .expect("written")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    for row in &mut rows {
        row["reference"] = json!("Дуб.");
    }
    write_rows(&folder.path().join("run.jsonl"), &rows);
    let args = ["score", "run.jsonl", "--metrics", "context_recall", "--format", "json"];
    let whole = run(folder.path(), &args).ok();
    let summary = &whole["systems"][0]["summaries"][0];
    assert_eq!(
        (summary["n_scored"].clone(), summary["n_not_applicable"].clone()),
        (json!(0), json!(2))
    );
}

/// A record with everything that a record can have.
fn full_rows() -> Vec<Value> {
    vec![
        json!({ "id": "причал", "question": "Из чего сделан причал?", "answer": "Из дуба; доски — 12 лет.",
            "contexts": [{ "text": "Причал, \"А\": дуб.\nДва слоя.", "id": "d1", "source": "порт.md", "score": 0.75 },
                { "text": "Доски.", "id": "d2" }],
            "reference": "Из дуба.", "reference_contexts": ["Дуб."], "reference_context_ids": ["d1", "d7"],
            "tags": ["порт", "дуб"], "source": "порт.md", "sources": ["доски.md", "лес, дуб.md"],
            "author": "gpt-4.1", "seconds": 1.25, "figures": { "tokens": 12.0 },
            "rubrics": { "score1_description": "Плохо" }, "reference_topics": ["порт"],
            "relevance": { "d1": 3, "d2": 0, "d8": -1 },
            "reference_tool_calls": [{ "name": "search", "args": { "q": "причал", "k": 3 } }],
            "messages": [{ "role": "human", "content": "Привет" }, { "role": "ai", "content": "Здравствуйте" },
                { "role": "human", "content": "Из чего сделан причал?" },
                { "role": "ai", "content": "", "tool_calls": [{ "name": "search", "args": { "q": "причал" } }] },
                { "role": "tool", "content": "дуб" }, { "role": "ai", "content": "Из дуба; доски — 12 лет." }] }),
        json!({ "id": "lamp", "question": "What is the lamp made of?", "answer": "Brass.", "contexts": [],
            "reference": "Brass." }),
        json!({ "id": "fail", "question": "Где маяк?", "error": "timeout", "reference_tool_calls": [] }),
        json!({ "id": "filtered", "question": "Кто взорвал маяк?", "refused_by_model": true }),
    ]
}

#[test]
fn our_own_layouts_give_back_the_same_run() {
    let folder = folder();
    for format in ["jsonl", "csv", "parquet"] {
        std::fs::create_dir(folder.path().join(format)).expect("made");
    }
    write_rows(&folder.path().join("answers.jsonl"), &full_rows());
    let run_id = scored(folder.path(), "answers.jsonl");
    for format in ["jsonl", "csv", "parquet"] {
        let out = format!("{format}/answers.{format}");
        let args = ["export", &run_id, "--to", format, "--out", &out];
        assert_eq!(run(folder.path(), &args).code, Some(0));
        // The id of a run is made of its cases and records: nothing was lost or changed.
        assert_eq!(scored(folder.path(), &out), run_id, "{format}");
    }
    let text = std::fs::read_to_string(folder.path().join("jsonl/answers.jsonl")).expect("written");
    assert!(text.contains("\"scores\":{"), "{text}");
    let table = std::fs::read_to_string(folder.path().join("csv/answers.csv")).expect("written");
    assert!(
        table.lines().next().is_some_and(|line| line.ends_with("faithfulness,refusal_rate")),
        "{table}"
    );
}

#[test]
fn a_cell_of_an_exported_table_is_never_a_formula_and_comes_back_as_it_was() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("csv")).expect("made");
    let link = "=HYPERLINK(\"http://127.0.0.1/\",\"What is gate 1 made of?\")";
    let row = json!({
        "id": "+1", "question": link, "answer": "@Gate 1 is made of oak.", "reference": "-0.5",
        "contexts": ["=1+1", "Gate 1 is made of oak."], "source": "'-oak.md", "tags": ["-a"],
        "figures": { "change": -0.5 },
    });
    write_rows(&folder.path().join("answers.jsonl"), &[row]);
    let run_id = scored(folder.path(), "answers.jsonl");
    let args = ["export", &run_id, "--to", "csv", "--out", "csv/answers.csv"];
    assert_eq!(run(folder.path(), &args).code, Some(0));
    let text = std::fs::read_to_string(folder.path().join("csv/answers.csv")).expect("written");
    let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let row: BTreeMap<String, String> =
        reader.deserialize().next().expect("a row").expect("of cells");
    for cell in row.values().filter(|cell| *cell != "-0.5") {
        assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell}");
    }
    assert_eq!(row["question"], format!("'{link}"));
    assert_eq!((row["reference"].as_str(), row["source"].as_str()), ("-0.5", "''-oak.md"));
    assert_eq!(scored(folder.path(), "csv/answers.csv"), run_id);
}

#[test]
fn other_tools_layouts_give_back_what_they_can_hold() {
    let folder = folder();
    write_rows(&folder.path().join("answers.jsonl"), &full_rows());
    let run_id = scored(folder.path(), "answers.jsonl");
    for (format, kept) in [
        (
            "deepeval",
            &[
                "id",
                "question",
                "answer",
                "contexts",
                "reference",
                "reference_contexts",
                "reference_tool_calls",
                "source",
            ][..],
        ),
        ("promptfoo", &["id", "question", "answer", "reference"][..]),
        ("ragchecker", &["id", "question", "answer", "reference"][..]),
    ] {
        let args = ["export", &run_id, "--to", format, "--out", "back.json"];
        assert_eq!(run(folder.path(), &args).code, Some(0), "{format}");
        let back = import(folder.path(), format, "back.json", &[]).ok();
        for (row, given) in back["data"].as_array().expect("rows").iter().zip(full_rows()).take(2) {
            for key in kept {
                let mut given = given[*key].clone();
                if *key == "contexts" && format == "deepeval" && !given[0].is_null() {
                    // It has sources, but neither ids nor scores.
                    given = json!([{ "text": given[0]["text"], "source": "порт.md" }, "Доски."]);
                }
                assert_eq!(row[*key], given, "{format} {key}: {row}");
            }
        }
    }
    for (format, text) in [
        ("trec-qrels", "причал 0 d1 3\nпричал 0 d7 1\nпричал 0 d2 0\nпричал 0 d8 -1\n"),
        ("trec-run", "причал Q0 d1 1 2 recorded\nпричал Q0 d2 2 1 recorded\n"),
    ] {
        let args = ["export", &run_id, "--to", format, "--out", "trec.txt"];
        assert_eq!(run(folder.path(), &args).code, Some(0), "{format}");
        assert_eq!(std::fs::read_to_string(folder.path().join("trec.txt")).expect("written"), text);
    }
}

#[test]
fn a_layout_that_holds_one_system_asks_which() {
    let folder = folder();
    let mut rows = full_rows();
    rows.truncate(2);
    for (row, system) in rows.iter_mut().zip(["один", "два"]) {
        row["system"] = json!(system);
    }
    write_rows(&folder.path().join("answers.jsonl"), &rows);
    let run_id = scored(folder.path(), "answers.jsonl");
    let args = ["export", &run_id, "--to", "ragchecker", "--out", "x.json"];
    run(folder.path(), &args).refused(2, &["--system", "один, два"]);
    assert_eq!(run(folder.path(), &[&args[..], &["--system", "два"]].concat()).code, Some(0));
    let text = std::fs::read_to_string(folder.path().join("x.json")).expect("written");
    assert!(text.contains("Brass.") && !text.contains("причал"), "{text}");
    run(folder.path(), &["export", &run_id]).refused(2, &["--csv", "--to"]);
    let args = ["export", &run_id, "--csv", "scores.csv"];
    assert_eq!(run(folder.path(), &args).code, Some(0));
}
