use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ragmeter_rag::{Limits, LoadError, Loaded, SourceSpec, load};

use crate::stubs::block_on;

/// A local site, one thread a connection; gives its address and the most requests it ever had at
/// a time.
fn site() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = most.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (open, most) = (open.clone(), counted.clone());
            std::thread::spawn(move || serve(&stream.unwrap(), &open, &most));
        }
    });
    (address, most)
}

fn serve(stream: &TcpStream, open: &AtomicUsize, most: &AtomicUsize) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(request) = lines.next() else { return };
    lines.find(String::is_empty);
    let now = open.fetch_add(1, Ordering::SeqCst) + 1;
    most.fetch_max(now, Ordering::SeqCst);
    let Page { status, header, body } = page_at(request.split(' ').nth(1).unwrap_or_default());
    open.fetch_sub(1, Ordering::SeqCst);
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} x\r\n{header}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let mut stream = stream;
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}

struct Page {
    status: u16,
    header: String,
    body: Vec<u8>,
}

fn page_at(path: &str) -> Page {
    let page = |kind: &str, body: &[u8]| Page {
        status: 200,
        header: format!("Content-Type: {kind}"),
        body: body.to_vec(),
    };
    let moved =
        |to: String| Page { status: 302, header: format!("Location: {to}"), body: Vec::new() };
    match path {
        "/koi8" => page("text/html; charset=KOI8-R", b"<p>\xe4\xcf\xcd \xcd\xc1\xd1\xcb\xc1</p>"),
        "/plain.md" => page("text/plain", b"# Title\n\nText."),
        "/pdf" => page("application/pdf", b"%PDF-1.4"),
        "/json" => page("application/json", b"{\"a\": 1}"),
        "/loop" => moved("/loop".into()),
        "/large" => page("text/html", &vec![b'x'; 50_000]),
        // 100,000 spaces and a word in a few bytes.
        "/unfolds" => page("text/html\r\nContent-Encoding: gzip", GZIPPED),
        "/slow" => {
            std::thread::sleep(Duration::from_secs(4));
            page("text/html", b"<p>late</p>")
        }
        "/empty" => page("text/html", b""),
        _ => match path.strip_prefix("/hop/").and_then(|n| n.parse::<usize>().ok()) {
            Some(0) => page("text/html", b"<p>arrived</p>"),
            Some(left) => moved(format!("/hop/{}", left - 1)),
            None if path.starts_with("/page/") => {
                std::thread::sleep(Duration::from_millis(50));
                page("text/html", format!("<p>page {path}</p>").as_bytes())
            }
            None => Page { status: 404, ..page("text/html", b"<p>no such page</p>") },
        },
    }
}

const GZIPPED: &[u8] = include_bytes!("../fixtures/unfolds.gz");

fn get(addresses: &[String]) -> Result<Loaded, LoadError> {
    let specs: Vec<SourceSpec> = addresses
        .iter()
        .map(|address| SourceSpec { location: address.clone(), select: vec![] })
        .collect();
    let limits = Limits { max_bytes: 20_000, timeout_seconds: 3.0, ..Limits::default() };
    block_on(load(&specs, std::path::Path::new("."), &limits, None))
}

#[test]
fn pages_are_read_and_failures_listed() {
    let (site, _) = site();
    let paths = [
        "/koi8",
        "/plain.md",
        "/hop/5",
        "/hop/6",
        "/loop",
        "/large",
        "/unfolds",
        "/slow",
        "/empty",
        "/missing",
        "/pdf",
        "/json",
    ];
    let addresses: Vec<String> = paths.iter().map(|path| format!("{site}{path}")).collect();
    let loaded = get(&addresses).unwrap();
    let texts: Vec<&str> = loaded.documents.iter().map(|d| d.text.as_str()).collect();
    assert_eq!(texts, ["Дом маяка", "Title\n\nText.", "arrived"]);
    assert_eq!(loaded.documents[0].source, format!("{site}/koi8"));
    let reasons: Vec<(&str, &str)> = loaded
        .unread
        .iter()
        .map(|unread| (unread.source.strip_prefix(&site).unwrap(), unread.reason.as_str()))
        .collect();
    for (path, part) in [
        ("/hop/6", "redirects"),
        ("/loop", "redirects"),
        ("/large", "too large"),
        ("/unfolds", "too large"),
        ("/slow", "in time"),
        ("/empty", "empty"),
        ("/missing", "404"),
        ("/pdf", "PDF"),
        ("/json", "application/json"),
    ] {
        let reason = reasons.iter().find(|(source, _)| *source == path).unwrap().1;
        assert!(reason.contains(part), "{path}: {reason}");
    }
}

#[test]
fn few_pages_are_fetched_at_a_time_and_the_order_kept() {
    let (site, most) = site();
    let addresses: Vec<String> = (10..40).map(|n| format!("{site}/page/{n}")).collect();
    let loaded = get(&addresses).unwrap();
    assert_eq!(loaded.unread, []);
    let sources: Vec<&String> = loaded.documents.iter().map(|d| &d.source).collect();
    assert_eq!(sources, addresses.iter().collect::<Vec<_>>());
    let most = most.load(Ordering::SeqCst);
    assert!((2..=8).contains(&most), "{most}");
}

#[test]
fn a_server_that_is_not_there_is_a_reason() {
    let error = get(&["http://127.0.0.1:1/x".to_owned()]).unwrap_err().to_string();
    assert!(error.contains("http://127.0.0.1:1/x"), "{error}");
    let error = get(&["http://".to_owned()]).unwrap_err().to_string();
    assert!(error.contains("not a valid address"), "{error}");
}
