//! From files and addresses to answers: load → clean → chunk → index → retrieve → read or generate.
//!
//! Each step is a plain function over plain data: [`load()`] gives documents, [`chunk()`] pieces,
//! [`index_documents`] a searchable [`Corpus`], [`IndexRetriever`] ranks, and a [`Chain`] answers.
//! An [`HttpSystem`] or a [`CommandSystem`] answers from outside. Nothing here knows a metric or a judge.

mod binary;
mod bm25;
mod boilerplate;
mod cache;
mod chain;
mod charset;
mod chunk;
mod clean;
mod corpus;
mod dense;
mod docx;
mod fetch;
mod files;
mod fusion;
mod generate;
mod load;
mod memo;
mod pdf;
mod read;
mod render;
mod retrieve;
mod system;

pub use bm25::Bm25;
pub use cache::CacheError;
pub use chain::{Chain, Reader};
pub use charset::decode;
pub use chunk::{ChunkSpec, Unit, chunk};
pub use clean::{Cleaned, Format, Selectors, clean};
pub use corpus::{Corpus, IndexError, IndexStats, Indexed, index_documents};
pub use fusion::{maximal_marginal_relevance, reciprocal_rank_fusion};
pub use generate::{StuffGenerator, stuff_prompt_version};
pub use load::{Limits, LoadError, Loaded, Note, SourceSpec, Unread, load};
pub use read::{ExtractiveReader, Reading, extractive_rules};
pub use retrieve::{IndexKind, IndexRetriever, IndexSpec};
pub use system::{
    CommandSettings, CommandSystem, HttpMethod, HttpSettings, HttpSystem, Listener, PLACEHOLDERS,
    Pointer, PointerError, ReplyPointers, StreamKind, StreamSettings, Template, UnknownPlaceholder,
};
