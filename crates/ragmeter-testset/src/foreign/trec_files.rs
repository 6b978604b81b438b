//! TREC runs and judgements as they are measured: by trec_eval's rules, whole or not at all.
//!
//! Fields are parted by spaces or tabs, blank lines and those that begin with `#` are passed over.
//! What trec_eval takes silently for a zero (a score or grade that is no number) is a fault here,
//! and so is a document that stands twice in a query, as there.

use std::collections::HashMap;

use crate::RowError;

/// How many faults of a file are told; the rest is counted.
const TOLD: usize = 10;

/// A retrieved document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrecHit<'a> {
    /// Its id.
    pub document: &'a str,
    /// Its score, in the 32 bits in which trec_eval keeps it.
    pub score: f32,
    line: usize,
}

/// A run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrecRun<'a> {
    /// The tag of the last line, which trec_eval takes for all.
    pub tag: &'a str,
    /// The documents of each query, by query; each document once, in order of their ids.
    pub queries: Vec<(&'a str, Vec<TrecHit<'a>>)>,
}

/// A judged document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrecJudgement<'a> {
    /// Its id.
    pub document: &'a str,
    /// Its grade; negative where it was pooled and not judged.
    pub grade: i32,
    line: usize,
}

/// Judged documents by query, each document once, in order of their ids.
pub type TrecJudgements<'a> = Vec<(&'a str, Vec<TrecJudgement<'a>>)>;

/// What is wrong with a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrecFaults {
    /// The first faults, by line.
    pub told: Vec<RowError>,
    /// How many more there are.
    pub more: usize,
    /// How many fields the first line that isn't blank has.
    pub fields: usize,
}

impl TrecFaults {
    fn add(&mut self, line: usize, expected: &str, got: impl FnOnce() -> String) {
        if self.told.len() == TOLD {
            self.more += 1;
            return;
        }
        let (expected, got) = (expected.to_owned(), got());
        self.told.push(RowError { row: line, line, column: None, key: None, expected, got });
    }

    fn or<T>(mut self, value: T) -> Result<T, Self> {
        self.told.sort_by_key(|fault| fault.line);
        if self.told.is_empty() { Ok(value) } else { Err(self) }
    }
}

/// Reads a run: `query Q0 document rank score tag`. The rank isn't looked at; what follows the tag
/// isn't either.
pub fn read_trec_run(text: &str) -> Result<TrecRun<'_>, TrecFaults> {
    let mut faults = TrecFaults { fields: first_fields(text), ..TrecFaults::default() };
    let mut grouped = Grouped::default();
    let mut tag = "";
    for (line, mut fields) in lines(text) {
        let [Some(query), _, Some(document), _, Some(score), Some(name)] =
            [(); 6].map(|()| fields.next())
        else {
            let few = || format!("{} fields", fields_of(text, line));
            faults.add(line, "6 fields (query, Q0, document, rank, score, tag)", few);
            continue;
        };
        tag = name;
        match score.parse::<f64>() {
            Ok(score) if score.is_finite() => {
                grouped.add(query, TrecHit { document, score: score as f32, line });
            }
            _ => faults.add(line, "a number as score", || format!("\"{score}\"")),
        }
    }
    let queries = grouped.sorted(&mut faults, |hit| (hit.document, hit.line));
    faults.or(TrecRun { tag, queries })
}

/// Reads judgements: `query iteration document grade`.
pub fn read_trec_judgements(text: &str) -> Result<TrecJudgements<'_>, TrecFaults> {
    let mut faults = TrecFaults { fields: first_fields(text), ..TrecFaults::default() };
    let mut grouped = Grouped::default();
    for (line, mut fields) in lines(text) {
        let [Some(query), _, Some(document), Some(grade), None] = [(); 5].map(|()| fields.next())
        else {
            let others = || format!("{} fields", fields_of(text, line));
            faults.add(line, "4 fields (query, iteration, document, grade)", others);
            continue;
        };
        match grade.parse::<i32>() {
            Ok(grade) => grouped.add(query, TrecJudgement { document, grade, line }),
            Err(_) => faults.add(line, "a whole number as grade", || format!("\"{grade}\"")),
        }
    }
    let queries = grouped.sorted(&mut faults, |one| (one.document, one.line));
    faults.or(queries)
}

/// Lines that say something, with their numbers and their fields.
fn lines(text: &str) -> impl Iterator<Item = (usize, std::str::SplitAsciiWhitespace<'_>)> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.split('\n').enumerate().map(|(index, line)| (index + 1, line));
    lines
        .filter(|(_, line)| says(line))
        .map(|(number, line)| (number, line.split_ascii_whitespace()))
}

fn says(line: &str) -> bool {
    line.bytes().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| byte != b'#')
}

fn fields_of(text: &str, line: usize) -> usize {
    text.split('\n').nth(line - 1).map_or(0, |line| line.split_ascii_whitespace().count())
}

fn first_fields(text: &str) -> usize {
    lines(text).next().map_or(0, |(_, fields)| fields.count())
}

/// Things by query. Files mostly hold a query's lines together, so the last query is tried first.
struct Grouped<'a, T> {
    queries: Vec<(&'a str, Vec<T>)>,
    places: HashMap<&'a str, usize>,
    last: usize,
}

impl<T> Default for Grouped<'_, T> {
    fn default() -> Self {
        Self { queries: Vec::new(), places: HashMap::new(), last: 0 }
    }
}

impl<'a, T> Grouped<'a, T> {
    fn add(&mut self, query: &'a str, item: T) {
        if self.queries.get(self.last).is_none_or(|(name, _)| *name != query) {
            self.last = *self.places.entry(query).or_insert_with(|| {
                self.queries.push((query, Vec::new()));
                self.queries.len() - 1
            });
        }
        self.queries[self.last].1.push(item);
    }

    /// Everything by query and document; a document that stands twice in a query is a fault.
    fn sorted(
        mut self,
        faults: &mut TrecFaults,
        key: impl Fn(&T) -> (&'a str, usize),
    ) -> Vec<(&'a str, Vec<T>)> {
        self.queries.sort_unstable_by_key(|(name, _)| *name);
        for (query, items) in &mut self.queries {
            items.sort_unstable_by_key(&key);
            for pair in items.windows(2) {
                let ((document, first), (again, line)) = (key(&pair[0]), key(&pair[1]));
                if document == again {
                    let got =
                        || format!("\"{document}\" of query \"{query}\" again (line {first})");
                    faults.add(line, "each document once for a query", got);
                }
            }
        }
        self.queries
    }
}
