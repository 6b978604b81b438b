//! An endpoint that fits any schema, misbehaves as told, and counts what it was paid for.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How an endpoint misbehaves. Shares are of the tries of each body, drawn by its hash: the same
/// whatever the order of the calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    pub(crate) too_many: f64,
    pub(crate) broken: f64,
    pub(crate) delay: Duration,
}

/// An OpenAI-compatible endpoint on loopback. It lives as long as the test process.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) url: String,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug, Default)]
struct Seen {
    /// How often each chat body was sent.
    tries: BTreeMap<u64, u64>,
    /// How often each chat body was answered with status 200.
    paid: BTreeMap<u64, u64>,
    /// Texts embedded, each time.
    embedded: Vec<String>,
    refusals: usize,
    broken: usize,
}

impl Endpoint {
    pub(crate) fn start(faults: Faults) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let seen = Arc::clone(&shared);
                // A client that is killed breaks its connection: nothing to report.
                std::thread::spawn(move || serve(stream, faults, &seen).ok());
            }
        });
        Self { url, seen }
    }

    fn seen<T>(&self, look: impl Fn(&Seen) -> T) -> T {
        look(&self.seen.lock().expect("no handler panicked"))
    }

    /// Chat calls answered with status 200.
    pub(crate) fn paid(&self) -> u64 {
        self.seen(|seen| seen.paid.values().sum())
    }

    /// Chat calls answered with status 200 beyond the first of each body.
    pub(crate) fn paid_again(&self) -> u64 {
        self.seen(|seen| seen.paid.values().map(|count| count - 1).sum())
    }

    /// Texts embedded beyond the first time.
    pub(crate) fn embedded_again(&self) -> usize {
        self.seen(|seen| {
            let distinct: std::collections::BTreeSet<_> = seen.embedded.iter().collect();
            seen.embedded.len() - distinct.len()
        })
    }

    /// 429s sent, broken replies sent.
    pub(crate) fn faults(&self) -> (usize, usize) {
        self.seen(|seen| (seen.refusals, seen.broken))
    }

    /// Waits for so many paid calls; false if the time is over before.
    pub(crate) fn wait_for(&self, paid: u64) -> bool {
        let until = Instant::now() + Duration::from_secs(30);
        while self.paid() < paid {
            if Instant::now() > until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        true
    }
}

fn serve(stream: TcpStream, faults: Faults, seen: &Mutex<Seen>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    loop {
        let (mut path, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim();
            if line.is_empty() {
                break;
            }
            match line.split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().unwrap_or(0);
                }
                None => line.split(' ').nth(1).unwrap_or_default().clone_into(&mut path),
                Some(_) => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        std::thread::sleep(faults.delay);
        let (status, reply) = if path.ends_with("/embeddings") {
            (200, embeddings(&body, seen))
        } else {
            chat(&body, faults, seen)
        };
        let (reason, extra) =
            if status == 200 { ("OK", "") } else { ("Too Many Requests", "retry-after: 0.1\r\n") };
        let reply = reply.to_string();
        write!(
            writer,
            "HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\n{extra}\
             content-length: {}\r\n\r\n{reply}",
            reply.len()
        )?;
    }
}

/// FNV-1a.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A number in 0..1 drawn by two numbers.
fn draw(seed: u64, index: u64) -> f64 {
    let mixed = hash(&[seed.to_le_bytes(), index.to_le_bytes()].concat());
    (mixed >> 40) as f64 / (1_u64 << 24) as f64
}

fn embeddings(body: &[u8], seen: &Mutex<Seen>) -> Value {
    let request: Value = serde_json::from_slice(body).expect("JSON");
    let texts: Vec<String> =
        serde_json::from_value(request["input"].clone()).expect("a list of texts");
    // All in one quarter of the space, as real embedders have it.
    let vector = |text: &str| -> Vec<f64> {
        (0..8).map(|axis| 0.5 + draw(hash(text.as_bytes()), axis)).collect()
    };
    let data: Vec<Value> = (texts.iter().enumerate())
        .map(|(index, text)| json!({ "index": index, "embedding": vector(text) }))
        .collect();
    seen.lock().expect("no handler panicked").embedded.extend(texts);
    json!({ "data": data, "model": "mock", "usage": { "prompt_tokens": 1, "total_tokens": 1 } })
}

fn chat(body: &[u8], faults: Faults, seen: &Mutex<Seen>) -> (u16, Value) {
    let id = hash(body);
    let luck = {
        let mut seen = seen.lock().expect("no handler panicked");
        let tries = seen.tries.entry(id).or_default();
        *tries += 1;
        let luck = draw(id, *tries);
        if luck < faults.too_many {
            seen.refusals += 1;
            return (429, json!({ "error": { "message": "slow down", "code": 429 } }));
        }
        *seen.paid.entry(id).or_default() += 1;
        if luck < faults.too_many + faults.broken {
            seen.broken += 1;
        }
        luck
    };
    (200, answer(body, luck < faults.too_many + faults.broken))
}

/// A plausible reply to a chat request, the same whoever gives it; cut in half where asked for.
pub(crate) fn answer(body: &[u8], cut: bool) -> Value {
    let request: Value = serde_json::from_slice(body).expect("JSON");
    // Verdicts hang on what is asked, not on the rung it is asked on.
    let user = request["messages"].as_array().into_iter().flatten();
    let asked = user
        .clone()
        .find(|one| one["role"] == "user")
        .map_or(0, |one| hash(one["content"].as_str().unwrap_or_default().as_bytes()));
    let mut text = match schema(&request) {
        Some(schema) => plausible(&schema, "", asked).to_string(),
        None => "It is made of oak.".to_owned(),
    };
    if cut {
        text.truncate(text.len() / 2);
    }
    let message = if request["tools"].is_array() {
        let name = &request["tools"][0]["function"]["name"];
        json!({ "role": "assistant", "content": null, "tool_calls": [
            { "id": "1", "type": "function", "function": { "name": name, "arguments": text } },
        ] })
    } else {
        json!({ "role": "assistant", "content": text })
    };
    json!({
        "model": "mock", "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": body.len() / 4, "completion_tokens": 10 },
    })
}

/// The schema, on whatever rung it is given: as a format, as a tool, in the words of the prompt.
fn schema(request: &Value) -> Option<Value> {
    let native = &request["response_format"]["json_schema"]["schema"];
    let tool = &request["tools"][0]["function"]["parameters"];
    if let Some(found) = [native, tool].into_iter().find(|one| one.is_object()) {
        return Some(found.clone());
    }
    let system = request["messages"][0]["content"].as_str()?;
    // Nested objects begin in the same way: the whole one is the first that parses.
    system.match_indices("{\"type\":\"object\"").find_map(|(at, _)| {
        serde_json::Deserializer::from_str(&system[at..]).into_iter().next()?.ok()
    })
}

/// A value that fits a schema: lists as long as they must be, ids in their order, mostly good
/// verdicts, and now and then, by the hash of what is asked, a bad one.
fn plausible(schema: &Value, key: &str, asked: u64) -> Value {
    let bad = hash(key.as_bytes()).wrapping_add(asked).is_multiple_of(4);
    if let Some(words) = schema["enum"].as_array() {
        let bad = bad && key.contains("verdict");
        return words[if bad { words.len() - 1 } else { 0 }].clone();
    }
    match schema["type"].as_str().unwrap_or_default() {
        "object" => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            fields
                .map(|(name, field)| {
                    (name.clone(), plausible(field, &format!("{key}/{name}"), asked))
                })
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        "array" => {
            let count = schema["minItems"].as_u64().unwrap_or(2);
            (0..count)
                .map(|index| {
                    let mut item = plausible(&schema["items"], &format!("{key}/{index}"), asked);
                    number(&schema["items"], &mut item, index);
                    item
                })
                .collect()
        }
        "boolean" => Value::Bool(!key.contains("noncommittal") && !bad),
        _ if key.contains("quote") || key.contains("span") => "".into(),
        _ => format!("Statement {:x} of {key}.", asked & 0xffff).into(),
    }
}

/// Gives the item of a list its own id: the field whose values are the ids `1..=n`.
fn number(schema: &Value, item: &mut Value, index: u64) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        if field["type"] == "integer" && field["enum"].is_array() {
            item[name] = json!(index + 1);
        }
    }
}
