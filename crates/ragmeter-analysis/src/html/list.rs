//! The list of all cases: data for the page's script, and the controls that it brings to life.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use ragmeter_core::{Outcome, Support, TestCase};
use serde_json::{Value, json};

use super::{Page, cases};
use crate::JudgedRecord;
use crate::number::count;
use crate::visible::{headline, visible};

/// Most cases in the list; a file of more would open slowly.
const LISTED: usize = 20_000;

/// Characters of a question in the list.
const BEGINNING: usize = 110;

pub(super) fn section(page: &Page<'_>) -> Markup {
    let (ex, run) = (&page.words.ex, page.run);
    let export = format!("ragmeter export {} --csv cases.csv", run.run_id);
    html! {
        section #list {
            h2 { (ex.list) }
            // In sight without scripts and on paper; the script hides it.
            p.notice.without-script { (ex.no_script) " " code { (visible(&export)) } }
            div.explorer hidden {
                p.lead { (ex.list_lead) }
                @if run.cases.len() > LISTED {
                    p.lead { (ex.list_cut) " " (count(LISTED as u64, page.lang)) ". " code { (visible(&export)) } }
                }
                (controls(page))
                p.count role="status" {}
                div.rows-view tabindex="0" role="region" aria-label=(ex.list) {
                    div.rows-table role="table" aria-label=(ex.list) {}
                }
            }
            script type="application/json" id="all-cases" { (PreEscaped(data(page))) }
        }
    }
}

fn controls(page: &Page<'_>) -> Markup {
    let (words, ex, run) = (page.words, &page.words.ex, page.run);
    let tags = tags(page);
    html! {
        div.controls role="search" aria-label=(ex.list) {
            label.wide { span { (ex.search) } input type="search" name="text" autocomplete="off"; }
            label {
                span { (words.metric) }
                select name="metric" {
                    option value="-1" { (ex.mean_of_main) }
                    @for (index, metric) in run.metrics.iter().enumerate() {
                        option value=(index) { (page.title(metric)) }
                    }
                }
            }
            label {
                span { (words.system) }
                select name="system" {
                    option value="-1" { (ex.any) }
                    @for (index, system) in run.systems.iter().enumerate() {
                        option value=(index) { (visible(&system.name)) }
                    }
                }
            }
            label.narrow {
                span { (ex.from) }
                input type="number" name="low" min="0" max="1" step="0.05" placeholder="0";
            }
            label.narrow {
                span { (ex.to) }
                input type="number" name="high" min="0" max="1" step="0.05" placeholder="1";
            }
            (select(ex.claims_are, "claims", ex.any, &[
                ("contradicted", ex.has_contradicted), ("absent", ex.has_absent),
                ("supported", ex.all_supported),
            ]))
            (select(ex.failure, "failure", ex.any, &[
                ("failed", ex.has_failed), ("error", ex.has_error), ("refusal", ex.has_refusal),
                ("none", ex.nothing_missing),
            ]))
            @if !tags.is_empty() {
                label {
                    span { (ex.tag) }
                    select name="tag" {
                        option value="-1" { (ex.any) }
                        @for (index, tag) in tags.iter().enumerate() {
                            option value=(index) { (visible(tag)) }
                        }
                    }
                }
            }
            (select(ex.sort, "sort", ex.in_order, &[
                ("low", ex.lowest_first), ("high", ex.highest_first), ("apart", ex.apart_first),
            ]))
            button type="button" { (ex.reset) }
        }
    }
}

fn select(label: &str, name: &str, first: &str, others: &[(&str, &str)]) -> Markup {
    html! {
        label {
            span { (label) }
            select name=(name) {
                option value="" { (first) }
                @for (value, text) in others { option value=(value) { (text) } }
            }
        }
    }
}

/// Every tag, in the order of names.
fn tags<'p>(page: &'p Page<'_>) -> Vec<&'p str> {
    let listed = page.run.cases.iter().take(LISTED);
    let mut tags: Vec<&str> =
        listed.flat_map(|case| case.tags.iter().map(String::as_str)).collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// The data as JSON that may stand inside a script element.
///
/// A case is `[id, question, tags, anchor, records…]`; a record is `null`, or its scores in
/// thousandths (or a negative number that says why there is none) and then its marks as bits.
fn data(page: &Page<'_>) -> String {
    let (words, ex, run) = (page.words, &page.words.ex, page.run);
    let tags = tags(page);
    let places: BTreeMap<&str, usize> =
        tags.iter().enumerate().map(|(place, tag)| (*tag, place)).collect();
    let mut anchors: BTreeMap<&str, String> = BTreeMap::new();
    for ((case, _), anchor) in cases::anchors(page) {
        anchors.entry(case).or_insert(anchor);
    }
    let cases: Vec<Value> = (run.cases.iter().take(LISTED))
        .map(|case| one_case(page, case, &places, anchors.get(case.id.as_str())))
        .collect();
    let main = |(index, metric): (usize, &crate::MetricInfo)| (!metric.companion).then_some(index);
    let json = json!({
        "systems": run.systems.iter().map(|system| visible(&system.name)).collect::<Vec<_>>(),
        "lowerIsBetter": run.metrics.iter().map(|m| !m.higher_is_better).collect::<Vec<_>>(),
        "main": run.metrics.iter().enumerate().filter_map(main).collect::<Vec<_>>(),
        "tags": tags.iter().map(|tag| visible(tag)).collect::<Vec<_>>(),
        "cases": cases,
        "lang": page.lang.code(),
        "words": {
            "found": ex.found, "nothing": ex.nothing_found, "case": ex.case, "marks": ex.marks,
            "question": words.question, "notApplicable": words.not_applicable,
            "failed": words.failed, "notMeasured": words.not_measured,
            "marksOf": [ex.has_refusal, ex.has_error, ex.has_contradicted, ex.has_absent],
        },
    });
    // `<` is the one character that could end the element or open a comment in it.
    json.to_string().replace('<', "\\u003c")
}

fn one_case(
    page: &Page<'_>,
    case: &TestCase,
    tags: &BTreeMap<&str, usize>,
    anchor: Option<&String>,
) -> Value {
    let tags: Vec<usize> =
        case.tags.iter().filter_map(|tag| tags.get(tag.as_str()).copied()).collect();
    let mut row = vec![
        json!(visible(&case.id)),
        json!(headline(&case.question, BEGINNING)),
        json!(tags),
        json!(anchor),
    ];
    let systems = 0..page.run.systems.len();
    row.extend(systems.map(|system| match page.record(system, &case.id) {
        Some(record) => json!(one_record(page, record)),
        None => Value::Null,
    }));
    Value::Array(row)
}

fn one_record(page: &Page<'_>, record: &JudgedRecord) -> Vec<i64> {
    let score = |metric: &crate::MetricInfo| match record.outcomes.get(&metric.id) {
        Some(Outcome::Scored(score)) => (score.value.get() * 1_000.0).round() as i64,
        Some(Outcome::NotApplicable(_)) => -1,
        Some(Outcome::Failed(_)) => -2,
        None => -3,
    };
    let mut row: Vec<i64> = page.run.metrics.iter().map(score).collect();
    let verdicts = match &record.facts.support {
        Some(Ok(fact)) => fact.value.as_slice(),
        _ => &[],
    };
    let has = |support: Support| verdicts.iter().any(|verdict| verdict.support == support);
    let marks = [
        record.is_refusal(),
        record.record.error.is_some(),
        has(Support::Contradicted),
        has(Support::Absent),
        !verdicts.is_empty(),
    ];
    row.push(marks.iter().enumerate().map(|(bit, is_set)| i64::from(*is_set) << bit).sum());
    row
}
