//! The JSON object in a reply, whatever stands around it.

use serde::de::{DeserializeOwned, IgnoredAny};

/// Ends of what a model thinks aloud before it answers.
const THOUGHT: [&str; 3] = ["</think>", "</thinking>", "</reasoning>"];

/// The first JSON object in the text that has the type asked for. Models wrap objects in code
/// fences and politeness, and some think aloud before; nothing but a whole object is ever read, and
/// never a part of one.
pub(crate) fn parse<R: DeserializeOwned>(text: &str) -> Result<R, String> {
    let mut rest = said(text);
    let mut failure = None;
    while let Some(at) = rest.find('{') {
        rest = &rest[at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(_)) => {
                let (object, after) = rest.split_at(values.byte_offset());
                match serde_json::from_str(object) {
                    Ok(value) => return Ok(value),
                    Err(error) => {
                        failure.get_or_insert_with(|| error.to_string());
                    }
                }
                rest = after;
            }
            // Cut off: what stands inside is a part of the whole that is missing.
            Some(Err(error)) if error.is_eof() => {
                failure.get_or_insert_with(|| error.to_string());
                break;
            }
            // A brace of prose, or an object gone wrong: what was read before the fault is no
            // reply of its own.
            Some(Err(error)) => {
                rest = &rest[offset(rest, &error)..];
                failure.get_or_insert_with(|| error.to_string());
            }
            None => break,
        }
    }
    Err(failure.map_or_else(
        || "no JSON object in the reply".to_owned(),
        |error| format!("not the JSON object asked for: {error}"),
    ))
}

/// Where in the text the parser stumbled: a border of a character after the first.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = (before + error.column().saturating_sub(1)).max(1);
    text.ceil_char_boundary(at)
}

/// The text after the last thought.
fn said(text: &str) -> &str {
    let ends = THOUGHT.iter().filter_map(|end| text.rfind(end).map(|at| at + end.len()));
    ends.max().map_or(text, |end| &text[end..])
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Verdict {
        useful: bool,
    }

    fn useful(text: &str) -> Option<bool> {
        parse::<Verdict>(text).ok().map(|verdict| verdict.useful)
    }

    #[test]
    fn objects_are_found_in_chatter() {
        for text in [
            r#"{"useful":true}"#,
            "```json\n{\"useful\": true}\n```",
            r#"Конечно! Вот ответ: {"useful":true} Надеюсь, это поможет."#,
            r#"<think>maybe {"useful":false}, no</think>{"useful":true}"#,
            r#"The set {a, b} matters. {"useful":true}"#,
            r#"{"note":"a draft"} {"useful":true}"#,
        ] {
            assert_eq!(useful(text), Some(true), "{text}");
        }
    }

    #[test]
    fn a_part_of_an_object_is_no_reply() {
        for text in [
            r#"{"contexts":[{"useful":true},{"useful":"#,
            r#"{"inner":{"useful":true}"#,
            r#"{"inner":{"useful":true}, oops}"#,
            "{",
            "",
            "true",
            r#"<think>{"useful":true}</think>"#,
        ] {
            assert_eq!(useful(text), None, "{text}");
        }
    }
}
