use proptest::prelude::*;
use ragmeter_rag::{ChunkSpec, Unit, chunk};
use ragmeter_text::TokenCounter;

use crate::stubs::document;

fn spec(size: usize, overlap: usize) -> ChunkSpec {
    ChunkSpec { unit: Unit::Characters, size, overlap }
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

fn cut(text: &str, size: usize, overlap: usize) -> Vec<String> {
    let chunks = chunk(&document("d", text), &spec(size, overlap), &characters);
    chunks.into_iter().map(|chunk| chunk.text).collect()
}

#[test]
fn borders_fall_at_paragraphs_then_sentences_then_words() {
    let text = "One two three four. Five six.\n\nSeven eight nine. Ten.";
    assert_eq!(cut(text, 100, 0), [text]);
    assert_eq!(cut(text, 45, 0), ["One two three four. Five six.", "Seven eight nine. Ten."]);
    assert_eq!(cut(text, 20, 0), ["One two three four.", "Five six.", "Seven eight nine.", "Ten."]);
    assert_eq!(cut("one two three four five", 10, 0), ["one two", "three four", "five"]);
    assert_eq!(cut("абвгдежзик", 4, 0), ["абвг", "дежз", "ик"]);
    assert_eq!(cut("👩‍👩‍👧👩‍👩‍👧", 3, 0), ["👩‍👩‍👧", "👩‍👩‍👧"]);
    assert_eq!(cut("今天天气很好。我们去公园。", 8, 0), ["今天天气很好。", "我们去公园。"]);
}

#[test]
fn overlap_is_made_of_whole_sentences() {
    let text = "Один два. Три четыре. Пять шесть. Семь восемь.";
    assert_eq!(
        cut(text, 25, 12),
        ["Один два. Три четыре.", "Три четыре. Пять шесть.", "Пять шесть. Семь восемь."]
    );
    assert_eq!(cut(text, 25, 5), ["Один два. Три четыре.", "Пять шесть. Семь восемь."]);
}

#[test]
fn russian_abbreviations_end_no_chunk() {
    let text = "А. С. Пушкин родился в 1799 г. в Москве. Он жил на ул. Арбат, д. 53.";
    assert_eq!(
        cut(text, 42, 0),
        ["А. С. Пушкин родился в 1799 г. в Москве.", "Он жил на ул. Арбат, д. 53."]
    );
}

#[test]
fn a_heading_stays_with_what_follows() {
    let text = "Intro sentence of the page here.\n\nHeading\n\nBody one. Body two is longer.";
    assert_eq!(
        cut(text, 45, 0),
        ["Intro sentence of the page here.", "Heading\n\nBody one. Body two is longer."]
    );
    assert_eq!(cut("Only\n\nHeadings\n\nHere", 10, 0).concat(), "OnlyHeadingsHere");
}

#[test]
fn repeats_in_one_document_have_ids_of_their_own() {
    let chunks = chunk(&document("d", "Same.\n\nSame.\n\nSame."), &spec(6, 0), &characters);
    let mut ids: Vec<_> = chunks.iter().map(|chunk| &chunk.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[test]
fn tokens_of_a_named_tokenizer() {
    let counter = TokenCounter::by_name("o200k_base").unwrap();
    let text = "Маяк стоит на мысу и виден издалека. ".repeat(200);
    let spec = ChunkSpec { unit: Unit::Tokens("o200k_base".into()), size: 64, overlap: 16 };
    let chunks = chunk(&document("d", &text), &spec, &|text| counter.count(text));
    assert!(chunks.iter().all(|chunk| counter.count(&chunk.text) <= 64));
    assert!(counter.count(&chunks[0].text) > 40);
}

#[test]
fn impossible_sizes_are_refused() {
    assert!(spec(0, 0).check().is_err());
    assert!(spec(10, 10).check().unwrap_err().contains("overlap"));
    assert!(spec(10, 9).check().is_ok());
}

#[test]
fn long_documents_take_linear_time() {
    for unit in ["слово ", "Слово. ", "x", "- a\n", "\n\nH"] {
        let text = unit.repeat(300_000 / unit.len());
        let started = std::time::Instant::now();
        assert!(!cut(&text, 1000, 200).is_empty());
        assert!(started.elapsed().as_secs() < 10, "{unit:?} {:?}", started.elapsed());
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,10}",
        "[а-яё]{1,14} ",
        "[A-Z][a-z]{0,6}\\. ",
        Just("\n\n".to_owned()),
        Just("\n- ".to_owned()),
        Just("。".to_owned()),
        Just("👩‍👩‍👧".to_owned()),
        Just("a\u{301}\u{302}\u{303}\u{304}".to_owned()),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn chunks_fit_cover_and_stand_where_they_say(
        text in any_text(), size in 1_usize..40, share in 0.0..0.9_f64,
    ) {
        let overlap = (size as f64 * share) as usize;
        let doc = document("d", &text);
        let chunks = chunk(&doc, &spec(size, overlap), &characters);
        let mut covered = vec![false; text.len()];
        let mut last = 0..0;
        for chunk in &chunks {
            prop_assert_eq!(&doc.text[chunk.span.clone()], &chunk.text);
            let single = unicode_segmentation::UnicodeSegmentation::graphemes(&*chunk.text, true)
                .count() == 1;
            prop_assert!(characters(&chunk.text) <= size || single);
            prop_assert!(chunk.span.start >= last.start && chunk.span.end > last.end);
            if chunk.span.start < last.end {
                let repeated = &text[chunk.span.start..last.end];
                prop_assert!(characters(repeated) <= overlap);
            }
            last = chunk.span.clone();
            covered[chunk.span.clone()].fill(true);
        }
        let lost = text.char_indices().find(|(at, c)| !c.is_whitespace() && !covered[*at]);
        prop_assert_eq!(lost, None);
        let again = chunk(&doc, &spec(size, overlap), &characters);
        prop_assert_eq!(chunks, again);
    }
}
