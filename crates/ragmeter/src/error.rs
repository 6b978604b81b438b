use ragmeter_core::StoreError;
use ragmeter_store::OpenError;

use crate::config::ConfigError;

/// Why a command could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something was asked for that can't be meant.
    #[error("{0}")]
    Usage(String),
    /// The configuration file is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The store can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file can't be read or written.
    #[error("cannot {verb} {path}: {source}")]
    File {
        /// What was tried.
        verb: &'static str,
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// Rows of a file are wrong; every one is listed.
    #[error("{file}: {} row{} cannot be used:\n{}\n  fix them, or leave them out with --skip-invalid", rows.len(), if rows.len() == 1 { "" } else { "s" }, rows.join("\n"))]
    Rows {
        /// The file.
        file: String,
        /// One line for each bad row.
        rows: Vec<String>,
    },
    /// Documents, index or a local model failed.
    #[error("{0}")]
    Failed(String),
}

impl Error {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn local(error: impl std::fmt::Display) -> Self {
        Self::Failed(format!("local model: {error}"))
    }

    /// Exit code: 2 for what the user can mend in the command or its files, 3 for the rest.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Config(_) | Self::Rows { .. } | Self::File { .. } => 2,
            Self::Open(_) | Self::Store(_) | Self::Failed(_) => 3,
        }
    }
}
