//! Files of cases and records, read whole and checked before anything is spent.

use std::path::{Path, PathBuf};

use ragmeter_core::{RunRecord, TestCase};
use ragmeter_testset::{Import, Raw, csv_rows, json_rows, parquet_rows, xlsx_rows};

use crate::error::Error;

/// Rows of a file, and what is odd about them.
pub(crate) struct Rows<T> {
    pub(crate) rows: Vec<T>,
    pub(crate) notes: Vec<String>,
}

/// Test cases.
pub(crate) fn cases(path: &Path, skip_invalid: bool) -> Result<Rows<TestCase>, Error> {
    rows(path, ragmeter_testset::cases(raw(path)?), skip_invalid)
}

/// Recorded answers with their cases.
pub(crate) fn records(
    path: &Path,
    skip_invalid: bool,
) -> Result<Rows<(TestCase, RunRecord)>, Error> {
    rows(path, ragmeter_testset::records(raw(path)?), skip_invalid)
}

/// A file as it lies on the disk.
pub(crate) struct Opened {
    path: PathBuf,
    /// The sheet named after a `#`.
    sheet: Option<String>,
    bytes: Vec<u8>,
}

/// What a file is, by its first bytes, its name, and what it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Json,
    Csv,
    Xlsx,
    Parquet,
}

/// Reads a file; `FILE#SHEET` names a sheet of a workbook.
pub(crate) fn open(path: &Path) -> Result<Opened, Error> {
    let shown = path.to_string_lossy();
    let (file, sheet) = match shown.rsplit_once('#') {
        Some((file, sheet)) if !path.exists() && !sheet.is_empty() => {
            (PathBuf::from(file), Some(sheet.to_owned()))
        }
        _ => (path.to_owned(), None),
    };
    let failed = |source| Error::File { verb: "read", path: file.display().to_string(), source };
    let bytes = std::fs::read(&file).map_err(failed)?;
    Ok(Opened { path: file, sheet, bytes })
}

impl Opened {
    pub(crate) fn kind(&self) -> Kind {
        if self.bytes.starts_with(b"PAR1") {
            return Kind::Parquet;
        }
        if self.bytes.starts_with(b"PK\x03\x04") {
            return Kind::Xlsx;
        }
        let extension = self.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match extension.as_str() {
            "parquet" | "pq" => Kind::Parquet,
            "xlsx" | "xlsm" => Kind::Xlsx,
            "csv" | "tsv" => Kind::Csv,
            _ => Kind::Json,
        }
    }

    /// The text, in whatever charset it is.
    pub(crate) fn text(&self) -> Result<String, Error> {
        ragmeter_rag::decode(&self.bytes, None).map_err(|reason| self.usage(&reason))
    }

    pub(crate) fn raw(&self) -> Result<Raw, Error> {
        let kind = self.kind();
        if let Some(sheet) = self.sheet.as_ref().filter(|_| kind != Kind::Xlsx) {
            return Err(
                self.usage(&format!("it has no sheet `{sheet}`: it is no workbook (.xlsx)"))
            );
        }
        match kind {
            Kind::Json => Ok(json_rows(self.utf8()?)),
            Kind::Csv => Ok(csv_rows(&self.text()?)),
            Kind::Xlsx => {
                xlsx_rows(&self.bytes, self.sheet.as_deref()).map_err(|reason| self.usage(&reason))
            }
            Kind::Parquet => {
                parquet_rows(self.bytes.clone().into()).map_err(|reason| self.usage(&reason))
            }
        }
    }

    /// JSON is UTF-8 by definition; in another charset it would be somebody's mistake.
    fn utf8(&self) -> Result<&str, Error> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let at = error.valid_up_to();
            self.usage(&format!("not UTF-8 text (byte {at}): save it as UTF-8 JSON Lines"))
        })
    }

    fn usage(&self, reason: &str) -> Error {
        Error::usage(format!("{}: {reason}", self.path.display()))
    }
}

fn raw(path: &Path) -> Result<Raw, Error> {
    open(path)?.raw()
}

pub(crate) fn rows<T>(
    path: &Path,
    import: Import<T>,
    skip_invalid: bool,
) -> Result<Rows<T>, Error> {
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
