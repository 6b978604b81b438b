//! What is known of the servers and the queues of a pool, and who is next.

use std::collections::BTreeMap;
use std::sync::Arc;

use ragmeter_core::AbsenceClass;
use tokio::time::Instant;

use super::Wish;
use crate::Patience;
use crate::breaker::{Breaker, Health};
use crate::bucket::{Bucket, Hold, What};
use crate::effort::Failure;
use crate::limits::{ServerLimits, Waiting};
use crate::quota::Quota;

/// Characters of a request for each of its tokens, until replies tell better. Low for English, so
/// that a first guess errs to the safe side.
const CHARS_PER_TOKEN: f64 = 3.0;
/// How much the newest reply weighs in what is learned of that.
const NEWEST: f64 = 0.2;

#[derive(Debug)]
pub(super) struct State {
    pub(super) servers: Vec<Server>,
    lanes: BTreeMap<String, Lane>,
    pub(super) peak: usize,
}

#[derive(Debug)]
pub(super) struct Server {
    name: String,
    pub(super) quota: Quota,
    pub(super) breaker: Breaker,
    /// By model.
    pub(super) buckets: BTreeMap<String, Bucket>,
}

/// The queue of one model. Its calls are served in order.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) turn: Arc<tokio::sync::Mutex<()>>,
    /// Tokens, of request and reply together, for each character of a request.
    per_char: f64,
    /// What the first of the queue waits for.
    pub(super) waits: Option<(Instant, Waits)>,
}

impl Default for Lane {
    fn default() -> Self {
        Self { turn: Arc::default(), per_char: 1.0 / CHARS_PER_TOKEN, waits: None }
    }
}

/// What stops a call from starting until a certain time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    Asked,
    UsedUp(What),
}

/// When to look again at the latest, and what for, unless it is the end of another call.
pub(super) type Until = (Instant, Option<Waits>);

/// What the first of a queue does next.
pub(super) enum Next {
    Start(Seat),
    /// Look again when something ended, or at this time at the latest.
    Wait(Option<Until>),
    /// No server is there.
    Gone(AbsenceClass, String),
}

#[derive(Debug)]
pub(super) struct Seat {
    pub(super) server: usize,
    pub(super) episode: u64,
    pub(super) tokens: f64,
    pub(super) started: Instant,
}

impl Lane {
    /// What a reply said of the tokens for each character.
    pub(super) fn learn(&mut self, seen: f64) {
        self.per_char += NEWEST * (seen - self.per_char);
    }
}

impl State {
    pub(super) fn new(servers: Vec<String>, concurrency: usize, patience: Patience) -> Self {
        let server = |name| Server {
            name,
            quota: Quota::new(concurrency),
            breaker: Breaker::new(patience),
            buckets: BTreeMap::new(),
        };
        let servers = servers.into_iter().map(server).collect();
        Self { servers, lanes: BTreeMap::new(), peak: 0 }
    }

    pub(super) fn lane(&mut self, model: &str) -> &mut Lane {
        if !self.lanes.contains_key(model) {
            self.lanes.insert(model.to_owned(), Lane::default());
        }
        self.lanes.get_mut(model).unwrap_or_else(|| unreachable!("it was just put there"))
    }

    /// The limit of all servers that are there, and the calls in flight.
    pub(super) fn places(&self) -> (usize, usize) {
        let there = self.servers.iter().filter(|one| !one.breaker.is_open());
        let limit = there.map(|one| one.quota.limit()).sum();
        (limit, self.servers.iter().map(|one| one.quota.in_flight()).sum())
    }

    pub(super) fn someone_is_there(&self) -> Result<(), Failure> {
        let now = Instant::now();
        let mut gone = None;
        for server in &self.servers {
            match server.breaker.health(now) {
                Health::Gone(class, detail) => gone = Some(Failure { class, detail }),
                Health::Fine | Health::Shaky | Health::Trial => return Ok(()),
            }
        }
        gone.map_or(Ok(()), Err)
    }

    pub(super) fn next(&mut self, wish: Wish<'_>, now: Instant) -> Next {
        let tokens = wish.chars as f64 * self.lane(wish.model).per_char;
        let healths: Vec<Health> = self.servers.iter().map(|one| one.breaker.health(now)).collect();
        let good = |health: &Health| matches!(health, Health::Fine | Health::Shaky);
        let others_are_good = |at: usize| {
            let mut others = healths.iter().enumerate().filter(|(other, _)| *other != at);
            others.any(|(other, health)| good(health) && !wish.failed.contains(&other))
        };
        let (mut best, mut busy, mut gone) = (None, false, None);
        let mut soonest: Option<Until> = None;
        for (at, server) in self.servers.iter_mut().enumerate() {
            let trial = match &healths[at] {
                Health::Gone(class, detail) => {
                    gone = Some((*class, detail.clone()));
                    continue;
                }
                health => *health == Health::Trial,
            };
            let alternative = others_are_good(at);
            if wish.failed.contains(&at) && alternative {
                continue;
            }
            // A server that may be gone fails fast and so has always the fewest calls in flight:
            // one call at a time finds out.
            let doubtful = trial || (healths[at] == Health::Shaky && alternative);
            if !server.quota.has_place() || (doubtful && server.quota.in_flight() > 0) {
                busy = true;
                continue;
            }
            let held = match server.quota.paused_until(now) {
                Some(until) => Some((until, Some(Waits::Asked))),
                None => server.held(wish.model, tokens, now),
            };
            if let Some(held) = held {
                soonest = Some(soonest.filter(|other| other.0 <= held.0).unwrap_or(held));
                continue;
            }
            let rank = (doubtful && !trial, server.quota.in_flight(), server.quota.started);
            if best.is_none_or(|(_, least)| rank < least) {
                best = Some((at, rank));
            }
        }
        if let Some((at, _)) = best {
            return Next::Start(self.start(at, wish.model, tokens, now));
        }
        if let Some((class, detail)) = gone.filter(|_| !busy && soonest.is_none()) {
            return Next::Gone(class, detail);
        }
        // While a call is under way, its end comes first or makes no difference.
        self.lane(wish.model).waits =
            soonest.filter(|_| !busy).and_then(|(until, waits)| Some((until, waits?)));
        Next::Wait(soonest)
    }

    fn start(&mut self, at: usize, model: &str, tokens: f64, now: Instant) -> Seat {
        self.lane(model).waits = None;
        let server = &mut self.servers[at];
        server.breaker.try_again(now);
        if let Some(bucket) = server.buckets.get_mut(model) {
            bucket.start(tokens);
        } else {
            server.buckets.entry(model.to_owned()).or_default().start(tokens);
        }
        let episode = server.quota.start();
        self.peak = self.peak.max(self.places().1);
        Seat { server: at, episode, tokens, started: now }
    }

    /// Why no call can start anywhere, for whoever watches.
    pub(super) fn waiting(&self, now: Instant) -> Option<Waiting> {
        let left = |until: Instant| until - now;
        let there = || self.servers.iter().filter(|one| !one.breaker.is_open());
        let pauses: Option<Vec<Instant>> =
            there().map(|server| server.quota.paused_until(now)).collect();
        if let Some(first) = pauses.and_then(|pauses| pauses.into_iter().min()) {
            return Some(Waiting::Asked(left(first)));
        }
        let lanes = self.lanes.values().filter_map(|lane| lane.waits);
        let (until, waits) =
            lanes.filter(|(until, _)| *until > now).min_by_key(|(until, _)| *until)?;
        Some(match waits {
            Waits::Asked => Waiting::Asked(left(until)),
            Waits::UsedUp(What::Requests) => Waiting::Requests(left(until)),
            Waits::UsedUp(What::Tokens) => Waiting::Tokens(left(until)),
        })
    }
}

impl Server {
    /// Until when, and why, the model's rate holds a call back.
    fn held(&mut self, model: &str, tokens: f64, now: Instant) -> Option<Until> {
        let bucket = self.buckets.get_mut(model)?;
        Some(match bucket.hold(tokens, now)? {
            Hold::Reply(until) => (until, None),
            Hold::Reset(until, what) => {
                if bucket.is_new_pause(until, now) {
                    self.quota.pauses += 1;
                }
                (until, Some(Waits::UsedUp(what)))
            }
        })
    }

    pub(super) fn limits(&self, now: Instant) -> ServerLimits {
        let least = |of: fn(&Bucket) -> Option<f64>| {
            self.buckets.values().filter_map(of).min_by(f64::total_cmp)
        };
        ServerLimits {
            server: self.name.clone(),
            gone: matches!(self.breaker.health(now), Health::Gone(..) | Health::Trial),
            limit: self.quota.limit(),
            in_flight: self.quota.in_flight(),
            peak: self.quota.peak,
            pauses: self.quota.pauses,
            refusals: self.quota.refusals,
            requests_per_minute: least(Bucket::requests_per_minute),
            tokens_per_minute: least(Bucket::tokens_per_minute),
        }
    }
}
