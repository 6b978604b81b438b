//! Takes systems and records through a run: bounded concurrency, resuming, cancelling, one
//! ordered stream of [`RunEvent`]s. It knows the seams of `ragmeter-core` and no metric, model,
//! chain or database.

mod answer;
mod each;
mod embed;
mod event;
mod judge;

pub use answer::answer_all;
pub use each::each;
pub use embed::{Embedded, embed_all, vector_key};
pub use event::{Control, Events, RunEvent};
pub use judge::{Keep, judge_all};
