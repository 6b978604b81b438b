use std::path::Path;

use anyhow::Result;
use clap::CommandFactory;
use ragmeter::config::Config;
use ragmeter_metrics::METRICS;
use serde_json::json;

use super::Common;
use super::running::write_file;
use crate::args::{Args, MetricsAction, Starter};
use crate::output;
use crate::session::environment;

pub(crate) fn metrics(common: &Common, action: Option<MetricsAction>) -> Result<u8> {
    if let Some(MetricsAction::Show { name }) = action {
        // A family is shown under its own id (`precision_at_K`) and under any member's.
        let family = METRICS.iter().find(|definition| definition.id == name);
        let definition = family
            .or_else(|| ragmeter_metrics::find(&name).map(|metric| metric.definition))
            .ok_or_else(|| ragmeter::Error::Usage(ragmeter::unknown_metric(&name)))?;
        if common.json {
            output::json(&json!({ "id": name, "card": definition.card }))?;
        } else {
            output::line(definition.card.trim_end())?;
        }
        return Ok(0);
    }
    if common.json {
        let list: Vec<_> = METRICS
            .iter()
            .map(|metric| {
                json!({
                    "id": metric.id,
                    "definition": { "en": metric.definition[0], "ru": metric.definition[1] },
                    "facts": metric.facts.iter().map(|fact| fact.name()).collect::<Vec<_>>(),
                    "higher_is_better": metric.higher_is_better,
                    "companion_of": metric.companion_of.first(),
                })
            })
            .collect();
        output::json(&json!({ "metrics": list, "presets": ragmeter_metrics::presets() }))?;
        return Ok(0);
    }
    let mut table = output::table(&["metric", "what it says"]);
    for metric in METRICS {
        table.add_row([metric.id, metric.definition[0]]);
    }
    output::line(&table.to_string())?;
    output::line(&format!("built-in criteria: {}", ragmeter_metrics::presets().join(", ")))?;
    Ok(0)
}

pub(crate) fn schema() -> Result<u8> {
    output::json(&ragmeter::config::schema())?;
    Ok(0)
}

pub(crate) fn init(common: &Common, starter: Starter, out: &Path) -> Result<u8> {
    if out.exists() {
        return Err(ragmeter::Error::Usage(format!(
            "{} is there already: name another file with --out",
            out.display()
        ))
        .into());
    }
    let text = match starter {
        Starter::Documents => include_str!("../../assets/starters/documents.yaml"),
        Starter::Records => include_str!("../../assets/starters/records.yaml"),
        Starter::External => include_str!("../../assets/starters/external.yaml"),
    };
    write_file(out, text)?;
    if common.json {
        output::json(&json!({ "written": out.display().to_string() }))?;
    } else {
        output::line(&format!("wrote {}; next: ragmeter run {0}", out.display()))?;
    }
    Ok(0)
}

pub(crate) async fn doctor(common: &Common, config: &Path) -> Result<u8> {
    let config = if config.exists() {
        ragmeter::config::load(config).map_err(ragmeter::Error::from)?.config
    } else {
        eprintln!("{} is not there: probing the local models", config.display());
        Config::default()
    };
    let probes = ragmeter::probe(&config, &environment).await;
    let ok = probes.iter().all(|probe| probe.ok);
    if common.json {
        output::json(&json!({ "ok": ok, "models": probes }))?;
    } else {
        let mut table = output::table(&["role", "model", "", "seconds", "found"]);
        for probe in &probes {
            table.add_row([
                probe.role.clone(),
                probe.model.clone(),
                if probe.ok { "ok" } else { "FAILED" }.to_owned(),
                format!("{:.2}", probe.seconds),
                probe.detail.clone(),
            ]);
        }
        output::line(&table.to_string())?;
    }
    Ok(if ok { 0 } else { 3 })
}

pub(crate) fn completions(shell: clap_complete::Shell) -> u8 {
    clap_complete::generate(shell, &mut Args::command(), "ragmeter", &mut std::io::stdout());
    0
}
