//! Summaries, comparisons, sentences and the CSV.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "what is not there fails the test; the numbers compared are exact"
)]

mod common;

use std::collections::BTreeMap;

use ragmeter_analysis::{
    Bilingual, Comparison, Documents, Effect, JudgedRecord, MetricInfo, RunData, SystemData,
    Verdict, compare, compare_all, csv, family_warnings, footing, mismatches, rankings, sentence,
    summarize, verdict_sentences,
};
use ragmeter_core::{
    Absence, AbsenceClass, AnswerKind, Context, Lang, Outcome, RunRecord, TestCase, UnitInterval,
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
                generator: None,
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

    // Beside the metric of the ranking stand AP at the smaller k and nDCG of the whole lists.
    assert_eq!(nested.nested, None);
    run.metrics[0].ranks_contexts = true;
    for (system, useful) in run.systems.iter_mut().zip([vec![false, true, true], vec![true; 5]]) {
        for record in &mut system.records {
            record.facts.useful = common::judged(useful.clone());
        }
    }
    let ranking = compare_all(&run)[0].nested.unwrap();
    assert_eq!((ranking.k, ranking.n, ranking.ap_b, ranking.ndcg_b), (3, 20, 1.0, 1.0));
    assert!((ranking.ap_a - 7.0 / 12.0).abs() < 1e-12);
    // Three places, five could be found: 1/log2(3) + 1/2 of 1 + 1/log2(3) + 1/2.
    assert!((ranking.ndcg_a - 1.130_929_753_571_457_4 / 2.130_929_753_571_457).abs() < 1e-12);

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
    let comparisons = compare(&run_a, &run_b, &[("a", "b")], &run_a.compare);
    assert_eq!(comparisons[0].n_shared, 19);
    assert!((comparisons[0].difference.unwrap() - 0.3).abs() < 1e-12);
    assert_eq!(comparisons[0].names(), ("r1:a".to_owned(), "r2:b".to_owned()));
    assert!(compare(&run_a, &run_b, &[("a", "nobody")], &run_a.compare).is_empty());
}

#[test]
fn differing_settings_are_listed() {
    let (mut a, mut b) = (RunData::default(), RunData::default());
    a.settings = vec![("judge".into(), "x".into()), ("profile".into(), "grouped".into())];
    b.settings = vec![("profile".into(), "grouped".into()), ("judge".into(), "y".into())];
    let found = mismatches(&a, &b);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].setting.as_str(), found[0].effect), ("judge", Effect::RefusesAll));
}

#[test]
fn runs_judged_in_other_ways_are_not_compared() {
    let (mut a, mut b) = (run(&[("a", around(0.3))]), run(&[("b", around(0.6))]));
    b.run_id = "r2".to_owned();
    for (run, embedder) in [(&mut a, "e5"), (&mut b, "other")] {
        run.settings = vec![("judge.embedder".to_owned(), embedder.to_owned())];
        run.metrics.push(MetricInfo { rests_on_cosines: true, ..metric("cosines") });
        for record in &mut run.systems[0].records {
            let outcome = record.outcomes["m"].clone();
            record.outcomes.insert("cosines".to_owned(), outcome);
        }
    }
    let verdicts = |a: &RunData, b: &RunData| -> Vec<Verdict> {
        let made = compare(a, b, &[("a", "b")], &a.compare);
        made.iter().map(|comparison| comparison.verdict).collect()
    };
    assert_eq!(verdicts(&a, &b), [Verdict::Better, Verdict::NotComparable]);
    a.settings.push(("prompt verify/en".to_owned(), "1".to_owned()));
    // A prompt that one run did not use changes nothing; another text of it does.
    assert_eq!(verdicts(&a, &b), [Verdict::Better, Verdict::NotComparable]);
    b.settings.push(("prompt verify/en".to_owned(), "2".to_owned()));
    let made = compare(&a, &b, &[("a", "b")], &a.compare);
    assert_eq!(made[0].verdict, Verdict::NotComparable);
    assert_eq!((made[0].difference, made[0].p, made[0].bounds), (None, None, None));
    assert!(sentence(&made[0], Lang::En).contains("prompt verify/en"));
}

/// The cases of a run, each made from the document that `document` names.
fn with_documents(mut run: RunData, document: impl Fn(usize) -> Vec<String>) -> RunData {
    let cases = run.systems[0].records.len();
    run.cases = (0..cases)
        .map(|case| {
            let mut documents = document(case).into_iter();
            TestCase {
                id: format!("c{case:03}"),
                source: documents.next(),
                more_sources: documents.collect(),
                ..TestCase::default()
            }
        })
        .collect();
    run
}

#[test]
fn new_documents_need_documents_and_whole_documents_are_the_units() {
    let of_new = |document: &dyn Fn(usize) -> Vec<String>| {
        let mut run = with_documents(run(&[("a", around(0.3)), ("b", around(0.6))]), document);
        run.compare.population = Documents::New;
        only(&run)
    };
    let few = of_new(&|case| vec![format!("d{}", case % 9)]);
    assert_eq!((few.verdict, few.p), (Verdict::TooFewDocuments, None));
    assert!(few.difference.is_some());
    assert!(sentence(&few, Lang::En).contains("9\u{a0}clusters of documents, at least 10"));
    assert!(sentence(&few, Lang::Ru).contains("9\u{a0}групп документов, нужно не меньше 10"));

    let ten = of_new(&|case| vec![format!("d{}", case % 10)]);
    // Ten clusters in one direction: 2 of 2^10 patterns are as extreme.
    assert_eq!((ten.verdict, ten.p), (Verdict::Better, Some(2.0 / 1024.0)));
    let clusters = ten.clusters.unwrap();
    assert_eq!((clusters.clusters, clusters.documents, clusters.merged), (10, 10, 0));

    // A case on two documents joins them.
    let joined = of_new(&|case| {
        let mut documents = vec![format!("d{}", case % 11)];
        documents.extend((case == 0).then(|| "d1".to_owned()));
        documents
    });
    let clusters = joined.clusters.unwrap();
    assert_eq!((clusters.clusters, clusters.documents, clusters.merged), (10, 11, 1));
    assert!(footing(&[joined], Lang::En).unwrap().contains("Cases on several documents join them"));

    let unknown = of_new(&|_| Vec::new());
    assert_eq!((unknown.verdict, unknown.clusters), (Verdict::TooFewDocuments, None));
}

#[test]
fn a_margin_shows_equivalence_and_tells_the_cases_needed() {
    let mut close = run(&[("a", around(0.5)), ("b", around(0.5))]);
    // Differences of ±0.01 that cancel out.
    for (at, record) in close.systems[1].records.iter_mut().enumerate() {
        let value = 0.5 + at as f64 / 200.0 + if at % 2 == 0 { 0.01 } else { -0.01 };
        let score = Outcome::scored(UnitInterval::new(value).unwrap(), "");
        record.outcomes.insert("m".to_owned(), score);
    }
    assert_eq!(only(&close).verdict, Verdict::CannotTell);
    close.compare.margin = Some(0.05);
    let equivalent = only(&close);
    assert_eq!(equivalent.verdict, Verdict::Equivalent);
    assert!(equivalent.margin.as_ref().unwrap().p_equivalence < 0.05);
    let sentence_en = sentence(&equivalent, Lang::En);
    assert!(
        sentence_en.starts_with("a and b are equivalent in Metric: they differ by less than 0.05")
    );

    // Missing scores that could carry the difference out of the margin leave it open.
    close.systems[1].records[3].outcomes.clear();
    close.systems[1].records[4].outcomes.clear();
    assert_eq!(only(&close).verdict, Verdict::CannotTell);

    close.compare.margin = Some(0.001);
    close.compare.width = Some(0.002);
    let open = only(&close);
    let aims: Vec<&str> = open.cases_needed.iter().map(|needed| needed.aim).collect();
    assert_eq!(aims, ["difference", "equivalence", "width"]);
    assert!(open.cases_needed.iter().all(|needed| needed.cases > 20), "{:?}", open.cases_needed);
    assert!(sentence(&open, Lang::Ru).contains("При таком разбросе и мощности"));

    // Better by more than the margin, where less is better: turned, it is inferior.
    let mut worse = run(&[("a", around(0.3)), ("b", around(0.6))]);
    worse.compare.margin = Some(0.05);
    worse.metrics[0].higher_is_better = false;
    let worse = only(&worse);
    assert_eq!(worse.verdict, Verdict::Worse);
    assert!(worse.margin.unwrap().p_non_inferiority > 0.9);
}

#[test]
fn the_primary_metric_is_corrected_over_pairs_only() {
    let mut run = run(&[("a", around(0.3)), ("b", around(0.4)), ("c", around(0.6))]);
    run.metrics.push(metric("other"));
    let tests = |run: &RunData, id: &str| {
        let made = compare_all(run);
        made.iter().find(|one| one.metric == id).unwrap().n_tests
    };
    for system in &mut run.systems {
        for record in &mut system.records {
            let outcome = record.outcomes["m"].clone();
            record.outcomes.insert("other".to_owned(), outcome);
        }
    }
    assert_eq!(tests(&run, "m"), 6);
    run.compare.primary = Some("m".to_owned());
    assert_eq!((tests(&run, "m"), tests(&run, "other")), (3, 3));
}

#[test]
fn systems_that_are_not_told_apart_share_a_letter_and_a_range_of_ranks() {
    let run = run(&[("a", around(0.3)), ("b", around(0.3)), ("c", around(0.6))]);
    let ranked = rankings(&run, &compare_all(&run));
    let places: Vec<((usize, usize), &str)> =
        ranked[0].systems.iter().map(|system| (system.ranks, system.tied.as_str())).collect();
    assert_eq!(places, [((2, 3), "a"), ((2, 3), "a"), ((1, 1), "b")]);
}

#[test]
fn a_judge_of_a_generators_family_is_named() {
    let mut run = run(&[("a", around(0.3)), ("b", around(0.6))]);
    run.judge = "gpt-4o".to_owned();
    assert!(family_warnings(&run, Lang::En).is_empty());
    run.systems[0].generator = Some("openai/gpt-4o-mini".to_owned());
    run.systems[1].generator = Some("GigaChat-2".to_owned());
    let warnings = family_warnings(&run, Lang::En);
    assert!(warnings.len() == 1 && warnings[0].contains("generator of a "), "{warnings:?}");
    run.cases = vec![TestCase { author: Some("gpt-4.1".to_owned()), ..TestCase::default() }];
    assert_eq!(family_warnings(&run, Lang::Ru).len(), 2);
}

#[test]
fn many_systems_are_all_compared() {
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let systems: Vec<(&str, Vec<Has>)> = names.iter().map(|name| (*name, around(0.5))).collect();
    assert_eq!(compare_all(&run(&systems[..6])).len(), 15);
    assert_eq!(compare_all(&run(&systems)).len(), 21);
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
fn the_primary_metric_is_told_first() {
    let run = common::repeated(Lang::En, &["faithful", "hallucinating"], 5);
    let comparisons = compare_all(&run);
    assert!(comparisons.len() > 1);
    for first in 0..comparisons.len() {
        let mut comparisons = comparisons.clone();
        comparisons[first].primary = true;
        let told = &verdict_sentences(&comparisons, Lang::En)[0];
        assert_eq!(told, &sentence(&comparisons[first], Lang::En));
    }
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
