//! `bench lexical`: every lexical and retrieval metric of `score` beside ranx and sacreBLEU, on one
//! generated file, one after the other.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::measured::measured;
use super::peers::{build, option};

const SCRIPT: &str = include_str!("lexical.py");
const CONTEXTS: u32 = 5;
/// All metrics over words, characters and ids, and with them the two over pairs of contexts.
const METRICS: &str = "bleu,bpref,chrf,chrf_pp,context_precision_by_ids,\
    context_precision_non_llm,context_recall_by_ids,context_recall_non_llm,err_at_5,exact_match,\
    exact_match_normalized,hamming_similarity,hit_rate_at_5,jaro_similarity,\
    jaro_winkler_similarity,language_match,levenshtein_similarity,map,mrr,ndcg_at_5,precision_at_5,\
    r_precision,recall_at_5,rouge_1,rouge_2,rouge_l,string_presence,success_at_5,token_f1";
/// How far two means of the same scores may lie apart: the scores are rounded nowhere.
const APART: f64 = 1e-9;

/// Runs both and prints a table. `args`: `--python PYTHON [--records N]`.
pub(crate) fn lexical(args: &[&str]) -> Result<()> {
    let python = option(args, "--python").map(PathBuf::from).context(
        "bench lexical needs --python PYTHON, an interpreter with ranx and sacrebleu installed",
    )?;
    let records: u32 = option(args, "--records").unwrap_or("10000").parse().context("--records")?;
    ensure!(records > 0, "--records must be at least 1");
    let binary = build(args)?;
    let work = std::env::temp_dir().join("ragmeter-bench-lexical");
    let _ = std::fs::remove_dir_all(&work);
    std::fs::create_dir_all(&work)?;
    let (file, script) = (work.join("records.jsonl"), work.join("lexical.py"));
    std::fs::write(&file, generated(records))?;
    std::fs::write(&script, SCRIPT)?;
    let theirs = |file: &Path| measured(Command::new(&python).arg(&script).arg(file));
    // ranx compiles at its first use: that is not timed.
    let few = work.join("few.jsonl");
    std::fs::write(&few, generated(20))?;
    theirs(&few)?;
    let theirs = theirs(&file)?;
    let ours = measured(
        Command::new(&binary)
            .arg("score")
            .arg(&file)
            .args(["--metrics", METRICS, "--format", "json", "--store"])
            .arg(work.join("store")),
    )?;
    let found: Value = serde_json::from_str(&theirs.out).context("what the peers print")?;
    let versions = found["versions"].as_str().unwrap_or("ranx, sacrebleu");
    let names = found["means"].as_object().context("the peers' means are missing")?;
    println!("{records} records, k = {CONTEXTS}, {}\n", binary.display());
    println!("| tool | metrics | wall s | CPU s | peak memory |");
    println!("|---|---|---|---|---|");
    for (tool, count, one) in
        [(versions, names.len(), &theirs), ("ragmeter", METRICS.split(',').count(), &ours)]
    {
        println!("| {tool} | {count} | {:.1} | {:.1} | {:.0} MiB |", one.wall, one.cpu, one.memory);
    }
    println!(
        "\nwall: {:.2} times as fast; of the peers' {:.1} s, imports {:.1}, ranx {:.1}, sacreBLEU {:.1}",
        theirs.wall / ours.wall,
        theirs.wall,
        found["import"].as_f64().unwrap_or(f64::NAN),
        found["ranx"].as_f64().unwrap_or(f64::NAN),
        found["sacrebleu"].as_f64().unwrap_or(f64::NAN)
    );
    agree(names, &serde_json::from_str(&ours.out)?)?;
    let _ = std::fs::remove_dir_all(&work);
    Ok(())
}

/// Every mean that the peers give beside ours.
fn agree(theirs: &serde_json::Map<String, Value>, ours: &Value) -> Result<()> {
    let summaries = ours["systems"][0]["summaries"].as_array().context("no summaries")?;
    let mut apart = Vec::new();
    println!("\n| mean of | peers | ragmeter |\n|---|---|---|");
    for (metric, their) in theirs {
        let our = summaries.iter().find(|one| one["metric"] == **metric);
        let our = our.and_then(|one| one["mean"].as_f64()).unwrap_or(f64::NAN);
        let their = their.as_f64().unwrap_or(f64::NAN);
        println!("| {metric} | {their:.9} | {our:.9} |");
        // Not a number is apart from everything.
        if (their - our).abs().partial_cmp(&APART) != Some(std::cmp::Ordering::Less) {
            apart.push(metric.as_str());
        }
    }
    if !apart.is_empty() {
        bail!("{} differ by more than {APART}", apart.join(", "));
    }
    Ok(())
}

/// Records of 40 words with a third of them changed, five contexts of 80 words, and two relevant
/// contexts, of which some were not retrieved.
fn generated(records: u32) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let words: Vec<String> = (0..4000).map(|_| word(&mut random)).collect();
    let mut out = String::new();
    for record in 0..records {
        let reference = text(&mut random, &words, 40);
        let contexts: Vec<String> = (0..CONTEXTS).map(|_| text(&mut random, &words, 80)).collect();
        let first = below(&mut random, 8);
        let relevant = [first, (first + 1 + below(&mut random, 7)) % 8];
        let answer: Vec<&str> = reference
            .split(' ')
            .map(|word| if below(&mut random, 3) == 0 { any(&mut random, &words) } else { word })
            .collect();
        let named = |rank: u32| format!("doc-{record}-{rank}");
        let proofs: Vec<String> = relevant
            .iter()
            .map(|&rank| match contexts.get(rank as usize) {
                Some(context) => context.clone(),
                None => text(&mut random, &words, 80),
            })
            .collect();
        let row = json!({
            "id": record.to_string(),
            "question": text(&mut random, &words, 10),
            "answer": answer.join(" "),
            "reference": reference,
            "contexts": (0..).zip(&contexts)
                .map(|(rank, text)| json!({ "id": named(rank), "text": text }))
                .collect::<Vec<_>>(),
            "reference_contexts": proofs,
            "reference_context_ids": relevant.map(named),
        });
        let _ = writeln!(out, "{row}");
    }
    out
}

fn below(random: &mut ChaCha8Rng, most: u32) -> u32 {
    random.next_u32() % most
}

fn any<'a>(random: &mut ChaCha8Rng, words: &'a [String]) -> &'a str {
    &words[below(random, words.len() as u32) as usize]
}

fn word(random: &mut ChaCha8Rng) -> String {
    let of = |random: &mut ChaCha8Rng, letters: &[u8]| {
        char::from(letters[below(random, letters.len() as u32) as usize])
    };
    let syllables = 1 + below(random, 4);
    (0..syllables).flat_map(|_| [of(random, b"bcdfghklmnprstvz"), of(random, b"aeiou")]).collect()
}

/// A sentence: a comma after every eleventh word, a full stop at the end.
fn text(random: &mut ChaCha8Rng, words: &[String], count: usize) -> String {
    let mut text = String::new();
    for at in 1..=count {
        text.push_str(any(random, words));
        text.push_str(match at {
            _ if at == count => ".",
            _ if at % 11 == 0 => ", ",
            _ => " ",
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_the_same_every_time_and_has_what_the_metrics_need() {
        let file = generated(50);
        assert_eq!(file, generated(50));
        let rows: Vec<Value> =
            file.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(rows.len(), 50);
        let relevant = |row: &Value| {
            let ids = row["reference_context_ids"].as_array().expect("ids").clone();
            let of = |rank: usize| row["contexts"][rank]["id"].clone();
            ((0..5).filter(|&rank| ids.contains(&of(rank))).count(), ids[0] == ids[1])
        };
        let found: Vec<(usize, bool)> = rows.iter().map(relevant).collect();
        assert!(found.iter().all(|(_, same)| !same));
        assert!((0..=2).all(|hits| found.iter().any(|(count, _)| *count == hits)));
        assert!(rows.iter().all(|row| row["answer"] != row["reference"]));
    }
}
