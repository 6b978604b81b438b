use std::sync::Arc;

use ragmeter_core::{BoxFuture, CaseRun, Lang, PairScorer, RecordFacts, RecordJudge, Store};
use ragmeter_facts::{Asker, Profile, Wanted, judge_locally, judge_record};

use crate::asker::StoredAsker;
use crate::config::{JudgeProfile, LOCAL};
use crate::error::Error;
use crate::models::Environment;
use crate::pipeline::{Plan, Session};
use crate::spec::JudgeSpec;

/// A language model as a judge of records.
#[derive(Debug)]
pub(crate) struct ModelJudge {
    pub(crate) asker: Arc<dyn Asker>,
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

pub(crate) struct Judge {
    pub(crate) records: Box<dyn RecordJudge>,
    pub(crate) spec: JudgeSpec,
    /// None for the local judge.
    pub(crate) asker: Option<Arc<StoredAsker>>,
}

/// The judge of a plan, asking in this profile; with `fresh`, everything anew.
pub(crate) fn judge(
    session: &Session,
    plan: &Plan<'_>,
    (profile, fresh): (Profile, bool),
    wanted: &Wanted,
    env: Environment<'_>,
) -> Result<Judge, Error> {
    if plan.judge.model == LOCAL || plan.judge.profile == JudgeProfile::Local {
        return local_judge(plan, wanted);
    }
    let Some(model) = plan.models.chat(&plan.judge.model, env)? else {
        return local_judge(plan, wanted);
    };
    let spec = |generation| JudgeSpec {
        model: model.model().to_owned(),
        endpoint: model.endpoint().to_owned(),
        profile: profile.name().to_owned(),
        generation,
        votes: plan.judge.votes,
    };
    let asker = StoredAsker::new(
        Arc::clone(&model),
        Arc::clone(&session.store) as Arc<dyn Store>,
        Arc::clone(&session.counters),
        plan.budget.clone(),
        session.control.clone(),
        fresh,
        plan.judge.votes,
    )?;
    let asker = Arc::new(asker);
    let spec = spec(asker.generation());
    let records = Box::new(ModelJudge { asker: asker.clone(), wanted: wanted.clone(), profile });
    Ok(Judge { records, spec, asker: Some(asker) })
}

fn local_judge(plan: &Plan<'_>, wanted: &Wanted) -> Result<Judge, Error> {
    let scorer = plan.models.local_scorer()?;
    let spec = JudgeSpec {
        model: scorer.fingerprint().to_owned(),
        endpoint: LOCAL.to_owned(),
        profile: LOCAL.to_owned(),
        generation: 0,
        votes: 1,
    };
    Ok(Judge {
        records: Box::new(LocalJudge { scorer, wanted: wanted.clone() }),
        spec,
        asker: None,
    })
}
