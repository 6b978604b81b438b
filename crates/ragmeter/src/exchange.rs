//! Files of other tools, in and out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ragmeter_analysis::RunData;
use ragmeter_core::{RunRecord, TestCase};
use ragmeter_testset::foreign::{self, Foreign, Texts};
use ragmeter_testset::{Exported, Import, Layout, RowError, case_object, record_object, write};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::input::{self, Kind, Opened, Rows};

/// Whose file is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFormat {
    /// RAGAS 0.1 to 0.4: JSON Lines, CSV, XLSX or Parquet.
    Ragas,
    /// deepeval 4: JSON, JSON Lines or CSV.
    Deepeval,
    /// promptfoo: results as JSON, a configuration, or tests as YAML, JSON or CSV.
    Promptfoo,
    /// RAGChecker 0.1: JSON.
    Ragchecker,
    /// TREC relevance judgements.
    TrecQrels,
    /// A TREC run.
    TrecRun,
}

/// What is imported.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// Whose file it is.
    pub format: ImportFormat,
    /// The file.
    pub file: PathBuf,
    /// Leave bad rows out instead of stopping.
    pub skip_invalid: bool,
    /// Of TREC files: a test set whose cases are meant.
    pub testset: Option<PathBuf>,
    /// Of TREC files: the questions by id.
    pub topics: Option<PathBuf>,
    /// Of a TREC run: the documents' texts by id.
    pub documents: Option<PathBuf>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The rows as our JSON Lines hold them.
    pub rows: Vec<Map<String, Value>>,
    /// They are records of systems, not cases only.
    pub records: bool,
    /// The systems of the records.
    pub systems: BTreeSet<String>,
    /// What has no place here, with the number of rows that have it.
    pub dropped: BTreeMap<String, usize>,
    /// What else the user should know.
    pub notes: Vec<String>,
}

impl Imported {
    /// The rows as JSON Lines.
    pub fn jsonl(&self) -> String {
        self.rows.iter().map(|row| format!("{}\n", Value::Object(row.clone()))).collect()
    }
}

/// Reads a file of another tool into cases or records.
pub fn import(request: &ImportRequest) -> Result<Imported, Error> {
    let ImportRequest { format, file, skip_invalid, testset, .. } = request;
    let trec = matches!(format, ImportFormat::TrecQrels | ImportFormat::TrecRun);
    if !trec && (testset.is_some() || request.topics.is_some() || request.documents.is_some()) {
        let only = "--testset, --topics and --documents belong to TREC files only";
        return Err(Error::usage(only));
    }
    let known = match testset {
        Some(path) => input::cases(path, *skip_invalid)?,
        None => Rows { rows: Vec::new(), notes: Vec::new() },
    };
    let opened = input::open(file)?;
    let (found, errors) = if trec {
        let topics = topics(request, &known.rows)?;
        let documents = request.documents.as_deref().map(texts).transpose()?;
        let text = opened.text()?;
        match format {
            ImportFormat::TrecQrels => foreign::trec_qrels(&text, &topics),
            _ => foreign::trec_run(&text, &topics, documents.as_ref()),
        }
    } else {
        (other(*format, &opened, file)?, Vec::new())
    };
    let records = found.tells_answers() || *format == ImportFormat::TrecRun;
    let dropped = found.dropped;
    let mut systems = BTreeSet::new();
    let read = if records {
        let rows = ragmeter_testset::records(found.rows);
        let rows = input::rows(file, with_errors(rows, errors), *skip_invalid)?;
        systems = rows.rows.iter().map(|(_, record)| record.system.clone()).collect();
        let object = |(case, record): &(TestCase, RunRecord)| {
            let case = known.rows.iter().find(|one| one.id == case.id).unwrap_or(case);
            record_object(case, record)
        };
        Rows { rows: rows.rows.iter().map(object).collect(), notes: rows.notes }
    } else {
        let rows = ragmeter_testset::cases(found.rows);
        let mut rows = input::rows(file, with_errors(rows, errors), *skip_invalid)?;
        if testset.is_some() {
            rows.rows = judged(known.rows, &rows.rows);
        }
        Rows { rows: rows.rows.iter().map(case_object).collect(), notes: rows.notes }
    };
    let mut notes = known.notes;
    notes.extend(read.notes);
    systems.remove("");
    Ok(Imported { rows: read.rows, records, systems, dropped, notes })
}

fn other(format: ImportFormat, opened: &Opened, file: &Path) -> Result<Foreign, Error> {
    let table = opened.kind() != Kind::Json;
    let only_json = |what: &str| {
        Err(Error::usage(format!("{}: {what} files are read as JSON only", file.display())))
    };
    Ok(match format {
        ImportFormat::Ragas => foreign::ragas(opened.raw()?),
        ImportFormat::Deepeval if table => foreign::deepeval(opened.raw()?),
        ImportFormat::Deepeval => foreign::deepeval_json(&opened.text()?),
        ImportFormat::Promptfoo if table => foreign::promptfoo_table(opened.raw()?),
        ImportFormat::Promptfoo => {
            let text = opened.text()?;
            match foreign::promptfoo_results(&text) {
                Some(found) => found,
                None => promptfoo_yaml(&text, file)?,
            }
        }
        ImportFormat::Ragchecker if table => return only_json("RAGChecker"),
        ImportFormat::Ragchecker => foreign::ragchecker(&opened.text()?),
        ImportFormat::TrecQrels | ImportFormat::TrecRun => Foreign::default(),
    })
}

fn promptfoo_yaml(text: &str, file: &Path) -> Result<Foreign, Error> {
    let value: Value = serde_saphyr::from_str(text)
        .map_err(|error| Error::usage(format!("{}: {error}", file.display())))?;
    foreign::promptfoo_tests(value).ok_or_else(|| {
        Error::usage(format!(
            "{}: neither results of `promptfoo eval --output` nor a list of `tests` (if they are in \
             a file of their own, import that one)",
            file.display()
        ))
    })
}

/// Faults of lines before those of what they make.
fn with_errors<T>(mut import: Import<T>, errors: Vec<RowError>) -> Import<T> {
    import.errors.splice(0..0, errors);
    import
}

fn topics(request: &ImportRequest, known: &[TestCase]) -> Result<Texts, Error> {
    let mut topics: Texts =
        known.iter().map(|case| (case.id.clone(), case.question.clone())).collect();
    match &request.topics {
        Some(path) => topics.extend(texts(path)?),
        None if request.testset.is_none() => {
            return Err(Error::usage(
                "TREC files hold no questions: give them with --topics FILE (an id, a tab and the \
                 question a line, or JSON Lines), or with --testset FILE",
            ));
        }
        None => {}
    }
    Ok(topics)
}

fn texts(path: &Path) -> Result<Texts, Error> {
    foreign::read_texts(&input::open(path)?.text()?).map_err(|errors| {
        let file = path.display().to_string();
        let rows = errors.iter().map(|error| format!("  {file}: {error}")).collect();
        Error::Rows { file, rows }
    })
}

/// The cases of a test set with the documents that were judged relevant for them, and those that
/// only the judgements know.
fn judged(known: Vec<TestCase>, judged: &[TestCase]) -> Vec<TestCase> {
    let mut cases = known;
    for case in judged {
        match cases.iter_mut().find(|one| one.id == case.id) {
            Some(one) => {
                one.reference_context_ids.clone_from(&case.reference_context_ids);
                one.relevance.clone_from(&case.relevance);
            }
            None => cases.push(case.clone()),
        }
    }
    cases
}

/// A run as a file of this layout: all its systems, or the named one.
pub fn export(data: &RunData, layout: Layout, system: Option<&str>) -> Result<Vec<u8>, Error> {
    let names: Vec<&str> = data.systems.iter().map(|one| one.name.as_str()).collect();
    if let Some(name) = system.filter(|name| !names.contains(name)) {
        let known = names.join(", ");
        return Err(Error::usage(format!("the run has no system `{name}`; it has: {known}")));
    }
    if system.is_none() && names.len() > 1 && !layout.holds_systems() {
        let known = names.join(", ");
        return Err(Error::usage(format!(
            "a file of this kind holds one system: name it with --system (the run has: {known})"
        )));
    }
    let cases: BTreeMap<&str, &TestCase> =
        data.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let mut rows = Vec::new();
    for of in data.systems.iter().filter(|one| system.is_none_or(|name| name == one.name)) {
        for judged in &of.records {
            let Some(case) = cases.get(judged.record.case_id.as_str()).copied() else { continue };
            let metrics = data.metrics.iter();
            let scores = metrics.map(|metric| (metric.id.as_str(), judged.score(&metric.id)));
            rows.push(Exported { case, record: &judged.record, scores: scores.collect() });
        }
    }
    write(layout, &rows).map_err(Error::Usage)
}
