use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes at the start in which a page may declare its charset.
const DECLARATION: usize = 4096;
/// Share of broken characters up to which a text counts as slightly damaged, not as wrongly decoded.
const DAMAGE: f64 = 0.001;

/// The text of `bytes`: by its byte order mark, as UTF-8 if it is valid UTF-8, by the HTTP
/// header's charset, by the charset that the page declares, else as its letters suggest
/// (windows-1251, koi8-r, …). The error says which charsets were tried.
pub fn decode(bytes: &[u8], http_charset: Option<&str>) -> Result<String, String> {
    if let Some((encoding, skip)) = Encoding::for_bom(bytes) {
        let (text, broken) = encoding.decode_without_bom_handling(&bytes[skip..]);
        return accept(&text, broken, encoding);
    }
    // Text that is valid UTF-8 by accident is practically unknown, stale labels are not.
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(text.to_owned());
    }
    let labels = [http_charset.map(str::to_owned), declared(bytes)];
    let mut tried = Vec::new();
    for label in labels.iter().flatten() {
        let Some(encoding) = Encoding::for_label(label.as_bytes()) else {
            continue;
        };
        // A page whose declaration can be read as ASCII is not UTF-16, whatever it says.
        if encoding == UTF_16LE || encoding == UTF_16BE {
            continue;
        }
        let (text, broken) = encoding.decode_without_bom_handling(bytes);
        if let Ok(text) = accept(&text, broken, encoding) {
            return Ok(text);
        }
        tried.push(encoding.name());
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Allow);
    let (text, broken) = encoding.decode_without_bom_handling(bytes);
    accept(&text, broken, encoding).map_err(|_| {
        tried.extend([UTF_8.name(), encoding.name()]);
        tried.dedup();
        format!("not valid in any charset tried ({})", tried.join(", "))
    })
}

fn accept(text: &str, broken: bool, encoding: &'static Encoding) -> Result<String, String> {
    let replaced = text.chars().filter(|c| *c == '\u{fffd}').count();
    if broken && replaced as f64 > DAMAGE * text.chars().count() as f64 {
        return Err(format!("not valid {}", encoding.name()));
    }
    Ok(text.to_owned())
}

/// The charset in `<meta charset=…>`, `<meta … content="…; charset=…">` or `<?xml encoding=…?>`.
fn declared(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION)]).to_lowercase();
    let in_meta = head
        .match_indices("<meta")
        .filter_map(|(at, _)| head[at..].split('>').next())
        .find_map(|tag| tag.split_once("charset"));
    let in_xml = || {
        let declaration = head.trim_start().strip_prefix("<?xml")?.split("?>").next()?;
        declaration.split_once("encoding")
    };
    let (_, value) = in_meta.or_else(in_xml)?;
    let value = value.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let end = value.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c)));
    let label = &value[..end.unwrap_or(value.len())];
    (!label.is_empty()).then(|| label.to_owned())
}
