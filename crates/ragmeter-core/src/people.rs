//! What people say: users of the answers, and annotators.

use serde::{Deserialize, Serialize};

use crate::{Digest, Hasher, RunRecord, TestCase};

/// Thumbs up or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thumb {
    /// The answer helped.
    Up,
    /// It did not.
    Down,
}

/// What a user of a system said about one of its answers. At least one of thumb, rating, text and
/// correction is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// The record it is about; see [`record_id`].
    pub record: Digest,
    /// The record's system, for reading.
    pub system: String,
    /// The record's case, for reading.
    pub case_id: String,
    /// Thumbs up or down.
    pub thumb: Option<Thumb>,
    /// 1 (worst) to 5 (best).
    pub rating: Option<u8>,
    /// In the user's own words.
    pub text: Option<String>,
    /// What the answer should have been.
    pub correction: Option<String>,
    /// Who said it; `None` if nobody knows, and then each word is another person's.
    pub who: Option<String>,
    /// When, UTC, as `2026-01-31T12:00:00Z`.
    pub at: Option<String>,
    /// Which (from 0) of several equal words of nobody known in one file: two people can click
    /// alike.
    #[serde(default)]
    pub nth: usize,
}

impl Feedback {
    /// The hash of everything that was said: the same word again has the same id.
    pub fn id(&self) -> Digest {
        let mut hasher = Hasher::new("feedback@1");
        let rating = self.rating.map(|rating| rating.to_string());
        let thumb = self.thumb.map(|thumb| match thumb {
            Thumb::Up => "up",
            Thumb::Down => "down",
        });
        hasher.text(self.record.as_str());
        for part in [
            thumb,
            rating.as_deref(),
            self.text.as_deref(),
            self.correction.as_deref(),
            self.who.as_deref(),
            self.at.as_deref(),
        ] {
            // A missing part and an empty one differ.
            hasher.bytes(&[u8::from(part.is_some())]).text(part.unwrap_or_default());
        }
        hasher.text(&self.nth.to_string());
        hasher.finish()
    }
}

/// What an annotator said, on purpose, about one unit of a fact: a claim, a context, a sentence of
/// the reference, a part of the question, or the answer as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The record it is about; see [`record_id`].
    pub record: Digest,
    /// The record's system, for reading.
    pub system: String,
    /// The record's case, for reading.
    pub case_id: String,
    /// The name of the fact's kind.
    pub fact: String,
    /// The unit's id within record and fact.
    pub unit: String,
    /// The unit's text.
    pub text: String,
    /// Whether the annotator added the unit: a claim that the extractor missed.
    pub added: bool,
    /// One of the fact's labels; `None` takes an earlier label back.
    pub label: Option<String>,
    /// Why, in the annotator's words.
    pub comment: Option<String>,
    /// Who labelled.
    pub annotator: String,
    /// The set that was handed out, which names the policy.
    pub set: String,
}

/// A set of facts that was handed out to be labelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelSet {
    /// Hash of all the rest.
    pub id: String,
    /// The run it was made from.
    pub run: String,
    /// Hash of the policy's text.
    pub policy: String,
    /// The facts' kinds by name.
    pub facts: Vec<String>,
    /// How many records, if it is a sample, and the seed that drew them.
    pub sample: Option<(usize, u64)>,
    /// Whether the judge's verdicts were left out.
    pub blind: bool,
    /// How many rows.
    pub rows: usize,
}

/// The id of what a system did with a case: the hash of system, case, question, contexts and
/// answer. It names no run, so what people said of a record is known in every run that judges the
/// same one.
pub fn record_id(case: &TestCase, record: &RunRecord) -> Digest {
    let mut hasher = Hasher::new("record@1");
    hasher.text(&record.system).text(&record.case_id).text(&case.question);
    for context in record.contexts.iter().flatten() {
        hasher.text(&context.text);
    }
    hasher.bytes(&[u8::from(record.answer.is_some())]);
    hasher.text(record.answer.as_deref().unwrap_or_default());
    Digest(hasher.finish().0[..16].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_word_has_the_same_id_and_another_has_another() {
        let word = Feedback { thumb: Some(Thumb::Up), ..Feedback::default() };
        assert_eq!(word.id(), word.clone().id());
        for other in [
            Feedback { thumb: Some(Thumb::Down), ..word.clone() },
            Feedback { text: Some(String::new()), ..word.clone() },
            Feedback { who: Some("a".to_owned()), ..word.clone() },
            Feedback { at: Some("2026-01-31T12:00:00Z".to_owned()), ..word.clone() },
        ] {
            assert_ne!(word.id(), other.id(), "{other:?}");
        }
    }

    #[test]
    fn a_record_is_known_by_what_was_asked_found_and_answered() {
        let case = TestCase { question: "q".to_owned(), ..TestCase::default() };
        let record = RunRecord { answer: Some("a".to_owned()), ..RunRecord::default() };
        let slower = RunRecord { seconds: Some(9.0), ..record.clone() };
        assert_eq!(record_id(&case, &record), record_id(&case, &slower));
        let other = RunRecord { answer: Some("b".to_owned()), ..record.clone() };
        assert_ne!(record_id(&case, &record), record_id(&case, &other));
    }
}
