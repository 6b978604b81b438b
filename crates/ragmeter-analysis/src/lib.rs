//! From judged records to a verdict: summaries, paired comparisons, CSV and the HTML report.
//!
//! Everything is a pure function of a [`RunData`]: the same records and the same seed give the same
//! bytes. The crate judges nothing and reads nothing; it counts, tests and shows. No mean stands
//! without its counts, and no winner is named where missing scores could turn it.
//!
//! - [`summarize`]: mean, counts and interval for each system and metric
//! - [`compare`], [`compare_all`]: paired differences with interval and p from one procedure
//! - [`verdict_sentences`]: the comparisons in words
//! - [`csv`], [`html`]: the records as a table, and the whole as one page

mod compare;
mod csv;
mod data;
mod explain;
mod html;
mod number;
mod sentences;
mod summary;
mod words;

pub use compare::{
    Comparison, Mismatch, PairCounts, Side, Verdict, compare, compare_all, mismatches,
};
pub use csv::csv;
pub use data::{Bilingual, CallCounts, JudgedRecord, MetricInfo, RunData, SystemData};
pub use html::html;
pub use sentences::{sentence, verdict_sentences};
pub use summary::{Summary, SystemSummary, summarize};
