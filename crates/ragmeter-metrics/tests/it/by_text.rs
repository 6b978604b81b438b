//! Contexts by their text, quotations and tool calls: no judge, and no reference answer.

use proptest::prelude::*;
use ragmeter_core::{ToolCall, Turn, TurnRole};
use serde_json::{Value, json};

use crate::lexical::{explanation, near, not_applicable, pair};
use crate::records::{Judged, contexts};

fn quoting(answer: &str, sources: &[&str]) -> Judged {
    let mut it = pair("Any.", answer);
    it.record.contexts = Some(contexts(sources));
    it
}

#[test]
fn quotations_are_looked_for_word_for_word() {
    for (answer, source, expected) in [
        // RAGAS's own cases.
        ("Paris is “the capital of France”.", "The capital of France is Paris.", 1.0),
        ("GDP was “a full $2.9T” in 2023.", "…GDP was $2.7T in 2023 per WB…", 0.0),
        ("Result: “Delta   E    = mc  ^ 2”.", "…delta e = mc ^ 2 holds…", 1.0),
        // Russian, and punctuation that is the answer's own.
        ("В правилах: «Ёмкость до 5 литров».", "Провозится емкость до 5 литров.", 1.0),
        ("Сказано „за час до рейса“.", "Приходите за два часа до рейса.", 0.0),
        ("It says \"come an hour before.\" So do.", "Please come an hour before departure.", 1.0),
        ("The rule's \"one bag each\" and 'two bags each'.", "One bag each.", 0.5),
    ] {
        near(&quoting(answer, &[source]), "quoted_spans", expected, 0.0);
    }
    let two = quoting("It is “one two three”.", &["one two", "three four"]);
    near(&two, "quoted_spans", 0.0, 0.0);
    assert_eq!(
        explanation(&two, "quoted_spans"),
        "0 of 1 quotations found; not found: one two three"
    );
    near(&quoting("It is “one two three”.", &[]), "quoted_spans", 0.0, 0.0);
    let none = "the answer quotes nothing of 3 words or more";
    for answer in ["No quotes here.", "A “two words” quote; the dog's and cats' food isn't", ""]
    {
        not_applicable(&quoting(answer, &["Irrelevant."]), "quoted_spans", none);
    }
    let mut it = quoting("It is “one two three”.", &["one two three"]);
    it.record.contexts = None;
    not_applicable(&it, "quoted_spans", "the record has no contexts");
}

pub(crate) fn retrieved(texts: &[&str], references: &[&str]) -> Judged {
    let mut it = pair("Any.", "Any.");
    it.record.contexts = Some(contexts(texts));
    it.case.reference_contexts = references.iter().map(|&text| text.to_owned()).collect();
    it
}

#[test]
fn contexts_are_found_by_their_text() {
    let sun = "The Sun is a star.";
    let it = retrieved(
        &["Cats purr at night.", "The Sun is one star."],
        &[sun, "Ferries leave at noon."],
    );
    near(&it, "context_precision_non_llm", 0.5, 0.0);
    near(&it, "context_recall_non_llm", 0.5, 0.0);
    assert_eq!(
        explanation(&it, "context_precision_non_llm"),
        "contexts at ranks 2 of 2 resemble one"
    );
    assert_eq!(explanation(&it, "context_recall_non_llm"), "1 of 2 reference contexts found");
    // Half of it edited is a similarity of 0.5: found by both. RAGAS's recall asks for more.
    for (text, expected) in [("abxx", 1.0), ("axxx", 0.0)] {
        let it = retrieved(&[text], &["abcd"]);
        near(&it, "context_precision_non_llm", expected, 0.0);
        near(&it, "context_recall_non_llm", expected, 0.0);
    }
    // A perfect ranking is 1, where RAGAS has 0.9999999999.
    near(&retrieved(&[sun, sun], &[sun]), "context_precision_non_llm", 1.0, 0.0);
    for metric in ["context_precision_non_llm", "context_recall_non_llm"] {
        near(&retrieved(&[], &[sun]), metric, 0.0, 0.0);
        for none in [[].as_slice(), &[" "]] {
            not_applicable(&retrieved(&[sun], none), metric, "the case has no reference contexts");
        }
        let mut it = retrieved(&[], &[sun]);
        it.record.contexts = None;
        not_applicable(&it, metric, "the record has no contexts");
        it.record.error = Some("timeout".to_owned());
        near(&it, metric, 0.0, 0.0);
    }
}

fn call(name: &str, args: &Value) -> ToolCall {
    ToolCall { name: name.to_owned(), args: args.as_object().expect("an object").clone() }
}

/// A conversation in which each of these calls has a message of its own.
fn agent(wanted: &[ToolCall], made: &[ToolCall]) -> Judged {
    let mut it = pair("Any.", "Done.");
    it.case.reference_tool_calls = Some(wanted.to_vec());
    let said = |calls: &[ToolCall]| Turn {
        role: TurnRole::Ai,
        content: "Let me see.".to_owned(),
        tool_calls: calls.to_vec(),
    };
    it.record.messages = made.chunks(1).map(said).collect();
    it.record.messages.push(said(&[]));
    it
}

#[test]
fn tool_calls_are_compared_as_in_the_tests_of_ragas() {
    let search = |limit: u32| call("search", &json!({ "query": "python", "limit": limit }));
    let filter = call("filter", &json!({ "type": "recent" }));
    let [weather, air, uv] = ["WeatherForecast", "AirQuality", "UVIndex"]
        .map(|name| call(name, &json!({ "location": "Paris" })));
    let nested = call("store", &json!({ "title": "x", "kwargs": { "a": [1, 2], "b": {} } }));
    let turned = call("store", &json!({ "kwargs": { "b": {}, "a": [1, 2.0] }, "title": "x" }));
    let two_thirds = 2.0 / 3.0;
    for (what, wanted, made, accuracy, f1) in [
        (
            "both right",
            vec![search(10), filter.clone()],
            vec![search(10), filter.clone()],
            1.0,
            1.0,
        ),
        (
            "another order",
            vec![search(10), filter.clone()],
            vec![filter.clone(), search(10)],
            0.0,
            1.0,
        ),
        (
            "one wrong argument",
            vec![search(10), filter.clone()],
            vec![search(5), filter.clone()],
            0.75,
            0.5,
        ),
        (
            "one call less",
            vec![weather.clone(), uv.clone()],
            vec![weather.clone()],
            0.0,
            two_thirds,
        ),
        (
            "one call more",
            vec![weather.clone()],
            vec![weather.clone(), air.clone()],
            0.0,
            two_thirds,
        ),
        ("another tool", vec![weather.clone()], vec![air.clone()], 0.0, 0.0),
        ("no call", vec![weather.clone()], vec![], 0.0, 0.0),
        ("a call too many", vec![], vec![weather.clone()], 0.0, 0.0),
        (
            "three of four",
            vec![weather.clone(), uv.clone(), air],
            vec![weather.clone(), uv, filter],
            0.0,
            two_thirds,
        ),
        ("nested arguments", vec![nested], vec![turned], 1.0, 1.0),
        // RAGAS: 1 and 0; here they agree.
        ("nothing to call", vec![], vec![], 1.0, 1.0),
        // RAGAS makes sets of calls and says 1.
        ("called twice", vec![weather.clone()], vec![weather.clone(), weather], 0.0, two_thirds),
        // RAGAS's accuracy says 1: arguments that nobody asked for are free there.
        (
            "a needless argument",
            vec![call("drop", &json!({ "table": "a" }))],
            vec![call("drop", &json!({ "table": "a", "cascade": true }))],
            0.5,
            0.0,
        ),
        (
            "a number as text",
            vec![call("t", &json!({ "n": 5 }))],
            vec![call("t", &json!({ "n": "5" }))],
            0.0,
            0.0,
        ),
        ("no argument", vec![call("now", &json!({}))], vec![call("now", &json!({}))], 1.0, 1.0),
    ] {
        let it = agent(&wanted, &made);
        let both = [it.value("tool_call_accuracy"), it.value("tool_call_f1")];
        assert!(
            (both[0] - accuracy).abs() < 1e-12 && (both[1] - f1).abs() < 1e-12,
            "{what}: {both:?}"
        );
    }
}

#[test]
fn calls_that_nobody_recorded_are_not_applicable() {
    let weather = call("weather", &json!({ "in": "Paris" }));
    let weather = [weather];
    let right = agent(&weather, &weather);
    assert_eq!(
        explanation(&right, "tool_call_accuracy"),
        "called in order; right arguments: weather 1/1"
    );
    assert_eq!(explanation(&right, "tool_call_f1"), "1 calls right, of 1 made and 1 wanted");
    for metric in ["tool_call_accuracy", "tool_call_f1"] {
        let mut it = right.clone();
        it.case.reference_tool_calls = None;
        not_applicable(&it, metric, "the case has no reference tool calls");
        let mut it = right.clone();
        it.record.messages.clear();
        not_applicable(&it, metric, "the record has no messages");
        it.record.error = Some("timeout".to_owned());
        near(&it, metric, 0.0, 0.0);
        it.case.reference_tool_calls = Some(Vec::new());
        near(&it, metric, 0.0, 0.0);
        // Calls before the last question are the system's too; a tool's own message is no call.
        let mut it = right.clone();
        let last = it.record.messages.pop().expect("a message");
        it.case.messages = std::mem::replace(&mut it.record.messages, vec![last]);
        near(&it, metric, 1.0, 0.0);
        it.case.messages[0].role = TurnRole::Tool;
        near(&it, metric, 0.0, 0.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn recall_by_text_knows_no_rank(
        (before, after) in prop::collection::vec("[ab]{1,6}", 0..6)
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        references in prop::collection::vec("[ab]{1,6}", 1..5)
    ) {
        let of = |all: &[String], metric: &str| {
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            let references: Vec<&str> = references.iter().map(String::as_str).collect();
            retrieved(&all, &references).value(metric)
        };
        let metric = "context_recall_non_llm";
        prop_assert!((of(&before, metric) - of(&after, metric)).abs() < 1e-12);
        // And one more context never lowers it.
        let more: Vec<String> = before.iter().cloned().chain(["ab".to_owned()]).collect();
        prop_assert!(of(&more, metric) >= of(&before, metric));
    }

    #[test]
    fn calls_in_another_order_are_as_right(
        (wanted, shuffled) in prop::collection::vec(0..3_u8, 0..6)
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        made in prop::collection::vec(0..3_u8, 0..6)
    ) {
        let calls = |all: &[u8]| -> Vec<ToolCall> {
            all.iter().map(|id| call("t", &json!({ "id": id }))).collect()
        };
        let f1 = |wanted: &[u8]| agent(&calls(wanted), &calls(&made)).value("tool_call_f1");
        prop_assert!((f1(&wanted) - f1(&shuffled)).abs() < 1e-12);
        let back = agent(&calls(&made), &calls(&wanted)).value("tool_call_f1");
        prop_assert!((f1(&wanted) - back).abs() < 1e-12);
    }
}
