//! The facts of one record that are not about its claims, and what all of them are shown with.

use maud::{Markup, html};
use ragmeter_core::{FactSlot, Lang, Source};

use super::Page;
use super::cases::Shown;
use super::marks::{Mark, Style, find, marked};
use crate::number::{count, score};
use crate::visible::visible;
use crate::words;

/// The value of a fact that was asked for and had.
#[expect(clippy::ref_option, reason = "a slot is an option by its own name")]
pub(super) fn had<T>(slot: &FactSlot<T>) -> Option<&T> {
    slot.as_ref()?.as_ref().ok().map(|fact| &fact.value)
}

/// Why a fact that was asked for could not be had.
#[expect(clippy::ref_option, reason = "a slot is an option by its own name")]
pub(super) fn absence<T>(page: &Page<'_>, slot: &FactSlot<T>) -> Markup {
    html! {
        @if let Some(Err(absence)) = slot {
            p.bad.small { (words::absence(absence.class, page.lang)) ": " (visible(&absence.detail)) }
        }
    }
}

/// Who made a fact, if it was had.
#[expect(clippy::ref_option, reason = "a slot is an option by its own name")]
pub(super) fn of<T>(slot: &FactSlot<T>) -> Option<&Source> {
    slot.as_ref()?.as_ref().ok().map(|fact| &fact.source)
}

/// How far the judge's votes agreed, where several were asked for.
pub(super) fn votes<const N: usize>(page: &Page<'_>, sources: [Option<&Source>; N]) -> Markup {
    let cast = sources.into_iter().flatten().filter_map(|source| match source {
        Source::Judge(judge) => judge.votes,
        Source::Local { .. } | Source::Code { .. } | Source::Person { .. } => None,
    });
    let (agreed, given) =
        cast.fold((0, 0), |(agreed, given), votes| (agreed + votes.agreed, given + votes.given));
    html! {
        @if given > 0 {
            p.quiet.small {
                (page.words.judged.votes) ": " (ratio(agreed, given, page.lang))
            }
        }
    }
}

/// "11 of 12".
pub(super) fn ratio(part: usize, whole: usize, lang: Lang) -> String {
    let of = match lang {
        Lang::En => "of",
        Lang::Ru => "из",
    };
    format!("{} {of} {}", count(part as u64, lang), count(whole as u64, lang))
}

pub(super) fn reference(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    let words = page.words;
    let facts = &shown.record.facts;
    let reference = shown.case.and_then(|case| case.reference.as_deref());
    let units = had(&facts.units).map_or(&[][..], Vec::as_slice);
    let verdicts = had(&facts.reference_support).map_or(&[][..], Vec::as_slice);
    let text = reference.unwrap_or_default();
    let (mut marks, mut elsewhere, mut from) = (Vec::new(), Vec::new(), 0);
    for (index, unit) in units.iter().enumerate() {
        let verdict = verdicts.iter().find(|verdict| verdict.unit == index);
        let style = match verdict.map(|verdict| verdict.attributable) {
            Some(true) => Style::Supported,
            Some(false) => Style::Absent,
            None => Style::Unjudged,
        };
        // Sentences stand in order; a unit that repeats must not be found in the first one's place.
        match find(&text[from..], unit) {
            Some(found) => {
                let range = from + found.start..from + found.end;
                from = range.end;
                let label = style.sign().to_owned();
                marks.push(Mark { range, style, label, target: None });
            }
            None => elsewhere.push((unit, style)),
        }
    }
    let styles: Vec<Style> = marks.iter().map(|mark| mark.style).collect();
    html! {
        section.reference {
            h4 { (words.reference) }
            @if text.trim().is_empty() {
                p.quiet { (words.no_reference) }
            } @else {
                (marked(page, text, &marks))
                p.key {
                    @for style in [Style::Supported, Style::Absent] {
                        @if styles.contains(&style) || elsewhere.iter().any(|unit| unit.1 == style) {
                            span.chip.(style.class()) { (style.sign()) " " (unit_label(page, style)) }
                            " "
                        }
                    }
                }
            }
            (absence(page, &facts.reference_support))
            @if !elsewhere.is_empty() {
                ul.units {
                    @for (unit, style) in &elsewhere {
                        li {
                            span dir="auto" { (visible(unit)) } " "
                            span.chip.(style.class()) { (style.sign()) " " (unit_label(page, *style)) }
                        }
                    }
                }
            }
        }
    }
}

fn unit_label(page: &Page<'_>, style: Style) -> &'static str {
    match style {
        Style::Supported => page.words.attributable,
        Style::Absent => page.words.not_attributable,
        Style::Evidence | Style::Unjudged | Style::Contradicted => page.words.not_judged,
    }
}

pub(super) fn parts(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    let words = page.words;
    let slot = &shown.record.facts.coverage;
    html! {
        @if let Some(verdicts) = had(slot).filter(|verdicts| !verdicts.is_empty()) {
            section.parts {
                h4 { (words.parts) }
                ul.units {
                    @for verdict in verdicts {
                        li {
                            span dir="auto" { (visible(&verdict.part)) } " "
                            @if verdict.answered {
                                span.chip.good { "✓ " (words.part_answered) }
                            } @else {
                                span.chip.bad { "✗ " (words.part_not_answered) }
                            }
                        }
                    }
                }
            }
        }
        (absence(page, slot))
    }
}

pub(super) fn implied(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    let words = page.words;
    let facts = &shown.record.facts;
    let similarity = had(&facts.similarity).map_or(&[][..], Vec::as_slice);
    html! {
        @if let Some(implied) = had(&facts.implied) {
            section.implied {
                h4 {
                    (words.implied)
                    @if implied.noncommittal { " " span.chip.warn { "! " (words.noncommittal) } }
                }
                ul.units {
                    @for (index, question) in implied.questions.iter().enumerate() {
                        li {
                            span dir="auto" { (visible(question)) }
                            @if let Some(cosine) = similarity.get(index) {
                                " " span.quiet {
                                    (words.similarity) " " (score(*cosine, page.lang))
                                }
                            }
                        }
                    }
                }
            }
        }
        (absence(page, &facts.implied))
        (absence(page, &facts.similarity))
    }
}
