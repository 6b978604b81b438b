//! Similarities of characters, as rapidfuzz normalises them. Case, punctuation and white space
//! count.

use ragmeter_core::{CaseRun, Outcome, RecordFacts};
use rapidfuzz::distance::{hamming, jaro, jaro_winkler, levenshtein};

use super::texts::{Texts, scored, texts};
use crate::{Definition, Takes, need};

pub(crate) const LEVENSHTEIN: Definition = Definition {
    id: "levenshtein_similarity",
    title: ["Levenshtein similarity", "Сходство по Левенштейну"],
    definition: [
        "1 minus the edits that turn the answer into the reference answer, divided by the length \
         of the longer.",
        "1 минус число правок, превращающих ответ в эталон, делённое на длину более длинного.",
    ],
    card: include_str!("../../cards/levenshtein_similarity.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(levenshtein_similarity(run, facts)),
};

pub(crate) const HAMMING: Definition = Definition {
    id: "hamming_similarity",
    title: ["Hamming similarity", "Сходство по Хэммингу"],
    definition: [
        "Share of positions at which answer and reference answer have the same character.",
        "Доля позиций, на которых в ответе и в эталоне стоит один и тот же символ.",
    ],
    card: include_str!("../../cards/hamming_similarity.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(hamming_similarity(run, facts)),
};

pub(crate) const JARO: Definition = Definition {
    id: "jaro_similarity",
    title: ["Jaro similarity", "Сходство Джаро"],
    definition: [
        "Jaro's similarity: characters that match at nearby positions, less half of those out of \
         order.",
        "Сходство Джаро: символы, совпадающие на близких позициях, минус половина стоящих не по \
         порядку.",
    ],
    card: include_str!("../../cards/jaro_similarity.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(jaro_similarity(run, facts)),
};

pub(crate) const JARO_WINKLER: Definition = Definition {
    id: "jaro_winkler_similarity",
    title: ["Jaro–Winkler similarity", "Сходство Джаро–Винклера"],
    definition: [
        "Jaro's similarity, raised where the first characters (up to 4) are the same.",
        "Сходство Джаро, повышенное, если совпадают первые символы (до четырёх).",
    ],
    card: include_str!("../../cards/jaro_winkler_similarity.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(jaro_winkler_similarity(run, facts)),
};

/// The two texts as characters.
struct Characters {
    answer: Vec<char>,
    reference: Vec<char>,
}

impl Characters {
    fn of(run: CaseRun<'_>) -> Result<Self, Outcome> {
        let Texts { answer, reference } = texts(run)?;
        Ok(Self { answer: answer.chars().collect(), reference: reference.chars().collect() })
    }

    fn longer(&self) -> usize {
        self.answer.len().max(self.reference.len())
    }

    /// `1 − distance / length of the longer`.
    fn outcome(&self, distance: usize, what: &str) -> Result<Outcome, Outcome> {
        let longer = self.longer();
        scored(
            1.0 - distance as f64 / longer as f64,
            format!("{distance} {what}; the longer text has {longer} characters"),
        )
    }

    fn lengths(&self) -> String {
        format!("{} characters against {}", self.answer.len(), self.reference.len())
    }
}

pub(crate) fn levenshtein_similarity(
    run: CaseRun<'_>,
    _: &RecordFacts,
) -> Result<Outcome, Outcome> {
    let texts = Characters::of(run)?;
    let distance =
        levenshtein::distance(texts.answer.iter().copied(), texts.reference.iter().copied());
    texts.outcome(distance, "edits")
}

pub(crate) fn hamming_similarity(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let texts = Characters::of(run)?;
    let padded = hamming::Args::default().pad(true);
    let (answer, reference) = (texts.answer.iter().copied(), texts.reference.iter().copied());
    texts.outcome(hamming::distance_with_args(answer, reference, &padded), "positions differ")
}

pub(crate) fn jaro_similarity(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let texts = Characters::of(run)?;
    let (answer, reference) = (texts.answer.iter().copied(), texts.reference.iter().copied());
    scored(jaro::similarity(answer, reference), texts.lengths())
}

pub(crate) fn jaro_winkler_similarity(
    run: CaseRun<'_>,
    _: &RecordFacts,
) -> Result<Outcome, Outcome> {
    let texts = Characters::of(run)?;
    let (answer, reference) = (texts.answer.iter().copied(), texts.reference.iter().copied());
    let first = texts.answer.iter().zip(&texts.reference).take(4).take_while(|(a, b)| a == b);
    let explanation = format!("{}, the first {} the same", texts.lengths(), first.count());
    scored(jaro_winkler::similarity(answer, reference), explanation)
}
