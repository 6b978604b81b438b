//! PDF documents: their text layer in reading order.
//!
//! The library below gives letters with their places. It gives up on odd files by panicking, and
//! may be led in circles by bad ones, so it works on a thread of its own, page by page, against
//! the clock: a page that can't be read is named, and the rest of the document is kept.

mod layout;
mod lines;
mod paragraphs;

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Once, mpsc};
use std::time::{Duration, Instant};

use pdf_extract::{Dictionary, Document, Object, ObjectId, output_doc_page};

use crate::clean::Cleaned;
use crate::pdf::layout::Glyphs;
use crate::render::tidy;

/// Longest work on one document.
const LIMIT: Duration = Duration::from_mins(1);
/// The reader goes down into drawings within drawings.
const STACK: usize = 32 * 1024 * 1024;
/// The name of the threads whose panics are no news.
const THREAD: &str = "ragmeter-pdf";
/// Share of letters without meaning above which a page can't be used.
const GARBAGE: f64 = 0.1;
/// Page numbers named in a note.
const NAMED: usize = 20;

/// What a page gave.
enum Page {
    Lines(Vec<layout::Line>),
    /// No text, but a picture: scanned.
    Picture,
    /// Nothing at all.
    Blank,
    /// Text whose letters say nothing.
    Garbage,
    Unreadable,
}

/// The text of a PDF document. The error says why there is none: a password, no text layer, damage.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Cleaned, String> {
    keep_quiet();
    let deadline = Instant::now() + LIMIT;
    let (done, result) = mpsc::channel();
    let work = move || {
        let result = catch_unwind(AssertUnwindSafe(|| pages(&bytes, deadline)));
        // Whoever waited may have gone.
        let _ = done.send(result.unwrap_or_else(|cause| Err(damaged(cause.as_ref()))));
    };
    let spawned = std::thread::Builder::new().name(THREAD.to_owned()).stack_size(STACK).spawn(work);
    spawned.map_err(|error| format!("no thread to read it with: {error}"))?;
    // A little longer than the reader's own limit: it stops by itself wherever it can.
    let (title, pages) = result
        .recv_timeout(LIMIT + Duration::from_secs(5))
        .map_err(|_| format!("not read within {} seconds", LIMIT.as_secs()))??;
    finish(title, pages)
}

/// Panics of the reader's threads are answers, not accidents: they are not printed.
fn keep_quiet() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some(THREAD) {
                before(info);
            }
        }));
    });
}

fn damaged(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("no cause given");
    let first = text.lines().next().unwrap_or_default();
    format!("the PDF is damaged or of a kind that is not read ({first})")
}

/// The title and the pages by number.
type Pages = (Option<String>, Vec<(u32, Page)>);

fn pages(bytes: &[u8], deadline: Instant) -> Result<Pages, String> {
    let mut document = Document::load_mem(bytes).map_err(|error| {
        let text = error.to_string();
        if text.to_lowercase().contains("password") || text.to_lowercase().contains("decrypt") {
            PASSWORD.to_owned()
        } else {
            format!("the PDF is damaged ({text})")
        }
    })?;
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(PASSWORD.to_owned());
    }
    let mut pages = Vec::new();
    for (number, id) in document.get_pages() {
        if Instant::now() > deadline {
            return Err(format!("not read within {} seconds", LIMIT.as_secs()));
        }
        pages.push((number, page(&document, number, id, deadline)));
    }
    if pages.is_empty() {
        return Err("the PDF has no pages".to_owned());
    }
    Ok((title(&document), pages))
}

const PASSWORD: &str = "protected by a password: save it without one";

fn page(document: &Document, number: u32, id: ObjectId, deadline: Instant) -> Page {
    let draws = Drawings::of(document, id);
    if draws.circular {
        return Page::Unreadable;
    }
    let mut glyphs = Glyphs::new(deadline);
    let read =
        catch_unwind(AssertUnwindSafe(|| output_doc_page(document, &mut glyphs, number).is_ok()));
    if !matches!(read, Ok(true)) && glyphs.visible() == 0 {
        return Page::Unreadable;
    }
    match glyphs.visible() {
        0 if draws.picture => Page::Picture,
        0 => Page::Blank,
        visible if glyphs.meaningless() as f64 > GARBAGE * visible as f64 => Page::Garbage,
        _ => Page::Lines(glyphs.lines()),
    }
}

/// What a page draws besides text.
#[derive(Default)]
struct Drawings {
    picture: bool,
    /// A drawing contains itself; the library would follow it until the stack ends.
    circular: bool,
}

impl Drawings {
    fn of(document: &Document, page: ObjectId) -> Self {
        let mut found = Self::default();
        let Ok(page) = document.get_dictionary(page) else { return found };
        let mut node = page;
        // Resources may be those of a node above; the tree is no deeper than this.
        for _ in 0..64 {
            if let Some(resources) = child(document, node, b"Resources") {
                found.look_into(document, resources, &mut Vec::new(), &mut BTreeSet::new());
                break;
            }
            match child(document, node, b"Parent") {
                Some(parent) => node = parent,
                None => break,
            }
        }
        found
    }

    fn look_into(
        &mut self,
        document: &Document,
        resources: &Dictionary,
        above: &mut Vec<ObjectId>,
        seen: &mut BTreeSet<ObjectId>,
    ) {
        let Some(objects) = child(document, resources, b"XObject") else { return };
        for (_, object) in objects {
            let Ok(id) = object.as_reference() else { continue };
            if above.contains(&id) {
                self.circular = true;
                return;
            }
            if !seen.insert(id) {
                continue;
            }
            let Ok(stream) = document.get_object(id).and_then(Object::as_stream) else { continue };
            match stream.dict.get(b"Subtype").and_then(Object::as_name) {
                Ok(b"Image") => self.picture = true,
                Ok(b"Form") => {
                    if let Some(inner) = child(document, &stream.dict, b"Resources") {
                        above.push(id);
                        self.look_into(document, inner, above, seen);
                        above.pop();
                    }
                }
                _ => {}
            }
        }
    }
}

/// A dictionary in a dictionary, by itself or by reference.
fn child<'a>(document: &'a Document, of: &'a Dictionary, key: &[u8]) -> Option<&'a Dictionary> {
    match of.get(key).ok()? {
        Object::Reference(id) => document.get_dictionary(*id).ok(),
        other => other.as_dict().ok(),
    }
}

/// The title that the document's properties give, unless it is a program's filling.
fn title(document: &Document) -> Option<String> {
    let info = child(document, &document.trailer, b"Info")?;
    let title = match info.get(b"Title").ok()? {
        Object::Reference(id) => document.get_object(*id).ok()?,
        other => other,
    };
    let bytes = title.as_str().ok()?;
    let text = match bytes {
        [0xFE, 0xFF, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0,
        [0xFF, 0xFE, rest @ ..] => encoding_rs::UTF_16LE.decode_without_bom_handling(rest).0,
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
        plain => encoding_rs::WINDOWS_1252.decode_without_bom_handling(plain).0,
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = text.to_lowercase();
    let filling = lower.starts_with("microsoft word") || lower.starts_with("untitled");
    let file =
        [".doc", ".docx", ".indd", ".tex", ".dvi", ".qxd"].iter().any(|e| lower.ends_with(e));
    let broken = text.chars().any(|c| c.is_control() || c == '\u{fffd}');
    (!text.is_empty() && !filling && !file && !broken).then_some(text)
}

fn finish(title: Option<String>, pages: Vec<(u32, Page)>) -> Result<Cleaned, String> {
    let total = pages.len();
    let (mut pictures, mut garbage, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    let mut texts = Vec::new();
    for (number, page) in pages {
        match page {
            Page::Lines(lines) => texts.push(lines),
            Page::Picture => pictures.push(number),
            Page::Blank => {}
            Page::Garbage => garbage.push(number),
            Page::Unreadable => unreadable.push(number),
        }
    }
    let whole = |what: &str| {
        let pages = if total == 1 { "1 page".to_owned() } else { format!("{total} pages") };
        Err(format!("{pages} {what}"))
    };
    if texts.is_empty() {
        return match (pictures.len(), garbage.len(), unreadable.len()) {
            (0, 0, 0) => whole("without any text"),
            (0, 0, _) => whole("that could not be read: the PDF is damaged or of an odd kind"),
            (0, _, _) => whole("whose letters have no meaning (no Unicode map): needs OCR"),
            _ => whole("without text: needs OCR"),
        };
    }
    let notes = [
        (pictures, "without text (scanned?): needs OCR"),
        (garbage, "left out: the letters have no meaning (no Unicode map), needs OCR"),
        (unreadable, "left out: could not be read"),
    ];
    let notes: Vec<String> = notes
        .into_iter()
        .filter(|(numbers, _)| !numbers.is_empty())
        .map(|(numbers, what)| format!("{} {what}", named(&numbers)))
        .collect();
    Ok(Cleaned {
        title,
        text: tidy(&paragraphs::text(texts)),
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    })
}

/// "page 3", "pages 3, 5, 7 and 12 more".
fn named(numbers: &[u32]) -> String {
    let shown: Vec<String> = numbers.iter().take(NAMED).map(ToString::to_string).collect();
    let more = numbers.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let pages = if numbers.len() == 1 { "page" } else { "pages" };
    format!("{pages} {}{more}", shown.join(", "))
}
