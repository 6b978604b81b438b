//! The same rules with facts as the facts crate makes them: nobody is asked what a record tells.

use std::pin::pin;
use std::task::{Context as Task, Poll, Waker};

use ragmeter_core::{
    AbsenceClass, BoxFuture, CaseRun, ErrorClass, FactKind, Lang, ModelError, Outcome, Rung,
};
use ragmeter_facts::{Ask, Asker, Profile, Reply, Wanted, judge_record};
use ragmeter_metrics::METRICS;

use crate::records::{Judged, SPINE};

/// A judge that nobody reaches.
#[derive(Debug)]
struct Unreachable;

impl Asker for Unreachable {
    fn endpoint(&self) -> &'static str {
        "nowhere"
    }
    fn first_rung(&self) -> Rung {
        Rung::Native
    }
    fn lower_first_rung(&self, _: Rung) {}
    fn reply(&self, _: Ask) -> BoxFuture<'_, Result<Reply, ModelError>> {
        Box::pin(async {
            Err(ModelError {
                class: ErrorClass::Failed(AbsenceClass::Unreachable),
                model: "none".to_owned(),
                endpoint: "nowhere".to_owned(),
                detail: "connection refused".to_owned(),
            })
        })
    }
}

fn judge(judged: &mut Judged, profile: Profile) {
    let metrics: Vec<_> = SPINE.iter().filter_map(|id| ragmeter_metrics::find(id)).collect();
    let wanted = ragmeter_metrics::wanted(&metrics);
    let run = CaseRun { case: &judged.case, record: &judged.record };
    let facts = pin!(judge_record(run, &wanted, profile, Lang::En, &Unreachable));
    // Nothing here waits, so one poll is the whole run.
    let Poll::Ready(facts) = facts.poll(&mut Task::from_waker(Waker::noop())) else {
        panic!("a call was waited for")
    };
    judged.facts = facts;
}

/// A number, or the first word of what stands in its place.
fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Scored(score) => score.value.get().to_string(),
        Outcome::NotApplicable(_) => "n/a".to_owned(),
        Outcome::Failed(absence) => absence.class.name().to_owned(),
    }
}

/// Expected by metric id: answer_relevancy, context_precision, context_recall, faithfulness,
/// noncommittal_rate, question_coverage, refusal_rate.
type Row = (&'static str, fn(&mut Judged), &'static str);

const ROWS: [Row; 6] = [
    (
        "an answer over no contexts needs a judge for its answer alone",
        |judged| judged.record.contexts = Some(Vec::new()),
        "unreachable 0 0 unreachable unreachable unreachable unreachable",
    ),
    (
        "an empty answer over no contexts",
        |judged| {
            judged.record.contexts = Some(Vec::new());
            judged.record.answer = Some("\n".to_owned());
        },
        "0 0 0 n/a 1 0 0",
    ),
    (
        "an error",
        |judged| {
            judged.record.contexts = None;
            judged.record.answer = None;
            judged.record.error = Some("out of memory".to_owned());
        },
        "0 0 0 n/a 1 0 n/a",
    ),
    (
        "a refusal by the generator's filter",
        |judged| {
            judged.record.contexts = Some(Vec::new());
            judged.record.answer = Some("This content is blocked.".to_owned());
            judged.record.refused_by_model = true;
        },
        "0 0 0 n/a 1 0 1",
    ),
    (
        "no fields at all",
        |judged| {
            judged.record.contexts = None;
            judged.record.answer = None;
        },
        "n/a n/a n/a n/a n/a n/a n/a",
    ),
    (
        "a whole record",
        |_| (),
        "unreachable unreachable unreachable unreachable unreachable unreachable unreachable",
    ),
];

#[test]
fn what_the_record_tells_is_scored_without_a_judge() {
    for profile in [Profile::Grouped, Profile::Split] {
        for (what, change, expected) in ROWS {
            let mut judged = Judged::whole();
            change(&mut judged);
            judge(&mut judged, profile);
            // Similarity is the runner's: it fails as the implied questions that it is made of do.
            if let Some(Err(absence)) = &judged.facts.implied {
                judged.facts.similarity = Some(Err(absence.clone()));
            }
            for (metric, expected) in SPINE.iter().zip(expected.split_whitespace()) {
                let outcome = judged.outcome(metric);
                assert_eq!(shown(&outcome), expected, "{what}, {metric}: {outcome:?}");
            }
        }
    }
}

#[test]
fn companions_come_with_their_metric_and_need_no_further_fact() {
    let metrics = METRICS.iter().filter_map(|metric| ragmeter_metrics::find(metric.id));
    for metric in metrics {
        let alone = ragmeter_metrics::wanted(std::slice::from_ref(&metric));
        let all = ragmeter_metrics::with_companions(std::slice::from_ref(&metric));
        assert_eq!(ragmeter_metrics::wanted(&all), alone, "{}", metric.id);
    }
    let ids = |id: &str| -> Vec<String> {
        let metric = ragmeter_metrics::find(id).expect("a metric of the table");
        ragmeter_metrics::with_companions(&[metric]).into_iter().map(|metric| metric.id).collect()
    };
    assert_eq!(ids("faithfulness"), ["faithfulness", "refusal_rate"]);
    assert_eq!(ids("answer_relevancy"), ["answer_relevancy", "noncommittal_rate"]);
    assert!(ragmeter_metrics::find("faithfulnes").is_none());
    assert!(Wanted::of([FactKind::QuestionSimilarity]).has(FactKind::ImpliedQuestions));
}
