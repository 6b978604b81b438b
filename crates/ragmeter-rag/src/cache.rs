//! Vectors on disk, so that no text is embedded twice.
//!
//! One file per embedder: a line of JSON (format, version, embedder, width, keys), the vectors as
//! little-endian `f32` in the order of the keys, and the BLAKE3 hash of all that.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ragmeter_core::{Digest, Hasher};
use serde::{Deserialize, Serialize};

const FORMAT: &str = "ragmeter vectors";
const VERSION: u32 = 1;
const HASH_BYTES: usize = 32;

/// The index folder cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("the index in {} cannot be written: {cause}", folder.display())]
pub struct CacheError {
    /// The folder.
    pub folder: PathBuf,
    /// Why.
    #[source]
    pub cause: std::io::Error,
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    embedder: String,
    width: usize,
    keys: Vec<Digest>,
}

/// Vectors by the key of their text.
pub(crate) type Known = BTreeMap<Digest, Vec<f32>>;

fn file_of(folder: &Path, embedder: &str) -> PathBuf {
    let hash = Hasher::new("vector file").text(embedder).finish();
    folder.join(format!("vectors-{}.bin", &hash.as_str()[..16]))
}

/// The vectors kept for an embedder; none if there is no file. The error says that the file was
/// no good, which costs only the embedding anew.
pub(crate) fn load(folder: &Path, embedder: &str) -> Result<Known, String> {
    let path = file_of(folder, embedder);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Known::new()),
        Err(error) => return Err(format!("the stored index cannot be read: {error}")),
    };
    parse(&bytes, embedder)
        .ok_or_else(|| "the stored index is damaged or of another version; it was rebuilt".into())
}

fn parse(bytes: &[u8], embedder: &str) -> Option<Known> {
    let (body, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH_BYTES)?)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let line_end = body.iter().position(|byte| *byte == b'\n')?;
    let header: Header = serde_json::from_slice(&body[..line_end]).ok()?;
    let values = &body[line_end + 1..];
    let fits = header.format == FORMAT
        && header.version == VERSION
        && header.embedder == embedder
        && values.len() == header.keys.len() * header.width * 4;
    if !fits {
        return None;
    }
    let row = |bytes: &[u8]| -> Vec<f32> {
        let words = bytes.chunks_exact(4);
        words.map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    };
    let rows = values.chunks_exact((header.width * 4).max(1)).map(row);
    Some(header.keys.into_iter().zip(rows).collect())
}

/// Writes the vectors; a reader sees the old file or the new one, never a part.
pub(crate) fn save(folder: &Path, embedder: &str, known: &Known) -> Result<(), CacheError> {
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let width = known.values().next().map_or(0, Vec::len);
        let header = Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            embedder: embedder.to_owned(),
            width,
            keys: known.keys().cloned().collect(),
        };
        let mut body = serde_json::to_vec(&header)?;
        body.push(b'\n');
        body.extend(known.values().flatten().flat_map(|value| value.to_le_bytes()));
        let hash = blake3::hash(&body);
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&body)?;
        file.write_all(hash.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(file_of(folder, embedder)).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|cause| CacheError { folder: folder.to_owned(), cause })
}
