//! Text of documents and replies with its invisible commands made visible.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with controls that could make it read otherwise than it is written shown as names in
/// brackets: embeddings, overrides and isolates of direction, and control characters but for tab
/// and line ends. Marks that harm nothing (joiners, left-to-right and right-to-left marks) stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_command) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !is_command(c) => shown.push(c),
            c => {
                let _ = write!(shown, "⟨{}⟩", name(c));
            }
        }
    }
    Cow::Owned(shown)
}

fn is_command(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

fn name(c: char) -> String {
    let known = match c {
        '\u{202a}' => "LRE",
        '\u{202b}' => "RLE",
        '\u{202c}' => "PDF",
        '\u{202d}' => "LRO",
        '\u{202e}' => "RLO",
        '\u{2066}' => "LRI",
        '\u{2067}' => "RLI",
        '\u{2068}' => "FSI",
        '\u{2069}' => "PDI",
        other => return format!("U+{:04X}", u32::from(other)),
    };
    known.to_owned()
}

/// At most so many characters, cut with an ellipsis, white space joined: a line of a table.
pub(crate) fn headline(text: &str, most: usize) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = visible(&joined);
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_named_and_writing_is_left_alone() {
        assert_eq!(visible("a\u{202e}b\u{0}\u{1b}c\n"), "a⟨RLO⟩b⟨U+0000⟩⟨U+001B⟩c\n");
        assert!(matches!(visible("שלום\u{200f} 👩‍👩‍👧\t"), Cow::Borrowed(_)));
        assert_eq!(headline("  one \n two three", 7), "one two…");
    }
}
