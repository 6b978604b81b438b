//! Conversations: topics and goals.

use ragmeter_core::{CaseRun, FactKind, FactSlot, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const TOPICS_F1: Definition = Definition {
    id: "topic_adherence",
    title: ["Topic adherence", "Соблюдение тем"],
    definition: ["F1 of topic precision and topic recall.", "F1 точности и полноты по темам."],
    card: include_str!("../cards/topic_adherence.md"),
    facts: &[FactKind::Topics, FactKind::TopicsAllowed],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(topics(run, facts, Part::F1)),
};

pub(crate) const TOPICS_PRECISION: Definition = Definition {
    id: "topic_adherence_precision",
    title: ["Topic adherence, precision", "Соблюдение тем: точность"],
    definition: [
        "Of the topics that the system went into, the share that is among the reference topics.",
        "Какая доля тем, на которые система отвечала, входит в дозволенные.",
    ],
    card: include_str!("../cards/topic_adherence_precision.md"),
    facts: &[FactKind::Topics, FactKind::TopicsAllowed],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(topics(run, facts, Part::Precision)),
};

pub(crate) const TOPICS_RECALL: Definition = Definition {
    id: "topic_adherence_recall",
    title: ["Topic adherence, recall", "Соблюдение тем: полнота"],
    definition: [
        "Of the topics raised that are among the reference topics, the share that the system went into.",
        "На какую долю поднятых дозволенных тем система отвечала.",
    ],
    card: include_str!("../cards/topic_adherence_recall.md"),
    facts: &[FactKind::Topics, FactKind::TopicsAllowed],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(topics(run, facts, Part::Recall)),
};

pub(crate) const GOAL: Definition = Definition {
    id: "agent_goal_accuracy",
    title: ["Agent goal accuracy", "Достижение цели"],
    definition: [
        "Whether the conversation ends in what the reference answer says it should.",
        "Заканчивается ли разговор тем, что сказано в эталоне.",
    ],
    card: include_str!("../cards/agent_goal_accuracy.md"),
    facts: &[FactKind::AgentGoal, FactKind::ReferenceGoalReached],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(goal(run, &facts.reference_goal_reached, true)),
};

pub(crate) const GOAL_INFERRED: Definition = Definition {
    id: "agent_goal_accuracy_without_reference",
    title: ["Agent goal accuracy without reference", "Достижение цели без эталона"],
    definition: [
        "Whether the conversation ends in what the human wanted, as inferred from it.",
        "Заканчивается ли разговор тем, чего хотел человек, судя по самому разговору.",
    ],
    card: include_str!("../cards/agent_goal_accuracy_without_reference.md"),
    facts: &[FactKind::AgentGoal, FactKind::GoalReached],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(goal(run, &facts.goal_reached, false)),
};

#[derive(Clone, Copy)]
enum Part {
    Precision,
    Recall,
    F1,
}

fn conversation(run: CaseRun<'_>) -> Result<(), Outcome> {
    if run.case.messages.is_empty() && run.record.messages.is_empty() {
        return Err(Outcome::not_applicable("the record is no conversation"));
    }
    need::answer_field(run)
}

fn topics(run: CaseRun<'_>, facts: &RecordFacts, part: Part) -> Result<Outcome, Outcome> {
    conversation(run)?;
    if run.case.reference_topics.is_empty() {
        return Err(Outcome::not_applicable("the case has no reference topics"));
    }
    let topics = need::fact(&facts.topics)?;
    let allowed = need::fact(&facts.topics_allowed)?;
    let count = |answered: bool, is_allowed: bool| {
        let of = topics.iter().zip(allowed);
        of.filter(|(topic, allowed)| topic.answered == answered && **allowed == is_allowed).count()
    };
    let (right, wrong, missed) = (count(true, true), count(true, false), count(false, true));
    // The F1 of counts, so that no share is taken of nothing.
    let (of, whole) = match part {
        Part::Precision => (right, right + wrong),
        Part::Recall => (right, right + missed),
        Part::F1 => (2 * right, 2 * right + wrong + missed),
    };
    let value = UnitInterval::share(of, whole)
        .ok_or_else(|| Outcome::not_applicable("no topic of that kind came up"))?;
    let words = format!(
        "{right} allowed topics answered, {wrong} others answered, {missed} allowed ones declined"
    );
    Ok(Outcome::scored(value, words))
}

fn goal(
    run: CaseRun<'_>,
    reached: &FactSlot<bool>,
    by_reference: bool,
) -> Result<Outcome, Outcome> {
    conversation(run)?;
    if by_reference {
        need::reference(run)?;
    }
    Ok(if *need::fact(reached)? {
        Outcome::scored(UnitInterval::ONE, "the goal is reached")
    } else {
        Outcome::scored(UnitInterval::ZERO, "the goal is not reached")
    })
}
