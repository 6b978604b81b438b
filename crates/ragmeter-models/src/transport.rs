use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use bytes::{Bytes, BytesMut};
use ragmeter_core::AbsenceClass;
use reqwest::header::HeaderMap;

use crate::effort::{Effort, Failure};
use crate::patience::asked_to_wait;
use crate::pool::{Pool, Wish};
use crate::rates::{Rates, rates};
use crate::said::{characters, moved, status_line, with_causes};
use crate::server::Server;
use crate::{ConfigError, Limits, Patience, RemoteConfig};

/// The largest reply that is read. 128 embeddings of 4,096 numbers take about 6 MiB of JSON.
const LARGEST_REPLY: usize = 16 << 20;

/// The one way to an endpoint: its servers, who may call them when, and counters.
#[derive(Debug)]
pub(crate) struct Transport {
    servers: Vec<Server>,
    pool: Pool,
    timeout: Duration,
    patience: Patience,
    counters: Counters,
}

/// One call as a provider wants it made.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// Below the base URL.
    pub(crate) path: &'a str,
    pub(crate) model: &'a str,
    /// JSON.
    pub(crate) body: Vec<u8>,
    pub(crate) kind: Kind,
}

/// What kind of call it is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Chat,
    Embeddings,
}

/// What a provider says about a reply that is not a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Sending it again would change nothing.
    Final,
    /// The quota is used up for now.
    RateLimited,
    /// The endpoint's own trouble; it may pass.
    Retry,
}

/// Why there is no reply. No text in it holds a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallError {
    /// The endpoint refused the request, and would refuse it again.
    Refused { status: u16, body: String },
    /// No reply, however often it was tried.
    GaveUp { class: AbsenceClass, detail: String },
}

/// What a transport has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransportStats {
    /// Chat calls that were answered.
    pub chat_calls: u64,
    /// How long those took from sending to the whole reply, without their waiting for room.
    pub chat_time: Duration,
    /// Embedding calls that were answered.
    pub embedding_calls: u64,
    /// Requests sent again.
    pub retries: u64,
    /// Replies that refused for the quota.
    pub rate_limited: u64,
    /// Calls in flight now.
    pub in_flight: usize,
    /// Most calls that were in flight at once.
    pub peak_in_flight: usize,
}

#[derive(Debug, Default)]
struct Counters {
    started: AtomicU64,
    chat: AtomicU64,
    chat_milliseconds: AtomicU64,
    embeddings: AtomicU64,
    retries: AtomicU64,
    rate_limited: AtomicU64,
}

/// Any HTTP reply.
struct Reply {
    status: u16,
    wait: Option<Duration>,
    rates: Rates,
    body: String,
}

impl Transport {
    pub(crate) fn new(config: &RemoteConfig) -> Result<Arc<Self>, ConfigError> {
        let urls = std::iter::once(&config.base_url).chain(&config.more_urls);
        let servers: Vec<Server> =
            urls.map(|url| Server::new(url, config)).collect::<Result<_, ConfigError>>()?;
        let names = servers.iter().map(|server| server.endpoint().to_owned()).collect();
        Ok(Arc::new(Self {
            servers,
            pool: Pool::new(names, config.concurrency, config.patience),
            timeout: config.timeout,
            patience: config.patience,
            counters: Counters::default(),
        }))
    }

    /// Scheme, host, port and path of the first server, without credentials.
    pub(crate) fn endpoint(&self) -> &str {
        self.servers[0].endpoint()
    }

    /// Removes every secret of this endpoint from a text.
    pub(crate) fn clean(&self, text: &str) -> String {
        self.servers.iter().fold(text.to_owned(), |text, server| server.clean(&text))
    }

    /// Learns what a request came to by its reply, for the estimates of later ones.
    pub(crate) fn used(&self, model: &str, chars: usize, tokens: u64) {
        self.pool.learn(model, chars, tokens);
    }

    pub(crate) fn limits(&self) -> Limits {
        self.pool.limits()
    }

    pub(crate) fn stats(&self) -> TransportStats {
        let limits = self.limits();
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        TransportStats {
            chat_calls: read(&self.counters.chat),
            chat_time: Duration::from_millis(read(&self.counters.chat_milliseconds)),
            embedding_calls: read(&self.counters.embeddings),
            retries: read(&self.counters.retries),
            rate_limited: read(&self.counters.rate_limited),
            in_flight: limits.in_flight,
            peak_in_flight: limits.peak,
        }
    }

    fn answered(&self, kind: Kind, took: Duration) {
        match kind {
            Kind::Chat => {
                count(&self.counters.chat);
                let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
                self.counters.chat_milliseconds.fetch_add(took, Ordering::Relaxed);
            }
            Kind::Embeddings => count(&self.counters.embeddings),
        }
    }

    /// Makes a call at whichever server has room, retries what may be retried, and returns the body
    /// of the successful reply. `judge` says what a status and body other than success mean.
    pub(crate) async fn post(
        &self,
        call: Call<'_>,
        judge: impl Fn(u16, &str) -> Verdict + Send + Sync,
    ) -> Result<String, CallError> {
        let Call { path, model, body, kind } = call;
        let chars = characters(&body);
        let body = Bytes::from(body);
        let mut effort = Effort::of(self.counters.started.fetch_add(1, Ordering::Relaxed));
        // Servers that failed the call since all were tried.
        let mut failed: Vec<usize> = Vec::new();
        let mut renewed = false;
        loop {
            let wish = Wish { model, chars, failed: &failed };
            let mut place = self.pool.enter(wish).await.map_err(|failure| failure.give_up(""))?;
            let (at, started) = (place.server(), Instant::now());
            let most = effort.left(&self.patience).min(self.timeout);
            let credentials = &self.servers[at].credentials;
            let outcome = match credentials.headers().await {
                Ok(headers) => {
                    let outcome = self.send(at, path, headers.clone(), body.clone(), most).await;
                    let unknown = matches!(&outcome, Ok(Reply { status: 401, .. }));
                    if unknown && !renewed && credentials.refused(&headers) {
                        renewed = true;
                        place.rejected();
                        continue;
                    }
                    outcome
                }
                Err(failure) => Err(failure),
            };
            effort.add(started.elapsed());
            if let Ok(reply) = &outcome {
                place.heard(reply.rates);
            }
            let (failure, wait, refused) = match outcome {
                Ok(reply) if (200..300).contains(&reply.status) => {
                    place.answered();
                    self.answered(kind, started.elapsed());
                    return Ok(reply.body);
                }
                Ok(reply) => match judge(reply.status, &reply.body) {
                    Verdict::Final => {
                        place.rejected();
                        let body = self.clean(&reply.body);
                        return Err(CallError::Refused { status: reply.status, body });
                    }
                    Verdict::RateLimited => {
                        count(&self.counters.rate_limited);
                        let failure = self.failure(AbsenceClass::RateLimited, &reply);
                        place.refused(reply.wait, &failure);
                        (failure, reply.wait, true)
                    }
                    Verdict::Retry => {
                        let class = if reply.status == 408 {
                            AbsenceClass::Timeout
                        } else {
                            AbsenceClass::Server
                        };
                        let failure = self.failure(class, &reply);
                        place.failed(&failure);
                        (failure, reply.wait, false)
                    }
                },
                Err(failure) => {
                    place.failed(&failure);
                    (failure, None, false)
                }
            };
            failed.push(at);
            let moves_on = self.pool.elsewhere(&failed);
            if !moves_on {
                failed.clear();
            }
            // What no server would do otherwise counts, and so does silence: it has cost the whole
            // timeout.
            let counts = !moves_on
                || matches!(failure.class, AbsenceClass::Timeout | AbsenceClass::Rejected);
            let wait = if !counts {
                effort.moves_on(&self.patience, failure)?
            } else if refused {
                effort.after_refusal(&self.patience, wait, failure)?
            } else {
                effort.after_failure(&self.patience, wait, failure)?
            };
            tokio::time::sleep(wait).await;
            count(&self.counters.retries);
        }
    }

    /// One try, which ends after `most`.
    async fn send(
        &self,
        server: usize,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
        most: Duration,
    ) -> Result<Reply, Failure> {
        let broken = |err| self.broken(err, most);
        let request = self.servers[server].post(path, headers).body(body).timeout(most);
        let mut response = request.send().await.map_err(broken)?;
        let status = response.status().as_u16();
        let now = SystemTime::now();
        let wait = asked_to_wait(response.headers(), now);
        let rates = rates(response.headers(), now);
        if response.status().is_redirection() {
            let body = moved(response.headers());
            return Ok(Reply { status, wait, rates, body });
        }
        let mut bytes = BytesMut::new();
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if bytes.len() + chunk.len() > LARGEST_REPLY {
                let detail = format!("the reply is larger than {} MiB", LARGEST_REPLY >> 20);
                return Err(Failure { class: AbsenceClass::Rejected, detail });
            }
            bytes.extend_from_slice(&chunk);
        }
        let body = String::from_utf8(bytes.into())
            .unwrap_or_else(|err| String::from_utf8_lossy(err.as_bytes()).into_owned());
        Ok(Reply { status, wait, rates, body })
    }

    fn failure(&self, class: AbsenceClass, reply: &Reply) -> Failure {
        // Cleaned first: cutting could leave a part of a secret that no longer looks like it.
        let detail = status_line(reply.status, &self.clean(&reply.body));
        Failure { class, detail }
    }

    /// What a failed exchange means.
    fn broken(&self, err: reqwest::Error, most: Duration) -> Failure {
        let class = if err.is_connect() {
            AbsenceClass::Unreachable
        } else if err.is_timeout() {
            // The last try has no more time than the question has left.
            let seconds = most.as_secs_f64();
            let detail = if most < self.timeout {
                format!("no reply within the {seconds:.1} s that were left")
            } else {
                format!("no reply within {seconds} s")
            };
            return Failure { class: AbsenceClass::Timeout, detail };
        } else if err.is_builder() {
            AbsenceClass::Rejected
        } else {
            AbsenceClass::Server
        };
        let mut detail = self.clean(&with_causes(err));
        if detail.contains("invalid peer certificate") {
            detail.push_str("; if you trust who issued it, name their certificate in `ca_bundle`");
        }
        Failure { class, detail }
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
