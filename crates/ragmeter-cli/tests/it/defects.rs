//! Defects of RAGAS and TruLens that apply to what ragmeter does, and the test that holds the right
//! value here. Where no test is named the tests are below.
//!
//! | defect | test |
//! |---|---|
//! | a reply that can't be read becomes NaN and then a better mean | `ladder::a_judge_that_never_says_json_is_asked_three_times_and_nothing_is_made_up`, `resume::replies_that_stay_broken_are_counted_and_named`; for every metric `missing::a_failed_fact_fails_a_metric_or_changes_nothing` (ragmeter-metrics) |
//! | a repair is refused, since it is asked for in another shape | `ladder::an_endpoint_without_tools_is_asked_in_words_and_asked_to_mend_its_reply` |
//! | one huge reply breaks on a long text | `ladder::eight_claims_a_call_and_equal_claims_judged_once_but_counted_as_extracted` |
//! | verdicts decide the denominator: no ids, no count | `ladder::ids_that_were_not_asked_or_come_twice_never_change_the_denominator`, `engine::what_a_reply_gets_wrong_changes_no_denominator` |
//! | evidence is never checked | `ladder::a_quote_that_stands_in_no_context_is_dropped_and_its_verdict_stays` |
//! | verdicts above 1 are added up, grades off the scale are averaged | [`a_grade_off_the_scale_is_no_grade`] |
//! | a grade is the least number in the text ("4 out of 4.0", "0 faults") | [`numbers_in_a_reason_are_no_grade`] |
//! | strictness: more votes are paid for and never counted | `engine::most_of_the_votes_decide_and_their_agreement_is_kept` |
//! | one deadline for waiting, calls and pauses: a full quota is a lost row | `quota::deadlines::waiting_for_the_quota_is_not_waiting_for_a_reply`, `quota::every_kind_of_retry_after_is_honoured_by_all_calls_and_cuts_once` |
//! | scores change when several metrics run together | `engine::what_else_is_asked_changes_no_call` |
//! | two runs over one set differ, since answers are decomposed anew | `project::a_second_run_keeps_everything`, `judge::another_extraction_moves_the_score_and_no_verdict` |
//! | the cache answers for another model | [`no_model_answers_for_another_one`] |
//! | tokens and money are not counted | `engine::a_budget_of_money_or_tokens_stops_before_it_and_keeps_the_work` |
//! | a perfect ranking is 0.9999999999 | `goldens::context_precision_is_average_precision` (ragmeter-metrics) |
//! | precision is average precision under another name | `score_by_ids::metrics_over_ids_are_those_of_the_same_run_and_judgements` |
//! | a repeated document counts each time: recall and nDCG above 1 | `retrieval::a_repeated_id_counts_once_at_its_better_rank` (ragmeter-metrics) |
//! | precision at k divides by what was found instead of k | `retrieval` (trec_eval's own values) |
//! | BLEU reads the first sentence; ROUGE is ROUGE-1 alone; BERTScore is its precision | `lexical::no_judge_is_asked_and_values_are_those_of_the_libraries` |
//! | calibration leaves out confidence 0 and rounds | `judge::brier_and_calibration_error_are_scikit_learns_and_numpys` (ragmeter-stats) |
//! | a failed row moves the scores of the others to wrong rows | `large::each_of_many_records_has_the_outcome_that_it_has_alone` |
//! | the columns of the first row are taken for those of all | `inputs::bad_rows_are_all_listed_before_anything_is_sent`, `score::missing_fields_are_not_applicable` |
//! | an empty side scores 1, a missing one 0 | `missing::nothing_to_count_is_no_number_but_where_a_rule_says_so` (ragmeter-metrics), `lexical::absent_answers_are_zero_and_absent_fields_no_number` |
//! | an abstention is grounded or not by luck | `judged::abstention_is_judged_by_answerability` |
//! | context precision is told the rank by the order of its prompts | `wire::contexts_stand_in_an_order_that_tells_nothing_of_their_ranks` |
//! | a judge of one side sees the other | `wire::no_group_shows_a_field_that_it_hides` |
//! | tool calls in another order are wrong | `by_text::calls_in_another_order_are_as_right`, `by_text::tool_calls_are_compared_as_in_the_tests_of_ragas` (ragmeter-metrics) |
//! | outside English: low scores, English glue, \uXXXX | `judged::every_metric_has_its_worked_value_in_both_languages_and_profiles`, `words::worlds_are_judged_alike_in_both_languages`, `tongues` |
//! | models that refuse a temperature fail | `chat::parameters_that_a_model_refuses_are_left_out_from_then_on` (ragmeter-models) |
//! | results are numbers without their evidence | `words::a_case_shows_what_was_judged_of_it` |

use std::path::Path;

use serde_json::{Value, json};

use crate::endpoint::Endpoint;
use crate::script::{WORLDS, World};
use crate::support::{self, Done};

/// Asks `model` for the accuracy of the world's answer (0, 2 or 4).
fn score(folder: &Path, endpoint: &Endpoint, model: &str, world: &World) -> Done {
    support::write_rows(&folder.join("rows.jsonl"), &[world.record()]);
    let url = endpoint.url();
    let args = ["score", "rows.jsonl", "--metrics", "answer_accuracy", "--format", "json"];
    let rest = ["--base-url", &url, "--judge", model, "--out", "out.jsonl"];
    support::run(folder, &[&args[..], &rest].concat())
}

fn accuracy(folder: &Path) -> Value {
    let outcomes = support::outcomes(&folder.join("out.jsonl"));
    outcomes.into_values().next().expect("one record")["answer_accuracy"].clone()
}

fn endpoint(reply: &'static str) -> Endpoint {
    Endpoint::start(move |request| request.reply(reply))
}

#[test]
fn a_grade_off_the_scale_is_no_grade() {
    for world in &WORLDS {
        for reply in [r#"{"reason":"r","grade":3}"#, r#"{"reason":"r","grade":40}"#] {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let done = score(folder.path(), &endpoint(reply), "openai:m", world);
            assert_eq!(done.code, Some(3), "{done:?}");
            let outcome = accuracy(folder.path());
            assert_eq!(outcome["status"], "failed", "{outcome}");
            assert_eq!(outcome["class"], "unparsable", "{outcome}");
        }
    }
}

#[test]
fn numbers_in_a_reason_are_no_grade() {
    for world in &WORLDS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let reply = r#"{"reason":"0 faults / 0 ошибок, 4 out of 4.0 (1)","grade":4}"#;
        let done = score(folder.path(), &endpoint(reply), "openai:m", world);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(accuracy(folder.path())["value"], json!(1.0));
    }
}

#[test]
fn no_model_answers_for_another_one() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let endpoint = Endpoint::start(|request| {
        let grade = if request.json["model"] == "strict" { 0 } else { 4 };
        request.reply(&json!({ "reason": "r", "grade": grade }).to_string())
    });
    for (model, value, calls) in
        [("openai:mild", 1.0, 1), ("openai:strict", 0.0, 1), ("openai:mild", 1.0, 0)]
    {
        let _ = endpoint.take_chat();
        let done = score(folder.path(), &endpoint, model, &WORLDS[0]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(accuracy(folder.path())["value"], json!(value), "{model}");
        assert_eq!(endpoint.take_chat().is_empty(), calls == 0, "{model}");
    }
}
