//! `ragmeter prefer`.

use anyhow::Result;
use ragmeter::{PreferRequest, load_run};
use ragmeter_analysis::{Documents, preference_chapters, visible};
use serde_json::json;

use super::inspect::store;
use super::{Common, people};
use crate::args::{PopulationArg, PreferArgs};
use crate::output;
use crate::session::{Live, environment};

/// Judges the answers of a kept run in pairs.
pub(crate) async fn prefer(common: &Common, args: PreferArgs) -> Result<u8> {
    let mut data = load_run(&store(common)?, &args.run)?;
    let lang = people::chosen(args.lang, &data);
    data.compare.population = match args.population {
        None => data.compare.population,
        Some(PopulationArg::TheseDocuments) => Documents::These,
        Some(PopulationArg::NewDocuments) => Documents::New,
    };
    let request = PreferRequest {
        systems: args.systems.into_iter().map(|name| name.trim().to_owned()).collect(),
        judge: args.judge,
        base_url: args.base_url,
        votes: usize::from(args.votes),
        concurrency: usize::from(args.concurrency),
        limit: args.limit,
        budget: args.spend.budget(),
        max_failed: args.max_failed,
        fresh: args.fresh,
    };
    let live = Live::open(&common.store, common.verbose)?;
    let result = ragmeter::prefer(&live.session, &data, &request, &environment).await;
    live.close().await;
    let result = result?;
    for note in &result.notes {
        eprintln!("note: {}", visible(note));
    }
    let chapters = preference_chapters(&result.report, lang);
    if common.json {
        let mut json = result.json;
        let sentences = chapters.iter().flat_map(|chapter| &chapter.lines);
        json["sentences"] = sentences.map(String::as_str).collect();
        json["notes"] = json!(result.notes);
        output::json(&json)?;
    } else {
        output::chapters(&chapters)?;
    }
    Ok(result.ending.exit_code())
}
