//! What the page holds beside the verdict: exhibits, chosen cases, the list of all cases.
#![allow(clippy::unwrap_used, reason = "what is not there fails the test")]

mod common;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ragmeter_analysis::{
    Conflict, Dimension, Reason, breakdowns, choose, costs, html, json, markdown, relations,
};
use ragmeter_core::Lang;
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest, Sha256};

fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

#[test]
fn a_report_of_5000_cases_is_under_10_megabytes() {
    let run = common::large(5_000);
    let page = html(&run, Lang::Ru);
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
    let page = Html::parse_document(&page);
    let data: serde_json::Value = serde_json::from_str(&text(all(&page, "#all-cases")[0])).unwrap();
    assert_eq!(data["cases"].as_array().unwrap().len(), 5_000);
    // Rows are made by the script; without it the document holds the chosen cases alone.
    assert!(all(&page, ".case").len() <= 36 + 18 + 24);
    assert!(all(&page, "*").len() < 60_000);
    assert!(markdown(&run, Lang::Ru).len() < 60_000, "GitHub refuses longer comments");
}

#[test]
fn very_long_contexts_are_cut_away_from_the_evidence() {
    let mut run = common::repeated(Lang::En, &["faithful", "hallucinating", "omitting"], 12);
    let whole = html(&run, Lang::En);
    assert!(!whole.contains("left-out"), "ordinary contexts are whole");
    let filler = "A very long context. ".repeat(10_000);
    for record in run.systems.iter_mut().flat_map(|system| &mut system.records) {
        for context in record.record.contexts.iter_mut().flatten() {
            context.text.push_str(&filler);
        }
    }
    let cut = html(&run, Lang::En);
    assert!(cut.len() < 10_000_000, "{} bytes", cut.len());
    let (whole, cut) = (Html::parse_document(&whole), Html::parse_document(&cut));
    let notes: Vec<String> = all(&cut, ".context > .left-out").into_iter().map(text).collect();
    assert!(notes[0].contains("characters not included in this file"), "{}", notes[0]);
    let evidence = |page: &Html| all(page, ".context mark.evidence").len();
    assert!(evidence(&whole) > 0 && evidence(&whole) == evidence(&cut), "no evidence is cut");
}

#[test]
fn the_policy_names_the_style_and_the_script_by_their_hashes() {
    let page = Html::parse_document(&html(&common::troubled(Lang::En), Lang::En));
    let policy = all(&page, "meta[http-equiv=Content-Security-Policy]")[0].attr("content").unwrap();
    let hash = |selector: &str, rule: &str| {
        let element = all(&page, selector)[0];
        let hash = STANDARD.encode(Sha256::digest(text(element)));
        assert!(policy.contains(&format!("{rule} 'sha256-{hash}';")), "{rule} {hash} in {policy}");
    };
    hash("style", "style-src");
    hash("script:not([type])", "script-src");
    let script = text(all(&page, "script:not([type])")[0]);
    for banned in
        ["eval(", "innerHTML", "insertAdjacentHTML", "document.write", "fetch(", "import("]
    {
        assert!(!script.contains(banned), "{banned}");
    }
}

#[test]
fn disputes_are_found_where_they_are() {
    let mut run = common::planted(Lang::En);
    run.systems.retain(|system| system.name == "faithful" || system.name == "hallucinating");
    assert!(
        choose(&run).disputed.iter().all(|one| !matches!(one.reason, Reason::JudgeConflict { .. }))
    );
    let record = &mut run.systems[0].records[4];
    let id = record.record.case_id.clone();
    let Some(Ok(support)) = &mut record.facts.support else { panic!("planted") };
    support.value[0].probability = Some(0.55);
    support.value[0].quote_dropped = true;
    let choice = choose(&run);
    let conflicts: Vec<_> = choice
        .disputed
        .iter()
        .filter_map(|one| match &one.reason {
            Reason::JudgeConflict { conflicts } => Some((one.case.clone(), conflicts.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(conflicts, [(id, vec![Conflict::Undecided, Conflict::QuoteDropped])]);
    assert!(choice.changed.iter().all(|one| one.systems == ["faithful", "hallucinating"]));
    assert!(
        choice.changed.iter().any(|one| matches!(one.reason, Reason::Changed { by } if by < 0.0))
    );
}

#[test]
fn groups_hold_their_own_means_and_small_ones_no_interval() {
    let mut run = common::repeated(Lang::En, &["faithful", "hallucinating"], 3);
    for (index, case) in run.cases.iter_mut().enumerate() {
        case.tags = vec!["kind:a".to_owned(), if index < 4 { "few" } else { "many" }.to_owned()];
        case.source = Some(format!("{}.md", index % 20));
        case.lang = Some(Lang::En);
    }
    let made = breakdowns(&run);
    let dimensions: Vec<&Dimension> = made.iter().map(|one| &one.dimension).collect();
    assert_eq!(dimensions, [&Dimension::Tag, &Dimension::Document], "one group is no breakdown");
    let [many, few] = made[0].groups.as_slice() else { panic!("two tags") };
    assert_eq!((many.name.as_str(), many.n_cases, few.n_cases), ("many", 23, 4));
    let scores = |from: usize, to: usize| -> Vec<f64> {
        run.systems[1].records[from..to].iter().filter_map(|r| r.score("faithfulness")).collect()
    };
    let (of_few, of_many) = (scores(0, 4), scores(4, 27));
    let mean = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len() as f64;
    assert!((few.means[1][0].mean.unwrap() - mean(&of_few)).abs() < 1e-12);
    assert!((many.means[1][0].mean.unwrap() - mean(&of_many)).abs() < 1e-12);
    assert_eq!(few.means[1][0].interval, None);
    assert!(many.means[1][0].interval.is_some());
    let documents = &made[1].groups;
    assert_eq!(documents.len(), 13);
    assert_eq!(documents[12].gathered, 8, "the rest is gathered");
    assert_eq!(documents.iter().map(|group| group.n_cases).sum::<usize>(), 27);

    // A case on two documents is in the groups of both, and counted as one.
    for (index, case) in run.cases.iter_mut().enumerate() {
        case.source = Some(format!("{}.md", index % 2));
        case.more_sources = if index == 0 { vec!["1.md".to_owned()] } else { Vec::new() };
    }
    let made = breakdowns(&run);
    let groups: Vec<(&str, usize)> =
        made[1].groups.iter().map(|group| (group.name.as_str(), group.n_cases)).collect();
    assert_eq!((groups, made[1].n_ungrouped), (vec![("0.md", 14), ("1.md", 14)], 0));
}

#[test]
fn costs_are_summed_and_what_is_unknown_is_a_question_mark() {
    let mut run = common::planted(Lang::En);
    run.systems.truncate(2);
    for (index, record) in run.systems[0].records.iter_mut().enumerate() {
        record.record.seconds = Some(index as f64);
        record.record.figures.insert("tokens_in".to_owned(), 100.0);
        record.record.figures.insert("cost_usd".to_owned(), 0.25);
    }
    let [first, second] = &costs(&run)[..] else { panic!("two systems") };
    let seconds = first.seconds.unwrap();
    assert_eq!((seconds.n, seconds.mean, seconds.median), (9, 4.0, 4.0));
    assert_eq!(first.money().map(|(_, figure)| figure.total), Some(2.25));
    assert_eq!((second.seconds, second.money()), (None, None));
    let page = Html::parse_document(&html(&run, Lang::En));
    let rows: Vec<String> = all(&page, "#cost .rows tbody tr").into_iter().map(text).collect();
    assert!(
        rows[0].contains("4.00") && rows[0].contains("2.2500") && rows[0].contains("900"),
        "{}",
        rows[0]
    );
    assert_eq!(rows[1].matches('?').count(), 4, "{}", rows[1]);
}

#[test]
fn metrics_are_related_within_a_system() {
    let run = common::repeated(Lang::En, &["faithful", "hallucinating"], 3);
    let all = relations(&run);
    assert_eq!(all.len(), 2 * 6);
    assert!(all.iter().all(|one| one.spearman.is_none_or(|rho| (-1.0..=1.0).contains(&rho))));
    let constant =
        all.iter().find(|one| one.system == "faithful" && one.x == "faithfulness").unwrap();
    assert_eq!(constant.spearman, None, "every score is 1");
}

#[test]
fn forms_are_the_same_bytes_each_time() {
    for lang in Lang::ALL {
        let run = common::troubled(lang);
        assert_eq!(json(&run, lang), json(&run, lang));
        assert_eq!(markdown(&run, lang), markdown(&run, lang));
        let russian = markdown(&run, lang).contains("Вывод");
        assert_eq!(russian, lang == Lang::Ru);
    }
}
