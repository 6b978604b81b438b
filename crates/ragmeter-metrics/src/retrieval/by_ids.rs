//! Metrics over the ids of contexts, for each record of a system.

use ragmeter_core::Outcome;

use super::of_record as one;
use crate::{Definition, Parameter, Takes, need};

/// The formula down to the rank that the parameter names.
fn at(
    parameter: &Parameter,
    formula: impl FnOnce(usize) -> Result<Outcome, Outcome>,
) -> Result<Outcome, Outcome> {
    match parameter {
        Parameter::Cutoff(rank) => formula(*rank),
        _ => Err(Outcome::not_applicable("no rank is given")),
    }
}

pub(crate) const BPREF: Definition = Definition {
    id: "bpref",
    title: ["Binary preference", "Бинарное предпочтение (bpref)"],
    definition: [
        "How seldom a context judged not relevant stands above a relevant one; contexts that \
         nobody judged are passed over.",
        "Насколько редко контекст, признанный нерелевантным, стоит выше релевантного; \
         неоценённые контексты не учитываются.",
    ],
    card: include_str!("../../cards/bpref.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, _, _| need::merge(one::bpref(run)),
};

pub(crate) const CONTEXT_PRECISION_BY_IDS: Definition = Definition {
    id: "context_precision_by_ids",
    title: ["Context precision by ids", "Точность контекстов по идентификаторам"],
    definition: [
        "The share of the distinct retrieved ids that are relevant.",
        "Доля релевантных среди различных идентификаторов найденных контекстов.",
    ],
    card: include_str!("../../cards/context_precision_by_ids.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, _, _| need::merge(one::context_precision(run)),
};

pub(crate) const CONTEXT_RECALL_BY_IDS: Definition = Definition {
    id: "context_recall_by_ids",
    title: ["Context recall by ids", "Полнота контекстов по идентификаторам"],
    definition: [
        "The share of the relevant ids that were retrieved.",
        "Доля релевантных идентификаторов, которые были найдены.",
    ],
    card: include_str!("../../cards/context_recall_by_ids.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, _, _| need::merge(one::context_recall(run)),
};

pub(crate) const ERR_AT_K: Definition = Definition {
    id: "err_at_K",
    title: ["Expected reciprocal rank at {}", "Ожидаемый обратный ранг (ERR) на {}"],
    definition: [
        "The mean of one over the rank at which a reader going down the first {} contexts is \
         satisfied, more likely so the higher the grade.",
        "Среднее обратное место, на котором читатель, идущий по первым {} контекстам сверху \
         вниз, находит нужное: тем вероятнее, чем выше оценка контекста.",
    ],
    card: include_str!("../../cards/err_at_k.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Cutoff,
    score: |run, _, parameter| need::merge(at(parameter, |k| one::err_at(run, k))),
};

pub(crate) const HIT_RATE_AT_K: Definition = Definition {
    id: "hit_rate_at_K",
    title: ["Hit rate at {}", "Доля попаданий на {}"],
    definition: [
        "Whether a relevant context stands among the first {}.",
        "Есть ли релевантный контекст среди первых {}.",
    ],
    card: include_str!("../../cards/hit_rate_at_k.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Cutoff,
    score: |run, _, parameter| need::merge(at(parameter, |k| one::success_at(run, k))),
};

pub(crate) const MAP: Definition = Definition {
    id: "map",
    title: ["Average precision", "Средняя точность (MAP)"],
    definition: [
        "Precision at the rank of each relevant context, averaged over all relevant ones; what \
         was not retrieved counts as 0.",
        "Точность на месте каждого релевантного контекста, усреднённая по всем релевантным; \
         ненайденные считаются за 0.",
    ],
    card: include_str!("../../cards/map.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, _, _| need::merge(one::average_precision(run)),
};

pub(crate) const MRR: Definition = Definition {
    id: "mrr",
    title: ["Reciprocal rank", "Обратный ранг (MRR)"],
    definition: [
        "One over the rank of the first relevant context.",
        "Единица, делённая на место первого релевантного контекста.",
    ],
    card: include_str!("../../cards/mrr.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, _, _| need::merge(one::reciprocal_rank(run)),
};

pub(crate) const NDCG_AT_K: Definition = Definition {
    id: "ndcg_at_K",
    title: ["nDCG at {}", "nDCG на {}"],
    definition: [
        "Grades of the first {} contexts, each divided by the logarithm of its rank, over the \
         best sum that {} contexts can have.",
        "Сумма оценок первых {} контекстов, каждая делённая на логарифм места, относительно \
         наилучшей возможной для {} контекстов.",
    ],
    card: include_str!("../../cards/ndcg_at_k.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Cutoff,
    score: |run, _, parameter| need::merge(at(parameter, |k| one::ndcg_at(run, k))),
};

pub(crate) const PRECISION_AT_K: Definition = Definition {
    id: "precision_at_K",
    title: ["Precision at {}", "Точность на {}"],
    definition: [
        "The share of the first {} places that hold a relevant context; an empty place holds \
         none.",
        "Доля первых {} мест, занятых релевантными контекстами; пустое место не занято никем.",
    ],
    card: include_str!("../../cards/precision_at_k.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Cutoff,
    score: |run, _, parameter| need::merge(at(parameter, |k| one::precision_at(run, k))),
};

pub(crate) const R_PRECISION: Definition = Definition {
    id: "r_precision",
    title: ["R-precision", "R-точность"],
    definition: [
        "The share of relevant contexts among as many first places as there are relevant ones.",
        "Доля релевантных контекстов среди стольких первых мест, сколько всего релевантных.",
    ],
    card: include_str!("../../cards/r_precision.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, _, _| need::merge(one::r_precision(run)),
};

pub(crate) const RECALL_AT_K: Definition = Definition {
    id: "recall_at_K",
    title: ["Recall at {}", "Полнота на {}"],
    definition: [
        "The share of the relevant contexts that stand among the first {}.",
        "Доля релевантных контекстов, стоящих среди первых {}.",
    ],
    card: include_str!("../../cards/recall_at_k.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Cutoff,
    score: |run, _, parameter| need::merge(at(parameter, |k| one::recall_at(run, k))),
};

pub(crate) const SUCCESS_AT_K: Definition = Definition {
    id: "success_at_K",
    title: ["Success at {}", "Успех на {}"],
    definition: [
        "Whether a relevant context stands among the first {}.",
        "Есть ли релевантный контекст среди первых {}.",
    ],
    card: include_str!("../../cards/success_at_k.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Cutoff,
    score: |run, _, parameter| need::merge(at(parameter, |k| one::success_at(run, k))),
};
