//! The tools that an agent called beside those that it should have called. Nobody is asked.

use ragmeter_core::{CaseRun, Outcome, RecordFacts, ToolCall, TurnRole, UnitInterval};
use serde_json::Value;

use crate::{Definition, Takes, need};

pub(crate) const ACCURACY: Definition = Definition {
    id: "tool_call_accuracy",
    title: ["Tool call accuracy", "Точность вызовов инструментов"],
    definition: [
        "Mean share of right arguments over the calls, if the tools were called in the order of \
         the reference; else 0.",
        "Средняя доля верных аргументов по вызовам, если инструменты вызваны в порядке эталона; \
         иначе 0.",
    ],
    card: include_str!("../cards/tool_call_accuracy.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(accuracy(run, facts)),
};

pub(crate) const F1: Definition = Definition {
    id: "tool_call_f1",
    title: ["Tool call F1", "F1 вызовов инструментов"],
    definition: [
        "F1 of the calls (tool and arguments) that were made and should have been made, in any \
         order.",
        "F1 по вызовам (инструмент и аргументы), которые сделаны и должны были быть сделаны, в \
         любом порядке.",
    ],
    card: include_str!("../cards/tool_call_f1.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(f1(run, facts)),
};

pub(crate) fn accuracy(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let Calls { wanted, made } = calls(run)?;
    let names = |calls: &[&ToolCall]| {
        if calls.is_empty() {
            return "–".to_owned();
        }
        calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    if !made.iter().map(|call| &call.name).eq(wanted.iter().map(|call| &call.name)) {
        let why = format!("called {}; to be called: {}", names(&made), names(&wanted));
        return Ok(Outcome::scored(UnitInterval::ZERO, why));
    }
    let shares: Vec<(usize, usize)> =
        wanted.iter().zip(&made).map(|(wanted, made)| arguments(wanted, made)).collect();
    let share = |&(right, all): &(usize, usize)| {
        if all == 0 { 1.0 } else { right as f64 / all as f64 }
    };
    let mean = shares.iter().map(share).sum::<f64>() / shares.len() as f64;
    let shown: Vec<String> = (wanted.iter().zip(&shares))
        .map(|(call, (right, all))| format!("{} {right}/{all}", call.name))
        .collect();
    scored(mean, format!("called in order; right arguments: {}", shown.join(", ")))
}

pub(crate) fn f1(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    let Calls { wanted, made } = calls(run)?;
    let mut missing = wanted.clone();
    let mut needless = Vec::new();
    for call in &made {
        match missing.iter().position(|other| is_same(other, call)) {
            Some(at) => {
                missing.remove(at);
            }
            None => needless.push(call.name.as_str()),
        }
    }
    let right = wanted.len() - missing.len();
    let value = (2 * right) as f64 / (wanted.len() + made.len()) as f64;
    let mut explanation =
        format!("{right} calls right, of {} made and {} wanted", made.len(), wanted.len());
    let missing: Vec<&str> = missing.iter().map(|call| call.name.as_str()).collect();
    for (what, names) in [("missing", missing), ("needless or with other arguments", needless)] {
        if !names.is_empty() {
            explanation = format!("{explanation}; {what}: {}", names.join(", "));
        }
    }
    scored(value, explanation)
}

/// The calls of a conversation beside the reference's; not both are empty.
struct Calls<'a> {
    wanted: Vec<&'a ToolCall>,
    made: Vec<&'a ToolCall>,
}

fn calls(run: CaseRun<'_>) -> Result<Calls<'_>, Outcome> {
    let Some(wanted) = &run.case.reference_tool_calls else {
        return Err(Outcome::not_applicable("the case has no reference tool calls"));
    };
    if run.record.error.is_some() {
        return Err(Outcome::scored(UnitInterval::ZERO, "the system failed"));
    }
    if run.record.messages.is_empty() {
        return Err(Outcome::not_applicable("the record has no messages"));
    }
    let of_system = run.conversation().filter(|turn| turn.role == TurnRole::Ai);
    let made: Vec<&ToolCall> = of_system.flat_map(|turn| &turn.tool_calls).collect();
    if wanted.is_empty() && made.is_empty() {
        return Err(Outcome::scored(UnitInterval::ONE, "no tool was to be called, and none was"));
    }
    Ok(Calls { wanted: wanted.iter().collect(), made })
}

fn scored(value: f64, explanation: String) -> Result<Outcome, Outcome> {
    let value = UnitInterval::clamped(value)
        .ok_or_else(|| Outcome::not_applicable("there is no call to compare"))?;
    Ok(Outcome::scored(value, explanation))
}

/// How many of the arguments of either call are the same in both, and how many there are: one
/// that was not asked for is as wrong as one that is missing.
fn arguments(wanted: &ToolCall, made: &ToolCall) -> (usize, usize) {
    let right = wanted
        .args
        .iter()
        .filter(|(name, value)| made.args.get(*name).is_some_and(|other| equal(value, other)))
        .count();
    let needless = made.args.keys().filter(|name| !wanted.args.contains_key(*name)).count();
    (right, wanted.args.len() + needless)
}

fn is_same(a: &ToolCall, b: &ToolCall) -> bool {
    let (right, all) = arguments(a, b);
    a.name == b.name && right == all
}

/// JSON values that say the same: 10 is 10.0, and the order of an object's keys is none.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() != b.is_f64() => {
            a.as_f64() == b.as_f64()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}
