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
mod lexical;
mod metric;
mod need;
mod nuggets;
mod program;
mod question_coverage;
mod quoted_spans;
mod rates;
pub mod retrieval;
mod similarity;
mod sql;
mod summarization;
mod tool_calls;
mod triad;
mod useful_answer;

pub use find::{Own, find, known_ids, presets, with_companions};
pub use formula::Formula;
pub use metric::{Definition, Metric, Parameter, Takes};
pub use program::Program;

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
    lexical::bleu::METRIC,
    retrieval::by_ids::BPREF,
    lexical::chrf::CHRF,
    lexical::chrf::CHRF_PP,
    citations::PRECISION,
    citations::RECALL,
    diagnosis::CLAIM_RECALL,
    program::METRIC,
    triad::COMPREHENSIVENESS,
    entity_recall::METRIC,
    context_precision::METRIC,
    diagnosis::CONTEXT_PRECISION,
    retrieval::by_ids::CONTEXT_PRECISION_BY_IDS,
    lexical::similar_contexts::PRECISION,
    useful_answer::METRIC,
    context_recall::METRIC,
    retrieval::by_ids::CONTEXT_RECALL_BY_IDS,
    lexical::similar_contexts::RECALL,
    grades::CONTEXT_RELEVANCE,
    diagnosis::UTILIZATION,
    retrieval::by_ids::ERR_AT_K,
    similarity::EUCLIDEAN,
    lexical::exact::EXACT_MATCH,
    lexical::squad::EXACT_MATCH,
    correctness::F_MEASURE,
    correctness::PRECISION,
    correctness::RECALL,
    faithfulness::METRIC,
    diagnosis::FAITHFUL_EACH,
    formula::METRIC,
    triad::GROUNDEDNESS,
    diagnosis::HALLUCINATION,
    lexical::edit::HAMMING,
    retrieval::by_ids::HIT_RATE_AT_K,
    criteria::INSTANCE,
    lexical::edit::JARO,
    lexical::edit::JARO_WINKLER,
    lexical::language_match::METRIC,
    lexical::edit::LEVENSHTEIN,
    similarity::MANHATTAN,
    retrieval::by_ids::MAP,
    retrieval::by_ids::MRR,
    retrieval::by_ids::NDCG_AT_K,
    diagnosis::NOISE_RELEVANT,
    diagnosis::NOISE_IRRELEVANT,
    rates::NONCOMMITTAL,
    nuggets::ALL,
    nuggets::VITAL,
    nuggets::WEIGHTED,
    retrieval::by_ids::PRECISION_AT_K,
    criteria::PRESET,
    question_coverage::METRIC,
    quoted_spans::METRIC,
    retrieval::by_ids::R_PRECISION,
    retrieval::by_ids::RECALL_AT_K,
    rates::REFUSAL_CORRECTNESS,
    rates::REFUSAL,
    grades::RESPONSE_GROUNDEDNESS,
    lexical::rouge::ROUGE_1,
    lexical::rouge::ROUGE_2,
    lexical::rouge::ROUGE_L,
    criteria::RUBRIC,
    diagnosis::SELF_KNOWLEDGE,
    similarity::COSINE,
    criteria::SIMPLE,
    sql::METRIC,
    lexical::exact::STRING_PRESENCE,
    retrieval::by_ids::SUCCESS_AT_K,
    summarization::METRIC,
    lexical::squad::TOKEN_F1,
    tool_calls::ACCURACY,
    tool_calls::F1,
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
            assert!(
                metric.id.starts_with(of) || of.starts_with(metric.id),
                "{}: {title}",
                metric.id
            );
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
