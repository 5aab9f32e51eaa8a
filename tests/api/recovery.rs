//! Letters about accounts, received by a mail server of other authors: lost passwords, verification of
//! addresses, and mail servers that answer "later" or "no".

use reqwest::Method;
use serde_json::json;
use server::http::{client::Proxies, limits::Quotas};
use service::mail::Settings;
use tests::{
    Answer, Client, Engine, Reach, TestApp, both, both_with_mail,
    oracle::{MailServer, token_of},
    until,
};

pub(super) const RESET: &str = "new password";
pub(super) const VERIFY: &str = "Confirm";

pub(super) fn sign_in(password: &str) -> serde_json::Value {
    json!({"username": "ada", "password": password})
}

/// Asks for another address with the password of sign-up. Returns the account afterwards.
pub(super) async fn ask(client: &Client, email: &str) -> serde_json::Value {
    let username = me(client).await["username"].clone();
    let password = format!("{}'s password", username.as_str().unwrap());
    ask_with(client, email, &password).await
}

/// Asks for another address with this password.
pub(super) async fn ask_with(client: &Client, email: &str, password: &str) -> serde_json::Value {
    let wish = json!({"displayName": "Ada", "email": email, "presentPassword": password});
    client.put("/v1/auth/me", &wish).await.expect(200).json()
}

/// Uses the link of a letter in this session.
pub(super) async fn prove(client: &Client, token: &str) -> Answer {
    let proof = json!({"token": token});
    client.post("/v1/auth/local/verify", &proof).await
}

pub(super) async fn me(client: &Client) -> serde_json::Value {
    client.get("/v1/auth/me").await.expect(200).json()
}

/// Number of letters of a kind to an address.
pub(super) async fn sent(app: &TestApp, email: &str, kind: &str) -> usize {
    let outcomes = app.placet.mail.outcome(email).await.unwrap();
    let of_kind = outcomes.iter().filter(|letter| letter.kind == kind);
    of_kind.count()
}

/// Waits until all queued jobs have ended.
pub(super) async fn jobs_end(app: &TestApp) {
    until("the jobs end", async || {
        (app.placet.jobs.unfinished().await.unwrap() == 0).then_some(())
    })
    .await;
}

both_with_mail!(
    a_lost_password_is_reset_by_a_link_that_works_once,
    |app, mail| async move {
        let ada = app.user("ada").await;
        let nobody = app.nobody();
        let answer = nobody
            .post(
                "/v1/auth/local/forgot",
                &json!({"email": "Ada@shop.example"}),
            )
            .await
            .expect(202);
        assert_eq!(answer.text, "");
        let letter = mail.letter("ada@shop.example", RESET).await;
        assert_eq!(letter["from"]["address"], "no-reply@consent.example");
        assert_eq!(letter["headers"]["auto-submitted"], "auto-generated");
        let link = format!("{}/reset-password?token=", app.base);
        assert!(letter["text"].as_str().unwrap().contains(&link));
        let token = token_of(&letter);

        let reset = json!({"token": token, "password": "another one"});
        nobody
            .post(
                "/v1/auth/local/reset",
                &json!({"token": token, "password": ""}),
            )
            .await
            .problem(422, "invalid");
        nobody
            .post("/v1/auth/local/reset", &reset)
            .await
            .expect(204);
        ada.get("/v1/auth/me").await.problem(403, "unauthenticated");
        nobody
            .post("/v1/auth/local/signin", &sign_in("ada's password"))
            .await
            .problem(403, "wrong_credentials");
        let session = nobody
            .post("/v1/auth/local/signin", &sign_in("another one"))
            .await
            .expect(200)
            .json();
        assert_eq!(
            session["user"]["emailVerified"], true,
            "the link proves the address"
        );
        let again = nobody
            .post("/v1/auth/local/reset", &reset)
            .await
            .problem(422, "invalid");
        assert_eq!(again["errors"][0]["code"], "invalid_token");
    }
);

both_with_mail!(
    asking_for_a_new_password_tells_nothing_about_accounts,
    |app, mail| async move {
        app.user("ada").await;
        mail.letter("ada@shop.example", VERIFY).await;
        let nobody = app.nobody();
        let ask = |email: &str| {
            nobody
                .request(Method::POST, "/v1/auth/local/forgot")
                .json(&json!({"email": email}))
        };
        let unknown = nobody.send(ask("eve@shop.example")).await.expect(202);
        let known = nobody.send(ask("ada@shop.example")).await.expect(202);
        assert_eq!(unknown.text, known.text);
        mail.letter("ada@shop.example", RESET).await;
        jobs_end(&app).await;
        assert!(
            mail.0.unheard().await.is_empty(),
            "nobody else got a letter"
        );
        assert!(
            app.placet
                .mail
                .outcome("eve@shop.example")
                .await
                .unwrap()
                .is_empty(),
            "and the address is not kept"
        );
        nobody.send(ask("nonsense")).await.expect(202);
    }
);

both_with_mail!(links_of_letters_expire, |app, mail| async move {
    app.user("ada").await;
    let nobody = app.nobody();
    let mut tokens = Vec::new();
    for _ in 0..3 {
        nobody
            .post(
                "/v1/auth/local/forgot",
                &json!({"email": "ada@shop.example"}),
            )
            .await
            .expect(202);
        tokens.push(token_of(&mail.letter("ada@shop.example", RESET).await));
    }
    let reset = |token: &str| json!({"token": token, "password": "another one"});
    let post = async |token: &str| nobody.post("/v1/auth/local/reset", &reset(token)).await;
    // A token of another purpose does not work.
    let verify = token_of(&mail.letter("ada@shop.example", VERIFY).await);
    post(&verify).await.problem(422, "invalid");
    // Using one link ends the others.
    post(&tokens[0]).await.expect(204);
    post(&tokens[1]).await.problem(422, "invalid");
    // An hour ends each link.
    nobody
        .post(
            "/v1/auth/local/forgot",
            &json!({"email": "ada@shop.example"}),
        )
        .await
        .expect(202);
    let late = token_of(&mail.letter("ada@shop.example", RESET).await);
    app.clock.advance_seconds(3_601);
    post(&late).await.problem(422, "invalid");
    // A new address ends it too, because the link went to the old one.
    nobody
        .post(
            "/v1/auth/local/forgot",
            &json!({"email": "ada@shop.example"}),
        )
        .await
        .expect(202);
    let old = token_of(&mail.letter("ada@shop.example", RESET).await);
    let session = nobody
        .post("/v1/auth/local/signin", &sign_in("another one"))
        .await
        .expect(200)
        .json();
    let mut ada = app.nobody();
    ada.token = session["token"].as_str().map(str::to_owned);
    ask_with(&ada, "ada@new.example", "another one").await;
    let link = token_of(&mail.letter("ada@new.example", VERIFY).await);
    prove(&ada, &link).await.expect(204);
    post(&old).await.problem(422, "invalid");
});

both_with_mail!(an_address_is_proved_by_its_link, |app, mail| async move {
    let ada = app.user("ada").await;
    let token = token_of(&mail.letter("ada@shop.example", VERIFY).await);
    ada.send(ada.request(Method::POST, "/v1/auth/me/verification"))
        .await
        .expect(202);
    let second = token_of(&mail.letter("ada@shop.example", VERIFY).await);
    assert_ne!(token, second);
    let verify = async |token: &str| prove(&ada, token).await;
    verify(&second[1..]).await.problem(422, "invalid");
    verify(&second).await.expect(204);
    assert_eq!(ada.get("/v1/auth/me").await.json()["emailVerified"], true);
    verify(&second).await.problem(422, "invalid");
    verify(&token).await.problem(422, "invalid");
});

both_with_mail!(
    a_mailbox_cannot_be_filled_by_strangers,
    |app, mail| async move {
        app.user("ada").await;
        let ask = json!({"email": "ada@shop.example"});
        for _ in 0..9 {
            app.nobody()
                .post("/v1/auth/local/forgot", &ask)
                .await
                .expect(202);
        }
        jobs_end(&app).await;
        let outcomes = app.placet.mail.outcome("ada@shop.example").await.unwrap();
        let resets = outcomes
            .iter()
            .filter(|letter| letter.kind == "reset")
            .count();
        assert_eq!(resets, 4);
        app.clock.advance_seconds(3_601);
        app.nobody()
            .post("/v1/auth/local/forgot", &ask)
            .await
            .expect(202);
        for _ in 0..5 {
            mail.letter("ada@shop.example", RESET).await;
        }
    }
);

mod a_letter_that_is_deferred_goes_out_later_also_after_a_restart {
    use super::*;

    async fn test(engine: Engine) {
        let mail = MailServer::start().await;
        let mut app = TestApp::set_up(engine, None, |config| {
            config.mail = Some(mail.settings());
        })
        .await;
        let account = json!({"username": "ada", "email": "defer@shop.example", "password": "p"});
        app.nobody()
            .post("/v1/auth/local/signup", &account)
            .await
            .expect(201);
        let deferred = |said: &serde_json::Value| said["event"] == "deferred";
        mail.0.next(deferred).await;
        let outcome = until("the try is recorded", async || {
            let found = app.placet.mail.outcome("defer@shop.example").await.unwrap();
            (found[0].attempts > 0).then(|| found[0].clone())
        })
        .await;
        assert_eq!((outcome.status.as_str(), outcome.attempts), ("queued", 1));
        assert!(outcome.last_answer.unwrap().contains("greylisted"));
        // Stopping waits until the next attempt is recorded.
        app.restart().await;
        // Later it is tried again, more often than somebody may ask for letters in an hour. The mail server still refuses.
        for pause in [60, 150, 700] {
            app.clock.advance_seconds(pause);
            mail.0.next(deferred).await;
            app.restart().await;
        }
        mail.0.tell("recover").await;
        mail.0.next(|said| said["event"] == "recovered").await;
        app.clock.advance_seconds(2_000);
        let token = token_of(&mail.letter("defer@shop.example", VERIFY).await);
        let proof = json!({"token": token, "password": "another one"});
        app.nobody()
            .post("/v1/auth/local/verify", &proof)
            .await
            .expect(204);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn sqlite() {
        test(Engine::Sqlite).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn postgres() {
        test(Engine::Postgres).await;
    }
}

both_with_mail!(
    a_letter_that_is_refused_is_recorded_and_not_tried_again,
    |app, mail| async move {
        let account = json!({"username": "ada", "email": "bounce@shop.example", "password": "p"});
        app.nobody()
            .post("/v1/auth/local/signup", &account)
            .await
            .expect(201);
        mail.0.next(|said| said["event"] == "bounced").await;
        jobs_end(&app).await;
        let outcome = app
            .placet
            .mail
            .outcome("bounce@shop.example")
            .await
            .unwrap();
        assert_eq!(
            (outcome[0].status.as_str(), outcome[0].attempts),
            ("failed", 1)
        );
        let answer = outcome[0].last_answer.as_deref().unwrap();
        assert!(
            answer.contains("550") && answer.contains("no such mailbox"),
            "{answer}"
        );
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn letters_are_flawless_to_another_mail_server() {
    let mail = MailServer::by("mailbox.py").await;
    let app = TestApp::set_up(Engine::Sqlite, None, |config| {
        config.mail = Some(mail.settings());
    })
    .await;
    let ada = app.user("ada").await;
    let letter = mail.letter("ada@shop.example", VERIFY).await;
    let token = token_of(&letter);
    for letter in [letter, {
        let address = json!({"email": "ada@shop.example"});
        let path = "/v1/auth/local/forgot";
        app.nobody().post(path, &address).await.expect(202);
        mail.letter("ada@shop.example", RESET).await
    }] {
        assert_eq!(letter["sender"], "no-reply@consent.example");
        assert_eq!(letter["defects"], json!([]), "{letter}");
        assert_eq!(letter["absent"], json!([]), "{letter}");
        let id = letter["id"].as_str().unwrap();
        assert!(id.ends_with("@consent.example>"), "{id}");
        // RFC 5322, section 2.1.1.
        assert!(letter["longest"].as_u64() <= Some(998), "{letter}");
    }
    // The link survives the encoding of the letter.
    prove(&ada, &token).await.expect(204);
    let me = ada.get("/v1/auth/me").await.expect(200).json();
    assert_eq!(me["emailVerified"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn placet_signs_in_to_its_mail_server() {
    let mail = MailServer::start().await;
    for (password, status) in [("p%40ss%20word", "sent"), ("wrong", "failed")] {
        let app = TestApp::set_up(Engine::Sqlite, None, |config| {
            let port = &mail.0.start["port"];
            let url = format!("smtp://placet:{password}@127.0.0.1:{port}");
            config.mail = Some(Settings::parse(&url, "no-reply@consent.example").unwrap());
        })
        .await;
        app.user("ada").await;
        jobs_end(&app).await;
        let outcome = app.placet.mail.outcome("ada@shop.example").await.unwrap();
        assert_eq!(outcome[0].status, status, "{:?}", outcome[0].last_answer);
    }
    assert_eq!(
        mail.letter("ada@shop.example", VERIFY).await["user"],
        "placet"
    );
}

both!(
    without_a_mail_server_no_letter_is_queued,
    |app| async move {
        let ada = app.user("ada").await;
        app.nobody()
            .post(
                "/v1/auth/local/forgot",
                &json!({"email": "ada@shop.example"}),
            )
            .await
            .expect(202);
        // Only jobs of mail count, because the start of a server queues a job of housekeeping.
        let letters: i64 = app
            .placet
            .db
            .query("SELECT COUNT(*) FROM jobs WHERE kind = 'mail'")
            .one_value()
            .await
            .unwrap();
        assert_eq!(letters, 0);
        ada.send(ada.request(Method::POST, "/v1/auth/me/verification"))
            .await
            .expect(202);
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_of_one_password_are_bounded_whoever_asks() {
    let quotas = Quotas {
        credentials: 1_000,
        ..Quotas::default()
    };
    let app = TestApp::start_with(Engine::Sqlite, Some(quotas)).await;
    app.user("ada").await;
    app.clock.advance_to_window(900);
    let nobody = app.nobody();
    // An account that does not exist is treated alike.
    for name in ["ada", "eve"] {
        let guess = json!({"username": name, "password": "guess"});
        for _ in 0..30 {
            nobody
                .post("/v1/auth/local/signin", &guess)
                .await
                .problem(403, "wrong_credentials");
        }
        let answer = nobody.post("/v1/auth/local/signin", &guess).await;
        assert!(answer.header("retry-after").parse::<u32>().unwrap() <= 900);
        answer.problem(429, "too_many_requests");
    }
    nobody
        .post("/v1/auth/local/signin", &sign_in("ada's password"))
        .await
        .problem(429, "too_many_requests");
    app.clock.advance_seconds(901);
    nobody
        .post("/v1/auth/local/signin", &sign_in("ada's password"))
        .await
        .expect(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_passwords_of_strangers_do_not_keep_an_owner_out() {
    let reach = Reach {
        quotas: Some(Quotas {
            credentials: 1_000,
            ..Quotas::default()
        }),
        proxies: Proxies {
            trusted: vec!["127.0.0.0/8".parse().unwrap()],
            country_header: None,
        },
        ..Reach::default()
    };
    let app = TestApp::reached(Engine::Sqlite, reach, |_| {}).await;
    app.user("ada").await;
    app.clock.advance_to_window(900);
    let asks = async |from: &str, name: &str, password: &str| {
        let nobody = app.nobody();
        let request = nobody.request(Method::POST, "/v1/auth/local/signin");
        let body = json!({"username": name, "password": password});
        let request = request.header("x-forwarded-for", from).json(&body);
        nobody.send(request).await.status.as_u16()
    };
    let right = "ada's password";
    for _ in 0..30 {
        assert_eq!(asks("203.0.113.1", "ada", "guess").await, 403);
    }
    // However the name is written, and from all addresses of a subscriber.
    for name in ["ada", " ADA ", "Ada"] {
        assert_eq!(asks("203.0.113.1", name, right).await, 429, "{name}");
    }
    assert_eq!(asks("2001:db8::1", "ada", right).await, 200);
    for _ in 0..30 {
        assert_eq!(asks("2001:db8::2", "ada", "typo").await, 403);
    }
    assert_eq!(asks("2001:db8::3", "ada", right).await, 429);
    app.clock.advance_seconds(901);
    assert_eq!(asks("203.0.113.1", "ada", right).await, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_cannot_order_many_letters() {
    let app = TestApp::start_with(Engine::Sqlite, Some(Quotas::default())).await;
    let ask = json!({"email": "ada@shop.example"});
    let mut refused = 0;
    for _ in 0..25 {
        let answer = app.nobody().post("/v1/auth/local/forgot", &ask).await;
        refused += u32::from(answer.status == 429);
    }
    // The minute may change once meanwhile.
    assert!(refused >= 5, "{refused}");
}

both_with_mail!(
    the_first_reset_of_an_unproved_account_ends_what_a_stranger_left_in_it,
    |app, mail| async move {
        // A thief signed up with Ada's address before her.
        let thief = app.user("ada").await;
        let make = json!({"name": "k", "scopes": ["read"]});
        let made = thief.post("/v1/auth/keys", &make).await.expect(201).json();
        let mut key = app.nobody();
        key.token = made["secret"].as_str().map(str::to_owned);
        let reset = async |password: &str| {
            app.nobody()
                .post(
                    "/v1/auth/local/forgot",
                    &json!({"email": "ada@shop.example"}),
                )
                .await
                .expect(202);
            let token = token_of(&mail.letter("ada@shop.example", RESET).await);
            app.nobody()
                .post(
                    "/v1/auth/local/reset",
                    &json!({"token": token, "password": password, "keepKeys": true,
                            "keepIdentities": true}),
                )
                .await
                .expect(204);
        };
        key.get("/v1/vault/projects").await.expect(200);
        link(&app, &thief.user_id, "of the stranger").await;
        reset("mine").await;
        key.get("/v1/vault/projects")
            .await
            .problem(403, "unauthenticated");
        thief
            .get("/v1/auth/me")
            .await
            .problem(403, "unauthenticated");

        // A later reset keeps the things that she chooses.
        let session = app
            .nobody()
            .post("/v1/auth/local/signin", &sign_in("mine"))
            .await
            .expect(200)
            .json();
        let mut ada = app.nobody();
        ada.token = session["token"].as_str().map(str::to_owned);
        let ways = async |ada: &Client| {
            let list = ada.get("/v1/auth/identities").await.expect(200).json();
            let ways = list.as_array().unwrap().iter();
            ways.map(|way| way["provider"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(ways(&ada).await, ["local"]);
        let made = ada.post("/v1/auth/keys", &make).await.expect(201).json();
        key.token = made["secret"].as_str().map(str::to_owned);
        link(&app, &thief.user_id, "her own").await;
        reset("mine again").await;
        key.get("/v1/vault/projects").await.expect(200);
        let again = app
            .nobody()
            .post("/v1/auth/local/signin", &sign_in("mine again"))
            .await;
        ada.token = again.expect(200).json()["token"]
            .as_str()
            .map(str::to_owned);
        assert_eq!(ways(&ada).await, ["local", "company"]);
    }
);

/// Links an identity of a provider, like an earlier login.
async fn link(app: &TestApp, user: &str, subject: &str) {
    let user: uuid::Uuid = user.parse().unwrap();
    let mut tx = app.placet.db.begin().await.unwrap();
    tx.query(
        "INSERT INTO identities (id, user_id, provider, issuer, subject, created_at, last_used_at) \
         VALUES ($1, $2, 'company', 'https://login.example', $3, 1, 1)",
    )
    .bind(uuid::Uuid::from_u128(subject.len() as u128))
    .bind(user)
    .bind(subject)
    .exec()
    .await
    .unwrap();
    tx.commit().await.unwrap();
}
