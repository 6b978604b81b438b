use ragmeter_rag::{Format, Selectors, clean};

use crate::stubs::fixture;

fn page(name: &str, select: &[&str]) -> ragmeter_rag::Cleaned {
    let text = std::fs::read_to_string(fixture("pages").join(name)).unwrap();
    let select: Vec<String> = select.iter().map(|css| (*css).to_owned()).collect();
    let format = if name == "guide.md" { Format::Markdown } else { Format::Html };
    clean(&text, format, &Selectors::new(&select).unwrap())
}

#[test]
fn a_page_loses_its_menus_and_keeps_its_structure() {
    let page = page("menu.html", &[]);
    assert_eq!(page.title.as_deref(), Some("Orlo lighthouse - Island guide"));
    assert_eq!(
        page.text,
        "Orlo lighthouse\n\nThe lighthouse stands on the north cape. It is 34 m tall.\n\nVisits\n\n\
         - Monday\n- Tuesday:\n  1. morning\n  2. evening\n\nTicket | Price\nAdult | 5\n\n\
         open 9\n  close 17\n\nThe lamp was first lit in 1893 and is still kept by one family.\n\n\
         Fog\nA horn sounds."
    );
}

#[test]
fn a_selector_keeps_what_it_names() {
    let found = page("article.html", &["div.article-formatted-body"]);
    assert_eq!(found.text, "Маяки считают по огням. Каждый огонь записан в журнал.");
    assert_eq!((found.title.as_deref(), found.note), (Some("Как мы считаем маяки"), None));
}

#[test]
fn the_furniture_of_manuals_goes_and_their_margin_notes_stay() {
    let body =
        "The lamp burns oil, a litre every night, and the keeper fills it at dusk. ".repeat(4);
    let manual = |before: &str, after: &str| {
        format!(
            "<title>T</title><body>{before}<div><h1>Lamps<a class=headerlink>¶</a></h1><p>{body}</p>\
                 <div class=sidebar><p>See <a href=x>the log</a> for the oil that was used in the \
                 year before.</p></div></div>{after}</body>"
        )
    };
    let docbook = manual(
        "<div class=navheader><table><tr><td><a href=a>Пред.</a></td><td><a href=b>След.</a></td>\
         </tr></table></div><div id=banner><a href=c>Download the book</a></div>",
        "<ul class='docnav'><li><a href=a>Prev</a></li><li>The book</li></ul>",
    );
    let sphinx = manual(
        "<div class=related role=navigation><h3>Навигация</h3><a href=a>вперёд</a></div>",
        "<div class=footer role=contentinfo>© Copyright</div>",
    );
    for html in [docbook, sphinx] {
        let text = clean(&html, Format::Html, &Selectors::default()).text;
        assert_eq!(
            text,
            format!(
                "Lamps\n\n{}\n\nSee the log for the oil that was used in the year before.",
                body.trim()
            )
        );
    }
}

#[test]
fn nested_matches_are_kept_once() {
    let html = "<body><div class=a>one <div class=a>two</div></div><p class=a>three</p></body>";
    let select = Selectors::new(&[".a".to_owned()]).unwrap();
    assert_eq!(clean(html, Format::Html, &select).text, "one\n\ntwo\n\nthree");
}

#[test]
fn a_selector_that_matches_nothing_says_so() {
    let found = page("article.html", &["article.missing"]);
    assert!(found.text.contains("Маяки считают по огням."));
    assert!(found.note.unwrap().contains("article.missing"));
    let error = Selectors::new(&["div[".to_owned()]).unwrap_err();
    assert!(error.contains("div["), "{error}");
}

#[test]
fn markdown_is_read_as_its_reader_sees_it() {
    let found = page("guide.md", &[]);
    assert_eq!(found.title.as_deref(), Some("Keeper's guide"));
    assert_eq!(
        found.text,
        "Keeper's guide\n\nLight the lamp at dusk, see the log. Wrapped line.\n\n- oil\n- wick\n\n\
         Part | Weight\nLens | 800 kg\n\nlamp --light"
    );
}

#[test]
fn pages_of_links_and_of_a_few_words_are_not_lost() {
    let links = "<body><ul><li><a href=a>Chapter one</a></li><li><a href=b>Chapter two</a></li>\
                 <li><a href=c>Chapter three</a></li></ul></body>";
    let text = clean(links, Format::Html, &Selectors::default()).text;
    assert!(text.contains("Chapter two"), "{text}");
    let tiny = "<title>T</title><nav>All of it</nav>";
    assert_eq!(clean(tiny, Format::Html, &Selectors::default()).text, "All of it");
}

#[test]
fn a_page_without_marks_keeps_every_section() {
    let section = |n| format!("<h2>Part {n}</h2><p>It is {n}.</p>");
    let sections = (1..30).map(section).collect::<Vec<String>>().concat();
    let html = format!("<body><h1>All</h1>{sections}</body>");
    let text = clean(&html, Format::Html, &Selectors::default()).text;
    for n in 1..30 {
        assert!(text.contains(&format!("Part {n}\n\nIt is {n}.")), "{n}: {text}");
    }
}

#[test]
fn deep_nesting_neither_overflows_nor_takes_forever() {
    let html = format!("<body>{}deep text{}", "<div>".repeat(20_000), "</div>".repeat(20_000));
    let started = std::time::Instant::now();
    assert_eq!(clean(&html, Format::Html, &Selectors::default()).text, "deep text");
    let markdown = format!("{}deep", "> ".repeat(5_000));
    assert_eq!(clean(&markdown, Format::Markdown, &Selectors::default()).text, "deep");
    let broken = "<ul><li>".repeat(5_000);
    clean(&broken, Format::Html, &Selectors::default());
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn unusual_text_survives() {
    for text in ["🙂 emoji 👩‍👩‍👧 stays", "今天天气很好。我们去公园。", "смешанный text"]
    {
        let html = format!("<p>{text}</p>");
        assert_eq!(clean(&html, Format::Html, &Selectors::default()).text, text);
        assert_eq!(clean(text, Format::Markdown, &Selectors::default()).text, text);
        assert_eq!(clean(text, Format::Plain, &Selectors::default()).text, text);
    }
}
