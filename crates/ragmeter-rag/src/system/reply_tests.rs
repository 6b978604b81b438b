use serde_json::json;

use super::*;

fn pointer(text: &str) -> Pointer {
    Pointer::parse(text).expect("a pointer")
}

fn pointers(contexts: Option<&str>) -> ReplyPointers {
    ReplyPointers {
        answer: pointer("/answer"),
        contexts: contexts.map(pointer),
        context_text: pointer("/text"),
        context_id: None,
        context_source: None,
        context_score: None,
        ids: None,
        tokens_in: None,
        tokens_out: None,
        lenient: false,
    }
}

fn read(
    pointers: &ReplyPointers,
    parts: &[Value],
    delta: Option<&Pointer>,
) -> Result<Answer, String> {
    let redactor = Redactor::default();
    pointers.read(Reply { parts, delta, redactor: &redactor })
}

fn texts(answer: &Answer) -> Option<Vec<&str>> {
    answer.contexts.as_ref().map(|all| all.iter().map(|one| one.text.as_str()).collect())
}

#[test]
fn contexts_are_strings_objects_or_whatever_a_star_finds() {
    let reply = json!({
        "answer": "A", "plain": ["x", "y"], "empty": [], "null": null, "ids": [7, "b"],
        "docs": [
            { "text": "x", "meta": { "id": 1, "source": "a.md" }, "score": 0.5 },
            { "text": "y", "meta": { "id": "two", "source": null }, "score": 0.25 },
        ],
    });
    let read = |pointers: &ReplyPointers| self::read(pointers, std::slice::from_ref(&reply), None);
    let of = |at: &str| texts(&read(&pointers(Some(at))).expect("read")).map(|all| all.join(" "));
    assert_eq!(read(&pointers(None)).expect("read").contexts, None, "not told is not empty");
    assert_eq!(of("/null"), None);
    assert_eq!(of("/empty").as_deref(), Some(""));
    for at in ["/plain", "/docs", "/docs/*", "/docs/*/text", "/plain/*"] {
        assert_eq!(of(at).as_deref(), Some("x y"), "{at}");
    }
    let whole = ReplyPointers {
        context_id: Some(pointer("/meta/id")),
        context_source: Some(pointer("/meta/source")),
        context_score: Some(pointer("/score")),
        ..pointers(Some("/docs"))
    };
    let contexts = read(&whole).expect("read").contexts.expect("told");
    let ids: Vec<_> = contexts.iter().map(|one| one.id.as_deref()).collect();
    assert_eq!(ids, [Some("1"), Some("two")]);
    assert_eq!(
        (contexts[0].source.as_deref(), contexts[1].source.as_deref()),
        (Some("a.md"), None)
    );
    assert_eq!(contexts[1].score, Some(0.25));
    let beside = ReplyPointers { ids: Some(pointer("/ids")), ..pointers(Some("/plain")) };
    let contexts = read(&beside).expect("read").contexts.expect("told");
    assert_eq!(contexts[0].id.as_deref(), Some("7"));
}

#[test]
fn every_fault_names_its_pointer_and_shows_the_reply() {
    let reply = json!({ "answer": 5, "said": "A", "docs": [{ "page_content": "x" }], "n": [1, 2] });
    let said = |pointers: ReplyPointers| {
        read(&pointers, std::slice::from_ref(&reply), None).expect_err("a fault")
    };
    let good = || ReplyPointers { answer: pointer("/said"), ..pointers(None) };
    let faults = [
        (ReplyPointers { answer: pointer("/nswer"), ..pointers(None) }, "/nswer"),
        (pointers(None), "/answer"),
        (ReplyPointers { contexts: Some(pointer("/contexts")), ..good() }, "/contexts"),
        (ReplyPointers { contexts: Some(pointer("/said")), ..good() }, "/said"),
        (ReplyPointers { contexts: Some(pointer("/docs")), ..good() }, "/text"),
        (ReplyPointers { contexts: Some(pointer("/n")), ..good() }, "/n"),
        (ReplyPointers { tokens_in: Some(pointer("/usage/in")), ..good() }, "/usage/in"),
        (
            ReplyPointers {
                contexts: Some(pointer("/docs/*/page_content")),
                ids: Some(pointer("/n")),
                ..good()
            },
            "/n",
        ),
    ];
    for (pointers, named) in faults {
        let said = said(pointers);
        assert!(said.contains(&format!("`{named}`")), "{named}: {said}");
        assert!(said.contains("page_content"), "the reply is shown: {said}");
    }
}

#[test]
fn a_stream_is_joined_and_the_rest_is_read_from_its_last_word() {
    let events = [
        json!({ "choices": [{ "delta": { "role": "assistant", "content": "" } }], "usage": null }),
        json!({ "choices": [{ "delta": { "content": "It is " } }], "docs": ["early"] }),
        json!({ "choices": [{ "delta": { "content": "oak." } }], "docs": ["late"] }),
        json!({ "choices": [], "usage": { "in": 9, "out": 3 } }),
    ];
    let pointers = ReplyPointers {
        tokens_in: Some(pointer("/usage/in")),
        tokens_out: Some(pointer("/usage/out")),
        ..pointers(Some("/docs"))
    };
    let delta = pointer("/choices/0/delta/content");
    let answer = read(&pointers, &events, Some(&delta)).expect("read");
    assert_eq!((answer.text.as_str(), texts(&answer)), ("It is oak.", Some(vec!["late"])));
    assert_eq!((answer.usage.input, answer.usage.output), (9, 3));
    let wrong = pointer("/choices/0/text");
    let said = read(&pointers, &events, Some(&wrong)).expect_err("a fault");
    let cut = [events[1].clone(), json!({ "error": { "message": "overloaded" } })];
    let broken = read(&pointers, &cut, Some(&delta)).expect_err("half an answer is none");
    assert!(broken.contains("overloaded"), "{broken}");
    assert!(said.contains("`/choices/0/text`") && said.contains("assistant"), "{said}");
}
