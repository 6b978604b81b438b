use std::path::PathBuf;

/// What is wrong with a configuration file, and the way out.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not what a configuration may be.
    #[error("{file}:{line}:{column}: {message}{}", hint(suggestion.as_deref()))]
    Invalid {
        /// The file as given.
        file: String,
        /// Line, from 1.
        line: u64,
        /// Column, from 1.
        column: u64,
        /// What is wrong.
        message: String,
        /// The nearest known key.
        suggestion: Option<String>,
    },
    /// A value that parses but can't be meant.
    #[error("{file}: {key}: {message}")]
    Value {
        /// The file as given.
        file: String,
        /// The key, as in `systems[2].retriever.k`.
        key: String,
        /// What is wrong and the way out.
        message: String,
    },
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map(|key| format!("\n  did you mean `{key}`?")).unwrap_or_default()
}
