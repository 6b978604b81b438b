//! `ragmeter judge`.

use anyhow::Result;
use ragmeter::{Budget, WobbleRequest};
use ragmeter_analysis::{visible, wobble_sentences};
use serde_json::json;

use super::{Common, people};
use crate::args::{JudgeAction, WobbleArgs};
use crate::output;
use crate::session::{Live, environment};

pub(crate) async fn judge(common: &Common, action: JudgeAction) -> Result<u8> {
    match action {
        JudgeAction::Wobble(args) => wobble(common, args).await,
    }
}

async fn wobble(common: &Common, args: WobbleArgs) -> Result<u8> {
    // A store that isn't there is not made by looking into it.
    drop(super::inspect::store(common)?);
    let request = WobbleRequest {
        run: args.run,
        share: args.share,
        repeats: usize::from(args.repeats),
        judge: args.judge,
        base_url: args.base_url,
        concurrency: usize::from(args.concurrency),
        budget: Budget { calls: args.max_calls, ..Budget::default() },
    };
    let live = Live::open(&common.store, common.verbose)?;
    let counters = std::sync::Arc::clone(&live.session.counters);
    let result = ragmeter::wobble(&live.session, &request, &environment).await;
    live.close().await;
    let result = result?;
    for note in &result.notes {
        eprintln!("note: {}", visible(note));
    }
    let lang = people::chosen(args.lang, &result.run);
    let chapter = wobble_sentences(&result.wobble, &result.judge, lang);
    if common.json {
        let mut whole = serde_json::to_value(&result.wobble)?;
        whole["run_id"] = json!(result.run.run_id);
        whole["judge"] = json!({ "model": result.judge, "of_run": result.of_run });
        whole["calls"] = json!({ "chat": counters.calls(), "cached": counters.cached() });
        whole["sentences"] = json!(chapter.lines);
        whole["notes"] = json!(result.notes);
        output::json(&whole)?;
    } else {
        output::chapters(&[chapter])?;
    }
    Ok(result.ending.exit_code())
}
