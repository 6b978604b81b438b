//! The features that the heads weigh. Training and judging call the same function.

use std::collections::BTreeSet;

use super::overlap::{argmax, distinct, likeness, matches, portion, portion_of, share, weights};
use super::passage::{Sentence, is_negated};
use super::question::{Asked, asked, fits};
use super::rivals::{Nearness, Rivalry, rivals};
use super::token::tokenise;

/// Names of the features, in order. Shares and recalls are in [0, 1] unless said otherwise;
/// "weighted" counts rare terms more; cosines are `(cos - 0.85) * 10`, since the embedder's lie
/// between 0.7 and 1.
pub const FEATURES: [&str; 39] = [
    "recall",                // claim's content terms that stand in any sentence
    "soft_recall",           // the same, weighted, related word forms counting partly
    "sentence_recall",       // best single sentence
    "window_recall",         // best two neighbouring sentences
    "numbers_missing",       // claim's numbers that stand nowhere
    "numbers_elsewhere",     // claim's numbers missing in the best window
    "names_missing",         // claim's names that stand nowhere
    "names_elsewhere",       // claim's names missing in the best window
    "pair_recall",           // neighbouring word pairs of the claim that stand so in a sentence
    "verbatim",              // the claim's words stand in a sentence one after another
    "negation_differs",      // claim and best sentence: one denies, the other does not
    "length",                // ln(1 + content terms)
    "terms_missing",         // soft count of missing content terms, at most 1 for five
    "key_context",           // worst of the claim's numbers and names: recall where it stands
    "any_number",            // the claim has numbers
    "any_name",              // the claim has names
    "claim_cosine",          // claim with its nearest sentence
    "claim_cosine_lexical",  // claim with the sentence of best recall
    "asked_cosine",          // question and claim with their nearest sentence
    "question_claim_cosine", // question with claim
    "question_cosine",       // question with its nearest sentence
    "question_cosine_gap",   // how much nearer that is than the claim's sentence, cosine * 10
    "claim_gain",            // what the claim adds to the question at its sentence, cosine * 10
    "question_in_claim",     // question's terms that the claim repeats, weighted
    "claim_in_question",     // claim's terms that the question has
    "question_recall",       // question's other terms: best window
    "question_recall_claim", // the same in the window that holds the claim
    "question_recall_gap",   // the first less the second
    "proximity",             // how near the claim stands to the question's words
    "proximity_rank",        // the same, relative to the nearest rival of its kind
    "rivals_nearer",         // share of rivals of its kind that stand nearer
    "fits",                  // the claim is of the kind that is asked for: -1, 0, 1
    "question_negation",     // as negation_differs, question and claim's sentence
    "no_terms",              // the claim has no content terms
    "sentence_f1",           // balance of claim recall and sentence precision, best sentence
    "joint_recall",          // question's and claim's terms together, best window
    "question_words",        // question's content terms that stand in any sentence
    "missing_run",           // longest run of content terms that stand nowhere, at most 1 for five
    "weakest_stretch",       // recall of the worst four neighbouring content terms
];

/// What vectors are needed for: the claim's texts and every sentence.
pub(crate) struct Vectors<'a> {
    pub(crate) claim: &'a [f32],
    pub(crate) question: &'a [f32],
    /// Question and claim together.
    pub(crate) both: &'a [f32],
    /// One for each sentence; `None` for those that were not embedded.
    pub(crate) sentences: Vec<Option<&'a [f32]>>,
}

/// The features and the sentence that the claim rests on.
pub(crate) struct Compared {
    pub(crate) features: Vec<f64>,
    /// Index of the best sentence.
    pub(crate) best: usize,
}

/// Product of two unit vectors.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}

fn scaled(cosine: f64) -> f64 {
    (cosine - 0.85) * 10.0
}

/// Sentences that deserve a vector when there are more than `most`: those that share most with
/// the question and the claim.
pub(crate) fn choose(
    question: &str,
    claim: &str,
    sentences: &[&Sentence],
    most: usize,
) -> Vec<bool> {
    if sentences.len() <= most {
        return vec![true; sentences.len()];
    }
    let tokens = tokenise(&format!("{question}\n{claim}"));
    let terms = distinct(&tokens);
    let matches = matches(&terms, sentences);
    let weights = weights(&matches);
    let scores: Vec<_> = (0..sentences.len()).map(|s| share(&weights, |i| matches[i][s])).collect();
    let mut order: Vec<_> = (0..sentences.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let mut chosen = vec![false; sentences.len()];
    order.into_iter().take(most).for_each(|s| chosen[s] = true);
    chosen
}

/// Compares a claim, said in answer to a question, with sentences. `follows[i]`: sentence i + 1
/// belongs to the same context as i.
pub(crate) fn compare(
    question: &str,
    claim: &str,
    sentences: &[&Sentence],
    follows: &[bool],
    vectors: &Vectors<'_>,
) -> Compared {
    let claim_tokens = tokenise(claim);
    let question_tokens = tokenise(question);
    let terms = distinct(&claim_tokens);
    let asked_terms: Vec<_> =
        if question.is_empty() { Vec::new() } else { distinct(&question_tokens) };
    let n = sentences.len();
    let own = matches(&terms, sentences);
    let own_weights = weights(&own);
    let in_question: Vec<f64> = terms
        .iter()
        .map(|t| asked_terms.iter().map(|q| likeness(t, q)).fold(0.0, f64::max))
        .collect();
    let in_claim: Vec<f64> = asked_terms
        .iter()
        .map(|q| terms.iter().map(|t| likeness(q, t)).fold(0.0, f64::max))
        .collect();
    let asked_matches = matches(&asked_terms, sentences);
    let asked_weights = weights(&asked_matches);
    // The question's words that the claim does not repeat.
    let other_weights: Vec<_> =
        asked_weights.iter().zip(&in_claim).map(|(w, c)| if *c > 0.0 { 0.0 } else { *w }).collect();
    let pair = |m: &[f64], s: usize| if follows[s] { m[s].max(m[s + 1]) } else { m[s] };
    let single_recall = |s: usize| share(&own_weights, |i| own[i][s]);
    let window_recall = |s: usize| share(&own_weights, |i| pair(&own[i], s));
    let other_recall = |s: usize| share(&other_weights, |i| pair(&asked_matches[i], s));
    let with = |v: &[f32], s: usize| vectors.sentences[s].map(|x| cosine(v, x));
    let nearest = |v: &[f32]| (0..n).filter_map(|s| with(v, s)).fold(0.7, f64::max);

    // The claim's place: recall first, then the question's words and the meaning.
    let place = argmax(n, |s| {
        let meaning = with(vectors.both, s).unwrap_or(0.7);
        single_recall(s) + 0.3 * other_recall(s) + 2.0 * (meaning - 0.85)
    });
    let window = argmax(n, |s| {
        window_recall(s) + 0.2 * other_recall(s) + f64::from(u8::from(s == place)) * 0.05
    });
    let union = |i: usize| own[i].iter().copied().fold(0.0, f64::max);

    let numbers: BTreeSet<&str> =
        claim_tokens.iter().filter_map(|token| token.number.as_deref()).collect();
    let names: BTreeSet<&str> = claim_tokens
        .iter()
        .filter(|token| token.name && token.number.is_none())
        .map(|token| token.term.as_str())
        .collect();
    let has_number = |s: usize, x: &str| sentences[s].numbers.contains(x);
    let has_name = |s: usize, x: &str| sentences[s].terms.iter().any(|t| likeness(x, t) > 0.0);
    let in_window = |has: &dyn Fn(usize, &str) -> bool, x: &str| {
        has(window, x) || (follows[window] && has(window + 1, x))
    };
    let key = |has: &dyn Fn(usize, &str) -> bool, x: &str| {
        (0..n).filter(|&s| has(s, x)).map(window_recall).fold(0.0, f64::max)
    };
    let keys =
        numbers.iter().map(|x| key(&has_number, x)).chain(names.iter().map(|x| key(&has_name, x)));
    let key_context = keys.fold(window_recall(window), f64::min);

    let sequence: Vec<_> = claim_tokens.iter().map(|t| t.term.as_str()).collect();
    let pairs: BTreeSet<(&str, &str)> = sentences
        .iter()
        .flat_map(|s| s.tokens.windows(2).map(|w| (w[0].term.as_str(), w[1].term.as_str())))
        .collect();
    let pair_count = sequence.windows(2).filter(|w| pairs.contains(&(w[0], w[1]))).count() as f64;
    let pair_recall = if sequence.len() > 1 {
        pair_count / (sequence.len() - 1) as f64
    } else {
        share(&own_weights, union)
    };
    let verbatim = !sequence.is_empty()
        && sentences.iter().any(|s| {
            s.tokens
                .windows(sequence.len())
                .any(|w| w.iter().zip(&sequence).all(|(a, b)| a.term == *b))
        });
    let present: Vec<f64> = (0..terms.len()).map(union).collect();
    let runs = present.split(|m| *m > 0.0).map(<[f64]>::len).max().unwrap_or(0);
    let missing_run = (runs as f64 / 5.0).min(1.0);
    let weakest = present.windows(4.min(present.len().max(1))).map(portion_of).fold(1.0, f64::min);
    let negated = is_negated(claim);
    let differs = |other: bool| f64::from(u8::from(n > 0 && other != sentences[place].negated));
    let precision = |s: usize| {
        let mine: Vec<f64> = sentences[s]
            .terms
            .iter()
            .map(|t| terms.iter().chain(&asked_terms).map(|x| likeness(x, t)).fold(0.0, f64::max))
            .collect();
        if mine.is_empty() { 0.0 } else { mine.iter().sum::<f64>() / mine.len() as f64 }
    };
    let f1 = (0..n).map(|s| {
        let (r, p) = (single_recall(s), precision(s));
        if r + p > 0.0 { 2.0 * r * p / (r + p) } else { 0.0 }
    });

    let asks = !asked_terms.is_empty();
    let question_best = (0..n).map(other_recall).fold(0.0, f64::max);
    let question_near = if asks { nearest(vectors.question) } else { 0.85 };
    let question_here = if asks { with(vectors.question, place).unwrap_or(0.75) } else { 0.85 };
    let kind = if asks { asked(question) } else { Asked::Other };
    let rivalry = if asks {
        rivals(&Rivalry {
            sentences,
            asked: &asked_terms,
            weights: &other_weights,
            terms: &terms,
            kind,
            claim: &claim_tokens,
        })
    } else {
        Nearness { own: 0.0, rank: 0.0, nearer: 0.0 }
    };
    let joint = |s: usize| {
        let all: f64 = own_weights.iter().sum::<f64>() + other_weights.iter().sum::<f64>();
        let got: f64 =
            own_weights.iter().enumerate().map(|(i, w)| w * pair(&own[i], s)).sum::<f64>()
                + other_weights
                    .iter()
                    .enumerate()
                    .map(|(i, w)| w * pair(&asked_matches[i], s))
                    .sum::<f64>();
        if all > 0.0 { got / all } else { 0.0 }
    };
    let flag = |b: bool| f64::from(u8::from(b));
    let features = vec![
        portion(terms.iter().copied(), |t| sentences.iter().any(|s| s.terms.contains(t))),
        share(&own_weights, union),
        (0..n).map(single_recall).fold(0.0, f64::max),
        window_recall(window),
        portion(numbers.iter().copied(), |x| !(0..n).any(|s| has_number(s, x))),
        portion(numbers.iter().copied(), |x| !in_window(&has_number, x)),
        portion(names.iter().copied(), |x| !(0..n).any(|s| has_name(s, x))),
        portion(names.iter().copied(), |x| !in_window(&has_name, x)),
        pair_recall,
        flag(verbatim),
        differs(negated),
        (1.0 + terms.len() as f64).ln(),
        (terms.iter().enumerate().map(|(i, _)| 1.0 - union(i)).sum::<f64>() / 5.0).min(1.0),
        key_context,
        flag(!numbers.is_empty()),
        flag(!names.is_empty()),
        scaled(nearest(vectors.claim)),
        scaled(with(vectors.claim, place).unwrap_or(0.75)),
        scaled(nearest(vectors.both)),
        if asks { scaled(cosine(vectors.question, vectors.claim)) } else { 0.0 },
        if asks { scaled(question_near) } else { 0.0 },
        10.0 * (question_near - question_here),
        if asks { 10.0 * (with(vectors.both, place).unwrap_or(0.75) - question_here) } else { 0.0 },
        share(&asked_weights, |i| in_claim[i]),
        portion_of(&in_question),
        question_best,
        if n > 0 { other_recall(place) } else { 0.0 },
        if n > 0 { question_best - other_recall(place) } else { 0.0 },
        rivalry.own,
        rivalry.rank,
        rivalry.nearer,
        if asks { fits(kind, &claim_tokens) } else { 0.0 },
        if asks { differs(is_negated(question)) } else { 0.0 },
        flag(!claim_tokens.iter().any(|t| t.content)),
        f1.fold(0.0, f64::max),
        (0..n).map(joint).fold(0.0, f64::max),
        portion(asked_terms.iter().copied(), |t| sentences.iter().any(|s| s.terms.contains(t))),
        missing_run,
        weakest,
    ];
    debug_assert_eq!(features.len(), FEATURES.len());
    Compared { features, best: place }
}
