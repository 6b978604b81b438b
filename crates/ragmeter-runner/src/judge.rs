use futures::StreamExt;
use futures::stream::FuturesUnordered;
use ragmeter_core::{CaseRun, RecordFacts, RecordJudge, StoreError};

use crate::event::{Control, Events, RunEvent, failed_facts};

/// Keeps the facts of the record at this place of the work.
pub type Keep<'a> = dyn Fn(usize, &RecordFacts) -> Result<(), StoreError> + Send + Sync + 'a;

/// Judges the records, at most `window` of them under way at once; the model's own limit of calls
/// in flight is the transport's. Each is kept as soon as it is judged. Returns the facts in the order of the work; `None` for records
/// that the run was stopped before.
pub async fn judge_all(
    work: &[CaseRun<'_>],
    judge: &dyn RecordJudge,
    window: usize,
    keep: &Keep<'_>,
    events: &Events,
    control: &Control,
) -> Result<Vec<Option<RecordFacts>>, StoreError> {
    let _ = events.send(RunEvent::Judging { total: work.len() });
    let mut judged: Vec<Option<RecordFacts>> = work.iter().map(|_| None).collect();
    let mut todo = work.iter().enumerate();
    let mut flying = FuturesUnordered::new();
    let mut over = std::pin::pin!(control.over());
    loop {
        while flying.len() < window.max(1) && !control.cancelled() {
            let Some((index, run)) = todo.next() else { break };
            let facts = judge.judge(*run);
            flying.push(async move { (index, facts.await) });
        }
        let next = tokio::select! {
            next = flying.next() => next,
            () = &mut over => None,
        };
        let Some((index, facts)) = next else { break };
        keep(index, &facts)?;
        let _ = events.send(RunEvent::Judged { index, failed: failed_facts(&facts) });
        judged[index] = Some(facts);
    }
    Ok(judged)
}
