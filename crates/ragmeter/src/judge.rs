use std::sync::Arc;

use ragmeter_core::{BoxFuture, CaseRun, Lang, PairScorer, RecordFacts, RecordJudge};
use ragmeter_facts::{Profile, Wanted, judge_locally, judge_record};

use crate::asker::StoredAsker;

/// A language model as a judge of records.
#[derive(Debug)]
pub(crate) struct ModelJudge {
    pub(crate) asker: Arc<StoredAsker>,
    pub(crate) wanted: Wanted,
    pub(crate) profile: Profile,
}

impl RecordJudge for ModelJudge {
    fn judge<'a>(&'a self, run: CaseRun<'a>) -> BoxFuture<'a, RecordFacts> {
        let lang = lang_of(run);
        Box::pin(judge_record(run, &self.wanted, self.profile, lang, self.asker.as_ref()))
    }
}

/// The local encoders as a judge of records.
#[derive(Debug)]
pub(crate) struct LocalJudge {
    pub(crate) scorer: Arc<dyn PairScorer>,
    pub(crate) wanted: Wanted,
}

impl RecordJudge for LocalJudge {
    fn judge<'a>(&'a self, run: CaseRun<'a>) -> BoxFuture<'a, RecordFacts> {
        Box::pin(async move {
            // Encoding is CPU work: it must not hold up the timers of other tasks.
            tokio::task::block_in_place(|| {
                judge_locally(run, &self.wanted, lang_of(run), self.scorer.as_ref())
            })
        })
    }
}

/// The language of a case decides prompts and segmentation: as given, else as its question.
pub(crate) fn lang_of(run: CaseRun<'_>) -> Lang {
    run.case.lang.unwrap_or_else(|| ragmeter_text::detect(&run.case.question))
}
