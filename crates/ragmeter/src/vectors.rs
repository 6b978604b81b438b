//! Facts made of vectors: how near questions, answers and references are to each other.

use std::collections::BTreeMap;

use ragmeter_core::{
    Absence, AbsenceClass, CaseRun, Distances, EmbedRole, Embedder, ErrorClass, Fact, FactKind,
    ModelError, RecordFacts, Source, StoreError, TokenMatch,
};
use ragmeter_local::E5Embedder;
use ragmeter_runner::{Embedded, embed_all};

use crate::evaluate::Bench;

/// Adds the facts of vectors that are wanted; returns the floor of question similarity.
pub(crate) async fn add(
    bench: &Bench<'_>,
    judged: &mut [(CaseRun<'_>, RecordFacts)],
) -> Result<Option<f64>, StoreError> {
    if let Some(encoder) = &bench.tokens {
        tokio::task::block_in_place(|| add_tokens(encoder, judged));
    }
    let Some(embedder) = &bench.embedder else { return Ok(None) };
    let embedder = embedder.as_ref();
    let questions = bench.wanted.has(FactKind::QuestionSimilarity);
    let answers = bench.wanted.has(FactKind::AnswerSimilarity);
    let mut texts: Vec<&str> = Vec::new();
    for (run, facts) in judged.iter() {
        if let Some(implied) = implied(facts).filter(|_| questions) {
            texts.push(&run.case.question);
            texts.extend(implied.iter().map(String::as_str));
        }
        if let Some((answer, reference)) = both(*run).filter(|_| answers) {
            texts.extend([answer, reference]);
        }
    }
    if texts.is_empty() {
        return Ok(None);
    }
    let (events, control) = (bench.events, bench.control);
    let role = EmbedRole::Query;
    let embedded =
        embed_all(&texts, role, embedder, bench.store, bench.concurrency, events, control).await?;
    let source = Source::Local { fingerprint: embedder.fingerprint().to_owned() };
    let failure = || absence(embedded.failure.as_ref());
    for (run, facts) in judged.iter_mut() {
        if questions && let Some(implied) = implied(facts) {
            let cosines = cosines(&embedded, &run.case.question, implied);
            facts.similarity = Some(fact(cosines, &source, failure));
        }
        if answers && let Some((answer, reference)) = both(*run) {
            let vector = |text: &str| embedded.vectors.get(text);
            let near = vector(answer).zip(vector(reference)).map(|(a, b)| distances(a, b));
            facts.answer_similarity = Some(fact(near, &source, failure));
        }
    }
    Ok(if questions { floor(&embedded, judged) } else { None })
}

fn fact<T>(
    value: Option<T>,
    source: &Source,
    failure: impl Fn() -> Absence,
) -> Result<Fact<T>, Absence> {
    value.map(|value| Fact { value, source: source.clone() }).ok_or_else(failure)
}

fn cosines(embedded: &Embedded, question: &str, implied: &[String]) -> Option<Vec<f64>> {
    let asked = embedded.vectors.get(question)?;
    implied.iter().map(|text| Some(cosine(asked, embedded.vectors.get(text)?))).collect()
}

/// Answer and reference, where there are both.
fn both(run: CaseRun<'_>) -> Option<(&str, &str)> {
    run.answer().zip(run.reference())
}

/// Distances of two vectors of unit length. The largest Manhattan distance of such vectors of n
/// numbers is 2 √n; it is given as a share of that.
fn distances(a: &[f32], b: &[f32]) -> Distances {
    let differences = || a.iter().zip(b).map(|(a, b)| f64::from(*a) - f64::from(*b));
    Distances {
        cosine: cosine(a, b),
        euclidean: differences().map(|d| d * d).sum::<f64>().sqrt(),
        manhattan: differences().map(f64::abs).sum::<f64>() / (2.0 * (a.len() as f64).sqrt()),
    }
}

/// BERTScore without idf weights and without rescaling (Zhang et al. 2020, section 3).
fn add_tokens(encoder: &E5Embedder, judged: &mut [(CaseRun<'_>, RecordFacts)]) {
    let mut known: BTreeMap<String, Vec<Vec<f32>>> = BTreeMap::new();
    let fingerprint = format!("{} tokens", encoder.fingerprint());
    for (run, facts) in judged.iter_mut() {
        let Some((answer, reference)) = both(*run) else { continue };
        // References repeat from system to system, answers seldom do.
        let expected =
            known.entry(reference.to_owned()).or_insert_with(|| encoder.token_vectors(reference));
        let given = encoder.token_vectors(answer);
        let source = Source::Local { fingerprint: fingerprint.clone() };
        facts.token_similarity = Some(match token_match(&given, expected) {
            Some(value) => Ok(Fact { value, source }),
            None => Err(Absence {
                class: AbsenceClass::Unsupported,
                detail: "a text without tokens".to_owned(),
            }),
        });
    }
}

fn token_match(answer: &[Vec<f32>], reference: &[Vec<f32>]) -> Option<TokenMatch> {
    let nearest = |of: &Vec<f32>, among: &[Vec<f32>]| {
        among.iter().map(|other| cosine(of, other)).fold(f64::NEG_INFINITY, f64::max)
    };
    let mean = |from: &[Vec<f32>], among: &[Vec<f32>]| {
        from.iter().map(|token| nearest(token, among)).sum::<f64>() / from.len() as f64
    };
    if answer.is_empty() || reference.is_empty() {
        return None;
    }
    let (precision, recall) = (mean(answer, reference), mean(reference, answer));
    let sum = precision + recall;
    let f1 = if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 };
    Some(TokenMatch { precision, recall, f1 })
}

/// The implied questions that are to be compared with the question asked.
fn implied(facts: &RecordFacts) -> Option<&[String]> {
    match &facts.implied {
        Some(Ok(fact)) if !fact.value.noncommittal => Some(&fact.value.questions),
        _ => None,
    }
}

/// Both vectors have unit length.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn absence(failure: Option<&ModelError>) -> Absence {
    let (class, detail) = match failure {
        Some(ModelError { class: ErrorClass::Failed(class), .. }) => {
            (*class, failure.map(ToString::to_string).unwrap_or_default())
        }
        Some(error) => (ragmeter_core::AbsenceClass::Rejected, error.to_string()),
        None => (
            ragmeter_core::AbsenceClass::Budget,
            "not embedded: the run was stopped before".to_owned(),
        ),
    };
    Absence { class, detail }
}

/// Mean cosine of each question with the implied questions of the next case of the same system:
/// what answers to *other* questions score in this very set. Cosines of e5 and its like lie close
/// to 1 for anything, so a score says little without it.
fn floor(embedded: &Embedded, judged: &[(CaseRun<'_>, RecordFacts)]) -> Option<f64> {
    let mut cosines = Vec::new();
    for (index, (run, _)) in judged.iter().enumerate() {
        let others = judged[index + 1..].iter().chain(&judged[..index]);
        let other = others.filter(|(other, _)| other.record.system == run.record.system).find(
            |(other, facts)| other.case.question != run.case.question && implied(facts).is_some(),
        );
        let Some((_, facts)) = other else { continue };
        let Some(asked) = embedded.vectors.get(&run.case.question) else { continue };
        let questions = implied(facts).unwrap_or_default().iter();
        cosines
            .extend(questions.filter_map(|text| Some(cosine(asked, embedded.vectors.get(text)?))));
    }
    (!cosines.is_empty()).then(|| cosines.iter().sum::<f64>() / cosines.len() as f64)
}
