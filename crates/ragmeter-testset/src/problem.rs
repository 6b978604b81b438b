use std::fmt;

/// Why a row cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct RowError {
    /// The row: its line in JSON Lines and CSV, its position in a JSON array or a Parquet file, its
    /// number in a spreadsheet; from 1.
    pub row: usize,
    /// Line of the file on which the row begins, from 1; 0 in files that have no lines.
    pub line: usize,
    /// Column in characters, from 1, where the JSON itself is broken.
    pub column: Option<usize>,
    /// The key as the file spells it, where one is to blame.
    pub key: Option<String>,
    /// What should stand there.
    pub expected: String,
    /// What stands there.
    pub got: String,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        place(f, self.row, self.line)?;
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        if let Some(key) = &self.key {
            write!(f, ", `{key}`")?;
        }
        write!(f, ": expected {}, got {}", self.expected, self.got)
    }
}

/// What is odd about rows that can be used all the same. One warning stands for all rows with the
/// same oddity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowWarning {
    /// The first such row, from 1.
    pub row: usize,
    /// Line of it, from 1; 0 in files that have no lines.
    pub line: usize,
    /// How many rows have it.
    pub rows: usize,
    /// The key as the file spells it.
    pub key: String,
    /// What is odd, as a sentence fragment.
    pub message: String,
}

impl fmt::Display for RowWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "row {}", self.row)?,
            line => write!(f, "line {line}")?,
        }
        write!(f, ", `{}`: {}", self.key, self.message)?;
        if self.rows > 1 {
            write!(f, " ({} rows)", self.rows)?;
        }
        Ok(())
    }
}

fn place(f: &mut fmt::Formatter<'_>, row: usize, line: usize) -> fmt::Result {
    match line {
        0 => write!(f, "row {row}"),
        _ if row == line => write!(f, "line {line}"),
        _ => write!(f, "row {row} (line {line})"),
    }
}
