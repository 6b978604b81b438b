//! What judge cards are made of, against scipy, statsmodels, scikit-learn and krippendorff;
//! `goldens/judge.py` makes the file.

use proptest::prelude::*;
use ragmeter_stats::{Order, alpha, alpha_interval, calibration, mcnemar};
use serde::Deserialize;

#[derive(Deserialize)]
struct Goldens {
    mcnemar: Vec<McNemarRow>,
    alpha: Vec<AlphaRow>,
    calibration: Vec<CalibrationRow>,
}

#[derive(Deserialize)]
struct McNemarRow {
    table: [usize; 4],
    p: f64,
}

#[derive(Deserialize)]
struct AlphaRow {
    units: Vec<Vec<usize>>,
    k: usize,
    alpha: f64,
}

#[derive(Deserialize)]
struct CalibrationRow {
    p: Vec<f64>,
    y: Vec<bool>,
    bins: usize,
    brier: f64,
    ece: f64,
    counts: Vec<usize>,
}

fn goldens() -> Goldens {
    serde_json::from_str(include_str!("../goldens/judge.json")).expect("a committed file")
}

#[track_caller]
fn assert_near(ours: f64, theirs: f64, what: &str) {
    // Relative where the value is tiny: tails of McNemar's test are.
    let close = (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1e-300);
    assert!(close || (ours - theirs).abs() < 1e-12, "{what}: {ours} against {theirs}");
}

fn pairs([both, first, second, neither]: [usize; 4]) -> Vec<(bool, bool)> {
    [
        (both, (true, true)),
        (first, (true, false)),
        (second, (false, true)),
        (neither, (false, false)),
    ]
    .into_iter()
    .flat_map(|(count, pair)| std::iter::repeat_n(pair, count))
    .collect()
}

#[test]
fn mcnemars_test_is_the_exact_one_of_statsmodels_and_scipy() {
    for row in goldens().mcnemar {
        let ours = mcnemar(&pairs(row.table));
        assert_eq!([ours.both, ours.only_first, ours.only_second, ours.neither], row.table);
        let relative = (ours.p - row.p).abs() / row.p;
        assert!(relative < 1e-8, "{:?}: {} against {}", row.table, ours.p, row.p);
    }
}

#[test]
fn alpha_of_ordered_labels_is_krippendorffs() {
    for row in goldens().alpha {
        let ours = alpha(&row.units, row.k, Order::Ordinal).expect("defined");
        assert_near(ours.alpha, row.alpha, "ordinal alpha");
        if row.k > 2 {
            let nominal = alpha(&row.units, row.k, Order::Nominal).expect("defined");
            assert!((nominal.alpha - ours.alpha).abs() > 1e-3, "the order makes a difference");
        }
    }
}

#[test]
fn brier_and_calibration_error_are_scikit_learns_and_numpys() {
    for row in goldens().calibration {
        let pairs: Vec<(f64, bool)> = row.p.into_iter().zip(row.y).collect();
        let ours = calibration(&pairs, row.bins).expect("defined");
        assert_near(ours.brier, row.brier, "Brier");
        assert_near(ours.ece, row.ece, "calibration error");
        let counts: Vec<usize> = ours.bins.iter().map(|bin| bin.n).collect();
        assert_eq!(counts, row.counts, "0, 1/2 and 1 are in a bin");
    }
    assert_eq!(calibration(&[], 10), None);
    assert_eq!(calibration(&[(0.5, true)], 0), None);
    assert_eq!(calibration(&[(f64::NAN, true)], 10), None);
    assert_eq!(calibration(&[(1.5, true)], 10), None);
}

/// Units of two or three labels below 3, two units a cluster.
fn labelled() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0_usize..3, 2..4), 30..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn mcnemar_does_not_ask_who_is_first(table in prop::array::uniform4(0_usize..60)) {
        let [both, first, second, neither] = table;
        let one = mcnemar(&pairs(table));
        let other = mcnemar(&pairs([neither, second, first, both]));
        prop_assert!((one.p - other.p).abs() < 1e-12);
        prop_assert!(one.p > 0.0 && one.p <= 1.0);
        // Units on which both agree say nothing.
        let more = mcnemar(&pairs([both + 5, first, second, neither]));
        prop_assert!((one.p - more.p).abs() < 1e-15);
        prop_assert!(first != second || one.p > 1.0 - 1e-9);
    }

    #[test]
    fn an_interval_of_alpha_holds_it_and_has_width(units in labelled(), seed in 0_u64..9) {
        let cluster: Vec<usize> = (0..units.len()).map(|unit| unit / 2).collect();
        for order in [Order::Nominal, Order::Ordinal] {
            let Some(at) = alpha(&units, 3, order) else { continue };
            prop_assert!(at.alpha <= 1.0 && at.alpha.is_finite());
            let Some(interval) = alpha_interval(&units, &cluster, (3, order), 0.95, seed) else {
                continue;
            };
            prop_assert!(interval.contains(at.alpha) && interval.width() > 0.0);
            let again = alpha_interval(&units, &cluster, (3, order), 0.95, seed);
            prop_assert_eq!(again, Some(interval), "the seed decides");
        }
    }

    #[test]
    fn full_agreement_is_one_whatever_the_order(labels in prop::collection::vec(0_usize..4, 12..40)) {
        let units: Vec<Vec<usize>> = labels.iter().map(|label| vec![*label; 3]).collect();
        for order in [Order::Nominal, Order::Ordinal] {
            if let Some(at) = alpha(&units, 4, order) {
                prop_assert!((at.alpha - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn calibration_loses_no_probability(
        pairs in prop::collection::vec((0_u32..=100, any::<bool>()), 1..80), bins in 1_usize..20,
    ) {
        let pairs: Vec<(f64, bool)> =
            pairs.into_iter().map(|(percent, y)| (f64::from(percent) / 100.0, y)).collect();
        let found = calibration(&pairs, bins).unwrap();
        prop_assert_eq!(found.bins.iter().map(|bin| bin.n).sum::<usize>(), pairs.len());
        prop_assert!((0.0..=1.0).contains(&found.ece) && (0.0..=1.0).contains(&found.brier));
        let sure: Vec<(f64, bool)> =
            pairs.iter().map(|(_, y)| (f64::from(u8::from(*y)), *y)).collect();
        let sure = calibration(&sure, bins).unwrap();
        prop_assert!(sure.ece < 1e-12 && sure.brier < 1e-12);
    }
}
