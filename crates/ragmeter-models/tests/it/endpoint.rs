//! A scripted HTTP endpoint: a function from request to reply behind a loopback socket.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ragmeter_core::{ChatRequest, Message, ReplyFormat, Role, Rung};
use ragmeter_models::{Patience, Remote, RemoteConfig, Secret};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) const KEY: &str = "sk-hush-9f3a";

#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Number of the request, from 0.
    pub(crate) number: usize,
    pub(crate) at: Instant,
    pub(crate) head: String,
    pub(crate) body: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
    pub(crate) after: Duration,
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: String::new(), body: body.into(), after: Duration::ZERO }
    }

    pub(crate) fn json(value: &Value) -> Self {
        Self::new(200, value.to_string())
    }

    /// A chat reply with this text.
    pub(crate) fn says(text: &str) -> Self {
        Self::json(&json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}))
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers += &[name, ": ", value, "\r\n"].concat();
        self
    }

    pub(crate) fn after_ms(mut self, ms: u64) -> Self {
        self.after = Duration::from_millis(ms);
        self
    }
}

pub(crate) struct Endpoint {
    pub(crate) base_url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    pub(crate) peak: Arc<AtomicUsize>,
}

impl Endpoint {
    pub(crate) async fn start(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1:0".parse().expect("an address"), script).await
    }

    pub(crate) async fn start_at(
        address: SocketAddr,
        script: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).await.expect("a free port");
        let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let script = Arc::new(script);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (busy, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let endpoint = Self { base_url, seen: seen.clone(), peak: peak.clone() };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, seen, busy, peak) =
                    (script.clone(), seen.clone(), busy.clone(), peak.clone());
                tokio::spawn(async move {
                    let _ = serve(stream, &*script, &seen, &busy, &peak).await;
                });
            }
        });
        endpoint
    }

    pub(crate) fn config(&self) -> RemoteConfig {
        RemoteConfig {
            api_key: Some(Secret::new(KEY)),
            patience: quick(),
            ..RemoteConfig::new(&self.base_url)
        }
    }

    pub(crate) fn connect(&self) -> Remote {
        Remote::connect(&self.config()).expect("a usable endpoint")
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }

    /// The body of request `number` as JSON.
    pub(crate) fn body(&self, number: usize) -> Value {
        serde_json::from_str(&self.seen()[number].body).expect("a JSON body")
    }
}

/// Patience scaled down to test time.
pub(crate) fn quick() -> Patience {
    Patience {
        first_wait: Duration::from_millis(20),
        longest_wait: Duration::from_millis(200),
        budget: Duration::from_secs(20),
        gone_after: Duration::from_millis(100),
        ..Patience::default()
    }
}

pub(crate) fn request(rung: Option<Rung>) -> ChatRequest {
    ChatRequest {
        messages: vec![
            Message::new(Role::System, "Отвечай «коротко» 🌞"),
            Message::new(Role::User, "Какова масса Солнца?\n\"кг\""),
        ],
        format: match rung {
            None => ReplyFormat::Text,
            Some(rung) => ReplyFormat::Json { name: "verdicts", schema: schema(), rung },
        },
        temperature: 0.0,
        max_tokens: Some(256),
        seed: Some(7),
        logprobs: false,
    }
}

pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"вывод": {"type": "string", "enum": ["да", "нет"]}},
        "required": ["вывод"],
        "additionalProperties": false,
    })
}

async fn serve(
    mut stream: TcpStream,
    script: &(dyn Fn(&Seen) -> Reply + Send + Sync),
    seen: &Mutex<Vec<Seen>>,
    busy: &AtomicUsize,
    peak: &AtomicUsize,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        let head_end = loop {
            if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            if stream.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
        };
        let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
        let length: usize = head
            .lines()
            .find_map(|line| {
                line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
            })
            .unwrap_or(0);
        while bytes.len() < head_end + length {
            if stream.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
        }
        let body = String::from_utf8(bytes[head_end..head_end + length].to_vec()).expect("UTF-8");
        bytes.drain(..head_end + length);
        peak.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let request = {
            let mut seen = seen.lock().expect("no panic");
            let request = Seen { number: seen.len(), at: Instant::now(), head, body };
            seen.push(request.clone());
            request
        };
        let reply = script(&request);
        tokio::time::sleep(reply.after).await;
        busy.fetch_sub(1, Ordering::SeqCst);
        let head = format!(
            "HTTP/1.1 {} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{}\r\n",
            reply.status,
            reply.body.len(),
            reply.headers
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&reply.body).await?;
    }
}
