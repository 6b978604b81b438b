use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use ragmeter_core::{CaseRun, RecordFacts, RecordJudge, StoreError};
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::event::{Control, Events, RunEvent, failed_facts};

/// Keeps the facts of the record at this place of the work.
pub type Keep<'a> = dyn Fn(usize, &RecordFacts) -> Result<(), StoreError> + Send + Sync + 'a;

/// Fewer records than this for each thread are not worth one.
const RECORDS_A_THREAD: usize = 256;

/// Judges the records, at most `window` of them under way at once; the model's own limit of calls
/// in flight is the transport's. Each is kept as soon as it is judged. Returns the facts in the order of the work; `None` for records
/// that the run was stopped before.
///
/// Much work is shared by several threads where the runtime has more than one: prompts, keys and
/// replies of a large run that is in the store already would keep one thread busy for minutes.
pub async fn judge_all(
    work: &[CaseRun<'_>],
    judge: &dyn RecordJudge,
    window: usize,
    keep: &Keep<'_>,
    events: &Events,
    control: &Control,
) -> Result<Vec<Option<RecordFacts>>, StoreError> {
    let _ = events.send(RunEvent::Judging { total: work.len() });
    let runtime = Handle::current();
    let threads = match runtime.runtime_flavor() {
        RuntimeFlavor::MultiThread => runtime.metrics().num_workers(),
        _ => 1,
    };
    let threads = threads.min(work.len() / RECORDS_A_THREAD).min(window).max(1);
    let shared = Shared {
        todo: Mutex::new(work.iter().enumerate()),
        judged: Mutex::new(work.iter().map(|_| None).collect()),
        broken: AtomicBool::new(false),
        window: window.div_ceil(threads).max(1),
        judge,
        keep,
        events,
        control,
    };
    if threads == 1 {
        shared.work_off().await?;
    } else {
        tokio::task::block_in_place(|| {
            std::thread::scope(|scope| {
                let one = || runtime.block_on(shared.work_off());
                let all: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
                all.into_iter().try_for_each(|one| {
                    one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                })
            })
        })?;
    }
    Ok(shared.judged.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Work that several threads take their records from.
struct Shared<'a, 'w> {
    todo: Mutex<std::iter::Enumerate<std::slice::Iter<'w, CaseRun<'w>>>>,
    judged: Mutex<Vec<Option<RecordFacts>>>,
    /// Facts could not be kept: nobody goes on.
    broken: AtomicBool,
    /// Records under way on one thread.
    window: usize,
    judge: &'a dyn RecordJudge,
    keep: &'a Keep<'a>,
    events: &'a Events,
    control: &'a Control,
}

impl Shared<'_, '_> {
    /// Judges and keeps until nothing is left to do.
    async fn work_off(&self) -> Result<(), StoreError> {
        let mut flying = FuturesUnordered::new();
        let mut over = std::pin::pin!(self.control.over());
        loop {
            while flying.len() < self.window && !self.stopped() {
                let next = self.todo.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((index, run)) = next else { break };
                let facts = self.judge.judge(*run);
                flying.push(async move { (index, facts.await) });
            }
            let next = tokio::select! {
                next = flying.next() => next,
                () = &mut over => None,
            };
            let Some((index, facts)) = next else { return Ok(()) };
            if let Err(error) = (self.keep)(index, &facts) {
                self.broken.store(true, Ordering::SeqCst);
                return Err(error);
            }
            let _ = self.events.send(RunEvent::Judged { index, failed: failed_facts(&facts) });
            self.judged.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(facts);
        }
    }

    fn stopped(&self) -> bool {
        self.control.cancelled() || self.broken.load(Ordering::SeqCst)
    }
}
