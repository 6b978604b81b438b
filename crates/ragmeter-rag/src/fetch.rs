//! Reading web addresses: bounded in size, time and redirects.

use std::path::Path;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};

use crate::binary::not_text;
use crate::charset::decode;
use crate::clean::Format;
use crate::files::{Content, document, format_of, sniff, too_large};
use crate::load::Limits;

/// A client that follows few redirects and never waits for long.
pub(crate) fn client(limits: &Limits) -> Result<Client, String> {
    // The transport is built without a default of its own; whoever installed one first wins.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .user_agent(concat!("ragmeter/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::limited(limits.redirects))
        .timeout(Duration::from_secs_f64(limits.timeout_seconds))
        .build()
        .map_err(|error| reason(&error))
}

/// What is at an address.
pub(crate) async fn fetch(
    client: &Client,
    address: &str,
    limits: &Limits,
) -> Result<Content, String> {
    let url = Url::parse(address).map_err(|error| format!("not a valid address: {error}"))?;
    let mut response = client.get(url).send().await.map_err(|error| reason(&error))?;
    let status = response.status();
    if !status.is_success() {
        return Err(format!("the server answered {status}"));
    }
    if let Some(length) = response.content_length()
        && length > limits.max_bytes
    {
        return Err(too_large(Some(length), limits.max_bytes));
    }
    let mut bytes = Vec::new();
    // Counted after decompression, so that a small body cannot unfold into a large one.
    while let Some(part) = response.chunk().await.map_err(|error| reason(&error))? {
        if (bytes.len() + part.len()) as u64 > limits.max_bytes {
            return Err(too_large(None, limits.max_bytes));
        }
        bytes.extend_from_slice(&part);
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("the page is empty".to_owned());
    }
    // A document is what its bytes say, whatever the server calls it.
    if let Some(kind) = document(&bytes) {
        return Ok(Content::Document(kind, bytes));
    }
    if let Some(what) = not_text(&bytes) {
        return Err(format!("this is {what}, not text"));
    }
    let (media_type, charset) = content_type(response.headers());
    let text = decode(&bytes, charset.as_deref())?;
    let format = match media_type.as_str() {
        "text/html" | "application/xhtml+xml" => Format::Html,
        "text/markdown" | "text/x-markdown" => Format::Markdown,
        // Servers call Markdown, and whatever else they do not know, plain text.
        "" | "text/plain" | "application/octet-stream" => {
            format_of(Path::new(response.url().path())).unwrap_or_else(|| sniff(&text))
        }
        "text/xml" | "application/xml" => sniff(&text),
        other => return Err(format!("the content type {other} is not read")),
    };
    Ok(Content::Text(text, format))
}

/// The media type in lower case (empty if there is none) and the charset.
fn content_type(headers: &HeaderMap) -> (String, Option<String>) {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = value.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches('"').to_owned())
    });
    (media_type, charset)
}

/// What went wrong, down to the first cause; the outer messages only name the address again.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no reply in time".to_owned();
    }
    if error.is_redirect() {
        return "too many redirects".to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
