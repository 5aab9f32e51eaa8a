//! Limits of requests, and the client's address behind proxies. Limits are checked before the database, so
//! one engine is enough.

use reqwest::Method;
use serde_json::json;
use server::http::{client::Proxies, limits::Quotas};
use service::prefix::SITE_TIMES;
use tests::{Engine, Reach, TestApp};

use crate::{
    http::UNKNOWN,
    shop::{Shop, choice},
};

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

/// A sign-in without an account, forwarded for these addresses. Returns its status.
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
    let job = ada
        .post(&format!("/v1/publish/jobs/{project}"), &json!({}))
        .await;
    let job = job.expect(202).json()["_id"].clone();
    let job = job.as_str().expect("an id");
    for _ in 0..40 {
        ada.get(&format!("/v1/publish/jobs/{project}/{job}"))
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn accounts_are_limited_from_all_addresses_together() {
    let quotas = Quotas {
        account: 2,
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
    ada.get(&format!("/v1/publish/jobs/{UNKNOWN}/{UNKNOWN}"))
        .await
        .expect(404);

    app.clock.advance_seconds(60);
    ada.get("/v1/auth/me").await.expect(200);
}

#[tokio::test]
async fn consents_that_are_stored_are_limited_by_project() {
    let few = Quotas {
        project: 2,
        ..Quotas::default()
    };
    // Two of them have 16 kilobytes.
    let little = Quotas {
        project_kilobytes: 15,
        ..Quotas::default()
    };
    let mut body = choice("visitor", true, true);
    body["preferences"]["gppString"] = json!("v".repeat(8_000));
    for quotas in [few, little] {
        let app = TestApp::start_with(Engine::Sqlite, Some(quotas)).await;
        let (shop, other) = (Shop::open(&app, "ada").await, Shop::open(&app, "bob").await);
        app.clock.advance_to_window(60);
        // A consent that is refused uses up nothing: anybody sends one.
        let junk = json!({"token": "visitor", "preferences": body["preferences"]});
        let elsewhere = format!("/v1/app/consents/{}/cookies/{UNKNOWN}", shop.project);
        for _ in 0..3 {
            shop.collect(&app, &junk).await.expect(422);
            app.nobody().post(&elsewhere, &body).await.expect(404);
        }
        for _ in 0..2 {
            shop.collect(&app, &body).await.expect(201);
        }
        let refused = shop.collect(&app, &body).await;
        assert!((1..=60).contains(&refused.header("retry-after").parse::<u64>().unwrap()));
        refused.problem(429, "too_many_requests");
        other.collect(&app, &body).await.expect(201);
        app.clock.advance_seconds(60);
        shop.collect(&app, &body).await.expect(201);
    }
}

#[tokio::test]
async fn pages_and_their_functions_are_limited_by_account_and_by_address() {
    let quotas = Quotas {
        account: 3,
        api: 5,
        ..Quotas::default()
    };
    let app = TestApp::start_with(Engine::Sqlite, Some(quotas)).await;
    let (ada, nobody) = (app.user("ada").await, app.nobody());
    app.clock.advance_to_window(60);
    let of_ada = async |method, path: &str| {
        let cookie = format!("placet_session={}", ada.token.as_deref().unwrap());
        let request = nobody.request(method, path).header("cookie", cookie);
        let request = request.header("sec-fetch-site", "same-origin");
        nobody.send(request.json(&json!({}))).await
    };
    of_ada(Method::GET, "/").await.expect(200);
    of_ada(Method::GET, "/account").await.expect(200);
    ada.get("/v1/auth/me").await.expect(200);
    let refused = of_ada(Method::GET, "/").await;
    assert_eq!(refused.status, 429);
    assert!((1..=60).contains(&refused.header("retry-after").parse::<u64>().unwrap()));
    let refused = of_ada(Method::POST, "/ui/organizations").await;
    refused.problem(429, "too_many_requests");
    // Somebody without a session has the requests of the address.
    nobody
        .get("/sign-in")
        .await
        .problem(429, "too_many_requests");
    app.clock.advance_seconds(60);
    for _ in 0..5 {
        nobody.get("/sign-in").await.expect(200);
    }
    nobody
        .get("/sign-in")
        .await
        .problem(429, "too_many_requests");
}

#[tokio::test]
async fn bytes_of_consents_are_limited_by_address() {
    let quotas = Quotas {
        kilobytes: 20,
        ..Quotas::default()
    };
    let app = TestApp::start_with(Engine::Sqlite, Some(quotas)).await;
    app.clock.advance_to_window(60);
    let nobody = app.nobody();
    let preferences = json!({"tcString": "x".repeat(8_000)});
    let body = json!({"accept": true, "token": "t", "preferences": preferences});
    let post = async |project: &str| {
        let path = format!("/v1/app/consents/{project}/cookies/{UNKNOWN}");
        nobody.post(&path, &body).await.status.as_u16()
    };
    // Two consents use 16 of 20 kilobytes, and the third one passes the limit.
    for status in [404, 404, 429] {
        assert_eq!(post(UNKNOWN).await, status);
    }
    assert_eq!(post("019aa3f3-0d4e-7a51-8c3b-5f6a7b8c9d0e").await, 429);
    app.clock.advance_seconds(60);
    assert_eq!(post(UNKNOWN).await, 404);
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
async fn passwords_that_are_typed_have_a_limit_of_their_own() {
    let quotas = Quotas {
        credentials: 2,
        ..Quotas::default()
    };
    let app = limited(quotas, &[]).await;
    app.clock.advance_to_window(60);
    let nobody = app.nobody();
    let typed = async || {
        let request = nobody.request(Method::POST, "/ui/auth/strength");
        let request = request.header("sec-fetch-site", "same-origin");
        let body = json!({"password": "short", "about": []});
        nobody.send(request.json(&body)).await
    };
    for _ in 0..10 {
        assert_eq!(typed().await.expect(200).json(), json!("Short"));
    }
    typed().await.problem(429, "too_many_requests");
    assert_eq!(
        forwarded(&app, None).await,
        403,
        "a sign-in is none of them"
    );
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_client_has_its_own_limit() {
    let quotas = Quotas {
        credentials: 2,
        ..Quotas::default()
    };
    let app = limited(quotas, &["127.0.0.0/8", "10.0.0.0/8"]).await;
    // Addresses that the client writes itself stand before those that proxies add.
    for addresses in ["203.0.113.1", "6.6.6.6, 203.0.113.1, 10.0.0.7"] {
        assert_eq!(forwarded(&app, Some(addresses)).await, 403);
    }
    assert_eq!(forwarded(&app, Some("7.7.7.7, 203.0.113.1")).await, 429);
    assert_eq!(forwarded(&app, Some("203.0.113.2")).await, 403);
    // A subscriber has a /64 of IPv6, and the subscribers of a /48 have so many times as much together.
    let of = |network: u64, host: u64| format!("2001:db8:1:{network:x}::{host:x}");
    for network in 0..SITE_TIMES.into() {
        for host in 1..=2 {
            assert_eq!(forwarded(&app, Some(&of(network, host))).await, 403);
        }
        assert_eq!(forwarded(&app, Some(&of(network, 3))).await, 429);
    }
    let next = u64::from(SITE_TIMES);
    assert_eq!(forwarded(&app, Some(&of(next, 1))).await, 429);
    assert_eq!(forwarded(&app, Some("2001:db8:2::1")).await, 403);
    // Without the header nothing is counted, because the limit would apply to everybody behind the proxy.
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
    // Pages do the same on other paths.
    for path in [
        "update",
        "password",
        "second-factor/begin",
        "second-factor/confirm",
        "second-factor/end",
        "second-factor/recovery-codes",
        "second-factor/passkeys/begin",
        "second-factor/passkeys/add",
        "second-factor/passkeys/end",
        "ways/link",
    ] {
        let path = format!("/ui/account/{path}");
        ada.post(&path, &json!({})).await.expect(429);
    }
    ada.get("/v1/auth/me").await.expect(200);
}

#[tokio::test]
async fn each_kind_of_request_has_a_limit_of_its_own() {
    let quotas = Quotas {
        credentials: 101,
        letters: 102,
        collection: 103,
        api: 104,
        files: 105,
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
        ("103", Method::POST, "/v1/app/consent/{}"),
        ("104", Method::GET, "/v1/app/consents/{}"),
        ("104", Method::DELETE, "/v1/app/consents/{}/tokens/visitor"),
        ("104", Method::GET, "/v1/auth/me"),
        ("104", Method::GET, "/v1/auth/invitations"),
        ("104", Method::GET, "/v1/vault/projects"),
        ("104", Method::GET, "/vault/projects"),
        ("104", Method::POST, "/v1/publish/jobs/{}"),
        ("104", Method::GET, "/v1/nowhere"),
        ("104", Method::GET, "/v1/publish/jobs/{}"),
        ("104", Method::GET, "/docs"),
        ("104", Method::GET, "/v1/openapi.json"),
        ("105", Method::POST, "/v1/assets"),
        ("105", Method::GET, "/v1/assets/{}?w=1536&format=avif"),
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

/// Each asks the storage, which may cost.
#[tokio::test]
async fn files_that_are_not_there_are_limited_and_others_are_not() {
    let quotas = Quotas {
        files: 3,
        ..Quotas::default()
    };
    let app = TestApp::start_with(Engine::Sqlite, Some(quotas)).await;
    let key = format!("{UNKNOWN}/en.0123456789abcdef.js");
    let objects = app.placet.publish.objects();
    objects.put(&key, "let a = 1;").await.unwrap();
    app.clock.advance_to_window(60);
    let nobody = app.nobody();
    let published = async || nobody.get(&format!("/cdn/{key}")).await.expect(200);
    let unknown = async |number: u8| {
        let path = format!("/cdn/{UNKNOWN}/en.{number}.js");
        nobody.get(&path).await
    };
    published().await;
    for number in 0..3 {
        unknown(number).await.problem(404, "not_found");
    }
    let refused = unknown(3).await;
    assert_eq!(refused.header("x-ratelimit-limit"), "3");
    refused.problem(429, "too_many_requests");
    for _ in 0..5 {
        published().await;
    }
    app.clock.advance_seconds(60);
    unknown(4).await.problem(404, "not_found");
}
