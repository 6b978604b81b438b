use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ragmeter_core::{
    AbsenceClass, BoxFuture, ChatModel, ChatReply, Digest, ErrorClass, ModelError, ModelState,
    Rung, Store, StoreError, StoredReply, TokenChoice,
};
use ragmeter_facts::{Ask, Asker, KeyParts, Reply, reply_key};
use ragmeter_runner::Control;

use crate::budget::{Budget, Counters};

/// A model behind the store: a reply that was paid for is never asked for again, equal calls in
/// flight are one call, and every reply is kept before anyone reads it.
#[derive(Debug)]
pub(crate) struct StoredAsker {
    model: Arc<dyn ChatModel>,
    store: Arc<dyn Store>,
    counters: Arc<Counters>,
    budget: Budget,
    control: Control,
    state: Mutex<Known>,
    votes: usize,
    /// One lock for each call in flight, by its request.
    flights: Mutex<HashMap<Digest, Arc<tokio::sync::Mutex<()>>>>,
    fatal: OnceLock<StoreError>,
}

#[derive(Clone, Debug)]
struct Known {
    returned: Option<String>,
    first_rung: Rung,
    generation: u32,
}

impl StoredAsker {
    /// Opens the asker with what the store knows of the model. `fresh` asks everything anew: a
    /// new generation of keys, which later runs go on from.
    pub(crate) fn new(
        model: Arc<dyn ChatModel>,
        store: Arc<dyn Store>,
        counters: Arc<Counters>,
        budget: Budget,
        control: Control,
        fresh: bool,
        votes: usize,
    ) -> Result<Self, StoreError> {
        let known = store.model_state(model.endpoint(), model.model())?;
        let mut state = Known {
            returned: known.as_ref().map(|known| known.returned.clone()),
            first_rung: known.as_ref().map_or(Rung::Native, |known| known.first_rung),
            generation: known.as_ref().map_or(0, |known| known.generation),
        };
        if fresh && let Some(mut known) = known {
            known.generation += 1;
            state.generation = known.generation;
            store.put_model_state(model.endpoint(), model.model(), &known)?;
        }
        Ok(Self {
            model,
            store,
            counters,
            budget,
            control,
            state: Mutex::new(state),
            votes,
            flights: Mutex::default(),
            fatal: OnceLock::new(),
        })
    }

    /// The generation of the keys.
    pub(crate) fn generation(&self) -> u32 {
        self.known().generation
    }

    /// The failure of the store that stopped the run, if one did.
    pub(crate) fn fatal(&self) -> Option<&StoreError> {
        self.fatal.get()
    }

    fn known(&self) -> Known {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what is known, and keeps it if the model's own name is known.
    fn learn(&self, change: impl FnOnce(&mut Known)) -> Result<(), StoreError> {
        let state = {
            let mut known = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let before = (known.returned.clone(), known.first_rung);
            change(&mut known);
            if before == (known.returned.clone(), known.first_rung) {
                return Ok(());
            }
            known.clone()
        };
        let Some(returned) = state.returned else { return Ok(()) };
        let (first_rung, generation) = (state.first_rung, state.generation);
        let state = ModelState { returned, first_rung, generation };
        self.store.put_model_state(self.model.endpoint(), self.model.model(), &state)
    }

    fn key(&self, ask: &Ask, model: &str, generation: u32) -> Digest {
        let parts = KeyParts {
            group: ask.group,
            again: ask.again,
            lang: ask.lang,
            vote: ask.vote,
            attempt: ask.attempt,
            generation,
            endpoint: self.model.endpoint(),
            model,
        };
        reply_key(parts, &ask.request)
    }

    fn stored(&self, ask: &Ask) -> Result<Option<Reply>, StoreError> {
        let known = self.known();
        let Some(returned) = &known.returned else { return Ok(None) };
        let key = self.key(ask, returned, known.generation);
        Ok(self.store.reply(&key)?.map(|stored| Reply {
            key,
            tokens: self.tokens(ask, &stored.raw),
            text: stored.text,
            truncated: stored.truncated,
            filtered: stored.filtered,
            model: stored.model,
            cached: true,
        }))
    }

    async fn reply_once(&self, ask: Ask) -> Result<Reply, ModelError> {
        if let Some(reply) = self.stored(&ask).map_err(|error| self.stop(error))? {
            self.counters.add_cached(1);
            return Ok(reply);
        }
        // Equal calls wait for the first one and then find its reply in the store.
        let flight = self.key(&ask, "", 0);
        let lock = {
            let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(flights.entry(flight.clone()).or_default())
        };
        let guard = lock.lock().await;
        let reply = self.live(ask).await;
        drop(guard);
        self.flights.lock().unwrap_or_else(PoisonError::into_inner).remove(&flight);
        reply
    }

    async fn live(&self, ask: Ask) -> Result<Reply, ModelError> {
        // Looked up once more: the reply may have come between the first look and the lock.
        if let Some(reply) = self.stored(&ask).map_err(|error| self.stop(error))? {
            self.counters.add_cached(1);
            return Ok(reply);
        }
        let stopped = || self.error(AbsenceClass::Budget, "not asked: the run was stopped before");
        if self.control.cancelled() {
            return Err(stopped());
        }
        let characters = characters(&ask.request);
        let call = self.counters.begin(characters, &self.budget).ok_or_else(stopped)?;
        let reply = self.model.chat(ask.request.clone()).await?;
        call.end(reply.usage);
        self.keep(&ask, reply).map_err(|error| self.stop(error))
    }

    fn keep(&self, ask: &Ask, reply: ChatReply) -> Result<Reply, StoreError> {
        let generation = self.known().generation;
        self.learn(|known| known.returned = Some(reply.model.clone()))?;
        let key = self.key(ask, &reply.model, generation);
        let stored = StoredReply {
            group: ask.group.tag(ask.again),
            text: reply.text,
            truncated: reply.truncated,
            filtered: reply.filtered,
            model: reply.model,
            usage: reply.usage,
            raw: reply.raw,
        };
        self.store.put_reply(&key, &stored)?;
        Ok(Reply {
            key,
            tokens: self.tokens(ask, &stored.raw),
            text: stored.text,
            truncated: stored.truncated,
            filtered: stored.filtered,
            model: stored.model,
            cached: false,
        })
    }

    /// The tokens of a raw reply, if the question asked for them.
    fn tokens(&self, ask: &Ask, raw: &str) -> Vec<TokenChoice> {
        if ask.request.logprobs { self.model.token_choices(raw) } else { Vec::new() }
    }

    /// A store that can't be written stops the run: going on would pay for replies that are lost.
    fn stop(&self, error: StoreError) -> ModelError {
        let detail = error.to_string();
        let _ = self.fatal.set(error);
        self.control.cancel();
        self.error(AbsenceClass::Server, &detail)
    }

    fn error(&self, class: AbsenceClass, detail: &str) -> ModelError {
        ModelError {
            class: ErrorClass::Failed(class),
            model: self.model.model().to_owned(),
            endpoint: self.model.endpoint().to_owned(),
            detail: detail.to_owned(),
        }
    }
}

/// Characters of a request's messages.
pub(crate) fn characters(request: &ragmeter_core::ChatRequest) -> u64 {
    request.messages.iter().map(|message| message.content.chars().count() as u64).sum()
}

impl Asker for StoredAsker {
    fn endpoint(&self) -> &str {
        self.model.endpoint()
    }

    fn votes(&self) -> usize {
        self.votes
    }

    fn first_rung(&self) -> Rung {
        self.known().first_rung
    }

    fn lower_first_rung(&self, rung: Rung) {
        if let Err(error) = self.learn(|known| known.first_rung = known.first_rung.max(rung)) {
            self.stop(error);
        }
    }

    fn reply(&self, ask: Ask) -> BoxFuture<'_, Result<Reply, ModelError>> {
        Box::pin(self.reply_once(ask))
    }
}
