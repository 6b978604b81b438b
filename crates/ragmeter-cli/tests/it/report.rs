//! Reports through the binary: the page, Markdown for a pull request, data.

use std::path::Path;

use scraper::{ElementRef, Html, Selector};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Done, run, summary, write_rows};

/// The metrics whose facts the local judge gives.
const METRICS: &str = "faithfulness,answer_relevancy,context_precision,context_recall";

const HOSTILE: &str = "Gate 3 is made of oak. </script><script>alert(1)</script></style> | @someone \
     #12 \u{202e}drowssap\u{202c} `x`";

/// Twelve cases, two systems, the second one refusing in two and wrong in most; one case is hostile.
fn rows() -> Vec<Value> {
    let row = |system: &str, n: usize| {
        let good = format!("Gate {n} is made of oak. It was hung in {}.", 1700 + n);
        let answer = match (system, n) {
            (_, 3) => HOSTILE.to_owned(),
            ("plain", 4) => "w".repeat(6_000),
            ("broken|<i>", 1 | 2) => "I don't know.".to_owned(),
            ("broken|<i>", _) => good.replace("oak", "bright steel"),
            _ => good,
        };
        // The first system failed once.
        let error = (system == "plain" && n == 9).then_some("HTTP 502 from the gate");
        let answer = if error.is_some() { Value::Null } else { json!(answer) };
        json!({
            "id": format!("case-{n}"), "system": system, "answer": answer, "error": error,
            "question": format!("What is gate {n} made of, and when was it hung?"),
            "contexts": [
                format!("Gate {n} is made of oak. {}", "The wall beside it is old. ".repeat(40)),
                format!("Gate {n} was hung in {}.", 1700 + n), format!("Bridge {n} is of stone."),
            ],
            "reference": format!("Gate {n} is made of oak."),
            "tags": [if n.is_multiple_of(2) { "kind:simple" } else { "kind:reasoning" }, "gates"],
            "source": if n == 12 { "bridges.md" } else { "gates.md" },
        })
    };
    let systems = ["plain", "broken|<i>"];
    systems.iter().flat_map(|system| (1..=12).map(move |n| row(system, n))).collect()
}

struct Scored {
    folder: TempDir,
    done: Done,
}

fn scored() -> Scored {
    let folder = tempfile::tempdir().expect("a folder");
    write_rows(&folder.path().join("rows.jsonl"), &rows());
    let done =
        run(folder.path(), &["score", "rows.jsonl", "--metrics", METRICS, "--format", "json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    Scored { folder, done }
}

impl Scored {
    fn report(&self, args: &[&str]) -> Done {
        run(self.folder.path(), &[&["report", "latest"], args].concat())
    }

    fn written(&self, file: &str, args: &[&str]) -> String {
        let done = self.report(&[&["--out", file], args].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        read(self.folder.path(), file)
    }
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).expect("the report was written")
}

fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).expect("a selector")).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

fn text_of(page: &Html, selector: &str) -> String {
    all(page, selector).into_iter().map(text).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_exhibit_stands_in_the_page_in_both_languages() {
    let scored = scored();
    for (lang, words) in [
        (
            "en",
            ["By kind of question", "By document", "Seconds an answer", "too few for an interval"],
        ),
        ("ru", ["По виду вопроса", "По документам", "Секунд на ответ", "мало для интервала"]),
    ] {
        let page = Html::parse_document(&scored.written("report.html", &["--lang", lang]));
        for id in [
            "verdict",
            "summary",
            "differences",
            "distributions",
            "relations",
            "breakdown",
            "failures",
            "cost",
            "cases",
            "list",
            "definitions",
            "settings",
        ] {
            assert_eq!(all(&page, &format!("main > section#{id}")).len(), 1, "{lang} {id}");
            assert_eq!(all(&page, &format!("nav a[href='#{id}']")).len(), 1, "{lang} {id}");
        }
        let [kind, document, seconds, few] = words;
        let groups = text_of(&page, "#breakdown");
        for word in [kind, document, few, "simple", "reasoning", "gates.md", "bridges.md"] {
            assert!(groups.contains(word), "{lang} {word} in {groups}");
        }
        assert!(text_of(&page, "#cost").contains(seconds));
        assert!(text_of(&page, "#failures").contains("HTTP 502 from the gate"));
        assert!(!all(&page, "#summary td svg rect.bar").is_empty(), "intervals are drawn");
        assert!(!text_of(&page, "#cases .disputed .why").is_empty());
        assert!(!text_of(&page, "#verdict .sentences li").is_empty());
        // Four main metrics of two systems; their six pairs; their differences.
        assert_eq!(all(&page, "#distributions svg[aria-label]").len(), 8);
        assert_eq!(all(&page, "#relations svg[aria-label]").len(), 12);
        assert!(!all(&page, "#differences figure svg path.fall").is_empty());
        assert!(text_of(&page, "#relations .figures").contains("ρ"));
        assert!(text_of(&page, "#list .without-script").contains("ragmeter export"));
    }
}

#[test]
fn two_answers_stand_side_by_side_with_their_differences_marked() {
    let scored = scored();
    let page = Html::parse_document(&scored.written("report.html", &[]));
    let sides = all(&page, "#cases .sides");
    assert!(!sides.is_empty(), "cases changed");
    let marked: Vec<String> = all(&page, ".sides .answer ins").into_iter().map(text).collect();
    assert!(marked.iter().any(|words| words.contains("steel")), "{marked:?}");
    assert!(marked.iter().all(|words| !words.contains("Gate")), "{marked:?}");
    // Evidence stands in its context, and what is far from it is folded.
    let folded = all(&page, ".context > details.more");
    assert!(folded.iter().any(|fold| text(*fold).contains("The wall beside it is old.")));
    assert!(folded.iter().all(|fold| fold.attr("open").is_none()));
}

#[test]
fn the_list_of_all_cases_holds_the_scores_as_data() {
    let scored = scored();
    let page = Html::parse_document(&scored.written("report.html", &[]));
    let data: Value = serde_json::from_str(&text_of(&page, "#all-cases")).expect("JSON");
    let cases = data["cases"].as_array().expect("a list");
    assert_eq!(cases.len(), 12);
    assert_eq!(data["systems"], json!(["plain", "broken|<i>"]));
    assert_eq!(data["tags"], json!(["gates", "kind:reasoning", "kind:simple"]));
    let whole = scored.done.json();
    let marks = |case: usize| cases[case][4].as_array().and_then(|row| row.last()?.as_i64());
    assert_eq!(marks(8).map(|bits| bits & 2), Some(2), "the system failed on the ninth case");
    assert_eq!(marks(0).map(|bits| bits & 3), Some(0));
    let metrics = summary(&whole, "plain", "faithfulness");
    let index = whole["systems"][0]["summaries"].as_array().expect("a list");
    let place = index.iter().position(|one| one == metrics).expect("it is there");
    let scores =
        cases.iter().filter_map(|case| case[4][place].as_i64()).filter(|score| *score >= 0);
    let scores: Vec<f64> = scores.map(|score| score as f64 / 1_000.0).collect();
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    assert!((mean - metrics["mean"].as_f64().expect("a mean")).abs() < 0.001, "{mean} {metrics}");
}

#[test]
fn hostile_text_stays_text() {
    let scored = scored();
    for lang in ["en", "ru"] {
        let source = scored.written("report.html", &["--lang", lang]);
        assert!(!source.contains('\u{202e}'), "a direction override reached the page");
        let page = Html::parse_document(&source);
        let scripts = all(&page, "script");
        assert_eq!(scripts.len(), 2, "the data and the one script");
        assert!(scripts.iter().all(|script| !text(*script).contains("</script")));
        assert_eq!(all(&page, "style").len(), 1);
        assert!(all(&page, "main i").is_empty(), "a system's name became markup");
        let answers = text_of(&page, ".answer .text");
        assert!(answers.contains("<script>alert(1)</script></style>"), "{answers}");
        assert!(answers.contains("⟨RLO⟩drowssap⟨PDF⟩"));
        let policy = all(&page, "meta[http-equiv=Content-Security-Policy]")[0].attr("content");
        let policy = policy.expect("a policy");
        assert!(policy.contains("script-src 'sha256-") && !policy.contains("unsafe"), "{policy}");

        let markdown = scored.written("report.md", &["--lang", lang]);
        for sign in ["<script", "<i>", "@someone", " #12", "\u{202e}", "`x`"] {
            assert!(!markdown.contains(sign), "{sign} in {markdown}");
        }
        // Every row of a table has as many cells as its head.
        for table in markdown.split("\n\n").filter(|part| part.contains("| --- |")) {
            let rows: Vec<usize> = (table.lines())
                .filter(|line| line.starts_with('|'))
                .map(|line| line.matches('|').count())
                .collect();
            assert!(rows.len() > 2 && rows.iter().all(|cells| *cells == rows[0]), "{table}");
        }
    }
}

#[test]
fn markdown_says_the_verdict_the_means_and_what_changed() {
    let scored = scored();
    let compared = scored.done.json();
    let mean = summary(&compared, "plain", "faithfulness")["mean"].as_f64().expect("a mean");
    let english = scored.written("x.md", &[]);
    for part in
        ["### Verdict", "### Summary", "### Paired differences", "### What changed", "<details>"]
    {
        assert!(english.contains(part), "{part} in {english}");
    }
    assert!(english.contains(&format!("**{mean:.2}**")), "{english}");
    let changed = english.split("### What changed").nth(1).expect("a section");
    let changed = changed.split("<details>").next().expect("before the folds");
    assert!(changed.contains("case-") && changed.contains("plain → broken"), "{changed}");
    assert_eq!(english.matches("<details>").count(), english.matches("</details>").count());
    let russian = scored.written("x.md", &["--lang", "ru"]);
    assert!(russian.contains("### Что изменилось") && !russian.contains("### Summary"));
}

#[test]
fn data_is_versioned_and_agrees_with_the_run() {
    let scored = scored();
    let report: Value = serde_json::from_str(&scored.written("x.json", &[])).expect("JSON");
    assert_eq!((&report["format"], &report["version"]), (&json!("ragmeter.report"), &json!(1)));
    let whole = scored.done.json();
    assert_eq!(report["systems"], whole["systems"]);
    assert_eq!(report["comparisons"], whole["comparisons"]);
    assert_eq!(report["cases"].as_array().map(Vec::len), Some(12));
    let case = &report["cases"][0]["scores"]["plain"]["faithfulness"];
    assert!(case.is_number(), "{case}");
    let dimension = |name: &Value| {
        report["breakdowns"].as_array().expect("a list").iter().any(|one| one["dimension"] == *name)
    };
    assert!(dimension(&json!({ "label": "kind" })) && dimension(&json!("document")));
    let chosen = &report["chosen"];
    assert!(
        ["worst", "changed"]
            .iter()
            .all(|list| chosen[list].as_array().is_some_and(|l| !l.is_empty()))
    );
    assert!(report["relations"].as_array().is_some_and(|list| list.len() == 12));
}

#[test]
fn the_ending_tells_the_form_and_the_same_run_gives_the_same_bytes() {
    let scored = scored();
    for (file, args, begins) in [
        ("a.html", &[][..], "<!DOCTYPE html>"),
        ("a.HTM", &[], "<!DOCTYPE html>"),
        ("a.markdown", &[], "## "),
        ("a.txt", &["--as", "md"], "## "),
        ("a.data", &["--as", "json"], "{"),
    ] {
        let text = scored.written(file, args);
        assert!(text.starts_with(begins), "{file}: {}", &text[..40]);
        assert_eq!(text, scored.written(file, args), "{file}");
    }
    let printed = scored.report(&["--as", "md", "--out", "-"]);
    assert!(printed.out.starts_with("## "), "{printed:?}");
    assert_eq!(scored.report(&["--as", "json"]).code, Some(0));
    assert!(read(scored.folder.path(), "report.json").starts_with('{'));
    scored
        .report(&["--out", "report.pdf"])
        .refused(2, &["report.pdf", ".html, .md or .json", "--as"]);
}

#[test]
fn settings_are_said_as_a_person_would() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = run(folder.path(), &["quickstart", "q", "--lang", "ru", "--format", "json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let page = Html::parse_document(&read(&folder.path().join("q"), "report.html"));
    let settings = text_of(&page, "#settings");
    assert!(settings.contains("гибридный поиск, k 5, веса 1 : 1"), "{settings}");
    assert!(settings.contains("не больше") && settings.contains("записанные ответы"), "{settings}");
    assert!(!settings.contains('{') && !settings.contains(", k\n"), "{settings}");
    run(&folder.path().join("q"), &["report", "latest", "--out", "en.html"]);
    let english = Html::parse_document(&read(&folder.path().join("q"), "en.html"));
    let settings = text_of(&english, "#settings");
    assert!(settings.contains("hybrid retriever, k 3, weights 1 : 1"), "{settings}");
}
