use std::collections::HashSet;

use dom_smoothie::{Config, Readability};
use ego_tree::NodeId;
use scraper::{ElementRef, Html, Selector};
use serde::{Deserialize, Serialize};

use crate::boilerplate::{Furniture, depth, dropped};
use crate::render::{render, tidy};

/// Share of a page's prose that readability must keep; less, and it has mistaken content for
/// furniture, as it does on pages of many short sections.
const PROSE_KEPT: f64 = 0.9;
/// Lines of at least so many characters count as prose.
const PROSE_LINE: usize = 40;
/// Readability scores nodes again and again; on a larger page it would take minutes.
const READABILITY_BYTES: usize = 2 * 1024 * 1024;
/// Nesting that no real page has, and that makes guessing at furniture quadratic.
const REAL_DEPTH: usize = 300;
/// Share of the page's prose that makes `main` or a lone `article` the page's content.
const MAIN_SHARE: f64 = 0.5;
/// A page pruned to less text than this was perhaps made of links, as an index is: it is kept.
const INDEX_PAGE: usize = 200;

/// What a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// HTML or XHTML.
    Html,
    /// Markdown.
    Markdown,
    /// Plain text.
    Plain,
}

impl Format {
    /// The name used in keys.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Plain => "plain",
        }
    }
}

/// The elements to keep of a page, by CSS.
#[derive(Clone, Debug, Default)]
pub struct Selectors(Vec<(String, Selector)>);

impl Selectors {
    /// Compiles the selectors; the error names the one that is not valid CSS.
    pub fn new(selectors: &[String]) -> Result<Self, String> {
        let compile = |css: &String| {
            let selector = Selector::parse(css);
            selector
                .map(|selector| (css.clone(), selector))
                .map_err(|_| format!("\"{css}\" is not a valid CSS selector"))
        };
        selectors.iter().map(compile).collect::<Result<_, _>>().map(Self)
    }

    /// The selectors as they were given.
    pub(crate) fn css(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(css, _)| css.as_str())
    }
}

/// A cleaned text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cleaned {
    /// `<title>`, or the first heading of the first level.
    pub title: Option<String>,
    /// The text: paragraphs apart by blank lines, items begin with "- ", cells are joined by " | ".
    pub text: String,
    /// What the user should know, if anything.
    pub note: Option<String>,
}

/// The text for a reader: of a page what the selectors name, else its main content without
/// menus, headers, footers and forms; of Markdown its text without the marks.
pub fn clean(text: &str, format: Format, selectors: &Selectors) -> Cleaned {
    let text =
        text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
    match format {
        Format::Html => clean_html(&text, selectors),
        Format::Markdown => clean_markdown(&text),
        Format::Plain => Cleaned { title: None, text: tidy(&text), note: None },
    }
}

fn clean_html(html: &str, selectors: &Selectors) -> Cleaned {
    let page = Html::parse_document(html);
    let title = title_of(&page);
    let root = page.root_element();
    let mut note = None;
    if !selectors.0.is_empty() {
        let text = selected(root, selectors);
        if !text.is_empty() {
            return Cleaned { title, text, note: None };
        }
        let names: Vec<&str> = selectors.css().collect();
        note = Some(format!(
            "no text under {}; the page's main content was taken instead",
            names.join(", ")
        ));
    }
    Cleaned { title, text: main_content(html, &page), note }
}

/// Everything the selectors name, in the order of the page, nested matches once.
fn selected(root: ElementRef<'_>, selectors: &Selectors) -> String {
    let matched = |element: &ElementRef<'_>| selectors.0.iter().any(|(_, s)| s.matches(element));
    let nested = |element: &ElementRef<'_>| {
        element.ancestors().filter_map(ElementRef::wrap).any(|ancestor| matched(&ancestor))
    };
    let elements = root.descendants().filter_map(ElementRef::wrap);
    let texts: Vec<String> = elements
        .filter(|element| matched(element) && !nested(element))
        .map(|element| render(element, &dropped(element, Furniture::DropMarked)))
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n\n")
}

fn main_content(html: &str, page: &Html) -> String {
    let root = page.root_element();
    if depth(page) > REAL_DEPTH {
        return render(root, &dropped(root, Furniture::DropMarked));
    }
    let furniture = dropped(root, Furniture::DropGuessed);
    let whole = render(root, &furniture);
    if whole.chars().count() < INDEX_PAGE {
        let marked = render(root, &dropped(root, Furniture::DropMarked));
        return if marked.is_empty() {
            render(root, &dropped(root, Furniture::Keep))
        } else {
            marked
        };
    }
    let main = declared_main(page)
        .map(|main| render(main, &dropped(main, Furniture::DropGuessed)))
        .filter(|text| prose(text) as f64 >= MAIN_SHARE * prose(&whole) as f64);
    if let Some(main) = main.filter(|text| !text.is_empty()) {
        return main;
    }
    // A page that marks its furniture says what is content better than any guess. Readability
    // drops short sections with their headings, so it is asked only where nothing is marked.
    if furniture != dropped(root, Furniture::Keep) {
        return whole;
    }
    let kept = |text: &String| prose(text) as f64 >= PROSE_KEPT * prose(&whole) as f64;
    readable(html, page).filter(kept).unwrap_or(whole)
}

/// The element that the page itself declares its content, if there is exactly one.
fn declared_main(page: &Html) -> Option<ElementRef<'_>> {
    ["main, [role=main]", "article"].into_iter().find_map(|css| {
        let css = selector(css)?;
        let mut found = page.select(&css);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    })
}

/// What readability takes for the article, or `None` if it finds none.
fn readable(html: &str, page: &Html) -> Option<String> {
    if html.len() > READABILITY_BYTES {
        return None;
    }
    // Furniture inside the article is told by its classes.
    let config = Config { keep_classes: true, ..Config::default() };
    let article = Readability::new(html, None, Some(config)).ok()?.parse().ok()?;
    let content = Html::parse_fragment(&article.content);
    let root = content.root_element();
    let text = render(root, &dropped(root, Furniture::DropGuessed));
    // Readability takes the page's heading for its title and drops it.
    let heading = page.select(&selector("h1")?).next().map(inner_text)?;
    let opens = text.lines().next().is_some_and(|line| line == heading);
    Some(if opens || heading.is_empty() { text } else { format!("{heading}\n\n{text}") })
}

/// Characters in lines long enough to be sentences.
fn prose(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).filter(|length| *length >= PROSE_LINE).sum()
}

fn title_of(page: &Html) -> Option<String> {
    let text = |css: &str| page.select(&selector(css)?).map(inner_text).find(|t| !t.is_empty());
    text("head title").or_else(|| text("h1"))
}

/// One of this file's own selectors.
fn selector(css: &str) -> Option<Selector> {
    Selector::parse(css).ok()
}

fn inner_text(element: ElementRef<'_>) -> String {
    let none: HashSet<NodeId> = HashSet::new();
    let text = render(element, &none);
    text.trim_end_matches('¶').split_whitespace().collect::<Vec<_>>().join(" ")
}

fn clean_markdown(text: &str) -> Cleaned {
    use pulldown_cmark::{Options, Parser, html};
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut rendered = String::new();
    html::push_html(&mut rendered, Parser::new_ext(text, options));
    let page = Html::parse_fragment(&rendered);
    let root = page.root_element();
    let heading = selector("h1").and_then(|h1| page.select(&h1).next().map(inner_text));
    Cleaned {
        title: heading.filter(|heading| !heading.is_empty()),
        text: render(root, &dropped(root, Furniture::DropMarked)),
        note: None,
    }
}
