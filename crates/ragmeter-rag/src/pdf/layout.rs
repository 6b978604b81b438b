//! From letters with places to stretches of text.

use std::time::Instant;

use pdf_extract::{MediaBox, OutputDev, OutputError, Transform};

use crate::pdf::lines;

/// Letters that no page has.
const MOST: usize = 1_000_000;
/// Letters between two looks at the clock.
const PACE: usize = 512;
/// A gap between letters that parts words, in ems.
const WORD_GAP: f64 = 0.17;
/// A gap that parts stretches, in ems.
const STRETCH_GAP: f64 = 1.0;
/// How far letters of one stretch may stand off its line, in ems.
const OFF_LINE: f64 = 0.12;

/// A stretch of letters on one line. Lengths are in points; `base` grows downwards.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) base: f64,
    pub(crate) size: f64,
    pub(crate) text: String,
}

/// One letter, or what stands for it; turned so that its line runs to the right.
struct Glyph {
    /// Quarter turns of its line against the page.
    turn: u8,
    x: f64,
    base: f64,
    size: f64,
    width: f64,
    text: String,
}

/// The letters of one page, as the library tells them.
pub(crate) struct Glyphs {
    deadline: Instant,
    told: usize,
    glyphs: Vec<Glyph>,
}

impl Glyphs {
    pub(crate) fn new(deadline: Instant) -> Self {
        Self { deadline, told: 0, glyphs: Vec::new() }
    }

    fn visible_letters(&self) -> impl Iterator<Item = char> {
        self.glyphs.iter().flat_map(|glyph| glyph.text.chars()).filter(|c| !c.is_whitespace())
    }

    /// How many visible letters there are.
    pub(crate) fn visible(&self) -> usize {
        self.visible_letters().count()
    }

    /// How many of them stand for nothing: fonts without a map to Unicode.
    pub(crate) fn meaningless(&self) -> usize {
        let private = |c: char| matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..);
        self.visible_letters().filter(|c| *c == '\u{fffd}' || c.is_control() || private(*c)).count()
    }

    /// The lines of the page in reading order.
    pub(crate) fn lines(self) -> Vec<Line> {
        let mut turned: [Vec<Glyph>; 4] = Default::default();
        for glyph in self.glyphs {
            turned[usize::from(glyph.turn)].push(glyph);
        }
        // Text across the page, as stamps at its edge are, comes after the page's own.
        turned.sort_by_key(|glyphs| std::cmp::Reverse(glyphs.len()));
        turned.into_iter().flat_map(|glyphs| lines::in_order(stretches(glyphs))).collect()
    }

    fn check(&mut self) -> Result<(), OutputError> {
        self.told += 1;
        let late = self.told.is_multiple_of(PACE) && Instant::now() > self.deadline;
        if late || self.glyphs.len() > MOST {
            return Err(OutputError::FormatError(std::fmt::Error));
        }
        Ok(())
    }
}

/// Letters next to each other, in the order in which they are drawn.
fn stretches(glyphs: Vec<Glyph>) -> Vec<Line> {
    let mut stretches: Vec<Line> = Vec::new();
    let mut last: Option<(f64, f64, String)> = None;
    for glyph in glyphs {
        // Bold by drawing twice.
        if let Some((x, base, text)) = &last
            && *text == glyph.text
            && (glyph.x - x).abs() < OFF_LINE * glyph.size
            && (glyph.base - base).abs() < OFF_LINE * glyph.size
        {
            continue;
        }
        last = Some((glyph.x, glyph.base, glyph.text.clone()));
        let blank = glyph.text.chars().all(char::is_whitespace);
        let right = glyph.x + glyph.width;
        if let Some(line) = stretches.last_mut() {
            let size = line.size.max(glyph.size);
            let gap = glyph.x - line.right;
            let same = (glyph.base - line.base).abs() <= OFF_LINE * size
                && gap <= STRETCH_GAP * size
                && gap >= -0.5 * size
                && (line.size - glyph.size).abs() <= 0.15 * size;
            if same {
                if blank {
                    // A space at the end of a line is wider than it looks in set text.
                    line.text.push(' ');
                } else {
                    if gap > WORD_GAP * size && !line.text.ends_with(' ') {
                        line.text.push(' ');
                    }
                    push(&mut line.text, &glyph.text);
                }
                line.right = line.right.max(right);
                continue;
            }
        }
        if blank {
            continue;
        }
        let mut text = String::new();
        push(&mut text, &glyph.text);
        stretches.push(Line { left: glyph.x, right, base: glyph.base, size: glyph.size, text });
    }
    stretches
}

/// Letters as people type them: ligatures are taken apart.
fn push(text: &mut String, glyph: &str) {
    for c in glyph.chars() {
        match c {
            '\u{fb00}' => text.push_str("ff"),
            '\u{fb01}' => text.push_str("fi"),
            '\u{fb02}' => text.push_str("fl"),
            '\u{fb03}' => text.push_str("ffi"),
            '\u{fb04}' => text.push_str("ffl"),
            '\u{a0}' => text.push(' '),
            '\0' => {}
            other => text.push(other),
        }
    }
}

impl OutputDev for Glyphs {
    fn begin_page(
        &mut self,
        _: u32,
        _: &MediaBox,
        _: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        _: f64,
        font_size: f64,
        text: &str,
    ) -> Result<(), OutputError> {
        self.check()?;
        let along = place.m11.hypot(place.m12);
        let size = place.m21.hypot(place.m22) * font_size.abs();
        let (x, y) = (place.m31, place.m32);
        if ![x, y, along, size, width].iter().all(|number| number.is_finite()) || size <= 0.0 {
            return Ok(());
        }
        let (turn, x, base) = if place.m11.abs() >= place.m12.abs() {
            if place.m11 >= 0.0 { (0, x, -y) } else { (2, -x, y) }
        } else if place.m12 > 0.0 {
            (1, y, x)
        } else {
            (3, -y, -x)
        };
        let width = (width * font_size).abs() * along;
        self.glyphs.push(Glyph { turn, x, base, size, width, text: text.to_owned() });
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        self.check()
    }
}
