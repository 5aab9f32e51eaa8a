//! Deliveries when servers die, and with two servers.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::{Client, Engine, Process, Receiver, Reply, on_both, seed, until};

/// Endpoints of tests are on this machine and without TLS.
const FLAGS: [&str; 5] = [
    "--webhook-allow-http",
    "--outbound-allow",
    "127.0.0.1",
    "--webhook-timeout",
    "10",
];

/// A live project with a webhook. Returns the path for posting consents.
async fn hooked(process: &Process, ada: &Client, endpoint: &Receiver) -> String {
    let project = ada
        .create(
            "projects",
            &json!({"websiteURL": "https://shop.example", "title": "Shop"}),
        )
        .await;
    let configuration = ada
        .create("cookies", &json!({"projectId": project, "name": "en"}))
        .await;
    let published = seed::Published {
        collection: "cookies",
        id: &configuration,
        publication: tests::PUBLICATION,
        vendors: &[],
    };
    let db = process.database().await;
    seed::publish(&db, &project, &json!({}), &[published]).await;
    db.close().await;
    let hook =
        json!({"method": "POST", "url": endpoint.url(), "event": format!("consent/{project}")});
    ada.post("/v1/webhooks", &hook).await.expect(201);
    format!("/v1/app/consents/{project}/cookies/{configuration}")
}

async fn consent(client: &Client, path: &str, token: &str) -> Value {
    let body = json!({"accept": true, "token": token});
    client.post(path, &body).await.expect(201).json()
}

async fn dies(engine: Engine, during_call: bool) {
    let mut process = Process::start(engine, &FLAGS).await;
    let ada = process.user("ada").await;
    // The endpoint never answers, so no delivery has ended when the server dies.
    let endpoint = Receiver::start(Reply::Never).await;
    let path = hooked(&process, &ada, &endpoint).await;
    let stored = consent(&process.nobody(), &path, "visitor").await;
    let first = if during_call {
        Some(endpoint.next().await)
    } else {
        None
    };
    process.kill();
    endpoint.answers(Reply::Status(200));
    process.restart(&FLAGS);
    let last = endpoint.next().await;
    if let Some(first) = first {
        assert_eq!(first.header("webhook-id"), last.header("webhook-id"));
    }
    assert_eq!(last.json()["data"]["consentId"], stored["consentId"]);
    let hook = ada.get("/v1/webhooks").await.expect(200).json()[0].clone();
    let list = format!("/v1/webhooks/{}/deliveries", hook["id"].as_str().unwrap());
    until("it is delivered after all", async || {
        let newest = ada.get(&list).await.expect(200).json()[0].clone();
        (newest["status"] == "delivered").then_some(())
    })
    .await;
}

async fn a_consent_is_delivered_even_if_the_server_dies_after_its_answer(engine: Engine) {
    dies(engine, false).await;
    dies(engine, true).await;
}

on_both!(a_consent_is_delivered_even_if_the_server_dies_after_its_answer);

#[tokio::test]
async fn two_servers_on_one_database_deliver_once() {
    let one = Process::start(Engine::Postgres, &FLAGS).await;
    let two = one.beside(&FLAGS);
    let ada = one.user("ada").await;
    let endpoint = Receiver::start(Reply::Status(200)).await;
    let path = hooked(&one, &ada, &endpoint).await;
    // The second server learns of the webhook when it next reads the project.
    consent(&two.nobody(), &path, "first").await;
    endpoint.next().await;
    let mut expected = BTreeSet::new();
    for n in 0..100 {
        let through = if n % 2 == 0 { &one } else { &two };
        let stored = consent(&through.nobody(), &path, &format!("visitor {n}")).await;
        expected.insert(stored["consentId"].as_str().unwrap().to_owned());
    }
    let mut told = BTreeSet::new();
    for _ in 0..100 {
        let call = endpoint.next().await;
        let id = call.json()["data"]["consentId"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(told.insert(id.clone()), "{id} was told twice");
    }
    assert_eq!(told, expected);
    let hook = ada.get("/v1/webhooks").await.expect(200).json()[0].clone();
    let list = format!(
        "/v1/webhooks/{}/deliveries?status=delivered",
        hook["id"].as_str().unwrap()
    );
    until("all are recorded", async || {
        (ada.get(&list).await.header("x-total-count") == "101").then_some(())
    })
    .await;
    assert!(endpoint.unseen().await.is_none(), "nothing is told twice");
}

/// Ends the claims of deliveries, as if their time had passed.
async fn claims_end(process: &Process) {
    let db = process.database().await;
    let service::db::Db::Postgres(pool) = &db else {
        panic!("PostgreSQL");
    };
    let ended =
        sqlx::query("UPDATE webhook_deliveries SET next_at = 0 WHERE claimed_by IS NOT NULL")
            .execute(pool)
            .await
            .expect("claims");
    assert_eq!(ended.rows_affected(), 1, "one delivery is claimed");
    db.close().await;
}

#[tokio::test]
async fn a_server_takes_over_deliveries_of_a_dead_one() {
    // The claim is longer than the call, and the call takes longer than the test.
    let mut flags = FLAGS;
    flags[4] = "60";
    let mut one = Process::start(Engine::Postgres, &flags).await;
    let ada = one.user("ada").await;
    let endpoint = Receiver::start(Reply::Never).await;
    let path = hooked(&one, &ada, &endpoint).await;
    let stored = consent(&one.nobody(), &path, "visitor").await;
    let first = endpoint.next().await;
    let id = first.header("webhook-id").to_owned();
    // The second server runs before the first one dies, and delivers what is not claimed.
    let two = one.beside(&flags);
    endpoint.answers(Reply::Status(200));
    consent(&two.nobody(), &path, "another").await;
    let other = endpoint.next().await.header("webhook-id").to_owned();
    assert_ne!(other, id);
    // The servers have different addresses here, which their tokens name.
    let mut ada = two.nobody();
    let credentials = json!({"username": "ada", "password": "ada's password"});
    let session = ada.post("/v1/auth/local/signin", &credentials).await;
    ada.token = session.expect(200).json()["token"]
        .as_str()
        .map(str::to_owned);
    let hook = ada.get("/v1/webhooks").await.expect(200).json()[0].clone();
    let list = format!("/v1/webhooks/{}/deliveries", hook["id"].as_str().unwrap());
    let delivered = async |id: &str| {
        until("it is delivered", async || {
            let list = ada.get(&list).await.expect(200).json();
            let mut deliveries = list.as_array().unwrap().iter();
            let found = deliveries.find(|delivery| delivery["id"] == id)?;
            (found["status"] == "delivered").then(|| found.clone())
        })
        .await
    };
    delivered(&other).await;
    one.kill();
    assert!(endpoint.unseen().await.is_none(), "it is claimed still");
    claims_end(&two).await;
    let last = endpoint.next().await;
    assert_eq!(last.header("webhook-id"), id);
    assert_eq!(last.json()["data"]["consentId"], stored["consentId"]);
    let attempts = delivered(&id).await["attempts"].clone();
    assert_eq!(attempts.as_array().unwrap().len(), 1, "{attempts}");
    assert_eq!(attempts[0]["number"], 2, "the first one was never recorded");
    assert!(endpoint.unseen().await.is_none(), "told once more only");
}

#[tokio::test]
async fn addresses_without_tls_are_taken_only_when_the_operator_says_so() {
    let process = Process::start(Engine::Sqlite, &[]).await;
    let ada = process.user("ada").await;
    let project = ada
        .create(
            "projects",
            &json!({"websiteURL": "https://shop.example", "title": "Shop"}),
        )
        .await;
    for (url, status) in [
        ("http://hooks.example/", 422),
        ("https://127.0.0.1/", 422),
        ("https://hooks.example/", 201),
    ] {
        let hook = json!({"method": "POST", "url": url, "event": format!("consent/{project}")});
        let answer = ada.post("/v1/webhooks", &hook).await;
        assert_eq!(answer.status.as_u16(), status, "{url}: {}", answer.text);
    }
}
