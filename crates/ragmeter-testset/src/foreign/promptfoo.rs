use serde_json::{Map, Value, json};

use super::{Foreign, moved, numbered, take, translated};
use crate::rows::{Raw, inner_array};

const NAMES: &[(&str, &str)] = &[("question", "vars.question")];
/// Variables that hold the question.
const QUESTION: &[&str] = &["question", "query", "input", "user_input", "message"];
const CONTEXTS: &[&str] = &["contexts", "context", "retrieved_contexts"];
const ANSWER: &[&str] = &["answer", "response"];
const REFERENCE: &[&str] =
    &["reference", "expected", "expected_answer", "ground_truth", "reference_answer"];
/// Assertions whose value is what the answer should say.
const EXPECTED: &[&str] =
    &["factuality", "context-recall", "similar", "equals", "icontains", "contains"];

/// promptfoo: the JSON that `promptfoo eval --output results.json` writes (version 3). Each result
/// is a record; the system is the provider, with the prompt if there are several. None if the file
/// is something else.
pub fn promptfoo_results(text: &str) -> Option<Foreign> {
    let rows = inner_array(text, &["results", "results"])
        .or_else(|| inner_array(text, &["results"]))
        .map(|rows| Raw { rows, ..Raw::default() })?;
    let several = {
        let objects = rows.rows.iter().filter_map(|row| row.object.as_ref().ok());
        let mut prompts: Vec<String> = objects.map(prompt).collect();
        prompts.sort();
        prompts.dedup();
        prompts.len() > 1
    };
    Some(translated(rows, NAMES, |row| {
        let mut ours = Map::new();
        let system = system(row, several);
        ours.insert("system".to_owned(), json!(system));
        let test = take(row, &["testCase"]).unwrap_or_default();
        let vars = take(row, &["vars"]).or_else(|| test.get("vars").cloned()).unwrap_or_default();
        from_vars(vars, &mut ours);
        from_test(&test, &mut ours);
        if let Some(index) = take(row, &["testIdx"]).and_then(|index| index.as_u64()) {
            ours.entry("id").or_insert_with(|| json!(index + 1));
        }
        let response = take(row, &["response"]).unwrap_or_default();
        match response.get("output").filter(|output| !output.is_null()) {
            Some(Value::String(text)) => {
                ours.insert("answer".to_owned(), json!(text));
            }
            Some(other) => {
                ours.insert("answer".to_owned(), json!(other.to_string()));
            }
            None => {
                // `error` also says why an assertion failed; then there is an output.
                let error = response.get("error").cloned().or_else(|| take(row, &["error"]));
                if let Some(Value::String(error)) = error {
                    ours.insert("error".to_owned(), json!(error));
                }
            }
        }
        if let Some(millis) = take(row, &["latencyMs"]).and_then(|millis| millis.as_f64()) {
            ours.insert("seconds".to_owned(), json!(millis / 1000.0));
        }
        for key in ["error", "provider", "prompt", "promptIdx", "promptId", "id", "cost"] {
            row.remove(key);
        }
        ours
    }))
}

/// promptfoo: the tests of a configuration, or a list of tests, as read from YAML or JSON. None if
/// the value is something else.
pub fn promptfoo_tests(value: Value) -> Option<Foreign> {
    let tests = match value {
        Value::Array(tests) => tests,
        Value::Object(mut config) => match config.remove("tests") {
            Some(Value::Array(tests)) => tests,
            _ => return None,
        },
        _ => return None,
    };
    let objects = tests.into_iter().map(|test| match test {
        Value::Object(test) => test,
        other => [("test".to_owned(), other)].into_iter().collect(),
    });
    Some(translated(numbered(objects), NAMES, |test| {
        let mut ours = Map::new();
        let vars = take(test, &["vars"]).unwrap_or_default();
        from_vars(vars, &mut ours);
        from_test(&Value::Object(test.clone()), &mut ours);
        for key in ["assert", "description", "options"] {
            test.remove(key);
        }
        ours
    }))
}

/// promptfoo: a table of tests, whose columns are variables but for those that begin with two
/// underscores; `__expected` is the reference where it isn't a program.
pub fn promptfoo_table(mut rows: Raw) -> Foreign {
    let columns = rows.header.take().unwrap_or_default();
    let asks = columns.iter().any(|name| QUESTION.contains(&name.as_str()))
        || columns.iter().filter(|name| !name.starts_with("__")).count() == 1;
    // Left to be found missing where there is none.
    rows.header = (!asks).then_some(columns);
    translated(rows, NAMES, |row| {
        let mut ours = Map::new();
        let expected: Vec<String> =
            row.keys().filter(|name| name.starts_with("__expected")).cloned().collect();
        for name in expected {
            let said = row.get(&name).and_then(Value::as_str).and_then(reference_of);
            if let Some(said) = said.filter(|_| !ours.contains_key("reference")) {
                ours.insert("reference".to_owned(), json!(said));
                row.remove(&name);
            }
        }
        moved(row, &["__description"], &mut ours, "id");
        let names: Vec<String> =
            row.keys().filter(|name| !name.starts_with("__")).cloned().collect();
        let vars: Map<String, Value> =
            names.into_iter().filter_map(|name| Some((name.clone(), row.remove(&name)?))).collect();
        from_vars(Value::Object(vars), &mut ours);
        ours
    })
}

/// What an expectation of a table says the answer should be: a plain text, or that of an assertion
/// that compares, as `similar(0.8): text`.
fn reference_of(expected: &str) -> Option<String> {
    let expected = expected.trim();
    let is_kind = |kind: &str| {
        let kind = kind.split('(').next().unwrap_or_default().trim();
        !kind.is_empty() && kind.chars().all(|c| c.is_ascii_lowercase() || c == '-')
    };
    match expected.split_once(':').filter(|(kind, _)| is_kind(kind)) {
        Some((kind, text)) => {
            let kind = kind.split('(').next().unwrap_or_default().trim();
            EXPECTED.contains(&kind).then(|| text.trim().to_owned())
        }
        None => {
            let program =
                ["is-json", "fn:", "eval:", "python:", "javascript:", "grade:", "file://"];
            let is_program = program.iter().any(|start| expected.starts_with(start));
            (!expected.is_empty() && !is_program).then(|| expected.to_owned())
        }
    }
}

/// The name of the provider, with the prompt's where there are several.
fn system(row: &Map<String, Value>, several: bool) -> String {
    let provider = match row.get("provider") {
        Some(Value::String(name)) => name.clone(),
        Some(provider) => {
            let name = ["label", "id"].iter().filter_map(|key| provider.get(*key)?.as_str());
            name.filter(|name| !name.is_empty()).map(str::to_owned).next().unwrap_or_default()
        }
        None => String::new(),
    };
    if several { format!("{provider} {}", prompt(row)).trim().to_owned() } else { provider }
}

fn prompt(row: &Map<String, Value>) -> String {
    let number = row.get("promptIdx").and_then(Value::as_u64);
    number.map_or_else(String::new, |number| format!("prompt {}", number + 1))
}

fn from_vars(vars: Value, ours: &mut Map<String, Value>) {
    let Value::Object(mut vars) = vars else { return };
    let named = QUESTION.iter().any(|name| vars.contains_key(*name));
    if named {
        moved(&mut vars, QUESTION, ours, "question");
    } else if vars.len() == 1 {
        // The only variable is what is asked, whatever it is called.
        let only: Vec<Value> = vars.iter().map(|(_, value)| value.clone()).collect();
        ours.extend(only.into_iter().map(|value| ("question".to_owned(), value)));
        vars.clear();
    }
    if let Some(contexts) = take(&mut vars, CONTEXTS) {
        let list = match contexts {
            Value::String(text) => json!([text]),
            other => other,
        };
        ours.insert("contexts".to_owned(), list);
    }
    moved(&mut vars, REFERENCE, ours, "reference");
    moved(&mut vars, ANSWER, ours, "answer");
    for name in ["id", "tags", "lang", "source", "reference_contexts"] {
        moved(&mut vars, &[name], ours, name);
    }
}

/// What a test says besides its variables: its description is an id, an assertion the reference.
fn from_test(test: &Value, ours: &mut Map<String, Value>) {
    if let Some(Value::String(text)) = test.get("description")
        && !text.trim().is_empty()
    {
        ours.entry("id").or_insert_with(|| json!(text));
    }
    if ours.contains_key("reference") {
        return;
    }
    let asserts: Vec<&Value> =
        test.get("assert").and_then(Value::as_array).into_iter().flatten().collect();
    let expected = EXPECTED
        .iter()
        .find_map(|kind| asserts.iter().find(|one| one["type"] == *kind)?.get("value")?.as_str());
    if let Some(expected) = expected {
        ours.insert("reference".to_owned(), json!(expected));
    }
}
