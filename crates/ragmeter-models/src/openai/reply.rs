//! The body of a `/chat/completions` reply as ragmeter's chat reply.
//!
//! Servers differ in how they wrap the same things, so every place is read leniently; what is read
//! is never guessed: a reply without any choice is an error, not an empty text.

use ragmeter_core::{ChatReply, ChatRequest, ErrorClass, ReplyFormat, TokenChoice, Usage};
use serde_json::Value;

use crate::dialect::{Failed, rung, unusable};
use crate::errors;
use crate::said::status_line;

/// Reads a reply of HTTP status 200.
pub(super) fn decode(raw: String, model: &str, request: &ChatRequest) -> Result<ChatReply, Failed> {
    let body: Value = serde_json::from_str(&raw)
        .map_err(|err| unusable(format!("the reply is not JSON: {err}")))?;
    let Some(choice) = body.pointer("/choices/0") else {
        return Err(no_choice(&raw, &body, request));
    };
    let message = choice.get("message").unwrap_or(&Value::Null);
    let finish = choice.get("finish_reason").and_then(Value::as_str).unwrap_or_default();
    let finish = finish.to_lowercase();

    let content = || message.get("content").and_then(words);
    let refusal = message.get("refusal").and_then(words).or_else(|| refused_part(message));
    let filtered =
        refusal.is_some() || matches!(finish.as_str(), "content_filter" | "blacklist" | "safety");
    let text = refusal
        .or_else(|| arguments(message, &request.format))
        .or_else(content)
        // Servers of the older completions kind.
        .or_else(|| choice.get("text").and_then(words))
        .unwrap_or_default();
    Ok(ChatReply {
        text,
        truncated: matches!(finish.as_str(), "length" | "max_tokens"),
        filtered,
        model: body
            .get("model")
            .and_then(Value::as_str)
            .filter(|name| !name.is_empty())
            .unwrap_or(model)
            .to_owned(),
        usage: usage(body.get("usage").unwrap_or(&Value::Null)),
        raw,
    })
}

/// Some gateways send their errors with status 200.
fn no_choice(raw: &str, body: &Value, request: &ChatRequest) -> Failed {
    let Some(error) = body.get("error").filter(|error| !error.is_null()) else {
        return unusable("the reply has no choices");
    };
    let status = error
        .get("code")
        .and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()))
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code));
    match status {
        Some(429) => {
            (ErrorClass::Failed(ragmeter_core::AbsenceClass::RateLimited), status_line(429, raw))
        }
        Some(status) => {
            (errors::class(status, raw, rung(&request.format)), status_line(status, raw))
        }
        None => unusable(status_line(200, raw)),
    }
}

/// A text: a string, the text parts of a list, or, from servers that parse JSON replies
/// themselves, an object. Nothing for null and for an empty string.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (!text.is_empty()).then(|| text.clone()),
        Value::Array(parts) => {
            let text: String = parts
                .iter()
                .filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()))
                .collect();
            (!text.is_empty()).then_some(text)
        }
        Value::Object(_) => Some(value.to_string()),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// A refusal among the parts of the content.
fn refused_part(message: &Value) -> Option<String> {
    let parts = message.get("content")?.as_array()?;
    parts.iter().find_map(|part| part.get("refusal").and_then(words))
}

/// The arguments of the call of the tool that was asked for, else of the first; also as servers
/// of the time before tools say it.
fn arguments(message: &Value, format: &ReplyFormat) -> Option<String> {
    let asked = match format {
        ReplyFormat::Json { name, .. } => *name,
        ReplyFormat::Text => return None,
    };
    let calls = message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice);
    let functions = || calls.unwrap_or_default().iter().filter_map(|call| call.get("function"));
    functions()
        .find(|function| function.get("name").and_then(Value::as_str) == Some(asked))
        .or_else(|| functions().next())
        .or_else(|| message.get("function_call"))
        .and_then(|function| function.get("arguments"))
        .and_then(words)
}

/// The tokens of the reply's text with what else could have stood in their places.
pub(super) fn token_choices(raw: &str) -> Vec<TokenChoice> {
    let body: Value = serde_json::from_str(raw).unwrap_or_default();
    let tokens = body.pointer("/choices/0/logprobs/content").and_then(Value::as_array);
    let one = |value: &Value| {
        let token = value.get("token")?.as_str()?.to_owned();
        Some((token, value.get("logprob")?.as_f64()?))
    };
    let choice = |value: &Value| {
        let (token, logprob) = one(value)?;
        let top = value.get("top_logprobs").and_then(Value::as_array).into_iter().flatten();
        let mut alternatives: Vec<(String, f64)> = top.filter_map(one).collect();
        if alternatives.iter().all(|(other, _)| *other != token) {
            alternatives.push((token.clone(), logprob));
        }
        Some(TokenChoice { token, alternatives })
    };
    tokens.into_iter().flatten().filter_map(choice).collect()
}

/// Tokens billed; nothing where the server doesn't tell.
pub(super) fn usage(usage: &Value) -> Usage {
    let count = |place: &str| {
        let value = usage.pointer(place)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    };
    Usage {
        input: count("/prompt_tokens").unwrap_or(0),
        cached: count("/prompt_tokens_details/cached_tokens")
            .or_else(|| count("/prompt_cache_hit_tokens"))
            .unwrap_or(0),
        output: count("/completion_tokens").unwrap_or(0),
    }
}
