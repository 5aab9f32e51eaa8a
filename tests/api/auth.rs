//! Accounts and access tokens.

use reqwest::Method;
use serde_json::json;
use service::{Placet, auth::Older, secret::SecretKey};
use tests::{both, pointers};

both!(
    sign_up_gives_a_token_that_works_in_the_header_and_in_the_query,
    |app| async move {
        let ada = app.user("ada").await;
        let me = ada.get("/v1/auth/me").await.expect(200).json();
        assert_eq!(
            me,
            json!({"id": ada.user_id, "displayName": "ada", "username": "ada", "email": "ada@shop.example", "emailVerified": false, "pendingEmail": null,
                "concernLetters": true, "digestLetters": false})
        );
        let token = ada.token.clone().unwrap();
        app.nobody()
            .get(&format!("/v1/auth/me?access_token={token}"))
            .await
            .expect(200);
        // Behind a proxy that asks for a password of its own.
        let path = format!("/v1/auth/me?access_token={token}");
        let request = app.nobody().request(Method::GET, &path);
        let request = request.basic_auth("visitor", Some("of the proxy"));
        app.nobody().send(request).await.expect(200);
        let answer = app.nobody().get("/v1/auth/me").await;
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        answer.problem(403, "unauthenticated");
    }
);

both!(strangers_may_pass_a_password_of_a_proxy, |app| async move {
    let verify = async |header: Option<&str>| {
        let request = app.nobody().request(Method::POST, "/v1/auth/local/verify");
        let request = request.json(&json!({"token": "of nobody"}));
        let request = match header {
            Some(header) => request.header("authorization", header),
            None => request,
        };
        app.nobody().send(request).await
    };
    let errors = async |header| verify(header).await.problem(422, "invalid")["errors"].clone();
    let stranger = errors(None).await;
    assert_eq!(errors(Some("Basic dmlzaXRvcjp4")).await, stranger);
    for header in ["Bearer", "Bearer x", "of.nobody.either"] {
        verify(Some(header)).await.problem(403, "unauthenticated");
    }
});

both!(a_token_lasts_15_days_and_no_longer, |app| async move {
    let ada = app.user("ada").await;
    app.clock.advance_seconds(15 * 86_400 - 60);
    ada.get("/v1/auth/me").await.expect(200);
    app.clock.advance_seconds(120);
    ada.get("/v1/auth/me").await.problem(403, "unauthenticated");
});

both!(
    username_and_email_must_be_unused_whatever_their_case,
    |app| async move {
        app.user("ada").await;
        let taken = |username: &str, email: &str| json!({"username": username, "email": email, "password": "p", "displayName": "x"});
        let nobody = app.nobody();
        let problem = nobody
            .post("/v1/auth/local/signup", &taken("ADA", "other@shop.example"))
            .await
            .problem(409, "taken");
        assert_eq!(problem["errors"][0]["pointer"], "/username");
        let problem = nobody
            .post("/v1/auth/local/signup", &taken("other", "Ada@Shop.example"))
            .await
            .problem(409, "taken");
        assert_eq!(problem["errors"][0]["pointer"], "/email");
    }
);

both!(
    a_username_stays_whether_another_is_free_or_taken,
    |app| async move {
        let ada = app.user("ada").await;
        app.user("bob").await;
        let mut errors = Vec::new();
        for username in ["bob", "free"] {
            let profile =
                json!({"displayName": "x", "username": username, "email": "ada@shop.example"});
            let problem = ada.put("/v1/auth/me", &profile).await;
            errors.push(problem.problem(422, "invalid")["errors"].clone());
        }
        assert_eq!(errors[0], errors[1]);
        assert_eq!(errors[0][0]["pointer"], "/username");
        assert_eq!(errors[0][0]["code"], "read_only");
        assert_eq!(ada.get("/v1/auth/me").await.json()["displayName"], "ada");
        // The answer names every broken field.
        let broken = json!({"displayName": "x".repeat(201), "username": "bob", "email": "nobody"});
        let problem = ada.put("/v1/auth/me", &broken).await;
        let problem = problem.problem(422, "invalid");
        assert_eq!(pointers(&problem), ["/username", "/email", "/displayName"]);
    }
);

both!(sign_up_reports_every_broken_field, |app| async move {
    let body = json!({"username": "a b", "email": "nobody", "password": ""});
    let problem = app
        .nobody()
        .post("/v1/auth/local/signup", &body)
        .await
        .problem(422, "invalid");
    assert_eq!(pointers(&problem), ["/username", "/email", "/password"]);
    let body =
        json!({"username": "someone@else.example", "email": "ada@shop.example", "password": "p"});
    app.nobody()
        .post("/v1/auth/local/signup", &body)
        .await
        .problem(422, "invalid");
});

both!(
    sign_in_takes_username_or_email_and_tells_nothing_about_accounts,
    |app| async move {
        app.user("ada").await;
        let nobody = app.nobody();
        for username in ["ada", "Ada@shop.example"] {
            let session = nobody
                .post(
                    "/v1/auth/local/signin",
                    &json!({"username": username, "password": "ada's password"}),
                )
                .await
                .expect(200)
                .json();
            assert!(session["token"].is_string() && session["expiresAt"].is_string());
        }
        let wrong = nobody
            .post(
                "/v1/auth/local/signin",
                &json!({"username": "ada", "password": "x"}),
            )
            .await
            .problem(403, "wrong_credentials");
        let unknown = nobody
            .post(
                "/v1/auth/local/signin",
                &json!({"username": "eve", "password": "x"}),
            )
            .await
            .problem(403, "wrong_credentials");
        assert_eq!(wrong["detail"], unknown["detail"]);
    }
);

both!(sign_out_revokes_this_token_only, |app| async move {
    let ada = app.user("ada").await;
    let mut other = ada.clone();
    let session = app
        .nobody()
        .post(
            "/v1/auth/local/signin",
            &json!({"username": "ada", "password": "ada's password"}),
        )
        .await
        .json();
    other.token = session["token"].as_str().map(str::to_owned);
    ada.send(ada.request(reqwest::Method::POST, "/v1/auth/signout"))
        .await
        .expect(204);
    ada.get("/v1/auth/me").await.problem(403, "unauthenticated");
    other.get("/v1/auth/me").await.expect(200);
});

both!(a_new_password_revokes_every_token, |app| async move {
    let ada = app.user("ada").await;
    ada.post(
        "/v1/auth/local/password",
        &json!({"password": "wrong", "newPassword": "next"}),
    )
    .await
    .problem(422, "invalid");
    let session = ada
        .post(
            "/v1/auth/local/password",
            &json!({"password": "ada's password", "newPassword": "next"}),
        )
        .await
        .expect(200)
        .json();
    ada.get("/v1/auth/me").await.problem(403, "unauthenticated");
    let mut fresh = ada.clone();
    fresh.token = session["token"].as_str().map(str::to_owned);
    fresh.get("/v1/auth/me").await.expect(200);
    app.nobody()
        .post(
            "/v1/auth/local/signin",
            &json!({"username": "ada", "password": "ada's password"}),
        )
        .await
        .problem(403, "wrong_credentials");
});

both!(keys_rotate_and_old_tokens_stay_valid, |app| async move {
    let ada = app.user("ada").await;
    let before = app
        .nobody()
        .get("/.well-known/jwks.json")
        .await
        .expect(200)
        .json();
    assert_eq!(before["keys"].as_array().unwrap().len(), 1);
    app.placet.auth.rotate_keys(Older::Stay).await.unwrap();
    ada.get("/v1/auth/me").await.expect(200);
    let after = app.nobody().get("/.well-known/jwks.json").await.json();
    assert_eq!(after["keys"].as_array().unwrap().len(), 2);
    assert!(
        after["keys"]
            .as_array()
            .unwrap()
            .contains(&before["keys"][0])
    );
    // A month later the next key is due, and the first key's token has expired.
    app.clock.advance_days(31);
    app.nobody()
        .post(
            "/v1/auth/local/signin",
            &json!({"username": "ada", "password": "ada's password"}),
        )
        .await
        .expect(200);
    let later = app.nobody().get("/.well-known/jwks.json").await.json();
    assert_eq!(later["keys"].as_array().unwrap().len(), 3);
});

both!(forged_tokens_are_refused, |app| async move {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
    let ada = app.user("ada").await;
    let token = ada.token.clone().unwrap();
    let parts: Vec<&str> = token.split('.').collect();
    let header: serde_json::Value = serde_json::from_slice(&B64.decode(parts[0]).unwrap()).unwrap();
    let unsigned = B64.encode(json!({"alg": "none", "kid": header["kid"]}).to_string());
    let confused =
        B64.encode(json!({"alg": "HS256", "kid": header["kid"], "typ": "JWT"}).to_string());
    let mut claims: serde_json::Value =
        serde_json::from_slice(&B64.decode(parts[1]).unwrap()).unwrap();
    claims["exp"] = json!(9_999_999_999_i64);
    let stretched = B64.encode(claims.to_string());
    for forged in [
        format!("{unsigned}.{}.", parts[1]),
        format!("{confused}.{}.{}", parts[1], parts[2]),
        format!("{}.{stretched}.{}", parts[0], parts[2]),
        token[..token.len() - 4].to_owned(),
        "x".repeat(9_000),
        String::new(),
    ] {
        let mut forger = app.nobody();
        forger.token = Some(forged);
        forger
            .get("/v1/auth/me")
            .await
            .problem(403, "unauthenticated");
    }
});

both!(bodies_are_refused_precisely, |app| async move {
    let nobody = app.nobody();
    let post = || nobody.request(reqwest::Method::POST, "/v1/auth/local/signin");
    nobody
        .send(post().header("content-type", "application/json").body("{"))
        .await
        .problem(400, "bad_request");
    nobody
        .send(post().header("content-type", "text/html").body("{}"))
        .await
        .problem(415, "unsupported_media_type");
    let problem = nobody
        .post(
            "/v1/auth/local/signin",
            &json!({"username": 1, "password": "x"}),
        )
        .await
        .problem(422, "invalid");
    assert_eq!(problem["errors"][0]["pointer"], "/username");
    nobody
        .send(
            post()
                .header("content-type", "application/json")
                .body(" ".repeat(2_000_000)),
        )
        .await
        .problem(413, "body_too_large");
    let answer = nobody.get("/v1/auth/local/signin").await;
    assert_eq!(answer.header("allow"), "POST");
    answer.problem(405, "method_not_allowed");
    nobody.get("/v1/nowhere").await.problem(404, "not_found");
});

both!(
    sessions_are_listed_with_their_devices_and_ended_one_by_one,
    |app| async move {
        let ada = app.user("ada").await;
        let eve = app.user("eve").await;
        let sign_in = async |device: &str| {
            let nobody = app.nobody();
            let request = nobody
                .request(reqwest::Method::POST, "/v1/auth/local/signin")
                .header("user-agent", device)
                .json(&json!({"username": "ada", "password": "ada's password"}));
            let mut other = app.nobody();
            other.token = nobody.send(request).await.expect(200).json()["token"]
                .as_str()
                .map(str::to_owned);
            other
        };
        let phone = sign_in("Phone/1").await;
        let desk = sign_in(&"Desk/1 ".repeat(100)).await;
        let list = ada.get("/v1/auth/sessions").await.expect(200).json();
        let devices: Vec<_> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|session| {
                (
                    session["device"].as_str().unwrap().len(),
                    session["current"] == true,
                )
            })
            .collect();
        assert_eq!(devices, [(200, false), (7, false), (0, true)], "{list}");

        // Only the caller's own sessions can be ended, and each once.
        let path = format!("/v1/auth/sessions/{}", list[1]["id"].as_str().unwrap());
        eve.delete(&path).await.problem(404, "not_found");
        phone.get("/v1/auth/me").await.expect(200);
        ada.delete(&path).await.expect(204);
        phone
            .get("/v1/auth/me")
            .await
            .problem(403, "unauthenticated");
        ada.delete(&path).await.problem(404, "not_found");

        ada.delete("/v1/auth/sessions").await.expect(204);
        desk.get("/v1/auth/me")
            .await
            .problem(403, "unauthenticated");
        ada.get("/v1/auth/me").await.expect(200);
        eve.get("/v1/auth/me").await.expect(200);

        // The last use is noted, but not at each request.
        let used = |list: serde_json::Value| list[0]["lastUsedAt"].as_str().unwrap().to_owned();
        let first = used(ada.get("/v1/auth/sessions").await.json());
        assert_eq!(used(ada.get("/v1/auth/sessions").await.json()), first);
        app.clock.advance_seconds(700);
        assert!(used(ada.get("/v1/auth/sessions").await.json()) > first);

        // Expired sessions are not listed.
        app.clock.advance_days(14);
        let late = sign_in("Late/1").await;
        app.clock.advance_days(2);
        let list = late.get("/v1/auth/sessions").await.json();
        assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    }
);

both!(
    jose_and_pyjwt_read_our_tokens_and_what_they_forge_is_refused,
    |app| async move {
        let ada = app.user("ada").await;
        let jwks = app.nobody().get("/.well-known/jwks.json").await.json();
        let question = json!({"jwks": jwks, "token": ada.token, "issuer": app.base});
        for (library, ways) in [("jwt.mjs", 14), ("pyjwt.py", 10)] {
            let answer = tests::ask(library, &question);
            assert_eq!(answer["claims"]["sub"], json!(ada.user_id));
            assert_eq!(answer["header"]["alg"], "EdDSA");
            let forged = answer["forged"].as_object().unwrap();
            assert_eq!(forged.len(), ways, "{library}");
            for (how, token) in forged {
                let mut forger = app.nobody();
                forger.token = token.as_str().map(str::to_owned);
                let answer = forger.get("/v1/auth/me").await;
                assert_eq!(answer.status, 403, "{library}: {how}");
                answer.problem(403, "unauthenticated");
            }
        }
        ada.get("/v1/auth/me").await.expect(200);
    }
);

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
