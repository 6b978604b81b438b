//! What is left of a model's requests and tokens at one server, as far as its replies tell.

use std::time::Duration;

use tokio::time::Instant;

use crate::rates::{Rates, Reading};

/// What was used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Requests,
    Tokens,
}

/// Why a call must not start yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// What is left may be taken by the calls in flight: their replies will tell, and if they
    /// don't, the reset.
    Reply(Instant),
    /// It is used up until then.
    Reset(Instant, What),
}

/// Paces the start of calls to one model at one server. Empty until a reply names a limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bucket {
    requests: Meter,
    tokens: Meter,
    /// The end of the last wait that was counted.
    counted: Option<Instant>,
}

impl Bucket {
    /// Why a call of so many tokens must wait, if it must.
    pub(crate) fn hold(&mut self, tokens: f64, now: Instant) -> Option<Hold> {
        let requests = self.requests.hold(1.0, What::Requests, now);
        let tokens = self.tokens.hold(tokens, What::Tokens, now);
        match (requests, tokens) {
            (Some(one), Some(other)) => Some(later(one, other)),
            (one, other) => one.or(other),
        }
    }

    /// Whether a wait until then is one that was not counted yet.
    pub(crate) fn is_new_pause(&mut self, until: Instant, now: Instant) -> bool {
        let new = self.counted.is_none_or(|counted| counted <= now);
        self.counted = Some(self.counted.map_or(until, |counted| counted.max(until)));
        new
    }

    /// A call of so many tokens starts.
    pub(crate) fn start(&mut self, tokens: f64) {
        self.requests.start(1.0);
        self.tokens.start(tokens);
    }

    /// A call of so many tokens, which started at `started`, is over; what its reply said.
    pub(crate) fn end(
        &mut self,
        tokens: f64,
        rates: Option<&Rates>,
        started: Instant,
        now: Instant,
    ) {
        self.requests.end(1.0, rates.and_then(|rates| rates.requests), started, now);
        self.tokens.end(tokens, rates.and_then(|rates| rates.tokens), started, now);
    }

    /// Requests a minute by the endpoint's word.
    pub(crate) fn requests_per_minute(&self) -> Option<f64> {
        self.requests.per_minute()
    }

    /// Tokens a minute by the endpoint's word.
    pub(crate) fn tokens_per_minute(&self) -> Option<f64> {
        self.tokens.per_minute()
    }
}

fn later(one: Hold, other: Hold) -> Hold {
    let end = |hold| match hold {
        Hold::Reply(until) | Hold::Reset(until, _) => until,
    };
    // A wait for the reset outlasts any reply.
    match (one, other) {
        (Hold::Reset(..), Hold::Reply(_)) => one,
        (Hold::Reply(_), Hold::Reset(..)) => other,
        _ if end(one) >= end(other) => one,
        _ => other,
    }
}

#[derive(Clone, Debug, Default)]
struct Meter {
    limit: Option<f64>,
    window: Option<Duration>,
    known: Option<Known>,
    /// What the calls in flight take. Whether the server has counted them already isn't known.
    flying: f64,
    /// How many they are: a sum of fractions doesn't come back to exactly 0.
    calls: usize,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    remaining: f64,
    reset: Instant,
    /// When it was learned.
    at: Instant,
}

impl Meter {
    fn hold(&mut self, need: f64, what: What, now: Instant) -> Option<Hold> {
        self.roll(now);
        let known = self.known?;
        // What is larger than the whole limit has to try with the whole of it.
        let need = self.limit.map_or(need, |limit| need.min(limit));
        if known.remaining - self.flying >= need {
            return None;
        }
        Some(if self.calls > 0 { Hold::Reply(known.reset) } else { Hold::Reset(known.reset, what) })
    }

    /// After its reset the whole limit is there again; if nobody knows how much that is, nothing
    /// is known until the next reply.
    fn roll(&mut self, now: Instant) {
        let Some(known) = self.known.filter(|known| known.reset <= now) else { return };
        // The next reset is not known. Should all be taken before a reply tells it, this one says
        // how long to wait for a reply.
        let next = now + self.window.unwrap_or(Duration::from_mins(1));
        self.known =
            self.limit.map(|limit| Known { remaining: limit, reset: next, at: known.reset });
    }

    fn start(&mut self, takes: f64) {
        self.calls += 1;
        self.flying += takes;
    }

    fn end(&mut self, took: f64, reading: Option<Reading>, started: Instant, now: Instant) {
        self.calls -= 1;
        self.flying = if self.calls == 0 { 0.0 } else { (self.flying - took).max(0.0) };
        self.roll(now);
        let Some(reading) = reading else {
            // Counted by the server or not: to be on the safe side, it was.
            if let Some(known) = &mut self.known {
                known.remaining = (known.remaining - took).max(0.0);
            }
            return;
        };
        self.limit = reading.limit.or(self.limit);
        self.window = reading.window.or(self.window);
        let Some(reset) = reading.reset.and_then(|reset| now.checked_add(reset)) else { return };
        // Replies overtake each other. One that says more than is known is believed only if its
        // call began after that was learned; of the others the least counts.
        let fresh = self
            .known
            .is_none_or(|known| reading.remaining <= known.remaining || started >= known.at);
        if fresh {
            self.known = Some(Known { remaining: reading.remaining, reset, at: now });
        }
    }

    /// The limit; its window is taken to be a minute where the endpoint doesn't say.
    fn per_minute(&self) -> Option<f64> {
        let minutes = self.window.map_or(1.0, |window| window.as_secs_f64() / 60.0);
        self.limit.filter(|_| minutes > 0.0).map(|limit| limit / minutes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(limit: f64, remaining: f64, seconds: u64) -> Rates {
        let reset = Some(Duration::from_secs(seconds));
        let reading = Reading { limit: Some(limit), remaining, reset, window: None };
        Rates { requests: Some(reading), tokens: None }
    }

    fn after(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn nothing_starts_between_the_last_request_and_the_reset() {
        let (mut bucket, now) = (Bucket::default(), Instant::now());
        assert_eq!(bucket.hold(1e9, now), None);
        bucket.start(10.0);
        bucket.end(10.0, Some(&left(3.0, 0.0, 5)), now, now);
        let reset = Hold::Reset(after(now, 5), What::Requests);
        assert_eq!(bucket.hold(1.0, now), Some(reset));
        assert_eq!(bucket.hold(1.0, after(now, 4)), Some(reset));
        // Then exactly the limit, and not one more before a reply tells.
        let later = after(now, 5);
        for _ in 0..3 {
            assert_eq!(bucket.hold(1.0, later), None);
            bucket.start(1.0);
        }
        assert!(matches!(bucket.hold(1.0, later), Some(Hold::Reply(_))));
        assert_eq!((bucket.requests_per_minute(), bucket.tokens_per_minute()), (Some(3.0), None));
    }

    #[test]
    fn replies_that_overtake_each_other_never_raise_what_is_left() {
        let (mut bucket, now) = (Bucket::default(), Instant::now());
        (0..3).for_each(|_| bucket.start(1.0));
        bucket.end(1.0, Some(&left(9.0, 6.0, 60)), now, after(now, 1));
        bucket.end(1.0, Some(&left(9.0, 8.0, 60)), now, after(now, 2));
        assert_eq!(bucket.requests.known.map(|known| known.remaining), Some(6.0));
        // A call that began after that was learned knows better.
        bucket.start(1.0);
        bucket.end(1.0, Some(&left(9.0, 7.0, 60)), after(now, 3), after(now, 4));
        assert_eq!(bucket.requests.known.map(|known| known.remaining), Some(7.0));
        // And one whose reply says nothing is counted.
        bucket.end(1.0, None, now, after(now, 5));
        assert_eq!(bucket.requests.known.map(|known| known.remaining), Some(6.0));
    }

    #[test]
    fn tokens_are_held_back_by_the_size_of_the_call() {
        let (mut bucket, now) = (Bucket::default(), Instant::now());
        bucket.start(100.0);
        let rates = Rates { requests: None, tokens: left(1000.0, 400.0, 30).requests };
        bucket.end(100.0, Some(&rates), now, now);
        assert_eq!(bucket.hold(400.0, now), None);
        let reset = Hold::Reset(after(now, 30), What::Tokens);
        assert_eq!(bucket.hold(401.0, now), Some(reset));
        // Larger than the limit itself: it is tried when all of the limit is there.
        assert_eq!(bucket.hold(5000.0, now), Some(reset));
        assert_eq!(bucket.hold(5000.0, after(now, 30)), None);
    }

    #[test]
    fn what_is_in_flight_comes_back_to_nothing() {
        let (mut bucket, now) = (Bucket::default(), Instant::now());
        let sizes = [0.1, 0.2, 0.3, 0.7];
        for tokens in sizes {
            bucket.start(tokens);
        }
        let rates = Rates { requests: None, tokens: left(1.0, 0.0, 30).requests };
        for tokens in sizes.into_iter().rev() {
            bucket.end(tokens, Some(&rates), now, now);
        }
        assert_eq!(bucket.hold(0.1, now), Some(Hold::Reset(after(now, 30), What::Tokens)));
    }

    #[test]
    fn a_limit_without_a_reset_paces_nothing() {
        let (mut bucket, now) = (Bucket::default(), Instant::now());
        bucket.start(1.0);
        let mut rates = left(5.0, 0.0, 0);
        if let Some(requests) = &mut rates.requests {
            requests.reset = None;
        }
        bucket.end(1.0, Some(&rates), now, now);
        assert_eq!(bucket.hold(1.0, now), None);
        assert_eq!(bucket.requests_per_minute(), Some(5.0));
    }

    #[test]
    fn one_wait_is_one_pause() {
        let (mut bucket, now) = (Bucket::default(), Instant::now());
        assert!(bucket.is_new_pause(after(now, 5), now));
        assert!(!bucket.is_new_pause(after(now, 6), after(now, 1)));
        assert!(bucket.is_new_pause(after(now, 9), after(now, 6)));
    }
}
