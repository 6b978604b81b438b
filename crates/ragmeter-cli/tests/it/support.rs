//! The built binary, what it says, and rows to feed it with.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

pub(crate) use crate::faulty::{Endpoint, Faults};

/// The built binary in a folder, cut off from keys and proxies of the machine.
pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ragmeter"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).env_remove("OPENAI_API_KEY");
    for proxy in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY"] {
        command.env_remove(proxy);
    }
    command
}

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Done {
    /// stdout as JSON: the whole of it, nothing before or after.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("stdout is no JSON ({error}): {self:?}"))
    }

    /// The same, of a command that must have ended well.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.json()
    }

    /// A refusal: this exit code, talk on stderr only, these words in it.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.out, "", "talk belongs on stderr");
        assert!(!self.err.contains("panicked"), "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "no {word:?} in: {}", self.err);
        }
    }
}

/// Runs a command to its end.
pub(crate) fn run(folder: &Path, args: &[&str]) -> Done {
    let output = command(folder, args).output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Done { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Writes rows as JSON Lines.
pub(crate) fn write_rows(path: &Path, rows: &[Value]) {
    let lines: Vec<String> = rows.iter().map(ToString::to_string).collect();
    std::fs::write(path, lines.join("\n")).expect("rows are written");
}

/// Records that differ from each other, with a reference of one or two sentences.
pub(crate) fn records(count: usize) -> Vec<Value> {
    let row = |n: usize| {
        let more = if n.is_multiple_of(3) { format!(" Gate {n} is red.") } else { String::new() };
        json!({
            "id": format!("case-{n}"), "question": format!("What is gate {n} made of?"),
            "answer": format!("Gate {n} is made of oak. It was hung in {}.", 1700 + n),
            "contexts": [
                format!("Gate {n} is made of oak."), format!("Gate {n} was hung in {}.", 1700 + n),
                format!("Bridge {n} is made of stone."),
            ],
            "reference": format!("Gate {n} is made of oak.{more}"),
        })
    };
    (1..=count).map(row).collect()
}

/// The summary of one metric of one system.
#[track_caller]
pub(crate) fn summary<'a>(run: &'a Value, system: &str, metric: &str) -> &'a Value {
    let by = |list: &'a Value, key: &str, name: &str| {
        let found = list.as_array().into_iter().flatten().find(|one| one[key] == name);
        found.unwrap_or_else(|| panic!("no {key} {name} in {list}"))
    };
    by(&by(&run["systems"], "name", system)["summaries"], "metric", metric)
}

/// The rows of `score --out`: id → metric → outcome.
pub(crate) fn outcomes(path: &Path) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(path).expect("--out was written");
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a JSON object a line");
        (row["id"].as_str().expect("an id").to_owned(), row["scores"].clone())
    };
    text.lines().map(row).collect()
}
