use ragmeter_core::Thumb;
use ragmeter_stats::{Correlation, auc, pearson, spearman};
use serde::Serialize;

use super::{Placed, Word, thumb_of_most};
use crate::summary::{LEVEL, mean};

/// Fewest records with thumbs (or ratings) and a score for a correlation to be shown.
pub const FEWEST_CLICKED: usize = 20;

/// Fewest of them with thumbs up, and fewest with thumbs down.
pub const FEWEST_OF_EACH: usize = 5;

/// What users said of the records of one system, counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThumbsOfSystem {
    /// The system.
    pub system: String,
    /// Its records.
    pub n_records: usize,
    /// Records with any thumb or rating.
    pub n_clicked: usize,
    /// Records that most thumbs go up on.
    pub n_up: usize,
    /// Records that most thumbs go down on.
    pub n_down: usize,
    /// Records with as many thumbs up as down: left out.
    pub n_split: usize,
    /// Records with a rating.
    pub n_rated: usize,
    /// Mean of the records' mean ratings, 1 to 5.
    pub mean_rating: Option<f64>,
    /// Each metric beside them.
    pub metrics: Vec<MetricAndThumbs>,
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Said {
    /// The number.
    pub value: f64,
    /// Its interval; none where it would have no width.
    pub interval: Option<[f64; 2]>,
}

impl From<Correlation> for Said {
    fn from(estimate: Correlation) -> Self {
        Self { value: estimate.value, interval: estimate.interval.map(|i| [i.low, i.high]) }
    }
}

/// One metric beside what users clicked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricAndThumbs {
    /// The metric's id.
    pub metric: String,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// Records with thumbs and a score.
    pub n: usize,
    /// Of them with thumbs up.
    pub n_up: usize,
    /// Mean score where thumbs go up.
    pub mean_up: Option<f64>,
    /// Mean score where they go down.
    pub mean_down: Option<f64>,
    /// Point-biserial correlation of score and thumb.
    pub point_biserial: Option<Said>,
    /// Chance that a record with thumbs up scores above one with thumbs down, ties half.
    pub auc: Option<Said>,
    /// Why there are no such two, if there are none: `few` or `constant`.
    pub refused: Option<&'static str>,
    /// Records with a rating and a score.
    pub n_rated: usize,
    /// Spearman's correlation of score and mean rating; none below the fewest, or if one of the
    /// two does not vary.
    pub spearman: Option<Said>,
}

pub(super) fn systems(word: &Word<'_>) -> Vec<ThumbsOfSystem> {
    word.run.systems.iter().filter_map(|system| of_system(word, &system.name)).collect()
}

/// A record that users clicked on.
struct Clicked<'a> {
    placed: &'a Placed<'a>,
    thumb: Option<Thumb>,
    rating: Option<f64>,
}

fn of_system(word: &Word<'_>, system: &str) -> Option<ThumbsOfSystem> {
    let records: Vec<&Placed<'_>> =
        word.records.iter().filter(|placed| placed.system == system).collect();
    let mut n_split = 0;
    let mut clicked = Vec::new();
    for placed in &records {
        let Some(said) = word.feedback.get(&placed.id) else { continue };
        let ratings: Vec<f64> = said.iter().filter_map(|word| word.rating).map(f64::from).collect();
        let (thumb, rating) = (thumb_of_most(said), mean(&ratings));
        let any = said.iter().any(|word| word.thumb.is_some());
        n_split += usize::from(any && thumb.is_none());
        if any || rating.is_some() {
            clicked.push(Clicked { placed, thumb, rating });
        }
    }
    if clicked.is_empty() {
        return None;
    }
    let with = |thumb| clicked.iter().filter(|one| one.thumb == Some(thumb)).count();
    let ratings: Vec<f64> = clicked.iter().filter_map(|one| one.rating).collect();
    Some(ThumbsOfSystem {
        system: system.to_owned(),
        n_records: records.len(),
        n_clicked: clicked.len(),
        n_up: with(Thumb::Up),
        n_down: with(Thumb::Down),
        n_split,
        n_rated: ratings.len(),
        mean_rating: mean(&ratings),
        metrics: word
            .run
            .metrics
            .iter()
            .map(|metric| of_metric(&metric.id, metric.higher_is_better, &clicked))
            .collect(),
    })
}

fn of_metric(metric: &str, higher_is_better: bool, clicked: &[Clicked<'_>]) -> MetricAndThumbs {
    let (mut up, mut down, mut rated) = (Vec::new(), Vec::new(), Vec::new());
    for one in clicked {
        let Some(score) = one.placed.judged.score(metric) else { continue };
        match one.thumb {
            Some(Thumb::Up) => up.push(score),
            Some(Thumb::Down) => down.push(score),
            None => {}
        }
        rated.extend(one.rating.map(|rating| (score, rating)));
    }
    let n = up.len() + down.len();
    let pairs: Vec<(f64, f64)> = (up.iter().map(|score| (*score, 1.0)))
        .chain(down.iter().map(|score| (*score, 0.0)))
        .collect();
    let few = n < FEWEST_CLICKED || up.len().min(down.len()) < FEWEST_OF_EACH;
    let correlated = if few { None } else { pearson(&pairs, LEVEL) };
    let refused = match correlated {
        Some(_) => None,
        None => Some(if few { "few" } else { "constant" }),
    };
    MetricAndThumbs {
        metric: metric.to_owned(),
        higher_is_better,
        n,
        n_up: up.len(),
        mean_up: mean(&up),
        mean_down: mean(&down),
        auc: correlated.and_then(|_| auc(&down, &up, LEVEL)).map(Said::from),
        point_biserial: correlated.map(Said::from),
        refused,
        n_rated: rated.len(),
        spearman: (rated.len() >= FEWEST_CLICKED)
            .then(|| spearman(&rated, LEVEL))
            .flatten()
            .map(Said::from),
    }
}
