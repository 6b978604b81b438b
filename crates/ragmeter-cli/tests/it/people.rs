//! What users said of answers: read from their files, kept once, held against the metrics.

use serde_json::{Value, json};

use crate::labels::{Judged, LANGS};
use crate::oracle::Truth;
use crate::support;

/// Every planted record as one system's, each under an id of its own.
fn one_system(lang: &'static str) -> Judged {
    let truth = Truth::load(lang);
    let rows: Vec<String> = truth
        .jsonl(&truth.systems())
        .lines()
        .map(|line| {
            let mut row: Value = serde_json::from_str(line).expect("a record");
            let name = |value: &Value| value.as_str().expect("a name").to_owned();
            row["id"] = json!(format!("{}-{}", name(&row["system"]), name(&row["id"])));
            row["system"] = json!("all");
            row.to_string()
        })
        .collect();
    Judged::new(lang, &rows.join("\n"), "faithfulness")
}

fn faithfulness(record: &Value) -> Option<f64> {
    record["scores"]["faithfulness"]["value"].as_f64()
}

/// The scores of these sides, held against each other one by one.
fn auc_by_hand(up: &[f64], down: &[f64]) -> f64 {
    let wins: f64 = up
        .iter()
        .flat_map(|high| down.iter().map(move |low| (high, low)))
        .map(|(high, low)| match high.total_cmp(low) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        })
        .sum();
    wins / (up.len() * down.len()) as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn thumbs_are_held_against_each_metric_among_those_who_clicked() {
    for lang in LANGS {
        let bench = one_system(lang);
        // Thumbs follow the judge but for every seventh; nobody clicks on every fourth.
        let (mut up, mut down, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for (index, record) in bench.records.iter().enumerate() {
            if index % 4 == 3 {
                continue;
            }
            let Some(score) = faithfulness(record) else { continue };
            let likes = (score > 0.5) != (index % 7 == 0);
            if likes {
                up.push(score);
            } else {
                down.push(score);
            }
            lines.push(json!({
                "case": record["id"], "feedback": if likes { "👍" } else { "👎" },
                "rating": if likes { 5 } else { 2 }, "user": format!("u{index}"),
                "timestamp": "2026-01-31T12:00:00+03:00",
            }));
        }
        assert!(up.len() >= 5 && down.len() >= 5 && up.len() + down.len() >= 20);
        support::write_rows(&bench.folder.path().join("few.jsonl"), &lines[..10]);
        bench.json(&["feedback", "import", "few.jsonl", "--run", "latest"]);
        let few = bench.people();
        assert_eq!(few["thumbs"][0]["metrics"][0]["refused"], "few");
        assert_eq!(few["thumbs"][0]["metrics"][0]["auc"], Value::Null);

        support::write_rows(&bench.folder.path().join("all.jsonl"), &lines);
        let done = bench.json(&["feedback", "import", "all.jsonl", "--run", "latest"]);
        assert_eq!((&done["added"], &done["known"]), (&json!(lines.len() - 10), &json!(10)));
        let people = bench.people();
        let thumbs = &people["thumbs"][0];
        assert_eq!(thumbs["n_clicked"], lines.len());
        assert_eq!(thumbs["n_records"], bench.records.len());
        let metric = &thumbs["metrics"][0];
        assert_eq!(
            (&metric["metric"], &metric["n"]),
            (&json!("faithfulness"), &json!(lines.len()))
        );
        let close = |value: &Value, expected: f64| {
            let value = value.as_f64().expect("a number");
            assert!((value - expected).abs() < 1e-9, "{value}, by hand {expected}");
        };
        close(&metric["auc"]["value"], auc_by_hand(&up, &down));
        close(&metric["mean_up"], mean(&up));
        close(&metric["mean_down"], mean(&down));
        // Point-biserial: (mean up − mean down) / s · √(p·q), s over all with n beneath.
        let all: Vec<f64> = up.iter().chain(&down).copied().collect();
        let spread = mean(&all.iter().map(|x| (x - mean(&all)).powi(2)).collect::<Vec<_>>()).sqrt();
        let p = up.len() as f64 / all.len() as f64;
        let r = (mean(&up) - mean(&down)) / spread * (p * (1.0 - p)).sqrt();
        close(&metric["point_biserial"]["value"], r);
        // With two ratings that go with the thumbs the ranks say what the thumbs say.
        assert!(metric["spearman"]["value"].as_f64().expect("a number") > 0.3);
        for one in ["auc", "point_biserial", "spearman"] {
            let ends: [f64; 2] =
                serde_json::from_value(metric[one]["interval"].clone()).expect("an interval");
            let value = metric[one]["value"].as_f64().expect("a number");
            assert!(ends[0] < value && value < ends[1], "{one}: {ends:?}");
        }
        let said = bench.run(&["people", "latest"]).out;
        let caution = if lang == "en" {
            "are not all users"
        } else {
            "Отмечают ответы не все"
        };
        assert!(said.contains(caution) && said.contains("AUC"), "{said}");
        bench.json(&["report", "latest", "--out", "r.html", "--lang", lang]);
        let page = bench.read("r.html");
        assert!(page.contains(caution) && page.contains("👎"), "in the section, beside a record");
    }
}

#[test]
fn kappa_has_an_interval_and_says_how_it_was_made() {
    for lang in LANGS {
        let bench = one_system(lang);
        let mut rows = bench.export(&["--fact", "claim_support,refusal"]);
        for (index, row) in rows.iter_mut().enumerate() {
            // Every tenth claim is labelled otherwise; refusals are labelled as the judge does.
            let flip = index % 10 == 0 && row["fact"] == "claim_support";
            let label = match (flip, row["judge"] == bench.word("absent")) {
                (false, _) => row["judge"].clone(),
                (true, true) => bench.word("supported"),
                (true, false) => bench.word("absent"),
            };
            row.insert("label".to_owned(), label);
        }
        bench.import(&rows, "ann");
        let people = bench.people();
        let ends = |fact: &Value| -> [f64; 2] {
            serde_json::from_value(fact["judge"]["interval"].clone()).expect("an interval")
        };
        let [claims, refusals] = [&people["facts"][0], &people["facts"][1]];
        let kappa = claims["judge"]["kappa"].as_f64().expect("a number");
        let [low, high] = ends(claims);
        assert!(0.5 < low && low < kappa && kappa < high && high < 1.0, "{low} {kappa} {high}");
        assert_eq!(claims["judge"]["method"], "clustered", "several claims a case");
        assert!(claims["judge"]["weighted_kappa"].is_number(), "these labels have an order");
        // One answer a case, and no disagreement: a share z²/(n + z²) of unseen disagreement.
        let [low, high] = ends(refusals);
        assert_eq!(refusals["judge"]["method"], "analytic");
        let counts: Vec<Vec<f64>> =
            serde_json::from_value(refusals["judge"]["confusion"].clone()).expect("counts");
        let n: f64 = counts.iter().flatten().sum();
        let by_chance: f64 = (0..3).map(|at| (counts[at][at] / n).powi(2)).sum();
        let z2 = 1.959_963_984_540_054_f64.powi(2);
        let expected = 1.0 - z2 / (n + z2) / (1.0 - by_chance);
        assert!((low - expected).abs() < 1e-9 && high >= 1.0, "{low}, by hand {expected}");
        // The same seed, the same draws.
        assert_eq!(bench.people(), people);
    }
}

#[test]
fn files_of_every_making_are_read_once_and_a_later_word_supersedes() {
    for lang in LANGS {
        let bench = one_system(lang);
        let id = |at: usize| bench.records[at]["id"].as_str().expect("an id").to_owned();
        let (first, second) = (id(0), id(1));
        let shown = bench.json(&["show", "latest", &first]);
        let record = shown["systems"][0]["people"]["record_id"].as_str().expect("an id").to_owned();
        // A spreadsheet's export: byte order mark, semicolons, a text with a line break.
        let csv = format!(
            "\u{feff}record;thumbs;text;who;when\n{record};down;\"wrong;\nall of it\";ann;31.01.2026 12:00\n\
             {record};up;;ann;01.02.2026\n{record};down;;;\n{record};down;;;\n"
        );
        bench.write("a.csv", &csv);
        let import = ["feedback", "import", "a.csv"];
        let done = bench.json(&import);
        assert_eq!(done["added"], 4, "two of nobody known are two: {done}");
        let before = bench.json(&["feedback", "list", "latest"]);
        assert_eq!(bench.json(&import)["added"], 0);
        assert_eq!(bench.json(&["feedback", "list", "latest"]), before, "twice is once");
        let words = before["feedback"].as_array().expect("words");
        assert_eq!(words.len(), 4, "the earlier word is kept");
        assert_eq!(words[0]["at"], "2026-01-31T12:00:00Z");
        let people = &bench.json(&["show", "latest", &first])["systems"][0]["people"];
        let ann: Vec<&Value> = people["standing"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|word| word["who"] == "ann")
            .collect();
        assert_eq!(ann.len(), 1);
        assert_eq!(
            (&ann[0]["thumb"], &ann[0]["text"]),
            (&json!("up"), &json!("wrong;\nall of it"))
        );
        let thumbs = &bench.people()["thumbs"][0];
        assert_eq!((&thumbs["n_up"], &thumbs["n_down"]), (&json!(0), &json!(1)), "two against one");

        // A Russian Windows table, by run, system and case.
        let table = format!("пример;отметка;комментарий\n{second};не нравится;ложь\n");
        let cp1251: Vec<u8> = table
            .chars()
            .map(|c| match c {
                'а'..='я' => (c as u32 - 'а' as u32) as u8 + 0xe0,
                other => u8::try_from(u32::from(other)).expect("Latin"),
            })
            .collect();
        bench.write("b.csv", cp1251);
        let done = bench.json(&["feedback", "import", "b.csv", "--run", "latest"]);
        assert_eq!(done["added"], 1, "{done}");
        let said = bench.run(&["show", "latest", &second]).out;
        assert!(said.contains("down ложь"), "{said}");
        let listed = bench.run(&["feedback", "list", "latest"]).out;
        assert!(listed.contains("ложь") && listed.contains("ann"), "{listed}");
    }
}

#[test]
fn bad_feedback_is_listed_by_line_and_nothing_is_taken() {
    let bench = one_system("en");
    let id = bench.records[0]["id"].as_str().expect("an id").to_owned();
    bench.write(
        "f.csv",
        format!(
            "case_id,thumbs,rating,when,sentiment\n{id},up,7,,x\nnobody,up,,,\n{id},perhaps,,,\n\
             {id},up,,soon,\n{id},,,,\n{id},up,4,,\n"
        ),
    );
    let import = ["feedback", "import", "f.csv", "--run", "latest"];
    bench.run(&import).refused(
        2,
        &[
            "5 rows",
            "line 2, `rating`",
            "`7`",
            "line 3, `case_id`",
            "`nobody`",
            "line 4, `thumbs`",
            "`perhaps`",
            "line 5, `when`",
            "`soon`",
            "line 6, `thumbs`",
            "--skip-invalid",
        ],
    );
    assert_eq!(bench.json(&["feedback", "list", "latest"])["feedback"], json!([]));
    bench.run(&["feedback", "import", "f.csv"]).refused(2, &["`run`", "--run"]);
    let mut skipping = import.to_vec();
    skipping.push("--skip-invalid");
    let done = bench.json(&skipping);
    assert_eq!((&done["added"], &done["left_out"]), (&json!(1), &json!(5)));
    let notes = done["notes"].to_string();
    assert!(notes.contains("sentiment") && notes.contains("line 2"), "{notes}");
    bench.write("g.csv", "colour,shape\nred,round\n");
    bench.run(&["feedback", "import", "g.csv"]).refused(2, &["first line", "thumbs"]);
    bench.run(&["feedback", "import", "none.csv"]).refused(2, &["none.csv"]);
}
