//! Local inference: the embedder and the judge that need no network and no key.
//!
//! [`E5Embedder`] runs multilingual-e5-small on the processor; [`LocalJudge`] is a small trained
//! head over its vectors and word overlap. Pure Rust; what the processor offers is found at run
//! time, and results are the same bits on every machine and with any number of threads.

mod bundled;
mod cache;
mod embedder;
mod encoder;
mod error;
mod judge;
mod kernel;
mod layers;
mod math;
mod model_file;
mod packed;
mod tokenizer;

pub use embedder::E5Embedder;
pub use error::LocalError;
pub use judge::{Comparison, FEATURES, LocalJudge};
