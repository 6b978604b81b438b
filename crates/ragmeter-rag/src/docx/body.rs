//! The text part of a Word document.

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::events::{BytesStart, Event};

use crate::docx::numbering::{Lists, Mark};
use crate::docx::styles::Style;
use crate::docx::{attribute, events, is_on, name, push_text};

/// What the other parts tell.
pub(crate) struct Known {
    pub(crate) styles: BTreeMap<String, Style>,
    pub(crate) lists: Lists,
}

/// What the text part holds.
pub(crate) struct Found {
    pub(crate) text: String,
    /// The first paragraph in the style of titles, else the first heading.
    pub(crate) title: Option<String>,
    /// The notes that the text points at.
    pub(crate) notes: BTreeSet<String>,
}

pub(crate) fn read(xml: &str, known: &Known) -> Result<Found, String> {
    let mut walker = Walker::new(known);
    events(xml, |event| {
        walker.take(event);
        Ok(())
    })?;
    Ok(Found {
        text: walker.out,
        title: walker.title.or(walker.first_heading),
        notes: walker.notes,
    })
}

/// Footnotes or endnotes by number.
pub(crate) fn notes(xml: &str, known: &Known) -> Result<Vec<(String, String)>, String> {
    let mut notes: Vec<(String, Walker<'_>)> = Vec::new();
    events(xml, |event| {
        match event {
            Event::Start(tag) if matches!(name(tag), "footnote" | "endnote") => {
                notes.push((attribute(tag, "id").unwrap_or_default(), Walker::new(known)));
            }
            other => {
                if let Some((_, walker)) = notes.last_mut() {
                    walker.take(other);
                }
            }
        }
        Ok(())
    })?;
    Ok(notes.into_iter().map(|(id, walker)| (id, walker.out.trim().to_owned())).collect())
}

#[derive(Default)]
struct Paragraph {
    text: String,
    style: Option<String>,
    list: Option<String>,
    level: Option<usize>,
    outline: bool,
}

struct Walker<'a> {
    known: &'a Known,
    out: String,
    title: Option<String>,
    first_heading: Option<String>,
    notes: BTreeSet<String>,
    /// Open paragraphs: a text box stands inside one.
    paragraphs: Vec<Paragraph>,
    /// Open tables: the cells of the current row.
    tables: Vec<Vec<String>>,
    /// Inside of a run's text.
    in_text: bool,
    /// The current run is hidden.
    hidden: bool,
    /// Depth inside of elements that are left out.
    skipping: usize,
    /// The last number of each list and level.
    counters: BTreeMap<(String, usize), usize>,
    /// The paragraph before was an item or a row.
    close: bool,
}

impl<'a> Walker<'a> {
    fn new(known: &'a Known) -> Self {
        Self {
            known,
            out: String::new(),
            title: None,
            first_heading: None,
            notes: BTreeSet::new(),
            paragraphs: Vec::new(),
            tables: Vec::new(),
            in_text: false,
            hidden: false,
            skipping: 0,
            counters: BTreeMap::new(),
            close: false,
        }
    }

    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(_) if self.skipping > 0 => self.skipping += 1,
            Event::End(_) if self.skipping > 0 => self.skipping -= 1,
            _ if self.skipping > 0 => {}
            // The same drawing again, for programs that don't know the newer form of it.
            Event::Start(tag) if matches!(name(tag), "Fallback" | "del" | "moveFrom") => {
                self.skipping = 1;
            }
            Event::Start(tag) => self.open(tag),
            Event::Empty(tag) => {
                self.open(tag);
                self.close(name(tag));
            }
            Event::End(tag) => self.close(tag.local_name().into_inner()),
            other if self.in_text && !self.hidden => {
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    push_text(&mut paragraph.text, other);
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>) {
        match name(tag) {
            "p" => self.paragraphs.push(Paragraph::default()),
            "tbl" => {
                if self.tables.is_empty() {
                    self.close = false;
                }
                self.tables.push(Vec::new());
            }
            "tr" => {
                if let Some(cells) = self.tables.last_mut() {
                    cells.clear();
                }
            }
            "tc" => {
                if let Some(cells) = self.tables.last_mut() {
                    cells.push(String::new());
                }
            }
            "r" => self.hidden = false,
            "vanish" => self.hidden = is_on(tag),
            "t" => self.in_text = true,
            "tab" if self.paragraphs.last().is_some_and(|p| !p.text.is_empty()) => self.add(" "),
            "br" | "cr" => self.add("\n"),
            "noBreakHyphen" => self.add("-"),
            "footnoteReference" | "endnoteReference" => {
                let mark = if name(tag) == "endnoteReference" { "e" } else { "" };
                let number = format!("{mark}{}", attribute(tag, "id").unwrap_or_default());
                self.add(&format!("[{number}]"));
                self.notes.insert(number);
            }
            other => {
                let value = || attribute(tag, "val");
                let Some(paragraph) = self.paragraphs.last_mut() else { return };
                match other {
                    "pStyle" => paragraph.style = value(),
                    "numId" => paragraph.list = value(),
                    "ilvl" => paragraph.level = value().and_then(|n| n.parse().ok()),
                    "outlineLvl" => paragraph.outline = value().is_some_and(|n| n != "9"),
                    _ => {}
                }
            }
        }
    }

    fn add(&mut self, text: &str) {
        if let Some(paragraph) = self.paragraphs.last_mut().filter(|_| !self.hidden) {
            paragraph.text.push_str(text);
        }
    }

    fn close(&mut self, tag: &str) {
        match tag {
            "t" => self.in_text = false,
            "r" => self.hidden = false,
            "p" => {
                if let Some(paragraph) = self.paragraphs.pop() {
                    self.write(&paragraph);
                }
            }
            "tr" => {
                let cells = self.tables.last_mut().map(std::mem::take).unwrap_or_default();
                let row = cells.join(" | ");
                if cells.iter().any(|cell| !cell.trim().is_empty()) {
                    self.tables_outer(&row);
                }
            }
            "tbl" => {
                self.tables.pop();
                self.close = false;
            }
            _ => {}
        }
    }

    /// A finished row: a line of the text, or, of a table in a cell, a part of that cell.
    fn tables_outer(&mut self, row: &str) {
        let depth = self.tables.len();
        match depth.checked_sub(2).and_then(|outer| self.tables[outer].last_mut()) {
            Some(cell) => join(cell, row),
            None => self.line(row, true),
        }
    }

    fn write(&mut self, paragraph: &Paragraph) {
        let text = paragraph.text.trim();
        let id = paragraph.style.as_deref().unwrap_or_default();
        let style = self.known.styles.get(id).cloned().unwrap_or_default();
        if text.is_empty() || style.contents {
            return;
        }
        // A cell's paragraphs share its line.
        if let Some(cell) = self.tables.last_mut().and_then(|cells| cells.last_mut()) {
            join(cell, &text.replace('\n', " "));
            return;
        }
        let list = match &paragraph.list {
            Some(list) => Some((list.clone(), paragraph.level.unwrap_or(0))),
            None => {
                style.list.clone().map(|(list, level)| (list, paragraph.level.unwrap_or(level)))
            }
        };
        let heading = style.heading || paragraph.outline;
        if heading {
            let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if style.title {
                self.title.get_or_insert_with(|| flat.clone());
            }
            self.first_heading.get_or_insert_with(|| flat.clone());
            self.line(&flat, false);
            return;
        }
        let mark = list.and_then(|(list, level)| self.mark(&list, level));
        match mark {
            Some(mark) => self.line(&format!("{mark}{text}"), true),
            None => self.line(text, false),
        }
    }

    /// What stands before an item, indented by its level.
    fn mark(&mut self, list: &str, level: usize) -> Option<String> {
        let marks = self.known.lists.get(list)?;
        let indent = "  ".repeat(level.min(8));
        match marks.get(&level).copied().unwrap_or(Mark::Bullet) {
            Mark::None => None,
            Mark::Bullet => Some(format!("{indent}- ")),
            Mark::Number(start) => {
                // An item of an outer level begins the inner numbers anew.
                self.counters.retain(|(of, at), _| of != list || *at <= level);
                let counter = self
                    .counters
                    .entry((list.to_owned(), level))
                    .or_insert(start.saturating_sub(1));
                *counter += 1;
                Some(format!("{indent}{counter}. "))
            }
        }
    }

    /// Writes a paragraph; items and rows stand close together.
    fn line(&mut self, text: &str, close: bool) {
        if !self.out.is_empty() {
            self.out.push_str(if close && self.close { "\n" } else { "\n\n" });
        }
        self.out.push_str(text);
        self.close = close;
    }
}

fn join(cell: &mut String, text: &str) {
    if !cell.is_empty() {
        cell.push(' ');
    }
    cell.push_str(text);
}
