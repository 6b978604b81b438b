use std::collections::BTreeMap;

use ragmeter_core::{RunRecord, TestCase};
use serde_json::{Map, Value};

use crate::fields::{ANSWER, Fields};
use crate::rows::{Place, Row, split};
use crate::{RowError, RowWarning};

/// What a file holds: the rows that can be used, and everything that is wrong with the others.
/// Whether errors end the command or only cost their rows is up to the caller. A file without any
/// row is not an error here.
#[derive(Clone, Debug, PartialEq)]
pub struct Import<T> {
    /// The good rows, in the order of the file.
    pub rows: Vec<T>,
    /// All faults, in the order of the file; a row can have several.
    pub errors: Vec<RowError>,
    /// What the user may want to know about good rows.
    pub warnings: Vec<RowWarning>,
}

impl<T> Import<T> {
    /// How many rows are left out for their faults.
    pub fn bad_rows(&self) -> usize {
        let mut rows: Vec<usize> = self.errors.iter().map(|error| error.row).collect();
        rows.dedup();
        rows.len()
    }
}

/// Reads a test set. Fields of recorded answers are not looked at.
///
/// The language of a case is the one that its row names, else that of its question's letters. Ids are
/// unique: the second row of the same id is a fault.
pub fn read_cases(text: &str) -> Import<TestCase> {
    read(text, |row, fields| {
        let case = case(row, fields);
        let identity = Identity::new("", &case);
        (case, identity)
    })
}

/// Reads recorded answers: each row is a case together with what a system did with it.
///
/// `system` is empty where the row names none. A file may hold several systems' records of the same
/// case; then the pair of system and id is unique, and all of them ask the same question. An `error` stands for a record of a system that
/// failed.
pub fn read_records(text: &str) -> Import<(TestCase, RunRecord)> {
    read(text, |row, fields| {
        let case = case(row, fields);
        let record = RunRecord {
            system: fields.text(&["system"]).unwrap_or_default(),
            case_id: case.id.clone(),
            contexts: fields.contexts(),
            answer: fields.text(ANSWER),
            error: fields.text(&["error"]),
            ..RunRecord::default()
        };
        let identity = Identity::new(&record.system, &case);
        ((case, record), identity)
    })
}

/// What tells a row from the others.
struct Identity {
    system: String,
    id: String,
    question: String,
}

impl Identity {
    fn new(system: &str, case: &TestCase) -> Self {
        Self { system: system.to_owned(), id: case.id.clone(), question: case.question.clone() }
    }
}

/// The identities met so far, with the rows where they were met.
#[derive(Default)]
struct Seen {
    rows: BTreeMap<(String, String), usize>,
    questions: BTreeMap<String, (usize, String)>,
}

impl Seen {
    /// Notes a row; says what is wrong if it repeats another or contradicts it.
    fn add(&mut self, identity: Identity, place: Place, fields: &mut Fields<'_>) {
        let Identity { system, id, question } = identity;
        let key = (system, id.clone());
        if let Some(first) = self.rows.get(&key) {
            fields.refuse("id", "an id of its own", format!("\"{id}\" of row {first} again"));
            return;
        }
        self.rows.insert(key, place.row);
        match self.questions.get(&id) {
            Some((first, other)) if *other != question => {
                let expected = format!("the question that row {first} asks under the id \"{id}\"");
                fields.refuse("question", &expected, "another one");
            }
            Some(_) => {}
            None => {
                self.questions.insert(id, (place.row, question));
            }
        }
    }
}

fn case(row: usize, fields: &mut Fields<'_>) -> TestCase {
    let question = fields.question();
    TestCase {
        id: fields.id().unwrap_or_else(|| row.to_string()),
        lang: Some(fields.lang(&question)),
        question,
        reference: fields.reference(),
        reference_contexts: fields.texts("reference_contexts"),
        reference_context_ids: fields.ids("reference_context_ids"),
        tags: fields.texts("tags"),
        source: fields.text(&["source"]),
        more_sources: fields.texts("sources"),
        author: fields.text(&["author"]),
    }
}

fn read<T>(text: &str, read_row: impl Fn(usize, &mut Fields<'_>) -> (T, Identity)) -> Import<T> {
    let mut import = Import { rows: Vec::new(), errors: Vec::new(), warnings: Vec::new() };
    let mut seen = Seen::default();
    for Row { place, object } in split(text) {
        let object: Map<String, Value> = match object {
            Ok(object) => object,
            Err(error) => {
                import.errors.push(error);
                continue;
            }
        };
        let mut fields = Fields::new(place, &object);
        let (value, identity) = read_row(place.row, &mut fields);
        fields.look_for_misspellings();
        // A row that is out for other reasons doesn't take an id from a good one.
        if fields.errors.is_empty() {
            seen.add(identity, place, &mut fields);
        }
        for (key, message) in fields.warnings {
            note(&mut import.warnings, place.line, key, message);
        }
        if fields.errors.is_empty() {
            import.rows.push(value);
        }
        import.errors.extend(fields.errors);
    }
    import
}

/// Adds a row to the warning that says the same, or a new warning.
fn note(warnings: &mut Vec<RowWarning>, line: usize, key: String, message: String) {
    match warnings.iter_mut().find(|known| known.key == key && known.message == message) {
        Some(known) => known.rows += 1,
        None => warnings.push(RowWarning { line, rows: 1, key, message }),
    }
}
