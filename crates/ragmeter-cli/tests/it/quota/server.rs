//! A server on loopback, down to its sockets: it answers, refuses, falls silent, hangs up in the
//! middle of a word, and can be killed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::faulty::{answer, hash};

/// A chat request.
pub(super) struct Heard<'a> {
    pub(super) body: &'a [u8],
    /// How often this body came before.
    pub(super) before: usize,
}

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// A plausible reply with these further headers.
    Reply(String),
    /// This status with these further headers.
    Refuse(u16, String),
    /// Nothing, for a minute.
    Stall,
    /// Closes its half of the connection without a word.
    HalfClose,
    /// Half of the body, then the end of the connection.
    CutBody,
    /// One byte of the head in a tenth of a second, for ever.
    Drip,
}

#[derive(Debug, Default)]
pub(super) struct Seen {
    tries: BTreeMap<u64, usize>,
    /// How often each body got a whole reply of status 200.
    pub(super) paid: BTreeMap<u64, usize>,
    /// Statuses of whole replies.
    pub(super) statuses: BTreeMap<u16, usize>,
    dead: bool,
    streams: Vec<TcpStream>,
}

/// It lives until it is killed, or as long as the process of the test.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) url: String,
    /// It is killed by the reply after so many.
    lives: usize,
    seen: Arc<Mutex<Seen>>,
}

type Script = dyn Fn(&Heard<'_>) -> Act + Send + Sync;

impl Server {
    /// Starts it; each reply takes `delay`.
    pub(super) fn start(
        delay: Duration,
        script: impl Fn(&Heard<'_>) -> Act + Send + Sync + 'static,
    ) -> Self {
        Self::start_to_live(usize::MAX, delay, script)
    }

    /// The same, but once so many calls are paid for it dies: while others are under way, and with
    /// its port.
    pub(super) fn start_to_live(
        lives: usize,
        delay: Duration,
        script: impl Fn(&Heard<'_>) -> Act + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let server = Self { url, lives, seen: Arc::default() };
        let (shared, script): (Self, Arc<Script>) = (server.clone(), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut seen = shared.seen();
                if seen.dead {
                    // Dropping the listener makes the port refuse connections.
                    return;
                }
                seen.streams.extend(stream.try_clone());
                drop(seen);
                let (shared, script) = (shared.clone(), Arc::clone(&script));
                std::thread::spawn(move || shared.serve(stream, delay, script.as_ref()).ok());
            }
        });
        server
    }

    pub(super) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whole replies of status 200.
    pub(super) fn paid(&self) -> usize {
        self.seen().paid.values().sum()
    }

    /// Whole replies of this status.
    pub(super) fn said(&self, status: u16) -> usize {
        self.seen().statuses.get(&status).copied().unwrap_or(0)
    }

    /// Ends it in the middle of whatever it does.
    fn kill(&self, mut seen: MutexGuard<'_, Seen>) {
        seen.dead = true;
        for stream in seen.streams.drain(..) {
            // One that the other side closed is closed.
            let _ = stream.shutdown(Shutdown::Both);
        }
        drop(seen);
        // Wakes the listener, which then ends.
        let _ = TcpStream::connect(self.url.trim_start_matches("http://").trim_end_matches("/v1"));
    }

    fn serve(&self, stream: TcpStream, delay: Duration, script: &Script) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut writer = stream;
        while let Some(body) = read(&mut reader)? {
            let id = hash(&body);
            let act = {
                let mut seen = self.seen();
                let tries = seen.tries.entry(id).or_default();
                let before = *tries;
                *tries += 1;
                drop(seen);
                script(&Heard { body: &body, before })
            };
            std::thread::sleep(delay);
            let text = answer(&body, false).to_string();
            match act {
                Act::Reply(headers) => self.reply(&mut writer, 200, &headers, &text, Some(id))?,
                Act::Refuse(status, headers) => {
                    let text = r#"{"error": {"message": "not now"}}"#;
                    self.reply(&mut writer, status, &headers, text, None)?;
                }
                Act::Stall => std::thread::sleep(Duration::from_mins(1)),
                Act::HalfClose => {
                    writer.shutdown(Shutdown::Write)?;
                    // The other half stays open until the client goes.
                    std::io::copy(&mut reader, &mut std::io::sink())?;
                    return Ok(());
                }
                Act::CutBody => {
                    write!(writer, "{}{}", head(200, "", text.len()), &text[..text.len() / 2])?;
                    return writer.shutdown(Shutdown::Both);
                }
                Act::Drip => {
                    for byte in head(200, "", text.len()).bytes().cycle() {
                        writer.write_all(&[byte])?;
                        std::thread::sleep(Duration::from_millis(100));
                    }
                }
            }
        }
        Ok(())
    }

    /// Counts a reply and sends it, both or neither: a server that is killed stops before.
    fn reply(
        &self,
        writer: &mut TcpStream,
        status: u16,
        headers: &str,
        text: &str,
        paid: Option<u64>,
    ) -> std::io::Result<()> {
        let mut seen = self.seen();
        if !seen.dead && seen.paid.values().sum::<usize>() >= self.lives {
            self.kill(seen);
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        if seen.dead {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        *seen.statuses.entry(status).or_default() += 1;
        if let Some(id) = paid {
            *seen.paid.entry(id).or_default() += 1;
        }
        write!(writer, "{}{text}", head(status, headers, text.len()))
    }
}

fn head(status: u16, headers: &str, length: usize) -> String {
    format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\n{headers}content-length: \
         {length}\r\n\r\n"
    )
}

/// The body of the next request; none once the connection is closed.
fn read(reader: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(": ")
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(body))
}

/// A quota of so many requests, or so many tokens. A window ends this long after the quota could
/// not take another call like the last one: so it is used up however slow the machine is.
#[derive(Debug)]
pub(super) struct Window {
    length: Duration,
    most: f64,
    /// When it ends, and what is taken of it.
    state: Mutex<(Option<Instant>, f64)>,
}

impl Window {
    pub(super) fn new(length: Duration, most: f64) -> Self {
        Self { length, most, state: Mutex::default() }
    }

    /// Takes this much, unless nothing is left. Whether it was taken, what is left, and how long
    /// the window lasts, rounded up to milliseconds.
    pub(super) fn take(&self, amount: f64) -> (bool, f64, Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (end, taken) = &mut *state;
        let now = Instant::now();
        if end.is_some_and(|end| end <= now) {
            (*end, *taken) = (None, 0.0);
        }
        let took = *taken < self.most;
        if took {
            *taken += amount;
        }
        let left = (self.most - *taken).max(0.0);
        if left < amount {
            end.get_or_insert(now + self.length);
        }
        let lasts = end.map_or(Duration::from_mins(1), |end| end - now);
        (took, left, Duration::from_millis(lasts.as_millis() as u64 + 1))
    }
}
