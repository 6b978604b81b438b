//! Text with marked ranges that may overlap, folded where it is long.

use std::ops::Range;

use maud::{Markup, html};

use super::Page;
use crate::number::{Noun, counted};
use crate::visible::visible;

/// Longer texts show this many characters and fold the rest away.
const SHOWN: usize = 1_500;
/// Around evidence so many characters are shown each way.
const NEAR: usize = 220;
/// A longer fold is left out of an abridged page.
const KEPT: usize = 1_000;
/// Fewer characters are not worth a fold.
const WORTH: usize = 120;

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
    start: usize,
    style: Option<Style>,
    /// The other answer does not have it.
    differs: bool,
    /// Marks that end where this stretch ends.
    ending: Vec<&'a Mark>,
}

fn segments<'a>(
    text: &'a str,
    marks: &'a [Mark],
    differing: &[Range<usize>],
    folds: &[Range<usize>],
) -> Vec<Segment<'a>> {
    let mut borders = vec![0, text.len()];
    borders.extend(marks.iter().flat_map(|mark| [mark.range.start, mark.range.end]));
    borders.extend(differing.iter().chain(folds).flat_map(|range| [range.start, range.end]));
    borders.sort_unstable();
    borders.dedup();
    borders
        .windows(2)
        .map(|ends| {
            let (start, end) = (ends[0], ends[1]);
            let covers = |range: &Range<usize>| range.start <= start && end <= range.end;
            let over = marks.iter().filter(|mark| covers(&mark.range));
            Segment {
                text: &text[start..end],
                start,
                style: over.map(|mark| mark.style).max(),
                differs: differing.iter().any(covers),
                ending: marks.iter().filter(|mark| mark.range.end == end).collect(),
            }
        })
        .collect()
}

/// A place after so many characters from `from`, between two words if there are any near.
fn after(text: &str, from: usize, characters: usize) -> usize {
    let rest = &text[from..];
    let end = rest.char_indices().nth(characters).map_or(rest.len(), |(at, _)| at);
    let near = rest[..end].char_indices().rev().take(40);
    let space = near.clone().find(|(_, c)| c.is_whitespace());
    from + space.filter(|_| end < rest.len()).map_or(end, |(at, _)| at)
}

/// A place so many characters before `to`, between two words if there are any near.
fn before(text: &str, to: usize, characters: usize) -> usize {
    let start = text[..to].char_indices().rev().nth(characters).map_or(0, |(at, _)| at);
    let space = text[start..to].char_indices().take(40).find(|(_, c)| c.is_whitespace());
    if start == 0 { 0 } else { start + space.map_or(0, |(at, _)| at) }
}

/// The end of a long text, to be folded away.
fn tail(text: &str) -> Vec<Range<usize>> {
    // A few characters more are not worth a fold.
    if text.char_indices().nth(SHOWN + SHOWN / 4).is_none() {
        return Vec::new();
    }
    let fold = after(text, 0, SHOWN)..text.len();
    vec![fold]
}

/// What lies further than a few lines from every mark, to be folded away.
fn around(text: &str, marks: &[Mark]) -> Vec<Range<usize>> {
    let mut ranges: Vec<&Range<usize>> = marks.iter().map(|mark| &mark.range).collect();
    ranges.sort_by_key(|range| range.start);
    let mut folds = Vec::new();
    let mut from = 0;
    for range in ranges {
        folds.push(from..before(text, range.start, NEAR).max(from));
        from = from.max(after(text, range.end, NEAR));
    }
    folds.push(from..text.len());
    folds.retain(|fold| text[fold.clone()].chars().nth(WORTH).is_some());
    folds
}

/// The text with its marks; marks that do not fit are left out. A long end is folded away, unless
/// a mark stands in it.
pub(super) fn marked(page: &Page<'_>, text: &str, marks: &[Mark]) -> Markup {
    compared(page, text, marks, &[])
}

/// The same, with the ranges marked that the other answer does not have.
pub(super) fn compared(
    page: &Page<'_>,
    text: &str,
    marks: &[Mark],
    differing: &[Range<usize>],
) -> Markup {
    folded(page, text, marks, differing, &tail(text))
}

/// The text with only the surroundings of its marks unfolded, or its beginning if it has none.
pub(super) fn excerpts(page: &Page<'_>, text: &str, marks: &[Mark]) -> Markup {
    let fitting: Vec<Mark> = marks.iter().filter(|m| fits(text, &m.range)).cloned().collect();
    let folds = if fitting.is_empty() { tail(text) } else { around(text, &fitting) };
    folded(page, text, &fitting, &[], &folds)
}

fn folded(
    page: &Page<'_>,
    text: &str,
    marks: &[Mark],
    differing: &[Range<usize>],
    folds: &[Range<usize>],
) -> Markup {
    let marks: Vec<Mark> = marks.iter().filter(|m| fits(text, &m.range)).cloned().collect();
    let segments = segments(text, &marks, differing, folds);
    let fold_of = |segment: &Segment<'_>| {
        folds.iter().position(|fold| fold.start <= segment.start && segment.start < fold.end)
    };
    html! {
        @for run in segments.chunk_by(|left, right| fold_of(left) == fold_of(right)) {
            @match fold_of(&run[0]) {
                None => div.text dir="auto" { @for segment in run { (stretch(segment)) } },
                Some(fold) => {
                    @let n = text[folds[fold].clone()].chars().count();
                    @let has_marks = run.iter().any(|segment| segment.style.is_some());
                    @if page.abridged && n > KEPT && !has_marks {
                        (left_out(page, n))
                    } @else {
                        // Evidence must not hide: a fold that holds some stands open.
                        details.more open[has_marks] {
                            summary {
                                (page.words.show_rest) " ("
                                (counted(n, Noun::Character, page.lang)) ")"
                            }
                            div.text dir="auto" { @for segment in run { (stretch(segment)) } }
                        }
                    }
                }
            }
        }
    }
}

/// What stands in place of text that an abridged page leaves out.
pub(super) fn left_out(page: &Page<'_>, n: usize) -> Markup {
    html! {
        p.quiet.small.left-out {
            (counted(n, Noun::Character, page.lang)) " " (page.words.ex.abridged)
        }
    }
}

fn stretch(segment: &Segment<'_>) -> Markup {
    let text = visible(segment.text);
    html! {
        @match (segment.style, segment.differs) {
            (Some(style), true) => mark.(style.class()) { ins { (text) } },
            (Some(style), false) => mark.(style.class()) { (text) },
            (None, true) => ins { (text) },
            (None, false) => (text),
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
