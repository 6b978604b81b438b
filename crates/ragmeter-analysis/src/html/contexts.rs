//! The contexts of one record, with the passages that the claims rest on.

use maud::{Markup, html};
use ragmeter_core::{Context, Grade};

use super::Page;
use super::cases::Shown;
use super::claims::{claim_id, claims, context_id};
use super::facts::{absence, had, of, votes};
use super::marks::{Mark, Style, excerpts, find, left_out};
use crate::number::points;
use crate::visible::visible;

/// Words of a folded context that its line may show; the line itself cuts what does not fit.
const PREVIEW_WORDS: usize = 24;

/// Bytes of context that all chosen cases together may bring; above it those without evidence are
/// cut.
pub(super) const MOST: usize = 3_000_000;

/// Characters that a cut context keeps.
const KEPT: usize = 300;

/// Bytes of context in all chosen cases, each as often as it is shown.
pub(super) fn weight(page: &Page<'_>) -> usize {
    let choice = &page.choice;
    let chosen = choice.worst.iter().chain(&choice.disputed).chain(&choice.changed);
    let records = chosen.flat_map(|chosen| {
        let of_system = move |system: &String| page.record(page.place(system)?, &chosen.case);
        chosen.systems.iter().filter_map(of_system)
    });
    let contexts = records.flat_map(|record| record.record.contexts.iter().flatten());
    contexts.map(|context| context.text.len()).sum()
}

pub(super) fn contexts(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    let words = page.words;
    let facts = &shown.record.facts;
    html! {
        section.contexts {
            h4 {
                (words.contexts)
                @if let Some(answerable) = had(&shown.record.facts.answerable) {
                    " " (yes_no(*answerable, [words.judged.answerable, words.judged.not_answerable]))
                }
            }
            @match &shown.record.record.contexts {
                None => p.quiet { (words.contexts_unknown) },
                Some(contexts) if contexts.is_empty() => p.quiet { (words.no_contexts) },
                Some(contexts) => {
                    (absence(page, &facts.useful))
                    (absence(page, &facts.useful_answer))
                    (absence(page, &facts.relevance))
                    @for (rank, context) in contexts.iter().enumerate() {
                        (one_context(page, shown, rank, context))
                    }
                    (votes(page, [of(&facts.relevance), of(&facts.useful), of(&facts.useful_answer)]))
                }
            }
        }
    }
}

fn one_context(page: &Page<'_>, shown: &Shown<'_>, rank: usize, context: &Context) -> Markup {
    let words = page.words;
    let mut cited = Vec::new();
    let mut marks = Vec::new();
    for (index, judged) in claims(shown).into_iter().enumerate() {
        if !judged.contexts().contains(&rank) {
            continue;
        }
        cited.push(index);
        let quote = judged.verdict.and_then(|verdict| verdict.quote.as_deref());
        if let Some(range) = quote.and_then(|quote| find(&context.text, quote)) {
            let style = judged.style();
            marks.push(Mark {
                range,
                style: Style::Evidence,
                label: format!("{}{}", style.sign(), index + 1),
                target: Some(claim_id(shown, index)),
            });
        }
    }
    html! {
        details.context id=(context_id(shown, rank)) open[!cited.is_empty()] {
            summary {
                span.rank { (rank + 1) }
                @if let Some(name) = context.source.as_ref().or(context.id.as_ref()) {
                    span.source dir="auto" { (visible(name)) }
                }
                (chips(page, shown, rank))
                @if !cited.is_empty() {
                    span.quiet {
                        (words.cited_by) " "
                        @for (position, index) in cited.iter().enumerate() {
                            @if position > 0 { ", " }
                            (index + 1)
                        }
                    }
                }
                @if cited.is_empty() { span.preview dir="auto" { (preview(&context.text)) } }
            }
            @if page.abridged && cited.is_empty() {
                (abridged(page, &context.text))
            } @else {
                (excerpts(page, &context.text, &marks))
            }
            @if let Some(grade) = grade(shown, rank).filter(|grade| !grade.reason.is_empty()) {
                p.quiet.small { (words.judged.relevance) ": " q dir="auto" { (visible(&grade.reason)) } }
            }
        }
    }
}

fn grade<'a>(shown: &Shown<'a>, rank: usize) -> Option<&'a Grade> {
    had(&shown.record.facts.relevance)?.get(rank)
}

/// What was judged of a context as a whole.
fn chips(page: &Page<'_>, shown: &Shown<'_>, rank: usize) -> Markup {
    let (words, judged) = (page.words, &page.words.judged);
    let facts = &shown.record.facts;
    let useful = had(&facts.useful).and_then(|useful| useful.get(rank)).copied();
    let served = had(&facts.useful_answer).and_then(|served| served.get(rank)).copied();
    let rows = had(&facts.reference_support_each).map_or(&[][..], Vec::as_slice);
    let holds = rows.iter().enumerate().filter(|(_, row)| row.get(rank) == Some(&true));
    let holds: Vec<String> = holds.map(|(index, _)| (index + 1).to_string()).collect();
    html! {
        @if let Some(grade) = grade(shown, rank) {
            span.chip.(if grade.grade >= 2.5 { "good" } else { "open" }) {
                (judged.relevance) " " (points(grade.grade, page.lang)) " " (judged.relevance_of)
            }
        }
        @if let Some(useful) = useful { (yes_no(useful, [words.useful, words.not_useful])) }
        @if let Some(served) = served { (yes_no(served, [judged.served, judged.not_served])) }
        @if !holds.is_empty() { span.quiet { (judged.holds) " " (holds.join(", ")) } }
    }
}

fn yes_no(yes: bool, [good, open]: [&str; 2]) -> Markup {
    html! {
        @if yes { span.chip.good { "✓ " (good) } } @else { span.chip.open { "– " (open) } }
    }
}

/// The beginning of a text, with how much more there is elsewhere.
fn abridged(page: &Page<'_>, text: &str) -> Markup {
    let end = text.char_indices().nth(KEPT).map_or(text.len(), |(at, _)| at);
    let more = text[end..].chars().count();
    html! {
        div.text dir="auto" { (visible(&text[..end])) @if more > 0 { "…" } }
        @if more > 0 { (left_out(page, more)) }
    }
}

/// The beginning of a folded text, on one line.
fn preview(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(PREVIEW_WORDS).collect();
    visible(&words.join(" ")).into_owned()
}
