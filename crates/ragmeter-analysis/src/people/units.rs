use std::collections::BTreeMap;

use ragmeter_core::{AnswerKind, FactKind, FactSlot, Hasher, Lang, Support, TestCase};

use crate::JudgedRecord;

/// The kinds of facts that people can label, in the order of showing.
pub const LABELLED: [FactKind; 5] = [
    FactKind::ClaimSupport,
    FactKind::Refusal,
    FactKind::ContextUsefulReference,
    FactKind::ReferenceSupport,
    FactKind::QuestionCoverage,
];

/// A label under its names.
#[derive(Clone, Copy, Debug)]
pub struct LabelName {
    /// The id, which is the English name too.
    pub id: &'static str,
    /// In Russian.
    pub ru: &'static str,
}

impl LabelName {
    /// The name in a language.
    pub fn get(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.id,
            Lang::Ru => self.ru,
        }
    }
}

/// The labels of a kind of fact.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// The labels; where they have an order, in it.
    pub labels: &'static [LabelName],
    /// Whether the labels have an order, so that some disagreements weigh more than others.
    pub ordered: bool,
    /// The metric that is made of this fact.
    pub metric: &'static str,
}

const fn name(id: &'static str, ru: &'static str) -> LabelName {
    LabelName { id, ru }
}

/// The labels of a kind; `None` for kinds that people don't label.
pub fn vocabulary(kind: FactKind) -> Option<Vocabulary> {
    let (labels, ordered, metric): (&'static [LabelName], bool, &'static str) = match kind {
        FactKind::ClaimSupport => (
            const {
                &[
                    name("supported", "подтверждено"),
                    name("absent", "нет в контекстах"),
                    name("contradicted", "противоречит"),
                ]
            },
            true,
            "faithfulness",
        ),
        FactKind::Refusal => (
            const {
                &[
                    name("answered", "ответ"),
                    name("refused", "отказ"),
                    name("no_factual_content", "без фактов"),
                ]
            },
            false,
            "refusal_rate",
        ),
        FactKind::ContextUsefulReference => (
            const { &[name("useful", "полезен"), name("not_useful", "бесполезен")] },
            false,
            "context_precision",
        ),
        FactKind::ReferenceSupport => (
            const { &[name("attributable", "есть"), name("not_attributable", "нет")] },
            false,
            "context_recall",
        ),
        FactKind::QuestionCoverage => (
            const {
                &[name("answered", "есть ответ"), name("not_answered", "нет ответа")]
            },
            false,
            "question_coverage",
        ),
        _ => return None,
    };
    Some(Vocabulary { labels, ordered, metric })
}

impl Vocabulary {
    /// The place of a label.
    pub fn index(&self, label: &str) -> Option<usize> {
        self.labels.iter().position(|name| name.id == label)
    }

    /// The label that a person means: an id, or a name in either language, in any case, with
    /// spaces or underscores.
    pub fn read(&self, text: &str) -> Option<&'static str> {
        let plain = |text: &str| text.trim().to_lowercase().replace(['_', '-'], " ");
        let wanted = plain(text);
        self.labels
            .iter()
            .find(|name| plain(name.id) == wanted || plain(name.ru) == wanted)
            .map(|name| name.id)
    }

    /// All labels in a language, for a message or a heading.
    pub fn list(&self, lang: Lang) -> String {
        let names: Vec<&str> = self.labels.iter().map(|name| name.get(lang)).collect();
        names.join(" | ")
    }
}

/// The smallest thing that a label is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Its id within record and fact: the hash of its text, and which of equal texts it is.
    pub id: String,
    /// Its text; empty for the answer as a whole.
    pub text: String,
    /// The judge's label, where the judge gave one.
    pub judge: Option<&'static str>,
    /// The judge's probability that the kind's first label is right, where it gives one.
    pub probability: Option<f64>,
}

/// The id of a unit with this text, the `nth` (from 0) of equal ones.
pub fn unit_id(kind: FactKind, text: &str, nth: usize) -> String {
    let mut hasher = Hasher::new("unit@1");
    hasher.text(kind.name()).text(text).text(&nth.to_string());
    hasher.finish().0[..12].to_owned()
}

/// The units of a record's fact with the judge's labels, in their order.
pub fn units(kind: FactKind, case: &TestCase, one: &JudgedRecord) -> Vec<Unit> {
    let facts = &one.facts;
    let probabilities: Vec<Option<f64>> = match kind {
        FactKind::ClaimSupport => had(&facts.claims)
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(index, _)| {
                let mut all = had(&facts.support).into_iter().flatten();
                all.find(|verdict| verdict.claim == index)?.probability
            })
            .collect(),
        _ => Vec::new(),
    };
    let texts: Vec<(&str, Option<&'static str>)> = match kind {
        FactKind::ClaimSupport => had(&facts.claims)
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(index, claim)| {
                let verdict = had(&facts.support)
                    .and_then(|all| all.iter().find(|verdict| verdict.claim == index));
                (claim.text.as_str(), verdict.map(|verdict| support(verdict.support)))
            })
            .collect(),
        FactKind::Refusal => {
            let answer = one.record.answer.as_deref().filter(|text| !text.trim().is_empty());
            answer
                .map(|_| ("", had(&facts.refusal).map(|kind| answer_kind(*kind))))
                .into_iter()
                .collect()
        }
        // Without a reference nothing says what a context should be useful for.
        FactKind::ContextUsefulReference if case.reference.is_none() => Vec::new(),
        FactKind::ContextUsefulReference => one
            .record
            .contexts
            .iter()
            .flatten()
            .enumerate()
            .map(|(rank, context)| {
                let useful = had(&facts.useful).and_then(|all| all.get(rank));
                let label = useful.map(|useful| if *useful { "useful" } else { "not_useful" });
                (context.text.as_str(), label)
            })
            .collect(),
        FactKind::ReferenceSupport => had(&facts.units)
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(index, unit)| {
                let verdict = had(&facts.reference_support)
                    .and_then(|all| all.iter().find(|verdict| verdict.unit == index));
                let label = verdict.map(|verdict| {
                    if verdict.attributable { "attributable" } else { "not_attributable" }
                });
                (unit.as_str(), label)
            })
            .collect(),
        FactKind::QuestionCoverage => had(&facts.coverage)
            .into_iter()
            .flatten()
            .map(|verdict| {
                let label = if verdict.answered { "answered" } else { "not_answered" };
                (verdict.part.as_str(), Some(label))
            })
            .collect(),
        _ => Vec::new(),
    };
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    texts
        .into_iter()
        .enumerate()
        .map(|(index, (text, judge))| {
            let nth = seen.entry(text).or_default();
            let id = unit_id(kind, text, *nth);
            *nth += 1;
            let probability = probabilities.get(index).copied().flatten();
            Unit { id, text: text.to_owned(), judge, probability }
        })
        .collect()
}

fn had<T>(slot: &FactSlot<T>) -> Option<&T> {
    slot.as_ref()?.as_ref().ok().map(|fact| &fact.value)
}

fn support(support: Support) -> &'static str {
    match support {
        Support::Supported => "supported",
        Support::Contradicted => "contradicted",
        Support::Absent => "absent",
    }
}

fn answer_kind(kind: AnswerKind) -> &'static str {
    match kind {
        AnswerKind::Answered => "answered",
        AnswerKind::Refused => "refused",
        AnswerKind::NoFactualContent => "no_factual_content",
    }
}
