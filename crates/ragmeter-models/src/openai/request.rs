//! ragmeter's chat request as the body of `/chat/completions`.

use ragmeter_core::{ChatRequest, Message, ReplyFormat, Rung};
use serde::Serialize;
use serde_json::{Value, json};

use crate::accepts::{Accepts, Limit};
use crate::dialect::Outgoing;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: &'a [Message],
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_logprobs: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
}

/// The body, in UTF-8 with nothing escaped that need not be: `\u0441` for each Russian letter
/// would make the body six times as long, and some servers hand the escapes on to the model.
pub(super) fn encode(model: &str, request: &ChatRequest, accepts: Accepts) -> Outgoing {
    let (mut response_format, mut tools, mut tool_choice) = (None, None, None);
    match &request.format {
        ReplyFormat::Json { name, schema, rung: Rung::Native } => {
            response_format = Some(json!({
                "type": "json_schema",
                "json_schema": {"name": name, "strict": true, "schema": schema},
            }));
        }
        ReplyFormat::Json { name, schema, rung: Rung::Tool } => {
            tools = Some(json!([
                {"type": "function", "function": {"name": name, "parameters": schema}},
            ]));
            tool_choice = Some(json!({"type": "function", "function": {"name": name}}));
        }
        ReplyFormat::Json { rung: Rung::Prompt, .. } | ReplyFormat::Text => {}
    }
    let logprobs = request.logprobs && accepts.logprobs;
    let limit = |name| request.max_tokens.filter(|_| accepts.limit == name);
    let body = Body {
        model,
        messages: &request.messages,
        temperature: accepts.temperature.then_some(request.temperature),
        max_tokens: limit(Limit::MaxTokens),
        max_completion_tokens: limit(Limit::MaxCompletionTokens),
        seed: request.seed.filter(|_| accepts.seed),
        logprobs: logprobs.then_some(true),
        // The fewest that any server gives at most.
        top_logprobs: logprobs.then_some(5),
        response_format,
        tools,
        tool_choice,
    };
    Outgoing::json("chat/completions", &body)
}
