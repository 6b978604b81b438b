//! The planted set as a run: recorded answers of hand-made systems with the verdicts that a perfect
//! judge would give, read from `testdata/planted`.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::unnecessary_wraps,
    reason = "each test binary uses its part, and the planted files are committed"
)]

use std::collections::BTreeMap;
use std::path::Path;

use ragmeter_analysis::{Bilingual, CallCounts, JudgedRecord, MetricInfo, RunData, SystemData};
use ragmeter_core::{
    AnswerKind, Claim, ClaimVerdict, Context, Fact, FactSlot, Implied, Lang, Outcome, PartVerdict,
    RecordFacts, RunRecord, Source, Support, TestCase, UnitInterval, UnitVerdict, Usage,
};
use serde_json::Value;

pub(crate) fn metric(id: &str, en: &str, ru: &str, definition: [&str; 2]) -> MetricInfo {
    MetricInfo {
        id: id.to_owned(),
        title: Bilingual::new(en, ru),
        definition: Bilingual::new(definition[0], definition[1]),
        higher_is_better: id != "refusal_rate",
        companion: matches!(id, "refusal_rate" | "question_coverage"),
        rises_with_contexts: id == "context_recall",
        ..MetricInfo::default()
    }
}

pub(crate) fn metrics() -> Vec<MetricInfo> {
    vec![
        metric(
            "faithfulness",
            "Faithfulness",
            "Достоверность",
            [
                "Share of the answer’s claims that all contexts taken together support.",
                "Доля утверждений ответа, которые подтверждены всеми контекстами вместе.",
            ],
        ),
        metric(
            "answer_relevancy",
            "Answer relevancy",
            "Релевантность ответа",
            [
                "Mean cosine between the question and the questions that the answer implies.",
                "Средний косинус между вопросом и вопросами, на которые отвечает сам ответ.",
            ],
        ),
        metric(
            "context_precision",
            "Context precision",
            "Точность контекстов",
            [
                "Average precision of the ranking over the useful contexts.",
                "Средняя точность ранжирования полезных контекстов.",
            ],
        ),
        metric(
            "context_recall",
            "Context recall",
            "Полнота контекстов",
            [
                "Share of the reference answer’s sentences that the contexts say.",
                "Доля предложений эталонного ответа, которые есть в контекстах.",
            ],
        ),
        metric(
            "question_coverage",
            "Question coverage",
            "Охват вопроса",
            [
                "Share of the question’s parts that the answer answers.",
                "Доля частей вопроса, на которые есть ответ.",
            ],
        ),
        metric(
            "refusal_rate",
            "Refusal rate",
            "Доля отказов",
            ["Share of the answers that decline to answer.", "Доля ответов с отказом отвечать."],
        ),
    ]
}

pub(crate) fn judged<T>(value: T) -> FactSlot<T> {
    let source = Source::Local { fingerprint: "a perfect judge".to_owned() };
    Some(Ok(Fact { value, source }))
}

/// The planted run, all its systems.
pub(crate) fn planted(lang: Lang) -> RunData {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/planted")
        .join(lang.code())
        .join("planted.json");
    let file = std::fs::read_to_string(&path).unwrap();
    let planted: Value = serde_json::from_str(&file).unwrap();
    let cases: Vec<&Value> = planted["cases"].as_array().unwrap().iter().collect();
    let systems = planted["systems"].as_object().unwrap();
    RunData {
        run_id: format!("planted-{lang}"),
        created: "2024-05-01 12:00".to_owned(),
        seed: 7,
        settings: vec![
            ("judge".to_owned(), "openai:gpt-4o-mini".to_owned()),
            ("embedder".to_owned(), "local:multilingual-e5-small".to_owned()),
            ("profile".to_owned(), "grouped".to_owned()),
        ],
        metrics: metrics(),
        systems: systems.iter().map(|(name, records)| system(name, records, &cases)).collect(),
        cases: cases.iter().map(|case| test_case(case)).collect(),
        calls: CallCounts { chat: 1_408, embeddings: 12, cached: 36 },
        tokens: Usage { input: 1_204_311, cached: 20_480, output: 98_200 },
        ..RunData::default()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> Vec<&Value> {
    value.as_array().map(|list| list.iter().collect()).unwrap_or_default()
}

fn test_case(case: &Value) -> TestCase {
    TestCase {
        id: text(&case["id"]),
        question: text(&case["question"]),
        reference: case["reference"].as_str().map(str::to_owned),
        ..TestCase::default()
    }
}

fn system(name: &str, records: &Value, cases: &[&Value]) -> SystemData {
    let records = list(records).into_iter().map(|record| {
        let case = cases.iter().find(|case| case["id"] == record["id"]).unwrap();
        judged_record(name, record, case)
    });
    SystemData { name: name.to_owned(), generator: None, records: records.collect() }
}

fn judged_record(system: &str, record: &Value, case: &Value) -> JudgedRecord {
    let answer = text(&record["answer"]);
    let ids: Vec<String> = list(&record["contexts"]).into_iter().map(text).collect();
    let of_case = list(&case["contexts"]);
    let contexts: Vec<Context> = ids
        .iter()
        .map(|id| {
            let context = of_case.iter().find(|context| text(&context["id"]) == *id).unwrap();
            Context { id: Some(id.clone()), text: text(&context["text"]), ..Context::default() }
        })
        .collect();
    let useful: Vec<bool> = ids
        .iter()
        .map(|id| of_case.iter().any(|c| text(&c["id"]) == *id && c["useful"] == true))
        .collect();
    let rank = |id: &Value| ids.iter().position(|known| *known == text(id));
    let kind = match record["refusal"].as_str() {
        Some("refused") => AnswerKind::Refused,
        Some("answered") => AnswerKind::Answered,
        _ => AnswerKind::NoFactualContent,
    };
    let mut claims = Vec::new();
    let mut verdicts = Vec::new();
    for (index, claim) in list(&record["claims"]).into_iter().enumerate() {
        let span = claim["span"]
            .as_str()
            .and_then(|span| answer.find(span).map(|start| start..start + span.len()));
        claims.push(Claim { text: text(&claim["text"]), span });
        verdicts.push(ClaimVerdict {
            claim: index,
            support: match claim["verdict"].as_str() {
                Some("supported") => Support::Supported,
                Some("contradicted") => Support::Contradicted,
                _ => Support::Absent,
            },
            contexts: list(&claim["contexts"]).into_iter().filter_map(rank).collect(),
            quote: claim["quote"].as_str().map(str::to_owned),
            quote_dropped: false,
            probability: None,
        });
    }
    let sentences = list(&case["reference_sentences"]);
    let units: Vec<String> = sentences.iter().map(|s| text(&s["text"])).collect();
    let support: Vec<UnitVerdict> = sentences
        .iter()
        .enumerate()
        .map(|(unit, sentence)| {
            let contexts: Vec<usize> =
                list(&sentence["supported_by"]).into_iter().filter_map(rank).collect();
            UnitVerdict { unit, attributable: !contexts.is_empty(), contexts }
        })
        .collect();
    let parts: Vec<String> = list(&case["question_parts"]).into_iter().map(text).collect();
    let answered = list(&record["parts_answered"]);
    let coverage: Vec<PartVerdict> = parts
        .iter()
        .zip(answered)
        .map(|(part, answered)| PartVerdict { part: part.clone(), answered: *answered == true })
        .collect();
    let noncommittal = record["noncommittal"] == true;
    let implied = Implied { questions: vec![text(&record["implied_question"])], noncommittal };
    let same = implied.questions[0] == text(&case["question"]);
    let cosine = if same { 1.0 } else { 0.4 };
    let outcomes = outcomes(kind, &verdicts, &useful, &support, &coverage, cosine, noncommittal);
    JudgedRecord {
        record: RunRecord {
            system: system.to_owned(),
            case_id: text(&record["id"]),
            contexts: Some(contexts),
            answer: Some(answer),
            ..RunRecord::default()
        },
        facts: RecordFacts {
            refusal: judged(kind),
            claims: judged(claims),
            support: judged(verdicts),
            implied: judged(implied),
            similarity: judged(vec![cosine]),
            units: judged(units),
            reference_support: judged(support),
            useful: judged(useful),
            parts: judged(parts),
            coverage: judged(coverage),
            ..RecordFacts::default()
        },
        outcomes,
        ..JudgedRecord::default()
    }
}

fn share(part: usize, whole: usize, what: &str) -> Outcome {
    match UnitInterval::share(part, whole) {
        Some(value) => Outcome::scored(value, format!("{part} of {whole} {what}")),
        None => Outcome::not_applicable(format!("no {what}")),
    }
}

fn outcomes(
    kind: AnswerKind,
    verdicts: &[ClaimVerdict],
    useful: &[bool],
    support: &[UnitVerdict],
    coverage: &[PartVerdict],
    cosine: f64,
    noncommittal: bool,
) -> BTreeMap<String, Outcome> {
    let supported = verdicts.iter().filter(|v| v.support == Support::Supported).count();
    let attributable = support.iter().filter(|unit| unit.attributable).count();
    let answered = coverage.iter().filter(|part| part.answered).count();
    let (mut hits, mut sum) = (0, 0.0);
    for (index, _) in useful.iter().enumerate().filter(|(_, useful)| **useful) {
        hits += 1;
        sum += f64::from(hits) / (index + 1) as f64;
    }
    let precision = if hits == 0 { 0.0 } else { sum / f64::from(hits) };
    let unit = |value: f64| UnitInterval::clamped(value).unwrap();
    let relevancy = if noncommittal { 0.0 } else { cosine };
    let refused = f64::from(kind == AnswerKind::Refused);
    BTreeMap::from([
        ("faithfulness".to_owned(), share(supported, verdicts.len(), "claims supported")),
        ("answer_relevancy".to_owned(), Outcome::scored(unit(relevancy), "cosine")),
        ("context_precision".to_owned(), Outcome::scored(unit(precision), "average precision")),
        ("context_recall".to_owned(), share(attributable, support.len(), "sentences found")),
        ("question_coverage".to_owned(), share(answered, coverage.len(), "parts answered")),
        ("refusal_rate".to_owned(), Outcome::scored(unit(refused), "kind of answer")),
    ])
}

/// The planted systems `names`, each case `times` times under other ids: enough to show something.
pub(crate) fn repeated(lang: Lang, names: &[&str], times: usize) -> RunData {
    let mut run = planted(lang);
    run.systems.retain(|system| names.contains(&system.name.as_str()));
    let again = |id: &str, time: usize| format!("{id}-{}", time + 1);
    run.cases = (0..times)
        .flat_map(|time| {
            run.cases.iter().map(move |case| TestCase { id: again(&case.id, time), ..case.clone() })
        })
        .collect();
    for system in &mut run.systems {
        system.records = (0..times)
            .flat_map(|time| {
                system.records.iter().cloned().map(move |mut record| {
                    record.record.case_id = again(&record.record.case_id, time);
                    record
                })
            })
            .collect();
    }
    run
}

/// A run as one meets it: some records failed, some answers are hostile or very long.
pub(crate) fn troubled(lang: Lang) -> RunData {
    let mut run = repeated(lang, &["faithful", "hallucinating", "omitting", "refusing"], 5);
    let absent = |class, detail: &str| ragmeter_core::Absence { class, detail: detail.to_owned() };
    let system = &mut run.systems[1];
    for (index, record) in system.records.iter_mut().enumerate() {
        if index % 11 == 3 {
            let absence = absent(
                ragmeter_core::AbsenceClass::Unparsable,
                "the reply has no field \"verdicts\" after 3 attempts",
            );
            record.facts.support = Some(Err(absence.clone()));
            record.outcomes.insert("faithfulness".to_owned(), Outcome::Failed(absence));
        }
    }
    let broken = &mut system.records[8];
    broken.record.error = Some("HTTP 502 from http://rag.example/ask".to_owned());
    broken.record.answer = None;
    broken.facts = RecordFacts::default();
    broken.outcomes.clear();

    let hostile = &mut system.records[0];
    let long = "Очень длинный контекст, а very long context, 很长的上下文. ".repeat(120);
    hostile.record.answer = Some(
        "<script>alert(1)</script> <img src=x onerror=alert(2)> שלום עולם 👩‍👩‍👧 مرحبا".to_owned(),
    );
    // The worst of all, so that it is shown.
    for outcome in hostile.outcomes.values_mut() {
        *outcome = Outcome::scored(UnitInterval::ZERO, "the answer is empty");
    }
    if let Some(Ok(claims)) = &mut hostile.facts.claims {
        for (claim, span) in claims.value.iter_mut().zip([0..25, 10..40, 3..4_000, 81..82]) {
            claim.span = Some(span);
        }
    }
    if let Some(contexts) = &mut hostile.record.contexts {
        contexts[0].text.push_str(&long);
        contexts[1].source = Some("docs/\"><script>alert(3)</script>.html".to_owned());
    }
    run
}

/// Cases of many documents, three systems, contexts as long as chunks are.
pub(crate) fn large(cases: usize) -> RunData {
    let mut run = repeated(Lang::Ru, &["faithful", "hallucinating", "omitting"], cases / 9 + 1);
    let filler = "Длинный русский текст фрагмента, каким его режут на тысячу знаков. ".repeat(14);
    run.cases.truncate(cases);
    for (index, case) in run.cases.iter_mut().enumerate() {
        case.source = Some(format!("документ-{}.md", index % 40));
        case.tags = vec![format!("kind:{}", ["simple", "reasoning", "multi"][index % 3])];
    }
    for system in &mut run.systems {
        system.records.truncate(cases);
        for record in &mut system.records {
            for context in record.record.contexts.iter_mut().flatten() {
                context.text.push_str(&filler);
            }
        }
    }
    run
}
