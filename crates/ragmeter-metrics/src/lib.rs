//! Metrics: pure functions from facts to an outcome, one file each, listed in [`METRICS`].
//!
//! A metric never talks to a model. It looks at a record, at the facts judged about it, and says
//! a number with its explanation, or why there can be none. To add one: write its file and its
//! card, and add a line to the table.

mod answer_relevancy;
mod builtin;
mod citations;
mod context_precision;
mod context_recall;
mod conversation;
mod correctness;
mod criteria;
mod diagnosis;
mod entity_recall;
mod faithfulness;
mod find;
mod formula;
mod grades;
mod metric;
mod need;
mod nuggets;
mod question_coverage;
mod rates;
mod similarity;
mod sql;
mod summarization;
mod triad;
mod useful_answer;

pub use find::{Own, find, known_ids, presets, with_companions};
pub use formula::Formula;
pub use metric::{Definition, Metric, Parameter, Takes};

use ragmeter_facts::Wanted;

/// Every metric and every family of metrics, by id.
pub static METRICS: &[Definition] = &[
    conversation::GOAL,
    conversation::GOAL_INFERRED,
    grades::ANSWER_ACCURACY,
    correctness::ANSWER_CORRECTNESS,
    grades::ANSWER_RELEVANCE,
    answer_relevancy::METRIC,
    criteria::ASPECT,
    similarity::BERT_F1,
    similarity::BERT_PRECISION,
    similarity::BERT_RECALL,
    citations::PRECISION,
    citations::RECALL,
    diagnosis::CLAIM_RECALL,
    triad::COMPREHENSIVENESS,
    entity_recall::METRIC,
    context_precision::METRIC,
    diagnosis::CONTEXT_PRECISION,
    useful_answer::METRIC,
    context_recall::METRIC,
    grades::CONTEXT_RELEVANCE,
    diagnosis::UTILIZATION,
    similarity::EUCLIDEAN,
    correctness::F_MEASURE,
    correctness::PRECISION,
    correctness::RECALL,
    faithfulness::METRIC,
    diagnosis::FAITHFUL_EACH,
    formula::METRIC,
    triad::GROUNDEDNESS,
    diagnosis::HALLUCINATION,
    criteria::INSTANCE,
    similarity::MANHATTAN,
    diagnosis::NOISE_RELEVANT,
    diagnosis::NOISE_IRRELEVANT,
    rates::NONCOMMITTAL,
    nuggets::ALL,
    nuggets::VITAL,
    nuggets::WEIGHTED,
    criteria::PRESET,
    question_coverage::METRIC,
    rates::REFUSAL_CORRECTNESS,
    rates::REFUSAL,
    grades::RESPONSE_GROUNDEDNESS,
    criteria::RUBRIC,
    diagnosis::SELF_KNOWLEDGE,
    similarity::COSINE,
    criteria::SIMPLE,
    sql::METRIC,
    summarization::METRIC,
    conversation::TOPICS_F1,
    conversation::TOPICS_PRECISION,
    conversation::TOPICS_RECALL,
];

/// The metrics of a run that names none: four RAGAS-style ones, whether the whole question is
/// answered, and their companions.
pub const DEFAULT: [&str; 5] = [
    "answer_relevancy",
    "context_precision",
    "context_recall",
    "faithfulness",
    "question_coverage",
];

/// The facts that these metrics need.
pub fn wanted(metrics: &[Metric]) -> Wanted {
    let mut wanted = Wanted::of(metrics.iter().flat_map(|metric| metric.facts().iter().copied()));
    for metric in metrics {
        if let Parameter::Criterion(criterion) = &metric.parameter {
            wanted.add_criterion(std::sync::Arc::clone(criterion));
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_sorted_and_unique_and_cards_are_whole() {
        assert!(METRICS.is_sorted_by(|a, b| a.id < b.id));
        for metric in METRICS {
            // Three metrics of one method may share a card.
            let title = metric.card.lines().next().unwrap_or_default();
            let of = title.strip_prefix("# ").unwrap_or("none");
            assert!(metric.id.starts_with(of), "{}: {title}", metric.id);
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
