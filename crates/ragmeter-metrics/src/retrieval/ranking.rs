//! A ranking beside its judgements: what every formula looks at.

use std::cmp::Ordering;

/// What is known of a retrieved document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It is not among the judgements.
    Unpooled,
    /// It is, with a negative grade: it was in the pool, and nobody judged it (infAP's samples).
    Unjudged,
    /// Its grade; 0 is not relevant.
    Grade(u32),
}

/// A retrieved document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<'a> {
    /// Its id.
    pub document: &'a str,
    /// Its score. trec_eval 9 keeps scores in 32 bits, so that what differs further down is a tie.
    pub score: f32,
}

/// A document's judgement: its id and its grade; negative means pooled but not judged.
pub type Judgement<'a> = (&'a str, i32);

/// The ranking of one query, seen through its judgements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// Retrieved documents in rank order.
    seen: Vec<Seen>,
    /// Grades of all judged documents, retrieved or not, best first.
    judged: Vec<u32>,
    /// The lowest grade that is relevant, at least 1.
    level: u32,
    /// Ranks (from 1) of the relevant documents retrieved.
    relevant: Vec<usize>,
    /// How many judged documents are relevant.
    total: usize,
    /// The largest grade of the scale, for measures that need one.
    top: u32,
}

impl Ranking {
    /// From what is known of each retrieved document, in rank order, and the grades of every
    /// judged one. A `level` of 0 is taken as 1: a grade of 0 is not relevant by definition.
    pub fn new(seen: Vec<Seen>, mut judged: Vec<u32>, level: u32) -> Self {
        let level = level.max(1);
        judged.sort_unstable_by_key(|&grade| std::cmp::Reverse(grade));
        let counts = |one: &Seen| matches!(one, Seen::Grade(grade) if *grade >= level);
        let ranked = seen.iter().enumerate().filter(|(_, one)| counts(one));
        let relevant = ranked.map(|(index, _)| index + 1).collect();
        let total = judged.partition_point(|&grade| grade >= level);
        let top = judged.first().copied().unwrap_or(0);
        Self { seen, judged, level, relevant, total, top }
    }

    /// The same on a scale that goes up to this grade at least.
    #[must_use]
    pub fn graded_up_to(mut self, grade: u32) -> Self {
        self.top = self.top.max(grade);
        self
    }

    /// Ranks as trec_eval does: by score, equal scores by id, both descending. No document stands
    /// in `hits` twice; `judgements` are sorted by id, each id once.
    pub fn of_run(hits: &mut [Hit<'_>], judgements: &[Judgement<'_>], level: u32) -> Self {
        hits.sort_unstable_by(|a, b| {
            let by_score = b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal);
            by_score.then_with(|| b.document.cmp(a.document))
        });
        let seen = hits.iter().map(|hit| {
            match judgements.binary_search_by(|(document, _)| (*document).cmp(hit.document)) {
                Ok(at) => u32::try_from(judgements[at].1).map_or(Seen::Unjudged, Seen::Grade),
                Err(_) => Seen::Unpooled,
            }
        });
        let grades = judgements.iter().filter_map(|(_, grade)| u32::try_from(*grade).ok());
        Self::new(seen.collect(), grades.collect(), level)
    }

    /// How many documents were retrieved.
    pub fn retrieved(&self) -> usize {
        self.seen.len()
    }

    /// How many judged documents are relevant.
    pub fn total(&self) -> usize {
        self.total
    }

    /// The ranks (from 1) at which relevant documents stand.
    pub fn relevant(&self) -> &[usize] {
        &self.relevant
    }

    /// How many relevant documents stand at the first `k` ranks.
    pub fn relevant_at(&self, k: usize) -> usize {
        self.relevant.partition_point(|&rank| rank <= k)
    }

    /// How many judged documents are not relevant.
    pub(super) fn not_relevant(&self) -> usize {
        self.judged.len() - self.total
    }

    /// What is known of each retrieved document, in rank order.
    pub(super) fn seen(&self) -> &[Seen] {
        &self.seen
    }

    /// Whether a grade is relevant.
    pub(super) fn counts(&self, grade: u32) -> bool {
        grade >= self.level
    }

    /// The largest grade of the scale: that of the judgements, or the one it was given.
    pub(super) fn top(&self) -> u32 {
        self.top
    }

    /// The gain of each retrieved document: its grade; without one it gains nothing.
    pub(super) fn gains(&self) -> impl Iterator<Item = f64> {
        self.seen.iter().map(|one| match one {
            Seen::Grade(grade) => f64::from(*grade),
            Seen::Unpooled | Seen::Unjudged => 0.0,
        })
    }

    /// The gains of the best possible ranking: every positive grade, best first.
    pub(super) fn ideal(&self) -> impl Iterator<Item = f64> {
        self.judged.iter().take_while(|grade| **grade > 0).map(|grade| f64::from(*grade))
    }
}
