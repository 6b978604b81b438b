//! Explanations and reasons of outcomes in the report's language.
//!
//! Metrics explain themselves in English, as the table and JSON outputs want it. The phrases are
//! few and fixed, so the report translates them by their pattern; a phrase that it does not know
//! stands as it came, marked as English. What a judge said (after the colon) stays in its words.

mod judged;
mod texts;

use maud::{Markup, html};
use ragmeter_core::Lang;

use crate::visible::visible;

/// English pattern and Russian one, with what varies in the same order. In the English one `{}`
/// stands for any text, `{n}` for numbers, `{p}` for a phrase of its own, and `{l}` for a list of
/// them after commas.
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
    html! {
        @match translated(text, lang) {
            Some(translated) => span dir="auto" { (visible(&translated)) },
            None => span lang="en" dir="auto" { (visible(text)) },
        }
    }
}

/// An explanation or a reason of a metric in this language; `None` if it is not known in it. What a
/// judge or an answer said within it stays as it is.
pub fn translated(text: &str, lang: Lang) -> Option<String> {
    match lang {
        Lang::En => Some(text.to_owned()),
        Lang::Ru => russian(text),
    }
}

fn russian(text: &str) -> Option<String> {
    let known = PHRASES.iter().chain(texts::PHRASES).chain(judged::PHRASES);
    known.into_iter().find_map(|(from, to)| Some(fill(to, &captures(from, text)?)))
}

/// The word of a criterion that is met or not; `None` for one with grades.
pub(crate) fn yes_or_no(explanation: &str, lang: Lang) -> Option<&'static str> {
    let says = |word: &str| {
        let rest = explanation.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(": ") || rest.starts_with(" ("))
    };
    match lang {
        _ if !says("yes") && !says("no") => None,
        Lang::En if says("yes") => Some("yes"),
        Lang::En => Some("no"),
        Lang::Ru if says("yes") => Some("да"),
        Lang::Ru => Some("нет"),
    }
}

/// The entities that the metric of them says are missing.
pub(crate) fn missing_entities(explanation: &str) -> Option<Vec<&str>> {
    match explanation.split_once(" entities named")?.1 {
        "" => Some(Vec::new()),
        rest => Some(rest.strip_prefix("; missing: ")?.split(" · ").collect()),
    }
}

/// What varies in a pattern, in Russian, if the text has its form.
fn captures(pattern: &str, text: &str) -> Option<Vec<String>> {
    let Some((before, after)) = pattern.split_once('{') else {
        return (pattern == text).then(Vec::new);
    };
    let rest = text.strip_prefix(before)?;
    let (kind, after) = after.split_once('}')?;
    let literal = after.split('{').next().unwrap_or_default();
    // What varies runs to the next fixed piece; the last one to the end, where the piece must be.
    let end = if literal.len() == after.len() {
        rest.strip_suffix(literal)?.len()
    } else {
        rest.find(literal)?
    };
    let mut captured = vec![value(kind, &rest[..end])?];
    captured.extend(captures(after, &rest[end..])?);
    Some(captured)
}

/// What stands at one place of a pattern, if it is of its kind.
fn value(kind: &str, text: &str) -> Option<String> {
    match kind {
        "n" => is_numbers(text).then(|| russian_numbers(text)),
        "p" => russian(text),
        "l" => {
            let each: Option<Vec<String>> = text.split(", ").map(russian).collect();
            Some(each?.join(", "))
        }
        _ => Some(russian_numbers(text)),
    }
}

fn fill(pattern: &str, values: &[String]) -> String {
    let mut text = String::new();
    let mut values = values.iter();
    for (index, piece) in pattern.split("{}").enumerate() {
        if index > 0 {
            text.push_str(values.next().map_or("", String::as_str));
        }
        text.push_str(piece);
    }
    text
}

fn is_numbers(text: &str) -> bool {
    let listed = text.chars().all(|c| matches!(c, '0'..='9' | '.' | ',' | ' ' | '-' | 'e'));
    listed && text.contains(|c: char| c.is_ascii_digit())
}

/// A list of numbers with decimal commas; any other text as it is.
fn russian_numbers(text: &str) -> String {
    if is_numbers(text) && text.contains('.') {
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

    fn plain(text: &str) -> String {
        translated(text, Lang::Ru).expect("a known phrase")
    }

    #[test]
    fn a_judge_s_words_stay_and_phrases_within_phrases_are_translated() {
        assert_eq!(
            plain("2 of 3 (votes 2, 2, 3): Fairly so."),
            "2 из 3 (голоса: 2, 2, 3): Fairly so."
        );
        assert_eq!(plain("2.25 of 3: Part: of it."), "2,25 из 3: Part: of it.");
        assert_eq!(
            plain("answer first: 4 of 4: Same.; reference first: 2 of 4"),
            "сначала ответ: 4 из 4: Same.; сначала эталон: 2 из 4"
        );
        assert_eq!(
            plain("grades among the first 5: 2 at rank 1, 1 at rank 3"),
            "оценки среди первых 5: 2 на месте 1, 1 на месте 3"
        );
        assert_eq!(plain("no (2 of 3 votes): Rude."), "нет (голосов 2 из 3): Rude.");
        assert_eq!(
            plain(
                "F1 0.500 (2 of 4 claims of the answer stand in the reference, 1 of 2 of the \
                   reference in the answer), cosine 0.912, weight 0.75"
            ),
            "F1 0,500 (утверждений ответа в эталоне: 2 из 4, утверждений эталона в ответе: 1 из 2), \
             косинус 0,912, вес 0,75"
        );
        assert_eq!(plain("x | length / 2 = 0.5"), "x | length / 2 = 0,5");
    }

    #[test]
    fn patterns_of_both_languages_have_the_same_places() {
        for (from, to) in PHRASES.iter().chain(texts::PHRASES).chain(judged::PHRASES) {
            assert_eq!(from.matches('{').count(), to.matches("{}").count(), "{from}");
        }
    }

    #[test]
    fn yes_and_no_and_missing_names_are_read_off() {
        assert_eq!(yes_or_no("yes (2 of 3 votes): so", Lang::Ru), Some("да"));
        assert_eq!(yes_or_no("no", Lang::En), Some("no"));
        assert_eq!(yes_or_no("nothing was retrieved", Lang::En), None);
        assert_eq!(yes_or_no("grade 2", Lang::En), None);
        assert_eq!(missing_entities("2 of 2 entities named"), Some(Vec::new()));
        assert_eq!(missing_entities("1 of 3 entities named; missing: a · b"), Some(vec!["a", "b"]));
        assert_eq!(missing_entities("the reference answer names no entity"), None);
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
