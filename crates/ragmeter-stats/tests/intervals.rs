//! Default intervals, betting, the bootstrap and cases needed, against the values of
//! `goldens/intervals.py`, and what must hold for any data.

use proptest::prelude::*;
use ragmeter_stats::{
    Aim, Design, Method, Population, Refusal, bca_of, betting_in_order, cases_needed,
    design_effect, mean_interval, paired_test, ratio_interval, standard_deviation,
    unbounded_mean_interval,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Goldens {
    wilson: Vec<Wilson>,
    betting: Vec<Betting>,
    bca: Vec<Bca>,
    student: Vec<Student>,
    cases: Vec<Cases>,
    design: Vec<DesignRow>,
}

#[derive(Deserialize)]
struct Wilson {
    values: Vec<f64>,
    labels: Option<Vec<usize>>,
    level: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct Betting {
    values: Vec<f64>,
    level: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct Bca {
    above: Vec<f64>,
    below: Vec<f64>,
    indices: Vec<Vec<usize>>,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct Student {
    values: Vec<f64>,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct Cases {
    aim: String,
    sd: f64,
    size: f64,
    cases: u64,
}

#[derive(Deserialize)]
struct DesignRow {
    values: Vec<f64>,
    labels: Vec<usize>,
    effect: f64,
}

fn goldens() -> Goldens {
    serde_json::from_str(include_str!("../goldens/intervals.json")).expect("a committed file")
}

fn assert_near(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    assert!((ours - theirs).abs() <= tolerance, "{what}: {ours} against {theirs}");
}

#[test]
fn default_intervals_are_statsmodels_wilson_with_the_effective_number() {
    for row in goldens().wilson {
        let (population, method) = match row.labels {
            None => (Population::TheseDocuments, Method::Wilson),
            Some(_) => (Population::NewDocuments, Method::WilsonClustered),
        };
        let ours =
            mean_interval(&row.values, row.labels.as_deref(), population, row.level, 0).unwrap();
        assert_eq!(ours.method, method);
        assert_near(ours.interval.low, row.low, 1e-7, "low");
        assert_near(ours.interval.high, row.high.min(1.0), 1e-7, "high");
    }
}

#[test]
fn betting_is_the_published_definition() {
    for row in goldens().betting {
        let ours = betting_in_order(&row.values, row.level).unwrap();
        assert_near(ours.low, row.low, 1e-8, "low");
        assert_near(ours.high, row.high, 1e-8, "high");
    }
}

#[test]
fn bca_is_scipys_with_the_same_resamples() {
    for row in goldens().bca {
        let pairs: Vec<(f64, f64)> = row.above.into_iter().zip(row.below).collect();
        let ours = bca_of(&pairs, &row.indices, 0.95).unwrap();
        assert_near(ours.low, row.low, 1e-9, "low");
        assert_near(ours.high, row.high, 1e-9, "high");
        assert!(bca_of(&pairs, &[vec![pairs.len()]], 0.95).is_none(), "no such unit");
    }
}

#[test]
fn few_unbounded_numbers_take_scipys_t() {
    for row in goldens().student {
        let ours = unbounded_mean_interval(&row.values, None, Population::TheseDocuments, 0.95, 0)
            .unwrap();
        assert_eq!(ours.method, Method::StudentT);
        assert_near(ours.interval.low, row.low, 1e-6, "low");
        assert_near(ours.interval.high, row.high, 1e-6, "high");
    }
}

#[test]
fn cases_needed_are_those_of_the_noncentral_t_within_two() {
    for row in goldens().cases {
        let aim = match row.aim.as_str() {
            "detect" => Aim::Detect(row.size),
            "non_inferior" => Aim::NonInferior(row.size),
            "equivalent" => Aim::Equivalent(row.size),
            _ => Aim::HalfWidth(row.size),
        };
        let ours = cases_needed(aim, row.sd, 0.8, 0.95, None).unwrap();
        assert!(ours.cases.abs_diff(row.cases) <= 2, "{aim:?}: {ours:?} against {}", row.cases);
        assert!(!ours.by_smallest_p && ours.clusters.is_none());
    }
}

#[test]
fn cases_needed_know_clusters_and_the_smallest_p() {
    // No spread to speak of: still six units, the fewest with a p below .05.
    let tiny = cases_needed(Aim::Detect(0.5), 0.01, 0.8, 0.95, None).unwrap();
    assert_eq!((tiny.cases, tiny.by_smallest_p), (6, true));
    let six = paired_test(&[0.5; 6], None, Population::TheseDocuments, 0.95, 1).unwrap();
    assert!(six.smallest_p < 0.05);
    let five = paired_test(&[0.5; 5], None, Population::TheseDocuments, 0.95, 1).unwrap();
    assert!(five.smallest_p >= 0.05);
    let alone = cases_needed(Aim::NonInferior(0.05), 0.3, 0.8, 0.95, None).unwrap();
    let design = Design { effect: 2.5, cases_per_cluster: 5.0 };
    let together = cases_needed(Aim::NonInferior(0.05), 0.3, 0.8, 0.95, Some(design)).unwrap();
    assert!(together.cases.abs_diff((alone.cases as f64 * 2.5) as u64) <= 2);
    assert_eq!(together.clusters, Some(together.cases.div_ceil(5)));
    let few = cases_needed(Aim::Detect(0.5), 0.01, 0.8, 0.95, Some(design)).unwrap();
    assert_eq!((few.cases, few.clusters, few.by_smallest_p), (50, Some(10), true));
    assert!(cases_needed(Aim::Detect(0.0), 0.1, 0.8, 0.95, None).is_err());
    assert!(cases_needed(Aim::Detect(0.1), 0.0, 0.8, 0.95, None).is_err());
    assert!(cases_needed(Aim::Detect(0.1), f64::NAN, 0.8, 0.95, None).is_err());
    assert!(cases_needed(Aim::Detect(0.1), 0.1, 1.0, 0.95, None).is_err());
}

#[test]
fn the_design_effect_is_that_of_statsmodels_variances() {
    for row in goldens().design {
        let ours = design_effect(&row.values, &row.labels).unwrap();
        assert_near(ours.effect, row.effect, 1e-9, "design effect");
    }
    assert!(design_effect(&[0.1, 0.2], &[0, 1]).is_none(), "no cluster of two");
    assert!(design_effect(&[0.1, 0.1], &[0, 0]).is_none(), "one cluster");
    assert_eq!(standard_deviation(&[1.0]), None);
    assert_near(standard_deviation(&[0.0, 1.0]).unwrap(), 0.5_f64.sqrt(), 1e-12, "sd");
}

#[test]
fn the_method_follows_from_numbers_and_population_alone() {
    let method = |values: &[f64]| {
        mean_interval(values, None, Population::TheseDocuments, 0.95, 1).unwrap().method
    };
    assert_eq!(method(&[1.0; 9]), Method::Betting);
    assert_eq!(method(&[1.0; 10]), Method::Wilson);
    assert_eq!(method(&[0.2; 10]), Method::Wilson);
    let spread: Vec<f64> = (0..60).map(f64::from).collect();
    let unbounded =
        |values: &[f64]| unbounded_mean_interval(values, None, Population::TheseDocuments, 0.95, 1);
    assert_eq!(unbounded(&spread[..49]).unwrap().method, Method::StudentT);
    assert_eq!(unbounded(&spread[..50]).unwrap().method, Method::Bca);
    assert_eq!(unbounded(&[7.0; 80]), Err(Refusal::NoSpread { n: 80 }));
    assert_eq!(unbounded(&[7.0]), Err(Refusal::NoSpread { n: 1 }));
    let nothing = ratio_interval(&[1.0; 3], &[0.0; 3], None, Population::TheseDocuments, 0.95, 1);
    assert!(matches!(nothing, Err(Refusal::Argument { .. })));
    assert!(mean_interval(&[1.2; 30], None, Population::TheseDocuments, 0.95, 1).is_err());
    for method in
        [Method::Betting, Method::Wilson, Method::WilsonClustered, Method::StudentT, Method::Bca]
    {
        let (english, russian) = method.rule();
        assert!(english.is_ascii() && !russian.is_ascii() && !method.name().is_empty());
    }
}

fn scores() -> impl Strategy<Value = (Vec<f64>, Vec<usize>)> {
    prop::collection::vec((0_u8..=4, 0_usize..12), 12..70).prop_map(|cases| {
        let labels = cases.iter().enumerate().map(|(at, case)| if at < 12 { at } else { case.1 });
        (cases.iter().map(|case| f64::from(case.0) / 4.0).collect(), labels.collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn intervals_have_width_inside_the_unit_and_widen(
        (values, labels) in scores(), equal in any::<bool>(), few in 1_usize..12, seed in any::<u64>(),
    ) {
        let values = if equal { vec![values[0]; values.len()] } else { values };
        for population in [Population::TheseDocuments, Population::NewDocuments] {
            let mut last: Option<ragmeter_stats::Interval> = None;
            for level in [0.5, 0.9, 0.99] {
                let ours = mean_interval(&values, Some(&labels), population, level, seed).unwrap();
                let interval = ours.interval;
                prop_assert!(interval.low >= 0.0 && interval.high <= 1.0 && interval.width() > 1e-6);
                prop_assert!(interval.contains(ours.mean));
                if let Some(narrower) = last {
                    prop_assert!(interval.low <= narrower.low && interval.high >= narrower.high);
                }
                last = Some(interval);
            }
            // Seen the other way round, faults in place of successes, it is the same.
            let ours = mean_interval(&values, Some(&labels), population, 0.95, seed).unwrap();
            let faults: Vec<f64> = values.iter().map(|value| 1.0 - value).collect();
            let other = mean_interval(&faults, Some(&labels), population, 0.95, seed).unwrap();
            prop_assert!((ours.interval.low - (1.0 - other.interval.high)).abs() < 1e-9);
            let backwards: Vec<f64> = values.iter().rev().copied().collect();
            let renamed: Vec<usize> = labels.iter().rev().map(|label| 500 - 3 * label).collect();
            let reversed = mean_interval(&backwards, Some(&renamed), population, 0.95, seed).unwrap();
            prop_assert!((ours.interval.low - reversed.interval.low).abs() < 1e-12);
        }
        let few = mean_interval(&values[..few.min(9)], None, Population::TheseDocuments, 0.95, seed).unwrap();
        prop_assert_eq!(few.method, Method::Betting);
        prop_assert!(few.interval.low >= 0.0 && few.interval.high <= 1.0 && few.interval.width() > 0.0);
    }

    #[test]
    fn a_ratio_does_not_depend_on_order_nor_scale(cases in prop::collection::vec((0_u8..5, 1_u8..5), 12..70), seed in any::<u64>()) {
        let above: Vec<f64> = cases.iter().map(|case| f64::from(case.0)).collect();
        let below: Vec<f64> = cases.iter().map(|case| f64::from(case.1)).collect();
        let interval = |above: &[f64], below: &[f64]| {
            ratio_interval(above, below, None, Population::TheseDocuments, 0.95, seed)
        };
        if let Ok(ours) = interval(&above, &below) {
            prop_assert!(ours.interval.width() > 0.0 && ours.interval.contains(ours.mean));
            let reversed = |values: &[f64]| values.iter().rev().copied().collect::<Vec<f64>>();
            prop_assert_eq!(ours, interval(&reversed(&above), &reversed(&below)).unwrap());
            let doubled: Vec<f64> = above.iter().map(|value| value * 2.0).collect();
            let twice = interval(&doubled, &below).unwrap();
            prop_assert!((twice.interval.low - ours.interval.low * 2.0).abs() < 1e-9);
        } else {
            prop_assert!(cases.iter().all(|case| case.0 * cases[0].1 == cases[0].0 * case.1));
        }
    }
}
