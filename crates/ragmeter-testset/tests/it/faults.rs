use ragmeter_testset::{read_cases, read_records};

fn said(file: &str) -> Vec<String> {
    read_records(file).errors.iter().map(ToString::to_string).collect()
}

#[test]
fn every_fault_is_named_with_its_line_and_key() {
    let cases = [
        (
            r#"{"answer": "a"}"#,
            "line 1, `question`: expected a question (or `user_input`), got nothing",
        ),
        (
            r#"{"question": null}"#,
            "line 1, `question`: expected a question (or `user_input`), got nothing",
        ),
        (r#"{"user_input": " \n"}"#, "line 1, `user_input`: expected a question, got a blank text"),
        (r#"{"question": 5}"#, "line 1, `question`: expected a text, got the number 5"),
        (
            r#"{"user_input": [{"content": "hi", "type": "ai"}]}"#,
            "line 1, `user_input`: expected a human message in the conversation, got a list of 1",
        ),
        (
            r#"{"question": "q", "answer": {"text": "a"}}"#,
            "line 1, `answer`: expected a text, got an object",
        ),
        (
            r#"{"question": "q", "reference": ["r"]}"#,
            "line 1, `reference`: expected a text, got a list of 1",
        ),
        (
            r#"{"question": "q", "ground_truths": [1]}"#,
            "line 1, `ground_truths`: expected a text, got the number 1",
        ),
        (
            r#"{"question": "q", "contexts": "c"}"#,
            "line 1, `contexts`: expected a list of texts or of objects with `text`, got the text \"c\"",
        ),
        (
            r#"{"question": "q", "contexts": ["c", null]}"#,
            "line 1, `contexts`: expected texts or objects with `text` in the list, got null",
        ),
        (
            r#"{"question": "q", "contexts": [{"body": "c"}]}"#,
            "line 1, `contexts`: expected `text`, `content` or `page_content` in every context, got an object without any of them",
        ),
        (
            r#"{"question": "q", "contexts": [{"text": 1}]}"#,
            "line 1, `contexts.text`: expected a text, got the number 1",
        ),
        (
            r#"{"question": "q", "contexts": [{"text": "c", "score": "high"}]}"#,
            "line 1, `contexts.score`: expected a number, got the text \"high\"",
        ),
        (
            r#"{"question": "q", "contexts": ["c"], "retrieved_context_ids": [1, 2]}"#,
            "line 1, `retrieved_context_ids`: expected an id for each of 1 contexts, got 2",
        ),
        (
            r#"{"question": "q", "contexts": [{"id": "a", "text": "c"}], "retrieved_context_ids": ["b"]}"#,
            "line 1, `retrieved_context_ids`: expected the context's own id \"a\", got \"b\"",
        ),
        (
            r#"{"question": "q", "reference_contexts": "c"}"#,
            "line 1, `reference_contexts`: expected a list of texts, got the text \"c\"",
        ),
        (
            r#"{"question": "q", "reference_context_ids": [1.5]}"#,
            "line 1, `reference_context_ids`: expected a text or a whole number, got the number 1.5",
        ),
        (
            r#"{"question": "q", "relevance": {"d1": 1, "d2": 1.5}}"#,
            "line 1, `relevance.d2`: expected a whole number as grade, got the number 1.5",
        ),
        (
            r#"{"question": "q", "tags": "simple"}"#,
            "line 1, `tags`: expected a list of texts, got the text \"simple\"",
        ),
        (
            r#"{"id": true, "question": "q"}"#,
            "line 1, `id`: expected a text or a whole number, got true",
        ),
        (
            r#"{"id": " ", "question": "q"}"#,
            "line 1, `id`: expected a text or a whole number, got a blank text",
        ),
        (
            r#"{"question": "q", "answer": "a\u0000b"}"#,
            "line 1, `answer`: expected a text, got a text with NUL characters",
        ),
        (
            r#"{"question": "кто?", "user_input": "что?"}"#,
            "line 1, `user_input`: expected the same value as in `question`, got another one",
        ),
        (
            r#"{"question": "q", "reference": "да", "ground_truths": ["нет"]}"#,
            "line 1, `ground_truths`: expected the same value as in `reference`, got another one",
        ),
        (
            r#"{"question": "q", "contexts": ["а"], "retrieved_contexts": []}"#,
            "line 1, `retrieved_contexts`: expected the same value as in `contexts`, got another one",
        ),
        (r#""question""#, "line 1: expected a JSON object, got the text \"question\""),
        (
            "{\"question\": \"вопрос\", }",
            "line 1, column 24: expected a JSON object, got broken JSON (trailing comma)",
        ),
        (
            r#"{"question": "q"} {}"#,
            "line 1, column 19: expected a JSON object, got broken JSON (trailing characters)",
        ),
        (
            r#"{"question": "\ud800"}"#,
            "line 1, column 21: expected a JSON object, got broken JSON (unexpected end of hex escape)",
        ),
    ];
    for (row, expected) in cases {
        assert_eq!(said(row), [expected], "{row}");
    }
}

#[test]
fn all_bad_rows_are_listed_and_the_good_ones_kept() {
    let file = "{\"question\": \"один\"}\n{oops\n\n{\"question\": \"\", \"answer\": 3}\n{\"question\": \"два\"}\n";
    let import = read_records(file);
    let lines: Vec<(usize, Option<&str>)> =
        import.errors.iter().map(|error| (error.line, error.key.as_deref())).collect();
    assert_eq!(lines, [(2, None), (4, Some("question")), (4, Some("answer"))]);
    assert_eq!(import.bad_rows(), 2);
    let ids: Vec<&str> = import.rows.iter().map(|(case, _)| case.id.as_str()).collect();
    assert_eq!(ids, ["1", "5"]);
}

#[test]
fn an_id_stands_for_one_case_only() {
    let file = "{\"id\": \"а\", \"question\": \"q\"}\n{\"question\": \"q\"}\n{\"id\": \"а\", \"question\": \"q\"}\n{\"id\": 2, \"question\": \"q\"}";
    assert_eq!(
        said(file),
        [
            "line 3, `id`: expected an id of its own, got \"а\" of row 1 again",
            "line 4, `id`: expected an id of its own, got \"2\" of row 2 again",
        ]
    );
    let file = "{\"id\": 1, \"question\": \"кто?\", \"system\": \"a\"}\n{\"id\": 1, \"question\": \"что?\", \"system\": \"b\"}";
    assert_eq!(
        said(file),
        [
            "line 2, `question`: expected the question that row 1 asks under the id \"1\", got another one"
        ]
    );
    // A row that is out anyway takes no id from a good one.
    let file = "{\"id\": 1}\n{\"id\": 1, \"question\": \"q\"}";
    assert_eq!((read_cases(file).rows.len(), read_cases(file).errors.len()), (1, 1));
}

#[test]
fn faults_in_arrays_name_row_and_line() {
    let file = "[\n\n {\"question\": \"один\"}, {\"question\": 2},\n 3\n]";
    assert_eq!(
        said(file),
        [
            "row 2 (line 3), `question`: expected a text, got the number 2",
            "row 3 (line 4): expected a JSON object, got the number 3",
        ]
    );
    let said = said("[{\"question\": \"один\"},\n {\"вопрос\" 2}]");
    assert_eq!(
        said,
        ["line 2, column 12: expected a JSON array of objects, got broken JSON (expected `:`)"]
    );
}

#[test]
fn misspelled_keys_are_warned_of_and_others_are_not() {
    let warned = |key: &str| {
        let row = serde_json::json!({"question": "q", key: "x"}).to_string();
        let import = read_records(&row);
        assert!(import.errors.is_empty());
        import.warnings.first().map(ToString::to_string)
    };
    for (key, meant) in [
        ("anwser", "answer"),
        ("Answer", "answer"),
        ("context", "contexts"),
        ("refrence", "reference"),
        ("retrieved_context", "retrieved_contexts"),
        ("groundtruth", "ground_truth"),
        ("ground_thruths", "ground_truths"),
    ] {
        let expected = format!("line 1, `{key}`: unknown key, not read; is `{meant}` meant?");
        assert_eq!(warned(key), Some(expected));
    }
    for key in
        ["question_type", "metadata", "synthesizer_name", "evolution_type", "вопрос", "user_id"]
    {
        assert_eq!(warned(key), None, "{key}");
    }
    let import = read_records(r#"{"question": "q", "retrieved_context_ids": [1]}"#);
    assert_eq!(
        import.warnings[0].to_string(),
        "line 1, `retrieved_context_ids`: without `contexts` only metrics over ids apply"
    );
}
