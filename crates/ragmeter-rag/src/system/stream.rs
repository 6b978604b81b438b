use serde_json::Value;

/// How a streamed reply is cut into events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// Server-sent events; `data: [DONE]` ends them.
    Sse,
    /// One JSON object a line.
    Ndjson,
}

/// Reads a streamed body piece by piece; pieces may end anywhere.
#[derive(Debug)]
pub(crate) struct Events {
    kind: StreamKind,
    /// The line that is not whole yet.
    line: Vec<u8>,
    /// `data` of the server-sent event that is not whole yet.
    data: Vec<String>,
    pub(crate) found: Vec<Value>,
    /// The stream said that it is over.
    pub(crate) done: bool,
}

impl Events {
    pub(crate) fn new(kind: StreamKind) -> Self {
        Self { kind, line: Vec::new(), data: Vec::new(), found: Vec::new(), done: false }
    }

    /// Takes the next piece of the body. The error is the event that is no JSON.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.end_line()?;
            }
        }
        Ok(())
    }

    /// Takes the end of the body.
    pub(crate) fn end(&mut self) -> Result<(), String> {
        self.end_line()?;
        self.end_event()
    }

    fn end_line(&mut self) -> Result<(), String> {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        let line = line.trim_end_matches(['\r', '\n']);
        match self.kind {
            StreamKind::Ndjson if line.trim().is_empty() => Ok(()),
            StreamKind::Ndjson => self.event(line.trim()),
            StreamKind::Sse if line.is_empty() => self.end_event(),
            StreamKind::Sse => {
                // Comments, names and ids of events carry nothing that is measured.
                if let Some(data) = line.strip_prefix("data:") {
                    self.data.push(data.strip_prefix(' ').unwrap_or(data).to_owned());
                }
                Ok(())
            }
        }
    }

    fn end_event(&mut self) -> Result<(), String> {
        if self.data.is_empty() {
            return Ok(());
        }
        let text = std::mem::take(&mut self.data).join("\n");
        self.event(&text)
    }

    fn event(&mut self, text: &str) -> Result<(), String> {
        if self.done || text.trim() == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let event = serde_json::from_str(text).map_err(|_| text.to_owned())?;
        self.found.push(event);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_are_the_same_however_the_body_is_cut() {
        let sse = ": hello\r\nevent: token\r\ndata: {\"d\":\r\ndata: \"дá\"}\r\n\r\n\
                   data:{\"d\": 1}\n\ndata: [DONE]\n\ndata: {\"d\": 2}\n\n";
        let ndjson = "{\"d\": \"дá\"}\r\n\n{\"d\": 1}";
        for (kind, body) in [(StreamKind::Sse, sse), (StreamKind::Ndjson, ndjson)] {
            for size in 1..body.len() {
                let mut events = Events::new(kind);
                for piece in body.as_bytes().chunks(size) {
                    events.push(piece).expect("JSON");
                }
                events.end().expect("JSON");
                assert_eq!(events.found, [json!({ "d": "дá" }), json!({ "d": 1 })], "{size}");
                assert_eq!(events.done, kind == StreamKind::Sse);
            }
        }
        let mut events = Events::new(StreamKind::Ndjson);
        assert_eq!(events.push(b"{\"d\": 1}\nLoading\n"), Err("Loading".to_owned()));
    }
}
