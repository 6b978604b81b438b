//! What must hold for any data, and how often the intervals hold the truth.
#![expect(
    clippy::float_cmp,
    reason = "symmetric and exactly known results are equal to the last bit"
)]

use proptest::prelude::*;
use ragmeter_stats::{holm, sign_flip, wilson_on_mean};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Scores as metrics give them: shares of a few claims, so that ties are common.
fn scores(at_least: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((0_u8..=4).prop_map(|quarters| f64::from(quarters) / 4.0), at_least..40)
}

fn differences() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-10_i8..=10).prop_map(|tenths| f64::from(tenths) / 10.0), 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn wilson_holds_the_mean_and_has_width(values in scores(1)) {
        let interval = wilson_on_mean(&values, 0.95).unwrap();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        prop_assert!(interval.contains(mean));
        prop_assert!(interval.width() > 0.0);
        prop_assert!(interval.low >= 0.0 && interval.high <= 1.0);
    }

    #[test]
    fn wilson_narrows_as_the_same_values_repeat(values in scores(1)) {
        let twice = [values.clone(), values.clone()].concat();
        let once = wilson_on_mean(&values, 0.95).unwrap().width();
        prop_assert!(wilson_on_mean(&twice, 0.95).unwrap().width() < once);
    }

    #[test]
    fn order_does_not_matter(mut values in differences(), seed in any::<u64>()) {
        let forwards = sign_flip(&values, 0.95, seed);
        values.reverse();
        prop_assert_eq!(forwards, sign_flip(&values, 0.95, seed));
        values.sort_by(f64::total_cmp);
        prop_assert_eq!(forwards, sign_flip(&values, 0.95, seed));
    }

    #[test]
    fn swapping_the_systems_negates_the_result(values in differences(), seed in any::<u64>()) {
        let ours = sign_flip(&values, 0.95, seed).unwrap();
        let negated: Vec<f64> = values.iter().map(|d| -d).collect();
        let theirs = sign_flip(&negated, 0.95, seed).unwrap();
        prop_assert_eq!(ours.p, theirs.p);
        prop_assert_eq!(ours.mean, -theirs.mean);
        // A sample that is its own mirror image is tested as it stands.
        if ours.mean != 0.0 {
            let swapped = theirs.interval.map(|i| (-i.high, -i.low));
            prop_assert_eq!(ours.interval.map(|i| (i.low, i.high)), swapped);
        }
    }

    #[test]
    fn interval_and_p_are_one_procedure(values in differences(), seed in any::<u64>()) {
        let result = sign_flip(&values, 0.95, seed).unwrap();
        prop_assert!(result.p > 0.0 && result.p <= 1.0);
        prop_assert!(result.p >= result.smallest_p);
        match result.interval {
            Some(interval) => {
                prop_assert!(interval.contains(result.mean));
                prop_assert!(interval.width() > 0.0 || values.len() > 1);
                prop_assert_eq!(result.p < 0.05, !interval.contains(0.0));
            }
            None => prop_assert!(result.smallest_p >= 0.05),
        }
    }

    #[test]
    fn holm_never_lowers_a_p_nor_changes_the_order(p in prop::collection::vec(0.0..=1.0, 0..20)) {
        let adjusted = holm(&p);
        for (before, after) in p.iter().zip(&adjusted) {
            prop_assert!(after >= before && *after <= 1.0);
        }
        for (left, right) in p.iter().zip(&adjusted) {
            for (other, other_adjusted) in p.iter().zip(&adjusted) {
                prop_assert!(left > other || right <= other_adjusted);
            }
        }
    }
}

#[test]
fn nothing_comes_from_nothing() {
    assert!(wilson_on_mean(&[], 0.95).is_none());
    assert!(wilson_on_mean(&[0.5, f64::NAN], 0.95).is_none());
    assert!(wilson_on_mean(&[0.5, 1.5], 0.95).is_none());
    assert!(wilson_on_mean(&[0.5], 1.0).is_none());
    assert!(sign_flip(&[], 0.95, 1).is_none());
    assert!(sign_flip(&[f64::NAN], 0.95, 1).is_none());
    assert!(sign_flip(&[2.0], 0.95, 1).is_none());
    assert!(holm(&[]).is_empty());
}

#[test]
fn one_score_says_little() {
    let interval = wilson_on_mean(&[1.0], 0.95).unwrap();
    assert!(interval.low < 0.21 && interval.high == 1.0);
}

#[test]
fn equal_differences_keep_a_width_and_their_side() {
    let none = sign_flip(&[0.0; 20], 0.95, 1).unwrap();
    assert_eq!(none.p, 1.0);
    let interval = none.interval.unwrap();
    assert_eq!(interval.low, -interval.high);
    assert!(interval.high > 0.15 && interval.high < 0.17, "z²/(n + z²) = 0.161");

    for (constant, n) in [(0.05, 8), (0.05, 40), (1.0, 20)] {
        let result = sign_flip(&vec![constant; n], 0.95, 1).unwrap();
        assert!(result.p < 0.05);
        let interval = result.interval.unwrap();
        assert!(interval.low > 0.0 && interval.high <= 1.0 && interval.width() > 0.0);
        assert!(interval.contains(constant));
    }
}

#[test]
fn six_pairs_are_the_fewest_that_can_show_anything() {
    let five = sign_flip(&[0.5, 0.4, 0.3, 0.2, 0.1], 0.95, 1).unwrap();
    assert_eq!((five.smallest_p, five.p, five.interval), (0.0625, 0.0625, None));
    let six = sign_flip(&[0.6, 0.5, 0.4, 0.3, 0.2, 0.1], 0.95, 1).unwrap();
    assert_eq!(six.p, 0.03125);
    assert!(six.interval.is_some_and(|interval| interval.low > 0.0));
}

/// A number in `[0, 1)`.
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// The share of four claims that are supported, each with this probability.
fn share_of_four(random: &mut ChaCha8Rng, probability: f64) -> f64 {
    (0..4).filter(|_| uniform(random) < probability).count() as f64 / 4.0
}

#[test]
fn wilson_covers_the_true_mean() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for (n, truth) in [(20, 0.5), (40, 0.8), (40, 0.95), (150, 0.9)] {
        let covered = (0..2_000).filter(|_| {
            let values: Vec<f64> =
                (0..n).map(|_| f64::from(uniform(&mut random) < truth)).collect();
            wilson_on_mean(&values, 0.95).is_some_and(|interval| interval.contains(truth))
        });
        let share = covered.count() as f64 / 2_000.0;
        assert!((0.92..=0.99).contains(&share), "n {n}, truth {truth}: {share}");
    }
}

#[test]
fn sign_flip_covers_the_true_difference_and_keeps_its_size() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    for (n, a, b) in [(12, 0.7, 0.7), (12, 0.9, 0.6), (14, 0.95, 0.95)] {
        let (mut covered, mut rejected) = (0, 0);
        for _ in 0..1_000 {
            let pairs: Vec<f64> = (0..n)
                .map(|_| share_of_four(&mut random, b) - share_of_four(&mut random, a))
                .collect();
            let result = sign_flip(&pairs, 0.95, 5).unwrap();
            covered += usize::from(result.interval.unwrap().contains(b - a));
            rejected += usize::from(result.p < 0.05);
        }
        assert!(covered >= 930, "n {n}, {a} against {b}: covered {covered} of 1000");
        assert!(a != b || rejected <= 65, "n {n}, {a}: rejected {rejected} of 1000");
    }
}
