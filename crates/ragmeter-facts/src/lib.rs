//! Facts: the small judgements that metrics are functions of.
//!
//! A fact is asked for in a fixed, versioned **call group** ([`Group`]) that sees a fixed set of
//! fields and nothing else. [`judge_record`] takes one record through the groups that the wanted
//! facts need; the reply to each call is typed, every id that was asked must be answered once,
//! and what can't be had is an [`Absence`](ragmeter_core::Absence), never a number.
//!
//! The crate renders prompts and reads replies. It opens no socket and no file: calls go out
//! through [`Asker`], which the runner implements over a store and a model.

mod answer;
mod ask;
mod code;
mod contexts;
mod contexts_side;
mod conversation;
mod coverage;
mod criteria;
mod criterion;
mod grades;
mod group;
mod judging;
mod key;
mod likely;
mod local;
mod local_claims;
mod nuggets;
mod parse;
mod preference;
mod question;
mod reference;
mod refusal;
mod repeat;
mod replies;
mod schema;
mod summary;
mod template;
mod verify;
mod votes;
mod wanted;

pub use ask::{Ask, Asker, Reply};
pub use criterion::{Criterion, Scale, Seen};
pub use group::{Field, Group};
pub use key::{KeyParts, reply_key};
pub use likely::likely_reply;
pub use local::{judge_locally, local_gives};
pub use preference::prefer;
pub use repeat::Repeat;
pub use template::{prompt_hashes, template_hash};
pub use wanted::{Profile, Wanted};

use ragmeter_core::{CaseRun, Lang, RecordFacts};

use crate::contexts::OrderedContexts;
use crate::judging::Judging;

/// Judges one record with a language model: asks every fact in `wanted`, in the profile's groups.
///
/// Facts that follow from the record alone (an empty answer has no claims) are made by code and
/// cost nothing. Facts of embeddings (`QuestionSimilarity`, `AnswerSimilarity`, `TokenSimilarity`)
/// are not made here: the caller asks for vectors in batches over many records.
pub async fn judge_record(
    run: CaseRun<'_>,
    wanted: &Wanted,
    profile: Profile,
    lang: Lang,
    asker: &dyn Asker,
) -> RecordFacts {
    let contexts = OrderedContexts::of(run);
    judging::judge(&Judging { run, lang, profile, contexts, asker }, wanted).await
}
