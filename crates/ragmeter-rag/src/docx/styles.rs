//! What the styles of paragraphs say: headings, lists, tables of contents.

use std::collections::BTreeMap;

use quick_xml::events::Event;

use crate::docx::{attribute, events, name};

/// A paragraph style.
#[derive(Clone, Debug, Default)]
pub(crate) struct Style {
    /// A heading of some level, or the document's title.
    pub(crate) heading: bool,
    pub(crate) title: bool,
    /// An entry of the table of contents.
    pub(crate) contents: bool,
    /// List and level that paragraphs of this style are items of.
    pub(crate) list: Option<(String, usize)>,
    based_on: Option<String>,
}

/// The paragraph styles by id, each with what it has from those it is based on.
pub(crate) fn read(xml: &str) -> Result<BTreeMap<String, Style>, String> {
    let mut styles: BTreeMap<String, Style> = BTreeMap::new();
    let mut current: Option<(String, Style)> = None;
    let mut level = 0;
    events(xml, |event| {
        match event {
            Event::Start(tag) | Event::Empty(tag) => match (name(tag), &mut current) {
                ("style", _) => {
                    current = attribute(tag, "styleId").map(|id| (id, Style::default()));
                    level = 0;
                }
                ("name", Some((_, style))) => {
                    let called = attribute(tag, "val").unwrap_or_default().to_lowercase();
                    style.title = called == "title";
                    style.heading = style.title || called.starts_with("heading ");
                    style.contents = called.starts_with("toc ") || called == "table of figures";
                }
                ("basedOn", Some((_, style))) => style.based_on = attribute(tag, "val"),
                ("outlineLvl", Some((_, style))) => {
                    // 9 is body text.
                    style.heading |= attribute(tag, "val").is_some_and(|level| level != "9");
                }
                ("ilvl", Some(_)) => {
                    level = attribute(tag, "val").and_then(|n| n.parse().ok()).unwrap_or(0);
                }
                ("numId", Some((_, style))) => {
                    style.list = attribute(tag, "val").map(|id| (id, level));
                }
                _ => {}
            },
            Event::End(tag) if tag.local_name().into_inner() == "style" => {
                if let Some((id, style)) = current.take() {
                    styles.insert(id, style);
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    let whole = styles.keys().map(|id| (id.clone(), inherited(&styles, id))).collect();
    Ok(whole)
}

/// A style with what it has from those it is based on.
fn inherited(styles: &BTreeMap<String, Style>, id: &str) -> Style {
    /// A longer chain is a circle.
    const LONGEST: usize = 16;
    let mut whole = Style::default();
    let mut next = Some(id);
    for _ in 0..LONGEST {
        let Some(style) = next.and_then(|id| styles.get(id)) else { break };
        whole.heading |= style.heading;
        whole.title |= style.title;
        whole.contents |= style.contents;
        whole.list = whole.list.or_else(|| style.list.clone());
        next = style.based_on.as_deref();
    }
    whole
}
