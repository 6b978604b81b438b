//! Documents as they come: addresses, old charsets, selectors; and every way of retrieving them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use serde_json::Value;

use crate::support::run;

/// One byte a letter: windows-1251, where Russian letters stand in their order.
fn windows_1251(text: &str) -> Vec<u8> {
    let byte = |c: char| match c {
        'А'..='я' => 0xC0 + (c as u32 - 'А' as u32) as u8,
        _ => u8::try_from(c).expect("ASCII"),
    };
    text.chars().map(byte).collect()
}

/// One byte a letter: koi8-r, where they stand in the order of the Latin letters they sound like.
fn koi8_r(text: &str) -> Vec<u8> {
    let order: Vec<char> = "юабцдефгхийклмнопярстужвьызшэщчъ".chars().collect();
    let byte = |c: char| {
        let lower = c.to_lowercase().next().unwrap_or(c);
        match order.iter().position(|&letter| letter == lower) {
            Some(at) => (if c == lower { 0xC0 } else { 0xE0 }) + at as u8,
            None => u8::try_from(c).expect("ASCII"),
        }
    };
    text.chars().map(byte).collect()
}

const MENU: &str = "<nav><a href='/'>Menu of the site</a></nav>";

fn page(charset: &str, body: &str) -> String {
    format!(
        "<html><head><meta charset=\"{charset}\"><title>T</title></head><body>{MENU}\
         <div class=\"page article-formatted-body\"><h1>T</h1><p>{body}</p></div>\
         <footer>Footer of the site</footer></body></html>"
    )
}

/// Serves each path its bytes; anything else is 404. Ends with the test's process.
fn serve(pages: Vec<(&'static str, Vec<u8>)>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            answer(stream, &pages);
        }
    });
    port
}

fn answer(mut stream: TcpStream, pages: &[(&'static str, Vec<u8>)]) {
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut first = String::new();
    let _ = reader.read_line(&mut first);
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    let found = pages.iter().find(|(known, _)| *known == path);
    let (status, body) = found.map_or(("404 Not Found", &[][..]), |(_, body)| ("200 OK", body));
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body);
}

fn write_config(folder: &Path, port: u16) {
    let config = format!(
        "corpus:
  - {{ url: \"http://127.0.0.1:{port}/cp\", select: [div.article-formatted-body] }}
  - {{ url: \"http://127.0.0.1:{port}/koi\", select: [div.article-formatted-body] }}
  - {{ url: \"http://127.0.0.1:{port}/en\", select: [div.article-formatted-body] }}
  - {{ url: \"http://127.0.0.1:{port}/gone\" }}
chunking: {{ unit: tokens, tokenizer: e5, size: 40, overlap: 5 }}
systems:
  - {{ name: words, retriever: {{ kind: bm25, k: 2 }}, generator: extractive }}
  - {{ name: vectors, retriever: {{ kind: dense, k: 2, threshold: 0.1 }}, generator: extractive }}
  - {{ name: both, retriever: {{ kind: hybrid, k: 2, mmr: 0.7 }}, generator: extractive }}
  - {{ name: strict, retriever: {{ kind: dense, k: 2, threshold: 0.999 }}, generator: extractive }}
"
    );
    std::fs::write(folder.join("ragmeter.yaml"), config).expect("written");
}

fn asked(folder: &Path, system: &str, question: &str) -> Value {
    run(folder, &["ask", question, "--system", system, "--format", "json"]).ok()
}

#[test]
fn an_unchanged_corpus_costs_no_work_and_a_changed_page_only_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).expect("made");
    std::fs::write(docs.join("a.md"), "# Bridge\n\nThe bridge opens at noon.\n").expect("written");
    let cp = page("windows-1251", "Паром стоит триста рублей.");
    std::fs::write(docs.join("б.html"), windows_1251(&cp)).expect("written");
    let config = "corpus: [{ path: docs }]\n\
        systems: [{ name: words, retriever: { kind: bm25, k: 1 }, generator: extractive }]\n";
    std::fs::write(folder.path().join("ragmeter.yaml"), config).expect("written");
    let kept = |name: &str| folder.path().join(".ragmeter/index").join(name);
    let files = ["documents.jsonl", "chunks.jsonl"];
    let index = || run(folder.path(), &["index", "--format", "json"]).ok();
    let written =
        || files.map(|name| std::fs::metadata(kept(name)).expect("kept").modified().expect("time"));

    assert_eq!(index()["unchanged"], 0);
    let first = written();
    assert_eq!(index()["unchanged"], 2);
    assert_eq!(written(), first, "nothing is written again");
    // What is kept is what is searched: an answer comes out of it word for word.
    let before = asked(folder.path(), "words", "Сколько стоит паром?");
    assert_eq!(before["answer"], "Паром стоит триста рублей.");

    std::fs::write(docs.join("a.md"), "# Bridge\n\nThe bridge opens at nine.\n").expect("written");
    let changed = index();
    assert_eq!((&changed["documents"], &changed["unchanged"]), (&2.into(), &1.into()));
    let text = std::fs::read_to_string(kept("chunks.jsonl")).expect("kept");
    assert!(text.contains("nine") && !text.contains("noon"), "what is gone is dropped: {text}");
    let asked_now = asked(folder.path(), "words", "When does the bridge open?");
    assert_eq!(asked_now["answer"], "The bridge opens at nine.");

    // A damaged file is made anew, not believed.
    std::fs::write(kept("chunks.jsonl"), text.replace("nine", "nope")).expect("written");
    assert_eq!(index()["unchanged"], 0);
    assert_eq!(asked(folder.path(), "words", "When does the bridge open?"), asked_now);
}

#[test]
fn addresses_charsets_selectors_and_every_retriever() {
    let folder = tempfile::tempdir().expect("a folder");
    let cp = page("windows-1251", "Паром стоит триста рублей. Билет действует один год.");
    let koi = page("koi8-r", "Маяк построен из гранита. Высота башни тридцать метров.");
    let en = page("utf-8", "The bridge opens at noon. It is closed in winter.");
    let port =
        serve(vec![("/cp", windows_1251(&cp)), ("/koi", koi8_r(&koi)), ("/en", en.into_bytes())]);
    write_config(folder.path(), port);

    let index = run(folder.path(), &["index", "--format", "json"]).ok();
    assert_eq!(index["documents"], 3, "{index}");
    assert!(index["unread"].to_string().contains("404"), "{index}");
    assert!(index["chunks"].as_u64().expect("a count") >= 3, "{index}");

    for (question, word) in [
        ("Сколько стоит паром?", "триста"),
        ("Из чего построен маяк?", "гранита"),
        ("When does the bridge open?", "noon"),
    ] {
        for system in ["words", "vectors", "both"] {
            let found = asked(folder.path(), system, question);
            let first = found["contexts"][0]["text"].as_str().expect("a context");
            assert!(first.contains(word), "{system}: {question}: {found}");
            let whole = found["contexts"].to_string();
            assert!(!whole.contains("Menu of") && !whole.contains("Footer of"), "{whole}");
            assert!(found["answer"].as_str().is_some_and(|text| text.contains(word)), "{found}");
        }
        let strict = asked(folder.path(), "strict", question);
        assert_eq!(strict["contexts"].as_array().map(Vec::len), Some(0), "{strict}");
    }
}
