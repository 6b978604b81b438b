//! Metrics of texts: equal to the libraries that people know, right where those are not.

use std::collections::BTreeMap;

use proptest::prelude::*;
use ragmeter_core::{Lang, NotApplicable, Outcome, RecordFacts};
use serde::Deserialize;

use crate::by_text::retrieved;
use crate::records::Judged;

const TOLERANCE: f64 = 1e-9;

/// Those that compare the answer with the reference answer.
const TEXTS: [&str; 14] = [
    "bleu",
    "chrf",
    "chrf_pp",
    "exact_match",
    "exact_match_normalized",
    "hamming_similarity",
    "jaro_similarity",
    "jaro_winkler_similarity",
    "levenshtein_similarity",
    "rouge_1",
    "rouge_2",
    "rouge_l",
    "string_presence",
    "token_f1",
];

pub(crate) fn pair(reference: &str, answer: &str) -> Judged {
    let mut it = Judged::whole();
    it.case.reference = Some(reference.to_owned());
    it.record.answer = Some(answer.to_owned());
    it.facts = RecordFacts::default();
    it
}

#[track_caller]
pub(crate) fn near(judged: &Judged, metric: &str, expected: f64, tolerance: f64) {
    let value = judged.value(metric);
    assert!((value - expected).abs() <= tolerance, "{metric}: {value}, not {expected}");
}

#[track_caller]
pub(crate) fn not_applicable(judged: &Judged, metric: &str, why: &str) {
    let expected = Outcome::NotApplicable(NotApplicable { reason: why.to_owned() });
    assert_eq!(judged.outcome(metric), expected, "{metric}");
}

#[track_caller]
pub(crate) fn explanation(judged: &Judged, metric: &str) -> String {
    match judged.outcome(metric) {
        Outcome::Scored(score) => score.explanation,
        other => panic!("{metric}: {other:?}"),
    }
}

#[derive(Deserialize)]
struct Golden {
    reference: String,
    answer: String,
    values: BTreeMap<String, Option<f64>>,
}

#[test]
fn values_are_those_of_sacrebleu_rouge_score_rapidfuzz_and_squad() {
    let text = include_str!("../../goldens/lexical.json");
    let goldens: Vec<Golden> = serde_json::from_str(text).expect("a committed file");
    assert!(goldens.len() >= 100, "{}", goldens.len());
    let mut wrong = Vec::new();
    for golden in &goldens {
        assert_eq!(golden.values.len(), TEXTS.len());
        let judged = pair(&golden.reference, &golden.answer);
        for (metric, expected) in &golden.values {
            let outcome = judged.outcome(metric);
            // An empty answer scores 0 before anything is asked of the reference.
            let expected = expected.or((golden.answer.is_empty()).then_some(0.0));
            let fits = match (outcome.value(), expected) {
                (Some(value), Some(expected)) => (value - expected).abs() <= TOLERANCE,
                (value, expected) => value.is_none() && expected.is_none(),
            };
            if !fits {
                let (right, answer) = (&golden.reference, &golden.answer);
                wrong.push(format!("{metric} {right:?} {answer:?}: {outcome:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// RAGAS's inputs with what the libraries under it say of whole texts.
#[test]
fn the_inputs_of_ragas_have_their_right_values() {
    let cat = "The cat sat on the mat. The dog ran in the park.";
    let rows = [
        (cat, cat, [1.0, 1.0, 1.0, 1.0]),
        (
            "Python is a high-level programming language. It was created by Guido van Rossum.",
            "Python is a programming language. It was developed by Guido van Rossum.",
            [0.5809, 0.7359, 0.8462, 0.8462],
        ),
        (
            "Machine learning is a subset of artificial intelligence. It enables computers to learn from data.",
            "Deep learning uses neural networks. It processes complex patterns in data.",
            [0.0679, 0.2563, 0.2308, 0.2308],
        ),
        (
            "The capital of France is Paris.",
            "Paris is the capital and largest city of France.",
            [0.1104, 0.5644, 0.8, 0.5333],
        ),
    ];
    for (reference, answer, values) in rows {
        let judged = pair(reference, answer);
        for (metric, value) in ["bleu", "chrf", "rouge_1", "rouge_l"].into_iter().zip(values) {
            near(&judged, metric, value, 5e-5);
        }
    }
    let similarities = [
        ("Hello World", "Hallo World", [0.9091, 0.9091, 0.9394, 0.9455]),
        ("Machine learning", "Deep learning", [0.5625, 0.0625, 0.6647, 0.6647]),
        (
            "The capital of France is Paris",
            "Paris is the capital of France",
            [0.3667, 0.0333, 0.7289, 0.7289],
        ),
        (
            "Python is a programming language",
            "Python is a scripting language",
            [0.7812, 0.375, 0.8161, 0.8897],
        ),
        ("abc", "xyz", [0.0; 4]),
        ("Some text", "", [0.0; 4]),
    ];
    let metrics = [
        "levenshtein_similarity",
        "hamming_similarity",
        "jaro_similarity",
        "jaro_winkler_similarity",
    ];
    for (reference, answer, values) in similarities {
        for (metric, value) in metrics.into_iter().zip(values) {
            near(&pair(reference, answer), metric, value, 6e-5);
        }
    }
    for (reference, answer, exact, present) in [
        ("Hello World", "Hello World", 1.0, 1.0),
        ("Hello World", "hello world", 0.0, 0.0),
        ("Test", "Test ", 0.0, 1.0),
        ("cat", "The cat sat on the mat", 0.0, 1.0),
        ("dog", "The cat sat on the mat", 0.0, 0.0),
    ] {
        near(&pair(reference, answer), "exact_match", exact, 0.0);
        near(&pair(reference, answer), "string_presence", present, 0.0);
    }
}

/// RAGAS scores the first sentence alone: 1 for the first pair and 0 for the second (issue 2888).
#[test]
fn bleu_reads_every_sentence() {
    let cat = "The cat sat on the mat. The dog ran in the park.";
    let spoiled = pair(cat, "The cat sat on the mat. Zebras quietly paint blue numbers upstairs.");
    near(&spoiled, "bleu", 0.447_101_861_925_842_1, TOLERANCE);
    let moved = pair(cat, "The dog ran in the park. The cat sat on the mat.");
    near(&moved, "bleu", 0.882_325_871_864_541_7, TOLERANCE);
}

#[test]
fn short_answers_and_wordless_references_say_so() {
    let paris = pair("Paris.", "Paris.");
    near(&paris, "bleu", 0.0, 0.0);
    assert!(explanation(&paris, "bleu").contains("fewer than 4 tokens"));
    not_applicable(&paris, "rouge_2", "the reference answer has no pairs of words");
    for metric in ["rouge_1", "rouge_l", "token_f1", "exact_match_normalized"] {
        near(&paris, metric, 1.0, 0.0);
        not_applicable(&pair("?!", "no"), metric, "the reference answer has no words");
    }
}

type Change = fn(&mut Judged);

#[test]
fn missing_texts_are_not_applicable_and_missing_answers_are_zero() {
    let whole = pair("It weighs 2e30 kg, they say.", "It weighs 2e30 kg, they say.");
    let nothing: [(&str, Change); 4] = [
        ("the answer is empty", |it| it.record.answer = Some(" \n".to_owned())),
        ("the system failed", |it| {
            it.record.answer = None;
            it.record.error = Some("timeout".to_owned());
        }),
        ("the system failed", |it| it.record.error = Some("cut off".to_owned())),
        ("the generator refused or was filtered", |it| it.record.refused_by_model = true),
    ];
    for metric in TEXTS {
        near(&whole, metric, 1.0, 1e-12);
        let mut it = whole.clone();
        it.record.answer = None;
        not_applicable(&it, metric, "the record has no answer");
        for reference in [None, Some(" \n".to_owned())] {
            let mut it = whole.clone();
            it.case.reference = reference;
            not_applicable(&it, metric, "the case has no reference answer");
        }
        for (why, change) in nothing {
            let mut it = whole.clone();
            change(&mut it);
            near(&it, metric, 0.0, 0.0);
            assert_eq!(explanation(&it, metric), why, "{metric}");
        }
    }
}

#[test]
fn explanations_say_how_the_number_came_about() {
    let judged = pair("The cat sat on the mat today.", "The cat sat on a mat.");
    for (metric, expected) in [
        (
            "bleu",
            "7 tokens against 8; precisions of 1- to 4-grams 85.7, 50.0, 40.0, 25.0 %, brevity penalty 0.867",
        ),
        ("rouge_l", "5 words in order shared, of 6 in the answer and 7 in the reference"),
        ("rouge_2", "3 pairs of words shared, of 5 in the answer and 6 in the reference"),
        ("token_f1", "4 words shared, of 4 in the answer and 5 in the reference"),
        ("exact_match", "they differ from character 16 on"),
        ("levenshtein_similarity", "9 edits; the longer text has 29 characters"),
        ("jaro_winkler_similarity", "21 characters against 29, the first 4 the same"),
    ] {
        assert_eq!(explanation(&judged, metric), expected, "{metric}");
    }
}

#[test]
fn an_answer_in_another_language_does_not_match() {
    let language = |question: &str, answer: &str| {
        let mut it = pair("Any.", answer);
        it.case.question = question.to_owned();
        it
    };
    let (en, ru) = ("What is the Sun?", "Что такое Солнце?");
    for (question, answer, expected) in [
        (en, "A star.", 1.0),
        (ru, "Звезда.", 1.0),
        (en, "Звезда.", 0.0),
        (ru, "A star.", 0.0),
        (ru, "Установите PostgreSQL и Redis", 1.0),
        (en, "", 0.0),
    ] {
        near(&language(question, answer), "language_match", expected, 0.0);
    }
    not_applicable(
        &language("2 + 2 = ?", "4"),
        "language_match",
        "the question's language cannot be told",
    );
    not_applicable(&language(en, "42"), "language_match", "the answer's language cannot be told");
    not_applicable(
        &language(en, "太阳是恒星"),
        "language_match",
        "the answer's language cannot be told",
    );
    let mut named = language("Kubernetes?", "Это оркестратор.");
    near(&named, "language_match", 0.0, 0.0);
    named.case.lang = Some(Lang::Ru);
    near(&named, "language_match", 1.0, 0.0);
    named.record.answer = None;
    not_applicable(&named, "language_match", "the record has no answer");
}

fn text() -> impl Strategy<Value = String> {
    "[a-eA-Eтестёа0-3 .,!?«»\"'中国👍\\-]{1,90}"
        .prop_filter("visible", |text| !text.trim().is_empty())
}

/// By the table of the textbook.
fn levenshtein(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let best = (corner + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[b.len()]
}

fn longest_common(a: &[&str], b: &[&str]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut corner = 0;
        for (j, y) in b.iter().enumerate() {
            let best = if x == y { corner + 1 } else { row[j].max(row[j + 1]) };
            corner = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[b.len()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_text_is_like_itself(text in text()) {
        let judged = pair(&text, &text);
        for metric in TEXTS {
            let outcome = judged.outcome(metric);
            let short = metric == "bleu" && explanation(&judged, metric).contains("fewer than 4");
            let wordless = matches!(outcome, Outcome::NotApplicable(_));
            prop_assert!(short || wordless || outcome.value() == Some(1.0), "{metric}: {outcome:?}");
            prop_assert!(!wordless || metric.starts_with("rouge") || metric.ends_with("normalized")
                || metric == "token_f1", "{metric}: {outcome:?}");
        }
    }

    #[test]
    fn what_is_symmetric_is_so(a in text(), b in text()) {
        let (there, back) = (pair(&a, &b), pair(&b, &a));
        for metric in [
            "levenshtein_similarity", "hamming_similarity", "exact_match", "exact_match_normalized",
            "token_f1", "rouge_1", "rouge_2", "rouge_l",
        ] {
            if let (Some(there), Some(back)) = (there.outcome(metric).value(), back.outcome(metric).value())
            {
                prop_assert!((there - back).abs() < 1e-12, "{metric}: {there} and {back}");
            }
        }
    }

    #[test]
    fn edits_and_subsequences_are_those_of_the_textbook(
        a in prop::collection::vec("[abc]", 1..200), b in prop::collection::vec("[abc]", 1..200)
    ) {
        let (left, right) = (a.concat(), b.concat());
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        let expected = 1.0 - levenshtein(&chars(&left), &chars(&right)) as f64
            / left.len().max(right.len()) as f64;
        near(&pair(&left, &right), "levenshtein_similarity", expected, 1e-12);
        // Half of the longer text may be edited, and no more.
        let found = f64::from(u8::from(expected >= 0.5));
        near(&retrieved(&[&left], &[&right]), "context_recall_non_llm", found, 0.0);
        let common = longest_common(
            &a.iter().map(String::as_str).collect::<Vec<_>>(),
            &b.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        near(&pair(&a.join(" "), &b.join(" ")), "rouge_l",
            2.0 * common as f64 / (a.len() + b.len()) as f64, 1e-12);
    }
}
