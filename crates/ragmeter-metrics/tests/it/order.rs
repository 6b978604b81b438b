//! Order: what a metric says must not depend on the place at which a judge was shown, or gave, an
//! item, but for the metrics that measure ranks. Holds for every metric of the table that takes
//! facts of judges; one that measures ranks needs a line in [`OF_RANKS`].

use proptest::prelude::*;
use ragmeter_metrics::Metric;

use crate::drawn::{AXES, Axis, judged, list, metrics, some_records};
use crate::records::Judged;

/// Metrics that depend on an order, with its axis. Average precision measures the ranking of the
/// contexts; a citation names a context by its rank.
const OF_RANKS: [(&str, &str); 4] = [
    ("context_precision", "contexts"),
    ("context_precision_without_reference", "contexts"),
    ("citation_precision", "contexts"),
    ("citation_recall", "contexts"),
];

/// Sums in another order may differ in the last digits.
const ROUNDING: f64 = 1e-12;

fn is_of_ranks(metric: &Metric, axis: &Axis) -> bool {
    OF_RANKS.contains(&(metric.id.as_str(), axis.name))
}

/// The items in the order of the keys that stand at their places.
fn moved<T: Clone>(items: &[T], keys: &[u8]) -> Vec<T> {
    let mut places: Vec<usize> = (0..items.len()).collect();
    places.sort_by_key(|place| (keys[place % keys.len()], *place));
    places.into_iter().map(|place| items[place].clone()).collect()
}

/// The same record with the items of an axis in another order.
fn reordered(before: &Judged, axis: &Axis, keys: &[u8]) -> Judged {
    let mut kept = before.kept();
    for (name, fact) in &mut kept {
        if axis.rows.contains(&name.as_str()) {
            let rows = list(fact).unwrap_or_else(|| panic!("{name} is no list"));
            *rows = moved(rows, keys);
        }
        if axis.columns.contains(&name.as_str()) {
            for row in list(fact).into_iter().flatten().filter_map(|row| row.as_array_mut()) {
                *row = moved(row, keys);
            }
        }
    }
    let mut after = before.with(kept);
    if axis.name == "contexts" {
        after.record.contexts = before.record.contexts.as_deref().map(|all| moved(all, keys));
    }
    after
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_what_is_judged_changes_only_what_measures_ranks(
        bytes in prop::collection::vec(any::<u8>(), 150..400),
        keys in prop::collection::vec(any::<u8>(), 1..8),
    ) {
        let before = judged(&bytes);
        for axis in AXES {
            let after = reordered(&before, axis, &keys);
            for metric in metrics().iter().filter(|metric| !is_of_ranks(metric, axis)) {
                let (was, is) = (before.says(metric), after.says(metric));
                let same = match (was.value(), is.value()) {
                    (Some(was), Some(is)) => (was - is).abs() <= ROUNDING,
                    _ => was == is,
                };
                prop_assert!(same, "{}, order of {}: {was:?}, then {is:?}", metric.id, axis.name);
            }
        }
    }
}

#[test]
fn what_is_said_to_measure_ranks_does() {
    let metrics = metrics();
    for (id, name) in OF_RANKS {
        let metric = metrics.iter().find(|metric| metric.id == id).expect("a metric of the table");
        let axis = AXES.iter().find(|axis| axis.name == name).expect("an axis");
        let changes = |before: Judged| {
            let after = reordered(&before, axis, &[3, 2, 1, 0]);
            before.says(metric).value() != after.says(metric).value()
        };
        assert!(some_records().any(changes), "{id} does not depend on the order of {name}");
    }
}

#[test]
fn every_metric_has_more_than_one_number_among_the_records_drawn() {
    let records: Vec<Judged> = some_records().collect();
    for metric in metrics() {
        let mut numbers: Vec<f64> =
            records.iter().filter_map(|judged| judged.says(&metric).value()).collect();
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        assert!(numbers.len() > 1, "{}: {numbers:?}", metric.id);
    }
}

#[test]
fn every_fact_that_is_a_list_lies_on_an_axis() {
    let on_axis = |name: &str| AXES.iter().any(|axis| axis.rows.contains(&name));
    for (name, mut fact) in some_records().next().expect("a record").kept() {
        assert_eq!(list(&mut fact).is_some(), on_axis(&name), "{name}");
    }
}
