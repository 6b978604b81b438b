//! Vectors from `/embeddings`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ragmeter_core::{Embeddings, Usage};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::reply;
use crate::dialect::{Failed, Outgoing, unusable};

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

/// Texts to embed, on the wire.
pub(super) fn encode(model: &str, texts: &[String]) -> Outgoing {
    Outgoing::json("embeddings", &Body { model, input: texts, encoding_format: "float" })
}

/// Reads a reply to `count` texts: vectors in the order of the texts.
pub(super) fn decode(body: &str, count: usize) -> Result<Embeddings, Failed> {
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
        *place = Some(row.embedding.0);
    }
    // Every index is in range and none is there twice, so none is missing.
    let vectors = vectors.into_iter().flatten().collect();
    // Embedding models generate nothing, whatever their servers put into the total.
    let usage = Usage { output: 0, ..reply::usage(&reply.usage) };
    Ok(Embeddings { vectors, usage })
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
