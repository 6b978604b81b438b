use futures::StreamExt;
use futures::stream::FuturesUnordered;

use crate::event::Control;

/// Takes pieces of work through, at most `window` of them under way at once, and tells `done` of each as
/// it ends. Returns what came of them in their order; `None` for those that the run was stopped
/// before. What is judged is kept by whoever judges.
pub async fn each<W: Future>(
    work: impl ExactSizeIterator<Item = W>,
    window: usize,
    mut done: impl FnMut(usize, &W::Output),
    control: &Control,
) -> Vec<Option<W::Output>> {
    let mut ended: Vec<Option<W::Output>> = (0..work.len()).map(|_| None).collect();
    let mut todo = work.enumerate();
    let mut flying = FuturesUnordered::new();
    let mut over = std::pin::pin!(control.over());
    loop {
        while flying.len() < window.max(1) && !control.cancelled() {
            let Some((index, piece)) = todo.next() else { break };
            flying.push(async move { (index, piece.await) });
        }
        let next = tokio::select! {
            next = flying.next() => next,
            () = &mut over => None,
        };
        let Some((index, output)) = next else { break };
        done(index, &output);
        ended[index] = Some(output);
    }
    ended
}
