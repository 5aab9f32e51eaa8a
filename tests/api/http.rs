//! Common behaviour of all routes: errors, CORS, caching, health, trusted proxies.

use std::net::SocketAddr;

use axum::{Router, routing::get};
use reqwest::Method;
use serde_json::{Value, json};
use server::{http::client::Proxies, router};
use service::Placet;
use tests::{Engine, Reach, TestApp, both, oracle::MailServer, until};
use tokio::net::TcpListener;

use crate::{openapi, recovery::RESET, webhooks};

/// An id that does not exist.
pub(crate) const UNKNOWN: &str = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70";

/// Serves routes beside the server of a test. Returns their address.
pub(crate) async fn served(routes: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let service = routes.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    base
}

/// Fields that take any object.
const OBJECTS: [&str; 3] = ["preferences", "passkey", "credential"];

both!(the_service_is_live_and_ready, |app| async move {
    assert_eq!(
        app.nobody().get("/health/live").await.expect(200).json(),
        json!({"status": "live"})
    );
    // The worker may start a moment after the server listens.
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
    a_server_that_works_on_no_jobs_is_not_ready,
    |app| async move {
        let idle = Placet::open(app.config()).await.unwrap();
        let base = served(router::router(app.state_of(idle.clone()))).await;
        let nobody = app.nobody();
        let ready = nobody.get(&format!("{base}/health/ready")).await;
        assert_ne!(ready.header("retry-after"), "");
        ready.problem(503, "unavailable");
        nobody.get(&format!("{base}/health/live")).await.expect(200);
        idle.close().await;
    }
);

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

#[tokio::test]
async fn reads_of_consents_by_members_are_for_known_origins_only() {
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

#[tokio::test]
async fn a_panic_is_a_problem_without_its_cause() {
    async fn panics() -> String {
        panic!("a cause that nobody is told")
    }
    let app = TestApp::start(Engine::Sqlite).await;
    let routes = Router::new().route("/v1/panics", get(panics));
    let base = served(router::layered(routes, app.state())).await;
    for _ in 0..2 {
        let answer = app.nobody().get(&format!("{base}/v1/panics")).await;
        assert!(!answer.text.contains("a cause"), "{}", answer.text);
        let problem = answer.problem(500, "internal");
        assert_eq!(problem["instance"], "/v1/panics");
    }
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

/// Operations whose body is described by a schema of its own: method, path, the schema.
fn typed_bodies(document: &Value) -> Vec<(Method, String, Value)> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let Some(name) = schema["$ref"].as_str() else {
                continue;
            };
            // Documents know more rules than their shape.
            if path.contains("vault/") && !path.ends_with("/users") {
                continue;
            }
            // A body of megabytes is read only of members.
            if path.ends_with("/evidence") {
                continue;
            }
            let schema = whole(document, document.pointer(&name[1..]).unwrap());
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            found.push((method, at(path), schema));
        }
    }
    found
}

/// A schema with the fields of those that it consists of.
fn whole(document: &Value, schema: &Value) -> Value {
    let Some(parts) = schema["allOf"].as_array() else {
        return schema.clone();
    };
    let (mut properties, mut required) = (serde_json::Map::new(), Vec::new());
    for part in parts {
        let named = part["$ref"].as_str();
        let part = named.map_or(part, |name| document.pointer(&name[1..]).unwrap());
        properties.extend(part["properties"].as_object().unwrap().clone());
        required.extend(part["required"].as_array().into_iter().flatten().cloned());
    }
    json!({"properties": properties, "required": required})
}

/// A path with an id that names nothing in place of each parameter.
fn at(template: &str) -> String {
    let part = |part: &str| match part {
        "{resource}" => "projects".to_owned(),
        "{collection}" => "cookies".to_owned(),
        part if part.starts_with('{') => UNKNOWN.to_owned(),
        part => part.to_owned(),
    };
    let parts: Vec<_> = template.split('/').map(part).collect();
    parts.join("/")
}

both!(
    every_broken_field_of_a_body_is_told_in_our_words,
    |app| async move {
        let ada = app.user("ada").await;
        let document = openapi::document(&app).await;
        let bodies = typed_bodies(&document);
        assert!(bodies.len() > 12, "{}", bodies.len());
        for (method, path, schema) in bodies {
            let send = async |body: Value| {
                let request = ada.request(method.clone(), &path).json(&body);
                ada.send(request).await
            };
            // Serde would read the fields in their order.
            let list = send(json!(["ada", "ada's password", "x", null, null])).await;
            let problem = list.problem(422, "invalid");
            assert_eq!(tests::pointers(&problem), [""], "{method} {path}");
            assert_eq!(problem["errors"][0]["code"], "invalid_type", "{problem}");
            let wrong: serde_json::Map<String, Value> = schema["properties"]
                .as_object()
                .unwrap()
                .iter()
                .filter(|(name, _)| !OBJECTS.contains(&name.as_str()))
                .map(|(name, _)| (name.clone(), json!({"nothing": ["of", "use"]})))
                .collect();
            let required = schema["required"].as_array().into_iter().flatten();
            let mut required: Vec<String> = required
                .map(|name| format!("/{}", name.as_str().unwrap()))
                .collect();
            required.sort_unstable();
            let mut expected: Vec<String> = wrong.keys().map(|name| format!("/{name}")).collect();
            expected.extend(required.iter().cloned());
            expected.sort_unstable();
            expected.dedup();
            let problem = send(Value::Object(wrong)).await.problem(422, "invalid");
            let mut told = tests::pointers(&problem);
            told.sort_unstable();
            assert_eq!(told, expected, "{method} {path}: {problem}");
            if !required.is_empty() {
                let problem = send(json!({})).await.problem(422, "invalid");
                let mut told = tests::pointers(&problem);
                told.sort_unstable();
                assert_eq!(told, required, "{method} {path}: {problem}");
            }
        }
        let nobody = app.nobody();
        let collect = format!("/v1/app/consents/{UNKNOWN}/cookies/{UNKNOWN}");
        let nested =
            json!({"accept": true, "token": "t", "preferences": [{"google_analytics": true}]});
        let problem = nobody.post(&collect, &nested).await.problem(422, "invalid");
        assert_eq!(tests::pointers(&problem), ["/preferences"]);
        let request = nobody
            .request(Method::POST, "/v1/auth/local/signin")
            .header("content-type", "application/json");
        let torn = nobody.send(request.body("{\n  \"username\": x}")).await;
        let problem = torn.problem(400, "bad_request");
        assert_eq!(problem["detail"], "Malformed JSON at line 2, column 15.");
    }
);

both!(nul_is_refused_in_every_text_of_a_body, |app| async move {
    let ada = app.user("ada").await;
    let account = json!({"displayName": "B", "username": "bob", "email": "bob@shop.example",
        "password": "a\0b"});
    let webhook = json!({"method": "POST", "url": "https://shop.example/\0",
        "event": format!("consent/{UNKNOWN}")});
    for (path, body, pointer) in [
        ("/v1/auth/local/signup", account, "/password"),
        ("/v1/webhooks", webhook, "/url"),
    ] {
        let problem = ada.post(path, &body).await.problem(422, "invalid");
        assert_eq!(tests::pointers(&problem), [pointer]);
        assert_eq!(problem["errors"][0]["code"], "invalid_character");
    }
});

both!(
    parameters_that_a_list_does_not_know_are_refused,
    |app| async move {
        let ada = app.user("ada").await;
        let document = openapi::document(&app).await;
        let mut seen = 0;
        for (template, item) in document["paths"].as_object().unwrap() {
            let operation = &item["get"];
            if operation.is_null() || operation["security"].is_array() {
                continue;
            }
            seen += 1;
            let path = at(template).replace(".{format}", ".csv");
            let path = if template.contains("exports") {
                format!("/v1/app/exports/{UNKNOWN}.csv")
            } else {
                path
            };
            let answer = ada.get(&format!("{path}?nonsense=1")).await;
            let problem = answer.problem(400, "bad_request");
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.starts_with("`nonsense` is no parameter"), "{detail}");
        }
        assert!(seen > 25, "{seen}");
        let sorted = ada.get("/v1/organizations?sort=name").await;
        let problem = sorted.problem(400, "bad_request");
        assert_eq!(
            problem["detail"],
            "`sort` is no parameter: there are `page`, `perPage`, `q`."
        );
        ada.get("/v1/auth/sessions?page=2")
            .await
            .problem(400, "bad_request");
        let token = ada.token.clone().unwrap();
        let by_query = format!("/v1/organizations?perPage=2&access_token={token}");
        app.nobody().get(&by_query).await.expect(200);
        ada.get("/v1/vault/projects?data.title=Shop")
            .await
            .expect(200);
    }
);

both!(
    what_a_change_of_a_webhook_leaves_out_stays,
    |app| async move {
        let ada = app.user("ada").await;
        let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let project = ada.create("projects", &project).await;
        let webhook = json!({"method": "PUT", "url": "http://127.0.0.1:9/hook",
        "event": format!("publish/{project}")});
        let made = ada.post("/v1/webhooks", &webhook).await.expect(201).json();
        let path = format!("/v1/webhooks/{}", made["id"].as_str().unwrap());
        for active in [false, true] {
            let changed = ada.put(&path, &json!({"active": active})).await;
            let changed = changed.expect(200).json();
            assert_eq!(changed["active"], active);
            for field in ["method", "url", "event"] {
                assert_eq!(changed[field], webhook[field]);
            }
        }
        ada.put(&path, &json!({"active": false})).await.expect(200);
        let method = ada.put(&path, &json!({"method": "POST"})).await;
        let method = method.expect(200).json();
        assert_eq!(method["method"], "POST");
        assert_eq!(method["active"], false);
    }
);

both!(
    a_forgotten_password_is_answered_alike_for_every_text,
    |app| async move {
        for email in ["ada@shop.example", "nobody@shop.example", "no address", ""] {
            let answer = app
                .nobody()
                .post("/v1/auth/local/forgot", &json!({"email": email}))
                .await;
            assert_eq!(answer.expect(202).text, "", "{email}");
        }
    }
);

/// No database is asked for an address.
#[tokio::test]
async fn no_answer_repeats_the_host_that_a_request_names() {
    let mail = MailServer::start().await;
    // A proxy that is trusted may name clients, but no host.
    let reach = Reach {
        proxies: Proxies {
            trusted: vec!["127.0.0.0/8".parse().unwrap()],
            country_header: None,
        },
        ..Reach::default()
    };
    let app = TestApp::reached(Engine::Sqlite, reach, |config| {
        config.mail = Some(mail.settings());
    })
    .await;
    let ada = app.user("ada").await;
    let ours = |text: &str| {
        assert!(text.contains(&app.base), "{text}");
        assert!(!text.contains("evil.example"), "{text}");
    };
    let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let forgot = json!({"email": "ada@shop.example"});
    for (method, path, body, status, header) in [
        (Method::POST, "/v1/vault/projects", project, 201, "location"),
        (Method::GET, "/v1/vault/projects", Value::Null, 200, "link"),
        (Method::GET, "/v1/openapi.json", Value::Null, 200, ""),
        (Method::POST, "/v1/auth/local/forgot", forgot, 202, ""),
    ] {
        let mut request = ada.request(method, path);
        for name in ["host", "x-forwarded-host", "x-host"] {
            request = request.header(name, "evil.example");
        }
        request = request.header("forwarded", "host=evil.example");
        if !body.is_null() {
            request = request.json(&body);
        }
        let answer = ada.send(request).await.expect(status);
        match (header, status) {
            ("", 200) => ours(&answer.json()["servers"].to_string()),
            ("", _) => ours(&mail.letter("ada@shop.example", RESET).await.to_string()),
            _ => ours(answer.header(header)),
        }
    }
}

both!(queries_of_any_length_are_answered, |app| async move {
    let ada = app.user("ada").await;
    let many = |count: usize| -> String {
        let filter = |index| format!("data.f{index}[in]=a,b");
        let filters: Vec<String> = (0..count).map(filter).collect();
        format!("/v1/vault/projects?{}", filters.join("&"))
    };
    ada.get(&many(20)).await.expect(200);
    for count in [21, 195] {
        ada.get(&many(count)).await.problem(400, "bad_request");
    }
    let values = |count: usize| {
        format!(
            "/v1/vault/projects?data.title[in]={}",
            vec!["a"; count].join(",")
        )
    };
    ada.get(&values(100)).await.expect(200);
    ada.get(&values(101)).await.problem(400, "bad_request");
    let parameters = |count: usize| {
        format!(
            "/v1/vendors/solutions?{}",
            vec!["embed=company"; count].join("&")
        )
    };
    ada.get(&parameters(200)).await.expect(200);
    ada.get(&parameters(201)).await.problem(400, "bad_request");
    let catalogue = (0..21).map(|_| "data.name[in]=a").collect::<Vec<_>>();
    let catalogue = format!("/v1/vendors/solutions?{}", catalogue.join("&"));
    ada.get(&catalogue).await.problem(400, "bad_request");
    for list in [
        "vault/projects",
        "vault/vendors",
        "vendors/solutions",
        "vendors/companies",
    ] {
        let sought = |length: usize| format!("/v1/{list}?q={}", "x".repeat(length));
        ada.get(&sought(200)).await.expect(200);
        for length in [201, 5_900, 30_000] {
            ada.get(&sought(length)).await.problem(400, "bad_request");
        }
    }
    // `Link` repeats the query in each of its addresses.
    let long = format!("/v1/vault/projects?data.title={}", "x".repeat(7_900));
    let answer = ada.get(&long).await.expect(200);
    assert!(answer.header("link").len() < 33_000);
    let longer = format!("{long}{}", "x".repeat(200));
    ada.get(&longer).await.problem(400, "bad_request");
});

both!(pages_refuse_what_no_database_keeps, |app| async move {
    let ada = app.user("ada").await;
    let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &project).await;
    let nobody = app.nobody();
    let with = |method, path: &str| {
        let cookie = format!("placet_session={}", ada.token.as_deref().unwrap());
        let request = nobody.request(method, path);
        let request = request.header("sec-fetch-site", "same-origin");
        request.header("cookie", cookie)
    };
    let page = format!("/projects/{project}/proofs?token=a");
    let list = |token: &str| json!({"project": project, "filter": {"token": token}});
    let read = with(Method::GET, &page);
    nobody.send(read).await.expect(200);
    let read = with(Method::POST, "/ui/proofs/list").json(&list("a"));
    nobody.send(read).await.expect(200);
    let form = "application/x-www-form-urlencoded";
    for request in [
        with(Method::GET, &format!("{page}%00")),
        with(Method::GET, "/projects/%00"),
        with(Method::POST, "/ui/proofs/list").json(&list("a\0")),
        with(Method::POST, "/ui/proofs/list?x=%00").json(&list("a")),
        with(Method::POST, "/ui/auth/local/forgot")
            .header("content-type", form)
            .body("email=a%00%40shop.example"),
    ] {
        nobody.send(request).await.expect(400);
    }
    // Without its filter, a list would hold what nobody asked for.
    for filter in [json!({"from": "yesterday"}), json!({"outcome": "maybe"})] {
        let body = json!({"project": project, "filter": filter});
        let list = with(Method::POST, "/ui/proofs/list").json(&body);
        nobody.send(list).await.expect(400);
    }
});

both!(no_name_hides_what_it_says, |app| async move {
    let ada = app.user("ada").await;
    let hidden = "Shop \u{202e}elpmaxe";
    let site = "https://shop.example";
    let project = ada
        .create("projects", &json!({"websiteURL": site, "title": "Shop"}))
        .await;
    let account = |username: &str, name: &str| json!({"username": username, "displayName": name, "email": "bob@shop.example", "password": "p"});
    for (path, body, pointer) in [
        (
            "/v1/auth/local/signup",
            account("b\u{200e}ob", "Bob"),
            "/username",
        ),
        (
            "/v1/auth/local/signup",
            account("bob", hidden),
            "/displayName",
        ),
        ("/v1/organizations", json!({"name": hidden}), "/name"),
        (
            "/v1/auth/keys",
            json!({"name": hidden, "scopes": ["read"]}),
            "/name",
        ),
        (
            "/v1/vault/projects",
            json!({"websiteURL": site, "title": hidden}),
            "/title",
        ),
        (
            "/v1/vault/projects",
            json!({"websiteURL": site, "title": "Shop", "name": hidden}),
            "/name",
        ),
        (
            "/v1/vault/vendors",
            json!({"name": "own", "title": hidden, "projectId": project}),
            "/title",
        ),
    ] {
        let problem = ada.post(path, &body).await.problem(422, "invalid");
        assert_eq!(tests::pointers(&problem), [pointer], "{path}");
    }
    let problem = ada
        .put("/v1/auth/me", &json!({"displayName": hidden}))
        .await
        .problem(422, "invalid");
    assert_eq!(tests::pointers(&problem), ["/displayName"]);
});

both!(no_read_answers_for_a_deleted_project, |app| async move {
    let owner = app.user("ada").await;
    let shop = webhooks::shop(&app, &owner).await;
    let consent = json!({"accept": true, "token": "visitor"});
    let (project, cookies) = (&shop.project, &shop.configuration);
    let collect = format!("/v1/app/consents/{project}/cookies/{cookies}");
    let consent = app.nobody().post(&collect, &consent).await.expect(201);
    let consent = consent.json()["consentId"].as_str().unwrap().to_owned();
    let query = format!("token=visitor&service=cookies&identifier={cookies}");
    let document = openapi::document(&app).await;
    let mut paths = Vec::new();
    for (template, item) in document["paths"].as_object().unwrap() {
        if item["get"].is_null() || !template.contains("{projectId}") {
            continue;
        }
        let path = template
            .replace("{projectId}", project)
            .replace("{token}", "visitor")
            .replace("{consentId}", &consent)
            .replace("{identifier}", cookies)
            .replace("{format}", "csv");
        let is_lookup = path.ends_with(&format!("/app/consent/{project}"));
        paths.push(if is_lookup {
            format!("{path}?{query}")
        } else {
            path
        });
    }
    assert!(paths.len() > 8, "{paths:?}");
    let lookup = paths.iter().filter(|path| path.contains(&query)).count();
    assert_eq!(lookup, 1);
    for path in &paths {
        // A publish job of this id is not there, and a proof may come with the next checkpoint.
        let status = owner.get(path).await.status;
        let is_later = status == 202 && path.ends_with("/proof");
        assert!(
            status == 200 || is_later || path.contains('{'),
            "{path}: {status}"
        );
    }
    let deleted = format!("/v1/vault/projects/{project}");
    owner.delete(&deleted).await.expect(204);
    app.clock.advance_seconds(2);
    for path in &paths {
        let path = path.replace("{jobId}", UNKNOWN);
        owner.get(&path).await.problem(404, "not_found");
    }
});

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn pages_are_rendered_by_several_threads_at_once() {
    let app = TestApp::start(Engine::Sqlite).await;
    let nobody = app.nobody();
    let read = async || nobody.get("/sign-in").await.status.as_u16();
    for _ in 0..10 {
        let read = (0..100).map(|_| read());
        let all = futures::future::join_all(read).await;
        assert!(all.iter().all(|status| *status == 200), "{all:?}");
    }
}

both!(
    pages_are_compressed_for_nobody_who_could_measure_them,
    |app| async move {
        let nobody = app.nobody();
        let encoding = async |site: Option<&str>| {
            let mut request = nobody.request(Method::GET, "/sign-in");
            request = request.header("accept-encoding", "gzip, br");
            if let Some(site) = site {
                request = request.header("sec-fetch-site", site);
            }
            let answer = nobody.send_raw(request).await.expect(200);
            answer.header("content-encoding").to_owned()
        };
        for own in ["same-origin", "none"] {
            assert_eq!(encoding(Some(own)).await, "gzip");
        }
        for other in [Some("cross-site"), Some("same-site"), None] {
            assert_eq!(encoding(other).await, "", "{other:?}");
        }
    }
);
