use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ragmeter_core::{AbsenceClass, ChatModel, ErrorClass, ModelError};
use ragmeter_models::{Patience, Remote, RemoteConfig};

use crate::endpoint::{Endpoint, Reply, quick, request};

/// Starts `n` calls at once and waits for all.
async fn at_once(model: &Arc<dyn ChatModel>, n: usize) -> Vec<Result<String, ModelError>> {
    let calls: Vec<_> = (0..n)
        .map(|_| {
            let model = model.clone();
            tokio::spawn(async move { Ok(model.chat(request(None)).await?.text) })
        })
        .collect();
    let mut replies = Vec::new();
    for call in calls {
        replies.push(call.await.expect("no panic"));
    }
    replies
}

fn failed(class: AbsenceClass) -> ErrorClass {
    ErrorClass::Failed(class)
}

#[tokio::test]
async fn a_wait_that_is_asked_for_is_kept_by_everyone() {
    let endpoint = Endpoint::start(|seen| match seen.number {
        0 => Reply::new(429, "slow down").header("retry-after", "0.2"),
        _ => Reply::says("да"),
    })
    .await;
    let openai = endpoint.connect();
    let model = openai.chat_model("m");
    let first = tokio::spawn({
        let model = model.clone();
        async move { model.chat(request(None)).await }
    });
    tokio::time::sleep(Duration::from_millis(80)).await;
    // These come while the pause lasts.
    let others = at_once(&model, 5).await;
    assert_eq!(first.await.expect("no panic").expect("a reply").text, "да");
    assert!(others.iter().all(Result::is_ok));
    let seen = endpoint.seen();
    assert_eq!(seen.len(), 7);
    for later in &seen[1..] {
        let wait = later.at - seen[0].at;
        assert!(wait >= Duration::from_millis(195), "{wait:?}");
    }
    let stats = openai.stats();
    assert_eq!((stats.chat_calls, stats.retries, stats.rate_limited), (6, 1, 1));
}

#[tokio::test]
async fn retry_after_ms_goes_before_retry_after() {
    let endpoint = Endpoint::start(|seen| match seen.number {
        0 => Reply::new(429, "").header("retry-after", "50").header("retry-after-ms", "100"),
        _ => Reply::says("да"),
    })
    .await;
    let began = Instant::now();
    endpoint.connect().chat_model("m").chat(request(None)).await.expect("a reply");
    assert!((100..2000).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_wait_beyond_the_budget_ends_the_call() {
    let endpoint =
        Endpoint::start(|_| Reply::new(429, "come back tomorrow").header("retry-after", "86400"))
            .await;
    let err = endpoint.connect().chat_model("m").chat(request(None)).await.expect_err("no reply");
    assert_eq!(err.class, failed(AbsenceClass::RateLimited));
    assert!(err.detail.contains("come back tomorrow") && err.detail.contains("86400.0 s"), "{err}");
}

#[tokio::test]
async fn a_storm_cuts_once_and_the_cut_holds() {
    // All of the first sixteen are refused; afterwards there is room for all.
    let endpoint = Endpoint::start(|seen| {
        let reply = if seen.number < 16 {
            Reply::new(429, "").header("retry-after", "0.1")
        } else {
            Reply::says("да")
        };
        reply.after_ms(20)
    })
    .await;
    let openai = endpoint.connect();
    let model = openai.chat_model("m");
    let replies = at_once(&model, 16).await;
    assert!(replies.iter().all(Result::is_ok), "{replies:?}");
    assert_eq!(openai.stats().rate_limited, 16);
    // A cut for each reply would leave a limit of 1, and the second burst would begin with one.
    let seen = endpoint.seen();
    let second = seen[16].at;
    let together = seen[16..].iter().filter(|s| s.at - second < Duration::from_millis(15)).count();
    assert_eq!(together, 8);
}

#[tokio::test]
async fn three_hundred_calls_come_through_when_one_in_five_is_refused() {
    let endpoint = Endpoint::start(|seen| {
        let unlucky = (seen.number * 7919) % 5 == 0;
        let reply = if unlucky {
            Reply::new(429, "").header("retry-after", "0.02")
        } else {
            Reply::says("да")
        };
        reply.after_ms(5)
    })
    .await;
    let openai = endpoint.connect();
    let replies = at_once(&openai.chat_model("m"), 300).await;
    assert!(replies.iter().all(Result::is_ok));
    let stats = openai.stats();
    assert_eq!(stats.chat_calls, 300);
    assert_eq!(stats.rate_limited, 75);
    assert_eq!(stats.in_flight, 0);
    assert!(endpoint.peak.load(Ordering::SeqCst) <= 16);
}

#[tokio::test]
async fn the_endpoints_own_trouble_is_tried_four_times() {
    let endpoint = Endpoint::start(|_| Reply::new(503, "{\"error\": \"warming up\"}")).await;
    let err = endpoint.connect().chat_model("m").chat(request(None)).await.expect_err("no reply");
    assert_eq!(err.class, failed(AbsenceClass::Server));
    assert_eq!(err.detail, "HTTP 503: warming up (tried 4 times)");
    assert_eq!(endpoint.seen().len(), 4);

    let endpoint = Endpoint::start(|seen| match seen.number {
        0..3 => Reply::new(502, ""),
        _ => Reply::says("да"),
    })
    .await;
    endpoint.connect().chat_model("m").chat(request(None)).await.expect("the fourth try");
}

#[tokio::test]
async fn a_silent_endpoint_times_out() {
    let endpoint = Endpoint::start(|_| Reply::says("да").after_ms(60_000)).await;
    let config = RemoteConfig { timeout: Duration::from_millis(100), ..endpoint.config() };
    let model = Remote::connect(&config).expect("ok").chat_model("m");
    let err = model.chat(request(None)).await.expect_err("no reply");
    assert_eq!(err.class, failed(AbsenceClass::Timeout));
    assert_eq!(err.detail, "no reply within 0.1 s (tried 2 times)");
}

#[tokio::test]
async fn a_reply_without_end_is_not_read_to_its_end() {
    let endpoint = Endpoint::start(|_| Reply::new(200, vec![b' '; 17 << 20])).await;
    let err = endpoint.connect().chat_model("m").chat(request(None)).await.expect_err("no reply");
    assert_eq!((err.class, endpoint.seen().len()), (failed(AbsenceClass::Rejected), 1));
    assert!(err.detail.contains("16 MiB"), "{err}");
}

#[tokio::test]
async fn a_dead_endpoint_ends_a_run_soon_whatever_its_length() {
    // A port that was free a moment ago: connections are refused.
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("an address").port()
    };
    let config = RemoteConfig {
        patience: quick(),
        ..RemoteConfig::new(format!("http://127.0.0.1:{port}/v1"))
    };
    let openai = Remote::connect(&config).expect("ok");
    let began = Instant::now();
    let replies = at_once(&openai.chat_model("m"), 2000).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    for reply in replies {
        let err = reply.expect_err("nobody is there");
        assert_eq!(err.class, failed(AbsenceClass::Unreachable), "{err}");
        assert!(err.detail.contains("refused"), "{err}");
    }
}

#[tokio::test]
async fn one_call_at_a_time_against_a_dead_endpoint_ends_with_the_usual_patience() {
    // Port 1 on loopback has no listener.
    let config = RemoteConfig { concurrency: 1, ..RemoteConfig::new("http://127.0.0.1:1/v1") };
    assert_eq!(config.patience, Patience::default());
    let model = Remote::connect(&config).expect("ok").chat_model("m");
    let began = Instant::now();
    for _ in 0..50 {
        model.chat(request(None)).await.expect_err("nobody is there");
    }
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_unreachable() {
    let config =
        RemoteConfig { patience: quick(), ..RemoteConfig::new("http://no-such-host.invalid/v1") };
    let model = Remote::connect(&config).expect("ok").chat_model("m");
    let err = model.chat(request(None)).await.expect_err("no such host");
    assert_eq!(err.class, failed(AbsenceClass::Unreachable), "{err}");
}

#[tokio::test]
async fn an_endpoint_that_comes_back_is_used_again() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("an address")
    };
    let patience = Patience { trial_after: Duration::from_millis(50), ..quick() };
    let config = RemoteConfig { patience, ..RemoteConfig::new(format!("http://{port}/v1")) };
    let model = Remote::connect(&config).expect("ok").chat_model("m");
    at_once(&model, 20).await;
    let began = Instant::now();
    model.chat(request(None)).await.expect_err("given up");
    assert!(began.elapsed() < Duration::from_secs(1));

    let endpoint = Endpoint::start_at(port, |_| Reply::says("да")).await;
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(model.chat(request(None)).await.expect("it is back").text, "да");
    assert!(at_once(&model, 20).await.iter().all(Result::is_ok));
    assert_eq!(endpoint.seen().len(), 21);
}

#[tokio::test]
async fn abandoned_calls_give_their_places_back() {
    let endpoint = Endpoint::start(|seen| {
        Reply::says("да").after_ms(if seen.number < 16 { 60_000 } else { 0 })
    })
    .await;
    let openai = endpoint.connect();
    let model = openai.chat_model("m");
    let calls = futures::future::join_all((0..16).map(|_| model.chat(request(None))));
    let waiting = tokio::time::timeout(Duration::from_millis(200), calls).await;
    assert!(waiting.is_err());
    assert_eq!((openai.stats().in_flight, openai.stats().peak_in_flight), (0, 16));
    assert!(at_once(&model, 16).await.iter().all(Result::is_ok));
}
