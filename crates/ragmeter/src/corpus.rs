//! Documents of a configuration: loaded, cut, indexed; and the systems built on them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ragmeter_core::{Answer, Embedder, Hasher, RagSystem, TestCase};
use ragmeter_rag::{
    Chain, ChunkSpec, Corpus, ExtractiveReader, IndexKind, IndexRetriever, IndexSpec, IndexStats,
    Limits, LoadError, Reader, SourceSpec, StuffGenerator, Unit, Unread, extractive_rules,
    index_documents, load,
};
use ragmeter_text::TokenCounter;
use serde_json::json;

use crate::config::{ChunkUnit, Chunking, Config, Loaded, RetrieverKind, SystemConfig};
use crate::error::Error;
use crate::models::{Environment, Models};
use crate::spec::{CorpusSpec, SystemSpec};
use crate::systems::{Heard, live_system};

/// The generator that takes sentences out of the contexts.
const EXTRACTIVE: &str = "extractive";

/// Most files with one reason that are listed by name.
const LISTED: usize = 4;

/// What indexing did.
#[derive(Debug)]
pub struct IndexOutcome {
    /// Documents, chunks, texts embedded and reused.
    pub stats: IndexStats,
    /// What could not be read, with the reason.
    pub unread: Vec<Unread>,
    /// What the user should know.
    pub notes: Vec<String>,
}

pub(crate) struct Built {
    pub(crate) corpus: Arc<Corpus>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) spec: CorpusSpec,
    pub(crate) outcome: IndexOutcome,
}

/// Loads and indexes the corpus of a configuration.
pub async fn index(
    loaded: &Loaded,
    store_folder: &Path,
    env: Environment<'_>,
) -> Result<IndexOutcome, Error> {
    let models = models_of(&loaded.config);
    Ok(build(loaded, store_folder, &models, env).await?.outcome)
}

impl IndexOutcome {
    /// What could not be read, for a person: many files with one reason are one line.
    pub fn unread_lines(&self) -> Vec<String> {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for one in &self.unread {
            by_reason.entry(&one.reason).or_default().push(&one.source);
        }
        let mut lines = Vec::new();
        for (reason, sources) in by_reason {
            if sources.len() > LISTED {
                let first = sources[0];
                lines.push(format!("not read: {} files, {first} first: {reason}", sources.len()));
            } else {
                lines.extend(sources.iter().map(|one| format!("not read: {one}: {reason}")));
            }
        }
        lines
    }
}

/// Asks one system of a configuration a question; the first live one if none is named. `heard`
/// gets what a program writes to stderr.
pub async fn ask(
    loaded: &Loaded,
    store_folder: &Path,
    system: Option<&str>,
    question: &str,
    env: Environment<'_>,
    heard: Option<Heard>,
) -> Result<(String, Answer), Error> {
    let live = loaded.config.systems.iter().filter(|one| one.is_live());
    let chosen = match system {
        None => live.clone().next(),
        Some(name) => live.clone().find(|one| one.name == name),
    };
    let Some(chosen) = chosen else {
        let names: Vec<&str> = live.map(|one| one.name.as_str()).collect();
        return Err(Error::usage(format!(
            "{}: there is no live system{}; live ones: {}",
            loaded.file,
            system.map(|name| format!(" `{name}`")).unwrap_or_default(),
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        )));
    };
    let models = models_of(&loaded.config);
    let built = if chosen.is_chain() {
        Some(build(loaded, store_folder, &models, env).await?)
    } else {
        None
    };
    let (_, system) = live_system(chosen, loaded, built.as_ref(), &models, env, heard)?;
    let case =
        TestCase { id: "ask".to_owned(), question: question.to_owned(), ..TestCase::default() };
    let answer = system.answer(&case).await.map_err(|error| Error::Failed(error.to_string()))?;
    Ok((chosen.name.clone(), answer))
}

pub(crate) fn models_of(config: &Config) -> Models {
    Models::new(config.models.clone(), None, config.run.concurrency)
}

pub(crate) async fn build(
    loaded: &Loaded,
    store_folder: &Path,
    models: &Models,
    env: Environment<'_>,
) -> Result<Built, Error> {
    let config = &loaded.config;
    if config.corpus.is_empty() {
        return Err(Error::usage(format!(
            "{}: `corpus` is missing: name files, folders or addresses to index",
            loaded.file
        )));
    }
    let sources: Vec<SourceSpec> = config
        .corpus
        .iter()
        .map(|entry| SourceSpec {
            location: entry.path.clone().or_else(|| entry.url.clone()).unwrap_or_default(),
            select: entry.select.clone(),
        })
        .collect();
    let folder = if loaded.folder.as_os_str().is_empty() { Path::new(".") } else { &loaded.folder };
    let cache = store_folder.join("index");
    let found = load(&sources, folder, &Limits::default(), Some(&cache)).await.map_err(
        |error| match error {
            LoadError::Cache(error) => Error::Failed(error.to_string()),
            error => Error::usage(format!("{}: {error}", loaded.file)),
        },
    )?;
    let dense = config.systems.iter().any(needs_vectors);
    let embedder = if dense { Some(models.embedder(&config.index.embedder, env)?) } else { None };
    let (spec, measure) = chunk_spec(&config.chunking, &loaded.file, models)?;
    let indexed = index_documents(
        &found.documents,
        &spec,
        measure.as_ref(),
        embedder.as_deref(),
        Some(&cache),
    )
    .await
    .map_err(|error| Error::Failed(error.to_string()))?;
    let mut hasher = Hasher::new("corpus");
    for chunk in indexed.corpus.chunks() {
        hasher.text(chunk.id.as_str());
    }
    let mut notes: Vec<String> =
        found.notes.iter().map(|note| format!("{}: {}", note.source, note.text)).collect();
    notes.extend(indexed.notes);
    let corpus_spec = CorpusSpec {
        chunks: hasher.finish(),
        documents: indexed.stats.documents,
        count: indexed.stats.chunks,
        chunking: json!(config.chunking),
        embedder: embedder.as_ref().map(|one| one.fingerprint().to_owned()),
    };
    Ok(Built {
        corpus: Arc::new(indexed.corpus),
        embedder,
        spec: corpus_spec,
        outcome: IndexOutcome { stats: indexed.stats, unread: found.unread, notes },
    })
}

fn needs_vectors(system: &SystemConfig) -> bool {
    system.is_chain() && system.retriever.clone().unwrap_or_default().kind != RetrieverKind::Bm25
}

type Measure = Box<dyn Fn(&str) -> usize + Sync>;

/// Tokenizer of the local embedder, by name.
const E5: &str = "e5";

fn chunk_spec(
    chunking: &Chunking,
    file: &str,
    models: &Models,
) -> Result<(ChunkSpec, Measure), Error> {
    let (size, overlap) = (chunking.size, chunking.overlap);
    let (unit, measure): (Unit, Measure) = match chunking.unit {
        ChunkUnit::Characters => (Unit::Characters, Box::new(|text| text.chars().count())),
        ChunkUnit::Tokens => {
            let name = chunking.tokenizer.as_deref().unwrap_or("cl100k_base");
            let measure: Measure = if name == E5 {
                let embedder = models.local()?;
                Box::new(move |text| embedder.count_tokens(text))
            } else {
                let counter = TokenCounter::by_name(name).map_err(|error| {
                    Error::usage(format!("{file}: chunking.tokenizer: {error}, or {E5}"))
                })?;
                Box::new(move |text| counter.count(text))
            };
            (Unit::Tokens(name.to_owned()), measure)
        }
    };
    Ok((ChunkSpec { unit, size, overlap }, measure))
}

/// A system that retrieves from the corpus, with its resolved settings.
pub(crate) fn chain_system(
    system: &SystemConfig,
    built: &Built,
    models: &Models,
    env: Environment<'_>,
) -> Result<(SystemSpec, Arc<dyn RagSystem>), Error> {
    let retriever = system.retriever.clone().unwrap_or_default();
    let generator = system.generator.as_deref().unwrap_or(EXTRACTIVE);
    let kind = match retriever.kind {
        RetrieverKind::Bm25 => IndexKind::Bm25,
        RetrieverKind::Dense => IndexKind::Dense,
        RetrieverKind::Hybrid => IndexKind::Hybrid,
    };
    let index = IndexSpec {
        kind,
        weights: [retriever.weights.bm25, retriever.weights.dense],
        mmr: retriever.mmr,
        threshold: retriever.threshold,
    };
    let found = IndexRetriever::new(Arc::clone(&built.corpus), index, built.embedder.clone())
        .map_err(|error| Error::usage(format!("system `{}`: {error}", system.name)))?;
    let (reader, generator) = if generator == EXTRACTIVE {
        let reader = ExtractiveReader::new(Arc::clone(&built.corpus), built.embedder.clone());
        (
            Reader::Extractive(reader),
            json!(format!("{EXTRACTIVE}@{}", &extractive_rules().as_str()[..8])),
        )
    } else {
        let model = models.chat(generator, env)?.ok_or_else(|| {
            Error::usage(format!(
                "system `{}`: `local` writes no answers: use `{EXTRACTIVE}` or a chat model",
                system.name
            ))
        })?;
        let named = json!({
            "model": model.model(),
            "endpoint": model.endpoint(),
            "prompt": ragmeter_core::Lang::ALL.map(ragmeter_rag::stuff_prompt_version),
        });
        (Reader::Chat(StuffGenerator::new(model)), named)
    };
    let spec = SystemSpec {
        name: system.name.clone(),
        k: Some(retriever.k),
        settings: json!({ "retriever": retriever, "generator": generator }),
    };
    let (name, k) = (system.name.clone(), retriever.k);
    Ok((spec, Arc::new(Chain { name, retriever: Arc::new(found), k, reader })))
}
