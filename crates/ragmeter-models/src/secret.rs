/// A key or a password. It can be given to a transport and to nothing else: it has no `Display`,
/// is never serialised, and prints as `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps the text, without white space around it (keys read from files end in a newline).
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    /// Whether nothing is left of the text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// Removes known secrets from any text that may be shown or stored.
#[derive(Clone)]
pub(crate) struct Redactor(Vec<String>);

impl Redactor {
    /// Texts shorter than this are left alone: such a "key" is a placeholder (`x`, `-`), and
    /// removing it would only garble messages.
    const SHORTEST: usize = 4;

    pub(crate) fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets: Vec<String> =
            secrets.into_iter().filter(|secret| secret.len() >= Self::SHORTEST).collect();
        // The longest first, so that a secret inside another leaves no remainder.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self(secrets)
    }

    pub(crate) fn clean(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            if text.contains(secret.as_str()) { text.replace(secret.as_str(), "***") } else { text }
        })
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
    fn a_secret_never_prints() {
        let secret = Secret::new("sk-very-secret\n");
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "*** Some(***)");
        assert_eq!(secret.expose(), "sk-very-secret");
    }

    #[test]
    fn nested_secrets_leave_no_remainder() {
        let redactor = Redactor::new(["sk-1".to_owned(), "sk-1234".to_owned(), "x".to_owned()]);
        assert_eq!(redactor.clean("ключ sk-1234, ещё sk-1, x"), "ключ ***, ещё ***, x");
        assert!(!format!("{redactor:?}").contains("sk"));
    }
}
