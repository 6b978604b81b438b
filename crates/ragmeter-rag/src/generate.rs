use std::sync::Arc;

use minijinja::{Environment, UndefinedBehavior, Value, context};
use ragmeter_core::{
    ChatModel, ChatReply, ChatRequest, Digest, Hasher, Lang, Message, ModelError, ReplyFormat,
    Retrieved, Role,
};
use ragmeter_text::detect;

/// Most tokens of an answer, unless set otherwise.
const MAX_TOKENS: u32 = 1024;

/// Answers by giving a chat model the question with all retrieved passages ("stuff").
#[derive(Clone, Debug)]
pub struct StuffGenerator {
    /// The model.
    pub model: Arc<dyn ChatModel>,
    /// Sampling temperature.
    pub temperature: f64,
    /// Most tokens of an answer.
    pub max_tokens: Option<u32>,
    /// Seed, where the endpoint takes one.
    pub seed: Option<u64>,
}

fn prompt(lang: Lang) -> &'static str {
    match lang {
        Lang::En => include_str!("../prompts/en/stuff.md"),
        Lang::Ru => include_str!("../prompts/ru/stuff.md"),
    }
}

/// The hash of the prompt in one language: part of what makes two systems the same.
pub fn stuff_prompt_version(lang: Lang) -> Digest {
    Hasher::new("prompt").text(prompt(lang)).finish()
}

/// The text under `# name`, up to the next such heading.
fn section<'a>(file: &'a str, name: &str) -> &'a str {
    let heading = format!("\n# {name}\n");
    let start = file.find(&heading).map_or(file.len(), |at| at + heading.len());
    let end = file[start..].find("\n# ").map_or(file.len(), |at| start + at);
    file[start..end].trim()
}

impl StuffGenerator {
    /// A generator at temperature 0.
    pub fn new(model: Arc<dyn ChatModel>) -> Self {
        Self { model, temperature: 0.0, max_tokens: Some(MAX_TOKENS), seed: None }
    }

    /// Asks the model, in the question's language.
    pub async fn generate(
        &self,
        question: &str,
        contexts: &[Retrieved],
    ) -> Result<ChatReply, ModelError> {
        self.model.chat(self.request(question, contexts)).await
    }

    /// The request that goes out.
    pub fn request(&self, question: &str, contexts: &[Retrieved]) -> ChatRequest {
        let file = prompt(detect(question));
        let passages: Vec<Value> = contexts
            .iter()
            .map(|retrieved| {
                let title = retrieved.chunk.title.as_deref().unwrap_or_default();
                let title = untagged(title).replace('"', "'");
                context! { title, text => untagged(&retrieved.chunk.text) }
            })
            .collect();
        let values = context! { passages, question => untagged(question) };
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        // The templates are part of the program and a test renders both.
        let user = environment.render_str(section(file, "User"), values).unwrap_or_default();
        ChatRequest {
            messages: vec![
                Message::new(Role::System, section(file, "System")),
                Message::new(Role::User, user),
            ],
            format: ReplyFormat::Text,
            temperature: self.temperature,
            max_tokens: self.max_tokens,
            seed: self.seed,
            logprobs: false,
        }
    }
}

/// A document must not be able to close the tag that marks it as data.
fn untagged(text: &str) -> String {
    text.replace("</passage", "< /passage").replace("</question", "< /question")
}
