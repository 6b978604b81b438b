use ragmeter_core::{ChatRequest, Digest, Hasher, Lang, ReplyFormat};

use crate::group::Group;
use crate::template::template_hash;

/// What a reply's key is made from, besides the request.
#[derive(Clone, Copy, Debug)]
pub struct KeyParts<'a> {
    /// The call group.
    pub group: Group,
    /// Ids that an earlier call left out, asked alone.
    pub again: bool,
    /// Language of the prompt.
    pub lang: Lang,
    /// Which of several equal questions this is (votes, samples).
    pub vote: usize,
    /// How often it was asked before and could not be read.
    pub attempt: usize,
    /// How often everything was asked anew.
    pub generation: u32,
    /// The endpoint, or the name of its pool.
    pub endpoint: &'a str,
    /// The model as the endpoint names it in its replies.
    pub model: &'a str,
}

/// The key of a reply: everything that may change a verdict, and nothing else. Never the system,
/// the run, a rank or a score, so that equal questions share their replies.
///
/// The rendered messages hold every text in its order (instruction, examples, contexts with their
/// order, co-judged claims), so hashing them covers what was co-judged too.
pub fn reply_key(parts: KeyParts<'_>, request: &ChatRequest) -> Digest {
    let mut hasher = Hasher::new("reply@1");
    hasher.text(&parts.group.tag(parts.again));
    hasher.text(template_hash(parts.group, parts.lang).as_str());
    hasher.text(parts.lang.code());
    hasher.text(parts.endpoint).text(parts.model);
    hasher.text(&format!("{}/{}/{}", parts.generation, parts.vote, parts.attempt));
    for message in &request.messages {
        hasher.text(match message.role {
            ragmeter_core::Role::System => "system",
            ragmeter_core::Role::User => "user",
            ragmeter_core::Role::Assistant => "assistant",
        });
        hasher.text(&message.content);
    }
    match &request.format {
        ReplyFormat::Text => hasher.text("text"),
        ReplyFormat::Json { name, schema, rung } => {
            hasher.text(name).text(rung.name()).text(&schema.to_string())
        }
    };
    hasher.text(&format!(
        "t={} max={:?} seed={:?}",
        request.temperature, request.max_tokens, request.seed
    ));
    if request.logprobs {
        hasher.text("logprobs");
    }
    hasher.finish()
}
