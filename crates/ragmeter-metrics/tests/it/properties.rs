//! What must hold for any facts.

use proptest::prelude::*;
use ragmeter_core::{AnswerKind, Context, Support};
use ragmeter_metrics::METRICS;

use crate::records::{
    Judged, claims, contexts, coverage, fact, implied, reference_support, support, units, verdicts,
};

/// Sums in another order may differ in the last digits.
const ROUNDING: f64 = 1e-12;

fn flags() -> impl Strategy<Value = Vec<bool>> {
    prop::collection::vec(any::<bool>(), 1..25)
}

fn supports() -> impl Strategy<Value = Vec<Support>> {
    let support =
        prop::sample::select(vec![Support::Supported, Support::Contradicted, Support::Absent]);
    prop::collection::vec(support, 1..25)
}

/// Any of them, those that the facts crate never makes included: lists that do not fit together,
/// texts and lists that are empty, numbers that are none.
fn anything() -> impl Strategy<Value = Judged> {
    let kind = prop::sample::select(vec![
        AnswerKind::Answered,
        AnswerKind::Refused,
        AnswerKind::NoFactualContent,
    ]);
    let cosine = prop_oneof![8 => -1.0..=1.0_f64, 1 => any::<f64>()];
    let texts = (
        prop::option::of(prop::collection::vec(".{0,4}", 0..4)),
        prop::option::of(".{0,4}"),
        prop::option::of(".{0,4}"),
        prop::option::of(Just("failed".to_owned())),
    );
    let judged = (
        kind,
        0..4_usize,
        prop::collection::vec(any::<bool>(), 0..4),
        any::<bool>(),
        prop::collection::vec(cosine, 0..4),
        prop::collection::vec(any::<bool>(), 0..4),
    );
    (texts, judged).prop_map(|(texts, judged)| {
        let mut it = Judged::whole();
        let (contexts, answer, reference, error) = texts;
        it.record.contexts = contexts.map(|texts| {
            texts.into_iter().map(|text| Context { text, ..Context::default() }).collect()
        });
        it.record.answer = answer;
        it.record.error = error;
        it.case.reference = reference;
        let (kind, count, some, evades, cosines, others) = judged;
        it.facts.refusal = fact(kind);
        it.facts.claims = claims(count);
        it.facts.support = support(&some);
        it.facts.implied = implied(evades);
        it.facts.similarity = fact(cosines);
        it.facts.units = units(count);
        it.facts.reference_support = reference_support(&others);
        it.facts.coverage = coverage(&others.iter().map(|&yes| ("?", yes)).collect::<Vec<_>>());
        it.facts.useful = fact(some);
        it
    })
}

fn faithfulness(supports: &[Support]) -> f64 {
    let mut judged = Judged::whole();
    judged.facts.claims = claims(supports.len());
    judged.facts.support = verdicts(supports);
    judged.value("faithfulness")
}

fn context_precision(useful: &[bool]) -> f64 {
    let mut judged = Judged::whole();
    judged.record.contexts = Some(contexts(&vec!["A context."; useful.len()]));
    judged.facts.useful = fact(useful.to_vec());
    judged.value("context_precision")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn every_number_lies_between_0_and_1(judged in anything()) {
        for metric in METRICS.iter().filter(|metric| ragmeter_metrics::find(metric.id).is_some()) {
            if let Some(value) = judged.outcome(metric.id).value() {
                prop_assert!((0.0..=1.0).contains(&value), "{}: {value}", metric.id);
            }
        }
    }

    #[test]
    fn the_order_of_claims_does_not_matter(
        (before, after) in supports().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
    ) {
        prop_assert!((faithfulness(&before) - faithfulness(&after)).abs() <= ROUNDING);
    }

    #[test]
    fn one_more_supported_claim_never_lowers_faithfulness(
        mut supports in supports(), at in any::<prop::sample::Index>()
    ) {
        let before = faithfulness(&supports);
        let at = at.index(supports.len());
        let was = std::mem::replace(&mut supports[at], Support::Supported);
        let after = faithfulness(&supports);
        prop_assert!(after >= before - ROUNDING);
        prop_assert_eq!(after > before + ROUNDING, was != Support::Supported);
    }

    #[test]
    fn a_useful_context_moved_up_never_lowers_context_precision(
        mut useful in flags(), from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>()
    ) {
        let before = context_precision(&useful);
        let from = from.index(useful.len());
        let to = to.index(from + 1);
        let crosses_useless = useful[from] && useful[to..from].contains(&false);
        if useful[from] {
            useful.remove(from);
            useful.insert(to, true);
        }
        let after = context_precision(&useful);
        prop_assert!(after >= before - ROUNDING);
        prop_assert_eq!(after > before + ROUNDING, crosses_useless);
    }

    #[test]
    fn one_more_sentence_found_or_part_answered_never_lowers(
        mut some in flags(), at in any::<prop::sample::Index>()
    ) {
        let scores = |some: &[bool]| {
            let mut judged = Judged::whole();
            judged.facts.units = units(some.len());
            judged.facts.reference_support = reference_support(some);
            let parts: Vec<(&str, bool)> = some.iter().map(|&yes| ("?", yes)).collect();
            judged.facts.coverage = coverage(&parts);
            [judged.value("context_recall"), judged.value("question_coverage")]
        };
        let before = scores(&some);
        let at = at.index(some.len());
        some[at] = true;
        for (after, before) in scores(&some).into_iter().zip(before) {
            prop_assert!(after >= before - ROUNDING);
        }
    }
}
