//! What an endpoint takes at once and a minute, for whoever watches.

use std::time::Duration;

use serde::Serialize;

/// The limits of an endpoint as they are now.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Limits {
    /// Calls that may be in flight now, over all servers that are there.
    pub limit: usize,
    /// Calls in flight now.
    #[serde(skip)]
    pub in_flight: usize,
    /// Most calls that were in flight at once.
    pub peak: usize,
    /// Times that calls were held back: since the endpoint asked to wait, or since by its own word
    /// its requests or tokens were used up. Waits that overlap at one server are one.
    pub pauses: u64,
    /// Replies that refused for the quota (429).
    pub refusals: u64,
    /// Requests a minute by the headers of the replies, over all servers; of several models the
    /// least. `None` if they name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<f64>,
    /// The same of tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<f64>,
    /// Why no call starts now, if none does.
    #[serde(skip)]
    pub waiting: Option<Waiting>,
    /// Each server, if the endpoint is a pool of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerLimits>,
}

/// The limits of one server of a pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ServerLimits {
    /// Its address, without credentials.
    pub server: String,
    /// Whether it counts as gone.
    pub gone: bool,
    /// Calls that may be in flight there.
    pub limit: usize,
    /// Calls in flight there now.
    #[serde(skip)]
    pub in_flight: usize,
    /// Most calls that were in flight there at once.
    pub peak: usize,
    /// Times that calls were held back.
    pub pauses: u64,
    /// Replies that refused for the quota.
    pub refusals: u64,
    /// Requests a minute by its headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<f64>,
    /// Tokens a minute by its headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<f64>,
}

/// Why no call starts, and how long that will last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The endpoint asked for it.
    Asked(Duration),
    /// By its own word no requests are left.
    Requests(Duration),
    /// By its own word too few tokens are left.
    Tokens(Duration),
}

impl Limits {
    /// Adds the limits of another client of the same endpoint. What was in flight at once at both
    /// isn't known, so the peaks are added up too.
    pub fn add(&mut self, other: &Self) {
        let least = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.limit += other.limit;
        self.in_flight += other.in_flight;
        self.peak += other.peak;
        self.pauses += other.pauses;
        self.refusals += other.refusals;
        self.requests_per_minute = least(self.requests_per_minute, other.requests_per_minute);
        self.tokens_per_minute = least(self.tokens_per_minute, other.tokens_per_minute);
        // Only what holds back both holds back the endpoint.
        self.waiting = self.waiting.and(other.waiting);
        self.servers.extend(other.servers.iter().cloned());
    }

    /// The limits of all these servers together.
    pub(crate) fn of(
        mut servers: Vec<ServerLimits>,
        peak: usize,
        waiting: Option<Waiting>,
    ) -> Self {
        let sum = |of: fn(&ServerLimits) -> u64| servers.iter().map(of).sum();
        let rate = |of: fn(&ServerLimits) -> Option<f64>| {
            servers.iter().filter_map(of).reduce(|a, b| a + b)
        };
        let there = servers.iter().filter(|server| !server.gone);
        let mut all = Self {
            limit: there.map(|server| server.limit).sum(),
            in_flight: servers.iter().map(|server| server.in_flight).sum(),
            peak,
            pauses: sum(|server| server.pauses),
            refusals: sum(|server| server.refusals),
            requests_per_minute: rate(|server| server.requests_per_minute),
            tokens_per_minute: rate(|server| server.tokens_per_minute),
            waiting,
            servers: Vec::new(),
        };
        if servers.len() > 1 {
            all.servers = std::mem::take(&mut servers);
        }
        all
    }
}
