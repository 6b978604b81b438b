use std::path::Path;

use futures::FutureExt as _;
use ragmeter_core::{EmbedRole, Embedder as _};
use ragmeter_local::{E5Embedder, LocalError};

const SETS: [(&str, &str, &[u8]); 2] = [
    (
        "en",
        include_str!("../../testdata/retrieval_en.tsv"),
        include_bytes!("../../testdata/goldens_en.bin"),
    ),
    (
        "ru",
        include_str!("../../testdata/retrieval_ru.tsv"),
        include_bytes!("../../testdata/goldens_ru.bin"),
    ),
];
const TOKENS: &str = include_str!("../../testdata/goldens_tokens.tsv");

/// Questions and paragraphs of one set, in order.
fn columns(set: &str) -> (Vec<&str>, Vec<&str>) {
    set.lines().map(|line| line.split_once('\t').expect("two columns")).unzip()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn vectors_agree_with_the_original_engine() {
    let embedder = E5Embedder::bundled().unwrap();
    for (lang, set, goldens) in SETS {
        let goldens: Vec<Vec<f32>> = goldens
            .chunks_exact(384)
            .map(|row| row.iter().map(|byte| f32::from(byte.cast_signed())).collect())
            .collect();
        let (questions, paragraphs) = columns(set);
        let questions = embedder.embed_texts(&questions, EmbedRole::Query);
        let paragraphs = embedder.embed_texts(&paragraphs, EmbedRole::Passage);
        let ours = questions.iter().zip(&paragraphs).flat_map(|(q, p)| [q, p]);
        let cosines: Vec<_> = ours.zip(&goldens).map(|(a, b)| cosine(a, b)).collect();
        assert_eq!(cosines.len(), 100);
        let worst = cosines.iter().copied().fold(f64::INFINITY, f64::min);
        println!("{lang}: worst {worst:.5}, mean {:.5}", cosines.iter().sum::<f64>() / 100.0);
        assert!(worst >= 0.99, "{lang}: {worst}");
    }
}

#[test]
fn tokens_are_counted_as_by_the_original_engine() {
    let embedder = E5Embedder::bundled().unwrap();
    let mut expected = TOKENS.lines().map(|line| line.rsplit('\t').next().unwrap());
    for (_, set, _) in SETS {
        for line in set.lines() {
            let (question, paragraph) = line.split_once('\t').unwrap();
            // The prefix is two pieces, "query" or "passage" and ":", or more: counted alone.
            for (prefix, text) in [("query: ", question), ("passage: ", paragraph)] {
                let count = embedder.count_tokens(&format!("{prefix}{text}")) + 2;
                assert_eq!(expected.next(), Some(count.to_string().as_str()), "{text}");
            }
        }
    }
}

#[test]
fn questions_find_their_paragraph_among_fifty() {
    let embedder = E5Embedder::bundled().unwrap();
    for ((lang, set, _), least) in SETS.into_iter().zip([0.95, 0.93]) {
        let (questions, paragraphs) = columns(set);
        let questions = embedder.embed_texts(&questions, EmbedRole::Query);
        let paragraphs = embedder.embed_texts(&paragraphs, EmbedRole::Passage);
        let found = questions.iter().enumerate().filter(|(own, question)| {
            let mut order: Vec<_> = (0..paragraphs.len()).collect();
            order.sort_by(|a, b| {
                dot(question, &paragraphs[*b]).total_cmp(&dot(question, &paragraphs[*a]))
            });
            order[0] == *own
        });
        let share = found.count() as f64 / 50.0;
        println!("{lang}: {share}");
        assert!(share >= least, "{lang}: {share}");
    }
}

#[test]
fn vectors_depend_on_neither_threads_nor_neighbours_nor_cache() {
    let (_, paragraphs) = columns(SETS[1].1);
    let alone = E5Embedder::bundled().unwrap().with_threads(1);
    let one_by_one: Vec<_> =
        paragraphs.iter().flat_map(|text| alone.embed_texts(&[text], EmbedRole::Passage)).collect();
    for threads in [1, 3, 8] {
        let embedder = E5Embedder::bundled().unwrap().with_threads(threads);
        for _ in 0..2 {
            assert_eq!(embedder.embed_texts(&paragraphs, EmbedRole::Passage), one_by_one);
        }
    }
}

#[test]
fn odd_texts_have_unit_vectors() {
    let embedder = E5Embedder::bundled().unwrap();
    let long = "слово ".repeat(20_000);
    let dense = "x".repeat(100_000);
    let texts = ["", " ", "\n\t ", "😀👍🏽", "日本語のテキスト", "\u{0}", "ﬁ\u{301}", &long, &dense];
    let vectors = embedder.embed_texts(&texts, EmbedRole::Query);
    for (vector, text) in vectors.iter().zip(texts) {
        assert_eq!(vector.len(), 384);
        assert!((dot(vector, vector) - 1.0).abs() < 1e-5, "{:?}", text.get(..9));
    }
}

#[test]
fn a_text_is_cut_at_the_limit() {
    let embedder = E5Embedder::bundled().unwrap();
    let text = |n: usize| "word ".repeat(n);
    let vectors = embedder.embed_texts(&[&text(600), &text(900), &text(400)], EmbedRole::Passage);
    assert_eq!(vectors[0], vectors[1]);
    assert_ne!(vectors[0], vectors[2]);
}

#[test]
fn offsets_are_in_order_and_at_character_borders() {
    let embedder = E5Embedder::bundled().unwrap();
    for text in
        ["Съешь ещё  этих мягких ﬁне булок, да выпей чаю!", "  spaced   out ", "日本語😀", "", " "]
    {
        let offsets = embedder.token_offsets(text);
        assert_eq!(offsets.len(), embedder.count_tokens(text));
        let mut last = 0;
        for range in &offsets {
            assert!(range.start <= range.end && range.end <= text.len() && range.start >= last);
            assert!(text.get(range.clone()).is_some(), "{range:?} in {text}");
            last = range.start;
        }
        let all: Vec<bool> =
            (0..text.len()).map(|at| offsets.iter().any(|r| r.contains(&at))).collect();
        assert!(all.iter().all(|covered| *covered), "{text}: {offsets:?}");
    }
}

#[test]
fn a_model_is_read_from_a_path_or_refused() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/e5-small-q4.rmm");
    let read = E5Embedder::from_path(&path).unwrap();
    let bundled = E5Embedder::bundled().unwrap();
    assert_eq!(read.fingerprint(), bundled.fingerprint());
    let both = [&read, &bundled].map(|e| e.embed_texts(&["как дела"], EmbedRole::Query));
    assert_eq!(both[0], both[1]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    assert!(matches!(E5Embedder::from_path(&source), Err(LocalError::Format(_))));
    assert!(matches!(E5Embedder::from_path(Path::new("absent")), Err(LocalError::Read { .. })));
}

#[test]
fn the_seam_gives_the_same_vectors() {
    let embedder = E5Embedder::bundled().unwrap();
    let texts = ["один".to_owned(), "two".to_owned()];
    let through = embedder.embed(&texts, EmbedRole::Query).now_or_never().unwrap().unwrap();
    assert_eq!(through.vectors, embedder.embed_texts(&["один", "two"], EmbedRole::Query));
    assert!(!embedder.is_remote());
}
