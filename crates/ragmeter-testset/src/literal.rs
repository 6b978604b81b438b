//! Lists and objects that stand in one cell of a table: as JSON, or as Python prints them.

use serde_json::{Map, Number, Value};

/// Nesting that no cell of a test set has.
const DEEPEST: usize = 32;

/// The list or object that a cell holds, if it holds one whole: JSON, or what Python's `repr` (and
/// so pandas' `to_csv`) makes of lists, tuples, dictionaries and NumPy arrays of such.
pub(crate) fn literal(cell: &str) -> Option<Value> {
    let cell = cell.trim();
    if !cell.starts_with(['[', '{', '(']) && !cell.starts_with("array(") {
        return None;
    }
    if let Ok(value @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(cell) {
        return Some(value);
    }
    let mut reader = Reader { rest: cell };
    let value = reader.value(0)?;
    reader.space();
    reader.rest.is_empty().then_some(value)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.space();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        self.space();
        match self.rest.chars().next()? {
            '[' => self.list("[", "]", depth),
            '(' => self.list("(", ")", depth),
            '{' => self.dictionary(depth),
            quote @ ('\'' | '"') => self.string(quote).map(Value::String),
            _ if self.eat("array(") => {
                let value = self.value(depth + 1)?;
                // `dtype=object` and the like say nothing here.
                let end = self.rest.find(')')?;
                self.rest = &self.rest[end + 1..];
                Some(value)
            }
            _ => self.word(),
        }
    }

    /// Items with commas between them, or, as NumPy prints arrays, with spaces.
    fn list(&mut self, open: &str, close: &str, depth: usize) -> Option<Value> {
        self.eat(open);
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(self.value(depth + 1)?);
            self.eat(",");
        }
        Some(Value::Array(items))
    }

    fn dictionary(&mut self, depth: usize) -> Option<Value> {
        self.eat("{");
        let mut object = Map::new();
        while !self.eat("}") {
            let key = match self.value(depth + 1)? {
                Value::String(key) => key,
                Value::Number(key) => key.to_string(),
                _ => return None,
            };
            if !self.eat(":") {
                return None;
            }
            object.insert(key, self.value(depth + 1)?);
            if !self.eat(",") && !self.rest.trim_start().starts_with('}') {
                return None;
            }
        }
        Some(Value::Object(object))
    }

    fn string(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.rest = &self.rest[at + 1..];
                return Some(text);
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            let (_, escaped) = chars.next()?;
            let digits = match escaped {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                'n' => {
                    text.push('\n');
                    continue;
                }
                't' => {
                    text.push('\t');
                    continue;
                }
                'r' => {
                    text.push('\r');
                    continue;
                }
                '\n' => continue,
                '\\' | '\'' | '"' => {
                    text.push(escaped);
                    continue;
                }
                // Python leaves a backslash that escapes nothing.
                other => {
                    text.extend(['\\', other]);
                    continue;
                }
            };
            let mut code = 0;
            for _ in 0..digits {
                code = code * 16 + chars.next()?.1.to_digit(16)?;
            }
            text.push(char::from_u32(code)?);
        }
        None
    }

    fn word(&mut self) -> Option<Value> {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_')))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(match word {
            "None" | "nan" | "NaN" | "null" => Value::Null,
            "True" | "true" => Value::Bool(true),
            "False" | "false" => Value::Bool(false),
            _ => match word.parse::<i64>() {
                Ok(whole) => Value::Number(whole.into()),
                Err(_) => Value::Number(Number::from_f64(word.parse().ok()?)?),
            },
        })
    }
}
