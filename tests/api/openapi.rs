//! The OpenAPI document describes every answer of the API.

use serde_json::{Value, json};
use tests::{TestApp, ask, both};

/// The document as everybody gets it.
pub(crate) async fn document(app: &TestApp) -> Value {
    let answer = app.nobody().get("/v1/openapi.json").await;
    answer.expect(200).json()
}

both!(
    every_operation_is_documented_with_its_answers,
    |app| async move {
        let document = document(&app).await;
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
        // Documents are shown whole.
        let in_parts = schemas
            .iter()
            .filter(|(_, schema)| schema["example"].is_null());
        for (name, schema) in in_parts {
            for (property, schema) in properties(schema) {
                assert!(shows_itself(schema), "{name}.{property} has no example");
            }
        }
        let page = app.nobody().get("/docs").await.expect(200);
        assert!(page.text.contains("/vault/{resource}"));
        assert!(
            page.header("content-security-policy")
                .contains("default-src 'none'")
        );
    }
);

/// Properties of a schema and of its parts.
fn properties(schema: &Value) -> Vec<(&String, &Value)> {
    let own = schema["properties"].as_object().into_iter().flatten();
    let parts = schema["allOf"].as_array().into_iter().flatten();
    own.chain(parts.flat_map(properties)).collect()
}

/// True if a property has an example, or a type that needs none.
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
        // A document with fields of the caller's choice.
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
            "/v1/vault/projects",
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
        // The test server has no limits.
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

both!(
    clients_that_others_generate_do_the_main_job,
    |app| async move {
        let question = json!({"document": document(&app).await, "base": app.base});
        let asked = ["client.mjs", "client.py"].map(|script| {
            let question = question.clone();
            tokio::task::spawn_blocking(move || ask(script, &question))
        });
        let [typescript, python] = asked;
        let (typescript, python) = (typescript.await.unwrap(), python.await.unwrap());
        assert_eq!(typescript["lint"], json!([]), "{typescript:#}");
        assert_eq!(typescript["types"], json!([]), "{typescript:#}");
        assert_eq!(
            typescript["job"],
            json!({"status": "complete", "name": "Shop", "layouts": ["welcome"], "configuration": true,
                "refused": ["invalid_url", "required"]})
        );
        assert_eq!(python["types"], "", "{python:#}");
        assert_eq!(
            python["job"],
            json!({"status": "complete", "name": "Shop", "configuration": true})
        );
    }
);
