use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ragmeter_core::AbsenceClass;

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
    state: Mutex<State>,
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

/// Leave to send a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leave {
    /// Nothing is known against it.
    Call,
    /// To learn whether the endpoint is back; given to one call at a time.
    Trial,
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

    fn reached(&self, count: u32, time: std::time::Duration) -> bool {
        self.count >= count && self.since.is_some_and(|since| since.elapsed() >= time)
    }
}

impl Breaker {
    pub(crate) fn new(patience: Patience) -> Self {
        Self { patience, state: Mutex::default() }
    }

    /// Whether a call may go out; `Err` with class and reason while calls are pointless.
    pub(crate) fn check(&self) -> Result<Leave, (AbsenceClass, String)> {
        let mut state = self.lock();
        let Some(open) = &mut state.open else {
            return Ok(Leave::Call);
        };
        if open.last_trial.elapsed() >= self.patience.trial_after {
            open.last_trial = Instant::now();
            return Ok(Leave::Trial);
        }
        Err((open.class, open.detail.clone()))
    }

    /// The endpoint took the call and is able to work.
    pub(crate) fn replied(&self) {
        let mut state = self.lock();
        if state.of_any_kind.count > 0 || state.open.is_some() {
            *state = State::default();
        }
    }

    /// A try that began at `started` failed.
    pub(crate) fn failed(&self, class: AbsenceClass, detail: &str, started: Instant) {
        let mut state = self.lock();
        state.of_any_kind.add(started);
        if class == AbsenceClass::Unreachable {
            state.to_connect.add(started);
        } else {
            state.to_connect = Streak::default();
        }
        let gone = state.to_connect.reached(GONE, self.patience.gone_after);
        let failing = state.of_any_kind.reached(FAILING, self.patience.failing_after);
        if state.open.is_none() && (gone || failing) {
            let count = if gone { state.to_connect.count } else { state.of_any_kind.count };
            let detail = format!("given up after {count} failures in a row: {detail}");
            state.open = Some(Open { class, detail, last_trial: Instant::now() });
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn opens_after_three_failures_to_connect_and_not_before_its_time() {
        let quick = breaker(0, 60_000);
        for _ in 0..2 {
            quick.failed(AbsenceClass::Unreachable, "refused", Instant::now());
            assert!(quick.check().is_ok());
        }
        quick.failed(AbsenceClass::Unreachable, "refused", Instant::now());
        let (class, detail) = quick.check().expect_err("open");
        assert_eq!(class, AbsenceClass::Unreachable);
        assert!(detail.contains("3 failures") && detail.contains("refused"), "{detail}");
        quick.replied();
        assert!(quick.check().is_ok());

        let slow = breaker(60_000, 60_000);
        for _ in 0..50 {
            slow.failed(AbsenceClass::Unreachable, "refused", Instant::now());
        }
        assert!(slow.check().is_ok());
    }

    #[test]
    fn a_reply_ends_a_streak_and_other_failures_need_twelve() {
        let breaker = breaker(0, 60_000);
        for _ in 0..2 {
            breaker.failed(AbsenceClass::Unreachable, "refused", Instant::now());
        }
        breaker.replied();
        breaker.failed(AbsenceClass::Unreachable, "refused", Instant::now());
        assert!(breaker.check().is_ok());
        for _ in 0..10 {
            breaker.failed(AbsenceClass::Server, "HTTP 503", Instant::now());
            assert!(breaker.check().is_ok());
        }
        breaker.failed(AbsenceClass::Server, "HTTP 503", Instant::now());
        assert_eq!(breaker.check().expect_err("open").0, AbsenceClass::Server);
    }

    #[test]
    fn one_trial_call_is_let_through_at_a_time() {
        let breaker = breaker(0, 20);
        for _ in 0..3 {
            breaker.failed(AbsenceClass::Unreachable, "refused", Instant::now());
        }
        assert!(breaker.check().is_err());
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(breaker.check().expect("a trial"), Leave::Trial);
        assert!(breaker.check().is_err());
    }
}
