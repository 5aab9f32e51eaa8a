//! Visitors read their own consents, by a token that nobody guesses or by the salt of a receipt, and nobody else
//! does.

use futures::{StreamExt, stream::FuturesUnordered};
use proof::{
    policy::Policy,
    verify::{Outcome, verify},
};
use reqwest::Method;
use serde_json::{Value, json};
use server::http::limits::Quotas;
use tests::{Answer, Engine, TestApp, both, until};

use super::{
    publish,
    shop::{Shop, choice},
};

const TOKEN: &str = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f";
const OTHER: &str = "0199f3a5c0de00000000000000000000000000000000";
const UNKNOWN: &str = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70";

async fn history(app: &TestApp, project: &str, token: &str) -> Answer {
    let path = format!("/v1/app/history/{project}");
    app.nobody().post(&path, &json!({"token": token})).await
}

async fn prove(app: &TestApp, project: &str, consent: &str, secret: &Value) -> Answer {
    let path = format!("/v1/app/proofs/{project}/{consent}");
    app.nobody().post(&path, secret).await
}

/// The proof, once a checkpoint covers it.
async fn proven(app: &TestApp, project: &str, consent: &str, secret: &Value) -> Answer {
    until("a checkpoint covers the consent", async || {
        let answer = prove(app, project, consent, secret).await;
        if answer.status == 202 {
            assert_ne!(answer.header("retry-after"), "");
            return None;
        }
        Some(answer.expect(200))
    })
    .await
}

async fn policy(app: &TestApp) -> (String, Policy) {
    let about = app.nobody().get("/.well-known/placet-ledger.json").await;
    let about = about.expect(200).json();
    let origin = about["origin"].as_str().unwrap().to_owned();
    let policy = Policy::parse(about["policy"].as_str().unwrap()).unwrap();
    (origin, policy)
}

both!(
    a_visitor_sees_own_consents_and_has_their_proofs,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, cookies) = publish::shop(&ada, "en").await;
        assert_eq!(ada.publish(&project).await["status"], "complete");
        let nobody = app.nobody();
        let pointer = nobody
            .get(&format!("/cdn/{project}.json"))
            .await
            .expect(200);
        let publication = pointer.json()["publications"][&cookies].clone();
        let mut body = json!({"accept": true, "token": TOKEN, "publication": publication,
            "preferences": {"vendors": {"own-stats": true}}});
        let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
        nobody.post(&path, &body).await.expect(201);
        body["accept"] = json!(false);
        body["preferences"]["vendors"]["own-stats"] = json!(false);
        body["consentId"] = json!(UNKNOWN);
        let collected = nobody.post(&path, &body).await.expect(201).json();
        let again = nobody.post(&path, &body).await.expect(201).json();
        assert_eq!(collected, again, "a retry gets the same receipt");
        let (origin, policy) = policy(&app).await;
        assert_eq!(collected["receipt"]["ledger"], origin.as_str());
        let salt = collected["receipt"]["salt"].as_str().unwrap();
        assert_eq!(salt.len(), 64);

        let told = history(&app, &project, TOKEN).await.expect(200);
        assert_eq!(told.header("cache-control"), "no-store");
        assert!(!told.text.contains(salt), "a list opens nothing");
        let told = told.json();
        let outcomes: Vec<&Value> = told["consents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["outcome"])
            .collect();
        assert_eq!(outcomes, ["refused", "accepted"], "the newest is first");
        assert_eq!(told["more"], false);
        assert_eq!(told["projectName"], "Shop");
        let shown = told["publications"].as_array().unwrap();
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0]["publication"], publication);
        assert_eq!(
            shown[0]["manifest"]["configuration"]["steps"][0]["title"],
            "Cookies"
        );
        // With the widget's own words, of which the manifest has none.
        assert_eq!(shown[0]["screens"][0]["title"], "Cookies");
        let lines = shown[0]["screens"][0]["lines"].as_array().unwrap();
        assert!(lines.contains(&json!("Accept all")), "{lines:?}");

        for secret in [json!({"token": TOKEN}), json!({"salt": salt})] {
            let found = proven(&app, &project, UNKNOWN, &secret).await;
            assert!(
                found
                    .header("content-disposition")
                    .contains(".placet-proof.json")
            );
            let report = verify(&found.text, Some(&policy));
            assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
            assert_eq!(
                found.json()["receipt"],
                json!({
                    "header": {"schema_version": "placet-receipt/1", "record_id": UNKNOWN, "pii_principal_id": TOKEN},
                    "processing": {"privacy_notice": publication, "language": "en",
                        "services": [{"service": "own-stats", "event_state": "refused"}]},
                    "party_identification": [{"party_contact": "dpo@shop.example"}],
                    "event": {"event_state": "refused", "event_time": decided(&found)},
                })
            );
        }
    }
);

/// The time of decision, as the core of a bundle has it.
fn decided(bundle: &Answer) -> Value {
    let core = bundle.json()["record"]["core"]["json"].clone();
    let core: Value = serde_json::from_str(core.as_str().unwrap()).unwrap();
    core["decidedAt"].clone()
}

/// Status and body, without what names the request.
fn essence(answer: &Answer) -> (u16, Value) {
    let mut body = answer.json();
    for field in ["instance", "requestId"] {
        body.as_object_mut().unwrap().remove(field);
    }
    (answer.status.as_u16(), body)
}

both!(
    a_wrong_secret_is_told_what_nothing_is_told,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let collected = shop
            .collect(&app, &choice(TOKEN, true, false))
            .await
            .expect(201)
            .json();
        let consent = collected["consentId"].as_str().unwrap();
        let by_site = shop
            .collect(&app, &choice("customer-42", true, true))
            .await
            .expect(201)
            .json();
        let of_site = by_site["consentId"].as_str().unwrap();
        let salt = |of: &Value| json!({"salt": of["receipt"]["salt"]});
        proven(&app, &shop.project, of_site, &salt(&by_site)).await;

        let nothing = prove(&app, &shop.project, UNKNOWN, &json!({"token": TOKEN})).await;
        assert_eq!(nothing.status, 404);
        for (consent, secret) in [
            (consent, json!({"token": OTHER})),
            (consent, json!({"salt": "0".repeat(64)})),
            (consent, salt(&by_site)),
            (of_site, json!({"token": TOKEN})),
            (UNKNOWN, salt(&by_site)),
        ] {
            let answer = prove(&app, &shop.project, consent, &secret).await;
            assert_eq!(essence(&answer), essence(&nothing), "{consent} {secret}");
        }
        let none = history(&app, &shop.project, OTHER).await.expect(200).json();
        assert_eq!(
            none,
            json!({"consents": [], "publications": [], "more": false, "mayErase": false})
        );

        // A guessed customer's number tells nothing, also not that it is one.
        let hashed = "5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f";
        let guesses = ["customer-42", "customer-43", hashed, ""];
        for token in guesses {
            history(&app, &shop.project, token)
                .await
                .problem(403, "guessable_token");
            for consent in [of_site, UNKNOWN] {
                let secret = json!({ "token": token });
                prove(&app, &shop.project, consent, &secret)
                    .await
                    .problem(403, "guessable_token");
            }
        }
        for wrong in [
            json!({}),
            json!({"token": TOKEN, "salt": "0".repeat(64)}),
            json!({"salt": "x"}),
        ] {
            prove(&app, &shop.project, consent, &wrong)
                .await
                .problem(400, "bad_request");
        }
        history(&app, UNKNOWN, TOKEN)
            .await
            .problem(404, "not_found");
        shop.owner
            .delete(&format!("/v1/vault/projects/{}", shop.project))
            .await
            .expect(204);
        app.clock.advance_seconds(2);
        history(&app, &shop.project, TOKEN)
            .await
            .problem(404, "not_found");
        let secret = json!({ "token": TOKEN });
        prove(&app, &shop.project, consent, &secret)
            .await
            .problem(404, "not_found");
    }
);

both!(a_retry_of_a_guess_opens_nothing, |app| async move {
    let shop = Shop::open(&app, "ada").await;
    for (token, is_told) in [("customer-42", false), (TOKEN, true)] {
        let collect = async || {
            let nobody = app.nobody();
            let request = nobody.request(Method::POST, &shop.path());
            let request = request.header("idempotency-key", token);
            let answer = nobody.send(request.json(&choice(token, true, true))).await;
            answer.expect(201).json()
        };
        let (first, again) = (collect().await, collect().await);
        assert_eq!(first["consentId"], again["consentId"]);
        assert!(first["receipt"].is_object());
        assert_eq!(again["receipt"] == first["receipt"], is_told, "{token}");
    }
});

both!(
    visitors_withdraw_on_the_own_page_which_gives_no_consent,
    |app| async move {
        let live = json!({"domains": ["shop.example"]});
        let shop = Shop::open_with(&app, "ada", live).await;
        let from = async |origin: &str, ads: bool, stats: bool| {
            let nobody = app.nobody();
            let request = nobody.request(Method::POST, &shop.path());
            let request = request.header("origin", origin);
            nobody.send(request.json(&choice(TOKEN, ads, stats))).await
        };
        from("https://shop.example", true, true).await.expect(201);
        from(&app.base, false, false).await.expect(201);
        for (ads, stats) in [(true, true), (true, false)] {
            let answer = from(&app.base, ads, stats).await;
            answer.problem(403, "foreign_origin");
        }
        let other_port = format!("{}0", app.base);
        for origin in ["https://evil.example", &other_port, "null"] {
            let answer = from(origin, false, false).await;
            answer.problem(403, "foreign_origin");
        }
    }
);

both!(
    visitors_erase_own_consents_where_the_project_lets_them,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let project = &shop.project;
        for (token, ads) in [(TOKEN, true), (TOKEN, false), (OTHER, true)] {
            let body = choice(token, ads, false);
            shop.collect(&app, &body).await.expect(201);
        }
        let path = format!("/v1/app/erasures/{project}");
        let erase = async |token: &str| app.nobody().post(&path, &json!({ "token": token })).await;
        let told = async |token: &str| history(&app, project, token).await.expect(200).json();
        assert_eq!(told(TOKEN).await["mayErase"], false);
        erase(TOKEN).await.problem(403, "erasure_not_offered");
        assert_eq!(told(TOKEN).await["consents"].as_array().unwrap().len(), 2);

        let document = format!("/v1/vault/projects/{project}");
        let lets = json!({"retention": {"visitorErasure": true}});
        shop.owner.patch(&document, &lets).await.expect(200);
        assert_eq!(told(TOKEN).await["mayErase"], true);
        erase("customer-42").await.problem(403, "guessable_token");
        let unknown = format!("/v1/app/erasures/{UNKNOWN}");
        let answer = app.nobody().post(&unknown, &json!({"token": TOKEN})).await;
        answer.problem(404, "not_found");
        let erased = erase(TOKEN).await.expect(200);
        assert_eq!(erased.header("cache-control"), "no-store");
        assert_eq!(erased.json()["erased"], 2);
        assert_eq!(told(TOKEN).await["consents"], json!([]));
        assert_eq!(erase(TOKEN).await.expect(200).json()["erased"], 0);
        let list = format!("/v1/app/consents/{project}");
        let listed = shop.owner.get(&list).await.expect(200).json();
        let tokens: Vec<(&Value, bool)> = listed
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (&one["token"], one["erasedAt"].is_string()))
            .collect();
        assert_eq!(
            tokens,
            [
                (&json!(OTHER), false),
                (&json!(""), true),
                (&json!(""), true)
            ]
        );

        assert_eq!(erase(OTHER).await.expect(200).json()["erased"], 1);
        let log = format!("/v1/audit/{project}?action=visitors_erased");
        let log = shop.owner.get(&log).await.expect(200);
        let entries = log.json();
        let [entry] = entries.as_array().unwrap().as_slice() else {
            panic!("{} is one entry, however many visitors erase", log.text);
        };
        assert_eq!(entry["by"], json!({}));
        assert!(!log.text.contains(TOKEN) && !log.text.contains(OTHER));
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_of_own_answers_has_nothing_inline() {
    let app = TestApp::start(Engine::Sqlite).await;
    let nobody = app.nobody();
    let path = format!("/me/{UNKNOWN}");
    let page = nobody.request(Method::GET, &path);
    let page = page.header("accept-language", "nb-NO, de;q=0.5");
    let page = nobody.send(page).await.expect(200);
    assert!(
        page.text.contains("<html lang=\"no\" dir=\"ltr\">"),
        "{}",
        page.text
    );
    let policy = page.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'; "),
        "{policy}"
    );
    assert!(!policy.contains("unsafe") && !page.text.contains("<style"));
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    let arabic = nobody.get(&format!("{path}?lang=ar")).await.expect(200);
    assert!(arabic.text.contains("<html lang=\"ar\" dir=\"rtl\">"));
    for (file, kind) in [("page.js", "text/javascript"), ("page.css", "text/css")] {
        let file = nobody.get(&format!("/me/{file}")).await.expect(200);
        assert!(file.header("content-type").starts_with(kind));
    }
    nobody.get("/me/x").await.problem(404, "not_found");
}

both!(a_history_is_bounded, |app| async move {
    let shop = Shop::open(&app, "ada").await;
    let many = async |token: &str, body: &Value, times: usize| {
        for _ in 0..times {
            shop.collect(&app, body).await.expect(201);
        }
        let told = history(&app, &shop.project, token).await.expect(200).json();
        (
            told["consents"].as_array().unwrap().len(),
            told["more"] == true,
        )
    };
    let small = choice(TOKEN, true, true);
    assert_eq!(many(TOKEN, &small, 100).await, (100, false));
    assert_eq!(many(TOKEN, &small, 1).await, (100, true));
    let mut large = choice(OTHER, true, true);
    large["preferences"]["addtlConsent"] = json!("2".repeat(8_000));
    large["preferences"]["gppString"] = json!("2".repeat(8_000));
    assert_eq!(many(OTHER, &large, 90).await, (75, true));
});

both!(
    the_consents_of_a_token_are_in_order_over_all_documents,
    |app| async move {
        const CONSENTS: usize = 420;
        let shop = Shop::open(&app, "ada").await;
        // Of both documents in turn, and of one moment by twos.
        let line = |row: usize| {
            let (collection, identifier) = match row % 2 {
                0 => ("cookies", &shop.cookies),
                _ => ("processings", &shop.processing),
            };
            let (hour, minute) = (row / 120, row / 2 % 60);
            json!({"token": TOKEN, "collection": collection, "identifier": identifier, "accept": true,
                "createdAt": format!("2025-01-01T{hour:02}:{minute:02}:00Z")})
            .to_string()
        };
        let lines: Vec<String> = (0..CONSENTS).map(line).collect();
        let path = format!("/v1/app/imports/{}", shop.project);
        let import = shop.owner.request(Method::POST, &path);
        let import = import.header("content-type", "application/x-ndjson");
        let told = shop.owner.send(import.body(lines.join("\n"))).await;
        assert_eq!(told.expect(200).json()["imported"], CONSENTS);

        let ids = |list: &Value| -> Vec<String> {
            let list = list.as_array().unwrap().iter();
            let id = |one: &Value| one["consentId"].as_str().unwrap().to_owned();
            list.map(id).collect()
        };
        let history_of = |answer: &Value| ids(&answer["history"]);
        // All consents of the project are found by another index.
        let path = format!("/v1/app/consents/{}?perPage=100", shop.project);
        let all = shop.owner.follow(&path, ids).await;
        assert_eq!(all.len(), CONSENTS);
        let of_token = format!("/v1/client/{}/consents/{TOKEN}?perPage=100", shop.project);
        assert_eq!(shop.owner.follow(&of_token, history_of).await, all);
        let behind = format!("{of_token}&after={}", all[0]);
        assert_eq!(shop.owner.follow(&behind, history_of).await, all[1..]);
        let told = history(&app, &shop.project, TOKEN).await.expect(200).json();
        assert_eq!(ids(&told["consents"]), all[..100]);
        assert_eq!(told["more"], true);

        let path = format!("/v1/app/consents/{}/tokens/{TOKEN}", shop.project);
        let erased = shop.owner.delete(&path).await.expect(200).json();
        assert_eq!(erased["erased"], CONSENTS);
        let told = history(&app, &shop.project, TOKEN).await.expect(200).json();
        assert_eq!(
            (&told["consents"], &told["more"]),
            (&json!([]), &json!(false))
        );
    }
);

both!(a_signed_token_is_no_guess, |app| async move {
    let shop = Shop::open(&app, "ada").await;
    let document = format!("/v1/vault/projects/{}", shop.project);
    let secret = json!({"tokenSecret": "0123456789abcdef"});
    shop.owner.patch(&document, &secret).await.expect(200);
    shop.publish(&app, &json!({})).await;
    let signed = "customer-42.08784800cc1101f6f73149fe5cce052ad77b45908e76d9411a7239646ee8a310";
    shop.collect(&app, &choice(signed, true, true))
        .await
        .expect(201);
    let told = history(&app, &shop.project, signed)
        .await
        .expect(200)
        .json();
    assert_eq!(told["consents"].as_array().unwrap().len(), 1);
    let forged = signed.replace("customer-42", "customer-43");
    history(&app, &shop.project, &forged)
        .await
        .problem(403, "guessable_token");
});

both!(
    after_erasure_the_salt_opens_what_remains_and_the_token_nothing,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let collected = shop
            .collect(&app, &choice(TOKEN, true, false))
            .await
            .expect(201)
            .json();
        let consent = collected["consentId"].as_str().unwrap();
        let erase = format!("/v1/app/consents/{}/tokens/{TOKEN}", shop.project);
        shop.owner.delete(&erase).await.expect(200);
        let salt = json!({"salt": collected["receipt"]["salt"]});
        let found = proven(&app, &shop.project, consent, &salt).await;
        let (_, policy) = policy(&app).await;
        let report = verify(&found.text, Some(&policy));
        assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
        assert!(!found.text.contains(TOKEN) && !found.text.contains("services"));
        let wrong = json!({"salt": "0".repeat(64)});
        prove(&app, &shop.project, consent, &wrong)
            .await
            .problem(404, "not_found");
        let token = json!({ "token": TOKEN });
        prove(&app, &shop.project, consent, &token)
            .await
            .problem(404, "not_found");
        let none = history(&app, &shop.project, TOKEN).await.expect(200).json();
        assert_eq!(none["consents"], json!([]));
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_are_few() {
    let quotas = Quotas {
        credentials: 5,
        ..Quotas::default()
    };
    let app = TestApp::start_with(Engine::Sqlite, Some(quotas)).await;
    app.clock.advance_to_window(60);
    for _ in 0..5 {
        history(&app, UNKNOWN, TOKEN)
            .await
            .problem(404, "not_found");
    }
    let answer = history(&app, UNKNOWN, TOKEN).await;
    assert_ne!(answer.header("retry-after"), "");
    answer.problem(429, "too_many_requests");
    let long = "a".repeat(5_000);
    app.clock.advance_seconds(60);
    history(&app, UNKNOWN, &long)
        .await
        .problem(413, "body_too_large");
}

#[tokio::test]
async fn a_visitor_does_few_things_at_once() {
    let app = TestApp::start(Engine::Postgres).await;
    let shop = Shop::open(&app, "ada").await;
    let mut tx = app.placet.db.begin().await.unwrap();
    // Reading waits for it.
    tx.query("LOCK TABLE consents").exec().await.unwrap();
    let own = json!({"token": TOKEN});
    let path = format!("/v1/app/history/{}", shop.project);
    let nobody = app.nobody();
    let mut asked: FuturesUnordered<_> = (0..3).map(|_| nobody.post(&path, &own)).collect();
    let first = asked.next().await.unwrap();
    first.problem(503, "unavailable");
    tx.commit().await.unwrap();
    while let Some(other) = asked.next().await {
        other.expect(200);
    }
}
