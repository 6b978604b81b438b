//! Test sets and recorded answers: reading what people have, and writing it again.
//!
//! The field has two namings of the same columns, and older files have a third; [`cases`] and
//! [`records`] take all of them from [`json_rows`] (JSON Lines or a JSON array), [`csv_rows`],
//! [`xlsx_rows`] and [`parquet_rows`]:
//!
//! | field | also called | value |
//! |---|---|---|
//! | `id` | | text or whole number; the row's number if missing |
//! | `question` | `user_input` | text, not blank; or a conversation |
//! | `messages` | | a conversation: objects with `role` (or `type`), `content` and maybe `tool_calls`; its last human message is the question, what follows is the system's |
//! | `answer` | `response` | text; in a conversation by default the system's last words |
//! | `contexts` | `retrieved_contexts` | list of texts, or of objects with `text` (`content`, `page_content`) and maybe `id`, `source`, `score` |
//! | `reference` | `reference_answer`, `ground_truth`, `ground_truths` | text; the old names also a list, of which the first is taken |
//! | `reference_contexts` | `schema`, `ddl`, `database_schema` | list of texts; a schema also as one text |
//! | `retrieved_context_ids`, `reference_context_ids` | | list of texts or whole numbers |
//! | `reference_tool_calls` | | list of objects with `name` and `args` (`arguments`, `function`) |
//! | `reference_topics`, `tags` | | list of texts |
//! | `rubrics` | | object of texts |
//! | `relevance` | | object of whole numbers: grades by context id |
//! | `lang` | | language code; else the question's letters decide |
//! | `source`, `author`, `system`, `error` | | text |
//! | `sources` | | list of texts: the other documents that the question rests on |
//! | `seconds`, `figures`, `refused_by_model` | | number, object of numbers, truth value |
//!
//! Null is the same as missing, except that `contexts: []` says "nothing was retrieved" while
//! `contexts: null` says nothing. A list in a cell of a table is JSON or what Python prints; other
//! text there is a list of one, and a blank cell is missing. In a CSV table with the columns `id` and
//! `question` the apostrophe that [`write()`] puts before what begins like a formula is taken off.
//! Other keys are left alone; a key that looks like a misspelling of one of these is warned of. Every
//! bad row is reported, and what to do about it is up to the caller.
//!
//! [`foreign`] puts other tools' files into these words, [`write()`] writes them.
//!
//! The crate opens no file and no socket.

mod cells;
mod conversation;
mod csv;
mod date;
mod extras;
mod fields;
pub mod foreign;
mod formula;
mod import;
mod literal;
mod parquet;
mod problem;
mod rows;
mod write;
mod xlsx;

pub use csv::csv_rows;
pub use formula::{inert, live};
pub use import::{Import, cases, read_cases, read_records, records};
pub use parquet::parquet_rows;
pub use problem::{RowError, RowWarning};
pub use rows::{Raw, json_rows};
pub use write::{Exported, Layout, case_object, record_object, write};
pub use xlsx::xlsx_rows;
