/// Removes known secrets from texts that may be shown or stored.
#[derive(Clone, Default)]
pub struct Redactor(Vec<String>);

impl Redactor {
    /// Shorter values are no secrets, and removing them would garble messages.
    const SHORTEST: usize = 4;

    /// A redactor of these texts.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets: Vec<String> =
            secrets.into_iter().filter(|secret| secret.len() >= Self::SHORTEST).collect();
        // The longest first, so that a secret inside another leaves no remainder.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self(secrets)
    }

    /// The text with every secret replaced by `***`.
    pub fn clean(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
    }

    /// The beginning of a text on one line, for a message. Cleaned before it is cut: a part of a
    /// secret no longer looks like one.
    pub fn beginning(&self, text: &str) -> String {
        const LONGEST: usize = 300;
        let mut words = self.clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((cut, _)) = words.char_indices().nth(LONGEST) {
            words.truncate(cut);
            words.push('…');
        }
        if words.is_empty() { "nothing".to_owned() } else { words }
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} secrets)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_a_secret_is_left() {
        let redactor = Redactor::new(["tok-1".to_owned(), "tok-12345".to_owned(), "x".to_owned()]);
        assert_eq!(redactor.clean("ключ tok-12345, ещё tok-1, x"), "ключ ***, ещё ***, x");
        let long = format!("{}tok-12345", "я".repeat(295));
        assert!(!redactor.beginning(&long).contains("tok"), "cut inside the secret");
        assert_eq!(redactor.beginning(" \n"), "nothing");
    }

    #[test]
    fn nested_secrets_leave_no_remainder() {
        let redactor = Redactor::new(["sk-1".to_owned(), "sk-1234".to_owned(), "x".to_owned()]);
        assert_eq!(redactor.clean("ключ sk-1234, ещё sk-1, x"), "ключ ***, ещё ***, x");
        assert!(!format!("{redactor:?}").contains("sk"));
    }
}
