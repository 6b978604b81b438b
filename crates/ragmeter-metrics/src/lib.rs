//! Metrics: pure functions from facts to an outcome, one file each, listed in [`METRICS`].
//!
//! A metric never talks to a model. It looks at a record, at the facts judged about it, and says
//! a number with its explanation, or why there can be none. To add one: write its file and its
//! card, and add a line to the table.

mod answer_relevancy;
mod context_precision;
mod context_recall;
mod faithfulness;
mod need;
mod question_coverage;
mod rates;

use ragmeter_core::{CaseRun, FactKind, Lang, Outcome, RecordFacts};
use ragmeter_facts::Wanted;

/// One metric.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its id, in snake case.
    pub id: &'static str,
    /// Its title, in the order of [`Lang::ALL`].
    pub title: [&'static str; 2],
    /// One sentence that defines it, in the order of [`Lang::ALL`].
    pub definition: [&'static str; 2],
    /// Its card in Markdown.
    pub card: &'static str,
    /// The facts it is a function of.
    pub facts: &'static [FactKind],
    /// Whether more is better.
    pub higher_is_better: bool,
    /// The metric beside which it is always shown, to keep absence honest.
    pub companion_of: Option<&'static str>,
    /// The formula.
    pub score: fn(CaseRun<'_>, &RecordFacts) -> Outcome,
}

impl Metric {
    /// The title in a language.
    pub fn title(&self, lang: Lang) -> &'static str {
        self.title[lang as usize]
    }

    /// The definition in a language.
    pub fn definition(&self, lang: Lang) -> &'static str {
        self.definition[lang as usize]
    }
}

/// Every metric, by id.
pub static METRICS: &[Metric] = &[
    answer_relevancy::METRIC,
    context_precision::METRIC,
    context_recall::METRIC,
    faithfulness::METRIC,
    rates::NONCOMMITTAL,
    question_coverage::METRIC,
    rates::REFUSAL,
];

/// The metric with this id.
pub fn find(id: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.id == id)
}

/// These metrics with their companions, by id, each once.
pub fn with_companions(ids: &[&'static Metric]) -> Vec<&'static Metric> {
    let wanted = |metric: &&Metric| {
        ids.iter().any(|id| id.id == metric.id || metric.companion_of == Some(id.id))
    };
    METRICS.iter().filter(wanted).collect()
}

/// The facts that these metrics need.
pub fn wanted(metrics: &[&Metric]) -> Wanted {
    Wanted::of(metrics.iter().flat_map(|metric| metric.facts.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_sorted_and_unique_and_cards_are_whole() {
        assert!(METRICS.is_sorted_by(|a, b| a.id < b.id));
        for metric in METRICS {
            assert!(metric.card.starts_with(&format!("# {}\n", metric.id)), "{}", metric.id);
            for heading in [
                "What it measures",
                "How",
                "Needs",
                "Range",
                "When it does not apply",
                "Known failure modes",
                "Cost",
                "References",
            ] {
                assert!(
                    metric.card.contains(&format!("\n## {heading}\n")),
                    "{}: {heading}",
                    metric.id
                );
            }
        }
    }
}
