//! Summaries, comparisons, sentences and the CSV.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "what is not there fails the test; the numbers compared are exact"
)]

mod common;

use std::collections::BTreeMap;

use ragmeter_analysis::{
    Bilingual, Comparison, JudgedRecord, MetricInfo, RunData, SystemData, Verdict, compare,
    compare_all, csv, mismatches, sentence, summarize, verdict_sentences,
};
use ragmeter_core::{
    Absence, AbsenceClass, AnswerKind, Context, Lang, Outcome, RunRecord, UnitInterval,
};

/// What a record has for the one metric of these runs.
#[derive(Clone, Copy)]
enum Has {
    Score(f64),
    NotApplicable,
    Refused,
    Failed(AbsenceClass),
    Nothing,
}

use Has::{Failed, NotApplicable, Nothing, Refused, Score};

fn record(case: usize, has: Has) -> JudgedRecord {
    let mut record = JudgedRecord {
        record: RunRecord { case_id: format!("c{case:03}"), ..RunRecord::default() },
        ..JudgedRecord::default()
    };
    let outcome = match has {
        Score(value) => Outcome::scored(UnitInterval::new(value).unwrap(), "so it came out"),
        NotApplicable => Outcome::not_applicable("the case has no reference answer"),
        Refused => {
            record.facts.refusal = common::judged(AnswerKind::Refused);
            Outcome::not_applicable("the answer refuses")
        }
        Failed(class) => Outcome::Failed(Absence { class, detail: "gone".to_owned() }),
        Nothing => return record,
    };
    record.outcomes = BTreeMap::from([("m".to_owned(), outcome)]);
    record
}

fn metric(id: &str) -> MetricInfo {
    MetricInfo {
        id: id.to_owned(),
        title: Bilingual::new("Metric", "Метрика"),
        higher_is_better: true,
        ..MetricInfo::default()
    }
}

fn run(systems: &[(&str, Vec<Has>)]) -> RunData {
    RunData {
        run_id: "r1".to_owned(),
        seed: 3,
        metrics: vec![metric("m")],
        systems: systems
            .iter()
            .map(|(name, has)| SystemData {
                name: (*name).to_owned(),
                nested_k: None,
                records: has.iter().enumerate().map(|(case, has)| record(case, *has)).collect(),
            })
            .collect(),
        ..RunData::default()
    }
}

fn scores(values: &[f64]) -> Vec<Has> {
    values.iter().map(|value| Score(*value)).collect()
}

/// Twenty scores of which none is above another's by chance: `low`, spread a little.
fn around(low: f64) -> Vec<Has> {
    (0..20).map(|case| Score(low + f64::from(case) / 200.0)).collect()
}

fn only(run: &RunData) -> Comparison {
    let comparisons = compare_all(run);
    assert_eq!(comparisons.len(), 1);
    comparisons.into_iter().next().unwrap()
}

#[test]
fn every_record_is_counted_once() {
    let has = vec![
        Score(1.0),
        Score(0.5),
        NotApplicable,
        Refused,
        Nothing,
        Failed(AbsenceClass::Timeout),
        Failed(AbsenceClass::Timeout),
        Failed(AbsenceClass::Filtered),
    ];
    let summaries = summarize(&run(&[("a", has)]));
    let system = &summaries[0];
    assert_eq!((system.n_records, system.n_refused), (8, 1));
    let summary = &system.summaries[0];
    assert_eq!(summary.mean, Some(0.75));
    assert_eq!((summary.n_scored, summary.n_not_applicable, summary.n_failed), (2, 2, 4));
    assert_eq!(summary.n_refused, 1);
    assert_eq!(summary.failures[&AbsenceClass::Timeout], 2);
    let [low, high] = summary.interval.unwrap();
    assert!(low < 0.75 && high > 0.75);

    let json = serde_json::to_value(system).unwrap();
    for field in ["metric", "mean", "interval", "n_scored", "n_not_applicable", "n_failed"] {
        assert!(json["summaries"][0].get(field).is_some(), "{field}");
    }
    assert_eq!(json["summaries"][0]["failures"]["timeout"], 2);
}

#[test]
fn no_score_is_null_and_not_a_number() {
    let summaries = summarize(&run(&[("a", vec![Failed(AbsenceClass::Auth)]), ("b", vec![])]));
    for system in &summaries {
        let json = serde_json::to_value(&system.summaries[0]).unwrap();
        assert!(json["mean"].is_null() && json["interval"].is_null());
    }
}

#[test]
fn equal_scores_still_leave_width() {
    let summaries = summarize(&run(&[("a", scores(&[1.0; 20]))]));
    let [low, high] = summaries[0].summaries[0].interval.unwrap();
    assert!(low < 0.9 && high == 1.0);
}

#[test]
fn a_shown_difference_is_named_by_its_direction() {
    let better = only(&run(&[("a", around(0.3)), ("b", around(0.6))]));
    assert_eq!(better.verdict, Verdict::Better);
    let worse = only(&run(&[("a", around(0.6)), ("b", around(0.3))]));
    assert_eq!(worse.verdict, Verdict::Worse);
    let mut lower_is_better = run(&[("a", around(0.6)), ("b", around(0.3))]);
    lower_is_better.metrics[0].higher_is_better = false;
    assert_eq!(only(&lower_is_better).verdict, Verdict::Better);
    assert!((better.difference.unwrap() + worse.difference.unwrap()).abs() < 1e-12);
}

#[test]
fn no_winner_where_missing_scores_could_turn_it() {
    let mut of_b = around(0.6);
    for has in of_b.iter_mut().take(12) {
        *has = Refused;
    }
    let turned = only(&run(&[("a", around(0.3)), ("b", of_b.clone())]));
    assert!(turned.p_holm.unwrap() < 0.05, "a difference is shown where both are scored");
    assert_eq!(turned.verdict, Verdict::MissingCouldTurn);
    let [low, high] = turned.bounds.unwrap();
    assert!(low < 0.0 && high > 0.0);
    assert_eq!((turned.scored.both, turned.scored.only_a, turned.n_refused_b), (8, 12, 12));

    // One missing score among twenty clear ones cannot turn it.
    let mut of_b = around(0.6);
    of_b[0] = Failed(AbsenceClass::Timeout);
    assert_eq!(only(&run(&[("a", around(0.3)), ("b", of_b)])).verdict, Verdict::Better);
}

#[test]
fn cases_to_which_the_metric_never_applies_do_not_widen_the_bounds() {
    let (mut a, mut b) = (around(0.3), around(0.6));
    a.extend([NotApplicable; 30]);
    b.extend([NotApplicable; 30]);
    let comparison = only(&run(&[("a", a), ("b", b)]));
    assert_eq!(comparison.verdict, Verdict::Better);
    assert_eq!((comparison.n_shared, comparison.scored.neither), (50, 30));
}

#[test]
fn equal_systems_are_not_called_equal() {
    let comparison = only(&run(&[("a", around(0.5)), ("b", around(0.5))]));
    assert_eq!(comparison.verdict, Verdict::CannotTell);
    assert_eq!(comparison.p, Some(1.0));
    let [low, high] = comparison.interval.unwrap();
    assert!(low < 0.0 && high > 0.0);
}

#[test]
fn too_few_cases_are_named_so() {
    let five = only(&run(&[("a", scores(&[0.0; 5])), ("b", scores(&[1.0; 5]))]));
    assert_eq!((five.verdict, five.interval), (Verdict::TooFewCases, None));
    assert_eq!(five.smallest_p, Some(0.0625));
    let none = only(&run(&[("a", vec![Refused; 9]), ("b", scores(&[1.0; 9]))]));
    assert_eq!((none.verdict, none.difference, none.p), (Verdict::NoCommonScores, None, None));

    // Six agree as far as they can, and correction for three pairs is still too much for them.
    let three =
        run(&[("a", scores(&[0.0; 6])), ("b", scores(&[1.0; 6])), ("c", scores(&[0.5; 6]))]);
    for comparison in compare_all(&three) {
        assert_eq!(comparison.verdict, Verdict::TooFewCases);
        assert_eq!(comparison.n_tests, 3);
    }
}

#[test]
fn a_context_metric_of_nested_systems_is_reported_and_not_tested() {
    let mut run = run(&[("k3", around(0.3)), ("k5", around(0.6))]);
    run.metrics[0].rises_with_contexts = true;
    run.metrics.push(metric("other"));
    for (system, k) in run.systems.iter_mut().zip([3, 5]) {
        for record in &mut system.records {
            let context = |rank| Context { text: format!("text {rank}"), ..Context::default() };
            record.record.contexts = Some((0..k).map(context).collect());
        }
    }
    let nested = &compare_all(&run)[0];
    assert_eq!((nested.verdict, nested.p, nested.interval), (Verdict::Nested, None, None));
    assert!(nested.difference.unwrap() > 0.0);

    // The same contexts in both: nothing is nested.
    run.systems[0].records = run.systems[1].records.clone();
    assert_ne!(compare_all(&run)[0].verdict, Verdict::Nested);
}

#[test]
fn cases_meet_by_id_whatever_their_order() {
    let mut run_b = run(&[("b", around(0.6))]);
    run_b.run_id = "r2".to_owned();
    run_b.systems[0].records.reverse();
    run_b.systems[0].records.remove(4);
    let run_a = run(&[("a", around(0.3))]);
    let comparisons = compare(&run_a, "a", &run_b, "b", 1);
    assert_eq!(comparisons[0].n_shared, 19);
    assert!((comparisons[0].difference.unwrap() - 0.3).abs() < 1e-12);
    assert_eq!(comparisons[0].names(), ("r1:a".to_owned(), "r2:b".to_owned()));
    assert!(compare(&run_a, "a", &run_b, "nobody", 1).is_empty());
}

#[test]
fn differing_settings_are_listed() {
    let (mut a, mut b) = (RunData::default(), RunData::default());
    a.settings = vec![("judge".into(), "x".into()), ("profile".into(), "grouped".into())];
    b.settings = vec![("profile".into(), "grouped".into()), ("judge".into(), "y".into())];
    let mismatches = mismatches(&a, &b);
    assert_eq!(mismatches.len(), 1);
    assert_eq!(mismatches[0].setting, "judge");
}

#[test]
fn many_systems_are_compared_with_the_first() {
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let systems: Vec<(&str, Vec<Has>)> = names.iter().map(|name| (*name, around(0.5))).collect();
    assert_eq!(compare_all(&run(&systems[..6])).len(), 15);
    let seven = compare_all(&run(&systems));
    assert_eq!(seven.len(), 6);
    assert!(seven.iter().all(|comparison| comparison.a.system == "a"));
    assert!(compare_all(&run(&systems[..1])).is_empty());
}

#[test]
fn p_is_corrected_over_all_pairs() {
    let run = run(&[("a", around(0.3)), ("b", around(0.4)), ("c", around(0.6))]);
    for comparison in compare_all(&run) {
        assert_eq!(comparison.n_tests, 3);
        assert!(comparison.p_holm.unwrap() >= comparison.p.unwrap());
    }
}

#[test]
fn sentences_are_whole_in_both_languages() {
    let better = only(&run(&[("a", around(0.3)), ("b", around(0.6))]));
    let english = sentence(&better, Lang::En).replace('\u{a0}', " ");
    assert!(
        english.starts_with("b is better than a in Metric: +0.30 (95 % interval "),
        "{english}"
    );
    assert!(english.ends_with("20 cases)."), "{english}");
    let russian = sentence(&better, Lang::Ru).replace('\u{a0}', " ");
    assert!(russian.starts_with("b лучше, чем a, по метрике «Метрика»: +0,30 ("), "{russian}");
    assert!(russian.ends_with("20 примеров)."), "{russian}");

    let open = run(&[("a", around(0.5)), ("b", around(0.5)), ("c", around(0.5))]);
    let sentences = verdict_sentences(&compare_all(&open), Lang::Ru);
    assert_eq!(sentences.len(), 3);
    assert!(sentences.iter().all(|sentence| sentence.contains("не показано")));
    assert!(verdict_sentences(&[], Lang::En).is_empty());
}

#[test]
fn among_many_pairs_what_is_not_shown_is_gathered() {
    let run = common::repeated(Lang::En, &["faithful", "hallucinating", "shuffled"], 5);
    let comparisons = compare_all(&run);
    let sentences = verdict_sentences(&comparisons, Lang::En);
    assert!(sentences.len() < comparisons.len());
    let about = |b: &str| {
        sentences.iter().any(|s| s.starts_with(&format!("{b} is worse than faithful in")))
    };
    assert!(about("hallucinating") && about("shuffled"), "{sentences:#?}");
    assert!(sentences[1].contains(", Context precision"), "{sentences:#?}");
}

#[test]
fn csv_has_every_outcome_and_no_formula() {
    let mut run = run(&[("=1+1", vec![Score(0.25), Refused, Nothing, Failed(AbsenceClass::Auth)])]);
    run.systems[0].records[0].record.case_id = "@SUM(A1), \"x\"".to_owned();
    let text = csv(&run);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "system,case,metric,status,value,reason,explanation");
    assert_eq!(lines[1], "'=1+1,\"'@SUM(A1), \"\"x\"\"\",m,scored,0.25,,so it came out");
    assert_eq!(lines[2], "'=1+1,c001,m,not_applicable,,the answer refuses,");
    assert_eq!(lines[3], "'=1+1,c002,m,not_measured,,,");
    assert_eq!(lines[4], "'=1+1,c003,m,failed,,key refused: gone,");
}

#[test]
fn the_same_records_give_the_same_bytes() {
    let once = compare_all(&common::troubled(Lang::Ru));
    let again = compare_all(&common::troubled(Lang::Ru));
    assert_eq!(serde_json::to_string(&once).unwrap(), serde_json::to_string(&again).unwrap());
}
