//! A server whose certificate no system knows: refused with the way out, and trusted by the one
//! endpoint that names its issuer. `tls/make.sh` made the certificates.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use ragmeter_core::{AbsenceClass, ErrorClass};
use ragmeter_models::{Patience, Remote, RemoteConfig};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::endpoint::request;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/tls").join(name)
}

/// Answers "да" over TLS; gives the base URL.
fn server() -> String {
    let chain = vec![CertificateDer::from_pem_file(file("server.pem")).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_file(file("key.pem")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("protocols")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a key that fits");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(mut stream), config) = (stream, Arc::clone(&config)) else { continue };
            std::thread::spawn(move || {
                let mut tls = rustls::ServerConnection::new(config).expect("a configuration");
                let mut tls = rustls::Stream::new(&mut tls, &mut stream);
                let mut seen = Vec::new();
                let mut some = [0; 4096];
                // A client that trusts nobody goes away without a request.
                while let Ok(count @ 1..) = tls.read(&mut some) {
                    seen.extend_from_slice(&some[..count]);
                    if seen.ends_with(b"}") {
                        let body = r#"{"model":"m","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"да"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#;
                        let head = format!(
                            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                            body.len()
                        );
                        let _ = tls.write_all(head.as_bytes());
                        let _ = tls.write_all(body.as_bytes());
                        tls.conn.send_close_notify();
                        let _ = tls.flush();
                        return;
                    }
                }
            });
        }
    });
    format!("https://127.0.0.1:{port}/v1")
}

fn config(url: &str, ca_bundle: Option<&str>) -> RemoteConfig {
    let patience = Patience { tries: 1, ..Patience::default() };
    let ca_bundle = ca_bundle.map(file);
    RemoteConfig { patience, ca_bundle, ..RemoteConfig::new(url) }
}

#[tokio::test]
async fn an_issuer_is_trusted_by_the_endpoint_that_names_it_and_by_no_other() {
    let url = server();
    let trusting = Remote::connect(&config(&url, Some("root.pem"))).expect("connected");
    let reply = trusting.chat_model("m").chat(request(None)).await.expect("a reply");
    assert_eq!(reply.text, "да");

    let other = Remote::connect(&config(&url, None)).expect("connected");
    let error = other.chat_model("m").chat(request(None)).await.expect_err("not trusted");
    assert_eq!(error.class, ErrorClass::Failed(AbsenceClass::Unreachable), "{error}");
    assert!(error.detail.contains("certificate"), "{error}");
    assert!(error.detail.contains("`ca_bundle`"), "{error}");
}

#[test]
fn a_bundle_that_is_none_is_refused_before_anything_is_sent() {
    for (name, words) in [("key.pem", "has no certificate"), ("missing.pem", "missing.pem")] {
        let error = Remote::connect(&config("https://127.0.0.1:1/v1", Some(name)));
        let error = error.expect_err("no certificates").to_string();
        assert!(error.contains("ca_bundle") && error.contains(words), "{error}");
    }
}
