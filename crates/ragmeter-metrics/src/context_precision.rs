use ragmeter_core::{CaseRun, FactKind, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "context_precision",
    title: ["Context precision", "Точность контекстов"],
    definition: [
        "Average precision of the ranking: the mean, over the useful contexts, of the share of \
         useful ones down to that rank.",
        "Средняя точность ранжирования: для каждого полезного контекста берётся доля полезных \
         среди стоящих не ниже него, и эти доли усредняются.",
    ],
    card: include_str!("../cards/context_precision.md"),
    facts: &[FactKind::ContextUsefulReference],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

fn score(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::reference(run)?;
    if need::contexts(run)?.is_empty() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "nothing was retrieved"));
    }
    let useful = need::fact(&facts.useful)?;
    let value = average_precision(useful)
        .ok_or_else(|| Outcome::not_applicable("the ranking has no average precision"))?;
    let ranks: Vec<String> =
        (1..=useful.len()).filter(|rank| useful[rank - 1]).map(|rank| rank.to_string()).collect();
    let explanation = if ranks.is_empty() {
        format!("none of {} contexts is useful", useful.len())
    } else {
        format!("useful at ranks {} of {}", ranks.join(", "), useful.len())
    };
    Ok(Outcome::scored(value, explanation))
}

/// Average precision of a ranking over the useful items it holds; 0 if it holds none. A perfect
/// ranking gives exactly 1, since each of its terms does; nothing is added to the denominator.
pub(crate) fn average_precision(useful: &[bool]) -> Option<UnitInterval> {
    let mut hits = 0_u32;
    let mut sum = 0.0;
    for (index, _) in useful.iter().enumerate().filter(|(_, useful)| **useful) {
        hits += 1;
        sum += f64::from(hits) / (index + 1) as f64;
    }
    if hits == 0 { Some(UnitInterval::ZERO) } else { UnitInterval::clamped(sum / f64::from(hits)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ap(useful: &[bool]) -> f64 {
        average_precision(useful).expect("a number").get()
    }

    #[test]
    fn perfect_rankings_are_exactly_one() {
        for useful in 1..60 {
            let ranking: Vec<bool> = (0..70).map(|rank| rank < useful).collect();
            assert!((ap(&ranking) - 1.0).abs() == 0.0, "{useful}");
        }
    }

    #[test]
    fn worked_examples() {
        assert!((ap(&[false, true, true]) - 7.0 / 12.0).abs() < 1e-15);
        assert!(ap(&[false, false]).abs() == 0.0);
    }
}
