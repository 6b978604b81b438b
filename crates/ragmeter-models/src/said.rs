//! What a reply or a failure says, as a text for people.

use std::error::Error as _;

use reqwest::header::{HeaderMap, LOCATION};

/// Characters of a text that is known to be UTF-8.
pub(crate) fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| !(0x80..0xC0).contains(*byte)).count()
}

/// Where a reply that moves the endpoint says it is.
pub(crate) fn moved(headers: &HeaderMap) -> String {
    let to = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    format!("redirected to {}: set that as base URL", to.unwrap_or("nowhere"))
}

/// An error with all its causes and without its URL, which may hold credentials.
pub(crate) fn with_causes(err: reqwest::Error) -> String {
    let err = err.without_url();
    let mut text = err.to_string();
    let mut cause = err.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = inner.source();
    }
    text
}

/// `HTTP 503: ` and what the body says, on one line of bounded length.
pub(crate) fn status_line(status: u16, body: &str) -> String {
    const LONGEST: usize = 400;
    let said = said_in(body);
    let mut words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = words.char_indices().nth(LONGEST) {
        words.truncate(cut);
        words.push('…');
    }
    if words.is_empty() { format!("HTTP {status}") } else { format!("HTTP {status}: {words}") }
}

/// The message of an error body, in whichever of the usual places it stands; else all of it.
fn said_in(body: &str) -> String {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(body) else {
        return body.to_owned();
    };
    ["/error/message", "/message", "/error", "/detail"]
        .iter()
        .find_map(|place| json.pointer(place)?.as_str())
        .map_or_else(|| body.to_owned(), str::to_owned)
}
