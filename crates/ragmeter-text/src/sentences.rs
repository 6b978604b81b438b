use std::ops::Range;

use ragmeter_core::Lang;
use unicode_segmentation::UnicodeSegmentation;

use crate::abbreviations::{Stop, opens_sentence, stop_after};
use crate::fold;

/// A line at least this long whose continuation starts in lower case was wrapped, not ended.
const WRAPPED_LINE: usize = 40;
/// Before "г." a phrase of so few words is an opening ("В 1799 г. Пушкин …"), not a sentence.
const OPENING_PHRASE: usize = 3;

/// Paragraphs, as trimmed byte ranges in order: what blank lines separate.
pub fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut line_start = 0;
    for line in text.split_inclusive(['\n', '\u{2029}']) {
        if line.trim().is_empty() || line.ends_with('\u{2029}') {
            push_trimmed(text, start..line_start + line.len(), &mut found);
            start = line_start + line.len();
        }
        line_start += line.len();
    }
    push_trimmed(text, start..text.len(), &mut found);
    found
}

/// Sentences, as trimmed byte ranges in order that together hold every visible character.
///
/// Borders are those of UAX 29, less the ones at abbreviations, initials, list numbers, dates and
/// wrapped lines, plus those after an ellipsis or a footnote mark. A blank line always ends a
/// sentence, and so does a line break that is no mere wrapping. Full stops and spaces are not
/// needed: text without either is one sentence, and `。！？` end sentences without spaces.
pub fn sentences(text: &str, lang: Lang) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for border in candidates(text) {
        if text[start..border].trim().is_empty() || ends_sentence(text, start, border, lang) {
            push_trimmed(text, start..border, &mut found);
            start = border;
        }
    }
    push_trimmed(text, start..text.len(), &mut found);
    found
}

fn push_trimmed(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = &text[range.clone()];
    let trimmed = part.trim();
    if !trimmed.is_empty() {
        let start = range.start + (part.len() - part.trim_start().len());
        found.push(start..start + trimmed.len());
    }
}

/// Offsets at which a sentence may end, in order.
fn candidates(text: &str) -> Vec<usize> {
    let mut borders: Vec<usize> = text.split_sentence_bound_indices().map(|(at, _)| at).collect();
    borders.extend(marked_borders(text));
    borders.sort_unstable();
    borders.dedup();
    borders
}

/// Borders that UAX 29 has no rule for: the space after an ellipsis, closing quotes and a footnote
/// mark ("text.[1] Next").
fn marked_borders(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut after_mark = false;
    let mut in_note = false;
    for (at, c) in text.char_indices() {
        let is_mark = matches!(c, '.' | '!' | '?' | '…');
        if after_mark && c.is_whitespace() {
            found.push(at);
        }
        in_note = (after_mark && c == '[') || (in_note && c.is_ascii_digit());
        after_mark = is_mark || in_note || (after_mark && (is_closing(c) || c == ']'));
    }
    found
}

/// Whether the candidate `border` really ends the sentence that begins at `start`.
fn ends_sentence(text: &str, start: usize, border: usize, lang: Lang) -> bool {
    let head = text[start..border].trim();
    let tail = text[border..].trim_start();
    let gap_start = start + text[start..border].trim_end().len();
    let gap = &text[gap_start..text.len() - tail.len()];
    let Some(last) = head.chars().next_back() else {
        return false;
    };
    let Some(first) = tail.chars().next() else {
        return true;
    };
    let breaks = gap.chars().filter(|c| matches!(c, '\n' | '\u{2029}' | '\u{85}')).count();
    if breaks > 0 {
        return breaks > 1 || !is_wrapped(head, last, first);
    }
    if gap.is_empty() {
        // Without a space a Western mark is inside a number, an address or a name.
        return !last.is_ascii() && last != '…';
    }
    if begins_closing(tail) || is_list_marker(head) || continues_in_lower_case(head, tail) {
        return false;
    }
    !(last == '.' && stop_is_inner(head, tail, lang))
}

fn is_closing(c: char) -> bool {
    matches!(c, '»' | '”' | '’' | ')' | ']' | '}' | '"' | '\'' | '」' | '』' | '）')
}

/// Whether `tail` goes on with a mark that closes what is before it. A straight quote with a letter
/// after it opens instead.
fn begins_closing(tail: &str) -> bool {
    let mut chars = tail.chars();
    let Some(first) = chars.next() else {
        return false;
    };
    let straight = matches!(first, '"' | '\'' | '’');
    is_closing(first) && !(straight && chars.next().is_some_and(char::is_alphanumeric))
}

/// Whether a line break after `head` only wraps a paragraph.
fn is_wrapped(head: &str, last: char, first: char) -> bool {
    let line = head.rsplit('\n').next().unwrap_or(head);
    let open = last.is_alphanumeric() || matches!(last, ',' | '-' | '–' | '—' | ')' | '"' | '»');
    open && first.is_lowercase() && line.chars().count() >= WRAPPED_LINE
}

/// "1." or "4.12." or "б." or "IV." standing alone: the number of what follows.
fn is_list_marker(head: &str) -> bool {
    let Some(marker) = head.strip_suffix('.') else {
        return false;
    };
    let count = marker.chars().count();
    let is_number = marker.split('.').all(|part| {
        (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    });
    let is_letter = count == 1 && marker.chars().all(char::is_alphabetic);
    let is_roman = (1..=4).contains(&count) && marker.chars().all(|c| "IVX".contains(c));
    is_number || is_letter || is_roman
}

/// Speech that goes on: "Stop! — he cried", «Что?» спросил он, "and so on … and".
fn continues_in_lower_case(head: &str, tail: &str) -> bool {
    let is_dash = |c: char| matches!(c, '-' | '–' | '—');
    let after_dash = tail.trim_start_matches(|c: char| is_dash(c) || c.is_whitespace());
    let lower = after_dash.chars().next().is_some_and(char::is_lowercase);
    let dashed = after_dash.len() < tail.len();
    let last = head.chars().next_back().unwrap_or(' ');
    lower && (dashed || !matches!(last, '!' | '?' | ']'))
}

/// Whether the full stop that `head` ends with belongs to an abbreviation, an initial or a date.
fn stop_is_inner(head: &str, tail: &str, lang: Lang) -> bool {
    let body = head.strip_suffix('.').unwrap_or(head);
    let word = last_token(body);
    let before = body[..body.len() - word.len()].trim_end();
    let next = next_word(tail);
    let next_is_number = next.starts_with(|c: char| c.is_ascii_digit());
    if is_initials(word) {
        return !opener_follows(next, tail);
    }
    if is_short_number(word) && next_is_number && is_date(before, next, tail) {
        return true;
    }
    let folded = fold(word);
    if matches!(folded.as_str(), "no" | "n" | "art" | "p") && next_is_number {
        return true;
    }
    let pair = before.strip_suffix('.').map(|rest| format!("{}.{folded}", fold(last_token(rest))));
    let stop = match pair.map(|pair| stop_after(&pair, lang)) {
        Some(stop) if stop != Stop::Plain => stop,
        _ => stop_after(&folded, lang),
    };
    match stop {
        Stop::Inner => true,
        Stop::Name => !opener_follows(next, tail),
        Stop::Quantity => quantity_goes_on(&folded, before, next, tail),
        Stop::Plain => false,
    }
}

/// After "г." (year or city), "тыс." and their like, before a capital or a digit.
fn quantity_goes_on(folded: &str, before: &str, next: &str, tail: &str) -> bool {
    let after_number =
        last_token(before).chars().all(|c| c.is_ascii_digit() || "IVXХ-–".contains(c))
            && !last_token(before).is_empty();
    if next.starts_with(|c: char| c.is_ascii_digit()) {
        return true;
    }
    // Without a number "г." is "city" and "в." is no century: a name follows.
    if matches!(folded, "г" | "гг" | "в") && !after_number {
        return true;
    }
    let opening = before.split_whitespace().count() < OPENING_PHRASE;
    after_number && opening && !opener_follows(next, tail)
}

/// The trailing run of letters, digits, inner stops and hyphens.
fn last_token(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '\u{301}');
    let kept = text.trim_end_matches(is_part).len();
    text[kept..].trim_start_matches(['.', '-'])
}

/// The first word of `tail`, past quotes and brackets.
fn next_word(tail: &str) -> &str {
    let tail = tail.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = tail.find(|c: char| !c.is_alphanumeric()).unwrap_or(tail.len());
    &tail[..end]
}

/// Whether a sentence opens with `next`: it is a word that opens sentences, not an initial.
fn opener_follows(next: &str, tail: &str) -> bool {
    let at = tail.find(next).unwrap_or(0) + next.len();
    !tail[at..].starts_with('.') && opens_sentence(&fold(next))
}

/// "А", "А.С", "U.S", "J.-P": capitals with stops between them.
fn is_initials(word: &str) -> bool {
    let mut parts = word.split(['.', '-']).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some()
        && parts.all(|part| {
            let mut chars = part.chars();
            chars.next().is_some_and(char::is_uppercase) && chars.next().is_none()
        })
}

fn is_short_number(word: &str) -> bool {
    (1..=2).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit())
}

/// "12. 05. 2020" with spaces: the day before a month that has its own stop, or the month before
/// a year and after a day.
fn is_date(before: &str, next: &str, tail: &str) -> bool {
    let month_follows =
        next.len() <= 2 && tail.starts_with(next) && tail[next.len()..].starts_with('.');
    let day_before = before.strip_suffix('.').is_some_and(|rest| is_short_number(last_token(rest)));
    month_follows || (day_before && matches!(next.len(), 2 | 4))
}
