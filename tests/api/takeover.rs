//! Accounts that an intruder had, or made before their owner. Nothing that the intruder left may survive.
//!
//! Sudhodanan and Paverd describe the attacks before the owner's sign-up in "Pre-hijacked accounts" (USENIX
//! Security 2022).

use reqwest::Method;
use serde_json::{Value, json};
use service::{
    Config,
    auth::{Keep, OidcProvider},
};
use tests::{
    Answer, Client, Engine, Oracle, TestApp, both, on_both,
    oracle::{MailServer, token_of},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    oidc::{Browser, forged, parameter},
    recovery::{RESET, VERIFY, ask, jobs_end, me, prove},
    second_factor,
};

/// A server with mail and with a provider that signs in anybody whom the test names.
pub(super) struct Office {
    pub app: TestApp,
    pub mail: MailServer,
    _provider: Oracle,
}

impl Office {
    async fn open(engine: Engine) -> Self {
        Self::open_with(engine, |_| {}).await
    }

    /// Opens it with a changed configuration.
    pub async fn open_with(engine: Engine, change: impl FnOnce(&mut Config)) -> Self {
        let mail = MailServer::start().await;
        let provider = Oracle::start("forger.mjs", &[]).await;
        let issuer = provider.start["issuer"].as_str().unwrap().to_owned();
        let app = TestApp::set_up(engine, None, |config| {
            config.mail = Some(mail.settings());
            config.outbound_allow = Vec::new();
            config.oidc = vec![OidcProvider {
                name: "company".to_owned(),
                title: None,
                issuer,
                client_id: "placet".to_owned(),
                client_secret: Some("a secret that nobody guesses".to_owned()),
                scopes: None,
                trust_email: false,
            }];
            change(config);
        })
        .await;
        Self {
            app,
            mail,
            _provider: provider,
        }
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.app.nobody().post(path, &body).await
    }

    pub async fn signed_in(&self, username: &str, password: &str) -> Client {
        let credentials = json!({"username": username, "password": password});
        let session = self.post("/v1/auth/local/signin", credentials).await;
        self.speaks_as(&session.expect(200).json())
    }

    pub fn speaks_as(&self, session: &Value) -> Client {
        let mut client = self.app.nobody();
        client.token = session["token"].as_str().map(str::to_owned);
        client.user_id = session["user"]["id"].as_str().unwrap().to_owned();
        client
    }

    /// The secret of the latest letter to an address.
    pub async fn letter(&self, email: &str, subject: &str) -> String {
        token_of(&self.mail.letter(email, subject).await)
    }

    /// An account whose owner has verified its address in a session of it.
    pub async fn confirmed(&self, name: &str) -> Client {
        let client = self.app.user(name).await;
        let token = self.letter(&format!("{name}@shop.example"), VERIFY).await;
        prove(&client, &token).await.expect(204);
        client
    }

    /// Begins to link an identity. Returns the browser and the address of the callback.
    async fn begin(&self, client: &Client, sub: &str) -> (Browser, String) {
        self.begin_by(client, sub, "ada's password").await
    }

    /// The same with another password.
    async fn begin_by(&self, client: &Client, sub: &str, password: &str) -> (Browser, String) {
        let wish = json!({"provider": "company", "presentPassword": password});
        let answer = client.post("/v1/auth/identities", &wish).await.expect(200);
        let mut browser = Browser::new();
        browser.keep(&self.app.base, &answer);
        let away = answer.json()["url"].as_str().unwrap().to_owned();
        (
            browser,
            self.back(&away, sub, &format!("{sub}@evil.example")),
        )
    }

    fn back(&self, away: &str, sub: &str, email: &str) -> String {
        let callback = format!("{}/v1/auth/oidc/company/callback", self.app.base);
        let (state, code) = (parameter(away, "state"), forged(away, sub, email));
        format!("{callback}?state={state}&code={code}")
    }

    /// A login by the provider.
    pub async fn by_provider(&self, sub: &str, email: &str) -> Answer {
        let mut browser = Browser::new();
        let away = browser.begin(&self.app).await;
        let back = self.back(&away, sub, email);
        browser.get(&back, "application/json").await
    }

    async fn ask_for_reset(&self, email: &str) -> String {
        let lost = json!({"email": email});
        self.post("/v1/auth/local/forgot", lost).await.expect(202);
        self.letter(email, RESET).await
    }
}

/// Everything that a stranger with a session can leave in an account.
struct Planted {
    session: Client,
    key: Client,
    link: (Browser, String),
    /// Secret of the letter to another address of the intruder.
    change: String,
    /// Secret of an invitation to the owner's project.
    invitation: String,
    account: String,
}

const SUB: &str = "intruder";

impl Planted {
    async fn by(office: &Office, session: Client, account: &str) -> Self {
        let wish = json!({"name": "k", "scopes": ["read"]});
        let made = session.post("/v1/auth/keys", &wish).await.expect(201);
        let mut key = office.app.nobody();
        key.token = made.json()["secret"].as_str().map(str::to_owned);
        let (mut browser, back) = office.begin(&session, SUB).await;
        browser.get(&back, "application/json").await.expect(200);
        let link = office.begin(&session, "later").await;
        let site = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let project = session.create("projects", &site).await;
        let guest = json!({"email": "guest@evil.example", "projectId": project, "role": "owner"});
        // Verified addresses alone invite. An account may have invitations from a release before that rule.
        let is_verified = me(&session).await["emailVerified"] == true;
        jobs_end(&office.app).await;
        office.app.verify(&session).await;
        let invited = session.post("/v1/auth/invitations", &guest).await;
        invited.expect(201);
        let invitation = office.letter("guest@evil.example", "invites you").await;
        if !is_verified {
            let id = uuid::Uuid::parse_str(account).expect("an id");
            let db = &office.app.placet.db;
            let back = db.query("UPDATE users SET email_verified_at = NULL WHERE id = $1");
            back.bind(id).exec().await.expect("as before");
        }
        ask(&session, "other@evil.example").await;
        let change = office.letter("other@evil.example", VERIFY).await;
        Self {
            session,
            key,
            link,
            change,
            invitation,
            account: account.to_owned(),
        }
    }

    /// The things that still work for the intruder.
    async fn survivors(mut self, office: &Office) -> Vec<&'static str> {
        let mut found = Vec::new();
        let finished = self.link.0.get(&self.link.1, "application/json").await;
        if finished.status.is_success() {
            found.push("a link that was begun");
        }
        let invitation = format!("/v1/auth/invitations/{}", self.invitation);
        if office
            .app
            .nobody()
            .get(&invitation)
            .await
            .status
            .is_success()
        {
            found.push("an invitation");
        }
        for client in [&office.app.nobody(), &self.session] {
            if prove(client, &self.change).await.status.is_success() {
                found.push("another address");
            }
        }
        if self.session.get("/v1/auth/me").await.status.is_success() {
            found.push("a session");
        }
        if self.key.get("/v1/vault/projects").await.status.is_success() {
            found.push("an API key");
        }
        let login = office.by_provider(SUB, "intruder@evil.example").await;
        if login.status.is_success() && login.json()["user"]["id"] == json!(self.account) {
            found.push("an identity");
        }
        found
    }
}

const NOTHING: [&str; 0] = [];

async fn a_changed_password_ends_everything_an_intruder_left(engine: Engine) {
    let office = Office::open(engine).await;
    let ada = office.confirmed("ada").await;
    let intruder = office.signed_in("ada", "ada's password").await;
    let planted = Planted::by(&office, intruder, &ada.user_id).await;
    let change = json!({"password": "ada's password", "newPassword": "mine"});
    let changed = ada.post("/v1/auth/local/password", &change).await;
    let ada = office.speaks_as(&changed.expect(200).json());
    assert_eq!(planted.survivors(&office).await, NOTHING);
    let account = me(&ada).await;
    assert_eq!(account["email"], "ada@shop.example");
    assert_eq!(account["pendingEmail"], Value::Null);
}

on_both!(a_changed_password_ends_everything_an_intruder_left);

async fn a_mailed_reset_ends_everything_an_intruder_left(engine: Engine) {
    let office = Office::open(engine).await;
    let ada = office.confirmed("ada").await;
    let intruder = office.signed_in("ada", "ada's password").await;
    let planted = Planted::by(&office, intruder, &ada.user_id).await;
    let (token, spare) = (
        office.ask_for_reset("ada@shop.example").await,
        office.ask_for_reset("ada@shop.example").await,
    );
    let reset = |token: &str| json!({"token": token, "password": "mine"});
    let path = "/v1/auth/local/reset";
    office.post(path, reset(&token)).await.expect(204);
    office
        .post(path, reset(&spare))
        .await
        .problem(422, "invalid");
    assert_eq!(planted.survivors(&office).await, NOTHING);
    let ada = office.signed_in("ada", "mine").await;
    assert_eq!(me(&ada).await["email"], "ada@shop.example");
}

on_both!(a_mailed_reset_ends_everything_an_intruder_left);

async fn the_operators_replacement_ends_everything_an_intruder_left(engine: Engine) {
    let office = Office::open(engine).await;
    let ada = office.confirmed("ada").await;
    let intruder = office.signed_in("ada", "ada's password").await;
    let planted = Planted::by(&office, intruder, &ada.user_id).await;
    // The use case of `placet user password ada`.
    let auth = &office.app.placet.auth;
    let replaced = auth.replace_password("ada", "mine".to_owned(), Keep::default());
    replaced.await.expect("a new password");
    assert_eq!(planted.survivors(&office).await, NOTHING);
    let ada = office.signed_in("ada", "mine").await;
    assert_eq!(me(&ada).await["email"], "ada@shop.example");
}

on_both!(the_operators_replacement_ends_everything_an_intruder_left);

/// The owner keeps the chosen things. The others end.
async fn an_owner_keeps_the_chosen_ways_in(engine: Engine) {
    let office = Office::open(engine).await;
    let ada = office.confirmed("ada").await;
    let other = office.signed_in("ada", "ada's password").await;
    let mut planted = Planted::by(&office, other, &ada.user_id).await;
    let kept = json!({"keepKeys": true, "keepIdentities": true, "keepInvitations": true});
    let with = |fields: Value| {
        let mut body = kept.clone();
        let fields = fields.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(fields);
        body
    };
    let change = with(json!({"password": "ada's password", "newPassword": "next"}));
    let path = "/v1/auth/local/password";
    let ada = office.speaks_as(&ada.post(path, &change).await.expect(200).json());
    // Begins the linking again: the earlier one has ended in either case.
    let link = office.begin_by(&ada, "later", "next").await;
    let ended = std::mem::replace(&mut planted.link, link);
    let (mut browser, back) = ended;
    browser
        .get(&back, "application/json")
        .await
        .problem(403, "login_failed");
    let token = office.ask_for_reset("ada@shop.example").await;
    let reset = with(json!({"token": token, "password": "mine"}));
    office.post("/v1/auth/local/reset", reset).await.expect(204);
    let survivors = planted.survivors(&office).await;
    assert_eq!(survivors, ["an invitation", "an API key", "an identity"]);
}

on_both!(an_owner_keeps_the_chosen_ways_in);

async fn an_identity_is_linked_in_the_session_that_began_it(engine: Engine) {
    let office = Office::open(engine).await;
    let ada = office.app.user("ada").await;
    let eve = office.app.user("eve").await;
    let finish =
        async |(mut browser, back): (Browser, String)| browser.get(&back, "application/json").await;
    let other = async || office.signed_in("ada", "ada's password").await;

    // The linking ends with its session, in every way a session ends.
    let session = other().await;
    let link = office.begin(&session, "one").await;
    let out = session.request(Method::POST, "/v1/auth/signout");
    session.send(out).await.expect(204);
    finish(link).await.problem(403, "login_failed");

    let session = other().await;
    let link = office.begin(&session, "two").await;
    let list = ada.get("/v1/auth/sessions").await.expect(200).json();
    let mut list = list.as_array().unwrap().iter();
    let foreign = list.rfind(|session| session["current"] == false);
    let path = format!(
        "/v1/auth/sessions/{}",
        foreign.unwrap()["id"].as_str().unwrap()
    );
    ada.delete(&path).await.expect(204);
    finish(link).await.problem(403, "login_failed");

    let session = other().await;
    let (link, own) = (
        office.begin(&session, "three").await,
        office.begin(&ada, "mine").await,
    );
    ada.delete("/v1/auth/sessions").await.expect(204);
    finish(link).await.problem(403, "login_failed");

    // Another user's browser cannot finish it, nor another session of the same user.
    for session in [&eve, &other().await] {
        let (mut browser, back) = office.begin(&ada, "four").await;
        browser.set(
            &office.app.base,
            "placet_session",
            session.token.as_ref().unwrap(),
        );
        let answer = browser.get(&back, "application/json").await;
        answer.problem(403, "login_failed");
    }
    // The session that began it can.
    finish(own).await.expect(200);
    let (mut browser, back) = office.begin(&ada, "five").await;
    browser.set(
        &office.app.base,
        "placet_session",
        ada.token.as_ref().unwrap(),
    );
    browser.get(&back, "application/json").await.expect(200);
}

on_both!(an_identity_is_linked_in_the_session_that_began_it);

/// An intruder begins requests and holds their bodies back until the password has changed.
async fn a_request_that_is_held_open_leaves_nothing_behind(engine: Engine) {
    let office = Office::open(engine).await;
    let ada = office.confirmed("ada").await;
    let intruder = office.signed_in("ada", "ada's password").await;
    let site = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &site).await;
    let guest = json!({"email": "guest@evil.example", "projectId": project, "role": "owner"});
    let wishes = [
        (
            "POST",
            "/v1/auth/keys",
            json!({"name": "k", "scopes": ["read"]}),
        ),
        ("POST", "/v1/auth/invitations", guest),
        (
            "POST",
            "/v1/auth/identities",
            // The password of the time of the request. The new one would be a reason for refusal by itself.
            json!({"provider": "company", "presentPassword": "mine"}),
        ),
        (
            "PUT",
            "/v1/auth/me",
            json!({"displayName": "x", "email": "other@evil.example", "presentPassword": "mine"}),
        ),
        (
            "POST",
            "/v1/auth/local/password",
            json!({"password": "mine", "newPassword": "the intruder's"}),
        ),
    ];
    let mut held = Vec::new();
    for (method, path, body) in wishes {
        let body = body.to_string();
        let address = office.app.base.trim_start_matches("http://").to_owned();
        let mut stream = TcpStream::connect(&address).await.unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\
             connection: close\r\n\r\n",
            intruder.token.as_ref().unwrap(),
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        // The server asks for the body after it has accepted the caller.
        let mut line = [0_u8; 25];
        stream.read_exact(&mut line).await.unwrap();
        assert_eq!(&line, b"HTTP/1.1 100 Continue\r\n\r\n");
        held.push((path, stream, body));
    }
    let change = json!({"password": "ada's password", "newPassword": "mine"});
    let path = "/v1/auth/local/password";
    let ada = office.speaks_as(&ada.post(path, &change).await.expect(200).json());
    let mut let_through = Vec::new();
    for (path, mut stream, body) in held {
        stream.write_all(body.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        if !answer.starts_with("HTTP/1.1 403") {
            let_through.push(path);
        }
    }
    assert_eq!(let_through, NOTHING);
    assert_eq!(ada.get("/v1/auth/keys").await.expect(200).json(), json!([]));
    assert_eq!(me(&ada).await["pendingEmail"], Value::Null);
    office.signed_in("ada", "mine").await;
}

on_both!(a_request_that_is_held_open_leaves_nothing_behind);

async fn removing_a_way_to_sign_in_ends_the_other_sessions(engine: Engine) {
    let office = Office::open(engine).await;
    let ada = office.confirmed("ada").await;
    let (mut browser, back) = office.begin(&ada, SUB).await;
    let linked = browser.get(&back, "application/json").await.expect(200);
    let session = office.by_provider(SUB, "intruder@evil.example").await;
    let intruder = office.speaks_as(&session.expect(200).json());
    assert_eq!(intruder.user_id, ada.user_id);
    let link = office.begin(&intruder, "later").await;
    let path = format!(
        "/v1/auth/identities/{}",
        linked.json()["id"].as_str().unwrap()
    );
    ada.delete(&path).await.expect(204);
    intruder
        .get("/v1/auth/me")
        .await
        .problem(403, "unauthenticated");
    let (mut browser, back) = link;
    let answer = browser.get(&back, "application/json").await;
    answer.problem(403, "login_failed");
    ada.get("/v1/auth/me").await.expect(200);
}

on_both!(removing_a_way_to_sign_in_ends_the_other_sessions);

/// The owner of the mailbox takes over an account that a stranger made with the address.
async fn claim(office: &Office, email: &str) -> String {
    let token = office.letter(email, VERIFY).await;
    let claim = json!({"token": token, "password": "the owner's"});
    let path = "/v1/auth/local/verify";
    office.post(path, claim).await.expect(204);
    token
}

async fn prehijacked_by_a_merge_of_classic_and_federated(engine: Engine) {
    let office = Office::open(engine).await;
    let thief = office.app.user("ada").await;
    // Before the address is confirmed, a provider's login does not find the account.
    let early = office.by_provider("ada at work", "ada@shop.example").await;
    early.problem(409, "account_exists");
    claim(&office, "ada@shop.example").await;
    let merged = office.by_provider("ada at work", "ada@shop.example").await;
    let merged = merged.expect(200).json();
    assert_eq!(merged["user"]["id"], json!(thief.user_id));
    // The account belongs to the owner alone by then.
    thief
        .get("/v1/auth/me")
        .await
        .problem(403, "unauthenticated");
    let credentials = json!({"username": "ada", "password": "ada's password"});
    let old = office.post("/v1/auth/local/signin", credentials).await;
    old.problem(403, "wrong_credentials");
    office.signed_in("ada", "the owner's").await;
}

on_both!(prehijacked_by_a_merge_of_classic_and_federated);

async fn prehijacked_by_a_session_that_does_not_end(engine: Engine) {
    let office = Office::open(engine).await;
    let thief = office.app.user("ada").await;
    let wish = json!({"name": "k", "scopes": ["read"]});
    let made = thief.post("/v1/auth/keys", &wish).await.expect(201).json();
    let mut key = office.app.nobody();
    key.token = made["secret"].as_str().map(str::to_owned);
    let token = claim(&office, "ada@shop.example").await;
    thief
        .get("/v1/auth/me")
        .await
        .problem(403, "unauthenticated");
    key.get("/v1/vault/projects")
        .await
        .problem(403, "unauthenticated");
    let ada = office.signed_in("ada", "the owner's").await;
    assert_eq!(me(&ada).await["emailVerified"], true);
    // The link works once.
    prove(&ada, &token).await.problem(422, "invalid");
}

on_both!(prehijacked_by_a_session_that_does_not_end);

async fn prehijacked_by_an_identifier_of_somebody_else(engine: Engine) {
    for reset in [false, true] {
        let office = Office::open(engine).await;
        let thief = office.app.user("ada").await;
        let account = thief.user_id.clone();
        // The owner could not sign in with it.
        second_factor::turn_on(&office.app, &thief, "ada").await;
        let planted = Planted::by(&office, thief, &account).await;
        if reset {
            // Nothing can be kept of an account with an unverified address.
            let token = office.ask_for_reset("ada@shop.example").await;
            let reset = json!({"token": token, "password": "the owner's", "keepKeys": true,
                               "keepIdentities": true, "keepInvitations": true});
            office.post("/v1/auth/local/reset", reset).await.expect(204);
        } else {
            claim(&office, "ada@shop.example").await;
        }
        assert_eq!(planted.survivors(&office).await, NOTHING, "reset: {reset}");
        office.signed_in("ada", "the owner's").await;
    }
}

on_both!(prehijacked_by_an_identifier_of_somebody_else);

async fn prehijacked_by_a_change_of_the_address(engine: Engine) {
    let office = Office::open(engine).await;
    // A change that was begun before and is finished afterwards.
    let thief = office.app.user("ada").await;
    ask(&thief, "thief@evil.example").await;
    let change = office.letter("thief@evil.example", VERIFY).await;
    claim(&office, "ada@shop.example").await;
    let finished = prove(&office.app.nobody(), &change).await;
    finished.problem(422, "invalid");
    let ada = office.signed_in("ada", "the owner's").await;
    assert_eq!(me(&ada).await["email"], "ada@shop.example");

    // The reverse: an account asks for a stranger's address, and the stranger opens the link.
    let mallory = office.confirmed("mallory").await;
    ask(&mallory, "bob@shop.example").await;
    let token = office.letter("bob@shop.example", VERIFY).await;
    for stranger in [&office.app.nobody(), &ada] {
        prove(stranger, &token).await.problem(403, "sign_in_first");
    }
    let with_password = json!({"token": token, "password": "bob's own"});
    let answer = office.post("/v1/auth/local/verify", with_password).await;
    answer.problem(403, "sign_in_first");
    assert_eq!(me(&mallory).await["email"], "mallory@shop.example");
    let bob = office.by_provider("bob at work", "bob@shop.example").await;
    assert_ne!(bob.expect(200).json()["user"]["id"], json!(mallory.user_id));
}

on_both!(prehijacked_by_a_change_of_the_address);

async fn prehijacked_by_a_provider_that_verifies_nothing(engine: Engine) {
    let office = Office::open(engine).await;
    let mut browser = Browser::new();
    let away = browser.begin(&office.app).await;
    let code = json!({"lie": "", "nonce": parameter(&away, "nonce"), "sub": "thief",
                      "email": "ada@shop.example", "email_verified": false});
    let back = office.back(&away, "thief", "ada@shop.example");
    let unverified = crate::oidc::with(&back, "code", Some(&crate::oidc::coded(&code)));
    let answer = browser.get(&unverified, "application/json").await;
    answer.problem(403, "email_unverified");
    // The address is free, and its owner's account has nothing of the thief.
    let ada = office.confirmed("ada").await;
    let identities = ada.get("/v1/auth/identities").await.expect(200).json();
    assert_eq!(identities.as_array().unwrap().len(), 1);
}

on_both!(prehijacked_by_a_provider_that_verifies_nothing);

async fn a_mailbox_opens_no_account_with_a_second_factor(engine: Engine) {
    let office = Office::open(engine).await;
    let ada = office.confirmed("ada").await;
    crate::second_factor::turn_on(&office.app, &ada, "ada").await;
    // A reader of the mailbox has verified its address at the provider.
    let answer = office.by_provider("reader", "ada@shop.example").await;
    answer.problem(409, "account_exists");
    let identities = ada.get("/v1/auth/identities").await.expect(200).json();
    assert_eq!(identities.as_array().unwrap().len(), 1);
}

on_both!(a_mailbox_opens_no_account_with_a_second_factor);

async fn a_session_confirms_its_address_and_nothing_ends(engine: Engine) {
    let office = Office::open(engine).await;
    let ada = office.app.user("ada").await;
    let wish = json!({"name": "k", "scopes": ["read"]});
    let made = ada.post("/v1/auth/keys", &wish).await.expect(201).json();
    let mut key = office.app.nobody();
    key.token = made["secret"].as_str().map(str::to_owned);
    let token = office.letter("ada@shop.example", VERIFY).await;
    // It cannot happen by mistake: without a session a new password is required, the token must be valid, and
    // API keys cannot manage accounts.
    let missing = prove(&office.app.nobody(), &token).await;
    let missing = missing.problem(422, "invalid");
    assert_eq!(missing["errors"][0]["pointer"], "/password");
    assert_eq!(missing["errors"][0]["code"], "required");
    let eve = office.app.user("eve").await;
    prove(&eve, &token).await.problem(422, "invalid");
    prove(&key, &token).await.problem(403, "not_a_user");
    let mut stale = office.app.nobody();
    stale.token = Some("x".to_owned());
    prove(&stale, &token).await.problem(403, "unauthenticated");
    // Any session of the account works, not only that of sign-up.
    let phone = office.signed_in("ada", "ada's password").await;
    prove(&phone, &token).await.expect(204);
    for client in [&ada, &phone] {
        assert_eq!(me(client).await["emailVerified"], true);
    }
    key.get("/v1/vault/projects").await.expect(200);
    office.signed_in("ada", "ada's password").await;
}

on_both!(a_session_confirms_its_address_and_nothing_ends);

async fn new_passwords_send_no_more_letters(engine: Engine) {
    let office = Office::open(engine).await;
    let mut ada = office.app.user("ada").await;
    for turn in 0..7 {
        let again = ada.request(Method::POST, "/v1/auth/me/verification");
        let answer = ada.send(again).await;
        // The letter of the sign-up is the first of four.
        if turn < 3 {
            answer.expect(202);
        } else {
            assert!(answer.header("retry-after").parse::<u32>().unwrap() <= 3_600);
            answer.problem(429, "too_many_requests");
        }
        jobs_end(&office.app).await;
        let present = if turn == 0 { "ada's password" } else { "x" };
        let change = json!({"password": present, "newPassword": "x"});
        let changed = ada.post("/v1/auth/local/password", &change).await;
        ada = office.speaks_as(&changed.expect(200).json());
    }
    let sent = crate::recovery::sent(&office.app, "ada@shop.example", "verify").await;
    assert_eq!(sent, 4);
}

on_both!(new_passwords_send_no_more_letters);

both!(an_account_keeps_a_way_in, |app| async move {
    // Without mail and provider the password is the only way to sign in, and stays.
    let ada = app.user("ada").await;
    let local = format!("/v1/auth/identities/{}", ada.user_id);
    let remove = json!({"presentPassword": "ada's password"});
    let request = ada.request(Method::DELETE, &local).json(&remove);
    ada.send(request).await.problem(409, "last_identity");
    ada.get("/v1/auth/me").await.expect(200);
});

/// Somebody who knew the password has left ways in that ask for no second factor.
async fn the_first_second_factor_ends_what_asks_for_none(engine: Engine) {
    for keeps in [false, true] {
        let office = Office::open(engine).await;
        let ada = office.confirmed("ada").await;
        let intruder = office.signed_in("ada", "ada's password").await;
        let mut planted = Planted::by(&office, intruder, &ada.user_id).await;
        let kept = json!({"keepKeys": keeps, "keepIdentities": keeps});
        second_factor::turn_on_keeping(&office.app, &ada, "ada", &kept).await;
        let (mut browser, back) =
            std::mem::replace(&mut planted.link, office.begin(&ada, "later").await);
        let ended = browser.get(&back, "application/json").await;
        ended.problem(403, "login_failed");
        let survivors = planted.survivors(&office).await;
        let expected: &[&str] = if keeps {
            &[
                "a link that was begun",
                "an invitation",
                "an API key",
                "an identity",
            ]
        } else {
            &["a link that was begun", "an invitation"]
        };
        assert_eq!(survivors, expected);
    }
}

on_both!(the_first_second_factor_ends_what_asks_for_none);
