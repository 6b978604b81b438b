//! The answer with its claims, coloured by what the contexts say of them.

use std::ops::Range;

use maud::{Markup, html};
use ragmeter_core::{AnswerKind, Claim, ClaimVerdict, Support};

use super::cases::Shown;
use super::facts::{absence, had};
use super::marks::{Mark, Style, compared, fits};
use super::{Page, said};
use crate::number::score;
use crate::visible::visible;
use crate::words;

pub(super) fn style_of(verdict: Option<&ClaimVerdict>) -> Style {
    match verdict.map(|verdict| verdict.support) {
        Some(Support::Supported) => Style::Supported,
        Some(Support::Contradicted) => Style::Contradicted,
        Some(Support::Absent) => Style::Absent,
        None => Style::Unjudged,
    }
}

pub(super) fn claims<'a>(shown: &Shown<'a>) -> Vec<(&'a Claim, Option<&'a ClaimVerdict>)> {
    let facts = &shown.record.facts;
    let verdicts = had(&facts.support).map_or(&[][..], Vec::as_slice);
    had(&facts.claims)
        .map_or(&[][..], Vec::as_slice)
        .iter()
        .enumerate()
        .map(|(index, claim)| (claim, verdicts.iter().find(|verdict| verdict.claim == index)))
        .collect()
}

pub(super) fn claim_id(shown: &Shown<'_>, index: usize) -> String {
    format!("{}k{}", shown.anchor, index + 1)
}

pub(super) fn context_id(shown: &Shown<'_>, rank: usize) -> String {
    format!("{}x{}", shown.anchor, rank + 1)
}

/// The answer; `differing` are the ranges of it that another answer does not have.
pub(super) fn answer(page: &Page<'_>, shown: &Shown<'_>, differing: &[Range<usize>]) -> Markup {
    let words = page.words;
    let record = &shown.record.record;
    let claims = claims(shown);
    let text = record.answer.as_deref();
    let marks: Vec<Mark> = claims
        .iter()
        .enumerate()
        .filter_map(|(index, (claim, verdict))| {
            let style = style_of(*verdict);
            Some(Mark {
                range: claim.span.clone()?,
                style,
                label: format!("{}{}", style.sign(), index + 1),
                target: Some(claim_id(shown, index)),
            })
        })
        .collect();
    let kind = had(&shown.record.facts.refusal).copied();
    html! {
        section.answer {
            h4 {
                (words.answer)
                @if let Some(kind) = kind.filter(|kind| *kind != AnswerKind::Answered) {
                    " " span.chip.warn { (words::answer_kind(kind, page.lang)) }
                }
            }
            @if let Some(error) = &record.error {
                p.bad { (words.system_error) ": " (said(error)) }
            }
            @match text {
                None if record.error.is_some() => {}
                None => p.quiet { (words.no_answer) },
                Some(text) if text.trim().is_empty() => p.quiet { (words.empty_answer) },
                Some(text) => (compared(page, text, &marks, differing)),
            }
            (absence(page, &shown.record.facts.refusal))
            (absence(page, &shown.record.facts.claims))
            (absence(page, &shown.record.facts.support))
            @if !claims.is_empty() {
                h5 { (words.claims) }
                @if had(&shown.record.facts.support).is_none() {
                    p.quiet.small { (words.claims_not_judged) }
                }
                ol.claims {
                    @for (index, (claim, verdict)) in claims.iter().enumerate() {
                        (claim_item(page, shown, index, claim, *verdict, text.unwrap_or_default()))
                    }
                }
            } @else if had(&shown.record.facts.claims).is_some() {
                p.quiet.small { (words.no_claims) }
            }
        }
    }
}

fn claim_item(
    page: &Page<'_>,
    shown: &Shown<'_>,
    index: usize,
    claim: &Claim,
    verdict: Option<&ClaimVerdict>,
    answer: &str,
) -> Markup {
    let words = page.words;
    let style = style_of(verdict);
    let label = verdict.map_or(words.not_judged, |v| words::support(v.support, page.lang));
    let located = claim.span.as_ref().is_some_and(|span| fits(answer, span));
    html! {
        li #(claim_id(shown, index)) .claim.(style.class()) {
            p.said dir="auto" { (visible(&claim.text)) }
            p.ruling {
                span.chip.(style.class()) { (style.sign()) " " (label) }
                @if !located { " " span.quiet { (words.not_located) } }
                @if let Some(probability) = verdict.and_then(|v| v.probability) {
                    " " span.quiet { (words.probability) " " (score(probability, page.lang)) }
                }
            }
            @if let Some(verdict) = verdict {
                @if !verdict.contexts.is_empty() || verdict.quote.is_some() {
                    p.evidence {
                        span.quiet { (words.evidence) ": " }
                        @for (position, rank) in verdict.contexts.iter().enumerate() {
                            @if position > 0 { ", " }
                            a href={ "#" (context_id(shown, *rank)) } {
                                (words.context) " " (rank + 1)
                            }
                        }
                        @if let Some(quote) = &verdict.quote {
                            " " q dir="auto" { (visible(quote)) }
                        }
                    }
                }
                @if verdict.quote_dropped { p.quiet.small { (words.quote_dropped) } }
            }
        }
    }
}
