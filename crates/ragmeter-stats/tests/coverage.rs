//! The warnings are those that the simulation calls for; `cargo xtask coverage` writes the file.

use std::collections::BTreeMap;

use ragmeter_stats::{CoverageWarning, Estimate, Population, coverage_warning};
use serde::Deserialize;

#[derive(Deserialize)]
struct Cell {
    kind: String,
    population: String,
    documents: usize,
    n: usize,
    covered: f64,
    found: Option<f64>,
    outside: bool,
}

#[test]
fn warnings_are_given_in_the_cells_that_miss_their_target_and_nowhere_else() {
    let cells: Vec<Cell> =
        serde_json::from_str(include_str!("../goldens/coverage.json")).expect("a committed file");
    assert!(cells.len() > 100);
    // The worst of the shapes of a cell; too narrow is worse than too wide.
    let mut expected: BTreeMap<(Estimate, Population, usize, usize), Option<CoverageWarning>> =
        BTreeMap::new();
    for cell in cells {
        let estimate = if cell.kind == "mean" { Estimate::Mean } else { Estimate::Paired };
        let population = match cell.population.as_str() {
            "these documents" => Population::TheseDocuments,
            _ => Population::NewDocuments,
        };
        let warning = if cell.found.is_some_and(|found| found > 0.055) {
            Some(CoverageWarning::FindsTooMuch)
        } else if cell.found.is_none() && cell.covered < 0.93 {
            Some(CoverageWarning::TooNarrow)
        } else if estimate == Estimate::Mean && cell.covered > 0.99 {
            Some(CoverageWarning::TooWide)
        } else {
            None
        };
        assert_eq!(warning.is_some(), cell.outside);
        let worst = expected.entry((estimate, population, cell.documents, cell.n)).or_insert(None);
        let rank = |warning: Option<CoverageWarning>| match warning {
            None => 0,
            Some(CoverageWarning::TooWide) => 1,
            Some(CoverageWarning::TooNarrow) => 2,
            Some(CoverageWarning::FindsTooMuch) => 3,
        };
        if rank(warning) > rank(*worst) {
            *worst = warning;
        }
    }
    for ((estimate, population, documents, n), warning) in expected {
        let clusters = (documents > 0).then_some(documents);
        assert_eq!(
            coverage_warning(estimate, n, clusters, population),
            warning,
            "{estimate:?}, {population:?}, {documents} documents, n = {n}"
        );
    }
}

#[test]
fn between_the_cells_the_nearest_one_decides() {
    let paired = |cases, clusters| {
        coverage_warning(Estimate::Paired, cases, Some(clusters), Population::NewDocuments)
    };
    assert_eq!(paired(130, 14), Some(CoverageWarning::FindsTooMuch));
    assert_eq!(paired(5_000, 10), Some(CoverageWarning::FindsTooMuch));
    assert_eq!(paired(5_000, 400), None);
    let these =
        |clusters| coverage_warning(Estimate::Paired, 150, clusters, Population::TheseDocuments);
    assert_eq!((these(Some(2)), these(Some(14)), these(None)), (None, None, None));
}

#[test]
fn a_warning_speaks_both_languages() {
    for warning in
        [CoverageWarning::TooNarrow, CoverageWarning::TooWide, CoverageWarning::FindsTooMuch]
    {
        let (english, russian) = warning.text();
        assert!(english.is_ascii() && !russian.is_ascii());
    }
}
