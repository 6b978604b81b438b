//! Messages and tool calls, as RAGAS, LangChain and OpenAI write them.

use ragmeter_core::{ToolCall, Turn, TurnRole};
use serde_json::{Map, Value};

use crate::fields::{CONVERSATION, Fields, QUESTION};
use crate::rows::kind;

/// What was asked.
pub(crate) struct Asked {
    pub(crate) question: String,
    /// The conversation up to and with the question; empty for a single question.
    pub(crate) before: Vec<Turn>,
    /// What followed the question.
    pub(crate) after: Vec<Turn>,
}

impl<'a> Fields<'a> {
    /// The question: a text, or the last human message of a conversation.
    pub(crate) fn asked(&mut self) -> Asked {
        let list = |fields: &Self, key: &&&str| matches!(fields.value(key), Some(Value::Array(_)));
        let key = CONVERSATION.iter().chain(QUESTION).find(|key| list(self, key)).copied();
        let Some((key, Some(Value::Array(items)))) = key.map(|key| (key, self.value(key))) else {
            return Asked { question: self.question(), before: Vec::new(), after: Vec::new() };
        };
        let faults = self.errors.len();
        let mut messages: Vec<Turn> =
            items.iter().filter_map(|item| self.as_message(key, item)).collect();
        let Some(last) = messages.iter().rposition(|one| one.role == TurnRole::Human) else {
            if self.errors.len() == faults {
                self.refuse(
                    key,
                    "a human message in the conversation",
                    kind(&items.clone().into()),
                );
            }
            return Asked { question: String::new(), before: Vec::new(), after: Vec::new() };
        };
        let after = messages.split_off(last + 1);
        let question = messages[last].content.clone();
        if question.trim().is_empty() {
            self.refuse(key, "a question as the last human message", "a blank text");
        }
        for other in QUESTION.iter().filter(|other| **other != key) {
            if let Some(Value::String(text)) = self.value(other)
                && *text != question
            {
                let expected = format!("the last human message of `{key}`");
                self.refuse(other, &expected, "another text");
            }
        }
        Asked { question, before: messages, after }
    }

    /// A list of tool calls; none if the row has none.
    pub(crate) fn tool_calls(&mut self, key: &str) -> Option<Vec<ToolCall>> {
        match self.value(key)? {
            Value::Array(items) => {
                Some(items.iter().filter_map(|item| self.as_tool_call(key, item)).collect())
            }
            other => {
                self.refuse(key, "a list of tool calls", kind(other));
                None
            }
        }
    }

    fn as_message(&mut self, key: &str, value: &'a Value) -> Option<Turn> {
        let Value::Object(object) = value else {
            self.refuse(key, "messages with `role` (or `type`) and `content`", kind(value));
            return None;
        };
        let field = |name: &str| object.get(name).filter(|value| !value.is_null());
        let who = field("role").or_else(|| field("type"));
        let role = match who.and_then(Value::as_str).map(str::to_lowercase).as_deref() {
            Some("human" | "user") => TurnRole::Human,
            Some("ai" | "assistant" | "model") => TurnRole::Ai,
            Some("tool" | "function") => TurnRole::Tool,
            Some("system" | "developer") => TurnRole::System,
            _ => {
                let got = who.map_or_else(|| "nothing".to_owned(), kind);
                let expected = "human, user, ai, assistant, tool or system";
                self.refuse(&format!("{key}.role"), expected, got);
                return None;
            }
        };
        let content = match field("content") {
            None => String::new(),
            Some(Value::Array(parts)) => self.parts(key, parts),
            Some(text) => self.as_text(&format!("{key}.content"), text)?,
        };
        let calls = field("tool_calls").and_then(Value::as_array).map(Vec::as_slice);
        let inner = format!("{key}.tool_calls");
        let calls = calls.unwrap_or_default().iter();
        let tool_calls = calls.filter_map(|call| self.as_tool_call(&inner, call)).collect();
        Some(Turn { role, content, tool_calls })
    }

    /// Content in parts, as OpenAI has it: the texts of it. Pictures are left out and warned of.
    fn parts(&mut self, key: &str, parts: &'a [Value]) -> String {
        let mut texts = Vec::new();
        for part in parts {
            match part {
                Value::String(text) => texts.push(text.as_str()),
                Value::Object(object) => match object.get("text").and_then(Value::as_str) {
                    Some(text) => texts.push(text),
                    None => self.warn(key, "parts of a message that are no text are left out"),
                },
                _ => self.warn(key, "parts of a message that are no text are left out"),
            }
        }
        texts.join("\n")
    }

    fn as_tool_call(&mut self, key: &str, value: &'a Value) -> Option<ToolCall> {
        let expected = "tool calls with `name` and `args`";
        let Value::Object(outer) = value else {
            self.refuse(key, expected, kind(value));
            return None;
        };
        // OpenAI puts both into `function`.
        let object = outer.get("function").and_then(Value::as_object).unwrap_or(outer);
        let Some(name) = object.get("name").filter(|name| name.is_string()) else {
            self.refuse(key, expected, "an object without `name`");
            return None;
        };
        let name = self.as_text(&format!("{key}.name"), name)?;
        let args = ["args", "arguments", "input_parameters", "inputParameters"]
            .iter()
            .find_map(|name| object.get(*name).filter(|value| !value.is_null()));
        let args = match args {
            None => Map::new(),
            Some(Value::Object(args)) => args.clone(),
            Some(Value::String(text)) => match serde_json::from_str(text) {
                Ok(args) => args,
                Err(_) => {
                    let expected = "an object, or a text that is one in JSON";
                    self.refuse(&format!("{key}.args"), expected, "another text");
                    return None;
                }
            },
            Some(other) => {
                self.refuse(&format!("{key}.args"), "an object", kind(other));
                return None;
            }
        };
        Some(ToolCall { name, args })
    }
}
