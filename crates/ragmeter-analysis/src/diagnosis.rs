//! Where wrong claims come from: retrieval, generation, or the question with its reference.
//!
//! A claim of an answer is wrong if the reference answer does not say it. Three things that the
//! facts tell decide where it comes from, each combination exactly once:
//!
//! - what the reference says of it: the contrary, or nothing;
//! - where it stands, each context taken alone: in a context that also holds a claim of the
//!   reference, only in contexts that hold none (noise), or in no context;
//! - how much of the reference the contexts hold together: the whole, a part, or nothing.
//!
//! | it stands | contexts hold | reference is silent | reference says the contrary |
//! |---|---|---|---|
//! | beside the reference | whole or part | question | generation |
//! | in noise only | the whole | retrieval | generation |
//! | in noise only | a part, or nothing | retrieval | retrieval |
//! | in no context | the whole | generation | generation |
//! | in no context | a part, or nothing | retrieval | retrieval |
//!
//! Why so is in `docs/diagnosis.md`. Nothing is asked of a judge for it: it is a function of facts
//! that the claim-level metrics rest on, and is `None` where one of them was not had.

use ragmeter_core::{AnswerKind, Checked, FactSlot, Lang, RecordFacts, Support};
use serde::Serialize;

use crate::JudgedRecord;
use crate::number::count;

/// With fewer wrong claims no percentages are said: one claim would move them by ten points.
pub const ENOUGH_CLAIMS: usize = 10;

/// Where a wrong claim comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The generator had what it needed, and said otherwise.
    Generation,
    /// What was retrieved misled it, or lacked what it needed.
    Retrieval,
    /// The contexts that hold the answer say it too, and the reference says nothing against it: the
    /// question or its reference is too narrow.
    Question,
}

impl Cause {
    /// Every cause, in the order of telling.
    pub const ALL: [Self; 3] = [Self::Generation, Self::Retrieval, Self::Question];
}

/// What the reference says of a claim that it does not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Contradicted,
    NotThere,
}

/// Where a claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    /// In a context that holds something of the reference too.
    BesideReference,
    /// Only in contexts that hold nothing of it.
    InNoise,
    Nowhere,
}

/// How much of the reference all contexts together hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Whole,
    Part,
    Nothing,
}

/// The table of cases.
fn cause(wrong: Wrong, stands: Stands, held: Held) -> Cause {
    match (stands, wrong, held) {
        (Stands::BesideReference, Wrong::NotThere, _) => Cause::Question,
        (Stands::BesideReference, Wrong::Contradicted, _)
        | (Stands::InNoise, Wrong::Contradicted, Held::Whole)
        | (Stands::Nowhere, _, Held::Whole) => Cause::Generation,
        (Stands::InNoise, Wrong::NotThere, _)
        | (Stands::InNoise, Wrong::Contradicted, Held::Part | Held::Nothing)
        | (Stands::Nowhere, _, Held::Part | Held::Nothing) => Cause::Retrieval,
    }
}

/// The wrong claims of one system's answers by where they come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// Records whose facts tell it.
    pub records: usize,
    /// Claims of their answers.
    pub claims: usize,
    /// Of these, the wrong ones: the sum of the three below.
    pub wrong: usize,
    /// From generation.
    pub generation: usize,
    /// From retrieval.
    pub retrieval: usize,
    /// From the question or its reference.
    pub question: usize,
    /// The same in percent, whole numbers that add up to 100; `None` for fewer than
    /// [`ENOUGH_CLAIMS`] wrong claims.
    pub percent: Option<Percent>,
}

/// Shares of the wrong claims in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Percent {
    /// From generation.
    pub generation: usize,
    /// From retrieval.
    pub retrieval: usize,
    /// From the question or its reference.
    pub question: usize,
}

impl Diagnosis {
    /// Wrong claims of a cause.
    pub fn of(&self, cause: Cause) -> usize {
        match cause {
            Cause::Generation => self.generation,
            Cause::Retrieval => self.retrieval,
            Cause::Question => self.question,
        }
    }

    /// The percentage of a cause, where there are enough claims for one.
    pub fn percent_of(&self, cause: Cause) -> Option<usize> {
        self.percent.map(|percent| match cause {
            Cause::Generation => percent.generation,
            Cause::Retrieval => percent.retrieval,
            Cause::Question => percent.question,
        })
    }

    /// The causes, the commonest first.
    pub(crate) fn commonest_first(&self) -> [Cause; 3] {
        let mut causes = Cause::ALL;
        causes.sort_by_key(|cause| std::cmp::Reverse(self.of(*cause)));
        causes
    }
}

#[expect(clippy::ref_option, reason = "a slot is an option by its own name")]
fn had<T>(slot: &FactSlot<T>) -> Option<&T> {
    slot.as_ref()?.as_ref().ok().map(|fact| &fact.value)
}

/// Of each claim of the answer, in order, where it comes from if it is wrong. `None` where the facts
/// do not tell: one of them was not asked for or not had, the answer makes no claim, or the
/// reference makes none.
pub fn causes(facts: &RecordFacts) -> Option<Vec<Option<Cause>>> {
    if had(&facts.refusal).is_some_and(|kind| *kind != AnswerKind::Answered) {
        return None;
    }
    let claims = had(&facts.claims)?;
    let correct = had(&facts.correct)?;
    let each = had(&facts.support_each)?;
    let reference = had(&facts.reference_support_each)?;
    let same = correct.len() == claims.len() && each.len() == claims.len();
    if claims.is_empty() || reference.is_empty() || !same {
        return None;
    }
    let held = match reference.iter().filter(|row| row.contains(&true)).count() {
        0 => Held::Nothing,
        some if some == reference.len() => Held::Whole,
        _ => Held::Part,
    };
    let holds = |rank: usize| reference.iter().any(|row| row.get(rank).copied().unwrap_or(false));
    let of = |(checked, row): (&Checked, &Vec<Support>)| {
        let wrong = match checked.support {
            Support::Supported => return None,
            Support::Contradicted => Wrong::Contradicted,
            Support::Absent => Wrong::NotThere,
        };
        let says = |wanted: bool| {
            let here = |(rank, support): (usize, &Support)| {
                *support == Support::Supported && holds(rank) == wanted
            };
            row.iter().enumerate().any(here)
        };
        let stands = match (says(true), says(false)) {
            (true, _) => Stands::BesideReference,
            (false, true) => Stands::InNoise,
            (false, false) => Stands::Nowhere,
        };
        Some(cause(wrong, stands, held))
    };
    Some(correct.iter().zip(each).map(of).collect())
}

/// The diagnosis of a system's records; `None` if none of them has the facts.
pub fn diagnose(records: &[JudgedRecord]) -> Option<Diagnosis> {
    let mut found = Diagnosis::default();
    for claims in records.iter().filter_map(|record| causes(&record.facts)) {
        found.records += 1;
        found.claims += claims.len();
        for cause in claims.into_iter().flatten() {
            found.wrong += 1;
            match cause {
                Cause::Generation => found.generation += 1,
                Cause::Retrieval => found.retrieval += 1,
                Cause::Question => found.question += 1,
            }
        }
    }
    if found.wrong >= ENOUGH_CLAIMS {
        let [generation, retrieval, question] =
            hundred([found.generation, found.retrieval, found.question]);
        found.percent = Some(Percent { generation, retrieval, question });
    }
    (found.records > 0).then_some(found)
}

/// Whole percentages of these counts that add up to 100 (largest remainder; of equal remainders the
/// first). Not all counts are 0.
fn hundred(counts: [usize; 3]) -> [usize; 3] {
    let whole: usize = counts.iter().sum();
    let mut shares = counts.map(|count| count * 100 / whole);
    let mut order = [0, 1, 2];
    order.sort_by_key(|&at| std::cmp::Reverse(counts[at] * 100 % whole));
    for at in order.into_iter().take(100 - shares.iter().sum::<usize>()) {
        shares[at] += 1;
    }
    shares
}

/// One sentence on a system's wrong claims; `None` if it has none.
pub fn diagnosis_sentence(system: &str, diagnosis: &Diagnosis, lang: Lang) -> Option<String> {
    if diagnosis.wrong == 0 {
        return None;
    }
    let causes = diagnosis.commonest_first();
    let number = |n: usize| count(n as u64, lang);
    let each: Vec<String> = causes
        .iter()
        .enumerate()
        .map(|(at, &cause)| {
            let name = from(cause, lang);
            let of = number(diagnosis.of(cause));
            match (diagnosis.percent_of(cause), lang, at) {
                (Some(percent), Lang::En, 0) => {
                    format!("{percent} % ({of}) of the wrong claims come {name}")
                }
                (Some(percent), Lang::Ru, 0) => {
                    format!("{percent} % ({of}) неверных утверждений — {name}")
                }
                (Some(percent), Lang::En, _) => format!("{percent} % ({of}) {name}"),
                (Some(percent), Lang::Ru, _) => format!("{percent} % ({of}) — {name}"),
                (None, Lang::En, _) => format!("{of} {name}"),
                (None, Lang::Ru, _) => format!("{name}: {of}"),
            }
        })
        .collect();
    let each = each.join(", ").replace(" %", "\u{a0}%");
    let head = match (diagnosis.percent, lang) {
        (Some(_), _) => String::new(),
        (None, Lang::En) => format!("wrong claims: {}; ", number(diagnosis.wrong)),
        (None, Lang::Ru) => format!("неверных утверждений: {}; ", number(diagnosis.wrong)),
    };
    Some(format!("{system}: {head}{each}."))
}

/// "from retrieval".
pub(crate) fn from(cause: Cause, lang: Lang) -> &'static str {
    match (cause, lang) {
        (Cause::Generation, Lang::En) => "from generation",
        (Cause::Generation, Lang::Ru) => "из-за генерации",
        (Cause::Retrieval, Lang::En) => "from retrieval",
        (Cause::Retrieval, Lang::Ru) => "из-за поиска",
        (Cause::Question, Lang::En) => "from the question",
        (Cause::Question, Lang::Ru) => "из-за вопроса",
    }
}

#[cfg(test)]
mod tests;
