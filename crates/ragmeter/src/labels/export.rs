use std::path::Path;

use ragmeter_analysis::people::{Unit, units, vocabulary};
use ragmeter_analysis::{JudgedRecord, RunData};
use ragmeter_core::{Digest, FactKind, Hasher, LabelSet, Lang, TestCase, record_id};
use ragmeter_store::SqliteStore;

use super::{ANNOTATOR, HEADINGS, kinds_of};
use crate::error::Error;
use crate::table::inert;

/// What is to be labelled.
#[derive(Clone, Debug, Default)]
pub struct LabelRequest {
    /// Kinds of facts by name; support of claims if none is named.
    pub facts: Vec<String>,
    /// So many records at most, drawn by the seed.
    pub sample: Option<usize>,
    /// The seed of the draw.
    pub seed: u64,
    /// Leave the judge's verdicts out, so that they can't sway anyone.
    pub blind: bool,
    /// A file with the guidelines; the built-in ones if left out.
    pub policy: Option<std::path::PathBuf>,
}

/// A table to be labelled.
#[derive(Clone, Debug)]
pub struct LabelTable {
    /// The set, as it was kept.
    pub set: LabelSet,
    /// The table as CSV with a byte order mark.
    pub csv: String,
    /// The guidelines.
    pub policy: String,
    /// How many records are in it.
    pub records: usize,
}

/// Longest text of a cell that is only for reading; a spreadsheet cuts a cell at 32,767 characters.
const LONGEST: usize = 30_000;

/// Makes the table of a run's facts, a row for each unit, and keeps what was handed out with its
/// policy. The same request over the same run gives the same bytes.
pub fn export_labels(
    store: &SqliteStore,
    run: &RunData,
    request: &LabelRequest,
    lang: Lang,
) -> Result<LabelTable, Error> {
    let kinds = kinds_of(&request.facts)?;
    let policy = match &request.policy {
        None => built_in(lang).to_owned(),
        Some(path) => policy_file(path)?,
    };
    let policy_id = Hasher::new("policy@1").text(&policy).finish().0;
    let mut records = records(run, &kinds);
    if records.is_empty() {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        return Err(Error::usage(format!(
            "run {} has nothing to label for {}: its metrics need no such fact, or none could be \
             had",
            run.run_id,
            names.join(", ")
        )));
    }
    if let Some(most) = request.sample {
        draw(&mut records, most, request.seed);
    }
    let rows: Vec<Row<'_>> = records.iter().flat_map(Record::rows).collect();
    let mut hasher = Hasher::new("label-set@1");
    hasher.text(&run.run_id).text(&policy_id).text(lang.code());
    hasher.bytes(&[u8::from(request.blind)]);
    for row in &rows {
        hasher.text(row.record.id.as_str()).text(row.kind.name()).text(&row.unit.id);
    }
    let set = LabelSet {
        id: hasher.finish().0[..12].to_owned(),
        run: run.run_id.clone(),
        policy: policy_id,
        facts: kinds.iter().map(|kind| kind.name().to_owned()).collect(),
        sample: request.sample.map(|most| (most, request.seed)),
        blind: request.blind,
        rows: rows.len(),
    };
    let csv = table(&set, &rows, lang)?;
    store.put_label_set(&set, &policy)?;
    Ok(LabelTable { set, csv, policy, records: records.len() })
}

/// The guidelines that come with ragmeter.
fn built_in(lang: Lang) -> &'static str {
    match lang {
        Lang::En => include_str!("../../assets/policy/en.md"),
        Lang::Ru => include_str!("../../assets/policy/ru.md"),
    }
}

fn policy_file(path: &Path) -> Result<String, Error> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|source| Error::File {
        verb: "read",
        path: file.clone(),
        source,
    })?;
    if text.trim().is_empty() {
        return Err(Error::usage(format!("{file}: the policy is empty")));
    }
    Ok(text)
}

/// A record with its units of each kind.
struct Record<'a> {
    id: Digest,
    case: &'a TestCase,
    one: &'a JudgedRecord,
    units: Vec<(FactKind, Vec<Unit>)>,
}

struct Row<'a> {
    record: &'a Record<'a>,
    kind: FactKind,
    unit: &'a Unit,
}

impl Record<'_> {
    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.units.iter().flat_map(move |(kind, units)| {
            units.iter().map(move |unit| Row { record: self, kind: *kind, unit })
        })
    }
}

/// The records with anything to label, by case and then by system.
fn records<'a>(run: &'a RunData, kinds: &[FactKind]) -> Vec<Record<'a>> {
    let mut records = Vec::new();
    for case in &run.cases {
        for system in &run.systems {
            for one in system.records.iter().filter(|one| one.record.case_id == case.id) {
                let units: Vec<(FactKind, Vec<Unit>)> =
                    kinds.iter().map(|kind| (*kind, units(*kind, case, one))).collect();
                if units.iter().any(|(_, units)| !units.is_empty()) {
                    records.push(Record { id: record_id(case, &one.record), case, one, units });
                }
            }
        }
    }
    records
}

/// Leaves so many records, in their order: those whose hash with the seed comes first. Whether a
/// record is drawn before another depends on nothing else.
fn draw(records: &mut Vec<Record<'_>>, most: usize, seed: u64) {
    let place = |id: &Digest| {
        Hasher::new("label-sample@1").text(&seed.to_string()).text(id.as_str()).finish()
    };
    let mut places: Vec<Digest> = records.iter().map(|record| place(&record.id)).collect();
    places.sort_unstable();
    if let Some(first_left_out) = places.get(most).cloned() {
        records.retain(|record| place(&record.id) < first_left_out);
    }
}

fn table(set: &LabelSet, rows: &[Row<'_>], lang: Lang) -> Result<String, Error> {
    // A Russian spreadsheet takes the comma for a decimal sign and expects semicolons.
    let delimiter = match lang {
        Lang::En => b',',
        Lang::Ru => b';',
    };
    let failed =
        |error: &dyn std::fmt::Display| Error::Failed(format!("cannot write CSV: {error}"));
    let shown = |index: usize| !(set.blind && HEADINGS[index].en == "judge");
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    let header = (0..HEADINGS.len())
        .filter(|index| shown(*index))
        .map(|index| HEADINGS[index].get(lang))
        .chain([ANNOTATOR.get(lang)]);
    writer.write_record(header).map_err(|error| failed(&error))?;
    for row in rows {
        let cells = cells(set, row, lang);
        let cells = (0..HEADINGS.len())
            .filter(|index| shown(*index))
            .map(|index| inert(&cells[index]))
            .chain([String::new()]);
        writer.write_record(cells).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| failed(&error))?;
    Ok(format!("\u{feff}{text}"))
}

/// The cells of a row. People see what the judge of this fact sees, and nothing more.
fn cells(set: &LabelSet, row: &Row<'_>, lang: Lang) -> [String; HEADINGS.len()] {
    let Row { record, kind, unit } = row;
    let vocabulary = vocabulary(*kind);
    let sees = |kinds: &[FactKind]| kinds.contains(kind);
    let only = |see: bool, text: Option<&str>| {
        if see { shortened(text.unwrap_or_default()) } else { String::new() }
    };
    let contexts: Vec<String> = (record.one.record.contexts.iter().flatten().enumerate())
        .map(|(rank, context)| format!("[{}] {}", rank + 1, context.text))
        .collect();
    let answer = sees(&[FactKind::ClaimSupport, FactKind::Refusal, FactKind::QuestionCoverage]);
    let judge = unit.judge.and_then(|label| {
        let vocabulary = vocabulary?;
        vocabulary.index(label).map(|at| vocabulary.labels[at].get(lang))
    });
    [
        set.id.clone(),
        set.run.clone(),
        record.one.record.system.clone(),
        record.case.id.clone(),
        record.id.to_string(),
        kind.name().to_owned(),
        unit.id.clone(),
        shortened(&record.case.question),
        only(sees(&[FactKind::ContextUsefulReference]), record.case.reference.as_deref()),
        only(answer, record.one.record.answer.as_deref()),
        only(
            sees(&[FactKind::ClaimSupport, FactKind::ReferenceSupport]),
            Some(&contexts.join("\n\n")),
        ),
        shortened(&unit.text),
        judge.unwrap_or_default().to_owned(),
        vocabulary.map(|vocabulary| vocabulary.list(lang)).unwrap_or_default(),
        String::new(),
        String::new(),
    ]
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
