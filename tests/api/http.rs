//! What all routes share: errors, CORS, limits, documents about the API.

use reqwest::Method;
use serde_json::json;
use tests::both;

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
                        .any(|status| status.starts_with('2')),
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
        let page = app.nobody().get("/docs").await.expect(200);
        assert!(page.text.contains("/v1/vault/{resource}"));
        assert!(
            page.header("content-security-policy")
                .contains("default-src 'none'")
        );
    }
);

both!(the_service_is_live_and_ready, |app| async move {
    assert_eq!(
        app.nobody().get("/health/live").await.expect(200).json(),
        json!({"status": "live"})
    );
    assert_eq!(
        app.nobody().get("/health/ready").await.expect(200).json(),
        json!({"status": "ready"})
    );
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
