//! Who may call which server, and when.

mod state;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ragmeter_core::AbsenceClass;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::bucket::What;
use crate::effort::Failure;
use crate::rates::Rates;
use crate::{Limits, Patience, ServerLimits};
use state::{Next, Seat, State, Waits};

/// One or several servers that give the same models: one queue for each model, and a breaker and a
/// limit for each server. A call goes to the server with the fewest calls in flight, and to another
/// one if that fails.
#[derive(Debug)]
pub(crate) struct Pool {
    state: Mutex<State>,
    /// Something ended: who waits looks again.
    changed: Notify,
    queue: Duration,
}

/// A call that wants to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish<'a> {
    pub(crate) model: &'a str,
    /// Characters of its body.
    pub(crate) chars: usize,
    /// Servers that failed it already: the last to be asked again.
    pub(crate) failed: &'a [usize],
}

impl Pool {
    /// Servers by their names in messages, each with so many calls in flight to begin with.
    pub(crate) fn new(servers: Vec<String>, concurrency: usize, patience: Patience) -> Self {
        Self {
            state: Mutex::new(State::new(servers, concurrency, patience)),
            changed: Notify::new(),
            queue: patience.queue,
        }
    }

    /// Waits for a place at one of the servers, for the end of a pause if there is one, and for
    /// what is left of the model's rate. `Err` with the class and the reason if all servers are
    /// gone, or if it takes longer than a call may wait.
    pub(crate) async fn enter(&self, wish: Wish<'_>) -> Result<Place<'_>, Failure> {
        let began = Instant::now();
        let deadline = began.checked_add(self.queue);
        let turn = Arc::clone(&self.lock().lane(wish.model).turn);
        // While no server is there, nobody needs to stand in line to learn it.
        self.lock().someone_is_there()?;
        let turn = match deadline {
            Some(deadline) => timeout_at(deadline, turn.lock()).await.ok(),
            None => Some(turn.lock().await),
        };
        let Some(_turn) = turn else { return Err(self.waited_too_long(wish.model)) };
        loop {
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            // Registered before looking, or the end of a call between the two would be missed.
            changed.as_mut().enable();
            let next = self.lock().next(wish, Instant::now());
            let wait = match next {
                Next::Start(seat) => {
                    let model = wish.model.to_owned();
                    return Ok(Place { pool: self, model, seat, rates: None });
                }
                Next::Gone(class, detail) => return Err(Failure { class, detail }),
                Next::Wait(wait) => wait,
            };
            let until = wait.map(|(until, _)| until);
            // What can't be in time is told now. Another server's place may still be.
            let certain = self.lock().lane(wish.model).waits;
            if certain.is_some_and(|(until, _)| deadline.is_some_and(|end| until > end)) {
                return Err(self.waited_too_long(wish.model));
            }
            let wake = match (until, deadline) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
            match wake {
                None => changed.await,
                Some(at) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(at) => {
                        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                            return Err(self.waited_too_long(wish.model));
                        }
                    }
                },
            }
        }
    }

    /// Whether a server that isn't among these could take a call at once.
    pub(crate) fn elsewhere(&self, failed: &[usize]) -> bool {
        let (state, now) = (self.lock(), Instant::now());
        let mut others = state.servers.iter().enumerate().filter(|(at, _)| !failed.contains(at));
        others.any(|(_, one)| !one.breaker.is_open() && one.quota.paused_until(now).is_none())
    }

    /// Learns how many tokens a request of so many characters came to.
    pub(crate) fn learn(&self, model: &str, chars: usize, tokens: u64) {
        if chars == 0 || tokens == 0 {
            return;
        }
        self.lock().lane(model).learn(tokens as f64 / chars as f64);
    }

    /// What is known of the limits now.
    pub(crate) fn limits(&self) -> Limits {
        let (state, now) = (self.lock(), Instant::now());
        let servers: Vec<ServerLimits> = state.servers.iter().map(|one| one.limits(now)).collect();
        Limits::of(servers, state.peak, state.waiting(now))
    }

    fn waited_too_long(&self, model: &str) -> Failure {
        let (mut state, now) = (self.lock(), Instant::now());
        let waits = state.lane(model).waits.filter(|(until, _)| *until > now);
        let seconds = self.queue.as_secs_f64();
        let (class, why) = match waits {
            Some((until, Waits::Asked)) => {
                let left = (until - now).as_secs_f64();
                (AbsenceClass::RateLimited, format!("the endpoint asks to wait {left:.1} s more"))
            }
            Some((until, Waits::UsedUp(what))) => {
                let left = (until - now).as_secs_f64();
                let what = match what {
                    What::Requests => "requests",
                    What::Tokens => "tokens",
                };
                let why = format!("its {what} are used up for {left:.1} s more");
                (AbsenceClass::RateLimited, why)
            }
            None => {
                let (limit, in_flight) = state.places();
                let why = format!("{in_flight} calls are in flight where {limit} may be");
                (AbsenceClass::Timeout, why)
            }
        };
        let detail = format!("no place in the {seconds} s that a call may queue: {why}");
        Failure { class, detail }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place among the calls in flight; dropping it frees the place.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    pool: &'a Pool,
    model: String,
    seat: Seat,
    /// What the reply said of limits.
    rates: Option<Rates>,
}

impl Place<'_> {
    /// The number of the server.
    pub(crate) fn server(&self) -> usize {
        self.seat.server
    }

    /// A reply came, and said this of limits.
    pub(crate) fn heard(&mut self, rates: Rates) {
        self.rates = Some(rates);
    }

    /// The call was answered.
    pub(crate) fn answered(self) {
        let mut state = self.pool.lock();
        let server = &mut state.servers[self.seat.server];
        server.quota.answered(self.seat.episode);
        server.breaker.replied();
    }

    /// The server took the call and will never answer it: it is there.
    pub(crate) fn rejected(self) {
        self.pool.lock().servers[self.seat.server].breaker.replied();
    }

    /// The server refused the call for its quota, and may have said how long to wait.
    pub(crate) fn refused(self, wait: Option<Duration>, failure: &Failure) {
        let now = Instant::now();
        self.pool.lock().servers[self.seat.server].quota.refused(self.seat.episode, wait, now);
        self.failed(failure);
    }

    /// The server failed.
    pub(crate) fn failed(self, failure: &Failure) {
        let mut state = self.pool.lock();
        let breaker = &mut state.servers[self.seat.server].breaker;
        breaker.failed(failure.class, &failure.detail, self.seat.started, Instant::now());
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let Seat { server, tokens, started, .. } = self.seat;
        let mut state = self.pool.lock();
        let server = &mut state.servers[server];
        server.quota.end();
        if let Some(bucket) = server.buckets.get_mut(&self.model) {
            bucket.end(tokens, self.rates.as_ref(), started, Instant::now());
        }
        drop(state);
        self.pool.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
