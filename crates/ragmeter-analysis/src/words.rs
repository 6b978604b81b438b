use ragmeter_core::{AbsenceClass, AnswerKind, Lang, Support};

use crate::Verdict;

mod en;
mod exhibits;
mod judged;
mod reasons;
mod ru;

pub(crate) use judged::{by_answer, by_reference, nugget};
pub(crate) use reasons::{dimension, reason};

/// The fixed texts of the report. One struct, one constant for each language: a text forgotten in
/// a language does not compile.
#[derive(Debug)]
pub(crate) struct Words {
    pub title: &'static str,
    pub run: &'static str,
    pub made: &'static str,
    pub seed: &'static str,
    pub contents: &'static str,
    pub nothing_judged: &'static str,

    pub verdict: &'static str,
    pub verdict_lead: &'static str,
    pub verdict_one_system: &'static str,
    pub against: &'static str,
    pub scope: &'static str,

    pub summary: &'static str,
    pub summary_lead: &'static str,
    pub companions: &'static str,
    pub companions_lead: &'static str,
    pub system: &'static str,
    pub records: &'static str,
    pub refused: &'static str,
    pub errors: &'static str,
    pub of_them_refused: &'static str,
    pub not_applicable: &'static str,
    pub failed: &'static str,
    pub no_score: &'static str,
    pub interval: &'static str,
    pub mean: &'static str,

    pub differences: &'static str,
    pub differences_lead: &'static str,
    pub metric: &'static str,
    pub difference: &'static str,
    pub p_corrected: &'static str,
    pub pairs: &'static str,
    pub bounds: &'static str,
    pub only: &'static str,
    pub neither: &'static str,
    pub all_scored: &'static str,
    pub lower_is_better: &'static str,
    pub higher_is_better: &'static str,

    pub not_shown: &'static str,
    pub show_rest: &'static str,
    pub question: &'static str,
    pub answer: &'static str,
    pub no_answer: &'static str,
    pub empty_answer: &'static str,
    pub system_error: &'static str,
    pub claims: &'static str,
    pub no_claims: &'static str,
    pub claims_not_judged: &'static str,
    pub not_located: &'static str,
    pub not_judged: &'static str,
    pub evidence: &'static str,
    pub quote_dropped: &'static str,
    pub probability: &'static str,
    pub reference: &'static str,
    pub no_reference: &'static str,
    pub attributable: &'static str,
    pub not_attributable: &'static str,
    pub contexts: &'static str,
    pub context: &'static str,
    pub no_contexts: &'static str,
    pub contexts_unknown: &'static str,
    pub useful: &'static str,
    pub not_useful: &'static str,
    pub cited_by: &'static str,
    pub scores: &'static str,
    pub parts: &'static str,
    pub part_answered: &'static str,
    pub part_not_answered: &'static str,
    pub implied: &'static str,
    pub noncommittal: &'static str,
    pub similarity: &'static str,
    pub outcome: &'static str,
    pub explanation: &'static str,
    pub not_measured: &'static str,

    pub failures: &'static str,
    pub no_failures: &'static str,
    pub class: &'static str,
    pub how_many: &'static str,
    pub example: &'static str,
    pub failed_answers: &'static str,

    pub definitions: &'static str,
    pub methods: &'static str,
    pub method_interval: &'static str,
    pub method_test: &'static str,
    pub method_missing: &'static str,
    pub method_refusals: &'static str,
    pub settings: &'static str,
    pub calls_chat: &'static str,
    pub calls_embeddings: &'static str,
    pub from_store: &'static str,
    pub tokens_input: &'static str,
    pub tokens_cached: &'static str,
    pub tokens_output: &'static str,
    pub made_by: &'static str,

    pub ex: exhibits::Exhibits,
    pub judged: judged::Judged,
}

pub(crate) fn words(lang: Lang) -> &'static Words {
    match lang {
        Lang::En => &en::WORDS,
        Lang::Ru => &ru::WORDS,
    }
}

pub(crate) fn support(support: Support, lang: Lang) -> &'static str {
    match (support, lang) {
        (Support::Supported, Lang::En) => "supported",
        (Support::Supported, Lang::Ru) => "подтверждено",
        (Support::Contradicted, Lang::En) => "contradicted",
        (Support::Contradicted, Lang::Ru) => "противоречит контекстам",
        (Support::Absent, Lang::En) => "not in the contexts",
        (Support::Absent, Lang::Ru) => "нет в контекстах",
    }
}

pub(crate) fn answer_kind(kind: AnswerKind, lang: Lang) -> &'static str {
    match (kind, lang) {
        (AnswerKind::Answered, Lang::En) => "answers the question",
        (AnswerKind::Answered, Lang::Ru) => "отвечает на вопрос",
        (AnswerKind::Refused, Lang::En) => "refusal",
        (AnswerKind::Refused, Lang::Ru) => "отказ отвечать",
        (AnswerKind::NoFactualContent, Lang::En) => "no factual content",
        (AnswerKind::NoFactualContent, Lang::Ru) => "без фактического содержания",
    }
}

/// The verdict as a label of a row.
pub(crate) fn verdict(verdict: Verdict, lang: Lang) -> &'static str {
    match (verdict, lang) {
        (Verdict::Better, Lang::En) => "better",
        (Verdict::Better, Lang::Ru) => "лучше",
        (Verdict::Worse, Lang::En) => "worse",
        (Verdict::Worse, Lang::Ru) => "хуже",
        (Verdict::Equivalent, Lang::En) => "equivalent",
        (Verdict::Equivalent, Lang::Ru) => "равноценны",
        (Verdict::NonInferior, Lang::En) => "not worse by the margin",
        (Verdict::NonInferior, Lang::Ru) => "не хуже на границу",
        (Verdict::CannotTell, Lang::En) => "no difference shown",
        (Verdict::CannotTell, Lang::Ru) => "различие не показано",
        (Verdict::MissingCouldTurn, Lang::En) => "missing scores could turn it",
        (Verdict::MissingCouldTurn, Lang::Ru) => "недостающие оценки могли бы изменить вывод",
        (Verdict::TooFewCases, Lang::En) => "too few cases",
        (Verdict::TooFewCases, Lang::Ru) => "слишком мало примеров",
        (Verdict::NoCommonScores, Lang::En) => "no case scored in both",
        (Verdict::NoCommonScores, Lang::Ru) => "нет примеров, оценённых у обеих",
        (Verdict::TooFewDocuments, Lang::En) => "too few documents",
        (Verdict::TooFewDocuments, Lang::Ru) => "слишком мало документов",
        (Verdict::NotComparable, Lang::En) => "judged in different ways",
        (Verdict::NotComparable, Lang::Ru) => "судили по-разному",
        (Verdict::Nested, Lang::En) => "nested contexts, not tested",
        (Verdict::Nested, Lang::Ru) => "вложенные контексты, не проверялось",
    }
}

pub(crate) fn absence(class: AbsenceClass, lang: Lang) -> &'static str {
    if lang == Lang::En {
        return class.name();
    }
    match class {
        AbsenceClass::Unreachable => "нет связи",
        AbsenceClass::Timeout => "нет ответа вовремя",
        AbsenceClass::RateLimited => "превышена квота",
        AbsenceClass::Auth => "ключ не принят",
        AbsenceClass::Rejected => "запрос отклонён",
        AbsenceClass::Server => "сбой на стороне сервера",
        AbsenceClass::Filtered => "ответ удержан фильтром",
        AbsenceClass::Truncated => "ответ обрезан",
        AbsenceClass::Unparsable => "ответ не разобрать",
        AbsenceClass::MissingIds => "часть вердиктов пропущена",
        AbsenceClass::ExtractorEmpty => "утверждения не выделены",
        AbsenceClass::Budget => "бюджет исчерпан",
        AbsenceClass::Unsupported => "этот судья такого не умеет",
    }
}

/// The name of a language by its code.
pub(crate) fn language(code: &str, lang: Lang) -> &str {
    match (code, lang) {
        ("en", Lang::En) => "English",
        ("en", Lang::Ru) => "английский",
        ("ru", Lang::En) => "Russian",
        ("ru", Lang::Ru) => "русский",
        (other, _) => other,
    }
}

/// The name of a setting that is known; others stand as they are.
pub(crate) fn setting(name: &str, lang: Lang) -> &str {
    let known = match name {
        "ragmeter" => ("ragmeter", "ragmeter, версия"),
        "judge" => ("judge", "судья"),
        "judge.endpoint" => ("judge's endpoint", "адрес судьи"),
        "judge.profile" => ("judge's profile", "профиль судьи"),
        "judge.embedder" => ("embedder of answer relevancy", "эмбеддер релевантности"),
        "answer_relevancy.floor" => (
            "answer relevancy of answers to other questions",
            "релевантность ответов на чужие вопросы",
        ),
        "languages" => ("languages", "языки"),
        "corpus.documents" => ("documents", "документы"),
        "corpus.chunks" => ("chunks", "фрагменты"),
        "chunking" => ("chunking", "разбиение"),
        "index.embedder" => ("embedder of the index", "эмбеддер индекса"),
        "seed" => ("seed", "зерно"),
        other => (other, other),
    };
    match lang {
        Lang::En => known.0,
        Lang::Ru => known.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_russian_text_is_russian() {
        let texts = format!("{:?}", ru::WORDS);
        let texts: Vec<&str> = texts.split('"').skip(1).step_by(2).collect();
        assert!(texts.len() > 80);
        for text in texts {
            assert!(text.chars().any(|c| ('а'..='я').contains(&c)), "{text}");
        }
        let english = format!("{:?}", en::WORDS);
        assert!(!english.chars().any(|c| ('а'..='я').contains(&c)));
    }
}
