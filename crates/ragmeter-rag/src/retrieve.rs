use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use ragmeter_core::{
    AbsenceClass, BoxFuture, EmbedRole, Embedder, ErrorClass, ModelError, Retrieved, Retriever,
};
use ragmeter_text::terms;

use crate::corpus::{Corpus, search_text};
use crate::dense::dot;
use crate::fusion::{maximal_marginal_relevance, reciprocal_rank_fusion};

/// Candidates of each ranking that fusion and diversification look at: at least this many, and
/// ten for each chunk asked for.
const POOL: usize = 100;

/// What ranks the chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// Words.
    Bm25,
    /// Vectors, all of them compared.
    Dense,
    /// Both, fused by reciprocal rank.
    Hybrid,
}

/// How chunks are retrieved.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexSpec {
    /// What ranks them.
    pub kind: IndexKind,
    /// Weights of BM25 and of the vectors in a hybrid.
    pub weights: [f64; 2],
    /// λ of maximal marginal relevance in `[0, 1]`: 1 is relevance alone. None: not diversified.
    pub mmr: Option<f64>,
    /// Lowest score, on the ranking's own scale, that a chunk may have.
    pub threshold: Option<f64>,
}

impl Default for IndexSpec {
    fn default() -> Self {
        Self { kind: IndexKind::Bm25, weights: [1.0, 1.0], mmr: None, threshold: None }
    }
}

impl IndexSpec {
    /// What is wrong with it, if anything.
    pub fn check(&self) -> Result<(), String> {
        if self.mmr.is_some_and(|lambda| !(0.0..=1.0).contains(&lambda)) {
            return Err("mmr must lie between 0 and 1".to_owned());
        }
        let bad = |weight: &f64| !weight.is_finite() || *weight < 0.0;
        if self.weights.iter().any(bad) || self.weights.iter().sum::<f64>() <= 0.0 {
            return Err("weights must not be negative, and not both 0".to_owned());
        }
        if self.threshold.is_some_and(|threshold| !threshold.is_finite()) {
            return Err("threshold must be a number".to_owned());
        }
        Ok(())
    }
}

/// Retrieves from a [`Corpus`]. Equal scores are ordered by chunk id, so that a ranking never
/// depends on the order in which files were found.
#[derive(Clone, Debug)]
pub struct IndexRetriever {
    corpus: Arc<Corpus>,
    spec: IndexSpec,
    embedder: Option<Arc<dyn Embedder>>,
}

impl IndexRetriever {
    /// A retriever; dense and hybrid ones need the embedder that the corpus was indexed with.
    pub fn new(
        corpus: Arc<Corpus>,
        spec: IndexSpec,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, String> {
        spec.check()?;
        if spec.kind != IndexKind::Bm25 && (embedder.is_none() || !corpus.has_vectors()) {
            return Err("dense and hybrid retrieval need an embedder".to_owned());
        }
        Ok(Self { corpus, spec, embedder })
    }

    async fn search(&self, question: &str, k: usize) -> Result<Vec<Retrieved>, ModelError> {
        let pool = POOL.max(k.saturating_mul(10));
        let mut ranking = match self.spec.kind {
            IndexKind::Bm25 => self.lexical(question),
            IndexKind::Dense => self.dense(question).await?,
            IndexKind::Hybrid => {
                let lexical = first(self.lexical(question), pool);
                let dense = first(self.dense(question).await?, pool);
                let items = |ranking: Vec<(usize, f64)>| -> Vec<usize> {
                    ranking.into_iter().map(|(item, _)| item).collect()
                };
                let [words, vectors] = self.spec.weights;
                self.ranked(reciprocal_rank_fusion(&[
                    (words, items(lexical)),
                    (vectors, items(dense)),
                ]))
            }
        };
        if let Some(threshold) = self.spec.threshold {
            ranking.retain(|(_, score)| *score >= threshold);
        }
        let ranking = match self.spec.mmr {
            Some(lambda) => self.diversified(&first(ranking, pool), lambda, k),
            None => first(ranking, k),
        };
        let chunk = |(item, score): (usize, f64)| Retrieved {
            chunk: self.corpus.chunks()[item].clone(),
            score,
        };
        Ok(ranking.into_iter().map(chunk).collect())
    }

    fn lexical(&self, question: &str) -> Vec<(usize, f64)> {
        self.ranked(self.corpus.bm25().scores(question))
    }

    async fn dense(&self, question: &str) -> Result<Vec<(usize, f64)>, ModelError> {
        let (Some(embedder), Some(vectors)) = (&self.embedder, self.corpus.vectors()) else {
            return Ok(Vec::new());
        };
        let reply = embedder.embed(&[question.to_owned()], EmbedRole::Query).await?;
        let query = reply.vectors.into_iter().next().unwrap_or_default();
        if query.len() != vectors.width && vectors.width > 0 {
            return Err(ModelError {
                class: ErrorClass::Failed(AbsenceClass::Unparsable),
                model: embedder.fingerprint().to_owned(),
                endpoint: "embedder".to_owned(),
                detail: format!("a query vector of width {}, not {}", query.len(), vectors.width),
            });
        }
        let rows = 0..self.corpus.chunks().len();
        Ok(self.ranked(rows.map(|row| (row, dot(&query, vectors.row(row)))).collect()))
    }

    /// Best first; equal scores by chunk id.
    fn ranked(&self, mut scores: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
        let id = |item: usize| &self.corpus.chunks()[item].id;
        scores.sort_by(|(one, a), (other, b)| {
            b.partial_cmp(a).unwrap_or(Ordering::Equal).then_with(|| id(*one).cmp(id(*other)))
        });
        scores
    }

    /// Relevance is the score as a share of the best one, so that one λ means the same for every
    /// kind; similarity is the cosine, or the overlap of terms where there are no vectors.
    fn diversified(&self, ranking: &[(usize, f64)], lambda: f64, k: usize) -> Vec<(usize, f64)> {
        let best = ranking.first().map_or(1.0, |(_, score)| *score);
        let share = |score: f64| {
            if best > 0.0 { (score / best).max(0.0) } else { 0.0 }
        };
        let relevance: Vec<f64> = ranking.iter().map(|(_, score)| share(*score)).collect();
        let picked = if let Some(vectors) = self.corpus.vectors() {
            let row = |at: usize| vectors.row(ranking[at].0);
            let cosine = |one: usize, other: usize| dot(row(one), row(other));
            maximal_marginal_relevance(&relevance, &cosine, lambda, k)
        } else {
            let terms_of = |(item, _): &(usize, f64)| -> BTreeSet<String> {
                terms(&search_text(&self.corpus.chunks()[*item])).into_iter().collect()
            };
            let sets: Vec<BTreeSet<String>> = ranking.iter().map(terms_of).collect();
            let overlap = |one: usize, other: usize| jaccard(&sets[one], &sets[other]);
            maximal_marginal_relevance(&relevance, &overlap, lambda, k)
        };
        picked.into_iter().map(|at| ranking[at]).collect()
    }
}

fn first(mut ranking: Vec<(usize, f64)>, k: usize) -> Vec<(usize, f64)> {
    ranking.truncate(k);
    ranking
}

fn jaccard(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

impl Retriever for IndexRetriever {
    fn retrieve<'a>(
        &'a self,
        question: &'a str,
        k: usize,
    ) -> BoxFuture<'a, Result<Vec<Retrieved>, ModelError>> {
        Box::pin(self.search(question, k))
    }
}
