//! A kept run, brought back whole.

use std::collections::BTreeMap;

use ragmeter_analysis::{
    Bilingual, CallCounts, JudgedRecord, MetricInfo, PeopleData, RunData, SystemData,
};
use ragmeter_core::{FactKind, Lang, Store, Usage};
use ragmeter_metrics::{Metric, Own};
use ragmeter_store::{JudgedRow, RunRow, SqliteStore};
use serde_json::Value;

use crate::error::Error;
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
    let mut judged: BTreeMap<(String, String), JudgedRow> = store
        .judged(&row.id)?
        .into_iter()
        .map(|row| ((row.system.clone(), row.case_id.clone()), row))
        .collect();
    let mut records: BTreeMap<String, Vec<JudgedRecord>> = BTreeMap::new();
    let order: BTreeMap<&str, usize> =
        row.cases.iter().enumerate().map(|(at, case)| (case.id.as_str(), at)).collect();
    for record in store.records(&row.id)? {
        let key = (record.system.clone(), record.case_id.clone());
        let (facts, outcomes) =
            judged.remove(&key).map(|row| (row.facts, row.outcomes)).unwrap_or_default();
        records.entry(key.0).or_default().push(JudgedRecord { record, facts, outcomes });
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

fn info(metric: &Metric) -> MetricInfo {
    let id = metric.definition.id;
    let rises =
        id.starts_with("context_recall") || ["claim_recall", "context_entity_recall"].contains(&id);
    let cosines =
        [FactKind::QuestionSimilarity, FactKind::AnswerSimilarity, FactKind::TokenSimilarity];
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
    }
}
