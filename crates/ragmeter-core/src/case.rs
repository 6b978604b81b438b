use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Lang;

/// One question of a test set, with what is known to be true about its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCase {
    /// Unique in its test set; the line number where the file gives none.
    pub id: String,
    /// The question.
    pub question: String,
    /// The reference answer.
    pub reference: Option<String>,
    /// Passages that prove the reference answer.
    #[serde(default)]
    pub reference_contexts: Vec<String>,
    /// Ids of those passages.
    #[serde(default)]
    pub reference_context_ids: Vec<String>,
    /// Free labels (kind of question, difficulty, …).
    #[serde(default)]
    pub tags: Vec<String>,
    /// The document the question was made from.
    pub source: Option<String>,
    /// Other documents that it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_sources: Vec<String>,
    /// Who wrote it: a model's name, or a person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The language, where the file names it; else it is detected.
    pub lang: Option<Lang>,
    // Fields that came later are left out where they say nothing: a case that has none of them
    // keeps its form, and runs over it their ids.
    /// Of a conversation, all messages up to and with the question, which is the last of them.
    /// Empty for a single question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Turn>,
    /// The tool calls that an agent should make, in order; `Some` of none: it should make none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_tool_calls: Option<Vec<ToolCall>>,
    /// The topics that a conversation should keep to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference_topics: Vec<String>,
    /// What each grade of this case means, by name (`score1_description`, …).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rubrics: BTreeMap<String, String>,
    /// Grades of documents or passages by id: 0 is not relevant, more is better, a negative one was
    /// not judged. An id of `reference_context_ids` that isn't here has grade 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relevance: BTreeMap<String, i32>,
}

/// Who says a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnRole {
    /// The person (`human`, `user`).
    #[default]
    Human,
    /// The system under test (`ai`, `assistant`).
    Ai,
    /// What a tool gave back.
    Tool,
    /// Instructions that stand before a conversation (`system`, `developer`).
    System,
}

/// One message of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Who says it.
    pub role: TurnRole,
    /// Its text; empty where the message only calls tools.
    pub content: String,
    /// The tools that it calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments by name.
    pub args: serde_json::Map<String, serde_json::Value>,
}

impl TestCase {
    /// Every document that it was made from.
    pub fn documents(&self) -> Vec<&str> {
        self.source.iter().chain(&self.more_sources).map(String::as_str).collect()
    }
}

/// One retrieved passage, in the order in which the system ranked it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Context {
    /// The system's own id of it.
    pub id: Option<String>,
    /// The passage.
    pub text: String,
    /// The document it came from.
    pub source: Option<String>,
    /// The retriever's score; its scale is the retriever's own.
    pub score: Option<f64>,
}

/// What one system did with one case. It holds no judgement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The system's name.
    pub system: String,
    /// The case's id.
    pub case_id: String,
    /// Retrieved passages in rank order; `None` if the recording does not tell.
    pub contexts: Option<Vec<Context>>,
    /// The answer; `None` if the recording does not tell.
    pub answer: Option<String>,
    /// Why there is no answer, where the system failed.
    pub error: Option<String>,
    /// Whether the generator itself refused or was filtered (a scored refusal).
    #[serde(default)]
    pub refused_by_model: bool,
    /// Seconds the system took.
    pub seconds: Option<f64>,
    /// Other figures of the system (tokens, cost), by name.
    #[serde(default)]
    pub figures: BTreeMap<String, f64>,
    /// In a conversation, what followed the question: the system's messages with the tools that
    /// they call, and what the tools gave back. Empty where only the answer is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Turn>,
}

/// A case with one system's record of it: the single argument of every metric.
#[derive(Clone, Copy, Debug)]
pub struct CaseRun<'a> {
    /// The case.
    pub case: &'a TestCase,
    /// What the system did.
    pub record: &'a RunRecord,
}

impl<'a> CaseRun<'a> {
    /// The retrieved passages; `None` if the recording does not tell, or tells their ids only. A
    /// system that failed before it retrieved anything retrieved nothing.
    pub fn contexts(&self) -> Option<&'a [Context]> {
        let only_id = |one: &Context| one.id.is_some() && one.text.trim().is_empty();
        match &self.record.contexts {
            Some(contexts) if !contexts.is_empty() && contexts.iter().all(only_id) => None,
            Some(contexts) => Some(contexts),
            None if self.record.error.is_some() => Some(&[]),
            None => None,
        }
    }

    /// Whether the record tells what was answered: an error tells that nothing was, a
    /// generator's refusal that it refused.
    pub fn tells_answer(&self) -> bool {
        let record = self.record;
        record.answer.is_some() || record.error.is_some() || record.refused_by_model
    }

    /// The whole conversation: what led to the question, and what the system did then.
    pub fn conversation(&self) -> impl Iterator<Item = &'a Turn> + use<'a> {
        self.case.messages.iter().chain(&self.record.messages)
    }

    /// The answer if it has any visible character.
    pub fn answer(&self) -> Option<&'a str> {
        self.record.answer.as_deref().filter(|text| !text.trim().is_empty())
    }

    /// The reference answer if it has any visible character.
    pub fn reference(&self) -> Option<&'a str> {
        self.case.reference.as_deref().filter(|text| !text.trim().is_empty())
    }
}
