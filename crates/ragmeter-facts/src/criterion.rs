//! Criteria: a question about an answer that the project or a preset asks in its own words.

use ragmeter_core::{CaseRun, Lang};
use serde::{Deserialize, Serialize};

/// What an answer is judged by: met or not, or a grade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    /// Its name; unique among the criteria of a run.
    pub name: String,
    /// What is asked, in the order of [`Lang::ALL`]; both the same where the project gives one.
    pub ask: [String; 2],
    /// How it is answered.
    pub scale: Scale,
    /// What the judge sees beside the answer.
    pub sees: Vec<Seen>,
    /// Whether yes, or a higher grade, is better.
    pub higher_is_better: bool,
}

/// How a criterion is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Met or not.
    YesNo,
    /// One of these grades, worst first, each with what it means in the order of [`Lang::ALL`].
    Grades(Vec<(i64, [String; 2])>),
    /// One of the grades that the case itself describes (`score1_description`, …).
    OfCase,
}

/// A field that a criterion may show beside the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// The question.
    Question,
    /// The contexts.
    Contexts,
    /// The reference answer.
    Reference,
}

impl Criterion {
    /// What is asked, in a language.
    pub fn ask(&self, lang: Lang) -> &str {
        &self.ask[lang as usize]
    }

    /// The grades with their meaning for this case, worst first; empty for yes or no. `None` if
    /// the case should describe its grades and doesn't.
    pub fn grades(&self, run: CaseRun<'_>, lang: Lang) -> Option<Vec<(i64, String)>> {
        match &self.scale {
            Scale::YesNo => Some(Vec::new()),
            Scale::Grades(grades) => Some(
                grades.iter().map(|(grade, text)| (*grade, text[lang as usize].clone())).collect(),
            ),
            Scale::OfCase => {
                let mut grades: Vec<(i64, String)> = (run.case.rubrics.iter())
                    .filter_map(|(name, text)| Some((grade_of(name)?, text.clone())))
                    .collect();
                grades.sort();
                grades.dedup_by_key(|(grade, _)| *grade);
                (grades.len() > 1).then_some(grades)
            }
        }
    }
}

/// The grade in `score3_description`, `score_3`, `3`: the one number in the name.
fn grade_of(name: &str) -> Option<i64> {
    let digits: String =
        name.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
