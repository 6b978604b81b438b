//! What people said, on the page: a section of its own, and beside each record.

use maud::{Markup, html};
use ragmeter_core::{Lang, Thumb, record_id};

use super::Page;
use super::cases::Shown;
use crate::people::{Word, chapters, label_name, people};

/// The section; nothing if nobody said anything.
pub(super) fn section(page: &Page<'_>) -> Markup {
    if page.run.people.is_empty() {
        return html! {};
    }
    let chapters = chapters(&people(page.run), page.lang);
    html! {
        @if let Some((first, rest)) = chapters.split_first() {
            section #people {
                h2 { (first.title) }
                @for line in &first.lines { p.lead dir="auto" { (line) } }
                @for chapter in rest {
                    h3 { (chapter.title) }
                    @for line in &chapter.lines { p { (line) } }
                    @for grid in &chapter.grids {
                        @if !grid.caption.is_empty() { h5 { (grid.caption) } }
                        div.scroll tabindex="0" role="region" aria-label=(if grid.caption.is_empty() { &chapter.title } else { &grid.caption }) {
                            table.rows {
                                thead { tr { @for name in &grid.header { th scope="col" { (name) } } } }
                                tbody {
                                    @for row in &grid.rows {
                                        tr {
                                            @for (index, cell) in row.iter().enumerate() {
                                                @if index == 0 { th scope="row" { (cell) } }
                                                @else { td data-label=(grid.header[index]) dir="auto" { (cell) } }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Feedback and labels of one record; nothing if nobody said anything of it.
pub(super) fn people_of_record(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    let Some(case) = shown.case.filter(|_| !page.run.people.is_empty()) else {
        return html! {};
    };
    let id = record_id(case, &shown.record.record);
    let word = Word::of_record(page.run, &id);
    let feedback = word.feedback.get(&id).map_or(&[][..], Vec::as_slice);
    if feedback.is_empty() && word.labels.is_empty() {
        return html! {};
    }
    html! {
        section.people {
            h4 { (people_title(page.lang)) }
            ul.units {
                @for said in feedback {
                    li {
                        @match said.thumb {
                            Some(Thumb::Up) => { span.chip.good { "👍" } " " }
                            Some(Thumb::Down) => { span.chip.bad { "👎" } " " }
                            None => {}
                        }
                        @if let Some(rating) = said.rating { span.chip { (rating) "/5" } " " }
                        @if let Some(text) = &said.text { span dir="auto" { (text) } " " }
                        @if let Some(correction) = &said.correction {
                            span.quiet { (correction_word(page.lang)) ": " }
                            span dir="auto" { (correction) } " "
                        }
                        span.quiet dir="auto" {
                            (said.who.as_deref().unwrap_or("–"))
                            @if let Some(at) = &said.at { " " (at) }
                        }
                    }
                }
                @for labels in word.labels.values() {
                    li {
                        @if !labels[0].text.is_empty() { span dir="auto" { (labels[0].text) } " " }
                        @for label in labels {
                            span.chip dir="auto" {
                                (label.annotator) ": "
                                (label_name(&label.fact, label.label.as_deref().unwrap_or_default(), page.lang))
                            }
                            " "
                            @if let Some(comment) = &label.comment {
                                span.quiet dir="auto" { (comment) } " "
                            }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn people_title(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "People's word",
        Lang::Ru => "Слово людей",
    }
}

fn correction_word(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "should have been",
        Lang::Ru => "правильный ответ",
    }
}
