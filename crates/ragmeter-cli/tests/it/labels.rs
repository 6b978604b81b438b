//! Facts handed out to people and taken back: the judge is the oracle of the planted records, so
//! every number that labels should give can be worked out by hand.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use serde_json::{Value, json};

use crate::endpoint::Endpoint;
use crate::oracle::Truth;
use crate::support::{self, Done};

pub(crate) const LANGS: [&str; 2] = ["en", "ru"];

/// One row of a table: heading → cell.
pub(crate) type Row = BTreeMap<String, String>;

/// A folder with one judged run.
pub(crate) struct Judged {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) lang: &'static str,
    /// The scores of `score --out`.
    pub(crate) records: Vec<Value>,
    _endpoint: Endpoint,
}

impl Judged {
    /// Judges records by the oracle.
    pub(crate) fn new(lang: &'static str, jsonl: &str, metrics: &str) -> Self {
        let endpoint = Truth::load(lang).endpoint();
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("records.jsonl"), jsonl).expect("written");
        let url = endpoint.url();
        let args = [
            "score",
            "records.jsonl",
            "--judge",
            "openai:oracle",
            "--embedder",
            "openai:oracle",
            "--base-url",
            &url,
            "--metrics",
            metrics,
            "--out",
            "out.jsonl",
            "--format",
            "json",
        ];
        support::run(folder.path(), &args).ok();
        let out = std::fs::read_to_string(folder.path().join("out.jsonl")).expect("--out");
        let records = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        Self { folder, lang, records, _endpoint: endpoint }
    }

    fn planted(lang: &'static str, systems: &[&str]) -> Self {
        Self::new(lang, &Truth::load(lang).jsonl(systems), "faithfulness")
    }

    pub(crate) fn run(&self, args: &[&str]) -> Done {
        support::run(self.folder.path(), args)
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let mut args = args.to_vec();
        args.extend(["--format", "json"]);
        self.run(&args).ok()
    }

    pub(crate) fn people(&self) -> Value {
        self.json(&["people", "latest"])
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(file)).expect("a written file")
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.folder.path().join(file), text).expect("written");
    }

    /// Hands facts out and reads the table as a spreadsheet would.
    pub(crate) fn export(&self, args: &[&str]) -> Vec<Row> {
        // Another table is not written over; there may be none.
        let _ = std::fs::remove_file(self.folder.path().join("labels.csv"));
        let mut all = vec!["label", "export", "latest", "--out", "labels.csv"];
        all.extend(args);
        self.json(&all);
        let text = self.read("labels.csv");
        let text = text.strip_prefix('\u{feff}').expect("a byte order mark, for spreadsheets");
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(if self.lang == "ru" { b';' } else { b',' })
            .from_reader(text.as_bytes());
        let rows = reader.deserialize::<Row>();
        rows.map(|row| self.in_english(row.expect("a row"))).collect()
    }

    /// The row under its English headings.
    fn in_english(&self, row: Row) -> Row {
        const RUSSIAN: [(&str, &str); 17] = [
            ("набор", "set"),
            ("прогон", "run"),
            ("система", "system"),
            ("пример", "case_id"),
            ("запись", "record"),
            ("факт", "fact"),
            ("единица", "unit"),
            ("вопрос", "question"),
            ("эталон", "reference"),
            ("ответ", "answer"),
            ("контексты", "contexts"),
            ("текст", "text"),
            ("судья", "judge"),
            ("метки", "labels"),
            ("метка", "label"),
            ("пояснение", "comment"),
            ("разметчик", "annotator"),
        ];
        let name = |heading: String| match RUSSIAN.iter().find(|(ru, _)| *ru == heading) {
            Some((_, en)) => (*en).to_owned(),
            None if self.lang == "ru" => panic!("{heading} in a Russian table"),
            None => heading,
        };
        row.into_iter().map(|(heading, cell)| (name(heading), cell)).collect()
    }

    fn write_rows(&self, rows: &[Row]) {
        let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
        writer.write_record(rows[0].keys()).expect("in memory");
        for row in rows {
            writer.write_record(row.values()).expect("in memory");
        }
        self.write("back.csv", writer.into_inner().expect("in memory"));
    }

    pub(crate) fn import(&self, rows: &[Row], annotator: &str) -> Value {
        self.write_rows(rows);
        self.json(&["label", "import", "back.csv", "--annotator", annotator])
    }

    /// The verdicts of the judge, written as labels.
    fn labelled_as_judged(&self) -> Vec<Row> {
        let mut rows = self.export(&[]);
        assert!(!rows.is_empty());
        for row in &mut rows {
            assert!(!row["judge"].is_empty(), "{row:?}");
            let label = row["judge"].clone();
            row.insert("label".to_owned(), label);
        }
        rows
    }

    pub(crate) fn word(&self, en: &str) -> String {
        let word = match (self.lang, en) {
            ("en", word) => word,
            (_, "supported") => "подтверждено",
            (_, "absent") => "нет в контекстах",
            (_, "contradicted") => "противоречит",
            (_, other) => panic!("no word {other}"),
        };
        word.to_owned()
    }
}

/// A workbook with a table as its only sheet.
fn workbook(table: &[Vec<&str>]) -> Vec<u8> {
    workbook_and(table, "")
}

/// The same with more rows, as a sheet holds them.
pub(crate) fn workbook_and(table: &[Vec<&str>], more_rows: &str) -> Vec<u8> {
    const SPACE: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const RELATIONS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let cell = |row: usize, column: usize, text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let column = char::from(b'A' + u8::try_from(column).expect("few columns"));
        format!("<c r=\"{column}{row}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
    };
    let rows: String = table
        .iter()
        .zip(1..)
        .map(|(texts, row)| {
            let cells: String =
                texts.iter().enumerate().map(|(column, text)| cell(row, column, text)).collect();
            format!("<row r=\"{row}\">{cells}</row>")
        })
        .collect();
    let rows = rows + more_rows;
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in [
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{RELATIONS}\"><Relationship Id=\"rId1\" \
                 Type=\"{OFFICE}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"{SPACE}\" xmlns:r=\"{OFFICE}\"><sheets>\
                 <sheet name=\"Labels\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships xmlns=\"{RELATIONS}\"><Relationship Id=\"rId1\" \
                 Type=\"{OFFICE}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet xmlns=\"{SPACE}\"><sheetData>{rows}</sheetData></worksheet>"),
        ),
    ] {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(name, options).expect("begun");
        archive.write_all(text.as_bytes()).expect("written");
    }
    archive.finish().expect("ended").into_inner()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[track_caller]
fn near(ours: &Value, expected: f64) {
    assert!((number(ours) - expected).abs() < 1e-9, "{ours}, by hand {expected}");
}

/// Kappa of a confusion, worked out anew.
fn kappa(confusion: &Value) -> f64 {
    let table: Vec<Vec<f64>> = serde_json::from_value(confusion.clone()).expect("counts");
    let n: f64 = table.iter().flatten().sum();
    let agreed: f64 = (0..table.len()).map(|i| table[i][i]).sum::<f64>() / n;
    let by_chance: f64 = (0..table.len())
        .map(|i| {
            let row: f64 = table[i].iter().sum();
            let column: f64 = table.iter().map(|row| row[i]).sum();
            row * column / (n * n)
        })
        .sum();
    (agreed - by_chance) / (1.0 - by_chance)
}

#[test]
fn one_flipped_label_moves_one_unit_of_the_confusion_and_kappa_with_it() {
    for lang in LANGS {
        let bench = Judged::planted(lang, &["faithful", "hallucinating"]);
        let mut rows = bench.labelled_as_judged();
        bench.import(&rows, "ann");
        let before = bench.people();
        let fact = &before["facts"][0];
        assert_eq!(fact["fact"], "claim_support");
        assert_eq!(fact["labels"], json!(["supported", "absent", "contradicted"]));
        near(&fact["judge"]["kappa"], 1.0);
        assert_eq!(fact["judge"]["n"], rows.len());
        assert_eq!(fact["disagreements"], json!([]));

        // The first claim of the faithful system: supported, says the judge.
        let at = rows.iter().position(|row| row["system"] == "faithful").expect("a row");
        rows[at].insert("label".to_owned(), bench.word("absent"));
        rows[at].insert("comment".to_owned(), "not there".to_owned());
        let done = bench.import(&rows, "ann");
        assert_eq!((&done["added"], &done["changed"]), (&json!(1), &json!(1)), "{done}");
        let after = bench.people();
        let judge = &after["facts"][0]["judge"];
        let mut expected = fact["judge"]["confusion"].clone();
        for (cell, change) in [("/0/0", -1), ("/0/1", 1)] {
            let count = expected.pointer_mut(cell).expect("a cell");
            *count = json!(count.as_i64().expect("a count") + change);
        }
        assert_eq!(judge["confusion"], expected, "{lang}");
        near(&judge["kappa"], kappa(&expected));
        assert!(number(&judge["kappa"]) < 1.0);
        let case = &rows[at]["case_id"];
        let found = &after["facts"][0]["disagreements"];
        assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
        assert_eq!(found[0]["text"], rows[at]["text"].as_str());
        assert_eq!(
            (&found[0]["judge"], &found[0]["people"]),
            (&json!("supported"), &json!("absent"))
        );

        // Faithfulness of that record falls by one claim of it, and the mean by a ninth of that.
        let claims = rows
            .iter()
            .filter(|row| row["system"] == "faithful" && row["case_id"] == *case)
            .count();
        let metric = &after["metrics"][0];
        assert_eq!(
            (&metric["system"], &metric["metric"]),
            (&json!("faithful"), &json!("faithfulness"))
        );
        near(&metric["difference"], -1.0 / claims as f64 / 9.0);
        near(&metric["judge"], 1.0);

        // In words, in the language of the cases, and in the other one if asked.
        let said = bench.run(&["people", "latest"]).out;
        let (word, other) = if lang == "en" { ("kappa", "ru") } else { ("каппа", "en") };
        assert!(said.contains(word) && said.contains("not there"), "{said}");
        let said = bench.run(&["people", "latest", "--lang", other]).out;
        assert!(said.contains(if other == "en" { "kappa" } else { "каппа" }), "{said}");

        // On the page: the disagreement in its section, and the label beside its record.
        bench.json(&["report", "latest", "--out", "r.html", "--lang", lang]);
        let page = bench.read("r.html");
        let heading = if lang == "en" { "Judge and people" } else { "Судья и люди" };
        assert!(page.contains("id=\"people\"") && page.contains(heading));
        assert!(page.matches("not there").count() >= 2, "in the section and beside the record");
        let show = bench.run(&["show", "latest", case]).out;
        assert!(show.contains(&bench.word("absent")) && show.contains("not there"), "{show}");
    }
}

#[test]
fn the_same_labels_again_change_nothing_and_the_judges_facts_stay() {
    for lang in LANGS {
        let bench = Judged::planted(lang, &["faithful"]);
        let facts = |bench: &Judged| {
            let shown = bench.json(&["show", "latest", "c1"]);
            (shown["systems"][0]["facts"].clone(), shown["systems"][0]["scores"].clone())
        };
        let before = facts(&bench);
        let rows = bench.labelled_as_judged();
        let done = bench.import(&rows, "ann");
        assert_eq!(done["added"], rows.len());
        let first = bench.people();
        let done = bench.import(&rows, "ann");
        assert_eq!((&done["added"], &done["known"]), (&json!(0), &json!(rows.len())));
        assert_eq!(bench.people(), first);
        assert_eq!(facts(&bench), before, "labels stand beside the judge's facts");
    }
}

#[test]
fn a_missed_claim_lowers_faithfulness_as_worked_out_by_hand() {
    for lang in LANGS {
        let bench = Judged::planted(lang, &["faithful"]);
        let mut rows = bench.labelled_as_judged();
        let record = rows[0]["record"].clone();
        let claims = rows.iter().filter(|row| row["record"] == record).count() as f64;
        let mut missed: Row = rows[0].keys().map(|key| (key.clone(), String::new())).collect();
        missed.insert("record".to_owned(), record.clone());
        missed.insert("fact".to_owned(), "claim_support".to_owned());
        missed.insert("text".to_owned(), "Nobody extracted this.".to_owned());
        missed.insert("label".to_owned(), bench.word("absent"));
        rows.push(missed.clone());
        bench.import(&rows, "ann");
        let people = bench.people();
        let metric = &people["metrics"][0];
        assert_eq!((&metric["n_people"], &metric["n_partly"]), (&json!(9), &json!(0)));
        near(&metric["people"], (8.0 + claims / (claims + 1.0)) / 9.0);
        near(&metric["judge"], 1.0);
        let fact = &people["facts"][0];
        assert_eq!(fact["added"][0]["text"], "Nobody extracted this.");
        near(&fact["judge"]["share"], 1.0);
        // Both gave one label only: there is no agreement beyond chance to speak of.
        assert_eq!(fact["judge"]["kappa"], Value::Null);

        // Taken back, it counts no more.
        missed.insert("label".to_owned(), "withdrawn".to_owned());
        missed.insert("set".to_owned(), rows[0]["set"].clone());
        bench.import(&[missed], "ann");
        near(&bench.people()["metrics"][0]["people"], 1.0);
    }
}

#[test]
fn annotators_are_held_against_each_other_and_ties_are_named() {
    for lang in LANGS {
        let bench = Judged::planted(lang, &["hallucinating"]);
        let mut rows = bench.labelled_as_judged();
        bench.import(&rows, "ann");
        let at = rows.iter().position(|row| row["label"] == bench.word("supported")).expect("one");
        rows[at].insert("label".to_owned(), bench.word("absent"));
        // The second annotator leaves the last row for later.
        let last = rows.len() - 1;
        assert_ne!(at, last);
        rows[last].insert("label".to_owned(), String::new());
        let done = bench.import(&rows, "bob");
        assert_eq!((&done["added"], &done["blank"]), (&json!(last), &json!(1)));
        let fact = &bench.people()["facts"][0];
        let pair = &fact["between"][0];
        assert_eq!((&pair["a"], &pair["b"]), (&json!("ann"), &json!("bob")));
        assert_eq!(
            (&pair["raters"]["n"], &pair["raters"]["agreed"]),
            (&json!(last), &json!(last - 1))
        );
        near(&pair["raters"]["kappa"], kappa(&pair["raters"]["confusion"]));
        // Two labels on each of n units: alpha is 1 − (2n − 1)·2 / Σ_{c≠d} n_c n_d.
        let mut counts: BTreeMap<String, f64> = BTreeMap::new();
        for (index, row) in rows.iter().enumerate().filter(|(index, _)| *index != last) {
            *counts.entry(row["label"].clone()).or_default() += 1.0;
            let anns = if index == at { bench.word("supported") } else { row["label"].clone() };
            *counts.entry(anns).or_default() += 1.0;
        }
        let n: f64 = counts.values().sum();
        let by_chance = n * n - counts.values().map(|count| count * count).sum::<f64>();
        near(&fact["alpha"]["alpha"], 1.0 - (n - 1.0) * 2.0 / by_chance);
        assert_eq!(fact["ties"][0]["text"], rows[at]["text"].as_str());
        assert_eq!(fact["judge"]["n"], rows.len() - 1, "a tie is in no count");

        // Alone, each annotator is held against the judge on everything they labelled.
        let alone = &fact["by_annotator"];
        assert_eq!((&alone[0][0], &alone[0][1]["n"]), (&json!("ann"), &json!(rows.len())));
        near(&alone[0][1]["share"], 1.0);
        near(&alone[1][1]["share"], (last - 1) as f64 / last as f64);

        // A third voice decides.
        bench.import(&rows[at..=at], "eve");
        let fact = &bench.people()["facts"][0];
        assert_eq!(fact["ties"], json!([]));
        assert_eq!(fact["disagreements"][0]["people"], "absent");
        assert_eq!(fact["judge"]["n"], rows.len());
    }
}

#[test]
fn bad_rows_are_listed_by_line_and_nothing_is_taken() {
    let bench = Judged::planted("en", &["faithful"]);
    let mut rows = bench.labelled_as_judged();
    rows[0].insert("label".to_owned(), "maybe".to_owned());
    rows[1].insert("unit".to_owned(), "000000000000".to_owned());
    rows[2].insert("record".to_owned(), "ffff".to_owned());
    let known = rows[3]["text"].clone();
    rows[3].insert("unit".to_owned(), String::new());
    bench.write_rows(&rows);
    let args = ["label", "import", "back.csv", "--annotator", "ann"];
    let words = [
        "line 2, `label`",
        "row 3 (line 11), `unit`",
        "row 4 (line 20), `record`",
        "row 5 (line 29), `text`",
        "supported (подтверждено)",
        "`maybe`",
        &known,
        "--skip-invalid",
    ];
    bench.run(&args).refused(2, &words);
    bench.run(&["people", "latest"]).refused(2, &["nobody has said anything", "label export"]);
    // Nobody is named anywhere.
    bench.run(&args[..3]).refused(2, &["`annotator`", "--annotator"]);
    let mut skipping = args.to_vec();
    skipping.push("--skip-invalid");
    let done = bench.json(&skipping);
    assert_eq!((&done["left_out"], &done["added"]), (&json!(4), &json!(rows.len() - 4)));
    // A set of another store is nobody's.
    let other = Judged::planted("en", &["faithful"]);
    other.write_rows(&rows[4..]);
    other.run(&args).refused(2, &["`set`", "label export"]);
}

#[test]
fn a_sample_is_drawn_by_its_seed_and_a_blind_table_shows_no_verdict() {
    for lang in LANGS {
        let bench = Judged::planted(lang, &["faithful", "hallucinating"]);
        let records = |rows: &[Row]| {
            let ids = rows.iter().map(|row| row["record"].clone());
            ids.collect::<std::collections::BTreeSet<String>>()
        };
        let rows = bench.export(&["--sample", "5", "--seed", "1"]);
        let bytes = bench.read("labels.csv");
        assert_eq!(records(&rows).len(), 5);
        bench.export(&["--sample", "5", "--seed", "1"]);
        assert_eq!(bench.read("labels.csv"), bytes);
        let other = bench.export(&["--sample", "5", "--seed", "2"]);
        assert_ne!(records(&other), records(&rows));
        let blind = bench.export(&["--blind"]);
        assert!(blind.iter().all(|row| !row.contains_key("judge")));
        let policy = bench.read("labels.policy.md");
        let word = if lang == "en" { "`absent`" } else { "«нет в контекстах»" };
        assert!(policy.contains(word), "{policy}");
    }
}

#[test]
fn a_table_that_is_filled_in_is_not_written_over() {
    let bench = Judged::planted("en", &["faithful"]);
    bench.export(&[]);
    let given = bench.read("labels.csv");
    let again = ["label", "export", "latest", "--out", "labels.csv"];
    bench.json(&again);
    assert_eq!(bench.read("labels.csv"), given);
    let filled = format!("{given},,,,,,,,,,,,,,supported,sure,ann\n");
    bench.write("labels.csv", &filled);
    bench.run(&again).refused(2, &["labels.csv", "would be lost", "--out"]);
    assert_eq!(bench.read("labels.csv"), filled);
}

#[test]
fn a_workbook_and_a_table_that_names_its_separator_are_read() {
    let bench = Judged::planted("ru", &["faithful"]);
    let mut rows = bench.labelled_as_judged();
    let table = |rows: &[Row]| {
        let header: Vec<&str> = rows[0].keys().map(String::as_str).collect();
        let cells = rows.iter().map(|row| row.values().map(String::as_str).collect::<Vec<&str>>());
        workbook(&std::iter::once(header).chain(cells).collect::<Vec<_>>())
    };
    bench.write("back.xlsx", table(&rows));
    let import = |file| ["label", "import", file, "--annotator", "ann"];
    let done = bench.json(&import("back.xlsx"));
    assert_eq!((&done["added"], &done["notes"]), (&json!(rows.len()), &json!([])), "{done}");

    let separated = |rows: &[Row]| {
        let mut writer = csv::WriterBuilder::new().delimiter(b'|').from_writer(Vec::new());
        writer.write_record(rows[0].keys()).expect("in memory");
        for row in rows {
            writer.write_record(row.values()).expect("in memory");
        }
        let bytes = writer.into_inner().expect("in memory");
        [b"\xef\xbb\xbfsep=|\r\n".as_slice(), bytes.as_slice()].concat()
    };
    bench.write("back.csv", separated(&rows));
    let done = bench.json(&import("back.csv"));
    assert_eq!((&done["added"], &done["known"]), (&json!(0), &json!(rows.len())), "{done}");

    rows[0].insert("label".to_owned(), "maybe".to_owned());
    bench.write("bad.xlsx", table(&rows));
    bench.run(&import("bad.xlsx")).refused(2, &["bad.xlsx: row 2, `label`", "`maybe`"]);
    bench.write("bad.csv", separated(&rows));
    bench.run(&import("bad.csv")).refused(2, &["bad.csv: row 2 (line 3), `label`", "`maybe`"]);
}

#[test]
fn ones_own_policy_is_kept_with_the_labels() {
    let bench = Judged::planted("en", &["faithful"]);
    bench.write("mine.md", "Be strict.\n");
    let mut rows = bench.export(&["--policy", "mine.md"]);
    assert_eq!(bench.read("labels.policy.md"), "Be strict.\n");
    rows[0].insert("label".to_owned(), "supported".to_owned());
    bench.import(&rows, "ann");
    assert_eq!(bench.people()["policies"][0][1], "Be strict.\n");
}

#[test]
fn a_cell_is_never_a_formula_and_comes_back_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let row = json!({
        "id": "c1", "question": "=1+1?", "answer": "=HYPERLINK(\"x\") is made of oak.",
        "contexts": ["-oak", "The gate is made of oak."], "reference": "@oak",
    });
    support::write_rows(&folder.path().join("r.jsonl"), &[row]);
    let run = |args: &[&str]| support::run(folder.path(), args);
    run(&["score", "r.jsonl", "--metrics", "faithfulness,context_precision", "--format", "json"])
        .ok();
    let facts = "claim_support,context_useful,refusal";
    run(&["label", "export", "latest", "--out", "l.csv", "--fact", facts, "--format", "json"]).ok();
    let text = std::fs::read_to_string(folder.path().join("l.csv")).expect("written");
    let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let mut rows: Vec<Row> = reader.deserialize().map(|row| row.expect("a row")).collect();
    for cell in rows.iter().flat_map(|row| row.values()) {
        assert!(!cell.starts_with(['=', '+', '-', '@']), "{cell}");
    }
    assert!(rows.iter().any(|row| row["text"].starts_with("'=HYPERLINK")), "{rows:?}");
    for row in &mut rows {
        let label = row["labels"].split(" | ").next().expect("a label").to_owned();
        row.insert("label".to_owned(), label);
        // What is hidden from the judge of a fact is hidden from people, too.
        assert_eq!(row["contexts"].is_empty(), row["fact"] != "claim_support", "{row:?}");
        assert_eq!(row["reference"].is_empty(), row["fact"] != "context_useful_reference");
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(rows[0].keys()).expect("in memory");
    for row in &rows {
        writer.write_record(row.values()).expect("in memory");
    }
    std::fs::write(folder.path().join("b.csv"), writer.into_inner().expect("in memory"))
        .expect("written");
    let args = ["label", "import", "b.csv", "--annotator", "ann", "--format", "json"];
    let done = run(&args).ok();
    assert_eq!(done["added"], rows.len());
    assert_eq!(done["notes"], json!([]), "every text came back as it was");
    let people = run(&["people", "latest", "--format", "json"]).ok();
    let metrics: Vec<&str> = people["metrics"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["metric"].as_str())
        .collect();
    assert_eq!(metrics, ["faithfulness", "refusal_rate", "context_precision"]);
    run(&["label", "export", "latest", "--out", "x.csv", "--fact", "taste"])
        .refused(2, &["`taste`", "claim_support"]);
}
