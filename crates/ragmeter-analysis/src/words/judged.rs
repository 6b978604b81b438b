//! Texts of facts about one record beyond support by all contexts together, and of the diagnosis.

use ragmeter_core::{Lang, NuggetSupport, Support};

/// One constant for each language, as [`super::Words`].
#[derive(Debug)]
pub(crate) struct Judged {
    pub diagnosis: &'static str,
    pub diagnosis_lead: &'static str,
    pub wrong_claims: &'static str,
    pub of_claims: &'static str,
    pub generation: &'static str,
    pub retrieval: &'static str,
    pub the_question: &'static str,
    pub diagnosed: &'static str,

    pub reference_quote_dropped: &'static str,
    pub alone: &'static str,
    pub not_alone: &'static str,
    pub votes: &'static str,

    pub relevance: &'static str,
    pub relevance_of: &'static str,
    pub served: &'static str,
    pub not_served: &'static str,
    pub holds: &'static str,
    pub answerable: &'static str,
    pub not_answerable: &'static str,

    pub reference_claims: &'static str,
    pub in_contexts: &'static str,
    pub in_no_context: &'static str,
    pub entities: &'static str,
    pub nuggets: &'static str,
    pub vital: &'static str,
    pub minor: &'static str,
    pub criteria: &'static str,
    pub votes_of: &'static str,
}

pub(super) const EN: Judged = Judged {
    diagnosis: "Where wrong claims come from",
    diagnosis_lead: "A claim is wrong if the reference answer does not say it. Retrieval: it stands \
        only in contexts that hold nothing of the reference, or in none while something of the \
        reference was not retrieved. Generation: what was needed was there, and the answer says \
        otherwise. Question: a context that holds something of the reference says the claim too, \
        and the reference says nothing against it, so the question or its reference is too narrow.",
    wrong_claims: "Wrong claims",
    of_claims: "of all claims",
    generation: "Generation",
    retrieval: "Retrieval",
    the_question: "Question",
    diagnosed: "Records that tell",

    reference_quote_dropped: "the judge’s quote does not stand in the reference and was dropped",
    alone: "supported alone by",
    not_alone: "no context alone supports it",
    votes: "verdicts in line with the vote",

    relevance: "relevance",
    relevance_of: "of 3",
    served: "served the answer",
    not_served: "did not serve the answer",
    holds: "holds claims of the reference:",
    answerable: "can answer the question",
    not_answerable: "cannot answer the question",

    reference_claims: "Claims of the reference",
    in_contexts: "contexts:",
    in_no_context: "in no context",
    entities: "Names and figures of the reference",
    nuggets: "Facts that a good answer holds (nuggets)",
    vital: "vital",
    minor: "less important",
    criteria: "Criteria",
    votes_of: "votes",
};

pub(super) const RU: Judged = Judged {
    diagnosis: "Откуда неверные утверждения",
    diagnosis_lead: "Утверждение неверно, если его нет в эталоне. Поиск: оно стоит только в \
        контекстах, где нет ничего из эталона, или ни в одном, и при этом что-то из эталона не \
        найдено. Генерация: нужное было найдено, а в ответе сказано другое. Вопрос: утверждение \
        есть в контексте, где есть и что-то из эталона, а эталон ему не противоречит, — значит, \
        слишком узок вопрос или его эталон.",
    wrong_claims: "Неверных утверждений",
    of_claims: "из всех утверждений",
    generation: "Генерация",
    retrieval: "Поиск",
    the_question: "Вопрос",
    diagnosed: "Записей, где это видно",

    reference_quote_dropped: "цитаты судьи нет в эталоне, она отброшена",
    alone: "сам по себе подтверждает",
    not_alone: "ни один контекст сам по себе не подтверждает",
    votes: "вердиктов, согласных с большинством голосов",

    relevance: "релевантность",
    relevance_of: "из 3",
    served: "послужил ответу",
    not_served: "не послужил ответу",
    holds: "есть утверждения эталона:",
    answerable: "по ним можно ответить",
    not_answerable: "по ним нельзя ответить",

    reference_claims: "Утверждения эталона",
    in_contexts: "контексты:",
    in_no_context: "ни в одном контексте",
    entities: "Имена и величины эталона",
    nuggets: "Факты, которые есть в хорошем ответе (наггеты)",
    vital: "важный",
    minor: "второстепенный",
    criteria: "Критерии",
    votes_of: "голосов",
};

/// What the reference says of a claim of the answer.
pub(crate) fn by_reference(support: Support, lang: Lang) -> &'static str {
    match (support, lang) {
        (Support::Supported, Lang::En) => "right by the reference",
        (Support::Supported, Lang::Ru) => "верно по эталону",
        (Support::Contradicted, Lang::En) => "contradicts the reference",
        (Support::Contradicted, Lang::Ru) => "противоречит эталону",
        (Support::Absent, Lang::En) => "not in the reference",
        (Support::Absent, Lang::Ru) => "нет в эталоне",
    }
}

/// What the answer says of a claim of the reference.
pub(crate) fn by_answer(support: Support, lang: Lang) -> &'static str {
    match (support, lang) {
        (Support::Supported, Lang::En) => "in the answer",
        (Support::Supported, Lang::Ru) => "есть в ответе",
        (Support::Contradicted, Lang::En) => "the answer says otherwise",
        (Support::Contradicted, Lang::Ru) => "в ответе сказано другое",
        (Support::Absent, Lang::En) => "not in the answer",
        (Support::Absent, Lang::Ru) => "нет в ответе",
    }
}

/// How far the answer says a nugget.
pub(crate) fn nugget(support: NuggetSupport, lang: Lang) -> &'static str {
    match (support, lang) {
        (NuggetSupport::Support, Lang::En) => "in the answer",
        (NuggetSupport::Support, Lang::Ru) => "есть в ответе",
        (NuggetSupport::PartialSupport, Lang::En) => "in part",
        (NuggetSupport::PartialSupport, Lang::Ru) => "отчасти",
        (NuggetSupport::NotSupport, Lang::En) => "not in the answer",
        (NuggetSupport::NotSupport, Lang::Ru) => "нет в ответе",
    }
}
