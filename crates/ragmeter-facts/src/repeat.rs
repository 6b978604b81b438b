//! The same questions once more, to see whether the judge says the same.

use std::sync::Arc;

use ragmeter_core::{BoxFuture, ModelError, Rung};

use crate::ask::{Ask, Asker, Reply, VOTE_TEMPERATURE};

/// Votes between one repeat and the next: more than a run takes of any question, so that no
/// repeat's reply is another's.
const STRIDE: usize = 100;

/// Asks what a run asked once more: with votes of its own, at the temperature of further votes,
/// since at 0 they would be copies of the first. The repeat 0 is what the run itself asked.
#[derive(Clone, Debug)]
pub struct Repeat {
    asker: Arc<dyn Asker>,
    nth: usize,
    keeps_units: bool,
}

impl Repeat {
    /// The `nth` repeat. With `keeps_units`, claims, parts and whatever else verdicts are about stay
    /// as the run itself extracted them, so that the verdicts on each can be put side by side;
    /// otherwise they are extracted anew, as judging the record once more would.
    pub fn new(asker: Arc<dyn Asker>, nth: usize, keeps_units: bool) -> Self {
        Self { asker, nth, keeps_units }
    }
}

impl Asker for Repeat {
    fn endpoint(&self) -> &str {
        self.asker.endpoint()
    }

    fn first_rung(&self) -> Rung {
        self.asker.first_rung()
    }

    fn lower_first_rung(&self, rung: Rung) {
        self.asker.lower_first_rung(rung);
    }

    fn votes(&self) -> usize {
        self.asker.votes()
    }

    fn reply(&self, mut ask: Ask) -> BoxFuture<'_, Result<Reply, ModelError>> {
        if self.nth > 0 && !(self.keeps_units && ask.group.makes_units()) {
            ask.vote += self.nth * STRIDE;
            ask.request.temperature = ask.request.temperature.max(VOTE_TEMPERATURE);
        }
        self.asker.reply(ask)
    }
}
