//! Facts handed out to annotators as a table, and taken back with their labels.

mod export;
mod import;

use ragmeter_analysis::people::LABELLED;
use ragmeter_core::{FactKind, Lang};

use crate::error::Error;

pub use export::{LabelRequest, LabelTable, export_labels};
pub use import::{LabelImport, import_labels};

/// A column of the table: its English name, the Russian one, and others that are understood.
pub(crate) struct Heading {
    pub(crate) en: &'static str,
    pub(crate) ru: &'static str,
    pub(crate) also: &'static [&'static str],
}

const fn heading(en: &'static str, ru: &'static str, also: &'static [&'static str]) -> Heading {
    Heading { en, ru, also }
}

/// The columns in their order.
pub(crate) const HEADINGS: [Heading; 16] = [
    heading("set", "набор", &["набор"]),
    heading("run", "прогон", &["run_id", "прогон"]),
    heading("system", "система", &["система"]),
    heading("case_id", "пример", &["case", "id", "пример"]),
    heading("record", "запись", &["record_id", "запись"]),
    heading("fact", "факт", &["факт"]),
    heading("unit", "единица", &["unit_id", "единица"]),
    heading("question", "вопрос", &["вопрос"]),
    heading("reference", "эталон", &["эталон"]),
    heading("answer", "ответ", &["ответ"]),
    heading("contexts", "контексты", &["контексты"]),
    heading("text", "текст", &["claim", "текст", "утверждение"]),
    heading("judge", "судья", &["судья"]),
    heading("labels", "метки", &["метки"]),
    heading("label", "метка", &["метка"]),
    heading("comment", "пояснение", &["пояснение", "комментарий"]),
];

/// The last column, which stands after the comment.
pub(crate) const ANNOTATOR: Heading = heading("annotator", "разметчик", &["who", "разметчик"]);

impl Heading {
    fn get(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::Ru => self.ru,
        }
    }
}

/// The kind that people mean by a name.
pub(crate) fn kind_of(name: &str) -> Option<FactKind> {
    let name = name.trim().to_lowercase();
    let name = match name.as_str() {
        "context_useful" => "context_useful_reference",
        "claims" | "support" => "claim_support",
        other => other,
    };
    LABELLED.into_iter().find(|kind| kind.name() == name)
}

/// The kinds with these names; support of claims if none is named.
fn kinds_of(names: &[String]) -> Result<Vec<FactKind>, Error> {
    if names.is_empty() {
        return Ok(vec![FactKind::ClaimSupport]);
    }
    let one = |name: &String| {
        kind_of(name).ok_or_else(|| {
            let known: Vec<&str> = LABELLED.iter().map(|kind| kind.name()).collect();
            Error::usage(format!("people don't label `{name}`; they label: {}", known.join(", ")))
        })
    };
    names.iter().map(one).collect()
}
