//! Killed in mid-run: the server, the program, ragmeter. Nothing is lost, and only what is missing
//! is asked again.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::bot::Bot;
use super::command::{assert_gone, script, system};
use super::http::gates;
use super::project::{Project, done};

const CASES: usize = 24;

/// Answers and contexts by case.
fn answers(project: &Project, system: &str) -> BTreeMap<String, (Value, Value)> {
    (1..=CASES)
        .map(|n| {
            let record = project.record(&format!("q{n}"), Some(system));
            assert_eq!(record["error"], Value::Null, "{record}");
            (format!("q{n}"), (record["answer"].clone(), record["contexts"].clone()))
        })
        .collect()
}

#[test]
fn a_server_that_is_killed_and_comes_back_costs_nothing() {
    let bot = Bot::of_gates(Duration::from_millis(50));
    let mut patient = gates("bot", &bot.url);
    patient["http"]["retries"] = json!(6);
    let project = Project::with(CASES, &patient);
    let run = project.begin();
    bot.wait_for(6);
    bot.kill();
    std::thread::sleep(Duration::from_secs(1));
    let before = bot.count();
    bot.come_back();
    let whole = done(run.wait_with_output().expect("it ends"));
    whole.ok();
    assert!(before < CASES, "it was killed in the middle: {before}");
    assert!(bot.count() <= CASES + 4, "only what was in flight was asked twice: {}", bot.count());
    let unbroken = Project::with(CASES, &gates("bot", &Bot::of_gates(Duration::ZERO).url));
    let truth = unbroken.run().ok();
    assert_eq!(answers(&project, "bot"), answers(&unbroken, "bot"));
    assert_eq!(whole.json()["systems"], truth["systems"]);
}

#[test]
fn a_server_that_is_gone_ends_the_run_soon_and_the_next_run_asks_the_rest() {
    let bot = Bot::of_gates(Duration::from_millis(30));
    let mut system = gates("bot", &bot.url);
    system["http"]["retries"] = json!(2);
    let project = Project::with(CASES, &system);
    let run = project.begin();
    bot.wait_for(6);
    bot.kill();
    let cut = done(run.wait_with_output().expect("it ends"));
    // Once it counts as gone, no case waits in vain: three must fail first, and four may be under
    // way by then. With two retries each waits a second and a half.
    let waited = (1..=CASES)
        .map(|n| project.record(&format!("q{n}"), None))
        .filter(|record| !record["error"].is_null() && record["seconds"].as_f64() > Some(1.4));
    assert!((1..=7).contains(&waited.count()));
    assert!(cut.err.contains("cannot connect"), "{}", cut.err);
    let kept = (CASES - failed(&cut.json())).min(CASES);
    assert!(kept > 0 && kept < CASES, "{kept}");
    let before = bot.count();
    bot.come_back();
    let whole = project.run().ok();
    assert_eq!(bot.count() - before, CASES - kept, "only what failed was asked");
    let unbroken = Project::with(CASES, &gates("bot", &Bot::of_gates(Duration::ZERO).url));
    let truth = unbroken.run().ok();
    // Judged anew, too: what was judged of an error is not true of an answer.
    assert_eq!(whole["systems"], truth["systems"]);
}

fn failed(run: &Value) -> usize {
    run["systems"][0]["n_errors"].as_u64().expect("a count") as usize
}

#[test]
fn ragmeter_killed_asks_a_server_only_what_is_missing() {
    let bot = Bot::of_gates(Duration::from_millis(40));
    let project = Project::with(CASES, &gates("bot", &bot.url));
    for stop in [4, 10, 16] {
        let mut run = project.begin();
        bot.wait_for(stop);
        run.kill().expect("SIGKILL");
        run.wait().expect("dead");
    }
    project.run().ok();
    assert!(bot.count() > CASES, "it was killed in the middle");
    assert!(bot.count() <= CASES + 3 * 4, "4 in flight at each death: {}", bot.count());
    assert_eq!(answers(&project, "bot").len(), CASES);
}

#[test]
fn a_program_killed_from_outside_costs_nothing() {
    let project = Project::with(CASES, &system(&json!({ "workers": 2 })));
    project.write("bot.sh", &script("echo $$ > leader; echo $id >> asked; sleep 0.05"));
    let run = project.begin();
    for killed in 1..=3 {
        let until = Instant::now() + Duration::from_mins(1);
        while project.read("asked").lines().count() < killed * 5 {
            assert!(Instant::now() < until, "the run went on");
            std::thread::sleep(Duration::from_millis(5));
        }
        let leader = project.read("leader");
        // It may have been written half, or the program be over.
        let _ = std::process::Command::new("kill").args(["-9", leader.trim()]).output();
    }
    done(run.wait_with_output().expect("it ends")).ok();
    assert!(project.read("starts").lines().count() > 2, "it was started again");
    let asked = project.read("asked").lines().count();
    assert!((CASES..=CASES + 3).contains(&asked), "{asked}");
    assert_eq!(answers(&project, "script").len(), CASES);
}

#[test]
fn ragmeter_killed_leaves_no_program_and_asks_only_what_is_missing() {
    let project = Project::with(CASES, &system(&json!({})));
    project.write("bot.sh", &script("echo $$ > leader; echo $id >> asked; sleep 0.05"));
    let mut run = project.begin();
    let until = Instant::now() + Duration::from_mins(1);
    while project.read("asked").lines().count() < 6 {
        assert!(Instant::now() < until, "the run went on");
        std::thread::sleep(Duration::from_millis(5));
    }
    run.kill().expect("SIGKILL");
    run.wait().expect("dead");
    // It sees that its input is over, or that nobody reads its answer.
    assert_gone(&project.read("leader"));
    project.run().ok();
    let asked = project.read("asked").lines().count();
    assert!((CASES..=CASES + 1).contains(&asked), "{asked}");
    assert_eq!(answers(&project, "script").len(), CASES);
}

#[test]
fn a_chain_a_server_and_a_program_are_measured_in_one_run() {
    let bot = Bot::of_gates(Duration::ZERO);
    let project = Project::new(CASES, &json!([gates("bot", &bot.url), system(&json!({}))]));
    project.write("bot.sh", &script(""));
    let config: Value = serde_json::from_str(&project.read("ragmeter.yaml")).expect("JSON");
    let mut config = config;
    config["corpus"] = json!([{ "path": "gates.md" }]);
    let chain = json!({ "name": "chain", "retriever": { "kind": "bm25", "k": 2 }, "generator": "extractive" });
    config["systems"].as_array_mut().expect("a list").push(chain);
    project.write("ragmeter.yaml", &config.to_string());
    let pages: Vec<String> =
        (1..=CASES).map(|n| format!("# Gate {n}\n\nGate {n} is made of oak.\n")).collect();
    project.write("gates.md", &pages.join("\n"));
    let whole = project.run().ok();
    let names: Vec<&str> = whole["systems"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(names, ["bot", "script", "chain"]);
    for system in names {
        assert_eq!(answers(&project, system).len(), CASES);
        assert_eq!(crate::support::summary(&whole, system, "faithfulness")["n_failed"], 0);
    }
    assert!(!whole["comparisons"].as_array().expect("a list").is_empty());
}
