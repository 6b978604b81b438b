//! The tokenizer `13a` of mteval and sacreBLEU: rules on ASCII punctuation, and white space.

use super::texts::is_python_space;

/// The tokens of a text, as sacreBLEU's tokenizer `13a` gives them.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let text = text.trim_end_matches(is_python_space);
    let mut text = text.replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
    if text.contains('&') {
        for (entity, plain) in [("&quot;", "\""), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")] {
            text = text.replace(entity, plain);
        }
    }
    let spaced = spaced(&format!(" {text} "));
    let cut: String = cut_dashes(&cut_before_words(&cut_after_words(&spaced))).iter().collect();
    cut.split(is_python_space).filter(|token| !token.is_empty()).map(str::to_owned).collect()
}

/// Every punctuation mark but `' , - .` by itself.
fn spaced(text: &str) -> Vec<char> {
    let mut out = Vec::with_capacity(text.len() * 2);
    for c in text.chars() {
        if matches!(c, '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/') {
            out.extend([' ', c, ' ']);
        } else {
            out.push(c);
        }
    }
    out
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | ',')
}

/// Replaces each pair of neighbours for which `rule` has something, from left to right; what a
/// pair has taken is in no other, as in a regular expression's replacement.
fn pairs(text: &[char], rule: impl Fn(char, char) -> Option<[char; 4]>) -> Vec<char> {
    let mut out = Vec::with_capacity(text.len() * 2);
    let mut at = 0;
    while at < text.len() {
        match text.get(at + 1).and_then(|&next| rule(text[at], next)) {
            Some(parts) => {
                out.extend(parts);
                at += 2;
            }
            None => {
                out.push(text[at]);
                at += 1;
            }
        }
    }
    out
}

/// Full stops and commas that no digit precedes.
fn cut_after_words(text: &[char]) -> Vec<char> {
    pairs(text, |a, b| (!a.is_ascii_digit() && is_stop(b)).then_some([a, ' ', b, ' ']))
}

/// Full stops and commas that no digit follows.
fn cut_before_words(text: &[char]) -> Vec<char> {
    pairs(text, |a, b| (is_stop(a) && !b.is_ascii_digit()).then_some([' ', a, ' ', b]))
}

/// Dashes after a digit.
fn cut_dashes(text: &[char]) -> Vec<char> {
    pairs(text, |a, b| (a.is_ascii_digit() && b == '-').then_some([a, ' ', b, ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_points_and_words_do_not() {
        let cut = |text: &str| tokens(text).join(" ");
        assert_eq!(cut("Pi is 3.14, not 3."), "Pi is 3.14 , not 3 .");
        assert_eq!(cut("don't stop -- 1990-2000."), "don't stop -- 1990 - 2000 .");
        assert_eq!(cut("a &lt;b&gt; (c)/d"), "a < b > ( c ) / d");
        assert_eq!(cut("co-\noperate\nnow..."), "cooperate now . . .");
    }
}
