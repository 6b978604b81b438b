//! A judge that writes in another language than the answer that it was shown.
//!
//! Its reply is used all the same: a translated claim is judged like any other, and to leave it out
//! would change what the numbers are shares of. But it is not what was asked for, so it is counted
//! and told.

use ragmeter_analysis::RunData;
use ragmeter_core::{FactSlot, Lang, Source};

/// How many texts of how many are in another language.
#[derive(Default)]
struct Count {
    other: usize,
    all: usize,
}

impl Count {
    fn add<'a>(&mut self, answer: &str, texts: impl Iterator<Item = &'a str>) {
        for text in texts {
            self.all += 1;
            self.other += usize::from(is_other(text, answer));
        }
    }
}

/// What to tell of claims and implied questions in another language than their answer.
pub(crate) fn notes(data: &RunData) -> Vec<String> {
    let (mut claims, mut questions) = (Count::default(), Count::default());
    for judged in data.systems.iter().flat_map(|system| &system.records) {
        let Some(answer) = judged.record.answer.as_deref() else { continue };
        if let Some(found) = by_judge(&judged.facts.claims) {
            claims.add(answer, found.iter().map(|claim| claim.text.as_str()));
        }
        if let Some(implied) = by_judge(&judged.facts.implied) {
            questions.add(answer, implied.questions.iter().map(String::as_str));
        }
    }
    let mut notes = Vec::new();
    if claims.other > 0 {
        notes.push(format!(
            "the judge wrote {} of {} claims in another language than their answer: each is judged \
             and counted, but has no place in the answer; look at some of them, or take another \
             --judge",
            claims.other, claims.all
        ));
    }
    if questions.other > 0 {
        notes.push(format!(
            "the judge wrote {} of {} implied questions in another language than their answer: \
             answer_relevancy may be lower for it; take another --judge",
            questions.other, questions.all
        ));
    }
    notes
}

fn by_judge<T>(slot: &FactSlot<T>) -> Option<&T> {
    match slot {
        Some(Ok(fact)) if matches!(fact.source, Source::Judge(_)) => Some(&fact.value),
        _ => None,
    }
}

/// Names and code are Latin in Russian too, so there one Cyrillic letter is enough; in English a
/// quoted title may be Cyrillic, so there most letters must be. What stands in the answer as it is,
/// is in its language.
fn is_other(text: &str, answer: &str) -> bool {
    let cyrillic = text.chars().filter(|c| ('\u{400}'..='\u{52f}').contains(c)).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let other = match ragmeter_text::detect(answer) {
        Lang::En => cyrillic * 2 > letters,
        Lang::Ru => letters > 0 && cyrillic == 0,
    };
    other && !answer.contains(text)
}

#[cfg(test)]
mod tests {
    use super::is_other;

    #[test]
    fn names_figures_and_quotations_are_in_the_language_of_the_answer() {
        let russian = "Сервис хранит данные в PostgreSQL 16, а кэш в Redis.";
        let english =
            "The best known novel that he finished in 1940 is called «Мастер и Маргарита».";
        for (text, answer, expected) in [
            ("The service stores data in PostgreSQL 16.", russian, true),
            ("PostgreSQL 16 и Redis", russian, false),
            ("PostgreSQL 16", russian, false),
            ("1893", russian, false),
            ("Роман называется «Мастер и Маргарита».", english, true),
            ("The novel is called «Мастер и Маргарита».", english, false),
            ("«Мастер и Маргарита»", english, false),
        ] {
            assert_eq!(is_other(text, answer), expected, "{text} of {answer}");
        }
    }
}
