use std::collections::BTreeMap;
use std::sync::Arc;

use ragmeter_core::{
    Answer, AnswerError, BoxFuture, Context, RagSystem, Retrieved, Retriever, TestCase, Usage,
};

use crate::generate::StuffGenerator;
use crate::read::ExtractiveReader;

/// What makes the answer from the retrieved chunks.
#[derive(Clone, Debug)]
pub enum Reader {
    /// The best sentences, without a language model.
    Extractive(ExtractiveReader),
    /// A chat model that sees all of them.
    Chat(StuffGenerator),
}

/// The built-in system: retrieve `k` chunks, then read or generate.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Its name in reports.
    pub name: String,
    /// What finds the chunks.
    pub retriever: Arc<dyn Retriever>,
    /// How many.
    pub k: usize,
    /// What answers.
    pub reader: Reader,
}

impl Chain {
    async fn run(&self, question: &str) -> Result<Answer, AnswerError> {
        let found = self.retriever.retrieve(question, self.k).await;
        let found = found.map_err(|error| AnswerError(format!("retrieval failed: {error}")))?;
        let mut answer = Answer {
            contexts: Some(found.iter().map(context_of).collect()),
            figures: BTreeMap::from([("contexts".to_owned(), found.len() as f64)]),
            ..Answer::default()
        };
        match &self.reader {
            Reader::Extractive(reader) => {
                let reading = reader.read(question, &found).await;
                let reading =
                    reading.map_err(|error| AnswerError(format!("reading failed: {error}")))?;
                answer.figures.insert("evidence".to_owned(), reading.evidence);
                answer.text = reading.text;
            }
            Reader::Chat(generator) => {
                let reply = generator.generate(question, &found).await;
                let reply =
                    reply.map_err(|error| AnswerError(format!("generation failed: {error}")))?;
                let Usage { input, output, .. } = reply.usage;
                answer.figures.insert("input_tokens".to_owned(), input as f64);
                answer.figures.insert("output_tokens".to_owned(), output as f64);
                if reply.truncated {
                    answer.figures.insert("truncated".to_owned(), 1.0);
                }
                answer.refused_by_model = reply.filtered;
                answer.usage = reply.usage;
                answer.text = reply.text;
            }
        }
        Ok(answer)
    }
}

fn context_of(retrieved: &Retrieved) -> Context {
    Context {
        id: Some(retrieved.chunk.id.to_string()),
        text: retrieved.chunk.text.clone(),
        source: Some(retrieved.chunk.source.clone()),
        score: Some(retrieved.score),
    }
}

impl RagSystem for Chain {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer<'a>(&'a self, case: &'a TestCase) -> BoxFuture<'a, Result<Answer, AnswerError>> {
        Box::pin(self.run(&case.question))
    }
}
