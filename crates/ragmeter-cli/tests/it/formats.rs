//! Documents and tables of every kind, read through the binary.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Done, outcomes, run, write_rows};

/// A file of `testdata/formats`; the script beside them says how it was made.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats").join(name)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), bytes).expect("written");
}

/// A project whose corpus is the folder `docs` with these fixtures.
fn project(names: &[&str]) -> tempfile::TempDir {
    let folder = folder();
    std::fs::create_dir(folder.path().join("docs")).expect("made");
    for name in names {
        std::fs::copy(fixture(name), folder.path().join("docs").join(name)).expect("copied");
    }
    let config = "corpus:\n  - { path: docs }\nchunking: { unit: characters, size: 4000, overlap: 0 }\nsystems:\n  - { name: words, retriever: { kind: bm25, k: 9 }, generator: extractive }\n";
    write(folder.path(), "ragmeter.yaml", config);
    folder
}

/// The text of each document, as retrieval by words gives it back.
fn texts_of(folder: &Path, question: &str) -> BTreeMap<String, String> {
    let asked = run(folder, &["ask", question, "--format", "json"]).ok();
    let contexts = asked["contexts"].as_array().expect("contexts").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    contexts.iter().map(|one| (text(&one["source"]), text(&one["text"]))).collect()
}

/// Fails unless the parts stand in the text in this order.
#[track_caller]
fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} in its place in:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn a_pdf_is_read_in_the_order_of_its_columns_tables_and_pages() {
    let folder = project(&["harbour.pdf"]);
    let texts = texts_of(folder.path(), "причал маяк глубина Онега");
    let text = &texts["docs/harbour.pdf"];
    in_order(
        text,
        &[
            "Причалы и маяки северных портов\n\n",
            // Columns one after the other, a word broken at a line's end made whole.
            "Причал построен из дуба в 1704 году. Доски меняют каждые двенадцать лет, поэтому они",
            "Зимой причал закрыт для судов.",
            "Маяк зажигают за час до заката солнца. Его свет виден",
            "Глубины\n\n",
            "Порт | Глубина | Кранов\nОнега | 7 м | 3\nКемь | 5 м | 1\nВыборг | 9 м | 6",
            // A sentence over the end of a page.
            "Глубины измерены летом, когда вода стоит выше всего, и проверены осенью.\n\n",
            // No entry of the contents; a hyphen that is the word's own.
            "Тару B-образной формы крепят цепью.",
        ],
    );
    assert!(!text.contains("....."), "the table of contents: {text}");
    assert!(!text.contains("Справочник") && !text.contains("Страница"), "running titles: {text}");
    // A word of the title alone, which the document's properties hold.
    assert!(!texts_of(folder.path(), "лоция").is_empty());
}

#[test]
fn pages_and_files_without_a_text_layer_are_named_and_the_rest_is_read() {
    let folder = project(&["mixed.pdf", "scans.pdf", "locked.pdf", "garbage.pdf", "circle.pdf"]);
    let whole = std::fs::read(fixture("harbour.pdf")).expect("read");
    write(folder.path(), "docs/cut.pdf", &whole[..whole.len() / 2]);
    write(folder.path(), "docs/odd.pdf", "%PDF-1.7\nno objects at all");
    let done = run(folder.path(), &["index", "--format", "json"]);
    assert!(!done.err.contains("panicked"), "{}", done.err);
    let index = done.ok();
    let notes = index["notes"].to_string();
    assert!(notes.contains("docs/mixed.pdf") && notes.contains("page 2 without text"), "{index}");
    let why = |file: &str| {
        let unread = index["unread"].as_array().expect("a list");
        let one = unread.iter().find(|one| one["source"] == format!("docs/{file}"));
        one.unwrap_or_else(|| panic!("{file} was read: {index}"))["reason"].to_string()
    };
    assert!(why("scans.pdf").contains("2 pages without text: needs OCR"), "{index}");
    assert!(why("locked.pdf").contains("password"), "{index}");
    assert!(why("garbage.pdf").contains("no meaning"), "{index}");
    assert!(why("circle.pdf").contains("could not be read"), "{index}");
    assert!(why("odd.pdf").contains("damaged"), "{index}");
    assert!(why("cut.pdf").contains("PDF"), "{index}");
    let texts = texts_of(folder.path(), "договор хранения приложение склад");
    in_order(&texts["docs/mixed.pdf"], &["заключён на пять лет.", "склад у причала."]);
}

#[test]
fn a_word_document_keeps_headings_lists_tables_and_footnotes() {
    let folder = project(&["anchors.docx"]);
    let texts = texts_of(folder.path(), "якорь чехол верп");
    let text = &texts["docs/anchors.docx"];
    in_order(
        text,
        &[
            "Якоря\n\nСтановой якорь весит 900 кг.[1] Его отдают только по команде.\n\n",
            "Порядок отдачи\n\n1. Проверить стопор.\n2. Снять чехол.\n",
            "- чехол хранят на баке\n\n",
            "Якорь | Вес, кг\nстановой | 900\nверп | 120 & 80 запасной\n\n",
            "Конец памятки\n\n[1] Сухой вес без такелажа.",
        ],
    );
    assert!(!texts_of(folder.path(), "боцману").is_empty(), "the title is indexed");
    for absent in ["СКРЫТО", "УДАЛЕНО", "……"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
}

#[test]
fn a_word_document_that_unpacks_to_a_flood_is_refused() {
    let folder = project(&["mixed.pdf"]);
    let file = std::fs::File::create(folder.path().join("docs/bomb.docx")).expect("made");
    let mut archive = zip::ZipWriter::new(file);
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("word/document.xml", options).expect("begun");
    let blanks = vec![b' '; 1024 * 1024];
    for _ in 0..80 {
        archive.write_all(&blanks).expect("written");
    }
    archive.finish().expect("ended");
    write(folder.path(), "docs/table.docx", "PK\x03\x04 no archive");
    let index = run(folder.path(), &["index", "--format", "json"]).ok();
    let unread = index["unread"].to_string();
    assert!(unread.contains("bomb.docx") && unread.contains("more than 64 MB"), "{index}");
    assert!(unread.contains("table.docx") && unread.contains("zip archive"), "{index}");
}

/// The records of a file, as `import` reads them.
fn records_of(path: &Path) -> Vec<Value> {
    let folder = folder();
    let file = path.display().to_string();
    let done = run(folder.path(), &["import", "ragas", &file, "--format", "json"]).ok();
    assert_eq!(done["kind"], "records", "{done}");
    done["data"].as_array().expect("rows").clone()
}

/// What RAGAS's three records are, without ids.
fn ragas_rows() -> Vec<Value> {
    vec![
        json!({ "question": "Из чего сделан причал?", "reference": "Из дуба.",
            "answer": "Причал сделан из дуба; доски «живут» 12 лет.",
            "contexts": ["Причал сделан из дуба.", "Доски меняют каждые 12 лет, не чаще."] }),
        json!({ "question": "Какая глубина в Кеми?", "reference": "5 м.", "answer": "Глубина 5 м.",
            "contexts": ["Кемь: глубина 5 м.", "Причал \"А\", л'евый берег."] }),
        json!({ "question": "What is the lamp made of?", "reference": "Brass.",
            "answer": "It is made of brass.", "contexts": ["The lamp is made of brass."] }),
    ]
}

#[track_caller]
fn same(found: &[Value], wanted: &[Value]) {
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for (found, wanted) in found.iter().zip(wanted) {
        for (key, value) in wanted.as_object().expect("an object") {
            assert_eq!(found[key], *value, "{key} of {found}");
        }
    }
}

#[test]
fn lists_in_cells_are_read_as_ragas_and_pandas_write_them() {
    same(&records_of(&fixture("ragas.csv")), &ragas_rows());
    same(&records_of(&fixture("pandas.csv")), &ragas_rows());
    same(&records_of(&fixture("ragas.parquet")), &ragas_rows());
}

#[test]
fn semicolons_windows_1251_a_mark_and_line_breaks_in_fields() {
    let first_context = |mut row: Value| {
        row["contexts"] = json!([row["contexts"][0]]);
        row
    };
    let mut wanted: Vec<Value> = ragas_rows().into_iter().map(first_context).collect();
    same(&records_of(&fixture("excel_ru.csv")), &wanted);
    wanted[0]["answer"] = json!("Причал\nсделан из дуба; доски «живут» 12 лет.");
    for (n, row) in wanted.iter_mut().enumerate() {
        row["id"] = json!(format!("в{}", n + 1));
    }
    same(&records_of(&fixture("excel_bom.csv")), &wanted);

    let folder = folder();
    write(
        folder.path(),
        "sep.csv",
        "sep=|\r\nquestion|answer\r\nКто, где; когда?|Я.\r\n|Без вопроса.\r\n",
    );
    let path = folder.path().join("sep.csv").display().to_string();
    let done = run(folder.path(), &["import", "ragas", &path]);
    done.refused(2, &["line 4, `question`"]);
    let done = run(folder.path(), &["import", "ragas", &path, "--skip-invalid"]);
    assert!(done.out.contains("\"question\":\"Кто, где; когда?\""), "{done:?}");
}

#[test]
fn dates_and_whole_numbers_of_a_workbook_become_texts() {
    let wanted = [
        json!({ "id": "101", "answer": "1904-05-20", "reference": "1904-05-20", "tags": ["даты"],
            "contexts": ["Причал построен 1904-05-20."] }),
        json!({ "id": "102", "answer": "6", "reference": "6", "tags": ["числа", "порты"] }),
        json!({ "id": "103", "answer": "2026-03-01T07:45:00", "contexts": ["Паром ушёл 2026-03-01 в 7:45."] }),
    ];
    same(&records_of(&fixture("answers.xlsx")), &wanted);
}

#[test]
fn parquet_with_structs_missing_numbers_and_any_compression() {
    for name in ["answers", "answers_zstd", "answers_gzip", "answers_lz4"] {
        let rows = records_of(&fixture(&format!("{name}.parquet")));
        let wanted = [
            json!({ "id": "1", "seconds": 1.5, "tags": ["порт", "дуб"], "reference": "Из дуба.",
                "contexts": [{ "text": "Причал сделан из дуба.", "id": "0-0", "score": 0.5 },
                    { "text": "Доски меняют каждые 12 лет, не чаще.", "id": "0-1", "score": 0.5 }] }),
            json!({ "id": "2", "seconds": null, "tags": null }),
            json!({ "id": "3", "seconds": 2.0, "tags": null, "answer": "It is made of brass." }),
        ];
        same(&rows, &wanted);
    }
    let folder = folder();
    let file = fixture("answers.parquet").display().to_string();
    let done =
        run(folder.path(), &["score", &file, "--metrics", "faithfulness", "--format", "json"]);
    let notes = done.ok()["notes"].to_string();
    assert!(notes.contains("row 2, `seconds`: NaN is read as missing"), "{notes}");
}

/// Scores a file, offline.
fn score(folder: &Path, file: &str) -> Done {
    let metrics = "context_recall,faithfulness";
    run(folder, &["score", file, "--metrics", metrics, "--out", "out.jsonl", "--format", "json"])
}

#[test]
fn every_kind_of_table_is_scored_as_its_json_lines_are() {
    let reference = folder();
    write_rows(&reference.path().join("answers.jsonl"), &ragas_rows());
    score(reference.path(), "answers.jsonl").ok();
    let wanted: Vec<Value> = outcomes(&reference.path().join("out.jsonl")).into_values().collect();
    assert_eq!(wanted[0]["context_recall"]["value"], 1.0, "{wanted:?}");
    for name in ["ragas.csv", "pandas.csv", "ragas.parquet"] {
        let folder = folder();
        score(folder.path(), &fixture(name).display().to_string()).ok();
        let mut found: Vec<(String, Value)> =
            outcomes(&folder.path().join("out.jsonl")).into_iter().collect();
        found.sort_by_key(|(id, _)| id.parse::<usize>().expect("a row's number"));
        let found: Vec<Value> = found.into_iter().map(|(_, scores)| scores).collect();
        assert_eq!(found, wanted, "{name}");
    }
}

#[test]
fn bad_rows_of_tables_are_named_by_line_or_row_before_anything_is_spent() {
    let folder = folder();
    let csv = "question;answer;contexts\nЧто это?;Маяк.;Маяк.\n;Без вопроса.;Пусто.\n\"В две\nстроки\";б;в\nЛишнее;поле;в;строке\n";
    write(folder.path(), "плохие.csv", csv);
    let done = score(folder.path(), "плохие.csv");
    done.refused(2, &["line 3, `question`", "line 6: expected 3 fields as in the header, got 4"]);
    done.refused(2, &["2 rows cannot be used", "--skip-invalid"]);
    assert!(!done.err.contains("line 4"), "{}", done.err);

    let book = fixture("answers.xlsx").display().to_string();
    let done = score(folder.path(), &format!("{book}#С ошибками"));
    done.refused(
        2,
        &["row 3, `question`", "row 4, `answer`: expected a value, got the error #N/A"],
    );
    score(folder.path(), &format!("{book}#Нет")).refused(2, &["no sheet `Нет`", "Вопросы"]);

    write(folder.path(), "чужие.csv", "prompt,completion\nЧто?,То.\nКто?,Он.\n");
    let done = score(folder.path(), "чужие.csv");
    done.refused(2, &["a column `question`", "`prompt`, `completion`", "1 row cannot"]);

    let bytes = std::fs::read(fixture("answers.parquet")).expect("read");
    write(folder.path(), "cut.parquet", &bytes[..bytes.len() / 2]);
    score(folder.path(), "cut.parquet").refused(2, &["cut.parquet: not a readable Parquet file"]);
    write(folder.path(), "not.xlsx", "PK\x03\x04 nothing");
    score(folder.path(), "not.xlsx").refused(2, &["not.xlsx: not a readable Excel workbook"]);
    assert!(!folder.path().join("out.jsonl").exists());

    let kept = run(
        folder.path(),
        &[
            "score",
            "плохие.csv",
            "--metrics",
            "faithfulness",
            "--skip-invalid",
            "--out",
            "out.jsonl",
        ],
    );
    assert_eq!(kept.code, Some(0), "{kept:?}");
    assert_eq!(outcomes(&folder.path().join("out.jsonl")).len(), 2);
}

#[test]
fn a_configuration_takes_a_sheet_as_test_set_and_parquet_as_records() {
    let folder = folder();
    for name in ["harbour.pdf", "answers.xlsx", "answers.parquet"] {
        std::fs::copy(fixture(name), folder.path().join(name)).expect("copied");
    }
    let config = "testset: answers.xlsx#Вопросы\ncorpus:\n  - { path: harbour.pdf }\nmetrics: [faithfulness]\nsystems:\n  - { name: words, retriever: { kind: bm25, k: 2 }, generator: extractive }\n";
    write(folder.path(), "ragmeter.yaml", config);
    let done = run(folder.path(), &["run", "--format", "json"]).ok();
    let run_id = done["run_id"].as_str().expect("an id");
    let shown = run(folder.path(), &["show", run_id, "2", "--format", "json"]).ok();
    assert_eq!(shown["case"]["question"], "Где стоит маяк?", "{shown}");

    let config =
        "metrics: [faithfulness]\nsystems:\n  - { name: kept, records: answers.parquet }\n";
    write(folder.path(), "records.yaml", config);
    let done = run(folder.path(), &["run", "records.yaml", "--format", "json"]).ok();
    assert_eq!(done["systems"][0]["summaries"][0]["n_scored"], 3, "{done}");
}
