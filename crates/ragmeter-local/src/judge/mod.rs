//! The local judge: logistic heads over word overlap and the embedder's cosines.

mod compare;
mod head;
mod overlap;
mod passage;
mod question;
mod rivals;
mod token;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use ragmeter_core::{
    EmbedRole, Embedder as _, Lang, ModelError, PairScorer, SupportItem, SupportScore, UsefulItem,
};
use ragmeter_text::words;

use crate::embedder::E5Embedder;
use crate::error::LocalError;
use compare::{Vectors, choose, compare};
use head::{Head, Heads};
use passage::{Sentence, prepare};

pub use compare::FEATURES;

/// Weights of the heads; `models/JUDGE.md` says how they were made.
const HEADS: &str = include_str!("../../models/judge-1.json");
/// Sentences of an item that are given vectors: about 8,000 characters. In longer contexts they
/// are those that share most words with the question and the claim.
const MOST_SENTENCES: usize = 64;
/// Bytes of a sentence that are embedded; the model reads no more than about that.
const MOST_BYTES: usize = 2000;
/// Words up to which a claim with a question is a bare answer and no statement: however it ends,
/// without a full stop, and beginning in lower case besides.
const BARE_WORDS: usize = 3;
const OPEN_WORDS: usize = 6;
const PHRASE_WORDS: usize = 20;

/// Judges support and usefulness with encoders only. Modest, and measured: see `models/JUDGE.md`.
/// Same items, same verdicts, whatever the processor, the threads and the other items.
#[derive(Debug)]
pub struct LocalJudge {
    embedder: Arc<E5Embedder>,
    heads: Heads,
    fingerprint: String,
}

/// What one comparison found.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The claim is a bare answer to its question: another head judges those.
    pub bare_answer: bool,
    /// Values of [`FEATURES`].
    pub features: Vec<f64>,
    /// Index of the context that the claim rests on.
    pub context: usize,
    /// Bytes of the best sentence in it.
    pub sentence: Range<usize>,
}

impl LocalJudge {
    /// A judge over this embedder.
    pub fn new(embedder: Arc<E5Embedder>) -> Result<Self, LocalError> {
        let heads = Heads::parse(HEADS)?;
        let hash = blake3::hash(HEADS.as_bytes()).to_hex();
        let fingerprint = format!("local-judge/1/{}/{}", &hash[..16], embedder.fingerprint());
        Ok(Self { embedder, heads, fingerprint })
    }

    /// The features of each item, for training; needs no heads.
    pub fn compare(embedder: &E5Embedder, items: &[SupportItem<'_>]) -> Vec<Comparison> {
        let mut prepared: BTreeMap<(&str, Lang), Vec<Sentence>> = BTreeMap::new();
        for item in items {
            for context in item.contexts {
                let key = (*context, item.lang);
                prepared.entry(key).or_insert_with(|| prepare(context, item.lang));
            }
        }
        // All texts of all items are embedded together; equal ones once.
        let mut passages: Vec<&str> = Vec::new();
        let mut queries: Vec<String> = Vec::new();
        let mut views = Vec::new();
        for item in items {
            let view = View::new(item, &prepared);
            let chosen = choose(item.question, item.claim, &view.sentences, MOST_SENTENCES);
            let vectors = view.texts.iter().zip(chosen).map(|(text, chosen)| {
                chosen.then(|| {
                    passages.push(text);
                    passages.len() - 1
                })
            });
            let vectors: Vec<Option<usize>> = vectors.collect();
            let claim = head_of(item.claim);
            let question = head_of(item.question);
            queries.extend([claim.to_owned(), question.to_owned(), format!("{question} {claim}")]);
            views.push((view, vectors));
        }
        let passages = embedder.embed_texts(&passages, EmbedRole::Passage);
        let queries: Vec<_> = queries.iter().map(String::as_str).collect();
        let queries = embedder.embed_texts(&queries, EmbedRole::Query);
        let compared = items.iter().zip(&views).zip(queries.chunks_exact(3));
        compared
            .map(|((item, (view, vectors)), query)| {
                let sentences = vectors.iter().map(|v| v.map(|v| passages[v].as_slice())).collect();
                let vectors =
                    Vectors { claim: &query[0], question: &query[1], both: &query[2], sentences };
                let found =
                    compare(item.question, item.claim, &view.sentences, &view.follows, &vectors);
                let (context, sentence) = match view.sentences.get(found.best) {
                    Some(sentence) => (view.context[found.best], sentence.range.clone()),
                    None => (0, 0..0),
                };
                let bare_answer = is_bare_answer(item.question, item.claim);
                Comparison { bare_answer, features: found.features, context, sentence }
            })
            .collect()
    }
}

/// The beginning of a text, as much as the embedder can read.
fn head_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_BYTES)]
}

/// The sentences of an item's contexts in one row.
struct View<'a> {
    sentences: Vec<&'a Sentence>,
    texts: Vec<&'a str>,
    context: Vec<usize>,
    follows: Vec<bool>,
}

impl<'a> View<'a> {
    fn new(item: &SupportItem<'a>, prepared: &'a BTreeMap<(&'a str, Lang), Vec<Sentence>>) -> Self {
        let mut view = Self { sentences: vec![], texts: vec![], context: vec![], follows: vec![] };
        for (index, context) in item.contexts.iter().enumerate() {
            let Some(sentences) = prepared.get(&(*context, item.lang)) else {
                continue;
            };
            for (s, sentence) in sentences.iter().enumerate() {
                view.sentences.push(sentence);
                view.texts.push(head_of(&context[sentence.range.clone()]));
                view.context.push(index);
                view.follows.push(s + 1 < sentences.len());
            }
        }
        view
    }
}

/// Whether a claim is a bare answer to its question ("in 1938") and no statement of its own.
fn is_bare_answer(question: &str, claim: &str) -> bool {
    let claim = claim.trim().trim_end_matches(['"', '\'', '»', '”', ')']);
    let count = words(claim).len();
    let ended = claim.ends_with(['.', '!', '?', '…']);
    let lower = !claim.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase);
    let bare = count <= BARE_WORDS
        || (!ended && (count <= OPEN_WORDS || (lower && count <= PHRASE_WORDS)));
    !question.trim().is_empty() && bare
}

impl PairScorer for LocalJudge {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn support(&self, items: &[SupportItem<'_>]) -> Result<Vec<SupportScore>, ModelError> {
        let compared = Self::compare(&self.embedder, items);
        let scores = compared.into_iter().map(|found| {
            let head = if found.bare_answer { &self.heads.answer } else { &self.heads.statement };
            let probability = head.probability(&found.features);
            SupportScore {
                probability,
                supported: probability >= head.threshold,
                context: found.context,
                sentence: found.sentence,
            }
        });
        Ok(scores.collect())
    }

    fn useful(&self, items: &[UsefulItem<'_>]) -> Result<Vec<bool>, ModelError> {
        let contexts: Vec<[&str; 1]> = items.iter().map(|item| [item.context]).collect();
        let support: Vec<_> = items
            .iter()
            .zip(&contexts)
            .map(|(item, contexts)| SupportItem {
                question: item.question,
                claim: item.reference,
                contexts,
                lang: item.lang,
            })
            .collect();
        let compared = Self::compare(&self.embedder, &support);
        let verdicts = items.iter().zip(compared).map(|(item, found)| {
            let head: &Head = if item.reference.trim().is_empty() {
                &self.heads.useful_question
            } else {
                &self.heads.useful_reference
            };
            head.probability(&found.features) >= head.threshold
        });
        Ok(verdicts.collect())
    }
}
