//! The scores of one record, or of two side by side.

use maud::{Markup, html};
use ragmeter_core::Outcome;

use super::{Page, said};
use crate::number::{difference, score};
use crate::visible::visible;
use crate::{JudgedRecord, MetricInfo, explain, words};

/// How a score is coloured: only clearly high and clearly low ones are.
pub(super) fn level(metric: &MetricInfo, outcome: Option<&Outcome>) -> &'static str {
    let Some(value) = outcome.and_then(Outcome::value) else {
        return "open";
    };
    let value = if metric.higher_is_better { value } else { 1.0 - value };
    match value {
        v if v >= 0.75 => "good",
        v if v <= 0.25 => "bad",
        _ => "warn",
    }
}

/// The score, or in a word why there is none.
pub(super) fn value(page: &Page<'_>, outcome: Option<&Outcome>) -> String {
    match outcome {
        Some(Outcome::Scored(scored)) => score(scored.value.get(), page.lang),
        Some(Outcome::NotApplicable(_)) => page.words.not_applicable.to_owned(),
        Some(Outcome::Failed(_)) => page.words.failed.to_owned(),
        None => page.words.not_measured.to_owned(),
    }
}

/// The scores of one record with how they came about.
pub(super) fn single(page: &Page<'_>, record: &JudgedRecord) -> Markup {
    let words = page.words;
    html! {
        section.outcomes {
            h4 { (words.scores) }
            table.rows {
                thead {
                    tr {
                        th scope="col" { (words.metric) }
                        th scope="col" { (words.outcome) }
                        th scope="col" { (words.explanation) }
                    }
                }
                tbody {
                    @for metric in &page.run.metrics {
                        @let outcome = record.outcomes.get(&metric.id);
                        tr {
                            th scope="row" { (page.title(metric)) }
                            td data-label=(words.outcome) { (value(page, outcome)) }
                            td data-label=(words.explanation) { (explanation(page, outcome)) }
                        }
                    }
                }
            }
        }
    }
}

fn explanation(page: &Page<'_>, outcome: Option<&Outcome>) -> Markup {
    html! {
        @match outcome {
            Some(Outcome::Scored(score)) => (explain::phrase(&score.explanation, page.lang)),
            Some(Outcome::NotApplicable(absence)) => (explain::phrase(&absence.reason, page.lang)),
            Some(Outcome::Failed(absence)) => {
                (words::absence(absence.class, page.lang)) ": " (visible(&absence.detail))
            }
            None => "–",
        }
    }
}

/// The scores of two records of one case, with their differences.
pub(super) fn pair(page: &Page<'_>, names: [&str; 2], [a, b]: [&JudgedRecord; 2]) -> Markup {
    let words = page.words;
    html! {
        section.outcomes {
            h4 { (words.scores) }
            table.rows {
                thead {
                    tr {
                        th scope="col" { (words.metric) }
                        @for name in names { th scope="col" { (said(name)) } }
                        th scope="col" { (words.difference) }
                    }
                }
                tbody {
                    @for metric in &page.run.metrics {
                        @let (of_a, of_b) = (a.outcomes.get(&metric.id), b.outcomes.get(&metric.id));
                        @let scores = a.score(&metric.id).zip(b.score(&metric.id));
                        tr {
                            th scope="row" { (page.title(metric)) }
                            td data-label=(visible(names[0])) { (value(page, of_a)) }
                            td data-label=(visible(names[1])) { (value(page, of_b)) }
                            td data-label=(words.difference) {
                                @if let Some((a, b)) = scores { (difference(b - a, page.lang)) }
                                @else { "–" }
                            }
                        }
                    }
                }
            }
        }
    }
}
