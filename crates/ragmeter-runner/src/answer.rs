use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use ragmeter_core::{RagSystem, RunRecord, Store, StoreError, TestCase};
use tokio::time::Instant;

use crate::event::{Control, Events, RunEvent};

/// Lets every system answer every case, and keeps each record as it arrives. Systems without a
/// bound of their own share `concurrency`; one that is slow holds up none that has its own. Records kept from before are not asked for again. A system that fails on a case
/// leaves a record with the error. Returns the records by system, then case.
pub async fn answer_all(
    systems: &[Arc<dyn RagSystem>],
    cases: &[TestCase],
    store: &dyn Store,
    run_id: &str,
    concurrency: usize,
    events: &Events,
    control: &Control,
) -> Result<Vec<RunRecord>, StoreError> {
    let mut records: BTreeMap<(String, String), RunRecord> = BTreeMap::new();
    for record in store.records(run_id)? {
        // A failed answer is asked for anew; a good one was paid for. Recorded systems' answers
        // are in the store too, and not among those to be asked.
        let live = systems.iter().any(|system| system.name() == record.system);
        if live && record.error.is_none() {
            records.insert((record.system.clone(), record.case_id.clone()), record);
        }
    }
    let _ = events
        .send(RunEvent::Answering { total: systems.len() * cases.len(), kept: records.len() });
    let mut lanes = lanes(systems, concurrency);
    for system in systems {
        let lane = lane_of(&mut lanes, system.as_ref());
        lane.todo.extend(
            (cases.iter())
                .filter(|case| !records.contains_key(&(system.name().to_owned(), case.id.clone())))
                .map(|case| (system.as_ref(), case)),
        );
    }
    let mut flying = FuturesUnordered::new();
    let mut over = std::pin::pin!(control.over());
    let mut done = Vec::new();
    loop {
        for lane in &mut lanes {
            while lane.flying < lane.bound && !control.cancelled() {
                let Some((system, case)) = lane.todo.pop_front() else { break };
                lane.flying += 1;
                flying.push(answer_one(system, case));
            }
        }
        let record = tokio::select! {
            record = flying.next() => record,
            () = &mut over => None,
        };
        let Some(record) = record else { break };
        if let Some(system) = systems.iter().find(|system| system.name() == record.system) {
            lane_of(&mut lanes, system.as_ref()).flying -= 1;
        }
        store.put_record(run_id, &record)?;
        let _ = events.send(RunEvent::Answered {
            system: record.system.clone(),
            case_id: record.case_id.clone(),
            error: record.error.clone(),
        });
        done.push(record);
    }
    for record in done {
        records.insert((record.system.clone(), record.case_id.clone()), record);
    }
    Ok(records.into_values().collect())
}

/// Cases that wait for the same bound.
struct Lane<'a> {
    /// The system that has it for itself; `None` for the lane of all others.
    of: Option<&'a str>,
    bound: usize,
    flying: usize,
    todo: VecDeque<(&'a dyn RagSystem, &'a TestCase)>,
}

fn lanes(systems: &[Arc<dyn RagSystem>], concurrency: usize) -> Vec<Lane<'_>> {
    let lane =
        |of, bound: usize| Lane { of, bound: bound.max(1), flying: 0, todo: VecDeque::new() };
    let own =
        systems.iter().filter_map(|system| Some(lane(Some(system.name()), system.concurrency()?)));
    std::iter::once(lane(None, concurrency)).chain(own).collect()
}

fn lane_of<'a, 'b>(lanes: &'b mut [Lane<'a>], system: &dyn RagSystem) -> &'b mut Lane<'a> {
    let own = lanes.iter().position(|lane| lane.of == Some(system.name()));
    &mut lanes[own.unwrap_or(0)]
}

async fn answer_one(system: &dyn RagSystem, case: &TestCase) -> RunRecord {
    let begun = Instant::now();
    let answer = system.answer(case).await;
    let mut record = RunRecord {
        system: system.name().to_owned(),
        case_id: case.id.clone(),
        seconds: Some(begun.elapsed().as_secs_f64()),
        ..RunRecord::default()
    };
    match answer {
        Ok(answer) => {
            record.answer = Some(answer.text);
            record.contexts = answer.contexts;
            record.refused_by_model = answer.refused_by_model;
            record.figures = answer.figures;
            for (name, tokens) in
                [("tokens_in", answer.usage.input), ("tokens_out", answer.usage.output)]
            {
                if tokens > 0 {
                    record.figures.insert(name.to_owned(), tokens as f64);
                }
            }
        }
        Err(error) => record.error = Some(error.0),
    }
    record
}
