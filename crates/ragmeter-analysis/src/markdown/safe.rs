//! Text of documents and replies inside Markdown.

use std::fmt::Write;

use crate::visible::visible;

/// A character of no width: it breaks what GitHub would make of a mention or a reference.
const BREAK: &str = "&#8203;";

/// The text on one line, so that it can't become markup, end a cell of a table, mention a person,
/// refer to an issue, or become a link.
pub(super) fn safe(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // White space that does not break is part of our own sentences.
    let joined = if text.contains('\u{a0}') { one_line(text) } else { joined };
    let mut safe = String::with_capacity(joined.len());
    let shown = visible(&joined);
    for (at, c) in shown.char_indices() {
        match c {
            '@' | '#' => {
                let _ = write!(safe, "&#{};{BREAK}", u32::from(c));
            }
            // A link is recognised by `://`, and by `www.`.
            ':' if shown[at..].starts_with("://") => {
                let _ = write!(safe, ":{BREAK}");
            }
            '.' if shown[..at].to_ascii_lowercase().ends_with("www") => {
                let _ = write!(safe, "{BREAK}.");
            }
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$'
            | '!' | '"' => {
                let _ = write!(safe, "&#{};", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    safe
}

/// Line ends and tabs become spaces, the rest stays.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_markup_or_reaches_a_person() {
        let text = safe("<b>|`*x*` [a](http://e.org) @user #12 www.e.org\n- $y$ \u{202e}");
        for sign in
            ["<", "|", "`", "*", "[", "]", "@", "\n", "$", "://", "www.", "\u{202e}", " #12"]
        {
            assert!(!text.contains(sign), "{sign} in {text}");
        }
        assert_eq!(safe("масса 5, ок?"), "масса 5, ок?");
    }
}
