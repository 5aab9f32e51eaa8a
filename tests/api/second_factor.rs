//! The second factor: codes of an authenticator app, and recovery codes. Codes come from the app's side of the
//! library; `service/src/auth/second_factor/codes.rs` holds it to the standard's own values.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};
use server::http::limits::Quotas;
use service::{
    Error,
    auth::{Device, Keep, SignInIn},
    clock::{Clock, SystemClock, Timestamp},
};
use tests::{
    Client, Engine, TestApp, both, both_with_mail,
    oracle::{MailServer, token_of},
    until,
};
use totp_rs::Totp;
use uuid::Uuid;

use crate::recovery::{RESET, VERIFY, jobs_end, prove, sent};

const FACTOR: &str = "/v1/auth/me/second-factor";
const CONFIRM: &str = "/v1/auth/me/second-factor/confirm";
const RENEW: &str = "/v1/auth/me/second-factor/recovery-codes";
const END: &str = "/v1/auth/me/second-factor/end";
const CHANGED: &str = "Signing in to your account has changed";

/// An app with the secret of an account.
pub(super) struct Phone(Totp);

impl Phone {
    /// The code that it shows now.
    fn code(&self, app: &TestApp) -> Value {
        let now = app.clock.now().seconds().unsigned_abs();
        json!({"code": self.0.generate(now).to_string()})
    }

    /// A code that it has not shown before.
    pub(super) fn next(&self, app: &TestApp) -> Value {
        app.clock.advance_seconds(30);
        self.code(app)
    }
}

/// Turns the second factor of an account of [`Client::signed_up`] on. Returns its app and its recovery codes.
pub(super) async fn turn_on(app: &TestApp, owner: &Client, name: &str) -> (Phone, Vec<String>) {
    turn_on_keeping(app, owner, name, &json!({})).await
}

/// The same. The account keeps ways in that ask for none.
pub(super) async fn turn_on_keeping(
    app: &TestApp,
    owner: &Client,
    name: &str,
    kept: &Value,
) -> (Phone, Vec<String>) {
    let password = json!({"presentPassword": format!("{name}'s password")});
    let made = owner.post(FACTOR, &password).await.expect(201).json();
    let phone = Phone(Totp::from_url(made["uri"].as_str().unwrap()).unwrap());
    let mut confirmed = kept.clone();
    confirmed["code"] = phone.code(app)["code"].clone();
    let codes = owner.post(CONFIRM, &confirmed).await.expect(200);
    let codes = serde_json::from_value(codes.json()["codes"].clone()).unwrap();
    (phone, codes)
}

/// Credentials of ada with a code.
fn with(code: &Value) -> Value {
    json!({"username": "ada", "password": "ada's password", "code": code["code"]})
}

fn coded(code: &str) -> Value {
    json!({"code": code})
}

both!(
    many_codes_at_once_keep_no_connection_from_others,
    |app| async move {
        // More than the connections of the server.
        const MANY: usize = 40;
        let ada = app.user("ada").await;
        let password = json!({"presentPassword": "ada's password"});
        let confirmed = ada.post(CONFIRM, &coded("000000")).await;
        confirmed.problem(404, "not_found");
        ada.post(FACTOR, &password).await.expect(201);
        let wrong = coded("000000");
        let codes = (0..MANY).map(|_| ada.post(CONFIRM, &wrong));
        let answers = futures::future::join_all(codes).await;
        // None waits for a connection that another one of them holds.
        for answer in answers {
            answer.problem(422, "invalid");
        }
    }
);

both!(
    a_second_factor_is_asked_for_at_each_sign_in,
    |app| async move {
        let ada = app.user("ada").await;
        let nobody = app.nobody();
        let sign_in = async |body: &Value| nobody.post("/v1/auth/local/signin", body).await;
        let without = json!({"username": "ada", "password": "ada's password"});
        let elsewhere = sign_in(&without).await.expect(200).json();
        assert_eq!(
            ada.get(FACTOR).await.expect(200).json(),
            json!({"since": null, "passkeys": [], "recoveryCodes": 0})
        );

        // It takes the password, and counts only once a code was sent.
        for (body, code) in [
            (json!({}), "required"),
            (json!({"presentPassword": "x"}), "wrong_password"),
        ] {
            let refused = ada.post(FACTOR, &body).await.problem(422, "invalid");
            assert_eq!(refused["errors"][0]["pointer"], "/presentPassword");
            assert_eq!(refused["errors"][0]["code"], code);
        }
        ada.post(CONFIRM, &coded("000000"))
            .await
            .problem(404, "not_found");
        let password = json!({"presentPassword": "ada's password"});
        let made = ada.post(FACTOR, &password).await.expect(201).json();
        assert!(
            made["uri"]
                .as_str()
                .unwrap()
                .contains(made["secret"].as_str().unwrap())
        );
        sign_in(&without).await.expect(200);
        let wrong = ada
            .post(CONFIRM, &coded("abc"))
            .await
            .problem(422, "invalid");
        assert_eq!(wrong["errors"][0]["code"], "wrong_code");

        // Another try replaces the secret. Turning it on ends the other sessions.
        let (phone, codes) = turn_on(&app, &ada, "ada").await;
        assert_eq!(codes.len(), 10);
        let mut other = app.nobody();
        other.token = elsewhere["token"].as_str().map(str::to_owned);
        other
            .get("/v1/auth/me")
            .await
            .problem(403, "unauthenticated");
        ada.post(FACTOR, &password)
            .await
            .problem(409, "second_factor_on");
        let factor = ada.get(FACTOR).await.expect(200).json();
        assert!(factor["since"].is_string());
        assert_eq!(factor["recoveryCodes"], 10);

        // A code alone opens nothing, and each is good once.
        sign_in(&without)
            .await
            .problem(403, "second_factor_required");
        let code = phone.next(&app);
        let guess = json!({"username": "ada", "password": "x", "code": code["code"]});
        sign_in(&guess).await.problem(403, "wrong_credentials");
        sign_in(&with(&code)).await.expect(200);
        sign_in(&with(&code)).await.problem(403, "wrong_code");
        sign_in(&with(&coded("123")))
            .await
            .problem(403, "wrong_code");

        // A recovery code replaces the app once, as people type it.
        let typed = coded(&codes[0].to_uppercase().replace('-', " "));
        sign_in(&with(&typed)).await.expect(200);
        sign_in(&with(&typed)).await.problem(403, "wrong_code");
        assert_eq!(ada.get(FACTOR).await.json()["recoveryCodes"], 9);
        ada.post(RENEW, &coded(&codes[0]))
            .await
            .problem(422, "invalid");
        let others = ada.post(RENEW, &coded(&codes[1])).await.expect(200).json();
        sign_in(&with(&coded(&codes[2])))
            .await
            .problem(403, "wrong_code");
        let first = others["codes"][0].as_str().unwrap();
        sign_in(&with(&coded(first))).await.expect(200);

        ada.post(END, &coded("123456"))
            .await
            .problem(422, "invalid");
        ada.post(END, &phone.next(&app)).await.expect(204);
        sign_in(&without).await.expect(200);
        ada.post(END, &phone.next(&app))
            .await
            .problem(404, "not_found");
        assert_eq!(ada.get(FACTOR).await.json()["recoveryCodes"], 0);
    }
);

/// Limits by address would hide the limit of the account.
async fn guesses_of_codes_are_bounded_whoever_asks(engine: Engine) {
    let quotas = Quotas {
        credentials: 10_000,
        ..Quotas::default()
    };
    let app = TestApp::start_with(engine, Some(quotas)).await;
    let ada = app.user("ada").await;
    let (phone, _) = turn_on(&app, &ada, "ada").await;
    let nobody = app.nobody();
    // Guesses are counted by quarters of an hour.
    let quarter = 900;
    app.clock
        .advance_seconds(quarter - app.clock.now().seconds() % quarter);
    for _ in 0..29 {
        let guess = with(&coded("000000"));
        nobody
            .post("/v1/auth/local/signin", &guess)
            .await
            .problem(403, "wrong_code");
    }
    // Guesses of a session count as well.
    ada.post(END, &coded("000000"))
        .await
        .problem(422, "invalid");
    let code = phone.next(&app);
    let right = nobody.post("/v1/auth/local/signin", &with(&code)).await;
    right.problem(429, "too_many_requests");
    ada.post(END, &code).await.problem(429, "too_many_requests");
    app.clock.advance_seconds(quarter);
    let code = phone.next(&app);
    nobody
        .post("/v1/auth/local/signin", &with(&code))
        .await
        .expect(200);
}

tests::on_both!(guesses_of_codes_are_bounded_whoever_asks);

async fn guesses_of_codes_are_bounded_by_day_and_told(engine: Engine) {
    let mail = MailServer::start().await;
    let quotas = Quotas {
        credentials: 10_000,
        ..Quotas::default()
    };
    let app = TestApp::set_up(engine, Some(quotas), |config| {
        config.mail = Some(mail.settings());
    })
    .await;
    let ada = app.user("ada").await;
    let (phone, _) = turn_on(&app, &ada, "ada").await;
    app.verify(&ada).await;
    app.clock.advance_to_window(86_400);
    // In a session, where no password is hashed for each.
    let guess = async || ada.post(END, &coded("000000")).await;
    for guesses in [30, 30, 30, 10] {
        for _ in 0..guesses {
            guess().await.problem(422, "invalid");
        }
        app.clock.advance_seconds(900);
    }
    let refused = guess().await;
    assert!(refused.header("retry-after").parse::<u32>().unwrap() > 3_600);
    refused.problem(429, "too_many_requests");
    mail.letter("ada@shop.example", "guesses the codes").await;
    jobs_end(&app).await;
    assert_eq!(sent(&app, "ada@shop.example", "plain").await, 1);
    app.clock.advance_to_window(86_400);
    ada.post(END, &phone.next(&app)).await.expect(204);
}

tests::on_both!(guesses_of_codes_are_bounded_by_day_and_told);

both_with_mail!(
    an_account_gets_few_letters_about_its_sign_ins_a_day,
    |app, _mail| async move {
        let ada = app.user("ada").await;
        app.verify(&ada).await;
        app.clock.advance_to_window(86_400);
        let told = async || {
            jobs_end(&app).await;
            sent(&app, "ada@shop.example", "plain").await
        };
        // Letters when it comes and when it ends.
        let change = async || {
            let (phone, _) = turn_on(&app, &ada, "ada").await;
            ada.post(END, &phone.next(&app)).await.expect(204);
        };
        for changes in 1..=11 {
            change().await;
            assert_eq!(told().await, (2 * changes).min(20));
        }
        app.clock.advance_to_window(86_400);
        change().await;
        assert_eq!(told().await, 22);
    }
);

tokio::task_local! {
    /// Looks at the clock by a task.
    static LOOKS: Arc<AtomicUsize>;
}

/// The machine's clock. It counts the looks of a task.
struct Watched;

impl Clock for Watched {
    fn now(&self) -> Timestamp {
        let _ = LOOKS.try_with(|looks| looks.fetch_add(1, Ordering::SeqCst));
        SystemClock.now()
    }
}

async fn a_sign_in_on_its_way_does_not_pass_a_new_second_factor(engine: Engine) {
    let app = TestApp::set_up(engine, None, |config| config.clock = Arc::new(Watched)).await;
    let ada = app.user("ada").await;
    let account = Uuid::parse_str(&ada.user_id).unwrap();
    // As turning it on does: the account is held until it is on.
    let mut tx = app.placet.db.begin().await.unwrap();
    let hold = tx.query("UPDATE users SET updated_at = updated_at WHERE id = $1");
    hold.bind(account).exec().await.unwrap();
    let app_of_ada = tx.query(
        "INSERT INTO second_factors (user_id, secret, created_at, last_time_step, confirmed_at) \
         VALUES ($1, $2, 0, 0, 0)",
    );
    let app_of_ada = app_of_ada.bind(account).bind(b"sealed".as_slice());
    app_of_ada.exec().await.unwrap();
    let looks = Arc::new(AtomicUsize::new(0));
    let placet = app.placet.clone();
    let input = SignInIn {
        username: "ada".to_owned(),
        password: "ada's password".to_owned(),
        code: None,
        passkey: None,
    };
    let sign_in = async move { placet.auth.sign_in(input, &Device::default()).await };
    let sign_in = tokio::spawn(LOOKS.scope(looks.clone(), sign_in));
    // It looks twice before it reads that the account has no second factor, and then to begin the session.
    until("it has asked for no second factor", async || {
        (looks.load(Ordering::SeqCst) > 2).then_some(())
    })
    .await;
    tx.commit().await.unwrap();
    let ended = sign_in.await.unwrap();
    assert!(matches!(ended, Err(Error::Unauthenticated)), "{ended:?}");
}

tests::on_both!(a_sign_in_on_its_way_does_not_pass_a_new_second_factor);

both!(the_secret_of_a_second_factor_is_sealed, |app| async move {
    let ada = app.user("ada").await;
    let (phone, codes) = turn_on(&app, &ada, "ada").await;
    let stored: Vec<u8> = app
        .placet
        .db
        .query("SELECT secret FROM second_factors")
        .one_value()
        .await
        .unwrap();
    let secret = phone.0.secret().as_bytes();
    assert!(!stored.windows(secret.len()).any(|part| part == secret));
    let hashes: Vec<Vec<u8>> = app
        .placet
        .db
        .query("SELECT hash FROM recovery_codes")
        .all_values()
        .await
        .unwrap();
    assert!(
        hashes
            .iter()
            .all(|hash| hash.len() == 32 && !codes.iter().any(|code| code.as_bytes() == hash))
    );
});

both_with_mail!(
    a_mailbox_alone_does_not_end_a_second_factor,
    |app, mail| async move {
        let ada = app.user("ada").await;
        let token = token_of(&mail.letter("ada@shop.example", VERIFY).await);
        prove(&ada, &token).await.expect(204);
        let (phone, _) = turn_on(&app, &ada, "ada").await;
        mail.letter("ada@shop.example", CHANGED).await;

        let nobody = app.nobody();
        let ask = json!({"email": "ada@shop.example"});
        nobody.post("/v1/auth/local/forgot", &ask).await.expect(202);
        let token = token_of(&mail.letter("ada@shop.example", RESET).await);
        let reset = json!({"token": token, "password": "another"});
        nobody
            .post("/v1/auth/local/reset", &reset)
            .await
            .expect(204);
        let mut sign_in = json!({"username": "ada", "password": "another"});
        let refused = nobody.post("/v1/auth/local/signin", &sign_in).await;
        refused.problem(403, "second_factor_required");
        sign_in["code"] = phone.next(&app)["code"].clone();
        nobody
            .post("/v1/auth/local/signin", &sign_in)
            .await
            .expect(200);

        // The operator keeps it or ends it.
        let replace = async |second_factor: bool| {
            let keep = Keep {
                second_factor,
                ..Keep::default()
            };
            let auth = &app.placet.auth;
            let replaced = auth.replace_password("ada", "ada's password".to_owned(), keep);
            replaced.await.unwrap().1.second_factor
        };
        let without = json!({"username": "ada", "password": "ada's password"});
        assert!(!replace(true).await);
        let refused = nobody.post("/v1/auth/local/signin", &without).await;
        refused.problem(403, "second_factor_required");
        assert!(replace(false).await);
        nobody
            .post("/v1/auth/local/signin", &without)
            .await
            .expect(200);
        assert!(!replace(false).await);
    }
);

both_with_mail!(
    letters_about_a_second_factor_go_to_verified_addresses_alone,
    |app, mail| async move {
        // Somebody else's address: its owner gets the letter of the sign-up and no other.
        let thief = app.user("ada").await;
        mail.letter("ada@shop.example", VERIFY).await;
        let (phone, _) = turn_on(&app, &thief, "ada").await;
        thief.post(END, &phone.next(&app)).await.expect(204);
        jobs_end(&app).await;
        assert_eq!(sent(&app, "ada@shop.example", "plain").await, 0);
    }
);

both!(
    an_organization_requires_a_second_factor_of_everybody_in_it,
    |app| async move {
        let (ada, eve, ken) = (
            app.user("ada").await,
            app.user("eve").await,
            app.user("ken").await,
        );
        let made = ada
            .post("/v1/organizations", &json!({"name": "Shop Ltd"}))
            .await
            .expect(201)
            .json();
        let organization = format!("/v1/organizations/{}", made["id"].as_str().unwrap());
        let users = format!("{organization}/users");
        let editor = |who: &Client| json!({"userId": who.user_id, "role": "editor"});
        ada.post(&users, &editor(&eve)).await.expect(201);
        let project = json!({"websiteURL": "https://shop.example", "title": "Shop", "organizationId": made["id"]});
        let shop = ada.create("projects", &project).await;
        let shop = format!("/v1/vault/projects/{shop}");
        ada.post(&format!("{shop}/users"), &editor(&ken))
            .await
            .expect(201);
        let key = json!({"name": "all", "scopes": ["read"]});
        let key = eve.post("/v1/auth/keys", &key).await.expect(201).json();
        let mut program = app.nobody();
        program.token = key["secret"].as_str().map(str::to_owned);
        program.get(&shop).await.expect(200);

        // Nobody shuts themselves out.
        let required = json!({"name": "Shop Ltd", "requiresSecondFactor": true});
        for refused in [
            ada.put(&organization, &required).await,
            ada.post("/v1/organizations", &required).await,
        ] {
            let refused = refused.problem(422, "invalid");
            assert_eq!(refused["errors"][0]["pointer"], "/requiresSecondFactor");
            assert_eq!(refused["errors"][0]["code"], "second_factor_missing");
        }
        let (phone, _) = turn_on(&app, &ada, "ada").await;
        let changed = ada.put(&organization, &required).await.expect(200).json();
        assert_eq!(changed["requiresSecondFactor"], true);
        assert_eq!(changed["awaitsSecondFactor"], false);
        // Another name changes nothing about it.
        let named = json!({"name": "Shop SE"});
        let named = ada.put(&organization, &named).await.expect(200).json();
        assert_eq!(named["requiresSecondFactor"], true);

        // It holds for members of the organization and of a project, and for their keys.
        for person in [&eve, &ken, &program] {
            person
                .get(&shop)
                .await
                .problem(403, "second_factor_missing");
            let listed = person.get("/v1/vault/projects").await.expect(200);
            assert_eq!(listed.header("x-total-count"), "0");
        }
        for path in [&organization, &users] {
            eve.get(path).await.problem(403, "second_factor_missing");
        }
        ken.get(&organization).await.problem(404, "not_found");
        let seen = &eve.get("/v1/organizations").await.expect(200).json()[0];
        assert_eq!(seen["awaitsSecondFactor"], true);
        ada.get(&shop).await.expect(200);

        // It ends with the second factor, which stays then.
        let kept = json!({"keepKeys": true});
        let (other, _) = turn_on_keeping(&app, &eve, "eve", &kept).await;
        eve.get(&shop).await.expect(200);
        program.get(&shop).await.expect(200);
        let kept = eve.post(END, &other.next(&app)).await;
        kept.problem(409, "second_factor_missing");
        assert!(eve.get(FACTOR).await.expect(200).json()["since"].is_string());
        ada.post(END, &phone.next(&app))
            .await
            .problem(409, "second_factor_missing");

        // Leaving needs none, and ends the duty.
        let tom = app.user("tom").await;
        ada.post(&users, &editor(&tom)).await.expect(201);
        tom.get(&shop).await.problem(403, "second_factor_missing");
        for person in [&tom, &eve] {
            let own = format!("{users}/{}", person.user_id);
            person.delete(&own).await.expect(204);
            person.get(&shop).await.problem(404, "not_found");
        }
        eve.post(END, &other.next(&app)).await.expect(204);

        // Without the requirement roles count as before.
        let free = json!({"name": "Shop SE", "requiresSecondFactor": false});
        ada.put(&organization, &free).await.expect(200);
        ken.get(&shop).await.expect(200);
        ada.post(END, &phone.next(&app)).await.expect(204);
    }
);

// With a domain name, `tests/browser/admin/second-factor.spec.ts` adds and uses passkeys.
both!(
    passkeys_are_refused_without_password_question_or_domain_name,
    |app| async move {
        const PASSKEYS: &str = "/v1/auth/me/second-factor/passkeys";
        let ada = app.user("ada").await;
        let begin = format!("{PASSKEYS}/begin");
        let wrong = ada.post(&begin, &json!({"presentPassword": "x"})).await;
        let wrong = wrong.problem(422, "invalid");
        assert_eq!(wrong["errors"][0]["code"], "wrong_password");
        let password = json!({"presentPassword": "ada's password"});
        ada.post(&begin, &password)
            .await
            .problem(409, "no_passkeys");
        for (body, code) in [
            (json!({"name": "", "credential": {}}), "invalid_value"),
            (
                json!({"name": "phone", "credential": {"id": "AAAA"}}),
                "wrong_passkey",
            ),
        ] {
            let refused = ada.post(PASSKEYS, &body).await.problem(422, "invalid");
            assert_eq!(refused["errors"][0]["code"], code);
        }
        let unknown = format!("{PASSKEYS}/0190b6a0-0000-7000-8000-000000000000/end");
        ada.post(&unknown, &password)
            .await
            .problem(404, "not_found");

        let ask = async |password: &str| {
            let body = json!({"username": "ada", "password": password});
            let nobody = app.nobody();
            nobody.post("/v1/auth/local/signin/passkey", &body).await
        };
        ask("x").await.problem(403, "wrong_credentials");
        ask("ada's password").await.problem(409, "no_passkey");
        // Nothing that is no passkey opens an account with a second factor.
        turn_on(&app, &ada, "ada").await;
        let nobody = app.nobody();
        let body =
            json!({"username": "ada", "password": "ada's password", "passkey": {"id": "AAAA"}});
        let sign_in = nobody.post("/v1/auth/local/signin", &body).await;
        sign_in.problem(403, "wrong_passkey");
    }
);
