//! Prints the judge's features for labelled items, so that training sees what judging will see.
//!
//!     judge_features < items.jsonl > features.tsv
//!
//! One item a line: `{"question", "claim", "contexts": [..], "lang": "en" | "ru"}`; other fields
//! are ignored. One line of tab-separated numbers for each, after a line of their names.

use std::io::{BufRead as _, Write as _};

use ragmeter_core::{Lang, SupportItem};
use ragmeter_local::{E5Embedder, FEATURES, LocalJudge};
use serde::Deserialize;

#[derive(Deserialize)]
struct Item {
    question: String,
    claim: String,
    contexts: Vec<String>,
    lang: Lang,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let embedder = E5Embedder::bundled()?;
    let mut out = std::io::BufWriter::new(std::io::stdout());
    writeln!(out, "bare_answer\t{}", FEATURES.join("\t"))?;
    let lines = std::io::stdin().lock().lines().collect::<Result<Vec<_>, _>>()?;
    for lines in lines.chunks(64) {
        let items: Vec<Item> =
            lines.iter().map(|line| serde_json::from_str(line)).collect::<Result<_, _>>()?;
        let contexts: Vec<Vec<&str>> =
            items.iter().map(|item| item.contexts.iter().map(String::as_str).collect()).collect();
        let support: Vec<_> = items
            .iter()
            .zip(&contexts)
            .map(|(item, contexts)| SupportItem {
                question: &item.question,
                claim: &item.claim,
                contexts,
                lang: item.lang,
            })
            .collect();
        for found in LocalJudge::compare(&embedder, &support) {
            let row: Vec<_> = found.features.iter().map(|x| format!("{x:.6}")).collect();
            writeln!(out, "{}\t{}", u8::from(found.bare_answer), row.join("\t"))?;
        }
    }
    Ok(())
}
