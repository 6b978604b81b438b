use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ragmeter_core::{Digest, ModelState, RunRecord, Rung, Store, StoreError, StoredReply, Usage};
use rusqlite::{Connection, OptionalExtension, params};

use crate::OpenError;

/// What each version of the format adds to the one before; the version is kept in
/// `PRAGMA user_version`.
const STEPS: &[&str] = &[TABLES, crate::people::TABLES, WIDE_ROWS];

/// The newest version.
const FORMAT: i64 = STEPS.len() as i64;

const TABLES: &str = "
CREATE TABLE replies (
    key TEXT PRIMARY KEY, grp TEXT NOT NULL, text TEXT NOT NULL, truncated INTEGER NOT NULL,
    filtered INTEGER NOT NULL, model TEXT NOT NULL, input INTEGER NOT NULL,
    cached INTEGER NOT NULL, output INTEGER NOT NULL, raw TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ'))
) WITHOUT ROWID;
CREATE TABLE models (
    endpoint TEXT NOT NULL, model TEXT NOT NULL, returned TEXT NOT NULL, rung TEXT NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (endpoint, model)
) WITHOUT ROWID;
CREATE TABLE vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL, spec TEXT NOT NULL,
    cases TEXT NOT NULL, summary TEXT,
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')), finished TEXT
);
CREATE TABLE records (
    run TEXT NOT NULL, system TEXT NOT NULL, case_id TEXT NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (run, system, case_id)
) WITHOUT ROWID;
CREATE TABLE judged (
    run TEXT NOT NULL, system TEXT NOT NULL, case_id TEXT NOT NULL, facts TEXT NOT NULL,
    outcomes TEXT NOT NULL, PRIMARY KEY (run, system, case_id)
) WITHOUT ROWID;
";

/// Rows of a kilobyte and more out of the trees of their keys: a page of such a tree had room for
/// two, so that finding one of a million meant reading twenty pages.
const WIDE_ROWS: &str = "
ALTER TABLE replies RENAME TO old_replies;
CREATE TABLE replies (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, grp TEXT NOT NULL, text TEXT NOT NULL,
    truncated INTEGER NOT NULL, filtered INTEGER NOT NULL, model TEXT NOT NULL,
    input INTEGER NOT NULL, cached INTEGER NOT NULL, output INTEGER NOT NULL, raw TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ'))
);
INSERT INTO replies
    (key, grp, text, truncated, filtered, model, input, cached, output, raw, at)
    SELECT key, grp, text, truncated, filtered, model, input, cached, output, raw, at
    FROM old_replies ORDER BY at;
DROP TABLE old_replies;
ALTER TABLE records RENAME TO old_records;
CREATE TABLE records (
    id INTEGER PRIMARY KEY, run TEXT NOT NULL, system TEXT NOT NULL, case_id TEXT NOT NULL,
    record TEXT NOT NULL, UNIQUE (run, system, case_id)
);
INSERT INTO records (run, system, case_id, record)
    SELECT run, system, case_id, record FROM old_records;
DROP TABLE old_records;
ALTER TABLE judged RENAME TO old_judged;
CREATE TABLE judged (
    id INTEGER PRIMARY KEY, run TEXT NOT NULL, system TEXT NOT NULL, case_id TEXT NOT NULL,
    facts TEXT NOT NULL, outcomes TEXT NOT NULL, UNIQUE (run, system, case_id)
);
INSERT INTO judged (run, system, case_id, facts, outcomes)
    SELECT run, system, case_id, facts, outcomes FROM old_judged;
DROP TABLE old_judged;
";

/// A store in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl SqliteStore {
    /// Opens `folder/ragmeter.sqlite`, making folder and file if need be.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        std::fs::create_dir_all(folder)
            .map_err(|source| OpenError::Folder { path: folder.to_owned(), source })?;
        let path = folder.join("ragmeter.sqlite");
        let failed = |source| OpenError::File { path: path.clone(), source };
        let mut connection = Connection::open(&path).map_err(failed)?;
        prepare(&connection).map_err(failed)?;
        let found = migrate(&mut connection).map_err(failed)?;
        if found > FORMAT {
            return Err(OpenError::Newer { path, found, known: FORMAT });
        }
        Ok(Self { path, connection: Mutex::new(connection) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The connection. A panic elsewhere can't leave it half written: SQLite rolls back.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(std::time::Duration::from_secs(30))?;
    // With a write-ahead log a commit is one write into the page cache: it outlives the process
    // (only a loss of power may take the last moments), and readers never wait.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // 16 MiB instead of 2: the upper levels of the tables of a large run.
    connection.pragma_update(None, "cache_size", -16 * 1024)?;
    // Pages come out of the system's own cache without being copied.
    connection.pragma_update(None, "mmap_size", 1_i64 << 30)?;
    connection.pragma_update(None, "synchronous", "NORMAL")
}

/// Makes the tables in a new file, adds what an older one lacks; returns the file's format version.
fn migrate(connection: &mut Connection) -> rusqlite::Result<i64> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version >= FORMAT {
        return Ok(version);
    }
    for step in &STEPS[version.max(0) as usize..] {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    Ok(FORMAT)
}

pub(crate) fn failed(error: impl std::fmt::Display) -> StoreError {
    StoreError(error.to_string())
}

impl Store for SqliteStore {
    fn reply(&self, key: &Digest) -> Result<Option<StoredReply>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached(
                "SELECT grp, text, truncated, filtered, model, input, cached, output, raw
                 FROM replies WHERE key = ?1",
            )
            .map_err(failed)?;
        statement
            .query_row([key.as_str()], |row| {
                Ok(StoredReply {
                    group: row.get(0)?,
                    text: row.get(1)?,
                    truncated: row.get(2)?,
                    filtered: row.get(3)?,
                    model: row.get(4)?,
                    usage: Usage {
                        input: row.get::<_, i64>(5)? as u64,
                        cached: row.get::<_, i64>(6)? as u64,
                        output: row.get::<_, i64>(7)? as u64,
                    },
                    raw: row.get(8)?,
                })
            })
            .optional()
            .map_err(failed)
    }

    fn put_reply(&self, key: &Digest, reply: &StoredReply) -> Result<(), StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached(
                "INSERT INTO replies
                 (key, grp, text, truncated, filtered, model, input, cached, output, raw)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (key) DO NOTHING",
            )
            .map_err(failed)?;
        let usage = reply.usage;
        statement
            .execute(params![
                key.as_str(),
                reply.group,
                reply.text,
                reply.truncated,
                reply.filtered,
                reply.model,
                usage.input as i64,
                usage.cached as i64,
                usage.output as i64,
                reply.raw
            ])
            .map(drop)
            .map_err(failed)
    }

    fn model_state(&self, endpoint: &str, model: &str) -> Result<Option<ModelState>, StoreError> {
        self.lock()
            .query_row(
                "SELECT returned, rung, generation FROM models WHERE endpoint = ?1 AND model = ?2",
                [endpoint, model],
                |row| {
                    let rung: String = row.get(1)?;
                    Ok(ModelState {
                        returned: row.get(0)?,
                        first_rung: rung_of(&rung),
                        generation: row.get(2)?,
                    })
                },
            )
            .optional()
            .map_err(failed)
    }

    fn put_model_state(
        &self,
        endpoint: &str,
        model: &str,
        state: &ModelState,
    ) -> Result<(), StoreError> {
        self.lock()
            .execute(
                "INSERT OR REPLACE INTO models (endpoint, model, returned, rung, generation)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                params![endpoint, model, state.returned, state.first_rung.name(), state.generation],
            )
            .map(drop)
            .map_err(failed)
    }

    fn vectors(&self, keys: &[Digest]) -> Result<Vec<Option<Vec<f32>>>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached("SELECT vector FROM vectors WHERE key = ?1")
            .map_err(failed)?;
        keys.iter()
            .map(|key| {
                let blob: Option<Vec<u8>> = statement
                    .query_row([key.as_str()], |row| row.get(0))
                    .optional()
                    .map_err(failed)?;
                Ok(blob.map(|blob| floats(&blob)))
            })
            .collect()
    }

    fn put_vectors(&self, vectors: &[(Digest, Vec<f32>)]) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction().map_err(failed)?;
        {
            let mut statement = transaction
                .prepare_cached("INSERT OR IGNORE INTO vectors (key, vector) VALUES (?1, ?2)")
                .map_err(failed)?;
            for (key, vector) in vectors {
                let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
                statement.execute(params![key.as_str(), bytes]).map_err(failed)?;
            }
        }
        transaction.commit().map_err(failed)
    }

    fn records(&self, run_id: &str) -> Result<Vec<RunRecord>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached("SELECT record FROM records WHERE run = ?1 ORDER BY system, case_id")
            .map_err(failed)?;
        let rows = statement.query_map([run_id], |row| row.get::<_, String>(0)).map_err(failed)?;
        rows.map(|row| serde_json::from_str(&row.map_err(failed)?).map_err(failed)).collect()
    }

    fn put_record(&self, run_id: &str, record: &RunRecord) -> Result<(), StoreError> {
        self.put_records(run_id, std::slice::from_ref(record))
    }
}

fn rung_of(name: &str) -> Rung {
    Rung::LADDER.into_iter().find(|rung| rung.name() == name).unwrap_or(Rung::Native)
}

fn floats(blob: &[u8]) -> Vec<f32> {
    let (chunks, _) = blob.as_chunks::<4>();
    chunks.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str) -> StoredReply {
        StoredReply {
            group: "verify@1".to_owned(),
            text: text.to_owned(),
            truncated: false,
            filtered: false,
            model: "m".to_owned(),
            usage: Usage { input: 10, cached: 4, output: 2 },
            raw: "{}".to_owned(),
        }
    }

    #[test]
    fn replies_are_append_only_and_outlive_the_store() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = ragmeter_core::content_id("k");
        {
            let store = SqliteStore::open(folder.path()).expect("a new store");
            store.put_reply(&key, &reply("first")).expect("written");
            store.put_reply(&key, &reply("second")).expect("ignored");
        }
        let store = SqliteStore::open(folder.path()).expect("the same store");
        assert_eq!(store.reply(&key).expect("read"), Some(reply("first")));
        assert_eq!(store.reply(&ragmeter_core::content_id("other")).expect("read"), None);
    }

    #[test]
    fn vectors_come_back_in_order_bit_for_bit() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = SqliteStore::open(folder.path()).expect("a new store");
        let key = |text| ragmeter_core::content_id(text);
        let vector = vec![0.1_f32, -3.5e-9, 1.0];
        store.put_vectors(&[(key("a"), vector.clone())]).expect("written");
        assert_eq!(store.vectors(&[key("b"), key("a")]).expect("read"), [None, Some(vector)]);
    }

    #[test]
    fn an_older_file_gets_the_tables_that_it_lacks_and_keeps_what_it_has() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = Connection::open(folder.path().join("ragmeter.sqlite")).expect("a file");
        file.execute_batch(TABLES).expect("the first format");
        file.pragma_update(None, "user_version", 1).expect("written");
        file.execute("INSERT INTO vectors VALUES ('k', x'0000803f')", []).expect("a vector");
        file.execute(
            "INSERT INTO replies VALUES ('k', 'verify@1', 'text', 0, 0, 'm', 10, 4, 2, '{}', 'then')",
            [],
        )
        .expect("a reply");
        drop(file);
        let store = SqliteStore::open(folder.path()).expect("opened");
        let kept = store.vectors(&[Digest("k".to_owned())]).expect("read");
        assert_eq!(kept, [Some(vec![1.0])]);
        assert_eq!(store.reply(&Digest("k".to_owned())).expect("read"), Some(reply("text")));
        assert_eq!(store.feedback(&[Digest("r".to_owned())]).expect("a table"), []);
        assert_eq!(store.label_set("s").expect("a table"), None);
    }

    #[test]
    fn a_newer_file_is_refused_with_its_version() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(SqliteStore::open(folder.path()).expect("a new store"));
        let file = Connection::open(folder.path().join("ragmeter.sqlite")).expect("the file");
        file.pragma_update(None, "user_version", 99).expect("written");
        let error = SqliteStore::open(folder.path()).expect_err("refused").to_string();
        assert!(error.contains("format 99") && error.contains("--store"), "{error}");
    }
}
