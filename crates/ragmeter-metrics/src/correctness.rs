//! The answer against the reference answer, claim by claim.

use ragmeter_core::{
    AnswerKind, CaseRun, Checked, FactKind, Outcome, RecordFacts, Support, UnitInterval,
};

use crate::{Definition, Parameter, Takes, need};

pub(crate) const F_MEASURE: Definition = Definition {
    id: "factual_correctness",
    title: ["Factual correctness", "Фактическая верность"],
    definition: [
        "F-measure of the share of the answer's claims that the reference answer says and the share of the reference's claims that the answer says.",
        "F-мера доли утверждений ответа, которые есть в эталоне, и доли утверждений эталона, которые есть в ответе.",
    ],
    card: include_str!("../cards/factual_correctness.md"),
    facts: &[
        FactKind::Refusal,
        FactKind::ResponseClaims,
        FactKind::ClaimCorrect,
        FactKind::ReferenceClaims,
        FactKind::ReferenceCovered,
    ],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Number { name: "beta", default: 1.0, range: [0.01, 100.0] },
    score: |run, facts, parameter| need::merge(f_measure(run, facts, parameter)),
};

pub(crate) const PRECISION: Definition = Definition {
    id: "factual_correctness_precision",
    title: ["Factual correctness, precision", "Фактическая верность: точность"],
    definition: [
        "Share of the answer's claims that the reference answer says.",
        "Доля утверждений ответа, которые есть в эталоне.",
    ],
    card: include_str!("../cards/factual_correctness_precision.md"),
    facts: &[FactKind::Refusal, FactKind::ResponseClaims, FactKind::ClaimCorrect],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(precision(run, facts)),
};

pub(crate) const RECALL: Definition = Definition {
    id: "factual_correctness_recall",
    title: ["Factual correctness, recall", "Фактическая верность: полнота"],
    definition: [
        "Share of the reference answer's claims that the answer says.",
        "Доля утверждений эталона, которые есть в ответе.",
    ],
    card: include_str!("../cards/factual_correctness_recall.md"),
    facts: &[FactKind::ReferenceClaims, FactKind::ReferenceCovered],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(recall(run, facts)),
};

pub(crate) const ANSWER_CORRECTNESS: Definition = Definition {
    id: "answer_correctness",
    title: ["Answer correctness", "Правильность ответа"],
    definition: [
        "Weighted mean of the F1 of claims in both directions (0.75) and the cosine of answer and reference (0.25).",
        "Взвешенное среднее F1 утверждений в обе стороны (0,75) и косинуса ответа и эталона (0,25).",
    ],
    card: include_str!("../cards/answer_correctness.md"),
    facts: &[
        FactKind::Refusal,
        FactKind::ResponseClaims,
        FactKind::ClaimCorrect,
        FactKind::ReferenceClaims,
        FactKind::ReferenceCovered,
        FactKind::AnswerSimilarity,
    ],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Number { name: "weight", default: 0.75, range: [0.0, 1.0] },
    score: |run, facts, parameter| need::merge(answer_correctness(run, facts, parameter)),
};

/// Shares of both sides, with their counts.
struct Sides {
    /// Claims of the answer that the reference says, and all of them.
    said: [usize; 2],
    /// Claims of the reference that the answer says, and all of them.
    covered: [usize; 2],
}

fn count(checked: &[Checked]) -> usize {
    checked.iter().filter(|one| one.support == Support::Supported).count()
}

/// Claims of the answer that the reference says, and all of them; none of an answer that makes
/// no claim.
fn said(facts: &RecordFacts) -> Result<[usize; 2], Outcome> {
    match need::fact(&facts.refusal)? {
        AnswerKind::Answered => {}
        AnswerKind::Refused | AnswerKind::NoFactualContent => return Ok([0, 0]),
    }
    let correct = need::fact(&facts.correct)?;
    Ok([count(correct), correct.len()])
}

fn covered(facts: &RecordFacts) -> Result<[usize; 2], Outcome> {
    let covered = need::fact(&facts.reference_covered)?;
    Ok([count(covered), covered.len()])
}

fn sides(facts: &RecordFacts) -> Result<Sides, Outcome> {
    Ok(Sides { said: said(facts)?, covered: covered(facts)? })
}

/// F-measure of two shares; 0 if both are (van Rijsbergen 1979, chapter 7).
fn f_beta(precision: f64, recall: f64, beta: f64) -> f64 {
    let square = beta * beta;
    let below = square * precision + recall;
    if below > 0.0 { (1.0 + square) * precision * recall / below } else { 0.0 }
}

impl Sides {
    /// The F-measure. An answer without any claim has precision 0: it says nothing of the
    /// reference.
    fn f(&self, beta: f64) -> Result<f64, Outcome> {
        let [_, units] = self.covered;
        if units == 0 {
            return Err(Outcome::not_applicable("the reference answer claims nothing"));
        }
        let share = |[part, whole]: [usize; 2]| {
            if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
        };
        Ok(f_beta(share(self.said), share(self.covered), beta))
    }

    fn words(&self) -> String {
        let ([said, claims], [covered, units]) = (self.said, self.covered);
        format!(
            "{said} of {claims} claims of the answer stand in the reference, \
             {covered} of {units} of the reference in the answer"
        )
    }
}

fn needed(run: CaseRun<'_>) -> Result<(), Outcome> {
    need::answer_field(run)?;
    need::reference(run).map(|_| ())
}

fn number(parameter: &Parameter, default: f64) -> f64 {
    match parameter {
        Parameter::Number(number) => *number,
        _ => default,
    }
}

fn unit(value: f64) -> Result<UnitInterval, Outcome> {
    UnitInterval::clamped(value).ok_or_else(|| Outcome::not_applicable("there is no number"))
}

fn f_measure(
    run: CaseRun<'_>,
    facts: &RecordFacts,
    parameter: &Parameter,
) -> Result<Outcome, Outcome> {
    needed(run)?;
    if run.answer().is_none() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    }
    let sides = sides(facts)?;
    Ok(Outcome::scored(unit(sides.f(number(parameter, 1.0))?)?, sides.words()))
}

fn precision(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    needed(run)?;
    let [said, claims] = said(facts)?;
    let value = UnitInterval::share(said, claims)
        .ok_or_else(|| Outcome::not_applicable("the answer makes no claim"))?;
    Ok(Outcome::scored(value, format!("{said} of {claims} claims stand in the reference")))
}

fn recall(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    needed(run)?;
    if run.answer().is_none() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    }
    let [covered, units] = covered(facts)?;
    let value = UnitInterval::share(covered, units)
        .ok_or_else(|| Outcome::not_applicable("the reference answer claims nothing"))?;
    Ok(Outcome::scored(value, format!("{covered} of {units} reference claims stand in the answer")))
}

fn answer_correctness(
    run: CaseRun<'_>,
    facts: &RecordFacts,
    parameter: &Parameter,
) -> Result<Outcome, Outcome> {
    needed(run)?;
    if run.answer().is_none() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "the answer is empty"));
    }
    let weight = number(parameter, 0.75);
    let sides = sides(facts)?;
    let f1 = sides.f(1.0)?;
    let cosine = need::fact(&facts.answer_similarity)?.cosine.clamp(0.0, 1.0);
    let value = unit(weight * f1 + (1.0 - weight) * cosine)?;
    let words = format!("F1 {f1:.3} ({}), cosine {cosine:.3}, weight {weight}", sides.words());
    Ok(Outcome::scored(value, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_is_the_harmonic_mean_and_beta_leans_to_recall() {
        assert!((f_beta(0.5, 1.0, 1.0) - 2.0 / 3.0).abs() < 1e-15);
        assert!((f_beta(0.5, 1.0, 2.0) - 5.0 / 6.0).abs() < 1e-15);
        assert!(f_beta(0.0, 0.0, 1.0).abs() == 0.0);
    }
}
