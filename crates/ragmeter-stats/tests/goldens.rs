//! Values of scipy and statsmodels; `goldens/make.py` makes the file.

use ragmeter_stats::{holm, sign_flip, wilson_on_mean};
use serde::Deserialize;

#[derive(Deserialize)]
struct Goldens {
    wilson: Vec<Wilson>,
    sign_flip: Vec<Exact>,
    sign_flip_drawn: Vec<Drawn>,
    holm: Vec<Holm>,
}

#[derive(Deserialize)]
struct Wilson {
    values: Vec<f64>,
    level: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct Exact {
    differences: Vec<f64>,
    p: f64,
    low: Option<f64>,
    high: Option<f64>,
}

#[derive(Deserialize)]
struct Drawn {
    differences: Vec<f64>,
    p: f64,
}

#[derive(Deserialize)]
struct Holm {
    p: Vec<f64>,
    adjusted: Vec<f64>,
}

fn goldens() -> Goldens {
    serde_json::from_str(include_str!("../goldens/goldens.json")).expect("a committed file")
}

fn assert_near(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    assert!((ours - theirs).abs() <= tolerance, "{what}: {ours} against {theirs}");
}

#[test]
fn wilson_is_statsmodels() {
    for row in goldens().wilson {
        let ours = wilson_on_mean(&row.values, row.level).unwrap();
        assert_near(ours.low, row.low, 1e-10, "low");
        assert_near(ours.high, row.high, 1e-10, "high");
    }
}

#[test]
fn exact_p_is_scipys_and_the_interval_is_found_by_bisection_too() {
    for row in goldens().sign_flip {
        let ours = sign_flip(&row.differences, 0.95, 0).unwrap();
        assert!(ours.exact);
        assert_near(ours.p, row.p, 1e-12, "p");
        assert_eq!(ours.interval.is_some(), row.low.is_some(), "{:?}", row.differences);
        if let (Some(interval), Some(low), Some(high)) = (ours.interval, row.low, row.high) {
            assert_near(interval.low, low, 1e-8, "low");
            assert_near(interval.high, high, 1e-8, "high");
        }
    }
}

#[test]
fn drawn_p_meets_scipys_within_sampling_error() {
    for row in goldens().sign_flip_drawn {
        let ours = sign_flip(&row.differences, 0.95, 7).unwrap();
        assert!(!ours.exact);
        // Four standard errors of a share of 19,999 draws.
        let error = 4.0 * (row.p * (1.0 - row.p) / 19_999.0).sqrt();
        assert_near(ours.p, row.p, error, "p");
    }
}

#[test]
fn holm_is_statsmodels() {
    for row in goldens().holm {
        for (ours, theirs) in holm(&row.p).into_iter().zip(row.adjusted) {
            assert_near(ours, theirs, 1e-12, "adjusted p");
        }
    }
}
