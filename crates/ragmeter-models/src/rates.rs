//! What endpoints say of their rate limits in the headers of their replies.
//!
//! Three dialects are read: `x-ratelimit-{limit,remaining,reset}-{requests,tokens}` of OpenAI and
//! most others, where a reset is a duration such as `6m0s`; `anthropic-ratelimit-{requests,tokens,
//! input-tokens,output-tokens}-{limit,remaining,reset}`, where it is a time (RFC 3339); and
//! `ratelimit-{limit,remaining,reset}` of the IETF's draft, where it is a number of seconds. A value
//! that makes no sense counts as absent.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::HeaderMap;

/// A reset farther away than this is a mistake.
const FARTHEST: Duration = Duration::from_hours(24 * 31);

/// One limit as one reply gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    /// What a whole window allows.
    pub(crate) limit: Option<f64>,
    /// What is left of it; never above `limit`.
    pub(crate) remaining: f64,
    /// How long until the window begins anew; `None` if the endpoint doesn't say.
    pub(crate) reset: Option<Duration>,
    /// The length of the window, where the endpoint gives it.
    pub(crate) window: Option<Duration>,
}

/// All that one reply says of limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rates {
    pub(crate) requests: Option<Reading>,
    pub(crate) tokens: Option<Reading>,
}

/// Reads the headers of a reply that came at `now`.
pub(crate) fn rates(headers: &HeaderMap, now: SystemTime) -> Rates {
    let read =
        |limit: &str, remaining: &str, reset: &str| reading(headers, now, limit, remaining, reset);
    let openai = |what: &str| {
        read(
            &format!("x-ratelimit-limit-{what}"),
            &format!("x-ratelimit-remaining-{what}"),
            &format!("x-ratelimit-reset-{what}"),
        )
    };
    let anthropic = |what: &str| {
        let name = |part: &str| format!("anthropic-ratelimit-{what}-{part}");
        read(&name("limit"), &name("remaining"), &name("reset"))
    };
    // Of Anthropic's three limits on tokens the one with the least left binds.
    let least = ["tokens", "input-tokens", "output-tokens"]
        .into_iter()
        .filter_map(anthropic)
        .min_by(|a, b| a.remaining.total_cmp(&b.remaining));
    Rates {
        requests: openai("requests")
            .or_else(|| anthropic("requests"))
            .or_else(|| read("ratelimit-limit", "ratelimit-remaining", "ratelimit-reset")),
        tokens: openai("tokens").or(least),
    }
}

fn reading(
    headers: &HeaderMap,
    now: SystemTime,
    limit: &str,
    remaining: &str,
    reset: &str,
) -> Option<Reading> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let said = text(limit);
    let limit = said.and_then(first_number);
    let remaining = text(remaining).and_then(first_number)?;
    // A limit of nothing is how gateways say that they know of none.
    if limit.is_some_and(|limit| limit < 1.0 || remaining > limit) {
        return None;
    }
    Some(Reading {
        limit,
        remaining,
        reset: text(reset).and_then(|text| until(text, now)).filter(|wait| *wait <= FARTHEST),
        window: said.and_then(window),
    })
}

/// The number before any parameters: `100` of `100, 100;w=60`.
fn first_number(text: &str) -> Option<f64> {
    let number: f64 = text.split([',', ';']).next()?.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// The window of the first limit: 60 s of `100, 100;w=60`.
fn window(text: &str) -> Option<Duration> {
    let seconds = text.split([',', ';']).find_map(|part| part.trim().strip_prefix("w="))?;
    positive(seconds.parse().ok()?)
}

/// How long from `now` until what is written as a duration, a number of seconds, a time since 1970,
/// or a date of RFC 3339. What has passed is no wait.
fn until(text: &str, now: SystemTime) -> Option<Duration> {
    /// Numbers above are times since 1970, in seconds.
    const TIMES: f64 = 1e9;
    /// Numbers above are such times in milliseconds.
    const MILLISECONDS: f64 = 1e12;
    if let Ok(number) = text.parse::<f64>() {
        let since_1970 = match number {
            n if n >= MILLISECONDS => positive(n / 1000.0)?,
            n if n >= TIMES => positive(n)?,
            n => return positive(n),
        };
        return Some((UNIX_EPOCH + since_1970).duration_since(now).unwrap_or_default());
    }
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(SystemTime::from(time).duration_since(now).unwrap_or_default());
    }
    duration(text)
}

/// `6m0s`, `1h2m3.5s`, `120ms`.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut sum = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let seconds = match &rest[..letters] {
            "d" => 86_400.0,
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        rest = &rest[letters..];
        sum = sum.checked_add(positive(number * seconds)?)?;
    }
    (!text.is_empty()).then_some(sum)
}

fn positive(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(headers: &[(&str, &str)]) -> Rates {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = reqwest::header::HeaderName::from_bytes(name.as_bytes()).expect("a name");
            map.insert(name, reqwest::header::HeaderValue::from_str(value).expect("a value"));
        }
        let now: jiff::Timestamp = "2026-11-30T12:00:00Z".parse().expect("a time");
        rates(&map, now.into())
    }

    #[expect(clippy::unnecessary_wraps, reason = "what is read is an option")]
    fn reading(limit: f64, remaining: f64, ms: u64) -> Option<Reading> {
        let reset = Some(Duration::from_millis(ms));
        Some(Reading { limit: Some(limit), remaining, reset, window: None })
    }

    #[test]
    fn three_dialects_are_read() {
        let openai = said(&[
            ("x-ratelimit-limit-requests", "500"),
            ("x-ratelimit-remaining-requests", "499"),
            ("x-ratelimit-reset-requests", "120ms"),
            ("x-ratelimit-limit-tokens", "30000"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ]);
        assert_eq!(openai.requests, reading(500.0, 499.0, 120));
        assert_eq!(openai.tokens, reading(30_000.0, 0.0, 360_000));

        let anthropic = said(&[
            ("anthropic-ratelimit-requests-limit", "50"),
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "2026-11-30T12:00:07Z"),
            ("anthropic-ratelimit-input-tokens-limit", "40000"),
            ("anthropic-ratelimit-input-tokens-remaining", "39000"),
            ("anthropic-ratelimit-input-tokens-reset", "2026-11-30T12:00:01.5Z"),
            ("anthropic-ratelimit-output-tokens-limit", "8000"),
            ("anthropic-ratelimit-output-tokens-remaining", "100"),
            ("anthropic-ratelimit-output-tokens-reset", "2026-11-30T15:00:59+03:00"),
        ]);
        assert_eq!(anthropic.requests, reading(50.0, 0.0, 7000));
        assert_eq!(anthropic.tokens, reading(8000.0, 100.0, 59_000));

        let draft = said(&[
            ("ratelimit-limit", "100, 100;w=10"),
            ("ratelimit-remaining", "3"),
            ("ratelimit-reset", "9"),
        ]);
        let window = Some(Duration::from_secs(10));
        let of_draft = reading(100.0, 3.0, 9000).map(|reading| Reading { window, ..reading });
        assert_eq!((draft.requests, draft.tokens), (of_draft, None));
    }

    #[test]
    fn resets_are_read_in_every_spelling() {
        let cases = [
            ("1s", Some(1000)),
            ("1h2m3.5s", Some(3_723_500)),
            ("2m59.56s", Some(179_560)),
            ("0s", Some(0)),
            ("7.66", Some(7660)),
            ("1796040005", Some(5000)),
            ("1796040005250", Some(5250)),
            ("2026-11-30T11:00:00Z", Some(0)),
            ("-3", None),
            ("NaN", None),
            ("inf", None),
            ("soon", None),
            ("5 parsecs", None),
            ("s", None),
            ("", None),
            // Three months.
            ("2160h", None),
        ];
        for (text, ms) in cases {
            let rates = said(&[
                ("x-ratelimit-remaining-requests", "1"),
                ("x-ratelimit-reset-requests", text),
            ]);
            let reset = rates.requests.expect("a number remains").reset;
            assert_eq!(reset, ms.map(Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn nonsense_is_as_good_as_nothing() {
        for (limit, remaining) in
            [("0", "0"), ("-1", "-1"), ("5", "many"), ("5", "6"), ("5", "NaN"), ("5", "")]
        {
            let rates = said(&[
                ("x-ratelimit-limit-requests", limit),
                ("x-ratelimit-remaining-requests", remaining),
                ("x-ratelimit-reset-requests", "1s"),
            ]);
            assert_eq!(rates, Rates::default(), "{limit} {remaining}");
        }
        assert_eq!(said(&[("x-ratelimit-limit-requests", "5")]), Rates::default());
        assert_eq!(said(&[]), Rates::default());
    }
}
