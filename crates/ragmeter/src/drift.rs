//! A share of a run's records judged in the other profile too.

use std::collections::BTreeMap;

use ragmeter_analysis::{BothWays, Drift, JudgedRecord, count_verdicts, drift};
use ragmeter_core::{Hasher, RunRecord};
use ragmeter_facts::Profile;
use ragmeter_store::JudgedRow;

use crate::assemble::info;
use crate::error::Error;
use crate::evaluate::{Bench, evaluate_beside};

/// Fewest records that are judged both ways, where there are so many.
const FEWEST_RECORDS: usize = 30;

/// Fewest verdicts that are given both ways, where there are so many.
const FEWEST_FACTS: usize = 200;

/// The other way of asking a language model.
pub(crate) fn other(profile: Profile) -> Profile {
    match profile {
        Profile::Grouped => Profile::Split,
        Profile::Split => Profile::Grouped,
    }
}

/// Judges a share of the records by the bench's judge, which asks in another profile than the run
/// did, and puts both side by side. Records are drawn by the seed, whatever their scores: the share,
/// and more of them until there are [`FEWEST_RECORDS`] and [`FEWEST_FACTS`]. Also returns what the
/// user should know.
pub(crate) async fn measure(
    bench: &Bench<'_>,
    (records, rows): (&[RunRecord], &[JudgedRow]),
    share: f64,
    seed: u64,
    profile: Profile,
) -> Result<(Drift, Vec<String>), Error> {
    let places: BTreeMap<&str, usize> =
        bench.cases.keys().enumerate().map(|(at, case)| (*case, at)).collect();
    let mut judged: BTreeMap<(&str, &str), &JudgedRow> =
        rows.iter().map(|row| ((row.system.as_str(), row.case_id.as_str()), row)).collect();
    let joined = records.iter().filter_map(|record| {
        let row = judged.remove(&(record.system.as_str(), record.case_id.as_str()))?;
        Some(judged_record(record, row))
    });
    let drawn = sample(joined.collect(), share, seed);
    let asked: Vec<RunRecord> = drawn.iter().map(|one| one.record.clone()).collect();
    let again = evaluate_beside(bench, &asked).await?;
    let mut again: BTreeMap<(String, String), JudgedRow> =
        again.into_iter().map(|row| ((row.system.clone(), row.case_id.clone()), row)).collect();
    let pairs: Vec<BothWays> = drawn
        .into_iter()
        .filter_map(|run| {
            let key = (run.record.system.clone(), run.record.case_id.clone());
            let other = judged_record(&run.record, &again.remove(&key)?);
            let case = *places.get(run.record.case_id.as_str())?;
            Some(BothWays { case, run, other })
        })
        .collect();
    let metrics: Vec<_> = bench.metrics.iter().map(info).collect();
    let found = Drift {
        profile: profile.name().to_owned(),
        other: other(profile).name().to_owned(),
        ..drift(&pairs, &metrics, seed)
    };
    let notes = notes(&found, asked.len());
    Ok((found, notes))
}

fn judged_record(record: &RunRecord, row: &JudgedRow) -> JudgedRecord {
    JudgedRecord {
        record: record.clone(),
        facts: row.facts.clone(),
        outcomes: row.outcomes.clone(),
        ..JudgedRecord::default()
    }
}

fn sample(all: Vec<JudgedRecord>, share: f64, seed: u64) -> Vec<JudgedRecord> {
    let wanted = ((all.len() as f64 * share).ceil() as usize).max(FEWEST_RECORDS);
    let seed = seed.to_string();
    let mut drawn: Vec<(String, JudgedRecord)> = all
        .into_iter()
        .map(|one| {
            let mut hasher = Hasher::new("drift");
            hasher.text(&seed).text(&one.record.system).text(&one.record.case_id);
            (hasher.finish().0, one)
        })
        .collect();
    drawn.sort_by(|one, other| one.0.cmp(&other.0));
    let mut facts = 0;
    let mut taken = Vec::new();
    for (_, one) in drawn {
        if taken.len() >= wanted && facts >= FEWEST_FACTS {
            break;
        }
        facts += count_verdicts(&one);
        taken.push(one);
    }
    taken
}

fn notes(drift: &Drift, asked: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let judged = drift.n_records;
    if judged < asked {
        notes.push(format!(
            "drift: {} of {asked} records were not judged in the profile `{}`: the run was stopped \
             before",
            asked - judged,
            drift.other
        ));
    }
    if judged < FEWEST_RECORDS || drift.n_facts < FEWEST_FACTS {
        notes.push(format!(
            "drift: {judged} records with {} verdicts are few: take {FEWEST_RECORDS} records with \
             {FEWEST_FACTS} verdicts or more before you rely on it",
            drift.n_facts
        ));
    }
    notes
}
