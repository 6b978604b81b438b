//! Text with marked ranges that may overlap, folded where it is long.

use std::ops::Range;

use maud::{Markup, html};

use super::Page;
use crate::number::{Noun, counted};

/// Longer texts show this many characters and fold the rest away.
const SHOWN: usize = 1_500;

/// One marked range of a text.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// How it is coloured; where marks overlap the highest rank wins.
    pub style: Style,
    /// What stands behind its end: a sign and a number.
    pub label: String,
    /// The id that the label leads to.
    pub target: Option<String>,
}

/// How a mark looks, from the weakest to the one that wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Style {
    Evidence,
    Unjudged,
    Supported,
    Absent,
    Contradicted,
}

impl Style {
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Evidence => "evidence",
            Self::Unjudged => "unjudged",
            Self::Supported => "supported",
            Self::Absent => "absent",
            Self::Contradicted => "contradicted",
        }
    }

    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Evidence => "",
            Self::Unjudged => "–",
            Self::Supported => "✓",
            Self::Absent => "?",
            Self::Contradicted => "✗",
        }
    }
}

/// Whether the range lies in the text, on character borders, and holds something.
pub(super) fn fits(text: &str, range: &Range<usize>) -> bool {
    range.start < range.end && text.get(range.clone()).is_some()
}

/// A stretch of text under the same marks.
struct Segment<'a> {
    text: &'a str,
    style: Option<Style>,
    /// Marks that end where this stretch ends.
    ending: Vec<&'a Mark>,
}

fn segments<'a>(text: &'a str, marks: &'a [Mark], fold: usize) -> Vec<Segment<'a>> {
    let mut borders = vec![0, fold, text.len()];
    borders.extend(marks.iter().flat_map(|mark| [mark.range.start, mark.range.end]));
    borders.sort_unstable();
    borders.dedup();
    borders
        .windows(2)
        .map(|ends| {
            let (start, end) = (ends[0], ends[1]);
            let over = marks.iter().filter(|m| m.range.start <= start && end <= m.range.end);
            Segment {
                text: &text[start..end],
                style: over.map(|mark| mark.style).max(),
                ending: marks.iter().filter(|mark| mark.range.end == end).collect(),
            }
        })
        .collect()
}

/// Where the part that is shown ends, between two words if there are any.
fn fold(text: &str) -> usize {
    // A few characters more are not worth a fold.
    if text.char_indices().nth(SHOWN + SHOWN / 4).is_none() {
        return text.len();
    }
    let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
    let last_space =
        text[..end].char_indices().rev().take(SHOWN / 10).find(|(_, c)| c.is_whitespace());
    last_space.map_or(end, |(at, _)| at)
}

/// The text with its marks; marks that do not fit are left out.
pub(super) fn marked(page: &Page<'_>, text: &str, marks: &[Mark]) -> Markup {
    let marks: Vec<Mark> = marks.iter().filter(|m| fits(text, &m.range)).cloned().collect();
    let fold = fold(text);
    let segments = segments(text, &marks, fold);
    let mut shown_until = 0;
    let shown = segments
        .iter()
        .take_while(|segment| {
            shown_until += segment.text.len();
            shown_until <= fold
        })
        .count();
    html! {
        div.text dir="auto" { @for segment in &segments[..shown] { (stretch(segment)) } }
        @if shown < segments.len() {
            // Evidence must not hide: a fold that holds some stands open.
            details.more open[marks.iter().any(|mark| mark.range.end > fold)] {
                summary {
                    (page.words.show_rest) " ("
                    (counted(text[fold..].chars().count(), Noun::Character, page.lang)) ")"
                }
                div.text dir="auto" { @for segment in &segments[shown..] { (stretch(segment)) } }
            }
        }
    }
}

fn stretch(segment: &Segment<'_>) -> Markup {
    html! {
        @if let Some(style) = segment.style {
            mark.(style.class()) { (segment.text) }
        } @else {
            (segment.text)
        }
        @for mark in &segment.ending {
            sup.(mark.style.class()) {
                @if let Some(target) = &mark.target {
                    a href={ "#" (target) } { (mark.label) }
                } @else { (mark.label) }
            }
        }
    }
}

/// Where a quote stands in a text: word for word, or else with other white space.
pub(super) fn find(text: &str, quote: &str) -> Option<Range<usize>> {
    let quote = quote.trim();
    if quote.is_empty() {
        return None;
    }
    if let Some(start) = text.find(quote) {
        return Some(start..start + quote.len());
    }
    let words: Vec<&str> = quote.split_whitespace().collect();
    let first = words.first()?;
    text.match_indices(first).find_map(|(start, _)| {
        let mut end = start + first.len();
        for word in &words[1..] {
            let rest = text.get(end..)?;
            let trimmed = rest.trim_start();
            if trimmed.len() == rest.len() || !trimmed.starts_with(word) {
                return None;
            }
            end += rest.len() - trimmed.len() + word.len();
        }
        Some(start..end)
    })
}
