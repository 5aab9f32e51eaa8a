//! What all routes share: errors, CORS, limits, documents about the API.

use std::time::Duration;

use axum::{Router, routing::get};
use reqwest::Method;
use serde_json::{Value, json};
use server::{
    connections::Bounds,
    http::{client::Proxies, limits::Quotas},
    router,
};
use service::{Placet, secret::SecretKey};
use tests::{Engine, Reach, TestApp, both, until};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::webhooks;

both!(
    every_operation_is_documented_with_its_answers,
    |app| async move {
        let document = app
            .nobody()
            .get("/v1/openapi.json")
            .await
            .expect(200)
            .json();
        assert_eq!(document["openapi"], "3.1.0");
        let mut seen = 0;
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                seen += 1;
                assert!(operation["operationId"].is_string(), "{method} {path}");
                assert!(operation["summary"].is_string(), "{method} {path}");
                assert!(
                    operation["responses"]
                        .as_object()
                        .unwrap()
                        .keys()
                        .any(|status| status.starts_with(['2', '3'])),
                    "{method} {path}"
                );
                for parameter in operation["parameters"].as_array().into_iter().flatten() {
                    assert!(
                        parameter["description"].is_string(),
                        "{method} {path} {parameter}"
                    );
                }
            }
        }
        assert!(seen > 20);
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for (name, schema) in schemas {
            for (property, schema) in properties(schema) {
                assert!(shows_itself(schema), "{name}.{property} has no example");
            }
        }
        let page = app.nobody().get("/docs").await.expect(200);
        assert!(page.text.contains("/v1/vault/{resource}"));
        assert!(
            page.header("content-security-policy")
                .contains("default-src 'none'")
        );
    }
);

/// A schema's properties, its parts' included.
fn properties(schema: &Value) -> Vec<(&String, &Value)> {
    let own = schema["properties"].as_object().into_iter().flatten();
    let parts = schema["allOf"].as_array().into_iter().flatten();
    own.chain(parts.flat_map(properties)).collect()
}

/// Whether a property has an example, or is of a kind that is its own.
fn shows_itself(schema: &Value) -> bool {
    let has = |key: &str| !schema[key].is_null();
    let kind = schema["type"].to_string();
    has("example")
        || has("examples")
        || ["$ref", "oneOf", "allOf", "enum"].into_iter().any(has)
        || schema["format"] == "uuid"
        || kind.contains("boolean")
        || (kind.contains("array") && shows_itself(&schema["items"]))
        || schema["additionalProperties"]["$ref"].is_string()
        // A document of the caller's own.
        || (schema["additionalProperties"].is_null() && ["null", "\"object\""].contains(&kind.as_str()))
}

both!(headers_that_are_sent_are_documented, |app| async move {
    const COMMON: [&str; 4] = [
        "x-request-id",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
    ];
    const PAGES: [&str; 5] = [
        "x-page",
        "x-per-page",
        "x-last-page",
        "x-total-count",
        "link",
    ];
    let ada = app.user("ada").await;
    let document = ada.get("/v1/openapi.json").await.expect(200).json();
    let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let answers = [
        (
            "/v1/organizations",
            "get",
            ada.get("/v1/organizations").await,
            &PAGES[..],
        ),
        (
            "/v1/vendors/categories",
            "get",
            ada.get("/v1/vendors/categories?lang=fr").await,
            &[&PAGES[..], &["content-language"]].concat(),
        ),
        (
            "/v1/vault/{resource}",
            "post",
            ada.post("/v1/vault/projects", &project).await,
            &["etag", "location"],
        ),
        (
            "/v1/auth/me",
            "get",
            app.nobody().get("/v1/auth/me").await,
            &["www-authenticate"],
        ),
    ];
    for (path, method, answer, own) in answers {
        let status = answer.status.as_u16().to_string();
        let headers = &document["paths"][path][method]["responses"][&status]["headers"];
        let documented: Vec<String> = headers
            .as_object()
            .unwrap_or_else(|| panic!("{method} {path} {status} has no headers"))
            .keys()
            .map(|name| name.to_lowercase())
            .collect();
        // Nothing is limited here.
        for name in COMMON.iter().chain(own) {
            let sent = name.starts_with("x-ratelimit") || !answer.header(name).is_empty();
            assert!(sent, "{method} {path} {status}: {name}");
            assert!(documented.iter().any(|one| one == name), "{path}: {name}");
        }
        for (_, header) in headers.as_object().unwrap() {
            let target = header["$ref"].as_str().unwrap().trim_start_matches('#');
            let header = document.pointer(target).expect("it is defined");
            assert!(!header["example"].is_null(), "{target}");
        }
    }
});

both!(the_service_is_live_and_ready, |app| async move {
    assert_eq!(
        app.nobody().get("/health/live").await.expect(200).json(),
        json!({"status": "live"})
    );
    // The worker may take its first look a moment after the server listens.
    let nobody = app.nobody();
    let ready = until("it is ready", async || {
        let answer = nobody.get("/health/ready").await;
        if answer.status == 200 {
            return Some(answer.json());
        }
        answer.problem(503, "unavailable");
        None
    });
    assert_eq!(ready.await, json!({"status": "ready"}));
});

both!(
    private_answers_are_open_to_known_origins_only,
    |app| async move {
        let ada = app.user("ada").await;
        let get = |origin: &str| {
            ada.request(Method::GET, "/v1/vault/projects")
                .header("origin", origin)
        };
        let known = ada.send(get("https://admin.example")).await.expect(200);
        assert_eq!(
            known.header("access-control-allow-origin"),
            "https://admin.example"
        );
        assert!(
            known
                .header("access-control-expose-headers")
                .contains("X-Total-Count")
        );
        let own = ada.send(get(&app.base)).await.expect(200);
        assert_eq!(own.header("access-control-allow-origin"), app.base);
        let foreign = ada.send(get("https://evil.example")).await.expect(200);
        assert_eq!(foreign.header("access-control-allow-origin"), "");
        let preflight = |path: &str, origin: &str| {
            app.nobody()
                .request(Method::OPTIONS, path)
                .header("origin", origin)
                .header("access-control-request-method", "POST")
        };
        let open = app
            .nobody()
            .send(preflight(
                "/v1/app/consents/x/cookies/y",
                "https://shop.example",
            ))
            .await
            .expect(204);
        assert_eq!(open.header("access-control-allow-origin"), "*");
        assert_eq!(open.header("access-control-allow-credentials"), "");
        let closed = app
            .nobody()
            .send(preflight("/v1/vault/projects", "https://evil.example"))
            .await;
        assert_eq!(closed.header("access-control-allow-origin"), "");
    }
);

both!(authenticated_answers_are_not_stored, |app| async move {
    let ada = app.user("ada").await;
    for path in ["/v1/auth/me", "/v1/vault/projects"] {
        assert_eq!(
            ada.get(path).await.expect(200).header("cache-control"),
            "no-store",
            "{path}"
        );
    }
});

/// Neither database has a part in this.
#[tokio::test]
async fn floods_are_refused_until_the_next_minute_but_polling_is_not() {
    let quotas = Quotas {
        credentials: 3,
        collection: 3,
        api: 20,
        ..Quotas::default()
    };
    let app = TestApp::start_with(Engine::Sqlite, Some(quotas)).await;
    app.clock.advance_to_window(60);
    let ada = app.user("ada").await;
    let nobody = app.nobody();
    let wrong = json!({"username": "ada", "password": "x"});
    for _ in 0..2 {
        nobody
            .post("/v1/auth/local/signin", &wrong)
            .await
            .problem(403, "wrong_credentials");
    }
    let answer = nobody.post("/v1/auth/local/signin", &wrong).await;
    assert_eq!(answer.header("x-ratelimit-limit"), "3");
    assert_eq!(answer.header("x-ratelimit-remaining"), "0");
    assert!((1..=60).contains(&answer.header("retry-after").parse::<u64>().unwrap()));
    answer.problem(429, "too_many_requests");
    app.clock.advance_seconds(60);
    nobody
        .post("/v1/auth/local/signin", &wrong)
        .await
        .problem(403, "wrong_credentials");
    let project = ada
        .create(
            "projects",
            &json!({"websiteURL": "https://shop.example", "title": "Shop"}),
        )
        .await;
    for _ in 0..40 {
        ada.get(&format!("/v1/publish/jobs/{project}"))
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn accounts_and_projects_are_limited_from_all_addresses_together() {
    let quotas = Quotas {
        account: 2,
        project: 2,
        ..Quotas::default()
    };
    let app = TestApp::start_with(Engine::Sqlite, Some(quotas)).await;
    let (ada, bob) = (app.user("ada").await, app.user("bob").await);
    app.clock.advance_to_window(60);
    for _ in 0..2 {
        ada.get("/v1/auth/me").await.expect(200);
    }
    let refused = ada.get("/v1/auth/me").await;
    assert_eq!(refused.header("x-ratelimit-limit"), "2");
    assert_eq!(refused.header("x-ratelimit-remaining"), "0");
    refused.problem(429, "too_many_requests");
    bob.get("/v1/auth/me").await.expect(200);
    // Publish polling is never limited.
    let unknown = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70";
    ada.get(&format!("/v1/publish/jobs/{unknown}"))
        .await
        .expect(404);

    let nobody = app.nobody();
    let post = async |project: &str| {
        let path = format!("/v1/app/consents/{project}/cookies/{unknown}");
        let body = json!({"accept": true, "token": "t", "preferences": {"vendors": {}}});
        nobody.post(&path, &body).await
    };
    for _ in 0..2 {
        post(unknown).await.expect(404);
    }
    let refused = post(unknown).await;
    assert!((1..=60).contains(&refused.header("retry-after").parse::<u64>().unwrap()));
    refused.problem(429, "too_many_requests");
    post("019aa3f3-0d4e-7a51-8c3b-5f6a7b8c9d0e")
        .await
        .expect(404);
    app.clock.advance_seconds(60);
    post(unknown).await.expect(404);
    ada.get("/v1/auth/me").await.expect(200);
}

both!(
    a_restart_keeps_accounts_and_tokens_and_another_secret_is_refused,
    |app| async move {
        let mut app = app;
        let ada = app.user("ada").await;
        app.restart().await;
        ada.get("/v1/auth/me").await.expect(200);
        let folder = tempfile::tempdir().unwrap();
        let mut config = app.config();
        config.secret = SecretKey::load_or_make(&folder.path().join("other.key")).unwrap();
        let refused = Placet::open(config)
            .await
            .err()
            .expect("another secret is refused");
        assert!(
            refused.to_string().contains("another secret key"),
            "{refused}"
        );
    }
);

both!(deleted_documents_are_gone_after_a_month, |app| async move {
    let ada = app.user("ada").await;
    let project = ada
        .create(
            "projects",
            &json!({"websiteURL": "https://shop.example", "title": "Shop"}),
        )
        .await;
    ada.delete(&format!("/v1/vault/projects/{project}"))
        .await
        .expect(204);
    app.clock.advance_days(31);
    app.placet.forget_expired().await.unwrap();
    app.clock.advance_days(-31);
    ada.post(&format!("/v1/vault/projects/{project}/restore"), &json!({}))
        .await
        .problem(404, "not_found");
});

/// Neither database has a part in what follows.
async fn limited(quotas: Quotas, trusted: &[&str]) -> TestApp {
    let trusted = trusted.iter().map(|network| network.parse().unwrap());
    let reach = Reach {
        quotas: Some(quotas),
        proxies: Proxies {
            trusted: trusted.collect(),
            country_header: None,
        },
        ..Reach::default()
    };
    TestApp::reached(Engine::Sqlite, reach, |_| {}).await
}

/// A sign-in of nobody, as if forwarded for these addresses; its status.
async fn forwarded(app: &TestApp, addresses: Option<&str>) -> u16 {
    let nobody = app.nobody();
    let wrong = json!({"username": "nobody", "password": "x"});
    let request = nobody
        .request(Method::POST, "/v1/auth/local/signin")
        .json(&wrong);
    let request = match addresses {
        Some(addresses) => request.header("x-forwarded-for", addresses),
        None => request,
    };
    nobody.send(request).await.status.as_u16()
}

#[tokio::test]
async fn nobody_gets_round_a_limit_by_naming_other_addresses() {
    let quotas = Quotas {
        credentials: 2,
        ..Quotas::default()
    };
    let app = limited(quotas, &[]).await;
    assert_eq!(forwarded(&app, Some("203.0.113.1")).await, 403);
    assert_eq!(forwarded(&app, Some("203.0.113.2")).await, 403);
    assert_eq!(forwarded(&app, Some("203.0.113.3")).await, 429);
    assert_eq!(forwarded(&app, None).await, 429);
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_client_has_its_own_limit() {
    let quotas = Quotas {
        credentials: 2,
        ..Quotas::default()
    };
    let app = limited(quotas, &["127.0.0.0/8", "10.0.0.0/8"]).await;
    // What the client itself has written stands before what the proxies add.
    for addresses in ["203.0.113.1", "6.6.6.6, 203.0.113.1, 10.0.0.7"] {
        assert_eq!(forwarded(&app, Some(addresses)).await, 403);
    }
    assert_eq!(forwarded(&app, Some("7.7.7.7, 203.0.113.1")).await, 429);
    assert_eq!(forwarded(&app, Some("203.0.113.2")).await, 403);
    // Not told, not counted: it would be everybody behind the proxy.
    for _ in 0..4 {
        assert_eq!(forwarded(&app, None).await, 403);
    }
}

#[tokio::test]
async fn changes_of_accounts_are_limited_like_sign_up() {
    let quotas = Quotas {
        credentials: 4,
        ..Quotas::default()
    };
    let app = TestApp::start_with(Engine::Sqlite, Some(quotas)).await;
    app.user("bob").await;
    let ada = app.user("ada").await;
    let profile = json!({"displayName": "Ada", "email": "ada@shop.example"});
    ada.put("/v1/auth/me", &profile).await.expect(200);
    let answer = ada.put("/v1/auth/me", &profile).await.expect(200);
    assert_eq!(answer.header("x-ratelimit-limit"), "4");
    assert_eq!(answer.header("x-ratelimit-remaining"), "0");
    ada.put("/v1/auth/me", &profile)
        .await
        .problem(429, "too_many_requests");
    // Pages do the same by another way.
    for path in ["/ui/account/update", "/ui/account/password"] {
        ada.post(path, &json!({})).await.expect(429);
    }
    ada.get("/v1/auth/me").await.expect(200);
}

#[tokio::test]
async fn a_panic_is_a_problem_without_its_cause() {
    async fn panics() -> String {
        panic!("a cause that nobody is told")
    }
    let app = TestApp::start(Engine::Sqlite).await;
    let routes = Router::new().route("/v1/panics", get(panics));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = axum::serve(listener, router::layered(routes, app.state()));
    tokio::spawn(async move { server.await });
    for _ in 0..2 {
        let answer = app.nobody().get(&format!("{base}/v1/panics")).await;
        assert!(!answer.text.contains("a cause"), "{}", answer.text);
        let problem = answer.problem(500, "internal");
        assert_eq!(problem["instance"], "/v1/panics");
    }
}

async fn connection(app: &TestApp) -> TcpStream {
    let address = app.base.trim_start_matches("http://");
    TcpStream::connect(address).await.unwrap()
}

/// Asks over a kept connection, and reads the answer.
async fn asks(connection: &mut TcpStream) {
    let request = b"GET /health/live HTTP/1.1\r\nhost: placet.example\r\n\r\n";
    connection.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(br#"{"status":"live"}"#) {
        assert_ne!(connection.read_buf(&mut answer).await.unwrap(), 0);
    }
    assert!(answer.starts_with(b"HTTP/1.1 200 "));
}

async fn bounded(bounds: Bounds) -> TestApp {
    let reach = Reach {
        connections: bounds,
        ..Reach::default()
    };
    TestApp::reached(Engine::Sqlite, reach, |_| {}).await
}

#[tokio::test]
async fn a_client_that_does_not_finish_its_header_is_cut_off() {
    let app = bounded(Bounds {
        header: Duration::from_millis(300),
        ..Bounds::default()
    })
    .await;
    // Nothing, what might become HTTP/2, half a header, half of a second one.
    for (first, half) in [
        (false, ""),
        (false, "PRI"),
        (false, "GET /health/live HTTP/1.1\r\nhost: pla"),
        (true, "GET /health/live HTTP/1.1\r\n"),
    ] {
        let mut connection = connection(&app).await;
        if first {
            asks(&mut connection).await;
        }
        connection.write_all(half.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        let end = tokio::time::timeout(Duration::from_secs(20), connection.read_to_end(&mut rest));
        // However it is closed.
        let _ = end.await.unwrap_or_else(|_| panic!("{half:?} is kept"));
        assert!(!rest.starts_with(b"HTTP/1.1 2"), "{half:?}");
    }
}

#[tokio::test]
async fn no_more_connections_are_served_than_are_allowed() {
    let app = bounded(Bounds {
        most: 2,
        ..Bounds::default()
    })
    .await;
    let (mut one, mut two) = (connection(&app).await, connection(&app).await);
    asks(&mut one).await;
    asks(&mut two).await;
    let mut three = connection(&app).await;
    let request = b"GET /health/live HTTP/1.1\r\nhost: placet.example\r\n\r\n";
    three.write_all(request).await.unwrap();
    for _ in 0..50 {
        asks(&mut one).await;
        asks(&mut two).await;
    }
    let mut byte = [0];
    let early = three.try_read(&mut byte).map_err(|error| error.kind());
    assert_eq!(early, Err(std::io::ErrorKind::WouldBlock), "it waits");
    drop(one);
    three.read_exact(&mut byte).await.unwrap();
    asks(&mut two).await;
}

#[tokio::test]
async fn a_request_that_has_begun_is_answered_although_the_server_stops() {
    let mut app = TestApp::start(Engine::Sqlite).await;
    let mut connection = connection(&app).await;
    let body = r#"{"username": "nobody", "password": "x"}"#;
    let head = format!(
        "POST /v1/auth/local/signin HTTP/1.1\r\nhost: placet.example\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        assert_ne!(connection.read_buf(&mut answer).await.unwrap(), 0);
    }
    assert!(
        answer.starts_with(b"HTTP/1.1 100 "),
        "it waits for the body"
    );
    let rest = async {
        connection.write_all(body.as_bytes()).await.unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.unwrap();
        answer
    };
    // Stopping begins before the body goes on.
    let ((), answer) = tokio::join!(app.restart(), rest);
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    assert!(answer.contains("wrong_credentials"), "{answer}");
}

/// An id that names nothing.
const UNKNOWN: &str = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70";

#[tokio::test]
async fn what_members_read_of_consents_is_for_known_origins_only() {
    let app = TestApp::start(Engine::Sqlite).await;
    let ada = app.user("ada").await;
    let consents = format!("/v1/app/consents/{UNKNOWN}");
    for (method, path) in [
        (Method::GET, consents.clone()),
        (Method::GET, format!("{consents}?access_token=x")),
        (Method::GET, format!("{consents}/{UNKNOWN}")),
        (Method::DELETE, format!("{consents}/tokens/visitor")),
        (Method::GET, format!("/v1/app/overviews/{UNKNOWN}")),
        (Method::GET, format!("/v1/app/exports/{UNKNOWN}.csv")),
        (Method::POST, format!("/v1/app/imports/{UNKNOWN}")),
        (
            Method::GET,
            format!("/v1/client/{UNKNOWN}/consents/visitor"),
        ),
    ] {
        for (origin, allowed) in [
            ("https://shop.example", ""),
            ("https://admin.example", "https://admin.example"),
        ] {
            let request = ada.request(method.clone(), &path);
            let answer = ada.send(request.header("origin", origin)).await;
            let preflight = app
                .nobody()
                .request(Method::OPTIONS, &path)
                .header("origin", origin)
                .header("access-control-request-method", method.as_str());
            let preflight = app.nobody().send(preflight).await;
            for answer in [&answer, &preflight] {
                let told = answer.header("access-control-allow-origin");
                assert_eq!(told, allowed, "{method} {path}");
                let exposed = answer.header("access-control-expose-headers");
                assert_eq!(exposed.contains("X-Total-Count"), !allowed.is_empty());
            }
        }
    }
    for path in [
        format!("{consents}/cookies/{UNKNOWN}"),
        format!("{consents}/processings/{UNKNOWN}"),
        format!("/v1/app/consent/{UNKNOWN}"),
        format!("/cdn/{UNKNOWN}.json"),
    ] {
        let open = app.nobody().get(&path).await;
        assert_eq!(open.header("access-control-allow-origin"), "*", "{path}");
    }
}

#[tokio::test]
async fn each_kind_of_request_has_a_limit_of_its_own() {
    let quotas = Quotas {
        credentials: 101,
        letters: 102,
        collection: 103,
        api: 104,
        ..Quotas::default()
    };
    let app = TestApp::start_with(Engine::Sqlite, Some(quotas)).await;
    let ada = app.user("ada").await;
    let of = |text: &str| text.replace("{}", UNKNOWN);
    for (limit, method, path) in [
        ("101", Method::POST, "/v1/auth/local/signup"),
        ("101", Method::POST, "/v1/auth/local/signin"),
        ("101", Method::POST, "/v1/auth/local/reset"),
        ("101", Method::POST, "/v1/auth/local/verify"),
        ("101", Method::POST, "/v1/auth/local/password"),
        ("101", Method::PUT, "/v1/auth/me"),
        ("101", Method::GET, "/v1/auth/oidc/none"),
        ("102", Method::POST, "/v1/auth/local/forgot"),
        ("102", Method::POST, "/v1/auth/me/verification"),
        ("102", Method::POST, "/v1/auth/invitations"),
        ("103", Method::POST, "/v1/app/consents/{}/cookies/{}"),
        ("103", Method::GET, "/v1/app/consent/{}"),
        ("104", Method::GET, "/v1/app/consents/{}"),
        ("104", Method::DELETE, "/v1/app/consents/{}/tokens/visitor"),
        ("104", Method::GET, "/v1/auth/me"),
        ("104", Method::GET, "/v1/auth/invitations"),
        ("104", Method::GET, "/v1/vault/projects"),
        ("104", Method::GET, "/vault/projects"),
        ("104", Method::POST, "/v1/publish/jobs/{}"),
        ("104", Method::GET, "/v1/nowhere"),
        ("", Method::GET, "/v1/publish/jobs/{}"),
        ("", Method::GET, "/v1/publish/jobs/{}/{}"),
        ("", Method::GET, "/cdn/{}.json"),
        ("", Method::GET, "/health/live"),
    ] {
        let request = ada.request(method.clone(), &of(path)).json(&json!({}));
        let answer = ada.send(request).await;
        assert_eq!(answer.header("x-ratelimit-limit"), limit, "{method} {path}");
    }
}

#[tokio::test]
async fn a_flood_of_one_kind_leaves_the_others_alone() {
    let quotas = Quotas {
        letters: 2,
        collection: 2,
        api: 30,
        ..Quotas::default()
    };
    let app = TestApp::start_with(Engine::Sqlite, Some(quotas)).await;
    let ada = app.user("ada").await;
    app.clock.advance_to_window(60);
    let consent = format!("/v1/app/consents/{UNKNOWN}/cookies/{UNKNOWN}");
    let lookup = format!("/v1/app/consent/{UNKNOWN}?token=t&service=cookies&identifier={UNKNOWN}");
    let forgot = json!({"email": "ada@shop.example"});
    let nobody = app.nobody();
    nobody
        .post(&consent, &json!({"accept": true, "token": "t"}))
        .await
        .problem(404, "not_found");
    nobody.get(&lookup).await.problem(404, "not_found");
    nobody.get(&lookup).await.problem(429, "too_many_requests");
    for status in [202, 202, 429] {
        let answer = nobody.post("/v1/auth/local/forgot", &forgot).await;
        assert_eq!(answer.status.as_u16(), status);
    }
    let vault = "/v1/vault/projects";
    for _ in 0..30 {
        ada.get(vault).await.expect(200);
    }
    let refused = ada.get(vault).await;
    assert_eq!(refused.header("x-ratelimit-limit"), "30");
    refused.problem(429, "too_many_requests");
    let sign_in = json!({"username": "ada", "password": "ada's password"});
    nobody
        .post("/v1/auth/local/signin", &sign_in)
        .await
        .expect(200);
    app.clock.advance_seconds(60);
    ada.get(vault).await.expect(200);
    nobody.get(&lookup).await.problem(404, "not_found");
}

both!(
    a_server_that_works_on_no_jobs_is_not_ready,
    |app| async move {
        let idle = Placet::open(app.config()).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let server = axum::serve(listener, router::router(app.state_of(idle.clone())));
        tokio::spawn(async move { server.await });
        let nobody = app.nobody();
        let ready = nobody.get(&format!("{base}/health/ready")).await;
        assert_ne!(ready.header("retry-after"), "");
        ready.problem(503, "unavailable");
        nobody.get(&format!("{base}/health/live")).await.expect(200);
        idle.close().await;
    }
);

#[tokio::test]
async fn a_request_that_takes_too_long_is_told_so() {
    let app = bounded(Bounds {
        request: Duration::from_millis(50),
        ..Bounds::default()
    })
    .await;
    let routes = Router::new().route("/v1/hangs", get(std::future::pending::<String>));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = axum::serve(listener, router::layered(routes, app.state()));
    tokio::spawn(async move { server.await });
    let answer = app.nobody().get(&format!("{base}/v1/hangs")).await;
    answer.problem(408, "timeout");
}

#[tokio::test]
async fn the_country_of_a_visitor_is_what_a_trusted_proxy_says() {
    for (trusted, kept) in [("127.0.0.0/8", json!("FR")), ("10.0.0.0/8", json!(null))] {
        let reach = Reach {
            proxies: Proxies {
                trusted: vec![trusted.parse().unwrap()],
                country_header: Some("cf-ipcountry".to_owned()),
            },
            ..Reach::default()
        };
        let app = TestApp::reached(Engine::Sqlite, reach, |_| {}).await;
        let ada = app.user("ada").await;
        let shop = webhooks::shop(&app, &ada).await;
        let path = format!(
            "/v1/app/consents/{}/cookies/{}",
            shop.project, shop.configuration
        );
        let nobody = app.nobody();
        let consent = nobody
            .request(Method::POST, &path)
            .header("cf-ipcountry", "fr")
            .header("x-forwarded-for", "203.0.113.77")
            .json(&json!({"accept": true, "token": "t"}));
        nobody.send(consent).await.expect(201);
        let list = format!("/v1/app/consents/{}", shop.project);
        let stored = ada.get(&list).await.expect(200).json()[0].clone();
        assert_eq!(stored["country"], kept, "{trusted}");
        let address = if kept.is_null() {
            "127.0.0.0"
        } else {
            "203.0.113.0"
        };
        assert_eq!(stored["ip"], address);
    }
}
