use ragmeter_core::{Claim, Fact, Source};

use super::*;

#[expect(clippy::unnecessary_wraps, reason = "made for slots, which are options")]
fn fact<T>(value: T) -> FactSlot<T> {
    Some(Ok(Fact { value, source: Source::Code { rule: "test@1".to_owned() } }))
}

/// Facts of one claim: what the reference says of it, for each context whether it says the claim
/// and which of two reference claims it holds.
fn facts(correct: Support, contexts: &[(Support, [bool; 2])]) -> RecordFacts {
    let claim = Claim { text: "c".to_owned(), span: None };
    let checked = Checked { support: correct, quote: None, quote_dropped: false };
    let row = |at: usize| contexts.iter().map(|(_, holds)| holds[at]).collect();
    RecordFacts {
        claims: fact(vec![claim]),
        correct: fact(vec![checked]),
        support_each: fact(vec![contexts.iter().map(|(says, _)| *says).collect()]),
        reference_support_each: fact(vec![row(0), row(1)]),
        ..RecordFacts::default()
    }
}

const SAYS: Support = Support::Supported;
const SILENT: Support = Support::Absent;
const CONTRARY: Support = Support::Contradicted;

fn of(facts: &RecordFacts) -> Cause {
    causes(facts).expect("the facts are there")[0].expect("the claim is wrong")
}

/// What the rules say in words, written another way than the table: first where a claim stands, then
/// what was missing.
fn in_words(correct: Support, contexts: &[(Support, [bool; 2])]) -> Cause {
    let beside = contexts.iter().any(|(says, holds)| *says == SAYS && *holds != [false; 2]);
    let said = contexts.iter().any(|(says, _)| *says == SAYS);
    let whole = (0..2).all(|at| contexts.iter().any(|(_, holds)| holds[at]));
    if beside {
        return if correct == CONTRARY { Cause::Generation } else { Cause::Question };
    }
    let had_the_contrary = whole && correct == CONTRARY;
    if (said && !had_the_contrary) || (!said && !whole) {
        Cause::Retrieval
    } else {
        Cause::Generation
    }
}

#[test]
fn every_combination_over_two_contexts_is_decided_once() {
    let holds = [[false, false], [true, false], [false, true], [true, true]];
    let one = || {
        let of = move |says| holds.map(|holds| (says, holds));
        [SAYS, SILENT, CONTRARY].into_iter().flat_map(of)
    };
    let mut told = [0; 3];
    for correct in [CONTRARY, SILENT] {
        let no_context: &[(Support, [bool; 2])] = &[];
        assert_eq!(of(&facts(correct, no_context)), Cause::Retrieval, "nothing was retrieved");
        for first in one() {
            for second in one() {
                let contexts = [first, second];
                let found = of(&facts(correct, &contexts));
                assert_eq!(found, in_words(correct, &contexts), "{correct:?} {contexts:?}");
                told[Cause::ALL.iter().position(|one| *one == found).expect("listed")] += 1;
            }
        }
    }
    assert_eq!(told.iter().sum::<usize>(), 2 * 12 * 12);
    assert!(told.iter().all(|n| *n > 0), "{told:?}");
}

/// The rows of the table in the module's documentation, one by one.
#[test]
fn the_table_is_what_the_documentation_says() {
    let rows = [
        (Stands::BesideReference, [Held::Whole, Held::Part], Cause::Question, Cause::Generation),
        (Stands::InNoise, [Held::Whole; 2], Cause::Retrieval, Cause::Generation),
        (Stands::InNoise, [Held::Part, Held::Nothing], Cause::Retrieval, Cause::Retrieval),
        (Stands::Nowhere, [Held::Whole; 2], Cause::Generation, Cause::Generation),
        (Stands::Nowhere, [Held::Part, Held::Nothing], Cause::Retrieval, Cause::Retrieval),
    ];
    for (stands, held, silent, contrary) in rows {
        for held in held {
            assert_eq!(cause(Wrong::NotThere, stands, held), silent, "{stands:?} {held:?}");
            assert_eq!(cause(Wrong::Contradicted, stands, held), contrary, "{stands:?} {held:?}");
        }
    }
}

#[test]
fn right_claims_have_no_cause_and_missing_facts_no_diagnosis() {
    let whole = facts(SAYS, &[(SAYS, [true, true])]);
    assert_eq!(causes(&whole), Some(vec![None]));
    let mut refused = whole.clone();
    refused.refusal = fact(AnswerKind::Refused);
    let mut unasked = whole.clone();
    unasked.support_each = None;
    let mut empty = whole.clone();
    empty.reference_support_each = fact(Vec::new());
    for facts in [refused, unasked, empty] {
        assert_eq!(causes(&facts), None);
    }
    let record = |facts: RecordFacts| JudgedRecord { facts, ..JudgedRecord::default() };
    assert_eq!(diagnose(&[record(RecordFacts::default())]), None);
    let found = diagnose(&[record(whole), record(RecordFacts::default())]).expect("one record");
    assert_eq!((found.records, found.claims, found.wrong), (1, 1, 0));
    assert_eq!(diagnosis_sentence("a", &found, Lang::En), None);
}

#[test]
fn percentages_add_up_to_a_hundred() {
    assert_eq!(hundred([1, 1, 1]), [34, 33, 33]);
    assert_eq!(hundred([0, 0, 7]), [0, 0, 100]);
    assert_eq!(hundred([5, 2, 6]), [39, 15, 46]);
    for a in 0..25 {
        for b in 0..25 {
            for c in 1..25 {
                let shares = hundred([a, b, c]);
                assert_eq!(shares.iter().sum::<usize>(), 100, "{a} {b} {c}");
                for (share, count) in shares.iter().zip([a, b, c]) {
                    let exact = count as f64 * 100.0 / (a + b + c) as f64;
                    assert!((*share as f64 - exact).abs() < 1.0, "{share} {exact}");
                }
            }
        }
    }
}

#[test]
fn few_claims_are_counted_and_many_are_shares() {
    let of = |counts: [usize; 3]| {
        let [generation, retrieval, question] = counts;
        let wrong = counts.iter().sum();
        let shares = hundred(counts);
        let percent = (wrong >= ENOUGH_CLAIMS).then_some(Percent {
            generation: shares[0],
            retrieval: shares[1],
            question: shares[2],
        });
        Diagnosis { wrong, generation, retrieval, question, percent, ..Diagnosis::default() }
    };
    let said = |counts, lang| {
        let sentence = diagnosis_sentence("plain", &of(counts), lang).expect("wrong claims");
        sentence.replace('\u{a0}', " ")
    };
    assert_eq!(
        said([31, 15, 4], Lang::En),
        "plain: 62 % (31) of the wrong claims come from generation, 30 % (15) from retrieval, \
         8 % (4) from the question."
    );
    assert_eq!(
        said([2, 7, 1], Lang::Ru),
        "plain: 70 % (7) неверных утверждений — из-за поиска, 20 % (2) — из-за генерации, \
         10 % (1) — из-за вопроса."
    );
    assert_eq!(
        said([1, 1, 0], Lang::En),
        "plain: wrong claims: 2; 1 from generation, 1 from retrieval, 0 from the question."
    );
    assert_eq!(
        said([0, 9, 0], Lang::Ru),
        "plain: неверных утверждений: 9; из-за поиска: 9, из-за генерации: 0, из-за вопроса: 0."
    );
}
