//! The clock stands still but for the waits, so every time is exact.

use super::*;
use crate::limits::Waiting;
use crate::rates::Reading;

const SECOND: Duration = Duration::from_secs(1);

fn pool(servers: usize, concurrency: usize) -> Arc<Pool> {
    patient(servers, concurrency, Patience::default())
}

fn patient(servers: usize, concurrency: usize, patience: Patience) -> Arc<Pool> {
    let names = (0..servers).map(|at| format!("http://s{at}")).collect();
    Arc::new(Pool::new(names, concurrency, patience))
}

fn wish<'a>(model: &'a str, failed: &'a [usize]) -> Wish<'a> {
    Wish { model, chars: 300, failed }
}

async fn enter(pool: &Pool) -> Place<'_> {
    pool.enter(wish("m", &[])).await.expect("a place")
}

fn failure(class: AbsenceClass) -> Failure {
    Failure { class, detail: "it failed".to_owned() }
}

/// Starts calls of a length, and says when each began and at which server.
async fn calls(pool: &Arc<Pool>, count: usize, length: Duration) -> Vec<(Instant, usize)> {
    let calls: Vec<_> = (0..count)
        .map(|_| {
            let pool = Arc::clone(pool);
            tokio::spawn(async move {
                let place = enter(&pool).await;
                let started = (Instant::now(), place.server());
                tokio::time::sleep(length).await;
                place.answered();
                started
            })
        })
        .collect();
    let mut began = Vec::new();
    for call in calls {
        began.push(call.await.expect("no panic"));
    }
    began
}

#[tokio::test(start_paused = true)]
async fn nobody_starts_during_a_pause_and_the_cut_holds_after_it() {
    let (pool, began) = (pool(1, 8), Instant::now());
    enter(&pool).await.refused(Some(SECOND * 4), &failure(AbsenceClass::RateLimited));
    let starts = calls(&pool, 12, SECOND).await;
    let after: Vec<u64> = starts.iter().map(|(at, _)| (*at - began).as_secs()).collect();
    // Half of the eight; a full round later one more.
    assert_eq!(after, [4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6]);
    let limits = pool.limits();
    assert_eq!((limits.pauses, limits.refusals, limits.peak, limits.in_flight), (1, 1, 5, 0));
}

#[tokio::test(start_paused = true)]
async fn a_watcher_sees_who_works_and_what_is_waited_for() {
    let pool = pool(1, 8);
    let places = [enter(&pool).await, enter(&pool).await, enter(&pool).await];
    let limits = pool.limits();
    assert_eq!((limits.in_flight, limits.limit, limits.waiting), (3, 8, None));
    let [first, second, _third] = places;
    first.refused(Some(SECOND * 9), &failure(AbsenceClass::RateLimited));
    second.refused(None, &failure(AbsenceClass::RateLimited));
    tokio::time::sleep(SECOND * 2).await;
    let limits = pool.limits();
    assert_eq!((limits.in_flight, limits.limit), (1, 4));
    assert_eq!(limits.waiting, Some(Waiting::Asked(SECOND * 7)));
    tokio::time::sleep(SECOND * 7).await;
    assert_eq!(pool.limits().waiting, None);
}

#[tokio::test(start_paused = true)]
async fn failures_do_not_cut_the_limit() {
    let pool = pool(1, 8);
    for _ in 0..11 {
        enter(&pool).await.failed(&failure(AbsenceClass::Server));
    }
    assert_eq!(pool.limits().limit, 8);
}

#[tokio::test(start_paused = true)]
async fn what_is_left_by_the_headers_paces_the_starts() {
    let (pool, began) = (pool(1, 4), Instant::now());
    // An endpoint that takes five requests in each ten seconds, and says so.
    let mut starts = Vec::new();
    let (mut window, mut taken) = (0, 0);
    for _ in 0..12 {
        let mut place = enter(&pool).await;
        let now = (Instant::now() - began).as_secs();
        starts.push(now);
        if now / 10 != window {
            (window, taken) = (now / 10, 0);
        }
        taken += 1;
        let reset = Some(Duration::from_secs((window + 1) * 10 - now));
        let remaining = f64::from(5 - taken);
        let reading = Reading { limit: Some(5.0), remaining, reset, window: None };
        place.heard(Rates { requests: Some(reading), tokens: None });
        place.answered();
    }
    assert_eq!(starts, [0, 0, 0, 0, 0, 10, 10, 10, 10, 10, 20, 20]);
    let limits = pool.limits();
    assert_eq!((limits.pauses, limits.refusals, limits.limit), (2, 0, 4));
    assert_eq!(limits.requests_per_minute, Some(5.0));
}

#[tokio::test(start_paused = true)]
async fn models_have_queues_and_rates_of_their_own() {
    let (pool, began) = (pool(1, 4), Instant::now());
    let mut place = enter(&pool).await;
    let reset = Some(SECOND * 30);
    let reading = Reading { limit: Some(9000.0), remaining: 10.0, reset, window: None };
    place.heard(Rates { requests: None, tokens: Some(reading) });
    place.answered();
    let waiting = tokio::spawn({
        let pool = Arc::clone(&pool);
        async move {
            drop(enter(&pool).await);
            Instant::now()
        }
    });
    tokio::time::sleep(SECOND).await;
    assert_eq!(pool.limits().waiting, Some(Waiting::Tokens(SECOND * 29)));
    drop(pool.enter(wish("embedder", &[])).await.expect("a place"));
    assert_eq!(Instant::now() - began, SECOND);
    // A reply that came to next to nothing teaches that calls are small: they fit.
    for _ in 0..40 {
        pool.learn("m", 1000, 1);
    }
    drop(pool.enter(wish("embedder", &[])).await.expect("a place"));
    assert_eq!(waiting.await.expect("no panic") - began, SECOND);
}

#[tokio::test(start_paused = true)]
async fn calls_go_where_the_fewest_are() {
    let pool = pool(3, 2);
    let servers: Vec<usize> = calls(&pool, 9, SECOND).await.iter().map(|(_, at)| *at).collect();
    assert_eq!(servers, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
    let limits = pool.limits();
    assert_eq!((limits.limit, limits.peak, limits.servers.len()), (6, 6, 3));
}

#[tokio::test(start_paused = true)]
async fn a_pause_of_one_server_leaves_the_work_to_the_other() {
    let (pool, began) = (pool(2, 4), Instant::now());
    enter(&pool).await.refused(Some(SECOND * 60), &failure(AbsenceClass::RateLimited));
    let starts = calls(&pool, 8, SECOND).await;
    assert!(starts.iter().all(|(at, server)| *server == 1 && *at - began < SECOND * 2));
    let limits = pool.limits();
    assert_eq!((limits.servers[0].limit, limits.servers[1].limit), (2, 4));
    assert_eq!(limits.waiting, None);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_gone_gets_one_call_at_a_time_until_that_is_sure() {
    let pool = pool(2, 4);
    let first = enter(&pool).await;
    assert_eq!(first.server(), 0);
    first.failed(&failure(AbsenceClass::Unreachable));
    // The call itself goes elsewhere.
    let again = pool.enter(wish("m", &[0])).await.expect("a place");
    assert_eq!(again.server(), 1);
    let others = [enter(&pool).await, enter(&pool).await, enter(&pool).await];
    assert!(others.iter().all(|place| place.server() == 1));
    let probe = enter(&pool).await;
    assert_eq!(probe.server(), 0);
    // All places of the good one are taken, and one is trying the other: the next one waits.
    let wait = tokio::time::timeout(SECOND, enter(&pool)).await;
    assert!(wait.is_err());
    tokio::time::sleep(SECOND * 5).await;
    probe.failed(&failure(AbsenceClass::Unreachable));
    enter(&pool).await.failed(&failure(AbsenceClass::Unreachable));
    assert!(pool.limits().servers[0].gone);
    assert_eq!(pool.limits().limit, 4);
    // Half a minute later one call looks whether it is back.
    tokio::time::sleep(SECOND * 30).await;
    let trial = enter(&pool).await;
    assert_eq!(trial.server(), 0);
    trial.answered();
    assert!(!pool.limits().servers[0].gone);
}

#[tokio::test(start_paused = true)]
async fn with_no_server_left_calls_end_at_once() {
    let pool = patient(2, 4, Patience { gone_after: Duration::ZERO, ..Patience::default() });
    for _ in 0..2 {
        for server in 0..2 {
            for _ in 0..3 {
                let failed = [1 - server];
                let Ok(place) = pool.enter(wish("m", &failed)).await else { continue };
                place.failed(&failure(AbsenceClass::Unreachable));
            }
        }
    }
    let began = Instant::now();
    let error = pool.enter(wish("m", &[])).await.expect_err("nobody is there");
    assert_eq!((error.class, Instant::now() - began), (AbsenceClass::Unreachable, Duration::ZERO));
    assert!(error.detail.contains("given up after 3 failures"), "{}", error.detail);
}

#[tokio::test(start_paused = true)]
async fn a_queue_has_its_own_deadline() {
    let patience = Patience { queue: SECOND * 60, ..Patience::default() };
    let (pool, began) = (patient(1, 1, patience), Instant::now());
    let place = enter(&pool).await;
    let two = [pool.enter(wish("m", &[])), pool.enter(wish("m", &[]))];
    for error in futures::future::join_all(two).await {
        let error = error.expect_err("no place");
        assert_eq!(error.class, AbsenceClass::Timeout);
        let said =
            "no place in the 60 s that a call may queue: 1 calls are in flight where 1 may be";
        assert_eq!(error.detail, said);
    }
    assert_eq!(Instant::now() - began, SECOND * 60);
    // What is known to take longer isn't waited for.
    place.refused(Some(SECOND * 86_400), &failure(AbsenceClass::RateLimited));
    let error = pool.enter(wish("m", &[])).await.expect_err("a day is too long");
    assert_eq!(error.class, AbsenceClass::RateLimited);
    assert!(error.detail.ends_with("the endpoint asks to wait 86400.0 s more"), "{error:?}");
    assert_eq!(Instant::now() - began, SECOND * 60);
}
