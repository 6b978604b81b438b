//! Systems under test: which of the kinds an entry is, and what may stand in each.

use std::collections::BTreeMap;

use ragmeter_rag::{PLACEHOLDERS, Pointer, Template};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read::{environment_name, nearest};
use super::{RetrieverConfig, SystemConfig};

/// A system behind an address: one request a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpConfig {
    /// The address; `${NAME}` in it is an environment variable.
    pub url: String,
    /// The method.
    #[serde(default)]
    pub method: MethodConfig,
    /// Headers by name; `${NAME}` in a value is an environment variable, as in
    /// `Authorization: "Bearer ${BOT_TOKEN}"`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The JSON body. Its strings may hold `{{question}}`, `{{id}}`, `{{messages}}` (the
    /// conversation as chat messages) and `{{lang}}`; one that stands alone keeps its JSON type.
    #[serde(default = "default_request")]
    pub request: serde_json::Value,
    /// JSON pointer to the answer; with `*` the strings found are joined. Not with `stream`.
    #[serde(default)]
    pub answer: Option<String>,
    /// JSON pointer to the contexts, in rank order: a list of strings or of objects, or with `*`
    /// each of them, as in `/documents/*/text`. If left out, contexts are unknown.
    #[serde(default)]
    pub contexts: Option<String>,
    /// In a context that is an object: its text. `/text` if left out.
    #[serde(default)]
    pub context_text: Option<String>,
    /// In a context that is an object: its id.
    #[serde(default)]
    pub context_id: Option<String>,
    /// In a context that is an object: the document it is from.
    #[serde(default)]
    pub context_source: Option<String>,
    /// In a context that is an object: the retriever's score.
    #[serde(default)]
    pub context_score: Option<String>,
    /// JSON pointer to a list of ids, one for each context.
    #[serde(default)]
    pub ids: Option<String>,
    /// Where tokens are counted.
    #[serde(default)]
    pub usage: UsageConfig,
    /// How the reply arrives.
    #[serde(default)]
    pub stream: StreamConfig,
    /// With `stream`: JSON pointer, in each event, to the next piece of the answer.
    /// `/choices/0/delta/content`, as OpenAI has it, if left out.
    #[serde(default)]
    pub delta: Option<String>,
    /// Seconds to wait for a whole reply.
    #[serde(default = "default_http_timeout")]
    pub timeout: f64,
    /// Times that 429, 5xx, a broken connection or a timeout is tried again.
    #[serde(default = "default_http_retries")]
    pub retries: u32,
    /// Requests in flight.
    #[serde(default = "default_http_concurrency")]
    pub concurrency: usize,
}

/// Where the tokens of a reply are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UsageConfig {
    /// JSON pointer to the count of prompt tokens.
    pub input: Option<String>,
    /// JSON pointer to the count of generated tokens.
    pub output: Option<String>,
}

/// Methods that send a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum MethodConfig {
    /// POST.
    #[default]
    Post,
    /// PUT.
    Put,
}

/// How a reply arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StreamConfig {
    /// Whole: one JSON value.
    #[default]
    None,
    /// As server-sent events, up to `[DONE]` or the end.
    Sse,
    /// As one JSON object a line.
    Ndjson,
}

/// A system that is a program: one JSON object a line in, one a line out.
///
/// In: `{"id": …, "question": …, "messages": […]}`. Out: `{"id": …, "answer": …, "contexts": […]}`
/// with contexts as strings or as `{"text", "id", "source", "score"}`, or `{"id": …, "error": …}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandConfig {
    /// The program and its arguments; no shell is involved. A program with a `/` in it is relative
    /// to this file, any other is looked up in `PATH`.
    pub run: Vec<String>,
    /// The folder that it runs in, relative to this file; this file's own if left out.
    #[serde(default)]
    pub cwd: Option<String>,
    /// Environment variables that it gets, by name, beside `PATH`, `HOME`, the locale and the like.
    #[serde(default)]
    pub env: Vec<String>,
    /// Seconds to wait for one answer.
    #[serde(default = "default_command_timeout")]
    pub timeout: f64,
    /// Times that a case is tried again after the program died or was too slow.
    #[serde(default = "default_command_retries")]
    pub retries: u32,
    /// Programs that run at once, each with one case at a time.
    #[serde(default = "default_workers")]
    pub workers: usize,
}

fn default_request() -> serde_json::Value {
    serde_json::json!({ "question": "{{question}}" })
}

fn default_http_timeout() -> f64 {
    60.0
}

fn default_http_retries() -> u32 {
    4
}

fn default_http_concurrency() -> usize {
    4
}

fn default_command_timeout() -> f64 {
    120.0
}

fn default_command_retries() -> u32 {
    2
}

fn default_workers() -> usize {
    1
}

/// The answer's place where nothing is said.
pub(crate) const ANSWER: &str = "/answer";
/// A context's text, where nothing is said.
pub(crate) const CONTEXT_TEXT: &str = "/text";
/// A streamed piece of the answer, where nothing is said.
pub(crate) const DELTA: &str = "/choices/0/delta/content";

impl SystemConfig {
    /// Whether it is the built-in chain, which needs a corpus.
    pub fn is_chain(&self) -> bool {
        self.records.is_none() && self.http.is_none() && self.command.is_none()
    }

    /// Whether it answers during the run.
    pub fn is_live(&self) -> bool {
        self.records.is_none()
    }
}

/// What is wrong: the key under the system's own, and why.
type Wrong = (String, String);

fn wrong<T>(key: &str, why: impl Into<String>) -> Result<T, Wrong> {
    Err((key.to_owned(), why.into()))
}

/// Checks one system but for its name.
pub(super) fn check_system(system: &SystemConfig) -> Result<(), Wrong> {
    let kinds = [
        ("`records`", system.records.is_some()),
        ("`http`", system.http.is_some()),
        ("`command`", system.command.is_some()),
        ("`retriever` and `generator`", system.retriever.is_some() || system.generator.is_some()),
    ];
    let given: Vec<&str> = kinds.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    if given.len() != 1 {
        let found = if given.is_empty() {
            "none of them is there".to_owned()
        } else {
            format!("{} are there", given.join(" and "))
        };
        return wrong(
            "",
            format!(
                "give exactly one of `records`, `http`, `command`, or `retriever` with \
                 `generator`: {found}"
            ),
        );
    }
    match (&system.http, &system.command) {
        (Some(http), _) => check_http(http).map_err(|(key, why)| (format!(".http{key}"), why)),
        (_, Some(command)) => {
            check_command(command).map_err(|(key, why)| (format!(".command{key}"), why))
        }
        _ if system.records.is_some() => Ok(()),
        _ if system.generator.is_none() => {
            wrong("", "`generator` is missing: `extractive`, or a MODEL")
        }
        _ => system.retriever.as_ref().map_or(Ok(()), check_retriever),
    }
}

fn check_retriever(retriever: &RetrieverConfig) -> Result<(), Wrong> {
    if retriever.k == 0 {
        return wrong(".retriever.k", "must be at least 1");
    }
    let weights = retriever.weights;
    if !(weights.bm25 >= 0.0 && weights.dense >= 0.0 && weights.bm25 + weights.dense > 0.0) {
        return wrong(".retriever.weights", "must be 0 or more, not both 0");
    }
    if retriever.mmr.is_some_and(|lambda| !(0.0..=1.0).contains(&lambda)) {
        return wrong(".retriever.mmr", "must be between 0 and 1");
    }
    Ok(())
}

fn check_timeout(timeout: f64) -> Result<(), Wrong> {
    // Up to a day: more is a slip, and would overflow somewhere below.
    if timeout > 0.0 && timeout <= 86_400.0 {
        return Ok(());
    }
    wrong(".timeout", "must be a number of seconds above 0, at most 86400")
}

/// Headers that the transport sets itself.
const OWN_HEADERS: [&str; 5] = ["connection", "content-length", "host", "te", "transfer-encoding"];

fn check_http(http: &HttpConfig) -> Result<(), Wrong> {
    check_url(&http.url)?;
    for (name, value) in &http.headers {
        let key = format!(".headers.{name}");
        if OWN_HEADERS.contains(&name.to_lowercase().as_str()) {
            return wrong(&key, "is set by ragmeter itself");
        }
        check_variables(value).map_err(|why| (key.clone(), why))?;
        if is_secret(name) && variables(value).is_empty() {
            return wrong(
                &key,
                "a secret must not stand in the file: write ${NAME} for it and set that \
                 environment variable",
            );
        }
    }
    if let Err(error) = Template::new(http.request.clone()) {
        let near = nearest(&error.0, PLACEHOLDERS)
            .map_or_else(String::new, |near| format!("\n  did you mean `{{{{{near}}}}}`?"));
        return wrong(".request", format!("{error}{near}"));
    }
    if let Some(name) = lone_variable(&http.request) {
        return wrong(
            ".request",
            format!("`${{{name}}}`: environment variables are put into `url` and `headers` only"),
        );
    }
    let pointers = [
        ("answer", &http.answer),
        ("contexts", &http.contexts),
        ("context_text", &http.context_text),
        ("context_id", &http.context_id),
        ("context_source", &http.context_source),
        ("context_score", &http.context_score),
        ("ids", &http.ids),
        ("usage.input", &http.usage.input),
        ("usage.output", &http.usage.output),
        ("delta", &http.delta),
    ];
    for (key, pointer) in pointers {
        let Some(pointer) = pointer else { continue };
        let pointer =
            Pointer::parse(pointer).map_err(|error| (format!(".{key}"), error.to_string()))?;
        let one = ["context_text", "context_id", "context_source", "context_score"];
        if one.contains(&key) && pointer.is_many() {
            return wrong(&format!(".{key}"), "names one value: no `*` in it");
        }
        if (key.starts_with("context_") || key == "ids") && http.contexts.is_none() {
            return wrong(&format!(".{key}"), "needs `contexts`, which is missing");
        }
    }
    match (http.stream, &http.answer, &http.delta) {
        (StreamConfig::None, _, Some(_)) => {
            return wrong(".delta", "is for streams: give `stream: sse` or `stream: ndjson` too");
        }
        (StreamConfig::Sse | StreamConfig::Ndjson, Some(_), _) => {
            return wrong(".answer", "with `stream` the answer is put together from `delta`");
        }
        _ => {}
    }
    check_timeout(http.timeout)?;
    if http.concurrency == 0 {
        return wrong(".concurrency", "must be at least 1");
    }
    Ok(())
}

fn check_url(url: &str) -> Result<(), Wrong> {
    check_variables(url).map_err(|why| (".url".to_owned(), why))?;
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let host = base.split_once("://").map_or(base, |(_, rest)| rest);
    if host.split('/').next().unwrap_or_default().contains('@') {
        return wrong(
            ".url",
            "must hold no user and password: give `headers: {Authorization: \"Basic ${NAME}\"}`",
        );
    }
    if variables(base).is_empty() && !(base.starts_with("http://") || base.starts_with("https://"))
    {
        return wrong(".url", "must begin with http:// or https://");
    }
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if is_secret(name) && variables(value).is_empty() {
            return wrong(
                ".url",
                format!(
                    "a secret must not stand in the file: write {name}=${{NAME}} and set that \
                     environment variable"
                ),
            );
        }
    }
    Ok(())
}

pub(super) fn check_command(command: &CommandConfig) -> Result<(), Wrong> {
    if command.run.first().is_none_or(|program| program.trim().is_empty()) {
        return wrong(
            ".run",
            "is empty: name the program and its arguments, as in [python3, bot.py]",
        );
    }
    for name in &command.env {
        if environment_name(&format!("${{{name}}}")).is_none() {
            return wrong(".env", format!("`{name}` is no name of a variable: write it bare"));
        }
    }
    check_timeout(command.timeout)?;
    if command.workers == 0 {
        return wrong(".workers", "must be at least 1");
    }
    Ok(())
}

/// Whether a header or a parameter of this name holds what must not be shown.
fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    ["auth", "key", "token", "secret", "cookie", "password"].iter().any(|word| name.contains(word))
}

/// The names of the variables in a text.
pub(crate) fn variables(text: &str) -> Vec<&str> {
    let ends = |start: &str| start.find('}').map(|end| end + 1);
    text.match_indices("${")
        .filter_map(|(at, _)| environment_name(&text[at..at + ends(&text[at..])?]))
        .collect()
}

/// Every `${` must begin a variable.
fn check_variables(text: &str) -> Result<(), String> {
    if text.matches("${").count() == variables(text).len() {
        return Ok(());
    }
    Err("`${` begins the name of an environment variable, as in ${BOT_TOKEN}".to_owned())
}

/// A string of the request that is a variable and nothing else.
fn lone_variable(value: &serde_json::Value) -> Option<&str> {
    match value {
        serde_json::Value::String(text) => environment_name(text),
        serde_json::Value::Array(items) => items.iter().find_map(lone_variable),
        serde_json::Value::Object(fields) => fields.values().find_map(lone_variable),
        _ => None,
    }
}
