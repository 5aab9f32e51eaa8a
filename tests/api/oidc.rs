//! Logins by OpenID Connect: with a provider by other authors (oidc-provider), and with a provider that lies
//! (tokens made by jose).

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use reqwest::{Client as Http, Method, redirect::Policy};
use serde_json::{Value, json};
use service::auth::OidcProvider;
use tests::{Answer, Client, Engine, TestApp, on_both, oracle::Oracle};

/// A browser: follows redirects one by one and keeps cookies by origin.
pub(super) struct Browser {
    http: Http,
    jar: HashMap<String, HashMap<String, String>>,
}

impl Browser {
    pub(super) fn new() -> Self {
        let http = Http::builder()
            .redirect(Policy::none())
            .no_proxy()
            .build()
            .unwrap();
        Self {
            http,
            jar: HashMap::new(),
        }
    }

    /// Gives the browser a cookie of this origin.
    pub(super) fn set(&mut self, url: &str, name: &str, value: &str) {
        let origin = url::Url::parse(url).unwrap().origin().ascii_serialization();
        let cookies = self.jar.entry(origin).or_default();
        cookies.insert(name.to_owned(), value.to_owned());
    }

    pub(super) fn keep(&mut self, url: &str, answer: &Answer) {
        let origin = url::Url::parse(url).unwrap().origin().ascii_serialization();
        for cookie in answer.headers.get_all("set-cookie") {
            let pair = cookie.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            self.jar
                .entry(origin.clone())
                .or_default()
                .insert(name.to_owned(), value.to_owned());
        }
    }

    pub(super) async fn get(&mut self, url: &str, accept: &str) -> Answer {
        let origin = url::Url::parse(url).unwrap().origin().ascii_serialization();
        let cookies: Vec<String> = self
            .jar
            .get(&origin)
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let request = self
            .http
            .get(url)
            .header("cookie", cookies.join("; "))
            .header("accept", accept);
        let response = request.send().await.unwrap();
        let answer = Answer {
            status: response.status(),
            headers: response.headers().clone(),
            text: response.text().await.unwrap(),
        };
        self.keep(url, &answer);
        answer
    }

    /// Follows redirects through the provider. Returns the address of the callback at Placet.
    async fn through_the_provider(&mut self, url: &str) -> String {
        let mut url = url.to_owned();
        for _ in 0..8 {
            if url.contains("/callback?") {
                return url;
            }
            let answer = self.get(&url, "text/html").await;
            assert!(
                answer.status.is_redirection(),
                "{url}: {} {}",
                answer.status,
                answer.text
            );
            let next = url::Url::parse(&url).unwrap();
            url = next.join(answer.header("location")).unwrap().into();
        }
        panic!("the provider does not come to an end at {url}");
    }

    /// Begins a login. Returns the provider's address.
    pub(super) async fn begin(&mut self, app: &TestApp) -> String {
        self.begin_at(app, "company").await
    }

    async fn begin_at(&mut self, app: &TestApp, provider: &str) -> String {
        let url = format!("{}/v1/auth/oidc/{provider}", app.base);
        let answer = self.get(&url, "text/html").await.expect(303);
        answer.header("location").to_owned()
    }

    /// A complete login of a program.
    async fn sign_in(&mut self, app: &TestApp) -> Answer {
        let away = self.begin(app).await;
        let back = self.through_the_provider(&away).await;
        self.get(&back, "application/json").await
    }
}

pub(super) fn parameter(url: &str, name: &str) -> String {
    let url = url::Url::parse(url).unwrap();
    let found = url.query_pairs().find(|(key, _)| key == name);
    found
        .unwrap_or_else(|| panic!("{name} in {url}"))
        .1
        .into_owned()
}

pub(super) fn with(url: &str, name: &str, value: Option<&str>) -> String {
    let mut url = url::Url::parse(url).unwrap();
    let pairs: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(key, _)| key != name)
        .map(|(key, value)| (key.into_owned(), value.into_owned()))
        .collect();
    url.query_pairs_mut().clear().extend_pairs(pairs);
    if let Some(value) = value {
        url.query_pairs_mut().append_pair(name, value);
    }
    url.into()
}

async fn start(engine: Engine, script: &str) -> (TestApp, Oracle) {
    let oracle = Oracle::start(script, &[]).await;
    let issuer = oracle.start["issuer"].as_str().unwrap().to_owned();
    let app = TestApp::set_up(engine, None, |config| {
        // The provider's host is private, as in a company, and permitted because the operator named it.
        config.outbound_allow = Vec::new();
        config.oidc = vec![OidcProvider {
            name: "company".to_owned(),
            title: Some("Company login".to_owned()),
            issuer,
            client_id: "placet".to_owned(),
            client_secret: Some("a secret that nobody guesses".to_owned()),
            scopes: None,
            trust_email: false,
        }];
    })
    .await;
    if script == "oidc.mjs" {
        oracle
            .tell(&json!({"redirect": app.base}).to_string())
            .await;
        oracle.next(|said| said["event"] == "ready").await;
    }
    (app, oracle)
}

async fn user(oracle: &Oracle, user: Value) {
    oracle.tell(&json!({"user": user}).to_string()).await;
    oracle.next(|said| said["event"] == "user").await;
}

fn grace() -> Value {
    json!({"sub": "g1", "email": "grace@shop.example", "email_verified": true,
           "name": "Grace Hopper", "preferred_username": "grace"})
}

fn speaks_as(app: &TestApp, session: &Value) -> Client {
    let mut client = app.nobody();
    client.token = session["token"].as_str().map(str::to_owned);
    client.user_id = session["user"]["id"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    client
}

macro_rules! both_with {
    ($script:literal, $name:ident, |$app:ident, $oracle:ident| $body:expr) => {
        mod $name {
            use super::*;

            async fn test($app: TestApp, $oracle: Oracle) {
                $body.await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                let (app, oracle) = start(Engine::Sqlite, $script).await;
                test(app, oracle).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                let (app, oracle) = start(Engine::Postgres, $script).await;
                test(app, oracle).await;
            }
        }
    };
}

both_with!(
    "oidc.mjs",
    a_provider_signs_somebody_in,
    |app, oracle| async move {
        let providers = app.nobody().get("/v1/auth/oidc").await.expect(200).json();
        assert_eq!(
            providers,
            json!([{"name": "company", "title": "Company login"}])
        );
        app.nobody()
            .get("/v1/auth/oidc/other")
            .await
            .problem(404, "not_found");

        user(&oracle, grace()).await;
        let session = Browser::new().sign_in(&app).await.expect(200).json();
        let account = &session["user"];
        assert_eq!(account["displayName"], "Grace Hopper");
        assert_eq!(account["username"], "grace");
        assert_eq!(account["emailVerified"], true);
        let client = speaks_as(&app, &session);
        client.get("/v1/auth/me").await.expect(200);
        let identities = client.get("/v1/auth/identities").await.expect(200).json();
        assert_eq!(identities[0]["provider"], "company");
        assert_eq!(identities.as_array().unwrap().len(), 1, "no password");

        // The same account, even if the provider has another address for it.
        let mut moved = grace();
        moved["email"] = json!("hopper@shop.example");
        user(&oracle, moved).await;
        let again = Browser::new().sign_in(&app).await.expect(200).json();
        assert_eq!(again["user"]["id"], account["id"]);

        // A browser gets the session cookie, which works for pages only, and goes to the requested page.
        let mut browser = Browser::new();
        for (next, goes) in [
            ("/account", "/account"),
            ("//evil.example", "/"),
            ("https://evil.example", "/"),
        ] {
            let url = format!("{}/v1/auth/oidc/company?next={next}", app.base);
            let away = browser.get(&url, "text/html").await.expect(303);
            let cookie = away.header("set-cookie").to_owned();
            assert!(cookie.contains("HttpOnly; SameSite=Lax"), "{cookie}");
            let back = browser.through_the_provider(away.header("location")).await;
            let answer = browser.get(&back, "text/html").await.expect(303);
            assert_eq!(answer.header("location"), goes);
        }
        let origin = url::Url::parse(&app.base)
            .unwrap()
            .origin()
            .ascii_serialization();
        let kept = &browser.jar[&origin];
        assert_eq!(kept["placet_login"], "");
        assert!(kept["placet_session"].len() > 100);
        browser
            .get(&format!("{}/v1/auth/me", app.base), "application/json")
            .await
            .problem(403, "unauthenticated");
    }
);

both_with!(
    "oidc.mjs",
    a_login_is_bound_to_its_browser_and_happens_once,
    |app, oracle| async move {
        user(&oracle, grace()).await;
        let refused = |answer: Answer| answer.problem(403, "login_failed");
        let mut browser = Browser::new();
        let away = browser.begin(&app).await;
        assert_eq!(parameter(&away, "code_challenge_method"), "S256");
        assert!(parameter(&away, "nonce").len() >= 43 && parameter(&away, "state").len() >= 43);
        let back = browser.through_the_provider(&away).await;

        // Another browser (login CSRF), another state and a missing state are refused.
        refused(Browser::new().get(&back, "application/json").await);
        for state in [Some("x"), None] {
            refused(
                browser
                    .get(&with(&back, "state", state), "application/json")
                    .await,
            );
        }
        // The refused attempts did not use up the login. Finishing it does.
        browser.get(&back, "application/json").await.expect(200);
        refused(browser.get(&back, "application/json").await);

        // The provider refuses a used code.
        let old = parameter(&back, "code");
        let away = browser.begin(&app).await;
        let state = parameter(&away, "state");
        let callback = format!("{}/v1/auth/oidc/company/callback?state={state}", app.base);
        refused(
            browser
                .get(&format!("{callback}&code={old}"), "application/json")
                .await,
        );

        // A code of another login does not fit the verifier.
        let away = browser.begin(&app).await;
        let back = browser.through_the_provider(&away).await;
        let stolen = parameter(&back, "code");
        let mut thief = Browser::new();
        let away = thief.begin(&app).await;
        let state = parameter(&away, "state");
        let callback = format!("{}/v1/auth/oidc/company/callback?state={state}", app.base);
        refused(
            thief
                .get(&format!("{callback}&code={stolen}"), "application/json")
                .await,
        );

        // Another issuer claims the login (RFC 9207).
        let away = browser.begin(&app).await;
        let back = browser.through_the_provider(&away).await;
        assert_eq!(
            parameter(&back, "iss"),
            oracle.start["issuer"].as_str().unwrap()
        );
        let elsewhere = with(&back, "iss", Some("https://evil.example"));
        refused(browser.get(&elsewhere, "application/json").await);

        // Too late.
        let away = browser.begin(&app).await;
        let back = browser.through_the_provider(&away).await;
        app.clock.advance_seconds(601);
        refused(browser.get(&back, "application/json").await);
    }
);

both_with!("oidc.mjs", the_provider_says_no, |app, oracle| async move {
    user(&oracle, Value::Null).await;
    let mut browser = Browser::new();
    browser.sign_in(&app).await.problem(403, "login_refused");
    // A person is redirected to a page with the error and gets no session.
    let away = browser.begin(&app).await;
    let back = browser.through_the_provider(&away).await;
    let answer = browser.get(&back, "text/html").await.expect(303);
    assert_eq!(answer.header("location"), "/sign-in?login=login_refused");
    assert!(!answer.headers.contains_key("set-cookie"));
    let answer = browser.get(&back, "text/html").await.expect(303);
    assert_eq!(answer.header("location"), "/sign-in?login=login_failed");
});

both_with!(
    "oidc.mjs",
    identities_are_linked_and_unlinked,
    |app, oracle| async move {
        // The provider knows an address whose account here has not verified it.
        let ada = app.nobody().signed_up("grace").await;
        user(&oracle, grace()).await;
        let problem = Browser::new()
            .sign_in(&app)
            .await
            .problem(409, "account_exists");
        assert_eq!(problem["errors"][0]["pointer"], "/email");

        // The owner signs in and links the identity.
        let wish = json!({"provider": "company", "presentPassword": "grace's password"});
        let link = async |client: &Client| {
            let answer = client.post("/v1/auth/identities", &wish).await.expect(200);
            let mut browser = Browser::new();
            browser.keep(&app.base, &answer);
            let url = answer.json()["url"].as_str().unwrap().to_owned();
            let back = browser.through_the_provider(&url).await;
            browser.get(&back, "application/json").await
        };
        // A session that somebody left open is not enough: the identity opens the account.
        for (password, code) in [(json!(null), "required"), (json!("x"), "wrong_password")] {
            let wish = json!({"provider": "company", "presentPassword": password});
            let problem = ada.post("/v1/auth/identities", &wish).await;
            let problem = problem.problem(422, "invalid");
            assert_eq!(problem["errors"][0]["pointer"], "/presentPassword");
            assert_eq!(problem["errors"][0]["code"], code);
        }
        let identity = link(&ada).await.expect(200).json();
        assert_eq!(identity["provider"], "company");
        let session = Browser::new().sign_in(&app).await.expect(200).json();
        assert_eq!(session["user"]["id"], json!(ada.user_id));
        link(&ada).await.problem(409, "identity_taken");
        ada.post("/v1/auth/identities", &json!({"provider": "other"}))
            .await
            .problem(422, "invalid");

        // Either way to sign in can be removed, but not the last one.
        let list = ada.get("/v1/auth/identities").await.expect(200).json();
        assert_eq!(
            (&list[0]["provider"], &list[1]["provider"]),
            (&json!("local"), &json!("company"))
        );
        let linked = format!("/v1/auth/identities/{}", identity["id"].as_str().unwrap());
        let local = format!("/v1/auth/identities/{}", ada.user_id);
        app.user("eve")
            .await
            .delete(&linked)
            .await
            .problem(404, "not_found");
        // Nor may it remove the password, without which it could change the address.
        ada.delete(&local).await.problem(422, "invalid");
        let remove = json!({"presentPassword": "grace's password"});
        let request = ada.request(Method::DELETE, &local).json(&remove);
        ada.send(request).await.expect(204);
        ada.delete(&local).await.problem(404, "not_found");
        ada.delete(&linked).await.problem(409, "last_identity");
        app.nobody()
            .post(
                "/v1/auth/local/signin",
                &json!({"username": "grace", "password": "grace's password"}),
            )
            .await
            .problem(403, "wrong_credentials");
        Browser::new().sign_in(&app).await.expect(200);
    }
);

both_with!(
    "forger.mjs",
    a_lying_provider_is_not_believed,
    |app, oracle| async move {
        let _keep = &oracle;
        let attempt = async |lie: &str, claims: Value| {
            let mut browser = Browser::new();
            let away = browser.begin(&app).await;
            let mut code = json!({"lie": lie, "nonce": parameter(&away, "nonce"), "sub": "m1", "email": "mallory@shop.example"});
            code.as_object_mut()
                .unwrap()
                .extend(claims.as_object().unwrap().clone());
            let code = URL_SAFE_NO_PAD.encode(code.to_string());
            let state = parameter(&away, "state");
            let url = format!(
                "{}/v1/auth/oidc/company/callback?state={state}&code={code}",
                app.base
            );
            browser.get(&url, "application/json").await
        };
        for lie in [
            "nonce",
            "no nonce",
            "issuer",
            "audience",
            "audience of others",
            "authorized party",
            "expired",
            "from the future",
            "none",
            "confusion",
            "confusion without kid",
            "client secret",
            "other key",
            "own key in header",
            "tampered",
        ] {
            let answer = attempt(lie, json!({})).await;
            assert_eq!(answer.status, 403, "{lie}: {}", answer.text);
            answer.problem(403, "login_failed");
        }
        let none = json!({"username": "mallory", "password": "x"});
        app.nobody()
            .post("/v1/auth/local/signin", &none)
            .await
            .problem(403, "wrong_credentials");
        // The same login without a lie works, so the lies were the reason.
        let session = attempt("", json!({})).await.expect(200).json();
        assert_eq!(session["user"]["username"], "mallory");

        // An address joins an account only if both sides have verified it.
        let ada = app.user("ada").await;
        let claims = json!({"sub": "a1", "email": "Ada@shop.example"});
        attempt("", claims.clone())
            .await
            .problem(409, "account_exists");
        // If the provider has not verified the address, the answer is the same for an address without an
        // account, with an account, and with a verified account.
        let unproved = async |sub: &str, email: &str, verified: Value| {
            let claims = json!({"sub": sub, "email": email, "email_verified": verified});
            let mut problem = attempt("", claims).await.problem(403, "email_unverified");
            problem["requestId"] = Value::Null;
            problem
        };
        let free = unproved("b1", "bob@shop.example", json!(false)).await;
        let known = unproved("a1", "Ada@shop.example", json!(false)).await;
        prove(&app, &ada.user_id).await;
        let proved = unproved("a1", "Ada@shop.example", json!(false)).await;
        let unsaid = unproved("a1", "Ada@shop.example", Value::Null).await;
        assert_eq!([&known, &proved, &unsaid], [&free; 3]);
        let none = json!({"username": "bob", "email": "bob@shop.example", "password": "p"});
        app.nobody()
            .post("/v1/auth/local/signup", &none)
            .await
            .expect(201);
        let session = attempt("", claims).await.expect(200).json();
        assert_eq!(session["user"]["id"], json!(ada.user_id));
        // A linked identity signs in, whatever the provider says about its address.
        let later = json!({"sub": "a1", "email": "x@shop.example", "email_verified": false});
        let session = attempt("", later).await.expect(200).json();
        assert_eq!(session["user"]["id"], json!(ada.user_id));
        // Without an address there is no account.
        attempt("", json!({"sub": "c1", "email": null}))
            .await
            .problem(403, "email_missing");
    }
);

/// Verifies the address, like the link of a letter.
async fn prove(app: &TestApp, user: &str) {
    let id = uuid::Uuid::parse_str(user).unwrap();
    let mut tx = app.placet.db.begin().await.unwrap();
    tx.query("UPDATE users SET email_verified_at = 1 WHERE id = $1")
        .bind(id)
        .exec()
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_is_away_gives_a_clear_error() {
    let app = TestApp::set_up(Engine::Sqlite, None, |config| {
        config.oidc = vec![OidcProvider {
            name: "company".to_owned(),
            title: None,
            issuer: "http://127.0.0.1:9".to_owned(),
            client_id: "placet".to_owned(),
            client_secret: None,
            scopes: None,
            trust_email: false,
        }];
    })
    .await;
    let answer = app.nobody().get("/v1/auth/oidc/company").await;
    assert!(!answer.header("retry-after").is_empty());
    answer.problem(503, "unavailable");
    let url = format!("{}/v1/auth/oidc/company?next=/account", app.base);
    let answer = Browser::new().get(&url, "text/html").await.expect(303);
    let page = "/sign-in?login=provider_away&next=/account";
    assert_eq!(answer.header("location"), page);
}

/// The code with which `forger.mjs` signs in this person.
pub(super) fn forged(away: &str, sub: &str, email: &str) -> String {
    coded(&json!({"lie": "", "nonce": parameter(away, "nonce"), "sub": sub, "email": email}))
}

/// Encodes a code for `forger.mjs`.
pub(super) fn coded(claims: &Value) -> String {
    URL_SAFE_NO_PAD.encode(claims.to_string())
}

/// `partner` accepts any code and signs anything. It must not get anything of the company's logins.
async fn a_login_at_one_provider_is_not_finished_at_another(engine: Engine) {
    let company = Oracle::start("oidc.mjs", &[]).await;
    let partner = Oracle::start("forger.mjs", &[]).await;
    let provider = |name: &str, oracle: &Oracle| OidcProvider {
        name: name.to_owned(),
        title: None,
        issuer: oracle.start["issuer"].as_str().unwrap().to_owned(),
        client_id: "placet".to_owned(),
        client_secret: Some("a secret that nobody guesses".to_owned()),
        scopes: None,
        trust_email: false,
    };
    let app = TestApp::set_up(engine, None, |config| {
        config.outbound_allow = Vec::new();
        config.oidc = vec![provider("company", &company), provider("partner", &partner)];
    })
    .await;
    company
        .tell(&json!({"redirect": app.base}).to_string())
        .await;
    company.next(|said| said["event"] == "ready").await;
    user(&company, grace()).await;
    let refused = async |browser: &mut Browser, url: &str| {
        let answer = browser.get(url, "application/json").await;
        answer.problem(403, "login_failed");
    };
    let mut browser = Browser::new();

    // The company's code and state at the partner's callback, with and without an issuer.
    for issuer in [true, false] {
        let away = browser.begin(&app).await;
        let mut back = browser.through_the_provider(&away).await;
        back = back.replace("/company/callback", "/partner/callback");
        if !issuer {
            back = with(&back, "iss", None);
        }
        refused(&mut browser, &back).await;
    }
    // A code of the partner with a state of the company, in the browser that has the state.
    let away = browser.begin(&app).await;
    let code = forged(&away, "m1", "mallory@shop.example");
    let state = parameter(&away, "state");
    for provider in ["partner", "company"] {
        let callback = format!("{}/v1/auth/oidc/{provider}/callback", app.base);
        refused(
            &mut browser,
            &format!("{callback}?state={state}&code={code}"),
        )
        .await;
    }
    // The reverse: a code of the company with a state of the partner.
    let away = browser.begin(&app).await;
    let stolen = parameter(&browser.through_the_provider(&away).await, "code");
    let away = browser.begin_at(&app, "partner").await;
    let state = parameter(&away, "state");
    let callback = format!("{}/v1/auth/oidc/company/callback", app.base);
    refused(
        &mut browser,
        &format!("{callback}?state={state}&code={stolen}"),
    )
    .await;

    // Each login works by itself. The same subject at two issuers is two people.
    let grace = browser.sign_in(&app).await.expect(200).json();
    let away = browser.begin_at(&app, "partner").await;
    let code = forged(&away, "g1", "gregor@shop.example");
    let state = parameter(&away, "state");
    let callback = format!("{}/v1/auth/oidc/partner/callback", app.base);
    let url = format!("{callback}?state={state}&code={code}");
    let gregor = browser
        .get(&url, "application/json")
        .await
        .expect(200)
        .json();
    assert_eq!(gregor["user"]["email"], "gregor@shop.example");
    assert_ne!(gregor["user"]["id"], grace["user"]["id"]);
}

on_both!(a_login_at_one_provider_is_not_finished_at_another);

/// `company` says nothing about its addresses, and the operator vouches for them.
async fn the_addresses_of_a_provider_are_trusted_where_the_operator_says_so(engine: Engine) {
    let company = Oracle::start("forger.mjs", &[]).await;
    let app = TestApp::set_up(engine, None, |config| {
        config.outbound_allow = Vec::new();
        config.oidc = vec![OidcProvider {
            name: "company".to_owned(),
            title: None,
            issuer: company.start["issuer"].as_str().unwrap().to_owned(),
            client_id: "placet".to_owned(),
            client_secret: Some("a secret that nobody guesses".to_owned()),
            scopes: None,
            trust_email: true,
        }];
    })
    .await;
    let attempt = async |sub: &str, verified: Value| {
        let mut browser = Browser::new();
        let away = browser.begin(&app).await;
        let code = json!({"lie": "", "nonce": parameter(&away, "nonce"), "sub": sub,
                          "email": "grace@shop.example", "email_verified": verified});
        let code = URL_SAFE_NO_PAD.encode(code.to_string());
        let state = parameter(&away, "state");
        let callback = format!("{}/v1/auth/oidc/company/callback", app.base);
        let url = format!("{callback}?state={state}&code={code}");
        browser.get(&url, "application/json").await
    };
    // A statement of the provider takes precedence.
    attempt("g1", json!(false))
        .await
        .problem(403, "email_unverified");
    let session = attempt("g1", Value::Null).await.expect(200).json();
    assert_eq!(session["user"]["emailVerified"], true);
    let again = attempt("g2", Value::Null).await.expect(200).json();
    assert_eq!(again["user"]["id"], session["user"]["id"]);
}

on_both!(the_addresses_of_a_provider_are_trusted_where_the_operator_says_so);
