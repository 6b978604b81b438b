//! Verdicts on pairs: scipy's values (`goldens/preference.py` makes the file), and what must hold
//! for any verdicts.
#![expect(clippy::float_cmp, reason = "what is the same is the same to the last bit")]

use proptest::prelude::*;
use ragmeter_stats::{Population, Refusal, Standing, bradley_terry, sign_test, standings};
use serde::Deserialize;

#[derive(Deserialize)]
struct Goldens {
    sign_tests: Vec<Sign>,
    tables: Vec<Table>,
    of_two: Vec<OfTwo>,
    of_three: OfThree,
}

#[derive(Deserialize)]
struct Sign {
    wins: u64,
    losses: u64,
    p: f64,
}

#[derive(Deserialize)]
struct Table {
    wins: Vec<Vec<f64>>,
    strengths: Vec<f64>,
}

#[derive(Deserialize)]
struct OfTwo {
    wins: usize,
    losses: usize,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct OfThree {
    cases: Vec<Vec<Option<f64>>>,
    strengths: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

fn goldens() -> Goldens {
    serde_json::from_str(include_str!("../goldens/preference.json")).expect("a committed file")
}

#[track_caller]
fn assert_near(ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours - theirs).abs() <= tolerance, "{ours} against {theirs}");
}

fn of_cases(cases: &[Vec<Option<f64>>], systems: usize) -> Vec<Standing> {
    standings(cases, systems, None, Population::TheseDocuments, 0.95, 7).expect("there are cases")
}

#[test]
fn the_sign_test_is_scipys() {
    for row in goldens().sign_tests {
        assert_near(sign_test(row.wins, row.losses), row.p, 1e-12);
        assert_eq!(sign_test(row.wins, row.losses), sign_test(row.losses, row.wins));
    }
    assert_eq!(sign_test(0, 0), 1.0);
}

#[test]
fn strengths_are_the_maximum_that_scipy_finds() {
    for row in goldens().tables {
        let ours = bradley_terry(&row.wins).expect("a square of counts");
        for (ours, theirs) in ours.iter().zip(row.strengths) {
            assert_near(*ours, theirs, 1e-8);
        }
        assert_near(ours.iter().sum(), 0.0, 1e-9);
    }
}

#[test]
fn two_systems_have_jeffreys_interval() {
    for row in goldens().of_two {
        let cases = [vec![vec![Some(1.0)]; row.wins], vec![vec![Some(0.0)]; row.losses]].concat();
        let ours = of_cases(&cases, 2);
        // Four standard errors of a quantile of 4,999 draws, as the draws lie.
        assert_near(ours[0].interval.low, row.low, 0.02);
        assert_near(ours[0].interval.high, row.high, 0.02);
        assert_near(ours[1].interval.low, 1.0 - row.high, 0.02);
    }
}

#[test]
fn three_systems_have_the_interval_that_numpy_draws() {
    let golden = goldens().of_three;
    for (at, ours) in of_cases(&golden.cases, 3).iter().enumerate() {
        assert_near(ours.strength, golden.strengths[at], 1e-8);
        assert_near(ours.interval.low, golden.low[at], 0.012);
        assert_near(ours.interval.high, golden.high[at], 0.012);
    }
}

#[test]
fn a_system_that_wins_everything_is_strong_and_not_infinite() {
    // System 0 wins every case against 1 and 2, which tie.
    let cases = vec![vec![Some(1.0), Some(1.0), Some(0.5)]; 30];
    let ours = of_cases(&cases, 3);
    assert!(ours[0].strength.is_finite() && ours[0].win_probability > 0.9, "{ours:?}");
    for one in &ours {
        assert!(one.interval.width() > 0.0, "{one:?}");
        assert!(0.0 < one.interval.low && one.interval.high < 1.0, "{one:?}");
    }
    assert_near(ours[1].strength, ours[2].strength, 1e-9);
    // More cases, more certainty.
    let more = of_cases(&vec![cases[0].clone(); 300], 3);
    assert!(more[0].interval.low > ours[0].interval.low);
}

#[test]
fn new_documents_weigh_whole_clusters_and_need_ten() {
    let cases: Vec<Vec<Option<f64>>> =
        (0..60).map(|at| vec![Some(f64::from(at / 5 % 2))]).collect();
    let labels: Vec<usize> = (0..60).map(|at| at / 5).collect();
    let of =
        |labels: &[usize]| standings(&cases, 2, Some(labels), Population::NewDocuments, 0.95, 7);
    let clustered = of(&labels).expect("twelve clusters")[0].interval;
    let apart = of_cases(&cases, 2)[0].interval;
    assert!(clustered.width() > 1.5 * apart.width(), "{clustered:?} {apart:?}");
    let nine: Vec<usize> = labels.iter().map(|label| (*label).min(8)).collect();
    assert_eq!(of(&nine), Err(Refusal::FewClusters { clusters: 9, needed: 10 }));
    let none = standings(&cases, 2, None, Population::NewDocuments, 0.95, 7);
    assert_eq!(none, Err(Refusal::NoClusters));
}

#[test]
fn what_is_no_count_of_wins_has_no_strengths() {
    assert_eq!(bradley_terry(&[vec![0.0]]), None);
    assert_eq!(bradley_terry(&[vec![0.0, 1.0], vec![1.0]]), None);
    assert_eq!(bradley_terry(&[vec![0.0, -1.0], vec![1.0, 0.0]]), None);
    assert_eq!(bradley_terry(&[vec![0.0, f64::NAN], vec![1.0, 0.0]]), None);
    let of =
        |cases: &[Vec<Option<f64>>]| standings(cases, 2, None, Population::TheseDocuments, 0.95, 7);
    assert_eq!(of(&[]), Err(Refusal::Empty));
    assert!(matches!(of(&[vec![Some(1.5)]]), Err(Refusal::OutOfRange { at: 0, .. })));
}

fn verdict() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![Just(None), Just(Some(0.0)), Just(Some(0.5)), Just(Some(1.0))]
}

fn verdicts() -> impl Strategy<Value = Vec<Vec<Option<f64>>>> {
    prop::collection::vec(prop::collection::vec(verdict(), 3), 1..30)
}

/// The same verdicts with the systems in another order: `order[new]` is the old place.
fn reordered(cases: &[Vec<Option<f64>>], order: [usize; 3]) -> Vec<Vec<Option<f64>>> {
    let pairs = [(0, 1), (0, 2), (1, 2)];
    let of = |row: &Vec<Option<f64>>, (i, j): (usize, usize)| {
        let (i, j) = (order[i], order[j]);
        let at = |pair| pairs.iter().position(|known| *known == pair).expect("a pair");
        if i < j { row[at((i, j))] } else { row[at((j, i))].map(|first| 1.0 - first) }
    };
    cases.iter().map(|row| pairs.iter().map(|&pair| of(row, pair)).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_the_cases_does_not_matter(cases in verdicts(), at in any::<usize>()) {
        let mut turned = cases.clone();
        turned.rotate_left(at % cases.len());
        turned.reverse();
        prop_assert_eq!(of_cases(&cases, 3), of_cases(&turned, 3));
    }

    #[test]
    fn the_order_of_the_systems_does_not_matter(cases in verdicts()) {
        let before = of_cases(&cases, 3);
        let order = [2, 0, 1];
        let after = of_cases(&reordered(&cases, order), 3);
        for (new, old) in order.into_iter().enumerate() {
            prop_assert!((after[new].strength - before[old].strength).abs() < 1e-9);
            // Drawn anew: the same within the error of drawing.
            prop_assert!((after[new].interval.low - before[old].interval.low).abs() < 0.04);
            prop_assert!((after[new].interval.high - before[old].interval.high).abs() < 0.04);
        }
    }

    #[test]
    fn intervals_hold_the_estimate_and_have_width(cases in verdicts()) {
        for one in of_cases(&cases, 3) {
            prop_assert!(one.interval.contains(one.win_probability));
            prop_assert!(one.interval.width() > 0.0);
            prop_assert!(one.strength.is_finite());
        }
    }

    #[test]
    fn one_more_win_makes_stronger(
        counts in prop::collection::vec(0_u8..20, 9), winner in 0_usize..3, over in 1_usize..3,
    ) {
        let mut wins: Vec<Vec<f64>> =
            counts.chunks(3).map(|row| row.iter().map(|count| f64::from(*count)).collect()).collect();
        let before = bradley_terry(&wins).unwrap();
        wins[winner][(winner + over) % 3] += 1.0;
        prop_assert!(bradley_terry(&wins).unwrap()[winner] > before[winner]);
    }
}
