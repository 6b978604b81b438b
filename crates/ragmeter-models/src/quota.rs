//! The calls that one server takes at once: additive increase, multiplicative decrease.

use std::time::Duration;

use tokio::time::Instant;

/// An adaptive limit on the calls in flight at one server.
///
/// It starts at the configured number. A 429 halves it, once per episode: replies to calls that began
/// before the cut tell nothing new. A full round of successes raises it by one, up to where it
/// began. While the server asks to wait, no call starts. Only a refusal for the quota cuts it:
/// a server that fails or falls silent says nothing of its quota.
#[derive(Clone, Debug)]
pub(crate) struct Quota {
    limit: usize,
    most: usize,
    in_flight: usize,
    /// Number of cuts so far.
    episode: u64,
    successes: usize,
    paused_until: Option<Instant>,
    /// Calls ever started.
    pub(crate) started: u64,
    /// Most calls that were ever in flight at once.
    pub(crate) peak: usize,
    /// Replies that refused for the quota.
    pub(crate) refusals: u64,
    /// Times that the server asked to wait.
    pub(crate) pauses: u64,
}

impl Quota {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            limit: most,
            most,
            in_flight: 0,
            episode: 0,
            successes: 0,
            paused_until: None,
            started: 0,
            peak: 0,
            refusals: 0,
            pauses: 0,
        }
    }

    /// The present limit.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Calls in flight now.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    pub(crate) fn has_place(&self) -> bool {
        self.in_flight < self.limit
    }

    /// When the pause that the server asked for ends, if it lasts.
    pub(crate) fn paused_until(&self, now: Instant) -> Option<Instant> {
        self.paused_until.filter(|until| *until > now)
    }

    /// A call starts. Returns the episode that it belongs to.
    pub(crate) fn start(&mut self) -> u64 {
        self.in_flight += 1;
        self.started += 1;
        self.peak = self.peak.max(self.in_flight);
        self.episode
    }

    /// A call is over, however it ended.
    pub(crate) fn end(&mut self) {
        self.in_flight -= 1;
    }

    /// A call of this episode was answered.
    pub(crate) fn answered(&mut self, episode: u64) {
        if episode < self.episode || self.limit == self.most {
            return;
        }
        self.successes += 1;
        if self.successes >= self.limit {
            self.successes = 0;
            self.limit += 1;
        }
    }

    /// The server refused a call of this episode, and may have said how long to wait.
    pub(crate) fn refused(&mut self, episode: u64, wait: Option<Duration>, now: Instant) {
        self.refusals += 1;
        if let Some(until) = wait.filter(|wait| !wait.is_zero()).and_then(|w| now.checked_add(w)) {
            match self.paused_until(now) {
                // More of the same pause.
                Some(other) => self.paused_until = Some(other.max(until)),
                None => {
                    self.paused_until = Some(until);
                    self.pauses += 1;
                }
            }
        }
        if episode < self.episode {
            return;
        }
        self.episode += 1;
        self.successes = 0;
        self.limit = (self.limit / 2).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_storm_is_one_cut_and_success_grows_back() {
        let mut quota = Quota::new(16);
        let episodes: Vec<u64> = (0..16).map(|_| quota.start()).collect();
        assert_eq!((quota.in_flight(), quota.peak, quota.has_place()), (16, 16, false));
        for episode in episodes {
            quota.refused(episode, None, Instant::now());
            quota.end();
        }
        assert_eq!((quota.limit(), quota.in_flight(), quota.refusals), (8, 0, 16));
        let round = |quota: &mut Quota| {
            let episode = quota.start();
            quota.answered(episode);
            quota.end();
        };
        (0..7).for_each(|_| round(&mut quota));
        assert_eq!(quota.limit(), 8);
        round(&mut quota);
        assert_eq!(quota.limit(), 9);
        (0..1000).for_each(|_| round(&mut quota));
        assert_eq!(quota.limit(), 16);
    }

    #[test]
    fn old_replies_neither_cut_nor_grow() {
        let mut quota = Quota::new(2);
        let (first, second, third) = (quota.start(), quota.start(), quota.start());
        quota.refused(first, None, Instant::now());
        quota.refused(second, None, Instant::now());
        quota.answered(third);
        assert_eq!((quota.limit(), quota.successes, quota.episode), (1, 0, 1));
    }

    #[test]
    fn the_limit_never_falls_below_one() {
        let mut quota = Quota::new(5);
        for _ in 0..6 {
            let episode = quota.start();
            quota.refused(episode, None, Instant::now());
            quota.end();
        }
        assert_eq!((quota.limit(), quota.has_place()), (1, true));
    }

    #[test]
    fn waits_that_overlap_are_one_pause_and_the_longest_counts() {
        let (mut quota, now) = (Quota::new(4), Instant::now());
        let second = Duration::from_secs(1);
        for seconds in [2, 5, 1] {
            let episode = quota.start();
            quota.refused(episode, Some(second * seconds), now);
            quota.end();
        }
        assert_eq!(quota.paused_until(now), Some(now + second * 5));
        assert_eq!((quota.pauses, quota.paused_until(now + second * 5)), (1, None));
        let episode = quota.start();
        quota.refused(episode, Some(Duration::ZERO), now + second * 6);
        assert_eq!(quota.pauses, 1);
        quota.refused(episode, Some(second), now + second * 6);
        assert_eq!(quota.pauses, 2);
    }
}
