//! A small world in two languages, and a judge that says of it what its script says.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Request};

/// The texts of the world, in one language.
#[derive(Clone, Copy)]
pub(crate) struct World {
    pub(crate) lang: &'static str,
    pub(crate) question: &'static str,
    pub(crate) answer: &'static str,
    pub(crate) claims: [&'static str; 4],
    pub(crate) contexts: [&'static str; 3],
    pub(crate) units: [&'static str; 2],
    pub(crate) passages: [&'static str; 2],
    pub(crate) entities: [&'static str; 4],
    pub(crate) found: [&'static str; 3],
}

pub(crate) static WORLDS: [World; 2] = [
    World {
        lang: "en",
        question: "How tall is the Orlo lighthouse and who built it?",
        answer: "It is 34 m high [1]. Ida Ren built it [2]. It is painted red [3]. \
                 It was first lit in 1893.",
        claims: [
            "The Orlo lighthouse is 34 m high.",
            "Ida Ren built the Orlo lighthouse.",
            "The Orlo lighthouse is painted red.",
            "The Orlo lighthouse was first lit in 1893.",
        ],
        contexts: [
            "The Orlo lighthouse stands 34 m high above the sea.",
            "Ida Ren built the lighthouse of Orlo in 1890.",
            "A postcard shows the Orlo lighthouse painted red.",
        ],
        units: ["The Orlo lighthouse is 34 m high.", "It was built by Ida Ren in 1890."],
        passages: ["The height of the Orlo lighthouse: 34 m.", "Builder: Ida Ren, 1890."],
        entities: ["the Orlo lighthouse", "34 m", "Ida Ren", "1890"],
        found: ["The Orlo Lighthouses", "Ida Ren", "1890"],
    },
    World {
        lang: "ru",
        question: "Какова высота маяка Орло и кто его построил?",
        answer: "Его высота — 34 м [1]. Его построила Ида Рен [2]. Он выкрашен в красный цвет [3]. \
                 Впервые его зажгли в 1893 году.",
        claims: [
            "Высота маяка Орло — 34 м.",
            "Маяк Орло построила Ида Рен.",
            "Маяк Орло выкрашен в красный цвет.",
            "Маяк Орло впервые зажгли в 1893 году.",
        ],
        contexts: [
            "Маяк Орло поднимается над морем на 34 м.",
            "Ида Рен построила маяк в Орло в 1890 году.",
            "На открытке маяк Орло красный.",
        ],
        units: ["Высота маяка Орло составляет 34 м.", "Построила его Ида Рен в 1890 году."],
        passages: ["Высота маяка Орло: 34 м.", "Строитель: Ида Рен, 1890 год."],
        entities: ["маяк Орло", "34 м", "Ида Рен", "1890 год"],
        found: ["Маяка «Орло»", "Иды Рен", "1890 года"],
    },
];

impl World {
    /// The record as `score` reads it.
    pub(crate) fn record(&self) -> Value {
        json!({
            "id": "orlo", "question": self.question, "answer": self.answer,
            "contexts": self.contexts, "reference": self.units.join(" "),
            "reference_contexts": self.passages,
            "rubrics": {
                "score1_description": "bad", "score2_description": "poor",
                "score3_description": "fair", "score4_description": "good",
                "score5_description": "best",
            },
        })
    }
}

/// What the judge says: verdicts by what is judged. A test changes one of them.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) world: &'static World,
    /// Verdicts by name, such as `support.3` or `relevance.1`.
    pub(crate) says: BTreeMap<String, Value>,
}

impl Script {
    pub(crate) fn new(world: &'static World) -> Self {
        let mut says = BTreeMap::new();
        let mut set = |name: &str, values: &[Value]| {
            for (at, value) in values.iter().enumerate() {
                says.insert(format!("{name}.{}", at + 1), value.clone());
            }
        };
        let words = |words: &[&str]| words.iter().map(|word| json!(word)).collect::<Vec<_>>();
        set("kind", &words(&["answered"]));
        set("support", &words(&["supported", "supported", "supported", "absent"]));
        // Claim 1 by context 1, claim 2 by context 2, claim 3 by context 3, claim 4 by none.
        for claim in 1..=4 {
            let row: Vec<Value> = (1..=3)
                .map(|context| json!(if claim == context { "supported" } else { "absent" }))
                .collect();
            set(&format!("each.{claim}"), &row);
        }
        set("correct", &words(&["supported", "supported", "absent", "contradicted"]));
        set("covered", &words(&["supported", "absent"]));
        set("attributable", &[json!([1]), json!([2])]);
        set("useful", &[json!(true), json!(true), json!(false)]);
        set("useful_answer", &[json!(true), json!(false), json!(true)]);
        set("relevance", &[json!(3), json!(2), json!(0)]);
        set("answerable", &[json!(true)]);
        set("groundedness", &[json!(1)]);
        set("accuracy", &[json!(4), json!(2)]);
        set("answer_relevance", &[json!(2)]);
        set("vital", &[json!(true), json!(true), json!(false)]);
        set("assign", &words(&["support", "partial_support", "not_support"]));
        set("summary", &[json!(true), json!(true), json!(true), json!(false)]);
        set("meets", &[json!(true)]);
        set("grade", &[json!(2)]);
        set("noncommittal", &[json!(false)]);
        set("part", &[json!(true), json!(true)]);
        Self { world, says }
    }

    /// The same with one verdict changed.
    pub(crate) fn with(&self, name: &str, value: &Value) -> Self {
        let mut changed = self.clone();
        let before = changed.says.insert(name.to_owned(), value.clone());
        assert!(before.is_some_and(|before| before != *value), "{name} does not change");
        changed
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        let script = self.clone();
        Endpoint::start(move |request| {
            let reply = script.says_to(request);
            request.reply(&reply.to_string())
        })
    }

    fn say(&self, name: &str, at: usize) -> Value {
        self.says[&format!("{name}.{at}")].clone()
    }

    /// What the script says to a request.
    pub(crate) fn says_to(&self, request: &Request) -> Value {
        let group = request.group();
        let group = group.strip_prefix("split_").unwrap_or(&group).to_owned();
        let world = self.world;
        let claims = || -> Vec<Value> {
            world.claims.iter().map(|text| json!({ "text": text, "span": "" })).collect()
        };
        let why = "because";
        match group.as_str() {
            "extract" => json!({ "kind": self.say("kind", 1), "claims": claims() }),
            "claims" => json!({ "claims": claims() }),
            "refusal" => json!({ "kind": self.say("kind", 1) }),
            "verify" | "each" | "reference_each" => self.verify(&group, request),
            "correct" => {
                let of = |at: usize| self.say("correct", at);
                let verdict =
                    |id: usize, at: usize| json!({ "claim": id, "quote": "", "verdict": of(at) });
                json!({ "verdicts": by_text(&request.tagged("claim"), &world.claims, verdict) })
            }
            "covered" => {
                let verdict = |id: usize, at: usize| json!({ "sentence": id, "quote": "", "verdict": self.say("covered", at) });
                json!({ "sentences": by_text(&request.tagged("sentence"), &world.units, verdict) })
            }
            "reference_claims" => json!({ "claims": world.units }),
            "invert" => {
                let count = request.schema()["properties"]["questions"]["minItems"].as_u64();
                let questions = vec![world.question; count.unwrap_or(1) as usize];
                json!({ "noncommittal": self.say("noncommittal", 1), "questions": questions })
            }
            "question_side" | "attribution" => self.question_side(&group, request),
            "useful" => {
                json!({ "reason": why, "useful": self.say("useful", self.context(request)) })
            }
            "useful_answer" if request.schema()["properties"]["reason"].is_object() => {
                json!({ "reason": why, "useful": self.say("useful_answer", self.context(request)) })
            }
            "useful_answer" => {
                let verdict = |id: usize, at: usize| json!({ "context": id, "useful": self.say("useful_answer", at) });
                json!({ "contexts": by_text(&request.tagged("context"), &world.contexts, verdict) })
            }
            "relevance" => {
                json!({ "reason": why, "grade": self.say("relevance", self.context(request)) })
            }
            "answerable" => json!({ "reason": why, "answerable": self.say("answerable", 1) }),
            "groundedness" => json!({ "reason": why, "grade": self.say("groundedness", 1) }),
            "accuracy" => {
                let answer_first = request.tagged("first")[0] == world.answer;
                let at = if answer_first { 1 } else { 2 };
                json!({ "reason": why, "grade": self.say("accuracy", at) })
            }
            "answer_relevance" => {
                json!({ "reason": why, "grade": self.say("answer_relevance", 1) })
            }
            "reference_entities" => json!({ "entities": world.entities }),
            "context_entities" => json!({ "entities": world.found }),
            "nuggets" => {
                let nugget = |at: usize| {
                    let vital = self.say("vital", at) == json!(true);
                    let importance = if vital { "vital" } else { "okay" };
                    json!({ "text": world.claims[at - 1], "importance": importance })
                };
                json!({ "nuggets": (1..=3).map(nugget).collect::<Vec<_>>() })
            }
            "assign" => {
                let verdict = |id: usize, at: usize| json!({ "nugget": id, "verdict": self.say("assign", at) });
                json!({ "nuggets": by_text(&request.tagged("nugget"), &world.claims, verdict) })
            }
            "summary_questions" => json!({ "questions": world.claims }),
            "summary_answers" => {
                let verdict = |id: usize, at: usize| json!({ "question": id, "yes": self.say("summary", at) });
                json!({ "questions": by_text(&request.tagged("question"), &world.claims, verdict) })
            }
            "criterion" => json!({ "reason": why, "verdict": self.say("meets", 1) }),
            "grade" => json!({ "reason": why, "grade": self.say("grade", 1) }),
            "parts" => json!({ "parts": world.units }),
            "coverage" => {
                let verdict =
                    |id: usize, at: usize| json!({ "part": id, "answered": self.say("part", at) });
                json!({ "parts": by_text(&request.tagged("part"), &world.units, verdict) })
            }
            other => panic!("the script knows no group {other}"),
        }
    }

    /// The number of the one context that is shown.
    fn context(&self, request: &Request) -> usize {
        let shown = request.tagged("context");
        place(&shown[0], &self.world.contexts)
    }

    fn verify(&self, group: &str, request: &Request) -> Value {
        let world = self.world;
        let shown = request.tagged("context");
        let verdict = |id: usize, text: &str| {
            let says = match group {
                "verify" => self.say("support", place(text, &world.claims)),
                "each" => {
                    let claim = place(text, &world.claims);
                    self.say(&format!("each.{claim}"), place(&shown[0], &world.contexts))
                }
                _ => {
                    let ids = self.say("attributable", place(text, &world.units));
                    let here = json!(place(&shown[0], &world.contexts));
                    let says = ids.as_array().is_some_and(|ids| ids.contains(&here));
                    json!(if says { "supported" } else { "absent" })
                }
            };
            json!({ "claim": id, "quote": "", "contexts": [], "verdict": says })
        };
        let claims = request.tagged("claim");
        let verdicts: Vec<Value> =
            claims.iter().enumerate().map(|(at, text)| verdict(at + 1, text)).collect();
        json!({ "verdicts": verdicts })
    }

    fn question_side(&self, group: &str, request: &Request) -> Value {
        let world = self.world;
        let shown = request.tagged("context");
        let sentence = |id: usize, at: usize| {
            let contexts = self.say("attributable", at);
            let numbers = contexts.as_array().into_iter().flatten().filter_map(Value::as_u64);
            let ids: Vec<usize> = numbers
                .filter_map(|n| {
                    let text = world.contexts[n as usize - 1];
                    shown.iter().position(|one| one == text).map(|at| at + 1)
                })
                .collect();
            json!({ "sentence": id, "contexts": ids, "attributable": !ids.is_empty() })
        };
        let sentences = by_text(&request.tagged("sentence"), &world.units, sentence);
        if group == "attribution" {
            return json!({ "sentences": sentences });
        }
        let useful =
            |id: usize, at: usize| json!({ "context": id, "useful": self.say("useful", at) });
        json!({ "sentences": sentences, "contexts": by_text(&shown, &world.contexts, useful) })
    }
}

/// The number, from 1, of this text in the world.
fn place(text: &str, known: &[&str]) -> usize {
    let at = known.iter().position(|one| *one == text);
    at.unwrap_or_else(|| panic!("the script knows no {text:?}")) + 1
}

/// A verdict on each text that is shown, by its number in the world.
fn by_text(
    shown: &[String],
    known: &[&str],
    verdict: impl Fn(usize, usize) -> Value,
) -> Vec<Value> {
    shown.iter().enumerate().map(|(at, text)| verdict(at + 1, place(text, known))).collect()
}
