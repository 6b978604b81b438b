//! When a server counts as gone.

use ragmeter_core::AbsenceClass;
use tokio::time::Instant;

use crate::Patience;

/// Failures to connect in a row that an endpoint counts as gone after.
const GONE: u32 = 3;
/// Failures of any kind in a row that it counts as failing after.
const FAILING: u32 = 12;

/// Ends calls at once while the endpoint is known to be gone, so that a run against a dead
/// endpoint ends soon whatever the number of its records.
#[derive(Debug)]
pub(crate) struct Breaker {
    patience: Patience,
    state: State,
}

#[derive(Debug, Default)]
struct State {
    to_connect: Streak,
    of_any_kind: Streak,
    open: Option<Open>,
}

#[derive(Clone, Debug)]
struct Open {
    class: AbsenceClass,
    detail: String,
    last_trial: Instant,
}

/// What is known of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// Nothing against it.
    Fine,
    /// Its last tries failed to connect; too few of them to say more.
    Shaky,
    /// It is gone, and one call may try whether it is back.
    Trial,
    /// It is gone: calls are pointless. With class and reason.
    Gone(AbsenceClass, String),
}

/// Failures since the last reply.
#[derive(Clone, Copy, Debug, Default)]
struct Streak {
    count: u32,
    /// When the first of them began.
    since: Option<Instant>,
}

impl Streak {
    fn add(&mut self, started: Instant) {
        self.count += 1;
        self.since = Some(self.since.map_or(started, |since| since.min(started)));
    }

    fn reached(&self, count: u32, time: std::time::Duration, now: Instant) -> bool {
        self.count >= count && self.since.is_some_and(|since| now - since >= time)
    }
}

impl Breaker {
    pub(crate) fn new(patience: Patience) -> Self {
        Self { patience, state: State::default() }
    }

    /// What is known of the server now.
    pub(crate) fn health(&self, now: Instant) -> Health {
        match &self.state.open {
            None if self.state.to_connect.count > 0 => Health::Shaky,
            None => Health::Fine,
            Some(open) if now - open.last_trial >= self.patience.trial_after => Health::Trial,
            Some(open) => Health::Gone(open.class, open.detail.clone()),
        }
    }

    /// Whether calls are pointless but for a trial.
    pub(crate) fn is_open(&self) -> bool {
        self.state.open.is_some()
    }

    /// The trial begins now: no other before its time has passed again.
    pub(crate) fn try_again(&mut self, now: Instant) {
        if let Some(open) = &mut self.state.open {
            open.last_trial = now;
        }
    }

    /// The server took the call and is able to work.
    pub(crate) fn replied(&mut self) {
        self.state = State::default();
    }

    /// A try that began at `started` failed.
    pub(crate) fn failed(
        &mut self,
        class: AbsenceClass,
        detail: &str,
        started: Instant,
        now: Instant,
    ) {
        let state = &mut self.state;
        state.of_any_kind.add(started);
        if class == AbsenceClass::Unreachable {
            state.to_connect.add(started);
        } else {
            state.to_connect = Streak::default();
        }
        let gone = state.to_connect.reached(GONE, self.patience.gone_after, now);
        let failing = state.of_any_kind.reached(FAILING, self.patience.failing_after, now);
        if state.open.is_none() && (gone || failing) {
            let count = if gone { state.to_connect.count } else { state.of_any_kind.count };
            let detail = format!("given up after {count} failures in a row: {detail}");
            state.open = Some(Open { class, detail, last_trial: now });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn breaker(gone_after: u64, trial_after: u64) -> Breaker {
        Breaker::new(Patience {
            gone_after: Duration::from_millis(gone_after),
            failing_after: Duration::from_millis(gone_after),
            trial_after: Duration::from_millis(trial_after),
            ..Patience::default()
        })
    }

    fn fail(breaker: &mut Breaker, class: AbsenceClass, detail: &str, now: Instant) {
        breaker.failed(class, detail, now, now);
    }

    #[test]
    fn opens_after_three_failures_to_connect_and_not_before_its_time() {
        let (mut quick, now) = (breaker(0, 60_000), Instant::now());
        for _ in 0..2 {
            fail(&mut quick, AbsenceClass::Unreachable, "refused", now);
            assert_eq!(quick.health(now), Health::Shaky);
        }
        fail(&mut quick, AbsenceClass::Unreachable, "refused", now);
        let Health::Gone(class, detail) = quick.health(now) else { panic!("{quick:?}") };
        assert_eq!(class, AbsenceClass::Unreachable);
        assert!(detail.contains("3 failures") && detail.contains("refused"), "{detail}");
        quick.replied();
        assert_eq!(quick.health(now), Health::Fine);

        let mut slow = breaker(60_000, 60_000);
        for _ in 0..50 {
            fail(&mut slow, AbsenceClass::Unreachable, "refused", now);
        }
        assert!(!slow.is_open());
        slow.failed(AbsenceClass::Unreachable, "refused", now, now + Duration::from_mins(1));
        assert!(slow.is_open());
    }

    #[test]
    fn a_reply_ends_a_streak_and_other_failures_need_twelve() {
        let (mut breaker, now) = (breaker(0, 60_000), Instant::now());
        for _ in 0..2 {
            fail(&mut breaker, AbsenceClass::Unreachable, "refused", now);
        }
        breaker.replied();
        fail(&mut breaker, AbsenceClass::Unreachable, "refused", now);
        for _ in 0..10 {
            fail(&mut breaker, AbsenceClass::Server, "HTTP 503", now);
            assert_eq!(breaker.health(now), Health::Fine);
        }
        fail(&mut breaker, AbsenceClass::Server, "HTTP 503", now);
        assert!(matches!(breaker.health(now), Health::Gone(AbsenceClass::Server, _)));
    }

    #[test]
    fn one_trial_call_is_let_through_at_a_time() {
        let (mut breaker, now) = (breaker(0, 20), Instant::now());
        for _ in 0..3 {
            fail(&mut breaker, AbsenceClass::Unreachable, "refused", now);
        }
        let later = now + Duration::from_millis(20);
        assert!(matches!(breaker.health(now), Health::Gone(..)));
        assert_eq!(breaker.health(later), Health::Trial);
        breaker.try_again(later);
        assert!(matches!(breaker.health(later), Health::Gone(..)));
    }
}
