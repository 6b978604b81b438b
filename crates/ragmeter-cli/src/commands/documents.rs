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
    let heard = common.verbose.then(|| -> ragmeter::Heard {
        std::sync::Arc::new(|system, line| eprintln!("{system}: {line}"))
    });
    let (system, answer) =
        ragmeter::ask(&loaded, &common.store, system, question, &environment, heard).await?;
    if common.json {
        output::json(&json!({
            "system": system, "question": question, "answer": answer.text,
            "contexts": answer.contexts, "refused_by_model": answer.refused_by_model,
        }))?;
        return Ok(0);
    }
    output::said(&answer.text)?;
    for (rank, context) in answer.contexts.iter().flatten().enumerate() {
        let source = context.source.as_deref().or(context.id.as_deref()).unwrap_or("–");
        let score = context.score.map_or_else(String::new, |score| format!(" ({score:.3})"));
        output::line(&format!("\n[{}] {source}{score}\n{}", rank + 1, context.text))?;
    }
    Ok(0)
}
