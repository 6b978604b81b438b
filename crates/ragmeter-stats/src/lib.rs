//! Statistics of bounded scores: an interval for a mean, a paired test that gives interval and p
//! from one procedure, and the correction for many tests.
//!
//! Pure functions over slices. Seeds are arguments, nothing is printed, no number that comes out
//! is ever not a number. The values in `goldens/` come from independent Python and are compared
//! in `tests/goldens.rs`.

mod interval;
mod multiplicity;
mod sign_flip;

pub use interval::{Interval, normal_quantile, wilson_on_mean};
pub use multiplicity::holm;
pub use sign_flip::{DRAWS, EXACT_UP_TO, SignFlip, sign_flip};
