//! What `coverage` found, for people and for the test in `ragmeter-stats`.

use anyhow::Result;

use crate::coverage::Cell;

pub(crate) fn print(cells: &[Cell]) {
    for cell in cells {
        println!(
            "{} {:<11} {:<15} {:>3} documents n {:>3} {:<17} covered {:.4} found {:?} margin {:?}{}",
            cell.kind,
            cell.shape,
            cell.population,
            cell.documents,
            cell.n,
            cell.method,
            cell.covered,
            cell.found,
            cell.passed_margin,
            if cell.outside { "  OUTSIDE" } else { "" }
        );
    }
}

pub(crate) fn write(_cells: &[Cell]) -> Result<()> {
    Ok(())
}
