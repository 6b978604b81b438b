//! The answer with its claims, coloured by what the contexts say of them.

use std::ops::Range;

use maud::{Markup, html};
use ragmeter_core::{AnswerKind, Checked, Claim, ClaimVerdict, Support};

use super::cases::Shown;
use super::facts::{absence, had, of, votes};
use super::marks::{Mark, Style, compared, fits};
use super::{Page, said};
use crate::diagnosis::{self, Cause, causes};
use crate::number::score;
use crate::visible::visible;
use crate::words;

/// A claim with all that was judged of it.
pub(super) struct Judged<'a> {
    claim: &'a Claim,
    /// By all contexts together.
    pub verdict: Option<&'a ClaimVerdict>,
    /// By each context alone, in rank order.
    alone: Option<&'a [Support]>,
    /// By the reference answer.
    correct: Option<&'a Checked>,
    /// Where it comes from, if it is wrong.
    cause: Option<Cause>,
}

impl Judged<'_> {
    /// The contexts that support it by themselves.
    fn alone(&self) -> Option<Vec<usize>> {
        let row = self.alone?.iter().enumerate();
        Some(row.filter(|(_, one)| **one == Support::Supported).map(|(rank, _)| rank).collect())
    }

    /// The contexts that it rests on: by all of them together, else by each alone.
    pub(super) fn contexts(&self) -> Vec<usize> {
        match self.verdict {
            Some(verdict) if !verdict.contexts.is_empty() => verdict.contexts.clone(),
            Some(_) | None => self.alone().unwrap_or_default(),
        }
    }

    /// How it is coloured: by all contexts together, else by each alone, else by the reference.
    pub(super) fn style(&self) -> Style {
        let has = |support| self.alone.is_some_and(|row| row.contains(&support));
        let alone = || {
            let kinds = [Support::Supported, Support::Contradicted];
            self.alone.map(|_| kinds.into_iter().find(|kind| has(*kind)).unwrap_or(Support::Absent))
        };
        let joint = self.verdict.map(|verdict| verdict.support);
        let by_reference = || self.correct.map(|checked| checked.support);
        joint.or_else(alone).or_else(by_reference).map_or(Style::Unjudged, style_of)
    }

    fn is_judged(&self) -> bool {
        self.verdict.is_some() || self.alone.is_some() || self.correct.is_some()
    }
}

pub(super) fn style_of(support: Support) -> Style {
    match support {
        Support::Supported => Style::Supported,
        Support::Contradicted => Style::Contradicted,
        Support::Absent => Style::Absent,
    }
}

pub(super) fn claims<'a>(shown: &Shown<'a>) -> Vec<Judged<'a>> {
    let facts = &shown.record.facts;
    let verdicts = had(&facts.support).map_or(&[][..], Vec::as_slice);
    let causes = causes(facts).unwrap_or_default();
    had(&facts.claims)
        .map_or(&[][..], Vec::as_slice)
        .iter()
        .enumerate()
        .map(|(index, claim)| Judged {
            claim,
            verdict: verdicts.iter().find(|verdict| verdict.claim == index),
            alone: had(&facts.support_each).and_then(|rows| rows.get(index)).map(Vec::as_slice),
            correct: had(&facts.correct).and_then(|all| all.get(index)),
            cause: causes.get(index).copied().flatten(),
        })
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
        .filter_map(|(index, judged)| {
            let style = judged.style();
            Some(Mark {
                range: judged.claim.span.clone()?,
                style,
                label: format!("{}{}", style.sign(), index + 1),
                target: Some(claim_id(shown, index)),
            })
        })
        .collect();
    let facts = &shown.record.facts;
    let kind = had(&facts.refusal).copied();
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
            (absence(page, &facts.refusal))
            (absence(page, &facts.claims))
            (absence(page, &facts.support))
            (absence(page, &facts.support_each))
            (absence(page, &facts.correct))
            @if !claims.is_empty() {
                h5 { (words.claims) }
                @if !claims.iter().any(Judged::is_judged) {
                    p.quiet.small { (words.claims_not_judged) }
                }
                ol.claims {
                    @for (index, judged) in claims.iter().enumerate() {
                        (claim_item(page, shown, index, judged, text.unwrap_or_default()))
                    }
                }
                (votes(page, [of(&facts.support), of(&facts.support_each), of(&facts.correct)]))
            } @else if had(&facts.claims).is_some() {
                p.quiet.small { (words.no_claims) }
            }
        }
    }
}

fn claim_item(
    page: &Page<'_>,
    shown: &Shown<'_>,
    index: usize,
    judged: &Judged<'_>,
    answer: &str,
) -> Markup {
    let words = page.words;
    let style = judged.style();
    let Judged { claim, verdict, correct, cause, .. } = judged;
    let located = claim.span.as_ref().is_some_and(|span| fits(answer, span));
    html! {
        li #(claim_id(shown, index)) .claim.(style.class()) {
            p.said dir="auto" { (visible(&claim.text)) }
            p.ruling {
                @if let Some(verdict) = verdict {
                    (chip(verdict.support, words::support(verdict.support, page.lang))) " "
                }
                @if let Some(checked) = correct {
                    (chip(checked.support, words::by_reference(checked.support, page.lang))) " "
                }
                @if !judged.is_judged() {
                    span.chip.(style.class()) { (style.sign()) " " (words.not_judged) } " "
                }
                @if let Some(cause) = cause {
                    span.chip.open { "← " (diagnosis::from(*cause, page.lang)) } " "
                }
                @if !located { span.quiet { (words.not_located) } " " }
                @if let Some(probability) = verdict.and_then(|v| v.probability) {
                    span.quiet { (words.probability) " " (score(probability, page.lang)) }
                }
            }
            @if let Some(verdict) = verdict { (evidence(page, shown, verdict)) }
            @if let Some(ranks) = judged.alone() {
                p.evidence {
                    @if ranks.is_empty() {
                        span.quiet { (words.judged.not_alone) }
                    } @else {
                        span.quiet { (words.judged.alone) ": " }
                        (links(page, shown, &ranks))
                    }
                }
            }
            @if let Some(checked) = correct {
                @if let Some(quote) = &checked.quote {
                    p.evidence {
                        span.quiet { (words.reference) ": " } q dir="auto" { (visible(quote)) }
                    }
                }
                @if checked.quote_dropped {
                    p.quiet.small { (words.judged.reference_quote_dropped) }
                }
            }
        }
    }
}

/// A verdict as a chip with its sign.
pub(super) fn chip(support: Support, said: &str) -> Markup {
    let style = style_of(support);
    html! { span.chip.(style.class()) { (style.sign()) " " (said) } }
}

fn evidence(page: &Page<'_>, shown: &Shown<'_>, verdict: &ClaimVerdict) -> Markup {
    let words = page.words;
    html! {
        @if !verdict.contexts.is_empty() || verdict.quote.is_some() {
            p.evidence {
                span.quiet { (words.evidence) ": " }
                (links(page, shown, &verdict.contexts))
                @if let Some(quote) = &verdict.quote {
                    " " q dir="auto" { (visible(quote)) }
                }
            }
        }
        @if verdict.quote_dropped { p.quiet.small { (words.quote_dropped) } }
    }
}

/// Links to contexts by their ranks.
fn links(page: &Page<'_>, shown: &Shown<'_>, ranks: &[usize]) -> Markup {
    html! {
        @for (position, rank) in ranks.iter().enumerate() {
            @if position > 0 { ", " }
            a href={ "#" (context_id(shown, *rank)) } { (page.words.context) " " (rank + 1) }
        }
    }
}
