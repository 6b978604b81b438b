//! The container that `scripts/convert_e5.py` writes; its layout is described there.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::{LocalError, malformed};

const MAGIC: &[u8; 8] = b"RAGMODEL";
const VERSION: u32 = 1;
const PARAMETERS: usize = 20;
const NAME: usize = 32;
const ENTRY: usize = NAME + 16;

/// Sizes and special values of a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters {
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) feed_forward: usize,
    pub(crate) vocabulary: usize,
    pub(crate) positions: usize,
    pub(crate) epsilon: f32,
    pub(crate) bos: u32,
    pub(crate) eos: u32,
    pub(crate) unknown: u32,
    pub(crate) pieces: usize,
    pub(crate) longest_piece_chars: usize,
    pub(crate) unknown_score: f32,
    pub(crate) table_size: usize,
}

/// An opened model file. Opening reads the table of sections only.
#[derive(Debug)]
pub(crate) struct ModelFile {
    data: Cow<'static, [u8]>,
    sections: BTreeMap<String, Range<usize>>,
    pub(crate) parameters: Parameters,
}

impl ModelFile {
    pub(crate) fn open(data: Cow<'static, [u8]>) -> Result<Self, LocalError> {
        if data.get(..8) != Some(MAGIC.as_slice()) {
            return Err(malformed("wrong magic"));
        }
        let word = |index: usize| -> Result<u32, LocalError> {
            let at = 8 + 4 * index;
            let bytes = data.get(at..at + 4).ok_or_else(|| malformed("cut off"))?;
            Ok(le_u32(bytes))
        };
        if word(0)? != VERSION {
            return Err(malformed(format!("layout {}, expected {VERSION}", word(0)?)));
        }
        let count = word(1)? as usize;
        let number = |index: usize| word(2 + index).map(|value| value as usize);
        let parameters = Parameters {
            hidden: number(0)?,
            layers: number(1)?,
            heads: number(2)?,
            feed_forward: number(3)?,
            vocabulary: number(4)?,
            positions: number(5)?,
            epsilon: f32::from_bits(word(8)?),
            bos: word(9)?,
            eos: word(10)?,
            unknown: word(12)?,
            pieces: number(11)?,
            longest_piece_chars: number(13)?,
            unknown_score: f32::from_bits(word(16)?),
            table_size: number(15)?,
        };
        let start = 16 + 4 * PARAMETERS;
        let table = count
            .checked_mul(ENTRY)
            .and_then(|length| data.get(start..start + length))
            .ok_or_else(|| malformed("cut off"))?;
        let mut sections = BTreeMap::new();
        for entry in table.chunks_exact(ENTRY) {
            let name = String::from_utf8_lossy(&entry[..NAME]).trim_end_matches('\0').to_owned();
            let from = le_u64(&entry[NAME..NAME + 8]) as usize;
            let length = le_u64(&entry[NAME + 8..]) as usize;
            let range = from..from.saturating_add(length);
            if range.end > data.len() {
                return Err(malformed(format!("section {name} is cut off")));
            }
            sections.insert(name, range);
        }
        Ok(Self { data, sections, parameters })
    }

    /// All bytes of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// Where a section of exactly `length` bytes lies.
    pub(crate) fn range(&self, name: &str, length: usize) -> Result<Range<usize>, LocalError> {
        let range = self.sections.get(name).cloned();
        let range = range.ok_or_else(|| malformed(format!("no section {name}")))?;
        if range.len() != length {
            let found = range.len();
            return Err(malformed(format!("section {name}: {found} bytes, expected {length}")));
        }
        Ok(range)
    }

    /// Where a section lies, whatever its length.
    pub(crate) fn any_range(&self, name: &str) -> Result<Range<usize>, LocalError> {
        self.sections.get(name).cloned().ok_or_else(|| malformed(format!("no section {name}")))
    }

    /// A section of `count` floats.
    pub(crate) fn floats(&self, name: &str, count: usize) -> Result<Vec<f32>, LocalError> {
        let range = self.range(name, 4 * count)?;
        let bytes = self.data[range].chunks_exact(4);
        Ok(bytes.map(|four| f32::from_bits(le_u32(four))).collect())
    }

    /// A section of integers.
    pub(crate) fn integers(&self, name: &str) -> Result<Vec<u32>, LocalError> {
        let range = self.any_range(name)?;
        Ok(self.data[range].chunks_exact(4).map(le_u32).collect())
    }
}

fn le_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn le_u64(bytes: &[u8]) -> u64 {
    u64::from(le_u32(bytes)) | u64::from(le_u32(&bytes[4..])) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_model_is_refused() {
        for bytes in [b"".as_slice(), b"E5S1", b"RAGMODEL", b"RAGMODEL\x02\0\0\0\0\0\0\0"] {
            assert!(matches!(ModelFile::open(bytes.into()), Err(LocalError::Format(_))));
        }
    }
}
