//! Measures of rankings, and metrics over the ids of one record.

use std::collections::BTreeMap;

use proptest::prelude::*;
use ragmeter_core::{CaseRun, Context, Outcome, RecordFacts, RunRecord, TestCase};
use ragmeter_metrics::METRICS;
use ragmeter_metrics::retrieval::{Hit, Measure, Ranking, Seen, Sums};

/// Metrics over ids: those that need no fact and say so on their cards.
fn by_ids() -> impl Iterator<Item = &'static str> {
    let of_ids = ["bpref", "map", "mrr", "r_precision"];
    METRICS
        .iter()
        .map(|metric| metric.id)
        .filter(move |id| id.ends_with("_at_K") || id.ends_with("_by_ids") || of_ids.contains(id))
}

/// Sums in another order may differ in the last digits.
const ROUNDING: f64 = 1e-12;

fn is(value: f64, wanted: f64) -> bool {
    (value - wanted).abs() <= ROUNDING
}

/// A record over ids, of a case with reference ids and with grades.
fn outcome(
    id: &str,
    k: usize,
    ids: Option<&[&str]>,
    named: &[&str],
    grades: &[(&str, i32)],
) -> Outcome {
    let owned = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
    let case = TestCase {
        reference_context_ids: owned(named),
        relevance: grades.iter().map(|&(id, grade)| (id.to_owned(), grade)).collect(),
        ..TestCase::default()
    };
    let context = |&id: &&str| Context { id: Some(id.to_owned()), ..Context::default() };
    let contexts = ids.map(|ids| ids.iter().map(context).collect());
    let record = RunRecord { contexts, ..RunRecord::default() };
    let id = id.replace("_K", &format!("_{k}"));
    let metric = ragmeter_metrics::find(&id).expect("a metric of the table");
    metric.score(CaseRun { case: &case, record: &record }, &RecordFacts::default())
}

fn value(id: &str, k: usize, ids: &[&str], named: &[&str], grades: &[(&str, i32)]) -> f64 {
    outcome(id, k, Some(ids), named, grades).value().expect("a number")
}

#[test]
fn worked_values_over_ids() {
    // Relevant: a, b, c. Retrieved: x, a, b, y.
    let of = |id, k| value(id, k, &["x", "a", "b", "y"], &["a", "b", "c"], &[]);
    for (id, k, wanted) in [
        ("precision_at_K", 3, 2.0 / 3.0),
        ("precision_at_K", 10, 0.2),
        ("recall_at_K", 2, 1.0 / 3.0),
        ("recall_at_K", 4, 2.0 / 3.0),
        ("hit_rate_at_K", 1, 0.0),
        ("hit_rate_at_K", 2, 1.0),
        ("success_at_K", 2, 1.0),
        ("mrr", 0, 0.5),
        ("map", 0, (0.5 + 2.0 / 3.0) / 3.0),
        ("r_precision", 0, 2.0 / 3.0),
        ("bpref", 0, 2.0 / 3.0),
        ("context_precision_by_ids", 0, 0.5),
        ("context_recall_by_ids", 0, 2.0 / 3.0),
        ("err_at_K", 2, 1.0 / 16.0 / 2.0),
        ("err_at_K", 4, 1.0 / 16.0 / 2.0 + 15.0 / 16.0 / 16.0 / 3.0),
    ] {
        assert!(is(of(id, k), wanted), "{id} at {k}: {} against {wanted}", of(id, k));
    }
    let discount = |rank: f64| 1.0 / (rank + 1.0).log2();
    let ideal = discount(1.0) + discount(2.0) + discount(3.0);
    assert!(is(of("ndcg_at_K", 10), (discount(2.0) + discount(3.0)) / ideal));
}

#[test]
fn grades_count_where_there_are_some() {
    let grades = [("a", 3), ("b", 1), ("x", 0), ("n", -1)];
    let of = |id, k| value(id, k, &["x", "n", "b", "a"], &[], &grades);
    let gain = |grade: f64, rank: f64| grade / (rank + 1.0).log2();
    let ideal = gain(3.0, 1.0) + gain(1.0, 2.0);
    assert!(is(of("ndcg_at_K", 10), (gain(1.0, 3.0) + gain(3.0, 4.0)) / ideal));
    // The one judged not relevant stands above both.
    assert!(is(of("bpref", 0), 0.0));
    assert!(is(of("context_precision_by_ids", 0), 0.5));
    let stop = 7.0 / 16.0 * 15.0 / 16.0 / 4.0;
    assert!(is(of("err_at_K", 10), 1.0 / 16.0 / 3.0 + stop));
    // An id named as reference that has a grade keeps the grade; one without has grade 1.
    assert!(is(value("recall_at_K", 5, &["x", "a"], &["x", "c"], &grades), 1.0 / 3.0));
}

#[test]
fn a_repeated_id_counts_once_at_its_better_rank() {
    for id in by_ids() {
        let k = 3;
        let twice = value(id, k, &["x", "a", "x", "a", "b"], &["a", "b"], &[("x", 0)]);
        let once = value(id, k, &["x", "a", "b"], &["a", "b"], &[("x", 0)]);
        assert!(is(twice, once), "{id}: {twice} against {once}");
    }
}

#[test]
fn what_is_absent_is_no_number_and_nothing_retrieved_is_zero() {
    let why = |outcome: Outcome| match outcome {
        Outcome::NotApplicable(absent) => absent.reason,
        other => panic!("{other:?}"),
    };
    for id in by_ids() {
        let metric = ragmeter_metrics::find(&id.replace("_K", "_5")).expect("a metric");
        let of = |ids, named: &[&str], grades: &[(&str, i32)]| outcome(id, 5, ids, named, grades);
        assert!(is(of(Some(&[]), &["a"], &[]).value().expect("a number"), 0.0), "{id}");
        assert!(why(of(Some(&["a"]), &[], &[])).contains("no ids of relevant contexts"));
        assert!(why(of(Some(&["a"]), &[], &[("a", 0)])).contains("no context is relevant"));
        assert_eq!(why(of(None, &["a"], &[])), "the record has no contexts");
        let case = TestCase { reference_context_ids: vec!["a".to_owned()], ..TestCase::default() };
        let named = Context { id: Some("a".to_owned()), ..Context::default() };
        let nameless = Context { text: "A text.".to_owned(), ..Context::default() };
        let reason = |contexts: &[&Context]| {
            let contexts = Some(contexts.iter().map(|&one| one.clone()).collect());
            let record = RunRecord { contexts, ..RunRecord::default() };
            let run = CaseRun { case: &case, record: &record };
            why(metric.score(run, &RecordFacts::default()))
        };
        assert_eq!(reason(&[&nameless]), "the contexts have no ids");
        assert_eq!(reason(&[&named, &nameless]), "1 of 2 contexts have no id");
        // A system that failed before it retrieved anything retrieved nothing.
        let record = RunRecord { error: Some("timeout".to_owned()), ..RunRecord::default() };
        let failed =
            metric.score(CaseRun { case: &case, record: &record }, &RecordFacts::default());
        assert!(is(failed.value().expect("a number"), 0.0), "{id}");
    }
}

fn seen() -> impl Strategy<Value = Vec<Seen>> {
    let one = prop_oneof![
        3 => Just(Seen::Unpooled),
        1 => Just(Seen::Unjudged),
        4 => (0..5_u32).prop_map(Seen::Grade),
    ];
    prop::collection::vec(one, 0..40)
}

fn grades(seen: &[Seen], more: &[u32]) -> Vec<u32> {
    let grade = |one: &Seen| match one {
        Seen::Grade(grade) => Some(*grade),
        Seen::Unpooled | Seen::Unjudged => None,
    };
    seen.iter().filter_map(grade).chain(more.iter().copied()).collect()
}

fn values(measures: &[Measure], ranking: &Ranking) -> BTreeMap<String, f64> {
    let mut sums = Sums::new(measures);
    let values = sums.add(ranking);
    let named = measures.iter().zip(values);
    named.filter_map(|(measure, value)| Some((measure.to_string(), value?))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn every_measure_lies_between_0_and_1(
        seen in seen(), missed in prop::collection::vec(0..5_u32, 0..10), level in 1..4_u32
    ) {
        let ranking = Ranking::new(seen.clone(), grades(&seen, &missed), level);
        let measures = Measure::named(["all_trec", "err"]).expect("measures");
        for (name, value) in values(&measures, &ranking) {
            if name != "utility" && !name.starts_with("num_") {
                prop_assert!((0.0..=1.0 + ROUNDING).contains(&value), "{name}: {value}");
            }
        }
    }

    #[test]
    fn an_unjudged_document_below_all_others_changes_nothing_that_is_cut_off_above_it(
        seen in seen(), missed in prop::collection::vec(0..5_u32, 0..10)
    ) {
        let grades = grades(&seen, &missed);
        let ks: Vec<usize> = (1..=seen.len()).collect();
        let cut = ["P", "recall", "ndcg_cut", "map_cut", "relative_P", "success", "err"];
        let names = ks.iter().flat_map(|k| cut.map(|name| format!("{name}_{k}")));
        let whole = ["map", "recip_rank", "bpref", "ndcg", "iprec_at_recall", "11pt_avg", "infAP"];
        let names: Vec<String> = names.chain(whole.map(str::to_owned)).collect();
        let measures = Measure::named(names.iter().map(String::as_str)).expect("measures");
        let before = values(&measures, &Ranking::new(seen.clone(), grades.clone(), 1));
        let mut longer = seen;
        longer.push(Seen::Unpooled);
        prop_assert_eq!(before, values(&measures, &Ranking::new(longer, grades, 1)));
    }

    #[test]
    fn the_order_in_which_a_run_is_read_does_not_matter(
        (scores, order) in prop::collection::vec((0..6_i8, 0..4_i32), 1..30)
            .prop_flat_map(|all| {
                let order: Vec<usize> = (0..all.len()).collect();
                (Just(all), Just(order).prop_shuffle())
            })
    ) {
        let names: Vec<String> = (0..scores.len()).map(|at| format!("d{at:02}")).collect();
        let judged: Vec<(&str, i32)> =
            names.iter().zip(&scores).map(|(name, (_, grade))| (name.as_str(), *grade)).collect();
        let hit = |at: usize| Hit { document: &names[at], score: f32::from(scores[at].0) };
        let mut first: Vec<Hit<'_>> = (0..scores.len()).map(hit).collect();
        let mut then: Vec<Hit<'_>> = order.into_iter().map(hit).collect();
        let (first, then) =
            (Ranking::of_run(&mut first, &judged, 1), Ranking::of_run(&mut then, &judged, 1));
        prop_assert_eq!(first, then);
    }

    #[test]
    fn moving_a_relevant_document_up_never_lowers_a_measure(
        above in seen(), below in seen(), (worse, more) in (0..4_u32, 1..4_u32),
        missed in prop::collection::vec(0..5_u32, 0..4)
    ) {
        let at = above.len() + 1;
        let pair = [Seen::Grade(worse), Seen::Grade(worse + more)];
        let mut seen = [above, pair.to_vec(), below].concat();
        let grades = grades(&seen, &missed);
        let measures = Measure::named([
            "map", "recip_rank", "bpref", "ndcg", "ndcg_cut", "P", "recall", "Rprec", "success",
            "binG", "map_cut", "err", "infAP",
        ]).expect("measures");
        let before = values(&measures, &Ranking::new(seen.clone(), grades.clone(), 1));
        seen.swap(at - 1, at);
        let after = values(&measures, &Ranking::new(seen, grades, 1));
        for (name, value) in after {
            prop_assert!(value >= before[&name] - ROUNDING, "{name}: {value} < {}", before[&name]);
        }
    }
}
