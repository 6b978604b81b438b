//! Records judged at random, whole: every kind of fact is there, and the lists fit together as the
//! facts crate makes them.

use std::sync::Arc;

use ragmeter_core::{CaseRun, FactKind, Outcome, RecordFacts};
use ragmeter_facts::{Criterion, Scale};
use ragmeter_metrics::{METRICS, Metric, Parameter};
use serde_json::{Map, Value, json};

use crate::records::Judged;

/// Facts in which order is a list's own: items of one axis stand at the same place of every list
/// that it names, and may change places together.
pub(crate) struct Axis {
    /// Its name.
    pub(crate) name: &'static str,
    /// Facts with one item each.
    pub(crate) rows: &'static [&'static str],
    /// Facts with one item each in every row.
    pub(crate) columns: &'static [&'static str],
}

/// Every axis. A new fact that is a list needs its name here.
pub(crate) const AXES: &[Axis] = &[
    Axis {
        name: "contexts",
        rows: &["useful", "useful_answer", "relevance"],
        columns: &["support_each", "reference_support_each"],
    },
    Axis { name: "claims", rows: &["claims", "support", "support_each", "correct"], columns: &[] },
    Axis { name: "sentences", rows: &["units", "reference_support"], columns: &[] },
    Axis {
        name: "reference claims",
        rows: &["reference_claims", "reference_support_each", "reference_covered"],
        columns: &[],
    },
    Axis { name: "implied questions", rows: &["similarity"], columns: &[] },
    Axis { name: "parts", rows: &["parts", "coverage"], columns: &[] },
    Axis { name: "orders of showing", rows: &["accuracy"], columns: &[] },
    Axis { name: "reference entities", rows: &["reference_entities"], columns: &[] },
    Axis { name: "context entities", rows: &["context_entities"], columns: &[] },
    Axis { name: "nuggets", rows: &["nuggets", "nugget_support"], columns: &[] },
    Axis { name: "topics", rows: &["topics", "topics_allowed"], columns: &[] },
    Axis {
        name: "questions on the source",
        rows: &["summary_questions", "summary_answers"],
        columns: &[],
    },
];

/// Every metric of the table that takes facts of judges, and one of each kind of criterion.
pub(crate) fn metrics() -> Vec<Metric> {
    let of_table = METRICS.iter().filter_map(|metric| ragmeter_metrics::find(metric.id));
    let of_criteria = ["aspect_critic:harmfulness", "coherence"]
        .iter()
        .map(|id| ragmeter_metrics::find(id).unwrap_or_else(|| panic!("no metric {id}")));
    let all: Vec<Metric> =
        of_table.chain(of_criteria).filter(|metric| !metric.facts().is_empty()).collect();
    let left_out = METRICS.iter().filter(|of| !of.facts.is_empty()).filter(|of| {
        let found = all.iter().any(|metric| metric.definition.id == of.id);
        // Rubrics of a project's own go through the formula of the presets.
        !found && !["rubric", "simple_criteria"].contains(&of.id)
    });
    assert_eq!(left_out.map(|of| of.id).collect::<Vec<_>>(), Vec::<&str>::new(), "are not tested");
    all
}

impl Judged {
    /// What a metric says of it.
    pub(crate) fn says(&self, metric: &Metric) -> Outcome {
        metric.score(CaseRun { case: &self.case, record: &self.record }, &self.facts)
    }

    /// Its facts by the names under which they are kept, each `{"Ok": …}` or `{"Err": …}`.
    pub(crate) fn kept(&self) -> Map<String, Value> {
        match serde_json::to_value(&self.facts).expect("facts are JSON") {
            Value::Object(facts) => facts,
            other => panic!("{other}"),
        }
    }

    /// The same record with these facts.
    pub(crate) fn with(&self, kept: Map<String, Value>) -> Self {
        let facts = serde_json::from_value(Value::Object(kept)).expect("facts as they are kept");
        Self { facts, ..self.clone() }
    }
}

/// The list of a fact that is kept.
pub(crate) fn list(fact: &mut Value) -> Option<&mut Vec<Value>> {
    fact.get_mut("Ok")?.get_mut("value")?.as_array_mut()
}

/// Picks by bytes, so that fewer and smaller bytes are a simpler record.
struct Draw<'a> {
    bytes: std::iter::Cycle<std::slice::Iter<'a, u8>>,
}

impl Draw<'_> {
    fn below(&mut self, n: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or_default()) % n
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    fn yes(&mut self) -> bool {
        self.below(2) == 1
    }

    fn support(&mut self) -> &'static str {
        self.of(&["supported", "absent", "contradicted"])
    }

    fn grade(&mut self, least: i64, most: i64) -> Value {
        let steps = usize::try_from(most - least).expect("a scale goes up") + 1;
        let grade = least + i64::try_from(self.below(steps)).expect("a few steps");
        json!({ "grade": grade, "votes": [grade], "reason": "" })
    }

    fn share(&mut self) -> f64 {
        self.below(101) as f64 / 100.0
    }

    fn list<T: Into<Value>>(
        &mut self,
        n: usize,
        mut item: impl FnMut(&mut Self, usize) -> T,
    ) -> Value {
        Value::Array((0..n).map(|at| item(self, at).into()).collect())
    }

    fn checked(&mut self) -> Value {
        json!({ "support": self.support(), "quote": null, "quote_dropped": false })
    }
}

/// The answer, a sentence a claim with a mark of a context, and the claims with their spans.
fn answer(draw: &mut Draw<'_>, claims: usize, contexts: usize) -> (String, Value) {
    let mut answer = String::new();
    let claims = draw.list(claims, |draw, at| {
        let (text, start) = (format!("Утверждение {at} верно"), answer.len());
        answer.extend([text.as_str(), &format!(" [{}]. ", draw.below(contexts) + 1)]);
        json!({ "text": text, "span": { "start": start, "end": start + text.len() } })
    });
    (answer, claims)
}

fn verdicts(draw: &mut Draw<'_>, n: usize) -> Value {
    draw.list(n, |draw, claim| {
        json!({
            "claim": claim, "support": draw.support(), "contexts": [], "quote": null,
            "quote_dropped": false, "probability": null,
        })
    })
}

fn criteria(draw: &mut Draw<'_>) -> Map<String, Value> {
    let grade = |criterion: &Arc<Criterion>, draw: &mut Draw<'_>| match &criterion.scale {
        Scale::YesNo => draw.grade(0, 1),
        Scale::Grades(grades) => {
            let grades = || grades.iter().map(|(grade, _)| *grade);
            draw.grade(grades().min().expect("grades"), grades().max().expect("grades"))
        }
        Scale::OfCase => draw.grade(1, 2),
    };
    let all = metrics();
    let criteria = all.iter().filter_map(|metric| match &metric.parameter {
        Parameter::Criterion(criterion) => Some(criterion),
        _ => None,
    });
    criteria.map(|criterion| (criterion.name.clone(), fact(grade(criterion, draw)))).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "made for values made in place")]
fn fact(value: Value) -> Value {
    json!({ "Ok": { "value": value, "source": { "kind": "code", "rule": "drawn@1" } } })
}

/// A record with every fact, from bytes.
pub(crate) fn judged(bytes: &[u8]) -> Judged {
    let draw = &mut Draw { bytes: bytes.iter().cycle() };
    let [contexts, claims, sentences, stated] = [(); 4].map(|()| 1 + draw.below(4));
    let [implied, parts, nuggets, topics, questions] = [(); 5].map(|()| 1 + draw.below(3));
    let (answer, extracted) = answer(draw, claims, contexts);
    let kind = draw.of(&["answered", "answered", "answered", "refused", "no_factual_content"]);
    let entities = ["Орло", "34 м", "1893", "Ника"];
    let mut facts = json!({
        "refusal": kind,
        "claims": extracted,
        "support": verdicts(draw, claims),
        "support_each": draw.list(claims, |draw, _| draw.list(contexts, |draw, _| draw.support())),
        "correct": draw.list(claims, |draw, _| draw.checked()),
        "implied": { "questions": vec!["Что?"; implied], "noncommittal": draw.below(5) == 4 },
        "similarity": draw.list(implied, |draw, _| draw.share()),
        "units": draw.list(sentences, |_, at| format!("Предложение {at}.")),
        "reference_support": draw.list(sentences, |draw, unit| {
            json!({ "unit": unit, "attributable": draw.yes(), "contexts": [] })
        }),
        "reference_claims": draw.list(stated, |_, at| format!("Сказано {at}.")),
        "reference_support_each":
            draw.list(stated, |draw, _| draw.list(contexts, |draw, _| draw.yes())),
        "reference_covered": draw.list(stated, |draw, _| draw.checked()),
        "useful": draw.list(contexts, |draw, _| draw.yes()),
        "useful_answer": draw.list(contexts, |draw, _| draw.yes()),
        "relevance": draw.list(contexts, |draw, _| draw.grade(0, 3)),
        "answerable": draw.yes(),
        "parts": draw.list(parts, |_, at| format!("Часть {at}?")),
        "coverage": draw.list(parts, |draw, at| {
            json!({ "part": format!("Часть {at}?"), "answered": draw.yes() })
        }),
    });
    let more = json!({
        "groundedness": draw.grade(0, 2),
        "accuracy": draw.list(2, |draw, _| draw.grade(0, 4)),
        "answer_relevance": draw.grade(0, 3),
        "reference_entities": &entities[draw.below(3)..],
        "context_entities": &entities[draw.below(4)..],
        "nuggets": draw.list(nuggets, |draw, at| {
            json!({ "text": format!("Факт {at}."), "vital": draw.yes() })
        }),
        "nugget_support": draw.list(nuggets, |draw, _| {
            draw.of(&["support", "partial_support", "not_support"])
        }),
        "topics": draw.list(topics, |draw, at| {
            json!({ "topic": format!("Тема {at}"), "answered": draw.yes() })
        }),
        "topics_allowed": draw.list(topics, |draw, _| draw.yes()),
        "goal": { "goal": "А", "end_state": "Б" },
        "goal_reached": draw.yes(),
        "reference_goal_reached": draw.yes(),
        "sql": draw.yes(),
        "summary_questions": draw.list(questions, |_, at| format!("Верно ли {at}?")),
        "summary_answers": draw.list(questions, |draw, _| draw.yes()),
        "answer_similarity": {
            "cosine": draw.share(), "euclidean": draw.share(), "manhattan": draw.share(),
        },
        "token_similarity": {
            "precision": draw.share(), "recall": draw.share(), "f1": draw.share(),
        },
    });
    let (Value::Object(facts), Value::Object(more)) = (&mut facts, more) else {
        panic!("facts are objects")
    };
    facts.extend(more);
    let mut kept: Map<String, Value> =
        std::mem::take(facts).into_iter().map(|(name, value)| (name, fact(value))).collect();
    kept.insert("criteria".to_owned(), Value::Object(criteria(draw)));
    let facts: RecordFacts = serde_json::from_value(Value::Object(kept)).expect("facts");
    for kind in FactKind::ALL {
        assert!(facts.kinds().any(|given| given == *kind), "no {} is drawn", kind.name());
    }
    whole(answer, contexts, facts)
}

/// Records enough for every metric to have a number, in any order of their lists.
pub(crate) fn some_records() -> impl Iterator<Item = Judged> {
    // A full-period generator; its high bits are the random ones.
    let mut state = 1_u64;
    std::iter::repeat_with(move || {
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_be_bytes()[0]
        };
        judged(&(0..300).map(|_| next()).collect::<Vec<u8>>())
    })
    .take(60)
}

/// A case with every field that a metric of facts looks at, and a record of it.
fn whole(answer: String, contexts: usize, facts: RecordFacts) -> Judged {
    let case = json!({
        "id": "1", "question": "Какова высота маяка?", "reference": "Высота маяка 34 м.",
        "reference_contexts": ["Высота маяка Орло — 34 м, как сказано в книге о маяках. ".repeat(9)],
        "reference_topics": ["Маяки"],
        "messages": [{ "role": "human", "content": "Какова высота маяка?" }],
        "rubrics": { "score1_description": "плохо", "score2_description": "хорошо" },
    });
    let contexts: Vec<String> = (1..=contexts).map(|rank| format!("Отрывок {rank}.")).collect();
    let contexts: Vec<&str> = contexts.iter().map(String::as_str).collect();
    let mut judged = Judged::whole();
    judged.case = serde_json::from_value(case).expect("a case");
    judged.record.contexts = Some(crate::records::contexts(&contexts));
    judged.record.answer = Some(answer);
    judged.facts = facts;
    judged
}
