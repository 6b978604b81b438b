use ragmeter_rag::{Format, Selectors, clean, decode};

use crate::stubs::fixture;

#[test]
fn russian_pages_in_every_charset_read_alike() {
    for name in [
        "koi8-r-meta.html",
        "koi8-r-bare.html",
        "windows-1251-bare.html",
        "windows-1251-http-equiv.html",
        "utf-16-mark.html",
        "utf-8-wrong-label.html",
    ] {
        let bytes = std::fs::read(fixture(name)).unwrap();
        let text = decode(&bytes, None).unwrap();
        let page = clean(&text, Format::Html, &Selectors::default());
        assert_eq!(page.title.as_deref(), Some("Маяк Орло"), "{name}");
        assert!(page.text.contains("Мёд смотритель собирает сам"), "{name}: {}", page.text);
    }
}

#[test]
fn the_header_decides_where_the_page_is_silent() {
    let bytes = b"\xc4\xcf\xcd"; // "дом" in koi8-r, too short to be guessed
    assert_eq!(decode(bytes, Some("koi8-r")).unwrap(), "дом");
    assert_eq!(decode("дом".as_bytes(), Some("koi8-r")).unwrap(), "дом");
    assert_eq!(decode(b"\xef\xbb\xbfcaf\xc3\xa9", Some("koi8-r")).unwrap(), "café");
}

#[test]
fn what_is_no_text_in_any_charset_is_refused() {
    let reason = decode(b"\xff\xfe\x00\xd8\x00\xd8\x00\xd8\x00\xd8", None).unwrap_err();
    assert!(reason.contains("UTF-16"), "{reason}");
}
