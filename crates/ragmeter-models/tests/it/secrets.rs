use ragmeter_models::{ConfigError, Remote, RemoteConfig, Secret};

use crate::endpoint::{Endpoint, KEY, Reply, quick, request};

fn assert_silent(shown: &str) {
    assert!(!shown.contains(KEY) && !shown.contains("hush"), "{shown}");
}

#[tokio::test]
async fn the_key_is_in_no_error_and_no_debug_output() {
    let echo = |status| {
        move |seen: &crate::endpoint::Seen| Reply::new(status, format!("bad: {}", seen.head))
    };
    for status in [200, 400, 401, 403, 404, 429, 500] {
        let endpoint = Endpoint::start(echo(status)).await;
        let mut config = endpoint.config();
        config.patience.budget = std::time::Duration::from_millis(100);
        assert_silent(&format!("{config:?}"));
        let openai = Remote::connect(&config).expect("ok");
        assert_silent(&format!("{openai:?}"));
        let chat = openai.chat_model("m");
        let err = chat.chat(request(None)).await.expect_err("no reply");
        assert_silent(&format!("{err} {err:?} {chat:?}"));
        assert!(endpoint.seen()[0].head.contains(KEY));

        let embedder = openai.embedder("m");
        let err = embedder
            .embed(&["text".to_owned()], ragmeter_core::EmbedRole::Query)
            .await
            .expect_err("no reply");
        assert_silent(&format!("{err} {err:?} {embedder:?}"));
    }
    // A key that the endpoint puts into its reply isn't kept either.
    let endpoint = Endpoint::start(|seen| Reply::says(&seen.head)).await;
    let reply = endpoint.connect().chat_model("m").chat(request(None)).await.expect("a reply");
    assert_silent(&format!("{reply:?}"));
}

#[tokio::test]
async fn credentials_in_the_url_are_used_and_not_shown() {
    let endpoint = Endpoint::start(|seen| Reply::new(400, seen.head.clone())).await;
    let url = endpoint.base_url.replace("http://", "http://anna:hush%20hush@");
    let config = RemoteConfig { patience: quick(), ..RemoteConfig::new(url) };
    let openai = Remote::connect(&config).expect("ok");
    let chat = openai.chat_model("m");
    assert_eq!(chat.endpoint(), endpoint.base_url);
    let err = chat.chat(request(None)).await.expect_err("no reply");
    assert_silent(&format!("{err:?} {openai:?} {chat:?}"));
    // base64 of "anna:hush hush"
    assert!(endpoint.seen()[0].head.contains("authorization: Basic YW5uYTpodXNoIGh1c2g="));
}

#[test]
fn what_cannot_work_is_said_without_secrets() {
    let config = RemoteConfig {
        api_key: Some(Secret::new("hush\nhush")),
        ..RemoteConfig::new("http://h/v1")
    };
    let err = Remote::connect(&config).expect_err("a newline inside a key");
    assert!(matches!(err, ConfigError::Key { .. }));
    assert_silent(&format!("{err} {err:?}"));
    for url in ["h/v1", "ftp://anna:hush@h/v1", "http://anna:hush@/"] {
        let err = Remote::connect(&RemoteConfig::new(url)).expect_err(url);
        assert_silent(&format!("{err} {err:?}"));
    }
}

#[test]
fn https_endpoints_and_pools_can_be_set_up_without_calling_them() {
    let config = RemoteConfig {
        pool_name: Some("my-pool".to_owned()),
        ..RemoteConfig::new("https://host.example/v1/")
    };
    let openai = Remote::connect(&config).expect("ok");
    assert_eq!(openai.chat_model("m").endpoint(), "pool:my-pool");
    assert_eq!(openai.embedder("e").fingerprint(), "openai:e@pool:my-pool");
}
