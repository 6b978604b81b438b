//! Every test of the crate, in one binary.

mod absence;
mod by_code;
mod by_text;
mod drawn;
mod goldens;
mod lexical;
mod missing;
mod order;
mod properties;
mod records;
mod retrieval;
