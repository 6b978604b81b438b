//! Measures what the transport adds to an endpoint's own time.
//!
//! `cargo run --release -p ragmeter-models --example call_rate -- BASE_URL IN_FLIGHT CALLS`
//! prints calls a second; time the process itself for its CPU.

use std::time::Instant;

use ragmeter_core::{ChatRequest, Message, ReplyFormat, Role, Rung};
use ragmeter_models::{Remote, RemoteConfig};

#[tokio::main(flavor = "current_thread")]
#[allow(clippy::print_stdout, reason = "an example talks to its user")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let usage = "BASE_URL IN_FLIGHT CALLS";
    let base_url = args.next().ok_or(usage)?;
    let concurrency: usize = args.next().ok_or(usage)?.parse()?;
    let calls: usize = args.next().ok_or(usage)?.parse()?;

    let openai = Remote::connect(&RemoteConfig { concurrency, ..RemoteConfig::new(base_url) })?;
    let model = openai.chat_model("mock");
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"claims": {"type": "array", "items": {"type": "string"}}},
        "required": ["claims"],
        "additionalProperties": false,
    });
    let request = ChatRequest {
        messages: vec![Message::new(Role::User, "Солнце — это звезда. ".repeat(150))],
        format: ReplyFormat::Json { name: "claims", schema, rung: Rung::Native },
        temperature: 0.0,
        max_tokens: Some(1024),
        seed: Some(1),
        logprobs: false,
    };
    let began = Instant::now();
    let replies = (0..calls).map(|_| model.chat(request.clone()));
    let failed = futures::future::join_all(replies).await.iter().filter(|r| r.is_err()).count();
    let seconds = began.elapsed().as_secs_f64();
    println!("{:.1} calls/s, {failed} failed, {:?}", calls as f64 / seconds, openai.stats());
    Ok(())
}
