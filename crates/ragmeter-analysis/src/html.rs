//! The report as one page: everything in the file, readable without its one script.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use ragmeter_core::{Lang, TestCase};
use sha2::{Digest, Sha256};

use crate::chosen::{Choice, choose};
use crate::number::{Noun, counted};
use crate::visible::visible;
use crate::words::{Words, words};
use crate::{
    Comparison, JudgedRecord, MetricInfo, Ranking, RunData, SystemSummary, compare_all, rankings,
    summarize,
};

mod appendix;
mod breakdown;
mod cases;
mod claims;
mod contexts;
mod cost;
mod diagnosis_section;
mod differences;
mod distributions;
mod facts;
mod judged;
mod list;
mod marks;
mod outcomes;
mod people_section;
mod plot;
mod relations;
mod settings;
mod sides;
mod sorted;
mod summary;
mod verdict;

const STYLE: &str = include_str!("html/style.css");
const PLOTS: &str = include_str!("html/plots.css");
const SCRIPT: &str = include_str!("html/list.js");

/// What every part of the page is made from.
pub(crate) struct Page<'a> {
    run: &'a RunData,
    lang: Lang,
    words: &'static Words,
    summaries: Vec<SystemSummary>,
    comparisons: Vec<Comparison>,
    rankings: Vec<Ranking>,
    choice: Choice,
    cases: BTreeMap<&'a str, &'a TestCase>,
    /// The records of each system by the case's id.
    records: Vec<BTreeMap<&'a str, &'a JudgedRecord>>,
    /// Texts far from any evidence are cut: the chosen cases would make the file too large.
    abridged: bool,
}

impl<'a> Page<'a> {
    fn new(run: &'a RunData, lang: Lang) -> Self {
        let of_system = |system: &'a crate::SystemData| {
            system.records.iter().map(|r| (r.record.case_id.as_str(), r)).collect()
        };
        let comparisons = compare_all(run);
        let mut page = Self {
            run,
            lang,
            words: words(lang),
            summaries: summarize(run),
            rankings: rankings(run, &comparisons),
            comparisons,
            choice: choose(run),
            cases: run.cases.iter().map(|case| (case.id.as_str(), case)).collect(),
            records: run.systems.iter().map(of_system).collect(),
            abridged: false,
        };
        page.abridged = contexts::weight(&page) > contexts::MOST;
        page
    }

    fn main_metrics(&self) -> impl Iterator<Item = &'a MetricInfo> + use<'a> {
        self.run.metrics.iter().filter(|metric| !metric.companion)
    }

    /// The metric's title in the page's language, or its id if it has none.
    fn title<'m>(&self, metric: &'m MetricInfo) -> &'m str {
        match metric.title.get(self.lang) {
            "" => &metric.id,
            title => title,
        }
    }

    /// The title of a metric by its id.
    fn title_of(&self, id: &str) -> String {
        let found = self.run.metrics.iter().find(|metric| metric.id == id);
        found.map_or(id, |metric| self.title(metric)).to_owned()
    }

    /// The record of a system, by the system's place.
    fn record(&self, system: usize, case: &str) -> Option<&'a JudgedRecord> {
        self.records.get(system)?.get(case).copied()
    }

    /// The place of a system by its name.
    fn place(&self, system: &str) -> Option<usize> {
        self.run.systems.iter().position(|known| known.name == system)
    }
}

/// The whole report as one self-contained HTML file: the verdict in words, means with counts and
/// intervals, distributions, paired differences, metrics against each other, groups of cases,
/// failures, cost, chosen cases in full, a list of all cases, definitions and settings.
///
/// It loads nothing: its content security policy allows its own style and its one script, both by
/// their hashes, and nothing else. All but the searchable list of all cases is there without
/// scripts. It follows the reader's light or dark setting, and prints with all
/// but unused contexts unfolded. All
/// text of the run is escaped, and its invisible direction controls are made visible.
pub fn html(run: &RunData, lang: Lang) -> String {
    document(&Page::new(run, lang)).into_string()
}

/// `'sha256-…'` of the text of an element, as a content security policy names it.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

fn policy(style: &str) -> String {
    format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(SCRIPT)
    )
}

/// Text of the run: on its own, whatever its direction, with its hidden controls visible.
fn said(text: &str) -> Markup {
    html! { span dir="auto" { (visible(text)) } }
}

fn document(page: &Page<'_>) -> Markup {
    let words = page.words;
    let has_records = page.run.systems.iter().any(|system| !system.records.is_empty());
    let style = format!("{STYLE}{PLOTS}");
    html! {
        (DOCTYPE)
        html lang=(page.lang.code()) {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy"
                    content=(policy(&style));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (words.title) " · " (page.run.run_id) }
                style { (PreEscaped(style)) }
            }
            body {
                (header(page, has_records))
                main {
                    @if has_records {
                        (verdict::section(page))
                        (summary::section(page))
                        (diagnosis_section::section(page))
                        @if !page.comparisons.is_empty() { (differences::section(page)) }
                        (people_section::section(page))
                        (distributions::section(page))
                        (relations::section(page))
                        (breakdown::section(page))
                        (appendix::failures(page))
                        (cost::section(page))
                        (cases::section(page))
                        (list::section(page))
                    } @else {
                        p.notice { (words.nothing_judged) }
                    }
                    (appendix::definitions(page))
                    (settings::section(page))
                }
                footer { (words.made_by) }
                @if has_records { script { (PreEscaped(SCRIPT)) } }
            }
        }
    }
}

fn header(page: &Page<'_>, has_records: bool) -> Markup {
    let (words, ex) = (page.words, &page.words.ex);
    let run = page.run;
    let compared = !page.comparisons.is_empty();
    let related = page.main_metrics().count() > 1;
    let links = [
        ("verdict", words.verdict, has_records),
        ("summary", words.summary, has_records),
        ("diagnosis", words.judged.diagnosis, diagnosis_section::is_there(page)),
        ("differences", words.differences, has_records && compared),
        ("people", people_section::people_title(page.lang), !run.people.is_empty()),
        ("distributions", ex.distributions, has_records),
        ("relations", ex.relations, has_records && related),
        ("breakdown", ex.breakdown, has_records),
        ("failures", words.failures, has_records),
        ("cost", ex.cost, has_records),
        ("cases", ex.cases, has_records),
        ("list", ex.list, has_records),
        ("definitions", words.definitions, true),
        ("settings", words.settings, true),
    ];
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
                @for (id, title, _) in links.iter().filter(|(_, _, is_there)| *is_there) {
                    a href={ "#" (id) } { (title) }
                }
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
        crate::Verdict::TooFewCases | crate::Verdict::TooFewDocuments => "…",
        crate::Verdict::NoCommonScores => "∅",
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
