//! Which record a row of a file is about.

use std::collections::{BTreeMap, BTreeSet};

use ragmeter_core::{Digest, Store, record_id};
use ragmeter_store::SqliteStore;

use crate::error::Error;
use crate::table::Line;

/// A record that a row is about.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) record: Digest,
    pub(crate) system: String,
    pub(crate) case_id: String,
}

/// The records of one run.
struct Known {
    id: String,
    by_name: BTreeMap<(String, String), Digest>,
    by_id: BTreeMap<Digest, (String, String)>,
    systems: BTreeSet<String>,
}

/// The records of runs, read when a row asks for them.
pub(crate) struct Runs<'a> {
    store: &'a SqliteStore,
    known: BTreeMap<String, Option<Known>>,
    all: Option<Vec<String>>,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(store: &'a SqliteStore) -> Self {
        Self { store, known: BTreeMap::new(), all: None }
    }

    fn run(&mut self, name: &str) -> Result<Option<&Known>, Error> {
        if !self.known.contains_key(name) {
            let known = match self.store.find_run(name)? {
                None => None,
                Some(row) => {
                    let cases: BTreeMap<&str, _> =
                        row.cases.iter().map(|case| (case.id.as_str(), case)).collect();
                    let mut known = Known {
                        id: row.id.clone(),
                        by_name: BTreeMap::new(),
                        by_id: BTreeMap::new(),
                        systems: BTreeSet::new(),
                    };
                    for record in self.store.records(&row.id)? {
                        let Some(case) = cases.get(record.case_id.as_str()) else { continue };
                        let id = record_id(case, &record);
                        let name = (record.system, record.case_id);
                        known.systems.insert(name.0.clone());
                        known.by_id.insert(id.clone(), name.clone());
                        known.by_name.insert(name, id);
                    }
                    Some(known)
                }
            };
            self.known.insert(name.to_owned(), known);
        }
        Ok(self.known[name].as_ref())
    }

    /// The record that a row names: by its id, or by system and case; the outer error is the
    /// store's.
    pub(crate) fn place(
        &mut self,
        line: &Line,
        run: Option<&str>,
        system: Option<&str>,
    ) -> Result<Result<Place, String>, Error> {
        let run = line.get("run").or(run).map(str::to_owned);
        if let Some(id) = line.get("record") {
            return self.by_id(line, id, run.as_deref());
        }
        let Some(run) = run else {
            return Ok(Err(line.fault("run", "a run (or name one with --run)")));
        };
        let system = line.get("system").or(system);
        let Some(known) = self.run(&run)? else {
            let fault = format!(
                "{}, `run`: there is no run `{run}`: `ragmeter runs` lists them",
                line.place
            );
            return Ok(Err(fault));
        };
        let system = match (system, known.systems.len()) {
            (Some(system), _) => system.to_owned(),
            (None, 1) => known.systems.first().cloned().unwrap_or_default(),
            (None, _) => {
                let names: Vec<&str> = known.systems.iter().map(String::as_str).collect();
                let expected = format!("one of {} (or name one with --system)", names.join(", "));
                return Ok(Err(line.fault("system", expected)));
            }
        };
        let Some(case_id) = line.get("case_id") else {
            return Ok(Err(line.fault("case_id", "the id of a case, or a `record` id")));
        };
        let name = (system, case_id.to_owned());
        Ok(match known.by_name.get(&name) {
            Some(id) => Ok(Place { record: id.clone(), system: name.0, case_id: name.1 }),
            None if known.systems.contains(&name.0) => {
                Err(line.fault("case_id", format!("a case of {} in run {}", name.0, known.id)))
            }
            None => {
                let names: Vec<&str> = known.systems.iter().map(String::as_str).collect();
                Err(format!(
                    "{}, `system`: expected one of {}, got `{}`",
                    line.place,
                    names.join(", "),
                    name.0
                ))
            }
        })
    }

    fn by_id(
        &mut self,
        line: &Line,
        id: &str,
        run: Option<&str>,
    ) -> Result<Result<Place, String>, Error> {
        let wanted = Digest(id.to_lowercase());
        let runs = if let Some(run) = run {
            vec![run.to_owned()]
        } else {
            if self.all.is_none() {
                let ids = self.store.runs()?.into_iter().map(|row| row.id).collect();
                self.all = Some(ids);
            }
            self.all.clone().unwrap_or_default()
        };
        for run in &runs {
            let found = self.run(run)?.and_then(|known| known.by_id.get(&wanted).cloned());
            if let Some((system, case_id)) = found {
                return Ok(Ok(Place { record: wanted, system, case_id }));
            }
        }
        let where_to_look = match run {
            Some(run) => format!("the id of a record of run {run}"),
            None => "the id of a record of some run, as `ragmeter show` prints it".to_owned(),
        };
        Ok(Err(line.fault("record", where_to_look)))
    }
}
