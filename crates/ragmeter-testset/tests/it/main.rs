//! Reading test sets and recorded answers: what is taken, what is refused, and in what words.

mod faults;
mod rows;
