//! Values of scikit-learn, numpy and exact fractions; `goldens/make.py` makes the file.

use ragmeter_core::{AnswerKind, Outcome, Support};
use serde::Deserialize;

use crate::records::{
    Judged, claims, contexts, coverage, fact, implied, reference_support, support, units, verdicts,
};

const TOLERANCE: f64 = 1e-12;

#[derive(Deserialize)]
struct Goldens {
    context_precision: Vec<Ranking>,
    faithfulness: Vec<Share<Support>>,
    context_recall: Vec<Share<String>>,
    question_coverage: Vec<Share<String>>,
    refusal_rate: Vec<Share<AnswerKind>>,
    noncommittal_rate: Vec<Share<String>>,
    answer_relevancy: Vec<Cosines>,
}

#[derive(Deserialize)]
struct Ranking {
    useful: Vec<bool>,
    value: f64,
}

#[derive(Deserialize)]
struct Share<V> {
    verdicts: Vec<V>,
    value: f64,
}

#[derive(Deserialize)]
struct Cosines {
    cosines: Vec<f64>,
    value: f64,
}

fn goldens() -> Goldens {
    serde_json::from_str(include_str!("../../goldens/goldens.json")).expect("a committed file")
}

fn assert_near(ours: f64, golden: f64, what: &str) {
    assert!((ours - golden).abs() <= TOLERANCE, "{what}: {ours} against {golden}");
}

#[test]
fn context_precision_is_average_precision() {
    for row in goldens().context_precision {
        let mut judged = Judged::whole();
        judged.record.contexts = Some(contexts(&vec!["A context."; row.useful.len()]));
        judged.facts.useful = fact(row.useful.clone());
        assert_near(judged.value("context_precision"), row.value, &format!("{:?}", row.useful));
    }
}

#[test]
fn faithfulness_is_a_share_of_claims() {
    for row in goldens().faithfulness {
        let mut judged = Judged::whole();
        judged.facts.claims = claims(row.verdicts.len());
        judged.facts.support = verdicts(&row.verdicts);
        assert_near(judged.value("faithfulness"), row.value, &format!("{:?}", row.verdicts));
    }
}

#[test]
fn context_recall_is_a_share_of_sentences() {
    for row in goldens().context_recall {
        let mut judged = Judged::whole();
        let said: Vec<bool> = row.verdicts.iter().map(|verdict| verdict == "said").collect();
        judged.facts.units = units(said.len());
        judged.facts.reference_support = reference_support(&said);
        assert_near(judged.value("context_recall"), row.value, &format!("{said:?}"));
    }
}

#[test]
fn question_coverage_is_a_share_of_parts() {
    for row in goldens().question_coverage {
        let mut judged = Judged::whole();
        let parts: Vec<(&str, bool)> =
            row.verdicts.iter().map(|verdict| ("Part?", verdict == "answered")).collect();
        judged.facts.coverage = coverage(&parts);
        assert_near(judged.value("question_coverage"), row.value, &format!("{parts:?}"));
    }
}

#[test]
fn rates_are_shares_of_records() {
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    for row in goldens().refusal_rate {
        let values = row.verdicts.iter().map(|&kind| {
            let mut judged = Judged::whole();
            judged.facts.refusal = fact(kind);
            judged.value("refusal_rate")
        });
        assert_near(mean(values.collect()), row.value, "refusal_rate");
    }
    for row in goldens().noncommittal_rate {
        let values = row.verdicts.iter().map(|verdict| {
            let mut judged = Judged::whole();
            judged.facts.implied = implied(verdict == "evasive");
            judged.value("noncommittal_rate")
        });
        assert_near(mean(values.collect()), row.value, "noncommittal_rate");
    }
}

#[test]
fn answer_relevancy_is_the_clamped_mean_of_cosines() {
    for row in goldens().answer_relevancy {
        let mut judged = Judged::whole();
        judged.facts.similarity = fact(row.cosines.clone());
        assert_near(judged.value("answer_relevancy"), row.value, &format!("{:?}", row.cosines));
        judged.facts.implied = implied(true);
        assert_near(judged.value("answer_relevancy"), 0.0, "an evasive answer");
    }
}

#[test]
fn the_sun_with_one_claim_absent_is_three_quarters() {
    let mut judged = Judged::whole();
    judged.facts.support = support(&[true, true, false, true]);
    let Outcome::Scored(score) = judged.outcome("faithfulness") else { panic!("no score") };
    assert_near(score.value.get(), 0.75, "faithfulness");
    assert_eq!(score.explanation, "3 of 4 claims supported, 0 contradicted, 1 absent");
    judged.facts.support = support(&[true, true, true, true]);
    assert_near(judged.value("faithfulness"), 1.0, "with that verdict flipped");
}

#[test]
fn mass_without_diameter_is_half_an_answer() {
    let mut judged = Judged::whole();
    let Outcome::Scored(score) = judged.outcome("question_coverage") else { panic!("no score") };
    assert_near(score.value.get(), 0.5, "question_coverage");
    assert_eq!(score.explanation, "1 of 2 parts answered; not answered: What is its diameter?");
    judged.facts.coverage =
        coverage(&[("What is its mass?", true), ("What is its diameter?", true)]);
    assert_near(judged.value("question_coverage"), 1.0, "with the diameter");
}
