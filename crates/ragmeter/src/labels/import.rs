use std::collections::BTreeMap;
use std::path::PathBuf;

use ragmeter_analysis::people::{Unit, unit_id, units, vocabulary};
use ragmeter_analysis::{JudgedRecord, RunData};
use ragmeter_core::{Digest, FactKind, Label, LabelSet, TestCase, record_id};
use ragmeter_store::SqliteStore;

use super::{ANNOTATOR, HEADINGS, kind_of};
use crate::assemble::load_run;
use crate::error::Error;
use crate::feedback::{Collected, left_out};
use crate::table::{Column, Line, Lines, Place, read};

/// A labelled table.
#[derive(Clone, Debug, Default)]
pub struct LabelImport {
    /// The file.
    pub file: PathBuf,
    /// Who labelled the rows that name nobody.
    pub annotator: Option<String>,
    /// Leave bad rows out instead of stopping.
    pub skip_invalid: bool,
}

/// What a label is of: the record, the fact, the unit, and who labels.
type Key = (Digest, String, String, String);

/// Words that take an earlier label back.
const WITHDRAWN: [&str; 3] = ["withdrawn", "снято", "снять"];

/// Reads a labelled table and keeps its labels: all of them, or nothing if a row cannot be used and
/// [`LabelImport::skip_invalid`] is not set. A label that repeats the annotator's latest word on a
/// unit is not kept twice. Rows without a label are left for later.
pub fn import_labels(store: &SqliteStore, request: &LabelImport) -> Result<Collected, Error> {
    let columns: Vec<Column> = HEADINGS
        .iter()
        .chain([&ANNOTATOR])
        .map(|heading| Column { name: heading.en, also: heading.also })
        .collect();
    let Lines { lines, mut faults, notes } = read(&request.file, &columns)?;
    let mut sets = Sets::new(store, &lines);
    let mut labels: Vec<Label> = Vec::new();
    let mut seen: BTreeMap<Key, (Place, Option<String>)> = BTreeMap::new();
    let mut done = Collected { notes, ..Collected::default() };
    let mut reworded = Vec::new();
    for line in &lines {
        if line.get("label").is_none() && line.get("unit").is_some() {
            done.blank += 1;
            continue;
        }
        let read = match sets.of(line)? {
            Ok((set, run)) => label(line, set, run, request.annotator.as_deref()),
            Err(fault) => Err(fault),
        };
        let (label, same_text) = match read {
            Ok(read) => read,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        if !same_text {
            reworded.push(line.place.to_string());
        }
        let key =
            (label.record.clone(), label.fact.clone(), label.unit.clone(), label.annotator.clone());
        match seen.get(&key) {
            Some((first, other)) if *other != label.label => faults.push(line.fault(
                "label",
                format!("{}'s label of {first}, which is another one", label.annotator),
            )),
            Some(_) => {}
            None => {
                seen.insert(key, (line.place, label.label.clone()));
                labels.push(label);
            }
        }
    }
    left_out(&request.file, faults, request.skip_invalid, &mut done)?;
    if !reworded.is_empty() {
        done.notes.push(format!(
            "{}: the text is not the one handed out; the label is kept for what was \
             handed out. To label another claim, add a row without a unit",
            reworded.join(", ")
        ));
    }
    done.rows = labels.len();
    done.words = store.add_labels(&labels)?;
    Ok(done)
}

/// The sets that a file's rows name, with their runs.
struct Sets<'a> {
    store: &'a SqliteStore,
    /// The set of rows that name none: the only one that is named.
    only: Option<String>,
    known: BTreeMap<String, Option<(LabelSet, Run)>>,
}

/// A run's records with their ids.
struct Run {
    data: RunData,
    ids: BTreeMap<Digest, (usize, usize)>,
}

impl Run {
    fn new(data: RunData) -> Self {
        let cases: BTreeMap<&str, &TestCase> =
            data.cases.iter().map(|case| (case.id.as_str(), case)).collect();
        let mut ids = BTreeMap::new();
        for (at, system) in data.systems.iter().enumerate() {
            for (index, one) in system.records.iter().enumerate() {
                if let Some(case) = cases.get(one.record.case_id.as_str()) {
                    ids.insert(record_id(case, &one.record), (at, index));
                }
            }
        }
        Self { data, ids }
    }

    fn record(&self, id: &Digest) -> Option<(&TestCase, &JudgedRecord)> {
        let (system, index) = self.ids.get(id)?;
        let one = &self.data.systems[*system].records[*index];
        Some((self.data.cases.iter().find(|case| case.id == one.record.case_id)?, one))
    }

    /// The record that a row means: by its id, or by system and case.
    fn find(&self, line: &Line) -> Result<Digest, String> {
        if let Some(id) = line.get("record") {
            let id = Digest(id.to_lowercase());
            let expected = || format!("the id of a record of run {}", self.data.run_id);
            return if self.ids.contains_key(&id) {
                Ok(id)
            } else {
                Err(line.fault("record", expected()))
            };
        }
        let (system, case) = (line.get("system"), line.get("case_id"));
        let fits = |(_, (at, index)): &(&Digest, &(usize, usize))| {
            let of = &self.data.systems[*at];
            let named = system.map_or(self.data.systems.len() == 1, |name| name == of.name);
            named && case == Some(of.records[*index].record.case_id.as_str())
        };
        self.ids
            .iter()
            .find(fits)
            .map(|(id, _)| id.clone())
            .ok_or_else(|| line.fault("record", "a record's id, or its `system` and `case_id`"))
    }
}

impl<'a> Sets<'a> {
    fn new(store: &'a SqliteStore, lines: &[Line]) -> Self {
        let mut named: Vec<&str> = lines.iter().filter_map(|line| line.get("set")).collect();
        named.sort_unstable();
        named.dedup();
        let only = if named.len() == 1 { Some(named[0].to_owned()) } else { None };
        Self { store, only, known: BTreeMap::new() }
    }

    fn of(&mut self, line: &Line) -> Result<Result<(&LabelSet, &Run), String>, Error> {
        let Some(id) = line.get("set").map(str::to_owned).or_else(|| self.only.clone()) else {
            return Ok(Err(line.fault("set", "the set that the row belongs to")));
        };
        if !self.known.contains_key(&id) {
            let known = match self.store.label_set(&id)? {
                None => None,
                Some(set) => {
                    let run = Run::new(load_run(self.store, &set.run)?);
                    Some((set, run))
                }
            };
            self.known.insert(id.clone(), known);
        }
        Ok(match &self.known[&id] {
            Some((set, run)) => Ok((set, run)),
            None => Err(line.fault(
                "set",
                "a set that `ragmeter label export` wrote from this store (see --store)",
            )),
        })
    }
}

/// The label of a row, and whether the row's text is still the one handed out.
fn label(
    line: &Line,
    set: &LabelSet,
    run: &Run,
    annotator: Option<&str>,
) -> Result<(Label, bool), String> {
    let record = run.find(line)?;
    let (case, one) =
        run.record(&record).ok_or_else(|| line.fault("record", "a record of the run"))?;
    let known = || set.facts.join(", ");
    let kind = match (line.get("fact"), set.facts.as_slice()) {
        (Some(name), _) => kind_of(name),
        (None, [only]) => kind_of(only),
        (None, _) => None,
    };
    let kind = kind.ok_or_else(|| line.fault("fact", format!("one of {}", known())))?;
    let vocabulary =
        vocabulary(kind).ok_or_else(|| line.fault("fact", format!("one of {}", known())))?;
    let text = line.get("label").unwrap_or_default();
    let label = if WITHDRAWN.contains(&text.to_lowercase().as_str()) {
        None
    } else {
        let names = vocabulary.labels.iter().map(|name| format!("{} ({})", name.id, name.ru));
        let expected = || format!("one of {}", names.collect::<Vec<_>>().join(", "));
        Some(vocabulary.read(text).ok_or_else(|| line.fault("label", expected()))?.to_owned())
    };
    let annotator = line
        .get("annotator")
        .or(annotator)
        .ok_or_else(|| line.fault("annotator", "who labelled (or name them with --annotator)"))?;
    let known = units(kind, case, one);
    let (unit, added) = match line.get("unit") {
        Some(id) => {
            let unit = known.into_iter().find(|unit| unit.id == id).ok_or_else(|| {
                line.fault("unit", format!("a unit of this record's {}", kind.name()))
            })?;
            (unit, false)
        }
        None => (missed(line, kind, &known)?, true),
    };
    let shown = line.get("text").unwrap_or(&unit.text);
    let same_text = words(shown) == words(&unit.text) || shown.ends_with('…');
    Ok((
        Label {
            record,
            system: one.record.system.clone(),
            case_id: case.id.clone(),
            fact: kind.name().to_owned(),
            unit: unit.id,
            text: unit.text,
            added,
            label,
            comment: line.get("comment").map(str::to_owned),
            annotator: annotator.to_owned(),
            set: set.id.clone(),
        },
        same_text,
    ))
}

/// The unit that an annotator added. Spelled alike but for case, spaces and punctuation it is the
/// same unit, whoever adds it.
fn missed(line: &Line, kind: FactKind, known: &[Unit]) -> Result<Unit, String> {
    if kind != FactKind::ClaimSupport {
        return Err(line.fault("unit", "the unit's id: only claims can be added"));
    }
    let text = line
        .get("text")
        .ok_or_else(|| line.fault("text", "the claim that was missed, or a `unit`"))?;
    let spelled = words(text);
    if let Some(unit) = known.iter().find(|unit| words(&unit.text) == spelled) {
        let expected = format!("a claim that is not there yet (it is unit {})", unit.id);
        return Err(line.fault("text", expected));
    }
    Ok(Unit {
        id: format!("added-{}", unit_id(kind, &spelled, 0)),
        text: text.to_owned(),
        judge: None,
        probability: None,
    })
}

/// The words of a text in lower case, one space between them.
fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
