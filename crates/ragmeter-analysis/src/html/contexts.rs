//! The contexts of one record, with the passages that the claims rest on.

use maud::{Markup, html};
use ragmeter_core::Context;

use super::Page;
use super::cases::Shown;
use super::claims::{claim_id, claims, context_id, style_of};
use super::facts::{absence, had};
use super::marks::{Mark, Style, excerpts, find, left_out};
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
    html! {
        section.contexts {
            h4 { (words.contexts) }
            @match &shown.record.record.contexts {
                None => p.quiet { (words.contexts_unknown) },
                Some(contexts) if contexts.is_empty() => p.quiet { (words.no_contexts) },
                Some(contexts) => {
                    (absence(page, &shown.record.facts.useful))
                    @for (rank, context) in contexts.iter().enumerate() {
                        (one_context(page, shown, rank, context))
                    }
                }
            }
        }
    }
}

fn one_context(page: &Page<'_>, shown: &Shown<'_>, rank: usize, context: &Context) -> Markup {
    let words = page.words;
    let useful = had(&shown.record.facts.useful).and_then(|useful| useful.get(rank)).copied();
    let mut cited = Vec::new();
    let mut marks = Vec::new();
    for (index, (_, verdict)) in claims(shown).into_iter().enumerate() {
        let Some(verdict) = verdict.filter(|verdict| verdict.contexts.contains(&rank)) else {
            continue;
        };
        cited.push(index);
        if let Some(range) = verdict.quote.as_deref().and_then(|quote| find(&context.text, quote)) {
            let style = style_of(Some(verdict));
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
                @if let Some(useful) = useful {
                    @if useful {
                        span.chip.good { "✓ " (words.useful) }
                    } @else {
                        span.chip.open { "– " (words.not_useful) }
                    }
                }
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
        }
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
