//! Judge cards through the built binary: fingerprints, how far a judge agrees with itself, what the
//! profile does to the numbers, judging again, and probabilities against people's labels.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Request};
use crate::support::{self, Done};

const LANGS: [&str; 2] = ["en", "ru"];

/// What claim a text is: the number of its gate, and whether it is about the year.
#[derive(Clone, Copy)]
struct Claim {
    gate: usize,
    year: bool,
}

fn claim_text(lang: &str, claim: Claim) -> String {
    let n = claim.gate;
    match (lang, claim.year) {
        ("en", false) => format!("Gate {n} is made of oak."),
        ("en", true) => format!("Gate {n} was hung in {}.", 1700 + n),
        (_, false) => format!("Ворота номер {n} сделаны из дуба."),
        (_, true) => format!("Ворота номер {n} повесили в {} году.", 1700 + n),
    }
}

/// The claim that a text holds: the first number is the gate's.
fn claim_of(text: &str) -> Claim {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let gate = digits[..end].parse().expect("a gate has a number");
    Claim { gate, year: text.contains("hung") || text.contains("повесили") }
}

fn rows(lang: &str, count: usize) -> Vec<Value> {
    let row = |n: usize| {
        let [oak, year] = [false, true].map(|year| claim_text(lang, Claim { gate: n, year }));
        let question = match lang {
            "en" => format!("What is gate {n} made of?"),
            _ => format!("Из чего сделаны ворота номер {n}?"),
        };
        json!({
            "id": format!("case-{n}"), "question": question, "answer": format!("{oak} {year}"),
            "contexts": [oak],
        })
    };
    (1..=count).map(row).collect()
}

/// A judge that extracts what `claims` says and supports what `supports` says, given the request.
fn endpoint(
    claims: impl Fn(&Request, usize) -> Vec<Claim> + Send + Sync + 'static,
    supports: impl Fn(&Request, Claim) -> bool + Send + Sync + 'static,
) -> Endpoint {
    Endpoint::start(move |request| {
        let group = request.group();
        let reply = if group.ends_with("verify") {
            let verdict = |(at, text): (usize, &String)| {
                let said = if supports(request, claim_of(text)) { "supported" } else { "absent" };
                json!({ "claim": at + 1, "quote": "", "contexts": [], "verdict": said })
            };
            let verdicts: Vec<Value> =
                request.tagged("claim").iter().enumerate().map(verdict).collect();
            json!({ "verdicts": verdicts })
        } else {
            let answer = request.tagged("answer").remove(0);
            let lang = if answer.contains("Gate") { "en" } else { "ru" };
            let found: Vec<Value> = claims(request, claim_of(&answer).gate)
                .into_iter()
                .map(|claim| json!({ "text": claim_text(lang, claim), "span": "" }))
                .collect();
            match group.as_str() {
                "groundedness" => json!({ "reason": "all of it", "grade": 2 }),
                "split_refusal" => json!({ "kind": "answered" }),
                "split_claims" => json!({ "claims": found }),
                "extract" => json!({ "kind": "answered", "claims": found }),
                other => panic!("nobody asks {other} here"),
            }
        };
        let (status, mut body) = request.reply(&reply.to_string());
        // Each model has a name of its own in its replies.
        body["model"] = json!(format!("{}-1", request.json["model"].as_str().expect("a model")));
        (status, body)
    })
}

fn both_claims(_: &Request, gate: usize) -> Vec<Claim> {
    vec![Claim { gate, year: false }, Claim { gate, year: true }]
}

fn is_hot(request: &Request) -> bool {
    request.json["temperature"].as_f64().expect("a temperature") > 0.0
}

/// Oak is always right, years of odd gates are.
fn plainly(claim: Claim) -> bool {
    !claim.year || claim.gate % 2 == 1
}

fn scored(folder: &Path, url: &str, model: &str, more: &[&str]) -> Done {
    let judge = format!("openai:{model}");
    let mut args = vec!["score", "rows.jsonl", "--judge", &judge, "--base-url", url];
    args.extend(["--metrics", "faithfulness", "--format", "json"]);
    args.extend(more);
    support::run(folder, &args)
}

fn folder_with(rows: &[Value]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    support::write_rows(&folder.path().join("rows.jsonl"), rows);
    folder
}

fn of<'a>(list: &'a Value, key: &str, name: &str) -> &'a Value {
    let found = list.as_array().into_iter().flatten().find(|one| one[key] == name);
    found.unwrap_or_else(|| panic!("no {key} {name} in {list}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[track_caller]
fn assert_close(value: &Value, expected: f64, what: &str) {
    let found = number(value);
    assert!((found - expected).abs() < 1e-9, "{what}: {found} and not {expected}");
}

/// Krippendorff's alpha of two verdicts a unit, by its definition: observed over expected
/// disagreement, where values are paired within units and over all.
fn alpha_of_pairs(pairs: &[(bool, bool)]) -> f64 {
    let all: Vec<bool> = pairs.iter().flat_map(|(one, other)| [*one, *other]).collect();
    let observed =
        pairs.iter().filter(|(one, other)| one != other).count() as f64 / pairs.len() as f64;
    let differing = all
        .iter()
        .enumerate()
        .flat_map(|(at, one)| all[at + 1..].iter().map(move |other| one != other))
        .filter(|differ| *differ)
        .count();
    let expected = differing as f64 / (all.len() * (all.len() - 1) / 2) as f64;
    1.0 - observed / expected
}

#[test]
fn a_judge_that_wavers_has_the_alpha_of_its_verdicts_and_a_steady_one_has_1() {
    for lang in LANGS {
        // Asked again, it turns on the years of the first six gates.
        let hot = |claim: Claim| plainly(claim) != (claim.year && claim.gate <= 6);
        for wavers in [true, false] {
            let judge = endpoint(both_claims, move |request, claim| {
                if wavers && is_hot(request) { hot(claim) } else { plainly(claim) }
            });
            let folder = folder_with(&rows(lang, 20));
            scored(folder.path(), &judge.url(), "oracle", &[]).ok();
            judge.take();
            let url = judge.url();
            let args =
                ["judge", "wobble", "latest", "--share", "1", "--repeats", "2", "--base-url", &url];
            let mut in_json = args.to_vec();
            in_json.extend(["--format", "json"]);
            let found = support::run(folder.path(), &in_json).ok();
            let (asked, again) = (judge.take_chat(), found.clone());
            // The first judgement is the run's: only the repeat is paid for, at a temperature.
            assert_eq!(asked.len(), 40, "{again}");
            assert!(asked.iter().all(is_hot));
            assert_eq!(again["calls"]["chat"], 40);
            let claims: Vec<Claim> =
                (1..=20).flat_map(|gate| [false, true].map(|year| Claim { gate, year })).collect();
            let second = |claim: Claim| if wavers { hot(claim) } else { plainly(claim) };
            let pairs: Vec<(bool, bool)> =
                claims.iter().map(|claim| (plainly(*claim), second(*claim))).collect();
            let support = of(&found["facts"], "fact", "claim_support");
            assert_eq!(support["n_units"], 40);
            assert_close(&support["alpha"], alpha_of_pairs(&pairs), "alpha");
            let (low, high) = (number(&support["interval"][0]), number(&support["interval"][1]));
            let alpha = number(&support["alpha"]);
            assert!(low < high && low <= alpha && alpha <= high, "{support}");
            assert_close(
                &support["agreement"],
                if wavers { 34.0 / 40.0 } else { 1.0 },
                "agreement",
            );
            let refusal = of(&found["facts"], "fact", "refusal");
            assert_eq!((&refusal["n_units"], &refusal["alpha"]), (&json!(20), &Value::Null));
            let metric = of(&found["metrics"], "metric", "faithfulness");
            let moved = if wavers { 6.0 } else { 0.0 };
            assert_close(&metric["difference"], moved * 0.5 / 20.0, "mean difference");
            assert_eq!((&metric["n"], &metric["n_changed"]), (&json!(20), &json!(moved as usize)));
            assert_eq!(found["judge"], json!({ "model": "oracle", "of_run": true }));

            // In words, and without paying again.
            let said = support::run(folder.path(), &args);
            assert_eq!((said.code, judge.take_chat().len()), (Some(0), 0), "{said:?}");
            let words = match lang {
                "en" => "support of claims: ",
                _ => "подтверждение утверждений: ",
            };
            let line = said.out.lines().find(|line| line.starts_with(words)).expect("a sentence");
            let verdict = match (lang, wavers) {
                ("en", true) => "unsteady",
                ("en", false) => "steady",
                (_, true) => "неустойчиво",
                (_, false) => "устойчиво",
            };
            assert!(line.contains(&format!(": {verdict};")), "{line}");
            let other = support::run(folder.path(), &[&args[..], &["--lang", "ru"]].concat());
            assert!(other.out.contains("подтверждение утверждений: "), "{other:?}");
        }
    }
}

/// Verdicts are compared on the claims of the run; scores come of claims extracted anew.
#[test]
fn another_extraction_moves_the_score_and_no_verdict() {
    let judge = endpoint(
        |request, gate| {
            // Asked again, it misses the year.
            let all = both_claims(request, gate);
            if is_hot(request) { all[..1].to_vec() } else { all }
        },
        |_, claim| plainly(claim),
    );
    let folder = folder_with(&rows("en", 12));
    scored(folder.path(), &judge.url(), "oracle", &[]).ok();
    let url = judge.url();
    let found = support::run(
        folder.path(),
        &[
            "judge",
            "wobble",
            "latest",
            "--share",
            "1",
            "--repeats",
            "3",
            "--base-url",
            &url,
            "--format",
            "json",
        ],
    )
    .ok();
    let support = of(&found["facts"], "fact", "claim_support");
    assert_eq!((&support["n_units"], &support["n_same"]), (&json!(24), &json!(24)), "{found}");
    assert_close(&support["alpha"], 1.0, "alpha");
    // Even gates: 1/2 with the year, 1 without it, over pairs of the three judgements.
    let metric = of(&found["metrics"], "metric", "faithfulness");
    assert_close(&metric["difference"], 0.5 * (0.5 * 2.0 / 3.0), "mean difference");
    assert_close(&metric["share_changed"], 0.5, "share changed");
}

#[test]
fn a_share_is_drawn_by_the_seed_and_what_cannot_wobble_is_refused() {
    let judge = endpoint(both_claims, |_, claim| plainly(claim));
    let folder = folder_with(&rows("en", 30));
    scored(folder.path(), &judge.url(), "oracle", &[]).ok();
    let url = judge.url();
    let args = ["judge", "wobble", "latest", "--repeats", "2", "--format", "json"];
    let run = |more: &[&str]| support::run(folder.path(), &[&args[..], more].concat());
    assert_eq!(run(&["--base-url", &url]).ok()["n_records"], 3, "a tenth of thirty");
    let half = run(&["--base-url", &url, "--share", "0.5"]).ok();
    assert_eq!(half["n_records"], 15);
    // A key goes nowhere that only the store names.
    run(&[]).refused(2, &["--base-url", &url]);
    run(&["--base-url", &url, "--judge", "local"]).refused(2, &["local", "--judge"]);
    assert_eq!(run(&["--base-url", &url, "--share", "1.5"]).code, Some(2));
    // The budget stops it, and what was paid for stays.
    let stopped = run(&["--base-url", &url, "--share", "1", "--max-calls", "4"]);
    assert_eq!(stopped.code, Some(5), "{stopped:?}");
}

/// p of a fair coin that fell on one side `most` times of `n` or more, both sides, by counting.
fn sign_test(least: usize, n: usize) -> f64 {
    let mut row = vec![1.0_f64];
    for _ in 0..n {
        let next = std::iter::once(1.0)
            .chain(row.windows(2).map(|pair| pair[0] + pair[1]))
            .chain(std::iter::once(1.0));
        row = next.collect();
    }
    (2.0 * row[..=least].iter().sum::<f64>() / 2.0_f64.powi(n as i32)).min(1.0)
}

#[test]
fn drift_is_the_signed_difference_of_the_other_profile() {
    for (lang, profile, other, sign) in
        [("en", "grouped", "split", 1.0), ("ru", "split", "grouped", -1.0)]
    {
        // Asked one by one, years of even gates to 14 are right too, and that of gate 3 is wrong.
        let judge = endpoint(both_claims, |request, claim| {
            let turns =
                claim.year && (claim.gate == 3 || (claim.gate % 2 == 0 && claim.gate <= 14));
            plainly(claim) != (turns && request.group().starts_with("split"))
        });
        let folder = folder_with(&rows(lang, 40));
        let plain = scored(folder.path(), &judge.url(), "oracle", &["--profile", profile]).ok();
        assert_eq!(plain["drift"], Value::Null, "off unless asked");
        let asked = judge.take_chat();
        let is_split = |request: &Request| request.group().starts_with("split");
        assert!(asked.iter().all(|request| is_split(request) == (profile == "split")));

        let args = ["--profile", profile, "--drift", "0.1"];
        let done = scored(folder.path(), &judge.url(), "oracle", &args).ok();
        // All that is asked now is in the other profile: none of its replies is the first one's.
        let asked = judge.take_chat();
        assert_eq!(asked.len(), if other == "split" { 120 } else { 80 });
        assert!(asked.iter().all(|request| is_split(request) == (other == "split")));
        assert_eq!(done["run_id"], plain["run_id"], "drift is looked at beside the run");
        let drift = &done["drift"];
        assert_eq!((&drift["profile"], &drift["other"]), (&json!(profile), &json!(other)));
        // 3 verdicts a record: 200 of them are more than there are, so all records are taken.
        assert_eq!((&drift["n_records"], &drift["n_facts"]), (&json!(40), &json!(120)));
        assert!(done["notes"].to_string().contains("120 verdicts"), "{}", done["notes"]);
        let metric = of(&drift["metrics"], "metric", "faithfulness");
        assert_close(&metric["difference"], sign * (7.0 - 1.0) * 0.5 / 40.0, "difference");
        let (low, high) = (number(&metric["interval"][0]), number(&metric["interval"][1]));
        let mean = number(&metric["difference"]);
        assert!(low < mean && mean < high, "{metric}");
        let fact = of(&drift["facts"], "fact", "claim_support");
        let (more, fewer) =
            if sign > 0.0 { ("only_other", "only_run") } else { ("only_run", "only_other") };
        assert_eq!((&fact[more], &fact[fewer]), (&json!(7), &json!(1)), "{fact}");
        assert_eq!(
            (&fact["both"], &fact["neither"], &fact["n"]),
            (&json!(59), &json!(13), &json!(80))
        );
        assert_close(&fact["p"], sign_test(1, 8), "McNemar");

        let said = support::run(
            folder.path(),
            &[
                "score",
                "rows.jsonl",
                "--judge",
                "openai:oracle",
                "--base-url",
                &judge.url(),
                "--metrics",
                "faithfulness",
                "--profile",
                profile,
                "--drift",
                "0.1",
            ],
        );
        assert_eq!(judge.take_chat().len(), 0, "nothing is paid twice");
        let title = match lang {
            "en" => "== Drift: grouped and split",
            _ => "== Расхождение профилей: split и grouped",
        };
        assert!(said.out.contains(title), "{said:?}");
    }
}

#[test]
fn drift_takes_a_share_but_no_fewer_than_two_hundred_verdicts() {
    let judge = endpoint(both_claims, |_, claim| plainly(claim));
    let folder = folder_with(&rows("en", 100));
    let yaml = |share: &str| {
        format!(
            "models:\n  oracle: {{ provider: openai, model: oracle, base_url: \"{}\" }}\n\
             systems: [{{ name: recorded, records: rows.jsonl }}]\nmetrics: [faithfulness]\n\
             judge: {{ model: oracle }}\nrun: {{ drift: {share} }}\n",
            judge.url()
        )
    };
    std::fs::write(folder.path().join("ragmeter.yaml"), yaml("0.1")).expect("written");
    let done = support::run(folder.path(), &["run", "--format", "json"]).ok();
    // 67 records are the first to have 200 verdicts.
    assert_eq!(done["drift"]["n_records"], 67, "{}", done["drift"]);
    assert_eq!(done["drift"]["n_facts"], 201);
    assert!(!done["notes"].to_string().contains("drift"), "{}", done["notes"]);
    std::fs::write(folder.path().join("ragmeter.yaml"), yaml("0.9")).expect("written");
    let done = support::run(folder.path(), &["run", "--format", "json"]).ok();
    assert_eq!(done["drift"]["n_records"], 90);
    std::fs::write(folder.path().join("ragmeter.yaml"), yaml("1.5")).expect("written");
    support::run(folder.path(), &["run"]).refused(2, &["run.drift", "share"]);
    let local = support::run(folder.path(), &["score", "rows.jsonl", "--drift", "0.5"]);
    local.refused(2, &["drift", "local"]);
}

/// The fingerprint in the JSON of a run.
fn fingerprint(run: &Value) -> String {
    let word = run["judge"]["fingerprint"].as_str().expect("a fingerprint").to_owned();
    assert!(word.len() == 12 && word.chars().all(|c| c.is_ascii_hexdigit()), "{word}");
    word
}

#[test]
fn every_score_carries_its_judges_fingerprint() {
    let judge = endpoint(both_claims, |_, claim| plainly(claim));
    let mixed: Vec<Value> = rows("en", 6).into_iter().chain(rows("ru", 12).split_off(6)).collect();
    let folder = folder_with(&mixed);
    let url = judge.url();
    let score = |model: &str, more: &[&str]| {
        scored(folder.path(), &url, model, &[&["--out", "out.jsonl"], more].concat()).ok()
    };
    let lines = || -> Vec<Value> {
        let text = std::fs::read_to_string(folder.path().join("out.jsonl")).expect("--out");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let first = score("oracle", &[]);
    assert_eq!(first["judge"]["returned"], json!(["oracle-1"]), "as the endpoint names it");
    let by_line: Vec<Value> = lines().iter().map(|line| line["judge"].clone()).collect();
    // One prompt a language: one judge a language.
    assert!(by_line[..6].iter().all(|one| *one == by_line[0]), "{by_line:?}");
    assert!(by_line[6..].iter().all(|one| *one == by_line[6]), "{by_line:?}");
    assert_ne!(by_line[0], by_line[6]);
    assert_eq!(fingerprint(&score("oracle", &[])), fingerprint(&first), "out of the store");

    let shown = support::run(folder.path(), &["show", "latest", "case-1", "--format", "json"]).ok();
    assert_eq!(shown["systems"][0]["judge"], by_line[0]);
    let shown = support::run(folder.path(), &["show", "latest", "case-1"]);
    let word = by_line[0].as_str().expect("a word");
    assert!(shown.out.contains(&format!("judge      {word}")), "{shown:?}");
    let kept = support::run(folder.path(), &["runs", "--format", "json"]).ok();
    assert_eq!(kept["runs"][0]["judge"], first["judge"]);
    let kept = support::run(folder.path(), &["runs"]);
    assert!(kept.out.contains(&fingerprint(&first)), "{kept:?}");
    for form in ["json", "md", "html"] {
        let done = support::run(folder.path(), &["report", "latest", "--as", form, "--out", "-"]);
        let has = done.out.contains(&fingerprint(&first));
        assert!(has || form == "md", "{form} tells who judged");
    }

    // Whatever changes the judge changes its word.
    let mut words = vec![fingerprint(&first)];
    words.push(fingerprint(&score("oracle", &["--profile", "split"])));
    words.push(fingerprint(&score("oracle", &["--votes", "3"])));
    words.push(fingerprint(&score("oracle", &[])));
    assert_eq!(words.pop(), words.first().cloned());
    let other = endpoint(both_claims, |_, claim| plainly(claim));
    let elsewhere = scored(folder.path(), &other.url(), "oracle", &[]).ok();
    words.push(fingerprint(&elsewhere));
    let distinct: std::collections::BTreeSet<&String> = words.iter().collect();
    assert_eq!(distinct.len(), words.len(), "{words:?}");
}

#[test]
fn runs_of_different_judges_are_compared_with_a_warning_and_rejudge_fills_the_gap() {
    // The lenient one lets everything pass.
    let judge = endpoint(both_claims, |request, claim| {
        plainly(claim) || request.json["model"] == "lenient"
    });
    let url = judge.url();
    let folder = tempfile::tempdir().expect("a folder");
    let mut ids = Vec::new();
    for (system, model) in [("first", "strict"), ("second", "lenient")] {
        let of_system = rows("en", 20).into_iter().map(|mut row| {
            row["system"] = json!(system);
            row
        });
        support::write_rows(&folder.path().join("rows.jsonl"), &of_system.collect::<Vec<_>>());
        let run = scored(folder.path(), &url, model, &[]).ok();
        ids.push(run["run_id"].as_str().expect("an id").to_owned());
    }
    judge.take();
    let [a, b] = [format!("{}:first", ids[0]), format!("{}:second", ids[1])];
    let run = |more: &[&str]| {
        support::run(folder.path(), &[&["compare", &a, &b, "--format", "json"], more].concat())
    };
    let before = run(&[]);
    let found = before.ok();
    assert!(before.err.contains("judge.fingerprint differs") && before.err.contains("--rejudge"));
    of(&found["mismatches"], "setting", "judge.fingerprint");
    assert_eq!(of(&found["comparisons"], "metric", "faithfulness")["difference"], Value::Null);

    run(&["--rejudge"]).refused(2, &["strict", "--base-url"]);
    let after = run(&["--rejudge", "--base-url", &url]);
    let found = after.ok();
    assert!(!after.err.contains("differs"), "{after:?}");
    assert_eq!(found["mismatches"], json!([]));
    let asked = judge.take_chat();
    assert_eq!(asked.len(), 0, "the strict judge has seen these very texts: {asked:?}");
    let compared = of(&found["comparisons"], "metric", "faithfulness");
    assert_close(&compared["mean_a"], 0.75, "by the strict one");
    assert_close(&compared["mean_b"], 0.75, "by the strict one");
    assert_eq!(found["rejudged"]["a"]["run_id"], json!(ids[0]));
    let again = found["rejudged"]["b"]["again"].as_str().expect("a run");
    assert!(!ids.iter().any(|id| id == again), "a run of its own");
    let kept = support::run(folder.path(), &["runs", "--format", "json"]).ok();
    let judges: BTreeMap<&str, &Value> = kept["runs"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|run| (run["run_id"].as_str().expect("an id"), &run["judge"]["model"]))
        .collect();
    assert_eq!(judges[again], "strict");
    assert_eq!(judges[ids[1].as_str()], "lenient", "the run itself is as it was");
    let latest =
        support::run(folder.path(), &["show", "latest", "case-1", "--format", "json"]).ok();
    // Both were made in one second: it is one of them, and not what was judged again.
    assert!(ids.iter().any(|id| latest["run_id"] == json!(id)), "the latest run is the user's own");

    // Other texts are asked of the first one's judge alone, once.
    let of_third = rows("ru", 8).into_iter().map(|mut row| {
        row["system"] = json!("third");
        row
    });
    support::write_rows(&folder.path().join("rows.jsonl"), &of_third.collect::<Vec<_>>());
    let third = scored(folder.path(), &url, "lenient", &["--votes", "3"]).ok();
    judge.take();
    let third = format!("{}:third", third["run_id"].as_str().expect("an id"));
    let args = ["compare", &a, &third, "--rejudge", "--base-url", &url];
    support::run(folder.path(), &args);
    let asked = judge.take_chat();
    assert_eq!(asked.len(), 16);
    assert!(asked.iter().all(|request| request.json["model"] == "strict"));
    support::run(folder.path(), &args);
    assert_eq!(judge.take_chat().len(), 0, "kept");
}

#[test]
fn votes_alone_are_worth_a_warning_but_other_metrics_are_not() {
    let judge = endpoint(both_claims, |_, claim| plainly(claim));
    let folder = folder_with(&rows("en", 8));
    let url = judge.url();
    let id = |run: Value| run["run_id"].as_str().expect("an id").to_owned();
    let one = id(scored(folder.path(), &url, "oracle", &[]).ok());
    let three = id(scored(folder.path(), &url, "oracle", &["--votes", "3"]).ok());
    let compare =
        |a: &str, b: &str| support::run(folder.path(), &["compare", a, b, "--format", "json"]);
    let done = compare(&one, &three);
    assert!(done.err.contains("judge.votes differs: 1 and 3"), "{done:?}");
    assert!(done.err.contains("judge.fingerprint differs"), "{done:?}");
    let compared = done.ok();
    assert_close(
        &of(&compared["comparisons"], "metric", "faithfulness")["difference"],
        0.0,
        "still",
    );

    let more = scored(folder.path(), &url, "oracle", &["--metrics", "response_groundedness"]);
    let more = id(more.ok());
    let done = compare(&one, &more);
    assert!(!done.err.contains("judge."), "the same judge: {done:?}");
}

#[test]
fn probabilities_are_held_against_peoples_labels() {
    for lang in LANGS {
        let folder = folder_with(&rows(lang, 8));
        let path = folder.path();
        support::run(
            path,
            &["score", "rows.jsonl", "--metrics", "faithfulness", "--format", "json"],
        )
        .ok();
        support::run(path, &["label", "export", "latest", "--out", "labels.csv"]);
        let text = std::fs::read_to_string(path.join("labels.csv")).expect("a table");
        let text = text.trim_start_matches('\u{feff}');
        let delimiter = if lang == "ru" { b';' } else { b',' };
        let mut reader =
            csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text.as_bytes());
        let header: Vec<String> =
            reader.headers().expect("a header").iter().map(str::to_owned).collect();
        let column = |en: &str, ru: &str| {
            let at = header.iter().position(|name| name == en || name == ru);
            at.unwrap_or_else(|| panic!("no column {en} in {header:?}"))
        };
        let (label, claim) = (column("label", "метка"), column("text", "текст"));
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        writer.write_record(&header).expect("in memory");
        let mut truth: BTreeMap<String, bool> = BTreeMap::new();
        for (at, record) in reader.records().enumerate() {
            let mut cells: Vec<String> = record.expect("a row").iter().map(str::to_owned).collect();
            let yes = at % 3 != 1;
            truth.insert(cells[claim].clone(), yes);
            if yes { "supported" } else { "absent" }.clone_into(&mut cells[label]);
            writer.write_record(&cells).expect("in memory");
        }
        std::fs::write(path.join("back.csv"), writer.into_inner().expect("in memory"))
            .expect("written");
        let args = ["label", "import", "back.csv", "--annotator", "ann", "--format", "json"];
        support::run(path, &args).ok();

        let mut pairs: Vec<(f64, f64)> = Vec::new();
        for n in 1..=8 {
            let case = format!("case-{n}");
            let shown = support::run(path, &["show", "latest", &case, "--format", "json"]).ok();
            let facts = &shown["systems"][0]["facts"];
            let claims = facts["claims"]["Ok"]["value"].as_array().expect("claims");
            for (at, claim) in claims.iter().enumerate() {
                let verdict = &facts["support"]["Ok"]["value"][at];
                let yes = truth[claim["text"].as_str().expect("a text")];
                pairs.push((number(&verdict["probability"]), f64::from(u8::from(yes))));
            }
        }
        assert!(pairs.len() >= 16, "two claims an answer");
        let n = pairs.len() as f64;
        let brier = pairs.iter().map(|(p, y)| (p - y) * (p - y)).sum::<f64>() / n;
        let ece: f64 = (0..10)
            .map(|bin| {
                let inside = |p: f64| {
                    p >= f64::from(bin) / 10.0 && (p < f64::from(bin + 1) / 10.0 || bin == 9)
                };
                let of_bin: Vec<&(f64, f64)> = pairs.iter().filter(|(p, _)| inside(*p)).collect();
                let gap: f64 = of_bin.iter().map(|(p, y)| p - y).sum();
                gap.abs() / n
            })
            .sum();
        let found = support::run(path, &["people", "latest", "--format", "json"]).ok();
        let calibration = &of(&found["facts"], "fact", "claim_support")["calibration"];
        assert_eq!(calibration["n"], pairs.len(), "{calibration}");
        assert_close(&calibration["brier"], brier, "Brier");
        assert_close(&calibration["ece"], ece, "calibration error");
        let said = support::run(path, &["people", "latest"]).out;
        let words = match lang {
            "en" => format!("Brier score {brier:.3}"),
            _ => format!("показатель Брайера {}", format!("{brier:.3}").replace('.', ",")),
        };
        assert!(said.contains(&words), "{words}: {said}");
    }
}
