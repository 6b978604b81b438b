//! Telling text from what only pretends to be.

/// Share of control characters above which bytes are no text.
const CONTROL_SHARE: f64 = 0.05;
/// Bytes looked at.
const SAMPLE: usize = 64 * 1024;

const SIGNATURES: [(&[u8], &str); 10] = [
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x7fELF", "a program"),
    (b"\xd0\xcf\x11\xe0", "an old office document, or one protected by a password"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
];

/// What the bytes are, if they are no text.
pub(crate) fn not_text(bytes: &[u8]) -> Option<&'static str> {
    let signature = SIGNATURES.iter().find(|(magic, _)| bytes.starts_with(magic));
    if let Some((_, name)) = signature {
        return Some(name);
    }
    // UTF-16 is full of zero bytes and says so in its mark.
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return None;
    }
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    if sample.contains(&0) {
        return Some("binary data (it holds zero bytes)");
    }
    let control =
        sample.iter().filter(|b| b.is_ascii_control() && !b.is_ascii_whitespace()).count();
    (control as f64 > CONTROL_SHARE * sample.len() as f64)
        .then_some("binary data (it holds mostly control characters)")
}
