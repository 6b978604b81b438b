//! Entities of the reference answer that the contexts name.

use std::collections::BTreeMap;

use ragmeter_core::{CaseRun, FactKind, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "context_entity_recall",
    title: ["Context entity recall", "Полнота по сущностям"],
    definition: [
        "Share of the names and figures of the reference answer that the contexts name too.",
        "Доля имён и величин эталонного ответа, которые есть и в контекстах.",
    ],
    card: include_str!("../cards/context_entity_recall.md"),
    facts: &[FactKind::ReferenceEntities, FactKind::ContextEntities],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

/// An entity as it is compared: stems of its words in their order, in lower case, without an
/// article before them and without punctuation, ё as е. "The Orlo Lighthouse" and "orlo lighthouse"
/// are one, and so are "маяка Орло" and "маяк Орло". A figure keeps its digits.
fn normal(entity: &str) -> String {
    let mut stems = ragmeter_text::terms(entity);
    let article = stems.first().is_some_and(|first| ["the", "a", "an"].contains(&first.as_str()));
    if article && stems.len() > 1 {
        stems.remove(0);
    }
    if stems.is_empty() { entity.trim().to_lowercase() } else { stems.join(" ") }
}

/// Each entity once, by the form in which it is compared, as it is written first.
fn by_form(entities: &[String]) -> BTreeMap<String, &str> {
    entities.iter().rev().map(|entity| (normal(entity), entity.as_str())).collect()
}

fn score(run: CaseRun<'_>, facts: &RecordFacts) -> Result<Outcome, Outcome> {
    need::reference(run)?;
    if need::contexts(run)?.is_empty() {
        return Ok(Outcome::scored(UnitInterval::ZERO, "nothing was retrieved"));
    }
    let expected = by_form(need::fact(&facts.reference_entities)?);
    let found = by_form(need::fact(&facts.context_entities)?);
    let named = expected.keys().filter(|form| found.contains_key(*form)).count();
    let value = UnitInterval::share(named, expected.len())
        .ok_or_else(|| Outcome::not_applicable("the reference answer names no entity"))?;
    let missing = expected.iter().filter(|(form, _)| !found.contains_key(*form));
    let missing: Vec<&str> = missing.map(|(_, written)| *written).collect();
    let mut words = format!("{named} of {} entities named", expected.len());
    if !missing.is_empty() {
        words.push_str("; missing: ");
        words.push_str(&missing.join(" · "));
    }
    Ok(Outcome::scored(value, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_entity_are_one() {
        assert_eq!(normal("маяка Орло"), normal("Маяк «Орло»"));
        assert_eq!(normal("Orlo Lighthouses"), normal("orlo lighthouse"));
        assert_eq!(normal("The Orlo Lighthouse"), normal("orlo lighthouse"));
        assert_ne!(normal("34 m"), normal("43 m"));
        assert_eq!(normal("Артём"), normal("Артем"));
    }
}
