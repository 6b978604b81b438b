use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use bytes::{Bytes, BytesMut};
use ragmeter_core::AbsenceClass;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use url::Url;

use crate::breaker::{Breaker, Leave};
use crate::effort::{Effort, Failure};
use crate::patience::asked_to_wait;
use crate::quota::{Place, Quota};
use crate::target::Target;
use crate::{ConfigError, Patience, Secret};
use ragmeter_core::Redactor;

/// The largest reply that is read. 128 embeddings of 4,096 numbers take about 6 MiB of JSON.
const LARGEST_REPLY: usize = 16 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The one way to an endpoint: its pool of connections, quota, breaker and counters.
#[derive(Debug)]
pub(crate) struct Transport {
    client: reqwest::Client,
    target: Target,
    authorization: Option<HeaderValue>,
    redactor: Redactor,
    timeout: Duration,
    patience: Patience,
    quota: Quota,
    breaker: Breaker,
    counters: Counters,
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
    embeddings: AtomicU64,
    retries: AtomicU64,
    rate_limited: AtomicU64,
}

/// Any HTTP reply.
struct Reply {
    status: u16,
    wait: Option<Duration>,
    body: String,
}

impl Transport {
    pub(crate) fn new(
        base_url: &str,
        key: Option<&Secret>,
        concurrency: usize,
        timeout: Duration,
        patience: Patience,
    ) -> Result<Arc<Self>, ConfigError> {
        let key = key.filter(|key| !key.is_empty());
        let (target, redactor) = Target::parse(base_url, key)?;
        let authorization = key.map(|key| bearer(key, &target)).transpose()?;
        // One provider serves the whole process; `Err` means that it is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(timeout)
            // A redirected POST loses its body, and a key must not follow to another host.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("ragmeter/", env!("CARGO_PKG_VERSION")));
        if target.loopback {
            builder = builder.no_proxy();
        }
        if !target.is_encrypted() {
            // Without TLS the system's certificates aren't needed, and a bare container has none:
            // looking for them would fail there.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|err| ConfigError::Client {
            endpoint: target.endpoint.clone(),
            reason: redactor.clean(&with_causes(err)),
        })?;
        Ok(Arc::new(Self {
            client,
            target,
            authorization,
            redactor,
            timeout,
            patience,
            quota: Quota::new(concurrency),
            breaker: Breaker::new(patience),
            counters: Counters::default(),
        }))
    }

    /// Scheme, host, port and path, without credentials.
    pub(crate) fn endpoint(&self) -> &str {
        &self.target.endpoint
    }

    /// Removes every secret of this endpoint from a text.
    pub(crate) fn clean(&self, text: &str) -> String {
        self.redactor.clean(text)
    }

    pub(crate) fn stats(&self) -> TransportStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        TransportStats {
            chat_calls: read(&self.counters.chat),
            embedding_calls: read(&self.counters.embeddings),
            retries: read(&self.counters.retries),
            rate_limited: read(&self.counters.rate_limited),
            in_flight: self.quota.in_flight(),
            peak_in_flight: self.quota.peak(),
        }
    }

    /// Posts a JSON body to a path under the base URL, retries what may be retried, and returns
    /// the body of the successful reply. `judge` says what a status and body other than success mean.
    pub(crate) async fn post(
        &self,
        path: &str,
        body: Vec<u8>,
        kind: Kind,
        judge: impl Fn(u16, &str) -> Verdict + Send + Sync,
    ) -> Result<String, CallError> {
        let url = self.target.url(path);
        let body = Bytes::from(body);
        let call = self.counters.started.fetch_add(1, Ordering::Relaxed);
        let mut effort = Effort::of(call);
        loop {
            let place = self.place().await?;
            let started = Instant::now();
            let outcome = self.send(url.clone(), body.clone()).await;
            effort.add(started.elapsed());
            let wait = match outcome {
                Ok(reply) if (200..300).contains(&reply.status) => {
                    place.answered();
                    self.breaker.replied();
                    count(match kind {
                        Kind::Chat => &self.counters.chat,
                        Kind::Embeddings => &self.counters.embeddings,
                    });
                    return Ok(reply.body);
                }
                Ok(reply) => match judge(reply.status, &reply.body) {
                    Verdict::Final => {
                        self.breaker.replied();
                        let body = self.redactor.clean(&reply.body);
                        return Err(CallError::Refused { status: reply.status, body });
                    }
                    Verdict::RateLimited => {
                        count(&self.counters.rate_limited);
                        place.refused(reply.wait);
                        let failure = self.failure(AbsenceClass::RateLimited, &reply);
                        self.breaker.failed(failure.class, &failure.detail, started);
                        effort.after_refusal(&self.patience, reply.wait, failure)?
                    }
                    Verdict::Retry => {
                        drop(place);
                        let class = if reply.status == 408 {
                            AbsenceClass::Timeout
                        } else {
                            AbsenceClass::Server
                        };
                        let failure = self.failure(class, &reply);
                        self.breaker.failed(failure.class, &failure.detail, started);
                        effort.after_failure(&self.patience, reply.wait, failure)?
                    }
                },
                Err(failure) => {
                    drop(place);
                    self.breaker.failed(failure.class, &failure.detail, started);
                    effort.after_failure(&self.patience, None, failure)?
                }
            };
            tokio::time::sleep(wait).await;
            count(&self.counters.retries);
        }
    }

    /// A place among the calls in flight, unless the endpoint is known to be gone.
    async fn place(&self) -> Result<Place<'_>, CallError> {
        let gone = |(class, detail)| CallError::GaveUp { class, detail };
        let leave = self.breaker.check().map_err(gone)?;
        let place = self.quota.enter().await;
        if leave == Leave::Call {
            // It may have gone while this call stood in the queue.
            self.breaker.check().map_err(gone)?;
        }
        Ok(place)
    }

    async fn send(&self, url: Url, body: Bytes) -> Result<Reply, Failure> {
        let mut request = self.client.post(url).header(CONTENT_TYPE, "application/json").body(body);
        if let Some(value) = &self.authorization {
            request = request.header(AUTHORIZATION, value.clone());
        }
        let mut response = request.send().await.map_err(|err| self.broken(err))?;
        let status = response.status().as_u16();
        let wait = asked_to_wait(response.headers(), SystemTime::now());
        if response.status().is_redirection() {
            let body = moved(response.headers());
            return Ok(Reply { status, wait, body });
        }
        let mut bytes = BytesMut::new();
        while let Some(chunk) = response.chunk().await.map_err(|err| self.broken(err))? {
            if bytes.len() + chunk.len() > LARGEST_REPLY {
                let detail = format!("the reply is larger than {} MiB", LARGEST_REPLY >> 20);
                return Err(Failure { class: AbsenceClass::Rejected, detail });
            }
            bytes.extend_from_slice(&chunk);
        }
        let body = String::from_utf8(bytes.into())
            .unwrap_or_else(|err| String::from_utf8_lossy(err.as_bytes()).into_owned());
        Ok(Reply { status, wait, body })
    }

    fn failure(&self, class: AbsenceClass, reply: &Reply) -> Failure {
        // Cleaned first: cutting could leave a part of a secret that no longer looks like it.
        let detail = status_line(reply.status, &self.redactor.clean(&reply.body));
        Failure { class, detail }
    }

    /// What a failed exchange means.
    fn broken(&self, err: reqwest::Error) -> Failure {
        let class = if err.is_connect() {
            AbsenceClass::Unreachable
        } else if err.is_timeout() {
            let detail = format!("no reply within {} s", self.timeout.as_secs_f64());
            return Failure { class: AbsenceClass::Timeout, detail };
        } else if err.is_builder() {
            AbsenceClass::Rejected
        } else {
            AbsenceClass::Server
        };
        Failure { class, detail: self.redactor.clean(&with_causes(err)) }
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn bearer(key: &Secret, target: &Target) -> Result<HeaderValue, ConfigError> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
        .map_err(|_| ConfigError::Key { endpoint: target.endpoint.clone() })?;
    value.set_sensitive(true);
    Ok(value)
}

fn moved(headers: &HeaderMap) -> String {
    let to = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    format!("redirected to {}: set that as base URL", to.unwrap_or("nowhere"))
}

/// An error with all its causes and without its URL, which may hold credentials.
fn with_causes(err: reqwest::Error) -> String {
    let err = err.without_url();
    let mut text = err.to_string();
    let mut cause = err.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = inner.source();
    }
    text
}

/// `HTTP 503: ` and what the body says, on one line of bounded length.
pub(crate) fn status_line(status: u16, body: &str) -> String {
    const LONGEST: usize = 400;
    let said = said_in(body);
    let mut words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = words.char_indices().nth(LONGEST) {
        words.truncate(cut);
        words.push('…');
    }
    if words.is_empty() { format!("HTTP {status}") } else { format!("HTTP {status}: {words}") }
}

/// The message of an error body, in whichever of the usual places it stands; else all of it.
fn said_in(body: &str) -> String {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(body) else {
        return body.to_owned();
    };
    ["/error/message", "/message", "/error", "/detail"]
        .iter()
        .find_map(|place| json.pointer(place)?.as_str())
        .map_or_else(|| body.to_owned(), str::to_owned)
}
