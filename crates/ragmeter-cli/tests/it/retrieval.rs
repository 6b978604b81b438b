//! TREC runs against judgements: the values of trec_eval itself, through the built binary.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Done, run};

const TOLERANCE: f64 = 1e-9;

/// A file of the goldens, which `make.py` beside them makes with trec_eval's own code.
fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../ragmeter-metrics/goldens/retrieval").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(golden(name)).expect("a committed file")
}

/// The command over files of a folder.
fn measured(folder: &Path, run_file: &Path, qrels: &Path, more: &[&str]) -> Done {
    let (run_file, qrels) = (run_file.display().to_string(), qrels.display().to_string());
    let mut args = vec!["retrieval", "--run", &run_file, "--qrels", &qrels];
    args.extend(more);
    run(folder, &args)
}

fn of_set(name: &str, more: &[&str]) -> Done {
    let folder = tempfile::tempdir().expect("a folder");
    let (run_file, qrels) = (golden(&format!("{name}.run")), golden(&format!("{name}.qrels")));
    measured(folder.path(), &run_file, &qrels, more)
}

/// The command over these texts.
fn of_texts(run_text: &str, qrels_text: &str, more: &[&str]) -> Done {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.run"), run_text).expect("written");
    std::fs::write(folder.path().join("a.qrels"), qrels_text).expect("written");
    measured(folder.path(), Path::new("a.run"), Path::new("a.qrels"), more)
}

/// Compares values by name: the same names, the same numbers.
#[track_caller]
fn assert_same(ours: &Value, golden: &Value, what: &str) {
    let (ours, golden) = (ours.as_object().expect(what), golden.as_object().expect(what));
    let names = |map: &serde_json::Map<String, Value>| {
        let mut names: Vec<String> = map.keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(names(ours), names(golden), "{what}");
    for (name, value) in ours {
        let (value, golden) = (value.as_f64().expect("a number"), golden[name].as_f64());
        let golden = golden.expect("a number");
        assert!((value - golden).abs() <= TOLERANCE, "{what}: {name}: {value} against {golden}");
    }
}

#[test]
fn every_value_is_that_of_trec_eval() {
    let goldens: Value = serde_json::from_str(&read("goldens.json")).expect("JSON");
    let mut compared = 0;
    for one in goldens.as_array().expect("a list") {
        let (set, level) = (one["set"].as_str().expect("a name"), one["level"].to_string());
        let args = ["--metrics", "all_trec,err", "--level", &level, "--format", "json"];
        let ours = of_set(set, &args).ok();
        assert_eq!(ours["runid"], "golden");
        assert_same(&ours["metrics"], &one["all"], &format!("{set} at level {level}"));
        let queries = one["per_query"].as_object().expect("queries");
        let ours = ours["per_query"].as_object().expect("queries");
        assert_eq!(ours.keys().collect::<Vec<_>>(), queries.keys().collect::<Vec<_>>());
        for (query, values) in queries {
            assert_same(&ours[query], values, &format!("{set} at level {level}, query {query}"));
            compared += values.as_object().map_or(0, serde_json::Map::len);
        }
        let args = [&args[..], &["--complete"]].concat();
        let ours = of_set(set, &args).ok();
        assert_same(&ours["metrics"], &one["complete"], &format!("{set} at {level}, complete"));
    }
    assert!(compared > 4000, "{compared} values compared");
}

#[test]
fn the_text_is_that_of_trec_eval_to_the_last_digit() {
    let done = of_set("graded", &["-q"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let (runid, ours): (Vec<&str>, Vec<&str>) =
        done.out.lines().partition(|line| line.starts_with("runid"));
    assert_eq!(runid, ["runid                 \tall\tgolden"]);
    let golden = read("graded.txt");
    for (ours, golden) in ours.iter().zip(golden.lines()) {
        assert_eq!(*ours, golden);
    }
    assert_eq!(ours.len(), golden.lines().count());
    // Without -q the sums only, and both files' lonely queries are told of on stderr.
    let done = of_set("graded", &[]);
    assert!(done.out.lines().all(|line| line.contains("\tall\t")), "{}", done.out);
    assert!(
        done.err.contains("queries of the run without judgements, left out: 2"),
        "{}",
        done.err
    );
    assert!(done.err.contains("judged queries without results, left out (-c"), "{}", done.err);
}

#[test]
fn metrics_are_chosen_by_name_family_cutoff_and_set() {
    let names = |list: &str| -> Vec<String> {
        let whole = of_set("binary", &["--metrics", list, "--format", "json"]).ok();
        whole["metrics"].as_object().expect("metrics").keys().cloned().collect()
    };
    assert_eq!(names("err_3,P.7,map, ndcg_cut_10,map"), ["map", "P_7", "ndcg_cut_10", "err_3"]);
    assert_eq!(names("success"), ["success_1", "success_5", "success_10"]);
    assert_eq!(names("iprec_at_recall_0.25"), ["iprec_at_recall_0.25"]);
    let official = names("official");
    assert_eq!(official.len(), 29, "{official:?}");
    assert!(names("set").contains(&"set_relative_P".to_owned()));
    let done = of_set("binary", &["--metrics", "map,nDCG@10"]);
    done.refused(2, &["no measure `nDCG@10`", "ndcg_cut_10", "infAP", "Rprec_mult"]);
    for name in ["P_0", "P_+5", "P_x", "map_5", "iprec_at_recall_inf"] {
        let words = format!("no measure `{name}`");
        of_set("binary", &["--metrics", name]).refused(2, &[&words]);
    }
    of_set("binary", &["--level", "0"]).refused(2, &["--level"]);
}

#[test]
fn the_order_of_lines_and_the_ranks_in_the_file_do_not_matter() {
    let (run_text, qrels_text) = (read("graded.run"), read("graded.qrels"));
    let args = ["--format", "json"];
    let before = of_texts(&run_text, &qrels_text, &args).ok();
    let reversed = |text: &str| -> String {
        text.lines().rev().fold(String::new(), |mut out, line| {
            let _ = write!(out, "{}\r\n", line.replace(' ', "\t "));
            out
        })
    };
    let renumbered = reversed(&run_text).replace(" Q0\t ", " whatever\t ");
    let commented = format!("# made by hand\n\n{}", reversed(&qrels_text));
    let after = of_texts(&renumbered, &commented, &args).ok();
    assert_eq!(before, after);
}

#[test]
fn ties_go_by_id_in_32_bits_and_grades_below_the_level_do_not_count() {
    let qrels = "q 0 a 1\nq 0 z 0\n";
    let first = |run_text: &str, more: &[&str]| -> f64 {
        let args = [&["--metrics", "recip_rank", "--format", "json"][..], more].concat();
        of_texts(run_text, qrels, &args).ok()["metrics"]["recip_rank"].as_f64().expect("a number")
    };
    let is = |value: f64, wanted: f64| (value - wanted).abs() < TOLERANCE;
    // Equal scores: the higher id comes first, whatever the rank says.
    assert!(is(first("q Q0 a 1 5.0 t\nq Q0 z 2 5 t\n", &[]), 0.5));
    // 1e-9 more is a tie in 32 bits, 1e-3 more isn't.
    assert!(is(first("q Q0 a 1 1.000000001 t\nq Q0 z 2 1 t\n", &[]), 0.5));
    assert!(is(first("q Q0 a 1 1.001 t\nq Q0 z 2 1 t\n", &[]), 1.0));
    assert!(is(first("q Q0 a 1 1.001 t\nq Q0 z 2 1 t\n", &["-l", "2"]), 0.0));
}

#[test]
fn faults_are_told_by_file_and_line() {
    let bad = "q1 Q0 a 1 0.5 t\nq1 Q0 b 2 high t\nq1 Q0 c 3\nq2 Q0 a 1 2 t\nq1 Q0 a 4 0.1 t\nq2 Q0 d 1 inf t\n";
    let qrels = "q1 0 a 1\nq1 0 b 1.5\nq1 0 a 0\nq2 0 a\n";
    of_texts(bad, qrels, &[]).refused(
        2,
        &[
            "a.run: line 2: expected a number as score, got \"high\"",
            "a.run: line 3: expected 6 fields (query, Q0, document, rank, score, tag), got 4 fields",
            "a.run: line 5: expected each document once for a query, got \"a\" of query \"q1\" again (line 1)",
            "a.run: line 6: expected a number as score, got \"inf\"",
            "a.qrels: line 2: expected a whole number as grade, got \"1.5\"",
            "a.qrels: line 3: expected each document once for a query",
            "a.qrels: line 4: expected 4 fields (query, iteration, document, grade), got 3 fields",
        ],
    );
    let (run_text, qrels_text) = (read("binary.run"), read("binary.qrels"));
    of_texts(&qrels_text, &run_text, &[]).refused(2, &["more lines like these", "swapped?"]);
    of_texts("q1 Q0 a 1 1 t\n", "q2 0 a 1\n", &[]).refused(2, &["no query stands in both files"]);
    let folder = tempfile::tempdir().expect("a folder");
    let missing = Path::new("missing.run");
    measured(folder.path(), missing, missing, &[]).refused(2, &["cannot read missing.run"]);
}

#[test]
fn negative_grades_only_are_a_query_without_relevant_documents() {
    let whole = of_texts("q Q0 a 1 1 t\n", "q 0 a -1\nq 0 b -2\n", &["--format", "json"]).ok();
    for (name, value) in whole["metrics"].as_object().expect("metrics") {
        let value = value.as_f64().expect("a number");
        let counts = ["num_q", "num_ret"].contains(&name.as_str());
        let least = if name.starts_with("gm_") { 0.00001 } else { f64::from(u8::from(counts)) };
        let least = if name == "utility" { -1.0 } else { least };
        assert!((value - least).abs() < TOLERANCE, "{name}: {value}");
    }
}

#[test]
fn packed_files_are_read_as_they_are() {
    use std::process::Command;
    let folder = tempfile::tempdir().expect("a folder");
    let args = ["--format", "json"];
    let plain = of_set("binary", &args).ok();
    for name in ["binary.run", "binary.qrels"] {
        let packed = Command::new("gzip").arg("-c").arg(golden(name)).output().expect("gzip");
        std::fs::write(folder.path().join(name), packed.stdout).expect("written");
    }
    let (run_file, qrels) = (Path::new("binary.run"), Path::new("binary.qrels"));
    assert_eq!(measured(folder.path(), run_file, qrels, &args).ok(), plain);
}
