//! Webhooks: registration, and the content of calls.

use std::time::Duration;

use serde_json::{Value, json};
use tests::{Call, Client, Receiver, Reply, TestApp, ask, both, pointers, seed, until};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

/// A live project with one configuration.
pub(super) struct Shop {
    pub project: String,
    pub configuration: String,
}

pub(super) async fn shop(app: &TestApp, owner: &Client) -> Shop {
    let project = owner
        .create(
            "projects",
            &json!({"websiteURL": "https://shop.example", "title": "Shop"}),
        )
        .await;
    let configuration = owner
        .create("cookies", &json!({"projectId": project, "name": "en"}))
        .await;
    let published = seed::Published {
        collection: "cookies",
        id: &configuration,
        publication: tests::PUBLICATION,
        vendors: &["matomo"],
    };
    seed::publish(&app.placet.db, &project, &json!({}), &[published]).await;
    Shop {
        project,
        configuration,
    }
}

impl Shop {
    pub async fn consent(&self, app: &TestApp, token: &str) -> Value {
        let path = format!(
            "/v1/app/consents/{}/cookies/{}",
            self.project, self.configuration
        );
        let body =
            json!({"accept": true, "token": token, "preferences": {"vendors": {"matomo": true}}});
        app.nobody().post(&path, &body).await.expect(201).json()
    }

    pub async fn hook(&self, owner: &Client, url: &str) -> Value {
        let body =
            json!({"method": "POST", "url": url, "event": format!("consent/{}", self.project)});
        owner.post("/v1/webhooks", &body).await.expect(201).json()
    }
}

pub(super) fn path(hook: &Value) -> String {
    format!("/v1/webhooks/{}", hook["id"].as_str().expect("an id"))
}

/// Waits until the newest delivery fits.
pub(super) async fn newest(owner: &Client, hook: &Value, fits: impl Fn(&Value) -> bool) -> Value {
    let list = format!("{}/deliveries", path(hook));
    until("the delivery comes so far", async || {
        let newest = owner.get(&list).await.expect(200).json()[0].clone();
        fits(&newest).then_some(newest)
    })
    .await
}

pub(super) fn tried(times: usize) -> impl Fn(&Value) -> bool {
    move |delivery| {
        delivery["attempts"]
            .as_array()
            .is_some_and(|tries| tries.len() == times)
    }
}

/// True if both libraries verify the call with this secret.
fn verifies(secret: &Value, call: &Call) -> bool {
    let question = json!({"secret": secret, "headers": call.headers_json(), "body": call.body});
    let npm = ask("webhook.mjs", &question);
    let pypi = ask("webhook.py", &question);
    assert_eq!(
        npm["verified"].is_null(),
        pypi["verified"].is_null(),
        "{npm} {pypi}"
    );
    !npm["verified"].is_null()
}

both!(
    a_webhook_is_registered_read_changed_and_removed,
    |app| async move {
        let ada = app.user("ada").await;
        let shop = shop(&app, &ada).await;
        let event = format!("consent/{}", shop.project);
        let answer = ada
            .post(
                "/v1/webhooks",
                &json!({"method": "post", "url": "https://hooks.example/x?k=1", "event": event}),
            )
            .await
            .expect(201);
        assert_eq!(answer.header("cache-control"), "no-store");
        let hook = answer.json();
        assert_eq!(
            answer.header("location"),
            format!("{}{}", app.base, path(&hook))
        );
        assert_eq!(hook["method"], "POST");
        assert_eq!(hook["url"], "https://hooks.example/x?k=1");
        assert_eq!(hook["event"], event);
        assert_eq!(hook["projectId"], shop.project);
        assert_eq!(hook["active"], true);
        assert_eq!(hook["lastDelivery"], Value::Null);
        assert!(hook["secret"].as_str().unwrap().starts_with("whsec_"));

        let read = ada.get(&path(&hook)).await.expect(200).json();
        assert!(read.get("secret").is_none(), "shown once");
        assert_eq!(
            ada.get("/v1/webhooks").await.expect(200).json(),
            json!([read])
        );
        let bob = app.user("bob").await;
        assert_eq!(bob.get("/v1/webhooks").await.expect(200).json(), json!([]));
        bob.get(&path(&hook)).await.problem(404, "not_found");

        let change = json!({"method": "PUT", "url": "https://hooks.example/y", "event": format!("publish/{}", shop.project), "active": false});
        let changed = ada.put(&path(&hook), &change).await.expect(200).json();
        assert_eq!(changed["event"], format!("publish/{}", shop.project));
        assert_eq!(
            (&changed["method"], &changed["active"]),
            (&json!("PUT"), &json!(false))
        );
        assert!(changed.get("secret").is_none());
        ada.post(&format!("{}/test", path(&hook)), &json!({}))
            .await
            .problem(409, "webhook_inactive");
        let other = ada
            .create(
                "projects",
                &json!({"websiteURL": "https://b.example", "title": "B"}),
            )
            .await;
        let moved = json!({"method": "PUT", "url": "https://hooks.example/y", "event": format!("publish/{other}")});
        let problem = ada.put(&path(&hook), &moved).await.problem(422, "invalid");
        assert_eq!(problem["errors"][0]["code"], "project_fixed");

        ada.delete(&path(&hook)).await.expect(204);
        ada.get(&path(&hook)).await.problem(404, "not_found");
    }
);

both!(every_broken_field_is_named, |app| async move {
    let ada = app.user("ada").await;
    let body = json!({"method": "BREW", "url": "ftp://a.example", "event": "consent/1"});
    let problem = ada
        .post("/v1/webhooks", &body)
        .await
        .problem(422, "invalid");
    assert_eq!(pointers(&problem), ["/method", "/url", "/event"]);

    let shop = shop(&app, &ada).await;
    for (url, code) in [
        ("https://10.0.0.1/", "address_refused"),
        ("https://10.1/", "address_refused"),
        ("https://0xa9fea9fe/latest", "address_refused"),
        ("https://2852039166/", "address_refused"),
        ("https://0300.0250.1.1/", "address_refused"),
        ("https://[::1]/", "address_refused"),
        ("https://[::ffff:10.0.0.1]/", "address_refused"),
        ("https://[fd00::1]/", "address_refused"),
        ("https://ada:secret@hooks.example/", "invalid_url"),
        ("https://hooks.example/#x", "invalid_url"),
        ("javascript:alert(1)", "invalid_url"),
        ("/hooks", "invalid_url"),
        ("", "invalid_url"),
    ] {
        let body =
            json!({"method": "POST", "url": url, "event": format!("consent/{}", shop.project)});
        let problem = ada
            .post("/v1/webhooks", &body)
            .await
            .problem(422, "invalid");
        assert_eq!(problem["errors"][0]["pointer"], "/url", "{url}");
        assert_eq!(problem["errors"][0]["code"], code, "{url}");
    }
    for _ in 0..20 {
        shop.hook(&ada, "https://hooks.example/").await;
    }
    let body = json!({"method": "POST", "url": "https://hooks.example/", "event": format!("consent/{}", shop.project)});
    ada.post("/v1/webhooks", &body)
        .await
        .problem(409, "too_many_webhooks");
});

both!(
    a_consent_is_delivered_with_a_signature_that_other_libraries_verify,
    |app| async move {
        let ada = app.user("ada").await;
        let shop = shop(&app, &ada).await;
        shop.consent(&app, "before").await;
        let endpoint = Receiver::start(Reply::Status(204)).await;
        let hook = shop.hook(&ada, &endpoint.url()).await;
        let consent = shop.consent(&app, "visitor").await;

        let call = endpoint.next().await;
        assert_eq!(
            (call.method.as_str(), call.target.as_str()),
            ("POST", "/hook")
        );
        assert_eq!(call.header("content-type"), "application/json");
        let body = call.json();
        assert_eq!(body["type"], "consent.created");
        assert_eq!(body["data"]["consentId"], consent["consentId"]);
        assert_eq!(body["data"]["token"], "visitor");
        assert_eq!(body["data"]["projectId"], shop.project);
        assert_eq!(
            body["data"]["preferences"]["vendors"],
            json!({"matomo": true})
        );
        assert_eq!(body["timestamp"], body["data"]["receivedAt"]);
        assert!(verifies(&hook["secret"], &call));
        let forged = Call {
            body: call.body.replace("visitor", "somebody"),
            ..call.clone()
        };
        assert!(!verifies(&hook["secret"], &forged));

        let delivery = newest(&ada, &hook, |newest| newest["status"] == "delivered").await;
        assert_eq!(delivery["id"], call.header("webhook-id"));
        assert_eq!(delivery["type"], "consent.created");
        assert_eq!(delivery["subject"], consent["consentId"]);
        let attempt = &delivery["attempts"][0];
        assert_eq!(attempt["status"], 204);
        assert_eq!(attempt["url"], endpoint.url());
        assert!(attempt["latencyMs"].is_u64());
        let detail = format!(
            "{}/deliveries/{}",
            path(&hook),
            delivery["id"].as_str().unwrap()
        );
        let detail = ada.get(&detail).await.expect(200).json();
        assert_eq!(detail["request"]["body"], call.body);
        let read = ada.get(&path(&hook)).await.expect(200).json();
        assert_eq!(read["lastDelivery"]["status"], "delivered");

        // A retry of the visitor's browser is the same consent and is not delivered again.
        let list = format!("{}/deliveries", path(&hook));
        assert_eq!(ada.get(&list).await.header("x-total-count"), "1");
        assert!(endpoint.unseen().await.is_none());

        // After a rotation both secrets are valid for a day.
        let rotated = ada
            .post(&format!("{}/rotate", path(&hook)), &json!({}))
            .await
            .expect(200)
            .json();
        assert_ne!(rotated["secret"], hook["secret"]);
        shop.consent(&app, "another").await;
        let call = endpoint.next().await;
        assert!(verifies(&hook["secret"], &call) && verifies(&rotated["secret"], &call));
        app.clock.advance_seconds(24 * 3_600);
        shop.consent(&app, "the next day").await;
        let signatures = endpoint.next().await;
        assert_eq!(signatures.header("webhook-signature").split(' ').count(), 1);
    }
);

both!(a_get_carries_the_fields_in_its_query, |app| async move {
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    let endpoint = Receiver::start(Reply::Status(200)).await;
    let url = format!("{}?mine=1", endpoint.url());
    let event = format!("consent/{}", shop.project);
    let body = json!({"method": "GET", "url": url, "event": event});
    let hook = ada.post("/v1/webhooks", &body).await.expect(201).json();
    let consent = shop.consent(&app, "a visitor & more").await;
    let call = endpoint.next().await;
    assert_eq!((call.method.as_str(), call.body.as_str()), ("GET", ""));
    let url = url::Url::parse(&format!("http://a.example{}", call.target)).unwrap();
    let field = |name: &str| {
        let found = url.query_pairs().find(|(key, _)| key == name);
        found
            .map(|(_, value)| value.into_owned())
            .unwrap_or_default()
    };
    assert_eq!(field("mine"), "1");
    assert_eq!(field("type"), "consent.created");
    assert_eq!(field("token"), "a visitor & more");
    assert_eq!(consent["consentId"], field("consentId"));
    let delivery = newest(&ada, &hook, |newest| newest["status"] == "delivered").await;
    assert_eq!(
        delivery["attempts"][0]["url"], body["url"],
        "without the visitor's fields"
    );
});

both!(the_end_of_a_publish_is_delivered, |app| async move {
    let ada = app.user("ada").await;
    let project = ada
        .create(
            "projects",
            &json!({"websiteURL": "https://shop.example", "title": "Shop"}),
        )
        .await;
    ada.create("cookies", &json!({"projectId": project, "name": "en", "steps": [{"name": "hello", "layout": "welcome", "title": "Hi"}]})).await;
    let endpoint = Receiver::start(Reply::Status(200)).await;
    let event = format!("publish/{project}");
    let body = json!({"method": "POST", "url": endpoint.url(), "event": event});
    let hook = ada.post("/v1/webhooks", &body).await.expect(201).json();
    let job = ada
        .post(&format!("/v1/publish/jobs/{project}"), &json!({}))
        .await
        .expect(202)
        .json();
    let call = endpoint.next().await;
    assert!(verifies(&hook["secret"], &call));
    let body = call.json();
    assert_eq!(body["type"], "publish.complete");
    assert_eq!(body["data"]["_id"], job["_id"]);
    assert_eq!(body["data"]["status"], "complete");
    assert_eq!(call.header("webhook-id"), job["_id"].as_str().unwrap());
});

both!(no_endpoint_leads_into_private_networks, |app| async move {
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    let inside = Receiver::start(Reply::Status(200)).await;
    // A redirect counts like any other answer that is not 2xx.
    let outside = Receiver::start(Reply::With(302, "location", inside.url())).await;
    let hook = shop.hook(&ada, &outside.url()).await;
    let test = format!("{}/test", path(&hook));
    ada.post(&test, &json!({})).await.expect(202);
    let delivery = newest(&ada, &hook, tried(1)).await;
    assert_eq!(
        (&delivery["status"], &delivery["attempts"][0]["status"]),
        (&json!("failed"), &json!(302))
    );
    // 127.0.0.1 is permitted here and this name is not. The resolved address decides.
    let named = format!("http://localhost:{}/hook", inside.port);
    let hook = shop.hook(&ada, &named).await;
    ada.post(&format!("{}/test", path(&hook)), &json!({}))
        .await
        .expect(202);
    let delivery = newest(&ada, &hook, tried(1)).await;
    assert_eq!(delivery["attempts"][0]["error"], "address_refused");
    assert_eq!(delivery["attempts"][0]["status"], Value::Null);
    assert!(inside.unseen().await.is_none(), "nobody went there");
});

both!(each_method_is_called_and_signed, |app| async move {
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
        let endpoint = Receiver::start(Reply::Status(204)).await;
        let event = format!("consent/{}", shop.project);
        let body = json!({"method": method.to_lowercase(), "url": endpoint.url(), "event": event});
        let hook = ada.post("/v1/webhooks", &body).await.expect(201).json();
        let test = format!("{}/test", path(&hook));
        ada.post(&test, &json!({})).await.expect(202);
        let call = endpoint.next().await;
        assert_eq!(call.method, method);
        // For GET the query is signed. The libraries verify only JSON, but sign any text.
        let signed = match call.target.split_once('?') {
            Some((_, query)) => query,
            None => &call.body,
        };
        let at: i64 = call.header("webhook-timestamp").parse().expect("seconds");
        let sign = json!({"id": call.header("webhook-id"), "timestamp": at});
        let question = json!({"secret": hook["secret"], "body": signed, "sign": sign});
        let signature = &ask("webhook.mjs", &question)["signature"];
        assert_eq!(call.header("webhook-signature"), *signature, "{method}");
        if method == "GET" {
            assert!(signed.contains("type=webhook.test"), "{signed}");
        } else {
            assert_eq!(call.json()["type"], "webhook.test");
        }
        let delivery = newest(&ada, &hook, |newest| newest["status"] == "delivered").await;
        assert_eq!(delivery["attempts"][0]["method"], method);
    }
});

both!(a_failed_publish_is_delivered, |app| async move {
    let ada = app.user("ada").await;
    let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &project).await;
    // The configuration has no steps, so the publish fails.
    ada.create("cookies", &json!({"projectId": project, "name": "en"}))
        .await;
    let endpoint = Receiver::start(Reply::Status(200)).await;
    let event = format!("publish/{project}");
    let hook = json!({"method": "POST", "url": endpoint.url(), "event": event});
    let hook = ada.post("/v1/webhooks", &hook).await.expect(201).json();
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "error");
    let call = endpoint.next().await;
    assert!(verifies(&hook["secret"], &call));
    let body = call.json();
    assert_eq!(body["type"], "publish.error");
    assert_eq!(body["data"], job);
});

both!(
    a_key_without_the_scope_consents_redirects_and_reads_none,
    |app| async move {
        let ada = app.user("ada").await;
        let shop = shop(&app, &ada).await;
        let endpoint = Receiver::start(Reply::Status(200)).await;
        let hook = shop.hook(&ada, &endpoint.url()).await;
        shop.consent(&app, "visitor").await;
        let delivery = newest(&ada, &hook, |newest| newest["status"] == "delivered").await;
        let program = async |scopes: &[&str]| {
            let key = json!({"name": "Deploy", "scopes": scopes});
            let key = ada.post("/v1/auth/keys", &key).await.expect(201).json();
            let mut program = app.nobody();
            program.token = key["secret"].as_str().map(str::to_owned);
            program
        };
        let reader = program(&["read", "consents"]).await;
        let program = program(&["read", "write", "publish"]).await;

        let elsewhere = Receiver::start(Reply::Status(200)).await;
        let event = format!("publish/{}", shop.project);
        let turned = json!({"method": "POST", "url": elsewhere.url(), "event": event});
        let refused = program.put(&path(&hook), &turned).await;
        refused.problem(403, "scope_missing");
        // A person may change the topic to publishes. Older deliveries still contain consents.
        let published = json!({"method": "POST", "url": endpoint.url(), "event": event});
        ada.put(&path(&hook), &published).await.expect(200);
        let refused = program.put(&path(&hook), &turned).await;
        refused.problem(403, "scope_missing");
        let id = delivery["id"].as_str().expect("an id");
        let detail = format!("{}/deliveries/{id}", path(&hook));
        program.get(&detail).await.problem(403, "scope_missing");
        ada.get(&detail).await.expect(200);
        // The answer of the endpoint may repeat the consent.
        let list = format!("{}/deliveries", path(&hook));
        let after = format!("{list}?after={}", uuid::Uuid::max());
        let retried = format!("{detail}/retry");
        for (one, sees) in [(&ada, true), (&reader, true), (&program, false)] {
            for list in [&list, &after] {
                let shown = one.get(list).await.expect(200).json();
                let attempt = &shown[0]["attempts"][0];
                assert_eq!(attempt["status"], 200);
                assert_eq!(attempt["answer"].is_string(), sees, "{attempt}");
            }
        }
        let answered = program.post(&retried, &json!({})).await.expect(202).json();
        assert_eq!(answered["attempts"][0]["answer"], Value::Null);
        // A new secret would let its holder sign and verify consents.
        let rotated = format!("{}/rotate", path(&hook));
        let refused = program.post(&rotated, &json!({})).await;
        refused.problem(403, "scope_missing");
        ada.post(&rotated, &json!({})).await.expect(200);
        // A webhook without deliveries of consents can be changed by this key.
        let other = ada.post("/v1/webhooks", &published).await.expect(201);
        program.put(&path(&other.json()), &turned).await.expect(200);
    }
);

both!(an_account_registers_so_many_webhooks, |app| async move {
    const MOST: usize = 1_000;
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    let hook = shop.hook(&ada, "https://hooks.example/").await;
    let account = uuid::Uuid::parse_str(&ada.user_id).unwrap();
    // As if the others were those of many projects.
    let mut tx = app.placet.db.begin().await.unwrap();
    for other in 1..MOST as u128 {
        let copy = tx.query(
            "INSERT INTO webhooks (id, project_id, topic, method, url, active, secret, created_by, \
             created_at, updated_at) SELECT $1, $1, topic, method, url, active, secret, created_by, \
             created_at, updated_at FROM webhooks WHERE created_by = $2 LIMIT 1",
        );
        let copy = copy.bind(uuid::Uuid::from_u128(other)).bind(account);
        assert_eq!(copy.exec().await.unwrap(), 1);
    }
    tx.commit().await.unwrap();
    let event = format!("consent/{}", shop.project);
    let body = json!({"method": "POST", "url": "https://hooks.example/", "event": event});
    let refused = ada.post("/v1/webhooks", &body).await;
    let problem = refused.problem(409, "too_many_webhooks");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("An account registers"), "{detail}");
    // Others in the project register theirs.
    let bob = app.user("bob").await;
    let members = format!("/v1/vault/projects/{}/users", shop.project);
    let editor = json!({"userId": bob.user_id, "role": "editor"});
    ada.post(&members, &editor).await.expect(201);
    bob.post("/v1/webhooks", &body).await.expect(201);
    ada.delete(&path(&hook)).await.expect(204);
    ada.post("/v1/webhooks", &body).await.expect(201);
});

both!(a_delivery_keeps_its_latest_attempts, |app| async move {
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    let endpoint = Receiver::start(Reply::Status(200)).await;
    let hook = shop.hook(&ada, &endpoint.url()).await;
    let test = ada.post(&format!("{}/test", path(&hook)), &json!({})).await;
    let test = test.expect(202).json();
    let delivery = format!(
        "{}/deliveries/{}",
        path(&hook),
        test["id"].as_str().unwrap()
    );
    let ended = async |attempts: u64| {
        until("the attempt has ended", async || {
            let read = ada.get(&delivery).await.expect(200).json();
            let last = read["attempts"].as_array().unwrap().last()?.clone();
            let is_last = last["number"] == attempts && read["status"] == "delivered";
            is_last.then_some(read)
        })
        .await
    };
    ended(1).await;
    for attempt in 2..=23 {
        ada.post(&format!("{delivery}/retry"), &json!({}))
            .await
            .expect(202);
        ended(attempt).await;
    }
    let attempts = ended(23).await["attempts"].clone();
    let numbers = attempts.as_array().unwrap().iter();
    let numbers: Vec<u64> = numbers.map(|one| one["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (4..=23).collect::<Vec<_>>());
    let stored = app.placet.db.query("SELECT COUNT(*) FROM webhook_attempts");
    assert_eq!(stored.count().await.unwrap(), 20);
});

both!(one_test_of_a_webhook_waits_at_a_time, |app| async move {
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    let endpoint = Receiver::start(Reply::Never).await;
    let test = async |hook: &Value| {
        let path = format!("{}/test", path(hook));
        ada.post(&path, &json!({})).await
    };
    let hook = shop.hook(&ada, &endpoint.url()).await;
    let first = test(&hook).await.expect(202);
    test(&hook).await.problem(409, "test_waits");
    // Also while its endpoint is called.
    endpoint.next().await;
    test(&hook).await.problem(409, "test_waits");
    let list = format!("{}/deliveries", path(&hook));
    assert_eq!(ada.get(&list).await.header("x-total-count"), "1");
    let other = shop.hook(&ada, &endpoint.url()).await;
    test(&other).await.expect(202);
    // As if the call had failed.
    let ended = "UPDATE webhook_deliveries SET status = 'failed', finished_at = created_at, claimed_by = NULL";
    app.placet.db.query(ended).exec().await.unwrap();
    test(&hook).await.expect(202);
    // The first one cannot be sent again beside it, and can be after it.
    let first = format!("{list}/{}", first.json()["id"].as_str().unwrap());
    let again = async || ada.post(&format!("{first}/retry"), &json!({})).await;
    again().await.problem(409, "test_waits");
    app.placet.db.query(ended).exec().await.unwrap();
    assert_eq!(again().await.expect(202).json()["status"], "waiting");
    test(&hook).await.problem(409, "test_waits");
});

both!(a_call_leaves_no_connection_open, |app| async move {
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    let endpoint = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", endpoint.local_addr().unwrap());
    let hook = shop.hook(&ada, &url).await;
    let test = format!("{}/test", path(&hook));
    ada.post(&test, &json!({})).await.expect(202);
    let (mut connection, _) = endpoint.accept().await.unwrap();
    let mut call = Vec::new();
    while !call.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        assert_ne!(connection.read_buf(&mut call).await.unwrap(), 0);
    }
    // The endpoint offers to keep it.
    let kept = b"HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n";
    connection.write_all(kept).await.unwrap();
    let end = async { while connection.read_buf(&mut call).await.unwrap() != 0 {} };
    // A pool would keep it for 90 seconds.
    let closed = tokio::time::timeout(Duration::from_secs(30), end).await;
    closed.expect("the connection is closed");
});
