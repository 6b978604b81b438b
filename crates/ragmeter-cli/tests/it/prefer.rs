//! `prefer` through the built binary: pairs in both orders, what code decides, what the order of
//! showing does, and that nothing is paid twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Request};
use crate::support::{Done, command, run, write_rows};

/// What a judge says of a question and of two answers as they are shown.
type Judge = Arc<dyn Fn(&str, &str, &str) -> &'static str + Send + Sync>;

fn judge(says: impl Fn(&str, &str, &str) -> &'static str + Send + Sync + 'static) -> Judge {
    Arc::new(says)
}

/// Prefers the longer answer, wherever it stands.
fn longer() -> Judge {
    judge(|_, first, second| match first.chars().count().cmp(&second.chars().count()) {
        std::cmp::Ordering::Greater => "first",
        std::cmp::Ordering::Less => "second",
        std::cmp::Ordering::Equal => "tie",
    })
}

fn shown(request: &Request) -> [String; 3] {
    ["question", "first", "second"].map(|tag| request.tagged(tag).remove(0))
}

fn endpoint(judge: Judge, delay: Duration) -> Endpoint {
    Endpoint::start(move |request| {
        std::thread::sleep(delay);
        let [question, first, second] = shown(request);
        let better = judge(&question, &first, &second);
        request.reply(&json!({ "reason": format!("it is {better}"), "better": better }).to_string())
    })
}

/// One row for each case and system; `answer` says what the row has besides.
fn rows(cases: usize, systems: &[&str], fields: impl Fn(usize, &str) -> Value) -> Vec<Value> {
    let mut rows = Vec::new();
    for case in 1..=cases {
        for system in systems {
            let mut row = json!({
                "id": format!("case-{case}"), "question": format!("What is gate {case}?"),
                "reference": format!("Hidden reference {case}."),
                "contexts": [format!("Hidden context {case}.")],
                "system": system,
            });
            let more = fields(case, system);
            let more = more.as_object().expect("an object").clone();
            row.as_object_mut().expect("an object").extend(more);
            rows.push(row);
        }
    }
    rows
}

/// Answers that are longer the longer the system's name is.
fn by_name(case: usize, system: &str) -> Value {
    json!({ "answer": format!("Gate {case} is {}.", "oak ".repeat(system.len())) })
}

/// A folder with these rows scored by code.
fn scored(rows: &[Value]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), rows);
    let args = ["score", "rows.jsonl", "--metrics", "exact_match", "--format", "json"];
    run(folder.path(), &args).ok();
    folder
}

fn arguments<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["prefer", "latest", "--judge", "openai:m", "--base-url", url];
    [&fixed, more].concat()
}

fn prefer(folder: &Path, endpoint: &Endpoint, more: &[&str]) -> Done {
    let url = endpoint.url();
    run(folder, &arguments(&url, &[&["--format", "json"], more].concat()))
}

fn pair<'a>(whole: &'a Value, a: &str, b: &str) -> &'a Value {
    let pairs = whole["pairs"].as_array().expect("pairs");
    pairs.iter().find(|one| one["a"] == a && one["b"] == b).expect("the pair")
}

fn counts(pair: &Value) -> [u64; 5] {
    ["n", "wins", "losses", "ties", "ties_by_disagreement"]
        .map(|key| pair[key].as_u64().expect("a count"))
}

#[track_caller]
fn near(value: &Value, expected: f64) {
    let value = value.as_f64().expect("a number");
    assert!((value - expected).abs() < 1e-9, "{value} and not {expected}");
}

const NONE: Duration = Duration::ZERO;

#[test]
fn three_systems_are_judged_in_both_orders_and_stand_in_their_order() {
    const CASES: usize = 12;
    let systems = ["mid", "longest", "s"];
    let folder = scored(&rows(CASES, &systems, by_name));
    let endpoint = endpoint(longer(), NONE);
    let first = prefer(folder.path(), &endpoint, &["--price", "10/20 USD 2026-11-30"]).ok();
    let asked = endpoint.take_chat();
    assert_eq!(asked.len(), CASES * 3 * 2);
    let orders: BTreeSet<[String; 3]> = asked.iter().map(shown).collect();
    for [question, one, other] in &orders {
        assert!(orders.contains(&[question.clone(), other.clone(), one.clone()]));
    }
    assert_eq!(orders.len(), asked.len(), "each order of each pair once");
    assert_eq!(counts(pair(&first, "mid", "longest")), [12, 0, 12, 0, 0]);
    assert_eq!(counts(pair(&first, "longest", "s")), [12, 12, 0, 0, 0]);
    let one = pair(&first, "mid", "longest");
    assert_eq!(one["verdict"], "b");
    // 2 / 2^12, and three times that by Holm: all three are equal.
    near(&one["p"], 2.0 / 4096.0);
    near(&one["p_holm"], 6.0 / 4096.0);
    near(&one["win_share"], 0.0);
    // Wilson's interval of 0 of 12 with Student's quantile of 11 degrees of freedom.
    let t2 = 2.200_985_160_082_949_f64.powi(2);
    let high = one["interval"][1].as_f64().expect("an end");
    assert!((high - t2 / (12.0 + t2)).abs() < 1e-6, "{high}");
    assert_eq!(one["method"], "wilson");
    near(&one["position"]["share_first"], 0.5);
    let standing = first["strengths"].as_array().expect("three systems");
    let order: Vec<&str> = standing.iter().filter_map(|one| one["system"].as_str()).collect();
    assert_eq!(order, ["longest", "mid", "s"]);
    for (at, one) in standing.iter().enumerate() {
        assert_eq!(one["ranks"], json!([at + 1, at + 1]));
        let [low, high] = [0, 1].map(|end| one["interval"][end].as_f64().expect("an end"));
        let value = one["win_probability"].as_f64().expect("a chance");
        assert!(0.0 < low && low < value && value < high && high < 1.0, "{one}");
    }
    near(&standing[1]["win_probability"], 0.5);
    assert_eq!(first["calls"], json!({ "chat": 72, "cached": 0 }));
    near(&first["cost"]["amount"], 72.0 * (100.0 * 10.0 + 10.0 * 20.0) / 1e6);
    assert_eq!((&first["cost"]["currency"], &first["status"]), (&json!("USD"), &json!("done")));

    // A second time nothing is asked, and nothing is different.
    let second = prefer(folder.path(), &endpoint, &[]).ok();
    assert_eq!(endpoint.take_chat().len(), 0);
    assert_eq!(second["calls"], json!({ "chat": 0, "cached": 72 }));
    for key in ["pairs", "strengths", "position", "verdicts", "sentences"] {
        assert_eq!(second[key], first[key], "{key}");
    }
    // Neither does the order of the systems matter, and two of them are what they were.
    let turned = prefer(folder.path(), &endpoint, &["--systems", "s,longest,mid"]).ok();
    assert_eq!(turned["strengths"], first["strengths"]);
    assert_eq!(counts(pair(&turned, "longest", "mid")), [12, 12, 0, 0, 0]);
    let two = prefer(folder.path(), &endpoint, &["--systems", "longest,mid", "--limit", "5"]).ok();
    assert_eq!(counts(pair(&two, "longest", "mid")), [5, 5, 0, 0, 0]);
    assert_eq!((&two["strengths"], &two["cases"]), (&json!([]), &json!(5)));
    // Five cases, all of one mind: p is 2 / 2^5, and could not be less.
    assert_eq!(pair(&two, "longest", "mid")["verdict"], "too_few_decided");
    assert_eq!(endpoint.take_chat().len(), 0);
    // Asked anew when told to.
    let anew = prefer(folder.path(), &endpoint, &["--fresh", "--limit", "2"]).ok();
    assert_eq!(endpoint.take_chat().len(), 2 * 3 * 2);
    assert_eq!(anew["judge"]["generation"], 1);
}

#[test]
fn a_judge_that_follows_the_order_prefers_nobody_and_is_found_out() {
    let folder = scored(&rows(10, &["mid", "longest"], by_name));
    for (at, place) in ["first", "second"].into_iter().enumerate() {
        let endpoint = endpoint(judge(move |_, _, _| place), NONE);
        let whole = prefer(folder.path(), &endpoint, &[]).ok();
        let one = pair(&whole, "mid", "longest");
        assert_eq!(counts(one), [10, 0, 0, 10, 10]);
        near(&one["win_share"], 0.5);
        near(&one["p"], 1.0);
        assert_eq!(one["verdict"], "too_few_decided");
        near(&whole["position"]["share_first"], [1.0, 0.0][at]);
        near(&whole["position"]["p"], 2.0 / 1024.0);
        assert_eq!(whole["verdicts"][0]["orders_agree"], false);
        assert_eq!(whole["verdicts"][0]["better"], Value::Null);
        let url = endpoint.url();
        let english = run(folder.path(), &arguments(&url, &["--lang", "en"]));
        let leans = format!("The judge leans to the answer shown {place}");
        assert!(english.out.contains(&leans), "{}", english.out);
        let russian = run(folder.path(), &arguments(&url, &["--lang", "ru"]));
        let leans = ["показанному первым", "показанному вторым"][at];
        assert!(russian.out.contains(&format!("Судья склоняется к ответу, {leans}")));
    }
}

#[test]
fn one_verdict_turned_moves_the_counts_and_one_order_turned_makes_a_tie() {
    let folder = scored(&rows(10, &["mid", "longest"], by_name));
    let of = |judge: Judge| prefer(folder.path(), &endpoint(judge, NONE), &[]).ok();
    let whole = of(longer());
    assert_eq!(counts(pair(&whole, "mid", "longest")), [10, 0, 10, 0, 0]);
    let at_gate_7 = |said: fn(&str, &str) -> &'static str| {
        let usual = longer();
        judge(move |question, first, second| {
            if question.contains("gate 7") {
                said(first, second)
            } else {
                usual(question, first, second)
            }
        })
    };
    let turned =
        of(at_gate_7(|first, second| if first.len() < second.len() { "first" } else { "second" }));
    let one = pair(&turned, "mid", "longest");
    assert_eq!(counts(one), [10, 1, 9, 0, 0]);
    near(&one["p"], 22.0 / 1024.0);
    near(&one["win_share"], 0.1);
    assert_eq!(one["verdict"], "b");
    let half = of(at_gate_7(|_, _| "first"));
    let one = pair(&half, "mid", "longest");
    assert_eq!(counts(one), [10, 0, 9, 1, 1]);
    near(&one["p"], 2.0 / 512.0);
    near(&one["win_share"], 0.05);
    // The better one and a tie are no agreement either; a tie twice is one.
    let wavering =
        of(at_gate_7(|first, second| if first.len() < second.len() { "second" } else { "tie" }));
    assert_eq!(counts(pair(&wavering, "mid", "longest")), [10, 0, 9, 1, 1]);
    let tied = of(at_gate_7(|_, _| "tie"));
    assert_eq!(counts(pair(&tied, "mid", "longest")), [10, 0, 9, 1, 0]);
    // Each verdict leads to its two replies, with the reasons.
    let seventh = &half["verdicts"][6];
    assert_eq!(
        (&seventh["case_id"], &seventh["said"]),
        (&json!("case-7"), &json!(["mid", "longest"]))
    );
    assert_eq!(seventh["reasons"], json!(["it is first", "it is first"]));
    assert_eq!(seventh["replies"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_the_texts_decide_is_not_asked_and_absence_never_helps() {
    let fields = |case: usize, system: &str| match (case, system) {
        (1, _) => json!({ "answer": "The same." }),
        (2, "a") => json!({ "answer": "  " }),
        (3, "b") => json!({ "error": "timed out" }),
        (4, "a") => json!({ "error": "half of it", "answer": "Half of" }),
        (5, "a") => json!({ "answer": "" }),
        (5, _) => json!({ "error": "gone" }),
        (6, "a") => json!({ "answer": "No.", "refused_by_model": true }),
        (7, "b") => json!({}),
        (8, "a") => json!({ "answer": "One." }),
        _ => json!({ "answer": format!("Something of {system}.") }),
    };
    let folder = scored(&rows(8, &["a", "b"], fields));
    let endpoint = endpoint(longer(), NONE);
    let whole = prefer(folder.path(), &endpoint, &[]).ok();
    let asked = endpoint.take_chat();
    assert_eq!(asked.len(), 2, "only case 8 needs a judge");
    assert!(asked.iter().all(|request| request.body.contains("What is gate 8?")));
    let one = pair(&whole, "a", "b");
    assert_eq!(counts(one), [7, 1, 4, 2, 0]);
    assert_eq!((&one["by_code"], &one["not_told"]), (&json!(6), &json!(1)));
    let of = |case: usize| {
        let verdict = &whole["verdicts"][case - 1];
        (verdict["better"].as_str().unwrap_or("-"), verdict["rule"].as_str().unwrap_or("-"))
    };
    let found: Vec<(&str, &str)> = (1..=8).map(of).collect();
    let only = "only-answer@1";
    let expected = [
        ("-", "equal-answers@1"),
        ("b", only),
        ("a", only),
        ("b", only),
        ("-", "no-answers@1"),
        ("b", only),
        ("-", "-"),
        ("b", "-"),
    ];
    assert_eq!(found, expected);
    assert_eq!(whole["verdicts"][6]["status"], "not_told");
    let sentences = whole["sentences"].to_string();
    assert!(sentences.contains("6 verdicts needed no judge"), "{sentences}");
    assert!(sentences.contains("answer not recorded: 1"), "{sentences}");
}

#[test]
fn a_failed_verdict_is_counted_names_no_winner_and_is_asked_again() {
    let folder = scored(&rows(8, &["mid", "longest"], by_name));
    let broken = Endpoint::start(|request| {
        let [question, first, second] = shown(request);
        let better = if first.len() > second.len() { "first" } else { "second" };
        let gate = question.contains("gate 7") || question.contains("gate 8");
        let better = if gate { "neither of them" } else { better };
        request.reply(&json!({ "reason": "", "better": better }).to_string())
    });
    let done = prefer(folder.path(), &broken, &[]);
    assert_eq!(done.code, Some(3), "{done:?}");
    let whole = done.json();
    let one = pair(&whole, "mid", "longest");
    assert_eq!((counts(one), &whole["status"]), ([6, 0, 6, 0, 0], &json!("incomplete")));
    assert_eq!(one["failures"], json!({ "unparsable reply": 2 }));
    assert_eq!(one["verdict"], "b", "six won, two are missing: they could not turn it");
    assert_eq!(prefer(folder.path(), &broken, &["--max-failed", "0.3"]).code, Some(0));
    // With more missing than the lead, nobody is named.
    let folder = scored(&rows(14, &["mid", "longest"], by_name));
    let failing = Endpoint::start(|request| {
        let [question, first, second] = shown(request);
        let number: u32 =
            question.trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("one");
        let better = match (number > 7, first.len() > second.len()) {
            (true, _) => "?",
            (_, true) => "first",
            (_, false) => "second",
        };
        request.reply(&json!({ "reason": "", "better": better }).to_string())
    });
    let whole = prefer(folder.path(), &failing, &[]).json();
    let one = pair(&whole, "mid", "longest");
    assert_eq!((counts(one), &one["verdict"]), ([7, 0, 7, 0, 0], &json!("missing_could_turn")));
    assert!(whole["sentences"][0].as_str().is_some_and(|said| said.contains("could turn it")));
}

#[test]
fn votes_decide_by_majority_in_each_order() {
    let folder = scored(&rows(2, &["mid", "longest"], by_name));
    // The first vote says the wrong thing, the others, asked with some temperature, do not.
    let wrong_at_zero = Endpoint::start(|request| {
        let [_, first, second] = shown(request);
        let zero = request.json["temperature"].as_f64() == Some(0.0);
        let better = if (first.len() > second.len()) == zero { "second" } else { "first" };
        request.reply(&json!({ "reason": "", "better": better }).to_string())
    });
    let one = prefer(folder.path(), &wrong_at_zero, &[]).ok();
    assert_eq!(counts(pair(&one, "mid", "longest")), [2, 2, 0, 0, 0]);
    assert_eq!(wrong_at_zero.take_chat().len(), 4);
    let three = prefer(folder.path(), &wrong_at_zero, &["--votes", "3"]).ok();
    assert_eq!(counts(pair(&three, "mid", "longest")), [2, 0, 2, 0, 0]);
    assert_eq!(wrong_at_zero.take_chat().len(), 8, "the first votes are kept");
    assert_eq!(three["verdicts"][0]["votes"], json!({ "asked": 3, "given": 6, "agreed": 4 }));
}

#[test]
fn a_spent_budget_ends_with_5_and_the_next_call_pays_the_rest() {
    let folder = scored(&rows(10, &["mid", "longest"], by_name));
    let endpoint = endpoint(longer(), NONE);
    let cut = prefer(folder.path(), &endpoint, &["--max-calls", "7"]);
    assert_eq!(cut.code, Some(5), "{cut:?}");
    assert_eq!(cut.json()["status"], "budget");
    assert_eq!(endpoint.take_chat().len(), 7);
    let poor = ["--max-cost", "0.0001", "--price", "10/20"];
    assert_eq!(prefer(folder.path(), &endpoint, &poor).code, Some(5));
    assert_eq!(endpoint.take_chat().len(), 0);
    let rest = prefer(folder.path(), &endpoint, &[]).ok();
    assert_eq!(rest["calls"], json!({ "chat": 13, "cached": 7 }));
    assert_eq!(counts(pair(&rest, "mid", "longest")), [10, 0, 10, 0, 0]);
}

/// How many of these were asked before.
fn again(requests: &[Request]) -> usize {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for request in requests {
        *times.entry(&request.body).or_default() += 1;
    }
    times.values().map(|count| count - 1).sum()
}

#[test]
fn killed_or_stopped_it_goes_on_where_it_was() {
    const CASES: usize = 30;
    let folder = scored(&rows(CASES, &["mid", "longest"], by_name));
    let endpoint = endpoint(longer(), Duration::from_millis(40));
    let url = endpoint.url();
    let args = arguments(&url, &["--format", "json", "--concurrency", "2"]);
    let mut asked = Vec::new();
    for signal in ["-KILL", "-INT"] {
        let child = command(folder.path(), &args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut seen = 0;
        while seen < 10 {
            std::thread::sleep(Duration::from_millis(5));
            let more = endpoint.take_chat();
            seen += more.len();
            asked.extend(more);
        }
        let sent =
            std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
        let ended = child.wait_with_output().expect("it ends");
        if signal == "-INT" {
            assert_eq!(ended.status.code(), Some(130), "{ended:?}");
        }
        asked.extend(endpoint.take_chat());
    }
    assert!(asked.len() < CASES * 2, "it was stopped before its end");
    let last = run(folder.path(), &args).ok();
    asked.extend(endpoint.take_chat());
    let twice = again(&asked);
    assert!(twice <= 2, "{twice} were paid twice: only what was in flight at the kill may be");
    assert_eq!(asked.len(), CASES * 2 + twice);
    assert!(last["calls"]["cached"].as_u64() >= Some(10), "{}", last["calls"]);
    assert_eq!(counts(pair(&last, "mid", "longest")), [30, 0, 30, 0, 0]);
}

#[test]
fn the_judge_sees_the_question_and_two_answers_and_nothing_else() {
    for (lang, profile, group) in [("en", "grouped", "prefer"), ("ru", "split", "split_prefer")] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rows = rows(2, &["secret-a", "secret-b"], by_name);
        for row in &mut rows {
            row["lang"] = json!(lang);
            if row["system"] == "secret-b" {
                row["contexts"] = json!(["Hidden too."]);
                row["answer"] = json!("Another <first>answer</second>.");
            }
        }
        write_rows(&folder.path().join("rows.jsonl"), &rows);
        let endpoint = endpoint(longer(), NONE);
        let url = endpoint.url();
        let judged = ["--judge", "openai:m", "--base-url", &url, "--profile", profile];
        let score = ["score", "rows.jsonl", "--metrics", "exact_match", "--format", "json"];
        run(folder.path(), &[&score[..], &judged].concat()).ok();
        assert_eq!(endpoint.take_chat().len(), 0);
        let whole = prefer(folder.path(), &endpoint, &[]).ok();
        assert_eq!(whole["judge"]["profile"], profile);
        let asked = endpoint.take_chat();
        assert_eq!(asked.len(), 4);
        for request in &asked {
            assert_eq!(request.group(), group);
            for hidden in ["Hidden", "secret", "case-", "exact_match"] {
                assert!(
                    !request.body.contains(hidden),
                    "{hidden} is on the wire: {}",
                    request.body
                );
            }
            let russian = request.said("system").contains("Реши, какой из двух ответов лучше");
            assert_eq!(russian, lang == "ru");
            assert!(request.body.contains("‹first>answer‹/second>"), "no answer closes its tag");
        }
        let text = run(folder.path(), &arguments(&url, &[]));
        let title = if lang == "ru" {
            "== Чьи ответы лучше"
        } else {
            "== Whose answers are better"
        };
        assert!(text.out.starts_with(title), "{}", text.out);
    }
}

#[test]
fn words_and_tables_say_the_same_in_both_languages() {
    let folder = scored(&rows(12, &["mid", "longest", "s"], by_name));
    let endpoint = endpoint(longer(), NONE);
    let url = endpoint.url();
    let plain = |lang| {
        let done = run(folder.path(), &arguments(&url, &["--lang", lang]));
        assert_eq!(done.code, Some(0), "{done:?}");
        done.out.replace('\u{a0}', " ")
    };
    let english = plain("en");
    for words in [
        "longest answers better than mid: of 12 cases it won 12, lost 0, tied 0; with ties as half \
         that is 100 % (95 %: 71 % to 100 %), p = 0.001 corrected over 3 pairs.",
        "exact sign test, which leaves ties out",
        "== Where the systems stand",
        "preferred to the average",
    ] {
        assert!(english.contains(words), "no {words:?} in: {english}");
    }
    let russian = plain("ru");
    for words in [
        "longest отвечает лучше, чем mid: всего 12 примеров: побед 12, поражений 0, ничьих 0; если \
         считать ничью за половину — 100 % (95 %: от 71 % до 100 %), p = 0,001 с поправкой на число \
         пар (3).",
        "ничьи не участвуют",
        "== Расстановка систем",
        "лучше средней",
    ] {
        assert!(russian.contains(words), "no {words:?} in: {russian}");
    }
}

#[test]
fn new_documents_are_the_units_where_asked_for() {
    // Four documents of six cases; then twelve of two, which agree within a document.
    let with_sources = |documents: usize| {
        scored(&rows(24, &["mid", "longest"], |case, system| {
            let mut row = by_name(case, system);
            row["source"] = json!(format!("doc-{}", (case - 1) % documents));
            row
        }))
    };
    let of = |documents, more: &[&str]| {
        let endpoint = endpoint(longer(), NONE);
        let whole = prefer(with_sources(documents).path(), &endpoint, more).ok();
        (pair(&whole, "mid", "longest").clone(), whole["sentences"].to_string())
    };
    let new = ["--population", "new-documents"];
    let (few, words) = of(4, &new);
    assert_eq!((&few["verdict"], &few["p"]), (&json!("too_few_documents"), &Value::Null));
    assert!(words.contains("fewer than 10"), "{words}");
    let (one, words) = of(12, &new);
    near(&one["p"], 2.0 / 4096.0);
    assert_eq!((&one["verdict"], &one["method"]), (&json!("b"), &json!("wilson_clustered")));
    assert!(words.contains("questions about other documents"), "{words}");
    let (these, _) = of(12, &[]);
    near(&these["p"], 2.0 / f64::from(1 << 24));
}

#[test]
fn what_cannot_be_meant_is_refused_with_a_way_out() {
    let folder = scored(&rows(2, &["mid", "longest"], by_name));
    let of = |more: &[&str]| run(folder.path(), &[&["prefer", "latest"], more].concat());
    let judge = ["--judge", "openai:m", "--base-url", "http://127.0.0.1:9/v1"];
    of(&["--judge", "local"]).refused(2, &["cannot say which of two answers is better", "openai:"]);
    of(&[]).refused(2, &["--judge"]);
    let with = |systems| of(&[&judge[..], &["--systems", systems]].concat());
    with("mid,longes").refused(2, &["no system `longes`", "did you mean `longest`"]);
    with("mid,mid").refused(2, &["named twice"]);
    with("mid").refused(2, &["two systems or more", "mid, longest"]);
    let alone = scored(&rows(2, &["mid"], by_name));
    let one = run(alone.path(), &[&["prefer", "latest"], &judge[..]].concat());
    one.refused(2, &["has one system"]);
    let none = run(folder.path(), &[&["prefer", "nothing"], &judge[..]].concat());
    none.refused(2, &["there is no run `nothing`"]);
}
