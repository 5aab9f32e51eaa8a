//! Collection, lookup and proofs of consents.

use futures::future::join_all;
use reqwest::{Method, header::HeaderMap};
use serde_json::{Value, json};
use service::Placet;
use tests::{both, pointers, seed};
use uuid::Uuid;

use super::shop::{PUBLICATION, Shop, choice, id};

both!(
    a_consent_is_answered_looked_up_listed_and_proven,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let mut body = choice("visitor", true, false);
        body["preferences"]["config"] =
            json!({"identifier": shop.cookies, "name": "en", "language": "en"});
        body["value"] = json!("some");
        body["publication"] = json!(PUBLICATION);
        let request = app
            .nobody()
            .request(Method::POST, &shop.path())
            .header("origin", "https://www.shop.example:8443")
            .header("user-agent", "Browser/1")
            .json(&body);
        let answer = app.nobody().send(request).await.expect(201);
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("set-cookie"), "");
        let receipt = answer.json();
        let consent = id(&answer);
        assert_eq!(
            receipt,
            json!({
                "consentId": consent, "projectId": shop.project, "collection": "cookies",
                "identifier": shop.cookies, "token": "visitor", "accept": false,
                "createdAt": receipt["createdAt"], "preferences": body["preferences"],
                "receipt": receipt["receipt"],
            })
        );
        assert_eq!(receipt["receipt"]["salt"].as_str().unwrap().len(), 64);

        assert_eq!(
            shop.latest(&app, "visitor").await,
            json!({"accept": false, "consentId": consent, "createdAt": receipt["createdAt"],
                "preferences": body["preferences"], "value": "some"})
        );
        assert_eq!(shop.latest(&app, "other").await, json!({"accept": false}));

        let listed = shop.list("").await;
        assert_eq!(listed.len(), 1);
        let record = &listed[0];
        assert_eq!(
            record,
            &json!({
                "consentId": consent, "projectId": shop.project, "collection": "cookies",
                "identifier": shop.cookies, "token": "visitor", "tokenKind": "unsigned",
                "accept": false, "outcome": "partial", "createdAt": receipt["createdAt"],
                "decidedAt": receipt["createdAt"], "receivedAt": receipt["createdAt"],
                "preferences": body["preferences"], "value": "some", "publication": PUBLICATION,
                "publicationVerified": true, "pageHost": "www.shop.example", "ip": "127.0.0.0",
                "country": null, "userAgent": "Browser/1", "imported": false,
            })
        );
        let proof = shop.proof(&consent).await;
        assert_eq!(
            proof["shown"]["manifest"],
            json!({"manifest of": PUBLICATION})
        );
        assert_eq!(proof["shown"]["publication"], PUBLICATION);
        assert_eq!(proof["token"], "visitor");
    }
);

both!(
    a_consent_says_that_it_came_by_closing_and_that_only_refuses,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let closed = |accept: bool, ads: bool| {
            let preferences = json!({"vendors": {"ads": ads, "stats": false}, "action": "close"});
            json!({"token": "visitor", "accept": accept, "preferences": preferences})
        };
        for body in [closed(true, false), closed(false, true)] {
            let problem = shop.collect(&app, &body).await.problem(422, "invalid");
            assert_eq!(pointers(&problem), ["/preferences/action"]);
        }
        let mut unknown = closed(false, false);
        unknown["preferences"]["action"] = json!("scroll");
        shop.collect(&app, &unknown).await.expect(422);

        let body = closed(false, false);
        let answer = shop.collect(&app, &body).await.expect(201);
        let listed = shop.list("").await;
        assert_eq!(listed.len(), 1);
        assert_eq!(
            (&listed[0]["outcome"], &listed[0]["preferences"]["action"]),
            (&json!("refused"), &json!("close"))
        );
        let proof = shop.proof(&id(&answer)).await;
        assert_eq!(proof["preferences"], body["preferences"]);
    }
);

both!(
    beacons_and_boxes_are_taken_and_cookies_and_tokens_ignored,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let beacon = app
            .nobody()
            .request(Method::POST, &shop.path())
            .header("content-type", "text/plain;charset=UTF-8")
            .header("authorization", "Bearer nonsense")
            .header("cookie", "a=b")
            .body(choice("b", true, true).to_string());
        app.nobody().send(beacon).await.expect(201);
        let form = app
            .nobody()
            .request(Method::POST, &shop.path())
            .header("content-type", "application/x-www-form-urlencoded")
            .body("token=b");
        app.nobody()
            .send(form)
            .await
            .problem(415, "unsupported_media_type");
        let path = format!(
            "/v1/app/consents/{}/processings/{}",
            shop.project, shop.processing
        );
        let answer = app
            .nobody()
            .post(
                &path,
                &json!({"accept": true, "token": "b", "value": "yes"}),
            )
            .await
            .expect(201);
        assert_eq!(answer.json()["preferences"], json!({}));
        let outcomes: Vec<Value> = shop
            .list("token=b&sort=decidedAt")
            .await
            .iter()
            .map(|consent| consent["outcome"].clone())
            .collect();
        assert_eq!(outcomes, ["accepted", "accepted"]);
        let preflight = app
            .nobody()
            .request(Method::OPTIONS, &shop.path())
            .header("origin", "https://shop.example")
            .header("access-control-request-method", "POST");
        let preflight = app.nobody().send(preflight).await.expect(204);
        assert_eq!(preflight.header("access-control-allow-origin"), "*");
        assert_eq!(preflight.header("access-control-allow-credentials"), "");
    }
);

both!(
    unpublished_configurations_take_no_consents,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let other = Shop::open(&app, "bob").await;
        let draft = shop
            .owner
            .create(
                "cookies",
                &json!({"projectId": shop.project, "title": "Draft"}),
            )
            .await;
        let body = choice("t", true, true);
        let nobody = app.nobody();
        for path in [
            format!("{}/cookies/{draft}", shop.project),
            format!("{}/cookies/{}", shop.project, other.cookies),
            format!("{}/cookies/{}", other.project, shop.cookies),
            format!("{}/contracts/{}", shop.project, shop.cookies),
            format!("{}/vendors/{}", shop.project, shop.cookies),
            format!("{}/cookies/{}", Uuid::nil(), shop.cookies),
            format!("{}/cookies/nonsense", shop.project),
            format!("nonsense/cookies/{}", shop.cookies),
        ] {
            nobody
                .post(&format!("/v1/app/consents/{path}"), &body)
                .await
                .problem(404, "not_found");
        }
        // The process that published notices at once, and so do others.
        seed::publish(
            &app.placet.db,
            &shop.project,
            &json!({}),
            &[seed::Published {
                collection: "cookies",
                id: &draft,
                publication: PUBLICATION,
                vendors: &["ads", "stats"],
            }],
        )
        .await;
        app.clock.advance_seconds(1);
        let path = format!("/v1/app/consents/{}/cookies/{draft}", shop.project);
        nobody.post(&path, &body).await.expect(201);
        // A deleted project accepts no more consents.
        shop.owner
            .delete(&format!("/v1/vault/projects/{}", shop.project))
            .await
            .expect(204);
        app.clock.advance_seconds(2);
        nobody.post(&path, &body).await.problem(404, "not_found");
    }
);

both!(
    bodies_that_break_a_rule_are_refused_with_every_pointer,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let body = json!({
            "accept": true, "token": "", "value": "x".repeat(256), "age": 2_592_000_001_u64,
            "consentId": "1", "preferences": {"vendors": {"ads": true, "un/known~": false},
                "config": {"name": "a\u{0}b"}, "googleConsentMode": {"x": ["\u{0}"]}},
        });
        let problem = shop.collect(&app, &body).await.problem(422, "invalid");
        let mut found = pointers(&problem);
        found.sort_unstable();
        assert_eq!(
            found,
            [
                "/age",
                "/consentId",
                "/preferences/config/name",
                "/preferences/googleConsentMode",
                "/preferences/vendors/un~1known~0",
                "/token",
                "/value",
            ]
        );
        for (body, pointer) in [
            (json!({"accept": true}), "/token"),
            (json!({"accept": "yes", "token": "t"}), "/accept"),
            (json!({"accept": true, "token": 5}), "/token"),
            (
                json!({"accept": true, "token": "t", "preferences": {"vendors": {"ads": 1}}}),
                "/preferences/vendors/ads",
            ),
            (json!({"accept": true, "token": "t", "age": -1}), "/age"),
            (json!({"accept": true, "token": "é".repeat(256)}), "/token"),
            (
                json!({"accept": true, "token": "t", "preferences": {"tcString": "x".repeat(8_193)}}),
                "/preferences/tcString",
            ),
            (
                json!({"accept": true, "token": "t", "preferences": {"googleConsentMode": {"a": "x".repeat(2_048)}}}),
                "/preferences/googleConsentMode",
            ),
        ] {
            let problem = shop.collect(&app, &body).await.problem(422, "invalid");
            assert_eq!(pointers(&problem), [pointer], "{body}");
        }
        shop.collect(&app, &json!({"accept": true, "token": "é".repeat(255)}))
            .await
            .expect(201);
        let raw = |text: String| {
            app.nobody()
                .request(Method::POST, &shop.path())
                .header("content-type", "application/json")
                .body(text)
        };
        app.nobody()
            .send(raw("{".to_owned()))
            .await
            .problem(400, "bad_request");
        let large = json!({"accept": true, "token": "t", "preferences": {"tcString": "x".repeat(100 * 1024)}});
        app.nobody()
            .send(raw(large.to_string()))
            .await
            .problem(413, "body_too_large");
        // The limit also holds without an announced length.
        let chunks = futures::stream::iter(
            large
                .to_string()
                .into_bytes()
                .chunks(1000)
                .map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec()))
                .collect::<Vec<_>>(),
        );
        let chunked = app
            .nobody()
            .request(Method::POST, &shop.path())
            .header("content-type", "application/json")
            .body(reqwest::Body::wrap_stream(chunks));
        app.nobody()
            .send(chunked)
            .await
            .problem(413, "body_too_large");
        assert_eq!(shop.list("").await.len(), 1);
    }
);

both!(
    a_retry_is_one_consent_and_another_body_a_conflict,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        // Nobody guesses it, so a retry gets the receipt of the first attempt.
        let token = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f";
        let mut body = choice(token, true, true);
        body["consentId"] = json!("5f0c9d2e-8b7a-4c6d-9e1f-2a3b4c5d6e7f");
        body["age"] = json!(1000);
        let first = shop.collect(&app, &body).await.expect(201).json();
        assert_eq!(first["consentId"], body["consentId"]);
        app.clock.advance_seconds(60);
        // The retries differ only in their age.
        body["age"] = json!(61_000);
        let retries = join_all((0..20).map(|_| shop.collect(&app, &body))).await;
        for retry in retries {
            assert_eq!(retry.expect(201).json(), first);
        }
        let mut other = body.clone();
        other["accept"] = json!(false);
        shop.collect(&app, &other)
            .await
            .problem(409, "idempotency_conflict");

        let keyed = |key: &str, body: &Value| {
            let mut headers = HeaderMap::new();
            headers.insert("idempotency-key", key.parse().unwrap());
            app.nobody()
                .request(Method::POST, &shop.path())
                .headers(headers)
                .json(body)
        };
        let nobody = app.nobody();
        let one = nobody
            .send(keyed("k1", &choice("u", true, true)))
            .await
            .expect(201);
        let again = nobody
            .send(keyed("k1", &choice("u", true, true)))
            .await
            .expect(201);
        assert_eq!(id(&one), id(&again));
        nobody
            .send(keyed("k1", &choice("u", false, true)))
            .await
            .problem(409, "idempotency_conflict");
        let two = nobody
            .send(keyed("k2", &choice("u", true, true)))
            .await
            .expect(201);
        assert_ne!(id(&one), id(&two));
        nobody
            .send(keyed(&"k".repeat(256), &choice("u", true, true)))
            .await
            .problem(400, "bad_request");

        // The same id in another project is another consent.
        let other_shop = Shop::open(&app, "bob").await;
        other_shop.collect(&app, &body).await.expect(201);
        assert_eq!(shop.list("").await.len(), 3);
        assert_eq!(other_shop.list("").await.len(), 1);
    }
);

both!(
    one_bad_row_of_many_fails_alone_and_all_others_are_counted,
    |app| async move {
        app.clock.advance_to_window(86_400);
        let shop = Shop::open(&app, "ada").await;
        let mut taken = choice("taken", true, true);
        taken["consentId"] = json!(Uuid::from_u128(7));
        shop.collect(&app, &taken).await.expect(201);
        let bodies: Vec<Value> = (0..200_u128)
            .map(|index| {
                let mut body = choice(&format!("t{}", index % 50), index % 2 == 0, index % 4 == 0);
                if index % 20 == 3 {
                    body["consentId"] = json!(Uuid::from_u128(7));
                }
                body
            })
            .collect();
        let answers = join_all(bodies.iter().map(|body| shop.collect(&app, body))).await;
        for (index, answer) in answers.into_iter().enumerate() {
            if index % 20 == 3 {
                answer.problem(409, "idempotency_conflict");
            } else {
                answer.expect(201);
            }
        }
        let answer = shop
            .owner
            .get(&format!("/v1/app/consents/{}", shop.project))
            .await;
        assert_eq!(answer.header("x-total-count"), "191");
        let path = format!("/v1/app/overviews/{}?days=3", shop.project);
        let overview = shop.owner.get(&path).await.expect(200).json();
        assert_eq!(overview["total"], 191);
        let days = overview["days"].as_array().unwrap();
        assert_eq!(days.len(), 3);
        let counts: Vec<u64> = ["accepted", "partial", "refused"]
            .iter()
            .map(|outcome| days[2][outcome].as_u64().unwrap())
            .collect();
        assert_eq!(counts, [51, 50, 90]);
        assert_eq!(overview["acceptRate"], json!(51.0 / 191.0));
    }
);

both!(a_late_retry_never_undoes_a_withdrawal, |app| async move {
    let shop = Shop::open(&app, "ada").await;
    let mut early = choice("t", true, true);
    early["age"] = json!(60_000);
    let withdrawal = shop
        .collect(&app, &choice("t", false, false))
        .await
        .expect(201);
    // The network was away when the visitor accepted, and returns after the withdrawal.
    let late = shop.collect(&app, &early).await.expect(201);
    assert!(late.json()["createdAt"].as_str() < withdrawal.json()["createdAt"].as_str());
    assert_eq!(
        shop.latest(&app, "t").await["consentId"],
        id(&withdrawal).as_str()
    );
    // In one batch the latest decision counts, too.
    let answers = join_all((0..40).map(|age| {
        let mut body = choice("u", age == 7, false);
        body["age"] = json!(if age == 7 { 1000 } else { 600_000 + age });
        let shop = &shop;
        let app = &app;
        async move { shop.collect(app, &body).await.expect(201) }
    }))
    .await;
    let latest = shop.latest(&app, "u").await;
    assert_eq!(latest["consentId"], id(&answers[7]).as_str());
    let ids: Vec<Value> = shop
        .list("token=t")
        .await
        .iter()
        .map(|consent| consent["consentId"].clone())
        .collect();
    assert_eq!(ids, [id(&withdrawal), id(&late)]);
});

both!(
    publications_are_stored_only_if_they_were_published,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let mut body = choice("t", true, true);
        body["publication"] = json!("f".repeat(64));
        let unknown = shop.collect(&app, &body).await.expect(201);
        let none = shop
            .collect(&app, &choice("t", true, true))
            .await
            .expect(201);
        for consent in [id(&unknown), id(&none)] {
            let proof = shop.proof(&consent).await;
            assert_eq!(
                (
                    &proof["publication"],
                    &proof["publicationVerified"],
                    &proof["shown"]
                ),
                (&json!(null), &json!(false), &json!(null))
            );
        }
        // A publication of another process is known at once.
        let fresh = "e".repeat(64);
        seed::publish(
            &app.placet.db,
            &shop.project,
            &json!({}),
            &[seed::Published {
                collection: "cookies",
                id: &shop.cookies,
                publication: &fresh,
                vendors: &["new"],
            }],
        )
        .await;
        app.clock.advance_seconds(1);
        body["publication"] = json!(fresh);
        body["preferences"]["vendors"]["new"] = json!(true);
        let answer = shop.collect(&app, &body).await.expect(201);
        assert_eq!(shop.proof(&id(&answer)).await["publication"], fresh);
        // Vendors of earlier publications are still accepted.
        shop.collect(&app, &choice("t", true, false))
            .await
            .expect(201);
    }
);

both!(
    a_consent_given_while_a_publish_ends_is_kept_whole,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let job = async || -> Uuid {
            let live = app.placet.db.query("SELECT job_id FROM live_projects");
            live.one_value().await.expect("one project is live")
        };
        let former = job().await;
        shop.collect(&app, &choice("t", true, true))
            .await
            .expect(201);
        // The files of the next publish are there, and its job is not over.
        let fresh = "e".repeat(64);
        let published = seed::Published {
            collection: "cookies",
            id: &shop.cookies,
            publication: &fresh,
            vendors: &["new"],
        };
        seed::publish(&app.placet.db, &shop.project, &json!({}), &[published]).await;
        let back = app.placet.db.query("UPDATE live_projects SET job_id = $1");
        back.bind(former).exec().await.expect("the former is live");
        app.clock.advance_seconds(2);
        let mut body = choice("t", true, true);
        body["publication"] = json!(fresh);
        body["preferences"]["vendors"]["new"] = json!(true);
        let answer = shop.collect(&app, &body).await.expect(201);
        assert_eq!(shop.proof(&id(&answer)).await["publication"], fresh);

        // The same at a project's first publish: whoever answers tries again instead of giving up.
        for sql in [
            "DELETE FROM live_projects",
            "INSERT INTO publish_jobs (id, project_id, status, steps, started_at) \
             SELECT id, id, 'started', '[]', 0 FROM documents WHERE collection = 'projects'",
        ] {
            app.placet.db.query(sql).exec().await.expect("it is done");
        }
        app.clock.advance_seconds(2);
        let early = shop.collect(&app, &body).await;
        assert!(!early.header("retry-after").is_empty());
        early.problem(503, "unavailable");
        let ended = app
            .placet
            .db
            .query("UPDATE publish_jobs SET status = 'error'");
        ended.exec().await.expect("the job has failed");
        app.clock.advance_seconds(2);
        let refused = shop.collect(&app, &body).await;
        refused.problem(404, "not_found");
    }
);

both!(
    a_project_with_hosts_takes_consents_from_their_pages_only,
    |app| async move {
        let live = json!({"domains": ["shop.example"], "ipMode": "hash"});
        let shop = Shop::open_with(&app, "ada", live).await;
        let from = |origin: Option<&str>| {
            let request = app
                .nobody()
                .request(Method::POST, &shop.path())
                .json(&choice("t", true, true));
            let request = match origin {
                Some(origin) => request.header("origin", origin),
                None => request.header("referer", "https://shop.example/"),
            };
            let nobody = app.nobody();
            async move { nobody.send(request).await }
        };
        for origin in [
            None,
            Some("null"),
            Some("https://evil.example"),
            Some("https://shop.example.evil.example"),
            Some("https://shop.example@evil.example"),
            Some("https://www.shop.example"),
        ] {
            from(origin).await.problem(403, "foreign_origin");
        }
        let answer = from(Some("https://shop.example:444")).await.expect(201);
        let proof = shop.proof(&id(&answer)).await;
        assert_eq!(proof["pageHost"], "shop.example");
        assert_eq!(proof["ip"].as_str().unwrap().len(), 64);
        for (mode, kept) in [
            ("none", json!(null)),
            ("full", json!("127.0.0.1")),
            ("truncated", json!("127.0.0.0")),
        ] {
            shop.publish(&app, &json!({"ipMode": mode})).await;
            let answer = from(None).await.expect(201);
            assert_eq!(shop.proof(&id(&answer)).await["ip"], kept, "{mode}");
        }
    }
);

both!(
    secrets_of_projects_are_sealed_also_those_of_an_earlier_version,
    |app| async move {
        const SECRET: &str = "a secret of the shop";
        const SIGNED: &str =
            "customer-42.8e9df604b8e96edb6421ca107e063c9dedfebfc30a54576515dff2e5e302255d";
        let shop = Shop::open(&app, "ada").await;
        let project = format!("/v1/vault/projects/{}", shop.project);
        let secret = json!({"tokenSecret": SECRET});
        shop.owner.patch(&project, &secret).await.expect(200);
        let stored = async || -> (String, Vec<u8>) {
            app.placet
                .db
                .query(
                    "SELECT d.token_secret, l.ip_key \
         FROM documents d JOIN live_projects l ON l.project_id = d.id",
                )
                .one()
                .await
                .expect("a live project")
        };
        assert!(!stored().await.0.contains(SECRET));
        // As an earlier version stored it; the next start seals it.
        let mut tx = app.placet.db.begin().await.unwrap();
        tx.query("UPDATE documents SET token_secret = $1 WHERE token_secret IS NOT NULL")
            .bind(SECRET)
            .exec()
            .await
            .unwrap();
        tx.commit().await.unwrap();
        assert_eq!(stored().await.1.len(), 32, "the seed stores it in plain");
        let next = Placet::open(app.config()).await.expect("the next start");
        next.close().await;
        let (secret, key) = stored().await;
        assert!(!secret.contains(SECRET) && key.len() > 32);
        app.placet.consents.forget(shop.project.parse().unwrap());
        let choice = |token: &str| choice(token, true, true);
        shop.collect(&app, &choice(SIGNED)).await.expect(201);
        let unsigned = shop.collect(&app, &choice("customer-42")).await;
        unsigned.problem(403, "unsigned_token");
    }
);

both!(
    with_a_secret_signed_tokens_are_taken_and_no_others,
    |app| async move {
        // By Python: hmac.new(b"a secret of the shop", b"customer-42", "sha256").hexdigest()
        const SIGNED: &str =
            "customer-42.8e9df604b8e96edb6421ca107e063c9dedfebfc30a54576515dff2e5e302255d";
        const GENERATED: &str = "019ab3c4d5e65f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f";
        let shop = Shop::open(&app, "ada").await;
        let collect = async |token: &str| shop.collect(&app, &choice(token, true, true)).await;
        let lookup = async |token: &str| {
            let path = format!(
                "/v1/app/consent/{}?token={token}&service=cookies&identifier={}",
                shop.project, shop.cookies
            );
            app.nobody().get(&path).await
        };
        for token in [GENERATED, "customer-42", SIGNED] {
            collect(token).await.expect(201);
        }
        let project = format!("/v1/vault/projects/{}", shop.project);
        let patch = async |secret: Value| {
            shop.owner
                .patch(&project, &json!({"tokenSecret": secret}))
                .await
        };
        for (wrong, code) in [
            (json!("too short"), "invalid_length"),
            (json!("s".repeat(256)), "invalid_length"),
            (json!(["a secret of the shop"]), "invalid_type"),
        ] {
            let refused = patch(wrong).await.problem(422, "invalid");
            assert_eq!(refused["errors"][0]["code"], code);
            assert_eq!(refused["errors"][0]["pointer"], "/tokenSecret");
        }
        collect("customer-42").await.expect(201);

        let answer = patch(json!("a secret of the shop")).await.expect(200);
        assert_eq!(answer.json()["metadata"]["tokensSigned"], true);
        for token in [GENERATED, "customer-42", &SIGNED.replace("42", "43")] {
            collect(token).await.problem(403, "unsigned_token");
            lookup(token).await.problem(403, "unsigned_token");
        }
        collect(SIGNED).await.expect(201);
        assert_eq!(lookup(SIGNED).await.expect(200).json()["accept"], true);
        // Stored consents keep their mark, and unsigned ones stay provable.
        let kinds: Vec<(Value, Value)> = (shop.list("sort=decidedAt").await.into_iter())
            .map(|mut one| (one["token"].take(), one["tokenKind"].take()))
            .collect();
        assert_eq!(
            kinds,
            [
                (json!(GENERATED), json!("generated")),
                (json!("customer-42"), json!("unsigned")),
                (json!(SIGNED), json!("unsigned")),
                (json!("customer-42"), json!("unsigned")),
                (json!(SIGNED), json!("signed")),
            ]
        );

        // Nobody can read or search for the secret, and a client that does not know of it keeps it.
        let read = shop.owner.get(&project).await.expect(200).json();
        let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        assert_eq!(read["data"], document);
        let listed = "/v1/vault/projects?with=metadata";
        let list = shop.owner.get(listed).await.expect(200).json();
        assert_eq!(list[0]["data"], document);
        assert_eq!(list[0]["metadata"]["tokensSigned"], true);
        let found = format!("{listed}&q=secret%20of%20the%20shop");
        assert_eq!(shop.owner.get(&found).await.expect(200).json(), json!([]));
        let answer = shop.owner.put(&project, &document).await.expect(200);
        assert_eq!(answer.json()["metadata"]["tokensSigned"], true);
        collect("customer-42").await.problem(403, "unsigned_token");
        collect(SIGNED).await.expect(201);

        let answer = patch(json!("another secret of the shop")).await.expect(200);
        assert_eq!(answer.json()["metadata"]["tokensSigned"], true);
        collect(SIGNED).await.problem(403, "unsigned_token");
        let answer = patch(json!(null)).await.expect(200);
        assert_eq!(answer.json()["metadata"]["tokensSigned"], json!(null));
        collect("customer-42").await.expect(201);
    }
);

both!(
    waiting_consents_are_written_before_the_server_stops,
    |app| async move {
        let mut app = app;
        let shop = Shop::open(&app, "ada").await;
        let answers = join_all((0..100).map(|index| {
            let (shop, app) = (&shop, &app);
            async move {
                shop.collect(app, &choice(&format!("t{index}"), true, true))
                    .await
            }
        }))
        .await;
        app.restart().await;
        let answer = shop
            .owner
            .get(&format!("/v1/app/consents/{}", shop.project))
            .await
            .expect(200);
        let stored = answers.iter().filter(|answer| answer.status == 201).count();
        assert_eq!(answer.header("x-total-count"), stored.to_string());
        assert_eq!(stored, 100);
    }
);
