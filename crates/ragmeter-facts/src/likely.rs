//! What a reply will probably look like, before it is paid for: for planning only.

use ragmeter_core::{Lang, ReplyFormat};
use serde_json::{Map, Value, json};

use crate::ask::Ask;
use crate::group::Group;

/// Items of a list whose length is the judge's to choose, where nothing tells more.
const ITEMS: usize = 3;

/// A reply of the shape asked for and of probable length: as many claims as the text has
/// sentences, as many nuggets, topics or questions as is usual. Its verdicts mean nothing.
pub fn likely_reply(ask: &Ask) -> String {
    let ReplyFormat::Json { schema, .. } = &ask.request.format else { return String::new() };
    let shown: String =
        ask.request.messages.iter().map(|message| message.content.as_str()).collect();
    let texts = sentences(ask.group, &shown, ask.lang);
    fill(schema, "", &texts, 0).to_string()
}

/// The sentences that a list of texts will probably be made of.
fn sentences(group: Group, shown: &str, lang: Lang) -> Vec<String> {
    let tag = match group {
        Group::Extract | Group::SplitClaims => "answer",
        Group::SplitReferenceClaims => "reference",
        Group::NuggetsOf | Group::SplitNuggets => "source",
        _ => return placeholders(group),
    };
    // The example in the instructions has such a text too; the record's own is the last.
    let inside = shown
        .rsplit_once(&format!("<{tag}>"))
        .and_then(|(_, rest)| rest.split_once(&format!("</{tag}>")))
        .map_or("", |(text, _)| text);
    let ranges = ragmeter_text::sentences(inside, lang);
    let found: Vec<String> = ranges.into_iter().map(|range| inside[range].to_owned()).collect();
    if found.is_empty() { placeholders(group) } else { found }
}

fn placeholders(group: Group) -> Vec<String> {
    let count = match group {
        Group::SummaryQuestions | Group::SplitSummaryQuestions => 7,
        Group::ReferenceEntities | Group::SplitReferenceEntities => 5,
        Group::ContextEntities | Group::SplitContextEntities => 20,
        Group::Parts | Group::SplitParts => 2,
        _ => ITEMS,
    };
    (1..=count).map(|n| format!("One of the things asked for, number {n}")).collect()
}

/// A value of this schema; `at` is its place in the list that it stands in.
fn fill(schema: &Value, name: &str, texts: &[String], at: usize) -> Value {
    if let Some(words) = schema["enum"].as_array() {
        // Ids run through a list; of other words the first is as good as any.
        let id = words.first().is_some_and(Value::is_number);
        return words.get(if id { at } else { 0 }).or(words.last()).cloned().unwrap_or_default();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object();
            let filled = properties.into_iter().flatten();
            let map: Map<String, Value> = filled
                .map(|(name, schema)| (name.clone(), fill(schema, name, texts, at)))
                .collect();
            Value::Object(map)
        }
        Some("array") => {
            let items = &schema["items"];
            let count = match schema["minItems"].as_u64() {
                Some(count) => usize::try_from(count).unwrap_or(ITEMS),
                // Ids of contexts that a verdict rests on: one.
                None if items["enum"].is_array() => 1,
                None => texts.len(),
            };
            (0..count).map(|at| fill(items, name, texts, at)).collect()
        }
        Some("boolean") => json!(false),
        Some("integer" | "number") => json!(0),
        _ => match name {
            "quote" | "span" => json!("about as many words as a short passage has"),
            "reason" => json!("One short sentence says what decides the verdict here."),
            _ => json!(texts.get(at).map_or("One short text", String::as_str)),
        },
    }
}
