//! What the numbers depend on: settings, prompts with their hashes, and who judged.

use std::collections::BTreeMap;

use maud::{Markup, html};
use ragmeter_core::Source;

use super::{Page, said};
use crate::number::count;
use crate::visible::visible;
use crate::words;

pub(super) fn section(page: &Page<'_>) -> Markup {
    let (words, ex) = (page.words, &page.words.ex);
    let (prompts, others): (Vec<_>, Vec<_>) =
        page.run.settings.iter().partition(|(name, _)| name.starts_with("prompt "));
    html! {
        section #settings {
            h2 { (words.settings) }
            table.plain {
                tbody { @for (name, value) in others { (row(page, name, value)) } }
            }
            (sources(page))
            @if !prompts.is_empty() {
                details.fold {
                    summary { h3 { (ex.prompts) } span.quiet { (prompts.len()) } }
                    table.plain {
                        tbody {
                            @for (name, value) in prompts {
                                (row(page, name.trim_start_matches("prompt "), value))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn row(page: &Page<'_>, name: &str, value: &str) -> Markup {
    let wording = page.run.wording.get(name);
    html! {
        tr {
            th scope="row" { (said(words::setting(name, page.lang))) }
            td {
                @match wording {
                    Some(wording) => (said(wording.get(page.lang))),
                    None => code { (visible(value)) },
                }
            }
        }
    }
}

/// Every source as it named itself, with the number of records that rest on it.
fn sources(page: &Page<'_>) -> Markup {
    let (words, ex) = (page.words, &page.words.ex);
    let mut records: BTreeMap<[String; 3], u64> = BTreeMap::new();
    for record in page.run.systems.iter().flat_map(|system| &system.records) {
        // One record may rest on several calls that differ in nothing that is shown.
        let mut known: Vec<[String; 3]> = record.facts.sources().into_iter().map(named).collect();
        known.sort();
        known.dedup();
        for source in known {
            *records.entry(source).or_default() += 1;
        }
    }
    html! {
        @if !records.is_empty() {
            details.fold {
                summary { h3 { (ex.sources) } span.quiet { (records.len()) } }
                p.lead { (ex.sources_lead) }
                div.scroll tabindex="0" role="region" aria-label=(ex.sources) {
                    table.rows {
                        thead {
                            tr {
                                th scope="col" { (ex.asked) }
                                th scope="col" { (ex.facts_by) }
                                th scope="col" { (ex.asked_as) }
                                th scope="col" { (words.records) }
                            }
                        }
                        tbody {
                            @for ([what, who, how], n) in &records {
                                tr {
                                    th scope="row" { code { (what) } }
                                    td data-label=(ex.facts_by) { (said(who)) }
                                    td data-label=(ex.asked_as) { (how) }
                                    td data-label=(words.records) { (count(*n, page.lang)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What was asked, who answered, and how it was asked for.
fn named(source: &Source) -> [String; 3] {
    match source {
        Source::Judge(judge) => {
            let template = judge.template.as_str().get(..12).unwrap_or_default();
            [
                format!("{} {} {template}", judge.group, judge.lang),
                format!("{}, {}", judge.model, judge.endpoint),
                judge.rung.name().to_owned(),
            ]
        }
        Source::Local { fingerprint } => ["local".to_owned(), fingerprint.clone(), "–".to_owned()],
        Source::Code { rule } => ["code".to_owned(), rule.clone(), "–".to_owned()],
        Source::Person(person) => {
            let hashes = person.policies.iter().map(|hash| hash.get(..12).unwrap_or(hash));
            [hashes.collect::<Vec<_>>().join(", "), person.who.join(", "), "–".to_owned()]
        }
    }
}
