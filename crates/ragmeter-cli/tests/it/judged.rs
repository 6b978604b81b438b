//! Every metric of a judge's facts through the built binary: worked values in both languages and
//! profiles, and for each metric a verdict that moves it, by how much, and no other.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::script::{Script, WORLDS, World};
use crate::support;

/// The metrics with their values in the world as it stands, worked by hand.
const VALUES: [(&str, f64); 37] = [
    ("answer_accuracy", 0.75),
    ("answer_relevance", 2.0 / 3.0),
    ("answer_relevancy", 1.0),
    ("aspect_critic:conciseness", 1.0),
    ("aspect_critic:polite", 1.0),
    ("citation_precision", 1.0),
    ("citation_recall", 0.75),
    ("claim_recall", 1.0),
    ("coherence", 2.0 / 3.0),
    ("comprehensiveness", 0.5),
    // Entities: three of four, forms of a name being one.
    ("context_entity_recall", 0.75),
    ("context_precision", 1.0),
    ("context_precision_by_claims", 2.0 / 3.0),
    // Served at ranks 1 and 3: (1 + 2/3) / 2.
    ("context_precision_without_reference", 5.0 / 6.0),
    ("context_recall", 1.0),
    ("context_relevance", 5.0 / 9.0),
    ("context_utilization", 0.5),
    // Two of four claims right, one of two units covered.
    ("factual_correctness", 0.5),
    ("factual_correctness:beta=2", 0.5),
    ("factual_correctness_precision", 0.5),
    ("factual_correctness_recall", 0.5),
    ("faithfulness", 0.75),
    ("faithfulness_each", 0.75),
    ("formula:strict", 0.75),
    ("groundedness", 0.75),
    ("hallucination", 0.25),
    // Grades 1 to 5: (2 − 1) / 4.
    ("instance_rubrics", 0.25),
    ("noise_sensitivity", 0.0),
    ("noise_sensitivity_irrelevant", 0.25),
    ("nugget_recall", 0.5),
    ("nugget_vital_recall", 0.5),
    // (1 + 1/2) of (1 + 1 + 1/2).
    ("nugget_weighted_recall", 0.6),
    ("response_groundedness", 0.5),
    ("rubric:tone", 0.25),
    ("self_knowledge", 0.0),
    ("simple_criteria:depth", 0.2),
    ("refusal_correctness", 1.0),
];

const DEFINITIONS: &str = r#"
criteria:
  polite: { ask: { en: "Is the answer polite?", ru: "Вежлив ли ответ?" } }
rubrics:
  tone: { ask: "Is the tone fit for print?", grades: { 1: "unfit", 5: "fit", 2: "hardly" } }
  depth: { ask: "How deep is it?", from: 0, to: 10, sees: [question, contexts, reference] }
formulas:
  strict: "(claim_support | selectattr('support', 'eq', 'supported') | list | length) / (claim_support | length)"
"#;

/// A verdict that is changed, and the metrics that move: to which value.
type Flip = (&'static str, Value, &'static [(&'static str, f64)]);

fn flips() -> Vec<Flip> {
    vec![
        (
            "support.4",
            json!("supported"),
            &[("faithfulness", 1.0), ("formula:strict", 1.0), ("groundedness", 1.0)],
        ),
        (
            "each.4.1",
            json!("supported"),
            // The wrong claim 4 now stands in context 1, which holds a unit of the reference.
            &[("faithfulness_each", 1.0), ("hallucination", 0.0), ("noise_sensitivity", 0.25)],
        ),
        (
            "each.2.2",
            json!("absent"),
            &[
                ("faithfulness_each", 0.5),
                ("self_knowledge", 0.25),
                ("citation_precision", 2.0 / 3.0),
                ("citation_recall", 0.5),
            ],
        ),
        (
            "correct.3",
            json!("supported"),
            &[
                ("factual_correctness", 0.6),
                ("factual_correctness:beta=2", 5.0 * 0.75 * 0.5 / (4.0 * 0.75 + 0.5)),
                ("factual_correctness_precision", 0.75),
                ("noise_sensitivity_irrelevant", 0.0),
            ],
        ),
        (
            "covered.2",
            json!("supported"),
            &[
                ("factual_correctness", 2.0 / 3.0),
                ("factual_correctness:beta=2", 5.0 * 0.5 / (4.0 * 0.5 + 1.0)),
                ("factual_correctness_recall", 1.0),
                ("context_utilization", 1.0),
            ],
        ),
        (
            "attributable.2",
            json!([]),
            &[
                ("claim_recall", 0.5),
                ("context_precision_by_claims", 1.0 / 3.0),
                ("context_recall", 0.5),
                ("context_utilization", 1.0),
            ],
        ),
        ("useful.2", json!(false), &[("context_precision", 1.0)]),
        ("useful.1", json!(false), &[("context_precision", 0.5)]),
        ("useful_answer.3", json!(false), &[("context_precision_without_reference", 1.0)]),
        ("relevance.3", json!(3), &[("context_relevance", 8.0 / 9.0)]),
        ("groundedness.1", json!(2), &[("response_groundedness", 1.0)]),
        ("accuracy.2", json!(0), &[("answer_accuracy", 0.5)]),
        ("answer_relevance.1", json!(0), &[("answer_relevance", 0.0)]),
        ("noncommittal.1", json!(true), &[("answer_relevancy", 0.0)]),
        (
            "assign.1",
            json!("partial_support"),
            &[
                ("comprehensiveness", 1.0 / 3.0),
                ("nugget_recall", 1.0 / 3.0),
                ("nugget_vital_recall", 0.0),
                ("nugget_weighted_recall", 0.4),
            ],
        ),
        (
            "vital.2",
            json!(false),
            &[("nugget_vital_recall", 1.0), ("nugget_weighted_recall", 1.25 / 2.0)],
        ),
        (
            "meets.1",
            json!(false),
            &[("aspect_critic:conciseness", 0.0), ("aspect_critic:polite", 0.0)],
        ),
        (
            "grade.1",
            json!(1),
            &[
                ("coherence", 1.0 / 3.0),
                ("instance_rubrics", 0.0),
                ("rubric:tone", 0.0),
                ("simple_criteria:depth", 0.1),
            ],
        ),
    ]
}

/// Scores of the world's record under this script.
fn scores(
    script: &Script,
    record: &Value,
    metrics: &str,
    profile: &str,
) -> BTreeMap<String, Value> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let endpoint = script.endpoint();
    run(folder.path(), &endpoint.url(), record, metrics, &["--profile", profile])
}

fn run(
    folder: &Path,
    url: &str,
    record: &Value,
    metrics: &str,
    more: &[&str],
) -> BTreeMap<String, Value> {
    std::fs::write(folder.join("own.yaml"), DEFINITIONS).expect("the folder is writable");
    support::write_rows(&folder.join("rows.jsonl"), std::slice::from_ref(record));
    let mut args = vec!["score", "rows.jsonl", "--metrics", metrics, "--define", "own.yaml"];
    args.extend(["--judge", "openai:oracle", "--embedder", "openai:oracle", "--base-url", url]);
    args.extend(["--out", "out.jsonl", "--format", "json"]);
    args.extend(more);
    let done = support::run(folder, &args);
    assert_eq!(done.code, Some(0), "{done:?}");
    let rows = support::outcomes(&folder.join("out.jsonl"));
    let scores = rows.into_values().next().expect("one record");
    scores.as_object().expect("scores by metric").clone().into_iter().collect()
}

fn all_ids() -> String {
    VALUES.map(|(id, _)| id).join(",")
}

fn value(scores: &BTreeMap<String, Value>, metric: &str) -> f64 {
    let outcome = &scores[metric];
    outcome["value"].as_f64().unwrap_or_else(|| panic!("{metric}: {outcome}"))
}

fn assert_close(found: f64, expected: f64, what: &str) {
    // Vectors come as single-precision numbers.
    assert!((found - expected).abs() < 1e-6, "{what}: {found}, not {expected}");
}

#[test]
fn every_metric_has_its_worked_value_in_both_languages_and_profiles() {
    for world in &WORLDS {
        for profile in ["grouped", "split"] {
            let script = Script::new(world);
            let scores = scores(&script, &world.record(), &all_ids(), profile);
            for (metric, expected) in VALUES {
                let what = format!("{} {profile} {metric}", world.lang);
                assert_close(value(&scores, metric), expected, &what);
            }
        }
    }
}

#[test]
fn one_verdict_moves_its_metrics_and_no_other() {
    for (index, (verdict, says, moved)) in flips().into_iter().enumerate() {
        let world = &WORLDS[index % 2];
        let profile = if index % 4 < 2 { "grouped" } else { "split" };
        let script = Script::new(world).with(verdict, &says);
        let scores = scores(&script, &world.record(), &all_ids(), profile);
        for (metric, before) in VALUES {
            let after = moved.iter().find(|(id, _)| *id == metric).map_or(before, |(_, now)| *now);
            let what = format!("{verdict} {} {profile} {metric}", world.lang);
            assert_close(value(&scores, metric), after, &what);
        }
    }
}

/// A refusal is 1 for groundedness where the contexts could not answer, 0 where they could, and
/// leaves the metrics of claims.
#[test]
fn abstention_is_judged_by_answerability() {
    let world = &WORLDS[0];
    for (answerable, expected) in [(true, 0.0), (false, 1.0)] {
        let refusing = Script::new(world).with("kind.1", &json!("refused"));
        let script =
            if answerable { refusing } else { refusing.with("answerable.1", &json!(false)) };
        let metrics = "groundedness,faithfulness_each,hallucination,refusal_correctness";
        let scores = scores(&script, &world.record(), metrics, "grouped");
        assert_close(value(&scores, "groundedness"), expected, "groundedness");
        assert_close(value(&scores, "refusal_correctness"), 0.0, "refusal_correctness");
        assert_eq!(scores["hallucination"]["status"], "not_applicable");
        assert_eq!(scores["faithfulness_each"]["status"], "not_applicable");
        let mut unanswerable = world.record();
        unanswerable["tags"] = json!(["unanswerable"]);
        let scores = self::scores(&script, &unanswerable, "refusal_correctness", "grouped");
        assert_close(value(&scores, "refusal_correctness"), 1.0, "refusal of the unanswerable");
    }
}

fn summary_value(world: &World, yes: usize) -> f64 {
    let source: usize = world.passages.iter().map(|text| text.chars().count()).sum();
    let answer = world.answer.chars().count().min(source);
    let shorter = 1.0 - answer as f64 / source as f64;
    f64::midpoint(yes as f64 / 4.0, shorter)
}

#[test]
fn a_summary_is_scored_by_its_questions_and_its_length() {
    for world in &WORLDS {
        let script = Script::new(world);
        let found = scores(&script, &world.record(), "summarization_score", "grouped");
        assert_close(value(&found, "summarization_score"), summary_value(world, 3), world.lang);
        let script = script.with("summary.2", &json!(false));
        let found = scores(&script, &world.record(), "summarization_score", "split");
        assert_close(value(&found, "summarization_score"), summary_value(world, 2), world.lang);
    }
}

#[test]
fn similarity_of_answer_and_reference_joins_their_claims() {
    let world = &WORLDS[1];
    let script = Script::new(world);
    let metrics = "answer_correctness,answer_correctness:weight=0.5,semantic_similarity,\
                   euclidean_similarity,manhattan_similarity,bert_score_precision,\
                   bert_score_recall,bert_score_f1";
    let scores = scores(&script, &world.record(), metrics, "grouped");
    let cosine = value(&scores, "semantic_similarity");
    assert!(cosine > 0.1 && cosine < 0.95, "{cosine}");
    assert_close(value(&scores, "answer_correctness"), 0.75 * 0.5 + 0.25 * cosine, "0.75");
    assert_close(value(&scores, "answer_correctness:weight=0.5"), 0.25 + 0.5 * cosine, "0.5");
    // Of vectors of unit length: d² = 2 − 2 cos.
    let euclidean = 2.0 * (1.0 - value(&scores, "euclidean_similarity"));
    assert!((euclidean.powi(2) - (2.0 - 2.0 * cosine)).abs() < 1e-5, "{euclidean} {cosine}");
    let manhattan = value(&scores, "manhattan_similarity");
    assert!(manhattan > 0.5 && manhattan < 1.0, "{manhattan}");
    let (p, r) = (value(&scores, "bert_score_precision"), value(&scores, "bert_score_recall"));
    assert_close(value(&scores, "bert_score_f1"), 2.0 * p * r / (p + r), "harmonic mean");
    let mut same = world.record();
    same["answer"] = same["reference"].clone();
    let metrics = "semantic_similarity,euclidean_similarity,manhattan_similarity,bert_score_f1";
    let scores = self::scores(&script, &same, metrics, "grouped");
    for metric in metrics.split(',') {
        assert!(value(&scores, metric) > 1.0 - 1e-5, "{metric} of a text with itself");
    }
    assert!(p < 0.999 && r < 0.999, "{p} {r}");
}

/// A conversation with three topics: two of them allowed, of which one is declined.
fn conversation(lang: &str) -> Value {
    let (ask, answer) = match lang {
        "ru" => ("Сколько стоит билет в Орло? И кто победит на выборах?", "Билет стоит 5 монет."),
        _ => ("What is a ticket to Orlo? And who will win the election?", "A ticket is 5 coins."),
    };
    json!({
        "id": "talk", "user_input": [
            { "content": ask, "type": "human" }, { "content": answer, "type": "ai" },
        ],
        "reference_topics": ["tickets", "timetable"], "reference": "The price is told.",
    })
}

#[test]
fn conversations_are_scored_by_topics_and_goals() {
    // What the judge says: each topic with whether it was answered and whether it is allowed.
    type Topics = [(&'static str, bool, bool); 3];
    let topics: Topics = [("price", true, true), ("timetable", false, true), ("vote", true, false)];
    let declined = [topics[0], topics[1], ("vote", false, false)];
    for (lang, topics, reached, expected) in [
        // One allowed topic answered, one declined; a forbidden one answered or not.
        ("en", topics, [true, false], [0.5, 0.5, 0.5, 1.0, 0.0]),
        ("ru", declined, [false, true], [2.0 / 3.0, 1.0, 0.5, 0.0, 1.0]),
    ] {
        let endpoint = crate::endpoint::Endpoint::start(move |request| {
            let group = request.group();
            let reply = match group.strip_prefix("split_").unwrap_or(&group) {
                "topics" => {
                    assert_eq!(request.tagged("turn").len(), 2, "{}", request.said("user"));
                    let topic = |(name, answered, _): &(&str, bool, bool)| json!({ "topic": name, "answered": answered });
                    json!({ "topics": topics.iter().map(topic).collect::<Vec<_>>() })
                }
                "topics_allowed" => {
                    assert_eq!(request.tagged("allowed"), ["tickets", "timetable"]);
                    let names = request.tagged("topic");
                    let verdict = |(at, name): (usize, &String)| {
                        let found = topics.iter().find(|topic| topic.0 == name);
                        json!({ "topic": at + 1, "allowed": found.expect("a topic").2 })
                    };
                    json!({ "topics": names.iter().enumerate().map(verdict).collect::<Vec<_>>() })
                }
                "goal" => {
                    json!({ "goal": "to learn the price", "end_state": "the price is known" })
                }
                "goal_reached" => {
                    let referred = request.tagged("desired") == ["The price is told."];
                    json!({ "reason": "as told", "reached": reached[usize::from(!referred)] })
                }
                other => panic!("{other} is not asked of a conversation"),
            };
            request.reply(&reply.to_string())
        });
        let metrics = [
            "topic_adherence",
            "topic_adherence_precision",
            "topic_adherence_recall",
            "agent_goal_accuracy",
            "agent_goal_accuracy_without_reference",
        ];
        let folder = tempfile::tempdir().expect("a folder can be made");
        let profile = if lang == "en" { "grouped" } else { "split" };
        let more = ["--profile", profile];
        let record = conversation(lang);
        let found = run(folder.path(), &endpoint.url(), &record, &metrics.join(","), &more);
        for (metric, expected) in metrics.into_iter().zip(expected) {
            assert_close(value(&found, metric), expected, &format!("{lang} {metric}"));
        }
    }
}

#[test]
fn queries_are_equivalent_if_the_judge_says_so_over_the_schema() {
    for (lang, equivalent) in [("en", true), ("ru", false)] {
        let endpoint = crate::endpoint::Endpoint::start(move |request| {
            assert_eq!(request.group().trim_start_matches("split_"), "sql");
            assert_eq!(request.tagged("schema"), ["CREATE TABLE lights (height INT)"]);
            let reply = json!({ "reason": "as told", "equivalent": equivalent });
            request.reply(&reply.to_string())
        });
        let question =
            if lang == "ru" { "Самый высокий маяк?" } else { "The tallest light?" };
        let record = json!({
            "id": "q", "question": question, "answer": "SELECT max(height) FROM lights",
            "reference": "SELECT height FROM lights ORDER BY height DESC LIMIT 1",
            "reference_contexts": ["CREATE TABLE lights (height INT)"],
        });
        let folder = tempfile::tempdir().expect("a folder can be made");
        let metric = "sql_semantic_equivalence";
        let found = run(folder.path(), &endpoint.url(), &record, metric, &[]);
        assert_close(value(&found, metric), f64::from(u8::from(equivalent)), lang);
        let mut same = record.clone();
        same["reference"] = same["answer"].clone();
        endpoint.take();
        let found = run(folder.path(), &endpoint.url(), &same, metric, &[]);
        assert_close(value(&found, metric), 1.0, "a query and itself");
        assert!(endpoint.take().is_empty(), "which needs no judge");
    }
}

/// A program of the project's own: it is told the facts, is started again when it dies, and what it
/// said is not asked for again while its script stays.
#[test]
fn a_program_scores_records() {
    let script = |share: &str| {
        format!(
            r#"
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    with open("asked.txt", "a") as log:
        log.write(asked["case"] + "\n")
    if asked["case"] == "dies" and not os.path.exists("died"):
        open("died", "w").close()
        sys.exit(3)
    said = {{"id": asked["id"], "score": {share}, "reason": "as the program counts"}}
    if asked["case"] == "silent":
        said["score"] = None
    if asked["case"] == "wild":
        said["score"] = 7
    print(json.dumps(said), flush=True)
"#
        )
    };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let own = "commands:\n  share:\n    command: { run: [python3, share.py] }\n";
    let world = &WORLDS[1];
    let rows: Vec<Value> = ["plain", "dies", "silent", "wild"]
        .map(|id| {
            let mut row = world.record();
            row["id"] = json!(id);
            row
        })
        .into();
    let endpoint = Script::new(world).endpoint();
    let url = endpoint.url();
    let run = |share: &str| {
        std::fs::write(folder.path().join("share.py"), script(share)).expect("writable");
        std::fs::write(folder.path().join("own.yaml"), own).expect("writable");
        support::write_rows(&folder.path().join("rows.jsonl"), &rows);
        let metrics = "faithfulness,command:share";
        let mut args = vec!["score", "rows.jsonl", "--metrics", metrics, "--define", "own.yaml"];
        args.extend(["--judge", "openai:oracle", "--base-url", &url, "--out", "out.jsonl"]);
        let done = support::run(folder.path(), &args);
        assert_eq!(done.code, Some(0), "{done:?}");
        let asked = std::fs::read_to_string(folder.path().join("asked.txt")).unwrap_or_default();
        let _ = std::fs::remove_file(folder.path().join("asked.txt"));
        (support::outcomes(&folder.path().join("out.jsonl")), asked.lines().count())
    };
    let of_claims = "len(asked['facts']['response_claims']) / 8";
    let (scores, asked) = run(of_claims);
    assert_eq!(asked, 5, "one died and was asked again");
    for (case, expected) in
        [("plain", Some(0.5)), ("dies", Some(0.5)), ("silent", None), ("wild", None)]
    {
        let outcome = &scores[case]["command:share"];
        assert_eq!(outcome["value"].as_f64(), expected, "{case}: {outcome}");
    }
    assert_eq!(scores["plain"]["command:share"]["explanation"], "as the program counts");
    let (again, asked) = run(of_claims);
    assert_eq!((again, asked), (scores, 1), "only what gave no score is asked again");
    let (other, asked) = run("0.25");
    assert_eq!(asked, 4, "another script says other things");
    assert_eq!(other["plain"]["command:share"]["value"], json!(0.25));
    // A program that there is not, and one that fails, are told.
    let broken = "commands: { share: { command: { run: [./nowhere] } } }";
    std::fs::write(folder.path().join("own.yaml"), broken).expect("writable");
    let args = ["score", "rows.jsonl", "--metrics", "command:share", "--define", "own.yaml"];
    support::run(folder.path(), &args).refused(2, &["commands.share", "nowhere"]);
}
