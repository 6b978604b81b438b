//! The record that the tests start from, and facts made by hand.

use ragmeter_core::{
    AnswerKind, CaseRun, Claim, ClaimVerdict, Context, Fact, FactSlot, Implied, Outcome,
    PartVerdict, RecordFacts, RunRecord, Source, Support, TestCase, UnitVerdict,
};

/// The metrics of the spine, by id: what these tests tell of, one expectation each.
pub(crate) const SPINE: [&str; 7] = [
    "answer_relevancy",
    "context_precision",
    "context_recall",
    "faithfulness",
    "noncommittal_rate",
    "question_coverage",
    "refusal_rate",
];

/// Everything that a metric looks at.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) case: TestCase,
    pub(crate) record: RunRecord,
    pub(crate) facts: RecordFacts,
}

impl Judged {
    /// A record with every field, asked for mass and diameter and telling the mass alone, with
    /// every fact: each metric has a number, and no two metrics that share a fact have the same.
    pub(crate) fn whole() -> Self {
        let case = TestCase {
            id: "sun".to_owned(),
            question: "What are the mass and the diameter of the Sun?".to_owned(),
            reference: Some("It weighs 2e30 kg. It is 1.39 million km across.".to_owned()),
            ..TestCase::default()
        };
        let record = RunRecord {
            system: "tested".to_owned(),
            case_id: case.id.clone(),
            contexts: Some(contexts(&["The Sun is yellow.", "The Sun weighs 2e30 kg."])),
            answer: Some("The mass of the Sun is 2e30 kg.".to_owned()),
            ..RunRecord::default()
        };
        let facts = RecordFacts {
            refusal: fact(AnswerKind::Answered),
            claims: claims(4),
            support: support(&[true, true, false, true]),
            implied: implied(false),
            similarity: fact(vec![0.8, 0.9, 1.0]),
            units: units(2),
            reference_support: reference_support(&[true, false]),
            useful: fact(vec![false, true]),
            parts: fact(vec!["What is its mass?".to_owned(), "What is its diameter?".to_owned()]),
            coverage: coverage(&[("What is its mass?", true), ("What is its diameter?", false)]),
            ..RecordFacts::default()
        };
        Self { case, record, facts }
    }

    /// The outcome of a metric.
    pub(crate) fn outcome(&self, metric: &str) -> Outcome {
        let metric = ragmeter_metrics::find(metric).expect("a metric of the table");
        metric.score(CaseRun { case: &self.case, record: &self.record }, &self.facts)
    }

    /// The number of a metric that must have one.
    pub(crate) fn value(&self, metric: &str) -> f64 {
        let outcome = self.outcome(metric);
        outcome.value().unwrap_or_else(|| panic!("{metric}: {outcome:?}"))
    }
}

#[expect(clippy::unnecessary_wraps, reason = "made for slots, which are options")]
pub(crate) fn fact<T>(value: T) -> FactSlot<T> {
    Some(Ok(Fact { value, source: Source::Code { rule: "by-hand@1".to_owned() } }))
}

pub(crate) fn contexts(texts: &[&str]) -> Vec<Context> {
    texts.iter().map(|&text| Context { text: text.to_owned(), ..Context::default() }).collect()
}

pub(crate) fn claims(count: usize) -> FactSlot<Vec<Claim>> {
    fact((1..=count).map(|n| Claim { text: format!("Claim {n}."), span: None }).collect())
}

/// Claims that the contexts support, or do not speak of.
pub(crate) fn support(supported: &[bool]) -> FactSlot<Vec<ClaimVerdict>> {
    let of = |&yes: &bool| {
        if yes { Support::Supported } else { Support::Absent }
    };
    verdicts(&supported.iter().map(of).collect::<Vec<_>>())
}

pub(crate) fn verdicts(supports: &[Support]) -> FactSlot<Vec<ClaimVerdict>> {
    let verdict = |(claim, &support): (usize, &Support)| ClaimVerdict {
        claim,
        support,
        contexts: Vec::new(),
        quote: None,
        quote_dropped: false,
        probability: None,
    };
    fact(supports.iter().enumerate().map(verdict).collect())
}

pub(crate) fn implied(noncommittal: bool) -> FactSlot<Implied> {
    let questions = if noncommittal { Vec::new() } else { vec!["How heavy is it?".to_owned(); 3] };
    fact(Implied { questions, noncommittal })
}

pub(crate) fn units(count: usize) -> FactSlot<Vec<String>> {
    fact((1..=count).map(|n| format!("Sentence {n}.")).collect())
}

pub(crate) fn reference_support(attributable: &[bool]) -> FactSlot<Vec<UnitVerdict>> {
    let verdict = |(unit, &attributable): (usize, &bool)| UnitVerdict {
        unit,
        attributable,
        contexts: Vec::new(),
    };
    fact(attributable.iter().enumerate().map(verdict).collect())
}

pub(crate) fn coverage(parts: &[(&str, bool)]) -> FactSlot<Vec<PartVerdict>> {
    let verdict =
        |&(part, answered): &(&str, bool)| PartVerdict { part: part.to_owned(), answered };
    fact(parts.iter().map(verdict).collect())
}
