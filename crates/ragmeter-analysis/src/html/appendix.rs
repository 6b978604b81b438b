use std::collections::BTreeMap;

use maud::{Markup, html};
use ragmeter_core::{AbsenceClass, Outcome};

use super::{Page, said};
use crate::number::count;
use crate::visible::visible;
use crate::words;
use crate::{JudgedRecord, SystemData};

/// Most records of one system that are named because the system failed on them.
const NAMED: usize = 20;

pub(super) fn failures(page: &Page<'_>) -> Markup {
    let words = page.words;
    let systems = &page.run.systems;
    let rows: Vec<(&SystemData, Vec<FailureRow<'_>>)> =
        systems.iter().map(|system| (system, failures_of(page, system))).collect();
    let errors = systems.iter().any(|system| errors_of(system).next().is_some());
    html! {
        section #failures {
            h2 { (words.failures) }
            @if rows.iter().all(|(_, rows)| rows.is_empty()) && !errors {
                p.lead { (words.no_failures) }
            }
            @if rows.iter().any(|(_, rows)| !rows.is_empty()) {
                div.scroll tabindex="0" role="region" aria-label=(words.failures) {
                    table.rows {
                        thead {
                            tr {
                                th scope="col" { (words.system) }
                                th scope="col" { (words.metric) }
                                th scope="col" { (words.class) }
                                th scope="col" { (words.how_many) }
                                th scope="col" { (words.example) }
                            }
                        }
                        tbody {
                            @for (system, rows) in &rows {
                                @for row in rows {
                                    tr {
                                        th scope="row" { (said(&system.name)) }
                                        td data-label=(words.metric) { (row.metric) }
                                        td data-label=(words.class) { (row.class) }
                                        td data-label=(words.how_many) {
                                            (count(row.number as u64, page.lang))
                                        }
                                        td data-label=(words.example) { (said(row.example)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if errors {
                h3 { (words.failed_answers) }
                @for system in systems { (errors_list(page, system)) }
            }
        }
    }
}

/// One class of failure of one metric.
struct FailureRow<'a> {
    metric: &'a str,
    class: &'static str,
    number: usize,
    example: &'a str,
}

fn failures_of<'a>(page: &'a Page<'_>, system: &'a SystemData) -> Vec<FailureRow<'a>> {
    let mut rows = Vec::new();
    for metric in &page.run.metrics {
        // Not measured at all stands last, under no class.
        let mut classes: BTreeMap<(bool, Option<AbsenceClass>), (usize, &str)> = BTreeMap::new();
        for record in &system.records {
            let (class, detail) = match record.outcomes.get(&metric.id) {
                Some(Outcome::Failed(absence)) => (Some(absence.class), absence.detail.as_str()),
                None => (None, ""),
                Some(Outcome::Scored(_) | Outcome::NotApplicable(_)) => continue,
            };
            classes.entry((class.is_none(), class)).or_insert((0, detail)).0 += 1;
        }
        rows.extend(classes.into_iter().map(|((_, class), (number, example))| FailureRow {
            metric: page.title(metric),
            class: class.map_or(page.words.not_measured, |c| words::absence(c, page.lang)),
            number,
            example,
        }));
    }
    rows
}

fn errors_of(system: &SystemData) -> impl Iterator<Item = (&JudgedRecord, &str)> {
    let records = system.records.iter();
    records.filter_map(|record| record.record.error.as_deref().map(|error| (record, error)))
}

fn errors_list(page: &Page<'_>, system: &SystemData) -> Markup {
    let errors: Vec<_> = errors_of(system).collect();
    html! {
        @if !errors.is_empty() {
            h4 { (said(&system.name)) " (" (count(errors.len() as u64, page.lang)) ")" }
            ul.plain {
                @for (record, error) in errors.iter().take(NAMED) {
                    li { code { (visible(&record.record.case_id)) } ": " (said(error)) }
                }
                @if errors.len() > NAMED { li { "…" } }
            }
        }
    }
}

pub(super) fn definitions(page: &Page<'_>) -> Markup {
    let words = page.words;
    html! {
        section #definitions {
            h2 { (words.definitions) }
            dl {
                @for metric in &page.run.metrics {
                    dt { (page.title(metric)) " " code { (metric.id) } }
                    dd {
                        (metric.definition.get(page.lang)) " "
                        span.quiet {
                            "(" (if metric.higher_is_better {
                                words.higher_is_better
                            } else {
                                words.lower_is_better
                            }) ")"
                        }
                    }
                }
            }
            h3 { (words.methods) }
            ul.plain {
                li { (words.method_interval) }
                li { (words.method_test) }
                li { (words.method_missing) }
                li { (words.method_refusals) }
            }
        }
    }
}
