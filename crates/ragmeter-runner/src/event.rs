use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ragmeter_core::RecordFacts;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

/// Everything that happens in a run, in order. Every consumer (terminal, store, web page)
/// receives the same events.
#[derive(Clone, Debug)]
pub enum RunEvent {
    /// Systems begin to answer; so many of the answers are in the store already.
    Answering {
        /// Records in all.
        total: usize,
        /// Of them, kept from before.
        kept: usize,
    },
    /// A system answered a case, or failed on it.
    Answered {
        /// The system.
        system: String,
        /// The case.
        case_id: String,
        /// Why there is no answer.
        error: Option<String>,
    },
    /// The program behind a system wrote a line to its stderr.
    Said {
        /// The system.
        system: String,
        /// The line.
        line: String,
    },
    /// The judge begins.
    Judging {
        /// Records in all.
        total: usize,
    },
    /// One record was judged.
    Judged {
        /// Its place in the work.
        index: usize,
        /// Facts that could not be had.
        failed: usize,
    },
    /// Texts begin to be embedded.
    Embedding {
        /// Distinct texts that are not in the store.
        total: usize,
    },
    /// So many more texts are embedded.
    Embedded {
        /// How many.
        count: usize,
    },
}

/// Where events go.
pub type Events = UnboundedSender<RunEvent>;

/// What is under way when a run is stopped was sent and will be billed: it gets this long to arrive.
const GRACE: Duration = Duration::from_secs(10);

/// Stops a run from outside. Nothing new is begun; what is under way may still arrive for ten
/// seconds, and is kept.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Cancel>);

#[derive(Debug, Default)]
struct Cancel {
    asked: AtomicBool,
    notify: Notify,
}

impl Control {
    /// Asks the run to stop.
    pub fn cancel(&self) {
        self.0.asked.store(true, Ordering::SeqCst);
        self.0.notify.notify_waiters();
    }

    /// Whether the run was asked to stop.
    pub fn cancelled(&self) -> bool {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// Waits until the run is asked to stop and what was under way has had its time.
    pub(crate) async fn over(&self) {
        let notified = self.0.notify.notified();
        if !self.cancelled() {
            notified.await;
        }
        tokio::time::sleep(GRACE).await;
    }
}

/// How many of a record's facts could not be had.
pub(crate) fn failed_facts(facts: &RecordFacts) -> usize {
    facts.failures().count()
}
