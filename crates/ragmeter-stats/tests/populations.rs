//! Paired tests by population, margins, groups of documents and ranks, against the values of
//! `goldens/populations.py`, and what must hold for any data.
#![allow(clippy::float_cmp, reason = "symmetric results are equal to the last bit")]

use proptest::prelude::*;
use ragmeter_stats::{
    MarginVerdict, Population, Refusal, clusters, margin_test, paired_test, ranks,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Goldens {
    tests: Vec<Test>,
    equal: Vec<Equal>,
    lattice: Vec<Lattice>,
    components: Vec<Components>,
    ranks: Vec<RankRow>,
}

#[derive(Deserialize)]
struct Test {
    differences: Vec<f64>,
    labels: Option<Vec<usize>>,
    units: usize,
    mean: f64,
    p: f64,
    low: Option<f64>,
    high: Option<f64>,
    margins: Vec<Margin>,
}

#[derive(Deserialize)]
struct Margin {
    margin: f64,
    p_lower: f64,
    p_upper: f64,
    low: Option<f64>,
    high: Option<f64>,
}

#[derive(Deserialize)]
struct Equal {
    difference: f64,
    n: usize,
    p: Option<f64>,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct Lattice {
    differences: Vec<f64>,
    p: f64,
}

#[derive(Deserialize)]
struct Components {
    documents: Vec<Vec<String>>,
    groups: Vec<Vec<usize>>,
    merged: usize,
}

#[derive(Deserialize)]
struct RankRow {
    better: Vec<Vec<bool>>,
    best: Vec<usize>,
    worst: Vec<usize>,
    tied: Vec<Vec<usize>>,
}

fn goldens() -> Goldens {
    serde_json::from_str(include_str!("../goldens/populations.json")).expect("a committed file")
}

fn assert_near(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    assert!((ours - theirs).abs() <= tolerance, "{what}: {ours} against {theirs}");
}

fn population(labels: Option<&Vec<usize>>) -> Population {
    labels.map_or(Population::TheseDocuments, |_| Population::NewDocuments)
}

#[test]
fn enumerated_tests_and_margins_are_pythons() {
    for row in goldens().tests {
        let (labels, over) = (row.labels.as_deref(), population(row.labels.as_ref()));
        let ours = paired_test(&row.differences, labels, over, 0.95, 0).unwrap();
        assert!(ours.exact);
        assert_eq!((ours.units, ours.cases), (row.units, row.differences.len()));
        assert_near(ours.mean, row.mean, 1e-12, "mean");
        assert_near(ours.p, row.p, 1e-12, "p");
        let interval = ours.interval.unwrap();
        assert_near(interval.low, row.low.unwrap(), 1e-8, "low");
        assert_near(interval.high, row.high.unwrap(), 1e-8, "high");
        for golden in row.margins {
            let ours = margin_test(&row.differences, labels, over, golden.margin, 0.95, 0).unwrap();
            assert_near(ours.p_lower, golden.p_lower, 1e-9, "p of the lower margin");
            assert_near(ours.p_upper, golden.p_upper, 1e-9, "p of the upper margin");
            let interval = ours.interval.unwrap();
            assert_near(interval.low, golden.low.unwrap(), 1e-8, "low of 90 %");
            assert_near(interval.high, golden.high.unwrap(), 1e-8, "high of 90 %");
            let expected = match (golden.p_lower < 0.05, golden.p_upper < 0.05) {
                (true, true) => MarginVerdict::Equivalent,
                (true, false) => MarginVerdict::NonInferior,
                (false, _) => MarginVerdict::NotShown,
            };
            assert_eq!(ours.verdict, expected);
        }
    }
}

#[test]
fn equal_differences_leave_room_for_the_unseen() {
    for row in goldens().equal {
        let values = vec![row.difference; row.n];
        let ours = paired_test(&values, None, Population::TheseDocuments, 0.95, 3).unwrap();
        if let Some(p) = row.p {
            assert_near(ours.p, p, 1e-12, "p");
        }
        let interval = ours.interval.unwrap();
        assert_near(interval.low, row.low, 1e-9, "low");
        assert_near(interval.high, row.high, 1e-9, "high");
    }
}

#[test]
fn drawn_p_meets_the_exact_one_within_sampling_error() {
    for row in goldens().lattice {
        let ours =
            paired_test(&row.differences, None, Population::TheseDocuments, 0.95, 11).unwrap();
        assert!(!ours.exact);
        let error = 4.0 * (row.p * (1.0 - row.p) / 20_000.0).sqrt() + 1.0 / 20_000.0;
        assert_near(ours.p, row.p, error, "p");
    }
}

#[test]
fn groups_of_documents_are_networkxs() {
    for row in goldens().components {
        let ours = clusters(&row.documents);
        let mut groups = vec![Vec::new(); ours.count];
        for (case, &label) in ours.labels.iter().enumerate() {
            groups[label].push(case);
        }
        // Labels go by first appearance, so the groups are sorted already.
        assert_eq!(groups, row.groups);
        assert_eq!(ours.merged, row.merged);
        let without = row.documents.iter().filter(|documents| documents.is_empty()).count();
        assert_eq!(ours.without_document, without);
    }
}

#[test]
fn rank_ranges_and_tied_groups_are_networkxs() {
    for row in goldens().ranks {
        let ours = ranks(&row.better).unwrap();
        let expected: Vec<_> = row.best.into_iter().zip(row.worst).collect();
        assert_eq!(ours.ranges, expected);
        assert_eq!(ours.tied, row.tied);
        for (i, of_i) in ours.letters.iter().enumerate() {
            for (j, of_j) in ours.letters.iter().enumerate() {
                let tied = !row.better[i][j] && !row.better[j][i];
                assert_eq!(tied, of_i.chars().any(|letter| of_j.contains(letter)), "{i} and {j}");
            }
        }
    }
    assert!(ranks(&[vec![false, true], vec![true, false]]).is_none(), "each better than the other");
    assert!(ranks(&[vec![false, true]]).is_none(), "not square");
    assert_eq!(ranks(&[]).unwrap().ranges, []);
}

#[test]
fn what_cannot_be_said_is_refused_by_name() {
    let test = |values: &[f64], labels: Option<&[usize]>, population| {
        paired_test(values, labels, population, 0.95, 1).unwrap_err()
    };
    let nine: Vec<usize> = (0..27).map(|case| case % 9).collect();
    let few = test(&[0.1; 27], Some(&nine), Population::NewDocuments);
    assert_eq!(few, Refusal::FewClusters { clusters: 9, needed: 10 });
    assert!(few.to_string().starts_with("9 clusters of documents are too few"));
    assert_eq!(test(&[0.1; 27], None, Population::NewDocuments), Refusal::NoClusters);
    assert_eq!(test(&[], None, Population::TheseDocuments), Refusal::Empty);
    let off = test(&[0.1; 3], Some(&[0]), Population::TheseDocuments);
    assert_eq!(off, Refusal::Labels { values: 3, labels: 1 });
    assert!(matches!(
        test(&[0.0, f64::NAN], None, Population::TheseDocuments),
        Refusal::OutOfRange { at: 1, .. }
    ));
    let margin = |margin| margin_test(&[0.1; 9], None, Population::TheseDocuments, margin, 0.95, 1);
    assert!(margin(0.0).is_err() && margin(f64::NAN).is_err() && margin(1.5).is_err());
    assert!(paired_test(&[0.1], None, Population::TheseDocuments, 1.0, 1).is_err());
    // The same 27 cases say something about these documents.
    assert!(paired_test(&[0.1; 27], Some(&nine), Population::TheseDocuments, 0.95, 1).is_ok());
}

/// Differences with few values, and a label below 14 each; the first 14 have all labels.
fn clustered() -> impl Strategy<Value = (Vec<f64>, Vec<usize>)> {
    prop::collection::vec((-4_i8..=4, 0_usize..14), 14..60).prop_map(|cases| {
        let labels = cases.iter().enumerate().map(|(at, case)| if at < 14 { at } else { case.1 });
        (cases.iter().map(|case| f64::from(case.0) / 4.0).collect(), labels.collect())
    })
}

const BOTH: [Population; 2] = [Population::TheseDocuments, Population::NewDocuments];

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn swapping_order_and_names_change_nothing((values, labels) in clustered(), seed in any::<u64>()) {
        for population in BOTH {
            let ours = paired_test(&values, Some(&labels), population, 0.95, seed).unwrap();
            let negated: Vec<f64> = values.iter().map(|d| -d).collect();
            let swapped = paired_test(&negated, Some(&labels), population, 0.95, seed).unwrap();
            prop_assert_eq!(ours.p, swapped.p);
            prop_assert_eq!(ours.mean, -swapped.mean);
            if ours.mean != 0.0 {
                let (a, b) = (ours.interval.unwrap(), swapped.interval.unwrap());
                prop_assert_eq!((a.low, a.high), (-b.high, -b.low));
            }
            let backwards: Vec<f64> = values.iter().rev().copied().collect();
            let renamed: Vec<usize> = labels.iter().rev().map(|label| 1_000 - 7 * label).collect();
            prop_assert_eq!(ours, paired_test(&backwards, Some(&renamed), population, 0.95, seed).unwrap());
        }
    }

    #[test]
    fn interval_and_p_agree_and_the_level_widens((values, labels) in clustered(), seed in any::<u64>()) {
        for population in BOTH {
            let mut last: Option<ragmeter_stats::Interval> = None;
            for level in [0.5, 0.8, 0.9, 0.95, 0.99] {
                let ours = paired_test(&values, Some(&labels), population, level, seed).unwrap();
                let interval = ours.interval.unwrap();
                prop_assert!(interval.contains(ours.mean) && interval.width() > 0.0);
                prop_assert_eq!(ours.p < 1.0 - level, !interval.contains(0.0));
                if let Some(narrower) = last {
                    prop_assert!(interval.low <= narrower.low && interval.high >= narrower.high);
                }
                last = Some(interval);
            }
        }
    }

    #[test]
    fn margins_are_read_off_the_interval(
        (values, labels) in clustered(), margin in 0.011_f64..0.9, equal in any::<bool>(), seed in any::<u64>(),
    ) {
        let values = if equal { vec![values[0]; values.len()] } else { values };
        for population in BOTH {
            let ours = margin_test(&values, Some(&labels), population, margin, 0.95, seed).unwrap();
            let interval = ours.interval.unwrap();
            // Away from a tie, where the last bit decides.
            if (interval.low + margin).abs() > 1e-9 {
                prop_assert_eq!(ours.p_lower < 0.05, interval.low > -margin);
            }
            if (interval.high - margin).abs() > 1e-9 {
                prop_assert_eq!(ours.p_upper < 0.05, interval.high < margin);
            }
            prop_assert!(ours.p_lower >= ours.smallest_p && ours.p_lower <= 1.0);
            let negated: Vec<f64> = values.iter().map(|d| -d).collect();
            let swapped = margin_test(&negated, Some(&labels), population, margin, 0.95, seed).unwrap();
            prop_assert_eq!((ours.p_lower, ours.p_upper), (swapped.p_upper, swapped.p_lower));
        }
    }

    #[test]
    fn clusters_of_one_case_are_cases(values in prop::collection::vec(-4_i8..=4, 10..40), seed in any::<u64>()) {
        let values: Vec<f64> = values.into_iter().map(|quarters| f64::from(quarters) / 4.0).collect();
        let labels: Vec<usize> = (0..values.len()).collect();
        let these = paired_test(&values, None, Population::TheseDocuments, 0.95, seed).unwrap();
        let new = paired_test(&values, Some(&labels), Population::NewDocuments, 0.95, seed).unwrap();
        prop_assert_eq!((these.p, these.interval), (new.p, new.interval));
    }
}
