use serde::{Deserialize, Serialize};

/// A language that ragmeter has prompts, segmentation rules and report strings for.
///
/// A text in any other language is worked on with the nearest of these (its letters decide);
/// nothing in a prompt or a report falls back silently: the language is part of a fact's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// English.
    En,
    /// Russian.
    Ru,
}

impl Lang {
    /// Every language, in the order in which tables list them.
    pub const ALL: [Self; 2] = [Self::En, Self::Ru];

    /// The ISO 639-1 code.
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ru => "ru",
        }
    }

    /// The language with this ISO 639-1 code, if there is one.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| lang.code() == code)
    }
}

impl std::fmt::Display for Lang {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}
