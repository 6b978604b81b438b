use std::collections::BTreeMap;
use std::path::Path;

use ragmeter_core::{Chunk, Digest, Document, EmbedRole, Embedder, Hasher, ModelError};
use serde::{Deserialize, Serialize};

use crate::bm25::{Bm25, TermCounts, count_terms};
use crate::cache::{self, CacheError, Known};
use crate::chunk::{ChunkSpec, Unit, chunk};
use crate::dense::Vectors;
use crate::memo::{self, Memo};

/// Vectors that may be lost if the process dies: they are written after so many new ones.
const SAVE_EVERY: usize = 2048;

/// A corpus ready for search. Systems with different retrieval settings share one.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    chunks: Vec<Chunk>,
    bm25: Bm25,
    /// The vector of each chunk, if an embedder was given.
    vectors: Option<Vectors>,
}

/// What indexing did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexStats {
    /// Documents given.
    pub documents: usize,
    /// Documents that are as they were when they were last indexed: nothing was done for them.
    pub unchanged: usize,
    /// Chunks made of them.
    pub chunks: usize,
    /// Distinct texts embedded now.
    pub embedded: usize,
    /// Distinct texts whose vectors were on disk already.
    pub reused: usize,
}

/// A corpus with what it took to make it.
#[derive(Clone, Debug)]
pub struct Indexed {
    /// The corpus.
    pub corpus: Corpus,
    /// Counts.
    pub stats: IndexStats,
    /// What the user should know (a stored index was damaged and rebuilt).
    pub notes: Vec<String>,
}

/// Why a corpus could not be indexed.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The chunking asked for is impossible.
    #[error("{0}")]
    Spec(String),
    /// The embedder failed; what it had given before is kept on disk.
    #[error("the corpus cannot be embedded: {0}")]
    Embedding(#[from] ModelError),
    /// The embedder gave vectors of the wrong number or width.
    #[error("the embedder {embedder} gave {detail}")]
    Vectors {
        /// Fingerprint of the embedder.
        embedder: String,
        /// What was wrong.
        detail: String,
    },
    /// The index folder cannot be written.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl Corpus {
    /// Indexes chunks for lexical search only.
    pub fn lexical(chunks: Vec<Chunk>) -> Self {
        let bm25 = Bm25::from_counts(chunks.iter().map(|chunk| count_terms(&search_text(chunk))));
        Self { chunks, bm25, vectors: None }
    }

    /// All chunks, in the order of the documents.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// The lexical index over the chunks.
    pub fn bm25(&self) -> &Bm25 {
        &self.bm25
    }

    /// Whether dense and hybrid search are possible.
    pub fn has_vectors(&self) -> bool {
        self.vectors.is_some()
    }

    pub(crate) fn vectors(&self) -> Option<&Vectors> {
        self.vectors.as_ref()
    }
}

/// Cuts, indexes and, if an embedder is given, embeds the documents. With a folder, the pieces of
/// each document, their terms and their vectors are kept there by the hash of the text: a second
/// run over the same corpus cuts, counts and embeds nothing.
pub async fn index_documents(
    documents: &[Document],
    spec: &ChunkSpec,
    measure: &(dyn Fn(&str) -> usize + Sync),
    embedder: Option<&dyn Embedder>,
    folder: Option<&Path>,
) -> Result<Indexed, IndexError> {
    spec.check().map_err(IndexError::Spec)?;
    let mut stats = IndexStats { documents: documents.len(), ..IndexStats::default() };
    let mut memo = Memo::open(folder, "chunks");
    let (mut chunks, mut counts) = (Vec::new(), Vec::new());
    for document in documents {
        let key = cut_key(document, spec);
        let cut = if let Some(known) = memo.get::<Cut>(&key) {
            stats.unchanged += 1;
            known
        } else {
            let cut = cut(document, spec, measure);
            memo.put(key, &cut);
            cut
        };
        chunks.extend(cut.chunks);
        counts.extend(cut.terms);
    }
    memo.save()?;
    stats.chunks = chunks.len();
    let mut corpus = Corpus { chunks, bm25: Bm25::from_counts(counts), vectors: None };
    let mut notes = Vec::new();
    if let Some(embedder) = embedder {
        let vectors = embed(&corpus.chunks, embedder, folder, &mut stats, &mut notes).await?;
        corpus.vectors = Some(vectors);
    }
    Ok(Indexed { corpus, stats, notes })
}

/// One document in pieces, with the terms of each.
#[derive(Serialize, Deserialize)]
struct Cut {
    chunks: Vec<Chunk>,
    terms: Vec<TermCounts>,
}

fn cut(document: &Document, spec: &ChunkSpec, measure: &(dyn Fn(&str) -> usize + Sync)) -> Cut {
    let chunks = chunk(document, spec, &|text: &str| measure(text));
    let terms = chunks.iter().map(|chunk| count_terms(&search_text(chunk))).collect();
    Cut { chunks, terms }
}

fn cut_key(document: &Document, spec: &ChunkSpec) -> Digest {
    let unit = match &spec.unit {
        Unit::Characters => "",
        Unit::Tokens(name) => name,
    };
    memo::keyed("cut")
        .text(unit)
        .text(&format!("{} {}", spec.size, spec.overlap))
        .text(document.lang.code())
        .text(&document.source)
        .text(document.title.as_deref().unwrap_or_default())
        .text(&document.text)
        .finish()
}

/// The text a chunk is found by: a passage deep in a page often leaves out what the page is about.
pub(crate) fn search_text(chunk: &Chunk) -> String {
    match &chunk.title {
        Some(title) if !chunk.text.starts_with(title.as_str()) => {
            format!("{title}\n\n{}", chunk.text)
        }
        _ => chunk.text.clone(),
    }
}

async fn embed(
    chunks: &[Chunk],
    embedder: &dyn Embedder,
    folder: Option<&Path>,
    stats: &mut IndexStats,
    notes: &mut Vec<String>,
) -> Result<Vectors, IndexError> {
    let fingerprint = embedder.fingerprint();
    let mut stored = match folder.map(|folder| cache::load(folder, fingerprint)) {
        Some(Ok(known)) => known,
        Some(Err(note)) => {
            notes.push(note);
            Known::new()
        }
        None => Known::new(),
    };
    let texts: Vec<String> = chunks.iter().map(search_text).collect();
    let keys: Vec<Digest> = texts.iter().map(|text| key_of(text)).collect();
    let distinct: BTreeMap<&Digest, &String> = keys.iter().zip(&texts).collect();
    // Only what this corpus needs is kept, or the file would grow with every edit.
    let before = stored.len();
    stored.retain(|key, _| distinct.contains_key(key));
    stats.reused = stored.len();
    let mut changed = stored.len() != before;

    let missing: Vec<(&Digest, &String)> =
        distinct.into_iter().filter(|(key, _)| !stored.contains_key(*key)).collect();
    let mut unsaved = 0;
    for batch in missing.chunks(embedder.max_batch().max(1)) {
        let texts: Vec<String> = batch.iter().map(|(_, text)| (*text).clone()).collect();
        let reply = embedder.embed(&texts, EmbedRole::Passage).await;
        let width = stored.values().next().map(Vec::len);
        let checked = reply.map_err(IndexError::from).and_then(|reply| {
            check(&reply.vectors, batch.len(), width, fingerprint).map(|()| reply.vectors)
        });
        let vectors = match checked {
            Ok(vectors) => vectors,
            Err(error) => {
                // What was paid for is kept; the failure itself matters more than a full disk.
                if let Some(folder) = folder
                    && unsaved > 0
                {
                    cache::save(folder, fingerprint, &stored)?;
                }
                return Err(error);
            }
        };
        stored.extend(batch.iter().map(|(key, _)| (*key).clone()).zip(vectors));
        stats.embedded += batch.len();
        unsaved += batch.len();
        changed = true;
        if let Some(folder) = folder
            && unsaved >= SAVE_EVERY
        {
            cache::save(folder, fingerprint, &stored)?;
            unsaved = 0;
        }
    }
    if let Some(folder) = folder
        && changed
    {
        cache::save(folder, fingerprint, &stored)?;
    }
    let width = stored.values().next().map_or(0, Vec::len);
    let values = keys.iter().flat_map(|key| stored[key].iter().copied()).collect();
    Ok(Vectors { width, values })
}

fn key_of(text: &str) -> Digest {
    Hasher::new("passage").text(text).finish()
}

fn check(
    vectors: &[Vec<f32>],
    asked: usize,
    width: Option<usize>,
    embedder: &str,
) -> Result<(), IndexError> {
    let wrong = |detail: String| IndexError::Vectors { embedder: embedder.to_owned(), detail };
    if vectors.len() != asked {
        return Err(wrong(format!("{} vectors for {asked} texts", vectors.len())));
    }
    let width = width.or_else(|| vectors.first().map(Vec::len)).unwrap_or_default();
    if width == 0 || vectors.iter().any(|vector| vector.len() != width) {
        return Err(wrong("vectors of different widths".to_owned()));
    }
    if vectors.iter().flatten().any(|value| !value.is_finite()) {
        return Err(wrong("a vector with a value that is not a number".to_owned()));
    }
    Ok(())
}
