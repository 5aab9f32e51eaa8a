//! The OpenAPI document describes every answer of the API.

use serde_json::{Value, json};
use tests::{Engine, TestApp, ask, both};

/// Headers of every answer that a limit counts.
const COMMON: [&str; 4] = [
    "x-request-id",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
];
/// Headers of a list that comes in pages.
const PAGES: [&str; 5] = [
    "x-page",
    "x-per-page",
    "x-last-page",
    "x-total-count",
    "link",
];

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
        // The fields of a type that has those of another one.
        let (_, made) = page.text.split_once("id=\"schema-KeyMade\"").unwrap();
        let (made, _) = made.split_once("</details>").unwrap();
        for field in ["prefix", "secret"] {
            assert!(made.contains(&format!("<code>{field}</code>")), "{made}");
        }
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

/// The document is the same on both databases.
#[tokio::test]
async fn the_document_says_neither_more_nor_less_than_is_there() {
    let app = TestApp::start(Engine::Sqlite).await;
    let document = document(&app).await;
    has_exactly_these_answers(&document);
    gives_files_as_bytes(&document);
    tells_of_events(&document);
    spells_parameters_alike(&document);
}

/// Compares statuses and headers of some operations with those that they can really have.
fn has_exactly_these_answers(document: &Value) {
    for (method, path, statuses, counted, own) in [
        ("get", "/health/live", "200 408 500", false, &[][..]),
        (
            "get",
            "/v1/organizations",
            "200 400 403 408 429 500 503",
            true,
            &PAGES[..],
        ),
        (
            "post",
            "/v1/vault/projects",
            "201 400 403 404 408 409 413 415 422 429 500 503 507",
            true,
            &["etag", "location"],
        ),
        (
            "get",
            "/v1/assets/{assetId}",
            "200 400 404 408 429 500 503",
            true,
            &["content-disposition", "etag"],
        ),
        (
            "delete",
            "/v1/auth/keys/{keyId}",
            "204 403 404 408 429 500 503",
            true,
            &[],
        ),
    ] {
        let told = document["paths"][path][method]["responses"].as_object();
        let told = told.unwrap_or_else(|| panic!("{method} {path} is not there"));
        let names: Vec<&str> = told.keys().map(String::as_str).collect();
        assert_eq!(names.join(" "), statuses, "{method} {path}");
        for (status, response) in told {
            let mut expected = COMMON[..if counted { COMMON.len() } else { 1 }].to_vec();
            let more: &[&str] = match status.as_str() {
                "403" => &["www-authenticate"],
                "429" | "503" => &["retry-after"],
                good if good.starts_with('2') => own,
                _ => &[],
            };
            expected.extend(more);
            expected.sort_unstable();
            let headers = response["headers"].as_object().unwrap();
            let mut headers: Vec<_> = headers.keys().map(|name| name.to_lowercase()).collect();
            headers.sort();
            assert_eq!(headers, expected, "{method} {path} {status}");
        }
    }
}

/// All operations.
fn operations(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, item)| {
        let operations = item.as_object().unwrap().values();
        operations.map(move |operation| (path, operation))
    })
}

fn gives_files_as_bytes(document: &Value) {
    let mut files = Vec::new();
    for (path, operation) in operations(document) {
        for response in operation["responses"].as_object().unwrap().values() {
            for (media, content) in response["content"].as_object().into_iter().flatten() {
                if media.contains("json") || media.starts_with("text/") {
                    continue;
                }
                let bytes = json!({"type": "string", "format": "binary"});
                assert_eq!(content["schema"], bytes, "{path} {media}");
                files.push(media.as_str());
            }
        }
    }
    files.sort_unstable();
    files.dedup();
    let known = [
        "application/pdf",
        "application/zip",
        "image/avif",
        "image/jpeg",
        "image/png",
        "image/webp",
    ];
    assert_eq!(files, known);
}

fn tells_of_events(document: &Value) {
    let events = document["webhooks"].as_object().unwrap();
    let told = events.iter().map(|(name, event)| {
        let sent = event.pointer("/post/requestBody/content/application~1json/schema/properties");
        let sent = sent.unwrap_or_else(|| panic!("{name} has no body"));
        let headers = event["post"]["parameters"].as_array().unwrap().iter();
        let headers = headers.map(|header| header["name"].clone());
        json!([
            name,
            sent["type"]["enum"],
            sent["data"]["$ref"],
            headers.collect::<Value>()
        ])
    });
    let headers = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    assert_eq!(
        told.collect::<Value>(),
        json!([
            [
                "consent",
                ["consent.created"],
                "#/components/schemas/Consent",
                headers
            ],
            [
                "publish",
                ["publish.complete", "publish.error"],
                "#/components/schemas/PublishJob",
                headers
            ],
        ])
    );
}

/// Parameters are words that stand together like `projectId`. Filters begin with `data.` and name a field.
fn spells_parameters_alike(document: &Value) {
    let is_word = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.chars().all(|one| one.is_ascii_alphanumeric())
    };
    for (path, operation) in operations(document) {
        let parts = path.split('{').skip(1);
        for name in parts.filter_map(|part| part.split('}').next()) {
            assert!(is_word(name), "{path}");
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            let is_header = parameter["in"] == "header";
            assert!(
                is_header || name.starts_with("data.") || is_word(name),
                "{path} {name}"
            );
        }
    }
}

/// The document is the same on both databases.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn linters_of_others_find_nothing_in_the_document() {
    let app = TestApp::start(Engine::Sqlite).await;
    let question = json!({"document": document(&app).await});
    let found = tokio::task::spawn_blocking(move || ask("lint.mjs", &question));
    let found = found.await.unwrap();
    let nothing = json!({"redocly": [], "spectral": []});
    assert_eq!(found, nothing, "{found:#}");
}

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
