//! What refusals mean.

use ragmeter_core::{AbsenceClass, ErrorClass, Rung};
use serde_json::Value;

use crate::accepts::names;
use crate::transport::Verdict;

/// Words by which servers say that they cannot give a reply the shape asked for.
const FORMAT_WORDS: [&str; 10] = [
    "response_format",
    "json_schema",
    "json schema",
    "structured output",
    "structured_output",
    "guided_json",
    "grammar",
    "tool_choice",
    "tool call",
    "function call",
];

/// Codes of a 429 that no waiting helps against.
const BILLING: [&str; 5] = [
    "insufficient_quota",
    "credit_balance_exhausted",
    "organization_spend_limit_exceeded",
    "project_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
];

/// Whether it is worth sending again. `rung`: how the endpoint was asked for a shape, if it was.
pub(crate) fn verdict(status: u16, body: &str, rung: Option<Rung>) -> Verdict {
    match status {
        429 if BILLING.iter().any(|code| body.contains(code)) => Verdict::Final,
        429 => Verdict::RateLimited,
        500 | 501 if is_about_format(body, rung) => Verdict::Final,
        501 | 505 => Verdict::Final,
        408 | 409 | 425 | 500.. => Verdict::Retry,
        _ => Verdict::Final,
    }
}

/// The class of a final refusal.
pub(crate) fn class(status: u16, body: &str, rung: Option<Rung>) -> ErrorClass {
    let absence = match status {
        401 | 403 => AbsenceClass::Auth,
        400 if code(body).as_deref() == Some("content_filter") => AbsenceClass::Filtered,
        400 | 404 | 415 | 422 | 500 | 501 if is_about_format(body, rung) => {
            return ErrorClass::UnsupportedFormat;
        }
        500.. => AbsenceClass::Server,
        _ => AbsenceClass::Rejected,
    };
    ErrorClass::Failed(absence)
}

fn is_about_format(body: &str, rung: Option<Rung>) -> bool {
    let Some(_) = rung else { return false };
    let said = body.to_lowercase();
    FORMAT_WORDS.iter().any(|word| said.contains(word))
        || ["tools", "tool", "functions"].iter().any(|word| names(&said, word))
}

fn code(body: &str) -> Option<String> {
    let json: Value = serde_json::from_str(body).ok()?;
    json.pointer("/error/code")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Option<Rung> = Some(Rung::Native);

    #[test]
    fn each_refusal_has_its_class() {
        use AbsenceClass::{Auth, Filtered, Rejected, Server};
        let failed = ErrorClass::Failed;
        let cases = [
            (
                400,
                r#"{"error":{"message":"response_format is not supported"}}"#,
                SHAPE,
                ErrorClass::UnsupportedFormat,
            ),
            (
                400,
                "Invalid parameter: 'response_format' of type 'json_schema'",
                None,
                failed(Rejected),
            ),
            (
                404,
                "No endpoints found that support tool use",
                Some(Rung::Tool),
                ErrorClass::UnsupportedFormat,
            ),
            (404, "The model `toolsmith` does not exist", SHAPE, failed(Rejected)),
            (
                422,
                "extra fields not permitted: tools",
                Some(Rung::Tool),
                ErrorClass::UnsupportedFormat,
            ),
            (500, "failed to parse grammar", SHAPE, ErrorClass::UnsupportedFormat),
            (501, "JSON schema is not implemented", SHAPE, ErrorClass::UnsupportedFormat),
            (501, "", SHAPE, failed(Server)),
            (401, "response_format", SHAPE, failed(Auth)),
            (403, "unsupported_country_region_territory", SHAPE, failed(Auth)),
            (402, "balance", SHAPE, failed(Rejected)),
            (413, "too long", SHAPE, failed(Rejected)),
            (429, "insufficient_quota", SHAPE, failed(Rejected)),
            (
                400,
                r#"{"error":{"code":"content_filter","message":"tool"}}"#,
                SHAPE,
                failed(Filtered),
            ),
            (302, "redirected", None, failed(Rejected)),
        ];
        for (status, body, rung, expected) in cases {
            assert_eq!(class(status, body, rung), expected, "{status} {body}");
            assert_eq!(verdict(status, body, rung), Verdict::Final, "{status} {body}");
        }
    }

    #[test]
    fn what_may_pass_is_sent_again() {
        for status in [408, 409, 425, 500, 502, 503, 504, 529] {
            assert_eq!(verdict(status, "overloaded", SHAPE), Verdict::Retry, "{status}");
        }
        assert_eq!(verdict(500, "tool parser crashed", None), Verdict::Retry);
        assert_eq!(verdict(429, "rate_limit_exceeded", SHAPE), Verdict::RateLimited);
    }
}
