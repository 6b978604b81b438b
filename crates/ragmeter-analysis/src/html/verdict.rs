use maud::{Markup, html};

use super::{Page, class, said, sign};
use crate::number::{Noun, counted, difference, range, score};
use crate::order::telling_first;
use crate::words;
use crate::{Comparison, MetricInfo, Verdict, family_warnings, footing, verdict_sentences};

/// The order in which verdicts are told.
const ORDER: [Verdict; 11] = [
    Verdict::Worse,
    Verdict::Better,
    Verdict::Equivalent,
    Verdict::NonInferior,
    Verdict::MissingCouldTurn,
    Verdict::CannotTell,
    Verdict::Nested,
    Verdict::TooFewCases,
    Verdict::TooFewDocuments,
    Verdict::NoCommonScores,
    Verdict::NotComparable,
];

/// Sentences that stand in sight.
const SENTENCES: usize = 6;

pub(super) fn section(page: &Page<'_>) -> Markup {
    let words = page.words;
    html! {
        section #verdict {
            h2 { (words.verdict) }
            @if page.comparisons.is_empty() {
                p.lead { (words.verdict_one_system) }
                ul.plain { @for metric in page.main_metrics() { (single(page, metric)) } }
            } @else {
                (sentences(page))
                p.lead { (words.verdict_lead) }
                div.cards {
                    @for metric in page.main_metrics() { (card(page, metric)) }
                }
            }
            p.note { (footing(&page.comparisons, page.lang).as_deref().unwrap_or(words.scope)) }
            @for warning in family_warnings(page.run, page.lang) { p.notice { (said(&warning)) } }
        }
    }
}

/// The main metrics' comparisons in words: a few in sight, the rest folded.
fn sentences(page: &Page<'_>) -> Markup {
    let sentences = verdict_sentences(&telling_first(&page.comparisons), page.lang);
    let (first, rest) = sentences.split_at(sentences.len().min(SENTENCES));
    html! {
        ul.sentences { @for sentence in first { li { (said(sentence)) } } }
        @if !rest.is_empty() {
            details.more {
                summary { (page.words.ex.sentences) " (" (sentences.len()) ")" }
                ul.sentences { @for sentence in rest { li { (said(sentence)) } } }
            }
        }
    }
}

/// One metric of the only system.
fn single(page: &Page<'_>, metric: &MetricInfo) -> Markup {
    let summary = page
        .summaries
        .iter()
        .flat_map(|system| &system.summaries)
        .find(|summary| summary.metric == metric.id && summary.mean.is_some());
    html! {
        li {
            b { (page.title(metric)) ": " }
            @if let Some((summary, mean)) = summary.and_then(|s| s.mean.map(|mean| (s, mean))) {
                (score(mean, page.lang))
                @if let Some([low, high]) = summary.interval {
                    ", " (page.words.interval) " " (score(low, page.lang)) " – " (score(high, page.lang))
                }
                ", " (counted(summary.n_scored, Noun::Case, page.lang))
            } @else {
                (page.words.no_score)
            }
        }
    }
}

/// One metric: what is shown of each system against each that it is compared with.
fn card(page: &Page<'_>, metric: &MetricInfo) -> Markup {
    let of_metric: Vec<&Comparison> =
        page.comparisons.iter().filter(|comparison| comparison.metric == metric.id).collect();
    let mut references: Vec<String> = Vec::new();
    for comparison in &of_metric {
        let (a, _) = comparison.names();
        if !references.contains(&a) {
            references.push(a);
        }
    }
    html! {
        article.card {
            h3 { (page.title(metric)) }
            @for reference in &references {
                p.against { (page.words.against) " " b { (said(reference)) } }
                ul.verdicts {
                    @for verdict in ORDER {
                        (line(page, verdict, of_metric.iter().copied().filter(|comparison| {
                            comparison.verdict == verdict && comparison.names().0 == *reference
                        })))
                    }
                }
            }
        }
    }
}

fn line<'a>(
    page: &Page<'_>,
    verdict: Verdict,
    comparisons: impl Iterator<Item = &'a Comparison>,
) -> Markup {
    let comparisons: Vec<&Comparison> = comparisons.collect();
    let told = verdict != Verdict::CannotTell;
    let with_interval =
        matches!(verdict, Verdict::Better | Verdict::Worse | Verdict::MissingCouldTurn);
    html! {
        @if !comparisons.is_empty() {
            li.(class(verdict)) {
                span.sign aria-hidden="true" { (sign(verdict)) }
                div {
                    span.word { (words::verdict(verdict, page.lang)) ": " }
                    @for (index, comparison) in comparisons.iter().enumerate() {
                        @if index > 0 { ", " }
                        span.who {
                            (said(&comparison.names().1))
                            @if let (true, Some(by)) = (told, comparison.difference) {
                                " " span.by { (difference(by, page.lang)) }
                                @if let (true, Some(interval)) = (with_interval, comparison.interval) {
                                    " " span.range { "(" (range(interval, page.lang)) ")" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
