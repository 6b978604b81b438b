//! The chosen cases in full: the worst, the most disputed, the most changed.

use std::collections::BTreeMap;

use maud::{Markup, html};
use ragmeter_core::TestCase;

use super::{Page, claims, contexts, facts, judged, marks, outcomes, said, sides};
use crate::JudgedRecord;
use crate::chosen::{Chosen, Reason};
use crate::number::{Noun, count, counted};
use crate::visible::{headline, visible};
use crate::words;

/// Longest question that stands in a folded line.
const HEADLINE: usize = 160;

/// One case of one system as it is shown, with the prefix of its anchors.
pub(super) struct Shown<'a> {
    pub case: Option<&'a TestCase>,
    pub record: &'a JudgedRecord,
    pub anchor: String,
}

/// What a case is shown under: its id and the systems.
pub(super) type Key<'a> = (&'a str, &'a [String]);

/// The anchor of every case that is shown, in the order of showing.
pub(super) fn anchors<'p>(page: &'p Page<'_>) -> BTreeMap<Key<'p>, String> {
    let choice = &page.choice;
    let mut anchors = BTreeMap::new();
    for chosen in choice.worst.iter().chain(&choice.disputed).chain(&choice.changed) {
        let next = format!("c{}", anchors.len() + 1);
        anchors.entry((chosen.case.as_str(), chosen.systems.as_slice())).or_insert(next);
    }
    anchors
}

/// What is known of the cases shown while the section is written.
struct Writing<'p> {
    anchors: BTreeMap<Key<'p>, String>,
    written: std::cell::RefCell<std::collections::BTreeSet<String>>,
}

pub(super) fn section(page: &Page<'_>) -> Markup {
    let (ex, choice) = (&page.words.ex, &page.choice);
    let writing = Writing { anchors: anchors(page), written: std::cell::RefCell::default() };
    html! {
        section #cases {
            h2 { (ex.cases) }
            p.lead {
                (ex.cases_lead) " "
                (ex.shown_here) ": " (count(writing.anchors.len() as u64, page.lang)) "."
            }
            h3 { (ex.worst) }
            p.lead { (ex.worst_lead) }
            (groups(page, &writing, &choice.worst, true))
            h3 { (ex.disputed) }
            p.lead { (if choice.disputed.is_empty() { ex.nothing_disputed } else { ex.disputed_lead }) }
            @if !choice.disputed.is_empty() {
                div.disputed {
                    @for chosen in &choice.disputed { (case(page, &writing, chosen, false)) }
                }
            }
            @if page.run.systems.len() > 1 {
                h3 { (ex.changed) }
                p.lead { (if choice.changed.is_empty() { ex.nothing_changed } else { ex.changed_lead }) }
                (groups(page, &writing, &choice.changed, false))
            }
        }
    }
}

/// Chosen cases under the systems that they are of.
fn groups(page: &Page<'_>, writing: &Writing<'_>, chosen: &[Chosen], open: bool) -> Markup {
    html! {
        @for (index, group) in chosen.chunk_by(|a, b| a.systems == b.systems).enumerate() {
            details.system open[open && index == 0] {
                summary {
                    h4.name { (systems(&group[0].systems)) }
                    span.quiet { (counted(group.len(), Noun::Case, page.lang)) }
                }
                @for (rank, chosen) in group.iter().enumerate() {
                    (case(page, writing, chosen, open && index == 0 && rank == 0))
                }
            }
        }
    }
}

/// "a" or "a → b".
fn systems(names: &[String]) -> Markup {
    html! {
        @for (index, name) in names.iter().enumerate() {
            @if index > 0 { " → " }
            (said(name))
        }
    }
}

fn case(page: &Page<'_>, writing: &Writing<'_>, chosen: &Chosen, open: bool) -> Markup {
    let key = (chosen.case.as_str(), chosen.systems.as_slice());
    let anchor = writing.anchors.get(&key).cloned().unwrap_or_default();
    let is_new = writing.written.borrow_mut().insert(anchor.clone());
    let shown: Vec<Shown<'_>> = chosen
        .systems
        .iter()
        .filter_map(|system| {
            let record = page.record(page.place(system)?, &chosen.case)?;
            let suffix =
                if chosen.systems.len() > 1 && shown_second(chosen, system) { "b" } else { "a" };
            Some(Shown {
                case: page.cases.get(chosen.case.as_str()).copied(),
                record,
                anchor: format!("{anchor}{suffix}"),
            })
        })
        .collect();
    let names: Vec<&str> = chosen.systems.iter().map(String::as_str).collect();
    html! {
        @match (shown.as_slice(), names.as_slice()) {
            (shown, _) if !is_new && !shown.is_empty() => (again(page, chosen, &shown[0], &anchor)),
            ([shown], _) => {
                details.case id=(anchor) open[open] {
                    summary { (line(page, chosen, shown)) (chips(page, shown)) }
                    (single(page, shown))
                }
            }
            ([a, b], [name_a, name_b]) => {
                details.case id=(anchor) open[open] {
                    summary {
                        (line(page, chosen, a))
                        (sides::chips(page, [name_a, name_b], [a, b]))
                    }
                    (sides::body(page, [name_a, name_b], [a, b]))
                }
            }
            _ => {}
        }
    }
}

fn shown_second(chosen: &Chosen, system: &str) -> bool {
    chosen.systems.get(1).is_some_and(|second| second == system)
}

/// A case that stands further up already.
fn again(page: &Page<'_>, chosen: &Chosen, shown: &Shown<'_>, anchor: &str) -> Markup {
    html! {
        p.again {
            (line(page, chosen, shown)) " "
            a href={ "#" (anchor) } { (page.words.ex.shown_above) }
        }
    }
}

/// Id, question and, where it says more than the scores do, why the case was chosen.
fn line(page: &Page<'_>, chosen: &Chosen, shown: &Shown<'_>) -> Markup {
    let question = shown.case.map_or("", |case| case.question.as_str());
    let reason = match &chosen.reason {
        Reason::Worst { .. } => None,
        other => Some(words::reason(other, |id| page.title_of(id), page.lang)),
    };
    html! {
        span.id { (visible(&chosen.case)) }
        span.q dir="auto" { (headline(question, HEADLINE)) }
        @if let Some(reason) = reason {
            span.why {
                @if chosen.systems.len() == 1 { (said(&chosen.systems[0])) ": " }
                @else if !matches!(chosen.reason, Reason::Changed { .. }) {
                    (systems(&chosen.systems)) ": "
                }
                (reason)
            }
        }
    }
}

fn chips(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    html! {
        span.scores {
            @for metric in page.main_metrics() {
                @let outcome = shown.record.outcomes.get(&metric.id);
                span.chip.(outcomes::level(metric, outcome)) {
                    (page.title(metric)) " " b { (outcomes::value(page, outcome)) }
                }
            }
        }
    }
}

/// The whole question, where the folded line cuts it.
pub(super) fn headline_of(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    let question = shown.case.map_or("", |case| case.question.as_str());
    html! {
        @if question.chars().nth(HEADLINE).is_some() {
            section.question {
                h4 { (page.words.question) }
                (marks::marked(page, question, &[]))
            }
        }
    }
}

fn single(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    html! {
        div.body {
            (headline_of(page, shown))
            div.columns {
                div {
                    (claims::answer(page, shown, &[]))
                    (facts::reference(page, shown))
                    (judged::sections(page, shown))
                    (facts::parts(page, shown))
                    (facts::implied(page, shown))
                }
                div { (contexts::contexts(page, shown)) }
            }
            (super::people_section::people_of_record(page, shown))
            (outcomes::single(page, shown.record))
        }
    }
}
