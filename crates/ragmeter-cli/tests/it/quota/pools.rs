//! Several servers under one name.

use std::time::{Duration, Instant};

use super::server::Server;
use super::{CALLS, DELAY, configure, folder, reply, truth};
use crate::support::run;

#[test]
fn one_of_two_servers_is_killed_and_nothing_is_lost_or_paid_for_twice() {
    const RECORDS: usize = 30;
    let folder = folder(RECORDS);
    let first = Server::start_to_live(12, DELAY, reply);
    let second = Server::start(DELAY, reply);
    let model = format!("    base_url: [\"{}\", \"{}\"]\n    pool: twins", first.url, second.url);
    configure(folder.path(), &model);
    let whole = run(folder.path(), &["run", "--format", "json"]).ok();
    assert_eq!(whole["systems"][0]["summaries"], truth(folder.path()));
    assert_eq!((first.paid(), second.paid()), (12, RECORDS * CALLS - 12));
    for server in [&first, &second] {
        assert!(server.seen().paid.values().all(|times| *times == 1));
    }
    let shared = first.seen().paid.keys().filter(|id| second.seen().paid.contains_key(id)).count();
    assert_eq!(shared, 0, "no body was answered by both");
    let limits = &whole["limits"]["pool:twins"];
    assert_eq!(limits["servers"][0]["server"], first.url.as_str(), "{limits}");
    assert_eq!(limits["servers"].as_array().map(Vec::len), Some(2));

    // Other servers under the same name are the same endpoint: nothing is asked again.
    let third = Server::start(DELAY, reply);
    configure(folder.path(), &format!("    base_url: {}\n    pool: twins", third.url));
    let again = run(folder.path(), &["run", "--format", "json"]).ok();
    assert_eq!((&again["run_id"], third.paid()), (&whole["run_id"], 0));
    // Under another name they are another one.
    configure(folder.path(), &format!("    base_url: {}\n    pool: triplets", third.url));
    run(folder.path(), &["run", "--format", "json"]).ok();
    assert_eq!(third.paid(), RECORDS * CALLS);
}

#[test]
fn a_pool_without_a_server_left_ends_the_run_soon_and_goes_on_later() {
    const RECORDS: usize = 10;
    let folder = folder(RECORDS);
    let servers = [3, 5].map(|lives| Server::start_to_live(lives, DELAY, reply));
    let model = |urls: [&str; 2]| {
        format!("    base_url: [\"{}\", \"{}\"]\n    pool: twins", urls[0], urls[1])
    };
    configure(folder.path(), &model([&servers[0].url, &servers[1].url]));
    let began = Instant::now();
    let done = run(folder.path(), &["run", "--format", "json"]);
    assert_eq!(done.code, Some(3), "{done:?}");
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
    let whole = done.json();
    let failures = &whole["systems"][0]["summaries"][0]["failures"];
    assert!(failures["unreachable"].as_u64() > Some(0), "{failures}");
    assert_eq!(whole["limits"]["pool:twins"]["refusals"], 0);
    // The eight replies that came are kept under the name of the pool.
    let new = [Server::start(DELAY, reply), Server::start(DELAY, reply)];
    configure(folder.path(), &model([&new[0].url, &new[1].url]));
    let whole = run(folder.path(), &["run", "--format", "json"]).ok();
    assert_eq!(whole["systems"][0]["summaries"], truth(folder.path()));
    assert_eq!(new[0].paid() + new[1].paid(), RECORDS * CALLS - 8);
}

#[test]
fn doctor_asks_every_server_of_a_pool() {
    let (folder, server) = (folder(1), Server::start(DELAY, reply));
    let gone = "http://127.0.0.1:1/v1";
    let model = format!("    base_url: [\"{}\", \"{gone}\"]\n    pool: twins", server.url);
    configure(folder.path(), &model);
    let done = run(folder.path(), &["doctor", "--format", "json"]);
    assert_ne!(done.code, Some(0), "{done:?}");
    let json = done.json();
    let probes = json.as_array().or_else(|| json["models"].as_array()).expect("a list");
    let of = |role: &str| {
        let found = probes.iter().find(|probe| probe["role"] == role);
        found.unwrap_or_else(|| panic!("no {role} in {json}"))
    };
    assert_eq!(of("models.m")["ok"], true, "the pool answers: {json}");
    assert_eq!(of("models.m.base_url[0]")["ok"], true, "{json}");
    assert_eq!(of("models.m.base_url[1]")["ok"], false, "{json}");
    let detail = of("models.m.base_url[1]")["detail"].as_str().expect("a text");
    assert!(detail.contains(gone), "{detail}");
}

#[test]
fn a_pool_that_is_not_one_is_refused_with_the_way_out() {
    let folder = folder(1);
    let (a, b) = ("http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1");
    let cases: [(String, &[&str]); 7] = [
        (
            format!("    base_url: [\"{a}\", \"{b}\"]"),
            &["models.m.pool", "is missing", "pool: NAME"],
        ),
        (format!("    base_url: [\"{a}\", \"{a}\"]\n    pool: x"), &["base_url[1]", "twice"]),
        ("    base_url: []\n    pool: x".to_owned(), &["models.m.base_url", "empty list"]),
        ("    pool: x".to_owned(), &["models.m.pool", "no servers"]),
        (format!("    base_url: {a}\n    pool: two words"), &["models.m.pool", "without spaces"]),
        (
            format!(
                "    base_url: {a}\n    pool: x\n  n:\n    model: n\n    base_url: {b}\n    pool: x"
            ),
            &["models.m.pool", "`x` has other servers in models.n"],
        ),
        (
            format!("    base_url: {a}\n    timeout: 9\n    total_timeout: 3"),
            &["models.m.total_timeout", "less than the 9 s of `timeout`"],
        ),
    ];
    for (model, words) in cases {
        configure(folder.path(), &model);
        run(folder.path(), &["run", "--format", "json"]).refused(2, words);
    }
}
