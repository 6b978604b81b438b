use std::collections::VecDeque;

use ragmeter_core::{TestCase, Turn, TurnRole};
use ragmeter_text::detect;
use serde_json::{Map, Value, json};

/// What may stand between double braces in a request. Nothing that would tell a system the
/// reference answer, or the document that it is in, is among them.
pub const PLACEHOLDERS: [&str; 4] = ["question", "id", "messages", "lang"];

/// A request body with `{{placeholders}}` in its strings. It is data: what is put in is never
/// looked at again, so a question full of quotes, braces or placeholders arrives as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Template(Value);

/// A placeholder that there is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no placeholder `{{{{{0}}}}}`; there are: {known}", known = known())]
pub struct UnknownPlaceholder(pub String);

fn known() -> String {
    PLACEHOLDERS.map(|name| format!("`{{{{{name}}}}}`")).join(", ")
}

enum Part<'a> {
    Text(&'a str),
    Name(&'a str),
}

impl Template {
    /// A template; an unknown placeholder is refused. Only values are looked at, keys stay.
    pub fn new(body: Value) -> Result<Self, UnknownPlaceholder> {
        check(&body)?;
        Ok(Self(body))
    }

    /// The request for one case. A string that is one placeholder becomes the value itself, with
    /// its JSON type; a placeholder inside a longer string becomes text.
    pub fn render(&self, case: &TestCase) -> Value {
        fill(&self.0, case)
    }
}

/// The conversation that a case stands for, as chat messages in OpenAI's form: its last is the
/// question.
pub(crate) fn messages(case: &TestCase) -> Value {
    if case.messages.is_empty() {
        return json!([{ "role": "user", "content": case.question }]);
    }
    // A tool's message names the call that it answers; calls are answered in their order.
    let (mut called, mut unanswered) = (0, VecDeque::new());
    let message = |turn: &Turn| {
        let role = match turn.role {
            TurnRole::Human => "user",
            TurnRole::Ai => "assistant",
            TurnRole::Tool => "tool",
            TurnRole::System => "system",
        };
        let mut message = json!({ "role": role, "content": turn.content });
        if turn.role == TurnRole::Tool
            && let Some(id) = unanswered.pop_front()
        {
            message["tool_call_id"] = Value::String(id);
        }
        let mut calls: Vec<Value> = Vec::new();
        for call in &turn.tool_calls {
            called += 1;
            let id = format!("call_{called}");
            let arguments = Value::Object(call.args.clone()).to_string();
            calls.push(json!({
                "id": id, "type": "function",
                "function": { "name": call.name, "arguments": arguments },
            }));
            unanswered.push_back(id);
        }
        if !calls.is_empty() {
            message["tool_calls"] = Value::Array(calls);
        }
        message
    };
    case.messages.iter().map(message).collect()
}

fn value_of(name: &str, case: &TestCase) -> Value {
    match name {
        "question" => json!(case.question),
        "id" => json!(case.id),
        "messages" => messages(case),
        "lang" => json!(case.lang.unwrap_or_else(|| detect(&case.question)).code()),
        // `new` has refused every other name.
        _ => Value::Null,
    }
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        let Some(length) = rest[open + 2..].find("}}") else { break };
        if open > 0 {
            parts.push(Part::Text(&rest[..open]));
        }
        parts.push(Part::Name(rest[open + 2..open + 2 + length].trim()));
        rest = &rest[open + 2 + length + 2..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    parts
}

fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, found)),
        _ => {}
    }
}

fn names(value: &Value) -> Vec<&str> {
    let mut texts = Vec::new();
    strings(value, &mut texts);
    let named = |part| match part {
        Part::Name(name) => Some(name),
        Part::Text(_) => None,
    };
    texts.into_iter().flat_map(parts).filter_map(named).collect()
}

fn check(value: &Value) -> Result<(), UnknownPlaceholder> {
    match names(value).into_iter().find(|name| !PLACEHOLDERS.contains(name)) {
        Some(name) => Err(UnknownPlaceholder(name.to_owned())),
        None => Ok(()),
    }
}

fn fill(value: &Value, case: &TestCase) -> Value {
    match value {
        Value::String(text) => {
            let parts = parts(text);
            if let [Part::Name(name)] = parts.as_slice() {
                return value_of(name, case);
            }
            let mut filled = String::new();
            for part in parts {
                match part {
                    Part::Text(text) => filled.push_str(text),
                    Part::Name(name) => match value_of(name, case) {
                        Value::String(text) => filled.push_str(&text),
                        other => filled.push_str(&other.to_string()),
                    },
                }
            }
            Value::String(filled)
        }
        Value::Array(items) => items.iter().map(|item| fill(item, case)).collect(),
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(key, field)| (key.clone(), fill(field, case)))
                .collect::<Map<_, _>>(),
        ),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(question: &str) -> TestCase {
        TestCase { id: "q1".to_owned(), question: question.to_owned(), ..TestCase::default() }
    }

    #[test]
    fn what_is_put_in_is_never_read_again() {
        let template = Template::new(json!({
            "{{question}}": "key", "q": "{{question}}", "said": "«{{ question }}» ({{id}})",
            "all": ["{{messages}}", 3, true], "open": "{{question",
        }))
        .expect("known placeholders");
        let nasty = "a \"quoted\" {{id}} \\ {\"x\": 1}}}\n${HOME}";
        assert_eq!(
            template.render(&case(nasty)),
            json!({
                "{{question}}": "key", "q": nasty, "said": format!("«{nasty}» (q1)"),
                "all": [[{ "role": "user", "content": nasty }], 3, true], "open": "{{question",
            })
        );
    }

    #[test]
    fn the_language_is_detected_and_unknown_names_are_refused() {
        let template = Template::new(json!({ "l": "{{lang}}" })).expect("known");
        assert_eq!(template.render(&case("Когда отходит паром?")), json!({ "l": "ru" }));
        let said = Template::new(json!(["{{reference}}"])).expect_err("would leak").to_string();
        assert!(said.contains("`{{reference}}`") && said.contains("{{question}}"), "{said}");
    }
}
