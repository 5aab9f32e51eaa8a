//! Letters about accounts, read by a mail server that others wrote: lost passwords, proofs of
//! addresses, and what happens when the server says "later" or "no".

use reqwest::Method;
use serde_json::json;
use server::http::limits::Quotas;
use service::{in_tx, mail::Settings, on};
use tests::{
    Answer, Client, Engine, TestApp, both, both_with_mail,
    oracle::{MailServer, token_of},
    until,
};

const RESET: &str = "new password";
const VERIFY: &str = "Confirm";

fn sign_in(password: &str) -> serde_json::Value {
    json!({"username": "ada", "password": password})
}

/// Asks for another address; how the account stands then.
async fn ask(client: &Client, email: &str) -> serde_json::Value {
    let wish = json!({"displayName": "Ada", "email": email});
    client.put("/v1/auth/me", &wish).await.expect(200).json()
}

/// Uses the link of a letter.
async fn prove(app: &TestApp, token: &str) -> Answer {
    app.nobody()
        .post("/v1/auth/local/verify", &json!({"token": token}))
        .await
}

async fn me(client: &Client) -> serde_json::Value {
    client.get("/v1/auth/me").await.expect(200).json()
}

/// How many letters of a kind went to an address.
async fn sent(app: &TestApp, email: &str, kind: &str) -> usize {
    let outcomes = app.placet.mail.outcome(email).await.unwrap();
    let of_kind = outcomes.iter().filter(|letter| letter.kind == kind);
    of_kind.count()
}

/// Waits until every job that was queued has ended.
async fn jobs_end(app: &TestApp) {
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
        nobody.send(ask("nonsense")).await.problem(422, "invalid");
    }
);

both_with_mail!(links_end, |app, mail| async move {
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
    // A token of another purpose is none.
    let verify = token_of(&mail.letter("ada@shop.example", VERIFY).await);
    post(&verify).await.problem(422, "invalid");
    // One used link ends the others.
    post(&tokens[0]).await.expect(204);
    post(&tokens[1]).await.problem(422, "invalid");
    // An hour ends each.
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
    // As does a new address: the link was sent to the old one.
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
    ask(&ada, "ada@new.example").await;
    let link = token_of(&mail.letter("ada@new.example", VERIFY).await);
    prove(&app, &link).await.expect(204);
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
    let nobody = app.nobody();
    let verify = async |token: &str| {
        nobody
            .post("/v1/auth/local/verify", &json!({"token": token}))
            .await
    };
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
        // Stopping waits until the next try is written down.
        app.restart().await;
        // A minute later it is tried again; the server still waits.
        app.clock.advance_seconds(60);
        mail.0.next(deferred).await;
        app.restart().await;
        mail.0.tell("recover").await;
        mail.0.next(|said| said["event"] == "recovered").await;
        app.clock.advance_seconds(300);
        let token = token_of(&mail.letter("defer@shop.example", VERIFY).await);
        app.nobody()
            .post("/v1/auth/local/verify", &json!({"token": token}))
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
    // The link survives what the letter is encoded with.
    let verify = json!({"token": token});
    let path = "/v1/auth/local/verify";
    app.nobody().post(path, &verify).await.expect(204);
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
    without_a_mail_server_nothing_is_promised,
    |app| async move {
        let ada = app.user("ada").await;
        app.nobody()
            .post(
                "/v1/auth/local/forgot",
                &json!({"email": "ada@shop.example"}),
            )
            .await
            .expect(202);
        // Not all jobs: the housekeeping that runs when a server starts queues one of its own.
        let letters: i64 = on!(&app.placet.db, pool => sqlx::query_scalar(
            "SELECT COUNT(*) FROM jobs WHERE kind = 'mail'")
            .fetch_one(pool)
            .await)
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
        // Somebody signed up with Ada's address before her.
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
                    &json!({"token": token, "password": password}),
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

        // Later resets leave her own keys alone.
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

/// Links an identity of a provider, as a login of before.
async fn link(app: &TestApp, user: &str, subject: &str) {
    let user: uuid::Uuid = user.parse().unwrap();
    let mut tx = app.placet.db.begin().await.unwrap();
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO identities (id, user_id, provider, issuer, subject, created_at, last_used_at) \
         VALUES ($1, $2, 'company', 'https://login.example', $3, 1, 1)")
        .bind(uuid::Uuid::from_u128(subject.len() as u128))
        .bind(user)
        .bind(subject)
        .execute(conn)
        .await
        .map(drop))
    .unwrap();
    tx.commit().await.unwrap();
}

both_with_mail!(
    another_address_counts_once_its_link_is_used,
    |app, mail| async move {
        let ada = app.user("ada").await;
        let first = token_of(&mail.letter("ada@shop.example", VERIFY).await);
        let asked = ask(&ada, " Ada@new.example ").await;
        assert_eq!(asked["email"], "ada@shop.example");
        assert_eq!(asked["pendingEmail"], "Ada@new.example");
        assert_eq!(me(&ada).await, asked);
        let nobody = app.nobody();
        let by = async |name: &str| {
            let credentials = json!({"username": name, "password": "ada's password"});
            nobody.post("/v1/auth/local/signin", &credentials).await
        };
        by("ada@new.example")
            .await
            .problem(403, "wrong_credentials");
        let signed_in = by("ada").await.expect(200).json();
        assert_eq!(signed_in["user"]["pendingEmail"], "Ada@new.example");

        let letter = mail.letter("Ada@new.example", "new e-mail address").await;
        let text = letter["text"].as_str().unwrap();
        assert!(text.contains("account ada at"), "{text}");
        // Whoever saves the rest of the profile leaves it waiting.
        let named = json!({"displayName": "Ada King", "username": "ADA"});
        let saved = ada.put("/v1/auth/me", &named).await.expect(200).json();
        assert_eq!(saved["pendingEmail"], "Ada@new.example");
        assert_eq!(saved["username"], "ADA");

        let token = token_of(&letter);
        prove(&app, &token).await.expect(204);
        let changed = me(&ada).await;
        assert_eq!(changed["email"], "Ada@new.example");
        assert_eq!(changed["emailVerified"], true);
        assert_eq!(changed["pendingEmail"], json!(null));
        let notice = mail
            .letter("ada@shop.example", "another e-mail address")
            .await;
        let text = notice["text"].as_str().unwrap();
        assert!(text.contains("your account ADA at"), "{text}");
        assert!(
            !text.contains("new.example") && !text.contains("token="),
            "{text}"
        );
        by("ada@new.example").await.expect(200);

        // Once, and what was sent to the address of before proves nothing any longer.
        for token in [&token, &first] {
            let used = prove(&app, token).await.problem(422, "invalid");
            assert_eq!(used["errors"][0]["code"], "invalid_token");
        }
        // The address of before is free.
        let account = json!({"username": "eve", "email": "ada@shop.example", "password": "p"});
        nobody
            .post("/v1/auth/local/signup", &account)
            .await
            .expect(201);
        by("ada@shop.example")
            .await
            .problem(403, "wrong_credentials");
    }
);

both_with_mail!(
    a_change_of_the_address_tells_nothing_about_accounts,
    |app, mail| async move {
        let ada = app.user("ada").await;
        let eve = app.user("eve").await;
        let bob = app.user("bob").await;
        for name in ["ada", "eve", "bob"] {
            mail.letter(&format!("{name}@shop.example"), VERIFY).await;
        }
        let wish = |email: &str| json!({"displayName": "x", "email": email});
        let free = eve.put("/v1/auth/me", &wish("new@shop.example")).await;
        let taken = ada.put("/v1/auth/me", &wish("BOB@shop.example")).await;
        let names = |answer: &Answer| -> Vec<String> {
            answer.headers.keys().map(ToString::to_string).collect()
        };
        assert_eq!(names(&free), names(&taken));
        let alike = |answer: Answer, own: &Client, name: &str, email: &str| {
            assert_eq!(
                answer.expect(200).json(),
                json!({"id": own.user_id, "displayName": "x", "username": name,
                       "email": format!("{name}@shop.example"), "emailVerified": false,
                       "pendingEmail": email})
            );
        };
        alike(free, &eve, "eve", "new@shop.example");
        alike(taken, &ada, "ada", "BOB@shop.example");

        mail.letter("new@shop.example", VERIFY).await;
        // To the address as its account has it, without a link and without a name of who asked.
        let told = mail.letter("bob@shop.example", "tried to use").await;
        let text = told["text"].as_str().unwrap();
        assert!(!text.contains("token=") && !text.contains("ada"), "{text}");
        assert!(text.contains("account bob"), "{text}");
        jobs_end(&app).await;
        assert!(
            mail.0.unheard().await.is_empty(),
            "nobody else got a letter"
        );

        // Neither does asking again, waiting, or looking tell.
        let path = "/v1/auth/me/verification";
        for client in [&ada, &eve] {
            let again = client.send(client.request(Method::POST, path)).await;
            assert_eq!(again.expect(202).text, "");
        }
        mail.letter("new@shop.example", VERIFY).await;
        mail.letter("bob@shop.example", "tried to use").await;
        assert_eq!(me(&ada).await["pendingEmail"], "BOB@shop.example");
        assert_eq!(me(&eve).await["pendingEmail"], "new@shop.example");
        assert_eq!(me(&bob).await["email"], "bob@shop.example");
        for bad in ["", "nobody", "a b@shop.example"] {
            let problem = ada
                .put("/v1/auth/me", &wish(bad))
                .await
                .problem(422, "invalid");
            assert_eq!(problem["errors"][0]["code"], "invalid_email");
        }
    }
);

both_with_mail!(a_change_of_the_address_ends, |app, mail| async move {
    let ada = app.user("ada").await;
    mail.letter("ada@shop.example", VERIFY).await;
    // Each time another address: an hour has few letters.
    let waits = async |client: &Client, email: &str| {
        app.clock.advance_seconds(1_200);
        ask(client, email).await;
        token_of(&mail.letter(email, VERIFY).await)
    };
    let over = async |client: &Client, token: &str| {
        let answer = prove(&app, token).await.problem(422, "invalid");
        assert_eq!(answer["errors"][0]["code"], "invalid_token");
        assert_eq!(me(client).await["email"], "ada@shop.example");
    };
    // A later one takes its place.
    let first = waits(&ada, "one@new.example").await;
    let second = waits(&ada, "two@new.example").await;
    over(&ada, &first).await;
    assert_eq!(me(&ada).await["pendingEmail"], "two@new.example");
    // Setting the present one ends it.
    let kept = ask(&ada, "ada@shop.example").await;
    assert_eq!(kept["pendingEmail"], json!(null));
    over(&ada, &second).await;
    // So does a day, unless the letter was asked for once more.
    let token = waits(&ada, "three@new.example").await;
    app.clock.advance_seconds(86_000);
    assert_eq!(me(&ada).await["pendingEmail"], "three@new.example");
    app.clock.advance_seconds(400);
    assert_eq!(me(&ada).await["pendingEmail"], json!(null));
    over(&ada, &token).await;
    let token = waits(&ada, "four@new.example").await;
    app.clock.advance_seconds(86_000);
    ada.send(ada.request(Method::POST, "/v1/auth/me/verification"))
        .await
        .expect(202);
    let again = token_of(&mail.letter("four@new.example", VERIFY).await);
    app.clock.advance_seconds(86_000);
    over(&ada, &token).await;
    assert_eq!(me(&ada).await["pendingEmail"], "four@new.example");
    assert_ne!(token, again);

    // Whoever ends a stranger's session ends what the stranger asked for.
    let session = async |password: &str| {
        let signed_in = app
            .nobody()
            .post("/v1/auth/local/signin", &sign_in(password))
            .await
            .expect(200)
            .json();
        let mut client = app.nobody();
        client.token = signed_in["token"].as_str().map(str::to_owned);
        client
    };
    let stranger = session("ada's password").await;
    let token = waits(&stranger, "five@new.example").await;
    ada.delete("/v1/auth/sessions").await.expect(204);
    over(&ada, &token).await;
    let stranger = session("ada's password").await;
    let token = waits(&stranger, "six@new.example").await;
    let sessions = ada.get("/v1/auth/sessions").await.expect(200).json();
    let other = sessions
        .as_array()
        .unwrap()
        .iter()
        .find(|session| session["current"] == false)
        .unwrap();
    let path = format!("/v1/auth/sessions/{}", other["id"].as_str().unwrap());
    ada.delete(&path).await.expect(204);
    over(&ada, &token).await;
    // Signing out oneself does not: the link is opened elsewhere.
    let phone = session("ada's password").await;
    waits(&phone, "seven@new.example").await;
    phone
        .send(phone.request(Method::POST, "/v1/auth/signout"))
        .await
        .expect(204);
    assert_eq!(me(&ada).await["pendingEmail"], "seven@new.example");
    // A new password does, changed or reset.
    let token = waits(&ada, "eight@new.example").await;
    let change = json!({"password": "ada's password", "newPassword": "another one"});
    let changed = ada.post("/v1/auth/local/password", &change).await;
    assert_eq!(
        changed.expect(200).json()["user"]["pendingEmail"],
        json!(null)
    );
    let ada = session("another one").await;
    over(&ada, &token).await;
    let token = waits(&ada, "nine@new.example").await;
    let lost = json!({"email": "ada@shop.example"});
    let nobody = app.nobody();
    nobody
        .post("/v1/auth/local/forgot", &lost)
        .await
        .expect(202);
    let reset = token_of(&mail.letter("ada@shop.example", RESET).await);
    let reset = json!({"token": reset, "password": "a third one"});
    nobody
        .post("/v1/auth/local/reset", &reset)
        .await
        .expect(204);
    over(&session("a third one").await, &token).await;
});

both_with_mail!(
    of_two_who_want_an_address_the_first_to_prove_it_has_it,
    |app, mail| async move {
        let (ada, bob) = (app.user("ada").await, app.user("bob").await);
        let mut tokens = Vec::new();
        for client in [&ada, &bob] {
            ask(client, "shared@shop.example").await;
            tokens.push(token_of(&mail.letter("shared@shop.example", VERIFY).await));
        }
        prove(&app, &tokens[1]).await.expect(204);
        assert_eq!(me(&ada).await["pendingEmail"], "shared@shop.example");
        prove(&app, &tokens[0]).await.problem(422, "invalid");
        assert_eq!(me(&ada).await["email"], "ada@shop.example");
        assert_eq!(me(&bob).await["email"], "shared@shop.example");

        // The same for one who makes an account with it meanwhile; and at once.
        ask(&ada, "late@shop.example").await;
        let token = token_of(&mail.letter("late@shop.example", VERIFY).await);
        app.user("late").await;
        prove(&app, &token).await.problem(422, "invalid");
        let mut tokens = Vec::new();
        for client in [&ada, &bob] {
            ask(client, "once@shop.example").await;
            tokens.push(token_of(&mail.letter("once@shop.example", VERIFY).await));
        }
        let answers = tokio::join!(prove(&app, &tokens[0]), prove(&app, &tokens[1]));
        let mut statuses = [answers.0.status.as_u16(), answers.1.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 422]);
    }
);

both_with_mail!(
    a_username_that_is_the_address_changes_with_it,
    |app, mail| async move {
        let account =
            json!({"username": "Ada@shop.example", "email": "ada@shop.example", "password": "p"});
        let made = app.nobody().post("/v1/auth/local/signup", &account).await;
        let mut ada = app.nobody();
        ada.token = made.expect(201).json()["token"].as_str().map(str::to_owned);
        ask(&ada, "ada@new.example").await;
        prove(
            &app,
            &token_of(&mail.letter("ada@new.example", VERIFY).await),
        )
        .await
        .expect(204);
        assert_eq!(me(&ada).await["username"], "ada@new.example");
        // Else two accounts would sign in by one name.
        let next =
            json!({"username": "ada@shop.example", "email": "ada@shop.example", "password": "q"});
        app.nobody()
            .post("/v1/auth/local/signup", &next)
            .await
            .expect(201);
        for (name, password) in [("ada@new.example", "p"), ("ada@shop.example", "q")] {
            let credentials = json!({"username": name, "password": password});
            app.nobody()
                .post("/v1/auth/local/signin", &credentials)
                .await
                .expect(200);
        }
    }
);

both_with_mail!(
    wishes_for_addresses_send_few_letters,
    |app, mail| async move {
        let _keep = &mail;
        let (ada, bob) = (app.user("ada").await, app.user("bob").await);
        app.user("eve").await;
        // One account, many addresses.
        for number in 0..7 {
            ask(&ada, &format!("n{number}@new.example")).await;
            jobs_end(&app).await;
        }
        let mut letters = 0;
        for number in 0..7 {
            letters += sent(&app, &format!("n{number}@new.example"), "change").await;
        }
        assert_eq!(letters, 4);
        // Many accounts, one address that is taken.
        app.clock.advance_seconds(3_601);
        let path = "/v1/auth/me/verification";
        for client in [&ada, &bob] {
            ask(client, "eve@shop.example").await;
            for _ in 0..2 {
                let again = client.request(Method::POST, path);
                client.send(again).await.expect(202);
                jobs_end(&app).await;
            }
        }
        assert_eq!(sent(&app, "eve@shop.example", "change").await, 4);
        // Saved anew, a wish is no new one.
        app.clock.advance_seconds(3_601);
        for _ in 0..3 {
            ask(&bob, "bob@new.example").await;
        }
        jobs_end(&app).await;
        assert_eq!(sent(&app, "bob@new.example", "change").await, 1);
    }
);

both!(
    without_a_mail_server_no_address_is_changed,
    |app| async move {
        let ada = app.user("ada").await;
        app.user("bob").await;
        let mut details = Vec::new();
        for email in ["bob@shop.example", "free@shop.example"] {
            let wish = json!({"displayName": "Ada", "email": email});
            let problem = ada.put("/v1/auth/me", &wish).await.problem(422, "invalid");
            assert_eq!(problem["errors"][0]["code"], "mail_off");
            assert_eq!(problem["errors"][0]["pointer"], "/email");
            details.push(problem["errors"].clone());
        }
        assert_eq!(details[0], details[1]);
        // The rest may still be changed.
        let spelled = json!({"displayName": "Ada King", "email": "Ada@shop.example"});
        let saved = ada.put("/v1/auth/me", &spelled).await.expect(200).json();
        assert_eq!(saved["displayName"], "Ada King");
        assert_eq!(saved["email"], "Ada@shop.example");
    }
);
