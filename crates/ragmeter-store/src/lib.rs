//! Persistence: one SQLite file with replies, vectors, runs, records, what was judged of them, and
//! what people said of them.
//!
//! Replies are append-only and shared by all runs; their keys hold everything that a verdict
//! depends on. Rows hold JSON of a format version named in the file; a file of a newer version
//! is refused with the version that can read it.

mod error;
mod people;
mod runs;
mod sqlite;

pub use error::OpenError;
pub use people::Added;
pub use runs::{JudgedRow, RunRow, RunStatus};
pub use sqlite::SqliteStore;
