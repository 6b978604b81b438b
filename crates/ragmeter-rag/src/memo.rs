//! What was made of each text before, on disk, so that an unchanged corpus costs no work.
//!
//! One file per purpose: JSON lines of key and value, the first line naming format and version,
//! the last one the BLAKE3 hash of all before it. Values are parsed when they are asked for.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ragmeter_core::{Digest, Hasher};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::cache::CacheError;

const FIRST_LINE: &str = r#"{"format":"ragmeter memo","version":1}"#;

/// The sources of everything that decides what a text becomes. They are part of every key: a
/// changed rule is a changed key, and nobody has to remember to raise a number.
const RULES: &[&str] = &[
    include_str!("boilerplate.rs"),
    include_str!("bm25.rs"),
    include_str!("chunk.rs"),
    include_str!("clean.rs"),
    include_str!("corpus.rs"),
    include_str!("docx/body.rs"),
    include_str!("docx/mod.rs"),
    include_str!("docx/numbering.rs"),
    include_str!("docx/styles.rs"),
    include_str!("pdf/layout.rs"),
    include_str!("pdf/lines.rs"),
    include_str!("pdf/mod.rs"),
    include_str!("pdf/paragraphs.rs"),
    include_str!("render.rs"),
];

/// A hasher that begins with the rules by which texts are cleaned, cut and counted.
pub(crate) fn keyed(purpose: &str) -> Hasher {
    static HASH: OnceLock<Digest> = OnceLock::new();
    let rules = HASH.get_or_init(|| {
        let mut hasher = Hasher::new(env!("CARGO_PKG_VERSION"));
        for source in RULES.iter().chain(ragmeter_text::RULES) {
            hasher.text(source);
        }
        hasher.finish()
    });
    let mut hasher = Hasher::new(purpose);
    hasher.text(rules.as_str());
    hasher
}

/// Values by key. Those that were neither asked for nor made since it was opened are dropped when
/// it is saved, or the file would grow with every edit.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    file: Option<PathBuf>,
    old: BTreeMap<Digest, Box<RawValue>>,
    used: BTreeMap<Digest, Box<RawValue>>,
    made: bool,
}

#[derive(Deserialize)]
struct Line {
    key: Digest,
    value: Box<RawValue>,
}

#[derive(Serialize)]
struct LineOut<'a> {
    key: &'a Digest,
    value: &'a RawValue,
}

impl Memo {
    /// The memo of a purpose in a folder; an empty one that is never written without a folder. A
    /// damaged file, or one of another version, is no memo: what it held is made anew.
    pub(crate) fn open(folder: Option<&Path>, purpose: &str) -> Self {
        let file = folder.map(|folder| folder.join(format!("{purpose}.jsonl")));
        let old = file.as_deref().and_then(|file| fs::read_to_string(file).ok());
        let old = old.and_then(|text| parse(&text)).unwrap_or_default();
        Self { file, old, ..Self::default() }
    }

    /// The value of a key, if it was made before.
    pub(crate) fn get<T: DeserializeOwned>(&mut self, key: &Digest) -> Option<T> {
        if let Some(raw) = self.used.get(key) {
            return serde_json::from_str(raw.get()).ok();
        }
        let raw = self.old.remove(key)?;
        let value = serde_json::from_str(raw.get()).ok()?;
        self.used.insert(key.clone(), raw);
        Some(value)
    }

    /// Keeps what was made for a key.
    pub(crate) fn put<T: Serialize>(&mut self, key: Digest, value: &T) {
        if let Ok(raw) = serde_json::value::to_raw_value(value) {
            self.used.insert(key, raw);
            self.made = true;
        }
    }

    /// Writes it, if anything is new or no longer used; a reader sees the old file or the new one.
    pub(crate) fn save(&self) -> Result<(), CacheError> {
        let Some(file) = self.file.as_deref() else { return Ok(()) };
        if !self.made && self.old.is_empty() {
            return Ok(());
        }
        let folder = file.parent().unwrap_or(Path::new("."));
        self.write(folder, file).map_err(|cause| CacheError { folder: folder.to_owned(), cause })
    }

    fn write(&self, folder: &Path, file: &Path) -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut body = format!("{FIRST_LINE}\n").into_bytes();
        for (key, value) in &self.used {
            serde_json::to_writer(&mut body, &LineOut { key, value })?;
            body.push(b'\n');
        }
        let hash = blake3::hash(&body);
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        temporary.write_all(&body)?;
        writeln!(temporary, "{}", hash.to_hex())?;
        temporary.as_file().sync_all()?;
        temporary.persist(file).map_err(|error| error.error)?;
        Ok(())
    }
}

fn parse(text: &str) -> Option<BTreeMap<Digest, Box<RawValue>>> {
    let text = text.strip_suffix('\n')?;
    let hash_at = text.rfind('\n')? + 1;
    let (body, hash) = text.split_at(hash_at);
    if blake3::hash(body.as_bytes()).to_hex().as_str() != hash {
        return None;
    }
    let mut lines = body.lines();
    if lines.next() != Some(FIRST_LINE) {
        return None;
    }
    lines
        .map(|line| serde_json::from_str::<Line>(line).ok().map(|line| (line.key, line.value)))
        .collect()
}
