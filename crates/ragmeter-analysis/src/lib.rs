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
//! - [`preferences`]: systems compared answer by answer
//! - [`people`]: what users and annotators said, beside the judge
//! - [`distributions`], [`relations`], [`breakdowns`], [`costs`], [`choose`]: how scores lie, how
//!   metrics go together, means by group, what it took, which cases are worth a look
//! - [`diagnose`]: where wrong claims come from
//! - [`csv`], [`html`], [`markdown`], [`json`]: the records as a table, and the whole as one page,
//!   as a comment on a pull request, and as data

mod breakdown;
mod chosen;
mod compare;
mod cost;
mod csv;
mod data;
mod diagnosis;
mod diff;
mod distribution;
mod drift;
mod explain;
mod fact_names;
mod family;
mod html;
mod json;
mod markdown;
mod number;
mod order;
pub mod people;
mod preference;
mod relation;
mod second;
mod sentences;
mod summary;
mod verdicts;
mod visible;
mod wobble;
mod words;

pub use breakdown::{Breakdown, Dimension, ENOUGH, Group, GroupMean, breakdowns};
pub use chosen::{Choice, Chosen, Conflict, Reason, choose};

pub use compare::{
    CasesFor, ClusterCounts, CompareOptions, Comparison, Documents, Effect, Margin, Mismatch,
    NestedRanking, PairCounts, RankedSystem, Ranking, Side, SystemPair, Verdict, all_pairs,
    compare, compare_all, mismatches, rankings,
};
pub use cost::{Figure, Seconds, SystemCost, costs};
pub use csv::csv;
pub use data::{Bilingual, CallCounts, JudgedRecord, MetricInfo, RunData, SystemData};
pub use diagnosis::{
    Cause, Diagnosis, ENOUGH_CLAIMS, Percent, causes, diagnose, diagnosis_sentence,
};
pub use distribution::{Distribution, distributions};
pub use drift::{BothWays, Drift, FactDrift, MetricDrift, count_verdicts, drift, drift_sentences};
pub use explain::translated;
pub use family::family_warnings;
pub use html::html;
pub use json::json;
pub use markdown::markdown;
pub use people::PeopleData;
pub use preference::{
    JudgedPair, PairPreference, Position, PreferenceReport, PreferenceVerdict, SystemStrength,
    judge_kin, preference_chapters, preferences,
};
pub use relation::{Relation, relations};
pub use second::{SecondLook, only_cases, second_looks, second_sentences};
pub use sentences::{footing, sentence, verdict_sentences};
pub use summary::{Summary, SystemSummary, summarize};
pub use visible::visible;
pub use wobble::{FactWobble, MetricWobble, Repeated, Wobble, wobble, wobble_sentences};
