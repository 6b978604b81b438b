//! Finding and reading the files that a source names.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ragmeter_core::Hasher;

use crate::binary::not_text;
use crate::charset::decode;
use crate::clean::{Cleaned, Format, Selectors, clean};
use crate::{docx, pdf};

/// Files found, and what was left aside with the reason.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Sorted by path within each source.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) aside: Vec<(PathBuf, String)>,
}

/// The files under a path or a pattern relative to `base`: a file as it is, a folder with all
/// below it, or what a glob matches. Hidden entries below a folder are no part of it.
pub(crate) fn find(location: &str, base: &Path) -> Result<Found, String> {
    let path = base.join(location);
    let mut found = Found::default();
    if path.exists() {
        add(&path, true, &mut found);
    } else if location.contains(['*', '?', '[']) {
        // The base is a plain folder name whatever characters it holds; only the pattern is one.
        let pattern = format!("{}/{location}", glob::Pattern::escape(&base.to_string_lossy()));
        let pattern = if Path::new(location).is_absolute() { location } else { &pattern };
        let matches =
            glob::glob(pattern).map_err(|error| format!("not a valid pattern: {error}"))?;
        let mut paths: Vec<PathBuf> = matches.filter_map(Result::ok).collect();
        paths.sort();
        // A pattern that matches a folder means what is in it; a matched file is wanted by type.
        for path in paths.iter().filter(|path| !is_hidden(path)) {
            add(path, false, &mut found);
        }
        if found.files.is_empty() && found.aside.is_empty() {
            return Err("the pattern matches nothing".to_owned());
        }
    } else {
        return Err("there is no such file or folder".to_owned());
    }
    Ok(found)
}

fn add(path: &Path, named: bool, found: &mut Found) {
    if path.is_dir() {
        walk(path, found);
    } else if named || is_read(path) {
        found.files.push(path.to_owned());
    } else {
        found.aside.push((path.to_owned(), wrong_type(path)));
    }
}

/// Everything below a folder in the order of the paths. Folders reached twice, as through a
/// symbolic link to a parent, are entered once.
fn walk(folder: &Path, found: &mut Found) {
    let mut entered = BTreeSet::new();
    let mut pending = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = pending.pop() {
        match folder.canonicalize() {
            Ok(real) => {
                if !entered.insert(real) {
                    continue;
                }
            }
            Err(error) => {
                found.aside.push((folder, error.to_string()));
                continue;
            }
        }
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                found.aside.push((folder, error.to_string()));
                continue;
            }
        };
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path();
            if is_hidden(&path) {
            } else if path.is_dir() {
                pending.push(path);
            } else {
                files.push(path);
            }
        }
        // The stack is popped from its end: with the last first, links to a folder seen earlier
        // are met in the same order on every machine.
        pending.sort_by(|one, other| other.cmp(one));
    }
    files.sort();
    for path in &files {
        add(path, false, found);
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn wrong_type(path: &Path) -> String {
    match extension(path).as_str() {
        "" => "no file type that is read (html, md, txt, pdf, docx)".to_owned(),
        "doc" => "the file type .doc is not read: save it as .docx".to_owned(),
        other => format!("the file type .{other} is not read (html, md, txt, pdf, docx are)"),
    }
}

/// Whether the name's ending is that of a type that is read.
fn is_read(path: &Path) -> bool {
    format_of(path).is_some() || matches!(extension(path).as_str(), "pdf" | "docx")
}

/// What a file or a page holds.
pub(crate) enum Content {
    /// A text, to be cleaned as what it is written in.
    Text(String, Format),
    /// A document that is no text file, not taken apart yet.
    Document(Kind, Vec<u8>),
}

/// Documents that are no text files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Pdf,
    Word,
}

impl Content {
    /// The text for a reader.
    pub(crate) fn clean(self, selectors: &Selectors) -> Result<Cleaned, String> {
        match self {
            Self::Text(text, format) => Ok(clean(&text, format, selectors)),
            Self::Document(Kind::Pdf, bytes) => pdf::read(bytes),
            Self::Document(Kind::Word, bytes) => docx::read(bytes),
        }
    }

    /// Adds all of it to a hash.
    pub(crate) fn add_to<'a>(&self, hasher: &'a mut Hasher) -> &'a mut Hasher {
        match self {
            Self::Text(text, format) => hasher.text(format.name()).text(text),
            Self::Document(kind, bytes) => hasher.text(&format!("{kind:?}")).bytes(bytes),
        }
    }
}

/// What document these bytes are, told by the first of them; none if they are a text.
pub(crate) fn document(bytes: &[u8]) -> Option<Kind> {
    /// Some PDF files begin with a few bytes of something else.
    const HEAD: usize = 1024;
    const PDF: &[u8] = b"%PDF-";
    let head = &bytes[..bytes.len().min(HEAD)];
    if head.windows(PDF.len()).any(|window| window == PDF) {
        return Some(Kind::Pdf);
    }
    if bytes.starts_with(b"PK\x03\x04") && docx::is_docx(bytes) {
        return Some(Kind::Word);
    }
    None
}

/// The format by the name's ending, if it is one that is read.
pub(crate) fn format_of(path: &Path) -> Option<Format> {
    match extension(path).as_str() {
        "html" | "htm" | "xhtml" => Some(Format::Html),
        "md" | "markdown" => Some(Format::Markdown),
        "txt" | "text" => Some(Format::Plain),
        _ => None,
    }
}

/// The format of a text whose name tells nothing.
pub(crate) fn sniff(text: &str) -> Format {
    let start: String = text.trim_start().chars().take(200).collect::<String>().to_lowercase();
    let is_html = ["<!doctype html", "<html", "<?xml", "<head", "<body"];
    if is_html.iter().any(|tag| start.starts_with(tag)) { Format::Html } else { Format::Plain }
}

/// The content of a file of at most `max_bytes`; a larger one is not read.
pub(crate) fn read(path: &Path, max_bytes: u64) -> Result<Content, String> {
    // A pipe would be waited for without end.
    if !path.metadata().map_err(|error| error.to_string())?.is_file() {
        return Err("this is not a regular file".to_owned());
    }
    let file = File::open(path).map_err(|error| error.to_string())?;
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    if length > max_bytes {
        return Err(too_large(Some(length), max_bytes));
    }
    let mut bytes = Vec::new();
    // A file may grow, and some report no length at all.
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > max_bytes {
        return Err(too_large(None, max_bytes));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("the file is empty".to_owned());
    }
    if let Some(kind) = document(&bytes) {
        return Ok(Content::Document(kind, bytes));
    }
    if let Some(what) = not_text(&bytes) {
        return Err(format!("this is {what}, not text"));
    }
    let text = decode(&bytes, None)?;
    let format = format_of(path).unwrap_or_else(|| sniff(&text));
    Ok(Content::Text(text, format))
}

/// Why something over the limit was not read.
pub(crate) fn too_large(length: Option<u64>, max_bytes: u64) -> String {
    let limit = megabytes(max_bytes);
    match length {
        Some(length) => format!("too large: {}, the limit is {limit}", megabytes(length)),
        None => format!("too large: over the limit of {limit}"),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / (1024.0 * 1024.0))
}
