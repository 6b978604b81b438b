//! What users of a system said: read, checked against the records it is about, and kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ragmeter_core::{Digest, Feedback, Thumb};
use ragmeter_store::{Added, SqliteStore};

use crate::error::Error;
use crate::places::{Place, Runs};
use crate::table::{Column, Line, Lines, read};

const fn column(name: &'static str, also: &'static [&'static str]) -> Column {
    Column { name, also }
}

const COLUMNS: &[Column] = &[
    column("run", &["run_id", "прогон"]),
    column("system", &["app", "app_name", "system_name", "система"]),
    column("case_id", &["case", "id", "question_id", "пример"]),
    column("record", &["record_id", "запись"]),
    column("thumbs", &["thumb", "feedback", "vote", "like", "отметка", "лайк"]),
    column("rating", &["score", "stars", "grade", "оценка"]),
    column("text", &["comment", "note", "feedback_text", "отзыв", "комментарий"]),
    column("correction", &["corrected", "corrected_answer", "expected", "исправление"]),
    column("who", &["user", "user_id", "author", "annotator", "кто", "пользователь"]),
    column("when", &["at", "time", "timestamp", "date", "created", "created_at", "когда", "дата"]),
];

/// A file of feedback.
#[derive(Clone, Debug, Default)]
pub struct FeedbackRequest {
    /// The file.
    pub file: PathBuf,
    /// The run of rows that name none.
    pub run: Option<String>,
    /// The system of rows that name none.
    pub system: Option<String>,
    /// Leave bad rows out instead of stopping.
    pub skip_invalid: bool,
}

/// What came of an import.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Collected {
    /// Rows that hold a word.
    pub rows: usize,
    /// What became of them.
    #[serde(flatten)]
    pub words: Added,
    /// Rows left out because they cannot be used.
    pub left_out: usize,
    /// Rows without a word in them.
    pub blank: usize,
    /// What the user may want to know.
    pub notes: Vec<String>,
}

/// Reads a file of feedback and keeps it: all of it, or nothing if a row cannot be used and
/// [`FeedbackRequest::skip_invalid`] is not set. The same word again is not kept twice.
pub fn import_feedback(store: &SqliteStore, request: &FeedbackRequest) -> Result<Collected, Error> {
    let Lines { lines, mut faults, notes } = read(&request.file, COLUMNS)?;
    let mut runs = Runs::new(store);
    let (mut words, mut timeless) = (Vec::new(), 0);
    for line in &lines {
        match word(line, &mut runs, request)? {
            Ok(word) => {
                timeless += usize::from(word.at.is_none());
                words.push(word);
            }
            Err(fault) => faults.push(fault),
        }
    }
    let mut done = Collected { rows: words.len(), notes, ..Collected::default() };
    left_out(&request.file, faults, request.skip_invalid, &mut done)?;
    if timeless > 0 {
        done.notes.push(format!(
            "{timeless} row(s) name no time: of one person's words on a record, those without a \
             time count as earlier than those with one, else in the order of import"
        ));
    }
    number_equal_ones(&mut words);
    done.words = store.add_feedback(&words)?;
    Ok(done)
}

/// Tells equal words of nobody known in one file apart: they are different people's. The same file
/// again has the same numbers.
fn number_equal_ones(words: &mut [Feedback]) {
    let mut met: BTreeMap<Digest, usize> = BTreeMap::new();
    for word in words.iter_mut().filter(|word| word.who.is_none()) {
        let count = met.entry(word.id()).or_default();
        word.nth = *count;
        *count += 1;
    }
}

/// Stops at faults, or notes what is left out for them.
pub(crate) fn left_out(
    file: &Path,
    faults: Vec<String>,
    skip_invalid: bool,
    done: &mut Collected,
) -> Result<(), Error> {
    let file = file.display().to_string();
    if !faults.is_empty() && !skip_invalid {
        let rows = faults.into_iter().map(|fault| format!("  {file}: {fault}")).collect();
        return Err(Error::Rows { file, rows });
    }
    done.left_out = faults.len();
    done.notes.extend(faults.into_iter().map(|fault| format!("{file}: left out: {fault}")));
    Ok(())
}

/// The word of a row, or what is wrong with it; the outer error is the store's.
fn word(
    line: &Line,
    runs: &mut Runs<'_>,
    request: &FeedbackRequest,
) -> Result<Result<Feedback, String>, Error> {
    let place = match runs.place(line, request.run.as_deref(), request.system.as_deref())? {
        Ok(place) => place,
        Err(fault) => return Ok(Err(fault)),
    };
    Ok(said(line, place))
}

fn said(line: &Line, place: Place) -> Result<Feedback, String> {
    let thumb = match line.get("thumbs") {
        None => None,
        Some(text) => Some(thumb(text).ok_or_else(|| {
            line.fault("thumbs", "up or down (also 1/0, like/dislike, 👍/👎, да/нет)")
        })?),
    };
    let rating = match line.get("rating") {
        None => None,
        Some(text) => {
            Some(rating(text).ok_or_else(|| line.fault("rating", "a whole number from 1 to 5"))?)
        }
    };
    let at = match line.get("when") {
        None => None,
        Some(text) => Some(instant(text).ok_or_else(|| {
            line.fault(
                "when",
                "a time such as 2026-01-31T12:00:00Z, 2026-01-31 or 31.01.2026 12:00",
            )
        })?),
    };
    let word = Feedback {
        record: place.record,
        system: place.system,
        case_id: place.case_id,
        thumb,
        rating,
        text: line.get("text").map(str::to_owned),
        correction: line.get("correction").map(str::to_owned),
        who: line.get("who").map(str::to_owned),
        at,
        nth: 0,
    };
    if thumb.is_none() && rating.is_none() && word.text.is_none() && word.correction.is_none() {
        return Err(line.fault("thumbs", "a thumb, a `rating`, a `text` or a `correction`"));
    }
    Ok(word)
}

fn thumb(text: &str) -> Option<Thumb> {
    const UP: [&str; 15] = [
        "up",
        "1",
        "+1",
        "1.0",
        "like",
        "yes",
        "true",
        "good",
        "positive",
        "thumbs_up",
        "👍",
        "да",
        "нравится",
        "за",
        "вверх",
    ];
    const DOWN: [&str; 17] = [
        "down",
        "0",
        "-1",
        "0.0",
        "-1.0",
        "dislike",
        "no",
        "false",
        "bad",
        "negative",
        "thumbs_down",
        "👎",
        "нет",
        "не_нравится",
        "против",
        "вниз",
        "−1",
    ];
    let text = text.to_lowercase().replace(' ', "_");
    if UP.contains(&text.as_str()) {
        Some(Thumb::Up)
    } else {
        DOWN.contains(&text.as_str()).then_some(Thumb::Down)
    }
}

/// 1 to 5; spreadsheets write `4.0` and `4,0`.
fn rating(text: &str) -> Option<u8> {
    let whole = text.split_once(['.', ',']).map_or(Some(text), |(whole, rest)| {
        rest.chars().all(|digit| digit == '0').then_some(whole)
    })?;
    whole.parse().ok().filter(|rating| (1..=5).contains(rating))
}

/// UTC with seconds. A time without an offset is taken to be UTC, a day to be its beginning.
fn instant(text: &str) -> Option<String> {
    use jiff::civil::DateTime;
    use jiff::tz::TimeZone;
    let civil = |text: &str| -> Option<DateTime> {
        text.parse().ok().or_else(|| {
            ["%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M"]
                .iter()
                .find_map(|form| DateTime::strptime(form, text).ok())
        })
    };
    let day = |text: &str| jiff::civil::Date::strptime("%d.%m.%Y", text).ok().map(DateTime::from);
    let timestamp = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let civil = civil(text).or_else(|| day(text))?;
        civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    })?;
    Some(timestamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_utc() {
        for (text, expected) in [
            ("2026-01-31T12:00:00Z", Some("2026-01-31T12:00:00Z")),
            ("2026-01-31T12:00:00+03:00", Some("2026-01-31T09:00:00Z")),
            ("2026-01-31 12:00:05", Some("2026-01-31T12:00:05Z")),
            ("2026-01-31", Some("2026-01-31T00:00:00Z")),
            ("31.01.2026 12:30", Some("2026-01-31T12:30:00Z")),
            ("31.01.2026", Some("2026-01-31T00:00:00Z")),
            ("yesterday", None),
            ("31.02.2026", None),
        ] {
            assert_eq!(instant(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn thumbs_and_ratings_are_read_or_refused() {
        assert_eq!(thumb("Не нравится"), Some(Thumb::Down));
        assert_eq!(thumb("👍"), Some(Thumb::Up));
        assert_eq!(thumb("2"), None);
        assert_eq!(rating("4.0"), Some(4));
        assert_eq!(rating("4.5"), None);
        assert_eq!(rating("0"), None);
    }
}
