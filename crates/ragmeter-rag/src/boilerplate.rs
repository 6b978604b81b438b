//! Which elements of a page are its furniture: menus, headers, footers, forms.

use std::collections::HashSet;

use scraper::node::Element;
use scraper::{ElementRef, Html, Node};

/// Never text for a reader.
const SILENT: &[&str] = &[
    "script", "style", "noscript", "template", "head", "iframe", "object", "embed", "svg",
    "canvas", "audio", "video", "button", "select", "input", "textarea", "datalist", "map",
    "dialog",
];
const ROLES: &[&str] = &[
    "navigation",
    "banner",
    "contentinfo",
    "search",
    "complementary",
    "menu",
    "menubar",
    "toolbar",
    "dialog",
    "alertdialog",
    "form",
];
/// Tokens of class or id, whole or as a part between hyphens, that name furniture.
const NAMES: &[&str] = &[
    "nav",
    "navbar",
    "navigation",
    "navheader",
    "navfooter",
    "docnav",
    "navi",
    "menu",
    "mainmenu",
    "submenu",
    "topmenu",
    "breadcrumb",
    "breadcrumbs",
    "crumbs",
    "footer",
    "pagefooter",
    "masthead",
    "cookie",
    "cookies",
    "pagination",
    "pager",
    "toc",
    "tableofcontents",
    "sharing",
    "advert",
    "advertisement",
    "ads",
    "skiplink",
    "headerlink",
];
/// Names that furniture shares with content (a margin note is a sidebar too): dropped only where
/// the text is made of links.
const LINKED_NAMES: &[&str] =
    &["sidebar", "banner", "header", "topbar", "social", "share", "related", "widget", "promo"];
/// Share of the text that links must make up: of a few links, and of three or more.
const FEW_LINKS_SHARE: f64 = 0.8;
const LINKS_SHARE: f64 = 0.5;
/// A link list of this kind without any mark is a menu: at least so many links, nearly nothing
/// but links, each of them short.
const MENU_LINKS: usize = 3;
const MENU_LINK_SHARE: f64 = 0.9;
const MENU_LINK_CHARS: usize = 25;
/// A form with so much prose is a page wrapped in a form, as some site builders make them.
const FORM_PROSE: usize = 300;

/// How much furniture to leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Furniture {
    /// Only what is never shown to a reader.
    Keep,
    /// Also `nav`, `footer` and their like by element and role.
    DropMarked,
    /// Also by class, by id, and link lists that look like menus.
    DropGuessed,
}

/// Ids of the elements to leave out of `root`.
pub(crate) fn dropped(root: ElementRef<'_>, furniture: Furniture) -> HashSet<ego_tree::NodeId> {
    let elements = root.descendants().filter_map(ElementRef::wrap).filter(|e| *e != root);
    elements.filter(|element| drops(*element, furniture)).map(|element| element.id()).collect()
}

fn drops(element: ElementRef<'_>, furniture: Furniture) -> bool {
    let value = element.value();
    if SILENT.contains(&value.name()) || is_hidden(value) {
        return true;
    }
    match furniture {
        Furniture::Keep => false,
        Furniture::DropMarked => is_marked(element),
        Furniture::DropGuessed => {
            is_marked(element) || is_named(element) || is_form(element) || is_menu(element)
        }
    }
}

fn is_hidden(element: &Element) -> bool {
    let style = element.attr("style").unwrap_or_default().replace(' ', "");
    element.attr("hidden").is_some()
        || element.attr("aria-hidden") == Some("true")
        || style.contains("display:none")
}

fn is_marked(element: ElementRef<'_>) -> bool {
    let value = element.value();
    let role = value.attr("role").unwrap_or_default();
    match value.name() {
        "nav" | "footer" => true,
        "aside" => is_linked(element),
        // An article's own header holds its title.
        "header" => !inside(element, &["article", "main"]) && !holds(element, &["h1"]),
        "body" | "main" | "article" => false,
        _ => ROLES.contains(&role),
    }
}

fn is_named(element: ElementRef<'_>) -> bool {
    let value = element.value();
    if matches!(value.name(), "body" | "html" | "main" | "article" | "h1" | "h2" | "h3") {
        return false;
    }
    let holds = |list: &[&str]| {
        let named = |token: &str| {
            let token = token.to_lowercase();
            // "toc" inside a longer name is as often the mark of a section that a list points to.
            list.contains(&token.as_str())
                || token.split(['-', '_']).any(|part| list.contains(&part) && part != "toc")
        };
        value.classes().any(named) || value.id().is_some_and(named)
    };
    holds(NAMES) || (holds(LINKED_NAMES) && is_linked(element))
}

/// Whether an element's text is made of links.
fn is_linked(element: ElementRef<'_>) -> bool {
    let links: Vec<usize> =
        descendants(element).filter(|e| e.value().name() == "a").map(text_length).collect();
    let bound = if links.len() < MENU_LINKS { FEW_LINKS_SHARE } else { LINKS_SHARE };
    let linked: usize = links.iter().sum();
    linked > 0 && linked as f64 >= bound * text_length(element) as f64
}

fn is_form(element: ElementRef<'_>) -> bool {
    let prose = || -> usize {
        let blocks = descendants(element).filter(|e| matches!(e.value().name(), "p" | "li" | "td"));
        blocks.map(|block| text_length(block)).sum()
    };
    element.value().name() == "form" && prose() < FORM_PROSE
}

fn is_menu(element: ElementRef<'_>) -> bool {
    if !matches!(element.value().name(), "ul" | "ol" | "table" | "p" | "div")
        || inside(element, &["article", "main"])
    {
        return false;
    }
    let links: Vec<usize> = descendants(element)
        .filter(|e| e.value().name() == "a" && e.value().attr("href").is_some())
        .map(text_length)
        .collect();
    let linked: usize = links.iter().sum();
    links.len() >= MENU_LINKS
        && linked <= links.len() * MENU_LINK_CHARS
        && linked as f64 >= MENU_LINK_SHARE * text_length(element) as f64
}

fn descendants(element: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    element.descendants().skip(1).filter_map(ElementRef::wrap)
}

fn inside(element: ElementRef<'_>, names: &[&str]) -> bool {
    let role_main = |e: &ElementRef<'_>| e.value().attr("role") == Some("main");
    element
        .ancestors()
        .filter_map(ElementRef::wrap)
        .any(|e| names.contains(&e.value().name()) || role_main(&e))
}

fn holds(element: ElementRef<'_>, names: &[&str]) -> bool {
    descendants(element).any(|e| names.contains(&e.value().name()))
}

/// Visible characters, without spaces.
fn text_length(element: ElementRef<'_>) -> usize {
    element.text().flat_map(str::chars).filter(|c| !c.is_whitespace()).count()
}

/// The deepest nesting of elements; recursive parsers must not see what is deeper than they bear.
pub(crate) fn depth(page: &Html) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for edge in page.tree.root().traverse() {
        match edge {
            ego_tree::iter::Edge::Open(node) if matches!(node.value(), Node::Element(_)) => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            ego_tree::iter::Edge::Close(node) if matches!(node.value(), Node::Element(_)) => {
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    deepest
}
