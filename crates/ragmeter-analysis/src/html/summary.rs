use maud::{Markup, html};

use super::{Page, plot, said};
use crate::number::{count, score};
use crate::{MetricInfo, Summary, SystemSummary};

pub(super) fn section(page: &Page<'_>) -> Markup {
    let words = page.words;
    let main: Vec<&MetricInfo> = page.main_metrics().collect();
    let companions: Vec<&MetricInfo> =
        page.run.metrics.iter().filter(|metric| metric.companion).collect();
    html! {
        section #summary {
            h2 { (words.summary) }
            p.lead { (words.summary_lead) }
            (matrix(page, &main, words.summary, true))
            @if !companions.is_empty() {
                h3 { (words.companions) }
                p.lead { (words.companions_lead) }
                (matrix(page, &companions, words.companions, false))
            }
        }
    }
}

fn matrix(page: &Page<'_>, metrics: &[&MetricInfo], title: &str, with_counts: bool) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(title) {
            table.matrix {
                thead {
                    tr {
                        th scope="col" { (page.words.system) }
                        @for metric in metrics {
                            th scope="col" {
                                (page.title(metric))
                                @if !metric.higher_is_better {
                                    small { (page.words.lower_is_better) }
                                }
                            }
                        }
                    }
                }
                tbody {
                    @for system in &page.summaries {
                        tr {
                            th scope="row" {
                                (said(&system.name))
                                @if with_counts { (system_counts(page, system)) }
                            }
                            @for metric in metrics {
                                td data-label=(page.title(metric)) {
                                    @if let Some(summary) = of_metric(system, metric) {
                                        (cell(page, system, summary))
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

fn of_metric<'s>(system: &'s SystemSummary, metric: &MetricInfo) -> Option<&'s Summary> {
    system.summaries.iter().find(|summary| summary.metric == metric.id)
}

fn system_counts(page: &Page<'_>, system: &SystemSummary) -> Markup {
    let words = page.words;
    let number = |n: usize| count(n as u64, page.lang);
    html! {
        small {
            (words.records) ": " (number(system.n_records))
            @if system.n_refused > 0 { ", " (words.refused) ": " (number(system.n_refused)) }
            @if system.n_errors > 0 { ", " (words.errors) ": " (number(system.n_errors)) }
        }
    }
}

fn cell(page: &Page<'_>, system: &SystemSummary, summary: &Summary) -> Markup {
    let words = page.words;
    let number = |n: usize| count(n as u64, page.lang);
    html! {
        @match summary.mean {
            Some(mean) => {
                @let ends = summary.interval.map(|ends| ends.map(|end| score(end, page.lang)));
                @let range = ends.map(|[low, high]| format!("{low} – {high}")).unwrap_or_default();
                @let label = format!(
                    "{}: {} {}, {} {range}",
                    system.name, words.mean, score(mean, page.lang), words.interval,
                );
                div.figure {
                    b { (score(mean, page.lang)) }
                    span.range { (range) }
                    span.n { "n\u{a0}=\u{a0}" (number(summary.n_scored)) }
                }
                (plot::mean(mean, summary.interval, &label))
                (standing(page, &system.name, &summary.metric))
            }
            None => div.figure { span.none { (words.no_score) } },
        }
        @if summary.refusal.is_some() { small { (words.ex.no_interval) } }
        small {
            @if summary.n_not_applicable > 0 {
                span { (words.not_applicable) ": " (number(summary.n_not_applicable)) }
                @if summary.n_refused > 0 {
                    span { " (" (words.of_them_refused) ": " (number(summary.n_refused)) ")" }
                }
                br;
            }
            @if summary.n_failed > 0 {
                span.bad { (words.failed) ": " (number(summary.n_failed)) }
            }
        }
    }
}

/// Where the system stands by what the comparisons show: the ranks that it may hold, and the
/// groups of systems that were not told apart.
fn standing(page: &Page<'_>, system: &str, metric: &str) -> Markup {
    let n = page.run.systems.len();
    let ranking = page.rankings.iter().find(|ranking| ranking.metric == metric);
    let place = ranking.and_then(|ranking| ranking.systems.iter().find(|one| one.name == system));
    html! {
        @if let Some((place, true)) = place.map(|place| (place, n > 2)) {
            @let (first, last) = place.ranks;
            small.standing {
                (page.words.ex.rank) " "
                @if first == last { (first) } @else { (first) "–" (last) }
                " " (page.words.ex.rank_of) " " (n)
                @if place.shared { ", " (page.words.ex.tied) " " (place.tied) }
            }
        }
    }
}
