//! What a run has asked for, what it costs, and where it stops.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ragmeter_core::Usage;
use ragmeter_models::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::models::Endpoints;

/// What a model costs, a million tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// A million prompt tokens.
    pub input: f64,
    /// A million prompt tokens read from the endpoint's cache; as `input` if left out.
    #[serde(default)]
    pub cached: Option<f64>,
    /// A million generated tokens.
    pub output: f64,
    /// The currency, as in `USD`.
    #[serde(default = "dollars")]
    pub currency: String,
    /// The day that the price was read, as in `2026-11-30`.
    #[serde(default)]
    pub date: Option<String>,
}

fn dollars() -> String {
    "USD".to_owned()
}

impl Price {
    /// What these tokens cost.
    pub fn of(&self, usage: Usage) -> f64 {
        let fresh = usage.input.saturating_sub(usage.cached);
        let cached = self.cached.unwrap_or(self.input);
        let million = |tokens: u64, price: f64| tokens as f64 / 1e6 * price;
        million(fresh, self.input)
            + million(usage.cached, cached)
            + million(usage.output, self.output)
    }
}

/// Where a run stops asking. `None` is no bound.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Most live calls.
    pub calls: Option<u64>,
    /// Most tokens billed.
    pub tokens: Option<u64>,
    /// Most money, in the currency of the price.
    pub money: Option<f64>,
    /// What the judge's tokens cost; a bound of money needs it.
    pub price: Option<Price>,
}

/// What a run has asked for so far. Shared with whoever shows progress.
#[derive(Debug, Default)]
pub struct Counters {
    calls: AtomicU64,
    cached: AtomicU64,
    input: AtomicU64,
    cached_tokens: AtomicU64,
    output: AtomicU64,
    /// Characters sent in calls that were answered.
    characters: AtomicU64,
    /// Calls that were answered.
    answered: AtomicU64,
    /// Tokens that calls in flight are expected to cost.
    expected_input: AtomicU64,
    expected_output: AtomicU64,
    budget_reached: AtomicBool,
    endpoints: OnceLock<Endpoints>,
}

/// A prompt of unknown language is taken to have this many characters a token, until replies tell.
const CHARACTERS_A_TOKEN: f64 = 3.0;

/// Tokens of a reply, until replies tell.
const REPLY_TOKENS: u64 = 150;

impl Counters {
    /// What the run's endpoints take now, by name; nothing before the run begins.
    pub fn limits(&self) -> BTreeMap<String, Limits> {
        self.endpoints.get().map(Endpoints::limits).unwrap_or_default()
    }

    /// Names the endpoints to watch.
    pub(crate) fn watch(&self, endpoints: Endpoints) {
        // A session is of one run: whoever came first stays.
        let _ = self.endpoints.set(endpoints);
    }

    /// Live chat calls.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Replies and vectors read from the store.
    pub fn cached(&self) -> u64 {
        self.cached.load(Ordering::Relaxed)
    }

    /// Adds replies or vectors read from the store.
    pub fn add_cached(&self, count: u64) {
        self.cached.fetch_add(count, Ordering::Relaxed);
    }

    /// Tokens billed.
    pub fn usage(&self) -> Usage {
        Usage {
            input: self.input.load(Ordering::Relaxed),
            cached: self.cached_tokens.load(Ordering::Relaxed),
            output: self.output.load(Ordering::Relaxed),
        }
    }

    /// Mean seconds from sending a chat call to its reply; waiting for room isn't part of it.
    pub fn seconds_a_call(&self) -> Option<f64> {
        self.endpoints.get().and_then(Endpoints::seconds_a_call)
    }

    /// Prompt characters a prompt token, as the endpoint has billed them.
    pub fn characters_a_token(&self) -> Option<f64> {
        let input = self.input.load(Ordering::Relaxed);
        (input > 0).then(|| self.characters.load(Ordering::Relaxed) as f64 / input as f64)
    }

    /// Whether a call was withheld because the budget was spent.
    pub fn budget_reached(&self) -> bool {
        self.budget_reached.load(Ordering::Relaxed)
    }

    /// Begins one more call with so many characters, unless it could exceed the budget: what is
    /// billed, what calls in flight are expected to cost, and this one count together.
    pub(crate) fn begin(&self, characters: u64, budget: &Budget) -> Option<Call<'_>> {
        let ratio = self.characters_a_token().unwrap_or(CHARACTERS_A_TOKEN);
        let answered = self.answered.load(Ordering::Relaxed);
        let usage = self.usage();
        let output = usage.output.checked_div(answered).unwrap_or(REPLY_TOKENS);
        let input = (characters as f64 / ratio).ceil() as u64;
        let before = self.calls.fetch_add(1, Ordering::Relaxed);
        let waiting = Usage {
            input: self.expected_input.fetch_add(input, Ordering::Relaxed) + input,
            cached: 0,
            output: self.expected_output.fetch_add(output, Ordering::Relaxed) + output,
        };
        let mut whole = usage;
        whole += waiting;
        let over = budget.calls.is_some_and(|most| before >= most)
            || budget.tokens.is_some_and(|most| whole.input + whole.output > most)
            || budget
                .money
                .zip(budget.price.as_ref())
                .is_some_and(|(most, price)| price.of(whole) > most);
        let call = Call { counters: self, characters, input, output };
        if over {
            self.calls.fetch_sub(1, Ordering::Relaxed);
            self.budget_reached.store(true, Ordering::Relaxed);
            return None;
        }
        Some(call)
    }
}

/// A call in flight; what it was expected to cost is forgotten when it is over.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    counters: &'a Counters,
    characters: u64,
    input: u64,
    output: u64,
}

impl Call<'_> {
    /// The call was answered, and this is what it was billed.
    pub(crate) fn end(self, usage: Usage) {
        let counters = self.counters;
        counters.input.fetch_add(usage.input, Ordering::Relaxed);
        counters.cached_tokens.fetch_add(usage.cached, Ordering::Relaxed);
        counters.output.fetch_add(usage.output, Ordering::Relaxed);
        counters.characters.fetch_add(self.characters, Ordering::Relaxed);
        counters.answered.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.counters.expected_input.fetch_sub(self.input, Ordering::Relaxed);
        self.counters.expected_output.fetch_sub(self.output, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64) -> Usage {
        Usage { input, cached: 0, output }
    }

    #[test]
    fn calls_in_flight_count_against_the_budget() {
        let counters = Counters::default();
        let budget = Budget { tokens: Some(1_000), ..Budget::default() };
        let first = counters.begin(1_200, &budget).expect("400 + 150 of 1,000");
        assert!(counters.begin(1_200, &budget).is_none(), "1,100 of 1,000");
        assert!(counters.budget_reached());
        first.end(usage(100, 10));
        // Twelve characters a token are known now, and replies of ten.
        let second = counters.begin(1_200, &budget).expect("110 + 100 + 10 of 1,000");
        second.end(usage(100, 10));
        assert_eq!(counters.calls(), 2);
    }

    #[test]
    fn money_is_counted_with_its_cached_part() {
        let price = Price {
            input: 2.0,
            cached: Some(1.0),
            output: 10.0,
            currency: "USD".to_owned(),
            date: None,
        };
        let usage = Usage { input: 1_000_000, cached: 500_000, output: 100_000 };
        assert!((price.of(usage) - 2.5).abs() < 1e-12);
        let budget = Budget { money: Some(0.001), price: Some(price), ..Budget::default() };
        let counters = Counters::default();
        assert!(counters.begin(300, &budget).is_none(), "100 in and 150 out cost 0.0017");
    }
}
