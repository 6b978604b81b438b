//! Lists: which levels have bullets, and where numbers begin.

use std::collections::BTreeMap;

use quick_xml::events::Event;

use crate::docx::{attribute, events, name};

/// A level of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Bullet,
    /// Numbers from here on.
    Number(usize),
    /// Nothing is written before an item.
    None,
}

/// The marks by list and level.
pub(crate) type Lists = BTreeMap<String, BTreeMap<usize, Mark>>;

pub(crate) fn read(xml: &str) -> Result<Lists, String> {
    let mut kinds: Lists = BTreeMap::new();
    let mut lists: Lists = BTreeMap::new();
    let (mut kind, mut list) = (String::new(), String::new());
    let mut level = 0;
    let mut start = 1;
    events(xml, |event| {
        let (Event::Start(tag) | Event::Empty(tag)) = event else { return Ok(()) };
        let value = || attribute(tag, "val").unwrap_or_default();
        match name(tag) {
            "abstractNum" => kind = attribute(tag, "abstractNumId").unwrap_or_default(),
            "num" => list = attribute(tag, "numId").unwrap_or_default(),
            "abstractNumId" => {
                let levels = kinds.get(&value()).cloned().unwrap_or_default();
                lists.insert(list.clone(), levels);
            }
            "lvl" => {
                level = attribute(tag, "ilvl").and_then(|n| n.parse().ok()).unwrap_or(0);
                start = 1;
            }
            "start" => start = value().parse().unwrap_or(1),
            "numFmt" => {
                let mark = match value().as_str() {
                    "bullet" => Mark::Bullet,
                    "none" => Mark::None,
                    _ => Mark::Number(start),
                };
                kinds.entry(kind.clone()).or_default().insert(level, mark);
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(lists)
}
