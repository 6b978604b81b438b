//! From the lines of all pages to paragraphs, without running titles and page numbers.

use std::collections::BTreeMap;

use crate::pdf::layout::Line;

/// Lines at the head and at the foot of a page that may be running titles.
const EDGE: usize = 2;
/// Pages on which a line must recur to be one: so many at least,
const RECURS: usize = 3;
/// and in long documents so many.
const SURELY: usize = 6;
/// A step between lines this much larger than usual begins a paragraph.
const STEP: f64 = 1.3;
/// but for a title of several lines: their step in ems.
const LEADING: f64 = 1.35;
/// Letters this much larger or smaller are another paragraph.
const RESIZED: f64 = 1.12;

/// The text of the pages.
pub(crate) fn text(mut pages: Vec<Vec<Line>>) -> String {
    drop_running_titles(&mut pages);
    for edge in [Edge::Head, Edge::Foot] {
        drop_aloof(&mut pages, edge);
    }
    for page in &mut pages {
        page.retain(|line| !is_contents_entry(&line.text));
    }
    let mut writer = Writer::default();
    for page in &pages {
        let step = usual_step(page);
        for (index, line) in page.iter().enumerate() {
            let before = index.checked_sub(1).map(|at| &page[at]);
            writer.add(line, before, step, index == 0);
        }
    }
    writer.out
}

/// Takes out the lines at the edges that recur on many pages, whatever number is in them.
fn drop_running_titles(pages: &mut [Vec<Line>]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let edges: Vec<Vec<usize>> = pages.iter().map(|page| edge_lines(page)).collect();
    for (page, edge) in pages.iter().zip(&edges) {
        for at in edge {
            *counts.entry(shape(&page[*at].text)).or_default() += 1;
        }
    }
    // Every chapter may have a title of its own, and left pages another one than right pages.
    let enough = (pages.len() * 2 / 5).clamp(RECURS, SURELY);
    for (page, edge) in pages.iter_mut().zip(edges) {
        let mut index = 0;
        page.retain(|line| {
            let running = edge.contains(&index) && counts[&shape(&line.text)] >= enough;
            index += 1;
            !running
        });
    }
}

#[derive(Clone, Copy)]
enum Edge {
    Head,
    Foot,
}

/// Takes out the lines that stand at one height at the edge of many pages, well away from the text:
/// running titles whose words change from section to section.
fn drop_aloof(pages: &mut [Vec<Line>], edge: Edge) {
    /// Pages of which this can be told.
    const FEWEST: usize = 5;
    let found: Vec<Option<(usize, i64)>> = pages.iter().map(|page| aloof(page, edge)).collect();
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for (_, height) in found.iter().flatten() {
        *counts.entry(*height).or_default() += 1;
    }
    let enough = FEWEST.max(pages.len() * 2 / 5);
    for (page, found) in pages.iter_mut().zip(found) {
        if let Some((at, height)) = found
            && counts[&height] >= enough
        {
            page.remove(at);
        }
    }
}

/// The line at the edge of a page if it is no larger than the text and stands away from it, and its
/// height in steps of two points.
fn aloof(page: &[Line], edge: Edge) -> Option<(usize, i64)> {
    /// How far off it stands, in usual steps between lines.
    const AWAY: f64 = 1.8;
    let mut order: Vec<usize> = (0..page.len()).collect();
    order.sort_by(|a, b| page[*a].base.total_cmp(&page[*b].base));
    let (last, next) = match (edge, order.as_slice()) {
        (Edge::Head, [first, second, ..]) => (*first, *second),
        (Edge::Foot, [.., second, last]) => (*last, *second),
        _ => return None,
    };
    let mut sizes: Vec<f64> = page.iter().map(|line| line.size).collect();
    sizes.sort_by(f64::total_cmp);
    let line = &page[last];
    // The titles of slides stand so, too, but they are larger than the text.
    let small = line.size <= sizes[sizes.len() / 2] * 1.05;
    let away = (page[next].base - line.base).abs() >= AWAY * usual_step(page);
    (small && away).then(|| (last, (line.base / 2.0).round() as i64))
}

/// A title, a row of dots and the number of a page.
fn is_contents_entry(line: &str) -> bool {
    let dots = line.contains(".....") || line.contains(". . . .");
    dots && line.trim_end().ends_with(|c: char| c.is_ascii_digit() || "ivxlc".contains(c))
}

/// The highest and the lowest lines of a page.
fn edge_lines(page: &[Line]) -> Vec<usize> {
    let mut by_height: Vec<usize> = (0..page.len()).collect();
    by_height.sort_by(|a, b| page[*a].base.total_cmp(&page[*b].base));
    let tail = by_height.len().saturating_sub(EDGE).max(EDGE.min(by_height.len()));
    by_height.iter().take(EDGE).chain(&by_height[tail..]).copied().collect()
}

/// A line with every number as `#`.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            c if c.is_numeric() && shape.ends_with('#') => {}
            c if c.is_numeric() => shape.push('#'),
            c => shape.push(c),
        }
    }
    shape
}

/// The usual distance from line to line of a page.
fn usual_step(page: &[Line]) -> f64 {
    let mut steps: Vec<f64> = page
        .windows(2)
        .filter(|pair| resized(&pair[0], &pair[1]) < RESIZED)
        .map(|pair| pair[1].base - pair[0].base)
        .filter(|step| *step > 0.0)
        .collect();
    steps.sort_by(f64::total_cmp);
    // Below the middle, so that a page of short paragraphs isn't measured by the gaps between them.
    steps.get(steps.len() / 3).copied().unwrap_or(f64::INFINITY)
}

fn resized(a: &Line, b: &Line) -> f64 {
    a.size.max(b.size) / a.size.min(b.size)
}

#[derive(Default)]
struct Writer {
    out: String,
    /// The right edge that lines of the current block reach.
    reach: f64,
}

impl Writer {
    fn add(&mut self, line: &Line, before: Option<&Line>, step: f64, first_of_page: bool) {
        let text = line.text.trim();
        if self.out.is_empty() {
            self.out.push_str(text);
            self.reach = line.right;
            return;
        }
        let row = text.contains(" | ");
        let row_before = self.out.lines().next_back().is_some_and(|last| last.contains(" | "));
        if row || row_before {
            let apart = before.is_none_or(|b| line.base - b.base > 2.0 * STEP * step);
            self.out.push_str(if row && row_before && !apart { "\n" } else { "\n\n" });
            self.start(text, line);
            return;
        }
        if let Some(item) = item(text) {
            self.out.push('\n');
            self.start(&item, line);
            return;
        }
        let closed = self.out.ends_with(['.', '!', '?', ':', ';', '…', '»', '"', '”']);
        let lower = text.chars().next().is_some_and(char::is_lowercase);
        let broken = self.ends_in_broken_word();
        let joins = match before {
            // The next column or page: a sentence that was not at its end goes on.
            _ if first_of_page => lower && (broken || !closed),
            Some(before) if line.base <= before.base => lower && (broken || !closed),
            Some(before) => {
                let indented = line.left > before.left + 0.8 * line.size;
                let short = before.right < self.reach - 0.25 * (self.reach - before.left);
                resized(before, line) < RESIZED
                    && line.base - before.base <= (STEP * step).max(LEADING * line.size)
                    && !(closed && (indented || short))
            }
            None => false,
        };
        if !joins {
            self.out.push_str("\n\n");
            self.start(text, line);
            return;
        }
        self.reach = self.reach.max(line.right);
        if broken && lower {
            self.out.pop();
        } else if !self.out.ends_with('-') || self.out.ends_with(" -") {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    fn start(&mut self, text: &str, line: &Line) {
        self.out.push_str(text);
        self.reach = line.right;
    }

    /// Whether the last line ends in a hyphen after letters; after one letter, as in "D-normal",
    /// it is the word's own.
    fn ends_in_broken_word(&self) -> bool {
        let mut last = self.out.chars().rev();
        matches!(last.next(), Some('-' | '\u{ad}' | '\u{2010}'))
            && last.next().is_some_and(char::is_alphabetic)
            && last.next().is_some_and(char::is_alphabetic)
    }
}

/// A line that opens with a bullet, with the mark that lists have here.
fn item(text: &str) -> Option<String> {
    let rest = text.strip_prefix(['•', '▪', '●', '◦', '‣', '■', '–', '—', '-', '∙', '·'])?;
    // A dash in running text is followed by a space, too: only lists begin a line after one.
    let body = rest.strip_prefix(' ').unwrap_or(rest).trim_start();
    let dash = text.starts_with(['–', '—', '-']);
    let opens = body.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '«' || c == '"');
    (opens && (!dash || rest.starts_with(' '))).then(|| format!("- {body}"))
}
