//! Everything that metrics say of a record has its Russian: a walk over every metric with made-up
//! facts, and over the reasons that stand in the metrics' source.

use std::collections::BTreeSet;
use std::path::Path;

use ragmeter_analysis::translated;
use ragmeter_core::{CaseRun, Context, Lang, Outcome, RecordFacts, RunRecord, TestCase};
use ragmeter_metrics::{METRICS, Metric, Takes};
use serde_json::{Value, json};

const DEFINITIONS: &str = r#"
criteria:
  polite: { ask: { en: "Is the answer polite?", ru: "Вежлив ли ответ?" } }
rubrics:
  tone: { ask: "Is the tone fit for print?", grades: { 1: "unfit", 5: "fit", 2: "hardly" } }
formulas:
  half: "0 * (response_claims | length) + 0.5"
"#;

/// Facts in their JSON form, each made by a rule.
fn facts(values: Value) -> RecordFacts {
    let Value::Object(values) = values else { panic!("facts are an object") };
    let fact = |value: Value| json!({ "Ok": { "value": value, "source": { "kind": "code", "rule": "test@1" } } });
    let facts: serde_json::Map<String, Value> = (values.into_iter())
        .map(|(name, value)| match (name.as_str(), value) {
            ("criteria", Value::Object(each)) => {
                let each = each.into_iter().map(|(name, grade)| (name, fact(grade)));
                (name, Value::Object(each.collect()))
            }
            (_, value) => (name, fact(value)),
        })
        .collect();
    serde_json::from_value(Value::Object(facts)).expect("facts as they are kept")
}

fn everything() -> Value {
    let checked =
        |support: &str| json!({ "support": support, "quote": null, "quote_dropped": false });
    let grade = |grade: f64, votes: &[i64], reason: &str| json!({ "grade": grade, "votes": votes, "reason": reason });
    let verdict = |claim: usize, support: &str| {
        json!({
            "claim": claim, "support": support, "contexts": [], "quote": null,
            "quote_dropped": false, "probability": null,
        })
    };
    json!({
        "refusal": "answered",
        "claims": [{ "text": "A.", "span": null }, { "text": "B.", "span": null }],
        "support": [verdict(0, "supported"), verdict(1, "absent")],
        "support_each": [["supported", "absent"], ["absent", "supported"]],
        "correct": [checked("supported"), checked("absent")],
        "implied": { "questions": ["Что?"], "noncommittal": false },
        "similarity": [0.75],
        "units": ["А.", "Б."],
        "reference_support": [
            { "unit": 0, "attributable": true, "contexts": [0] },
            { "unit": 1, "attributable": false, "contexts": [] },
        ],
        "reference_claims": ["А.", "Б."],
        "reference_support_each": [[true, false], [false, false]],
        "reference_covered": [checked("supported"), checked("absent")],
        "useful": [true, false],
        "useful_answer": [false, true],
        "relevance": [grade(3.0, &[3], "Да."), grade(0.0, &[0, 1, 0], "Нет.")],
        "answerable": true,
        "parts": ["Что?"],
        "coverage": [{ "part": "Что?", "answered": false }],
        "groundedness": grade(1.0, &[1, 1, 2], "Отчасти."),
        "accuracy": [grade(4.0, &[4], "Да."), grade(2.25, &[2, 2, 3], "")],
        "answer_relevance": grade(2.5, &[2], "Почти."),
        "reference_entities": ["Орло", "34 м"],
        "context_entities": ["Орло"],
        "nuggets": [{ "text": "А.", "vital": true }, { "text": "Б.", "vital": false }],
        "nugget_support": ["support", "partial_support"],
        "topics": [{ "topic": "А", "answered": true }, { "topic": "Б", "answered": false }],
        "topics_allowed": [true, true],
        "goal": { "goal": "А", "end_state": "Б" },
        "goal_reached": true,
        "reference_goal_reached": false,
        "sql": true,
        "summary_questions": ["Что?"],
        "summary_answers": [true],
        "answer_similarity": { "cosine": 0.5, "euclidean": 1.0, "manhattan": 0.5 },
        "token_similarity": { "precision": 0.5, "recall": 0.25, "f1": 0.333 },
    })
}

/// Every metric of the table; of a family one or two, criteria and formulas of a project's own.
fn every_metric() -> Vec<Metric> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("own.yaml");
    std::fs::write(&file, DEFINITIONS).expect("the folder is writable");
    let own = ragmeter::config::definitions(&file).expect("definitions").own().expect("own");
    let mut ids: BTreeSet<String> = ragmeter_metrics::presets().into_iter().collect();
    ids.extend(own.ids_of_own());
    for definition in METRICS {
        match definition.takes {
            Takes::Nothing | Takes::Number { .. } => drop(ids.insert(definition.id.to_owned())),
            Takes::Cutoff => {
                ids.extend([1, 5].map(|rank| definition.id.replace('K', &rank.to_string())));
            }
            // Presets and the project's own are of these.
            Takes::Criterion | Takes::Formula | Takes::Program => {}
        }
    }
    ids.insert("instance_rubrics".to_owned());
    let metric = |id: &String| own.find(id).unwrap_or_else(|| panic!("no metric {id}"));
    ids.iter().map(metric).collect()
}

/// Records that say much and records that say little, all in Russian.
fn records() -> Vec<(TestCase, RunRecord)> {
    let context = |id: &str, text: &str| Context {
        id: Some(id.to_owned()),
        text: text.to_owned(),
        ..Context::default()
    };
    let message = |role: &str| json!({ "role": role, "content": "Вопрос" });
    let case: TestCase = serde_json::from_value(json!({
        "id": "1", "question": "Какова высота маяка?", "reference": "Высота маяка 34 м.",
        "reference_contexts": ["Высота маяка Орло — 34 м, как сказано в книге о маяках."],
        "reference_context_ids": ["a", "b"], "relevance": { "c": 0 },
        "reference_topics": ["А"], "lang": "ru",
        "messages": [message("human")],
        "rubrics": { "score1_description": "плохо", "score2_description": "хорошо" },
    }))
    .expect("a case");
    let bare: TestCase =
        serde_json::from_value(json!({ "id": "2", "question": "Что?" })).expect("a case");
    let full = RunRecord {
        case_id: "1".to_owned(),
        answer: Some("Высота — «34 м над морем» [1]. Он красный [2].".to_owned()),
        contexts: Some(vec![context("a", "Маяк 34 м над морем."), context("x", "Маяк красный.")]),
        ..RunRecord::default()
    };
    let mut variants = vec![full.clone()];
    variants.push(RunRecord { answer: None, ..full.clone() });
    variants.push(RunRecord { answer: Some(String::new()), ..full.clone() });
    variants.push(RunRecord { contexts: None, ..full.clone() });
    variants.push(RunRecord { contexts: Some(Vec::new()), ..full.clone() });
    variants.push(RunRecord { contexts: Some(vec![context("x", "Луна.")]), ..full.clone() });
    let mut nameless = context("a", "Маяк.");
    nameless.id = None;
    variants.push(RunRecord { contexts: Some(vec![nameless.clone()]), ..full.clone() });
    variants
        .push(RunRecord {
            contexts: Some(vec![nameless, context("b", "Маяк.")]), ..full.clone()
        });
    variants.push(RunRecord {
        answer: None,
        error: Some("сбой".to_owned()),
        contexts: None,
        ..full.clone()
    });
    variants.push(RunRecord { answer: None, refused_by_model: true, ..full });
    let mut unanswerable = case.clone();
    unanswerable.tags = vec!["unanswerable".to_owned()];
    let mut irrelevant = case.clone();
    irrelevant.reference_context_ids.clear();
    let cases = [case, unanswerable, irrelevant, bare];
    let pair = |case: &TestCase| {
        let case = case.clone();
        variants.iter().cloned().map(move |record| (case.clone(), record)).collect::<Vec<_>>()
    };
    cases.iter().flat_map(pair).collect()
}

/// Facts that lead metrics down their different ways.
fn ways(metrics: &[Metric]) -> Vec<RecordFacts> {
    let graded = |grade: f64, votes: &[i64], reason: &str| {
        let each = metrics.iter().filter_map(|metric| match &metric.parameter {
            ragmeter_metrics::Parameter::Criterion(criterion) => Some(criterion.name.clone()),
            _ => None,
        });
        let grade = json!({ "grade": grade, "votes": votes, "reason": reason });
        each.map(|name| (name, grade.clone())).collect::<serde_json::Map<_, _>>()
    };
    let with = |changes: Value| {
        let mut all = everything();
        for (name, value) in changes.as_object().expect("changes") {
            all[name] = value.clone();
        }
        facts(all)
    };
    let none = json!([]);
    vec![
        RecordFacts::default(),
        with(json!({ "criteria": graded(1.0, &[1], "Да.") })),
        with(json!({ "criteria": graded(1.0, &[1, 1, 0], "") })),
        with(json!({ "criteria": graded(2.0, &[2, 2, 1], "Так.") })),
        with(json!({ "criteria": graded(0.0, &[0, 0, 1], "Нет.") })),
        with(json!({ "criteria": graded(0.0, &[0], "") })),
        with(json!({ "criteria": graded(77.0, &[77], ""), "goal_reached": false, "sql": false })),
        with(json!({ "refusal": "refused" })),
        with(json!({ "refusal": "refused", "answerable": false })),
        with(json!({ "refusal": "no_factual_content" })),
        with(json!({ "implied": { "questions": [], "noncommittal": true } })),
        with(json!({
            "claims": none, "support": none, "support_each": none, "correct": none, "units": none,
            "reference_support": none, "reference_claims": none, "reference_support_each": none,
            "reference_covered": none, "useful": none, "useful_answer": none, "relevance": none,
            "parts": none, "coverage": none, "accuracy": none, "reference_entities": none,
            "nuggets": none, "nugget_support": none, "topics": none, "topics_allowed": none,
            "summary_questions": none, "summary_answers": none, "similarity": none,
        })),
        with(json!({
            "useful": [false, false], "useful_answer": [false, false],
            "reference_support_each": [[false, false], [false, false]],
            "context_entities": ["Орло", "34 м"],
            "groundedness": { "grade": 9.0, "votes": [9], "reason": "" },
        })),
    ]
}

#[test]
fn every_explanation_of_every_metric_is_said_in_russian() {
    let metrics = every_metric();
    let ways = ways(&metrics);
    let (mut told, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut wrong = BTreeSet::new();
    for (case, record) in records() {
        for facts in &ways {
            for metric in &metrics {
                let run = CaseRun { case: &case, record: &record };
                let text = match metric.score(run, facts) {
                    Outcome::Scored(scored) => scored.explanation,
                    Outcome::NotApplicable(why) => why.reason,
                    Outcome::Failed(_) => continue,
                };
                assert_eq!(translated(&text, Lang::En).as_deref(), Some(text.as_str()));
                seen.insert(metric.id.clone());
                if !told.insert(text.clone()) {
                    continue;
                }
                match translated(&text, Lang::Ru) {
                    // An expression of a formula is nobody's prose.
                    Some(_) if metric.id.starts_with("formula:") => {}
                    Some(russian) if english(&russian).is_empty() => {}
                    said => drop(wrong.insert(format!("{}: {text:?}: {said:?}", metric.id))),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
    assert_eq!(seen.len(), metrics.len());
    assert!(told.len() > 150, "only {} different texts", told.len());
}

/// Latin words that a Russian sentence keeps: names of measures, of fields, codes of languages.
const KEPT: [&str; 12] = [
    "F1",
    "BLEU",
    "n",
    "d",
    "reference_context_ids",
    "relevance",
    "en",
    "ru",
    "grade",
    "A",
    "B",
    "x",
];

/// Words of a Russian sentence that are none.
fn english(russian: &str) -> Vec<&str> {
    let words = russian.split(|c: char| !c.is_alphanumeric() && c != '_');
    let latin = words.filter(|word| word.chars().any(|c| c.is_ascii_alphabetic()));
    latin.filter(|word| !KEPT.contains(word)).collect()
}

/// Reasons that stand as they are in the metrics' source: a new one without its Russian fails here,
/// whether or not the walk above comes by it.
#[test]
fn every_fixed_reason_in_the_source_has_its_russian() {
    fn sources(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(std::fs::read_to_string(path).expect("a source"));
            }
        }
    }
    let mut found = Vec::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../ragmeter-metrics/src");
    sources(Path::new(folder), &mut found);
    let mut reasons = BTreeSet::new();
    for source in &found {
        for marker in ["not_applicable(", "UnitInterval::ZERO,", "UnitInterval::ONE,"] {
            for after in source.split(marker).skip(1) {
                let text =
                    after.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next());
                reasons.extend(text.map(str::to_owned));
            }
        }
    }
    assert!(reasons.len() > 40, "only {} reasons were found", reasons.len());
    reasons.retain(|reason| translated(reason, Lang::Ru).is_none());
    assert!(reasons.is_empty(), "no Russian for {reasons:?}");
}
