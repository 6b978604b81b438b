//! Storms, quotas, servers that die and replies that don't come: nothing is lost, nothing is paid
//! for twice, no score changes, and nobody runs against a wall that was announced.

mod deadlines;
mod pools;
mod server;

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::{Done, Endpoint, Faults, records, run, write_rows};
use server::{Act, Server, Window};

const METRICS: &str = "faithfulness,context_precision,context_recall";
/// Calls for each record.
const CALLS: usize = 3;
/// Time for each reply: long enough for calls to overlap.
const DELAY: Duration = Duration::from_millis(10);

fn folder(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &records(count));
    folder
}

fn score(folder: &Path, url: &str, concurrency: &str) -> Done {
    let fixed = ["score", "rows.jsonl", "--judge", "openai:m", "--metrics", METRICS];
    let rest = ["--format", "json", "--out", "out.jsonl", "--base-url", url];
    run(folder, &[&fixed[..], &rest, &["--concurrency", concurrency]].concat())
}

/// A configuration that judges the rows, with these lines under its one model.
fn configure(folder: &Path, model: &str) {
    let text = format!(
        "models:\n  m:\n    model: m\n{model}\nsystems: [{{name: bot, records: rows.jsonl}}]\n\
         metrics: [{METRICS}]\njudge: {{model: m}}\nrun: {{concurrency: 4}}\n"
    );
    std::fs::write(folder.join("ragmeter.yaml"), text).expect("written");
}

/// Scores of the rows in the folder by an endpoint without faults.
fn truth(folder: &Path) -> Value {
    let endpoint = Endpoint::start(Faults::default());
    let other = tempfile::tempdir().expect("a folder");
    std::fs::copy(folder.join("rows.jsonl"), other.path().join("rows.jsonl")).expect("copied");
    let whole = score(other.path(), &endpoint.url, "4").ok();
    whole["systems"][0]["summaries"].clone()
}

#[track_caller]
fn assert_true(folder: &Path, whole: &Value) {
    assert_eq!(whole["systems"][0]["summaries"], truth(folder));
}

/// The one endpoint of a run.
#[track_caller]
fn limits(whole: &Value) -> &Value {
    let all = whole["limits"].as_object().expect("limits by endpoint");
    assert_eq!(all.len(), 1, "{all:?}");
    all.values().next().expect("one")
}

fn reply(_: &server::Heard<'_>) -> Act {
    Act::Reply(String::new())
}

/// All calls are refused until the end of a storm that each refusal announces.
fn storm(length: Duration, header: fn(Duration, SystemTime) -> String) -> Server {
    let end = Mutex::new(None);
    Server::start(DELAY, move |heard| {
        let now = SystemTime::now();
        // Dates have whole seconds: the storm ends with one.
        let whole = |time: SystemTime| {
            let since = time.duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
            SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs() + 1)
        };
        let end = *end.lock().expect("no panic").get_or_insert_with(|| whole(now + length));
        // Clocks differ by a little.
        match (end - Duration::from_millis(5)).duration_since(now) {
            Ok(_) => Act::Refuse(429, header(end.duration_since(now).unwrap_or_default(), end)),
            Err(_) => reply(heard),
        }
    })
}

#[test]
fn every_kind_of_retry_after_is_honoured_by_all_calls_and_cuts_once() {
    let headers: [fn(Duration, SystemTime) -> String; 3] = [
        |left, _| format!("retry-after: {}\r\n", left.as_secs() + 1),
        |left, _| format!("retry-after: 9\r\nretry-after-ms: {}\r\n", left.as_millis() + 1),
        |_, end| format!("retry-after: {}\r\n", httpdate::fmt_http_date(end)),
    ];
    for (at, header) in headers.into_iter().enumerate() {
        let (folder, server) = (folder(10), storm(Duration::from_millis(1500), header));
        let done = score(folder.path(), &server.url, "16");
        let whole = done.ok();
        assert_true(folder.path(), &whole);
        assert_eq!(server.paid(), 10 * CALLS, "{at}");
        // Only what was under way when the first refusal came.
        let refused = server.said(429);
        assert!((1..=16).contains(&refused), "{at}: {refused}");
        let limits = limits(&whole);
        assert_eq!(limits["refusals"], refused, "{at}: {limits}");
        // From 16 to 8 in one cut. Then 30 answers: 8 raise it to 9, 9 to 10, 10 to 11.
        assert_eq!(limits["limit"], 11, "{at}: {limits}");
        assert!(limits["pauses"].as_u64().is_some_and(|pauses| pauses >= 1), "{at}: {limits}");
        assert!(limits["peak"].as_u64().is_some_and(|peak| (1..=16).contains(&peak)));
        // And it is said while it lasts.
        let line = done.err.lines().find(|line| line.contains(" s by the endpoint"));
        let line = line.unwrap_or_else(|| panic!("{at}: no pause in {}", done.err));
        assert!(line.starts_with("judging: 0/10 (") && line.contains("paused "), "{line}");
        assert!(line.contains("in flight ") && line.contains("/8, paused "), "{line}");
    }
}

#[test]
fn failures_of_the_server_are_no_quota() {
    let folder = folder(10);
    let server = Server::start(DELAY, |heard| match heard.before {
        0 if heard.body.len() % 3 == 0 => Act::Refuse(503, "retry-after: 0\r\n".to_owned()),
        0 if heard.body.len() % 3 == 1 => Act::Refuse(500, String::new()),
        _ => reply(heard),
    });
    let whole = score(folder.path(), &server.url, "16").ok();
    assert_true(folder.path(), &whole);
    assert!(server.said(503) > 0 && server.said(500) > 0);
    let limits = limits(&whole);
    let of = |key: &str| limits[key].as_u64();
    assert_eq!((of("limit"), of("refusals"), of("pauses")), (Some(16), Some(0), Some(0)));
}

/// A server that takes twelve requests in a window, and says so by these headers.
fn metered(headers: fn(f64, Duration) -> String) -> Server {
    let window = Window::new(Duration::from_secs(1), 12.0);
    Server::start(DELAY, move |_| match window.take(1.0) {
        (true, left, reset) => Act::Reply(headers(left, reset)),
        (false, _, reset) => Act::Refuse(429, format!("retry-after-ms: {}\r\n", reset.as_millis())),
    })
}

#[test]
fn what_is_left_by_the_headers_paces_the_calls_before_any_refusal() {
    let dialects: [fn(f64, Duration) -> String; 3] = [
        |left, reset| {
            format!(
                "x-ratelimit-limit-requests: 12\r\nx-ratelimit-remaining-requests: {left}\r\n\
                 x-ratelimit-reset-requests: {}ms\r\n",
                reset.as_millis()
            )
        },
        |left, reset| {
            // Whole seconds, rounded up, as a time in UTC.
            let end = SystemTime::now() + reset + Duration::from_secs(1);
            let time = httpdate::HttpDate::from(end).to_string();
            let clock = time.split(' ').nth(4).expect("a time").to_owned();
            let day: Vec<&str> = time.split(' ').collect();
            let months = "JanFebMarAprMayJunJulAugSepOctNovDec";
            let month = months.find(day[2]).expect("a month") / 3 + 1;
            let reset = format!("{}-{month:02}-{}T{clock}Z", day[3], day[1]);
            format!(
                "anthropic-ratelimit-requests-limit: 12\r\n\
                 anthropic-ratelimit-requests-remaining: {left}\r\n\
                 anthropic-ratelimit-requests-reset: {reset}\r\n"
            )
        },
        |left, reset| {
            format!(
                "ratelimit-limit: 12\r\nratelimit-remaining: {left}\r\nratelimit-reset: {}\r\n",
                reset.as_secs() + 1
            )
        },
    ];
    for (at, headers) in dialects.into_iter().enumerate() {
        let (folder, server) = (folder(10), metered(headers));
        let whole = score(folder.path(), &server.url, "4").ok();
        assert_true(folder.path(), &whole);
        let limits = limits(&whole);
        assert_eq!((server.paid(), server.said(429)), (10 * CALLS, 0), "{at}: {limits}");
        assert_eq!(limits["requests_per_minute"], 12.0, "{at}: {limits}");
        assert!(limits["pauses"].as_u64().is_some_and(|pauses| pauses >= 1), "{at}: {limits}");
        assert_eq!((&limits["limit"], &limits["refusals"]), (&4.into(), &0.into()), "{at}");
    }
    // The wall is there for who isn't told, or can't make sense of it.
    let senseless: [fn(f64, Duration) -> String; 2] = [
        |_, _| String::new(),
        |_, _| {
            "x-ratelimit-limit-requests: 0\r\nx-ratelimit-remaining-requests: 0\r\n\
             x-ratelimit-reset-requests: 6m0s\r\nratelimit-remaining: few\r\n\
             anthropic-ratelimit-tokens-remaining: 0\r\n\
             anthropic-ratelimit-tokens-reset: tomorrow\r\n"
                .to_owned()
        },
    ];
    for headers in senseless {
        let (folder, server) = (folder(10), metered(headers));
        let whole = score(folder.path(), &server.url, "4").ok();
        assert_true(folder.path(), &whole);
        assert!(server.said(429) > 0);
        assert!(limits(&whole).get("requests_per_minute").is_none());
    }
}

#[test]
fn tokens_are_paced_by_what_calls_came_to() {
    let folder = folder(8);
    let window = Window::new(Duration::from_secs(1), 9000.0);
    let server = Server::start(DELAY, move |heard| {
        let (took, left, reset) = window.take((heard.body.len() / 4 + 10) as f64);
        let ms = reset.as_millis();
        if !took {
            return Act::Refuse(429, format!("retry-after-ms: {ms}\r\n"));
        }
        Act::Reply(format!(
            "x-ratelimit-limit-tokens: 9000\r\nx-ratelimit-remaining-tokens: {left}\r\n\
             x-ratelimit-reset-tokens: {ms}ms\r\n"
        ))
    });
    let whole = score(folder.path(), &server.url, "4").ok();
    assert_true(folder.path(), &whole);
    let (limits, billed) = (limits(&whole), &whole["tokens"]["input"]);
    assert!(billed.as_u64().is_some_and(|tokens| tokens > 9000), "{billed}");
    assert_eq!(server.said(429), 0, "{limits}");
    assert_eq!(limits["tokens_per_minute"], 9000.0);
    assert!(limits["pauses"].as_u64().is_some_and(|pauses| pauses >= 1), "{limits}");
}

#[test]
fn waiting_for_room_is_no_part_of_what_a_call_takes() {
    let (folder, server) = (folder(10), Server::start(DELAY, reply));
    let begun = std::time::Instant::now();
    let whole = score(folder.path(), &server.url, "1").ok();
    let wall = begun.elapsed().as_secs_f64();
    // One at a time: together they can't take longer than the run.
    let each = whole["seconds_per_call"].as_f64().expect("seconds");
    assert!(each >= DELAY.as_secs_f64(), "{each}");
    assert!(each * (10 * CALLS) as f64 <= wall, "{each} s each of {wall} s");
}
