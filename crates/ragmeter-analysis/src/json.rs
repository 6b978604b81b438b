//! The whole report as data.

use std::collections::BTreeMap;

use ragmeter_core::{AbsenceClass, Lang, Outcome};
use serde_json::{Value, json};

use crate::people::people;
use crate::{
    Bilingual, RunData, breakdowns, choose, compare_all, costs, distributions, family_warnings,
    footing, rankings, relations, summarize, verdict_sentences,
};

/// Version of the form below: raised when a field changes its meaning or goes; new fields do not
/// raise it.
const VERSION: u32 = 1;

/// The whole report as one JSON object: `format` and `version` say how to read it.
///
/// Everything that the HTML report counts and draws, in numbers; scores of every record; which
/// cases were chosen and why. Texts of answers and contexts are not in it (`ragmeter show`). Ids and
/// names are as in the run; `sentences` are in the language asked for.
pub fn json(run: &RunData, lang: Lang) -> String {
    let comparisons = compare_all(run);
    let both = |text: &Bilingual| json!({ "en": text.en, "ru": text.ru });
    let metrics: Vec<Value> = (run.metrics.iter())
        .map(|metric| {
            json!({
                "id": metric.id, "title": both(&metric.title),
                "definition": both(&metric.definition),
                "higher_is_better": metric.higher_is_better, "companion": metric.companion,
            })
        })
        .collect();
    let settings: Vec<Value> = (run.settings.iter())
        .map(|(name, value)| {
            let said = run.wording.get(name).map_or(value.as_str(), |said| said.get(lang));
            json!({ "name": name, "value": said })
        })
        .collect();
    let report = json!({
        "format": "ragmeter.report",
        "version": VERSION,
        "lang": lang.code(),
        "run": { "id": run.run_id, "created": run.created, "seed": run.seed },
        "sentences": verdict_sentences(&comparisons, lang),
        "footing": footing(&comparisons, lang),
        "warnings": family_warnings(run, lang),
        "metrics": metrics,
        "systems": summarize(run),
        "rankings": rankings(run, &comparisons),
        "comparisons": comparisons,
        "distributions": distributions(run),
        "relations": relations(run),
        "breakdowns": breakdowns(run),
        "failures": failures(run),
        "cost": { "systems": costs(run), "calls": run.calls, "tokens": run.tokens },
        "chosen": choose(run),
        "people": (!run.people.is_empty()).then(|| people(run)),
        "cases": cases(run),
        "settings": settings,
    });
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

/// Failed and never measured scores, by system, metric and class.
fn failures(run: &RunData) -> Vec<Value> {
    let mut found = Vec::new();
    for system in &run.systems {
        for metric in &run.metrics {
            let mut classes: BTreeMap<Option<AbsenceClass>, usize> = BTreeMap::new();
            for record in &system.records {
                match record.outcomes.get(&metric.id) {
                    Some(Outcome::Failed(absence)) => {
                        *classes.entry(Some(absence.class)).or_default() += 1;
                    }
                    None => *classes.entry(None).or_default() += 1,
                    Some(Outcome::Scored(_) | Outcome::NotApplicable(_)) => {}
                }
            }
            found.extend(classes.into_iter().map(|(class, n)| {
                json!({ "system": system.name, "metric": metric.id, "class": class, "n": n })
            }));
        }
    }
    found
}

/// Every case with the scores of every system: a number, or the word that says why there is none.
fn cases(run: &RunData) -> Vec<Value> {
    let mut scores: BTreeMap<&str, serde_json::Map<String, Value>> = BTreeMap::new();
    for system in &run.systems {
        for record in &system.records {
            let of_record: serde_json::Map<String, Value> = (run.metrics.iter())
                .map(|metric| {
                    let value = match record.outcomes.get(&metric.id) {
                        Some(Outcome::Scored(score)) => json!(score.value.get()),
                        Some(Outcome::NotApplicable(_)) => json!("not_applicable"),
                        Some(Outcome::Failed(_)) => json!("failed"),
                        None => json!("not_measured"),
                    };
                    (metric.id.clone(), value)
                })
                .collect();
            scores
                .entry(record.record.case_id.as_str())
                .or_default()
                .insert(system.name.clone(), Value::Object(of_record));
        }
    }
    (run.cases.iter())
        .map(|case| {
            json!({
                "id": case.id, "question": case.question, "tags": case.tags,
                "source": case.source, "lang": case.lang,
                "scores": scores.remove(case.id.as_str()).unwrap_or_default(),
            })
        })
        .collect()
}
