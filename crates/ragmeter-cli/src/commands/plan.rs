use anyhow::Result;
use ragmeter::{Planned, RunOptions};

use super::{Common, running};
use crate::args::PlanArgs;
use crate::output;
use crate::session::{Live, environment};

/// Says what would be asked, and what that would cost.
pub(crate) async fn plan(common: &Common, args: PlanArgs) -> Result<u8> {
    let ending = args.file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let planned = if ["yaml", "yml"].contains(&ending.to_lowercase().as_str()) {
        let loaded = ragmeter::config::load(&args.file).map_err(ragmeter::Error::from)?;
        let options = &args.how.options;
        let options = RunOptions {
            limit: options.limit,
            fresh: options.fresh,
            skip_invalid: options.skip_invalid,
        };
        let live = Live::open(&common.store, common.verbose)?;
        let planned = ragmeter::plan_run(&live.session, &loaded, options, &environment).await;
        live.close().await;
        planned?
    } else {
        let request = running::request(args.file, args.how)?;
        let live = Live::open(&common.store, common.verbose)?;
        let planned = ragmeter::plan_score(&live.session, &request, &environment).await;
        live.close().await;
        planned?
    };
    for note in &planned.notes {
        eprintln!("note: {}", ragmeter_analysis::visible(note));
    }
    if common.json {
        output::json(&serde_json::to_value(&planned)?)?;
    } else {
        show(&planned)?;
    }
    Ok(0)
}

fn show(planned: &Planned) -> Result<()> {
    let mut facts = output::table(&["fact", "records"]);
    for (name, count) in &planned.facts {
        facts.add_row([(*name).to_owned(), count.to_string()]);
    }
    output::line(&facts.to_string())?;
    if !planned.groups.is_empty() {
        let mut groups = output::table(&["call group", "calls to be paid"]);
        for (name, count) in &planned.groups {
            groups.add_row([name.clone(), count.to_string()]);
        }
        output::line(&groups.to_string())?;
    }
    let calls = planned.calls;
    output::line(&format!(
        "{} chat calls, {} embedding calls; {} replies and vectors are in the store",
        calls.chat, calls.embeddings, calls.cached
    ))?;
    output::line(&format!(
        "tokens: {} in, {} out ({})",
        planned.tokens.input, planned.tokens.output, planned.counted
    ))?;
    let text = |key: &str| planned.cost[key].as_str().unwrap_or_default().to_owned();
    let money = planned.cost["amount"].as_f64().map_or_else(
        || "?".to_owned(),
        |amount| format!("{amount:.4} {} {}", text("currency"), text("price_date")),
    );
    output::line(&format!("cost: {}", money.trim_end()))?;
    let time = planned.seconds.map_or_else(
        || "? (no earlier run with this judge)".to_owned(),
        |seconds| format!("about {seconds:.0} s"),
    );
    Ok(output::line(&format!("time: {time}"))?)
}
