//! Texts as SQuAD compares them, for any script.

use ragmeter_core::Lang;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

const ENGLISH_ARTICLES: [&str; 3] = ["a", "an", "the"];

/// The words of a text after normalisation: compatibility forms, case, ё as е, stress marks and
/// soft hyphens folded; punctuation deleted, not replaced (ASCII's with its symbols, as in SQuAD;
/// elsewhere by Unicode's category); cut at white space; English articles left out of English.
///
/// A text of nothing but articles keeps them: "A" is the right answer of many a test.
pub(super) fn normalized(text: &str, lang: Lang) -> Vec<String> {
    let kept: String = ragmeter_text::fold(text).chars().filter(|&c| !is_punctuation(c)).collect();
    let words = || kept.split_whitespace().map(str::to_owned);
    let bare: Vec<String> = words()
        .filter(|word| lang != Lang::En || !ENGLISH_ARTICLES.contains(&word.as_str()))
        .collect();
    if bare.is_empty() { words().collect() } else { bare }
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || c.general_category_group() == GeneralCategoryGroup::Punctuation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_folded_in_both_languages() {
        let joined = |text: &str, lang| normalized(text, lang).join(" ");
        assert_eq!(joined(" The  U.S. — “Army”! ", Lang::En), "us army");
        assert_eq!(joined("«Ёлка», до́м № 5…", Lang::Ru), "елка дом no 5");
        assert_eq!(joined("Модель A", Lang::Ru), "модель a");
        assert_eq!(joined("A.", Lang::En), "a");
        assert_eq!(joined("?!", Lang::En), "");
    }
}
