//! Figures, each beside a peer's in the same run.

mod cached;
mod lexical;
mod long_answers;
mod measured;
mod peers;

pub(crate) use cached::cached;
pub(crate) use lexical::lexical;
pub(crate) use peers::peers;
