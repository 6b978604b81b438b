//! A folder with a configuration whose systems run outside.

use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::support::{Done, command, run, write_rows};

/// A project: cases, systems, and what the environment holds.
pub(super) struct Project {
    folder: tempfile::TempDir,
    env: Vec<(&'static str, String)>,
}

impl Project {
    /// So many cases about gates; `systems` is the list in YAML's flow style (JSON).
    pub(super) fn new(cases: usize, systems: &Value) -> Self {
        let rows: Vec<Value> = (1..=cases)
            .map(|n| {
                json!({
                    "id": format!("q{n}"), "question": format!("What is gate {n} made of?"),
                    "reference": format!("Gate {n} is made of oak."),
                })
            })
            .collect();
        let folder = tempfile::tempdir().expect("a folder");
        write_rows(&folder.path().join("cases.jsonl"), &rows);
        let project = Self { folder, env: Vec::new() };
        project.configure(systems);
        project
    }

    /// The same with one system.
    pub(super) fn with(cases: usize, system: &Value) -> Self {
        Self::new(cases, &json!([system]))
    }

    pub(super) fn configure(&self, systems: &Value) {
        let config = json!({
            "testset": "cases.jsonl", "systems": systems,
            "metrics": ["faithfulness", "context_recall"], "report": { "out": "report.html" },
        });
        self.write("ragmeter.yaml", &config.to_string());
    }

    pub(super) fn env(mut self, name: &'static str, value: &str) -> Self {
        self.env.push((name, value.to_owned()));
        self
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).expect("written");
    }

    /// A file, or nothing if there is none.
    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = command(self.path(), args);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(super) fn call(&self, args: &[&str]) -> Done {
        let output = self.command(args).output().expect("the binary starts");
        done(output)
    }

    /// `ragmeter run`, to its end.
    pub(super) fn run(&self) -> Done {
        self.call(&["run", "--format", "json"])
    }

    /// `ragmeter run`, under way.
    pub(super) fn begin(&self) -> Child {
        self.command(&["run", "--format", "json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts")
    }

    /// The record of one case in the last run, of the first system or of the one named.
    pub(super) fn record(&self, case: &str, system: Option<&str>) -> Value {
        let shown = run(self.path(), &["show", "latest", case, "--format", "json"]).ok();
        let systems = shown["systems"].as_array().expect("a list");
        let of = |one: &&Value| system.is_none_or(|name| one["system"] == name);
        systems.iter().find(of).expect("the system")["record"].clone()
    }

    /// Whether a text stands in the store.
    pub(super) fn holds_in_store(&self, text: &str) -> bool {
        holds(&self.path().join(".ragmeter"), text.as_bytes())
    }

    /// Whether a text stands in any file of the folder, the store included.
    pub(super) fn holds(&self, text: &str) -> bool {
        holds(self.path(), text.as_bytes())
    }
}

pub(super) fn done(output: std::process::Output) -> Done {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Done { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn holds(path: &Path, text: &[u8]) -> bool {
    if path.is_dir() {
        let mut inside = std::fs::read_dir(path).expect("a folder").flatten();
        return inside.any(|one| holds(&one.path(), text));
    }
    let content = std::fs::read(path).expect("a file");
    content.windows(text.len()).any(|window| window == text)
}
