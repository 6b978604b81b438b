//! Word documents (DOCX): headings, paragraphs, lists, tables and footnotes as text.
//!
//! A DOCX file is a zip archive of XML parts. Headers, footers, comments, deleted text and tables
//! of contents are no part of the text.

mod body;
mod numbering;
mod styles;

use std::io::{Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::clean::Cleaned;
use crate::render::tidy;

/// Largest part of a document, unpacked.
const PART_BYTES: u64 = 64 * 1024 * 1024;

type Archive = ZipArchive<Cursor<Vec<u8>>>;

/// Whether a zip archive is a Word document.
pub(crate) fn is_docx(bytes: &[u8]) -> bool {
    let archive = ZipArchive::new(Cursor::new(bytes));
    archive.is_ok_and(|archive| archive.index_for_name(BODY).is_some())
}

const BODY: &str = "word/document.xml";

/// The text of a Word document. The error says why there is none.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Cleaned, String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let body = part(&mut archive, BODY)?.ok_or("not a Word document: it has no text part")?;
    let styles = part(&mut archive, "word/styles.xml")?.unwrap_or_default();
    let numbering = part(&mut archive, "word/numbering.xml")?.unwrap_or_default();
    let footnotes = part(&mut archive, "word/footnotes.xml")?.unwrap_or_default();
    let endnotes = part(&mut archive, "word/endnotes.xml")?.unwrap_or_default();
    let properties = part(&mut archive, "docProps/core.xml")?.unwrap_or_default();
    let known = body::Known { styles: styles::read(&styles)?, lists: numbering::read(&numbering)? };
    let found = body::read(&body, &known)?;
    let mut text = found.text;
    for (part, mark) in [(&footnotes, ""), (&endnotes, "e")] {
        let notes = body::notes(part, &known)?;
        for (id, note) in notes {
            let number = format!("{mark}{id}");
            // Notes that nothing points at are the lines that part notes from the text.
            if found.notes.contains(&number) {
                let note = note.replace('\n', " ");
                text.extend(["\n\n[", number.as_str(), "] ", note.as_str()]);
            }
        }
    }
    let title = title(&properties)?.or(found.title);
    Ok(Cleaned { title, text: tidy(&text), note: None })
}

/// A part of the archive as text; none if it has no such part. Bounded when unpacked, so that a
/// small file can't fill the memory.
fn part(archive: &mut Archive, name: &str) -> Result<Option<String>, String> {
    let file = match archive.by_name(name) {
        Ok(file) => file,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(error) => return Err(damaged(&error)),
    };
    let mut bytes = Vec::new();
    let read = file.take(PART_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("the Word document is damaged ({name}: {error})"))?;
    if bytes.len() as u64 > PART_BYTES {
        let limit = PART_BYTES / (1024 * 1024);
        return Err(format!("too large: {name} unpacks to more than {limit} MB"));
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // XML may be UTF-16, which says so in its mark.
        Err(error) => crate::charset::decode(error.as_bytes(), None)?,
    };
    Ok(Some(text))
}

fn damaged(error: &ZipError) -> String {
    if matches!(error, ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) {
        return "protected by a password: save it without one".to_owned();
    }
    format!("the Word document is damaged ({error})")
}

/// The title among the document's properties.
fn title(xml: &str) -> Result<Option<String>, String> {
    let mut inside = false;
    let mut title = String::new();
    events(xml, |event| {
        match event {
            Event::Start(tag) if name(tag) == "title" => inside = true,
            Event::End(tag) if tag.local_name().into_inner() == "title" => inside = false,
            other if inside => push_text(&mut title, other),
            _ => {}
        }
        Ok(())
    })?;
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok((!title.is_empty()).then_some(title))
}

/// Takes every event of an XML part to `take`.
fn events(xml: &str, mut take: impl FnMut(&Event<'_>) -> Result<(), String>) -> Result<(), String> {
    let mut reader = Reader::from_str(xml.strip_prefix('\u{feff}').unwrap_or(xml));
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return Ok(()),
            Ok(event) => take(&event)?,
            Err(error) => {
                let at = reader.error_position();
                return Err(format!("the Word document is damaged (XML at byte {at}: {error})"));
            }
        }
    }
}

/// A tag's name without its prefix.
fn name<'a>(tag: &'a BytesStart<'_>) -> &'a str {
    tag.local_name().into_inner()
}

/// The value of an attribute, by its name without the prefix.
fn attribute(tag: &BytesStart<'_>, wanted: &str) -> Option<String> {
    let found = tag.attributes().flatten();
    let mut found = found.filter(|one| one.key.local_name().into_inner() == wanted);
    let value = found.next()?.value;
    Some(quick_xml::escape::unescape(&value).map_or_else(|_| value.to_string(), Into::into))
}

/// Whether a switch such as `<w:vanish/>` is on: it is, unless it says otherwise.
fn is_on(tag: &BytesStart<'_>) -> bool {
    !matches!(attribute(tag, "val").as_deref(), Some("0" | "false" | "off"))
}

/// Adds what an event holds of text.
fn push_text(out: &mut String, event: &Event<'_>) {
    match event {
        Event::Text(text) => out.push_str(text),
        Event::CData(text) => out.push_str(text),
        Event::GeneralRef(entity) => {
            if let Ok(Some(c)) = entity.resolve_char_ref() {
                out.push(c);
            } else {
                out.push_str(quick_xml::escape::resolve_predefined_entity(entity).unwrap_or(""));
            }
        }
        _ => {}
    }
}
