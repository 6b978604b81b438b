//! What reports say of the metrics of a judge's facts, and where wrong claims come from: through
//! the built binary and the scripted judge, in both languages.

use std::path::Path;

use scraper::{Html, Selector};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::script::{Script, WORLDS};
use crate::support::{Done, run, write_rows};

const METRICS: &str = "noise_sensitivity,hallucination,factual_correctness,claim_recall,\
    context_relevance,nugget_recall,context_entity_recall,answer_accuracy,groundedness,\
    context_precision_without_reference,aspect_critic:conciseness,coherence,rubric:tone,precision_at_5";

const DEFINITIONS: &str = r#"
rubrics:
  tone: { ask: "Is the tone fit for print?", grades: { 1: "unfit", 5: "fit", 2: "hardly" } }
"#;

/// `count` records of the world, scored by the script's judge.
fn scored(script: &Script, count: usize, format: &[&str]) -> (TempDir, Done) {
    let folder = tempfile::tempdir().expect("a folder");
    let row = |n: usize| {
        let mut row = script.world.record();
        row["id"] = json!(format!("orlo-{n}"));
        row
    };
    write_rows(&folder.path().join("rows.jsonl"), &(1..=count).map(row).collect::<Vec<_>>());
    std::fs::write(folder.path().join("own.yaml"), DEFINITIONS).expect("the folder is writable");
    let endpoint = script.endpoint();
    let url = endpoint.url();
    let args = ["score", "rows.jsonl", "--metrics", METRICS, "--define", "own.yaml"];
    let judge = ["--judge", "openai:oracle", "--embedder", "openai:oracle", "--base-url", &url];
    let done = run(folder.path(), &[&args[..], &judge[..], format].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    (folder, done)
}

fn diagnosis(script: &Script, count: usize) -> Value {
    scored(script, count, &["--format", "json"]).1.ok()["systems"][0]["diagnosis"].clone()
}

fn report(folder: &Path, file: &str, lang: &str) -> String {
    let done = run(folder, &["report", "latest", "--out", file, "--lang", lang]);
    assert_eq!(done.code, Some(0), "{done:?}");
    std::fs::read_to_string(folder.join(file)).expect("the report was written")
}

/// All text of an element, with single spaces.
fn text_of(page: &str, selector: &str) -> String {
    let page = Html::parse_document(page);
    let selector = Selector::parse(selector).expect("a selector");
    let texts = page.select(&selector).flat_map(|one| one.text().collect::<Vec<_>>());
    let text = texts.collect::<Vec<_>>().join(" ").replace('\u{a0}', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// In the world the third claim stands in noise alone and the reference is silent; the fourth is
/// made up against the reference, although the contexts hold all of it.
#[test]
fn wrong_claims_are_told_by_where_they_come_from() {
    let found = diagnosis(&Script::new(&WORLDS[0]), 1);
    let few = json!({
        "records": 1, "claims": 4, "wrong": 2, "generation": 1, "retrieval": 1, "question": 0,
        "percent": null,
    });
    assert_eq!(found, few);
    let found = diagnosis(&Script::new(&WORLDS[1]), 5);
    assert_eq!(found["percent"], json!({ "generation": 50, "retrieval": 50, "question": 0 }));
    assert_eq!((&found["records"], &found["wrong"]), (&json!(5), &json!(10)));
}

#[test]
fn one_verdict_moves_a_claim_from_one_cause_to_another() {
    let causes = |found: &Value| {
        ["generation", "retrieval", "question"].map(|cause| found[cause].as_u64().expect("a count"))
    };
    let flips: [(&str, Value, [u64; 3]); 6] = [
        // The third claim stands beside the reference now.
        ("each.3.1", json!("supported"), [1, 0, 1]),
        // It is against the reference, which the contexts hold whole.
        ("correct.3", json!("contradicted"), [2, 0, 0]),
        // It stands nowhere.
        ("each.3.3", json!("absent"), [2, 0, 0]),
        // It is right.
        ("correct.3", json!("supported"), [1, 0, 0]),
        // The contexts lack a part of the reference, so the fourth may fill a gap.
        ("attributable.2", json!([]), [0, 2, 0]),
        // The context with the third claim holds something of the reference too.
        ("attributable.2", json!([2, 3]), [1, 0, 1]),
    ];
    for (at, (verdict, says, expected)) in flips.into_iter().enumerate() {
        let script = Script::new(&WORLDS[at % 2]).with(verdict, &says);
        assert_eq!(causes(&diagnosis(&script, 1)), expected, "{verdict} {says}");
    }
}

#[test]
fn the_line_stands_in_the_terminal_and_in_every_report() {
    let lines = [
        (
            1,
            &WORLDS[0],
            "wrong claims: 2; 1 from generation, 1 from retrieval, 0 from the question.",
        ),
        (
            5,
            &WORLDS[1],
            "50 % (5) неверных утверждений — из-за генерации, 50 % (5) — из-за поиска, \
             0 % (0) — из-за вопроса.",
        ),
    ];
    for (count, world, line) in lines {
        let (folder, done) = scored(&Script::new(world), count, &[]);
        let line = format!("recorded: {line}");
        assert!(done.out.replace('\u{a0}', " ").contains(&line), "{}", done.out);
        let page = report(folder.path(), "report.html", world.lang);
        assert!(text_of(&page, "#diagnosis").contains(&line), "{}", text_of(&page, "#diagnosis"));
        let markdown = report(folder.path(), "report.md", world.lang).replace('\u{a0}', " ");
        let told = line.split(['(', ';']).next().expect("a beginning");
        assert!(markdown.contains(told), "{markdown}");
        let data: Value =
            serde_json::from_str(&report(folder.path(), "report.json", world.lang)).expect("JSON");
        assert_eq!(data["systems"][0]["diagnosis"]["records"], count);
    }
    let right = Script::new(&WORLDS[0])
        .with("correct.3", &json!("supported"))
        .with("correct.4", &json!("supported"));
    let (folder, done) = scored(&right, 1, &[]);
    assert!(!done.out.contains("wrong claims"), "{}", done.out);
    let page = report(folder.path(), "report.html", "en");
    assert_eq!(text_of(&page, "#diagnosis"), "");
}

#[test]
fn a_case_shows_what_was_judged_of_it() {
    let shown = [
        [
            "right by the reference",
            "contradicts the reference",
            "← from generation",
            "supported alone by : Context 2",
            "no context alone supports it",
            "relevance 2 of 3",
            "did not serve the answer",
            "holds claims of the reference: 1",
            "contexts: 2",
            "vital",
            "in part",
            "Criteria",
            "Precision at 5",
            "Conciseness (yes or no)",
            "tone (rubric)",
        ],
        [
            "верно по эталону",
            "противоречит эталону",
            "← из-за генерации",
            "сам по себе подтверждает : Контекст 2",
            "ни один контекст сам по себе не подтверждает",
            "релевантность 2 из 3",
            "не послужил ответу",
            "есть утверждения эталона: 1",
            "контексты: 2",
            "важный",
            "отчасти",
            "Критерии",
            "Точность на 5",
            "Краткость (да или нет)",
            "tone (рубрика)",
        ],
    ];
    for (world, words) in WORLDS.iter().zip(shown) {
        let (folder, _) = scored(&Script::new(world), 1, &[]);
        let page = report(folder.path(), "report.html", world.lang);
        let text = text_of(&page, "#cases").replace(" :", ":");
        for word in words {
            assert!(text.contains(&word.replace(" :", ":")), "no {word:?} in {text}");
        }
        // "34 m" of the reference is in no context, by the metric's word.
        let entities: String = world.entities[1].to_owned();
        let missing = if world.lang == "en" {
            "not in the contexts"
        } else {
            "нет в контекстах"
        };
        assert!(text.contains(&format!("{entities} ? {missing}")), "{entities}: {text}");
        let english = Html::parse_document(&page);
        let english = Selector::parse("#cases span[lang=en]").map(|of| english.select(&of).count());
        assert_eq!(english.expect("a selector"), 0, "a phrase is not translated");
        let plain = run(folder.path(), &["show", "latest", "orlo-1"]).out;
        for word in &words[..3] {
            assert!(plain.contains(word.trim_start_matches("← ")), "no {word:?} in {plain}");
        }
        assert!(plain.contains("nugget     ["), "{plain}");
        assert!(plain.contains("criterion  ["), "{plain}");
    }
}

#[test]
fn worlds_are_judged_alike_in_both_languages() {
    let found = [&WORLDS[0], &WORLDS[1]].map(|world| diagnosis(&Script::new(world), 1));
    assert_eq!(found[0], found[1]);
}
