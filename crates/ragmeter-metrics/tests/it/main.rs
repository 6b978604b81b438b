//! Every test of the crate, in one binary.

mod absence;
mod by_code;
mod by_text;
mod goldens;
mod lexical;
mod properties;
mod records;
mod retrieval;
