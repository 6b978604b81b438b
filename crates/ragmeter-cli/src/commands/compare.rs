//! `ragmeter compare`.

use anyhow::Result;
use ragmeter::config::JudgeConfig;
use ragmeter::{Ending, Error, Rejudged, SecondJudge, SecondOpinion, load_run};
use ragmeter_analysis::{
    CompareOptions, Comparison, Documents, Effect, Mismatch, Ranking, RunData, SystemPair, footing,
    rankings, second_sentences, verdict_sentences,
};
use serde_json::{Value, json};

use super::Common;
use super::inspect::store;
use crate::args::{CompareArgs, PopulationArg};
use crate::output::{self, lang_of};
use crate::session::{Live, environment};

pub(crate) async fn compare(common: &Common, args: CompareArgs) -> Result<u8> {
    let kept = store(common)?;
    let ((run_a, system_a), (run_b, system_b)) =
        (side(&args.a), side(args.b.as_ref().unwrap_or(&args.a)));
    let mut data_a = load_run(&kept, run_a)?;
    let mut other = if run_a == run_b { None } else { Some(load_run(&kept, run_b)?) };
    drop(kept);
    let mut notes = declare(&mut data_a, &args)?;
    let mut rejudged = Value::Null;
    let mut code = Ending::Done.exit_code();
    if args.rejudge {
        let before = other.as_ref().unwrap_or(&data_a);
        let done = judge_again(common, (&data_a, before), &args).await?;
        rejudged = json!({
            "a": { "run_id": data_a.run_id, "again": done.a.run_id },
            "b": { "run_id": before.run_id, "again": done.b.run_id },
            "judge": done.a.judge, "fingerprint": setting(&done.a, "judge.fingerprint"),
        });
        notes.push(format!(
            "both runs are judged by {}: {} is compared with {}",
            done.a.judge, done.a.run_id, done.b.run_id
        ));
        notes.extend(done.notes);
        code = done.ending.exit_code();
        let declared = std::mem::take(&mut data_a.compare);
        data_a = RunData { compare: declared, ..done.a };
        other = Some(done.b);
    }
    let data_b = other.as_ref().unwrap_or(&data_a);
    let pairs = if args.b.is_none() && system_a.is_none() {
        all_pairs(&data_a)?
    } else {
        pairs(&data_a, system_a, data_b, system_b)?
    };
    let lang = lang_of(&data_a);
    let mismatches = ragmeter_analysis::mismatches(&data_a, data_b);
    warn(&mismatches, &notes);
    for warning in ragmeter_analysis::family_warnings(&data_a, lang) {
        eprintln!("warning: {warning}");
    }
    let comparisons = ragmeter_analysis::compare(&data_a, data_b, &pairs, &data_a.compare);
    let ranked = if data_a.run_id == data_b.run_id && data_a.systems.len() > 2 {
        rankings(&data_a, &comparisons)
    } else {
        Vec::new()
    };
    let second = match &args.second_judge {
        None => None,
        Some(model) => Some(ask_second(common, (&data_a, data_b), &pairs, model, &args).await?),
    };
    let mut sentences = verdict_sentences(&comparisons, lang);
    sentences.extend(footing(&comparisons, lang));
    if let Some(second) = &second {
        sentences.extend(second_sentences(&second.looks, &second.judge, second.cases, lang));
    }
    if let Some(second) = &second {
        code = second.ending.exit_code();
    }
    if common.json {
        let differing: Vec<&Mismatch> =
            mismatches.iter().filter(|one| one.effect != Effect::Nothing).collect();
        let second = second.map(|second| {
            json!({
                "run_id": second.run_id, "judge": second.judge, "cases": second.cases,
                "looks": second.looks,
            })
        });
        output::json(&json!({
            "sentences": sentences, "comparisons": comparisons, "rankings": ranked,
            "mismatches": differing, "options": data_a.compare, "notes": notes,
            "second_judge": second, "rejudged": rejudged,
        }))?;
        return Ok(code);
    }
    for sentence in sentences {
        output::line(&sentence)?;
    }
    output::line("")?;
    output::line(&comparison_table(&comparisons).to_string())?;
    for ranking in &ranked {
        output::line(&format!("\n{}", ranking.metric))?;
        output::line(&ranking_table(ranking).to_string())?;
    }
    Ok(code)
}

/// What the command line declares goes before what the run declared; a metric declared after the
/// run was seen is worth a word.
fn declare(data: &mut RunData, args: &CompareArgs) -> Result<Vec<String>, Error> {
    let declared = data.compare.clone();
    let options = CompareOptions {
        population: match args.population {
            None => declared.population,
            Some(PopulationArg::TheseDocuments) => Documents::These,
            Some(PopulationArg::NewDocuments) => Documents::New,
        },
        primary: args.primary.clone().or_else(|| declared.primary.clone()),
        margin: args.margin.or(declared.margin),
        width: args.width.or(declared.width),
    };
    let ids: Vec<&str> = data.metrics.iter().map(|metric| metric.id.as_str()).collect();
    ragmeter::check_compare(&options, &ids).map_err(|error| Error::Usage(format!("--{error}")))?;
    let mut notes = Vec::new();
    for (key, changed) in [
        ("primary", options.primary != declared.primary),
        ("margin", options.margin != declared.margin),
        ("population", options.population != declared.population),
    ] {
        if changed {
            notes.push(format!(
                "{key} is declared after the run, when its numbers could be known: put it into \
                 `compare.{key}` before the next one"
            ));
        }
    }
    data.compare = options;
    Ok(notes)
}

fn warn(mismatches: &[Mismatch], notes: &[String]) {
    for one in mismatches.iter().filter(|one| one.effect != Effect::Nothing) {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "–".to_owned());
        let effect = match one.effect {
            Effect::RefusesAll => "; nothing that a judge said is compared",
            Effect::RefusesCosines => "; metrics made of cosines are not compared",
            Effect::Warns | Effect::Nothing => "",
        };
        let (a, b) = (value(&one.a), value(&one.b));
        eprintln!("warning: {} differs: {a} and {b}{effect}", one.setting);
    }
    let fingerprints = mismatches
        .iter()
        .any(|one| one.setting == "judge.fingerprint" && one.effect != Effect::Nothing);
    if fingerprints {
        eprintln!(
            "  the runs have different judges: --rejudge judges both by the first one's and compares \
             that"
        );
    }
    for note in notes {
        eprintln!("note: {}", ragmeter_analysis::visible(note));
    }
}

fn setting<'a>(run: &'a RunData, name: &str) -> Option<&'a str> {
    run.settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

async fn judge_again(
    common: &Common,
    runs: (&RunData, &RunData),
    args: &CompareArgs,
) -> Result<Rejudged> {
    let live = Live::open(&common.store, common.verbose)?;
    let done = ragmeter::rejudge(&live.session, runs, args.base_url.as_deref(), &environment).await;
    live.close().await;
    Ok(done?)
}

async fn ask_second(
    common: &Common,
    runs: (&RunData, &RunData),
    pairs: &[SystemPair<'_>],
    model: &str,
    args: &CompareArgs,
) -> Result<SecondOpinion> {
    let judge = JudgeConfig { model: model.to_owned(), ..JudgeConfig::default() };
    let request =
        SecondJudge { judge, base_url: args.base_url.clone(), sample: usize::from(args.sample) };
    let live = Live::open(&common.store, common.verbose)?;
    let opinion = ragmeter::second_judge(&live.session, runs, pairs, &request, &environment).await;
    live.close().await;
    Ok(opinion?)
}

/// RUN or RUN:SYSTEM.
fn side(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((run, system)) => (run, Some(system)),
        None => (text, None),
    }
}

fn all_pairs(data: &RunData) -> Result<Vec<SystemPair<'_>>, Error> {
    let pairs = ragmeter_analysis::all_pairs(data);
    if pairs.is_empty() {
        return Err(Error::Usage(format!(
            "run {} has one system: name another run to compare it with",
            data.run_id
        )));
    }
    Ok(pairs)
}

fn pairs<'a>(
    a: &'a RunData,
    system_a: Option<&'a str>,
    b: &'a RunData,
    system_b: Option<&'a str>,
) -> Result<Vec<(&'a str, &'a str)>, Error> {
    let names = |data: &'a RunData| data.systems.iter().map(|one| one.name.as_str());
    let check = |data: &'a RunData, name: &'a str| {
        if names(data).any(|known| known == name) {
            return Ok(());
        }
        let known: Vec<&str> = names(data).collect();
        Err(Error::Usage(format!(
            "run {} has no system `{name}`; it has: {}",
            data.run_id,
            known.join(", ")
        )))
    };
    let found = match (system_a, system_b) {
        (Some(one), Some(other)) => vec![(one, other)],
        (Some(one), None) => vec![(one, only(b).unwrap_or(one))],
        (None, Some(other)) => vec![(only(a).unwrap_or(other), other)],
        (None, None) => match (only(a), only(b)) {
            (Some(one), Some(other)) => vec![(one, other)],
            _ => {
                names(a).filter(|one| names(b).any(|other| other == *one)).map(|n| (n, n)).collect()
            }
        },
    };
    if a.run_id == b.run_id && found.iter().any(|(a, b)| a == b) {
        return Err(Error::Usage(
            "both sides are the same system: name two, as in RUN:SYSTEM RUN:OTHER, or one RUN alone \
             for all its pairs"
                .to_owned(),
        ));
    }
    if found.is_empty() {
        return Err(Error::Usage("name the systems to compare, as in RUN:SYSTEM".to_owned()));
    }
    for (one, other) in &found {
        check(a, one)?;
        check(b, other)?;
    }
    Ok(found)
}

fn only(data: &RunData) -> Option<&str> {
    match data.systems.as_slice() {
        [one] => Some(&one.name),
        _ => None,
    }
}

fn comparison_table(comparisons: &[Comparison]) -> comfy_table::Table {
    let header = [
        "metric",
        "a",
        "b",
        "mean a",
        "mean b",
        "b − a",
        "95 %",
        "p",
        "p Holm",
        "scored in both",
        "only a",
        "only b",
        "neither",
    ];
    let mut table = output::table(&header);
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
    // Never a p of zero: no test gives one.
    let p = |value: Option<f64>| match value {
        Some(value) if value < 0.001 => "<0.001".to_owned(),
        value => number(value),
    };
    for one in comparisons {
        let (a, b) = one.names();
        table.add_row([
            one.metric.clone(),
            a,
            b,
            number(one.mean_a),
            number(one.mean_b),
            number(one.difference),
            one.interval.map_or("–".to_owned(), |[low, high]| format!("[{low:.3}, {high:.3}]")),
            p(one.p),
            p(one.p_holm),
            one.scored.both.to_string(),
            one.scored.only_a.to_string(),
            one.scored.only_b.to_string(),
            one.scored.neither.to_string(),
        ]);
    }
    table
}

fn ranking_table(ranking: &Ranking) -> comfy_table::Table {
    let mut table = output::table(&["system", "rank", "tied"]);
    for system in &ranking.systems {
        let (best, worst) = system.ranks;
        let rank = if best == worst { best.to_string() } else { format!("{best}–{worst}") };
        table.add_row([system.name.clone(), rank, system.tied.clone()]);
    }
    table
}
