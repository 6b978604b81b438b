//! Files of cases and records, read whole and checked before anything is spent.

use std::path::Path;

use ragmeter_core::{RunRecord, TestCase};
use ragmeter_testset::{Import, read_cases, read_records};

use crate::error::Error;

/// Rows of a file, and what is odd about them.
pub(crate) struct Rows<T> {
    pub(crate) rows: Vec<T>,
    pub(crate) notes: Vec<String>,
}

/// Test cases.
pub(crate) fn cases(path: &Path, skip_invalid: bool) -> Result<Rows<TestCase>, Error> {
    rows(path, read_cases(&text(path)?), skip_invalid)
}

/// Recorded answers with their cases.
pub(crate) fn records(
    path: &Path,
    skip_invalid: bool,
) -> Result<Rows<(TestCase, RunRecord)>, Error> {
    rows(path, read_records(&text(path)?), skip_invalid)
}

fn text(path: &Path) -> Result<String, Error> {
    let failed = |source| Error::File { verb: "read", path: path.display().to_string(), source };
    let bytes = std::fs::read(path).map_err(failed)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::usage(format!(
            "{}: not UTF-8 text (byte {at}): save it as UTF-8 JSON Lines",
            path.display()
        ))
    })
}

fn rows<T>(path: &Path, import: Import<T>, skip_invalid: bool) -> Result<Rows<T>, Error> {
    let file = path.display().to_string();
    let mut notes: Vec<String> =
        import.warnings.iter().map(|warning| format!("{file}: {warning}")).collect();
    if !import.errors.is_empty() {
        if !skip_invalid {
            let rows = import.errors.iter().map(|error| format!("  {file}: {error}")).collect();
            return Err(Error::Rows { file, rows });
        }
        notes.extend(import.errors.iter().map(|error| format!("{file}: left out: {error}")));
    }
    if import.rows.is_empty() {
        return Err(Error::usage(format!("{file}: there is no usable row in it")));
    }
    Ok(Rows { rows: import.rows, notes })
}
