use std::collections::BTreeMap;

use ragmeter_core::{Context, Lang};
use ragmeter_testset::{read_cases, read_records};

/// The one record of a file without faults.
fn record(row: &str) -> (ragmeter_core::TestCase, ragmeter_core::RunRecord) {
    let mut import = read_records(row);
    assert_eq!(import.errors, vec![], "{row}");
    assert_eq!(import.rows.len(), 1, "{row}");
    import.rows.remove(0)
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn both_namings_and_the_old_one_say_the_same() {
    let rows = [
        r#"{"id": "с-1", "question": "Какова масса Солнца?", "answer": "2·10³⁰ кг", "contexts": ["Масса Солнца — 2·10³⁰ кг."], "reference": "2·10³⁰ кг"}"#,
        r#"{"id": "с-1", "user_input": "Какова масса Солнца?", "response": "2·10³⁰ кг", "retrieved_contexts": ["Масса Солнца — 2·10³⁰ кг."], "reference_answer": "2·10³⁰ кг"}"#,
        r#"{"id": "с-1", "question": "Какова масса Солнца?", "answer": "2·10³⁰ кг", "contexts": [{"text": "Масса Солнца — 2·10³⁰ кг."}], "ground_truth": "2·10³⁰ кг"}"#,
        r#"{"id": "с-1", "question": "Какова масса Солнца?", "answer": "2·10³⁰ кг", "contexts": [{"page_content": "Масса Солнца — 2·10³⁰ кг.", "metadata": {}}], "ground_truths": ["2·10³⁰ кг"]}"#,
        // The same thing twice is no contradiction.
        r#"{"id": "с-1", "question": "Какова масса Солнца?", "user_input": "Какова масса Солнца?", "answer": "2·10³⁰ кг", "contexts": [{"content": "Масса Солнца — 2·10³⁰ кг."}], "reference": "2·10³⁰ кг", "ground_truths": ["2·10³⁰ кг"]}"#,
    ];
    for row in rows {
        let (case, record) = record(row);
        assert_eq!(case.id, "с-1");
        assert_eq!(case.question, "Какова масса Солнца?");
        assert_eq!(case.reference.as_deref(), Some("2·10³⁰ кг"));
        assert_eq!(case.lang, Some(Lang::Ru));
        assert_eq!((record.case_id.as_str(), record.system.as_str()), ("с-1", ""));
        assert_eq!(record.answer.as_deref(), Some("2·10³⁰ кг"));
        let contexts = record.contexts.expect("contexts");
        assert_eq!(contexts.len(), 1);
        assert_eq!(contexts[0].text, "Масса Солнца — 2·10³⁰ кг.");
    }
}

#[test]
fn every_field_arrives() {
    let (case, record) = record(
        r#"{"id": 7, "question": "How heavy is the Sun?", "reference_contexts": ["a", "b"],
            "reference_context_ids": [3, "d4"], "relevance": {"d4": 2, "d5": 0}, "tags": ["simple"], "source": "sun.md", "lang": "en-GB",
            "system": "gpt k=5", "error": "timeout",
            "contexts": [{"id": 12, "text": "t", "source": "s", "score": 0.5},
                         {"text": "u", "metadata": {"source": "m"}}, "v"],
            "retrieved_context_ids": ["12", 13, "x"], "anything_else": {"is": ["left", "alone"]}}"#
            .replace('\n', " ")
            .as_str(),
    );
    assert_eq!((case.id.as_str(), case.lang), ("7", Some(Lang::En)));
    assert_eq!(case.reference_contexts, texts(&["a", "b"]));
    assert_eq!(case.reference_context_ids, texts(&["3", "d4"]));
    let grades = [("d4".to_owned(), 2), ("d5".to_owned(), 0)];
    assert_eq!(case.relevance, BTreeMap::from(grades));
    assert_eq!((case.tags, case.source.as_deref()), (texts(&["simple"]), Some("sun.md")));
    assert_eq!((record.system.as_str(), record.error.as_deref()), ("gpt k=5", Some("timeout")));
    assert_eq!(record.answer, None);
    let expected =
        [("12", "t", Some("s"), Some(0.5)), ("13", "u", Some("m"), None), ("x", "v", None, None)];
    let expected = expected.map(|(id, text, source, score)| Context {
        id: Some(id.to_owned()),
        text: text.to_owned(),
        source: source.map(str::to_owned),
        score,
    });
    assert_eq!(record.contexts, Some(expected.to_vec()));
}

#[test]
fn nothing_retrieved_is_not_the_same_as_nothing_told() {
    let contexts =
        |value: &str| record(&format!(r#"{{"question": "q", "contexts": {value}}}"#)).1.contexts;
    assert_eq!(contexts("[]"), Some(vec![]));
    assert_eq!(contexts("null"), None);
    assert_eq!(record(r#"{"question": "q"}"#).1.contexts, None);
    assert_eq!(record(r#"{"question": "q", "answer": ""}"#).1.answer.as_deref(), Some(""));
    assert_eq!(record(r#"{"question": "q", "answer": null}"#).1.answer, None);
    assert_eq!(record(r#"{"question": "q", "ground_truths": []}"#).0.reference, None);
}

#[test]
fn languages_are_named_or_found_by_the_letters() {
    let cases = [
        (r#"{"question": "Что такое Kubernetes и зачем он нужен?"}"#, Lang::Ru, 0),
        (r#"{"question": "What is it?"}"#, Lang::En, 0),
        (r#"{"question": "What is it?", "lang": "RU"}"#, Lang::Ru, 0),
        (r#"{"question": "Что это?", "lang": "en_US"}"#, Lang::En, 0),
        (r#"{"question": "Що це?", "lang": "uk"}"#, Lang::Ru, 1),
    ];
    for (row, lang, warnings) in cases {
        let import = read_cases(row);
        assert_eq!(import.rows[0].lang, Some(lang), "{row}");
        assert_eq!(import.warnings.len(), warnings, "{row}");
    }
}

#[test]
fn rows_without_an_id_are_called_by_their_line() {
    let file = "\u{feff}\n{\"question\": \"первый\"}\r\n\r\n   \n{\"question\": \"второй\"}\n{\"id\": null, \"question\": \"третий\"}";
    let import = read_cases(file);
    assert_eq!(import.errors, vec![]);
    let ids: Vec<&str> = import.rows.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["2", "5", "6"]);
}

#[test]
fn json_arrays_are_read_too() {
    for file in [
        "[{\"question\": \"один\"}, {\"question\": \"два\"}, {\"id\": \"три\", \"question\": \"три\"}]",
        "\u{feff}\n[\n  {\n    \"question\": \"один\"\n  },\n  {\"question\": \"два\"},\n{\"id\": \"три\",\n\"question\": \"три\"}\n]\n",
    ] {
        let import = read_cases(file);
        assert_eq!(import.errors, vec![]);
        let ids: Vec<&str> = import.rows.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(ids, ["1", "2", "три"]);
    }
}

#[test]
fn one_file_may_hold_several_systems() {
    let file = r#"{"id": "1", "question": "q", "system": "k=3", "answer": "a"}
{"id": "1", "question": "q", "system": "k=5", "answer": "b"}"#;
    let import = read_records(file);
    assert_eq!((import.rows.len(), import.errors.len()), (2, 0));
}

#[test]
fn old_lists_of_references_are_reported_once() {
    let row = r#"{"question": "q", "ground_truths": ["первый", "второй"]}"#;
    let import = read_cases(&[row; 50].join("\n"));
    assert_eq!(import.rows.len(), 50);
    assert_eq!(import.rows[0].reference.as_deref(), Some("первый"));
    let said: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        ["line 1, `ground_truths`: of several reference answers the first is taken (50 rows)"]
    );
}

#[test]
fn long_and_unusual_texts_pass_unchanged() {
    let long = "Почему небо голубое? ".repeat(5_000);
    for text in
        [long.as_str(), "👩‍🚀🌞🇷🇺", "太陽の質量は？", "שמש", "a\u{301}\u{200d}", "\u{1F}\"\\/\t"]
    {
        let row = serde_json::json!({"question": text, "answer": text, "contexts": [text]});
        let (case, record) = record(&row.to_string());
        assert_eq!(case.question, text);
        assert_eq!(record.answer.as_deref(), Some(text));
        assert_eq!(record.contexts.expect("contexts")[0].text, text);
    }
    let escaped = r#"{"question": "\u041f\u043e\u0447\u0435\u043c\u0443? \ud83c\udf1e"}"#;
    assert_eq!(record(escaped).0.question, "Почему? 🌞");
}

#[test]
fn an_empty_file_has_neither_rows_nor_faults() {
    for file in ["", "\n\n", "\u{feff}", "[]", " [ ] "] {
        let import = read_records(file);
        assert_eq!((import.rows.len(), import.errors.len()), (0, 0), "{file:?}");
    }
}

#[test]
fn of_a_conversation_a_test_set_takes_what_leads_to_the_question() {
    let row = r#"{"user_input": [{"type": "human", "content": "Привет"}, {"type": "ai", "content": "Здравствуйте"}, {"type": "human", "content": "Кто дежурит?"}, {"type": "ai", "content": "Боцман."}]}"#;
    let import = read_cases(row);
    assert_eq!(
        (import.rows[0].question.as_str(), import.rows[0].messages.len()),
        ("Кто дежурит?", 3)
    );
    assert!(import.warnings[0].to_string().contains("`user_input`: what follows"));
    let (case, record) = record(row);
    assert_eq!((case.messages.len(), record.messages.len()), (3, 1));
    assert_eq!(record.answer.as_deref(), Some("Боцман."));
    let mut roles = ragmeter_core::CaseRun { case: &case, record: &record }.conversation();
    assert_eq!(roles.nth(3).map(|turn| turn.content.as_str()), Some("Боцман."));
}

/// Runs are known by the hashes of these forms.
#[test]
fn rows_without_later_fields_keep_the_form_that_they_had() {
    let (case, record) = record(r#"{"id": "1", "question": "Кто?", "answer": "Он."}"#);
    let case = serde_json::to_string(&case).expect("JSON");
    let record = serde_json::to_string(&record).expect("JSON");
    assert_eq!(
        case,
        r#"{"id":"1","question":"Кто?","reference":null,"reference_contexts":[],"reference_context_ids":[],"tags":[],"source":null,"lang":"ru"}"#
    );
    assert_eq!(
        record,
        r#"{"system":"","case_id":"1","contexts":null,"answer":"Он.","error":null,"refused_by_model":false,"seconds":null,"figures":{}}"#
    );
}
