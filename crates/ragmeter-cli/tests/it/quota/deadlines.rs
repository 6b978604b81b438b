//! Connections that break and replies that never come.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::server::{Act, Server};
use super::{CALLS, DELAY, assert_true, configure, folder, limits, reply, score, storm};
use crate::support::{outcomes, run};

/// What a server may do to a connection instead of answering.
const FAULTS: [Act; 4] = [Act::Stall, Act::HalfClose, Act::CutBody, Act::Drip];

#[test]
fn whatever_happens_to_a_connection_is_tried_again() {
    let folder = folder(6);
    let server = Server::start(Duration::ZERO, |heard| match heard.before {
        0 => FAULTS[heard.body.len() % 4].clone(),
        _ => reply(heard),
    });
    configure(folder.path(), &format!("    base_url: {}\n    timeout: 2", server.url));
    let whole = run(folder.path(), &["run", "--format", "json"]).ok();
    assert_true(folder.path(), &whole);
    assert_eq!(server.paid(), 6 * CALLS);
    assert_eq!(limits(&whole)["limit"], 4, "a fault of the connection is no quota");
}

#[test]
fn waiting_for_the_quota_is_not_waiting_for_a_reply() {
    let folder = folder(6);
    let server = storm(Duration::from_millis(2500), |left, _| {
        format!("retry-after-ms: {}\r\n", left.as_millis() + 1)
    });
    // Half as long as the pause.
    configure(folder.path(), &format!("    base_url: {}\n    timeout: 1.2", server.url));
    let whole = run(folder.path(), &["run", "--format", "json"]).ok();
    assert_true(folder.path(), &whole);
    assert!(server.said(429) > 0);
}

#[test]
fn what_never_comes_is_a_failure_with_its_class() {
    let classes = ["timeout", "server", "server", "timeout"];
    for (fault, class) in FAULTS.into_iter().zip(classes) {
        let folder = folder(2);
        let server = Server::start(Duration::ZERO, move |_| fault.clone());
        configure(folder.path(), &format!("    base_url: {}\n    timeout: 1", server.url));
        let done = run(folder.path(), &["run", "--format", "json"]);
        assert_eq!(done.code, Some(3), "{done:?}");
        for summary in done.json()["systems"][0]["summaries"].as_array().expect("a list") {
            assert_eq!((&summary["n_failed"], &summary["mean"]), (&2.into(), &Value::Null));
            assert_eq!(summary["failures"][class], 2, "{summary}");
        }
    }
}

#[test]
fn a_pause_that_nobody_can_wait_for_ends_the_run_soon() {
    let folder = folder(20);
    let server = Server::start(DELAY, |_| Act::Refuse(429, "retry-after: 86400\r\n".to_owned()));
    let began = Instant::now();
    let done = score(folder.path(), &server.url, "2");
    assert_eq!(done.code, Some(3), "{done:?}");
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
    assert!(server.said(429) <= 2, "nobody asks again");
    let scores = outcomes(&folder.path().join("out.jsonl"));
    let reasons: Vec<&str> =
        scores.values().filter_map(|of| of["context_recall"]["reason"].as_str()).collect();
    let said = |words: &str| reasons.iter().filter(|reason| reason.contains(words)).count();
    assert_eq!(reasons.len(), 20);
    assert!(said("no place in the 3600 s that a call may queue") >= 18, "{reasons:?}");
    for (id, of) in &scores {
        assert_eq!(of["faithfulness"]["class"], "rate_limited", "{id}: {of}");
    }
}

#[test]
fn a_question_and_a_queue_have_deadlines_of_their_own() {
    // Silent for longer than a question may take with all its tries.
    let folder = folder(3);
    let server = Server::start(Duration::ZERO, |_| Act::Stall);
    let model = |more: &str| format!("    base_url: {}\n    concurrency: 1\n{more}", server.url);
    configure(folder.path(), &model("    timeout: 2\n    total_timeout: 3\n    queue_timeout: 4"));
    let began = Instant::now();
    let done = run(folder.path(), &["run", "--format", "json"]);
    assert_eq!(done.code, Some(3), "{done:?}");
    // Three records of two first calls: one after another, without a queue's end, that is 18 s.
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    let run_id = done.json()["run_id"].as_str().expect("an id").to_owned();
    let mut shown = String::new();
    for case in ["case-1", "case-2", "case-3"] {
        shown += &run(folder.path(), &["show", &run_id, case, "--format", "json"]).out;
    }
    assert!(shown.contains("no reply within the "), "the second try has what is left: {shown}");
    assert!(shown.contains("no place in the 4 s that a call may queue: 1 calls"), "{shown}");
}
