use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::project::{Project, done};
use crate::support::summary;

/// Takes the id and the number of the gate out of a line, in POSIX shell alone.
const PARSE: &str =
    r#"id=${line#*\"id\":\"}; id=${id%%\"*}; gate=${line#*gate }; gate=${gate%% *}"#;
/// Answers and proves.
const ANSWER: &str = r#"printf '{"id":"%s","answer":"Gate %s is made of oak.","contexts":["Gate %s is made of oak.",{"text":"Bridges are made of stone.","id":"b","score":0.5}]}\n' "$id" "$gate" "$gate""#;

/// A bot in shell: `more` runs for each case before the answer.
pub(super) fn script(more: &str) -> String {
    format!(
        "echo started >> starts\nwhile IFS= read -r line; do\n{PARSE}\n{more}\n{ANSWER}\ndone\necho bye >> ends\n"
    )
}

pub(super) fn system(more: &Value) -> Value {
    let mut command = json!({ "run": ["sh", "bot.sh"] });
    if let (Value::Object(command), Value::Object(more)) = (&mut command, more) {
        command.extend(more.clone());
    }
    json!({ "name": "script", "command": command })
}

fn project(cases: usize, more: &Value, bot: &str) -> Project {
    let project = Project::with(cases, &system(more));
    project.write("bot.sh", bot);
    project
}

fn error(project: &Project, case: &str) -> String {
    project.record(case, None)["error"].as_str().unwrap_or_default().to_owned()
}

/// Whether a process of this number is there.
fn lives(pid: &str) -> bool {
    let status = std::process::Command::new("kill").args(["-0", pid.trim()]).output();
    status.expect("kill").status.success()
}

#[track_caller]
pub(super) fn assert_gone(pid: &str) {
    assert!(!pid.trim().is_empty(), "the program told its number");
    let until = Instant::now() + Duration::from_secs(10);
    while lives(pid) {
        assert!(Instant::now() < until, "{pid} lives on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_program_answers_line_by_line_and_is_told_when_it_is_over() {
    let project = project(4, &json!({}), &script("echo \"$line\" >> lines"));
    let whole = project.run().ok();
    let record = project.record("q3", None);
    assert_eq!(record["answer"], "Gate 3 is made of oak.");
    assert_eq!(record["contexts"][0]["text"], "Gate 3 is made of oak.");
    assert_eq!(record["contexts"][1]["id"], "b");
    assert_eq!(record["contexts"][1]["score"], 0.5);
    assert_eq!(summary(&whole, "script", "context_recall")["n_scored"], 4);
    assert_eq!(
        (project.read("starts").as_str(), project.read("ends").as_str()),
        ("started\n", "bye\n")
    );
    let lines = project.read("lines");
    let first: Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    let question = "What is gate 1 made of?";
    let messages = json!([{ "role": "user", "content": question }]);
    assert_eq!(first, json!({ "id": "q1", "question": question, "messages": messages }));
    // Everything is there: nothing is started again.
    project.run().ok();
    assert_eq!(project.read("starts"), "started\n");
}

#[test]
fn ask_needs_no_corpus_and_shows_what_the_program_says() {
    let project = project(1, &json!({}), &script("echo thinking >&2"));
    let said = project.call(&["ask", "-v", "What is gate 9 made of?", "--format", "json"]);
    assert_eq!(said.ok()["answer"], "Gate 9 is made of oak.");
    assert!(said.err.contains("script: thinking"), "{}", said.err);
    let run = project.call(&["run", "-v", "--format", "json"]);
    run.ok();
    assert!(run.err.contains("script: thinking"), "{}", run.err);
    assert!(!project.call(&["run", "--fresh", "--format", "json"]).err.contains("thinking"));
}

#[test]
fn a_program_that_dies_is_started_again_and_its_case_retried() {
    // It dies of case 2 the first time, and of case 4 always.
    let bot = script(
        "if [ $gate = 2 ] && [ ! -e died ]; then touch died; kill -9 $$; fi\n\
         if [ $gate = 4 ]; then echo \"no memory for $id\" >&2; exit 7; fi",
    );
    let project = project(5, &json!({ "retries": 1 }), &bot);
    let done = project.run();
    assert_eq!(done.code, Some(3), "an answer is missing: {done:?}");
    assert_eq!(error(&project, "q2"), "");
    assert_eq!(project.record("q5", None)["answer"], "Gate 5 is made of oak.");
    let said = error(&project, "q4");
    for words in ["ended (exit status: 7)", "`q4`", "no memory for q4", "tried 2 times"] {
        assert!(said.contains(words), "no {words:?} in {said}");
    }
    assert_eq!(project.read("starts").lines().count(), 4, "1 + 1 for q2 + 2 for q4");
    assert!(done.err.contains("failed on 1 of 5 cases"), "{}", done.err);
}

#[test]
fn a_program_that_hangs_is_ended_with_its_children() {
    // The child would hold the pipes open for five minutes.
    let bot =
        script("if [ $gate = 2 ]; then sleep 301 & echo $! > child; echo $$ > leader; wait; fi");
    let project = project(3, &json!({ "timeout": 3, "retries": 0 }), &bot);
    let begun = Instant::now();
    assert_eq!(project.run().code, Some(3), "answers are missing");
    assert!(begun.elapsed() < Duration::from_secs(100), "{:?}", begun.elapsed());
    assert!(
        error(&project, "q2").contains("did not answer within 3 s"),
        "{}",
        error(&project, "q2")
    );
    assert_eq!(error(&project, "q3"), "");
    assert_gone(&project.read("child"));
    assert_gone(&project.read("leader"));
}

#[test]
fn a_program_whose_children_outlive_it_is_seen_to_end() {
    // The leader dies at once; its child holds stdout and stderr open.
    let bot = script("if [ $gate = 2 ]; then sleep 302 & echo $! > child; kill -9 $$; fi");
    let project = project(3, &json!({ "timeout": 200, "retries": 0 }), &bot);
    let begun = Instant::now();
    assert_eq!(project.run().code, Some(3), "answers are missing");
    assert!(begun.elapsed() < Duration::from_secs(100), "{:?}", begun.elapsed());
    assert!(error(&project, "q2").contains("signal: 9"), "{}", error(&project, "q2"));
    assert_gone(&project.read("child"));
}

#[test]
fn talk_on_stdout_is_named_and_so_is_an_answer_to_another_case() {
    let bot = script(
        "if [ $gate = 2 ]; then echo 'Loading model…'; fi\n\
         if [ $gate = 3 ]; then id=q99; fi\n\
         if [ $gate = 4 ]; then printf '{\"id\":\"%s\",\"error\":\"no such gate\"}\\n' $id; continue; fi\n\
         if [ $gate = 5 ]; then printf '{\"id\":\"%s\",\"contexts\":[]}\\n' $id; continue; fi",
    );
    let project = project(6, &json!({}), &bot);
    assert_eq!(project.run().code, Some(3), "answers are missing");
    for (case, words) in [
        ("q2", ["no JSON object", "Loading model…"]),
        ("q3", ["asked `q3` and answered `q99`", "made of oak"]),
        ("q4", ["no such gate", ""]),
        ("q5", ["nothing at `/answer`", "{\"id\":\"q5\",\"contexts\":[]}"]),
    ] {
        for word in words {
            assert!(error(&project, case).contains(word), "{case}: {}", error(&project, case));
        }
    }
    assert_eq!(project.record("q6", None)["answer"], "Gate 6 is made of oak.");
    // Only a worker that got out of step was ended.
    assert_eq!(project.read("starts").lines().count(), 3);
}

#[test]
fn full_pipes_block_nobody() {
    // A megabyte on stderr before anything is read, and a large answer before the rest is read.
    let noise =
        "i=0; while [ $i -lt 2000 ]; do echo \"$i $pad$pad$pad$pad\" >&2; i=$((i+1)); done\n";
    let pad = format!("pad={}\n", "x".repeat(128));
    let reply = "printf '{\"id\":\"%s\",\"answer\":\"' $id; i=0\n\
                 while [ $i -lt 2000 ]; do printf %s $pad; i=$((i+1)); done\n\
                 printf '\"}\\n'; continue";
    let project = project(2, &json!({ "timeout": 60 }), &format!("{pad}{noise}{}", script(reply)));
    let long = "о".repeat(200_000);
    let case = json!({ "id": "q1", "question": format!("What is gate 1 made of? {long}") });
    crate::support::write_rows(&project.path().join("cases.jsonl"), &[case]);
    project.run().ok();
    assert_eq!(project.record("q1", None)["answer"].as_str().map(str::len), Some(256_000));
}

#[test]
fn workers_run_side_by_side_and_get_only_what_is_passed_on() {
    let bot =
        script("sleep 0.3; echo \"$$ ${BOT_MODE-unset} ${BOT_OTHER-unset} ${HOME:+home}\" >> who");
    let more = json!({ "workers": 3, "env": ["BOT_MODE"] });
    let project = project(6, &more, &bot).env("BOT_MODE", "fast-9f3").env("BOT_OTHER", "x");
    project.run().ok();
    let who = project.read("who");
    let pids: std::collections::BTreeSet<&str> =
        who.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(pids.len(), 3, "{who}");
    assert!(who.lines().all(|line| line.ends_with(" fast-9f3 unset home")), "{who}");
    assert!(!project.holds_in_store("fast-9f3"), "names are kept, values are not");
    let unset = Project::with(1, &system(&more));
    unset.write("bot.sh", &bot);
    unset.run().refused(2, &["`script`", "BOT_MODE", "not set"]);
}

#[test]
fn paths_start_from_the_configuration() {
    let project = Project::with(
        1,
        &json!({ "name": "script", "command": {
        "run": ["bin/bot.sh"], "cwd": "data",
    } }),
    );
    std::fs::create_dir_all(project.path().join("bin")).expect("a folder");
    std::fs::create_dir_all(project.path().join("data")).expect("a folder");
    project.write("bin/bot.sh", &format!("#!/bin/sh\n{}", script("")));
    let bot = project.path().join("bin/bot.sh");
    std::process::Command::new("chmod").arg("+x").arg(bot).status().expect("chmod");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let config = project.path().join("ragmeter.yaml").display().to_string();
    crate::support::run(elsewhere.path(), &["run", &config, "--format", "json"]).ok();
    assert_eq!(project.read("data/starts"), "started\n");
    for (run, words) in [
        (json!(["bin/bat.sh"]), "there is no program"),
        (json!(["bot-that-is-nowhere"]), "`bot-that-is-nowhere` in PATH"),
        (json!(["ragmeter.yaml"]), "`./ragmeter.yaml`"),
    ] {
        project.configure(&json!([{ "name": "script", "command": { "run": run } }]));
        project.run().refused(2, &["`script`", words]);
    }
}

#[test]
fn ctrl_c_ends_cleanly_and_leaves_nothing_running() {
    let project =
        project(50, &json!({}), &script("echo $$ > leader; echo $id >> asked; sleep 0.2"));
    let child = project.begin();
    let until = Instant::now() + Duration::from_mins(1);
    while project.read("asked").lines().count() < 3 {
        assert!(Instant::now() < until, "the run went on");
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = child.id().to_string();
    assert!(
        std::process::Command::new("kill").args(["-INT", &pid]).status().expect("kill").success()
    );
    let stopped = done(child.wait_with_output().expect("it ends"));
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    assert_eq!(project.read("ends"), "bye\n", "the program was let go, not killed");
    assert_gone(&project.read("leader"));
    let asked = project.read("asked").lines().count();
    assert!(asked < 50, "it stopped soon");
    project.run().ok();
    let all = project.read("asked");
    assert_eq!(all.lines().count(), 50, "each case was asked once: {asked} before the stop");
}
