//! The words that ROUGE counts.

use std::collections::HashMap;

use super::porter;

/// Words of at most so many characters are not stemmed, as in rouge-score.
const UNSTEMMED: usize = 3;

/// The words of answer and reference as numbers from 1, equal for equal words. Most words of a
/// pair of texts come again, and stemming one is the dear part: each is stemmed once.
pub(super) fn numbered(answer: &str, reference: &str) -> (Vec<u32>, Vec<u32>) {
    let mut known = Known::default();
    (known.numbers(answer), known.numbers(reference))
}

#[derive(Default)]
struct Known {
    /// The numbers of what stands between two separators.
    runs: HashMap<String, Vec<u32>>,
    stems: HashMap<String, u32>,
}

impl Known {
    fn numbers(&mut self, text: &str) -> Vec<u32> {
        let mut numbers = Vec::new();
        for run in runs(&text.to_lowercase()) {
            if let Some(known) = self.runs.get(run) {
                numbers.extend(known);
                continue;
            }
            let mut of_run = Vec::new();
            for stem in stems(run) {
                let next = self.stems.len() as u32 + 1;
                of_run.push(*self.stems.entry(stem).or_insert(next));
            }
            numbers.extend(&of_run);
            self.runs.insert(run.to_owned(), of_run);
        }
        numbers
    }
}

/// The stemmed words of a run of letters and digits in lower case.
///
/// What consists of ASCII letters and digits is cut and stemmed as rouge-score does it. Where
/// rouge-score drops letters (it knows no others), the run is folded first (x² is x2, ё is е), then
/// cut and stemmed as for lexical search: Cyrillic by the Russian Snowball stemmer, ideographs one
/// by one.
fn stems(run: &str) -> Vec<String> {
    if run.is_ascii() {
        return vec![stemmed(run)];
    }
    let mut stems = Vec::new();
    for run in runs(&ragmeter_text::fold(run)) {
        if run.is_ascii() {
            stems.push(stemmed(run));
        } else {
            let parts = ragmeter_text::words(run).into_iter();
            stems.extend(parts.flat_map(|range| ragmeter_text::terms(&run[range])));
        }
    }
    stems
}

fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_of_word(c)).filter(|run| !run.is_empty())
}

fn stemmed(word: &str) -> String {
    if word.len() > UNSTEMMED { porter::stem(word) } else { word.to_owned() }
}

/// Letters, digits, and marks over letters.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_are_cut_and_stemmed() {
        let words =
            |text: &str| -> Vec<String> { runs(&text.to_lowercase()).flat_map(stems).collect() };
        assert_eq!(
            words("The cats' running_times: 3.14!"),
            ["the", "cat", "run", "time", "3", "14"]
        );
        assert_eq!(words("Ёлки-палки, до́мами"), ["елк", "палк", "дом"]);
        assert_eq!(words("中国 3"), ["中", "国", "3"]);
        assert_eq!(words("x² = ½"), ["x2", "1", "2"]);
        assert!(words(" — 👍 … ").is_empty());
    }
}
