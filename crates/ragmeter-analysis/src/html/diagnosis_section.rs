//! Where each system's wrong claims come from.

use maud::{Markup, html};

use super::{Page, said};
use crate::diagnosis::{Cause, diagnosis_sentence};
use crate::number::count;
use crate::{Diagnosis, SystemSummary};

/// Systems with wrong claims.
fn diagnosed<'p>(page: &'p Page<'_>) -> Vec<(&'p SystemSummary, Diagnosis)> {
    let with = |system: &'p SystemSummary| Some((system, system.diagnosis?));
    page.summaries.iter().filter_map(with).filter(|(_, found)| found.wrong > 0).collect()
}

pub(super) fn is_there(page: &Page<'_>) -> bool {
    !diagnosed(page).is_empty()
}

pub(super) fn section(page: &Page<'_>) -> Markup {
    let (words, judged) = (page.words, &page.words.judged);
    let systems = diagnosed(page);
    let number = |n: usize| count(n as u64, page.lang);
    let name = |cause| match cause {
        Cause::Generation => judged.generation,
        Cause::Retrieval => judged.retrieval,
        Cause::Question => judged.the_question,
    };
    html! {
        @if !systems.is_empty() {
            section #diagnosis {
                h2 { (judged.diagnosis) }
                ul.sentences {
                    @for (system, found) in &systems {
                        @if let Some(text) = diagnosis_sentence(&system.name, found, page.lang) {
                            li { (said(&text)) }
                        }
                    }
                }
                p.lead { (judged.diagnosis_lead) }
                div.scroll tabindex="0" role="region" aria-label=(judged.diagnosis) {
                    table.rows {
                        thead {
                            tr {
                                th scope="col" { (words.system) }
                                @for cause in Cause::ALL { th scope="col" { (name(cause)) } }
                                th scope="col" { (judged.wrong_claims) }
                                th scope="col" { (judged.of_claims) }
                                th scope="col" { (judged.diagnosed) }
                            }
                        }
                        tbody {
                            @for (system, found) in &systems {
                                tr {
                                    th scope="row" { (said(&system.name)) }
                                    @for cause in Cause::ALL {
                                        td data-label=(name(cause)) { (number(found.of(cause))) }
                                    }
                                    td data-label=(judged.wrong_claims) { (number(found.wrong)) }
                                    td data-label=(judged.of_claims) { (number(found.claims)) }
                                    td data-label=(judged.diagnosed) {
                                        (super::facts::ratio(found.records, system.n_records, page.lang))
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
