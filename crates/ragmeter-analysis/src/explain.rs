//! Explanations and reasons of outcomes in the report's language.
//!
//! Metrics explain themselves in English, as the table and JSON outputs want it. The phrases are
//! few and fixed, so the report translates them by their pattern; a phrase that it does not know
//! stands as it came, marked as English.

use maud::{Markup, html};
use ragmeter_core::Lang;

use crate::visible::visible;

/// English pattern and Russian one; `{}` stands for numbers or quoted text, in the same order.
const PHRASES: &[(&str, &str)] = &[
    (
        "{} of {} claims supported, {} contradicted, {} absent",
        "утверждений подтверждено: {} из {}, противоречит контекстам: {}, нет в контекстах: {}",
    ),
    ("the answer refuses", "в ответе отказ"),
    ("the answer does not refuse", "в ответе нет отказа"),
    ("the answer makes no claim", "в ответе нет утверждений"),
    ("the answer is empty", "ответ пуст"),
    ("the answer evades the question", "ответ уходит от вопроса"),
    ("the answer does not evade the question", "ответ не уходит от вопроса"),
    ("the answer implies no question", "из ответа не следует никакого вопроса"),
    ("cosines with the implied questions: {}", "косинусы с вопросами, на которые он отвечает: {}"),
    ("nothing was retrieved", "ничего не найдено"),
    ("none of {} contexts is useful", "полезных контекстов нет, всего их {}"),
    ("useful at ranks {} of {}", "места полезных контекстов: {}; всего контекстов: {}"),
    ("the ranking has no average precision", "для такого порядка средней точности нет"),
    (
        "{} of {} reference sentences found in the contexts",
        "предложений эталона в контекстах: {} из {}",
    ),
    ("the reference answer has no sentence", "в эталонном ответе нет ни одного предложения"),
    (
        "{} of {} parts answered; not answered: {}",
        "частей вопроса с ответом: {} из {}; без ответа: {}",
    ),
    ("{} of {} parts answered", "частей вопроса с ответом: {} из {}"),
    ("the question has no part", "в вопросе нет частей"),
    ("the record has no answer", "в записи нет ответа"),
    ("the record has no contexts", "в записи нет контекстов"),
    ("the case has no reference answer", "у примера нет эталонного ответа"),
    ("this judge does not give the facts it needs", "этот судья не даёт нужных для неё суждений"),
];

/// The phrase in the language, as far as it is known.
pub(crate) fn phrase(text: &str, lang: Lang) -> Markup {
    let translated = match lang {
        Lang::En => Some(text.to_owned()),
        Lang::Ru => PHRASES.iter().find_map(|(from, to)| Some(fill(to, &captures(from, text)?))),
    };
    html! {
        @match translated {
            Some(translated) => span dir="auto" { (visible(&translated)) },
            None => span lang="en" dir="auto" { (visible(text)) },
        }
    }
}

/// What stands for each `{}` of the pattern, if the text has its form.
fn captures<'a>(pattern: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut pieces = pattern.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut captured = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        // The last capture runs to the end; what follows it there must be the last piece.
        let end = if pieces.peek().is_none() {
            rest.strip_suffix(piece)?.len()
        } else {
            rest.find(piece)?
        };
        captured.push(&rest[..end]);
        rest = &rest[end + piece.len()..];
    }
    rest.is_empty().then_some(captured)
}

fn fill(pattern: &str, values: &[&str]) -> String {
    let mut text = String::new();
    let mut values = values.iter();
    for (index, piece) in pattern.split("{}").enumerate() {
        if index > 0 {
            text.push_str(&russian_numbers(values.next().unwrap_or(&"")));
        }
        text.push_str(piece);
    }
    text
}

/// A list of numbers with decimal commas; any other text as it is.
fn russian_numbers(text: &str) -> String {
    let is_list = text.chars().all(|c| matches!(c, '0'..='9' | '.' | ',' | ' ' | '-'));
    if is_list && text.contains('.') {
        text.replace(", ", "; ").replace('.', ",")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn russian(text: &str) -> String {
        phrase(text, Lang::Ru).into_string()
    }

    #[test]
    fn known_phrases_are_translated_with_their_numbers() {
        assert!(russian("2 of 3 claims supported, 1 contradicted, 0 absent").contains("2 из 3"));
        assert!(
            russian("cosines with the implied questions: 0.912, 0.880").contains("0,912; 0,880")
        );
        assert!(
            russian("1 of 2 parts answered; not answered: Какая масса?").contains("Какая масса?")
        );
        assert!(russian("1 of 2 parts answered").contains("1 из 2"));
    }

    #[test]
    fn unknown_phrases_stand_as_they_came() {
        assert_eq!(
            russian("something <new>"),
            r#"<span lang="en" dir="auto">something &lt;new&gt;</span>"#
        );
    }
}
