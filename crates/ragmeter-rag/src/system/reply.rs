use ragmeter_core::{Answer, Context, Usage};
use serde_json::Value;

use super::pointer::Pointer;
use ragmeter_core::Redactor;

/// Where in a reply its parts stand.
#[derive(Clone, Debug)]
pub struct ReplyPointers {
    /// The answer: a string, or with `*` strings that are joined.
    pub answer: Pointer,
    /// The contexts in rank order: a list of strings or of objects. `None`: the reply does not tell.
    pub contexts: Option<Pointer>,
    /// The text inside a context that is an object.
    pub context_text: Pointer,
    /// The id inside a context that is an object.
    pub context_id: Option<Pointer>,
    /// The document inside a context that is an object.
    pub context_source: Option<Pointer>,
    /// The retriever's score inside a context that is an object.
    pub context_score: Option<Pointer>,
    /// A list of ids beside the contexts, one for each.
    pub ids: Option<Pointer>,
    /// Prompt tokens billed.
    pub tokens_in: Option<Pointer>,
    /// Generated tokens billed.
    pub tokens_out: Option<Pointer>,
    /// Whether everything but the answer and the text of a context may be left out of a reply.
    /// If not, a pointer that leads nowhere is a fault, and only `null` says that there is nothing.
    pub lenient: bool,
}

/// A reply that is being read.
#[derive(Clone, Copy)]
pub(crate) struct Reply<'a> {
    /// The reply; of a stream, all its events.
    pub(crate) parts: &'a [Value],
    /// Where the next piece of the answer stands in an event, if it is a stream.
    pub(crate) delta: Option<&'a Pointer>,
    /// Cleans what is shown of it.
    pub(crate) redactor: &'a Redactor,
}

impl ReplyPointers {
    /// Reads a reply; of a stream, the answer is all pieces together, and everything else is read
    /// from the last event that has it. The error names the pointer and shows the reply.
    pub(crate) fn read(&self, reply: Reply<'_>) -> Result<Answer, String> {
        let text = match reply.delta {
            Some(delta) => reply.joined(delta)?,
            None => reply.whole(&self.answer)?,
        };
        let tokens = |pointer: &Option<Pointer>| match pointer {
            Some(pointer) => reply.tokens(pointer, self.lenient),
            None => Ok(0),
        };
        let usage = Usage {
            input: tokens(&self.tokens_in)?,
            output: tokens(&self.tokens_out)?,
            ..Usage::default()
        };
        Ok(Answer { text, contexts: self.contexts(reply)?, usage, ..Answer::default() })
    }

    fn contexts(&self, reply: Reply<'_>) -> Result<Option<Vec<Context>>, String> {
        let Some(pointer) = &self.contexts else { return Ok(None) };
        let Some(mut values) = reply.look(pointer, self.lenient)? else { return Ok(None) };
        if !pointer.is_many() {
            let [Value::Array(items)] = values.as_slice() else {
                let what = format!("the contexts are {}, not a list,", kind(&values));
                return Err(reply.fault(pointer, &what));
            };
            values = items.iter().collect();
        }
        let mut contexts = Vec::new();
        for value in values {
            contexts.push(self.context(value, pointer, reply)?);
        }
        if let Some(pointer) = &self.ids {
            reply.put_ids(&mut contexts, pointer)?;
        }
        Ok(Some(contexts))
    }

    fn context(
        &self,
        value: &Value,
        pointer: &Pointer,
        reply: Reply<'_>,
    ) -> Result<Context, String> {
        if let Value::String(text) = value {
            return Ok(Context { text: text.clone(), ..Context::default() });
        }
        if !value.is_object() {
            let what = format!("a context is {}, not a string or an object,", name(value));
            return Err(reply.fault(pointer, &what));
        }
        let Some([Value::String(text)]) = self.context_text.find(value).as_deref() else {
            let what = "a context has no text (`context_text` says where it is): no string";
            return Err(reply.fault(&self.context_text, what));
        };
        let part = |pointer: &Option<Pointer>| {
            let Some(pointer) = pointer else { return Ok(None) };
            match pointer.find(value).as_deref() {
                Some([Value::Null]) => Ok(None),
                Some([found]) => Ok(Some(*found)),
                None if self.lenient => Ok(None),
                _ => Err(reply.fault(pointer, "a context has nothing")),
            }
        };
        let score = part(&self.context_score)?.and_then(Value::as_f64);
        Ok(Context {
            id: part(&self.context_id)?.map(text_of),
            text: text.clone(),
            source: part(&self.context_source)?.map(text_of),
            score,
        })
    }
}

impl<'a> Reply<'a> {
    /// What is wrong at which pointer, and how the reply begins.
    fn fault(self, pointer: &Pointer, what: &str) -> String {
        let shown: Vec<String> = self.parts.iter().map(ToString::to_string).collect();
        let shown = self.redactor.beginning(&shown.join(" "));
        format!("{what} at `{}`; the reply begins: {shown}", pointer.as_str())
    }

    /// What a pointer names in the last part where that is not null; `None` if it is null, or
    /// missing where it may be.
    fn look(self, pointer: &Pointer, optional: bool) -> Result<Option<Vec<&'a Value>>, String> {
        let mut known = false;
        for part in self.parts.iter().rev() {
            let Some(values) = pointer.find(part) else { continue };
            known = true;
            if !matches!(values.as_slice(), [Value::Null]) {
                return Ok(Some(values));
            }
        }
        if known || optional { Ok(None) } else { Err(self.fault(pointer, "there is nothing")) }
    }

    fn whole(self, pointer: &Pointer) -> Result<String, String> {
        let values = self.look(pointer, false)?.unwrap_or_else(|| vec![&Value::Null]);
        let texts: Option<Vec<&str>> = values.iter().map(|value| value.as_str()).collect();
        texts.map(|texts| texts.concat()).ok_or_else(|| {
            self.fault(pointer, &format!("the answer is {}, not a string,", kind(&values)))
        })
    }

    fn joined(self, delta: &Pointer) -> Result<String, String> {
        let mut text = String::new();
        let mut any = false;
        for part in self.parts {
            if delta.find(part).is_none() && part.get("error").is_some_and(|error| !error.is_null())
            {
                // What came before is no answer: the rest of it is missing.
                let shown = self.redactor.beginning(&part.to_string());
                return Err(format!("the stream broke off with an error: {shown}"));
            }
        }
        for value in self.parts.iter().filter_map(|part| delta.find(part)).flatten() {
            match value {
                Value::String(piece) => text.push_str(piece),
                Value::Null => {}
                other => {
                    let what = format!("a piece of the answer is {}, not a string,", name(other));
                    return Err(self.fault(delta, &what));
                }
            }
            any = true;
        }
        if any { Ok(text) } else { Err(self.fault(delta, "no event has anything")) }
    }

    fn tokens(self, pointer: &Pointer, optional: bool) -> Result<u64, String> {
        let Some(values) = self.look(pointer, optional)? else { return Ok(0) };
        let count = if let [value] = values.as_slice() { value.as_u64() } else { None };
        count.ok_or_else(|| {
            self.fault(pointer, &format!("{}, not a count of tokens,", kind(&values)))
        })
    }

    fn put_ids(self, contexts: &mut [Context], pointer: &Pointer) -> Result<(), String> {
        let Some(mut ids) = self.look(pointer, false)? else { return Ok(()) };
        if let [Value::Array(items)] = ids.as_slice() {
            ids = items.iter().collect();
        }
        if ids.len() != contexts.len() {
            let what = format!("{} ids for {} contexts", ids.len(), contexts.len());
            return Err(self.fault(pointer, &what));
        }
        for (context, id) in contexts.iter_mut().zip(ids) {
            context.id = Some(text_of(id));
        }
        Ok(())
    }
}

/// Ids and names are texts; numbers are taken as they are written.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn kind(values: &[&Value]) -> &'static str {
    match values {
        [] => "nothing",
        [one] => name(one),
        _ => "several values",
    }
}

fn name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
