//! A system behind an address: one POST a case.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use ragmeter_core::{Answer, AnswerError, BoxFuture, RagSystem, TestCase};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, Response};
use serde_json::Value;
use url::{Host, Url};

use super::pointer::Pointer;
use super::reply::{Reply, ReplyPointers};
use super::stream::{Events, StreamKind};
use super::template::Template;
use super::wait::{asked_to_wait, backoff};
use ragmeter_core::Redactor;

/// The largest reply that is read, after decompression.
const LARGEST_REPLY: usize = 16 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest `Retry-After` that is waited for.
const LONGEST_ASKED: Duration = Duration::from_mins(5);
/// After so many cases in a row that could not reach the server, the others try only once.
const GONE_AFTER: u32 = 3;

/// How a system is asked over HTTP.
#[derive(Clone)]
pub struct HttpSettings {
    /// Its name in reports.
    pub name: String,
    /// Where to send, with everything that is secret in it.
    pub url: String,
    /// The same for people to read, without secrets.
    pub shown: String,
    /// The method.
    pub method: HttpMethod,
    /// Headers by name.
    pub headers: Vec<(String, String)>,
    /// Texts that no message may show.
    pub secrets: Vec<String>,
    /// The body.
    pub request: Template,
    /// Where the parts of a reply stand.
    pub reply: ReplyPointers,
    /// How a streamed reply is read; `None` if it comes whole.
    pub stream: Option<StreamSettings>,
    /// For one reply, to its last byte.
    pub timeout: Duration,
    /// Times that a failure which may pass (429, 5xx, broken connections, timeouts) is tried again.
    pub retries: u32,
    /// Requests in flight.
    pub concurrency: usize,
}

impl std::fmt::Debug for HttpSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HttpSettings({} at {})", self.name, self.shown)
    }
}

/// How a streamed reply is read.
#[derive(Clone, Debug)]
pub struct StreamSettings {
    /// How it is cut into events.
    pub kind: StreamKind,
    /// Where in an event the next piece of the answer stands.
    pub delta: Pointer,
}

/// Methods that send a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpMethod {
    /// POST.
    Post,
    /// PUT.
    Put,
}

/// A system behind an address.
pub struct HttpSystem {
    settings: HttpSettings,
    url: Url,
    headers: HeaderMap,
    client: reqwest::Client,
    redactor: Redactor,
    /// Cases in a row for which the server could not be reached.
    unreached: AtomicU32,
}

impl std::fmt::Debug for HttpSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HttpSystem({:?})", self.settings)
    }
}

/// Why a try gave no answer.
enum Failure {
    /// It would be the same again.
    Final(String),
    /// It may pass; the server may have said when.
    Passing { detail: String, wait: Option<Duration>, unreached: bool },
}

impl HttpSystem {
    /// A system; the error names what of its address or headers cannot be used.
    pub fn new(settings: HttpSettings) -> Result<Self, String> {
        let redactor = Redactor::new(settings.secrets.iter().cloned());
        let url = Url::parse(&settings.url)
            .map_err(|error| format!("url {}: {error}", settings.shown))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(format!("url {}: expected http://… or https://…", settings.shown));
        }
        let headers = headers(&settings)?;
        // The transport is built without a default of its own; whoever installed one first wins.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(settings.timeout)
            // A redirected POST loses its body, and a token must not follow to another host.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("ragmeter/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&url) {
            builder = builder.no_proxy();
        }
        if url.scheme() == "http" {
            // Without TLS the system's certificates aren't needed, and a bare container has none.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|error| redactor.clean(&cause(&error)))?;
        Ok(Self { settings, url, headers, client, redactor, unreached: AtomicU32::new(0) })
    }

    async fn ask(&self, case: &TestCase) -> Result<Answer, AnswerError> {
        let body = self.settings.request.render(case).to_string();
        let mut retry = 0;
        loop {
            let gone = self.unreached.load(Ordering::Relaxed) >= GONE_AFTER;
            let (detail, wait) = match self.once(body.clone()).await {
                Ok(answer) => {
                    self.unreached.store(0, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(Failure::Final(detail)) => {
                    self.unreached.store(0, Ordering::Relaxed);
                    return Err(self.error(&detail, retry));
                }
                Err(Failure::Passing { detail, wait, unreached }) => {
                    if !unreached {
                        self.unreached.store(0, Ordering::Relaxed);
                    } else if gone || retry >= self.settings.retries {
                        self.unreached.fetch_add(1, Ordering::Relaxed);
                        return Err(self.error(&detail, retry));
                    }
                    (detail, wait)
                }
            };
            if retry >= self.settings.retries {
                return Err(self.error(&detail, retry));
            }
            if wait.is_some_and(|asked| asked > LONGEST_ASKED) {
                let asked = wait.unwrap_or_default().as_secs();
                return Err(self.error(&format!("{detail} (it asks to wait {asked} s)"), retry));
            }
            tokio::time::sleep(wait.unwrap_or_else(|| backoff(retry))).await;
            retry += 1;
        }
    }

    fn error(&self, detail: &str, retries: u32) -> AnswerError {
        let tried =
            if retries > 0 { format!(" (tried {} times)", retries + 1) } else { String::new() };
        AnswerError(format!("{}: {}{tried}", self.settings.shown, self.redactor.clean(detail)))
    }

    async fn once(&self, body: String) -> Result<Answer, Failure> {
        let method = match self.settings.method {
            HttpMethod::Post => Method::POST,
            HttpMethod::Put => Method::PUT,
        };
        let request = self.client.request(method, self.url.clone()).headers(self.headers.clone());
        let mut response = request.body(body).send().await.map_err(|error| self.broken(error))?;
        let status = response.status();
        if status.is_redirection() {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            return Err(Failure::Final(format!(
                "HTTP {}: redirected to {}: set that as `url`",
                status.as_u16(),
                to.unwrap_or("nowhere")
            )));
        }
        if !status.is_success() {
            let wait = asked_to_wait(response.headers(), SystemTime::now());
            let body = self.body(&mut response).await?;
            let shown = self.redactor.beginning(&String::from_utf8_lossy(&body));
            let detail = format!("HTTP {}: {shown}", status.as_u16());
            return Err(if matches!(status.as_u16(), 408 | 425 | 429 | 500..=599) {
                Failure::Passing { detail, wait, unreached: false }
            } else {
                Failure::Final(detail)
            });
        }
        let (parts, delta) = match &self.settings.stream {
            Some(stream) => (self.events(&mut response, stream.kind).await?, Some(&stream.delta)),
            None => {
                let body = self.body(&mut response).await?;
                let reply: Value = serde_json::from_slice(&body).map_err(|_| {
                    let shown = self.redactor.beginning(&String::from_utf8_lossy(&body));
                    Failure::Final(format!("the reply is no JSON: {shown}"))
                })?;
                (vec![reply], None)
            }
        };
        let reply = Reply { parts: &parts, delta, redactor: &self.redactor };
        self.settings.reply.read(reply).map_err(Failure::Final)
    }

    async fn body(&self, response: &mut Response) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        while let Some(part) = response.chunk().await.map_err(|error| self.broken(error))? {
            within_bound(bytes.len() + part.len())?;
            bytes.extend_from_slice(&part);
        }
        Ok(bytes)
    }

    async fn events(
        &self,
        response: &mut Response,
        kind: StreamKind,
    ) -> Result<Vec<Value>, Failure> {
        let unreadable = |text: String| {
            let shown = self.redactor.beginning(&text);
            Failure::Final(format!("an event of the stream is no JSON: {shown}"))
        };
        let mut events = Events::new(kind);
        let mut length = 0;
        while let Some(part) = response.chunk().await.map_err(|error| self.broken(error))? {
            length += part.len();
            within_bound(length)?;
            events.push(&part).map_err(unreadable)?;
            if events.done {
                // Some servers keep the connection open after the last word.
                return Ok(events.found);
            }
        }
        events.end().map_err(unreadable)?;
        Ok(events.found)
    }

    fn broken(&self, error: reqwest::Error) -> Failure {
        let error = error.without_url();
        let detail = if error.is_timeout() && !error.is_connect() {
            format!("no whole reply within {} s", self.settings.timeout.as_secs_f64())
        } else if error.is_connect() {
            format!("cannot connect: {}", cause(&error))
        } else {
            format!("the connection broke: {}", cause(&error))
        };
        if error.is_builder() {
            return Failure::Final(detail);
        }
        Failure::Passing { detail, wait: None, unreached: error.is_connect() }
    }
}

fn within_bound(length: usize) -> Result<(), Failure> {
    if length > LARGEST_REPLY {
        return Err(Failure::Final(format!(
            "the reply is larger than {} MiB",
            LARGEST_REPLY >> 20
        )));
    }
    Ok(())
}

fn headers(settings: &HttpSettings) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if settings.stream.as_ref().is_some_and(|stream| stream.kind == StreamKind::Sse) {
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    }
    for (name, value) in &settings.headers {
        let key = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("headers: `{name}` cannot be the name of a header"))?;
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| {
            format!("headers.{name}: the value has characters that cannot be sent in a header")
        })?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The first cause: outer messages only say that a request failed.
fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

impl RagSystem for HttpSystem {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn concurrency(&self) -> Option<usize> {
        Some(self.settings.concurrency)
    }

    fn answer<'a>(&'a self, case: &'a TestCase) -> BoxFuture<'a, Result<Answer, AnswerError>> {
        Box::pin(self.ask(case))
    }
}
