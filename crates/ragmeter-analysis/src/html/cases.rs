use maud::{Markup, html};
use ragmeter_core::{Outcome, TestCase};

use super::{Page, claims, contexts, facts};
use crate::number::{Noun, counted, score};
use crate::summary::mean;
use crate::{JudgedRecord, MetricInfo, SystemData, explain, words};

/// How many cases of each system are shown in full.
const PER_SYSTEM: usize = 12;

/// Longest question that stands in a folded line.
const HEADLINE: usize = 160;

/// One case of one system as it is shown, with the prefix of its anchors.
pub(super) struct Shown<'a> {
    pub case: Option<&'a TestCase>,
    pub record: &'a JudgedRecord,
    pub anchor: String,
}

pub(super) fn section(page: &Page<'_>) -> Markup {
    let words = page.words;
    html! {
        section #cases {
            h2 { (words.cases) }
            p.lead { (words.cases_lead) }
            @for (index, system) in page.run.systems.iter().enumerate() {
                @let worst = worst(page, system);
                @if !worst.is_empty() {
                    details.system open[index == 0] {
                        summary {
                            h3 { (system.name) }
                            span.quiet { (counted(worst.len(), Noun::Case, page.lang)) }
                        }
                        @for (rank, record) in worst.iter().enumerate() {
                            @let shown = Shown {
                                case: case_of(page, record),
                                record,
                                anchor: format!("s{index}c{rank}"),
                            };
                            (case(page, &shown, index == 0 && rank == 0))
                        }
                    }
                }
            }
        }
    }
}

fn case_of<'a>(page: &Page<'a>, record: &JudgedRecord) -> Option<&'a TestCase> {
    page.run.cases.iter().find(|case| case.id == record.record.case_id)
}

/// The records with the lowest mean of the main metrics, ties by the case's id.
fn worst<'a>(page: &Page<'_>, system: &'a SystemData) -> Vec<&'a JudgedRecord> {
    let mut ranked: Vec<(f64, &JudgedRecord)> = system
        .records
        .iter()
        .filter_map(|record| {
            let scores: Vec<f64> = page
                .main_metrics()
                .filter_map(|metric| {
                    let score = record.score(&metric.id)?;
                    Some(if metric.higher_is_better { score } else { 1.0 - score })
                })
                .collect();
            mean(&scores).map(|mean| (mean, record))
        })
        .collect();
    ranked.sort_by(|left, right| {
        left.0.total_cmp(&right.0).then_with(|| left.1.record.case_id.cmp(&right.1.record.case_id))
    });
    ranked.into_iter().take(PER_SYSTEM).map(|(_, record)| record).collect()
}

fn case(page: &Page<'_>, shown: &Shown<'_>, open: bool) -> Markup {
    let words = page.words;
    let question = shown.case.map_or("", |case| case.question.as_str());
    html! {
        details.case open[open] {
            summary {
                span.id { (shown.record.record.case_id) }
                span.q dir="auto" { (headline(question)) }
                span.scores {
                    @for metric in page.main_metrics() {
                        @let outcome = shown.record.outcomes.get(&metric.id);
                        span.chip.(level(metric, outcome)) {
                            (page.title(metric)) " " b { (value(page, outcome)) }
                        }
                    }
                }
            }
            div.body {
                @if question.chars().nth(HEADLINE).is_some() {
                    section.question {
                        h4 { (words.question) }
                        (super::marks::marked(page, question, &[]))
                    }
                }
                div.columns {
                    div {
                        (claims::answer(page, shown))
                        (facts::reference(page, shown))
                        (facts::parts(page, shown))
                        (facts::implied(page, shown))
                    }
                    div { (contexts::contexts(page, shown)) }
                }
                (outcomes(page, shown.record))
            }
        }
    }
}

fn headline(text: &str) -> String {
    match text.char_indices().nth(HEADLINE) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// How a score is coloured: only clearly high and clearly low ones are.
fn level(metric: &MetricInfo, outcome: Option<&Outcome>) -> &'static str {
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
fn value(page: &Page<'_>, outcome: Option<&Outcome>) -> String {
    match outcome {
        Some(Outcome::Scored(scored)) => score(scored.value.get(), page.lang),
        Some(Outcome::NotApplicable(_)) => page.words.not_applicable.to_owned(),
        Some(Outcome::Failed(_)) => page.words.failed.to_owned(),
        None => page.words.not_measured.to_owned(),
    }
}

fn outcomes(page: &Page<'_>, record: &JudgedRecord) -> Markup {
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
                            td data-label=(words.explanation) {
                                @match outcome {
                                    Some(Outcome::Scored(score)) => (explain::phrase(&score.explanation, page.lang)),
                                    Some(Outcome::NotApplicable(absence)) => (explain::phrase(&absence.reason, page.lang)),
                                    Some(Outcome::Failed(absence)) => {
                                        (words::absence(absence.class, page.lang)) ": " (absence.detail)
                                    }
                                    None => "–",
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
