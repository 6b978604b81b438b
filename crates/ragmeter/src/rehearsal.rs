//! A judge that asks nobody: what is in the store is read, the rest is made up and counted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use ragmeter_core::{BoxFuture, ChatModel, Digest, Fact, ModelError, Rung, Source, Store};
use ragmeter_facts::{Ask, Asker, KeyParts, Reply, likely_reply, reply_key};
use ragmeter_store::SqliteStore;
use ragmeter_text::TokenCounter;

use crate::plan::{PlannedCalls, PlannedTokens};

/// Stands in for a judge: replies that are in the store are read, the others are made up in their
/// probable shape and counted.
#[derive(Debug)]
pub(crate) struct Rehearsal {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) returned: Option<String>,
    pub(crate) first_rung: Rung,
    pub(crate) generation: u32,
    pub(crate) votes: usize,
    pub(crate) counter: Counter,
    pub(crate) asked: Mutex<Asked>,
}

#[derive(Debug, Default)]
pub(crate) struct Asked {
    seen: BTreeSet<Digest>,
    pub(crate) calls: PlannedCalls,
    pub(crate) groups: BTreeMap<String, usize>,
    pub(crate) tokens: PlannedTokens,
}

/// How tokens are counted.
#[derive(Debug)]
pub(crate) enum Counter {
    /// By the model's own vocabulary.
    Own(TokenCounter),
    /// By the characters a token that an earlier run with this judge was billed.
    Measured(f64),
    /// By a public vocabulary, on this very text.
    Public(TokenCounter),
}

impl Counter {
    pub(crate) fn of(model: &str, measured: Option<f64>) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model);
        let new = ["gpt-4o", "gpt-4.1", "gpt-5", "o1", "o3", "o4"];
        if new.iter().any(|start| name.starts_with(start)) {
            return Self::Own(TokenCounter::O200kBase);
        }
        if name.starts_with("gpt-4") || name.starts_with("gpt-3.5") {
            return Self::Own(TokenCounter::Cl100kBase);
        }
        measured.map_or(Self::Public(TokenCounter::O200kBase), Self::Measured)
    }

    fn count(&self, text: &str) -> u64 {
        match self {
            Self::Own(counter) | Self::Public(counter) => counter.count(text) as u64,
            Self::Measured(ratio) => (text.chars().count() as f64 / ratio).ceil() as u64,
        }
    }

    pub(crate) fn words(&self) -> String {
        match self {
            Self::Own(counter) => format!("{}, the model's own vocabulary", counter.name()),
            Self::Measured(ratio) => {
                format!(
                    "{ratio:.2} characters a token, as an earlier run with this judge was billed"
                )
            }
            Self::Public(counter) => {
                format!("{} on this text; the model's own vocabulary is not known", counter.name())
            }
        }
    }
}

impl Rehearsal {
    /// Whether a fact rests on a reply that is not in the store.
    pub(crate) fn made_up<T>(&self, fact: &Fact<T>) -> bool {
        match &fact.source {
            Source::Judge(judge) => {
                judge.replies.iter().any(|key| !matches!(self.store.reply(key), Ok(Some(_))))
            }
            _ => false,
        }
    }

    fn reply_now(&self, ask: &Ask) -> Reply {
        let key = |model: &str| {
            let parts = KeyParts {
                group: ask.group,
                again: ask.again,
                lang: ask.lang,
                vote: ask.vote,
                attempt: ask.attempt,
                generation: self.generation,
                endpoint: self.model.endpoint(),
                model,
            };
            reply_key(parts, &ask.request)
        };
        let model = self.returned.as_deref().unwrap_or(self.model.model());
        let key = key(model);
        let stored = self.store.reply(&key).ok().flatten();
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let first = asked.seen.insert(key.clone());
        if let Some(stored) = stored {
            asked.calls.cached += usize::from(first);
            let (truncated, filtered) = (stored.truncated, stored.filtered);
            return Reply {
                key,
                text: stored.text,
                truncated,
                filtered,
                model: stored.model,
                cached: true,
                tokens: Vec::new(),
            };
        }
        let text = likely_reply(ask);
        if first {
            asked.calls.chat += 1;
            *asked.groups.entry(ask.group.tag(ask.again)).or_default() += 1;
            let messages = ask.request.messages.iter();
            asked.tokens.input += messages.map(|one| self.counter.count(&one.content)).sum::<u64>();
            asked.tokens.output += self.counter.count(&text);
        }
        let model = model.to_owned();
        Reply {
            key,
            text,
            truncated: false,
            filtered: false,
            model,
            cached: false,
            tokens: Vec::new(),
        }
    }
}

impl Asker for Rehearsal {
    fn endpoint(&self) -> &str {
        self.model.endpoint()
    }

    fn votes(&self) -> usize {
        self.votes
    }

    fn first_rung(&self) -> Rung {
        self.first_rung
    }

    fn lower_first_rung(&self, _: Rung) {}

    fn reply(&self, ask: Ask) -> BoxFuture<'_, Result<Reply, ModelError>> {
        Box::pin(async move { Ok(self.reply_now(&ask)) })
    }
}
