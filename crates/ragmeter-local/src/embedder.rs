use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use ragmeter_core::{BoxFuture, EmbedRole, Embedder, Embeddings, ModelError, Usage};

use crate::cache::VectorCache;
use crate::encoder::Encoder;
use crate::error::LocalError;
use crate::kernel::Isa;
use crate::model_file::ModelFile;
use crate::tokenizer::Tokenizer;

/// Tokens encoded together at most: enough that the weights are read seldom, few enough that
/// what lies between two layers stays in the processor's cache.
const BATCH_TOKENS: usize = 256;
/// Fewer tokens than this are not worth a thread.
const THREAD_TOKENS: usize = 48;
/// Texts whose vectors are kept: 50 MB.
const CACHED_TEXTS: usize = 1 << 15;

/// multilingual-e5-small (Wang et al. 2024, arXiv 2402.05672) on the processor: 384 dimensions,
/// about 100 languages, 4-bit weights. Texts longer than 512 tokens are cut.
///
/// Cosines of this model lie between 0.7 and 1.0: compare them with each other, never with a
/// threshold guessed. Vectors are the same bits whatever the processor, the number of threads and
/// the texts embedded together.
#[derive(Debug)]
pub struct E5Embedder {
    model: OnceLock<Model>,
    fingerprint: String,
    isa: Isa,
    threads: usize,
    cache: Mutex<VectorCache>,
}

#[derive(Debug)]
struct Model {
    file: ModelFile,
    tokenizer: Tokenizer,
    encoder: Encoder,
}

impl Model {
    fn open(data: Cow<'static, [u8]>) -> Result<Self, LocalError> {
        let file = ModelFile::open(data)?;
        let tokenizer = Tokenizer::new(&file)?;
        let encoder = Encoder::new(&file)?;
        Ok(Self { file, tokenizer, encoder })
    }
}

impl E5Embedder {
    /// The model that this binary carries. Nothing of it is read before its first use.
    pub fn bundled() -> Result<Self, LocalError> {
        #[cfg(feature = "bundled-models")]
        return Ok(Self::new(OnceLock::new(), crate::bundled::E5_BLAKE3));
        #[cfg(not(feature = "bundled-models"))]
        Err(LocalError::NotBundled)
    }

    /// A model file made by `scripts/convert_e5.py`; read and checked at once.
    pub fn from_path(path: &Path) -> Result<Self, LocalError> {
        let data = std::fs::read(path)
            .map_err(|source| LocalError::Read { path: path.to_owned(), source })?;
        let hash = blake3::hash(&data).to_hex();
        let model = OnceLock::from(Model::open(Cow::Owned(data))?);
        Ok(Self::new(model, hash.as_str()))
    }

    fn new(model: OnceLock<Model>, hash: &str) -> Self {
        Self {
            model,
            fingerprint: format!("multilingual-e5-small/q4/{}", &hash[..16]),
            isa: Isa::best(),
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            cache: Mutex::new(VectorCache::new(CACHED_TEXTS)),
        }
    }

    /// Uses at most so many threads; all cores otherwise.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Vectors of unit length, one for each text, in order. An empty text has a vector too.
    pub fn embed_texts(&self, texts: &[&str], role: EmbedRole) -> Vec<Vec<f32>> {
        let keys: Vec<_> = texts.iter().map(|text| VectorCache::key(text, role)).collect();
        let mut known = BTreeMap::new();
        let mut missing = BTreeMap::new();
        {
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            for (key, text) in keys.iter().zip(texts) {
                match cache.get(key) {
                    Some(vector) => {
                        known.insert(*key, vector);
                    }
                    None => {
                        missing.insert(*key, *text);
                    }
                }
            }
        }
        if !missing.is_empty() {
            let distinct: Vec<_> = missing.values().copied().collect();
            let vectors = self.compute(&distinct, role);
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            for (key, vector) in missing.keys().zip(vectors) {
                cache.insert(*key, &vector);
                known.insert(*key, vector);
            }
        }
        keys.iter().map(|key| known[key].clone()).collect()
    }

    /// How many tokens the text has, without the prefix and the marks that the model adds.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.token_offsets(text).len()
    }

    /// The text's tokens as byte ranges, in order and at character borders. A token that is only
    /// the space put before the text is empty; one character that the model reads as several may
    /// stand in more than one range.
    pub fn token_offsets(&self, text: &str) -> Vec<Range<usize>> {
        if text.is_empty() {
            return Vec::new();
        }
        let model = self.model();
        let tokens = model.tokenizer.tokens(&model.file, "", text, usize::MAX);
        tokens.into_iter().map(|token| token.range).collect()
    }

    /// Most tokens of a text that its vector can be made from.
    pub fn max_tokens(&self) -> usize {
        self.model().file.parameters.positions
    }

    #[cfg(feature = "bundled-models")]
    fn model(&self) -> &Model {
        self.model.get_or_init(|| {
            Model::open(Cow::Borrowed(crate::bundled::E5))
                .expect("the bundled model is sound: tests open it")
        })
    }

    #[cfg(not(feature = "bundled-models"))]
    fn model(&self) -> &Model {
        self.model.get().expect("without a bundled model, one is opened at construction")
    }

    /// A vector of unit length for every token of the text (not for the model's own marks), at most
    /// [`max_tokens`](Self::max_tokens) of them; each knows the tokens around it.
    pub fn token_vectors(&self, text: &str) -> Vec<Vec<f32>> {
        let model = self.model();
        let tokens = token_ids(model, text, EmbedRole::Query);
        // The role's prefix and the mark before it stand before the text, one mark after it.
        let before = token_ids(model, "", EmbedRole::Query).len().saturating_sub(1);
        let hidden = model.encoder.hidden();
        let count = tokens.len();
        let states = model.encoder.states(&model.file, self.isa, &[tokens]);
        let rows = states.first().map(Vec::as_slice).unwrap_or_default().chunks_exact(hidden);
        let own = rows.take(count.saturating_sub(1)).skip(before);
        own.map(unit).collect()
    }

    fn compute(&self, texts: &[&str], role: EmbedRole) -> Vec<Vec<f32>> {
        let model = self.model();
        let tokens: Vec<_> = texts.iter().map(|text| token_ids(model, text, role)).collect();
        let total: usize = tokens.iter().map(Vec::len).sum();
        let most = (total / self.threads).clamp(THREAD_TOKENS, BATCH_TOKENS);
        let batches = batches(&tokens, most);
        let encode = |batch: &Range<usize>| {
            model.encoder.encode(&model.file, self.isa, &tokens[batch.clone()])
        };
        let threads = self.threads.min(batches.len());
        if threads <= 1 {
            return batches.iter().flat_map(encode).collect();
        }
        let next = AtomicUsize::new(0);
        let worker = || {
            let mut done = Vec::new();
            while let Some((index, batch)) = {
                let index = next.fetch_add(1, Ordering::Relaxed);
                batches.get(index).map(|batch| (index, batch))
            } {
                done.push((index, encode(batch)));
            }
            done
        };
        let mut done = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
            let joined = workers.into_iter().map(|worker| match worker.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.flatten().collect::<Vec<_>>()
        });
        done.sort_by_key(|(index, _)| *index);
        done.into_iter().flat_map(|(_, vectors)| vectors).collect()
    }
}

/// The row at unit length.
fn unit(row: &[f32]) -> Vec<f32> {
    let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
    row.iter().map(|x| (f64::from(*x) * scale) as f32).collect()
}

/// The tokens that the model reads: its own prefix for the role, and its marks at both ends.
fn token_ids(model: &Model, text: &str, role: EmbedRole) -> Vec<u32> {
    let parameters = &model.file.parameters;
    let prefix = match role {
        EmbedRole::Query => "query: ",
        EmbedRole::Passage => "passage: ",
    };
    let tokens = model.tokenizer.tokens(&model.file, prefix, text, parameters.positions - 2);
    let inner = tokens.into_iter().map(|token| token.id);
    std::iter::once(parameters.bos).chain(inner).chain([parameters.eos]).collect()
}

/// Runs of texts of at most `most` tokens, or of one longer text.
fn batches(texts: &[Vec<u32>], most: usize) -> Vec<Range<usize>> {
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut tokens = 0;
    for (i, text) in texts.iter().enumerate() {
        match batches.last_mut() {
            Some(last) if tokens + text.len() <= most => {
                last.end = i + 1;
                tokens += text.len();
            }
            _ => {
                batches.push(i..i + 1);
                tokens = text.len();
            }
        }
    }
    batches
}

impl Embedder for E5Embedder {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn max_batch(&self) -> usize {
        256
    }

    /// The work is done when the future is first polled, on the thread that polls it.
    fn embed<'a>(
        &'a self,
        texts: &'a [String],
        role: EmbedRole,
    ) -> BoxFuture<'a, Result<Embeddings, ModelError>> {
        Box::pin(async move {
            let texts: Vec<_> = texts.iter().map(String::as_str).collect();
            let vectors = self.embed_texts(&texts, role);
            Ok(Embeddings { vectors, usage: Usage::default() })
        })
    }
}

#[cfg(all(test, feature = "bundled-models"))]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_set_gives_the_same_vectors() {
        let texts = ["Где взять книгу на три недели?", "one two three, and some more of it"];
        let vectors = Isa::all().into_iter().map(|isa| {
            let mut embedder = E5Embedder::bundled().unwrap();
            embedder.isa = isa;
            embedder.embed_texts(&texts, EmbedRole::Passage)
        });
        let vectors: Vec<_> = vectors.collect();
        assert!(vectors.iter().all(|v| *v == vectors[0]));
    }

    #[test]
    fn nothing_is_read_before_it_is_used() {
        let embedder = E5Embedder::bundled().unwrap();
        assert!(embedder.fingerprint().starts_with("multilingual-e5-small/"));
        assert!(embedder.model.get().is_none());
        embedder.count_tokens("now");
        assert!(embedder.model.get().is_some());
    }
}
