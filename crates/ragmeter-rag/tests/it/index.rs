use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ragmeter_core::{Document, Embedder, Retriever};
use ragmeter_rag::{
    Bm25, ChunkSpec, Corpus, IndexKind, IndexRetriever, IndexSpec, Indexed, Unit, index_documents,
    maximal_marginal_relevance, reciprocal_rank_fusion,
};

use crate::stubs::{HashEmbedder, block_on, document};

const SPEC: ChunkSpec = ChunkSpec { unit: Unit::Characters, size: 200, overlap: 0 };

fn documents() -> Vec<Document> {
    vec![
        document("ru/модель.html", "Мы сравнили модели и оценивали их ответы."),
        document("ru/мёд.html", "Мёд собирают летом на острове."),
        document("ru/маяк.html", "Маяк Орло поднимается на тридцать четыре метра."),
        document("en/lamp.html", "The lamp was lit in 1893. Keepers were running the station."),
        document("en/horn.html", "A fog horn sounds when the cape is hidden."),
        document("copy.html", "A fog horn sounds when the cape is hidden."),
    ]
}

fn index(
    documents: &[Document],
    embedder: Option<&dyn Embedder>,
    folder: Option<&std::path::Path>,
) -> Result<Indexed, ragmeter_rag::IndexError> {
    let count = |text: &str| text.chars().count();
    block_on(index_documents(documents, &SPEC, &count, embedder, folder))
}

fn find(spec: IndexSpec, question: &str, k: usize) -> Vec<(String, f64)> {
    let embedder = Arc::new(HashEmbedder::default());
    let corpus = index(&documents(), Some(&*embedder), None).unwrap().corpus;
    let retriever = IndexRetriever::new(Arc::new(corpus), spec, Some(embedder)).unwrap();
    let found = block_on(retriever.retrieve(question, k)).unwrap();
    found.into_iter().map(|found| (found.chunk.source, found.score)).collect()
}

fn kind(kind: IndexKind) -> IndexSpec {
    IndexSpec { kind, ..IndexSpec::default() }
}

#[test]
fn words_are_found_in_every_form_of_either_language() {
    for (question, source) in [
        ("моделью", "ru/модель.html"),
        ("оценивать", "ru/модель.html"),
        ("мед", "ru/мёд.html"),
        ("МАЯКИ", "ru/маяк.html"),
        ("who runs stations", "en/lamp.html"),
        ("1893", "en/lamp.html"),
    ] {
        let found = find(kind(IndexKind::Bm25), question, 1);
        assert_eq!(found.first().map(|(source, _)| source.as_str()), Some(source), "{question}");
    }
    assert_eq!(find(kind(IndexKind::Bm25), "космос", 5), []);
}

#[test]
fn bm25_equals_the_golden_values() {
    let goldens: serde_json::Value =
        serde_json::from_str(include_str!("../../goldens/bm25.json")).unwrap();
    let texts: Vec<&str> =
        goldens["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let index = Bm25::new(texts.iter().copied());
    for query in goldens["queries"].as_array().unwrap() {
        let mut scores = vec![0.0; texts.len()];
        for (text, score) in index.scores(query["query"].as_str().unwrap()) {
            scores[text] = score;
        }
        for (text, golden) in query["scores"].as_array().unwrap().iter().enumerate() {
            let golden = golden.as_f64().unwrap();
            assert!((scores[text] - golden).abs() < 1e-12, "{query} {text}: {}", scores[text]);
        }
    }
}

#[test]
fn equal_scores_are_ordered_by_id_whatever_the_order_of_files() {
    let texts = documents();
    let rank = |documents: &[Document]| {
        let corpus = Arc::new(index(documents, None, None).unwrap().corpus);
        let retriever = IndexRetriever::new(corpus, IndexSpec::default(), None).unwrap();
        let found = block_on(retriever.retrieve("fog horn", 5)).unwrap();
        found.into_iter().map(|found| found.chunk.id).collect::<Vec<_>>()
    };
    let reversed: Vec<Document> = texts.iter().rev().cloned().collect();
    assert_eq!(rank(&texts), rank(&reversed));
    assert_eq!(rank(&texts).len(), 2);
}

#[test]
fn rrf_by_hand() {
    // Item 7: first of the first ranking, second of the second one, which weighs half.
    let fused = reciprocal_rank_fusion(&[(1.0, vec![7, 3]), (0.5, vec![5, 7])]);
    assert_eq!(fused, [(3, 1.0 / 62.0), (5, 0.5 / 61.0), (7, 1.0 / 61.0 + 0.5 / 62.0)]);
}

#[test]
fn mmr_by_hand() {
    // Items 0 and 1 are twins. With λ = 0.5: 0 first (0.5), then 2 (0.3 − 0.05 = 0.25) before
    // 1 (0.45 − 0.5 = −0.05).
    let similarity = |one: usize, other: usize| if one + other == 1 { 1.0 } else { 0.1 };
    let relevance = [1.0, 0.9, 0.6];
    assert_eq!(maximal_marginal_relevance(&relevance, &similarity, 0.5, 3), [0, 2, 1]);
    assert_eq!(maximal_marginal_relevance(&relevance, &similarity, 1.0, 2), [0, 1]);
    assert_eq!(maximal_marginal_relevance(&[], &similarity, 0.5, 3), Vec::<usize>::new());
}

#[test]
fn dense_and_hybrid() {
    let question = "The lamp was lit in 1893. Keepers were running the station.";
    let dense = find(kind(IndexKind::Dense), question, 6);
    assert_eq!(dense.len(), 6);
    assert_eq!(dense[0].0, "en/lamp.html");
    assert!((dense[0].1 - 1.0).abs() < 1e-5);
    assert!(dense.is_sorted_by(|one, other| one.1 >= other.1));
    let hybrid = find(kind(IndexKind::Hybrid), question, 1);
    assert_eq!(hybrid, [("en/lamp.html".to_owned(), 2.0 / 61.0)]);
    let weighted = IndexSpec { weights: [3.0, 0.5], ..kind(IndexKind::Hybrid) };
    assert!((find(weighted, question, 1)[0].1 - 3.5 / 61.0).abs() < 1e-12);
}

#[test]
fn diversity_and_threshold() {
    let question = "fog horn on the cape, lamp";
    let plain = find(kind(IndexKind::Bm25), question, 2);
    let sources = |found: &[(String, f64)]| found.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
    let mut twins = sources(&plain);
    twins.sort();
    assert_eq!(twins, ["copy.html", "en/horn.html"]);
    let diverse = IndexSpec { mmr: Some(0.3), ..IndexSpec::default() };
    assert!(sources(&find(diverse, question, 2)).contains(&"en/lamp.html".to_owned()));
    let strict = IndexSpec { threshold: Some(plain[0].1 + 0.1), ..IndexSpec::default() };
    assert_eq!(find(strict, question, 2), []);
}

#[test]
fn impossible_settings_are_refused() {
    let corpus = Arc::new(Corpus::lexical(vec![]));
    let refused = |spec: IndexSpec| IndexRetriever::new(corpus.clone(), spec, None).is_err();
    assert!(refused(kind(IndexKind::Dense)));
    assert!(refused(IndexSpec { mmr: Some(1.5), ..IndexSpec::default() }));
    assert!(refused(IndexSpec { weights: [0.0, 0.0], ..IndexSpec::default() }));
    assert!(refused(IndexSpec { threshold: Some(f64::NAN), ..IndexSpec::default() }));
    assert!(!refused(IndexSpec::default()));
}

/// The file of vectors in an index folder.
fn vectors(folder: &Path) -> PathBuf {
    let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.find(|file| file.extension().is_some_and(|kind| kind == "bin")).unwrap()
}

#[test]
fn an_unchanged_corpus_is_embedded_once_and_each_text_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/index");
    let embedder = HashEmbedder::default();
    let first = index(&documents(), Some(&embedder), Some(&path)).unwrap();
    // Two of the six documents hold the same text.
    assert_eq!((first.stats.chunks, first.stats.embedded, first.stats.reused), (6, 5, 0));
    assert_eq!(embedder.texts.load(Ordering::Relaxed), 5);
    let file = vectors(&path);
    let written = || std::fs::metadata(&file).unwrap().modified().unwrap();
    let before = written();
    let second = index(&documents(), Some(&embedder), Some(&path)).unwrap();
    assert_eq!(written(), before);
    assert_eq!((second.stats.embedded, second.stats.reused), (0, 5));
    assert_eq!(embedder.texts.load(Ordering::Relaxed), 5);

    let mut edited = documents();
    edited[0].text.push_str(" И ещё раз.");
    let third = index(&edited, Some(&embedder), Some(&path)).unwrap();
    assert_eq!((third.stats.embedded, third.stats.reused), (1, 4));
}

#[test]
fn a_damaged_index_is_rebuilt_with_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = HashEmbedder::default();
    index(&documents(), Some(&embedder), Some(folder.path())).unwrap();
    let file = vectors(folder.path());
    let good = std::fs::read(&file).unwrap();
    for damage in [&good[..good.len() / 2], b"", b"{}"] {
        std::fs::write(&file, damage).unwrap();
        let rebuilt = index(&documents(), Some(&embedder), Some(folder.path())).unwrap();
        assert_eq!((rebuilt.stats.embedded, rebuilt.notes.len()), (5, 1));
    }
    let mut flipped = good.clone();
    let middle = flipped.len() - 40;
    flipped[middle] ^= 1;
    std::fs::write(&file, flipped).unwrap();
    assert_eq!(index(&documents(), Some(&embedder), Some(folder.path())).unwrap().notes.len(), 1);
}

#[test]
fn what_was_embedded_before_a_failure_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let failing = HashEmbedder { fail_after: 1, ..HashEmbedder::default() };
    let error = index(&documents(), Some(&failing), Some(folder.path())).unwrap_err();
    assert!(error.to_string().contains("no more"), "{error}");
    let embedder = HashEmbedder::default();
    let stats = index(&documents(), Some(&embedder), Some(folder.path())).unwrap().stats;
    assert_eq!((stats.embedded, stats.reused), (1, 4));
}

#[derive(serde::Deserialize)]
struct Fusions {
    cases: Vec<Fusion>,
}

#[derive(serde::Deserialize)]
struct Fusion {
    weights: Vec<f64>,
    rankings: Vec<Vec<usize>>,
    scores: Vec<(usize, f64)>,
}

#[test]
fn fusion_by_reciprocal_rank_is_that_of_ranx() {
    let goldens: Fusions =
        serde_json::from_str(include_str!("../../goldens/rrf.json")).expect("a committed file");
    for Fusion { weights, rankings, scores } in goldens.cases {
        let ours = reciprocal_rank_fusion(
            &weights.iter().copied().zip(rankings.iter().cloned()).collect::<Vec<_>>(),
        );
        assert_eq!(ours.len(), scores.len(), "{weights:?}, {rankings:?}");
        for ((item, score), (golden_item, golden)) in ours.into_iter().zip(scores) {
            assert_eq!(item, golden_item, "{weights:?}, {rankings:?}");
            assert!((score - golden).abs() < 1e-9, "{weights:?}, {item}: {score}, not {golden}");
        }
    }
}
