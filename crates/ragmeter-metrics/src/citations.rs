//! Citations: marks like [2] in an answer, against what the contexts support.

use std::ops::Range;

use ragmeter_core::{
    AnswerKind, CaseRun, Claim, FactKind, Outcome, RecordFacts, Support, UnitInterval,
};

use crate::{Definition, Takes, need};

pub(crate) const PRECISION: Definition = Definition {
    id: "citation_precision",
    title: ["Citation precision", "Точность ссылок"],
    definition: [
        "Share of the citations whose context supports something of the sentence that cites it.",
        "Доля ссылок, контекст которых подтверждает что-то из ссылающегося предложения.",
    ],
    card: include_str!("../cards/citation_precision.md"),
    facts: &[FactKind::Refusal, FactKind::ResponseClaims, FactKind::ClaimSupportEach],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(precision(run, facts)),
};

pub(crate) const RECALL: Definition = Definition {
    id: "citation_recall",
    title: ["Citation recall", "Полнота ссылок"],
    definition: [
        "Share of the answer's claims that a context cited in their sentence supports.",
        "Доля утверждений ответа, которые подтверждает контекст, указанный в их предложении.",
    ],
    card: include_str!("../cards/citation_recall.md"),
    facts: &[FactKind::Refusal, FactKind::ResponseClaims, FactKind::ClaimSupportEach],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(recall(run, facts)),
};

/// A sentence of the answer: where it stands, and the ranks of the contexts that it cites.
struct Citing {
    range: Range<usize>,
    /// `None` stands for a number that no context has.
    cited: Vec<Option<usize>>,
}

/// Marks of numbers in square brackets: [1], [1, 3], [2-4], with their places; a number is the rank
/// of a context from 1. `None` stands for a number that no context has.
fn marks(text: &str, contexts: usize) -> Vec<(Range<usize>, Vec<Option<usize>>)> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices('[') {
        let Some((inside, _)) = text[start + 1..].split_once(']') else { continue };
        let numbers: Option<Vec<(usize, usize)>> = inside
            .split([',', ';'])
            .map(|item| {
                let (from, to) = item.split_once(['-', '–']).unwrap_or((item, item));
                let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
                (from <= to && to - from < 1000).then_some((from, to))
            })
            .collect();
        if let Some(numbers) = numbers {
            let ranks = numbers.into_iter().flat_map(|(from, to)| from..=to);
            let cited = ranks.map(|n| n.checked_sub(1).filter(|at| *at < contexts)).collect();
            found.push((start..start + inside.len() + 2, cited));
        }
    }
    found
}

/// The sentences of the answer. Marks are no part of its text; one that stands after the full stop
/// belongs to the sentence before it.
fn citing(answer: &str, contexts: usize) -> Vec<Citing> {
    let marks = marks(answer, contexts);
    let mut plain = answer.to_owned();
    for (range, _) in &marks {
        plain.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    let ranges = ragmeter_text::sentences(&plain, ragmeter_text::detect(answer));
    let mut sentences: Vec<Citing> =
        ranges.into_iter().map(|range| Citing { range, cited: Vec::new() }).collect();
    for (range, cited) in marks {
        let before = sentences.iter().rposition(|sentence| sentence.range.start <= range.start);
        if let Some(sentence) = sentences.get_mut(before.unwrap_or(0)) {
            sentence.cited.extend(cited);
        }
    }
    for sentence in &mut sentences {
        sentence.cited.sort_unstable();
        sentence.cited.dedup();
    }
    sentences
}

/// The sentence that a claim was made from: where its span begins, else the one that shares most
/// words with it.
fn sentence_of(claim: &Claim, answer: &str, sentences: &[Citing]) -> Option<usize> {
    let holds = |at: usize| sentences.iter().position(|sentence| sentence.range.contains(&at));
    if let Some(found) = claim.span.as_ref().and_then(|span| holds(span.start)) {
        return Some(found);
    }
    let wanted = ragmeter_text::content_terms(&claim.text);
    let shared = |sentence: &Citing| {
        let held = ragmeter_text::content_terms(&answer[sentence.range.clone()]);
        wanted.iter().filter(|term| held.contains(term)).count()
    };
    let best =
        sentences.iter().enumerate().max_by_key(|(at, one)| (shared(one), usize::MAX - at))?;
    (shared(best.1) > 0).then_some(best.0)
}

/// Sentences, and for each claim its sentence with the contexts that support it.
type Placed = (Vec<Citing>, Vec<(Option<usize>, Vec<usize>)>);

fn placed(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Placed, Outcome> {
    need::answer_field(run)?;
    let contexts = need::contexts(run)?.len();
    match need::fact(&facts.refusal)? {
        AnswerKind::Answered => {}
        AnswerKind::Refused => return Err(Outcome::not_applicable("the answer refuses")),
        AnswerKind::NoFactualContent => {
            return Err(Outcome::not_applicable("the answer makes no claim"));
        }
    }
    let answer = run.answer().unwrap_or_default();
    let sentences = citing(answer, contexts);
    let claims = need::fact(&facts.claims)?;
    let each = need::fact(&facts.support_each)?;
    let place = |(claim, row): (&Claim, &Vec<Support>)| {
        let ranks = (row.iter().enumerate())
            .filter(|(_, support)| **support == Support::Supported)
            .map(|(rank, _)| rank)
            .collect();
        (sentence_of(claim, answer, &sentences), ranks)
    };
    let places = claims.iter().zip(each).map(place).collect();
    Ok((sentences, places))
}

fn precision(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    let (sentences, claims) = placed(run, facts)?;
    let (mut right, mut all) = (0, 0);
    for (at, sentence) in sentences.iter().enumerate() {
        for cited in &sentence.cited {
            all += 1;
            let supports = |(of, ranks): &(Option<usize>, Vec<usize>)| {
                *of == Some(at) && cited.is_some_and(|rank| ranks.contains(&rank))
            };
            right += usize::from(claims.iter().any(supports));
        }
    }
    let value = UnitInterval::share(right, all)
        .ok_or_else(|| Outcome::not_applicable("the answer cites nothing"))?;
    Ok(Outcome::scored(value, format!("{right} of {all} citations support their sentence")))
}

fn recall(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    let (sentences, claims) = placed(run, facts)?;
    let cited = |(of, ranks): &&(Option<usize>, Vec<usize>)| {
        let cited = of.map(|at| sentences[at].cited.as_slice()).unwrap_or_default();
        ranks.iter().any(|rank| cited.contains(&Some(*rank)))
    };
    let backed = claims.iter().filter(cited).count();
    let value = UnitInterval::share(backed, claims.len())
        .ok_or_else(|| Outcome::not_applicable("the answer makes no claim"))?;
    Ok(Outcome::scored(
        value,
        format!("{backed} of {} claims backed by what their sentence cites", claims.len()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(text: &str, contexts: usize) -> Vec<Option<usize>> {
        marks(text, contexts).into_iter().flat_map(|(_, cited)| cited).collect()
    }

    #[test]
    fn marks_are_numbers_in_square_brackets() {
        assert_eq!(cited("It is [1, 3] so [2-3].", 3), [Some(0), Some(2), Some(1), Some(2)]);
        assert_eq!(cited("Out [7] of range", 3), [None]);
        assert!(cited("No [note] and [a1] here [", 3).is_empty());
    }

    #[test]
    fn a_mark_after_the_full_stop_belongs_to_the_sentence_before() {
        for answer in [
            "The tower is tall. [1] It was lit in 1893 [2].",
            "Башня высока. [1] Её зажгли в 1893 году [2].",
        ] {
            let sentences = citing(answer, 2);
            let cited: Vec<_> = sentences.iter().map(|one| one.cited.clone()).collect();
            assert_eq!(cited, [vec![Some(0)], vec![Some(1)]], "{answer}");
        }
    }
}
