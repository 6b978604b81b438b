//! Refusals recognised by rule, for the local judge, in English and Russian.

use ragmeter_core::AnswerKind;

/// Words that say that the speaker, or the documents, don't know. Matched in lower case with ё
/// folded, anywhere in a sentence.
const REFUSALS: [&str; 62] = [
    "i don't know",
    "i do not know",
    "i'm not sure",
    "i am not sure",
    "i cannot answer",
    "i can't answer",
    "i'm unable to",
    "i am unable to",
    "cannot be answered",
    "can't be answered",
    "i can't help",
    "i cannot help",
    "no information",
    "not enough information",
    "insufficient information",
    "does not contain",
    "do not contain",
    "doesn't contain",
    "don't contain",
    "do not say",
    "does not say",
    "don't say",
    "doesn't say",
    "not mentioned",
    "do not mention",
    "does not mention",
    "don't mention",
    "doesn't mention",
    "is not specified",
    "are not specified",
    "could not find",
    "couldn't find",
    "can't find",
    "cannot find",
    "not in the documents",
    "do not tell",
    "don't tell",
    "does not tell",
    "unable to answer",
    "unable to find",
    "не знаю",
    "не могу ответить",
    "не могу помочь",
    "не могу сказать",
    "не удалось найти",
    "нет ответа",
    "нет информации",
    "нет сведений",
    "нет данных",
    "не содержит",
    "не содержат",
    "не указано",
    "не сказано",
    "не упомина",
    "не сообща",
    "не говорится",
    "недостаточно информации",
    "недостаточно данных",
    "не нашел",
    "не нашлось",
    "затрудняюсь ответить",
    "ничего не сказано",
];

/// Longest refusal: longer texts say something besides, even if a phrase of theirs declines.
const MAX_SENTENCES: usize = 3;

/// What kind of answer this is, by rule: a refusal is short, and most of its sentences decline.
pub(crate) fn answer_kind(answer: &str, sentences: &[&str]) -> AnswerKind {
    if !answer.chars().any(char::is_alphanumeric) {
        return AnswerKind::NoFactualContent;
    }
    let declining = sentences.iter().filter(|sentence| declines(sentence)).count();
    if sentences.len() <= MAX_SENTENCES && declining * 2 >= sentences.len().max(1) && declining > 0
    {
        return AnswerKind::Refused;
    }
    if sentences.iter().all(|sentence| sentence.trim_end().ends_with(['?', '？'])) {
        return AnswerKind::NoFactualContent;
    }
    AnswerKind::Answered
}

/// Whether a sentence says that something is not known.
pub(crate) fn declines(sentence: &str) -> bool {
    let folded = sentence.to_lowercase().replace('ё', "е").replace('’', "'");
    REFUSALS.iter().any(|phrase| folded.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(sentences: &[&str]) -> AnswerKind {
        answer_kind(&sentences.join(" "), sentences)
    }

    #[test]
    fn refusals_in_both_languages() {
        for refusal in [
            ["I don’t know."],
            ["The documents do not say how much it costs."],
            ["Не знаю."],
            ["В документах нет ответа на этот вопрос."],
            ["К сожалению, я не нашёл этих сведений."],
        ] {
            assert_eq!(kind(&refusal), AnswerKind::Refused, "{refusal:?}");
        }
    }

    #[test]
    fn answers_are_not_refusals() {
        assert_eq!(kind(&["The pass costs 300 roubles."]), AnswerKind::Answered);
        assert_eq!(
            kind(&["Она стоит 300 руб.", "Действует год.", "Где купить, не указано."]),
            AnswerKind::Answered
        );
        assert_eq!(kind(&["Что именно вас интересует?"]), AnswerKind::NoFactualContent);
        assert_eq!(kind(&["🙂"]), AnswerKind::NoFactualContent);
    }
}
