//! Fields beyond question, answer, contexts and reference.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::fields::Fields;
use crate::rows::kind;

/// The names under which a database's schema is given, which is what a query is written from.
const SCHEMA: &[&str] = &["schema", "ddl", "database_schema"];

impl Fields<'_> {
    /// Passages that prove the reference; a schema of a database is one, as text or as a list.
    pub(crate) fn reference_contexts(&mut self) -> Vec<String> {
        const KEY: &str = "reference_contexts";
        let is_schema = |text: &str| text.to_uppercase().contains("CREATE TABLE");
        let given = match self.value(KEY) {
            Some(Value::String(text)) if is_schema(text) => vec![text.clone()],
            _ => self.texts(KEY),
        };
        let schema = self.one_of(SCHEMA, |fields, key, value| match value {
            Value::String(_) => fields.as_text(key, value).map(|text| vec![text]),
            Value::Array(items) => {
                Some(items.iter().filter_map(|item| fields.as_text(key, item)).collect())
            }
            _ => {
                fields.warn(key, "not read: only a text or a list of texts is taken as a schema");
                None
            }
        });
        match schema {
            Some(schema) if given.is_empty() => schema,
            Some(schema) if schema != given => {
                let key = SCHEMA.iter().find(|name| self.value(name).is_some());
                self.warn(key.unwrap_or(&SCHEMA[0]), "not read beside `reference_contexts`");
                given
            }
            _ => given,
        }
    }

    /// What each grade means, by name.
    pub(crate) fn rubrics(&mut self) -> BTreeMap<String, String> {
        const KEY: &str = "rubrics";
        let mut rubrics = BTreeMap::new();
        match self.value(KEY) {
            None => {}
            Some(Value::Object(object)) => {
                for (name, value) in object.iter().filter(|(_, value)| !value.is_null()) {
                    if let Some(text) = self.as_text(&format!("{KEY}.{name}"), value) {
                        rubrics.insert(name.clone(), text);
                    }
                }
            }
            Some(other) => self.refuse(KEY, "an object of texts", kind(other)),
        }
        rubrics
    }

    /// Grades of documents by id. Others may keep other things under this name: what is no object is
    /// left alone.
    pub(crate) fn relevance(&mut self) -> BTreeMap<String, i32> {
        const KEY: &str = "relevance";
        let mut relevance = BTreeMap::new();
        match self.value(KEY) {
            None => {}
            Some(Value::Object(object)) => {
                for (id, value) in object.iter().filter(|(_, value)| !value.is_null()) {
                    match value.as_i64().and_then(|grade| i32::try_from(grade).ok()) {
                        Some(grade) => {
                            relevance.insert(id.clone(), grade);
                        }
                        None => {
                            let got = kind(value);
                            self.refuse(&format!("{KEY}.{id}"), "a whole number as grade", got);
                        }
                    }
                }
            }
            Some(other) => {
                let what = format!("not read: expected an object of grades, got {}", kind(other));
                self.warn(KEY, what);
            }
        }
        relevance
    }

    /// Figures of the system, by name. Others may keep other things under this name: what is no
    /// number is left alone.
    pub(crate) fn figures(&mut self) -> BTreeMap<String, f64> {
        const KEY: &str = "figures";
        let Some(Value::Object(object)) = self.value(KEY) else { return BTreeMap::new() };
        let numbers = object.iter().map(|(name, value)| (name.clone(), value.as_f64()));
        let numbers: Vec<(String, Option<f64>)> = numbers.collect();
        if numbers.iter().any(|(_, number)| number.is_none()) {
            self.warn(KEY, "not read where it is no number");
        }
        numbers.into_iter().filter_map(|(name, number)| Some((name, number?))).collect()
    }

    /// A number that nothing depends on: another value is warned of.
    pub(crate) fn number(&mut self, key: &str) -> Option<f64> {
        let value = self.value(key)?;
        let number = value.as_f64();
        if number.is_none() {
            self.warn(key, format!("not read: expected a number, got {}", kind(value)));
        }
        number
    }

    pub(crate) fn flag(&mut self, key: &str) -> bool {
        match self.value(key) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                self.refuse(key, "true or false", kind(other));
                false
            }
        }
    }
}
