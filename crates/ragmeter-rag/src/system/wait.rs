//! How long to wait before a request is sent again.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);

/// The wait before retry number `retry` (from 0): half a second, doubled each time.
pub(crate) fn backoff(retry: u32) -> Duration {
    FIRST.saturating_mul(1_u32.checked_shl(retry).unwrap_or(u32::MAX)).min(LONGEST)
}

/// What a server asks for in `Retry-After`: seconds or an HTTP date; one that has passed is no wait.
pub(crate) fn asked_to_wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.max(0.0)).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_bound() {
        let waits: Vec<u128> =
            [0, 1, 2, 6, 40].map(|retry| backoff(retry).as_millis()).into_iter().collect();
        assert_eq!(waits, [500, 1000, 2000, 30_000, 30_000]);
    }

    #[test]
    fn both_spellings_of_a_wait_are_read() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").expect("a date");
        for (value, expected) in [
            ("2", Some(2000)),
            ("0.25", Some(250)),
            ("-1", Some(0)),
            ("Sun, 06 Nov 1994 08:49:40 GMT", Some(3000)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("soon", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().expect("a value"));
            let wait = asked_to_wait(&headers, now);
            assert_eq!(wait, expected.map(Duration::from_millis), "{value}");
        }
        assert_eq!(asked_to_wait(&HeaderMap::new(), now), None);
    }
}
