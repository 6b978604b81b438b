//! What is declared of a comparison before a number is seen.

use ragmeter_stats::Population;
use serde::{Deserialize, Serialize};

/// Declared by the user; nothing here is ever chosen from the data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompareOptions {
    /// What the verdict is about.
    pub population: Documents,
    /// The one metric that the decision rests on: it is corrected over pairs of systems only, the
    /// other metrics over all of themselves.
    pub primary: Option<String>,
    /// The largest difference that does not matter, in `(0, 1]`: with it equivalence and
    /// non-inferiority are tested, and the cases needed are told.
    pub margin: Option<f64>,
    /// The width, in `(0, 1]`, that the interval of a difference shall have: the cases needed for
    /// it are told.
    pub width: Option<f64>,
}

/// The questions that a verdict speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Documents {
    /// Other questions about these documents.
    #[default]
    These,
    /// Questions about other documents of the same kind: whole documents are the units.
    New,
}

impl From<Documents> for Population {
    fn from(documents: Documents) -> Self {
        match documents {
            Documents::These => Self::TheseDocuments,
            Documents::New => Self::NewDocuments,
        }
    }
}
