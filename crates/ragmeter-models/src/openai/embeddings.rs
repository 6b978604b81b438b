//! Vectors from `/embeddings`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ragmeter_core::{BoxFuture, EmbedRole, Embedder, Embeddings, ErrorClass, ModelError, Usage};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{errors, model_error, reply, unusable};
use crate::said::{characters, status_line};
use crate::transport::{Call, CallError, Kind, Transport};

/// An embedding model behind an OpenAI-compatible endpoint. It embeds questions and passages alike.
#[derive(Debug)]
pub(super) struct OpenAiEmbedder {
    transport: Arc<Transport>,
    model: String,
    endpoint: String,
    fingerprint: String,
    batch: usize,
    /// Numbers in a vector; 0 until the first reply.
    dimension: AtomicUsize,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    input: &'a [String],
    /// Every server knows this one; some refuse base64.
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    data: Vec<Row>,
    #[serde(default)]
    usage: Value,
}

#[derive(Deserialize)]
struct Row {
    index: Option<usize>,
    embedding: Vector,
}

/// Numbers, or base64 of little-endian 32-bit floats.
struct Vector(Vec<f32>);

impl OpenAiEmbedder {
    pub(super) fn new(
        transport: Arc<Transport>,
        model: String,
        endpoint: String,
        batch: usize,
    ) -> Self {
        let fingerprint = format!("openai:{model}@{endpoint}");
        Self { transport, model, endpoint, fingerprint, batch, dimension: AtomicUsize::new(0) }
    }

    async fn embed_batch(&self, texts: &[String]) -> Result<Embeddings, ModelError> {
        let body = Body { model: &self.model, input: texts, encoding_format: "float" };
        let body = match serde_json::to_vec(&body) {
            Ok(bytes) => bytes,
            Err(err) => unreachable!("a body of strings always serialises: {err}"),
        };
        let judge = |status, body: &str| errors::verdict(status, body, None);
        let chars = characters(&body);
        let call = Call { path: "embeddings", model: &self.model, body, kind: Kind::Embeddings };
        match self.transport.post(call, judge).await {
            Ok(body) => {
                let embeddings = decode(&body, texts.len())
                    .and_then(|embeddings| self.same_dimension(embeddings))
                    .map_err(|(class, detail)| self.error(class, self.transport.clean(&detail)))?;
                self.transport.used(&self.model, chars, embeddings.usage.input);
                Ok(embeddings)
            }
            Err(CallError::Refused { status, body }) => {
                Err(self.error(errors::class(status, &body, None), status_line(status, &body)))
            }
            Err(CallError::GaveUp { class, detail }) => {
                Err(self.error(ErrorClass::Failed(class), detail))
            }
        }
    }

    /// A model that changes the length of its vectors in mid-run has become another model.
    fn same_dimension(&self, embeddings: Embeddings) -> Result<Embeddings, (ErrorClass, String)> {
        for vector in &embeddings.vectors {
            let known = self.dimension.compare_exchange(
                0,
                vector.len(),
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            if let Err(known) = known
                && known != vector.len()
            {
                let got = vector.len();
                return Err(unusable(format!("a vector of {got} numbers after ones of {known}")));
            }
        }
        Ok(embeddings)
    }

    fn error(&self, class: ErrorClass, detail: String) -> ModelError {
        model_error(class, &self.model, &self.endpoint, detail)
    }
}

impl Embedder for OpenAiEmbedder {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn max_batch(&self) -> usize {
        self.batch
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [String],
        _role: EmbedRole,
    ) -> BoxFuture<'a, Result<Embeddings, ModelError>> {
        Box::pin(async move {
            let batches = texts.chunks(self.batch).map(|batch| self.embed_batch(batch));
            let mut all = Embeddings::default();
            for batch in futures::future::try_join_all(batches).await? {
                all.vectors.extend(batch.vectors);
                all.usage += batch.usage;
            }
            Ok(all)
        })
    }
}

/// Reads a reply to `count` texts: vectors of unit length in the order of the texts.
fn decode(body: &str, count: usize) -> Result<Embeddings, (ErrorClass, String)> {
    let reply: Reply = serde_json::from_str(body)
        .map_err(|err| unusable(format!("the reply is not a list of vectors: {err}")))?;
    if reply.data.len() != count {
        let got = reply.data.len();
        return Err(unusable(format!("asked for {count} vectors, got {got}")));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; count];
    for (position, row) in reply.data.into_iter().enumerate() {
        let index = row.index.unwrap_or(position);
        let place = match vectors.get_mut(index) {
            Some(place) if place.is_none() => place,
            Some(_) => return Err(unusable(format!("two vectors of index {index}"))),
            None => return Err(unusable(format!("index {index} of {count} texts"))),
        };
        *place = Some(unit_length(row.embedding.0, index)?);
    }
    // Every index is in range and none is there twice, so none is missing.
    let vectors = vectors.into_iter().flatten().collect();
    // Embedding models generate nothing, whatever their servers put into the total.
    let usage = Usage { output: 0, ..reply::usage(&reply.usage) };
    Ok(Embeddings { vectors, usage })
}

fn unit_length(mut vector: Vec<f32>, index: usize) -> Result<Vec<f32>, (ErrorClass, String)> {
    let square: f64 = vector.iter().map(|x| f64::from(*x).powi(2)).sum();
    if !square.is_finite() {
        return Err(unusable(format!("vector {index} has numbers that are not finite")));
    }
    if square == 0.0 {
        return Err(unusable(format!("vector {index} is empty or all zeros")));
    }
    let length = square.sqrt();
    for x in &mut vector {
        *x = (f64::from(*x) / length) as f32;
    }
    Ok(vector)
}

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VectorVisitor)
    }
}

struct VectorVisitor;

impl<'de> Visitor<'de> for VectorVisitor {
    type Value = Vector;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of numbers, or base64 of 32-bit floats")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vector, A::Error> {
        let mut numbers = Vec::with_capacity(seq.size_hint().unwrap_or(1024));
        while let Some(number) = seq.next_element()? {
            numbers.push(number);
        }
        Ok(Vector(numbers))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vector, E> {
        let bytes = STANDARD.decode(text).map_err(|err| E::custom(format!("bad base64: {err}")))?;
        let (numbers, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(E::custom("base64 of a number of bytes that is not a multiple of four"));
        }
        Ok(Vector(numbers.iter().map(|four| f32::from_le_bytes(*four)).collect()))
    }
}
