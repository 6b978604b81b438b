//! Every test of the crate, in one binary.

mod absence;
mod by_code;
mod goldens;
mod properties;
mod records;
