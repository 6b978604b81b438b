//! Claim-level diagnosis: which part of the system a wrong or missing claim comes from.

use ragmeter_core::{AnswerKind, CaseRun, FactKind, Outcome, RecordFacts, Support, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const NOISE_RELEVANT: Definition = Definition {
    id: "noise_sensitivity",
    title: [
        "Noise sensitivity, relevant contexts",
        "Чувствительность к шуму: релевантные контексты",
    ],
    definition: [
        "Share of the answer's claims that are wrong by the reference and stand in a context that also holds something of the reference.",
        "Доля утверждений ответа, неверных по эталону и взятых из контекста, где есть и что-то из эталона.",
    ],
    card: include_str!("../cards/noise_sensitivity.md"),
    facts: &[
        FactKind::Refusal,
        FactKind::ResponseClaims,
        FactKind::ClaimSupportEach,
        FactKind::ClaimCorrect,
        FactKind::ReferenceClaims,
        FactKind::ReferenceSupportEach,
    ],
    higher_is_better: false,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(noise_relevant(run, facts)),
};

pub(crate) const NOISE_IRRELEVANT: Definition = Definition {
    id: "noise_sensitivity_irrelevant",
    title: [
        "Noise sensitivity, irrelevant contexts",
        "Чувствительность к шуму: посторонние контексты",
    ],
    definition: [
        "Share of the answer's claims that are wrong by the reference and stand only in contexts that hold nothing of the reference.",
        "Доля утверждений ответа, неверных по эталону и взятых только из контекстов, где нет ничего из эталона.",
    ],
    card: include_str!("../cards/noise_sensitivity_irrelevant.md"),
    facts: &[
        FactKind::Refusal,
        FactKind::ResponseClaims,
        FactKind::ClaimSupportEach,
        FactKind::ClaimCorrect,
        FactKind::ReferenceClaims,
        FactKind::ReferenceSupportEach,
    ],
    higher_is_better: false,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(noise_irrelevant(run, facts)),
};

pub(crate) const HALLUCINATION: Definition = Definition {
    id: "hallucination",
    title: ["Hallucination", "Галлюцинации"],
    definition: [
        "Share of the answer's claims that are wrong by the reference and stand in no context.",
        "Доля утверждений ответа, неверных по эталону и не взятых ни из одного контекста.",
    ],
    card: include_str!("../cards/hallucination.md"),
    facts: &[
        FactKind::Refusal,
        FactKind::ResponseClaims,
        FactKind::ClaimSupportEach,
        FactKind::ClaimCorrect,
    ],
    higher_is_better: false,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(hallucination(run, facts)),
};

pub(crate) const SELF_KNOWLEDGE: Definition = Definition {
    id: "self_knowledge",
    title: ["Self-knowledge", "Собственные знания"],
    definition: [
        "Share of the answer's claims that are right by the reference and stand in no context.",
        "Доля утверждений ответа, верных по эталону и не взятых ни из одного контекста.",
    ],
    card: include_str!("../cards/self_knowledge.md"),
    facts: &[
        FactKind::Refusal,
        FactKind::ResponseClaims,
        FactKind::ClaimSupportEach,
        FactKind::ClaimCorrect,
    ],
    higher_is_better: false,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(self_knowledge(run, facts)),
};

pub(crate) const FAITHFUL_EACH: Definition = Definition {
    id: "faithfulness_each",
    title: ["Faithfulness, contexts one by one", "Достоверность: контексты по одному"],
    definition: [
        "Share of the answer's claims that at least one context, taken alone, supports.",
        "Доля утверждений ответа, которые подтверждает хотя бы один контекст сам по себе.",
    ],
    card: include_str!("../cards/faithfulness_each.md"),
    facts: &[FactKind::Refusal, FactKind::ResponseClaims, FactKind::ClaimSupportEach],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(faithful_each(run, facts)),
};

pub(crate) const CLAIM_RECALL: Definition = Definition {
    id: "claim_recall",
    title: ["Claim recall", "Полнота по утверждениям"],
    definition: [
        "Share of the reference's claims that the contexts say.",
        "Доля утверждений эталона, которые есть в контекстах.",
    ],
    card: include_str!("../cards/claim_recall.md"),
    facts: &[FactKind::ReferenceClaims, FactKind::ReferenceSupportEach],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(claim_recall(run, facts)),
};

pub(crate) const CONTEXT_PRECISION: Definition = Definition {
    id: "context_precision_by_claims",
    title: ["Context precision by claims", "Точность контекстов по утверждениям"],
    definition: [
        "Share of the contexts that hold at least one claim of the reference.",
        "Доля контекстов, где есть хотя бы одно утверждение эталона.",
    ],
    card: include_str!("../cards/context_precision_by_claims.md"),
    facts: &[FactKind::ReferenceClaims, FactKind::ReferenceSupportEach],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(context_precision(run, facts)),
};

pub(crate) const UTILIZATION: Definition = Definition {
    id: "context_utilization",
    title: ["Context utilization", "Использование контекстов"],
    definition: [
        "Of the reference's claims that the contexts say, the share that the answer says.",
        "Какую долю утверждений эталона, найденных в контекстах, передаёт ответ.",
    ],
    card: include_str!("../cards/context_utilization.md"),
    facts: &[FactKind::ReferenceClaims, FactKind::ReferenceSupportEach, FactKind::ReferenceCovered],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(utilization(run, facts)),
};

/// One claim of the answer.
struct Judged {
    /// The reference says it.
    right: bool,
    /// It stands in a context that holds something of the reference.
    in_relevant: bool,
    /// It stands in a context that holds nothing of it.
    in_irrelevant: bool,
}

impl Judged {
    fn in_contexts(&self) -> bool {
        self.in_relevant || self.in_irrelevant
    }
}

fn answered(run: CaseRun<'_>, facts: &RecordFacts) -> Result<(), Outcome> {
    need::answer_field(run)?;
    need::contexts(run)?;
    match need::fact(&facts.refusal)? {
        AnswerKind::Answered => Ok(()),
        AnswerKind::Refused => Err(Outcome::not_applicable("the answer refuses")),
        AnswerKind::NoFactualContent => Err(Outcome::not_applicable("the answer makes no claim")),
    }
}

/// Noise is of what was retrieved: retrieving nothing must not be the best score.
fn retrieved(run: CaseRun<'_>) -> Result<(), Outcome> {
    if need::contexts(run)?.is_empty() {
        return Err(Outcome::not_applicable("nothing was retrieved"));
    }
    Ok(())
}

/// For each context, whether it holds something of the reference.
fn relevant(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Vec<bool>, Outcome> {
    let rows = need::fact(&facts.reference_support_each)?;
    // Else no context were relevant, and no noise the best score.
    if rows.is_empty() {
        return Err(Outcome::not_applicable("the reference claims nothing"));
    }
    let holds = |rank: usize| rows.iter().any(|row| row.get(rank).copied().unwrap_or(false));
    Ok((0..need::contexts(run)?.len()).map(holds).collect())
}

/// Every claim of the answer. Without a need for it, no context counts as relevant.
fn claims(
    run: CaseRun<'_>,
    facts: &RecordFacts,
    by_relevance: bool,
) -> Result<Vec<Judged>, Outcome> {
    need::reference(run)?;
    answered(run, facts)?;
    let correct = need::fact(&facts.correct)?;
    let each = need::fact(&facts.support_each)?;
    let relevant = if by_relevance { relevant(run, facts)? } else { Vec::new() };
    let is_relevant = |rank: usize| relevant.get(rank).copied().unwrap_or(false);
    let claim = |(row, checked): (&Vec<Support>, &ragmeter_core::Checked)| {
        let says = |wanted: bool| {
            let of = |(rank, support): (usize, &Support)| {
                *support == Support::Supported && is_relevant(rank) == wanted
            };
            row.iter().enumerate().any(of)
        };
        let right = checked.support == Support::Supported;
        Judged { right, in_relevant: says(true), in_irrelevant: says(false) }
    };
    Ok(each.iter().zip(correct).map(claim).collect())
}

fn share(part: usize, whole: usize, what: &str, none: &str) -> Result<Outcome, Outcome> {
    let value = UnitInterval::share(part, whole).ok_or_else(|| Outcome::not_applicable(none))?;
    Ok(Outcome::scored(value, format!("{part} of {whole} {what}")))
}

fn of_claims(
    claims: &[Judged],
    counts: impl Fn(&Judged) -> bool,
    what: &str,
) -> Result<Outcome, Outcome> {
    let part = claims.iter().filter(|claim| counts(claim)).count();
    share(part, claims.len(), what, "the answer makes no claim")
}

fn noise_relevant(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    retrieved(run)?;
    let claims = claims(run, facts, true)?;
    of_claims(
        &claims,
        |claim| !claim.right && claim.in_relevant,
        "claims wrong, from relevant contexts",
    )
}

fn noise_irrelevant(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    retrieved(run)?;
    let claims = claims(run, facts, true)?;
    let counts = |claim: &Judged| !claim.right && claim.in_irrelevant && !claim.in_relevant;
    of_claims(&claims, counts, "claims wrong, from irrelevant contexts")
}

fn hallucination(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    let claims = claims(run, facts, false)?;
    of_claims(
        &claims,
        |claim| !claim.right && !claim.in_contexts(),
        "claims wrong and in no context",
    )
}

fn self_knowledge(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    let claims = claims(run, facts, false)?;
    of_claims(
        &claims,
        |claim| claim.right && !claim.in_contexts(),
        "claims right and in no context",
    )
}

fn faithful_each(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    answered(run, facts)?;
    let rows = need::fact(&facts.support_each)?;
    let supported = rows.iter().filter(|row| row.contains(&Support::Supported)).count();
    share(supported, rows.len(), "claims stand in a context", "the answer makes no claim")
}

fn claim_recall(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::reference(run)?;
    if need::contexts(run)?.is_empty() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "nothing was retrieved"));
    }
    let rows = need::fact(&facts.reference_support_each)?;
    let found = rows.iter().filter(|row| row.contains(&true)).count();
    share(found, rows.len(), "reference claims in the contexts", "the reference claims nothing")
}

fn context_precision(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::reference(run)?;
    if need::contexts(run)?.is_empty() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "nothing was retrieved"));
    }
    let relevant = relevant(run, facts)?;
    let holding = relevant.iter().filter(|holds| **holds).count();
    share(holding, relevant.len(), "contexts hold a reference claim", "nothing was retrieved")
}

fn utilization(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::reference(run)?;
    need::answer_field(run)?;
    need::contexts(run)?;
    let rows = need::fact(&facts.reference_support_each)?;
    let covered = need::fact(&facts.reference_covered)?;
    let found: Vec<bool> = (rows.iter().zip(covered))
        .filter(|(row, _)| row.contains(&true))
        .map(|(_, checked)| checked.support == Support::Supported)
        .collect();
    let used = found.iter().filter(|used| **used).count();
    share(
        used,
        found.len(),
        "reference claims in the contexts are in the answer",
        "the contexts say no claim of the reference",
    )
}
