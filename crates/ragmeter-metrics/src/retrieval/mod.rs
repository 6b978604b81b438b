//! Retrieval measured by judgements of documents, without a judge.
//!
//! [`Measure`] has trec_eval's measures by its own names over a [`Ranking`]; `by_ids` has
//! those that a test case's ids allow, for each record of a system.

pub(crate) mod by_ids;
mod formulas;
mod gains;
mod measure;
mod of_record;
mod ranking;
mod sums;

pub use measure::Measure;
pub use ranking::{Hit, Judgement, Ranking, Seen};
pub use sums::{Complete, Sums};
