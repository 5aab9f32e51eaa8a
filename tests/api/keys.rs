//! API keys: the limits of their scopes and projects, and actions that no key may take.

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Client, TestApp, both, seed};

use crate::publish::{consent_box, shop};

/// Makes a key of this user.
async fn key(app: &TestApp, user: &Client, input: &Value) -> (Client, Value) {
    let made = user.post("/v1/auth/keys", input).await.expect(201).json();
    let mut program = app.nobody();
    program.token = made["secret"].as_str().map(str::to_owned);
    (program, made)
}

fn project() -> Value {
    json!({"websiteURL": "https://shop.example", "title": "Shop"})
}

both!(a_key_is_shown_once_listed_and_revoked, |app| async move {
    let ada = app.user("ada").await;
    let (program, made) = key(
        &app,
        &ada,
        &json!({"name": " Export ", "scopes": ["consents", "read", "read"]}),
    )
    .await;
    let secret = made["secret"].as_str().unwrap();
    assert!(secret.starts_with(made["prefix"].as_str().unwrap()) && secret.len() == 50);
    program.get("/v1/vault/projects").await.expect(200);
    app.nobody()
        .get(&format!("/v1/vault/projects?access_token={secret}"))
        .await
        .expect(200);

    let answer = ada.get("/v1/auth/keys").await.expect(200);
    assert!(!answer.text.contains(secret));
    let listed = answer.json()[0].clone();
    assert_eq!(listed["name"], "Export");
    assert_eq!(listed["scopes"], json!(["read", "consents"]));
    assert_eq!(listed["projects"], Value::Null);
    assert!(listed["lastUsedAt"].is_string(), "{listed}");

    let path = format!("/v1/auth/keys/{}", made["id"].as_str().unwrap());
    app.user("eve")
        .await
        .delete(&path)
        .await
        .problem(404, "not_found");
    ada.delete(&path).await.expect(204);
    program
        .get("/v1/vault/projects")
        .await
        .problem(403, "unauthenticated");
    ada.delete(&path).await.problem(404, "not_found");
    assert_eq!(ada.get("/v1/auth/keys").await.json(), json!([]));
});

both!(a_key_does_what_its_scopes_say, |app| async move {
    let ada = app.user("ada").await;
    let project = ada.create("projects", &project()).await;
    let configuration = ada.create("cookies", &json!({"projectId": project})).await;
    let published = seed::Published {
        collection: "cookies",
        id: &configuration,
        publication: "by hand",
        vendors: &[],
    };
    seed::publish(&app.placet.db, &project, &json!({}), &[published]).await;
    let cookies = format!("/v1/vault/cookies/{configuration}");
    let (jobs, proofs) = (
        format!("/v1/publish/jobs/{project}"),
        format!("/v1/app/consents/{project}"),
    );
    let export = format!("/v1/app/exports/{project}.csv");
    let tokens = format!("/v1/client/{project}/tokens");
    let dossiers = format!("/v1/app/dossiers/{project}");
    let consent = json!({"accept": true, "token": "t"});
    let collect = format!("/v1/app/consents/{project}/cookies/{configuration}");
    app.nobody().post(&collect, &consent).await.expect(201);
    let body = json!({"projectId": project});
    let calls = |scope: &str| -> Vec<(Method, String)> {
        let list = match scope {
            "read" => vec![
                (Method::GET, cookies.as_str()),
                (Method::GET, "/v1/vault/cookies"),
                (Method::GET, "/v1/client/"),
                (Method::GET, jobs.as_str()),
            ],
            "write" => vec![
                (Method::PUT, cookies.as_str()),
                (Method::POST, "/v1/vault/cookies"),
            ],
            "publish" => vec![(Method::POST, jobs.as_str())],
            _ => vec![
                (Method::GET, proofs.as_str()),
                (Method::GET, export.as_str()),
                (Method::GET, tokens.as_str()),
                (Method::POST, dossiers.as_str()),
            ],
        };
        list.into_iter()
            .map(|(method, path)| (method, path.to_owned()))
            .collect()
    };
    let scopes = ["read", "write", "publish", "consents"];
    for held in scopes {
        let (program, _) = key(&app, &ada, &json!({"name": held, "scopes": [held]})).await;
        for asked in scopes {
            for (method, path) in calls(asked) {
                let body = if path == dossiers { &consent } else { &body };
                let request = program.request(method.clone(), &path).json(body);
                let answer = program.send(request).await;
                if held == asked {
                    assert!(
                        answer.status.is_success(),
                        "{held}: {method} {path} {}",
                        answer.text
                    );
                } else {
                    answer.problem(403, "scope_missing");
                }
            }
        }
    }
});

both!(a_key_that_writes_removes_no_consents, |app| async move {
    let ada = app.user("ada").await;
    let mut kept = project();
    kept["retention"] = json!({"consentMonths": 36});
    let project_id = ada.create("projects", &kept).await;
    let letters = json!({"projectId": project_id, "title": "Letters", "storageDuration": 36});
    let letters = ada.create("processings", &letters).await;
    let (site, letters) = (
        format!("/v1/vault/projects/{project_id}"),
        format!("/v1/vault/processings/{letters}"),
    );
    let scopes = json!({"name": "write", "scopes": ["read", "write"]});
    let (writer, _) = key(&app, &ada, &scopes).await;
    let scopes = json!({"name": "all", "scopes": ["read", "write", "consents"]});
    let (keeper, _) = key(&app, &ada, &scopes).await;
    let secret = json!({"tokenSecret": "a secret of the shop"});
    let (shorter, months) = (json!({"consentMonths": 1}), json!({"storageDuration": 1}));
    for (path, change) in [
        (&site, json!({ "retention": shorter })),
        (&site, json!({"retention": {"visitorErasure": true}})),
        (&site, json!({"retention": null})),
        (&site, secret.clone()),
        (&letters, months.clone()),
    ] {
        let refused = writer.patch(path, &change).await;
        refused.problem(403, "scope_missing");
    }
    // Leaving a field out changes it, too.
    let refused = writer.put(&site, &project()).await;
    refused.problem(403, "scope_missing");
    writer.delete(&site).await.problem(403, "scope_missing");
    let harmless = json!({"title": "Our shop", "retention": {"ipMode": "hash"}});
    writer.patch(&site, &harmless).await.expect(200);
    let harmless = json!({"title": "News", "storageDuration": 36});
    writer.patch(&letters, &harmless).await.expect(200);

    for (path, change) in [
        (&site, json!({ "retention": shorter })),
        (&site, secret),
        (&letters, months),
    ] {
        keeper.patch(path, &change).await.expect(200);
    }
    let unsigned = json!({"tokenSecret": null});
    let refused = writer.patch(&site, &unsigned).await;
    refused.problem(403, "scope_missing");
    keeper.patch(&site, &unsigned).await.expect(200);
    keeper.delete(&site).await.expect(204);
});

both!(
    a_key_that_publishes_puts_back_no_other_time_for_consents,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        let mut letters = consent_box(&project);
        letters["storageDuration"] = json!(1);
        let letters = ada.create("processings", &letters).await;
        let letters = format!("/v1/vault/processings/{letters}");
        let first = ada.publish(&project).await;
        assert_eq!(first["status"], "complete", "{first}");
        let longer = json!({"storageDuration": 36});
        ada.patch(&letters, &longer).await.expect(200);
        let second = ada.publish(&project).await;
        assert_eq!(second["status"], "complete", "{second}");

        let scopes = json!({"name": "publish", "scopes": ["publish", "read"]});
        let (publisher, _) = key(&app, &ada, &scopes).await;
        let back = async |to: &Value| {
            let job = to["_id"].as_str().unwrap();
            let path = format!("/v1/publish/jobs/{project}/{job}/rollback");
            publisher.post(&path, &json!({})).await
        };
        back(&first).await.problem(403, "scope_missing");
        let job = back(&second).await.expect(202).json();
        assert_eq!(ada.ended(&job).await["status"], "complete");

        // Consents of a box that is not live are kept for its months, too.
        ada.delete(&letters).await.expect(204);
        let third = ada.publish(&project).await;
        assert_eq!(third["status"], "complete", "{third}");
        back(&first).await.problem(403, "scope_missing");
    }
);

both!(no_key_manages_accounts_members_or_keys, |app| async move {
    let ada = app.user("ada").await;
    let eve = app.user("eve").await;
    let project = ada.create("projects", &project()).await;
    let all = json!({"name": "all", "scopes": ["read", "write", "publish", "consents"]});
    let (program, made) = key(&app, &ada, &all).await;
    let own = format!("/v1/auth/keys/{}", made["id"].as_str().unwrap());
    let members = format!("/v1/vault/projects/{project}/users");
    let left = format!("{members}/{}", ada.user_id);
    let profile = json!({"displayName": "x", "username": "ada", "email": "eve@shop.example"});
    for (method, path, body) in [
        (Method::GET, "/v1/auth/keys", json!({})),
        (Method::POST, "/v1/auth/keys", all.clone()),
        (Method::DELETE, own.as_str(), json!({})),
        (Method::GET, "/v1/auth/me", json!({})),
        (Method::PUT, "/v1/auth/me", profile),
        (
            Method::POST,
            "/v1/auth/local/password",
            json!({"password": "ada's password", "newPassword": "x"}),
        ),
        (Method::GET, "/v1/auth/sessions", json!({})),
        (Method::DELETE, "/v1/auth/sessions", json!({})),
        (Method::POST, "/v1/auth/signout", json!({})),
        (Method::POST, "/v1/auth/me/verification", json!({})),
        (Method::GET, "/v1/auth/me/second-factor", json!({})),
        (
            Method::POST,
            "/v1/auth/me/second-factor",
            json!({"presentPassword": "ada's password"}),
        ),
        (
            Method::POST,
            "/v1/auth/me/second-factor/confirm",
            json!({"code": "1"}),
        ),
        (
            Method::POST,
            "/v1/auth/me/second-factor/end",
            json!({"code": "1"}),
        ),
        (
            Method::POST,
            "/v1/auth/me/second-factor/passkeys/begin",
            json!({"presentPassword": "ada's password"}),
        ),
        (
            Method::POST,
            "/v1/auth/me/second-factor/passkeys",
            json!({"name": "x", "credential": {}}),
        ),
        (
            Method::POST,
            members.as_str(),
            json!({"userId": eve.user_id}),
        ),
        (Method::DELETE, left.as_str(), json!({})),
        (Method::GET, "/v1/operator/vendor-list", json!({})),
    ] {
        let request = program.request(method, path).json(&body);
        program.send(request).await.problem(403, "not_a_user");
    }
    program.get(&members).await.expect(200);
    ada.get("/v1/auth/me").await.expect(200);
});

both!(a_key_reaches_its_projects_alone, |app| async move {
    let ada = app.user("ada").await;
    let eve = app.user("eve").await;
    let inside = ada.create("projects", &project()).await;
    let outside = ada.create("projects", &project()).await;
    let foreign = eve.create("projects", &project()).await;
    for id in [&inside, &outside] {
        ada.create("cookies", &json!({"projectId": id})).await;
    }
    let problem = ada
        .post(
            "/v1/auth/keys",
            &json!({"name": "k", "scopes": ["read"], "projects": [inside, foreign]}),
        )
        .await
        .problem(422, "invalid");
    assert_eq!(problem["errors"][0]["pointer"], "/projects/1");
    let input = json!({"name": "k", "scopes": ["read", "write"], "projects": [inside]});
    let (program, made) = key(&app, &ada, &input).await;
    assert_eq!(made["projects"], json!([inside]));

    let ids = async |path: &str| -> Vec<String> {
        let list = program.get(path).await.expect(200);
        assert_eq!(
            list.header("x-total-count").parse().ok(),
            Some(list.json().as_array().unwrap().len())
        );
        let list = list.json();
        let ids = list.as_array().unwrap().iter();
        ids.map(|entry| entry["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        ids("/v1/vault/projects").await,
        std::slice::from_ref(&inside)
    );
    assert_eq!(ids("/v1/vault/cookies").await.len(), 1);
    assert_eq!(
        program
            .get("/v1/client/")
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    program
        .get(&format!("/v1/vault/projects/{inside}"))
        .await
        .expect(200);
    for other in [&outside, &foreign] {
        program
            .get(&format!("/v1/vault/projects/{other}"))
            .await
            .problem(404, "not_found");
        program
            .post("/v1/vault/cookies", &json!({"projectId": other}))
            .await
            .problem(422, "invalid");
    }
    program
        .create("cookies", &json!({"projectId": inside}))
        .await;
    program
        .post("/v1/vault/projects", &project())
        .await
        .problem(403, "key_too_narrow");

    // A key has no more permissions than its user has now.
    let members = format!("/v1/vault/projects/{inside}/users");
    ada.post(&members, &json!({"userId": eve.user_id, "role": "owner"}))
        .await
        .expect(201);
    eve.delete(&format!("{members}/{}", ada.user_id))
        .await
        .expect(204);
    program
        .get(&format!("/v1/vault/projects/{inside}"))
        .await
        .problem(404, "not_found");
});

both!(a_key_expires_at_its_time, |app| async move {
    let ada = app.user("ada").await;
    let soon = service::clock::Clock::now(&*app.clock)
        .plus_seconds(3_600)
        .to_string();
    let (program, _) = key(
        &app,
        &ada,
        &json!({"name": "k", "scopes": ["read"], "expiresAt": soon}),
    )
    .await;
    program.get("/v1/vault/projects").await.expect(200);
    app.clock.advance_seconds(3_601);
    program
        .get("/v1/vault/projects")
        .await
        .problem(403, "unauthenticated");
    for (input, pointer) in [
        (
            json!({"name": "k", "scopes": ["read"], "expiresAt": soon}),
            "/expiresAt",
        ),
        (json!({"name": " ", "scopes": ["read"]}), "/name"),
        (json!({"name": "k", "scopes": []}), "/scopes"),
        (json!({"name": "k", "scopes": ["all"]}), "/scopes/0"),
        (
            json!({"name": "k", "scopes": ["read"], "projects": []}),
            "/projects",
        ),
    ] {
        let problem = ada
            .post("/v1/auth/keys", &input)
            .await
            .problem(422, "invalid");
        assert_eq!(problem["errors"][0]["pointer"], pointer);
    }
});

both!(guessed_keys_are_refused, |app| async move {
    let ada = app.user("ada").await;
    let (_, made) = key(&app, &ada, &json!({"name": "k", "scopes": ["read"]})).await;
    let secret = made["secret"].as_str().unwrap();
    let other_end = if secret.ends_with('A') { "E" } else { "A" };
    for guess in [
        format!("{}{other_end}", &secret[..secret.len() - 1]),
        secret[..secret.len() - 1].to_owned(),
        format!("{secret}A"),
        secret.to_uppercase(),
        "placet_".to_owned(),
    ] {
        let mut guesser = app.nobody();
        guesser.token = Some(guess);
        guesser
            .get("/v1/vault/projects")
            .await
            .problem(403, "unauthenticated");
    }
});

both!(nobody_has_more_than_a_hundred_keys, |app| async move {
    let ada = app.user("ada").await;
    let key = json!({"name": "k", "scopes": ["read"]});
    let mut last = Value::Null;
    for _ in 0..100 {
        last = ada.post("/v1/auth/keys", &key).await.expect(201).json();
    }
    ada.post("/v1/auth/keys", &key)
        .await
        .problem(409, "too_many_keys");
    let path = format!("/v1/auth/keys/{}", last["id"].as_str().unwrap());
    ada.delete(&path).await.expect(204);
    ada.post("/v1/auth/keys", &key).await.expect(201);
});
