//! The report as one page: no script, no outside resource, everything in the file.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use ragmeter_core::Lang;

use crate::number::{Noun, counted};
use crate::words::{Words, words};
use crate::{Comparison, MetricInfo, RunData, SystemSummary, compare_all, summarize};

mod appendix;
mod cases;
mod claims;
mod contexts;
mod differences;
mod facts;
mod marks;
mod plot;
mod summary;
mod verdict;

/// What every part of the page is made from.
pub(crate) struct Page<'a> {
    run: &'a RunData,
    lang: Lang,
    words: &'static Words,
    summaries: Vec<SystemSummary>,
    comparisons: Vec<Comparison>,
}

impl Page<'_> {
    fn main_metrics(&self) -> impl Iterator<Item = &MetricInfo> {
        self.run.metrics.iter().filter(|metric| !metric.companion)
    }

    /// The metric's title in the page's language, or its id if it has none.
    fn title<'m>(&self, metric: &'m MetricInfo) -> &'m str {
        match metric.title.get(self.lang) {
            "" => &metric.id,
            title => title,
        }
    }
}

/// The whole report as one self-contained HTML file: the verdict in words, means with counts and
/// intervals, paired differences, the worst cases in full, failures, definitions and settings.
///
/// It runs no script, loads nothing (its content security policy forbids it), follows the reader's
/// light or dark setting, and prints with everything unfolded. All text of the run is escaped.
pub fn html(run: &RunData, lang: Lang) -> String {
    let page = Page {
        run,
        lang,
        words: words(lang),
        summaries: summarize(run),
        comparisons: compare_all(run),
    };
    document(&page).into_string()
}

fn document(page: &Page<'_>) -> Markup {
    let words = page.words;
    let has_records = page.run.systems.iter().any(|system| !system.records.is_empty());
    html! {
        (DOCTYPE)
        html lang=(page.lang.code()) {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (words.title) " · " (page.run.run_id) }
                style { (PreEscaped(include_str!("html/style.css"))) }
            }
            body {
                (header(page, has_records))
                main {
                    @if has_records {
                        (verdict::section(page))
                        (summary::section(page))
                        @if !page.comparisons.is_empty() { (differences::section(page)) }
                        (cases::section(page))
                        (appendix::failures(page))
                    } @else {
                        p.notice { (words.nothing_judged) }
                    }
                    (appendix::definitions(page))
                    (appendix::settings(page))
                }
                footer { (words.made_by) }
            }
        }
    }
}

fn header(page: &Page<'_>, has_records: bool) -> Markup {
    let words = page.words;
    let run = page.run;
    html! {
        header.top {
            h1 { (words.title) }
            p.meta {
                span { (words.run) " " b { (run.run_id) } }
                @if !run.created.is_empty() { span { (words.made) " " (run.created) } }
                span { (counted(run.cases.len(), Noun::Case, page.lang)) }
                span { (counted(run.systems.len(), Noun::System, page.lang)) }
                span { (words.seed) " " (run.seed) }
            }
            nav aria-label=(words.contents) {
                @if has_records {
                    a href="#verdict" { (words.verdict) }
                    a href="#summary" { (words.summary) }
                    @if !page.comparisons.is_empty() {
                        a href="#differences" { (words.differences) }
                    }
                    a href="#cases" { (words.cases) }
                    a href="#failures" { (words.failures) }
                }
                a href="#definitions" { (words.definitions) }
                a href="#settings" { (words.settings) }
            }
        }
    }
}

/// A sign for a verdict, so that colour never stands alone.
fn sign(verdict: crate::Verdict) -> &'static str {
    match verdict {
        crate::Verdict::Better => "▲",
        crate::Verdict::Worse => "▼",
        crate::Verdict::Equivalent => "=",
        crate::Verdict::NonInferior => "≥",
        crate::Verdict::CannotTell => "?",
        crate::Verdict::MissingCouldTurn => "!",
        crate::Verdict::TooFewCases => "…",
        crate::Verdict::NoCommonScores => "∅",
        crate::Verdict::TooFewDocuments => "…",
        crate::Verdict::Nested => "⊂",
        crate::Verdict::NotComparable => "≠",
    }
}

/// The class that a verdict is coloured by.
fn class(verdict: crate::Verdict) -> &'static str {
    match verdict {
        crate::Verdict::Better | crate::Verdict::Equivalent | crate::Verdict::NonInferior => "good",
        crate::Verdict::Worse => "bad",
        crate::Verdict::MissingCouldTurn => "warn",
        crate::Verdict::CannotTell
        | crate::Verdict::TooFewCases
        | crate::Verdict::NoCommonScores
        | crate::Verdict::TooFewDocuments
        | crate::Verdict::NotComparable
        | crate::Verdict::Nested => "open",
    }
}
