//! How near the vectors of answer and reference are.

use ragmeter_core::{CaseRun, Distances, FactKind, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const COSINE: Definition = Definition {
    id: "semantic_similarity",
    title: ["Semantic similarity", "Смысловая близость"],
    definition: [
        "Cosine of the vectors of answer and reference; below 0 counts as 0.",
        "Косинус векторов ответа и эталона; отрицательный считается нулём.",
    ],
    card: include_str!("../cards/semantic_similarity.md"),
    facts: &[FactKind::AnswerSimilarity],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(cosine(run, facts)),
};

pub(crate) const EUCLIDEAN: Definition = Definition {
    id: "euclidean_similarity",
    title: ["Euclidean similarity", "Евклидова близость"],
    definition: [
        "1 less half the Euclidean distance of the vectors of answer and reference, which have unit length.",
        "1 минус половина евклидова расстояния между векторами ответа и эталона единичной длины.",
    ],
    card: include_str!("../cards/euclidean_similarity.md"),
    facts: &[FactKind::AnswerSimilarity],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(euclidean(run, facts)),
};

pub(crate) const MANHATTAN: Definition = Definition {
    id: "manhattan_similarity",
    title: ["Manhattan similarity", "Манхэттенская близость"],
    definition: [
        "1 less the Manhattan distance of the vectors of answer and reference as a share of the greatest there can be.",
        "1 минус манхэттенское расстояние между векторами ответа и эталона в долях наибольшего возможного.",
    ],
    card: include_str!("../cards/manhattan_similarity.md"),
    facts: &[FactKind::AnswerSimilarity],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(manhattan(run, facts)),
};

pub(crate) const BERT_PRECISION: Definition = Definition {
    id: "bert_score_precision",
    title: ["BERTScore precision", "BERTScore: точность"],
    definition: [
        "Mean, over the tokens of the answer, of the cosine with the nearest token of the reference.",
        "Среднее по токенам ответа косинуса с ближайшим токеном эталона.",
    ],
    card: include_str!("../cards/bert_score.md"),
    facts: &[FactKind::TokenSimilarity],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(bert(run, facts, |of| of.precision, "precision")),
};

pub(crate) const BERT_RECALL: Definition = Definition {
    id: "bert_score_recall",
    title: ["BERTScore recall", "BERTScore: полнота"],
    definition: [
        "Mean, over the tokens of the reference, of the cosine with the nearest token of the answer.",
        "Среднее по токенам эталона косинуса с ближайшим токеном ответа.",
    ],
    card: include_str!("../cards/bert_score.md"),
    facts: &[FactKind::TokenSimilarity],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(bert(run, facts, |of| of.recall, "recall")),
};

pub(crate) const BERT_F1: Definition = Definition {
    id: "bert_score_f1",
    title: ["BERTScore F1", "BERTScore: F1"],
    definition: [
        "Harmonic mean of BERTScore precision and recall.",
        "Гармоническое среднее точности и полноты BERTScore.",
    ],
    card: include_str!("../cards/bert_score.md"),
    facts: &[FactKind::TokenSimilarity],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(bert(run, facts, |of| of.f1, "f1")),
};

type Answered<'a, T> = Result<Option<&'a T>, Outcome>;

/// The fact, or nothing for an empty answer.
fn of<'a, T>(run: CaseRun<'_>, slot: &'a ragmeter_core::FactSlot<T>) -> Answered<'a, T> {
    need::answer_field(run)?;
    need::reference(run)?;
    if run.answer().is_none() { Ok(None) } else { need::fact(slot).map(Some) }
}

fn near(
    run: CaseRun<'_>,
    facts: &RecordFacts,
    name: &str,
    value: impl Fn(&Distances) -> f64,
) -> Result<Outcome, Outcome> {
    let Some(distances) = of(run, &facts.answer_similarity)? else {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    };
    let value = UnitInterval::clamped(value(distances))
        .ok_or_else(|| Outcome::not_applicable("the vectors have no distance"))?;
    Ok(Outcome::scored(value, format!("{name} {:.4}", value.get())))
}

fn cosine(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    near(run, facts, "cosine", |distances| distances.cosine)
}

fn euclidean(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    near(run, facts, "1 - d / 2 =", |distances| 1.0 - distances.euclidean / 2.0)
}

fn manhattan(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    near(run, facts, "1 - d / (2 √n) =", |distances| 1.0 - distances.manhattan)
}

fn bert(
    run: CaseRun<'_>,
    facts: &RecordFacts,
    part: fn(&ragmeter_core::TokenMatch) -> f64,
    name: &str,
) -> Result<Outcome, Outcome> {
    let Some(tokens) = of(run, &facts.token_similarity)? else {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    };
    let value = UnitInterval::clamped(part(tokens))
        .ok_or_else(|| Outcome::not_applicable("there are no tokens"))?;
    Ok(Outcome::scored(value, format!("{name} {:.4}", value.get())))
}
