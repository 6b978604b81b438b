use std::path::PathBuf;

/// The store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder can't be made.
    #[error("cannot make the store's folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file can't be opened or is not a store.
    #[error("cannot open the store {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The file was written by a newer ragmeter.
    #[error(
        "the store {} has format {found}, this ragmeter reads up to {known}: use a newer ragmeter, \
         or another folder with --store",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version known here.
        known: i64,
    },
}
