//! The library behind the command line: `ragmeter.yaml` → wired objects → a run → its numbers.
//!
//! [`run`] takes a configuration through documents, systems, judge and analysis; [`score`] judges
//! a file of recorded answers without one. Both keep everything in a [`SqliteStore`] and go on
//! where they stopped when they are called again. [`load_run`] brings a kept run back as
//! [`RunData`](ragmeter_analysis::RunData) for reports and comparisons.

mod asker;
mod assemble;
mod budget;
pub mod config;
mod corpus;
mod drift;
mod ending;
mod error;
mod evaluate;
mod exchange;
mod feedback;
mod fingerprint;
mod input;
mod judge;
mod labels;
mod models;
mod people;
mod pipeline;
mod places;
mod plan;
mod prefer;
mod probe;
mod programs;
mod rehearsal;
mod rejudge;
mod retrieval;
mod run;
mod score;
mod second;
mod spec;
mod systems;
mod table;
mod tongues;
mod vectors;
mod wobble;
mod wording;

pub use assemble::load_run;
pub use budget::{Budget, Counters, Price};
pub use corpus::{IndexOutcome, ask, index};
pub use ending::Ending;
pub use error::Error;
pub use exchange::{ImportFormat, ImportRequest, Imported, export, import};
pub use feedback::{Collected, FeedbackRequest, import_feedback};
pub use labels::{LabelImport, LabelRequest, LabelTable, export_labels, import_labels};
pub use models::{Endpoints, Environment};
pub use pipeline::{RunResult, Session};
pub use plan::{Planned, PlannedCalls, PlannedTokens};
pub use prefer::{PreferRequest, Preferred, prefer};
pub use probe::{Probe, probe};
pub use ragmeter_metrics::retrieval::Measure;
pub use ragmeter_models::{Limits, ServerLimits, Waiting};
pub use ragmeter_runner::{Control, RunEvent};
pub use ragmeter_store::{JudgedRow, RunRow, RunStatus, SqliteStore};
pub use ragmeter_testset::Layout;
pub use rejudge::{Rejudged, rejudge};
pub use retrieval::{RetrievalRequest, RetrievalResult, retrieval};
pub use run::{RunOptions, check_compare, plan_run, run};
pub use score::{ScoreRequest, plan_score, score};
pub use second::{SecondJudge, SecondOpinion, second_judge};
pub use spec::{CorpusSpec, JudgeSpec, RunSpec, SystemSpec};
pub use systems::Heard;
pub use wobble::{WobbleRequest, WobbleResult, wobble};

/// What to say of a metric that there is not.
pub fn unknown_metric(id: &str) -> String {
    config::unknown_metric(id, &ragmeter_metrics::Own::default())
}
