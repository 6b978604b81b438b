//! What goes over the wire: each call group shows what it may show, and nothing else, in every
//! profile and language.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::endpoint::{Endpoint, Request};
use crate::marks::{ALL, Marks, NAMES, check_language, check_visibility, visible};
use crate::oracle::Bench;

#[test]
fn no_group_shows_a_field_that_it_hides() {
    let grouped = ["coverage", "extract", "invert", "parts", "question_side", "verify"];
    let split = [
        "split_attribution",
        "split_claims",
        "split_coverage",
        "split_invert",
        "split_parts",
        "split_refusal",
        "split_useful",
        "split_verify",
    ];
    for lang in ["en", "ru"] {
        for (profile, groups) in [("grouped", grouped.as_slice()), ("split", split.as_slice())] {
            let bench = Bench::new(Endpoint::start(move |request| {
                request.reply(&Marks::of(lang).reply(request).to_string())
            }));
            let marks = Marks::of(lang);
            let record = marks.record(NAMES[0], [2, 0, 1]);
            bench.score(&record, &["--metrics", ALL, "--profile", profile], 0);
            let requests = bench.endpoint.take();
            let (chat, embedded): (Vec<Request>, Vec<Request>) =
                requests.into_iter().partition(Request::is_chat);
            let asked: BTreeSet<String> = chat.iter().map(Request::group).collect();
            assert!(asked.iter().eq(groups), "{lang} {profile}: {asked:?}");
            for request in &chat {
                check_visibility(&marks, request);
                check_language(&marks, request);
            }
            // The embedder gets the question and what the answer implies, nothing else.
            for request in &embedded {
                for (field, mark) in marks.fields() {
                    let may = matches!(field, "question" | "implied");
                    assert!(may || !request.body.contains(mark), "the embedder sees {field}");
                }
                assert!(!request.body.contains("\\u"), "letters are escaped: {}", request.body);
            }
            assert!(!embedded.is_empty());
        }
    }
}

/// Leaves the last item out of every list of verdicts that has more than one.
fn without_the_last(mut reply: Value) -> Value {
    for list in ["verdicts", "sentences", "contexts", "parts"] {
        if let Some(items) = reply[list].as_array_mut()
            && items.len() > 1
            && items[0].is_object()
        {
            items.pop();
        }
    }
    // Indexing made the keys that were not there.
    if let Some(object) = reply.as_object_mut() {
        object.retain(|_, value| !value.is_null());
    }
    reply
}

#[test]
fn what_a_reply_leaves_out_is_asked_again_alone_and_hides_the_same() {
    for lang in ["en", "ru"] {
        let bench = Bench::new(Endpoint::start(move |request| {
            request.reply(&without_the_last(Marks::of(lang).reply(request)).to_string())
        }));
        let marks = Marks::of(lang);
        let record = marks.record(NAMES[0], [2, 0, 1]);
        let (_, lines) = bench.score(&record, &["--metrics", ALL], 0);
        let chat = bench.endpoint.take_chat();
        let mut by_group: BTreeMap<String, Vec<&Request>> = BTreeMap::new();
        for request in &chat {
            check_language(&marks, request);
            by_group.entry(request.group()).or_default().push(request);
        }
        let counts: Vec<(&str, usize)> =
            by_group.iter().map(|(group, requests)| (group.as_str(), requests.len())).collect();
        let expected = [
            ("attribution", 1),
            ("coverage", 2),
            ("extract", 1),
            ("invert", 1),
            ("parts", 1),
            ("question_side", 1),
            ("useful", 1),
            ("verify", 2),
        ];
        assert_eq!(counts, expected, "{lang}");
        let alone = |group: &str, tag: &str| by_group[group].last().expect("asked").tagged(tag);
        assert_eq!(alone("verify", "claim"), [marks.claims[2]]);
        assert_eq!(alone("coverage", "part"), [marks.parts[1]]);
        assert_eq!(alone("attribution", "sentence").len(), 1);
        assert_eq!(alone("useful", "context").len(), 1);
        for (group, requests) in &by_group {
            let hides = |field: &str| !visible(group).contains(&field);
            for request in requests {
                for (field, mark) in marks.fields() {
                    assert!(!(hides(field) && request.body.contains(mark)), "{group} {field}");
                }
            }
        }
        for metric in ["faithfulness", "context_precision", "context_recall", "question_coverage"] {
            assert_eq!(lines[0]["scores"][metric]["value"], 1.0, "{lang} {metric}: {}", lines[0]);
        }
        let shown = bench.show(NAMES[1]);
        let groups: BTreeSet<&str> = shown["systems"][0]["replies"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(_, reply)| reply["group"].as_str())
            .collect();
        for group in ["verify@1", "verify_again@1", "coverage_again@1", "useful_again@1"] {
            assert!(groups.contains(group), "{group} is not among {groups:?}");
        }
    }
}

#[test]
fn contexts_stand_in_an_order_that_tells_nothing_of_their_ranks() {
    for lang in ["en", "ru"] {
        let start = move || {
            Bench::new(Endpoint::start(move |request| {
                let marks = Marks::of(lang);
                request.reply(&marks.reply(request).to_string())
            }))
        };
        let marks = Marks::of(lang);
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for ranks in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let bench = start();
            bench.score(
                &marks.record("a", ranks),
                &["--metrics", "faithfulness,context_recall"],
                0,
            );
            let chat = bench.endpoint.take_chat();
            let bodies = chat.into_iter().filter(|request| request.group() != "extract");
            seen.extend(bodies.map(|request| request.body));
        }
        assert_eq!(seen.len(), 2, "{lang}: one verify and one question_side, whatever the ranks");
        // Two systems over one set of contexts share all of it in one run.
        let bench = start();
        let both = marks.record("a", [0, 1, 2]) + &marks.record("b", [2, 1, 0]);
        bench.score(&both, &["--metrics", "faithfulness,context_recall"], 0);
        assert_eq!(bench.endpoint.take_chat().len(), 3, "{lang}");
    }
}
