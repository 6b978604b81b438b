use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::bot::{Bot, Reply, gate};
use super::project::Project;
use crate::support::{summary, write_rows};

/// A system behind this address that reads what the bot of the gates says.
pub(super) fn gates(name: &str, url: &str) -> Value {
    json!({ "name": name, "http": { "url": url, "contexts": "/contexts", "retries": 0 } })
}

#[test]
fn a_template_is_filled_verbatim_and_every_part_of_a_reply_is_read() {
    let bot = Bot::start(|_, _| {
        Reply::json(&json!({
            "output": { "text": "Oak." }, "usage": { "prompt": 12, "completion": 3 },
            "docs": [
                { "page_content": "Gates are of oak.", "meta": { "id": 7, "file": "gates.md" }, "s": 0.5 },
                { "page_content": "Bridges are of stone.", "meta": { "id": "b", "file": null }, "s": 0.25 },
            ],
        }))
    });
    let project = Project::with(
        1,
        &json!({ "name": "bot", "http": {
            "url": bot.url, "method": "PUT",
            "headers": { "Authorization": "Bearer ${BOT_TOKEN}", "X-Mode": "fast" },
            "request": {
                "input": { "q": "{{question}}", "said": "<{{ question }}> {{id}}" },
                "messages": "{{messages}}", "lang": "{{lang}}", "k": 3, "debug": false,
            },
            "answer": "/output/text", "contexts": "/docs", "context_text": "/page_content",
            "context_id": "/meta/id", "context_source": "/meta/file", "context_score": "/s",
            "usage": { "input": "/usage/prompt", "output": "/usage/completion" },
        } }),
    )
    .env("BOT_TOKEN", "tok-93af02");
    let nasty = "say \"hi\" to {{id}} and {\"a\": \\1}}} ${BOT_TOKEN}\nна двух строках";
    let case = json!({ "id": "c-1", "question": nasty, "reference": "Oak." });
    write_rows(&project.path().join("cases.jsonl"), &[case]);
    let done = project.run();
    done.ok();
    let seen = bot.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(
        seen[0].body,
        json!({
            "input": { "q": nasty, "said": format!("<{nasty}> c-1") },
            "messages": [{ "role": "user", "content": nasty }], "lang": "ru", "k": 3, "debug": false,
        })
    );
    assert!(seen[0].first_line.starts_with("PUT /ask "), "{}", seen[0].first_line);
    assert_eq!(seen[0].headers["authorization"], "Bearer tok-93af02");
    assert_eq!(seen[0].headers["x-mode"], "fast");
    let record = project.record("c-1", None);
    assert_eq!(record["answer"], "Oak.");
    assert_eq!(
        record["contexts"],
        json!([
            { "id": "7", "text": "Gates are of oak.", "source": "gates.md", "score": 0.5 },
            { "id": "b", "text": "Bridges are of stone.", "source": null, "score": 0.25 },
        ])
    );
    assert_eq!(
        (&record["figures"]["tokens_in"], &record["figures"]["tokens_out"]),
        (&json!(12.0), &json!(3.0))
    );
    assert!(record["seconds"].as_f64() > Some(0.0));
    assert!(!project.holds("tok-93af02"), "no secret in store or report");
}

#[test]
fn a_conversation_arrives_whole_with_its_roles() {
    let bot = Bot::start(|request, _| Reply::json(&gate(&request.body)));
    let mut system = gates("bot", &bot.url);
    system["http"]["request"] = json!({ "question": "{{question}}", "messages": "{{messages}}" });
    let project = Project::with(1, &system);
    let case = json!({ "id": "c-1", "reference": "Gate 7 is made of oak.", "messages": [
        { "role": "system", "content": "Be short." },
        { "role": "human", "content": "Which gate is open?" },
        { "role": "ai", "content": "", "tool_calls": [{ "name": "gates", "args": { "open": true } }] },
        { "role": "tool", "content": "gate 7" },
        { "role": "ai", "content": "Gate 7." },
        { "role": "human", "content": "What is gate 7 made of?" },
    ] });
    write_rows(&project.path().join("cases.jsonl"), &[case]);
    project.run().ok();
    let seen = bot.seen();
    assert_eq!(seen[0].body["question"], "What is gate 7 made of?");
    assert_eq!(
        seen[0].body["messages"],
        json!([
            { "role": "system", "content": "Be short." },
            { "role": "user", "content": "Which gate is open?" },
            { "role": "assistant", "content": "", "tool_calls": [{
                "id": "call_1", "type": "function",
                "function": { "name": "gates", "arguments": "{\"open\":true}" },
            }] },
            { "role": "tool", "content": "gate 7", "tool_call_id": "call_1" },
            { "role": "assistant", "content": "Gate 7." },
            { "role": "user", "content": "What is gate 7 made of?" },
        ])
    );
}

#[test]
fn contexts_that_are_not_told_are_unknown_and_none_found_is_a_zero() {
    let bot = Bot::start(|_, _| Reply::json(&json!({ "answer": "Oak.", "found": [], "no": null })));
    let system = |name: &str, contexts: Option<&str>| json!({ "name": name, "http": { "url": bot.url, "contexts": contexts } });
    let systems =
        [system("silent", None), system("empty", Some("/found")), system("null", Some("/no"))];
    let project = Project::new(2, &json!(systems));
    let whole = project.run().ok();
    assert_eq!(project.record("q1", Some("silent"))["contexts"], Value::Null);
    assert_eq!(project.record("q1", Some("null"))["contexts"], Value::Null);
    assert_eq!(project.record("q1", Some("empty"))["contexts"], json!([]));
    assert_eq!(summary(&whole, "silent", "context_recall")["n_not_applicable"], 2);
    assert_eq!(summary(&whole, "empty", "context_recall")["mean"], 0.0);
}

#[test]
fn faults_of_a_reply_are_errors_of_the_case_that_say_what_to_mend() {
    let bot = Bot::start(|request, _| match request.body["question"].as_str() {
        Some(text) if text.contains("gate 1 ") => Reply::text(401, "who is tok-93af02?"),
        Some(text) if text.contains("gate 2 ") => Reply::text(200, "<html>log in first</html>"),
        Some(text) if text.contains("gate 3 ") => Reply {
            headers: "location: http://127.0.0.1:9/elsewhere\r\n".to_owned(),
            ..Reply::text(307, "")
        },
        Some(text) if text.contains("gate 4 ") => Reply::text(200, "9".repeat((16 << 20) + 1)),
        Some(text) if text.contains("gate 5 ") => Reply::text(503, "index is loading"),
        Some(text) if text.contains("gate 6 ") => Reply::json(&json!({ "reply": "tok-93af02" })),
        _ => Reply::json(&gate(&request.body)),
    });
    let mut system = gates("bot", &format!("{}?key=${{BOT_TOKEN}}", bot.url));
    system["http"]["headers"] = json!({ "X-Api-Key": "${BOT_TOKEN}" });
    let project = Project::with(7, &system).env("BOT_TOKEN", "tok-93af02");
    let done = project.run();
    let error = |case: &str| project.record(case, None)["error"].as_str().unwrap_or("").to_owned();
    for (case, words) in [
        ("q1", ["HTTP 401", "who is ***?"]),
        ("q2", ["no JSON", "<html>log in first</html>"]),
        ("q3", ["redirected to http://127.0.0.1:9/elsewhere", "`url`"]),
        ("q4", ["larger than 16 MiB", "/ask"]),
        ("q5", ["HTTP 503", "index is loading"]),
        ("q6", ["at `/answer`", "{\"reply\":\"***\"}"]),
    ] {
        for word in words {
            assert!(error(case).contains(word), "{case}: no {word:?} in {}", error(case));
        }
    }
    assert_eq!(error("q7"), "", "the run goes on");
    assert!(done.err.contains("`bot` failed on 6 of 7 cases, `q1` first"), "{}", done.err);
    assert!(done.err.contains("HTTP 401"), "{}", done.err);
    assert!(!done.err.contains("tok-93af02") && !done.out.contains("tok-93af02"));
    assert!(!project.holds("tok-93af02"));
    assert!(bot.seen()[0].first_line.contains("?key=tok-93af02"), "{}", bot.seen()[0].first_line);
}

#[test]
fn a_wrong_pointer_is_named_with_the_beginning_of_the_reply() {
    let bot = Bot::of_gates(Duration::ZERO);
    let mut system = gates("bot", &bot.url);
    system["http"]["contexts"] = json!("/documents/*/text");
    let done = Project::with(2, &system).run();
    assert_eq!(done.code, Some(3), "a system that failed on every case: {done:?}");
    for words in ["nothing at `/documents/*/text`", "the reply begins: {\"answer\":\"Gate"] {
        assert!(done.err.contains(words), "no {words:?} in {}", done.err);
    }
}

#[test]
fn streams_are_put_together() {
    let sse = Bot::start(|_, _| Reply {
        endless: true,
        ..Reply::text(
            200,
            ": hello\n\ndata: {\"choices\": [{\"delta\": {\"role\": \"assistant\"}}]}\n\n\
             data: {\"choices\": [{\"delta\": {\"content\": \"Gates are \"}}]}\n\n\
             data: {\"choices\": [{\"delta\": {\"content\": \"дуб.\"}}], \"docs\": [\"Oak.\"]}\n\n\
             data: {\"choices\": [], \"usage\": {\"in\": 5}}\n\ndata: [DONE]\n\n",
        )
    });
    let lines = Bot::start(|_, _| {
        Reply::text(
            200,
            "{\"t\": \"Gates are \", \"docs\": null}\n{\"t\": \"дуб.\", \"docs\": [\"Oak.\"]}\n",
        )
    });
    let cut = Bot::start(|_, _| {
        Reply::text(200, "{\"t\": \"Gates are \"}\n{\"error\": \"overloaded\"}\n")
    });
    let systems = json!([
        { "name": "cut", "http": { "url": cut.url, "stream": "ndjson", "delta": "/t" } },
        { "name": "sse", "http": {
            "url": sse.url, "stream": "sse", "contexts": "/docs", "usage": { "input": "/usage/in" },
            "timeout": 20,
        } },
        { "name": "lines", "http": {
            "url": lines.url, "stream": "ndjson", "delta": "/t", "contexts": "/docs/*",
        } },
    ]);
    let project = Project::new(1, &systems);
    let begun = Instant::now();
    assert_eq!(project.run().code, Some(3), "one of them failed on every case");
    let cut = project.record("q1", Some("cut"));
    assert_eq!(cut["answer"], Value::Null, "half an answer is none");
    assert!(cut["error"].as_str().expect("an error").contains("overloaded"), "{cut}");
    assert!(begun.elapsed() < Duration::from_secs(15), "[DONE] is the end: {:?}", begun.elapsed());
    for system in ["sse", "lines"] {
        let record = project.record("q1", Some(system));
        assert_eq!(
            (&record["answer"], &record["contexts"][0]["text"]),
            (&json!("Gates are дуб."), &json!("Oak."))
        );
    }
    assert_eq!(project.record("q1", Some("sse"))["figures"]["tokens_in"], 5.0);
    assert_eq!(sse.seen()[0].headers["accept"], "text/event-stream");
}

#[test]
fn passing_failures_are_tried_again_when_the_server_says() {
    let bot = Bot::start(|request, before| match before {
        0 => Reply { headers: "retry-after: 1\r\n".to_owned(), ..Reply::text(429, "slow down") },
        _ => Reply::json(&gate(&request.body)),
    });
    let system = json!({ "name": "bot", "http": { "url": bot.url, "retries": 1 } });
    let project = Project::with(2, &system);
    project.run().ok();
    assert_eq!(bot.count(), 4, "each case twice");
    let record = project.record("q1", None);
    assert_eq!(record["error"], Value::Null);
    assert!(record["seconds"].as_f64() >= Some(1.0), "Retry-After was honoured: {record}");
    // Without retries the refusal stands.
    let system = json!({ "name": "once", "http": { "url": bot.url, "retries": 0,
        "request": { "question": "{{question}}", "v": 2 } } });
    let once = Project::with(1, &system);
    assert_eq!(once.run().code, Some(3));
    assert!(once.record("q1", None)["error"].as_str().expect("an error").contains("HTTP 429"));
}

#[test]
fn a_reply_that_does_not_come_in_time_is_an_error() {
    let bot = Bot::of_gates(Duration::from_secs(20));
    let mut system = gates("bot", &bot.url);
    system["http"]["timeout"] = json!(0.3);
    let done = Project::with(1, &system).run();
    assert_eq!(done.code, Some(3));
    assert!(done.err.contains("no whole reply within 0.3 s"), "{}", done.err);
}

#[test]
fn each_system_has_a_bound_of_its_own() {
    let (narrow, wide) =
        (Bot::of_gates(Duration::from_millis(60)), Bot::of_gates(Duration::from_millis(60)));
    let (mut one, mut other) = (gates("narrow", &narrow.url), gates("wide", &wide.url));
    one["http"]["concurrency"] = json!(2);
    other["http"]["concurrency"] = json!(5);
    Project::new(12, &json!([one, other])).run().ok();
    assert_eq!((narrow.count(), wide.count()), (12, 12));
    // How near a peak comes to its bound depends on the machine; the bounds, and that the wide one
    // is not held to the narrow one's, don't.
    assert!(
        narrow.peak() <= 2 && (3..=5).contains(&wide.peak()),
        "{} {}",
        narrow.peak(),
        wide.peak()
    );
}

#[test]
fn ask_needs_no_corpus() {
    let bot = Bot::of_gates(Duration::ZERO);
    let project = Project::with(1, &gates("bot", &bot.url));
    let said = project.call(&["ask", "What is gate 9 made of?", "--format", "json"]).ok();
    assert_eq!(said["answer"], "Gate 9 is made of oak.");
    assert_eq!(said["contexts"][1]["text"], "Bridges are made of stone.");
    let plain = project.call(&["ask", "What is gate 9 made of?"]);
    assert!(plain.out.starts_with("Gate 9 is made of oak.\n"), "{plain:?}");
    bot.kill();
    let gone = project.call(&["ask", "What is gate 9 made of?"]);
    gone.refused(3, &["cannot connect", "/ask"]);
}
