//! `doctor`: one cheap question to each configured model.

use std::time::Instant;

use ragmeter_core::{
    ChatModel, ChatRequest, EmbedRole, ErrorClass, Message, ReplyFormat, Role, Rung,
};
use serde::Serialize;
use serde_json::json;

use crate::config::{BaseUrl, Config, LOCAL, ModelConfig};
use crate::corpus::models_of;
use crate::error::Error;
use crate::models::Environment;

/// What one model said.
#[derive(Clone, Debug, Serialize)]
pub struct Probe {
    /// What it is configured for: `judge`, `judge.embedder`, `index.embedder`, `models.NAME`, and
    /// `models.NAME.base_url[0]` for a server of a pool.
    pub role: String,
    /// MODEL as configured.
    pub model: String,
    /// Whether it can be used.
    pub ok: bool,
    /// What was found, or what is wrong and the way out.
    pub detail: String,
    /// Seconds it took.
    pub seconds: f64,
}

/// Asks every model that the configuration names.
pub async fn probe(config: &Config, env: Environment<'_>) -> Vec<Probe> {
    let models = models_of(config);
    let alone = servers_alone(config);
    let one_by_one = models_of(&alone);
    let mut chats = vec![("judge".to_owned(), config.judge.model.as_str(), &models)];
    for name in config.models.keys() {
        chats.push((format!("models.{name}"), name, &models));
    }
    for name in alone.models.keys() {
        chats.push((format!("models.{name}"), name, &one_by_one));
    }
    let mut probes = Vec::new();
    for (role, model, models) in chats {
        let begun = Instant::now();
        let found = match models.chat(model, env) {
            Ok(Some(chat)) => chat_probe(chat.as_ref()).await,
            Ok(None) => local(models.local_scorer().map(|scorer| scorer.fingerprint().to_owned())),
            Err(error) => Err(error.to_string()),
        };
        probes.push(outcome(role, model, begun, found));
    }
    for (role, model) in
        [("judge.embedder", &config.judge.embedder), ("index.embedder", &config.index.embedder)]
    {
        let begun = Instant::now();
        let found = match models.embedder(model, env) {
            Ok(embedder) => embedder
                .embed(&["проба / probe".to_owned()], EmbedRole::Query)
                .await
                .map(|found| {
                    let width = found.vectors.first().map_or(0, Vec::len);
                    format!("{} dimensions, {}", width, embedder.fingerprint())
                })
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        probes.push(outcome(role.to_owned(), model, begun, found));
    }
    probes
}

/// Each server of each pool as a model of its own, `NAME.base_url[0]`: a pool answers as long as
/// one of its servers does.
fn servers_alone(config: &Config) -> Config {
    let mut alone = Config { run: config.run.clone(), ..Config::default() };
    for (name, model) in &config.models {
        let urls = model.base_url.as_ref().map(BaseUrl::all).unwrap_or_default();
        for (at, url) in urls.iter().enumerate().filter(|_| urls.len() > 1) {
            let base_url = Some(BaseUrl::One(url.clone()));
            let server = ModelConfig { base_url, pool: None, ..model.clone() };
            alone.models.insert(format!("{name}.base_url[{at}]"), server);
        }
    }
    alone
}

fn outcome(role: String, model: &str, begun: Instant, found: Result<String, String>) -> Probe {
    let ok = found.is_ok();
    let detail = found.unwrap_or_else(|error| error);
    Probe { role, model: model.to_owned(), ok, detail, seconds: begun.elapsed().as_secs_f64() }
}

fn local(found: Result<String, Error>) -> Result<String, String> {
    found.map(|fingerprint| format!("{LOCAL}: {fingerprint}")).map_err(|error| error.to_string())
}

/// The highest rung at which the model gives a JSON object.
async fn chat_probe(model: &dyn ChatModel) -> Result<String, String> {
    let schema = json!({
        "type": "object",
        "properties": { "ok": { "type": "boolean" } },
        "required": ["ok"],
        "additionalProperties": false,
    });
    for rung in Rung::LADDER {
        let request = ChatRequest {
            messages: vec![Message::new(Role::User, "Reply with the JSON object {\"ok\": true}.")],
            format: ReplyFormat::Json { name: "probe", schema: schema.clone(), rung },
            temperature: 0.0,
            max_tokens: Some(200),
            seed: None,
            logprobs: false,
        };
        match model.chat(request).await {
            Ok(reply) if reply.text.contains('{') => {
                return Ok(format!(
                    "{} at {}: {} structured output",
                    reply.model,
                    model.endpoint(),
                    rung.name()
                ));
            }
            Ok(_) => {}
            Err(error) if error.class == ErrorClass::UnsupportedFormat => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Err(format!("{} at {} gave no JSON object on any rung", model.model(), model.endpoint()))
}
