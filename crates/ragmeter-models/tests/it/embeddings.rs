use base64::Engine as _;
use ragmeter_core::{AbsenceClass, EmbedRole, Embeddings, ErrorClass, ModelError};
use ragmeter_models::{Remote, RemoteConfig};
use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Reply};

fn texts(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("текст {i}")).collect()
}

async fn embed(endpoint: &Endpoint, n: usize) -> Result<Embeddings, ModelError> {
    endpoint.connect().embedder("some-embedder").embed(&texts(n), EmbedRole::Query).await
}

fn base64_of(numbers: &[f32]) -> Value {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    json!(base64::engine::general_purpose::STANDARD.encode(bytes))
}

#[tokio::test]
async fn vectors_come_in_the_order_of_the_texts_with_unit_length() {
    let cases = [
        json!([{"index": 1, "embedding": [0.0, 5.0]}, {"index": 0, "embedding": [3.0, 4.0]}]),
        json!([{"index": 1, "embedding": base64_of(&[0.0, 5.0])}, {"index": 0, "embedding": base64_of(&[3.0, 4.0])}]),
        json!([{"embedding": [3, 4]}, {"embedding": [0, 0.5]}]),
    ];
    for data in cases {
        let shown = data.to_string();
        let endpoint = Endpoint::start(move |_| {
            Reply::json(&json!({"data": data, "usage": {"prompt_tokens": 9, "total_tokens": 9}}))
        })
        .await;
        let got = embed(&endpoint, 2).await.expect(&shown);
        assert_eq!(got.vectors, vec![vec![0.6, 0.8], vec![0.0, 1.0]], "{shown}");
        assert_eq!((got.usage.input, got.usage.output), (9, 0));
        let sent = json!({"model": "some-embedder", "input": texts(2), "encoding_format": "float"});
        assert_eq!(endpoint.body(0), sent);
        assert!(endpoint.seen()[0].head.starts_with("POST /v1/embeddings "));
    }
}

#[tokio::test]
async fn vectors_that_cannot_be_trusted_are_refused() {
    let cases = [
        (json!([{"index": 0, "embedding": [1.0]}]), "asked for 2 vectors, got 1"),
        (
            json!([{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]),
            "two vectors of index 0",
        ),
        (
            json!([{"index": 0, "embedding": [1.0]}, {"index": 2, "embedding": [1.0]}]),
            "index 2 of 2 texts",
        ),
        (json!([{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}]), "2 numbers after ones of 1"),
        (json!([{"embedding": [1.0]}, {"embedding": [0.0]}]), "all zeros"),
        (json!([{"embedding": [1.0]}, {"embedding": []}]), "empty"),
        (json!([{"embedding": [1.0]}, {"embedding": [null]}]), "not a list of vectors"),
        (json!([{"embedding": [1.0]}, {"embedding": base64_of(&[f32::NAN])}]), "not finite"),
        (json!([{"embedding": [1.0]}, {"embedding": base64_of(&[f32::INFINITY])}]), "not finite"),
        (json!([{"embedding": [1.0]}, {"embedding": "AAA="}]), "multiple of four"),
        (json!([{"embedding": [1.0]}, {"embedding": "?"}]), "bad base64"),
    ];
    for (data, words) in cases {
        let endpoint = Endpoint::start(move |_| Reply::json(&json!({"data": data}))).await;
        let err = embed(&endpoint, 2).await.expect_err(words);
        assert_eq!(err.class, ErrorClass::Failed(AbsenceClass::Server));
        assert!(err.detail.contains(words), "{words}: {err}");
    }
}

#[tokio::test]
async fn long_lists_go_in_batches_and_a_changed_model_is_noticed() {
    let endpoint = Endpoint::start(|seen| {
        let body: Value = serde_json::from_str(&seen.body).expect("JSON");
        let inputs = body["input"].as_array().expect("a list");
        let size = if seen.number < 3 { 2 } else { 3 };
        let data: Vec<Value> = inputs
            .iter()
            .map(|text| {
                let number: f32 =
                    text.as_str().expect("a text")["текст ".len()..].parse().expect("a number");
                let mut vector = vec![0.0; size];
                vector[0] = number;
                vector[1] = 1.0;
                json!({"embedding": vector})
            })
            .collect();
        Reply::json(&json!({"data": data, "usage": {"prompt_tokens": 1}}))
    })
    .await;
    let openai =
        Remote::connect(&RemoteConfig { embedding_batch: 4, ..endpoint.config() }).expect("ok");
    let embedder = openai.embedder("some-embedder");
    assert_eq!((embedder.max_batch(), embedder.is_remote()), (4, true));
    assert_eq!(embedder.fingerprint(), format!("openai:some-embedder@{}", endpoint.base_url));
    let got = embedder.embed(&texts(10), EmbedRole::Passage).await.expect("vectors");
    assert_eq!((got.vectors.len(), got.usage.input, endpoint.seen().len()), (10, 3, 3));
    for (i, vector) in got.vectors.iter().enumerate() {
        assert!((vector[0] / vector[1] - i as f32).abs() < 1e-4, "{i}: {vector:?}");
    }
    assert_eq!(openai.stats().embedding_calls, 3);
    let err = embedder.embed(&texts(1), EmbedRole::Passage).await.expect_err("another model");
    assert!(err.detail.contains("3 numbers after ones of 2"), "{err}");
    assert!(embedder.embed(&[], EmbedRole::Query).await.expect("nothing").vectors.is_empty());
}
