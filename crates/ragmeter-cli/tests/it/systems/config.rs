use std::time::Duration;

use serde_json::{Value, json};

use super::bot::Bot;
use super::command::{script, system};
use super::http::gates;
use super::project::Project;
use crate::support::run;

/// What is said of a configuration with this one system.
fn refusal(system: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("testset: cases.jsonl\nsystems:\n  - name: bot\n{system}");
    std::fs::write(folder.path().join("ragmeter.yaml"), text).expect("written");
    let done = run(folder.path(), &["run"]);
    done.refused(2, &["ragmeter.yaml"]);
    done.err
}

#[track_caller]
fn refused(system: &str, words: &[&str]) {
    let said = refusal(system);
    for word in words {
        assert!(said.contains(word), "no {word:?} in {said}");
    }
}

#[test]
fn a_system_is_of_exactly_one_kind() {
    refused("", &["systems[0]", "exactly one of", "none of them is there"]);
    refused(
        "    http: {url: \"http://h/\"}\n    command: {run: [x]}\n",
        &["systems[0]", "exactly one of", "`http` and `command` are there"],
    );
    refused("    records: a.jsonl\n    generator: extractive\n", &["exactly one of"]);
    refused("    retriever: {k: 3}\n", &["`generator` is missing"]);
}

#[test]
fn slips_are_named_with_the_nearest_key() {
    refused("    htp: {url: \"http://h/\"}\n", &[":4:5:", "did you mean `http`?"]);
    refused("    http: {url: \"http://h/\", anwser: /a}\n", &["did you mean `answer`?"]);
    refused("    http: {url: \"http://h/\", usage: {inputs: /a}}\n", &["did you mean `input`?"]);
    refused("    http: {url: \"http://h/\", stream: see}\n", &["did you mean `sse`?"]);
    refused("    command: {run: [x], worker: 2}\n", &["did you mean `workers`?"]);
    refused(
        "    http: {url: \"http://h/\", request: {q: \"{{questoin}}\"}}\n",
        &["systems[0].http.request", "`{{questoin}}`", "did you mean `{{question}}`?"],
    );
    refused(
        "    http:\n      url: http://h/\n      request:\n        q: {{question}}\n",
        &[":7:", "stands in quotes"],
    );
    refused(
        "    http: {url: \"http://h/\", request: {q: \"{{reference}}\"}}\n",
        &["no placeholder `{{reference}}`"],
    );
}

#[test]
fn what_can_not_be_meant_is_refused() {
    let http = |more: &str| format!("    http: {{url: \"http://h/\", {more}}}\n");
    refused(&http("answer: text"), &["systems[0].http.answer", "`text` is no JSON pointer"]);
    refused(&http("context_id: /id"), &["http.context_id", "needs `contexts`"]);
    refused(&http("contexts: /c, context_text: /a/*"), &["http.context_text", "one value"]);
    refused(&http("delta: /t"), &["http.delta", "`stream: sse`"]);
    refused(&http("stream: sse, answer: /a"), &["http.answer", "`delta`"]);
    refused(&http("timeout: 0"), &["http.timeout", "above 0"]);
    refused(&http("concurrency: 0"), &["http.concurrency", "at least 1"]);
    refused(&http("headers: {Content-Length: \"3\"}"), &["http.headers.Content-Length"]);
    refused(&http("request: {k: \"${KEY}\"}"), &["http.request", "${KEY}"]);
    refused("    http: {url: \"ftp://h/\"}\n", &["http.url", "http://"]);
    refused("    command: {run: []}\n", &["command.run", "is empty"]);
    refused("    command: {run: [x], workers: 0}\n", &["command.workers"]);
    refused("    command: {run: [x], env: [\"A=b\"]}\n", &["command.env", "`A=b`"]);
}

#[test]
fn secrets_must_not_stand_in_the_file() {
    for (system, key) in [
        (
            "    http: {url: \"http://h/\", headers: {Authorization: Bearer s3cr3t-9}}\n",
            "headers.Authorization",
        ),
        ("    http: {url: \"http://h/\", headers: {X-Api-Key: s3cr3t-9}}\n", "headers.X-Api-Key"),
        ("    http: {url: \"http://h/?api_key=s3cr3t-9\"}\n", "http.url"),
        ("    http: {url: \"http://me:s3cr3t-9@h/\"}\n", "http.url"),
    ] {
        let said = refusal(system);
        assert!(said.contains(key) && said.contains("${NAME}"), "{said}");
        assert!(!said.contains("s3cr3t-9"), "{said}");
    }
    let bot = Bot::of_gates(Duration::ZERO);
    let mut system = gates("bot", &bot.url);
    system["http"]["headers"] = json!({ "Authorization": "Bearer ${BOT_TOKEN}" });
    Project::with(1, &system).run().refused(2, &["`bot`", "BOT_TOKEN", "not set"]);
    assert_eq!(bot.count(), 0);
}

#[test]
fn a_run_is_the_same_as_long_as_what_is_asked_and_read_is_the_same() {
    let bot = Bot::of_gates(Duration::ZERO);
    let project = Project::with(1, &gates("bot", &bot.url)).env("BOT_TOKEN", "one");
    let id = |system: Value| {
        project.configure(&json!([system]));
        project.run().json()["run_id"].as_str().expect("an id").to_owned()
    };
    let with = |change: &dyn Fn(&mut Value)| {
        let mut system = gates("bot", &bot.url);
        change(&mut system["http"]);
        id(system)
    };
    let first = id(gates("bot", &bot.url));
    assert_eq!(first, with(&|http| http["timeout"] = json!(9)));
    assert_eq!(first, with(&|http| http["concurrency"] = json!(1)));
    assert_eq!(first, with(&|http| http["answer"] = json!("/answer")), "that is the default");
    let changed = [
        with(&|http| http["url"] = json!(format!("{}?v=2", bot.url))),
        with(&|http| http["request"] = json!({ "question": "{{question}}", "k": 3 })),
        with(&|http| http["contexts"] = json!("/contexts/*")),
        with(&|http| http["headers"] = json!({ "X-Token": "${BOT_TOKEN}" })),
    ];
    let mut all: Vec<&String> = changed.iter().chain([&first]).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 5, "{all:?}");
    // Of a program, the script is a part.
    project.write("bot.sh", &script(""));
    let first = id(system(&json!({})));
    assert_eq!(first, id(system(&json!({ "workers": 2 }))));
    project.write("bot.sh", &script("# another"));
    assert_ne!(first, id(system(&json!({}))));
}

#[test]
fn the_schema_and_the_starter_know_both_kinds() {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = run(folder.path(), &["schema"]).ok().to_string();
    for key in ["HttpConfig", "CommandConfig", "context_text", "ndjson", "{{messages}}"] {
        assert!(schema.contains(key), "{key}");
    }
    run(folder.path(), &["init", "external"]);
    let starter = std::fs::read_to_string(folder.path().join("ragmeter.yaml")).expect("written");
    // What is commented out can be commented in.
    let lines: Vec<String> = (starter.lines())
        .map(|line| match line.strip_prefix("  # ") {
            Some(rest) if rest.starts_with("- ") || rest.starts_with("  ") => format!("  {rest}"),
            _ => line.to_owned(),
        })
        .collect();
    let on = lines.join("\n");
    assert_ne!(on, starter, "the starter shows systems outside");
    std::fs::write(folder.path().join("ragmeter.yaml"), on).expect("written");
    std::fs::write(folder.path().join("cases.jsonl"), "{\"question\": \"q\"}").expect("written");
    std::fs::create_dir(folder.path().join("docs")).expect("a folder");
    std::fs::write(folder.path().join("docs/gates.md"), "Gates are of oak.").expect("written");
    let done = run(folder.path(), &["run"]);
    done.refused(2, &["BOT_TOKEN", "not set"]);
}
