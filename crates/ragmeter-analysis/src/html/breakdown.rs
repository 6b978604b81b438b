//! Means by group of cases.

use maud::{Markup, html};

use super::{Page, said};
use crate::breakdown::{Breakdown, Dimension, ENOUGH, Group, GroupMean, breakdowns};
use crate::number::{count, score};
use crate::words;

pub(super) fn section(page: &Page<'_>) -> Markup {
    let ex = &page.words.ex;
    let breakdowns = breakdowns(page.run);
    html! {
        section #breakdown {
            h2 { (ex.breakdown) }
            @if breakdowns.is_empty() {
                p.lead { (ex.one_group) }
            } @else {
                p.lead { (ex.breakdown_lead) }
            }
            @for (index, breakdown) in breakdowns.iter().enumerate() {
                details.fold open[index == 0] {
                    summary {
                        h3 { (said(&words::dimension(&breakdown.dimension, page.lang))) }
                        span.quiet { (breakdown.groups.len()) }
                    }
                    (table(page, breakdown))
                    @if breakdown.n_ungrouped > 0 {
                        p.note { (ex.ungrouped) ": " (count(breakdown.n_ungrouped as u64, page.lang)) }
                    }
                }
            }
        }
    }
}

fn table(page: &Page<'_>, breakdown: &Breakdown) -> Markup {
    let (words, ex) = (page.words, &page.words.ex);
    let title = words::dimension(&breakdown.dimension, page.lang);
    html! {
        div.scroll tabindex="0" role="region" aria-label=(title) {
            table.groups {
                thead {
                    tr {
                        th scope="col" { (ex.group) }
                        th scope="col" { (words.system) }
                        @for metric in page.main_metrics() { th scope="col" { (page.title(metric)) } }
                    }
                }
                @for group in &breakdown.groups {
                    tbody { (rows(page, &breakdown.dimension, group)) }
                }
            }
        }
    }
}

fn rows(page: &Page<'_>, dimension: &Dimension, group: &Group) -> Markup {
    let systems = &page.run.systems;
    html! {
        @for (index, (system, means)) in systems.iter().zip(&group.means).enumerate() {
            tr {
                @if index == 0 {
                    th.group scope="rowgroup" rowspan=(systems.len()) {
                        (name(page, dimension, group))
                        small { "n\u{a0}=\u{a0}" (count(group.n_cases as u64, page.lang)) }
                        @if group.n_cases < ENOUGH { small { (page.words.ex.too_few) } }
                    }
                }
                th.of scope="row" { (said(&system.name)) }
                @for (metric, mean) in page.run.metrics.iter().zip(means) {
                    @if !metric.companion {
                        td data-label=(page.title(metric)) {
                            (cell(page, mean, group.n_cases >= ENOUGH))
                        }
                    }
                }
            }
        }
    }
}

fn name(page: &Page<'_>, dimension: &Dimension, group: &Group) -> Markup {
    html! {
        @if group.gathered > 0 {
            (page.words.ex.rest) " (" (group.gathered) ")"
        } @else if *dimension == Dimension::Language {
            (words::language(&group.name, page.lang))
        } @else {
            (said(&group.name))
        }
    }
}

/// A mean; `told` if it is to be told that its scores are too few.
fn cell(page: &Page<'_>, mean: &GroupMean, told: bool) -> Markup {
    let lang = page.lang;
    html! {
        @match mean.mean {
            Some(value) => {
                b { (score(value, lang)) } " "
                span.n { "n\u{a0}=\u{a0}" (count(mean.n as u64, lang)) }
                @if let Some([low, high]) = mean.interval {
                    small { (score(low, lang)) " – " (score(high, lang)) }
                } @else if told {
                    small { (page.words.ex.too_few) }
                }
            }
            None => span.none { (page.words.no_score) },
        }
    }
}
