//! A judge that answers in another language than it was asked in: no denominator changes, what it
//! wrote is counted, and verdicts that can't be read are asked for again.

use std::path::Path;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Response};
use crate::script::{Script, WORLDS, World};
use crate::support::{self, Done};

const METRICS: &str = "faithfulness,factual_correctness_precision,answer_relevancy";

/// Scores the world's record.
fn score(folder: &Path, endpoint: &Endpoint, world: &World) -> Done {
    support::write_rows(&folder.join("rows.jsonl"), &[world.record()]);
    let url = endpoint.url();
    let mut args = vec!["score", "rows.jsonl", "--format", "json", "--base-url", &url];
    args.extend(["--judge", "openai:oracle", "--embedder", "openai:oracle", "--out", "out.jsonl"]);
    args.extend(["--metrics", METRICS]);
    support::run(folder, &args)
}

fn scores(folder: &Path) -> Value {
    support::outcomes(&folder.join("out.jsonl")).into_values().next().expect("one record")
}

#[test]
fn claims_in_another_language_are_judged_counted_and_told() {
    for (ours, other) in [(0, 1), (1, 0)] {
        let (ours, other) = (&WORLDS[ours], &WORLDS[other]);
        let translated: &'static World =
            Box::leak(Box::new(World { claims: other.claims, question: other.question, ..*ours }));
        for (claims, told) in [(ours, false), (translated, true)] {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let done = score(folder.path(), &Script::new(claims).endpoint(), ours);
            assert_eq!(done.code, Some(0), "{done:?}");
            let scores = scores(folder.path());
            assert_eq!(scores["faithfulness"]["value"], json!(0.75), "{scores}");
            assert_eq!(scores["factual_correctness_precision"]["value"], json!(0.5), "{scores}");
            for words in ["4 of 4 claims", "3 of 3 implied questions"] {
                let said = format!("{words} in another language than their answer");
                assert_eq!(done.err.contains(&said), told, "{}: {}", ours.lang, done.err);
            }
        }
    }
}

/// The judge of the Russian world, whose verdicts are in Russian: always, or until it is asked
/// again.
fn in_russian(always: bool) -> Endpoint {
    let script = Script::new(&WORLDS[1]);
    let seen: Mutex<Vec<String>> = Mutex::new(Vec::new());
    Endpoint::start(move |request| -> Response {
        let group = request.group();
        let reply = script.says_to(request).to_string();
        if !["verify", "correct"].contains(&group.as_str()) {
            return request.reply(&reply);
        }
        let mut seen = seen.lock().expect("no test thread panics while it holds this");
        let again = seen.contains(&group);
        seen.push(group);
        if again && !always {
            return request.reply(&reply);
        }
        let translated = reply
            .replace("\"supported\"", "\"подтверждено\"")
            .replace("\"contradicted\"", "\"опровергнуто\"")
            .replace("\"absent\"", "\"не сказано\"")
            .replace("\"verdict\"", "\"вердикт\"");
        request.reply(&translated)
    })
}

#[test]
fn translated_labels_and_keys_are_asked_for_again() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let endpoint = in_russian(false);
    let done = score(folder.path(), &endpoint, &WORLDS[1]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let scores = scores(folder.path());
    assert_eq!(scores["faithfulness"]["value"], json!(0.75), "{scores}");
    assert_eq!(scores["factual_correctness_precision"]["value"], json!(0.5), "{scores}");
    let calls = endpoint.take_chat();
    for group in ["verify", "correct"] {
        let asked = calls.iter().filter(|request| request.group() == group).count();
        assert_eq!(asked, 2, "{group}");
    }
}

#[test]
fn labels_that_stay_translated_are_a_failure_and_no_verdict() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let done = score(folder.path(), &in_russian(true), &WORLDS[1]);
    assert_eq!(done.code, Some(3), "{done:?}");
    let scores = scores(folder.path());
    for metric in ["faithfulness", "factual_correctness_precision"] {
        assert_eq!(scores[metric]["status"], "failed", "{scores}");
        assert_eq!(scores[metric]["class"], "unparsable", "{scores}");
    }
    assert!(scores["answer_relevancy"]["value"].is_number(), "{scores}");
}
