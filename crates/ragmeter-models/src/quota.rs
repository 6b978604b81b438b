use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until};

/// An adaptive limit on the calls in flight: additive increase, multiplicative decrease.
///
/// It starts at the configured number. A 429 halves it, once per episode: replies to calls that began
/// before the cut tell nothing new. A full round of successes raises it by one, up to where it
/// began. While the endpoint asks to wait, no call starts. Callers are served in order.
#[derive(Debug)]
pub(crate) struct Quota {
    places: Semaphore,
    state: Mutex<State>,
    in_flight: AtomicUsize,
    peak: AtomicUsize,
}

#[derive(Debug)]
struct State {
    limit: usize,
    most: usize,
    /// Places that the limit has lost while they were taken; who leaves one doesn't give it back.
    owed: usize,
    /// Number of cuts so far.
    episode: u64,
    successes: usize,
    paused_until: Option<Instant>,
}

/// What a caller that got a place does next.
enum Next {
    Start(u64),
    Wait(Instant),
    QueueAgain,
}

impl Quota {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            places: Semaphore::new(most),
            state: Mutex::new(State {
                limit: most,
                most,
                owed: 0,
                episode: 0,
                successes: 0,
                paused_until: None,
            }),
            in_flight: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
        }
    }

    /// Waits for a place, and for the end of a pause if there is one.
    pub(crate) async fn enter(&self) -> Place<'_> {
        loop {
            let Ok(permit) = self.places.acquire().await else {
                unreachable!("the semaphore is never closed");
            };
            permit.forget();
            let mut place = Place { quota: self, episode: 0, stage: Stage::Held };
            loop {
                let next = self.lock().next();
                match next {
                    Next::Start(episode) => {
                        place.episode = episode;
                        place.stage = Stage::Started;
                        let now = self.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
                        self.peak.fetch_max(now, Ordering::Relaxed);
                        return place;
                    }
                    Next::Wait(until) => sleep_until(until).await,
                    Next::QueueAgain => {
                        place.stage = Stage::GivenUp;
                        break;
                    }
                }
            }
        }
    }

    /// The present limit.
    #[cfg(test)]
    fn limit(&self) -> usize {
        self.lock().limit
    }

    /// The most calls that were ever in flight at once.
    pub(crate) fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    /// Calls in flight now.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn next(&mut self) -> Next {
        if self.owed > 0 {
            self.owed -= 1;
            return Next::QueueAgain;
        }
        match self.paused_until {
            Some(until) if until > Instant::now() => Next::Wait(until),
            _ => {
                self.paused_until = None;
                Next::Start(self.episode)
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Held,
    Started,
    GivenUp,
}

/// A place among the calls in flight; dropping it frees the place.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    quota: &'a Quota,
    episode: u64,
    stage: Stage,
}

impl Place<'_> {
    /// The call was answered.
    pub(crate) fn answered(self) {
        let mut state = self.quota.lock();
        if self.episode < state.episode || state.limit == state.most {
            return;
        }
        state.successes += 1;
        if state.successes >= state.limit {
            state.successes = 0;
            state.limit += 1;
            if state.owed > 0 {
                state.owed -= 1;
            } else {
                self.quota.places.add_permits(1);
            }
        }
    }

    /// The endpoint refused the call for its quota, and may have said how long to wait.
    pub(crate) fn refused(self, wait: Option<Duration>) {
        let mut state = self.quota.lock();
        if let Some(until) = wait.and_then(|wait| Instant::now().checked_add(wait)) {
            state.paused_until = Some(state.paused_until.map_or(until, |other| other.max(until)));
        }
        if self.episode < state.episode {
            return;
        }
        state.episode += 1;
        state.successes = 0;
        let limit = (state.limit / 2).max(1);
        let lost = state.limit - limit;
        state.limit = limit;
        state.owed += lost - self.quota.places.forget_permits(lost);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if self.stage == Stage::GivenUp {
            return;
        }
        if self.stage == Stage::Started {
            self.quota.in_flight.fetch_sub(1, Ordering::Relaxed);
        }
        let mut state = self.quota.lock();
        if state.owed > 0 {
            state.owed -= 1;
        } else {
            self.quota.places.add_permits(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_storm_is_one_cut_and_success_grows_back() {
        let quota = Quota::new(16);
        let mut storm = Vec::new();
        for _ in 0..16 {
            storm.push(quota.enter().await);
        }
        assert_eq!((quota.in_flight(), quota.peak()), (16, 16));
        for place in storm {
            place.refused(None);
        }
        assert_eq!((quota.limit(), quota.in_flight()), (8, 0));
        assert_eq!(quota.places.available_permits(), 8);

        for _ in 0..8 {
            quota.enter().await.answered();
        }
        assert_eq!(quota.limit(), 9);
        assert_eq!(quota.places.available_permits(), 9);
        for _ in 0..1000 {
            quota.enter().await.answered();
        }
        assert_eq!((quota.limit(), quota.places.available_permits()), (16, 16));
    }

    #[tokio::test]
    async fn old_replies_neither_cut_nor_grow() {
        let quota = Quota::new(8);
        let (first, second, third) =
            (quota.enter().await, quota.enter().await, quota.enter().await);
        first.refused(None);
        second.refused(None);
        third.answered();
        let state = quota.lock();
        assert_eq!((state.limit, state.successes, state.episode), (4, 0, 1));
    }

    #[tokio::test]
    async fn the_limit_never_falls_below_one_and_places_are_never_lost() {
        let quota = Quota::new(5);
        for _ in 0..6 {
            let place = quota.enter().await;
            let other = (quota.limit() > 1).then_some(quota.enter()).map(Box::pin);
            place.refused(None);
            drop(other);
        }
        assert_eq!((quota.limit(), quota.places.available_permits()), (1, 1));
        drop(quota.enter().await);
        assert_eq!(quota.places.available_permits(), 1);
    }

    #[tokio::test]
    async fn nobody_starts_during_a_pause_and_the_cut_holds_after_it() {
        let quota = std::sync::Arc::new(Quota::new(8));
        let began = Instant::now();
        let first = quota.enter().await;
        // Seven wait with a place in hand when the cut comes; four of them must queue again.
        quota.lock().paused_until = Some(began + Duration::from_millis(40));
        let calls: Vec<_> = (0..12)
            .map(|_| {
                let quota = quota.clone();
                tokio::spawn(async move {
                    let place = quota.enter().await;
                    let started = Instant::now();
                    let alongside = quota.in_flight();
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    drop(place);
                    (started, alongside)
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(10)).await;
        first.refused(Some(Duration::from_millis(80)));
        for call in calls {
            let (started, alongside) = call.await.expect("no panic");
            assert!(started >= began + Duration::from_millis(85));
            assert!(alongside <= 4, "{alongside}");
        }
        assert_eq!(quota.places.available_permits(), 4);
    }
}
