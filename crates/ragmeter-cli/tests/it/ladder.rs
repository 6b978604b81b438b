//! Replies that are not as they should be: shapes that an endpoint refuses, broken JSON, ids and
//! quotes that were not asked for or are missing.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Request, Response};
use crate::marks::{ALL, ENGLISH, Marks, NAMES, check_language, check_visibility, latin_run};
use crate::oracle::Bench;

/// An English record of one claim-making answer, over three contexts.
fn english_record() -> String {
    ENGLISH.record("recorded", [0, 1, 2])
}

/// Scores one English record by an endpoint that answers so.
fn scored(
    metrics: &str,
    code: i32,
    answer: impl Fn(&Request) -> Response + Send + Sync + 'static,
) -> (Bench, Value) {
    let bench = Bench::new(Endpoint::start(answer));
    let (_, lines) = bench.score(&english_record(), &["--metrics", metrics], code);
    let scores = lines[0]["scores"].clone();
    (bench, scores)
}

fn refused(what: &str) -> Response {
    (400, json!({ "error": { "message": format!("{what} is not supported") } }))
}

/// The rung by which each fact of the record came.
fn rungs(bench: &Bench) -> BTreeSet<String> {
    let shown = bench.show(NAMES[1]);
    let facts = shown["systems"][0]["facts"].as_object().expect("facts by name").clone();
    let of = |fact: &Value| fact["Ok"]["source"]["rung"].as_str().map(str::to_owned);
    facts.values().filter_map(of).collect()
}

#[test]
fn an_endpoint_without_schemas_gets_tools() {
    let (bench, scores) = scored(ALL, 0, |request| match request.rung() {
        "native" => refused("response_format json_schema"),
        _ => request.reply(&ENGLISH.reply(request).to_string()),
    });
    assert_eq!(scores["faithfulness"]["value"], 1.0, "{scores}");
    assert_eq!(rungs(&bench), BTreeSet::from(["tool".to_owned()]));
    let chat = bench.endpoint.take_chat();
    for request in chat.iter().filter(|request| request.rung() == "tool") {
        check_visibility(&ENGLISH, request);
    }
    // What was learned is remembered: the next run doesn't try what was refused.
    bench.score(&english_record(), &["--metrics", ALL, "--fresh"], 0);
    let chat = bench.endpoint.take_chat();
    assert!(!chat.is_empty() && chat.iter().all(|request| request.rung() == "tool"));
}

#[test]
fn an_endpoint_without_tools_is_asked_in_words_and_asked_to_mend_its_reply() {
    for lang in ["en", "ru"] {
        let bench = Bench::new(Endpoint::start(move |request| {
            let marks = Marks::of(lang);
            let mends = request.json["messages"].as_array().is_some_and(|said| said.len() > 2);
            match request.rung() {
                "native" => refused("response_format json_schema"),
                "tool" => refused("tool_choice"),
                _ if mends => {
                    let reply = marks.reply(request);
                    request.reply(&format!("Sure!\n```json\n{reply}\n```"))
                }
                _ if request.group() == "extract" => request.reply("{\"claims\": []}"),
                _ => request.reply("{\"half\": \"an ob"),
            }
        }));
        let marks = Marks::of(lang);
        let record = marks.record("recorded", [0, 1, 2]);
        let (_, lines) = bench.score(&record, &["--metrics", ALL], 0);
        for metric in ["faithfulness", "context_precision", "context_recall", "question_coverage"] {
            assert_eq!(lines[0]["scores"][metric]["value"], 1.0, "{lang}: {}", lines[0]);
        }
        assert_eq!(rungs(&bench), BTreeSet::from(["prompt".to_owned()]), "{lang}");
        let chat = bench.endpoint.take_chat();
        let in_words: Vec<&Request> =
            chat.iter().filter(|request| request.rung() == "prompt").collect();
        for request in &in_words {
            check_visibility(&marks, request);
            if request.said("assistant").is_empty() {
                check_language(&marks, request);
            } else {
                // The request to mend a reply shows it and says what is wrong with it.
                let mending = request.json["messages"][3]["content"].as_str().expect("a request");
                let extract = request.group() == "extract";
                let half = if extract { "{\"claims\": []}" } else { "{\"half\": \"an ob" };
                assert_eq!(request.said("assistant"), half);
                assert!(!extract || mending.contains("kind"), "{lang}: {mending}");
                assert!(lang == "en" || latin_run(mending) < 3, "{lang}: {mending}");
            }
        }
        // Six groups, each asked once and mended once.
        assert_eq!(in_words.len(), 12, "{lang}");
    }
}

#[test]
fn a_judge_that_never_says_json_is_asked_three_times_and_nothing_is_made_up() {
    let (bench, scores) = scored("faithfulness", 3, |request| request.reply("Faithfulness: 5/5."));
    for metric in ["faithfulness", "refusal_rate"] {
        assert_eq!(scores[metric]["status"], "failed", "{scores}");
        assert_eq!(scores[metric]["class"], "unparsable", "{scores}");
    }
    let rungs: Vec<&str> = bench.endpoint.take_chat().iter().map(Request::rung).collect();
    assert_eq!(rungs, ["native", "tool", "prompt"]);
}

/// A verdict on a claim.
fn verdict(claim: i64, verdict: &str) -> Value {
    json!({ "claim": claim, "quote": "", "contexts": [1], "verdict": verdict })
}

#[test]
fn ids_that_were_not_asked_or_come_twice_never_change_the_denominator() {
    let (bench, scores) = scored("faithfulness,context_precision", 0, |request| {
        let reply = match request.group().as_str() {
            "verify" => json!({ "verdicts": [
                verdict(3, "absent"), verdict(7, "absent"), verdict(1, "supported"),
                verdict(2, "supported"), verdict(2, "supported"), verdict(0, "contradicted"),
                verdict(-1, "contradicted"),
            ] }),
            "question_side" => {
                let mut reply = ENGLISH.reply(request);
                let contexts = reply["contexts"].as_array_mut().expect("verdicts");
                contexts.push(json!({ "context": 4, "useful": false }));
                contexts.insert(0, json!({ "context": 0, "useful": false }));
                reply
            }
            _ => ENGLISH.reply(request),
        };
        request.reply(&reply.to_string())
    });
    assert_eq!(scores["faithfulness"]["value"], 2.0 / 3.0, "{scores}");
    assert_eq!(scores["context_precision"]["value"], 1.0, "{scores}");
    assert_eq!(bench.endpoint.take_chat().len(), 3, "nothing had to be asked again");
}

#[test]
fn verdicts_that_disagree_count_as_none_and_are_asked_again_alone() {
    let (bench, scores) = scored("faithfulness", 0, |request| {
        let reply = match (request.group().as_str(), request.tagged("claim").len()) {
            ("verify", 3) => json!({ "verdicts": [
                verdict(1, "supported"), verdict(2, "supported"), verdict(2, "absent"),
                verdict(3, "supported"),
            ] }),
            ("verify", _) => json!({ "verdicts": [verdict(1, "contradicted")] }),
            _ => ENGLISH.reply(request),
        };
        request.reply(&reply.to_string())
    });
    assert_eq!(scores["faithfulness"]["value"], 2.0 / 3.0, "{scores}");
    let chat = bench.endpoint.take_chat();
    assert_eq!(chat.last().expect("calls").tagged("claim"), [ENGLISH.claims[1]]);
    let shown = bench.show(NAMES[1]);
    let verdicts = &shown["systems"][0]["facts"]["support"]["Ok"]["value"];
    assert_eq!(verdicts[1]["support"], "contradicted");
}

#[test]
fn a_claim_that_is_left_out_even_alone_fails_and_is_no_number() {
    let (bench, scores) = scored("faithfulness", 3, |request| {
        let mut reply = ENGLISH.reply(request);
        if request.group() == "verify" {
            let verdicts = reply["verdicts"].as_array_mut().expect("verdicts");
            verdicts.pop();
        }
        request.reply(&reply.to_string())
    });
    assert_eq!(scores["faithfulness"]["status"], "failed", "{scores}");
    assert_eq!(scores["faithfulness"]["class"], "missing_ids", "{scores}");
    assert_eq!(scores["refusal_rate"]["value"], 0.0, "{scores}");
    assert_eq!(bench.endpoint.take_chat().len(), 3);
}

#[test]
fn a_quote_that_stands_in_no_context_is_dropped_and_its_verdict_stays() {
    let (bench, scores) = scored("faithfulness", 0, |request| {
        let mut reply = ENGLISH.reply(request);
        if request.group() == "verify" {
            reply["verdicts"][0]["quote"] = json!("about a contavo");
            reply["verdicts"][1]["quote"] = json!("words of no context");
        }
        request.reply(&reply.to_string())
    });
    assert_eq!(scores["faithfulness"]["value"], 1.0, "{scores}");
    let shown = bench.show(NAMES[1]);
    let verdicts = &shown["systems"][0]["facts"]["support"]["Ok"]["value"];
    let quotes: Vec<(&Value, &Value)> = (verdicts.as_array().expect("verdicts").iter())
        .map(|verdict| (&verdict["quote"], &verdict["quote_dropped"]))
        .collect();
    let (yes, no, none) = (json!(true), json!(false), Value::Null);
    assert_eq!(quotes, [(&json!("about a contavo"), &no), (&none, &yes), (&none, &no)]);
}

#[test]
fn eight_claims_a_call_and_equal_claims_judged_once_but_counted_as_extracted() {
    let (bench, scores) = scored("faithfulness", 0, |request| {
        let reply = match request.group().as_str() {
            "extract" => {
                // 17 claims, and the first of them once more.
                let texts = (0..17).chain([0]).map(|n| format!("Claim number {n}."));
                let claims: Vec<Value> = texts
                    .map(|text| json!({ "text": text, "span": "not in the answer" }))
                    .collect();
                json!({ "kind": "answered", "claims": claims })
            }
            "verify" => {
                let of = |(text, id): (String, i64)| {
                    verdict(id, if text == "Claim number 0." { "absent" } else { "supported" })
                };
                let verdicts: Vec<Value> =
                    request.tagged("claim").into_iter().zip(1..).map(of).collect();
                json!({ "verdicts": verdicts })
            }
            _ => ENGLISH.reply(request),
        };
        request.reply(&reply.to_string())
    });
    assert_eq!(scores["faithfulness"]["value"], 16.0 / 18.0, "{scores}");
    let chat = bench.endpoint.take_chat();
    let mut claims: Vec<usize> = (chat.iter().filter(|request| request.group() == "verify"))
        .map(|request| request.tagged("claim").len())
        .collect();
    claims.sort_unstable();
    assert_eq!(claims, [1, 8, 8]);
    let shown = bench.show(NAMES[1]);
    let kept = &shown["systems"][0]["facts"]["claims"]["Ok"]["value"];
    assert_eq!(kept.as_array().map(Vec::len), Some(18));
    assert_eq!(kept[0]["span"], Value::Null, "a span that isn't in the answer is none");
}
