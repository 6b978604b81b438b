//! Settings as a person would say them, in the report's languages.

use std::fmt::Write;

use ragmeter_analysis::Bilingual;
use ragmeter_core::Lang;
use serde_json::Value;

use crate::config::{ChunkUnit, Chunking, RetrieverConfig, RetrieverKind};

/// How a system works: "hybrid retriever, k 5, weights 1 : 1; extractive reader".
pub(crate) fn system(settings: &Value) -> Bilingual {
    if let Some(hash) = settings.get("records").and_then(Value::as_str) {
        let hash = short(hash);
        return Bilingual::new(
            format!("recorded answers (hash {hash})"),
            format!("записанные ответы (хеш {hash})"),
        );
    }
    let retriever = settings
        .get("retriever")
        .and_then(|value| serde_json::from_value::<RetrieverConfig>(value.clone()).ok());
    let (Some(config), Some(generator)) = (retriever, settings.get("generator")) else {
        let text = plain(settings);
        return Bilingual::new(text.clone(), text);
    };
    let (found, answered) = (retrieval(&config), reader(generator));
    Bilingual::new(
        format!("{}; {}", found.en, answered.en),
        format!("{}; {}", found.ru, answered.ru),
    )
}

fn retrieval(config: &RetrieverConfig) -> Bilingual {
    let (en, ru) = match config.kind {
        RetrieverKind::Bm25 => ("retriever by words (BM25)", "поиск по словам (BM25)"),
        RetrieverKind::Dense => ("retriever by vectors", "поиск по векторам"),
        RetrieverKind::Hybrid => ("hybrid retriever", "гибридный поиск"),
    };
    let mut en = vec![en.to_owned(), format!("k {}", config.k)];
    let mut ru = vec![ru.to_owned(), format!("k {}", config.k)];
    if config.kind == RetrieverKind::Hybrid {
        let [words, vectors] = [config.weights.bm25, config.weights.dense];
        en.push(format!("weights {words} : {vectors} (words : vectors)"));
        ru.push(format!("веса {} : {} (слова : векторы)", comma(words), comma(vectors)));
    }
    if let Some(mmr) = config.mmr {
        en.push(format!("maximal marginal relevance {mmr}"));
        ru.push(format!("предельная релевантность (MMR) {}", comma(mmr)));
    }
    if let Some(threshold) = config.threshold {
        en.push(format!("threshold {threshold}"));
        ru.push(format!("порог {}", comma(threshold)));
    }
    Bilingual::new(en.join(", "), ru.join(", "))
}

fn reader(generator: &Value) -> Bilingual {
    if let Some(rules) = generator.as_str().and_then(|text| text.strip_prefix("extractive@")) {
        return Bilingual::new(
            format!("extractive reader (rules {rules})"),
            format!("ответ составлен из предложений контекстов (правила {rules})"),
        );
    }
    let Some(model) = generator.get("model").and_then(Value::as_str) else {
        let text = plain(generator);
        return Bilingual::new(text.clone(), text);
    };
    let mut en = format!("answers by {model}");
    let mut ru = format!("отвечает {model}");
    if let Some(endpoint) = generator.get("endpoint").and_then(Value::as_str) {
        let _ = write!(en, " at {endpoint}");
        let _ = write!(ru, ", адрес {endpoint}");
    }
    let prompts: Vec<&str> =
        generator["prompt"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !prompts.is_empty() {
        let hashes = prompts.iter().map(|hash| short(hash)).collect::<Vec<_>>().join(", ");
        let _ = write!(en, " (prompts {hashes})");
        let _ = write!(ru, " (промпты {hashes})");
    }
    Bilingual::new(en, ru)
}

/// How documents were cut: "up to 1000 characters, 150 of them repeated in the next chunk".
pub(crate) fn chunking(value: &Value) -> Bilingual {
    let Ok(chunking) = serde_json::from_value::<Chunking>(value.clone()) else {
        let text = plain(value);
        return Bilingual::new(text.clone(), text);
    };
    let (size, overlap) = (chunking.size, chunking.overlap);
    let (en, ru) = match chunking.unit {
        ChunkUnit::Characters => ("characters".to_owned(), "знаков".to_owned()),
        ChunkUnit::Tokens => {
            let name = chunking.tokenizer.as_deref().unwrap_or("cl100k_base");
            (format!("tokens of {name}"), format!("токенов {name}"))
        }
    };
    let (repeated, repeated_ru) = match overlap {
        0 => ("without overlap".to_owned(), "без перекрытия".to_owned()),
        n => (format!("the last {n} repeated in the next chunk"), format!("перекрытие {n}")),
    };
    Bilingual::new(
        format!("up to {size} {en}, {repeated}"),
        format!("не больше {size} {ru}, {repeated_ru}"),
    )
}

/// The names of languages.
pub(crate) fn languages(langs: &[Lang]) -> Bilingual {
    let name = |lang: &Lang| match lang {
        Lang::En => ("English", "английский"),
        Lang::Ru => ("Russian", "русский"),
    };
    let names: Vec<(&str, &str)> = langs.iter().map(name).collect();
    let (en, ru): (Vec<&str>, Vec<&str>) = names.into_iter().unzip();
    Bilingual::new(en.join(", "), ru.join(", "))
}

/// What a profile is, beside its name.
pub(crate) fn profile(name: &str) -> Option<Bilingual> {
    Some(match name {
        "grouped" => Bilingual::new(
            "grouped: related facts are asked for in one call",
            "grouped: родственные суждения запрашиваются вместе",
        ),
        "split" => Bilingual::new(
            "split: one fact a call, in RAGAS’s steps and units",
            "split: одно суждение за запрос, шагами и единицами RAGAS",
        ),
        "local" => Bilingual::new(
            "local: encoders on this machine, no language model",
            "local: энкодеры на этой машине, без языковой модели",
        ),
        _ => return None,
    })
}

/// Any value without JSON's braces and quotes: `key value, key value`.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            let parts = map.iter().filter(|(_, value)| !value.is_null());
            parts
                .map(|(key, value)| format!("{key} {}", plain(value)))
                .collect::<Vec<_>>()
                .join(", ")
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Enough of a hash to tell it from others.
fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// A number with a decimal comma.
fn comma(number: f64) -> String {
    number.to_string().replace('.', ",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn systems_are_said_in_words() {
        let hybrid = json!({
            "retriever": {"kind": "hybrid", "k": 5, "weights": {"bm25": 1.0, "dense": 0.5},
                "mmr": null, "threshold": 0.25},
            "generator": "extractive@2",
        });
        let said = system(&hybrid);
        assert_eq!(
            said.en,
            "hybrid retriever, k 5, weights 1 : 0.5 (words : vectors), threshold 0.25; \
             extractive reader (rules 2)"
        );
        assert!(said.ru.starts_with("гибридный поиск, k 5, веса 1 : 0,5"), "{}", said.ru);
        let chat = json!({
            "retriever": {"kind": "bm25", "k": 3, "mmr": 0.7},
            "generator": {"model": "m", "endpoint": "http://e", "prompt": ["0123456789abcdef"]},
        });
        assert_eq!(
            system(&chat).en,
            "retriever by words (BM25), k 3, maximal marginal relevance 0.7; answers by m at \
             http://e (prompts 0123456789ab)"
        );
        let other = system(&json!({"url": "http://x", "headers": {"a": 1}, "timeout": null}));
        assert_eq!(other.en, "url http://x, headers a 1");
    }
}
