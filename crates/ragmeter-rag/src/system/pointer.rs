use serde_json::Value;

/// A JSON pointer (RFC 6901) in which a step `*` stands for every item of a list, as in
/// `/documents/*/text`. The empty pointer is the whole value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    text: String,
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Each,
}

/// A text that is no pointer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no JSON pointer: it begins with `/`, as in `/answer` or `/documents/*/text`")]
pub struct PointerError(pub String);

impl Pointer {
    /// Reads a pointer.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        if !text.is_empty() && !text.starts_with('/') {
            return Err(PointerError(text.to_owned()));
        }
        let steps = text.split('/').skip(1).map(|step| match step {
            "*" => Step::Each,
            key => Step::Key(key.replace("~1", "/").replace("~0", "~")),
        });
        Ok(Self { text: text.to_owned(), steps: steps.collect() })
    }

    /// The pointer to a field, or to a field of a field.
    pub(crate) fn to(keys: &[&str]) -> Self {
        Self {
            text: keys.iter().map(|key| format!("/{key}")).collect(),
            steps: keys.iter().map(|key| Step::Key((*key).to_owned())).collect(),
        }
    }

    /// The pointer as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it may name several values.
    pub fn is_many(&self) -> bool {
        self.steps.contains(&Step::Each)
    }

    /// What it names, in order; `None` if it leads nowhere. `*` over an empty list names nothing,
    /// and over `null` names that `null`.
    pub fn find<'a>(&self, value: &'a Value) -> Option<Vec<&'a Value>> {
        let mut found = vec![value];
        for step in &self.steps {
            let mut next = Vec::new();
            for value in found {
                match (step, value) {
                    (Step::Each, Value::Array(items)) => next.extend(items),
                    (Step::Each, Value::Null) => return Some(vec![value]),
                    (Step::Key(key), Value::Object(fields)) => next.push(fields.get(key)?),
                    (Step::Key(key), Value::Array(items)) => {
                        next.push(items.get(key.parse::<usize>().ok()?)?);
                    }
                    _ => return None,
                }
            }
            found = next;
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pointers_lead_where_they_say_or_nowhere() {
        let value = json!({
            "a": { "b/c": [10, 20], "~": null }, "docs": [{ "t": "x" }, { "t": "y" }],
            "none": [], "null": null, "": 7,
        });
        let find = |text: &str| Pointer::parse(text).expect("a pointer").find(&value);
        assert_eq!(find("/a/b~1c/1"), Some(vec![&json!(20)]));
        assert_eq!(find("/a/~0"), Some(vec![&Value::Null]));
        assert_eq!(find("/docs/*/t"), Some(vec![&json!("x"), &json!("y")]));
        assert_eq!(find("/none/*/t"), Some(vec![]));
        assert_eq!(find("/null/*/t"), Some(vec![&Value::Null]));
        assert_eq!(find("/"), Some(vec![&json!(7)]));
        assert_eq!(find(""), Some(vec![&value]));
        for nowhere in ["/b", "/a/b~1c/2", "/docs/*/u", "/docs/t", "/a/*", "/a/b~1c/x"] {
            assert_eq!(find(nowhere), None, "{nowhere}");
        }
        assert!(Pointer::parse("answer").expect_err("refused").to_string().contains("`/answer`"));
    }
}
