//! Figures, each beside a peer's in the same run.

mod long_answers;
mod peers;

pub(crate) use peers::peers;
