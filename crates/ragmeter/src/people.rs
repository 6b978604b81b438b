//! What people said of a run's records, and the metrics that follow from their labels.

use std::collections::BTreeMap;

use ragmeter_analysis::people::{
    LABELLED, Majority, Unit, majority, standing_labels, units, vocabulary,
};
use ragmeter_analysis::{JudgedRecord, PeopleData, RunData};
use ragmeter_core::{
    AnswerKind, CaseRun, Claim, ClaimVerdict, Digest, Fact, FactKind, FactSlot, Label, Outcome,
    PartVerdict, PersonSource, RecordFacts, Source, Support, TestCase, UnitVerdict, record_id,
};
use ragmeter_store::SqliteStore;

use crate::error::Error;

/// What people said of the records of a run.
pub(crate) fn of_run(store: &SqliteStore, run: &RunData) -> Result<PeopleData, Error> {
    // Hashing every record of a large run takes longer than asking whether anyone said anything.
    if !store.has_people()? {
        return Ok(PeopleData::default());
    }
    let cases: BTreeMap<&str, &TestCase> =
        run.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let records: Vec<(Digest, &TestCase, &JudgedRecord)> = run
        .systems
        .iter()
        .flat_map(|system| &system.records)
        .filter_map(|one| {
            let case = *cases.get(one.record.case_id.as_str())?;
            Some((record_id(case, &one.record), case, one))
        })
        .collect();
    let ids: Vec<Digest> = records.iter().map(|(id, _, _)| id.clone()).collect();
    let feedback = store.feedback(&ids)?;
    let labels = store.labels(&ids)?;
    let policies = policies(store, &labels)?;
    let of_set: BTreeMap<&str, &str> =
        policies.iter().map(|(set, policy, _)| (set.as_str(), policy.as_str())).collect();
    let standing = standing_labels(&labels);
    let mut outcomes = BTreeMap::new();
    for (id, case, one) in &records {
        let mut of_record = standing.range((id, "", "")..).take_while(|(key, _)| key.0 == id);
        if of_record.next().is_none() {
            continue;
        }
        let facts = person_facts(id, case, one, &standing, &of_set);
        outcomes.insert(id.clone(), by_people(run, case, one, &facts));
    }
    let mut texts: Vec<(String, String)> =
        policies.into_iter().map(|(_, policy, text)| (policy, text)).collect();
    texts.sort_unstable();
    texts.dedup();
    Ok(PeopleData { feedback, labels, outcomes, policies: texts })
}

/// Set, policy and the policy's text of every set that a label came in.
fn policies(store: &SqliteStore, labels: &[Label]) -> Result<Vec<(String, String, String)>, Error> {
    let mut sets: Vec<&str> = labels.iter().map(|label| label.set.as_str()).collect();
    sets.sort_unstable();
    sets.dedup();
    let mut found = Vec::new();
    for set in sets {
        if let Some(set) = store.label_set(set)? {
            let text = store.policy(&set.policy)?.unwrap_or_default();
            found.push((set.id, set.policy, text));
        }
    }
    Ok(found)
}

/// The standing labels by record, fact and unit.
type Standing<'a> = BTreeMap<(&'a Digest, &'a str, &'a str), Vec<&'a Label>>;

/// The facts of a record that annotators labelled whole, with a person as source. A fact with an
/// unlabelled unit or a tie is not there.
fn person_facts(
    id: &Digest,
    case: &TestCase,
    one: &JudgedRecord,
    standing: &Standing<'_>,
    policy_of: &BTreeMap<&str, &str>,
) -> RecordFacts {
    let mut facts = RecordFacts::default();
    for kind in LABELLED {
        let of_kind: Vec<&Vec<&Label>> = standing
            .range((id, kind.name(), "")..)
            .take_while(|(key, _)| key.0 == id && key.1 == kind.name())
            .map(|(_, labels)| labels)
            .collect();
        if of_kind.is_empty() {
            continue;
        }
        let known = units(kind, case, one);
        let labels: Option<Vec<&str>> = known
            .iter()
            .map(|unit| of_most(standing.get(&(id, kind.name(), unit.id.as_str()))?))
            .collect();
        let Some(labels) = labels else { continue };
        let added: Vec<&Vec<&Label>> =
            of_kind.iter().copied().filter(|labels| labels[0].added).collect();
        let added_labels: Option<Vec<&str>> = added.iter().map(|labels| of_most(labels)).collect();
        let Some(added_labels) = added_labels else { continue };
        let source = source(&of_kind, policy_of);
        match kind {
            FactKind::ClaimSupport => {
                let texts = known
                    .iter()
                    .map(|unit| unit.text.as_str())
                    .chain(added.iter().map(|labels| labels[0].text.as_str()));
                let all: Vec<&str> = labels.into_iter().chain(added_labels).collect();
                claims(&mut facts, texts, &all, &source);
            }
            FactKind::Refusal => facts.refusal = answer_kind(&labels).map(|k| had(k, &source)),
            FactKind::ContextUsefulReference => {
                facts.useful =
                    Some(had(labels.iter().map(|label| *label == "useful").collect(), &source));
            }
            FactKind::ReferenceSupport => reference(&mut facts, &known, &labels, &source),
            FactKind::QuestionCoverage => coverage(&mut facts, &known, &labels, &source),
            _ => {}
        }
    }
    facts
}

fn of_most<'a>(labels: &[&'a Label]) -> Option<&'a str> {
    match majority(labels)? {
        Majority::Label(label) => Some(label),
        Majority::Tie(_) => None,
    }
}

fn source(of_kind: &[&Vec<&Label>], policy_of: &BTreeMap<&str, &str>) -> Source {
    let sorted = |mut texts: Vec<String>| {
        texts.sort_unstable();
        texts.dedup();
        texts
    };
    let labels = || of_kind.iter().flat_map(|labels| labels.iter());
    let policy = |label: &&Label| policy_of.get(label.set.as_str()).map(|id| (*id).to_owned());
    Source::Person(Box::new(PersonSource {
        who: sorted(labels().map(|label| label.annotator.clone()).collect()),
        policies: sorted(labels().filter_map(policy).collect()),
    }))
}

#[expect(clippy::unnecessary_wraps, reason = "a fact that was had, as slots hold it")]
fn had<T>(value: T, source: &Source) -> Result<Fact<T>, ragmeter_core::Absence> {
    Ok(Fact { value, source: source.clone() })
}

fn claims<'a>(
    facts: &mut RecordFacts,
    texts: impl Iterator<Item = &'a str>,
    labels: &[&str],
    source: &Source,
) {
    let claims: Vec<Claim> =
        texts.map(|text| Claim { text: text.to_owned(), span: None }).collect();
    let verdicts = labels
        .iter()
        .enumerate()
        .map(|(claim, label)| ClaimVerdict {
            claim,
            support: match *label {
                "supported" => Support::Supported,
                "contradicted" => Support::Contradicted,
                _ => Support::Absent,
            },
            contexts: Vec::new(),
            quote: None,
            quote_dropped: false,
            probability: None,
        })
        .collect();
    facts.claims = Some(had(claims, source));
    facts.support = Some(had(verdicts, source));
}

fn answer_kind(labels: &[&str]) -> Option<AnswerKind> {
    Some(match *labels.first()? {
        "answered" => AnswerKind::Answered,
        "refused" => AnswerKind::Refused,
        _ => AnswerKind::NoFactualContent,
    })
}

fn reference(facts: &mut RecordFacts, known: &[Unit], labels: &[&str], source: &Source) {
    let verdict = |(unit, label): (usize, &&str)| UnitVerdict {
        unit,
        attributable: *label == "attributable",
        contexts: Vec::new(),
    };
    facts.units = Some(had(known.iter().map(|unit| unit.text.clone()).collect(), source));
    facts.reference_support = Some(had(labels.iter().enumerate().map(verdict).collect(), source));
}

fn coverage(facts: &mut RecordFacts, known: &[Unit], labels: &[&str], source: &Source) {
    let verdict = |(unit, label): (&Unit, &&str)| PartVerdict {
        part: unit.text.clone(),
        answered: *label == "answered",
    };
    facts.parts = Some(had(known.iter().map(|unit| unit.text.clone()).collect(), source));
    facts.coverage = Some(had(known.iter().zip(labels).map(verdict).collect(), source));
}

/// The metrics whose facts people gave. Whether the answer refuses at all is the judge's word where
/// people gave none; claims that people added make an answer of it.
fn by_people(
    run: &RunData,
    case: &TestCase,
    one: &JudgedRecord,
    given: &RecordFacts,
) -> BTreeMap<String, Outcome> {
    let mut facts = given.clone();
    if facts.refusal.is_none() {
        let extracted = units(FactKind::ClaimSupport, case, one).len();
        let claimed = match &facts.claims {
            Some(Ok(fact)) => fact.value.len() > extracted,
            _ => false,
        };
        facts.refusal = match (&facts.claims, claimed) {
            (Some(Ok(fact)), true) => Some(had(AnswerKind::Answered, &fact.source)),
            _ => one.facts.refusal.clone(),
        };
    }
    let main = |kind: FactKind| vocabulary(kind).map(|vocabulary| (kind, vocabulary.metric));
    LABELLED
        .into_iter()
        .filter_map(main)
        .filter(|(kind, metric)| {
            is_given(*kind, given) && run.metrics.iter().any(|info| info.id == *metric)
        })
        .filter_map(|(_, metric)| {
            let record = CaseRun { case, record: &one.record };
            let metric = ragmeter_metrics::find(metric)?;
            Some((metric.id.clone(), metric.score(record, &facts)))
        })
        .collect()
}

fn is_given(kind: FactKind, facts: &RecordFacts) -> bool {
    fn filled<T>(slot: &FactSlot<T>) -> bool {
        slot.is_some()
    }
    match kind {
        FactKind::ClaimSupport => filled(&facts.support),
        FactKind::Refusal => filled(&facts.refusal),
        FactKind::ContextUsefulReference => filled(&facts.useful),
        FactKind::ReferenceSupport => filled(&facts.reference_support),
        FactKind::QuestionCoverage => filled(&facts.coverage),
        _ => false,
    }
}
