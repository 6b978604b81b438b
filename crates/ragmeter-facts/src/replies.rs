//! Typed replies of each group, and what is made of them. Ids are checked here: an id that was not
//! asked is ignored, one answered twice in different ways counts as not answered.

use ragmeter_core::{AnswerKind, Checked, Claim, Support};
use serde::Deserialize;
use serde_json::Value;

use crate::schema::{boolean, id, list, list_of, object, text, word};
use crate::votes::Same;

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Kind {
    pub(crate) kind: AnswerKind,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Claims {
    pub(crate) claims: Vec<ExtractedClaim>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Extracted {
    pub(crate) kind: AnswerKind,
    pub(crate) claims: Vec<ExtractedClaim>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ExtractedClaim {
    text: String,
    #[serde(default)]
    span: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Verdicts {
    pub(crate) verdicts: Vec<Verdict>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Verdict {
    claim: i64,
    #[serde(default)]
    quote: String,
    #[serde(default)]
    pub(crate) contexts: Vec<i64>,
    #[serde(rename = "verdict")]
    pub(crate) support: Support,
}

impl Verdict {
    /// The quote if it stands where it should, and whether one was dropped.
    pub(crate) fn quoted(&self, stands: impl Fn(&str) -> bool) -> (Option<String>, bool) {
        quoted(&self.quote, stands)
    }

    /// The verdict against one text.
    pub(crate) fn checked(&self, stands: impl Fn(&str) -> bool) -> Checked {
        let (quote, quote_dropped) = self.quoted(stands);
        Checked { support: self.support, quote, quote_dropped }
    }
}

fn quoted(quote: &str, stands: impl Fn(&str) -> bool) -> (Option<String>, bool) {
    let quote = quote.trim();
    if quote.is_empty() {
        return (None, false);
    }
    let found = stands(quote).then(|| quote.to_owned());
    let dropped = found.is_none();
    (found, dropped)
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct CheckedSentences {
    pub(crate) sentences: Vec<CheckedSentence>,
}

/// A reference sentence against the answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct CheckedSentence {
    sentence: i64,
    #[serde(default)]
    quote: String,
    #[serde(rename = "verdict")]
    support: Support,
}

impl CheckedSentence {
    /// The verdict against the answer.
    pub(crate) fn checked(&self, stands: impl Fn(&str) -> bool) -> Checked {
        let (quote, quote_dropped) = quoted(&self.quote, stands);
        Checked { support: self.support, quote, quote_dropped }
    }
}

impl Identified for CheckedSentence {
    fn id(&self) -> i64 {
        self.sentence
    }
}

impl Same for CheckedSentence {
    fn same(&self, other: &Self) -> bool {
        self.support == other.support
    }
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Implications {
    pub(crate) noncommittal: bool,
    pub(crate) questions: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct QuestionSide {
    pub(crate) sentences: Vec<SentenceVerdict>,
    pub(crate) contexts: Vec<ContextVerdict>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Attributions {
    pub(crate) sentences: Vec<SentenceVerdict>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct SentenceVerdict {
    sentence: i64,
    #[serde(default)]
    pub(crate) contexts: Vec<i64>,
    pub(crate) attributable: bool,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct ContextVerdict {
    context: i64,
    pub(crate) useful: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Useful {
    pub(crate) useful: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Parts {
    pub(crate) parts: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Coverage {
    pub(crate) parts: Vec<PartAnswered>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct PartAnswered {
    part: i64,
    pub(crate) answered: bool,
}

/// A verdict about something with an id.
pub(crate) trait Identified: Clone {
    /// The id, from 1.
    fn id(&self) -> i64;
}

impl Identified for Verdict {
    fn id(&self) -> i64 {
        self.claim
    }
}

impl Same for Verdict {
    fn same(&self, other: &Self) -> bool {
        self.support == other.support
    }
}

impl Identified for SentenceVerdict {
    fn id(&self) -> i64 {
        self.sentence
    }
}

impl Same for SentenceVerdict {
    fn same(&self, other: &Self) -> bool {
        self.attributable == other.attributable
    }
}

impl Identified for ContextVerdict {
    fn id(&self) -> i64 {
        self.context
    }
}

impl Same for ContextVerdict {
    fn same(&self, other: &Self) -> bool {
        self.useful == other.useful
    }
}

impl Identified for PartAnswered {
    fn id(&self) -> i64 {
        self.part
    }
}

impl Same for PartAnswered {
    fn same(&self, other: &Self) -> bool {
        self.answered == other.answered
    }
}

/// One verdict for each of the ids `1..=count`; `None` where the reply has none, or several that
/// disagree.
pub(crate) fn by_id<V: Identified + Same>(verdicts: &[V], count: usize) -> Vec<Option<V>> {
    (1..=count as i64)
        .map(|id| {
            let mut of_id = verdicts.iter().filter(|verdict| verdict.id() == id);
            let first = of_id.next()?;
            of_id.all(|other| first.same(other)).then(|| first.clone())
        })
        .collect()
}

/// Indexes (from 0) out of ids (from 1) below `count`, in order, each once.
pub(crate) fn indexes(ids: &[i64], count: usize) -> Vec<usize> {
    let mut indexes: Vec<usize> = ids
        .iter()
        .filter_map(|&id| usize::try_from(id - 1).ok().filter(|&index| index < count))
        .collect();
    indexes.sort_unstable();
    indexes.dedup();
    indexes
}

/// Claims with their place in the answer. Blank ones are dropped: they claim nothing.
pub(crate) fn claims_of(extracted: Vec<ExtractedClaim>, answer: &str) -> Vec<Claim> {
    extracted
        .into_iter()
        .filter(|claim| !claim.text.trim().is_empty())
        .map(|claim| {
            let span = claim.span.trim();
            let span = (!span.is_empty())
                .then(|| answer.find(span).map(|at| at..at + span.len()))
                .flatten();
            Claim { text: claim.text.trim().to_owned(), span }
        })
        .collect()
}

/// Each text once, in the order of first appearance.
pub(crate) fn distinct(texts: Vec<String>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::with_capacity(texts.len());
    for text in texts {
        if !distinct.contains(&text) {
            distinct.push(text);
        }
    }
    distinct
}

/// Texts without blank ones, trimmed.
pub(crate) fn non_blank(texts: Vec<String>) -> Vec<String> {
    texts.into_iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

const KINDS: [&str; 3] = ["answered", "refused", "no_factual_content"];
const SUPPORT: [&str; 3] = ["supported", "contradicted", "absent"];

fn claim_list() -> Value {
    list(&object([("text", text()), ("span", text())]))
}

pub(crate) fn extract_schema() -> Value {
    object([("kind", word(&KINDS)), ("claims", claim_list())])
}

pub(crate) fn claims_schema() -> Value {
    object([("claims", claim_list())])
}

pub(crate) fn refusal_schema() -> Value {
    object([("kind", word(&KINDS))])
}

pub(crate) fn verify_schema(claims: usize, contexts: usize) -> Value {
    let verdict = object([
        ("claim", id(claims)),
        ("quote", text()),
        ("contexts", list(&id(contexts))),
        ("verdict", word(&SUPPORT)),
    ]);
    object([("verdicts", list_of(claims, &verdict))])
}

/// Verdicts with a quote on so many items.
pub(crate) fn checked_schema(items: &str, item: &str, count: usize) -> Value {
    let verdict = object([(item, id(count)), ("quote", text()), ("verdict", word(&SUPPORT))]);
    object([(items, list_of(count, &verdict))])
}

pub(crate) fn invert_schema(questions: usize) -> Value {
    object([("noncommittal", boolean()), ("questions", list_of(questions, &text()))])
}

fn sentence_list(sentences: usize, contexts: usize) -> Value {
    let verdict = object([
        ("sentence", id(sentences)),
        ("contexts", list(&id(contexts))),
        ("attributable", boolean()),
    ]);
    list_of(sentences, &verdict)
}

pub(crate) fn question_side_schema(sentences: usize, contexts: usize) -> Value {
    let useful = object([("context", id(contexts)), ("useful", boolean())]);
    object([
        ("sentences", sentence_list(sentences, contexts)),
        ("contexts", list_of(contexts, &useful)),
    ])
}

pub(crate) fn attribution_schema(sentences: usize, contexts: usize) -> Value {
    object([("sentences", sentence_list(sentences, contexts))])
}

pub(crate) fn useful_schema() -> Value {
    object([("reason", text()), ("useful", boolean())])
}

pub(crate) fn parts_schema() -> Value {
    object([("parts", list(&text()))])
}

pub(crate) fn coverage_schema(parts: usize) -> Value {
    let part = object([("part", id(parts)), ("answered", boolean())]);
    object([("parts", list_of(parts, &part))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_repeated_and_missing_ids_never_change_the_count() {
        let part = |part, answered| PartAnswered { part, answered };
        let reply = [
            part(1, true),
            part(7, true),
            part(0, true),
            part(2, true),
            part(2, false),
            part(4, false),
            part(4, false),
        ];
        let verdicts: Vec<Option<bool>> =
            by_id(&reply, 4).into_iter().map(|v| v.map(|v| v.answered)).collect();
        assert_eq!(verdicts, [Some(true), None, None, Some(false)]);
    }

    #[test]
    fn a_claim_whose_span_is_not_in_the_answer_is_kept() {
        let extracted =
            |text: &str, span: &str| ExtractedClaim { text: text.into(), span: span.into() };
        let claims = claims_of(
            vec![extracted("Ёж спит.", "спит"), extracted("b", "not there"), extracted(" ", "x")],
            "Ёж спит.",
        );
        assert_eq!(claims.len(), 2);
        assert_eq!(claims[0].span, Some(5..13));
        assert_eq!(claims[1].span, None);
    }
}
