use std::collections::BTreeMap;

use futures::StreamExt;
use ragmeter_core::{Digest, EmbedRole, Embedder, Hasher, ModelError, Store, StoreError};

use crate::event::{Control, Events, RunEvent};

/// Vectors by text, and why some may be missing.
#[derive(Debug, Default)]
pub struct Embedded {
    /// One vector for each text that could be embedded.
    pub vectors: BTreeMap<String, Vec<f32>>,
    /// The last failure, if any batch failed.
    pub failure: Option<ModelError>,
}

/// The key of a vector: the embedder, the role and the text.
pub fn vector_key(embedder: &dyn Embedder, role: EmbedRole, text: &str) -> Digest {
    Hasher::new("vector@1").text(embedder.fingerprint()).text(role.name()).text(text).finish()
}

/// Vectors for these texts: each distinct text is embedded once, in full batches over all of
/// them, `concurrency` calls at a time, and kept as its batch arrives. A batch that fails leaves
/// its texts without vectors; the others go on.
pub async fn embed_all(
    texts: &[&str],
    role: EmbedRole,
    embedder: &dyn Embedder,
    store: &dyn Store,
    concurrency: usize,
    events: &Events,
    control: &Control,
) -> Result<Embedded, StoreError> {
    let mut distinct: Vec<&str> = texts.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let keys: Vec<Digest> = distinct.iter().map(|text| vector_key(embedder, role, text)).collect();
    let known = store.vectors(&keys)?;
    let mut embedded = Embedded::default();
    let mut missing: Vec<String> = Vec::new();
    for (text, vector) in distinct.iter().zip(known) {
        match vector {
            Some(vector) => drop(embedded.vectors.insert((*text).to_owned(), vector)),
            None => missing.push((*text).to_owned()),
        }
    }
    let _ = events.send(RunEvent::Embedding { total: missing.len() });
    let batches = missing.chunks(embedder.max_batch().max(1)).take_while(|_| !control.cancelled());
    let mut calls = futures::stream::iter(batches.map(|batch| async move {
        embedder.embed(batch, role).await.map(|embeddings| (batch, embeddings))
    }))
    .buffer_unordered(concurrency.max(1));
    let mut over = std::pin::pin!(control.over());
    loop {
        let next = tokio::select! {
            next = calls.next() => next,
            () = &mut over => break,
        };
        let Some(next) = next else { break };
        let (batch, embeddings) = match next {
            Ok(next) => next,
            Err(failure) => {
                embedded.failure = Some(failure);
                continue;
            }
        };
        let rows: Vec<(Digest, Vec<f32>)> = batch
            .iter()
            .zip(embeddings.vectors)
            .map(|(text, vector)| {
                embedded.vectors.insert(text.clone(), vector.clone());
                (vector_key(embedder, role, text), vector)
            })
            .collect();
        store.put_vectors(&rows)?;
        let _ = events.send(RunEvent::Embedded { count: batch.len() });
    }
    Ok(embedded)
}
