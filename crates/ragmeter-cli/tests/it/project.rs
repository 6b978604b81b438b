//! The sample project and every command around a run.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;

use crate::support::{Done, Endpoint, Faults, records, run, summary, write_rows};

/// A sample project that was run once, for all tests that only look at it.
struct Sample {
    folder: tempfile::TempDir,
    first: Done,
}

impl Sample {
    fn of(lang: &str) -> &'static Self {
        static SAMPLES: [OnceLock<Sample>; 2] = [OnceLock::new(), OnceLock::new()];
        SAMPLES[usize::from(lang == "ru")].get_or_init(|| {
            let folder = tempfile::tempdir().expect("a folder");
            let args = ["quickstart", "sample", "--lang", lang, "--format", "json"];
            let first = run(folder.path(), &args);
            Self { folder, first }
        })
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("sample")
    }

    fn run(&self, args: &[&str]) -> Done {
        run(&self.path(), args)
    }

    fn run_id(&self) -> String {
        self.first.json()["run_id"].as_str().expect("an id").to_owned()
    }
}

fn names(run: &Value) -> Vec<String> {
    let systems = run["systems"].as_array().expect("a list");
    systems.iter().map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
}

fn assert_quickstart(lang: &str, halluciner: &str, words: &str) {
    let sample = Sample::of(lang);
    let whole = sample.first.ok();
    assert_eq!(whole["calls"]["chat"], 0);
    let systems = names(&whole);
    for live in ["bm25 k=5", "hybrid k=5", "hybrid k=3"] {
        assert!(systems.iter().any(|name| name == live), "{systems:?}");
    }
    let mean = |system: &str| {
        let summary = summary(&whole, system, "faithfulness");
        (summary["n_scored"].as_u64() > Some(0)).then(|| summary["mean"].as_f64().expect("a mean"))
    };
    let planted = mean(halluciner).expect("it makes claims");
    for system in systems.iter().filter(|name| *name != halluciner) {
        if let Some(mean) = mean(system) {
            assert!(planted < mean, "{halluciner} {planted} is not below {system} {mean}");
        }
    }
    let report = std::fs::read_to_string(sample.path().join("report.html")).expect("a report");
    assert!(report.contains(&format!("<html lang=\"{lang}\"")), "its language is declared");
    assert!(report.contains(words), "its language is {lang}");
    assert!(!report.contains("src=\"http") && !report.contains("href=\"http"), "self-contained");
    let pages = std::fs::read_dir(sample.path().join("corpus")).expect("a corpus").count();
    assert!(pages >= 12, "{pages} pages");
}

#[test]
fn english_quickstart_ranks_the_hallucinating_system_last() {
    assert_quickstart("en", "recorded hallucinating", "Paired differences");
}

#[test]
fn russian_quickstart_ranks_the_hallucinating_system_last() {
    assert_quickstart("ru", "запись hallucinating", "Парные разности");
}

#[test]
fn a_second_run_keeps_everything() {
    let sample = Sample::of("en");
    let first = sample.first.ok();
    let again = run(sample.folder.path(), &["quickstart", "sample", "--format", "json"]);
    let live = first["systems"][0]["n_records"].as_u64().expect("a count") * 3;
    assert!(again.err.contains(&format!("{live} of {live} answers kept")), "{}", again.err);
    let again = again.ok();
    for key in ["run_id", "systems", "comparisons", "answer_relevancy_floor"] {
        assert_eq!(again[key], first[key], "{key}");
    }
    let here = sample.run(&["run", "--format", "json"]).ok();
    assert_eq!((&here["run_id"], &here["systems"]), (&first["run_id"], &first["systems"]));
    let index = sample.run(&["index", "--format", "json"]);
    assert_eq!(index.ok()["embedded"], 0, "{}", index.out);
    assert!(index.json()["documents"].as_u64() >= Some(12));
}

#[test]
fn commands_that_look_at_a_run_print_one_json_value() {
    let sample = Sample::of("ru");
    let first = sample.first.ok();
    let id = sample.run_id();
    let json = |args: &[&str]| sample.run(&[args, &["--format", "json"]].concat()).ok();

    let runs = json(&["runs"]);
    assert!(
        runs["runs"].as_array().expect("a list").iter().any(|one| one["run_id"] == id.as_str())
    );
    json(&["report", &id, "--out", "отчёт.html", "--lang", "ru"]);
    let html = std::fs::read_to_string(sample.path().join("отчёт.html")).expect("a report");
    assert!(html.contains("<html lang=\"ru\"") && html.contains("запись faithful"));

    json(&["export", &id, "--csv", "scores.csv"]);
    let csv = std::fs::read_to_string(sample.path().join("scores.csv")).expect("a table");
    let cases = first["systems"][0]["n_records"].as_u64().expect("a count") as usize;
    assert!(csv.lines().count() > cases, "{} lines", csv.lines().count());
    assert!(csv.lines().next().is_some_and(|header| header.contains("metric")));

    let (a, b) = (format!("{id}:запись faithful"), format!("{id}:запись hallucinating"));
    let compared = json(&["compare", &a, &b]);
    let of = compared["comparisons"].as_array().expect("a list");
    let faith = of.iter().find(|one| one["metric"] == "faithfulness").expect("compared");
    assert!(faith["difference"].as_f64() < Some(-0.3), "{faith}");
    assert!(
        faith["p"].as_f64() < Some(0.01) && faith["interval"][1].as_f64() < Some(0.0),
        "{faith}"
    );
    assert!(!compared["sentences"].as_array().expect("a list").is_empty());
    sample.run(&["compare", &id, &id]).refused(2, &["RUN:SYSTEM"]);
    sample
        .run(&["compare", &a, &format!("{id}:нет такой")])
        .refused(2, &["нет такой", "запись faithful"]);

    let shown = json(&["show", &id, "q01"]);
    assert_eq!(shown["systems"].as_array().expect("a list").len(), names(&first).len());
    let faithful = shown["systems"].as_array().into_iter().flatten();
    let faithful = faithful.clone().find(|one| one["system"] == "запись faithful").expect("shown");
    assert!(
        faithful["record"]["answer"].is_string() && faithful["scores"]["faithfulness"].is_object()
    );
    sample.run(&["show", &id, "нет"]).refused(2, &["нет", "q01"]);
    sample.run(&["show", "ffff", "q01"]).refused(2, &["ffff", "ragmeter runs"]);

    let asked = json(&["ask", "Когда открылась переправа?", "--system", "hybrid k=3"]);
    assert_eq!(asked["contexts"].as_array().map(Vec::len), Some(3), "{asked}");
    assert!(asked["answer"].as_str().is_some_and(|answer| !answer.is_empty()));
    sample.run(&["ask", "?", "--system", "нет"]).refused(2, &["нет", "bm25 k=5"]);
    assert_eq!(json(&["doctor"])["ok"], true);
}

#[test]
fn limit_takes_the_first_cases_and_rm_removes_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &records(5));
    let score = |more: &[&str]| {
        let fixed = ["score", "rows.jsonl", "--metrics", "context_recall", "--format", "json"];
        run(folder.path(), &[&fixed, more].concat()).ok()
    };
    let limited = score(&["--limit", "2", "--out", "out.jsonl"]);
    assert_eq!(limited["systems"][0]["n_records"], 2);
    let scores = crate::support::outcomes(&folder.path().join("out.jsonl"));
    assert_eq!(scores.keys().collect::<Vec<_>>(), ["case-1", "case-2"]);
    let whole = score(&[]);
    assert_ne!(whole["run_id"], limited["run_id"]);
    let list = || run(folder.path(), &["runs", "--format", "json"]).ok()["runs"].clone();
    assert_eq!(list().as_array().map(Vec::len), Some(2));
    let id = limited["run_id"].as_str().expect("an id");
    let removed = run(folder.path(), &["runs", "rm", id, "--format", "json"]).ok();
    assert_eq!(removed["removed"], id);
    let left = list();
    assert_eq!(left.as_array().map(Vec::len), Some(1));
    assert_eq!(left[0]["run_id"], whole["run_id"]);
    run(folder.path(), &["runs", "rm", id]).refused(2, &[id]);
    let elsewhere = ["runs", "--store", "nowhere"];
    run(folder.path(), &elsewhere).refused(2, &["no store in nowhere"]);
    assert!(!folder.path().join("nowhere").exists(), "looking makes no store");
}

#[test]
fn fresh_asks_again_and_later_runs_go_on_from_there() {
    let endpoint = Endpoint::start(Faults::default());
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &records(3));
    let score = |more: &[&str]| {
        let fixed = [
            "score",
            "rows.jsonl",
            "--metrics",
            "context_recall",
            "--judge",
            "openai:m",
            "--base-url",
            &endpoint.url,
            "--format",
            "json",
        ];
        run(folder.path(), &[&fixed, more].concat()).ok()["calls"]["chat"].clone()
    };
    assert_eq!((score(&[]), score(&[])), (3.into(), 0.into()));
    assert_eq!((score(&["--fresh"]), score(&[])), (3.into(), 0.into()));
    assert_eq!(endpoint.paid(), 6);
}

/// A corpus, a test set and two live systems, one of which answers through a chat model.
#[test]
fn a_configured_endpoint_answers_and_judges() {
    let endpoint = Endpoint::start(Faults::default());
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("docs")).expect("made");
    std::fs::write(folder.path().join("docs/a.md"), "# Pier\n\nThe pier is made of oak.\n")
        .expect("written");
    let case = serde_json::json!({ "id": "1", "question": "What is the pier made of?",
        "reference": "The pier is made of oak." });
    write_rows(&folder.path().join("cases.jsonl"), &[case]);
    let yaml = format!(
        "models:\n  m: {{model: m, base_url: \"{}\"}}\ncorpus: [{{path: docs}}]\ntestset: cases.jsonl\n\
         systems:\n  - {{name: chat, retriever: {{kind: bm25, k: 1}}, generator: m}}\n  \
         - {{name: reader, retriever: {{kind: bm25, k: 1}}, generator: extractive}}\n\
         metrics: [faithfulness, context_recall, question_coverage]\njudge: {{model: m}}\n",
        endpoint.url
    );
    std::fs::write(folder.path().join("ragmeter.yaml"), yaml).expect("written");
    let doctor = run(folder.path(), &["doctor", "--format", "json"]).ok();
    assert_eq!(doctor["ok"], true, "{doctor}");
    let whole = run(folder.path(), &["run", "--format", "json"]).ok();
    let paid = endpoint.paid();
    for system in ["chat", "reader"] {
        for metric in ["faithfulness", "context_recall", "question_coverage"] {
            assert_eq!(
                summary(&whole, system, metric)["n_scored"],
                1,
                "{system} {metric}: {whole}"
            );
        }
    }
    let asked = run(folder.path(), &["show", "latest", "1", "--format", "json"]).ok();
    assert!(asked.to_string().contains("It is made of oak."), "the chat model's answer: {asked}");
    assert!(asked["systems"][0]["replies"].as_object().is_some_and(|all| !all.is_empty()));
    let again = run(folder.path(), &["run", "--format", "json"]).ok();
    assert_eq!((&again["systems"], endpoint.paid()), (&whole["systems"], paid));
}

#[test]
fn starters_are_read_up_to_their_missing_files_and_overwrite_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing =
        [("documents", "cases.jsonl"), ("records", "a.jsonl"), ("external", "cases.jsonl")];
    for (starter, file) in missing {
        let name = format!("{starter}.yaml");
        let done = run(folder.path(), &["init", starter, "--out", &name]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.err.is_empty() && done.out.contains(&name), "{done:?}");
        let text = std::fs::read_to_string(folder.path().join(&name)).expect("written");
        assert!(text.starts_with("# "), "it is commented");
        run(folder.path(), &["run", &name]).refused(2, &[file, "No such file"]);
        run(folder.path(), &["init", starter, "--out", &name]).refused(2, &[&name, "already"]);
        assert_eq!(std::fs::read_to_string(folder.path().join(&name)).expect("there"), text);
    }
    let written = run(folder.path(), &["init", "documents", "--format", "json"]).ok();
    assert_eq!(written["written"], "ragmeter.yaml");
    assert!(folder.path().join("ragmeter.yaml").exists());
}

#[test]
fn schema_names_every_key() {
    let schema = run(Path::new("."), &["schema"]).ok();
    let found: BTreeSet<&str> =
        schema["properties"].as_object().expect("keys").keys().map(String::as_str).collect();
    let keys = [
        "corpus", "chunking", "index", "models", "systems", "testset", "metrics", "judge",
        "compare", "run", "report", "criteria", "rubrics", "formulas", "commands",
    ];
    assert_eq!(found, BTreeSet::from(keys));
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn metrics_are_listed_and_shown() {
    let json = |args: &[&str]| run(Path::new("."), &[args, &["--format", "json"]].concat()).ok();
    let list = json(&["metrics"]);
    for metric in list["metrics"].as_array().expect("a list") {
        let id = metric["id"].as_str().expect("an id");
        assert!(metric["definition"]["en"].is_string() && metric["definition"]["ru"].is_string());
        let shown = json(&["metrics", "show", id]);
        assert!(shown["card"].as_str().is_some_and(|card| card.contains("# ")), "{id}");
        assert!(run(Path::new("."), &["metrics"]).out.contains(id));
    }
    let ids = list.to_string();
    for id in [
        "faithfulness",
        "answer_relevancy",
        "context_precision",
        "context_recall",
        "question_coverage",
        "refusal_rate",
        "noncommittal_rate",
    ] {
        assert!(ids.contains(id), "{id}");
    }
    run(Path::new("."), &["metrics", "show", "faithfulnes"])
        .refused(2, &["faithfulnes", "did you mean `faithfulness`?"]);
}
