//! People's word beside the judge's: agreement, metrics from labels, and thumbs.
//!
//! Everything is a function of the run and of what people said, with the later word of a person on
//! the same thing standing for the earlier one. No number comes without its count, and none where
//! there is too little to say it.

use std::collections::BTreeMap;

use ragmeter_core::{Digest, Feedback, Label, Lang, Outcome, Thumb, record_id};
use serde::Serialize;

use crate::{Bilingual, JudgedRecord, RunData};

mod agreement;
mod by_people;
mod calibration;
mod chapters;
mod thumbs;
mod units;

pub use agreement::{Added, AlphaOf, Between, Disagreement, FactAgreement, Raters, Tie};
pub use by_people::MetricByPeople;
pub use calibration::{BinOf, CalibrationOf};
pub use chapters::{Chapter, Grid, chapters, label_name};
pub use thumbs::{FEWEST_CLICKED, FEWEST_OF_EACH, MetricAndThumbs, Said, ThumbsOfSystem};
pub use units::{LABELLED, LabelName, Unit, Vocabulary, unit_id, units, vocabulary};

/// What people said of the records of a run.
#[derive(Clone, Debug, Default)]
pub struct PeopleData {
    /// What users said, in the order in which it was imported.
    pub feedback: Vec<Feedback>,
    /// What annotators said, in the order in which it was imported.
    pub labels: Vec<Label>,
    /// Metrics recomputed from the labels, by record: those records that are labelled whole.
    pub outcomes: BTreeMap<Digest, BTreeMap<String, Outcome>>,
    /// The policies that the labels were made under: id and text.
    pub policies: Vec<(String, String)>,
}

impl PeopleData {
    /// Whether nobody said anything.
    pub fn is_empty(&self) -> bool {
        self.feedback.is_empty() && self.labels.is_empty()
    }
}

/// People's word on a run, counted and tested.
#[derive(Clone, Debug, Serialize)]
pub struct PeopleReport {
    /// The run.
    pub run_id: String,
    /// Its records.
    pub n_records: usize,
    /// Records that users said something about.
    pub n_with_feedback: usize,
    /// Records with a label.
    pub n_labelled: usize,
    /// Annotators by name.
    pub annotators: Vec<String>,
    /// Policies that the labels were made under: id and text.
    pub policies: Vec<(String, String)>,
    /// Agreement for each kind of fact that was labelled.
    pub facts: Vec<FactAgreement>,
    /// Metrics recomputed from labels.
    pub metrics: Vec<MetricByPeople>,
    /// Metrics beside thumbs and ratings, for each system that users said something about.
    pub thumbs: Vec<ThumbsOfSystem>,
    /// Titles of the run's metrics by id, for reading.
    #[serde(skip)]
    titles: BTreeMap<String, Bilingual>,
}

impl PeopleReport {
    /// The title of a metric, or its id if it has none.
    fn title(&self, metric: &str, lang: Lang) -> String {
        let title = self.titles.get(metric).map_or("", |title| title.get(lang));
        if title.is_empty() { metric.to_owned() } else { title.to_owned() }
    }
}

/// Counts and tests what people said of a run.
pub fn people(run: &RunData) -> PeopleReport {
    let word = Word::new(run);
    let mut annotators: Vec<String> =
        word.labels.values().flatten().map(|label| label.annotator.clone()).collect();
    annotators.sort_unstable();
    annotators.dedup();
    let records = || word.records.iter();
    PeopleReport {
        run_id: run.run_id.clone(),
        n_records: word.records.len(),
        n_with_feedback: records().filter(|one| word.feedback.contains_key(&one.id)).count(),
        n_labelled: records().filter(|one| word.has_labels(&one.id)).count(),
        annotators,
        policies: run.people.policies.clone(),
        facts: LABELLED.iter().filter_map(|kind| agreement::of_fact(&word, *kind)).collect(),
        metrics: by_people::metrics(&word),
        thumbs: thumbs::systems(&word),
        titles: (run.metrics.iter())
            .map(|metric| (metric.id.clone(), metric.title.clone()))
            .collect(),
    }
}

/// A record with its place in the run.
pub(crate) struct Placed<'a> {
    pub(crate) id: Digest,
    pub(crate) system: &'a str,
    /// Index of the case: records of one case are drawn together.
    pub(crate) cluster: usize,
    pub(crate) case: &'a ragmeter_core::TestCase,
    pub(crate) judged: &'a JudgedRecord,
}

/// A run with the word that stands: the latest of each person on each thing.
pub(crate) struct Word<'a> {
    pub(crate) run: &'a RunData,
    pub(crate) records: Vec<Placed<'a>>,
    /// By record, fact and unit; annotators by name.
    pub(crate) labels: BTreeMap<(&'a Digest, &'a str, &'a str), Vec<&'a Label>>,
    /// By record.
    pub(crate) feedback: BTreeMap<&'a Digest, Vec<Feedback>>,
}

impl<'a> Word<'a> {
    pub(crate) fn new(run: &'a RunData) -> Self {
        let places: BTreeMap<&str, usize> =
            run.cases.iter().enumerate().map(|(at, case)| (case.id.as_str(), at)).collect();
        let mut records = Vec::new();
        for system in &run.systems {
            for judged in &system.records {
                let Some(&cluster) = places.get(judged.record.case_id.as_str()) else { continue };
                let case = &run.cases[cluster];
                let id = record_id(case, &judged.record);
                records.push(Placed { id, system: &system.name, cluster, case, judged });
            }
        }
        let feedback = standing_feedback(&run.people.feedback);
        Self { run, records, labels: standing_labels(&run.people.labels), feedback }
    }

    /// Only what stands about one record.
    pub(crate) fn of_record(run: &'a RunData, record: &Digest) -> Self {
        let labels = run.people.labels.iter().filter(|label| label.record == *record);
        let feedback = run.people.feedback.iter().filter(|word| word.record == *record);
        Self {
            run,
            records: Vec::new(),
            labels: standing_labels(labels),
            feedback: standing_feedback(feedback),
        }
    }

    /// The standing labels of a unit.
    pub(crate) fn of_unit<'b>(
        &'b self,
        record: &'b Digest,
        fact: &'b str,
        unit: &'b str,
    ) -> &'b [&'a Label] {
        self.labels.get(&(record, fact, unit)).map_or(&[], Vec::as_slice)
    }

    fn has_labels(&self, record: &Digest) -> bool {
        self.labels.range((record, "", "")..).next().is_some_and(|(key, _)| key.0 == record)
    }
}

/// The latest label of each annotator on each unit; what was taken back is left out.
pub fn standing_labels<'a>(
    labels: impl IntoIterator<Item = &'a Label>,
) -> BTreeMap<(&'a Digest, &'a str, &'a str), Vec<&'a Label>> {
    let mut latest: BTreeMap<(&Digest, &str, &str, &str), &Label> = BTreeMap::new();
    for label in labels {
        latest.insert((&label.record, &label.fact, &label.unit, &label.annotator), label);
    }
    let mut by_unit: BTreeMap<_, Vec<&Label>> = BTreeMap::new();
    for ((record, fact, unit, _), label) in latest {
        if label.label.is_some() {
            by_unit.entry((record, fact, unit)).or_default().push(label);
        }
    }
    by_unit
}

/// What each person last said of each record: the latest thumb, the latest rating, the latest text
/// and the latest correction. A word without a time counts as earlier than one with a time, and
/// otherwise in the order of import; words of nobody known stand each for itself.
pub fn standing_feedback<'a>(
    words: impl IntoIterator<Item = &'a Feedback>,
) -> BTreeMap<&'a Digest, Vec<Feedback>> {
    let mut by_person: BTreeMap<(&Digest, Option<&str>, usize), Vec<&Feedback>> = BTreeMap::new();
    for (index, word) in words.into_iter().enumerate() {
        let alone = if word.who.is_some() { 0 } else { index };
        by_person.entry((&word.record, word.who.as_deref(), alone)).or_default().push(word);
    }
    let mut by_record: BTreeMap<&Digest, Vec<Feedback>> = BTreeMap::new();
    for ((record, _, _), mut said) in by_person {
        said.sort_by(|left, right| left.at.cmp(&right.at));
        let mut last = Feedback::clone(said[0]);
        for word in &said[1..] {
            last.thumb = word.thumb.or(last.thumb);
            last.rating = word.rating.or(last.rating);
            last.text = word.text.clone().or(last.text);
            last.correction = word.correction.clone().or(last.correction);
            last.at = word.at.clone().or(last.at);
        }
        by_record.entry(record).or_default().push(last);
    }
    by_record
}

/// The label of most, or the labels that share the first place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Majority<'a> {
    /// The label.
    Label(&'a str),
    /// No label has more votes than every other.
    Tie(Vec<&'a str>),
}

/// The label that most annotators gave; `None` if nobody gave one.
pub fn majority<'a>(labels: &[&'a Label]) -> Option<Majority<'a>> {
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for label in labels {
        *votes.entry(label.label.as_deref()?).or_default() += 1;
    }
    let most = *votes.values().max()?;
    let first: Vec<&str> =
        votes.into_iter().filter(|(_, count)| *count == most).map(|(label, _)| label).collect();
    Some(if first.len() == 1 { Majority::Label(first[0]) } else { Majority::Tie(first) })
}

/// The thumb of most people who gave one; `None` if nobody did, or as many up as down.
pub(crate) fn thumb_of_most(said: &[Feedback]) -> Option<Thumb> {
    let count = |thumb| said.iter().filter(|word| word.thumb == Some(thumb)).count();
    match count(Thumb::Up).cmp(&count(Thumb::Down)) {
        std::cmp::Ordering::Greater => Some(Thumb::Up),
        std::cmp::Ordering::Less => Some(Thumb::Down),
        std::cmp::Ordering::Equal => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(who: Option<&str>, at: Option<&str>, thumb: Option<Thumb>) -> Feedback {
        Feedback {
            who: who.map(str::to_owned),
            at: at.map(str::to_owned),
            thumb,
            ..Feedback::default()
        }
    }

    #[test]
    fn a_later_word_supersedes_what_it_repeats_and_no_more() {
        let late = Some("2026-02-01T00:00:00Z");
        let early = Some("2026-01-01T00:00:00Z");
        let words = [
            word(Some("ann"), late, Some(Thumb::Down)),
            word(Some("ann"), early, Some(Thumb::Up)),
            Feedback { rating: Some(4), ..word(Some("ann"), None, None) },
            word(None, None, Some(Thumb::Up)),
            word(None, None, Some(Thumb::Up)),
        ];
        let standing = standing_feedback(&words);
        let said = standing.values().next().expect("one record");
        assert_eq!(said.len(), 3, "{said:?}");
        let ann = said.iter().find(|word| word.who.is_some()).expect("ann");
        assert_eq!((ann.thumb, ann.rating), (Some(Thumb::Down), Some(4)));
        assert_eq!(thumb_of_most(said), Some(Thumb::Up));
    }
}
