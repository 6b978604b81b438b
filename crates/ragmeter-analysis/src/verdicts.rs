//! Every verdict of a record under the unit that it is about, so that two judgements of the same
//! record can be put side by side.

use std::collections::BTreeMap;

use ragmeter_core::{
    AnswerKind, Checked, FactKind, FactSlot, Grade, NuggetSupport, RecordFacts, Support,
};
use ragmeter_stats::Order;

use crate::JudgedRecord;

/// What was said of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The label's number.
    pub(crate) label: usize,
    /// Whether it is the fact's own yes (supported, useful, refused); `None` for grades.
    pub(crate) yes: Option<bool>,
}

/// Verdicts of one fact on one record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdicts {
    /// By the unit's text, and which of equal texts it is.
    pub(crate) units: BTreeMap<(String, usize), Verdict>,
}

/// Whether the labels of a fact have an order.
pub(crate) fn order(fact: &str) -> Order {
    const ORDERED: [&str; 5] = [
        "context_relevance",
        "groundedness_grade",
        "accuracy_grade",
        "relevance_grade",
        "nugget_support",
    ];
    if ORDERED.contains(&fact) || fact.starts_with("criteria:") {
        Order::Ordinal
    } else {
        Order::Nominal
    }
}

/// The verdicts of every fact that has some, by the fact's name; criteria as `criteria:NAME`.
pub(crate) fn verdicts(one: &JudgedRecord) -> BTreeMap<String, Verdicts> {
    let facts = &one.facts;
    let mut found: BTreeMap<String, Verdicts> = BTreeMap::new();
    let mut add = |kind: FactKind, said: Vec<(String, Verdict)>| {
        if !said.is_empty() {
            found.insert(kind.name().to_owned(), named(said));
        }
    };
    let claims = texts(&facts.claims, |claim| claim.text.clone());
    let reference_claims = texts(&facts.reference_claims, Clone::clone);
    let contexts: Vec<String> =
        one.record.contexts.iter().flatten().map(|context| context.text.clone()).collect();
    add(FactKind::Refusal, single(&facts.refusal, |kind| answer_kind(*kind)));
    add(
        FactKind::ClaimSupport,
        by_index(&facts.support, &claims, |verdict| (verdict.claim, support(verdict.support))),
    );
    add(FactKind::ClaimSupportEach, grid(&facts.support_each, &claims, &contexts, |s| support(*s)));
    add(FactKind::ClaimCorrect, in_order(&facts.correct, &claims, checked));
    add(FactKind::ImpliedQuestions, single(&facts.implied, |said| yes_or_no(said.noncommittal)));
    let units = texts(&facts.units, Clone::clone);
    add(
        FactKind::ReferenceSupport,
        by_index(&facts.reference_support, &units, |verdict| {
            (verdict.unit, yes_or_no(verdict.attributable))
        }),
    );
    let each = &facts.reference_support_each;
    add(
        FactKind::ReferenceSupportEach,
        grid(each, &reference_claims, &contexts, |s| yes_or_no(*s)),
    );
    add(FactKind::ReferenceCovered, in_order(&facts.reference_covered, &reference_claims, checked));
    add(FactKind::ContextUsefulReference, in_order(&facts.useful, &contexts, |s| yes_or_no(*s)));
    add(
        FactKind::ContextUsefulAnswer,
        in_order(&facts.useful_answer, &contexts, |s| yes_or_no(*s)),
    );
    add(FactKind::ContextRelevance, in_order(&facts.relevance, &contexts, grade));
    add(FactKind::Answerable, single(&facts.answerable, |said| yes_or_no(*said)));
    let parts = texts(&facts.coverage, |verdict| verdict.part.clone());
    add(FactKind::QuestionCoverage, in_order(&facts.coverage, &parts, |s| yes_or_no(s.answered)));
    add(FactKind::GroundednessGrade, single(&facts.groundedness, grade));
    let orders = ["answer first".to_owned(), "reference first".to_owned()];
    add(FactKind::AccuracyGrade, in_order(&facts.accuracy, &orders, grade));
    add(FactKind::RelevanceGrade, single(&facts.answer_relevance, grade));
    let nuggets = texts(&facts.nuggets, |nugget| nugget.text.clone());
    add(FactKind::NuggetSupport, in_order(&facts.nugget_support, &nuggets, |said| nugget(*said)));
    let topics = texts(&facts.topics, |topic| topic.topic.clone());
    add(FactKind::TopicsAllowed, in_order(&facts.topics_allowed, &topics, |s| yes_or_no(*s)));
    add(FactKind::GoalReached, single(&facts.goal_reached, |said| yes_or_no(*said)));
    let reference_goal = single(&facts.reference_goal_reached, |said| yes_or_no(*said));
    add(FactKind::ReferenceGoalReached, reference_goal);
    add(FactKind::SqlEquivalent, single(&facts.sql, |said| yes_or_no(*said)));
    let questions = texts(&facts.summary_questions, Clone::clone);
    add(FactKind::SummaryAnswers, in_order(&facts.summary_answers, &questions, |s| yes_or_no(*s)));
    add_criteria(facts, &mut found);
    found
}

fn add_criteria(facts: &RecordFacts, found: &mut BTreeMap<String, Verdicts>) {
    for (name, fact) in &facts.criteria {
        let Ok(fact) = fact else { continue };
        let said = vec![(String::new(), grade(&fact.value))];
        found.insert(format!("criteria:{name}"), named(said));
    }
}

/// Each verdict under its text, equal texts numbered.
fn named(said: Vec<(String, Verdict)>) -> Verdicts {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let units = said.into_iter().map(|(text, verdict)| {
        let nth = seen.entry(text.clone()).or_default();
        *nth += 1;
        ((text, *nth - 1), verdict)
    });
    Verdicts { units: units.collect() }
}

fn had<T>(slot: &FactSlot<T>) -> Option<&T> {
    slot.as_ref()?.as_ref().ok().map(|fact| &fact.value)
}

fn texts<T>(slot: &FactSlot<Vec<T>>, text: impl Fn(&T) -> String) -> Vec<String> {
    had(slot).into_iter().flatten().map(text).collect()
}

fn single<T>(slot: &FactSlot<T>, verdict: impl Fn(&T) -> Verdict) -> Vec<(String, Verdict)> {
    had(slot).map(|value| (String::new(), verdict(value))).into_iter().collect()
}

fn in_order<T>(
    slot: &FactSlot<Vec<T>>,
    texts: &[String],
    verdict: impl Fn(&T) -> Verdict,
) -> Vec<(String, Verdict)> {
    let values = had(slot).into_iter().flatten();
    texts.iter().cloned().zip(values.map(verdict)).collect()
}

fn by_index<T>(
    slot: &FactSlot<Vec<T>>,
    texts: &[String],
    verdict: impl Fn(&T) -> (usize, Verdict),
) -> Vec<(String, Verdict)> {
    let values = had(slot).into_iter().flatten().map(verdict);
    values.filter_map(|(at, verdict)| Some((texts.get(at)?.clone(), verdict))).collect()
}

fn grid<T>(
    slot: &FactSlot<Vec<Vec<T>>>,
    rows: &[String],
    columns: &[String],
    verdict: impl Fn(&T) -> Verdict,
) -> Vec<(String, Verdict)> {
    let values = had(slot).into_iter().flatten();
    let cells = rows.iter().zip(values).flat_map(|(row, values)| {
        columns.iter().zip(values).map(move |(column, value)| (row, column, value))
    });
    cells.map(|(row, column, value)| (format!("{row}\n{column}"), verdict(value))).collect()
}

fn yes_or_no(said: bool) -> Verdict {
    Verdict { label: usize::from(said), yes: Some(said) }
}

fn support(said: Support) -> Verdict {
    let label = match said {
        Support::Supported => 0,
        Support::Absent => 1,
        Support::Contradicted => 2,
    };
    Verdict { label, yes: Some(said == Support::Supported) }
}

fn checked(said: &Checked) -> Verdict {
    support(said.support)
}

fn answer_kind(said: AnswerKind) -> Verdict {
    let label = match said {
        AnswerKind::Answered => 0,
        AnswerKind::Refused => 1,
        AnswerKind::NoFactualContent => 2,
    };
    Verdict { label, yes: Some(said == AnswerKind::Refused) }
}

fn nugget(said: NuggetSupport) -> Verdict {
    let label = match said {
        NuggetSupport::NotSupport => 0,
        NuggetSupport::PartialSupport => 1,
        NuggetSupport::Support => 2,
    };
    Verdict { label, yes: Some(said == NuggetSupport::Support) }
}

/// Grades are small numbers from 0; one weighted by probabilities counts as the nearest.
fn grade(said: &Grade) -> Verdict {
    Verdict { label: said.grade.round().max(0.0) as usize, yes: None }
}
