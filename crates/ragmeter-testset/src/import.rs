use std::collections::BTreeMap;

use ragmeter_core::{RunRecord, TestCase, Turn, TurnRole};
use serde_json::{Map, Value};

use crate::cells::typed;
use crate::conversation::Asked;
use crate::fields::{ANSWER, CONVERSATION, Fields, QUESTION};
use crate::rows::{Place, Raw, Row, json_rows};
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

/// Reads a test set from JSON Lines or a JSON array: [`cases`] of [`json_rows`].
pub fn read_cases(text: &str) -> Import<TestCase> {
    cases(json_rows(text))
}

/// Reads recorded answers from JSON Lines or a JSON array: [`records`] of [`json_rows`].
pub fn read_records(text: &str) -> Import<(TestCase, RunRecord)> {
    records(json_rows(text))
}

/// Reads a test set. Fields of recorded answers are not looked at.
///
/// The language of a case is the one that its row names, else that of its question's letters. Ids are
/// unique: the second row of the same id is a fault.
pub fn cases(rows: Raw) -> Import<TestCase> {
    read(rows, |row, fields| {
        let (case, after) = case(row, fields);
        if !after.is_empty() {
            let key = CONVERSATION.iter().chain(QUESTION).find(|key| fields.value(key).is_some());
            let what =
                "what follows the last human message is a system's, and not read in a test set";
            fields.warn(key.unwrap_or(&QUESTION[0]), what);
        }
        let identity = Identity::new("", &case);
        (case, identity)
    })
}

/// Reads recorded answers: each row is a case together with what a system did with it.
///
/// `system` is empty where the row names none. A file may hold several systems' records of the same
/// case; then the pair of system and id is unique, and all of them ask the same question. An
/// `error` stands for a record of a system that failed. Of a conversation, what follows the last
/// human message is the system's; the answer is its last words, unless the row names another.
pub fn records(rows: Raw) -> Import<(TestCase, RunRecord)> {
    read(rows, |row, fields| {
        let (case, messages) = case(row, fields);
        let said = messages.iter().rev().find(|one| one.role == TurnRole::Ai);
        let said = said.map(|one| one.content.clone()).filter(|text| !text.trim().is_empty());
        let record = RunRecord {
            system: fields.text(&["system"]).unwrap_or_default(),
            case_id: case.id.clone(),
            contexts: fields.contexts(),
            answer: fields.text(ANSWER).or(said),
            error: fields.text(&["error"]),
            refused_by_model: fields.flag("refused_by_model"),
            seconds: fields.number("seconds"),
            figures: fields.figures(),
            messages,
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

/// The case of a row, and what follows the question in its conversation.
fn case(row: usize, fields: &mut Fields<'_>) -> (TestCase, Vec<Turn>) {
    let Asked { question, before, after } = fields.asked();
    let case = TestCase {
        id: fields.id().unwrap_or_else(|| row.to_string()),
        lang: Some(fields.lang(&question)),
        question,
        reference: fields.reference(),
        reference_contexts: fields.reference_contexts(),
        reference_context_ids: fields.ids("reference_context_ids"),
        tags: fields.texts("tags"),
        source: fields.text(&["source"]),
        more_sources: fields.texts("sources"),
        author: fields.text(&["author"]),
        messages: before,
        reference_tool_calls: fields.tool_calls("reference_tool_calls"),
        reference_topics: fields.texts("reference_topics"),
        rubrics: fields.rubrics(),
        relevance: fields.relevance(),
    };
    (case, after)
}

fn read<T>(raw: Raw, read_row: impl Fn(usize, &mut Fields<'_>) -> (T, Identity)) -> Import<T> {
    let mut import = Import { rows: Vec::new(), errors: Vec::new(), warnings: raw.warnings };
    let fault = |header: &[String]| repeated(header).or_else(|| asks_nothing(header, raw.names));
    if let Some(error) = raw.header.as_deref().and_then(fault) {
        import.errors.push(error);
        return import;
    }
    let mut seen = Seen::default();
    for Row { place, object } in raw.rows {
        let mut object: Map<String, Value> = match object {
            Ok(object) => object,
            Err(error) => {
                import.errors.push(error);
                continue;
            }
        };
        if raw.loose {
            let (cells, odd) = typed(&object);
            object = cells;
            for key in odd {
                let message = "begins like a list but isn't one; taken as one text".to_owned();
                note(&mut import.warnings, place, key, message);
            }
        }
        let mut fields = Fields::new(place, &object, raw.names);
        let (value, identity) = read_row(place.row, &mut fields);
        fields.look_for_misspellings();
        // A row that is out for other reasons doesn't take an id from a good one.
        if fields.errors.is_empty() {
            seen.add(identity, place, &mut fields);
        }
        for (key, message) in fields.warnings {
            note(&mut import.warnings, place, key, message);
        }
        if fields.errors.is_empty() {
            import.rows.push(value);
        }
        import.errors.extend(fields.errors);
    }
    import
}

/// A name that two columns have: nobody can say which of them is meant.
fn repeated(header: &[String]) -> Option<RowError> {
    let named = header.iter().enumerate().filter(|(_, name)| !name.is_empty());
    let (_, name) = named.into_iter().find(|(at, name)| header[..*at].contains(name))?;
    let expected = "each column once".to_owned();
    let got = format!("two columns `{name}`");
    Some(RowError { row: 1, line: 1, column: None, key: None, expected, got })
}

/// The one fault of a table without a column of questions: it isn't repeated for every row.
fn asks_nothing(header: &[String], names: &[(&str, &str)]) -> Option<RowError> {
    let wanted: Vec<&str> = QUESTION.iter().chain(CONVERSATION).copied().collect();
    if header.iter().any(|name| wanted.contains(&name.as_str())) {
        return None;
    }
    let theirs = names.iter().find(|(ours, _)| *ours == QUESTION[0]).map(|(_, theirs)| *theirs);
    let expected = match theirs {
        Some(theirs) => format!("a column `{theirs}`"),
        None => "a column `question` (or `user_input`)".to_owned(),
    };
    let columns: Vec<String> = header.iter().map(|name| format!("`{name}`")).collect();
    let got = if columns.is_empty() { "an empty table".to_owned() } else { columns.join(", ") };
    Some(RowError { row: 1, line: 1, column: None, key: None, expected, got })
}

/// Adds a row to the warning that says the same, or a new warning.
fn note(warnings: &mut Vec<RowWarning>, place: Place, key: String, message: String) {
    match warnings.iter_mut().find(|known| known.key == key && known.message == message) {
        Some(known) => known.rows += 1,
        None => {
            let Place { row, line } = place;
            warnings.push(RowWarning { row, line, rows: 1, key, message });
        }
    }
}
