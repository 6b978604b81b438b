//! The judge engine through the built binary: what is asked, how often, by whom it is shared, what
//! is planned before, and what a reply can't do.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Request, Response};
use crate::script::{Script, WORLDS, World};
use crate::support;

/// The nine metrics whose price the issue sets.
const NINE: &str = "faithfulness,answer_relevancy,context_precision,context_recall,\
                    noise_sensitivity,factual_correctness,answer_correctness,context_relevance,\
                    response_groundedness";

/// A reply of the shape asked for: claims are the answer's sentences, ids run through lists.
fn plausible(request: &Request) -> Value {
    let answer = request.tagged("answer").pop().unwrap_or_default();
    let sentences: Vec<String> =
        answer.split_inclusive('.').map(|text| text.trim().to_owned()).collect();
    fill(&request.schema(), "", &sentences, 0)
}

fn fill(schema: &Value, name: &str, texts: &[String], at: usize) -> Value {
    if let Some(words) = schema["enum"].as_array() {
        return words[if words[0].is_number() { at.min(words.len() - 1) } else { 0 }].clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().expect("an object has properties");
            properties.iter().map(|(name, of)| (name.clone(), fill(of, name, texts, at))).collect()
        }
        Some("array") => {
            let items = &schema["items"];
            let free = if items["enum"].is_array() { 0 } else { texts.len().max(2) };
            let count = schema["minItems"].as_u64().map_or(free, |count| count as usize);
            (0..count).map(|at| fill(items, name, texts, at)).collect()
        }
        Some("boolean") => json!(false),
        _ if name == "text" => json!(texts.get(at).map_or("A text.", String::as_str)),
        _ if name == "quote" || name == "span" => json!(""),
        _ => json!("What is it made of?"),
    }
}

fn endpoint() -> Endpoint {
    Endpoint::start(|request| request.reply(&plausible(request).to_string()))
}

/// A record with five contexts.
fn five(system: &str, answer: &str) -> Value {
    let contexts: Vec<String> =
        (1..=5).map(|n| format!("Context {n} tells of gate {n} of Orlo.")).collect();
    json!({
        "id": "gates", "system": system, "question": "What are the gates of Orlo made of?",
        "answer": answer, "contexts": contexts, "reference": "They are made of oak. One is of iron.",
    })
}

/// Scores rows in a folder: what the command prints.
fn score(folder: &std::path::Path, endpoint: &Endpoint, rows: &[Value], args: &[&str]) -> Value {
    support::write_rows(&folder.join("rows.jsonl"), rows);
    let url = endpoint.url();
    let mut all = vec!["score", "rows.jsonl", "--format", "json", "--base-url", &url];
    all.extend(["--judge", "openai:oracle", "--embedder", "openai:oracle", "--out", "out.jsonl"]);
    all.extend(args);
    let done = support::run(folder, &all);
    assert_eq!(done.code, Some(0), "{done:?}");
    done.json()
}

fn plan(folder: &std::path::Path, endpoint: &Endpoint, rows: &[Value], args: &[&str]) -> Value {
    support::write_rows(&folder.join("rows.jsonl"), rows);
    let url = endpoint.url();
    let mut all = vec!["plan", "rows.jsonl", "--format", "json", "--base-url", &url];
    all.extend(["--judge", "openai:oracle", "--embedder", "openai:oracle"]);
    all.extend(args);
    support::run(folder, &all).ok()
}

fn by_group(requests: &[Request]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for request in requests.iter().filter(|request| request.is_chat()) {
        *counts.entry(request.group()).or_default() += 1;
    }
    counts
}

#[test]
fn nine_metrics_cost_seventeen_calls_and_share_the_question_side() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let endpoint = endpoint();
    let first = five("a", "They are made of oak. They are old.");
    score(folder.path(), &endpoint, std::slice::from_ref(&first), &["--metrics", NINE]);
    let counts = by_group(&endpoint.take());
    let expected: BTreeMap<String, usize> = [
        ("extract", 1),
        ("verify", 1),
        ("invert", 1),
        ("question_side", 1),
        ("each", 5),
        ("correct", 1),
        ("covered", 1),
        ("relevance", 5),
        ("groundedness", 1),
    ]
    .map(|(group, count)| (group.to_owned(), count))
    .into();
    assert_eq!(counts, expected);
    assert_eq!(counts.values().sum::<usize>(), 17);
    // A further system over the same contexts pays for its answer alone.
    let second = five("b", "They are of stone. Nobody opens them.");
    score(folder.path(), &endpoint, &[first, second], &["--metrics", NINE]);
    let counts = by_group(&endpoint.take());
    assert!(!counts.contains_key("question_side") && !counts.contains_key("relevance"));
    assert_eq!(counts.values().sum::<usize>(), 11, "{counts:?}");
}

#[test]
fn question_side_calls_are_the_distinct_keys_of_three_retrievers() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let endpoint = endpoint();
    let with = |system: &str, texts: &[&str]| {
        let mut row = five(system, "They are made of oak.");
        row["contexts"] = json!(texts);
        row
    };
    let rows = [
        with("one", &["A tells.", "B tells.", "C tells."]),
        with("same_set", &["C tells.", "A tells.", "B tells."]),
        with("other_set", &["B tells.", "C tells.", "D tells."]),
    ];
    score(folder.path(), &endpoint, &rows, &["--metrics", "context_recall,context_relevance"]);
    let counts = by_group(&endpoint.take());
    // Two sets of contexts, four contexts.
    assert_eq!((counts["question_side"], counts["relevance"]), (2, 4), "{counts:?}");
}

/// Alone, with other metrics, after another system, from a warm store: the same calls.
#[test]
fn what_else_is_asked_changes_no_call() {
    let bodies = |rows: &[Value], metrics: &str, before: &[Value]| -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let endpoint = endpoint();
        if !before.is_empty() {
            score(folder.path(), &endpoint, before, &["--metrics", NINE]);
            endpoint.take();
        }
        score(folder.path(), &endpoint, rows, &["--metrics", metrics]);
        let of_claims = |request: &Request| request.is_chat() && request.group() == "verify";
        endpoint.take().into_iter().filter(of_claims).map(|request| request.body).collect()
    };
    let row = five("a", "They are made of oak. They are old.");
    let other = five("b", "They are of stone.");
    let alone = bodies(std::slice::from_ref(&row), "faithfulness", &[]);
    assert_eq!(alone.len(), 1);
    assert_eq!(bodies(std::slice::from_ref(&row), NINE, &[]), alone);
    assert_eq!(bodies(&[other.clone(), row.clone()], "faithfulness", &[other]), alone);
    assert!(
        bodies(std::slice::from_ref(&row), "faithfulness", std::slice::from_ref(&row)).is_empty()
    );
}

#[test]
fn a_plan_counts_the_calls_that_are_then_made() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let endpoint = endpoint();
    let rows = [five("a", "They are made of oak. They are old."), five("b", "They are of stone.")];
    let planned = plan(folder.path(), &endpoint, &rows, &["--metrics", NINE]);
    assert!(endpoint.take().is_empty(), "a plan asks nobody");
    assert_eq!(planned["calls"]["chat"], 28, "17 and 11: {planned}");
    assert_eq!(planned["calls"]["cached"], 0);
    assert_eq!(planned["facts"]["claim_support"], 2);
    assert_eq!(planned["facts"]["context_relevance"], 2);
    assert_eq!(planned["cost"]["amount"], Value::Null, "an unknown price is no price");
    let input = planned["tokens"]["input"].as_u64().expect("tokens");
    let output = planned["tokens"]["output"].as_u64().expect("tokens");
    assert!(input > 5_000 && output > 500, "{planned}");
    let price = ["--metrics", NINE, "--price", "2/10 EUR 2026-11-30"];
    let priced = plan(folder.path(), &endpoint, &rows, &price);
    let amount = priced["cost"]["amount"].as_f64().expect("an amount");
    assert!((amount - (input as f64 * 2.0 + output as f64 * 10.0) / 1e6).abs() < 1e-9);
    assert_eq!(priced["cost"]["currency"], "EUR");
    assert_eq!(priced["cost"]["price_date"], "2026-11-30");
    score(folder.path(), &endpoint, &rows, &["--metrics", NINE]);
    let paid = endpoint.take();
    let chat = paid.iter().filter(|request| request.is_chat()).count();
    assert_eq!(planned["calls"]["chat"], chat);
    assert_eq!(planned["calls"]["embeddings"], paid.len() - chat);
    let again = plan(folder.path(), &endpoint, &rows, &["--metrics", NINE]);
    assert_eq!(again["calls"]["chat"], 0);
    assert_eq!(again["calls"]["embeddings"], 0);
    assert!(again["calls"]["cached"].as_u64().is_some_and(|cached| cached >= 28), "{again}");
    assert_eq!(again["tokens"], json!({ "input": 0, "output": 0 }));
    // Other metrics over the same facts cost what is missing alone.
    let metrics = ["--metrics", "faithfulness,answer_accuracy"];
    let more = plan(folder.path(), &endpoint, &rows, &metrics);
    assert_eq!(more["calls"]["chat"], 4, "{more}");
    assert!(more["seconds"].is_number(), "an earlier run tells how long a call takes: {more}");
}

#[test]
fn a_budget_of_money_or_tokens_stops_before_it_and_keeps_the_work() {
    let rows: Vec<Value> = (0..20)
        .map(|n| {
            let mut row = five("a", &format!("Gate {n} is of oak."));
            row["id"] = json!(format!("case-{n}"));
            row
        })
        .collect();
    for (args, most) in [
        // A reply is billed 100 tokens in and 10 out.
        (["--max-tokens", "2000", "--price", "1/1"], 2000),
        (["--max-cost", "0.003", "--price", "1/1"], 3000),
    ] {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let endpoint = endpoint();
        support::write_rows(&folder.path().join("rows.jsonl"), &rows);
        let url = endpoint.url();
        let metrics = "faithfulness,context_relevance";
        let mut all = vec!["score", "rows.jsonl", "--metrics", metrics, "--format", "json"];
        all.extend(["--judge", "openai:oracle", "--base-url", &url, "--concurrency", "4"]);
        let mut bound = all.clone();
        bound.extend(args);
        let done = support::run(folder.path(), &bound);
        assert_eq!(done.code, Some(5), "{done:?}");
        let spent = done.json()["tokens"].clone();
        let total = spent["input"].as_u64().unwrap_or(0) + spent["output"].as_u64().unwrap_or(0);
        assert!(total <= most && total > 0, "{args:?}: {total}");
        let first = endpoint.take().len();
        let done = support::run(folder.path(), &all);
        assert_eq!(done.code, Some(0), "{done:?}");
        // Gates share their five contexts and their question: one extract and one verify a
        // record, five relevances in all.
        assert_eq!(first + endpoint.take().len(), 20 * 2 + 5);
    }
}

/// What each group's prompt may show of the world's record.
const SEES: [(&str, &[&str]); 14] = [
    ("extract", &["question", "answer"]),
    ("verify", &["contexts"]),
    ("each", &["contexts"]),
    ("correct", &["reference"]),
    ("covered", &["reference", "answer"]),
    ("question_side", &["question", "reference", "contexts"]),
    ("useful_answer", &["question", "answer", "contexts"]),
    ("relevance", &["question", "contexts"]),
    ("groundedness", &["answer", "contexts"]),
    ("accuracy", &["question", "answer", "reference"]),
    ("reference_entities", &["reference"]),
    ("context_entities", &["contexts"]),
    ("nuggets", &["question", "passages"]),
    ("summary_questions", &["passages"]),
];

#[test]
fn no_group_sees_a_field_that_is_hidden_from_it() {
    let metrics = format!(
        "{NINE},answer_accuracy,context_precision_without_reference,context_entity_recall,\
         nugget_recall,summarization_score,answer_relevance,aspect_critic:conciseness,coherence"
    );
    for world in &WORLDS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let endpoint = Script::new(world).endpoint();
        score(folder.path(), &endpoint, &[world.record()], &["--metrics", &metrics]);
        let mut groups: BTreeMap<String, usize> = BTreeMap::new();
        for request in endpoint.take().iter().filter(|request| request.is_chat()) {
            *groups.entry(request.group()).or_default() += 1;
            let Some((_, sees)) = SEES.iter().find(|(group, _)| *group == request.group()) else {
                continue;
            };
            let said = request.said("user");
            for (field, text) in fields(world) {
                let shown = said.contains(text);
                assert!(
                    !shown || sees.contains(&field),
                    "{} shows {field}: {said}",
                    request.group()
                );
                // What a group sees is really there, in one call or another.
            }
            assert!(!request.body.contains("\\u04"), "Cyrillic goes as it is");
        }
        for (group, _) in SEES {
            assert!(groups.contains_key(group), "{group} was not asked: {groups:?}");
        }
    }
}

/// A text of each field that stands in no other.
fn fields(world: &World) -> [(&'static str, &'static str); 6] {
    [
        ("question", world.question),
        ("answer", world.answer),
        ("contexts", world.contexts[0]),
        ("contexts", world.contexts[2]),
        ("reference", world.units[1]),
        ("passages", world.passages[0]),
    ]
}

#[test]
fn most_of_the_votes_decide_and_their_agreement_is_kept() {
    let world = &WORLDS[1];
    let folder = tempfile::tempdir().expect("a folder can be made");
    // The first vote, at temperature 0, calls claim 4 supported; the further ones don't.
    let steady = Script::new(world);
    let first = steady.with("support.4", &json!("supported"));
    let endpoint = Endpoint::start(move |request| {
        let cold = request.json["temperature"].as_f64().is_none_or(|t| t == 0.0);
        let script = if cold { &first } else { &steady };
        request.reply(&script.says_to(request).to_string())
    });
    let rows = [world.record()];
    let args = ["--metrics", "faithfulness,aspect_critic:conciseness", "--votes", "3"];
    let run = score(folder.path(), &endpoint, &rows, &args);
    let mean = |metric: &str| support::summary(&run, "recorded", metric)["mean"].clone();
    assert_eq!(mean("faithfulness"), json!(0.75));
    assert_eq!(mean("aspect_critic:conciseness"), json!(1.0));
    let counts = by_group(&endpoint.take());
    // Claims are a list of the judge's own making: there is nothing to vote on.
    assert_eq!((counts["extract"], counts["verify"], counts["criterion"]), (1, 3, 3));
    let shown = support::run(folder.path(), &["show", "latest", "orlo", "--format", "json"]).ok();
    let text = shown.to_string();
    assert!(text.contains(r#""votes":{"asked":3,"given":12,"agreed":11}"#), "{text}");
}

/// Turns a group's reply into a worse one.
type Spoil = fn(&str, Value) -> String;

/// Replies that go wrong in ways that models do: the numbers stay, and what is asked again is asked
/// alone.
#[test]
fn what_a_reply_gets_wrong_changes_no_denominator() {
    let world = &WORLDS[0];
    let rows = [world.record()];
    let metrics = "faithfulness,factual_correctness_precision,nugget_recall,context_relevance";
    let told = |spoil: Spoil| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let script = Script::new(world);
        let seen: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let endpoint = Endpoint::start(move |request| -> Response {
            let reply = script.says_to(request);
            let asked = request.said("user");
            let mut seen = seen.lock().expect("no test thread panics while it holds this");
            let again = seen.contains(&asked);
            seen.push(asked);
            let whole = request.tagged("claim").len() + request.tagged("nugget").len() != 1;
            let text =
                if whole && !again { spoil(&request.group(), reply) } else { reply.to_string() };
            request.reply(&text)
        });
        let run = score(folder.path(), &endpoint, &rows, &["--metrics", metrics]);
        let mean = |metric: &str| support::summary(&run, "recorded", metric)["mean"].as_f64();
        let means: Vec<Option<f64>> = metrics.split(',').map(mean).collect();
        (means, by_group(&endpoint.take()))
    };
    let (right, calls) = told(|_, reply| reply.to_string());
    for (found, expected) in right.iter().zip([0.75, 0.5, 0.5, 5.0 / 9.0]) {
        assert!(found.is_some_and(|found| (found - expected).abs() < 1e-12), "{right:?}");
    }
    let spoilt: [(&str, Spoil); 6] = [
        ("fences", |_, reply| format!("```json\n{reply}\n```")),
        ("thought", |_, reply| format!("<think>Perhaps {{\"grade\":0}}?</think>\n{reply}")),
        ("chatter", |_, reply| format!("Вот мой ответ: {reply} Надеюсь, он полезен.")),
        ("extra ids", |group, reply| {
            with_items(group, reply, |items| {
                let mut more = items[0].clone();
                for id in ["claim", "nugget"] {
                    if more[id].is_number() {
                        more[id] = json!(99);
                    }
                }
                items.push(more);
            })
        }),
        ("repeated ids", |group, reply| {
            with_items(group, reply, |items| {
                let same = items[0].clone();
                items.push(same);
            })
        }),
        ("quotes from nowhere", |group, reply| {
            with_items(group, reply, |items| {
                for item in items {
                    if item["quote"].is_string() {
                        item["quote"] = json!("words that stand nowhere");
                    }
                }
            })
        }),
    ];
    for (what, spoil) in spoilt {
        let (means, same) = told(spoil);
        assert_eq!(means, right, "{what}");
        assert_eq!(same, calls, "{what}: nothing is asked twice");
    }
    let (means, counts) = told(|group, reply| {
        with_items(group, reply, |items| {
            items.pop();
        })
    });
    assert_eq!(means, right, "the last id is asked again");
    for group in ["verify", "correct", "assign"] {
        assert_eq!(counts[group], calls[group] + 1, "{group}: asked again alone, once");
    }
}

/// The reply with its verdicts changed, if it is a list of verdicts.
fn with_items(group: &str, mut reply: Value, change: impl Fn(&mut Vec<Value>)) -> String {
    let key = match group {
        "verify" | "correct" => "verdicts",
        "assign" => "nuggets",
        _ => return reply.to_string(),
    };
    if let Some(items) = reply[key].as_array_mut() {
        change(items);
    }
    reply.to_string()
}

#[test]
fn grades_are_weighted_by_probabilities_where_the_endpoint_gives_them() {
    let world = &WORLDS[0];
    let script = Script::new(world);
    let mean = |refuses: bool, profile: &str| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let script = script.clone();
        let endpoint = Endpoint::start(move |request| {
            if request.json["logprobs"] != json!(true) {
                return request.reply(&script.says_to(request).to_string());
            }
            if refuses {
                let message = "logprobs are not supported by this model";
                return (400, json!({ "error": { "message": message } }));
            }
            let (status, mut body) = request.reply(r#"{"reason":"r","grade":2}"#);
            let token = |text: &str, top: &[(&str, f64)]| {
                let top: Vec<Value> = top
                    .iter()
                    .map(|(token, p)| json!({ "token": token, "logprob": p.ln() }))
                    .collect();
                json!({ "token": text, "logprob": -0.1, "top_logprobs": top })
            };
            body["choices"][0]["logprobs"]["content"] = json!([
                token(r#"{"reason":"r","#, &[]),
                token(r#""grade":"#, &[]),
                token("2", &[("2", 0.75), ("3", 0.25)]),
                token("}", &[]),
            ]);
            (status, body)
        });
        let args = ["--metrics", "answer_relevance", "--profile", profile];
        let run = score(folder.path(), &endpoint, &[world.record()], &args);
        support::summary(&run, "recorded", "answer_relevance")["mean"].as_f64().expect("a mean")
    };
    assert!((mean(false, "grouped") - 2.25 / 3.0).abs() < 1e-9);
    // As it is said: by an endpoint that has no probabilities, and as RAGAS asks.
    assert!((mean(true, "grouped") - 2.0 / 3.0).abs() < 1e-9);
    assert!((mean(false, "split") - 2.0 / 3.0).abs() < 1e-9);
}

#[test]
fn a_second_judge_is_asked_as_the_first_one_was() {
    for (profile, split) in [("split", true), ("grouped", false)] {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let endpoint = endpoint();
        let rows = [five("a", "They are made of oak."), five("b", "They are of stone.")];
        let args = ["--metrics", "faithfulness,context_recall", "--profile", profile];
        score(folder.path(), &endpoint, &rows, &args);
        endpoint.take();
        let url = endpoint.url();
        let second = ["compare", "latest", "--second-judge", "openai:other", "--base-url", &url];
        let done = support::run(folder.path(), &second);
        assert_eq!(done.code, Some(0), "{done:?}");
        let groups = by_group(&endpoint.take());
        assert!(!groups.is_empty(), "{done:?}");
        assert!(groups.keys().all(|group| group.starts_with("split_") == split), "{groups:?}");
    }
}
