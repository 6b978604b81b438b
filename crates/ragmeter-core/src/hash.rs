use unicode_normalization::UnicodeNormalization;

/// A 128-bit content hash in lower-case hex (the first half of BLAKE3).
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(transparent)]
pub struct Digest(pub String);

impl Digest {
    /// The hex text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Hashes a sequence of labelled texts; every part is NFC-normalised and length-prefixed, so that
/// two different sequences never hash alike by running into each other.
#[derive(Debug, Default)]
pub struct Hasher(blake3::Hasher);

impl Hasher {
    /// A hasher for one purpose; hashes of different purposes never meet.
    pub fn new(purpose: &str) -> Self {
        let mut hasher = Self::default();
        hasher.text(purpose);
        hasher
    }

    /// Adds one text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        // Most text is NFC already, ASCII at a glance; normalising costs an allocation only where
        // it is not.
        if text.is_ascii() || unicode_normalization::is_nfc(text) {
            self.bytes(text.as_bytes());
        } else {
            self.bytes(text.nfc().collect::<String>().as_bytes());
        }
        self
    }

    /// Adds raw bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// The digest of everything added so far.
    pub fn finish(&self) -> Digest {
        let hex = self.0.finalize().to_hex();
        Digest(hex[..32].to_owned())
    }
}

/// The id of a text by its content alone.
pub fn content_id(text: &str) -> Digest {
    Hasher::new("content").text(text).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_each_other() {
        let one = Hasher::new("x").text("ab").text("c").finish();
        let two = Hasher::new("x").text("a").text("bc").finish();
        assert_ne!(one, two);
    }

    #[test]
    fn composed_and_decomposed_text_hash_alike() {
        assert_eq!(content_id("й"), content_id("и\u{306}"));
        assert_ne!(content_id("й"), content_id("и"));
    }
}
