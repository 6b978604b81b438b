//! Stand-ins for models, and shorthands.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ragmeter_core::{
    AbsenceClass, BoxFuture, ChatModel, ChatReply, ChatRequest, Document, EmbedRole, Embedder,
    Embeddings, ErrorClass, Lang, ModelError, Usage,
};
use ragmeter_text::{detect, terms};

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

pub(crate) fn document(source: &str, text: &str) -> Document {
    Document { source: source.into(), title: None, lang: detect(text), text: text.into() }
}

/// Vectors by hashing terms into a few dimensions; counts what it was asked.
#[derive(Debug, Default)]
pub(crate) struct HashEmbedder {
    pub(crate) texts: AtomicUsize,
    pub(crate) calls: AtomicUsize,
    /// Fail after so many calls, if not 0.
    pub(crate) fail_after: usize,
}

impl Embedder for HashEmbedder {
    fn fingerprint(&self) -> &'static str {
        "hash/8"
    }
    fn is_remote(&self) -> bool {
        false
    }
    fn max_batch(&self) -> usize {
        4
    }
    fn embed<'a>(
        &'a self,
        texts: &'a [String],
        _role: EmbedRole,
    ) -> BoxFuture<'a, Result<Embeddings, ModelError>> {
        Box::pin(async move {
            assert!(texts.len() <= self.max_batch());
            let calls = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
            if self.fail_after > 0 && calls > self.fail_after {
                return Err(failure("no more"));
            }
            self.texts.fetch_add(texts.len(), Ordering::Relaxed);
            let vector = |text: &String| {
                let mut vector = [0.01_f32; 8];
                for term in terms(text) {
                    let sum: usize = term.bytes().map(usize::from).sum();
                    vector[sum % 8] += 1.0;
                }
                let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
                vector.iter().map(|v| v / length).collect()
            };
            Ok(Embeddings { vectors: texts.iter().map(vector).collect(), usage: Usage::default() })
        })
    }
}

pub(crate) fn failure(detail: &str) -> ModelError {
    ModelError {
        class: ErrorClass::Failed(AbsenceClass::Server),
        model: "stub".into(),
        endpoint: "nowhere".into(),
        detail: detail.into(),
    }
}

/// Replies with a fixed text and keeps the request.
#[derive(Debug)]
pub(crate) struct FixedChat {
    pub(crate) text: &'static str,
    pub(crate) filtered: bool,
    pub(crate) seen: Mutex<Vec<ChatRequest>>,
}

impl FixedChat {
    pub(crate) fn new(text: &'static str, filtered: bool) -> Self {
        Self { text, filtered, seen: Mutex::default() }
    }
}

impl ChatModel for FixedChat {
    fn model(&self) -> &'static str {
        "fixed"
    }
    fn endpoint(&self) -> &'static str {
        "nowhere"
    }
    fn chat(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatReply, ModelError>> {
        self.seen.lock().unwrap().push(request);
        Box::pin(async {
            Ok(ChatReply {
                text: self.text.into(),
                truncated: false,
                filtered: self.filtered,
                model: "fixed-1".into(),
                usage: Usage { input: 10, cached: 0, output: 3 },
                raw: String::new(),
            })
        })
    }
}

pub(crate) fn case(question: &str) -> ragmeter_core::TestCase {
    ragmeter_core::TestCase { id: "1".into(), question: question.into(), ..Default::default() }
}

pub(crate) const RU: Lang = Lang::Ru;
