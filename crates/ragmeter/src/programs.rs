//! Programs of a project's own that score records.

use std::path::Path;

use futures::StreamExt;
use ragmeter_core::{Absence, AbsenceClass, CaseRun, Fact, Grade, RecordFacts, Source};
use ragmeter_metrics::Own;
use ragmeter_rag::CommandSystem;
use serde_json::{Value, json};

use crate::config::Definitions;
use crate::error::Error;
use crate::models::Environment;
use crate::spec::hash_json;
use crate::systems::{Heard, command_settings};

/// A program with the id of its metric and what tells it from others.
#[derive(Debug)]
pub(crate) struct Scorer {
    id: String,
    identity: String,
    program: CommandSystem,
}

/// What is defined, with its programs ready to start; paths are relative to `base`.
pub(crate) fn ready(
    definitions: &Definitions,
    base: &Path,
    env: Environment<'_>,
    heard: Option<&Heard>,
) -> Result<(Own, Vec<Scorer>), Error> {
    let wrong = |(key, why): (String, String)| Error::usage(format!("{key}: {why}"));
    let mut own = definitions.own().map_err(wrong)?;
    let mut scorers = Vec::new();
    for (name, given) in &definitions.commands {
        let id = format!("command:{name}");
        let (spec, settings) = command_settings(name, &given.command, base, env, heard.cloned())
            .map_err(|why| Error::usage(format!("commands.{name}: {why}")))?;
        let identity = hash_json("program", &spec).0;
        if let Some(program) = own.programs.get_mut(&id) {
            program.identity.clone_from(&identity);
        }
        scorers.push(Scorer { id, identity, program: CommandSystem::new(settings) });
    }
    Ok((own, scorers))
}

/// Adds what each program says about the records that it was not asked about before.
pub(crate) async fn add(
    scorers: &[Scorer],
    wanted: &[String],
    judged: &mut [(CaseRun<'_>, RecordFacts)],
) {
    for scorer in scorers.iter().filter(|scorer| wanted.contains(&scorer.id)) {
        let rule = format!("{} {}", scorer.id, &scorer.identity[..12]);
        let known = |facts: &RecordFacts| match facts.criteria.get(&scorer.id) {
            Some(Ok(fact)) => fact.source == Source::Code { rule: rule.clone() },
            _ => false,
        };
        let todo: Vec<usize> = (0..judged.len()).filter(|&at| !known(&judged[at].1)).collect();
        let asked = todo.iter().map(|&at| {
            let (run, facts) = &judged[at];
            let request = request(scorer, *run, facts, at);
            async move { (at, scorer.program.request(&at.to_string(), &request).await) }
        });
        let replies: Vec<_> = futures::stream::iter(asked).buffered(64).collect().await;
        for (at, reply) in replies {
            let said = match reply {
                Ok(reply) => said(&reply),
                Err(error) => Err(error.to_string()),
            };
            let fact = match said {
                Ok(None) => continue,
                Ok(Some(value)) => Ok(Fact { value, source: Source::Code { rule: rule.clone() } }),
                Err(detail) => Err(Absence { class: AbsenceClass::Unparsable, detail }),
            };
            judged[at].1.criteria.insert(scorer.id.clone(), fact);
        }
    }
}

fn request(scorer: &Scorer, run: CaseRun<'_>, facts: &RecordFacts, at: usize) -> Value {
    let contexts = run
        .contexts()
        .map(|contexts| contexts.iter().map(|context| context.text.as_str()).collect::<Vec<_>>());
    let known: serde_json::Map<String, Value> = ragmeter_core::FactKind::ALL
        .iter()
        .filter_map(|kind| Some((kind.name().to_owned(), facts.value(*kind)?.ok()?)))
        .collect();
    json!({
        "id": at.to_string(),
        "metric": scorer.id,
        "system": run.record.system,
        "case": run.case.id,
        "question": run.case.question,
        "answer": run.record.answer,
        "contexts": contexts,
        "reference": run.case.reference,
        "facts": known,
    })
}

/// The score in a reply; `None` where the program has nothing to say.
fn said(reply: &Value) -> Result<Option<Grade>, String> {
    let reason = reply["reason"].as_str().unwrap_or_default().to_owned();
    match &reply["score"] {
        Value::Null => Ok(None),
        Value::Number(number) => {
            let grade = number.as_f64().unwrap_or(f64::MAX);
            Ok(Some(Grade { grade, votes: Vec::new(), reason }))
        }
        other => Err(format!("`score` is no number: {other}")),
    }
}
