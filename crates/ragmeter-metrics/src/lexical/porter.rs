//! The Porter stemmer as NLTK has it (its default mode), which rouge-score stems with. The
//! Snowball stemmers are younger algorithms with other stems, so they would give other numbers.
//!
//! Porter, "An algorithm for suffix stripping", Program 14(3), 1980; NLTK's departures from it are
//! named where they are.

/// Words that NLTK stems by a list.
const IRREGULAR: [(&str, &str); 16] = [
    ("sky", "sky"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("news", "news"),
    ("innings", "inning"),
    ("inning", "inning"),
    ("outings", "outing"),
    ("outing", "outing"),
    ("cannings", "canning"),
    ("canning", "canning"),
    ("howe", "howe"),
    ("proceed", "proceed"),
    ("exceed", "exceed"),
    ("succeed", "succeed"),
];

/// The stem of a word of lower-case ASCII letters and digits.
pub(super) fn stem(word: &str) -> String {
    if let Some((_, stem)) = IRREGULAR.iter().find(|(irregular, _)| *irregular == word) {
        return (*stem).to_owned();
    }
    if word.len() <= 2 {
        return word.to_owned();
    }
    let word = step_1c(step_1b(step_1a(word.to_owned())));
    let word = by_rules(step_2(word), STEP_3);
    step_5b(step_5a(step_4(word)))
}

/// Whether each letter is a consonant: no vowel, and no `y` after a consonant.
fn consonants(word: &str) -> impl Iterator<Item = bool> + '_ {
    word.bytes().scan(false, |before, letter| {
        *before = match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => !*before,
            _ => true,
        };
        Some(*before)
    })
}

/// Porter's measure: how many times a vowel is followed by a consonant.
fn measure(stem: &str) -> usize {
    let mut vowel = false;
    consonants(stem)
        .filter(|&consonant| {
            let crossed = vowel && consonant;
            vowel = !consonant;
            crossed
        })
        .count()
}

fn has_vowel(stem: &str) -> bool {
    consonants(stem).any(|consonant| !consonant)
}

fn ends_in_consonant(word: &str) -> bool {
    consonants(word).last() == Some(true)
}

fn ends_in_double_consonant(word: &str) -> bool {
    matches!(word.as_bytes(), [.., a, b] if a == b) && ends_in_consonant(word)
}

/// Consonant, vowel, consonant that is no `w`, `x` or `y`; NLTK: also vowel and consonant alone.
fn ends_in_cvc(word: &str) -> bool {
    let all: Vec<bool> = consonants(word).collect();
    match all.as_slice() {
        [.., true, false, true] => !word.ends_with(['w', 'x', 'y']),
        [false, true] => true,
        _ => false,
    }
}

fn replaced(word: &str, suffix: &str, by: &str) -> String {
    format!("{}{by}", &word[..word.len() - suffix.len()])
}

fn step_1a(word: String) -> String {
    // NLTK: "dies" is "die", not "di".
    if word.len() == 4 && word.ends_with("ies") {
        return replaced(&word, "ies", "ie");
    }
    for (suffix, by) in [("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")] {
        if word.ends_with(suffix) {
            return replaced(&word, suffix, by);
        }
    }
    word
}

fn step_1b(word: String) -> String {
    // NLTK: "died" is "die", "spied" is "spi".
    if word.ends_with("ied") {
        return replaced(&word, "ied", if word.len() == 4 { "ie" } else { "i" });
    }
    if let Some(stem) = word.strip_suffix("eed") {
        return if measure(stem) > 0 { format!("{stem}ee") } else { word };
    }
    let stem = ["ed", "ing"].iter().find_map(|suffix| {
        let stem = word.strip_suffix(suffix)?;
        has_vowel(stem).then_some(stem)
    });
    let Some(stem) = stem else { return word };
    if ["at", "bl", "iz"].iter().any(|suffix| stem.ends_with(suffix)) {
        format!("{stem}e")
    } else if ends_in_double_consonant(stem) {
        let keeps_both = stem.ends_with(['l', 's', 'z']);
        stem[..stem.len() - usize::from(!keeps_both)].to_owned()
    } else if measure(stem) == 1 && ends_in_cvc(stem) {
        format!("{stem}e")
    } else {
        stem.to_owned()
    }
}

/// NLTK: only after a consonant that is not the whole stem, so "enjoy" stays.
fn step_1c(word: String) -> String {
    match word.strip_suffix('y') {
        Some(stem) if stem.len() > 1 && ends_in_consonant(stem) => format!("{stem}i"),
        _ => word,
    }
}

type Rules = &'static [(&'static str, &'static str)];

const STEP_2: Rules = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
];

const STEP_3: Rules = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const STEP_4: &[&str] = &[
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
];

/// The first rule whose suffix fits decides; it is applied if the stem has a measure above 0.
fn by_rules(word: String, rules: Rules) -> String {
    match rules.iter().find(|(suffix, _)| word.ends_with(suffix)) {
        Some((suffix, by)) if measure(&word[..word.len() - suffix.len()]) > 0 => {
            replaced(&word, suffix, by)
        }
        _ => word,
    }
}

fn step_2(word: String) -> String {
    // NLTK: "alli" is taken off first, and the rest tried again.
    if let Some(stem) = word.strip_suffix("alli")
        && measure(stem) > 0
    {
        return step_2(format!("{stem}al"));
    }
    // NLTK: the "l" of "logi" counts in the measure. No other rule ends so.
    if word.ends_with("logi") && measure(&word[..word.len() - 3]) > 0 {
        return replaced(&word, "logi", "log");
    }
    by_rules(word, STEP_2)
}

fn step_4(word: String) -> String {
    let Some(suffix) = STEP_4.iter().find(|suffix| word.ends_with(**suffix)) else { return word };
    let stem = &word[..word.len() - suffix.len()];
    let fits = *suffix != "ion" || stem.ends_with(['s', 't']);
    if fits && measure(stem) > 1 { stem.to_owned() } else { word }
}

fn step_5a(word: String) -> String {
    match word.strip_suffix('e') {
        Some(stem) if measure(stem) > 1 || (measure(stem) == 1 && !ends_in_cvc(stem)) => {
            stem.to_owned()
        }
        _ => word,
    }
}

fn step_5b(mut word: String) -> String {
    if word.ends_with("ll") && measure(&word[..word.len() - 1]) > 1 {
        word.pop();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `goldens/lexical.py` wrote the stems with NLTK.
    #[test]
    fn stems_are_those_of_nltk() {
        let stems = include_str!("../../goldens/lexical_stems.tsv");
        let rows: Vec<(&str, &str)> =
            stems.lines().filter_map(|line| line.split_once('\t')).collect();
        assert!(rows.len() > 1000, "{} words", rows.len());
        for (word, expected) in rows {
            assert_eq!(stem(word), expected, "{word}");
        }
    }
}
