//! Facts: the small judgements that metrics are functions of.
//!
//! A fact is asked for in a fixed, versioned **call group** ([`Group`]) that sees a fixed set of
//! fields and nothing else. [`judge_record`] takes one record through the groups that the wanted
//! facts need; the reply to each call is typed, every id that was asked must be answered once,
//! and what can't be had is an [`Absence`](ragmeter_core::Absence), never a number.
//!
//! The crate renders prompts and reads replies. It opens no socket and no file: calls go out
//! through [`Asker`], which the runner implements over a store and a model.

mod ask;
mod attribution;
mod code;
mod contexts;
mod coverage;
mod group;
mod grouped;
mod key;
mod local;
mod refusal;
mod replies;
mod schema;
mod split;
mod template;
mod verify;
mod wanted;

pub use ask::{Ask, Asker, Reply};
pub use group::{Field, Group};
pub use key::{KeyParts, reply_key};
pub use local::judge_locally;
pub use template::{prompt_hashes, template_hash};
pub use wanted::{Profile, Wanted};

use ragmeter_core::{CaseRun, Lang, RecordFacts};

/// Judges one record with a language model: asks every fact in `wanted`, in the profile's groups.
///
/// Facts that follow from the record alone (an empty answer has no claims) are made by code and
/// cost nothing. `QuestionSimilarity` is not made here: it needs embeddings, which the runner
/// asks for in batches over many records, see [`Wanted::similarity`].
pub async fn judge_record(
    run: CaseRun<'_>,
    wanted: Wanted,
    profile: Profile,
    lang: Lang,
    asker: &dyn Asker,
) -> RecordFacts {
    match profile {
        Profile::Grouped => grouped::judge(run, wanted, lang, asker).await,
        Profile::Split => split::judge(run, wanted, lang, asker).await,
    }
}
