//! The HTML report, parsed as a browser would parse it.
#![allow(clippy::unwrap_used, reason = "what is not there fails the test")]

mod common;

use std::collections::BTreeSet;

use ragmeter_analysis::{RunData, SystemData, html};
use ragmeter_core::{Absence, AbsenceClass, Lang, Outcome, Support};
use scraper::{ElementRef, Html, Selector};

fn parse(run: &RunData, lang: Lang) -> Html {
    Html::parse_document(&html(run, lang))
}

fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

#[test]
fn nothing_in_an_answer_becomes_markup() {
    for lang in Lang::ALL {
        let page = parse(&common::troubled(lang), lang);
        assert!(all(&page, "img, iframe, object, link, form").is_empty());
        // The data of the list of cases, and the script that shows it.
        let scripts: Vec<Option<&str>> =
            all(&page, "script").iter().map(|script| script.attr("type")).collect();
        assert_eq!(scripts, [Some("application/json"), None]);
        let answers = all(&page, ".answer .text");
        let hostile = answers.iter().find(|answer| text(**answer).contains("alert(1)")).unwrap();
        assert!(text(*hostile).contains("<img src=x"));
        let handlers = all(&page, "*").into_iter().flat_map(|e| e.value().attrs());
        assert!(handlers.into_iter().all(|(name, _)| !name.starts_with("on") && name != "style"));
    }
}

#[test]
fn the_page_loads_nothing() {
    let source = html(&common::troubled(Lang::En), Lang::En);
    assert!(!source.contains("url(") && !source.contains("@import"));
    let page = Html::parse_document(&source);
    assert!(all(&page, "[src], [srcset]").is_empty());
    for link in all(&page, "[href]") {
        assert!(link.attr("href").is_some_and(|href| href.starts_with('#')));
    }
    let policy = all(&page, "meta[http-equiv=Content-Security-Policy]")[0].attr("content").unwrap();
    assert!(policy.starts_with("default-src 'none'"));
}

#[test]
fn ids_are_unique_and_links_lead_somewhere() {
    let page = parse(&common::troubled(Lang::En), Lang::En);
    let ids: Vec<&str> = all(&page, "[id]").iter().filter_map(|e| e.attr("id")).collect();
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), known.len());
    for link in all(&page, "a[href]") {
        let target = link.attr("href").and_then(|href| href.strip_prefix('#')).unwrap();
        assert!(known.contains(target), "{target}");
    }
}

/// Class and words of every claim of the page's first system.
fn claims(run: &RunData) -> Vec<(String, String)> {
    let page = parse(run, Lang::En);
    let claims = all(&page, ".system:first-of-type .claim");
    claims.iter().map(|claim| (claim.attr("class").unwrap().to_owned(), text(*claim))).collect()
}

#[test]
fn flipping_one_verdict_changes_that_claim_alone() {
    let mut run = common::planted(Lang::En);
    run.systems.retain(|system| system.name == "faithful");
    let before = claims(&run);
    assert!(before.iter().all(|(class, _)| class.contains("supported")));
    let facts = &mut run.systems[0].records[2].facts;
    let Some(Ok(support)) = &mut facts.support else { panic!("planted") };
    support.value[1].support = Support::Contradicted;
    let after = claims(&run);
    let changed: Vec<_> = before.iter().zip(&after).filter(|(b, a)| b != a).collect();
    assert_eq!(changed.len(), 1);
    let (class, words) = changed[0].1;
    assert!(class.contains("contradicted") && words.contains("✗ contradicted"), "{class}: {words}");
}

#[test]
fn claims_are_marked_in_the_answer_and_evidence_in_its_context() {
    let mut run = common::planted(Lang::Ru);
    run.systems.retain(|system| system.name == "hallucinating");
    let page = parse(&run, Lang::Ru);
    for style in ["supported", "contradicted", "absent"] {
        let in_answer = all(&page, &format!(".answer .text mark.{style}"));
        assert!(!in_answer.is_empty(), "{style}");
    }
    let Some(Ok(support)) = &run.systems[0].records[0].facts.support else { panic!("planted") };
    let quote = support.value.iter().find_map(|verdict| verdict.quote.clone()).unwrap();
    assert!(all(&page, ".context mark.evidence").iter().any(|mark| text(*mark) == quote));
}

#[test]
fn the_reference_is_coloured_by_what_the_contexts_hold() {
    let mut run = common::planted(Lang::En);
    run.systems.retain(|system| system.name == "reference_true");
    let page = parse(&run, Lang::En);
    assert!(all(&page, ".reference mark.supported").is_empty());
    assert!(!all(&page, ".reference mark.absent").is_empty());
}

#[test]
fn means_stand_with_their_counts_and_a_drawn_interval() {
    let run = common::troubled(Lang::En);
    let page = parse(&run, Lang::En);
    let cells = all(&page, ".matrix td");
    assert_eq!(cells.len(), run.systems.len() * run.metrics.len());
    for cell in &cells {
        let words = text(*cell);
        if words.contains("no score") {
            continue;
        }
        assert!(words.contains("n\u{a0}=\u{a0}"), "{words}");
        let bar = cell.select(&Selector::parse("svg .bar").unwrap()).next().unwrap();
        assert!(bar.attr("width").unwrap().parse::<f64>().unwrap() > 0.0);
    }
    let failed = all(&page, ".matrix .bad").iter().any(|cell| text(*cell).contains("failed: "));
    assert!(failed, "failures stand beside the mean");
    let classes = text(all(&page, "#failures")[0]);
    assert!(classes.contains("unparsable reply") && classes.contains("HTTP 502"));
}

#[test]
fn the_verdict_comes_first_and_in_words() {
    let run = common::repeated(Lang::Ru, &["faithful", "hallucinating"], 5);
    let page = parse(&run, Lang::Ru);
    let sections = all(&page, "main > section");
    assert_eq!(sections[0].attr("id"), Some("verdict"));
    let words = text(sections[0]);
    assert!(words.contains("хуже: hallucinating"), "{words}");
}

#[test]
fn the_same_records_give_the_same_page() {
    for lang in Lang::ALL {
        assert_eq!(html(&common::troubled(lang), lang), html(&common::troubled(lang), lang));
    }
}

#[test]
fn a_russian_page_speaks_russian() {
    let run = common::troubled(Lang::Ru);
    let page = parse(&run, Lang::Ru);
    assert_eq!(all(&page, "html")[0].attr("lang"), Some("ru"));
    for element in all(&page, "h1, h2, h4, h5, thead th, .lead, .note, .chip, .claim .ruling, dd") {
        let words = text(element);
        let has_cyrillic = words.chars().any(|c| ('а'..='я').contains(&c.to_ascii_lowercase()));
        let is_name = run.systems.iter().any(|system| words.starts_with(&system.name));
        assert!(has_cyrillic || is_name || words.trim().is_empty(), "{words}");
    }
    for number in all(&page, ".figure, .outcomes td:nth-child(2)") {
        assert!(!text(number).contains('.'), "{}", text(number));
    }
}

#[test]
fn long_texts_are_folded_and_kept_whole() {
    let mut run = common::troubled(Lang::En);
    let page = parse(&run, Lang::En);
    let folded = all(&page, ".context > details.more");
    assert!(!folded.is_empty() && folded.iter().all(|fold| fold.attr("open").is_none()));
    let whole = folded[0].parent().and_then(ElementRef::wrap).unwrap();
    assert_eq!(text(whole).matches("很长的上下文").count(), 120);

    // Evidence is not folded away: what stands before it is, and its own surroundings are not.
    let contexts = run.systems[1].records[0].record.contexts.as_mut().unwrap();
    contexts[0].text.insert_str(0, &"Before the evidence. ".repeat(100));
    let page = parse(&run, Lang::En);
    let before = |fold: &ElementRef<'_>| text(*fold).contains("Before the evidence.");
    assert!(all(&page, ".context > details.more").iter().any(before));
    assert!(all(&page, ".context > .text").iter().any(before));
    assert!(all(&page, ".context details.more mark").is_empty());
}

#[test]
fn spans_that_do_not_fit_are_listed_and_do_no_harm() {
    let page = parse(&common::troubled(Lang::En), Lang::En);
    let notes = all(&page, ".claim .ruling").into_iter().map(text);
    assert!(notes.into_iter().any(|note| note.contains("not found word for word")));
}

#[test]
fn pages_of_almost_nothing_are_pages() {
    for lang in Lang::ALL {
        let empty = parse(&RunData::default(), lang);
        assert_eq!(all(&empty, ".notice").len(), 1);

        let mut one = common::planted(lang);
        one.systems.truncate(1);
        one.systems[0].records.truncate(1);
        let one = parse(&one, lang);
        assert_eq!(all(&one, ".case").len(), 1);
        assert!(all(&one, "#differences").is_empty());

        let mut failed = common::planted(lang);
        failed.systems.truncate(2);
        for record in failed.systems.iter_mut().flat_map(|system| &mut system.records) {
            record.facts = ragmeter_core::RecordFacts::default();
            for outcome in record.outcomes.values_mut() {
                let detail = "connection refused".to_owned();
                *outcome = Outcome::Failed(Absence { class: AbsenceClass::Unreachable, detail });
            }
        }
        let failed = parse(&failed, lang);
        assert_eq!(all(&failed, "#failures tbody tr").len(), 12);
        assert!(all(&failed, ".case").is_empty());

        let mut nobody = common::planted(lang);
        nobody.systems = vec![SystemData { name: "silent".to_owned(), ..SystemData::default() }];
        assert_eq!(all(&parse(&nobody, lang), ".notice").len(), 1);
    }
}
