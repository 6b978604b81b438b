//! Planted truth: systems with one fault each, judged by an oracle. What must move moves, what
//! must not doesn't, and every value is the one that an independent script computed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::oracle::{Bench, Truth, planted_folder, read_json};

const LANGS: [&str; 2] = ["en", "ru"];
const PROFILES: [&str; 2] = ["grouped", "split"];
const RAGAS_STYLE: &str = "faithfulness,answer_relevancy,context_precision,context_recall";
const ALL: &str =
    "faithfulness,answer_relevancy,context_precision,context_recall,question_coverage";

/// Status and value of every score, by system, case and metric.
type Scores = BTreeMap<(String, String, String), (String, Option<f64>)>;

fn scores(lines: &[Value], only_system: &str) -> Scores {
    let mut scores = Scores::new();
    for line in lines {
        let system = line["system"].as_str().unwrap_or(only_system);
        let case = line["id"].as_str().expect("a record has an id");
        for (metric, outcome) in line["scores"].as_object().expect("scores by metric") {
            let status = outcome["status"].as_str().expect("every outcome has a status");
            let value = outcome["value"].as_f64();
            assert_eq!(value.is_some(), status == "scored", "{system} {case} {metric}: {outcome}");
            assert_eq!(
                outcome["reason"].is_string(),
                status != "scored",
                "{system} {case} {metric}: {outcome}"
            );
            let key = (system.to_owned(), case.to_owned(), metric.clone());
            let twice = scores.insert(key, (status.to_owned(), value));
            assert!(twice.is_none(), "two lines for {system} {case}");
        }
    }
    scores
}

fn score_systems(truth: Truth, systems: &[&str], profile: &str) -> Scores {
    let jsonl = truth.jsonl(systems);
    let bench = Bench::new(truth.endpoint());
    let (_, lines) = bench.score(&jsonl, &["--metrics", ALL, "--profile", profile], 0);
    scores(&lines, systems[0])
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn every_value_is_the_independent_scripts() {
    let golden = read_json(&planted_folder().join("golden.json"));
    for lang in LANGS {
        for profile in PROFILES {
            let truth = Truth::load(lang);
            let systems = truth.systems();
            let scores = score_systems(truth.clone(), &systems, profile);
            let mut compared = 0;
            for (system, metrics) in golden[lang].as_object().expect("systems by name") {
                for (metric, summary) in metrics.as_object().expect("metrics by name") {
                    for (case, value) in summary["records"].as_object().expect("values by case") {
                        let key = (system.clone(), case.clone(), metric.clone());
                        let got = scores.get(&key).unwrap_or_else(|| panic!("no {key:?}"));
                        let same = match (value.as_f64(), got) {
                            (Some(value), (_, Some(got))) => close(value, *got),
                            (None, (status, None)) => status == "not_applicable",
                            _ => false,
                        };
                        assert!(same, "{lang} {profile} {key:?}: {got:?}, golden {value}");
                        compared += 1;
                    }
                }
            }
            // 11 systems of 9 cases, one of 2, five metrics.
            assert_eq!(compared, (11 * 9 + 2) * 5);
        }
    }
}

#[test]
fn the_articles_sun() {
    for lang in LANGS {
        for profile in PROFILES {
            let scores = score_systems(Truth::load(lang), &["article_sun"], profile);
            for (case, metric, expected) in [
                // Verdicts 1 1 0 1.
                ("c1", "faithfulness", 0.75),
                ("c1", "question_coverage", 1.0),
                // "Mass and diameter", answered by the mass alone.
                ("c2", "faithfulness", 1.0),
                ("c2", "question_coverage", 0.5),
            ] {
                let key = ("article_sun".to_owned(), case.to_owned(), metric.to_owned());
                assert_eq!(scores[&key].1, Some(expected), "{lang} {profile} {case} {metric}");
            }
        }
    }
}

/// What a planted fault does to a metric, beside `faithful`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moves {
    /// Every record has the value it had.
    Not,
    /// No record gains, and the mean falls.
    Down,
    /// Every record scores 0.
    ToZero,
    /// Every record scores 1, and scored 0.
    ToOne,
    /// No record has a value.
    Away,
}

#[test]
fn each_fault_moves_its_metrics_and_no_other() {
    use Moves::{Away, Down, Not, ToOne, ToZero};
    let metrics = [
        "faithfulness",
        "answer_relevancy",
        "context_precision",
        "context_recall",
        "question_coverage",
        "refusal_rate",
        "noncommittal_rate",
    ];
    let table = [
        ("hallucinating", [Down, Not, Not, Not, Not, Not, Not]),
        ("omitting", [Not, Down, Not, Not, Down, Not, Not]),
        ("refusing", [Away, ToZero, Not, Not, ToZero, ToOne, ToOne]),
        ("other_question", [Not, Down, Not, Not, ToZero, Not, Not]),
        ("wrong_language", [Not, Down, Not, Not, Not, Not, Not]),
        ("world_true", [ToZero, Not, Not, Not, Not, Not, Not]),
        ("reference_true", [ToZero, Not, ToZero, ToZero, Not, Not, Not]),
        ("shuffled", [Not, Not, Down, Not, Not, Not, Not]),
        ("empty_contexts", [ToZero, Not, ToZero, ToZero, Not, Not, Not]),
        ("empty_answer", [Away, ToZero, Not, Not, ToZero, Not, ToOne]),
    ];
    for lang in LANGS {
        for profile in PROFILES {
            let truth = Truth::load(lang);
            let mut systems = vec!["faithful"];
            systems.extend(table.iter().map(|(system, _)| *system));
            let scores = score_systems(truth.clone(), &systems, profile);
            let cases: Vec<&str> =
                truth.records_of("faithful").iter().filter_map(|r| r["id"].as_str()).collect();
            let values = |system: &str, metric: &str| -> Vec<Option<f64>> {
                let key = |case: &&str| (system.to_owned(), (*case).to_owned(), metric.to_owned());
                cases.iter().map(|case| scores[&key(case)].1).collect()
            };
            for (system, moves) in table {
                for (metric, expected) in metrics.iter().zip(moves) {
                    let pairs: Vec<(Option<f64>, Option<f64>)> = values("faithful", metric)
                        .into_iter()
                        .zip(values(system, metric))
                        .collect();
                    assert!(
                        pairs.iter().all(|(before, _)| before.is_some()) && moved(&pairs, expected),
                        "{lang} {profile} {system} {metric}: expected {expected:?}, got {pairs:?}"
                    );
                }
            }
            let relevancy = values("faithful", "answer_relevancy");
            assert!(relevancy.iter().all(|value| value.is_some_and(|value| value > 1.0 - 1e-6)));
        }
    }
}

fn moved(pairs: &[(Option<f64>, Option<f64>)], expected: Moves) -> bool {
    // The cosine of a text with itself is 1 but for the last bits of a 32-bit number.
    const NOISE: f64 = 1e-6;
    let all = |holds: &dyn Fn(f64, f64) -> bool| {
        pairs.iter().all(|pair| matches!(pair, (Some(a), Some(b)) if holds(*a, *b)))
    };
    match expected {
        Moves::Not => all(&|before, after| (before - after).abs() < NOISE),
        Moves::Down => {
            let change: f64 =
                pairs.iter().filter_map(|(before, after)| Some((*after)? - (*before)?)).sum();
            all(&|before, after| after <= before + NOISE) && change < -0.05
        }
        Moves::ToZero => all(&|_, after| after.abs() < NOISE),
        Moves::ToOne => all(&|before, after| before.abs() < NOISE && (after - 1.0).abs() < NOISE),
        Moves::Away => pairs.iter().all(|(_, after)| after.is_none()),
    }
}

/// Flips one annotation: the place of it, its new value, and the scores that must differ then.
type Flip<'a> = (&'a str, Value, &'a [(&'a str, &'a str, &'a str)]);

#[test]
fn one_flipped_verdict_changes_its_metric_on_its_record_and_nothing_else() {
    let systems = ["faithful", "hallucinating", "refusing"];
    for lang in LANGS {
        for profile in PROFILES {
            let truth = Truth::load(lang);
            let before = score_systems(truth.clone(), &systems, profile);
            let flips: [Flip<'_>; 6] = [
                (
                    "/systems/hallucinating/2/claims/0/verdict",
                    other_verdict(&truth.data["systems"]["hallucinating"][2]["claims"][0]),
                    &[("hallucinating", "c3", "faithfulness")],
                ),
                (
                    "/systems/hallucinating/1/parts_answered/1",
                    json!(false),
                    &[("hallucinating", "c2", "question_coverage")],
                ),
                (
                    "/systems/faithful/4/noncommittal",
                    json!(true),
                    &[
                        ("faithful", "c5", "answer_relevancy"),
                        ("faithful", "c5", "noncommittal_rate"),
                    ],
                ),
                (
                    "/systems/refusing/4/refusal",
                    json!("no_factual_content"),
                    &[("refusing", "c5", "refusal_rate")],
                ),
                // What the question's side says holds for every system that retrieved the same.
                (
                    "/cases/0/contexts/0/useful",
                    json!(false),
                    &[
                        ("faithful", "c1", "context_precision"),
                        ("hallucinating", "c1", "context_precision"),
                        ("refusing", "c1", "context_precision"),
                    ],
                ),
                (
                    "/cases/0/reference_sentences/0/supported_by",
                    json!([]),
                    &[
                        ("faithful", "c1", "context_recall"),
                        ("hallucinating", "c1", "context_recall"),
                        ("refusing", "c1", "context_recall"),
                    ],
                ),
            ];
            for (place, value, expected) in flips {
                let mut flipped = truth.clone();
                let verdict = flipped.data.pointer_mut(place).expect("the place is there");
                assert_ne!(*verdict, value, "{place}: that is no flip");
                *verdict = value;
                let after = score_systems(flipped, &systems, profile);
                let changed: Vec<(&str, &str, &str)> = before
                    .iter()
                    .filter(|(key, score)| after[*key] != **score)
                    .map(|((system, case, metric), _)| (&**system, &**case, &**metric))
                    .collect();
                assert_eq!(changed, expected, "{lang} {profile} {place}");
            }
        }
    }
}

fn other_verdict(claim: &Value) -> Value {
    if claim["verdict"] == "supported" { json!("absent") } else { json!("supported") }
}

#[test]
fn four_calls_a_record_and_three_for_each_further_system_over_the_same_contexts() {
    for lang in LANGS {
        let truth = Truth::load(lang);
        let jsonl = |systems: &[&str]| truth.jsonl(systems);
        let bench = Bench::new(truth.clone().endpoint());
        let metrics = ["--metrics", RAGAS_STYLE];
        let run = |jsonl: &str, args: &[&str], expected: usize| {
            let (printed, lines) = bench.score(jsonl, args, 0);
            let paid = bench.endpoint.take_chat().len();
            assert_eq!(paid, expected, "{lang}: chat calls on the wire");
            assert_eq!(printed["calls"]["chat"], expected, "{lang}: chat calls as reported");
            scores(&lines, "faithful")
        };
        // Cold: extract, verify, invert and question_side for each of nine records.
        let cold = run(&jsonl(&["faithful"]), &metrics, 4 * 9);
        // The very same run: nothing is paid, nothing differs.
        assert_eq!(run(&jsonl(&["faithful"]), &metrics, 0), cold);
        // Another run over the same records and one more system: its answers are new.
        let two = jsonl(&["faithful", "hallucinating"]);
        let both = run(&two, &metrics, 3 * 9);
        assert!(cold.iter().all(|(key, score)| both[key] == *score));
        // The order of the contexts makes no other set of them, and its answers are known.
        run(&jsonl(&["faithful", "shuffled"]), &metrics, 0);
        // A fifth metric asks for its own facts alone: the parts of each question once.
        run(&two, &["--metrics", ALL], 9 + 2 * 9);
        // Fewer metrics are made of facts that are there.
        run(&two, &["--metrics", "faithfulness,context_recall"], 0);
        // Unless they are asked for anew.
        run(&jsonl(&["faithful"]), &["--metrics", RAGAS_STYLE, "--fresh"], 4 * 9);
    }
}

#[test]
fn no_call_is_paid_twice_when_all_systems_are_judged_at_once() {
    for lang in LANGS {
        let truth = Truth::load(lang);
        let systems = truth.systems();
        let jsonl = truth.jsonl(&systems);
        let bench = Bench::new(truth.endpoint());
        for profile in PROFILES {
            let args = ["--metrics", ALL, "--profile", profile, "--concurrency", "64"];
            let (printed, cold) = bench.score(&jsonl, &args, 0);
            let mut bodies: Vec<String> =
                bench.endpoint.take_chat().into_iter().map(|request| request.body).collect();
            let paid = bodies.len();
            assert_eq!(printed["calls"]["chat"], paid);
            bodies.sort_unstable();
            bodies.dedup();
            // The split profile samples its implied questions: three equal calls on purpose.
            let distinct = if profile == "split" {
                let samples =
                    bodies.iter().filter(|body| body.contains("\"split_invert\"")).count();
                bodies.len() + 2 * samples
            } else {
                bodies.len()
            };
            assert_eq!(paid, distinct, "{lang} {profile}: a call was paid twice");
            let (printed, warm) = bench.score(&jsonl, &args, 0);
            assert!(bench.endpoint.take().is_empty(), "{lang} {profile}: the second run asked");
            assert_eq!(printed["calls"]["chat"], 0);
            assert_eq!(cold, warm, "{lang} {profile}");
        }
    }
}
