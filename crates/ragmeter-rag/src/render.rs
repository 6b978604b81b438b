//! From elements to plain text that keeps the page's structure: headings and paragraphs apart by
//! blank lines, list items on lines of their own, table cells joined by bars, code as it stands.

use std::collections::HashSet;

use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::node::Element;
use scraper::{ElementRef, Node};

const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "center",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "html",
    "main",
    "nav",
    "p",
    "section",
    "summary",
    "table",
    "caption",
];

/// The text of `root` without the elements in `dropped`.
pub(crate) fn render(root: ElementRef<'_>, dropped: &HashSet<NodeId>) -> String {
    let mut writer = Writer::default();
    let mut skipping: Option<NodeId> = None;
    // Iterative on purpose: pages nest as deep as their makers like.
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) if skipping.is_none() => match node.value() {
                Node::Element(_) if dropped.contains(&node.id()) => skipping = Some(node.id()),
                Node::Element(element) => writer.open(element),
                Node::Text(text) => writer.text(text),
                _ => {}
            },
            Edge::Close(node) if skipping == Some(node.id()) => skipping = None,
            Edge::Close(node) if skipping.is_none() => {
                if let Node::Element(element) = node.value() {
                    writer.close(element);
                }
            }
            _ => {}
        }
    }
    writer.finish()
}

#[derive(Default)]
struct Writer {
    out: String,
    /// Line breaks owed before the next text: 1 ends the line, 2 the paragraph.
    breaks: usize,
    /// A space is owed before the next text of this line.
    space: bool,
    /// Open `pre` elements.
    verbatim: usize,
    /// Open lists: the next number, or `None` for bullets.
    lists: Vec<Option<usize>>,
    /// Open table cells.
    cells: usize,
    /// Cells begun in the current row.
    row: usize,
    /// Text was written since the last item mark; a paragraph that opens an item stays on its line.
    item_has_text: bool,
}

impl Writer {
    fn open(&mut self, element: &Element) {
        match element.name() {
            "br" | "dd" => self.owe(1),
            "ul" | "menu" => {
                self.owe(self.block_break());
                self.lists.push(None);
            }
            "ol" => {
                self.owe(self.block_break());
                let start = element.attr("start").and_then(|n| n.parse().ok()).unwrap_or(1);
                self.lists.push(Some(start));
            }
            "li" => self.open_item(),
            "tr" => {
                self.owe(1);
                self.row = 0;
            }
            "td" | "th" => {
                if self.row > 0 {
                    self.put(" | ");
                }
                self.row += 1;
                self.cells += 1;
            }
            "pre" => {
                self.owe(2);
                self.verbatim += 1;
            }
            "q" => self.text("\""),
            name if BLOCKS.contains(&name) => self.owe(self.block_break()),
            _ => {}
        }
    }

    fn close(&mut self, element: &Element) {
        match element.name() {
            "ul" | "ol" | "menu" => {
                self.lists.pop();
                self.owe(self.block_break());
                self.item_has_text = true;
            }
            "li" => {
                self.item_has_text = true;
                self.owe(1);
            }
            "tr" | "dt" | "caption" => self.owe(1),
            "td" | "th" => {
                self.cells = self.cells.saturating_sub(1);
                self.space = false;
            }
            "pre" => {
                self.verbatim = self.verbatim.saturating_sub(1);
                self.owe(2);
            }
            "q" => self.put("\""),
            name if BLOCKS.contains(&name) => self.owe(self.block_break()),
            _ => {}
        }
    }

    /// Blocks inside a list item or a cell do not end its paragraph.
    fn block_break(&self) -> usize {
        if self.lists.is_empty() { 2 } else { 1 }
    }

    fn owe(&mut self, breaks: usize) {
        if self.cells > 0 {
            self.space = true;
        } else if self.lists.is_empty() || self.item_has_text {
            self.breaks = self.breaks.max(breaks);
        }
        if self.verbatim > 0 && breaks == 1 {
            self.out.push('\n');
            self.breaks = 0;
        }
    }

    fn open_item(&mut self) {
        self.item_has_text = true;
        self.owe(1);
        let indent = "  ".repeat(self.lists.len().saturating_sub(1).min(8));
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{indent}{}. ", *number - 1)
            }
            _ => format!("{indent}- "),
        };
        if self.cells == 0 {
            self.put(&mark);
        }
        self.item_has_text = false;
    }

    fn text(&mut self, text: &str) {
        if self.verbatim > 0 {
            self.put(text);
            self.item_has_text = true;
            return;
        }
        for (at, word) in text.split(|c: char| c.is_whitespace() && c != '\u{a0}').enumerate() {
            self.space |= at > 0;
            if !word.is_empty() {
                self.put_word(word);
            }
        }
    }

    fn put_word(&mut self, word: &str) {
        let at_line_start = self.out.is_empty() || self.out.ends_with([' ', '\n']);
        if self.space && self.breaks == 0 && !at_line_start {
            self.out.push(' ');
        }
        self.put(word);
        self.item_has_text = true;
    }

    fn put(&mut self, text: &str) {
        let breaks = std::mem::take(&mut self.breaks);
        if !self.out.is_empty() {
            self.out.extend(std::iter::repeat_n('\n', breaks));
        }
        self.space = false;
        self.out.push_str(text);
    }

    /// The text with trailing spaces and surplus blank lines taken out, and empty items dropped.
    fn finish(self) -> String {
        tidy(&self.out)
    }
}

/// Lines without trailing spaces, at most one blank line between them, no bare list marks.
pub(crate) fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for line in text.replace('\u{a0}', " ").lines().map(str::trim_end) {
        let bare = line.trim_start();
        if bare.is_empty() {
            blank = true;
        } else if !matches!(bare, "-" | "|" | "¶") {
            if !out.is_empty() {
                out.push_str(if blank { "\n\n" } else { "\n" });
            }
            blank = false;
            out.push_str(line);
        }
    }
    out.trim().to_owned()
}
