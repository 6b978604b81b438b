//! The vocabulary of ragmeter: documents, test cases, run records, facts, outcomes, and the
//! seams ([`ChatModel`], [`Embedder`], [`PairScorer`], [`Retriever`], [`RagSystem`]) that the
//! other crates meet at.
//!
//! Everything here is plain data. The crate does no I/O, starts no task, reads no environment
//! and prints nothing; what a number may be and what its absence is called is decided here once.

mod case;
mod document;
mod fact;
mod hash;
mod lang;
mod outcome;
mod people;
mod preference;
mod record_facts;
mod redact;
mod seams;
mod store;
mod verdict;

pub use case::{CaseRun, Context, RunRecord, TestCase, ToolCall, Turn, TurnRole};
pub use document::{Chunk, Document};
pub use fact::{Absence, AbsenceClass, Fact, FactSlot, JudgeSource, PersonSource, Source, Votes};
pub use hash::{Digest, Hasher, content_id};
pub use lang::Lang;
pub use outcome::{NotApplicable, Outcome, Score, UnitInterval};
pub use people::{Feedback, Label, LabelSet, Thumb, record_id};
pub use preference::{Preference, Preferred};
pub use record_facts::{FactKind, RecordFacts};
pub use redact::Redactor;
pub use seams::{
    Answer, AnswerError, BoxFuture, ChatModel, ChatReply, ChatRequest, EmbedRole, Embedder,
    Embeddings, ErrorClass, Message, ModelError, PairScorer, RagSystem, RecordJudge, ReplyFormat,
    Retrieved, Retriever, Role, Rung, SupportItem, SupportScore, TokenChoice, Usage, UsefulItem,
};
pub use store::{ModelState, Store, StoreError, StoredReply};
pub use verdict::{
    AnswerKind, Checked, Claim, ClaimVerdict, Distances, Goal, Grade, Implied, Nugget,
    NuggetSupport, PartVerdict, Support, TokenMatch, Topic, UnitVerdict,
};
