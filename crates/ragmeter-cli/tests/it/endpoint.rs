//! A small OpenAI-compatible endpoint on loopback that answers as a test tells it to, and keeps
//! every request that it gets.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

/// One request as it came over the wire.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The path, such as `/v1/chat/completions`.
    pub(crate) path: String,
    /// The body, byte for byte.
    pub(crate) body: String,
    /// The body, read.
    pub(crate) json: Value,
}

/// What the endpoint says: a status and a body.
pub(crate) type Response = (u16, Value);

impl Request {
    /// Whether it asks a chat model.
    pub(crate) fn is_chat(&self) -> bool {
        self.path.ends_with("/chat/completions")
    }

    /// The rung of the ladder it stands on.
    pub(crate) fn rung(&self) -> &'static str {
        match (self.json.get("response_format"), self.json.get("tools")) {
            (Some(_), _) => "native",
            (None, Some(_)) => "tool",
            (None, None) => "prompt",
        }
    }

    /// The contents of its messages of this role, one after another.
    pub(crate) fn said(&self, role: &str) -> String {
        let messages = self.json["messages"].as_array().into_iter().flatten();
        let of_role = messages.filter(|message| message["role"] == role);
        of_role.filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The schema it wants the reply to have.
    pub(crate) fn schema(&self) -> Value {
        match self.rung() {
            "native" => self.json["response_format"]["json_schema"]["schema"].clone(),
            "tool" => self.json["tools"][0]["function"]["parameters"].clone(),
            _ => {
                let system = self.said("system");
                let at = system.find(r#"{"type":"object""#).expect("the schema is in the prompt");
                let mut values = serde_json::Deserializer::from_str(&system[at..]).into_iter();
                values.next().expect("a schema").expect("which is JSON")
            }
        }
    }

    /// The call group. On the lowest rung nothing names it, but no two shapes are alike.
    pub(crate) fn group(&self) -> String {
        let name = match self.rung() {
            "native" => &self.json["response_format"]["json_schema"]["name"],
            "tool" => &self.json["tools"][0]["function"]["name"],
            _ => return group_of_shape(&self.schema()).to_owned(),
        };
        name.as_str().expect("a group has a name").to_owned()
    }

    /// What stands between these tags in the user's message, in the order of its ids.
    pub(crate) fn tagged(&self, tag: &str) -> Vec<String> {
        tagged(&self.said("user"), tag)
    }

    /// The reply with this text, in the way that the request asks for.
    pub(crate) fn reply(&self, text: &str) -> Response {
        let message = if self.rung() == "tool" {
            let name = &self.json["tools"][0]["function"]["name"];
            let function = json!({ "name": name, "arguments": text });
            let call = json!({ "id": "call_1", "type": "function", "function": function });
            json!({ "role": "assistant", "content": null, "tool_calls": [call] })
        } else {
            json!({ "role": "assistant", "content": text })
        };
        let body = json!({
            "id": "reply", "object": "chat.completion", "model": "oracle-1",
            "choices": [{ "index": 0, "finish_reason": "stop", "message": message }],
            "usage": { "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110 },
        });
        (200, body)
    }
}

fn group_of_shape(schema: &Value) -> &'static str {
    let properties = schema["properties"].as_object().expect("a schema of an object");
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    match names.as_slice() {
        ["kind", "claims"] => "extract",
        ["claims"] => "split_claims",
        ["kind"] => "split_refusal",
        ["verdicts"] => "verify",
        ["noncommittal", "questions"] => "invert",
        ["sentences", "contexts"] => "question_side",
        ["sentences"] => "split_attribution",
        ["reason", "useful"] => "split_useful",
        ["parts"] if properties["parts"]["items"]["type"] == "string" => "parts",
        ["parts"] => "coverage",
        other => panic!("no group answers {other:?}"),
    }
}

fn tagged(text: &str, tag: &str) -> Vec<String> {
    let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(&open) {
        rest = &rest[at + open.len()..];
        // `<claims>` is not a `<claim>`.
        if !rest.starts_with(['>', ' ']) {
            continue;
        }
        let start = rest.find('>').expect("a tag ends") + 1;
        let end = rest.find(&close).expect("a tag is closed");
        let id = rest[..start].trim_matches(|c: char| !c.is_ascii_digit());
        assert!(id.is_empty() || id == (found.len() + 1).to_string(), "ids of {tag} run from 1");
        found.push(rest[start..end].trim().to_owned());
        rest = &rest[end..];
    }
    found
}

/// The endpoint. Its threads end with the test's process.
pub(crate) struct Endpoint {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Endpoint {
    /// Starts it; chat calls are answered by `answer`, embeddings by [`embeddings`].
    pub(crate) fn start(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback is there");
        let port = listener.local_addr().expect("it is bound").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&requests), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(&stream, &kept, answer.as_ref()));
            }
        });
        Self { port, requests }
    }

    /// What `--base-url` takes.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Every request since the last call of this.
    pub(crate) fn take(&self) -> Vec<Request> {
        std::mem::take(&mut *self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Every chat request since the last call of this or of [`take`](Self::take).
    pub(crate) fn take_chat(&self) -> Vec<Request> {
        self.take().into_iter().filter(Request::is_chat).collect()
    }
}

fn serve(
    stream: &TcpStream,
    kept: &Mutex<Vec<Request>>,
    answer: &dyn Fn(&Request) -> Response,
) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let request = read(&mut reader)?;
        kept.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let (status, body) =
            if request.is_chat() { answer(&request) } else { embeddings(&request) };
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = stream;
        stream.write_all((head + &body).as_bytes()).ok()?;
    }
}

/// The next request of a connection; none once it is closed.
fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8(body).ok()?;
    let json = serde_json::from_str(&body).ok()?;
    Some(Request { path, body, json })
}

/// Bags of words as unit vectors: equal texts have cosine 1, texts without a common word about 0.
fn embeddings(request: &Request) -> Response {
    let texts = request.json["input"].as_array().into_iter().flatten();
    let rows: Vec<Value> = texts
        .enumerate()
        .map(|(index, text)| {
            let vector = bag_of_words(text.as_str().unwrap_or_default());
            json!({ "index": index, "object": "embedding", "embedding": vector })
        })
        .collect();
    let usage = json!({ "prompt_tokens": rows.len(), "total_tokens": rows.len() });
    (200, json!({ "object": "list", "data": rows, "model": "oracle-1", "usage": usage }))
}

fn bag_of_words(text: &str) -> Vec<f64> {
    let mut counts = vec![0.0_f64; 512];
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        // FNV-1a: any hash will do as long as it is the same on every run.
        let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        counts[(hash % 512) as usize] += 1.0;
    }
    let length = counts.iter().map(|count| count * count).sum::<f64>().sqrt();
    counts.iter().map(|count| count / length).collect()
}
