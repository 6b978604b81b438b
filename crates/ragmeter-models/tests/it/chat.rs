use ragmeter_core::{AbsenceClass, ErrorClass, ModelError, Rung, Usage};
use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Reply, request, schema};

async fn ask(
    endpoint: &Endpoint,
    rung: Option<Rung>,
) -> Result<ragmeter_core::ChatReply, ModelError> {
    endpoint.connect().chat_model("some-model").chat(request(rung)).await
}

fn expected(extra: &Value) -> Value {
    let mut body = json!({
        "model": "some-model",
        "messages": [
            {"role": "system", "content": "Отвечай «коротко» 🌞"},
            {"role": "user", "content": "Какова масса Солнца?\n\"кг\""},
        ],
        "temperature": 0.0,
        "max_tokens": 256,
        "seed": 7,
    });
    let all = body.as_object_mut().expect("an object");
    all.extend(extra.as_object().expect("an object").clone());
    body
}

#[tokio::test]
async fn each_rung_has_its_body_and_russian_travels_unescaped() {
    let native = json!({"response_format": {
        "type": "json_schema",
        "json_schema": {"name": "verdicts", "strict": true, "schema": schema()},
    }});
    let tool = json!({
        "tools": [
            {"type": "function", "function": {"name": "verdicts", "parameters": schema()}},
        ],
        "tool_choice": {"type": "function", "function": {"name": "verdicts"}},
    });
    let cases = [
        (Some(Rung::Native), native),
        (Some(Rung::Tool), tool),
        (Some(Rung::Prompt), json!({})),
        (None, json!({})),
    ];
    let endpoint = Endpoint::start(|_| Reply::says("{}")).await;
    for (number, (rung, extra)) in cases.into_iter().enumerate() {
        ask(&endpoint, rung).await.expect("a reply");
        assert_eq!(endpoint.body(number), expected(&extra), "{rung:?}");
        let seen = &endpoint.seen()[number];
        assert!(seen.head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", seen.head);
        assert!(seen.head.contains("authorization: Bearer sk-hush-9f3a\r\n"), "{}", seen.head);
        assert!(seen.body.contains("Какова масса Солнца?"), "{}", seen.body);
        assert!(!seen.body.contains("\\u"), "{}", seen.body);
    }
}

#[tokio::test]
async fn replies_are_read_however_they_are_wrapped() {
    let call = |arguments: Value| {
        json!({"content": null, "tool_calls": [
            {"type": "function", "function": {"name": "other", "arguments": "{}"}},
            {"type": "function", "function": {"name": "verdicts", "arguments": arguments}},
        ]})
    };
    let cases = [
        (Some(Rung::Native), json!({"content": "{\"вывод\":\"да\"}"})),
        (Some(Rung::Native), json!({"content": {"вывод": "да"}})),
        (
            Some(Rung::Native),
            json!({"content": [
                {"type": "text", "text": "{\"вывод\":"}, {"type": "text", "text": "\"да\"}"},
            ]}),
        ),
        (Some(Rung::Tool), call(json!("{\"вывод\":\"да\"}"))),
        (Some(Rung::Tool), call(json!({"вывод": "да"}))),
        (
            Some(Rung::Tool),
            json!({"function_call": {"name": "verdicts", "arguments": "{\"вывод\":\"да\"}"}}),
        ),
        // Asked for a tool call, answered in plain content.
        (Some(Rung::Tool), json!({"content": "{\"вывод\":\"да\"}", "tool_calls": []})),
        (None, json!({"content": "{\"вывод\":\"да\"}", "refusal": null})),
    ];
    for (rung, message) in cases {
        let shown = message.to_string();
        let endpoint =
            Endpoint::start(move |_| Reply::json(&json!({"choices": [{"message": message}]})))
                .await;
        let reply = ask(&endpoint, rung).await.expect("a reply");
        assert_eq!(reply.text, "{\"вывод\":\"да\"}", "{shown}");
        assert!(!reply.truncated && !reply.filtered);
        assert_eq!(reply.model, "some-model");
        assert_eq!(reply.usage, Usage::default());
    }
}

#[tokio::test]
async fn truncation_filters_refusals_and_usage_are_told() {
    let full = json!({
        "model": "some-model-2026-11-01",
        "choices": [{"message": {"content": "да"}, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": 1200, "completion_tokens": "34",
            "prompt_tokens_details": {"cached_tokens": 1024},
        },
    });
    let body = full.to_string();
    let endpoint = Endpoint::start(move |_| Reply::json(&full)).await;
    let reply = ask(&endpoint, None).await.expect("a reply");
    assert_eq!(reply.usage, Usage { input: 1200, cached: 1024, output: 34 });
    assert_eq!((reply.model.as_str(), reply.raw), ("some-model-2026-11-01", body));

    let cases = [
        (json!({"message": {"content": "{\"вы"}, "finish_reason": "length"}), "{\"вы", true, false),
        (json!({"message": {"content": ""}, "finish_reason": "content_filter"}), "", false, true),
        (
            json!({"message": {"content": "не могу"}, "finish_reason": "blacklist"}),
            "не могу",
            false,
            true,
        ),
        (
            json!({"message": {"content": null, "refusal": "не буду"}, "finish_reason": "stop"}),
            "не буду",
            false,
            true,
        ),
        (
            json!({"message": {"content": [{"type": "refusal", "refusal": "no"}]}}),
            "no",
            false,
            true,
        ),
    ];
    for (choice, text, truncated, filtered) in cases {
        let shown = choice.to_string();
        let endpoint = Endpoint::start(move |_| Reply::json(&json!({"choices": [choice]}))).await;
        let reply = ask(&endpoint, Some(Rung::Native)).await.expect("a reply");
        assert_eq!(
            (reply.text.as_str(), reply.truncated, reply.filtered),
            (text, truncated, filtered),
            "{shown}"
        );
    }
}

#[tokio::test]
async fn parameters_that_a_model_refuses_are_left_out_from_then_on() {
    let endpoint = Endpoint::start(|seen| {
        let refuse = |what: &str| {
            Reply::new(
                400,
                json!({"error": {"message": format!("Unsupported parameter: '{what}'")}})
                    .to_string(),
            )
        };
        for name in ["temperature", "max_tokens", "seed"] {
            if seen.body.contains(&format!("\"{name}\":")) {
                return refuse(name);
            }
        }
        Reply::says("да")
    })
    .await;
    let model = endpoint.connect().chat_model("new-model");
    model.chat(request(None)).await.expect("a reply");
    assert_eq!(endpoint.seen().len(), 4);
    let last = endpoint.body(3);
    assert_eq!(last["max_completion_tokens"], 256);
    assert_eq!(last.as_object().expect("an object").len(), 3, "{last}");
    model.chat(request(None)).await.expect("a reply");
    assert_eq!(endpoint.seen().len(), 5);

    // Known by name: nothing to learn.
    let model = endpoint.connect().chat_model("gpt-5-mini");
    model.chat(ragmeter_core::ChatRequest { seed: None, ..request(None) }).await.expect("a reply");
    assert_eq!(endpoint.seen().len(), 6);
}

#[tokio::test]
async fn refusals_have_classes_and_are_not_sent_again() {
    use AbsenceClass::{Auth, Filtered, Rejected, Server};
    let failed = ErrorClass::Failed;
    let cases = [
        (
            400,
            "'response_format' of type 'json_schema' is not supported",
            ErrorClass::UnsupportedFormat,
        ),
        (501, "grammar not implemented", ErrorClass::UnsupportedFormat),
        (
            500,
            "Failed to initialize samplers: failed to parse grammar",
            ErrorClass::UnsupportedFormat,
        ),
        (401, "Incorrect API key provided", failed(Auth)),
        (403, "Country not supported", failed(Auth)),
        (404, "The model does not exist", failed(Rejected)),
        (429, "insufficient_quota", failed(Rejected)),
        (301, "", failed(Rejected)),
        (200, "<html>sign in</html>", failed(Server)),
        (200, "{\"choices\": []}", failed(Server)),
        (200, "{\"error\": {\"code\": 401, \"message\": \"no such user\"}}", failed(Auth)),
        (
            400,
            "{\"error\": {\"code\": \"content_filter\", \"message\": \"policy\"}}",
            failed(Filtered),
        ),
    ];
    for (status, body, class) in cases {
        let endpoint = Endpoint::start(move |_| Reply::new(status, body)).await;
        let err = ask(&endpoint, Some(Rung::Native)).await.expect_err("no reply");
        assert_eq!(err.class, class, "{status} {body}: {err}");
        assert_eq!(endpoint.seen().len(), 1, "{status} {body}");
        assert_eq!((err.model.as_str(), &err.endpoint), ("some-model", &endpoint.base_url));
    }
    // Without a rung to go down to, a refusal of the format is a plain refusal.
    let endpoint = Endpoint::start(|_| Reply::new(400, "response_format")).await;
    let err = ask(&endpoint, Some(Rung::Prompt)).await.expect_err("no reply");
    assert_eq!(err.class, failed(Rejected));
}
