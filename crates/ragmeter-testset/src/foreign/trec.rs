use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{Foreign, numbered};
use crate::RowError;
use crate::rows::{Place, Row, json_rows};

/// Texts by id: topics, or documents.
pub type Texts = BTreeMap<String, String>;

/// Texts by id from a topics or documents file: JSON Lines with an id (`id`, `_id`, `qid`,
/// `query_id`, `docno`, `doc_id`) and a text (`text`, `question`, `query`, `contents`, with `title`
/// before it if there is one), or lines of an id, a tab and the text. Every bad line is listed.
pub fn read_texts(text: &str) -> Result<Texts, Vec<RowError>> {
    let mut texts = Texts::new();
    let mut errors = Vec::new();
    for (place, found) in pairs(text) {
        match found {
            Ok((id, text)) => {
                if let Some(other) = texts.insert(id.clone(), text) {
                    texts.insert(id.clone(), other);
                    errors.push(fault(place, "an id of its own", &format!("\"{id}\" again")));
                }
            }
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(texts) } else { Err(errors) }
}

/// Id and text of each line.
type Pair = Result<(String, String), RowError>;

fn pairs(text: &str) -> Vec<(Place, Pair)> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with(['{', '[']) {
        let rows = json_rows(text).rows.into_iter();
        return rows
            .map(|Row { place, object }| (place, object.and_then(|object| pair(place, &object))))
            .collect();
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            let place = Place { row: index + 1, line: index + 1 };
            let pair = line.split_once('\t').map(|(id, text)| (id.trim(), text.trim()));
            let pair = pair.filter(|(id, text)| !id.is_empty() && !text.is_empty());
            let pair = pair.map(|(id, text)| (id.to_owned(), text.to_owned()));
            (place, pair.ok_or_else(|| fault(place, "an id, a tab and a text", "something else")))
        })
        .collect()
}

fn pair(place: Place, object: &Map<String, Value>) -> Pair {
    const TEXTS: [&str; 4] = ["text", "question", "query", "contents"];
    const IDS: [&str; 6] = ["id", "_id", "qid", "query_id", "docno", "doc_id"];
    let id = IDS.iter().find_map(|key| match object.get(*key)? {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    });
    let id = id.ok_or_else(|| fault(place, &format!("one of {}", IDS.join(", ")), "none"))?;
    let body = TEXTS.iter().find_map(|key| object.get(*key)?.as_str());
    let title = object.get("title").and_then(Value::as_str).unwrap_or_default().trim();
    let text = match (title, body) {
        ("", body) => body.unwrap_or_default().to_owned(),
        (title, Some(body)) => format!("{title}\n\n{body}"),
        (title, None) => title.to_owned(),
    };
    if text.trim().is_empty() {
        return Err(fault(place, &format!("one of {}", TEXTS.join(", ")), "none"));
    }
    Ok((id, text.trim().to_owned()))
}

fn fault(place: Place, expected: &str, got: &str) -> RowError {
    RowError {
        row: place.row,
        line: place.line,
        column: None,
        key: None,
        expected: expected.to_owned(),
        got: got.to_owned(),
    }
}

/// The fields of each line, which must be as many as named.
fn lines<'a>(
    text: &'a str,
    names: &'static [&'static str],
    errors: &mut Vec<RowError>,
) -> Vec<(Place, Vec<&'a str>)> {
    let mut found = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let place = Place { row: index + 1, line: index + 1 };
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.is_empty() {
            continue;
        }
        if fields.len() == names.len() {
            found.push((place, fields));
        } else {
            let expected = format!("{} fields ({})", names.len(), names.join(", "));
            errors.push(fault(place, &expected, &fields.len().to_string()));
        }
    }
    found
}

/// Cases and errors of a TREC file.
type Read = (Foreign, Vec<RowError>);

/// TREC relevance judgements: `query iteration document grade`. Each query is a case whose
/// `reference_context_ids` are the documents of a grade above zero, best first; where grades other
/// than 1 occur, all of them stand in `relevance`. Questions come from `topics`; queries without one
/// are dropped and counted.
pub fn trec_qrels(text: &str, topics: &Texts) -> Read {
    let mut errors = Vec::new();
    let mut queries: Vec<(String, Vec<(i32, String)>)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (place, fields) in lines(text, &["query", "iteration", "document", "grade"], &mut errors) {
        let Ok(grade) = fields[3].parse::<i32>() else {
            errors.push(fault(place, "a whole number as grade", fields[3]));
            continue;
        };
        if !seen.insert((fields[0], fields[2])) {
            let got = format!("document {} again", fields[2]);
            errors.push(fault(place, "a document of its own for each judgement", &got));
            continue;
        }
        let at = queries.iter().position(|(id, _)| id == fields[0]).unwrap_or_else(|| {
            queries.push((fields[0].to_owned(), Vec::new()));
            queries.len() - 1
        });
        queries[at].1.push((grade, fields[2].to_owned()));
    }
    let mut dropped = BTreeMap::new();
    let mut unknown = 0;
    let objects: Vec<Map<String, Value>> = queries
        .into_iter()
        .filter_map(|(id, mut documents)| {
            let Some(question) = topics.get(&id) else {
                unknown += 1;
                return None;
            };
            // Stable: of equal grades, the first of the file comes first.
            documents.sort_by_key(|(grade, _)| std::cmp::Reverse(*grade));
            let relevant = documents.iter().filter(|(grade, _)| *grade > 0);
            let ids: Vec<&String> = relevant.map(|(_, id)| id).collect();
            let mut case = json!({ "id": id, "question": question, "reference_context_ids": ids });
            if documents.iter().any(|(grade, _)| *grade != 1) {
                let grades = documents.into_iter().map(|(grade, id)| (id, json!(grade)));
                case["relevance"] = Value::Object(grades.collect());
            }
            case.as_object().cloned()
        })
        .collect();
    if unknown > 0 {
        dropped.insert("queries without a question".to_owned(), unknown);
    }
    (Foreign { rows: numbered(objects), dropped }, errors)
}

/// A system and a query.
type Asked = (String, String);

/// A TREC run: `query Q0 document rank score tag`. Each query of each tag is a record of the system
/// of that name. Documents are ranked as trec_eval 9 ranks them: by score, equal scores by document
/// id, both descending; scores are compared in its 32 bits, the rank in the file isn't looked at.
/// Questions come from `topics`, texts from `documents`; without texts the contexts have ids only.
pub fn trec_run(text: &str, topics: &Texts, documents: Option<&Texts>) -> Read {
    const NAMES: &[&str] = &["query", "Q0", "document", "rank", "score", "tag"];
    let mut errors = Vec::new();
    let mut found: Vec<(Asked, Vec<(f64, String)>)> = Vec::new();
    let mut places: BTreeMap<Asked, usize> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (place, fields) in lines(text, NAMES, &mut errors) {
        let score = fields[4].parse::<f64>().ok().filter(|score| score.is_finite());
        let Some(score) = score else {
            errors.push(fault(place, "a number as score", fields[4]));
            continue;
        };
        if !seen.insert((fields[5], fields[0], fields[2])) {
            let got = format!("document {} again", fields[2]);
            errors.push(fault(place, "each document once for a query", &got));
            continue;
        }
        let key = (fields[5].to_owned(), fields[0].to_owned());
        let at = *places.entry(key.clone()).or_insert_with(|| {
            found.push((key, Vec::new()));
            found.len() - 1
        });
        found[at].1.push((score, fields[2].to_owned()));
    }
    let mut dropped = BTreeMap::new();
    let (mut unknown, mut textless) = (0, 0);
    let mut objects = Vec::new();
    for ((system, query), mut ranked) in found {
        let Some(question) = topics.get(&query) else {
            unknown += 1;
            continue;
        };
        ranked.sort_by(|a, b| {
            let by_score = (b.0 as f32).partial_cmp(&(a.0 as f32)).unwrap_or(Ordering::Equal);
            by_score.then_with(|| b.1.cmp(&a.1))
        });
        let contexts: Vec<Value> = ranked
            .iter()
            .map(|(score, id)| {
                let text = documents.and_then(|texts| texts.get(id));
                textless += usize::from(documents.is_some() && text.is_none());
                json!({ "id": id, "text": text.map_or("", String::as_str), "score": score })
            })
            .collect();
        let record =
            json!({ "id": query, "question": question, "system": system, "contexts": contexts });
        objects.extend(record.as_object().cloned());
    }
    if unknown > 0 {
        dropped.insert("queries without a question".to_owned(), unknown);
    }
    if textless > 0 {
        dropped.insert("texts of documents that the documents file lacks".to_owned(), textless);
    }
    (Foreign { rows: numbered(objects), dropped }, errors)
}
