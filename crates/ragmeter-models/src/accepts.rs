//! The parameters that a model takes, learned from what it refuses.

use ragmeter_core::ChatRequest;

/// Parameters that a model takes. What it refuses is learned from its refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one flag for each parameter")]
pub(crate) struct Accepts {
    pub(crate) temperature: bool,
    pub(crate) seed: bool,
    pub(crate) logprobs: bool,
    pub(crate) limit: Limit,
    /// The limit's other name was tried too; it isn't swapped back.
    limit_swapped: bool,
}

/// The name of the limit on generated tokens: the old one, which every other server knows, or the
/// vendor's new one, the only one that its reasoning models take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    MaxTokens,
    MaxCompletionTokens,
}

impl Accepts {
    /// What is known by a model's name.
    pub(crate) fn known(model: &str) -> Self {
        let reasoning = is_reasoning(model);
        Self {
            temperature: !reasoning,
            seed: true,
            logprobs: !reasoning,
            limit: if reasoning { Limit::MaxCompletionTokens } else { Limit::MaxTokens },
            limit_swapped: false,
        }
    }

    /// What is left after a refusal that names one of the parameters sent; `None` if it names none.
    pub(crate) fn after(self, status: u16, body: &str, request: &ChatRequest) -> Option<Self> {
        if !matches!(status, 400 | 422) {
            return None;
        }
        let said = body.to_lowercase();
        if self.temperature && said.contains("temperature") {
            return Some(Self { temperature: false, ..self });
        }
        if request.max_tokens.is_some()
            && !self.limit_swapped
            && (said.contains("max_tokens") || said.contains("max_completion_tokens"))
        {
            let limit = match self.limit {
                Limit::MaxTokens => Limit::MaxCompletionTokens,
                Limit::MaxCompletionTokens => Limit::MaxTokens,
            };
            return Some(Self { limit, limit_swapped: true, ..self });
        }
        if self.logprobs
            && request.logprobs
            && ["logprobs", "top_logprobs"].iter().any(|name| names(&said, name))
        {
            return Some(Self { logprobs: false, ..self });
        }
        if self.seed && request.seed.is_some() && names(&said, "seed") {
            return Some(Self { seed: false, ..self });
        }
        None
    }
}

/// Whether a text has this word, standing alone.
pub(crate) fn names(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|other| other == word)
}

/// `o1`, `o3-mini`, `gpt-5.6-luna`, `vendor/gpt-6-sol`: models that take no sampling parameters.
fn is_reasoning(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let number = |text: &str| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        text[..digits].parse::<u32>().ok()
    };
    if let Some(version) = name.strip_prefix("gpt-").and_then(number) {
        return version >= 5;
    }
    name.strip_prefix('o').and_then(number).is_some()
}

#[cfg(test)]
mod tests {
    use ragmeter_core::ReplyFormat;

    use super::*;

    #[test]
    fn reasoning_models_are_known_by_name() {
        for name in
            ["o1", "o3-mini", "o4-mini-2025", "gpt-5", "gpt-5.6-luna", "openai/gpt-6-sol", "gpt-10"]
        {
            assert!(is_reasoning(name), "{name}");
        }
        for name in [
            "gpt-4o",
            "gpt-4.1-mini",
            "gpt-oss-20b",
            "gpt-3.5-turbo",
            "olmo-2",
            "qwen3",
            "o",
            "openchat",
            "",
        ] {
            assert!(!is_reasoning(name), "{name}");
        }
    }

    #[test]
    fn parameters_are_dropped_one_by_one_and_never_come_back() {
        let request = ChatRequest {
            messages: vec![],
            format: ReplyFormat::Text,
            temperature: 0.0,
            max_tokens: Some(10),
            seed: Some(1),
            logprobs: false,
        };
        let mut accepts = Accepts::known("gpt-4o");
        let everything = "temperature max_tokens seed";
        for (temperature, swapped, seed) in
            [(false, false, true), (false, true, true), (false, true, false)]
        {
            accepts = accepts.after(400, everything, &request).expect("something is left to drop");
            assert_eq!(
                (accepts.temperature, accepts.limit_swapped, accepts.seed),
                (temperature, swapped, seed)
            );
        }
        assert_eq!(accepts.after(400, everything, &request), None);
        assert_eq!(Accepts::known("gpt-4o").after(401, everything, &request), None);
        assert_eq!(Accepts::known("gpt-4o").after(400, "unseeded", &request), None);
        let asks = ChatRequest { logprobs: true, ..request };
        let said = "this server does not support top_logprobs";
        let without = Accepts::known("gpt-4o").after(400, said, &asks).expect("one to drop");
        assert!(!without.logprobs && without.after(400, said, &asks).is_none());
    }
}
