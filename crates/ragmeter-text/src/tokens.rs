use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

/// Counts tokens as one of the public byte-pair vocabularies does.
///
/// The vocabulary is inside the binary and is unpacked at the first count, once a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenCounter {
    /// `cl100k_base`: the GPT-3.5 and GPT-4 generation.
    Cl100kBase,
    /// `o200k_base`: the GPT-4o generation and later.
    O200kBase,
}

/// No vocabulary has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown tokenizer \"{name}\"; known: cl100k_base, o200k_base")]
pub struct UnknownTokenizer {
    /// The name asked for.
    pub name: String,
}

impl TokenCounter {
    /// Every vocabulary.
    pub const ALL: [Self; 2] = [Self::Cl100kBase, Self::O200kBase];

    /// The vocabulary of this name; the error names the known ones.
    pub fn by_name(name: &str) -> Result<Self, UnknownTokenizer> {
        let found = Self::ALL.into_iter().find(|counter| counter.name() == name);
        found.ok_or_else(|| UnknownTokenizer { name: name.to_owned() })
    }

    /// The name it goes by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cl100kBase => "cl100k_base",
            Self::O200kBase => "o200k_base",
        }
    }

    /// Tokens of `text`; special tokens' names count as ordinary text.
    pub fn count(self, text: &str) -> usize {
        self.vocabulary().encode_ordinary(text).len()
    }

    fn vocabulary(self) -> &'static CoreBPE {
        match self {
            Self::Cl100kBase => cl100k_base_singleton(),
            Self::O200kBase => o200k_base_singleton(),
        }
    }
}
