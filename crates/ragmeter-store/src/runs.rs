use std::collections::BTreeMap;

use ragmeter_core::{Outcome, RecordFacts, RunRecord, StoreError, TestCase};
use rusqlite::{OptionalExtension, Row, params};

use crate::SqliteStore;
use crate::sqlite::failed;

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// Begun, and not ended: it runs, or it was interrupted.
    Begun,
    /// Every record was judged.
    Done,
    /// It ended with work left (endpoint gone, too many failures).
    Incomplete,
    /// It ended at its budget.
    Budget,
}

impl RunStatus {
    /// The name used in the store and in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Done => "done",
            Self::Incomplete => "incomplete",
            Self::Budget => "budget",
        }
    }

    fn of(name: &str) -> Self {
        [Self::Done, Self::Incomplete, Self::Budget]
            .into_iter()
            .find(|status| status.name() == name)
            .unwrap_or(Self::Begun)
    }
}

/// One run: its resolved specification and its cases.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Hash of the specification.
    pub id: String,
    /// What the user calls it.
    pub name: String,
    /// Where it stands.
    pub status: RunStatus,
    /// The specification, resolved, as JSON.
    pub spec: String,
    /// The cases in their order.
    pub cases: Vec<TestCase>,
    /// What `run` printed as JSON when it ended.
    pub summary: Option<String>,
    /// When it was begun, UTC.
    pub created: String,
    /// When it ended, UTC.
    pub finished: Option<String>,
}

/// What was judged of one record.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedRow {
    /// The system.
    pub system: String,
    /// The case.
    pub case_id: String,
    /// Every fact asked for.
    pub facts: RecordFacts,
    /// An outcome for each metric.
    pub outcomes: BTreeMap<String, Outcome>,
}

const RUN_COLUMNS: &str = "id, name, status, spec, cases, summary, created, finished";

impl SqliteStore {
    /// Begins a run, or begins it again: its records and replies stay.
    pub fn begin_run(
        &self,
        id: &str,
        name: &str,
        spec: &str,
        cases: &[TestCase],
    ) -> Result<(), StoreError> {
        let cases = serde_json::to_string(cases).map_err(failed)?;
        self.lock()
            .execute(
                "INSERT INTO runs (id, name, status, spec, cases) VALUES (?1, ?2, 'begun', ?3, ?4)
                 ON CONFLICT (id) DO UPDATE SET status = 'begun', name = excluded.name,
                 spec = excluded.spec",
                params![id, name, spec, cases],
            )
            .map(drop)
            .map_err(failed)
    }

    /// Ends a run.
    pub fn end_run(&self, id: &str, status: RunStatus, summary: &str) -> Result<(), StoreError> {
        self.lock()
            .execute(
                "UPDATE runs SET status = ?2, summary = ?3,
                 finished = strftime('%Y-%m-%dT%H:%M:%SZ') WHERE id = ?1",
                params![id, status.name(), summary],
            )
            .map(drop)
            .map_err(failed)
    }

    /// Every run, newest first.
    pub fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        let connection = self.lock();
        let sql = format!("SELECT {RUN_COLUMNS} FROM runs ORDER BY created DESC, id");
        let mut statement = connection.prepare(&sql).map_err(failed)?;
        let rows = statement.query_map([], run_row).map_err(failed)?;
        rows.map(|row| row.map_err(failed).and_then(RawRun::read)).collect()
    }

    /// The run with this id, or the only one whose id begins so; `latest` is the newest.
    pub fn find_run(&self, id: &str) -> Result<Option<RunRow>, StoreError> {
        if id == "latest" {
            return self.latest()?.map_or(Ok(None), |id| self.run(&id));
        }
        let matching = self.ids_that_begin(id)?;
        match matching.as_slice() {
            [] => Ok(None),
            [only] => self.run(only),
            many => {
                let n = many.len();
                Err(StoreError(format!("{n} runs begin with {id}: give more of the id")))
            }
        }
    }

    /// The run with exactly this id. The cases of other runs stay unread: each may hold millions of
    /// characters.
    fn run(&self, id: &str) -> Result<Option<RunRow>, StoreError> {
        let sql = format!("SELECT {RUN_COLUMNS} FROM runs WHERE id = ?1");
        let row = self.lock().query_row(&sql, [id], run_row).optional().map_err(failed)?;
        row.map(RawRun::read).transpose()
    }

    fn ids_that_begin(&self, start: &str) -> Result<Vec<String>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare("SELECT id FROM runs WHERE ?1 <> '' AND substr(id, 1, length(?1)) = ?1")
            .map_err(failed)?;
        let ids = statement.query_map([start], |row| row.get(0)).map_err(failed)?;
        ids.map(|id| id.map_err(failed)).collect()
    }

    /// The newest run. A second judge's sample is looked at by name; the latest run is the user's
    /// own.
    fn latest(&self) -> Result<Option<String>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare("SELECT id, spec FROM runs ORDER BY created DESC, id")
            .map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let (id, spec): (String, String) =
                (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
            if !is_second(&spec) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Removes a run with its records and judgements. Replies stay: other runs share them.
    pub fn remove_run(&self, id: &str) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction().map_err(failed)?;
        for (table, column) in [("judged", "run"), ("records", "run"), ("runs", "id")] {
            let sql = format!("DELETE FROM {table} WHERE {column} = ?1");
            transaction.execute(&sql, [id]).map_err(failed)?;
        }
        transaction.commit().map_err(failed)
    }

    /// Forgets the records and judgements of a run, so that its systems are asked anew.
    pub fn clear_run(&self, id: &str) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction().map_err(failed)?;
        transaction.execute("DELETE FROM judged WHERE run = ?1", [id]).map_err(failed)?;
        transaction.execute("DELETE FROM records WHERE run = ?1", [id]).map_err(failed)?;
        transaction.commit().map_err(failed)
    }

    /// Keeps records of a run in one transaction, each as [`Store::put_record`] does.
    ///
    /// [`Store::put_record`]: ragmeter_core::Store::put_record
    pub fn put_records(&self, run_id: &str, records: &[RunRecord]) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction().map_err(failed)?;
        {
            // What was judged of another record is not true of this one.
            let mut forget = transaction
                .prepare_cached(
                    "DELETE FROM judged WHERE run = ?1 AND system = ?2 AND case_id = ?3
                     AND NOT EXISTS (SELECT 1 FROM records WHERE run = ?1 AND system = ?2
                     AND case_id = ?3 AND record = ?4)",
                )
                .map_err(failed)?;
            let mut keep = transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO records (run, system, case_id, record)
                     VALUES (?1, ?2, ?3, ?4)",
                )
                .map_err(failed)?;
            for record in records {
                let json = serde_json::to_string(record).map_err(failed)?;
                let key = [run_id, &record.system, &record.case_id, &json];
                forget.execute(key).map_err(failed)?;
                keep.execute(key).map_err(failed)?;
            }
        }
        transaction.commit().map_err(failed)
    }

    /// Replaces what was judged of these records of a run.
    pub fn put_judged(&self, run_id: &str, rows: &[JudgedRow]) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction().map_err(failed)?;
        {
            let mut statement = transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO judged (run, system, case_id, facts, outcomes)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )
                .map_err(failed)?;
            for row in rows {
                let facts = serde_json::to_string(&row.facts).map_err(failed)?;
                let outcomes = serde_json::to_string(&row.outcomes).map_err(failed)?;
                statement
                    .execute([run_id, &row.system, &row.case_id, &facts, &outcomes])
                    .map_err(failed)?;
            }
        }
        transaction.commit().map_err(failed)
    }

    /// The facts known of each record of a run, by system and case: as [`Self::judged`], without
    /// the outcomes that a new scoring replaces.
    pub fn facts(
        &self,
        run_id: &str,
    ) -> Result<BTreeMap<(String, String), RecordFacts>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare("SELECT system, case_id, facts FROM judged WHERE run = ?1 ORDER BY id")
            .map_err(failed)?;
        let mut rows = statement.query([run_id]).map_err(failed)?;
        let mut known = BTreeMap::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let key = (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
            let facts: String = row.get(2).map_err(failed)?;
            known.insert(key, serde_json::from_str(&facts).map_err(failed)?);
        }
        Ok(known)
    }

    /// What was judged in a run, by system and case.
    pub fn judged(&self, run_id: &str) -> Result<Vec<JudgedRow>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare(
                "SELECT system, case_id, facts, outcomes FROM judged WHERE run = ?1
                 ORDER BY system, case_id",
            )
            .map_err(failed)?;
        let mut rows = statement.query([run_id]).map_err(failed)?;
        let mut judged = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let text = |index| row.get::<_, String>(index).map_err(failed);
            judged.push(JudgedRow {
                system: text(0)?,
                case_id: text(1)?,
                facts: serde_json::from_str(&text(2)?).map_err(failed)?,
                outcomes: serde_json::from_str(&text(3)?).map_err(failed)?,
            });
        }
        Ok(judged)
    }
}

struct RawRun {
    row: RunRow,
    cases: String,
}

impl RawRun {
    fn read(self) -> Result<RunRow, StoreError> {
        let cases = serde_json::from_str(&self.cases).map_err(failed)?;
        Ok(RunRow { cases, ..self.row })
    }
}

fn run_row(row: &Row<'_>) -> rusqlite::Result<RawRun> {
    let status: String = row.get(2)?;
    Ok(RawRun {
        row: RunRow {
            id: row.get(0)?,
            name: row.get(1)?,
            status: RunStatus::of(&status),
            spec: row.get(3)?,
            cases: Vec::new(),
            summary: row.get(5)?,
            created: row.get(6)?,
            finished: row.get(7)?,
        },
        cases: row.get(4)?,
    })
}

/// Whether a run is a sample that another judge judged again: its specification says of which run.
fn is_second(spec: &str) -> bool {
    let spec: serde_json::Value = serde_json::from_str(spec).unwrap_or_default();
    !spec["second_of"].is_null()
}
