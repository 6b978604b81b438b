use std::fs;
use std::path::Path;

use ragmeter_rag::{Limits, LoadError, Loaded, SourceSpec, load};

use crate::stubs::block_on;

fn spec(location: &str) -> SourceSpec {
    SourceSpec { location: location.into(), select: vec![] }
}

fn load_from(base: &Path, locations: &[&str]) -> Result<Loaded, LoadError> {
    let specs: Vec<SourceSpec> = locations.iter().map(|location| spec(location)).collect();
    let limits = Limits { max_bytes: 10_000, ..Limits::default() };
    block_on(load(&specs, base, &limits, None))
}

fn sources(loaded: &Loaded) -> Vec<&str> {
    loaded.documents.iter().map(|document| document.source.as_str()).collect()
}

fn corpus() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    write("b.html", b"<title>B</title><p>Second page.</p>");
    write("a.md", b"# First\n\nPage.");
    write("папка с пробелами/глава [1].txt", "Третья страница.".as_bytes());
    write("папка с пробелами/вложенная/x.HTM", b"<p>Fourth.</p>");
    write(".hidden/y.txt", b"never");
    write(".hidden.txt", b"never");
    write("picture.png", b"\x89PNG");
    write("LICENSE", b"Plain words.");
    write("empty.txt", b"");
    write("blank.html", b"<script>1</script>");
    write("binary.txt", b"ab\0cd");
    write("disguised.html", b"%PDF-1.7 ...");
    write("control.txt", &[1; 200]);
    write("large.txt", &vec![b'x'; 20_000]);
    folder
}

#[test]
fn a_folder_gives_its_pages_in_order_and_tells_what_it_left() {
    let folder = corpus();
    let loaded = load_from(folder.path(), &["."]).unwrap();
    assert_eq!(
        sources(&loaded),
        ["a.md", "b.html", "папка с пробелами/вложенная/x.HTM", "папка с пробелами/глава [1].txt"]
    );
    let reason = |name: &str| {
        let found = loaded.unread.iter().find(|unread| unread.source == name);
        found.unwrap_or_else(|| panic!("{name} is not listed")).reason.clone()
    };
    for (name, part) in [
        ("picture.png", ".png"),
        ("LICENSE", "file type"),
        ("empty.txt", "empty"),
        ("blank.html", "no text"),
        ("binary.txt", "binary"),
        ("disguised.html", "PDF"),
        ("control.txt", "binary"),
        ("large.txt", "too large"),
    ] {
        assert!(reason(name).contains(part), "{name}: {}", reason(name));
    }
    assert_eq!(loaded.unread.len(), 8);
    assert_eq!(loaded.documents[1].title.as_deref(), Some("B"));
    assert_eq!(loaded.documents[3].lang, ragmeter_core::Lang::Ru);
}

#[test]
fn files_globs_and_repeats() {
    let folder = corpus();
    let load = |locations: &[&str]| load_from(folder.path(), locations);
    assert_eq!(sources(&load(&["LICENSE"]).unwrap()), ["LICENSE"]);
    assert_eq!(sources(&load(&["b.html", "*.*"]).unwrap()), ["b.html", "a.md"]);
    assert_eq!(sources(&load(&["**/*.HTM"]).unwrap()), ["папка с пробелами/вложенная/x.HTM"]);
    assert_eq!(
        sources(&load(&["папка с пробелами/глава [1].txt"]).unwrap()),
        ["папка с пробелами/глава [1].txt"]
    );
    assert_eq!(load(&["папка с пробелами/*"]).unwrap().documents.len(), 2);
    let loaded = load(&["a.md", "missing.md", "*.nothing"]).unwrap();
    assert_eq!(loaded.unread.len(), 2);
}

#[test]
fn an_empty_corpus_is_an_error_that_says_why() {
    let folder = corpus();
    for (location, part) in [
        ("missing", "no such file"),
        ("empty.txt", "empty"),
        ("picture.png", "PNG"),
        ("ftp://example.org/x", "ftp"),
    ] {
        let error = load_from(folder.path(), &[location]).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains(location), "{error}");
    }
    let broken = SourceSpec { location: "a.md".into(), select: vec!["p[".into()] };
    let error = block_on(load(&[broken], folder.path(), &Limits::default(), None)).unwrap_err();
    assert!(matches!(error, LoadError::Spec(_)));
}

#[cfg(unix)]
#[test]
fn links_are_followed_once() {
    let folder = corpus();
    let inner = folder.path().join("папка с пробелами");
    std::os::unix::fs::symlink(folder.path(), inner.join("up")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("a.md"), folder.path().join("z.md")).unwrap();
    let loaded = load_from(folder.path(), &["."]).unwrap();
    assert_eq!(loaded.documents.len(), 4, "{:?}", sources(&loaded));
}
