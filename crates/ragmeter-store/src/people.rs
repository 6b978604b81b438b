//! What people said, append-only: a later word never replaces an earlier one here.

use ragmeter_core::{Digest, Feedback, Label, LabelSet, StoreError};
use rusqlite::{OptionalExtension, Transaction};
use serde::de::DeserializeOwned;

use crate::SqliteStore;
use crate::sqlite::failed;

pub(crate) const TABLES: &str = "
CREATE TABLE feedback (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, record TEXT NOT NULL, word TEXT NOT NULL,
    imported TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ'))
);
CREATE INDEX feedback_record ON feedback (record);
CREATE TABLE policies (id TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE label_sets (
    id TEXT PRIMARY KEY, label_set TEXT NOT NULL,
    made TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ'))
) WITHOUT ROWID;
CREATE TABLE labels (
    seq INTEGER PRIMARY KEY, record TEXT NOT NULL, fact TEXT NOT NULL, unit TEXT NOT NULL,
    annotator TEXT NOT NULL, label TEXT NOT NULL,
    imported TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ'))
);
CREATE INDEX labels_unit ON labels (record, fact, unit, annotator);
";

/// What became of imported words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Added {
    /// New ones.
    pub added: usize,
    /// Of them, those that supersede an earlier word of the same person.
    pub changed: usize,
    /// Those that were there already.
    pub known: usize,
}

impl SqliteStore {
    /// Keeps what users said, all or nothing; a word that is there already is not kept twice.
    pub fn add_feedback(&self, words: &[Feedback]) -> Result<Added, StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction().map_err(failed)?;
        let mut done = Added::default();
        for word in words {
            let json = serde_json::to_string(word).map_err(failed)?;
            let earlier = match &word.who {
                Some(who) => words_by(&transaction, word, who)?,
                None => 0,
            };
            let new = transaction
                .execute(
                    "INSERT INTO feedback (id, record, word) VALUES (?1, ?2, ?3)
                     ON CONFLICT (id) DO NOTHING",
                    [word.id().as_str(), word.record.as_str(), &json],
                )
                .map_err(failed)?;
            done.added += new;
            done.changed += usize::from(new == 1 && earlier > 0);
            done.known += 1 - new;
        }
        transaction.commit().map_err(failed)?;
        Ok(done)
    }

    /// Whether anyone said anything about any record.
    pub fn has_people(&self) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM feedback) OR EXISTS (SELECT 1 FROM labels)";
        self.lock().query_row(sql, [], |row| row.get(0)).map_err(failed)
    }

    /// Everything that was said about these records, in the order in which it was imported.
    pub fn feedback(&self, records: &[Digest]) -> Result<Vec<Feedback>, StoreError> {
        self.of_records("SELECT seq, word FROM feedback WHERE record = ?1", records)
    }

    /// Keeps the label set and the policy that it was handed out with.
    pub fn put_label_set(&self, set: &LabelSet, policy: &str) -> Result<(), StoreError> {
        let json = serde_json::to_string(set).map_err(failed)?;
        let mut connection = self.lock();
        let transaction = connection.transaction().map_err(failed)?;
        transaction
            .execute("INSERT OR IGNORE INTO policies VALUES (?1, ?2)", [&set.policy, policy])
            .map_err(failed)?;
        transaction
            .execute(
                "INSERT OR IGNORE INTO label_sets (id, label_set) VALUES (?1, ?2)",
                [&set.id, &json],
            )
            .map_err(failed)?;
        transaction.commit().map_err(failed)
    }

    /// The label set with this id.
    pub fn label_set(&self, id: &str) -> Result<Option<LabelSet>, StoreError> {
        let json = self.one("SELECT label_set FROM label_sets WHERE id = ?1", id)?;
        json.map(|json| serde_json::from_str(&json).map_err(failed)).transpose()
    }

    /// The text of the policy with this id.
    pub fn policy(&self, id: &str) -> Result<Option<String>, StoreError> {
        self.one("SELECT text FROM policies WHERE id = ?1", id)
    }

    fn one(&self, sql: &str, id: &str) -> Result<Option<String>, StoreError> {
        self.lock().query_row(sql, [id], |row| row.get(0)).optional().map_err(failed)
    }

    /// Keeps labels, all or nothing. A label that repeats the annotator's latest word on the unit
    /// is not kept twice; one that differs from it supersedes it, and both stay.
    pub fn add_labels(&self, labels: &[Label]) -> Result<Added, StoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction().map_err(failed)?;
        let mut done = Added::default();
        for label in labels {
            let key = [label.record.as_str(), &label.fact, &label.unit, &label.annotator];
            let latest: Option<String> = transaction
                .query_row(
                    "SELECT label FROM labels
                     WHERE record = ?1 AND fact = ?2 AND unit = ?3 AND annotator = ?4
                     ORDER BY seq DESC LIMIT 1",
                    key,
                    |row| row.get(0),
                )
                .optional()
                .map_err(failed)?;
            let latest: Option<Label> =
                latest.map(|json| serde_json::from_str(&json).map_err(failed)).transpose()?;
            let same = |known: &Label| known.label == label.label && known.comment == label.comment;
            if latest.as_ref().is_some_and(same) {
                done.known += 1;
                continue;
            }
            let json = serde_json::to_string(label).map_err(failed)?;
            transaction
                .execute(
                    "INSERT INTO labels (record, fact, unit, annotator, label)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                    [key[0], key[1], key[2], key[3], &json],
                )
                .map_err(failed)?;
            done.added += 1;
            done.changed += usize::from(latest.is_some());
        }
        transaction.commit().map_err(failed)?;
        Ok(done)
    }

    /// Every label of these records, in the order in which they were imported.
    pub fn labels(&self, records: &[Digest]) -> Result<Vec<Label>, StoreError> {
        self.of_records("SELECT seq, label FROM labels WHERE record = ?1", records)
    }

    fn of_records<T: DeserializeOwned>(
        &self,
        sql: &str,
        records: &[Digest],
    ) -> Result<Vec<T>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(sql).map_err(failed)?;
        let mut found: Vec<(i64, T)> = Vec::new();
        for record in records {
            let mut rows = statement.query([record.as_str()]).map_err(failed)?;
            while let Some(row) = rows.next().map_err(failed)? {
                let seq = row.get(0).map_err(failed)?;
                let json: String = row.get(1).map_err(failed)?;
                found.push((seq, serde_json::from_str(&json).map_err(failed)?));
            }
        }
        found.sort_by_key(|(seq, _)| *seq);
        Ok(found.into_iter().map(|(_, word)| word).collect())
    }
}

/// How many words of this person about the record are there.
fn words_by(
    transaction: &Transaction<'_>,
    word: &Feedback,
    who: &str,
) -> Result<usize, StoreError> {
    transaction
        .query_row(
            "SELECT count(*) FROM feedback WHERE record = ?1 AND word ->> 'who' = ?2",
            [word.record.as_str(), who],
            |row| row.get::<_, i64>(0),
        )
        .map(|count| count as usize)
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, SqliteStore) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = SqliteStore::open(folder.path()).expect("a new store");
        (folder, store)
    }

    fn label(text: Option<&str>) -> Label {
        Label {
            record: Digest("r".to_owned()),
            system: "s".to_owned(),
            case_id: "c".to_owned(),
            fact: "claim_support".to_owned(),
            unit: "u".to_owned(),
            text: "a claim".to_owned(),
            added: false,
            label: text.map(str::to_owned),
            comment: None,
            annotator: "ann".to_owned(),
            set: "x".to_owned(),
        }
    }

    #[test]
    fn feedback_is_kept_once_and_never_replaced() {
        let (_folder, store) = store();
        let record = Digest("r".to_owned());
        let first = Feedback {
            record: record.clone(),
            rating: Some(2),
            who: Some("ann".to_owned()),
            ..Feedback::default()
        };
        let later = Feedback { rating: Some(5), ..first.clone() };
        let added = |words: &[Feedback]| store.add_feedback(words).expect("written");
        assert_eq!(added(std::slice::from_ref(&first)), Added { added: 1, changed: 0, known: 0 });
        assert_eq!(
            added(&[first.clone(), later.clone()]),
            Added { added: 1, changed: 1, known: 1 }
        );
        assert_eq!(store.feedback(&[record]).expect("read"), [first, later]);
        assert_eq!(store.feedback(&[Digest("other".to_owned())]).expect("read"), []);
    }

    #[test]
    fn a_label_is_kept_when_it_differs_from_the_latest() {
        let (_folder, store) = store();
        let (yes, no, back) = (label(Some("supported")), label(Some("absent")), label(None));
        for (word, expected) in [
            (&yes, Added { added: 1, changed: 0, known: 0 }),
            (&yes, Added { added: 0, changed: 0, known: 1 }),
            (&no, Added { added: 1, changed: 1, known: 0 }),
            (&yes, Added { added: 1, changed: 1, known: 0 }),
            (&back, Added { added: 1, changed: 1, known: 0 }),
        ] {
            assert_eq!(store.add_labels(std::slice::from_ref(word)).expect("written"), expected);
        }
        let kept = store.labels(&[Digest("r".to_owned())]).expect("read");
        assert_eq!(kept, [yes.clone(), no, yes, back]);
    }
}
