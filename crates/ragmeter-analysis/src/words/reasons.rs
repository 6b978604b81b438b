//! Why a case was chosen, in words.

use ragmeter_core::Lang;

use crate::breakdown::Dimension;
use crate::chosen::{Conflict, Reason};
use crate::number::{decimal, difference, score};

/// The reason in a few words; `title` gives a metric's title by its id.
pub(crate) fn reason(reason: &Reason, title: impl Fn(&str) -> String, lang: Lang) -> String {
    match (reason, lang) {
        (Reason::Worst { mean }, Lang::En) => format!("mean {}", score(*mean, lang)),
        (Reason::Worst { mean }, Lang::Ru) => format!("среднее {}", score(*mean, lang)),
        (Reason::MetricsDisagree { low, high, by }, Lang::En) => format!(
            "metrics disagree: {} is {} below {}",
            title(low),
            decimal(*by, 2, lang),
            title(high)
        ),
        (Reason::MetricsDisagree { low, high, by }, Lang::Ru) => format!(
            "метрики расходятся: «{}» ниже, чем «{}», на {}",
            title(low),
            title(high),
            decimal(*by, 2, lang)
        ),
        (Reason::SystemsDisagree { by }, Lang::En) => {
            format!("systems disagree: their means are {} apart", decimal(*by, 2, lang))
        }
        (Reason::SystemsDisagree { by }, Lang::Ru) => {
            format!("системы расходятся: между средними {}", decimal(*by, 2, lang))
        }
        (Reason::JudgeConflict { conflicts }, _) => {
            let each: Vec<&str> = conflicts.iter().map(|one| conflict(*one, lang)).collect();
            each.join("; ")
        }
        (Reason::Changed { by }, Lang::En) => format!("mean {}", difference(*by, lang)),
        (Reason::Changed { by }, Lang::Ru) => format!("среднее {}", difference(*by, lang)),
    }
}

fn conflict(conflict: Conflict, lang: Lang) -> &'static str {
    match (conflict, lang) {
        (Conflict::Undecided, Lang::En) => "the judge is undecided about a claim",
        (Conflict::Undecided, Lang::Ru) => "судья колеблется в утверждении",
        (Conflict::QuoteDropped, Lang::En) => "the judge quotes what stands in no context",
        (Conflict::QuoteDropped, Lang::Ru) => "судья цитирует то, чего нет в контекстах",
        (Conflict::UselessEvidence, Lang::En) => {
            "the reference is found in contexts that the judge calls useless"
        }
        (Conflict::UselessEvidence, Lang::Ru) => {
            "эталон найден в контекстах, которые судья назвал бесполезными"
        }
        (Conflict::RefusalAnswers, Lang::En) => "called a refusal, and said to answer",
        (Conflict::RefusalAnswers, Lang::Ru) => "назван отказом, но признан отвечающим",
        (Conflict::EvasiveAnswer, Lang::En) => "said to answer, and to evade",
        (Conflict::EvasiveAnswer, Lang::Ru) => "признан и отвечающим, и уклончивым",
    }
}

/// The heading over the groups of a dimension.
pub(crate) fn dimension(dimension: &Dimension, lang: Lang) -> String {
    let words = &super::words(lang).ex;
    match dimension {
        Dimension::Tag => words.by_tag.to_owned(),
        Dimension::Document => words.by_document.to_owned(),
        Dimension::Language => words.by_language.to_owned(),
        Dimension::Label(name) => match (name.as_str(), lang) {
            ("kind", Lang::En) => "By kind of question".to_owned(),
            ("kind", Lang::Ru) => "По виду вопроса".to_owned(),
            (_, Lang::En) => format!("{} {name}", words.by_label),
            (_, Lang::Ru) => format!("{} «{name}»", words.by_label),
        },
    }
}
