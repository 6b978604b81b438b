//! Calls on long answers: an endpoint that finds 10 to 20 claims in each answer counts what one
//! record costs.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use super::peers::{FOUR, MARK, Target, sample, score};

/// Ten records for each number of claims from 10 to 20.
const RECORDS: usize = 110;
/// Requests answered at a time.
const THREADS: usize = 16;

/// Scores the records with four metrics, cold, and prints median and 95th percentile of the chat
/// calls of one record.
pub(super) fn long_answers(binary: &Path, work: &Path) -> Result<()> {
    let (port, calls) = stand_in(10..=20)?;
    let file = work.join("long.jsonl");
    std::fs::write(&file, sample(RECORDS))?;
    score(binary, work, &file, &Target { port, in_flight: THREADS, metrics: FOUR })?;
    let calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
    let mut counts: Vec<usize> = calls.values().copied().collect();
    counts.sort_unstable();
    if counts.len() != RECORDS {
        bail!("{} of {RECORDS} records were asked about", counts.len());
    }
    // Nearest rank: the smallest count that the share of the records does not exceed.
    let rank = |share: f64| counts[(share * RECORDS as f64).ceil() as usize - 1];
    println!(
        "\nragmeter, four metrics, answers of 10 to 20 claims: chat calls a record, median {}, 95th percentile {} ({RECORDS} records)",
        rank(0.5),
        rank(0.95)
    );
    Ok(())
}

/// Chat calls by record.
pub(super) type Calls = Arc<Mutex<BTreeMap<usize, usize>>>;

/// An endpoint in this process, its port and what it was asked: it finds so many claims in an
/// answer, by the number of the record.
pub(super) fn stand_in(claims: RangeInclusive<usize>) -> Result<(u16, Calls)> {
    let calls = Calls::default();
    let server = match tiny_http::Server::http("127.0.0.1:0") {
        Ok(server) => Arc::new(server),
        Err(error) => bail!("no stand-in endpoint: {error}"),
    };
    let Some(port) = server.server_addr().to_ip().map(|address| address.port()) else {
        bail!("the stand-in endpoint has no port");
    };
    for _ in 0..THREADS {
        let (server, calls, claims) = (Arc::clone(&server), Arc::clone(&calls), claims.clone());
        std::thread::spawn(move || {
            while let Ok(request) = server.recv() {
                answer(request, &calls, &claims);
            }
        });
    }
    Ok((port, calls))
}

fn answer(
    mut request: tiny_http::Request,
    calls: &Mutex<BTreeMap<usize, usize>>,
    claims: &RangeInclusive<usize>,
) {
    let mut text = String::new();
    let _ = request.as_reader().read_to_string(&mut text);
    let body: Value = serde_json::from_str(&text).unwrap_or_default();
    let reply = if request.url().ends_with("/embeddings") {
        let inputs = body["input"].as_array().map_or(1, Vec::len);
        let vector = |index| json!({ "index": index, "embedding": [0.6, 0.8] });
        json!({ "model": "mock", "data": (0..inputs).map(vector).collect::<Vec<_>>(), "usage": {} })
    } else {
        // Every text of a sample record ends in its number.
        let record = record_of(&text).unwrap_or(usize::MAX);
        *calls.lock().unwrap_or_else(PoisonError::into_inner).entry(record).or_default() += 1;
        let schema = &body["response_format"]["json_schema"]["schema"];
        let content =
            fill(schema, "", 0, claims.start() + record % claims.clone().count()).to_string();
        let message = json!({ "role": "assistant", "content": content });
        json!({
            "model": "mock",
            "choices": [{ "message": message, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 0, "completion_tokens": 0 },
        })
    };
    let _ = request.respond(tiny_http::Response::from_string(reply.to_string()));
}

fn record_of(text: &str) -> Option<usize> {
    let (_, rest) = text.rsplit_once(MARK)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The first thing that a schema allows; as many claims as asked for, and one item for each id.
fn fill(schema: &Value, name: &str, index: usize, claims: usize) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return schema["enum"].get(index).unwrap_or(first).clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let one = |(key, field): (&String, &Value)| {
                // Ids are numbers, and each item of a list has its own; words are favourable first.
                let index = if field["enum"][0].is_number() { index } else { 0 };
                (key.clone(), fill(field, key, index, claims))
            };
            Value::Object(fields.map(one).collect::<Map<_, _>>())
        }
        Some("array") => {
            let items = &schema["items"];
            let least = schema["minItems"].as_u64().unwrap_or(1) as usize;
            let n = if name == "claims" { claims } else { least };
            (0..n).map(|at| numbered(fill(items, name, at, claims), at)).collect()
        }
        Some("boolean") => json!(false),
        Some("integer" | "number") => schema["minimum"].as_u64().unwrap_or(1).into(),
        _ => json!(name),
    }
}

/// Equal claims would be one claim: each text says which one it is.
fn numbered(mut item: Value, at: usize) -> Value {
    if let Some(Value::String(text)) = item.get_mut("text") {
        text.push(' ');
        text.push_str(&at.to_string());
    }
    item
}
