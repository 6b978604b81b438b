use ragmeter_core::Lang;

/// The language to treat `text` as, by its letters; English if it has none.
///
/// Two languages with two scripts need no statistics. Russian technical prose is full of Latin
/// names and code while English prose hardly ever holds Cyrillic, so a third of the letters
/// is enough for Russian.
pub fn detect(text: &str) -> Lang {
    let mut cyrillic = 0_usize;
    let mut latin = 0_usize;
    for c in text.chars() {
        if is_cyrillic(c) {
            cyrillic += 1;
        } else if is_latin(c) {
            latin += 1;
        }
    }
    if cyrillic > 0 && cyrillic * 2 >= latin { Lang::Ru } else { Lang::En }
}

pub(crate) fn is_cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}')
}

pub(crate) fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic()
        || (matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') && c.is_alphabetic())
}

/// Scripts written without spaces between words, so that words cannot be told by spaces.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}'       // Thai, Lao
        | '\u{1000}'..='\u{109f}'   // Myanmar
        | '\u{1780}'..='\u{17ff}'   // Khmer
        | '\u{3005}'..='\u{3007}'   // iteration and closing marks, zero
        | '\u{3041}'..='\u{30ff}'   // kana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3134f}' // ideographs
    )
}
