//! The order in which comparisons are told.

use crate::{Comparison, Verdict};

/// The comparisons of main metrics, those pairs first of which something is shown.
pub(crate) fn telling_first(comparisons: &[Comparison]) -> Vec<Comparison> {
    let mut main: Vec<Comparison> =
        comparisons.iter().filter(|comparison| !comparison.companion).cloned().collect();
    let shown: Vec<(String, String)> = (main.iter())
        .filter(|one| matches!(one.verdict, Verdict::Better | Verdict::Worse))
        .map(Comparison::names)
        .collect();
    main.sort_by_key(|one| !shown.contains(&one.names()));
    main
}
