//! When a call is tried again, and when it is given up.

use std::time::Duration;

use ragmeter_core::AbsenceClass;

use crate::Patience;
use crate::transport::CallError;

/// A try that may be repeated.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) class: AbsenceClass,
    pub(crate) detail: String,
}

impl Failure {
    pub(crate) fn give_up(self, why: &str) -> CallError {
        CallError::GaveUp { class: self.class, detail: format!("{}{why}", self.detail) }
    }
}

/// What one call has cost so far.
#[derive(Debug, Default)]
pub(crate) struct Effort {
    call: u64,
    failures: u32,
    refusals: u32,
    spent: Duration,
}

impl Effort {
    /// A call that ran into its timeout is tried once more only: each try costs the whole timeout.
    const TRIES_AFTER_TIMEOUT: u32 = 2;

    /// Nothing yet; `call` is the call's number, which spreads the waits.
    pub(crate) fn of(call: u64) -> Self {
        Self { call, ..Self::default() }
    }

    /// Counts the time of a try.
    pub(crate) fn add(&mut self, time: Duration) {
        self.spent += time;
    }

    /// The wait after the endpoint failed, or the end of trying.
    pub(crate) fn after_failure(
        &mut self,
        patience: &Patience,
        asked: Option<Duration>,
        failure: Failure,
    ) -> Result<Duration, CallError> {
        self.failures += 1;
        let tries = match failure.class {
            AbsenceClass::Rejected => 1,
            AbsenceClass::Timeout => patience.tries.min(Self::TRIES_AFTER_TIMEOUT),
            _ => patience.tries,
        };
        if self.failures >= tries {
            let why = match self.failures {
                1 => String::new(),
                n => format!(" (tried {n} times)"),
            };
            return Err(failure.give_up(&why));
        }
        let wait = asked.unwrap_or_else(|| patience.wait(self.call, self.failures - 1));
        self.within_budget(patience, wait, failure)
    }

    /// The wait after a refusal for the quota. Only time ends this: a quota frees itself.
    pub(crate) fn after_refusal(
        &mut self,
        patience: &Patience,
        asked: Option<Duration>,
        failure: Failure,
    ) -> Result<Duration, CallError> {
        let own = patience.wait(self.call, self.refusals);
        self.refusals += 1;
        // An endpoint that says "at once" again and again must not be asked in a tight loop.
        let least = if self.refusals > 1 { own / 8 } else { Duration::ZERO };
        self.within_budget(patience, asked.map_or(own, |asked| asked.max(least)), failure)
    }

    /// The call goes to another server at once, unless its time is over.
    pub(crate) fn moves_on(
        &mut self,
        patience: &Patience,
        failure: Failure,
    ) -> Result<Duration, CallError> {
        self.within_budget(patience, Duration::ZERO, failure)
    }

    /// What is left of the time that the call may take.
    pub(crate) fn left(&self, patience: &Patience) -> Duration {
        patience.budget.saturating_sub(self.spent)
    }

    fn within_budget(
        &mut self,
        patience: &Patience,
        wait: Duration,
        failure: Failure,
    ) -> Result<Duration, CallError> {
        self.spent = self.spent.saturating_add(wait);
        if self.spent >= patience.budget {
            let why = format!(
                " (a wait of {:.1} s more would exceed the {:.0} s that one question may take with \
                 all its tries)",
                wait.as_secs_f64(),
                patience.budget.as_secs_f64()
            );
            return Err(failure.give_up(&why));
        }
        Ok(wait)
    }
}
