//! What `coverage` found: a page for people, a table for the test in `ragmeter-stats`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};

use crate::coverage::Cell;

/// Where the results go, from the root of the repository.
const TABLE: &str = "crates/ragmeter-stats/goldens/coverage.json";
const PAGE: &str = "docs/intervals.md";

/// The part of the page that is the same every time.
const INTRODUCTION: &str = include_str!("coverage_page.md");

pub(crate) fn print(cells: &[Cell]) {
    for cell in cells {
        let share =
            |share: Option<f64>| share.map_or("–".to_owned(), |share| format!("{share:.4}"));
        println!(
            "{} {:<13} {:<15} {:>3} documents n {:>3} {:<17} covered {:.4} found {} margin {}{}",
            cell.kind,
            cell.shape,
            cell.population,
            cell.documents,
            cell.n,
            cell.method,
            cell.covered,
            share(cell.found),
            share(cell.passed_margin),
            if cell.outside { "  OUTSIDE" } else { "" }
        );
    }
    let outside = cells.iter().filter(|cell| cell.outside).count();
    println!("{outside} of {} cells miss their target", cells.len());
}

/// Writes both files; call it from the root of the repository.
pub(crate) fn write(cells: &[Cell]) -> Result<()> {
    let rows: Vec<String> = cells.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    write_file(TABLE, &format!("[\n{}\n]\n", rows.join(",\n")))?;
    write_file(PAGE, &page(cells))
}

fn write_file(path: &str, text: &str) -> Result<()> {
    if let Some(folder) = std::path::Path::new(path).parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{path}: its folder"))?;
    }
    std::fs::write(path, text).with_context(|| format!("{path} can't be written"))?;
    println!("{path} written");
    Ok(())
}

fn page(cells: &[Cell]) -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str("\n## Cells outside the target\n\n");
    let outside: Vec<&Cell> = cells.iter().filter(|cell| cell.outside).collect();
    if outside.is_empty() {
        page.push_str("None.\n");
    } else {
        page.push_str("`compare` warns in these cells.\n\n");
    }
    for cell in outside {
        let what = match cell.found {
            Some(found) => format!("finds {} where there is no difference", percent(found)),
            None => format!("covers {}", percent(cell.covered)),
        };
        let _ = writeln!(
            page,
            "- {}, {}, {}, n = {}: {} {what}",
            cell.population,
            documents(cell.documents),
            cell.shape,
            cell.n,
            if cell.kind == "mean" { "the interval of a mean" } else { "the paired test" },
        );
    }
    page.push_str("\n## Intervals of means: coverage\n");
    tables(&mut page, cells, "mean", |cell| Some(cell.covered));
    page.push_str("\n## Paired test: differences found where there are none\n");
    tables(&mut page, cells, "paired", |cell| cell.found);
    page.push_str("\n## Paired test: coverage of its interval\n");
    tables(&mut page, cells, "paired", |cell| Some(cell.covered));
    page.push_str(
        "\n## Margin test: how often a difference of exactly the margin passes (α = 5 %)\n",
    );
    tables(&mut page, cells, "paired", |cell| cell.passed_margin);
    page
}

/// One table a population: a row for each number of documents and shape, a column for each n.
fn tables(page: &mut String, cells: &[Cell], kind: &str, share: fn(&Cell) -> Option<f64>) {
    for population in ["these documents", "new documents"] {
        let of: Vec<&Cell> = cells
            .iter()
            .filter(|cell| cell.kind == kind && cell.population == population)
            .filter(|cell| share(cell).is_some())
            .collect();
        let columns: BTreeSet<usize> = of.iter().map(|cell| cell.n).collect();
        let _ = writeln!(page, "\n*{population}*\n\n| documents | scores |{}", heads(&columns));
        let _ = writeln!(page, "|---|---|{}", "---|".repeat(columns.len()));
        let mut rows: Vec<(usize, &str)> = Vec::new();
        for cell in &of {
            if !rows.contains(&(cell.documents, cell.shape)) {
                rows.push((cell.documents, cell.shape));
            }
        }
        for (count, shape) in rows {
            let _ = write!(page, "| {} | {shape} |", documents(count));
            for n in &columns {
                let cell = of
                    .iter()
                    .find(|cell| (cell.documents, cell.shape, cell.n) == (count, shape, *n));
                let text = cell.and_then(|cell| share(cell)).map(percent).unwrap_or_default();
                let _ = match cell {
                    Some(cell) if cell.outside => write!(page, " **{text}** |"),
                    _ => write!(page, " {text} |"),
                };
            }
            page.push('\n');
        }
    }
}

fn heads(columns: &BTreeSet<usize>) -> String {
    columns.iter().fold(String::new(), |mut heads, n| {
        let _ = write!(heads, " n = {n} |");
        heads
    })
}

fn documents(count: usize) -> String {
    if count == 0 { "none (independent cases)".to_owned() } else { format!("{count} documents") }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::{MOST_FOUND, TARGET};

    #[test]
    fn a_cell_outside_is_named_and_bold() {
        let cell = Cell {
            kind: "mean",
            shape: "ones",
            population: "new documents",
            documents: 10,
            n: 20,
            method: "wilson_clustered",
            simulations: 1_000,
            covered: 0.912,
            found: None,
            passed_margin: None,
            outside: true,
        };
        let page = page(&[cell]);
        assert!(page.contains(
            "- new documents, 10 documents, ones, n = 20: the interval of a mean covers 91.2 %"
        ));
        assert!(page.contains("| 10 documents | ones | **91.2 %** |"));
        // The introduction states the targets that the code has.
        assert_eq!((*TARGET.start(), *TARGET.end(), MOST_FOUND), (0.93, 0.99, 0.055));
        assert!(page.contains("93–99 %") && page.contains("5.5 %"));
    }
}
