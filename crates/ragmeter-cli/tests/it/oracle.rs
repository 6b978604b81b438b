//! A judge that knows the truth: it answers every call group from the annotations of the planted
//! records, and can be made to err in one verdict; and a folder to score records in.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Request, Response};
use crate::support;

/// The folder of the planted records.
pub(crate) fn planted_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/planted")
}

/// Reads a JSON file.
pub(crate) fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("the file is part of the repository");
    serde_json::from_str(&text).expect("and is JSON")
}

/// Planted cases and records with their annotations.
#[derive(Clone)]
pub(crate) struct Truth {
    /// The file as it stands: a test may change a verdict in it.
    pub(crate) data: Value,
}

impl Truth {
    /// The planted records of a language.
    pub(crate) fn load(lang: &str) -> Self {
        Self { data: read_json(&planted_folder().join(lang).join("planted.json")) }
    }

    /// The names of the systems, `faithful` first.
    pub(crate) fn systems(&self) -> Vec<&str> {
        let systems = self.data["systems"].as_object().expect("systems by name");
        systems.keys().map(String::as_str).collect()
    }

    fn cases(&self) -> impl Iterator<Item = &Value> {
        self.data["cases"].as_array().into_iter().flatten()
    }

    pub(crate) fn case(&self, id: &str) -> &Value {
        self.cases().find(|case| case["id"] == id).expect("records are of cases")
    }

    /// Annotated records of one system.
    pub(crate) fn records_of(&self, system: &str) -> &[Value] {
        self.data["systems"][system].as_array().expect("a system has records")
    }

    /// Every record with its case.
    fn records(&self) -> impl Iterator<Item = (&Value, &Value)> {
        let systems = self.data["systems"].as_object().expect("systems by name");
        systems.values().flat_map(|records| records.as_array().into_iter().flatten()).map(
            |record| (self.case(record["id"].as_str().expect("records name their case")), record),
        )
    }

    /// Records of these systems as `ragmeter score` reads them.
    pub(crate) fn jsonl(&self, systems: &[&str]) -> String {
        let mut out = String::new();
        for system in systems {
            for record in self.records_of(system) {
                let case = self.case(record["id"].as_str().expect("an id"));
                let contexts: Vec<Value> = strings(&record["contexts"])
                    .map(|id| json!({ "id": id, "text": context_text(case, id) }))
                    .collect();
                let row = json!({
                    "id": record["id"], "system": system, "question": case["question"],
                    "answer": record["answer"], "contexts": contexts,
                    "reference": case["reference"],
                });
                out.push_str(&row.to_string());
                out.push('\n');
            }
        }
        out
    }

    /// Starts an endpoint that tells this truth.
    pub(crate) fn endpoint(self) -> Endpoint {
        Endpoint::start(move |request| self.answer(request))
    }

    fn answer(&self, request: &Request) -> Response {
        self.judge(request).map_or_else(
            || {
                let message = format!("the oracle knows no such texts: {}", request.said("user"));
                (400, json!({ "error": { "message": message } }))
            },
            |reply| request.reply(&reply.to_string()),
        )
    }

    /// What is true about the texts shown; nothing is known of a request but them.
    fn judge(&self, request: &Request) -> Option<Value> {
        let one = |tag: &str| request.tagged(tag).into_iter().next();
        let group = request.group();
        match group.as_str() {
            "extract" | "split_claims" | "split_refusal" => {
                self.extract(&group, &one("question")?, &one("answer")?)
            }
            "verify" | "split_verify" => {
                self.verify(&request.tagged("claim"), &request.tagged("context"))
            }
            "invert" | "split_invert" => self.invert(&one("answer")?, request),
            "question_side" | "attribution" | "split_attribution" | "useful" | "split_useful" => {
                self.question_side(&group, &one("question")?, request)
            }
            "parts" | "split_parts" => {
                let question = one("question")?;
                let case = self.cases().find(|case| case["question"] == question.as_str())?;
                Some(json!({ "parts": case["question_parts"] }))
            }
            "coverage" | "split_coverage" => {
                self.coverage(&request.tagged("part"), &one("answer")?)
            }
            _ => None,
        }
    }

    fn extract(&self, group: &str, question: &str, answer: &str) -> Option<Value> {
        let (_, record) = self
            .records()
            .find(|(case, record)| case["question"] == question && record["answer"] == answer)?;
        let claims: Vec<Value> = record["claims"]
            .as_array()?
            .iter()
            .map(|claim| {
                json!({ "text": claim["text"], "span": claim["span"].as_str().unwrap_or_default() })
            })
            .collect();
        let kind = &record["refusal"];
        Some(match group {
            "split_claims" => json!({ "claims": claims }),
            "split_refusal" => json!({ "kind": kind }),
            _ => json!({ "kind": kind, "claims": claims }),
        })
    }

    /// The verdict on a claim depends on the contexts shown, whatever their order.
    fn verify(&self, claims: &[String], shown: &[String]) -> Option<Value> {
        let verdict = |(index, text): (usize, &String)| {
            let (case, claim) = self
                .records()
                .filter(|(case, record)| {
                    let ids: Vec<&str> = strings(&record["contexts"]).collect();
                    ids.len() == shown.len()
                        && ids.iter().all(|id| id_of(case, id, shown).is_some())
                })
                .find_map(|(case, record)| {
                    let claims = record["claims"].as_array()?;
                    Some((case, claims.iter().find(|claim| claim["text"] == text.as_str())?))
                })?;
            let ids: Vec<usize> =
                strings(&claim["contexts"]).filter_map(|id| id_of(case, id, shown)).collect();
            Some(json!({
                "claim": index + 1, "quote": claim["quote"].as_str().unwrap_or_default(),
                "contexts": ids, "verdict": claim["verdict"],
            }))
        };
        let verdicts: Option<Vec<Value>> = claims.iter().enumerate().map(verdict).collect();
        Some(json!({ "verdicts": verdicts? }))
    }

    fn invert(&self, answer: &str, request: &Request) -> Option<Value> {
        let (_, record) = self.records().find(|(_, record)| record["answer"] == answer)?;
        let count = request.schema()["properties"]["questions"]["minItems"].as_u64()?;
        let questions = vec![&record["implied_question"]; count as usize];
        Some(json!({ "noncommittal": record["noncommittal"], "questions": questions }))
    }

    fn question_side(&self, group: &str, question: &str, request: &Request) -> Option<Value> {
        let case = self.cases().find(|case| case["question"] == question)?;
        let shown = request.tagged("context");
        let useful: Option<Vec<Value>> = (shown.iter().enumerate())
            .map(|(index, text)| {
                let contexts = case["contexts"].as_array()?;
                let context = contexts.iter().find(|context| context["text"] == text.as_str())?;
                Some(json!({ "context": index + 1, "useful": context["useful"] }))
            })
            .collect();
        let useful = useful?;
        if group.ends_with("useful") {
            return Some(json!({ "reason": "as annotated", "useful": useful[0]["useful"] }));
        }
        let sentences: Option<Vec<Value>> = (request.tagged("sentence").iter().enumerate())
            .map(|(index, text)| {
                let sentences = case["reference_sentences"].as_array()?;
                let sentence = sentences.iter().find(|one| one["text"] == text.as_str())?;
                let ids: Vec<usize> = strings(&sentence["supported_by"])
                    .filter_map(|id| id_of(case, id, &shown))
                    .collect();
                Some(json!({
                    "sentence": index + 1, "contexts": ids, "attributable": !ids.is_empty(),
                }))
            })
            .collect();
        Some(match group {
            "attribution" | "split_attribution" => json!({ "sentences": sentences? }),
            _ => json!({ "sentences": sentences?, "contexts": useful }),
        })
    }

    fn coverage(&self, parts: &[String], answer: &str) -> Option<Value> {
        let asked = |case: &Value| strings(&case["question_parts"]).eq(parts.iter());
        let (_, record) =
            self.records().find(|(case, record)| asked(case) && record["answer"] == answer)?;
        let answered = record["parts_answered"].as_array()?;
        let parts: Vec<Value> = (answered.iter().enumerate())
            .map(|(index, answered)| json!({ "part": index + 1, "answered": answered }))
            .collect();
        Some(json!({ "parts": parts }))
    }
}

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn context_text<'a>(case: &'a Value, id: &str) -> &'a str {
    let contexts = case["contexts"].as_array().expect("a case has contexts");
    let context = contexts.iter().find(|context| context["id"] == id).expect("known by id");
    context["text"].as_str().expect("which have a text")
}

/// The id under which a context of a case is shown.
fn id_of(case: &Value, id: &str, shown: &[String]) -> Option<usize> {
    let text = context_text(case, id);
    shown.iter().position(|one| one == text).map(|index| index + 1)
}

/// One `ragmeter score` in a folder of its own, behind an endpoint.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
    /// The endpoint.
    pub(crate) endpoint: Endpoint,
}

impl Bench {
    pub(crate) fn new(endpoint: Endpoint) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder can be made"), endpoint }
    }

    /// The folder, with `store` in it.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Scores these records: what the command prints, and the lines of `--out`.
    pub(crate) fn score(&self, jsonl: &str, args: &[&str], code: i32) -> (Value, Vec<Value>) {
        let folder = self.folder.path();
        std::fs::write(folder.join("records.jsonl"), jsonl).expect("the folder is writable");
        let url = self.endpoint.url();
        let mut all = vec!["score", "records.jsonl", "--base-url", &url, "--format", "json"];
        all.extend(["--judge", "openai:oracle", "--embedder", "openai:oracle"]);
        all.extend(["--out", "out.jsonl", "--store", "store"]);
        all.extend(args);
        let done = support::run(folder, &all);
        assert_eq!(done.code, Some(code), "{args:?}: {done:?}");
        let lines = std::fs::read_to_string(folder.join("out.jsonl")).expect("--out was written");
        let lines = lines.lines().map(|line| serde_json::from_str(line).expect("a JSON line"));
        (done.json(), lines.collect())
    }

    /// A case of the latest run in full.
    pub(crate) fn show(&self, case: &str) -> Value {
        let args = ["show", "latest", case, "--store", "store", "--format", "json"];
        support::run(self.folder.path(), &args).ok()
    }
}
