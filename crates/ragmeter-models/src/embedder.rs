//! Texts into vectors over the network.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ragmeter_core::{BoxFuture, EmbedRole, Embedder, Embeddings, ErrorClass, ModelError};

use crate::dialect::{Dialect, Failed, unusable};
use crate::said::{characters, status_line};
use crate::transport::{Call, CallError, Kind, Transport};

/// An embedding model behind an endpoint.
#[derive(Debug)]
pub(crate) struct RemoteEmbedder {
    transport: Arc<Transport>,
    dialect: Arc<dyn Dialect>,
    model: String,
    endpoint: String,
    fingerprint: String,
    batch: usize,
    /// Numbers in a vector; 0 until the first reply.
    dimension: AtomicUsize,
}

impl RemoteEmbedder {
    pub(crate) fn new(
        transport: Arc<Transport>,
        provider: &str,
        dialect: Arc<dyn Dialect>,
        model: String,
        endpoint: String,
        batch: usize,
    ) -> Self {
        let fingerprint = format!("{provider}:{model}@{endpoint}");
        let dimension = AtomicUsize::new(0);
        Self { transport, dialect, model, endpoint, fingerprint, batch, dimension }
    }

    async fn embed_batch(
        &self,
        texts: &[String],
        role: EmbedRole,
    ) -> Result<Embeddings, ModelError> {
        let dialect = &self.dialect;
        let outgoing = dialect
            .embed(&self.model, texts, role)
            .map_err(|(class, detail)| self.error(class, detail))?;
        let judge = |status, body: &str| dialect.verdict(status, body, None);
        let chars = characters(&outgoing.body);
        let (path, body) = (outgoing.path.as_ref(), outgoing.body);
        let call = Call { path, model: &self.model, body, kind: Kind::Embeddings };
        match self.transport.post(call, judge).await {
            Ok(body) => {
                let embeddings = dialect
                    .vectors(&body, texts.len())
                    .and_then(of_unit_length)
                    .and_then(|embeddings| self.same_dimension(embeddings))
                    .map_err(|(class, detail)| self.error(class, self.transport.clean(&detail)))?;
                self.transport.used(&self.model, chars, embeddings.usage.input);
                Ok(embeddings)
            }
            Err(CallError::Refused { status, body }) => {
                let hint = dialect.hint(status, &body).unwrap_or_default();
                let class = dialect.class(status, &body, None);
                Err(self.error(class, status_line(status, &body) + hint))
            }
            Err(CallError::GaveUp { class, detail }) => {
                Err(self.error(ErrorClass::Failed(class), detail))
            }
        }
    }

    /// A model that changes the length of its vectors in mid-run has become another model.
    fn same_dimension(&self, embeddings: Embeddings) -> Result<Embeddings, Failed> {
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
        ModelError { class, model: self.model.clone(), endpoint: self.endpoint.clone(), detail }
    }
}

impl Embedder for RemoteEmbedder {
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
        role: EmbedRole,
    ) -> BoxFuture<'a, Result<Embeddings, ModelError>> {
        Box::pin(async move {
            let batches = texts.chunks(self.batch).map(|batch| self.embed_batch(batch, role));
            let mut all = Embeddings::default();
            for batch in futures::future::try_join_all(batches).await? {
                all.vectors.extend(batch.vectors);
                all.usage += batch.usage;
            }
            Ok(all)
        })
    }
}

fn of_unit_length(embeddings: Embeddings) -> Result<Embeddings, Failed> {
    let vectors = embeddings.vectors.into_iter().enumerate();
    let vectors =
        vectors.map(|(index, vector)| unit_length(vector, index)).collect::<Result<_, _>>()?;
    Ok(Embeddings { vectors, ..embeddings })
}

fn unit_length(mut vector: Vec<f32>, index: usize) -> Result<Vec<f32>, Failed> {
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
