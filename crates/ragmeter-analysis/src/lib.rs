//! From judged records to a verdict: summaries, paired comparisons, CSV and the HTML report.
//!
//! Everything is a pure function of a [`RunData`]: the same records and the same seed give the same
//! bytes. The crate judges nothing and reads nothing; it counts, tests and shows. No mean stands
//! without its counts, and no winner is named where missing scores could turn it.
//!
//! - [`summarize`]: mean, counts and interval for each system and metric
//! - [`compare`], [`compare_all`]: paired differences with interval and p from one procedure
//! - [`rankings`]: rank ranges and tied groups of many systems
//! - [`verdict_sentences`]: the comparisons in words
//! - [`csv`], [`html`]: the records as a table, and the whole as one page

mod compare;
mod csv;
mod data;
mod explain;
mod family;
mod html;
mod number;
mod second;
mod sentences;
mod summary;
mod words;

pub use compare::{
    CasesFor, ClusterCounts, CompareOptions, Comparison, Documents, Effect, Margin, Mismatch,
    NestedRanking, PairCounts, RankedSystem, Ranking, Side, SystemPair, Verdict, compare,
    compare_all, mismatches, rankings,
};
pub use csv::csv;
pub use data::{Bilingual, CallCounts, JudgedRecord, MetricInfo, RunData, SystemData};
pub use family::family_warnings;
pub use html::html;
pub use second::{SecondLook, only_cases, second_looks, second_sentences};
pub use sentences::{footing, sentence, verdict_sentences};
pub use summary::{Summary, SystemSummary, summarize};
