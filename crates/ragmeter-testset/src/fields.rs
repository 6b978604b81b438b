//! Typed reading of one row's fields. Every fault is noted, so that one pass over a file names all.

use ragmeter_core::{Context, Lang};
use ragmeter_text::detect;
use serde_json::{Map, Value};

use crate::RowError;
use crate::rows::{Place, kind};

pub(crate) const QUESTION: &[&str] = &["question", "user_input"];
/// A conversation, of which the last human message is the question.
pub(crate) const CONVERSATION: &[&str] = &["messages"];
pub(crate) const ANSWER: &[&str] = &["answer", "response"];
pub(crate) const CONTEXTS: &[&str] = &["contexts", "retrieved_contexts"];
pub(crate) const REFERENCE: &[&str] =
    &["reference", "reference_answer", "ground_truth", "ground_truths"];
/// The names under which old files keep a list of reference answers.
const OLD_REFERENCE: &[&str] = &["ground_truth", "ground_truths"];

/// Every key that is read.
pub(crate) const KNOWN: &[&str] = &[
    "id",
    "question",
    "user_input",
    "answer",
    "response",
    "contexts",
    "retrieved_contexts",
    "reference",
    "reference_answer",
    "ground_truth",
    "ground_truths",
    "reference_contexts",
    "retrieved_context_ids",
    "reference_context_ids",
    "tags",
    "lang",
    "source",
    "sources",
    "author",
    "system",
    "error",
    "messages",
    "reference_tool_calls",
    "reference_topics",
    "rubrics",
    "relevance",
    "schema",
    "ddl",
    "database_schema",
    "seconds",
    "refused_by_model",
    "figures",
];

/// A row being read.
pub(crate) struct Fields<'a> {
    place: Place,
    object: &'a Map<String, Value>,
    /// Our names of keys with the file's, where it has others.
    names: &'static [(&'static str, &'static str)],
    pub(crate) errors: Vec<RowError>,
    /// Key and message.
    pub(crate) warnings: Vec<(String, String)>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(
        place: Place,
        object: &'a Map<String, Value>,
        names: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { place, object, names, errors: Vec::new(), warnings: Vec::new() }
    }

    /// A key as the file spells it.
    fn spelled(&self, key: &str) -> String {
        let (name, rest) = key.split_at(key.find('.').unwrap_or(key.len()));
        let theirs = self.names.iter().find(|(ours, _)| *ours == name).map(|(_, theirs)| *theirs);
        format!("{}{rest}", theirs.unwrap_or(name))
    }

    pub(crate) fn refuse(&mut self, key: &str, expected: &str, got: impl Into<String>) {
        self.errors.push(RowError {
            row: self.place.row,
            line: self.place.line,
            column: None,
            key: Some(self.spelled(key)),
            expected: expected.to_owned(),
            got: got.into(),
        });
    }

    pub(crate) fn warn(&mut self, key: &str, message: impl Into<String>) {
        self.warnings.push((self.spelled(key), message.into()));
    }

    /// The value of a key; null is the same as none.
    pub(crate) fn value(&self, key: &str) -> Option<&'a Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    /// The value that stands under one of several names for the same thing. Two names with
    /// different values are a fault: nobody could tell which one is meant.
    pub(crate) fn one_of<T: PartialEq>(
        &mut self,
        names: &[&str],
        read: impl Fn(&mut Self, &str, &'a Value) -> Option<T>,
    ) -> Option<T> {
        let mut found: Option<(&str, T)> = None;
        for name in names {
            let Some(value) = self.value(name) else {
                continue;
            };
            let Some(value) = read(self, name, value) else {
                continue;
            };
            match &found {
                None => found = Some((name, value)),
                Some((first, other)) if *other != value => {
                    let expected = format!("the same value as in `{first}`");
                    self.refuse(name, &expected, "another one");
                }
                Some(_) => {}
            }
        }
        found.map(|(_, value)| value)
    }

    /// The id; none if the row has none.
    pub(crate) fn id(&mut self) -> Option<String> {
        self.value("id").and_then(|value| self.as_id("id", value))
    }

    pub(crate) fn question(&mut self) -> String {
        let faults = self.errors.len();
        let question = self.one_of(QUESTION, Self::as_text);
        match question {
            Some(text) if !text.trim().is_empty() => text,
            Some(_) => {
                let key = QUESTION.iter().find(|name| self.value(name).is_some());
                self.refuse(key.unwrap_or(&QUESTION[0]), "a question", "a blank text");
                String::new()
            }
            None => {
                // A question of the wrong type has been noted already.
                if self.errors.len() == faults {
                    let other = if self.names.is_empty() { " (or `user_input`)" } else { "" };
                    self.refuse(QUESTION[0], &format!("a question{other}"), "nothing");
                }
                String::new()
            }
        }
    }

    pub(crate) fn text(&mut self, names: &[&str]) -> Option<String> {
        self.one_of(names, Self::as_text)
    }

    pub(crate) fn reference(&mut self) -> Option<String> {
        self.one_of(REFERENCE, |fields, key, value| match value {
            Value::Array(items) if OLD_REFERENCE.contains(&key) => {
                let first = items.first()?;
                if items.len() > 1 {
                    fields.warn(key, "of several reference answers the first is taken");
                }
                fields.as_text(key, first)
            }
            _ => fields.as_text(key, value),
        })
    }

    pub(crate) fn texts(&mut self, key: &str) -> Vec<String> {
        self.list(key, "a list of texts", Self::as_text)
    }

    pub(crate) fn ids(&mut self, key: &str) -> Vec<String> {
        self.list(key, "a list of ids", Self::as_id)
    }

    fn list<T>(
        &mut self,
        key: &str,
        expected: &str,
        read: impl Fn(&mut Self, &str, &'a Value) -> Option<T>,
    ) -> Vec<T> {
        match self.value(key) {
            None => Vec::new(),
            Some(Value::Array(items)) => {
                items.iter().filter_map(|item| read(self, key, item)).collect()
            }
            Some(other) => {
                self.refuse(key, expected, kind(other));
                Vec::new()
            }
        }
    }

    /// The language that the row names, else that of the question's letters.
    pub(crate) fn lang(&mut self, question: &str) -> Lang {
        let Some(code) = self.one_of(&["lang"], Self::as_text) else {
            return detect(question);
        };
        // `ru-RU`, `en_US`: the region changes nothing here.
        let primary = code.trim().split(['-', '_']).next().unwrap_or_default().to_lowercase();
        Lang::from_code(&primary).unwrap_or_else(|| {
            let lang = detect(question);
            self.warn("lang", format!("\"{primary}\" is treated by its letters"));
            lang
        })
    }

    /// The retrieved passages with their ids; none if the row doesn't tell.
    pub(crate) fn contexts(&mut self) -> Option<Vec<Context>> {
        let contexts = self.one_of(CONTEXTS, |fields, key, value| match value {
            Value::Array(items) => {
                Some(items.iter().filter_map(|item| fields.as_context(key, item)).collect())
            }
            other => {
                fields.refuse(key, "a list of texts or of objects with `text`", kind(other));
                None
            }
        });
        let ids = self.ids("retrieved_context_ids");
        match contexts {
            Some(contexts) if !ids.is_empty() => Some(self.with_ids(contexts, ids)),
            // What was retrieved is known, if not what it says.
            None if !ids.is_empty() => {
                self.warn(
                    "retrieved_context_ids",
                    "without `contexts` only metrics over ids apply",
                );
                let context = |id| Context { id: Some(id), ..Context::default() };
                Some(ids.into_iter().map(context).collect())
            }
            other => other,
        }
    }

    fn with_ids(&mut self, mut contexts: Vec<Context>, ids: Vec<String>) -> Vec<Context> {
        const KEY: &str = "retrieved_context_ids";
        if ids.len() != contexts.len() {
            let expected = format!("an id for each of {} contexts", contexts.len());
            self.refuse(KEY, &expected, ids.len().to_string());
            return contexts;
        }
        for (context, id) in contexts.iter_mut().zip(ids) {
            match &context.id {
                Some(own) if *own != id => {
                    let expected = format!("the context's own id \"{own}\"");
                    self.refuse(KEY, &expected, format!("\"{id}\""));
                }
                _ => context.id = Some(id),
            }
        }
        contexts
    }

    fn as_context(&mut self, key: &str, value: &'a Value) -> Option<Context> {
        let object = match value {
            Value::Object(object) => object,
            Value::String(_) => {
                return self.as_text(key, value).map(|text| Context { text, ..Context::default() });
            }
            other => {
                self.refuse(key, "texts or objects with `text` in the list", kind(other));
                return None;
            }
        };
        let field = |name: &str| object.get(name).filter(|value| !value.is_null());
        let Some(text) = ["text", "content", "page_content"].iter().find_map(|name| field(name))
        else {
            let expected = "`text`, `content` or `page_content` in every context";
            self.refuse(key, expected, "an object without any of them");
            return None;
        };
        let text = self.as_text(&format!("{key}.text"), text)?;
        // Where loaders of the field keep it.
        let source = field("source").or_else(|| field("metadata")?.get("source"));
        let score = field("score");
        Some(Context {
            id: field("id").and_then(|id| self.as_id(&format!("{key}.id"), id)),
            text,
            source: source.and_then(|value| self.as_text(&format!("{key}.source"), value)),
            score: score.and_then(|value| self.as_number(&format!("{key}.score"), value)),
        })
    }

    pub(crate) fn as_text(&mut self, key: &str, value: &'a Value) -> Option<String> {
        match value {
            Value::String(text) if text.contains('\0') => {
                // No store and no model takes it, and no person put it there.
                self.refuse(key, "a text", "a text with NUL characters");
                None
            }
            Value::String(text) => Some(text.clone()),
            other => {
                self.refuse(key, "a text", kind(other));
                None
            }
        }
    }

    fn as_id(&mut self, key: &str, value: &'a Value) -> Option<String> {
        match value {
            Value::String(text) if !text.trim().is_empty() => self.as_text(key, value),
            Value::Number(number) if !number.is_f64() => Some(number.to_string()),
            other => {
                self.refuse(key, "a text or a whole number", kind(other));
                None
            }
        }
    }

    pub(crate) fn as_number(&mut self, key: &str, value: &'a Value) -> Option<f64> {
        let number = value.as_f64().filter(|number| number.is_finite());
        if number.is_none() {
            self.refuse(key, "a number", kind(value));
        }
        number
    }

    /// Warns of keys that nobody reads and that are spelled almost like one that is.
    pub(crate) fn look_for_misspellings(&mut self) {
        /// One wrong, missing, extra or swapped letter in a word of five or more.
        const ALMOST: f64 = 0.8;
        for key in self.object.keys().filter(|key| !KNOWN.contains(&key.as_str())) {
            let lower = key.to_lowercase();
            let near = KNOWN
                .iter()
                .map(|known| (strsim::normalized_damerau_levenshtein(&lower, known), known))
                .filter(|(likeness, _)| *likeness >= ALMOST)
                .max_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((_, known)) = near {
                self.warn(key, format!("unknown key, not read; is `{known}` meant?"));
            }
        }
    }
}
