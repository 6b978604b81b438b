use std::collections::BTreeSet;

use ragmeter_core::{Context, ToolCall, Turn, TurnRole};
use serde_json::{Map, Value, json};

use super::{Exported, conversation};

/// A sample of RAGAS 0.4: of a conversation `MultiTurnSample`, else `SingleTurnSample`.
pub(super) fn ragas(row: &Exported<'_>) -> Map<String, Value> {
    let Exported { case, record, .. } = row;
    let mut sample = Map::new();
    let mut put = |key: &str, value: Value| {
        if !value.is_null() {
            sample.insert(key.to_owned(), value);
        }
    };
    let list = |items: &[String]| if items.is_empty() { Value::Null } else { json!(items) };
    if case.messages.is_empty() && record.messages.is_empty() {
        put("user_input", json!(case.question));
        put("response", json!(record.answer));
        put("retrieved_contexts", json!(record.contexts.as_deref().map(texts)));
        put("retrieved_context_ids", json!(record.contexts.as_deref().and_then(ids)));
        put("reference_contexts", list(&case.reference_contexts));
        put("reference_context_ids", list(&case.reference_context_ids));
    } else {
        let mut messages = conversation(case, record);
        // What answers the question may stand in the answer only.
        if record.messages.is_empty()
            && let Some(answer) = &record.answer
        {
            let role = TurnRole::Ai;
            messages.push(Turn { role, content: answer.clone(), ..Turn::default() });
        }
        // RAGAS knows three kinds of messages; instructions are none of them.
        let messages = messages.iter().filter(|message| message.role != TurnRole::System);
        put("user_input", messages.map(ragas_message).collect());
        let calls = case.reference_tool_calls.as_ref().map(|calls| json!(calls));
        put("reference_tool_calls", calls.unwrap_or_default());
        put("reference_topics", list(&case.reference_topics));
    }
    put("reference", json!(case.reference));
    put("rubrics", if case.rubrics.is_empty() { Value::Null } else { json!(case.rubrics) });
    sample
}

fn ragas_message(message: &Turn) -> Value {
    let kind = match message.role {
        TurnRole::Ai => "ai",
        TurnRole::Tool => "tool",
        TurnRole::Human | TurnRole::System => "human",
    };
    let mut object = json!({ "content": message.content, "type": kind });
    if !message.tool_calls.is_empty() {
        object["tool_calls"] = json!(message.tool_calls);
    }
    object
}

fn texts(contexts: &[Context]) -> Vec<&str> {
    contexts.iter().map(|context| context.text.as_str()).collect()
}

/// The ids of the contexts, if all have one.
fn ids(contexts: &[Context]) -> Option<Vec<&str>> {
    let ids: Option<Vec<&str>> = contexts.iter().map(|context| context.id.as_deref()).collect();
    ids.filter(|ids| !ids.is_empty())
}

/// A golden of deepeval 4, as its `save_as("json")` writes them.
pub(super) fn deepeval(row: &Exported<'_>) -> Value {
    let Exported { case, record, .. } = row;
    let contexts: Option<Vec<String>> = record.contexts.as_ref().map(|contexts| {
        let text = |context: &Context| match &context.source {
            Some(source) => format!("deepeval_source={source},deepeval_context={}", context.text),
            None => context.text.clone(),
        };
        contexts.iter().map(text).collect()
    });
    let called: Vec<&ToolCall> = record.messages.iter().flat_map(|one| &one.tool_calls).collect();
    let list = |items: &[String]| if items.is_empty() { Value::Null } else { json!(items) };
    json!({
        "input": case.question,
        "actual_output": record.answer,
        "expected_output": case.reference,
        "retrieval_context": contexts,
        "context": list(&case.reference_contexts),
        "name": case.id,
        "source_file": case.source,
        "tools_called": (!called.is_empty()).then(|| tools(called.into_iter())),
        "expected_tools": case.reference_tool_calls.as_ref().map(|calls| tools(calls.iter())),
    })
}

fn tools<'a>(calls: impl Iterator<Item = &'a ToolCall>) -> Vec<Value> {
    let call = |call: &ToolCall| json!({ "name": call.name, "type": "FUNCTION", "inputParameters": call.args });
    calls.map(call).collect()
}

/// A configuration of promptfoo that lets it grade recorded answers: the provider `echo` gives back
/// the prompt, which is the answer.
pub(super) fn promptfoo(rows: &[Exported<'_>]) -> Value {
    let tests: Vec<Value> = rows
        .iter()
        .map(|Exported { case, record, .. }| {
            let mut vars = json!({ "question": case.question, "answer": record.answer });
            if let Some(contexts) = &record.contexts {
                vars["context"] = json!(texts(contexts));
            }
            let mut test = json!({
                "description": case.id,
                "vars": vars,
                // Else a list of contexts would be a test for each of them.
                "options": { "disableVarExpansion": true },
            });
            if let Some(reference) = &case.reference {
                test["vars"]["reference"] = json!(reference);
                test["assert"] = json!([{ "type": "factuality", "value": reference }]);
            }
            test
        })
        .collect();
    json!({
        "description": "answers recorded by ragmeter",
        "prompts": ["{{answer}}"],
        "providers": ["echo"],
        "tests": tests,
    })
}

/// A result of RAGChecker 0.1; its four texts may not be missing.
pub(super) fn ragchecker(row: &Exported<'_>) -> Value {
    let Exported { case, record, .. } = row;
    let contexts: Vec<Value> = record
        .contexts
        .iter()
        .flatten()
        .map(|context| json!({ "doc_id": context.id, "text": context.text }))
        .collect();
    json!({
        "query_id": case.id,
        "query": case.question,
        "gt_answer": case.reference.as_deref().unwrap_or_default(),
        "response": record.answer.as_deref().unwrap_or_default(),
        "retrieved_context": contexts,
    })
}

/// Judgements of the cases, each once.
pub(super) fn trec_qrels(rows: &[Exported<'_>]) -> Result<String, String> {
    let mut lines = Vec::new();
    let mut seen = BTreeSet::new();
    for Exported { case, .. } in rows {
        if !seen.insert(&case.id) {
            continue;
        }
        let named = case.reference_context_ids.iter();
        let mut judged = BTreeSet::new();
        for document in named.chain(case.relevance.keys()).filter(|one| judged.insert(*one)) {
            let grade = case.relevance.get(document).copied().unwrap_or(1);
            lines.push(format!("{} 0 {} {grade}\n", token(&case.id)?, token(document)?));
        }
    }
    if lines.is_empty() {
        return Err(
            "no case has `reference_context_ids` or `relevance`: there is nothing to judge by"
                .to_owned(),
        );
    }
    Ok(lines.concat())
}

/// A run of every system. Scores are the retriever's own where they fall with the rank, else they
/// count down: trec_eval ranks by score and looks at nothing else.
pub(super) fn trec_run(rows: &[Exported<'_>]) -> Result<String, String> {
    let mut lines = Vec::new();
    for Exported { case, record, .. } in rows {
        let contexts = record.contexts.as_deref().unwrap_or_default();
        let scores: Option<Vec<f64>> = contexts.iter().map(|context| context.score).collect();
        let own = scores.filter(|scores| scores.windows(2).all(|pair| pair[0] > pair[1]));
        let mut named = BTreeSet::new();
        for (index, context) in contexts.iter().enumerate() {
            let id = context.id.as_ref().or(context.source.as_ref()).ok_or_else(|| {
                format!("case \"{}\": a context has neither id nor source to name it by", case.id)
            })?;
            // Two pieces of one document: the better rank counts.
            if !named.insert(id) {
                continue;
            }
            let score = own.as_ref().map_or((contexts.len() - index) as f64, |own| own[index]);
            let (query, tag) = (token(&case.id)?, token(&record.system)?);
            let rank = named.len();
            lines.push(format!("{query} Q0 {} {rank} {score} {tag}\n", token(id)?));
        }
    }
    if lines.is_empty() {
        return Err("no record has contexts: there is nothing to rank".to_owned());
    }
    Ok(lines.concat())
}

/// A name without spaces, which part fields in TREC files.
fn token(name: &str) -> Result<&str, String> {
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(format!("\"{name}\" can't stand in a TREC file: it is empty or has spaces"));
    }
    Ok(name)
}
