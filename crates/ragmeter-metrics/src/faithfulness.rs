use ragmeter_core::{AnswerKind, CaseRun, FactKind, Outcome, RecordFacts, Support, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "faithfulness",
    title: ["Faithfulness", "Достоверность (faithfulness)"],
    definition: [
        "Share of the answer's claims that all contexts taken together support.",
        "Доля утверждений ответа, которые подтверждены всеми контекстами вместе.",
    ],
    card: include_str!("../cards/faithfulness.md"),
    facts: &[FactKind::Refusal, FactKind::ResponseClaims, FactKind::ClaimSupport],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

fn score(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    need::contexts(run)?;
    match need::fact(&facts.refusal)? {
        AnswerKind::Answered => {}
        AnswerKind::Refused => return Ok(Outcome::not_applicable("the answer refuses")),
        AnswerKind::NoFactualContent => {
            return Ok(Outcome::not_applicable("the answer makes no claim"));
        }
    }
    let claims = need::fact(&facts.claims)?.len();
    let verdicts = need::fact(&facts.support)?;
    let of = |support| verdicts.iter().filter(|verdict| verdict.support == support).count();
    let supported = of(Support::Supported);
    let value = UnitInterval::share(supported, claims)
        .ok_or_else(|| Outcome::not_applicable("the answer makes no claim"))?;
    Ok(Outcome::scored(
        value,
        format!(
            "{supported} of {claims} claims supported, {} contradicted, {} absent",
            of(Support::Contradicted),
            of(Support::Absent),
        ),
    ))
}
