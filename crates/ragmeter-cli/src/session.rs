use std::path::Path;
use std::sync::Arc;

use ragmeter::{Control, Counters, Session, SqliteStore};
use tokio::task::JoinHandle;

use crate::progress;

/// Opens a store, shows progress, and turns Ctrl-C into a clean stop.
pub(crate) struct Live {
    pub(crate) session: Session,
    progress: JoinHandle<()>,
}

impl Live {
    pub(crate) fn open(store: &Path, verbose: bool) -> Result<Self, ragmeter::Error> {
        let store = Arc::new(SqliteStore::open(store)?);
        let control = Control::default();
        let counters = Arc::new(Counters::default());
        let (events, receiver) = tokio::sync::mpsc::unbounded_channel();
        let progress = tokio::spawn(progress::show(receiver, Arc::clone(&counters), verbose));
        let stop = control.clone();
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_err() {
                return;
            }
            eprintln!("stopping: waiting up to 10 s for what is under way; again: stop at once");
            stop.cancel();
            if tokio::signal::ctrl_c().await.is_ok() {
                // Every reply was written as it arrived; only what is under way is lost.
                #[expect(clippy::disallowed_methods, reason = "the user asked twice")]
                std::process::exit(INTERRUPTED);
            }
        });
        Ok(Self { session: Session { store, control, events, counters }, progress })
    }

    /// Waits until the last progress line is out.
    pub(crate) async fn close(self) {
        drop(self.session);
        let _ = self.progress.await;
    }
}

/// The exit code of a run that was stopped from outside.
const INTERRUPTED: i32 = 130;

/// Looks up an environment variable.
#[expect(clippy::disallowed_methods, reason = "the command line reads the environment")]
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
