//! What is no number, what is 0 and what has failed: the rules on absence, as a table.

use ragmeter_core::{Absence, AbsenceClass, AnswerKind, FactKind, NotApplicable, Outcome};

use crate::records::{Judged, SPINE, claims, coverage, fact, implied, reference_support, support};

/// Expected words in the place of a number, and the reasons that they stand for.
const REASONS: [(&str, &str); 7] = [
    ("no-answer", "the record has no answer"),
    ("no-contexts", "the record has no contexts"),
    ("no-reference", "the case has no reference answer"),
    ("no-claim", "the answer makes no claim"),
    ("refuses", "the answer refuses"),
    ("broke", "the system failed"),
    ("not-given", "this judge does not give the facts it needs"),
];

fn as_expected(outcome: &Outcome, expected: &str) -> bool {
    match outcome {
        Outcome::Scored(score) => {
            expected.parse::<f64>().is_ok_and(|value| (score.value.get() - value).abs() < 1e-12)
        }
        Outcome::NotApplicable(NotApplicable { reason }) => {
            REASONS.contains(&(expected, reason.as_str()))
        }
        Outcome::Failed(_) => false,
    }
}

fn check(what: &str, judged: &Judged, expected: &str) {
    let expected: Vec<&str> = expected.split_whitespace().collect();
    assert_eq!(expected.len(), SPINE.len(), "{what}");
    for (id, expected) in SPINE.iter().zip(expected) {
        let outcome = judged.outcome(id);
        assert!(as_expected(&outcome, expected), "{what}, {id}: {outcome:?}, not {expected}");
    }
}

/// The facts of an answer that makes no claims, as code or a judge gives them.
fn without_claims(judged: &mut Judged, kind: AnswerKind) {
    judged.facts.refusal = fact(kind);
    judged.facts.claims = claims(0);
    judged.facts.support = support(&[]);
    judged.facts.implied = implied(true);
    judged.facts.similarity = None;
    judged.facts.coverage = coverage(&[("Part?", false)]);
}

fn without_contexts(judged: &mut Judged) {
    judged.record.contexts = Some(Vec::new());
    judged.facts.support = support(&[false; 4]);
    judged.facts.reference_support = reference_support(&[false; 2]);
    judged.facts.useful = fact(Vec::new());
}

/// A row: its name, what is changed in the whole record, what the metrics must say, by id:
/// answer_relevancy, context_precision, context_recall, faithfulness, noncommittal_rate,
/// question_coverage, refusal_rate.
type Row = (&'static str, fn(&mut Judged), &'static str);

const ROWS: [Row; 15] = [
    ("nothing is missing", |_| (), "0.9 0.5 0.5 0.75 0 0.5 0"),
    (
        "no answer field",
        |judged| {
            judged.record.answer = None;
            judged.facts.refusal = None;
            judged.facts.claims = None;
            judged.facts.support = None;
            judged.facts.implied = None;
            judged.facts.similarity = None;
            judged.facts.parts = None;
            judged.facts.coverage = None;
        },
        "no-answer 0.5 0.5 no-answer no-answer no-answer no-answer",
    ),
    (
        "no contexts field",
        |judged| {
            judged.record.contexts = None;
            judged.facts.support = None;
            judged.facts.reference_support = None;
            judged.facts.useful = None;
        },
        "0.9 no-contexts no-contexts no-contexts 0 0.5 0",
    ),
    (
        "no reference",
        |judged| judged.case.reference = None,
        "0.9 no-reference no-reference 0.75 0 0.5 0",
    ),
    (
        "a blank reference",
        |judged| judged.case.reference = Some(" \n".to_owned()),
        "0.9 no-reference no-reference 0.75 0 0.5 0",
    ),
    ("contexts: []", without_contexts, "0.9 0 0 0 0 0.5 0"),
    (
        "contexts: [] and no reference",
        |judged| {
            without_contexts(judged);
            judged.case.reference = None;
        },
        "0.9 no-reference no-reference 0 0 0.5 0",
    ),
    (
        "contexts: [] and a refusal",
        |judged| {
            without_contexts(judged);
            without_claims(judged, AnswerKind::Refused);
        },
        "0 0 0 refuses 1 0 1",
    ),
    (
        "an empty answer",
        |judged| {
            judged.record.answer = Some(String::new());
            without_claims(judged, AnswerKind::NoFactualContent);
        },
        "0 0.5 0.5 no-claim 1 0 0",
    ),
    (
        "a blank answer",
        |judged| {
            judged.record.answer = Some(" \u{a0}\n".to_owned());
            without_claims(judged, AnswerKind::NoFactualContent);
        },
        "0 0.5 0.5 no-claim 1 0 0",
    ),
    (
        "an error before retrieval",
        |judged| {
            judged.record.answer = None;
            judged.record.contexts = None;
            judged.record.error = Some("the system timed out".to_owned());
            without_claims(judged, AnswerKind::NoFactualContent);
        },
        "0 0 0 no-claim 1 0 broke",
    ),
    (
        "an error after retrieval",
        |judged| {
            judged.record.answer = None;
            judged.record.error = Some("the generator timed out".to_owned());
            without_claims(judged, AnswerKind::NoFactualContent);
        },
        "0 0.5 0.5 no-claim 1 0 broke",
    ),
    (
        "a refusal",
        |judged| {
            judged.record.answer = Some("I do not know.".to_owned());
            without_claims(judged, AnswerKind::Refused);
        },
        "0 0.5 0.5 refuses 1 0 1",
    ),
    (
        "a greeting",
        |judged| {
            judged.record.answer = Some("Hello!".to_owned());
            without_claims(judged, AnswerKind::NoFactualContent);
        },
        "0 0.5 0.5 no-claim 1 0 0",
    ),
    (
        "a judge that gives no facts",
        |judged| judged.facts = ragmeter_core::RecordFacts::default(),
        "not-given not-given not-given not-given not-given not-given not-given",
    ),
];

#[test]
fn missing_fields_are_not_applicable_and_missing_work_is_zero() {
    for (what, change, expected) in ROWS {
        let mut judged = Judged::whole();
        change(&mut judged);
        check(what, &judged, expected);
    }
}

#[test]
fn no_implied_question_is_no_number() {
    let mut judged = Judged::whole();
    judged.facts.similarity = fact(Vec::new());
    assert!(matches!(judged.outcome("answer_relevancy"), Outcome::NotApplicable(_)));
}

const CLASSES: [AbsenceClass; 13] = [
    AbsenceClass::Unreachable,
    AbsenceClass::Timeout,
    AbsenceClass::RateLimited,
    AbsenceClass::Auth,
    AbsenceClass::Rejected,
    AbsenceClass::Server,
    AbsenceClass::Filtered,
    AbsenceClass::Truncated,
    AbsenceClass::Unparsable,
    AbsenceClass::MissingIds,
    AbsenceClass::ExtractorEmpty,
    AbsenceClass::Budget,
    AbsenceClass::Unsupported,
];

/// Fails a fact and those that are made from it.
fn fail(judged: &mut Judged, kind: FactKind, absence: &Absence) {
    let facts = &mut judged.facts;
    let absent = || absence.clone();
    match kind {
        FactKind::Refusal => facts.refusal = Some(Err(absent())),
        FactKind::ResponseClaims => {
            facts.claims = Some(Err(absent()));
            facts.support = Some(Err(absent()));
        }
        FactKind::ClaimSupport => facts.support = Some(Err(absent())),
        FactKind::ImpliedQuestions => {
            facts.implied = Some(Err(absent()));
            facts.similarity = Some(Err(absent()));
        }
        FactKind::QuestionSimilarity => facts.similarity = Some(Err(absent())),
        FactKind::ReferenceUnits => {
            facts.units = Some(Err(absent()));
            facts.reference_support = Some(Err(absent()));
        }
        FactKind::ReferenceSupport => facts.reference_support = Some(Err(absent())),
        FactKind::ContextUsefulReference => facts.useful = Some(Err(absent())),
        FactKind::SubQuestions => {
            facts.parts = Some(Err(absent()));
            facts.coverage = Some(Err(absent()));
        }
        FactKind::QuestionCoverage => facts.coverage = Some(Err(absent())),
        other => panic!("{other:?} is not of the spine"),
    }
}

const KINDS: [FactKind; 10] = [
    FactKind::Refusal,
    FactKind::ResponseClaims,
    FactKind::ClaimSupport,
    FactKind::ImpliedQuestions,
    FactKind::QuestionSimilarity,
    FactKind::ReferenceUnits,
    FactKind::ReferenceSupport,
    FactKind::ContextUsefulReference,
    FactKind::SubQuestions,
    FactKind::QuestionCoverage,
];

#[test]
fn a_failed_fact_fails_the_metrics_that_name_it_and_no_other() {
    let whole = Judged::whole();
    for class in CLASSES {
        let absence = Absence { class, detail: "planted".to_owned() };
        for kind in KINDS {
            let mut judged = whole.clone();
            fail(&mut judged, kind, &absence);
            for metric in SPINE.iter().filter_map(|id| ragmeter_metrics::find(id)) {
                let outcome = judged.outcome(&metric.id);
                if metric.facts().contains(&kind) {
                    assert_eq!(
                        outcome,
                        Outcome::Failed(absence.clone()),
                        "{}, {kind:?}",
                        metric.id
                    );
                } else {
                    assert_eq!(outcome, whole.outcome(&metric.id), "{}, {kind:?}", metric.id);
                }
            }
        }
    }
}

#[test]
fn no_failure_of_the_judge_hides_what_the_record_itself_tells() {
    let absence = Absence { class: AbsenceClass::Timeout, detail: "planted".to_owned() };
    let mut judged = Judged::whole();
    judged.record.contexts = Some(Vec::new());
    judged.record.answer = Some(String::new());
    for kind in KINDS {
        fail(&mut judged, kind, &absence);
    }
    for metric in ["answer_relevancy", "context_precision", "context_recall", "question_coverage"] {
        assert!(judged.value(metric).abs() < 1e-12, "{metric}");
    }
}
