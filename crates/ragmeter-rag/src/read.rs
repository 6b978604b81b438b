use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ragmeter_core::{Digest, EmbedRole, Embedder, Hasher, Lang, ModelError, Retrieved};
use ragmeter_text::{content_terms, detect, paragraphs, sentences};

use crate::corpus::Corpus;
use crate::dense::dot;

/// Most sentences in an answer.
const MOST: usize = 3;
/// Share of the question's weight that a sentence must carry, or there is no answer.
const FLOOR: f64 = 0.36;
/// Share of the question's weight that a further sentence must add.
const GAIN: f64 = 0.15;
/// What a term counts for that stands not in the sentence but just before it, or in the heading,
/// or in the title: a passage names its subject once.
const NEARBY: f64 = 0.5;
/// What a heading that carries the question adds to the score of the sentences below it.
const UNDER_HEADING: f64 = 0.25;
/// What being in the first context adds; half of it in the second, and so on.
const FIRST_CONTEXT: f64 = 0.1;
/// Part of a sentence's score that the embedder decides, where there is one.
const COSINE_WEIGHT: f64 = 0.3;
/// Sentences compared with the question by the embedder: the best by words.
const COMPARED: usize = 8;
/// A shorter sentence says nothing by itself.
const SHORTEST: usize = 3;

/// Answers a question with the best sentences of what was retrieved. No language model: the
/// baseline that any generator has to beat, and the reader that costs nothing.
#[derive(Clone, Debug)]
pub struct ExtractiveReader {
    corpus: Arc<Corpus>,
    embedder: Option<Arc<dyn Embedder>>,
}

/// The hash of the reader's rules, for a run's identity: answers by other rules are not its own.
pub fn extractive_rules() -> Digest {
    let mut hasher = Hasher::new("extractive");
    for source in [include_str!("read.rs")].iter().chain(ragmeter_text::RULES) {
        hasher.text(source);
    }
    hasher.finish()
}

/// What the reader found.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The answer, or a refusal in the question's language.
    pub text: String,
    /// Nothing carried enough of the question.
    pub refused: bool,
    /// Most of the question's weight that a sentence carries, as a share in `[0, 1]`.
    pub evidence: f64,
}

/// A sentence that could be part of an answer.
struct Candidate<'a> {
    text: &'a str,
    /// Context and place in it, for the order of the answer.
    place: (usize, usize),
    /// For each term of the question, how much of it the sentence carries.
    carried: Vec<f64>,
    /// The terms that an answer with this sentence has dealt with: its own, and those of heading
    /// and title, which are the subject of every sentence below them.
    covers: Vec<bool>,
    /// The terms in the heading above it.
    under: Vec<bool>,
    score: f64,
}

impl ExtractiveReader {
    /// A reader that weighs words as they are rare in `corpus`. With an embedder the likeness of
    /// sentence and question counts too.
    pub fn new(corpus: Arc<Corpus>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { corpus, embedder }
    }

    /// One to three sentences that together carry the question's words: a question with two parts
    /// gets a sentence for each. Below a floor of evidence the answer is a refusal.
    pub async fn read(
        &self,
        question: &str,
        contexts: &[Retrieved],
    ) -> Result<Reading, ModelError> {
        let wanted: Vec<String> =
            content_terms(question).into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        let weights: Vec<f64> = wanted.iter().map(|term| self.corpus.bm25().idf(term)).collect();
        let total: f64 = weights.iter().sum();
        let mut candidates = Vec::new();
        for (rank, context) in contexts.iter().enumerate() {
            collect(rank, context, &wanted, &mut candidates);
        }
        if total <= 0.0 || candidates.is_empty() {
            return Ok(refusal(question, 0.0));
        }
        let mut evidence = 0.0_f64;
        for candidate in &mut candidates {
            let share = weigh(&candidate.carried, &weights) / total;
            let under: f64 = held(&candidate.under, &weights) / total;
            let first = FIRST_CONTEXT / (candidate.place.0 + 1) as f64;
            candidate.score = share + UNDER_HEADING * under + first;
            evidence = evidence.max(share);
        }
        candidates.sort_by(|one, other| {
            other.score.total_cmp(&one.score).then_with(|| one.place.cmp(&other.place))
        });
        if evidence < FLOOR {
            return Ok(refusal(question, evidence));
        }
        self.compare(question, &mut candidates).await?;
        let picked = pick(&candidates, &weights, total);
        let parts: Vec<&str> = picked.iter().map(|candidate| candidate.text).collect();
        Ok(Reading { text: parts.join(" "), refused: false, evidence })
    }

    /// Mixes the cosine with the question into the scores of the best candidates. Cosines of one
    /// question lie close together, so they are spread over the candidates compared.
    async fn compare(
        &self,
        question: &str,
        candidates: &mut Vec<Candidate<'_>>,
    ) -> Result<(), ModelError> {
        let Some(embedder) = &self.embedder else {
            return Ok(());
        };
        candidates.truncate(COMPARED);
        let texts: Vec<String> = candidates.iter().map(|c| c.text.to_owned()).collect();
        let asked = embedder.embed(&[question.to_owned()], EmbedRole::Query).await?;
        let mut cosines = Vec::new();
        for batch in texts.chunks(embedder.max_batch().max(1)) {
            let found = embedder.embed(batch, EmbedRole::Passage).await?;
            for (vector, query) in found.vectors.iter().zip(asked.vectors.iter().cycle()) {
                cosines.push(dot(vector, query));
            }
        }
        let low = cosines.iter().copied().fold(f64::INFINITY, f64::min);
        let high = cosines.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (candidate, cosine) in candidates.iter_mut().zip(cosines) {
            let spread = if high > low { (cosine - low) / (high - low) } else { 0.0 };
            candidate.score = (1.0 - COSINE_WEIGHT) * candidate.score + COSINE_WEIGHT * spread;
        }
        candidates.sort_by(|one, other| {
            other.score.total_cmp(&one.score).then_with(|| one.place.cmp(&other.place))
        });
        Ok(())
    }
}

fn weigh(carried: &[f64], weights: &[f64]) -> f64 {
    carried.iter().zip(weights).map(|(share, weight)| share * weight).sum()
}

/// The weight of the terms marked.
fn held(marked: &[bool], weights: &[f64]) -> f64 {
    marked.iter().zip(weights).filter(|(marked, _)| **marked).map(|(_, weight)| weight).sum()
}

/// The candidates of one context. Headings and questions are none, but what follows them carries
/// their words in part.
fn collect<'a>(
    rank: usize,
    context: &'a Retrieved,
    wanted: &[String],
    candidates: &mut Vec<Candidate<'a>>,
) {
    let chunk = &context.chunk;
    let title = carries(chunk.title.as_deref().unwrap_or_default(), wanted);
    let mut heading = vec![false; wanted.len()];
    for paragraph in paragraphs(&chunk.text) {
        let body = &chunk.text[paragraph.clone()];
        let mut before = vec![false; wanted.len()];
        let spans = sentences(body, chunk.lang);
        let is_heading = spans.len() == 1 && !body.ends_with(['.', '!', '…', '。', ';', ':']);
        for span in spans {
            let text = &body[span.clone()];
            let here = carries(text, wanted);
            if is_heading && !text.starts_with("- ") {
                heading.clone_from(&here);
            } else if !text.ends_with(['?', '？', ':']) {
                let carried = (0..wanted.len()).map(|term| match here[term] {
                    true => 1.0,
                    false if before[term] || heading[term] || title[term] => NEARBY,
                    false => 0.0,
                });
                let carried: Vec<f64> = carried.collect();
                let covers: Vec<bool> = (0..wanted.len())
                    .map(|term| here[term] || heading[term] || title[term])
                    .collect();
                let own = here.iter().any(|carries| *carries);
                let place = (rank, paragraph.start + span.start);
                let text = strip_mark(text);
                if says_something(text) && (own || heading != title) {
                    let under = heading.clone();
                    candidates.push(Candidate { text, place, carried, covers, under, score: 0.0 });
                }
            }
            before = here;
        }
    }
}

/// Whether a sentence could stand in an answer: it is no scrap, command line or bracketed
/// reference.
fn says_something(text: &str) -> bool {
    let worded = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
    worded.count() >= SHORTEST && !text.starts_with(['#', '$', '>', '('])
}

/// An item's mark has no meaning in the middle of an answer.
fn strip_mark(text: &str) -> &str {
    text.strip_prefix("- ").unwrap_or(text)
}

fn carries(text: &str, wanted: &[String]) -> Vec<bool> {
    let held: BTreeSet<String> = content_terms(text).into_iter().collect();
    wanted.iter().map(|term| held.contains(term)).collect()
}

/// The best candidate, then those that add enough of what is still missing; in reading order.
fn pick<'a, 'b>(
    candidates: &'b [Candidate<'a>],
    weights: &[f64],
    total: f64,
) -> Vec<&'b Candidate<'a>> {
    let mut covered = vec![false; weights.len()];
    let mut picked: BTreeMap<(usize, usize), &Candidate<'_>> = BTreeMap::new();
    while picked.len() < MOST {
        let gain = |candidate: &Candidate<'_>| -> f64 {
            let added = candidate.covers.iter().zip(&covered).zip(weights);
            let added = added.filter(|((new, old), _)| **new && !**old);
            added.map(|(_, weight)| weight).sum::<f64>() / total
        };
        // The first is simply the best; `candidates` are in that order.
        let next = if picked.is_empty() {
            candidates.first()
        } else {
            let known = |c: &&Candidate<'_>| picked.values().all(|p| p.text != c.text);
            let most = candidates.iter().filter(known).map(|c| (gain(c), c));
            let best =
                most.fold(
                    None,
                    |best: Option<(f64, &Candidate<'_>)>, (gain, candidate)| match best {
                        Some((top, _)) if top >= gain => best,
                        _ => Some((gain, candidate)),
                    },
                );
            best.filter(|(gain, _)| *gain >= GAIN).map(|(_, candidate)| candidate)
        };
        let Some(next) = next else { break };
        for (old, new) in covered.iter_mut().zip(&next.covers) {
            *old |= *new;
        }
        picked.insert(next.place, next);
    }
    picked.into_values().collect()
}

fn refusal(question: &str, evidence: f64) -> Reading {
    let text = match detect(question) {
        Lang::En => "The documents do not say.",
        Lang::Ru => "В документах нет ответа на этот вопрос.",
    };
    Reading { text: text.to_owned(), refused: true, evidence }
}
