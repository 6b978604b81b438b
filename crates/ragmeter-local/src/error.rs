/// Why a local model could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// The file could not be read.
    #[error("cannot read the model file {path}: {source}")]
    Read {
        /// The file.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The bytes are not a model of the layout that this version reads.
    #[error("not a usable model file: {0}")]
    Format(String),
    /// This build carries no weights.
    #[error("this build carries no embedding model: give the path of one")]
    NotBundled,
}

pub(crate) fn malformed(what: impl Into<String>) -> LocalError {
    LocalError::Format(what.into())
}
