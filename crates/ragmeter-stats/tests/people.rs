//! Agreement and correlation against statsmodels, krippendorff, scipy and scikit-learn;
//! `goldens/people.py` makes the file.

use ragmeter_stats::{
    Interval, Kappa, Order, Weights, alpha, alpha_interval, auc, kappa, kappa_interval,
    kappa_interval_clustered, pearson, spearman,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Goldens {
    kappa: Vec<KappaRow>,
    alpha: Vec<AlphaRow>,
    correlation: Vec<CorrelationRow>,
    auc: Vec<AucRow>,
}

#[derive(Deserialize)]
struct KappaRow {
    table: Vec<Vec<usize>>,
    weights: String,
    kappa: f64,
    se: f64,
}

#[derive(Deserialize)]
struct AlphaRow {
    units: Vec<Vec<usize>>,
    k: usize,
    alpha: f64,
}

#[derive(Deserialize)]
struct CorrelationRow {
    x: Vec<f64>,
    y: Vec<f64>,
    pearson: f64,
    pearson_interval: [f64; 2],
    spearman: f64,
    spearman_interval: [f64; 2],
}

#[derive(Deserialize)]
struct AucRow {
    low: Vec<f64>,
    high: Vec<f64>,
    auc: f64,
    interval: [f64; 2],
}

fn goldens() -> Goldens {
    serde_json::from_str(include_str!("../goldens/people.json")).expect("a committed file")
}

#[track_caller]
fn assert_near(ours: f64, theirs: f64, what: &str) {
    assert!((ours - theirs).abs() <= 1e-9, "{what}: {ours} against {theirs}");
}

#[track_caller]
fn assert_interval(ours: Option<Interval>, theirs: [f64; 2]) {
    let ours = ours.expect("an interval");
    assert_near(ours.low, theirs[0], "low");
    assert_near(ours.high, theirs[1], "high");
}

fn weights(name: &str) -> Weights {
    match name {
        "nominal" => Weights::Nominal,
        "linear" => Weights::Linear,
        "quadratic" => Weights::Quadratic,
        other => panic!("no weights {other}"),
    }
}

#[test]
fn kappa_and_its_error_are_statsmodels() {
    for row in goldens().kappa {
        let ours = kappa(&row.table, weights(&row.weights)).expect("defined");
        assert_near(ours.kappa, row.kappa, "kappa");
        assert_near(ours.standard_error, row.se, "standard error");
    }
}

#[test]
fn alpha_is_krippendorffs() {
    for row in goldens().alpha {
        assert_near(
            alpha(&row.units, row.k, Order::Nominal).expect("defined").alpha,
            row.alpha,
            "alpha",
        );
    }
}

#[test]
fn correlations_are_scipys() {
    for row in goldens().correlation {
        let pairs: Vec<(f64, f64)> = row.x.into_iter().zip(row.y).collect();
        let ours = pearson(&pairs, 0.95).expect("defined");
        assert_near(ours.value, row.pearson, "pearson");
        assert_interval(ours.interval, row.pearson_interval);
        let ours = spearman(&pairs, 0.95).expect("defined");
        assert_near(ours.value, row.spearman, "spearman");
        assert_interval(ours.interval, row.spearman_interval);
    }
}

#[test]
fn auc_is_scikit_learns_with_newcombes_interval() {
    for row in goldens().auc {
        let ours = auc(&row.low, &row.high, 0.95).expect("defined");
        assert_near(ours.value, row.auc, "AUC");
        assert_interval(ours.interval, row.interval);
        assert!(ours.interval.expect("an interval").width() > 0.0);
    }
}

#[test]
fn what_is_not_defined_is_not_a_number() {
    assert_eq!(kappa(&[], Weights::Nominal), None);
    assert_eq!(kappa(&[vec![0, 0], vec![0, 0]], Weights::Nominal), None);
    assert_eq!(kappa(&[vec![7, 0], vec![0, 0]], Weights::Nominal), None, "one label only");
    assert_eq!(kappa(&[vec![1, 2]], Weights::Nominal), None, "not square");
    assert_eq!(alpha(&[vec![0], vec![1]], 2, Order::Nominal), None, "no unit with two labels");
    assert_eq!(alpha(&[vec![0, 0], vec![0, 0]], 2, Order::Nominal), None, "one label only");
    assert_eq!(alpha(&[vec![0, 5]], 2, Order::Nominal), None, "no such label");
    assert_eq!(pearson(&[(1.0, 2.0), (1.0, 3.0)], 0.95), None, "one side does not vary");
    assert_eq!(spearman(&[(1.0, f64::NAN), (2.0, 3.0)], 0.95), None);
    assert_eq!(auc(&[], &[1.0], 0.95), None);
    let line = pearson(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)], 0.95).expect("defined");
    assert_near(line.value, 1.0, "a line");
    assert_eq!(line.interval, None, "an interval without width is none");
}

/// The table of items, for kappa from labels.
fn of_items(items: &[(usize, usize, usize)]) -> Kappa {
    let mut table = vec![vec![0; 2]; 2];
    for (left, right, _) in items {
        table[*left][*right] += 1;
    }
    kappa(&table, Weights::Nominal).expect("defined")
}

#[test]
fn perfect_agreement_keeps_an_interval_with_width() {
    let items: Vec<(usize, usize, usize)> = (0..20).map(|n| (n % 2, n % 2, n)).collect();
    let analytic = kappa_interval(&of_items(&items), 0.95).expect("twenty items");
    let drawn = kappa_interval_clustered(&items, 2, Weights::Nominal, 0.95, 1).expect("clusters");
    // w = 3.8415 / 23.8415 of unseen disagreement, over 1 − 0.5 of room beyond chance.
    for interval in [analytic, drawn] {
        assert_near(
            interval.low,
            1.0 - 2.0 * 3.841_458_820_694_124 / 23.841_458_820_694_124,
            "low",
        );
        assert_near(interval.high, 1.0, "high");
    }
    let units: Vec<Vec<usize>> = (0..20).map(|n| vec![n % 2; 2]).collect();
    let cluster: Vec<usize> = (0..20).collect();
    let interval =
        alpha_interval(&units, &cluster, (2, Order::Nominal), 0.95, 1).expect("clusters");
    assert!(interval.low < 0.8 && interval.high >= 1.0, "{interval:?}");
}

#[test]
fn few_clusters_give_no_interval() {
    let items: Vec<(usize, usize, usize)> = (0..90).map(|n| (n % 2, (n / 2) % 2, n % 9)).collect();
    assert_eq!(kappa_interval_clustered(&items, 2, Weights::Nominal, 0.95, 1), None);
    assert_eq!(kappa_interval(&of_items(&items[..9]), 0.95), None);
}

#[test]
fn items_that_repeat_within_a_cluster_do_not_narrow_the_interval() {
    let once: Vec<(usize, usize, usize)> =
        (0..40).map(|n| (n % 2, usize::from(n % 5 == 0) ^ (n % 2), n)).collect();
    let fourfold: Vec<(usize, usize, usize)> = once.iter().flat_map(|item| [*item; 4]).collect();
    let width = |items: &[(usize, usize, usize)]| {
        kappa_interval_clustered(items, 2, Weights::Nominal, 0.95, 3).expect("clusters").width()
    };
    assert_near(width(&once), width(&fourfold), "the same clusters, the same draws");
    // Independent items: the drawn interval and the analytic one tell the same story.
    let analytic = kappa_interval(&of_items(&once), 0.95).expect("items").width();
    assert!((width(&once) / analytic - 1.0).abs() < 0.15, "{} {analytic}", width(&once));
}

#[test]
fn the_drawn_interval_of_clustered_agreement_covers_it() {
    // 300 data sets of 60 clusters of 3 items: each cluster's judge is right with chance 0.9 or
    // 0.7, so items of a cluster go together; the true kappa is 2·0.8 − 1 with even labels.
    let mut state = 88_172_645_463_325_252_u64;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let covered = (0..300_u64)
        .filter(|&round| {
            let mut items = Vec::new();
            for cluster in 0..60 {
                let right = if uniform() < 0.5 { 0.9 } else { 0.7 };
                for _ in 0..3 {
                    let truth = usize::from(uniform() < 0.5);
                    items.push((if uniform() < right { truth } else { 1 - truth }, truth, cluster));
                }
            }
            kappa_interval_clustered(&items, 2, Weights::Nominal, 0.95, round)
                .expect("clusters")
                .contains(0.6)
        })
        .count();
    // Four standard errors of 95 % in 300 rounds are 5 points.
    assert!((270..=300).contains(&covered), "{covered} of 300");
}
