//! A kept run, brought back whole.

use std::collections::{BTreeMap, BTreeSet};

use ragmeter_analysis::{
    Bilingual, CallCounts, JudgedRecord, MetricInfo, PeopleData, RunData, SystemData,
};
use ragmeter_core::{FactKind, Lang, Store, Usage};
use ragmeter_metrics::{Metric, Own};
use ragmeter_store::{JudgedRow, RunRow, SqliteStore};
use serde_json::Value;

use crate::error::Error;
use crate::fingerprint;
use crate::spec::RunSpec;

/// The run with this id (or the beginning of one, or `latest`).
pub fn load_run(store: &SqliteStore, id: &str) -> Result<RunData, Error> {
    let row = store.find_run(id)?.ok_or_else(|| {
        Error::usage(format!(
            "there is no run `{id}` in {}: `ragmeter runs` lists them",
            store.path().display()
        ))
    })?;
    assemble(store, row)
}

pub(crate) fn assemble(store: &SqliteStore, row: RunRow) -> Result<RunData, Error> {
    let spec = spec_of(&row)?;
    let totals: Value =
        row.summary.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let judged = store.judged(&row.id)?;
    let returned = fingerprint::returned(judged.iter().map(|row| &row.facts));
    let mut judged = judged.into_iter().peekable();
    let mut records: BTreeMap<String, Vec<JudgedRecord>> = BTreeMap::new();
    let order: BTreeMap<&str, usize> =
        row.cases.iter().enumerate().map(|(at, case)| (case.id.as_str(), at)).collect();
    let langs: BTreeMap<&str, Lang> = (row.cases.iter())
        .map(|case| {
            let lang = case.lang.unwrap_or_else(|| ragmeter_text::detect(&case.question));
            (case.id.as_str(), lang)
        })
        .collect();
    for record in store.records(&row.id)? {
        // Both are in the order of system and case.
        let key = (record.system.as_str(), record.case_id.as_str());
        let before = |row: &JudgedRow| (row.system.as_str(), row.case_id.as_str()) < key;
        while judged.next_if(before).is_some() {}
        let same = |row: &JudgedRow| (row.system.as_str(), row.case_id.as_str()) == key;
        let (facts, outcomes) =
            judged.next_if(same).map(|row| (row.facts, row.outcomes)).unwrap_or_default();
        let lang = langs.get(record.case_id.as_str()).copied().unwrap_or(Lang::En);
        let judge = fingerprint::of_record(&spec, lang, &facts);
        let one = JudgedRecord { record, facts, outcomes, judge };
        match records.get_mut(&one.record.system) {
            Some(of_system) => of_system.push(one),
            None => {
                records.insert(one.record.system.clone(), vec![one]);
            }
        }
    }
    let systems = spec
        .systems
        .iter()
        .map(|system| {
            let mut records = records.remove(&system.name).unwrap_or_default();
            records.sort_by_key(|one| order.get(one.record.case_id.as_str()).copied());
            let generator = system.settings["generator"]["model"].as_str().map(str::to_owned);
            SystemData { name: system.name.clone(), generator, records }
        })
        .collect();
    let mut said = spec.settings();
    said.extend(judge_lines(&spec, &returned));
    if let Some(floor) = totals["answer_relevancy_floor"].as_f64() {
        let en = format!("{floor:.3}");
        let ru = en.replace('.', ",");
        said.push(("answer_relevancy.floor".to_owned(), Bilingual::new(en, ru)));
    }
    let settings = said.iter().map(|(name, value)| (name.clone(), value.en.clone())).collect();
    let wording = said.into_iter().filter(|(_, value)| value.en != value.ru).collect();
    let mut cases = row.cases;
    for case in &mut cases {
        case.lang.get_or_insert_with(|| ragmeter_text::detect(&case.question));
    }
    let count = |group: &str, name: &str| totals[group][name].as_u64().unwrap_or(0);
    let mut data = RunData {
        run_id: row.id,
        created: row.created,
        seed: spec.seed,
        compare: spec.compare.clone(),
        judge: spec.judge.model.clone(),
        settings,
        wording,
        metrics: spec
            .metrics
            .iter()
            .filter_map(|id| spec.own.find(id))
            .map(|metric| info(&metric))
            .collect(),
        systems,
        cases,
        calls: CallCounts {
            chat: count("calls", "chat"),
            embeddings: count("calls", "embeddings"),
            cached: count("calls", "cached"),
        },
        tokens: Usage {
            input: count("tokens", "input"),
            cached: count("tokens", "cached"),
            output: count("tokens", "output"),
        },
        people: PeopleData::default(),
    };
    data.people = crate::people::of_run(store, &data)?;
    Ok(data)
}

/// The judge's fingerprint, and its name for itself where it has one.
fn judge_lines(spec: &RunSpec, returned: &BTreeSet<String>) -> Vec<(String, Bilingual)> {
    let same = |text: &str| Bilingual::new(text, text);
    let fingerprint = fingerprint::of_run(spec, returned);
    let mut lines = vec![("judge.fingerprint".to_owned(), same(&fingerprint))];
    if !returned.is_empty() {
        let names: Vec<&str> = returned.iter().map(String::as_str).collect();
        lines.push(("judge.returned".to_owned(), same(&names.join(", "))));
    }
    lines
}

/// The specification of the run with this id (or the beginning of one, or `latest`).
pub(crate) fn spec_of_run(store: &SqliteStore, id: &str) -> Result<RunSpec, Error> {
    let row = store.find_run(id)?;
    spec_of(&row.ok_or_else(|| Error::usage(format!("there is no run `{id}`")))?)
}

/// What the project of a kept run defined itself.
pub(crate) fn own_of(store: &SqliteStore, run_id: &str) -> Result<Own, Error> {
    match store.find_run(run_id)? {
        Some(row) => Ok(spec_of(&row)?.own),
        None => Ok(Own::default()),
    }
}

fn spec_of(row: &RunRow) -> Result<RunSpec, Error> {
    serde_json::from_str(&row.spec).map_err(|error| {
        Error::Failed(format!(
            "run {} was kept in a form this ragmeter cannot read: {error}",
            row.id
        ))
    })
}

pub(crate) fn info(metric: &Metric) -> MetricInfo {
    let id = metric.definition.id;
    let rises =
        id.starts_with("context_recall") || ["claim_recall", "context_entity_recall"].contains(&id);
    let cosines =
        [FactKind::QuestionSimilarity, FactKind::AnswerSimilarity, FactKind::TokenSimilarity];
    let code = [FactKind::AnswerSimilarity, FactKind::TokenSimilarity];
    let ranks = [FactKind::ContextUsefulReference, FactKind::ContextUsefulAnswer];
    MetricInfo {
        id: metric.id.clone(),
        title: Bilingual::new(metric.title(Lang::En), metric.title(Lang::Ru)),
        definition: Bilingual::new(metric.sentence(Lang::En), metric.sentence(Lang::Ru)),
        higher_is_better: metric.higher_is_better(),
        companion: !metric.definition.companion_of.is_empty(),
        rises_with_contexts: rises,
        rests_on_cosines: cosines.iter().any(|kind| metric.facts().contains(kind)),
        ranks_contexts: ranks.iter().any(|kind| metric.facts().contains(kind)),
        needs_no_judge: metric.facts().iter().all(|kind| code.contains(kind)),
    }
}
