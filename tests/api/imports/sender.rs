//! Senders of files that lose the right to send them, while the file comes.

use axum::body::Bytes;
use futures::channel::mpsc;
use reqwest::Method;
use serde_json::json;
use server::connections::Bounds;
use tests::{Client, Engine, Reach, TestApp, on_both, until};

use super::{NDJSON, Shop};
use crate::audit::member;

/// Rows that are stored together.
const TOGETHER: usize = 500;

async fn app(engine: Engine) -> TestApp {
    let reach = Reach::default();
    let reach = Reach {
        connections: Bounds {
            recheck: std::time::Duration::ZERO,
            ..reach.connections
        },
        ..reach
    };
    TestApp::reached(engine, reach, |_| {}).await
}

/// Sends a file in two halves, of which the second comes after the sender has lost the right to send it, and expects that
/// it is not stored.
async fn loses(shop: &Shop, sender: &Client, name: &str, lose: impl Future, told: (u16, &str)) {
    let lines = |half: &str| -> Bytes {
        let line = |row| {
            shop.line(
                &format!("{name}-{half}-{row}"),
                true,
                "2026-02-01T00:00:00Z",
            )
        };
        let lines: Vec<String> = (0..TOGETHER)
            .map(|row| format!("{}\n", line(row)))
            .collect();
        lines.concat().into()
    };
    let before: usize = shop.total().await.parse().unwrap();
    let (pieces, file) = mpsc::unbounded::<Result<Bytes, std::io::Error>>();
    let path = format!("/v1/app/imports/{}?partial=true", shop.project);
    let request = sender.request(Method::POST, &path);
    let request = request.header("content-type", NDJSON);
    let request = request.body(reqwest::Body::wrap_stream(file));
    let client = sender.clone();
    let answer = tokio::spawn(async move { client.send(request).await });
    pieces.unbounded_send(Ok(lines("first"))).unwrap();
    let half = (before + TOGETHER).to_string();
    until("the first half is stored", async || {
        (shop.total().await == half).then_some(())
    })
    .await;
    lose.await;
    pieces.unbounded_send(Ok(lines("second"))).unwrap();
    drop(pieces);
    answer.await.unwrap().problem(told.0, told.1);
    assert_eq!(shop.total().await, half, "{name}");
}

on_both!(a_file_ends_with_the_right_to_send_it);
async fn a_file_ends_with_the_right_to_send_it(engine: Engine) {
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let shop = Shop::open(&app, &ada).await;

    let bob = member(&app, &ada, &shop.project, "bob", "editor").await;
    let path = format!("/v1/vault/projects/{}/users/{}", shop.project, bob.user_id);
    let lose = async { ada.delete(&path).await.expect(204) };
    loses(&shop, &bob, "role", lose, (404, "not_found")).await;

    let key = json!({"name": "Import", "scopes": ["consents", "write"]});
    let key = ada.post("/v1/auth/keys", &key).await.expect(201).json();
    let mut program = app.nobody();
    program.token = key["secret"].as_str().map(str::to_owned);
    let path = format!("/v1/auth/keys/{}", key["id"].as_str().unwrap());
    let lose = async { ada.delete(&path).await.expect(204) };
    loses(&shop, &program, "key", lose, (403, "unauthenticated")).await;

    let cyd = member(&app, &ada, &shop.project, "cyd", "editor").await;
    let lose = async { cyd.post("/v1/auth/signout", &json!({})).await.expect(204) };
    loses(&shop, &cyd, "session", lose, (403, "unauthenticated")).await;
}
