use maud::{Markup, html};

use super::{Page, class, sign};
use crate::number::{Noun, counted, difference, range, score};
use crate::words;
use crate::{Comparison, MetricInfo, Verdict};

/// The order in which verdicts are told.
const ORDER: [Verdict; 7] = [
    Verdict::Worse,
    Verdict::Better,
    Verdict::MissingCouldTurn,
    Verdict::CannotTell,
    Verdict::Nested,
    Verdict::TooFewCases,
    Verdict::NoCommonScores,
];

pub(super) fn section(page: &Page<'_>) -> Markup {
    let words = page.words;
    html! {
        section #verdict {
            h2 { (words.verdict) }
            @if page.comparisons.is_empty() {
                p.lead { (words.verdict_one_system) }
                ul.plain { @for metric in page.main_metrics() { (single(page, metric)) } }
            } @else {
                p.lead { (words.verdict_lead) }
                div.cards {
                    @for metric in page.main_metrics() { (card(page, metric)) }
                }
            }
            p.note { (words.scope) }
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
                p.against { (page.words.against) " " b { (reference) } }
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
                            (comparison.names().1)
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
