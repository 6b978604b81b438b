//! What is missing is never a number by accident, and never helps: for every metric of the table
//! that takes facts of judges. A metric that has a number where a list is empty needs a line in
//! [`OF_NOTHING`].

use std::collections::BTreeSet;

use proptest::prelude::*;
use ragmeter_core::{Absence, AbsenceClass, FactKind, Outcome};
use serde_json::json;

use crate::drawn::{AXES, Axis, judged, list, metrics, some_records};
use crate::records::Judged;

fn absence() -> Absence {
    Absence { class: AbsenceClass::Timeout, detail: "planted".to_owned() }
}

/// Facts that the facts crate makes from others: they fail with them.
const MADE_OF: [(&str, &[&str]); 9] = [
    ("claims", &["support", "support_each", "correct"]),
    ("implied", &["similarity"]),
    ("units", &["reference_support"]),
    ("reference_claims", &["reference_support_each", "reference_covered"]),
    ("parts", &["coverage"]),
    ("nuggets", &["nugget_support"]),
    ("topics", &["topics_allowed"]),
    ("goal", &["goal_reached", "reference_goal_reached"]),
    ("summary_questions", &["summary_answers"]),
];

/// Each fact of the record failed, one at a time, with the kind that it is of; with those that are
/// made of it if `with_made` is set.
fn each_failed(whole: &Judged, with_made: bool) -> Vec<(FactKind, Judged)> {
    let failed = || json!({ "Err": absence() });
    let kept = whole.kept();
    let without = |names: &[&str]| {
        let mut kept = kept.clone();
        kept.extend(names.iter().map(|name| ((*name).to_owned(), failed())));
        whole.with(kept)
    };
    let kind_of = |judged: &Judged, name: &str| {
        let is_failed = |kind: &&FactKind| matches!(judged.facts.value(**kind), Some(Err(_)));
        let kind = FactKind::ALL.iter().find(is_failed).copied();
        kind.unwrap_or_else(|| panic!("{name} is of no kind"))
    };
    let made_of = |name: &str| {
        let made = MADE_OF.iter().find(|(of, _)| *of == name && with_made);
        made.map_or(&[][..], |(_, made)| made)
    };
    let fields = kept.keys().filter(|name| *name != "criteria").map(|name| {
        let kind = kind_of(&without(&[name]), name);
        (kind, without(&[&[name.as_str()], made_of(name)].concat()))
    });
    let criteria = whole.facts.criteria.keys().map(|name| {
        let mut kept = kept.clone();
        kept["criteria"][name] = failed();
        (FactKind::Criteria, whole.with(kept))
    });
    fields.chain(criteria).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// A record leaves the mean as failed, where bounds take it for the worst, or says what it
    /// said: with absence taken for the worst no mean is ever better for a failure.
    #[test]
    fn a_failed_fact_fails_a_metric_or_changes_nothing(
        bytes in prop::collection::vec(any::<u8>(), 150..400),
    ) {
        let whole = judged(&bytes);
        let metrics = metrics();
        for (kind, failed) in each_failed(&whole, false) {
            for metric in &metrics {
                let (was, is) = (whole.says(metric), failed.says(metric));
                prop_assert!(
                    is == was || is == Outcome::Failed(absence()),
                    "{}, without {}: {was:?}, then {is:?}", metric.id, kind.name()
                );
                prop_assert!(
                    is == was || metric.facts().contains(&kind),
                    "{} does not name {}", metric.id, kind.name()
                );
            }
        }
    }
}

#[test]
fn every_fact_that_a_metric_names_fails_it() {
    let metrics = metrics();
    let mut failing: BTreeSet<(&str, FactKind)> = BTreeSet::new();
    for whole in some_records() {
        for (kind, failed) in each_failed(&whole, true) {
            let fails = metrics.iter().filter(
                |metric| matches!(failed.says(metric), Outcome::Failed(why) if why == absence()),
            );
            failing.extend(fails.map(|metric| (metric.id.as_str(), kind)));
        }
    }
    let named = metrics
        .iter()
        .flat_map(|metric| metric.facts().iter().map(|kind| (metric.id.as_str(), kind.name())));
    let failing: BTreeSet<_> = failing.into_iter().map(|(id, kind)| (id, kind.name())).collect();
    let never: BTreeSet<_> = named.filter(|pair| !failing.contains(pair)).collect();
    assert_eq!(never, BTreeSet::new(), "never fail it");
}

/// A number by a rule, from the values of other metrics of the same record.
type Rule = fn(&dyn Fn(&str) -> f64) -> f64;

/// The numbers that a metric has where an axis has no item, by the rules on absence: 0 where
/// nothing was retrieved, or nothing was said, of what should have been.
const OF_NOTHING: [(&str, &str, Rule); 18] = [
    ("citation_precision", "contexts", |_| 0.0),
    ("citation_recall", "contexts", |_| 0.0),
    ("claim_recall", "contexts", |_| 0.0),
    ("context_entity_recall", "contexts", |_| 0.0),
    ("context_precision", "contexts", |_| 0.0),
    ("context_precision_by_claims", "contexts", |_| 0.0),
    ("context_precision_without_reference", "contexts", |_| 0.0),
    ("context_recall", "contexts", |_| 0.0),
    ("context_relevance", "contexts", |_| 0.0),
    ("faithfulness_each", "contexts", |_| 0.0),
    ("groundedness", "contexts", |_| 0.0),
    ("response_groundedness", "contexts", |_| 0.0),
    // Without contexts whatever is wrong is made up, and whatever is right is known by heart.
    ("hallucination", "contexts", |of| 1.0 - of("factual_correctness_precision")),
    ("self_knowledge", "contexts", |of| of("factual_correctness_precision")),
    ("context_entity_recall", "context entities", |_| 0.0),
    // An answer that says nothing is not right, and backs no citation.
    ("citation_precision", "claims", |_| 0.0),
    ("factual_correctness", "claims", |_| 0.0),
    ("answer_correctness", "claims", |of| 0.25 * of("semantic_similarity")),
];

/// The record without the items of an axis.
fn emptied(whole: &Judged, axis: &Axis) -> Judged {
    let mut kept = whole.kept();
    for (name, fact) in &mut kept {
        if axis.rows.contains(&name.as_str()) {
            list(fact).unwrap_or_else(|| panic!("{name} is no list")).clear();
        }
        if axis.columns.contains(&name.as_str()) {
            for row in list(fact).into_iter().flatten().filter_map(|row| row.as_array_mut()) {
                row.clear();
            }
        }
    }
    let mut judged = whole.with(kept);
    if axis.name == "contexts" {
        judged.record.contexts = Some(Vec::new());
    }
    judged
}

#[test]
fn nothing_to_count_is_no_number_but_where_a_rule_says_so() {
    let metrics = metrics();
    let mut found: BTreeSet<(&str, &str)> = BTreeSet::new();
    for whole in some_records() {
        for axis in AXES {
            let nothing = emptied(&whole, axis);
            for metric in &metrics {
                let (id, name) = (metric.id.as_str(), axis.name);
                let (was, is) = (whole.says(metric), nothing.says(metric));
                let Some(value) = is.value().filter(|_| is != was) else { continue };
                let rule = OF_NOTHING.iter().find(|row| (row.0, row.1) == (id, name));
                let (_, _, rule) = rule.unwrap_or_else(|| panic!("{id}, no {name}: {value}"));
                let by_rule = rule(&|other| nothing.value(other));
                assert!((value - by_rule).abs() < 1e-12, "{id}, no {name}: {value}, not {by_rule}");
                found.insert((id, name));
            }
        }
    }
    assert_eq!(found, OF_NOTHING.iter().map(|row| (row.0, row.1)).collect());
}
