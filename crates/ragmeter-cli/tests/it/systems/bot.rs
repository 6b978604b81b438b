//! A chat-bot behind plain HTTP on loopback, that answers as told, counts, and can be killed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What came in.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) first_line: String,
    /// In lower case by name.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Value,
}

/// What goes out.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: String,
    pub(super) body: String,
    pub(super) delay: Duration,
    /// Sent without a length, and the connection is left open.
    pub(super) endless: bool,
}

impl Reply {
    pub(super) fn json(body: &Value) -> Self {
        Self::text(200, body.to_string())
    }

    pub(super) fn text(status: u16, body: impl Into<String>) -> Self {
        let body = body.into();
        Self { status, headers: String::new(), body, delay: Duration::ZERO, endless: false }
    }
}

type Answering = dyn Fn(&Request, usize) -> Reply + Send + Sync;

/// A bot. `answer` gets the request and how often that body was asked before.
pub(super) struct Bot {
    pub(super) url: String,
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    answer: Box<Answering>,
    up: AtomicBool,
    flying: AtomicUsize,
    peak: AtomicUsize,
    seen: Mutex<Vec<Request>>,
    connections: Mutex<Vec<TcpStream>>,
}

impl Bot {
    pub(super) fn start(answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            up: AtomicBool::new(true),
            flying: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            seen: Mutex::default(),
            connections: Mutex::default(),
        });
        listen(listener, &shared);
        Self { url: format!("http://127.0.0.1:{port}/ask"), port, shared }
    }

    /// A bot that knows the gates: answers and proves whatever `support::records` asks.
    pub(super) fn of_gates(delay: Duration) -> Self {
        Self::start(move |request, _| Reply { delay, ..Reply::json(&gate(&request.body)) })
    }

    /// Ends it as a killed process ends: every connection breaks, nobody listens.
    pub(super) fn kill(&self) {
        self.shared.up.store(false, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        for connection in self.shared.connections.lock().expect("no panic").drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        let until = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
            assert!(Instant::now() < until, "it listens on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts it again at the same address.
    pub(super) fn come_back(&self) {
        self.shared.up.store(true, Ordering::SeqCst);
        listen(TcpListener::bind(("127.0.0.1", self.port)).expect("the port"), &self.shared);
    }

    pub(super) fn seen(&self) -> Vec<Request> {
        self.shared.seen.lock().expect("no panic").clone()
    }

    /// How many requests were answered, or begun to be.
    pub(super) fn count(&self) -> usize {
        self.shared.seen.lock().expect("no panic").len()
    }

    /// Most requests that were in flight at once.
    pub(super) fn peak(&self) -> usize {
        self.shared.peak.load(Ordering::SeqCst)
    }

    /// Waits for so many requests.
    #[track_caller]
    pub(super) fn wait_for(&self, count: usize) {
        let until = Instant::now() + Duration::from_mins(1);
        while self.count() < count {
            assert!(Instant::now() < until, "only {} of {count} requests came", self.count());
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// What a bot that knows the gates says.
pub(super) fn gate(asked: &Value) -> Value {
    let question = asked["question"].as_str().unwrap_or_default();
    let number = question.split(' ').nth(3).unwrap_or("0");
    json!({
        "answer": format!("Gate {number} is made of oak."),
        "contexts": [format!("Gate {number} is made of oak."), "Bridges are made of stone."],
    })
}

fn listen(listener: TcpListener, shared: &Arc<Shared>) {
    let shared = Arc::clone(shared);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if !shared.up.load(Ordering::SeqCst) {
                return;
            }
            let kept = stream.try_clone().expect("a socket");
            shared.connections.lock().expect("no panic").push(kept);
            let shared = Arc::clone(&shared);
            // A client that is killed breaks its connection: nothing to report.
            std::thread::spawn(move || serve(stream, &shared).ok());
        }
    });
}

fn serve(stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    loop {
        let Some(request) = read(&mut reader)? else { return Ok(()) };
        let before = {
            let mut seen = shared.seen.lock().expect("no panic");
            let before = seen.iter().filter(|one| one.body == request.body).count();
            seen.push(request.clone());
            before
        };
        let flying = shared.flying.fetch_add(1, Ordering::SeqCst) + 1;
        shared.peak.fetch_max(flying, Ordering::SeqCst);
        let reply = (shared.answer)(&request, before);
        std::thread::sleep(reply.delay);
        shared.flying.fetch_sub(1, Ordering::SeqCst);
        let length = if reply.endless {
            String::new()
        } else {
            format!("content-length: {}\r\n", reply.body.len())
        };
        write!(
            writer,
            "HTTP/1.1 {} X\r\ncontent-type: application/json\r\n{}{length}\r\n{}",
            reply.status, reply.headers, reply.body
        )?;
        if reply.endless {
            std::thread::sleep(Duration::from_secs(30));
            return Ok(());
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Request>> {
    let mut first_line = String::new();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        match line.split_once(": ") {
            Some((name, value)) if !first_line.is_empty() => {
                headers.insert(name.to_lowercase(), value.to_owned());
            }
            _ => line.clone_into(&mut first_line),
        }
    }
    let length = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(Request { first_line, headers, body }))
}
