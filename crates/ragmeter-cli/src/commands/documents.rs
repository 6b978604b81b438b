use std::path::Path;

use anyhow::Result;
use serde_json::json;

use super::Common;
use crate::output;
use crate::session::environment;

pub(crate) async fn index(common: &Common, config: &Path) -> Result<u8> {
    let loaded = ragmeter::config::load(config).map_err(ragmeter::Error::from)?;
    let outcome = ragmeter::index(&loaded, &common.store, &environment).await?;
    for line in outcome.unread_lines() {
        eprintln!("{line}");
    }
    for note in &outcome.notes {
        eprintln!("note: {note}");
    }
    let stats = outcome.stats;
    if common.json {
        let unread: Vec<_> = (outcome.unread.iter())
            .map(|one| json!({ "source": one.source, "reason": one.reason }))
            .collect();
        output::json(&json!({
            "documents": stats.documents, "unchanged": stats.unchanged, "chunks": stats.chunks,
            "embedded": stats.embedded, "reused": stats.reused, "unread": unread, "notes": outcome.notes,
        }))?;
    } else {
        output::line(&format!(
            "{} documents ({} unchanged), {} chunks; {} texts embedded, {} kept from before; {} not read",
            stats.documents,
            stats.unchanged,
            stats.chunks,
            stats.embedded,
            stats.reused,
            outcome.unread.len()
        ))?;
    }
    Ok(0)
}

pub(crate) async fn ask(
    common: &Common,
    question: &str,
    config: &Path,
    system: Option<&str>,
) -> Result<u8> {
    let loaded = ragmeter::config::load(config).map_err(ragmeter::Error::from)?;
    let (system, answer) =
        ragmeter::ask(&loaded, &common.store, system, question, &environment).await?;
    if common.json {
        output::json(&json!({
            "system": system, "question": question, "answer": answer.text,
            "contexts": answer.contexts, "refused_by_model": answer.refused_by_model,
        }))?;
        return Ok(0);
    }
    output::line(&answer.text)?;
    for (rank, context) in answer.contexts.iter().enumerate() {
        output::line(&format!(
            "\n[{}] {} ({:.3})\n{}",
            rank + 1,
            context.source.as_deref().unwrap_or("–"),
            context.score.unwrap_or_default(),
            context.text
        ))?;
    }
    Ok(0)
}
