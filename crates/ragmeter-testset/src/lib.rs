//! Test sets and recorded answers: reading what people have.
//!
//! The field has two namings of the same columns, and older files have a third; [`read_cases`] and
//! [`read_records`] take all of them from JSON Lines or from a JSON array:
//!
//! | field | also called | value |
//! |---|---|---|
//! | `id` | | text or whole number; the row's line number (in an array: its position) if missing |
//! | `question` | `user_input` | text, not blank |
//! | `answer` | `response` | text |
//! | `contexts` | `retrieved_contexts` | list of texts, or of objects with `text` (`content`, `page_content`) and maybe `id`, `source`, `score` |
//! | `reference` | `reference_answer`, `ground_truth`, `ground_truths` | text; the old names also a list, of which the first is taken |
//! | `reference_contexts` | | list of texts |
//! | `retrieved_context_ids`, `reference_context_ids` | | list of texts or whole numbers |
//! | `tags` | | list of texts |
//! | `lang` | | language code; else the question's letters decide |
//! | `source`, `system`, `error` | | text |
//!
//! Null is the same as missing, except that `contexts: []` says "nothing was retrieved" while
//! `contexts: null` says nothing. Other keys are left alone; a key that looks like a misspelling of
//! one of these is warned of. Every bad row is reported, and what to do about it is up to the caller.
//!
//! The crate opens no file and no socket.

mod fields;
mod import;
mod problem;
mod rows;

pub use import::{Import, read_cases, read_records};
pub use problem::{RowError, RowWarning};
