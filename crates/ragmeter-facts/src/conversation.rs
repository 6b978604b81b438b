//! Conversations: their topics, what they were for, and where they ended.

use ragmeter_core::{Absence, Fact, FactKind, Goal, RecordFacts, Topic, Turn, TurnRole};
use serde::Deserialize;

use crate::group::{Field, Group};
use crate::judging::{Checklist, Judging, numbered};
use crate::replies::Identified;
use crate::schema::{boolean, id, list, list_of, object, text};
use crate::template::View;
use crate::votes::Same;
use crate::wanted::Wanted;

/// The turns as a prompt shows them: who speaks, and what; tool calls as JSON.
fn turns(j: &Judging<'_>) -> Vec<(&'static str, String)> {
    let mut turns: Vec<(&str, String)> =
        j.run.conversation().map(|turn| (who(turn.role), said(turn))).collect();
    // A recording that tells the answer alone: the question and it are the conversation.
    if j.run.record.messages.is_empty()
        && let Some(answer) = j.run.answer()
    {
        if turns.is_empty() {
            turns.push((who(TurnRole::Human), j.run.case.question.clone()));
        }
        turns.push((who(TurnRole::Ai), answer.to_owned()));
    }
    turns
}

fn who(role: TurnRole) -> &'static str {
    match role {
        TurnRole::Human => "human",
        TurnRole::Ai => "ai",
        TurnRole::Tool => "tool",
        TurnRole::System => "system",
    }
}

fn said(turn: &Turn) -> String {
    let calls = turn
        .tool_calls
        .iter()
        .map(|call| format!("→ {} {}", call.name, serde_json::Value::Object(call.args.clone())));
    let content = (!turn.content.trim().is_empty()).then(|| turn.content.clone());
    content.into_iter().chain(calls).collect::<Vec<_>>().join("\n")
}

/// Whether the record is a conversation that can be judged as one.
fn conversation(j: &Judging<'_>) -> Option<Vec<(&'static str, String)>> {
    let has_messages = !j.run.case.messages.is_empty() || !j.run.record.messages.is_empty();
    (has_messages && j.run.tells_answer()).then(|| turns(j))
}

fn shown(view: View, turns: &[(&'static str, String)]) -> View {
    view.turns(turns.iter().map(|(who, text)| (*who, text.as_str())))
}

#[derive(Deserialize)]
struct FoundTopics {
    topics: Vec<FoundTopic>,
}

#[derive(Deserialize)]
struct FoundTopic {
    topic: String,
    answered: bool,
}

pub(crate) async fn topics(j: &Judging<'_>, wanted: &Wanted) -> RecordFacts {
    let mut facts = RecordFacts::default();
    let Some(turns) = conversation(j) else { return facts };
    let topic = object([("topic", text()), ("answered", boolean())]);
    let question =
        j.question(Group::TopicsOf, |view| shown(view, &turns), object([("topics", list(&topic))]));
    let read = |reply: FoundTopics| {
        let mut topics: Vec<Topic> = Vec::new();
        for found in reply.topics {
            let topic = found.topic.trim().to_owned();
            if !topic.is_empty() && !topics.iter().any(|known| known.topic == topic) {
                topics.push(Topic { topic, answered: found.answered });
            }
        }
        Ok(topics)
    };
    let topics = j.ask(question, read).await;
    if wanted.has(FactKind::TopicsAllowed) && !j.run.case.reference_topics.is_empty() {
        facts.topics_allowed = Some(match &topics {
            Ok(topics) => allowed(j, &topics.value).await,
            Err(absence) => Err(absence.clone()),
        });
    }
    facts.topics = Some(topics);
    facts
}

#[derive(Deserialize)]
struct AllowedTopics {
    topics: Vec<AllowedTopic>,
}

#[derive(Clone, PartialEq, Deserialize)]
struct AllowedTopic {
    topic: i64,
    allowed: bool,
}

impl Identified for AllowedTopic {
    fn id(&self) -> i64 {
        self.topic
    }
}

impl Same for AllowedTopic {
    fn same(&self, other: &Self) -> bool {
        self.allowed == other.allowed
    }
}

async fn allowed(j: &Judging<'_>, topics: &[Topic]) -> Result<Fact<Vec<bool>>, Absence> {
    let texts: Vec<&str> = topics.iter().map(|topic| topic.topic.as_str()).collect();
    let reference: Vec<&str> = j.run.case.reference_topics.iter().map(String::as_str).collect();
    let show = |view: View, texts: &[&str]| {
        view.list(Field::Topics, "topics", numbered(texts)).list(
            Field::Topics,
            "allowed",
            numbered(&reference),
        )
    };
    let schema = |count| {
        let verdict = object([("topic", id(count)), ("allowed", boolean())]);
        object([("topics", list_of(count, &verdict))])
    };
    let checklist: Checklist<'_, AllowedTopics, AllowedTopic> = Checklist {
        group: Group::TopicsAllowed,
        what: "topics",
        texts: &texts,
        batch: usize::MAX,
        show: &show,
        schema: &schema,
        items: |reply| reply.topics,
    };
    let judged = j.check(&checklist).await?;
    let value = judged.value.iter().map(|one| one.allowed).collect();
    Ok(Fact { value, source: judged.source })
}

#[derive(Deserialize)]
struct FoundGoal {
    goal: String,
    end_state: String,
}

pub(crate) async fn goals(j: &Judging<'_>, wanted: &Wanted) -> RecordFacts {
    let mut facts = RecordFacts::default();
    let Some(turns) = conversation(j) else { return facts };
    let question = j.question(
        Group::GoalOf,
        |view| shown(view, &turns),
        object([("goal", text()), ("end_state", text())]),
    );
    let read = |reply: FoundGoal| {
        let (goal, end_state) = (reply.goal.trim().to_owned(), reply.end_state.trim().to_owned());
        if goal.is_empty() || end_state.is_empty() {
            return Err("goal or end state is empty".to_owned());
        }
        Ok(Goal { goal, end_state })
    };
    let goal = j.ask(question, read).await;
    let inferred = async {
        if !wanted.has(FactKind::GoalReached) {
            return None;
        }
        Some(match &goal {
            Ok(goal) => reached(j, Field::Goal, &goal.value.goal, &goal.value.end_state).await,
            Err(absence) => Err(absence.clone()),
        })
    };
    let referred = async {
        if !wanted.has(FactKind::ReferenceGoalReached) {
            return None;
        }
        let reference = j.run.reference()?;
        Some(match &goal {
            Ok(goal) => reached(j, Field::Reference, reference, &goal.value.end_state).await,
            Err(absence) => Err(absence.clone()),
        })
    };
    (facts.goal_reached, facts.reference_goal_reached) = futures::join!(inferred, referred);
    facts.goal = Some(goal);
    facts
}

#[derive(Deserialize)]
struct Reached {
    reached: bool,
}

async fn reached(
    j: &Judging<'_>,
    field: Field,
    desired: &str,
    end_state: &str,
) -> Result<Fact<bool>, Absence> {
    let question = j.question(
        Group::GoalReached,
        |view| view.text(field, "desired", desired).text(Field::Goal, "end_state", end_state),
        object([("reason", text()), ("reached", boolean())]),
    );
    j.ask_voted(question, |reply: Reached| Ok(reply.reached)).await
}
