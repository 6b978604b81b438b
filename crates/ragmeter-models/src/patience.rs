use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// How long and how often a transport tries before it gives a call up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Tries of one call whose failures are the endpoint's (5xx, broken connections).
    pub tries: u32,
    /// The wait before the first retry; each further one doubles it.
    pub first_wait: Duration,
    /// The longest wait that is not asked for by the endpoint.
    pub longest_wait: Duration,
    /// Time one question may spend on all its tries and on waiting between them. Waiting for a
    /// place in the queue is not counted, nor is a pause that the endpoint asked others for.
    pub budget: Duration,
    /// Time a call may wait for a place in the queue, pauses included.
    pub queue: Duration,
    /// The endpoint counts as gone after three failures to connect in a row over at least this time.
    pub gone_after: Duration,
    /// It counts as failing after twelve failures of any kind in a row over at least this time.
    pub failing_after: Duration,
    /// An endpoint counted as gone or failing gets one trial call each time this has passed.
    pub trial_after: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            tries: 4,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
            budget: Duration::from_mins(5),
            queue: Duration::from_hours(1),
            gone_after: Duration::from_secs(5),
            // Longer than the minute that quotas are counted by.
            failing_after: Duration::from_mins(3),
            trial_after: Duration::from_secs(30),
        }
    }
}

impl Patience {
    /// The wait before retry number `retry` (from 0) of call number `call`: doubled each time, and
    /// shortened by up to a quarter so that calls which failed together don't return together.
    /// It depends on its arguments alone.
    pub(crate) fn wait(&self, call: u64, retry: u32) -> Duration {
        let doubled = self.first_wait.saturating_mul(1_u32.checked_shl(retry).unwrap_or(u32::MAX));
        let spread = mix(call.wrapping_mul(64).wrapping_add(u64::from(retry))) % 256;
        doubled.min(self.longest_wait).mul_f64(1.0 - spread as f64 / 1024.0)
    }
}

/// One step of SplitMix64 (Steele, Lea and Flood, 2014): neighbouring numbers come out unrelated.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// How long the endpoint asks to wait: `retry-after-ms`, else `retry-after` in seconds (fractions
/// are in use too) or as an HTTP date. A date that has passed is no wait.
pub(crate) fn asked_to_wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let seconds = |number: f64| Duration::try_from_secs_f64(number.max(0.0)).ok();
    if let Some(wait) = text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()) {
        return seconds(wait / 1000.0);
    }
    let after = text(RETRY_AFTER.as_str())?;
    if let Ok(number) = after.parse::<f64>() {
        return seconds(number);
    }
    let date = httpdate::parse_http_date(after).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_within_bounds_and_repeat_exactly() {
        let patience = Patience::default();
        for call in 0..200 {
            for retry in 0..40 {
                let wait = patience.wait(call, retry).as_secs_f64();
                let full = (0.5 * 2_f64.powi(retry.min(20).cast_signed())).min(30.0);
                assert!(wait <= full && wait >= full * 0.75, "{call} {retry}: {wait}");
                assert_eq!(patience.wait(call, retry).as_secs_f64().to_bits(), wait.to_bits());
            }
        }
        assert_ne!(patience.wait(1, 0), patience.wait(2, 0));
    }

    type Headers = &'static [(&'static str, &'static str)];

    #[test]
    fn every_spelling_of_a_wait_is_read() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").expect("a date");
        let cases: [(Headers, Option<u64>); 9] = [
            (&[("retry-after", "2")], Some(2000)),
            (&[("retry-after", "0.25")], Some(250)),
            (&[("retry-after", "9"), ("retry-after-ms", "150")], Some(150)),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT")], Some(3000)),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT")], Some(0)),
            (&[("retry-after", "-3")], Some(0)),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "NaN")], Some(0)),
            (&[], None),
        ];
        for (headers, expected) in cases {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(
                    reqwest::header::HeaderName::from_bytes(name.as_bytes()).expect("a name"),
                    value.parse().expect("a value"),
                );
            }
            let wait = asked_to_wait(&map, now);
            assert_eq!(wait, expected.map(Duration::from_millis), "{headers:?}");
        }
    }
}
