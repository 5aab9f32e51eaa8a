//! Sign-up with each value of `--sign-up`.

use serde_json::{Value, json};
use service::auth::{SignUp, SignUpIn};
use tests::{Client, Engine, on_both};

use crate::takeover::Office;

on_both!(a_server_with_sign_up_off_makes_no_accounts);
on_both!(an_invited_person_gets_an_account);

async fn open(engine: Engine, sign_up: SignUp) -> Office {
    Office::open_with(engine, |config| config.sign_up = sign_up).await
}

const PASSWORD: &str = "correct horse";

/// The operator's first account.
async fn owner(office: &Office) -> Client {
    let account = SignUpIn {
        display_name: None,
        username: "ada".to_owned(),
        email: "ada@shop.example".to_owned(),
        password: PASSWORD.to_owned(),
        invitation: None,
    };
    let made = office.app.placet.auth.make_account(account, true).await;
    made.unwrap();
    office.signed_in("ada", PASSWORD).await
}

fn account(name: &str, invitation: Option<&str>) -> Value {
    json!({"username": name, "email": format!("{name}@shop.example"), "password": PASSWORD,
        "invitation": invitation})
}

/// Invites an address to a project. Returns the secret of the letter.
async fn invite(office: &Office, owner: &Client, email: &str) -> (String, Value) {
    let site = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = owner.create("projects", &site).await;
    let wish = json!({"email": email, "projectId": project});
    let made = owner.post("/v1/auth/invitations", &wish).await;
    let made = made.expect(201).json();
    (
        office.letter(email, "invites you").await,
        made["id"].clone(),
    )
}

async fn a_server_with_sign_up_off_makes_no_accounts(engine: Engine) {
    let office = open(engine, SignUp::Off).await;
    let owner = owner(&office).await;
    let (secret, _) = invite(&office, &owner, "eve@shop.example").await;
    for body in [account("eve", None), account("eve", Some(&secret))] {
        let answer = office.post("/v1/auth/local/signup", body).await;
        answer.problem(403, "sign_up_off");
    }
    let answer = office.by_provider("e1", "eve@shop.example").await;
    answer.problem(403, "sign_up_off");
    // A person with an account can also sign in by a provider.
    let answer = office.by_provider("a1", "ada@shop.example").await;
    assert_eq!(
        answer.expect(200).json()["user"]["id"],
        json!(owner.user_id)
    );
}

async fn an_invited_person_gets_an_account(engine: Engine) {
    let office = open(engine, SignUp::Invited).await;
    let owner = owner(&office).await;
    let sign_up = async |body: Value| office.post("/v1/auth/local/signup", body).await;
    let refused = async |body: Value| {
        sign_up(body).await.problem(403, "not_invited");
    };
    let (secret, _) = invite(&office, &owner, "grace@shop.example").await;
    // The invited address without the letter, the letter with another address, and a guessed secret are
    // refused.
    refused(account("grace", None)).await;
    refused(account("eve", Some(&secret))).await;
    refused(account("grace", Some(&secret[1..]))).await;
    let answer = office.by_provider("e1", "eve@shop.example").await;
    answer.problem(403, "not_invited");

    let made = sign_up(account("grace", Some(&secret))).await.expect(201);
    let grace = office.speaks_as(&made.json());
    let accept = format!("/v1/auth/invitations/{secret}/accept");
    grace.post(&accept, &json!({})).await.expect(200);
    refused(account("mallory", Some(&secret))).await;

    // A verified address of a provider counts like the letter.
    let (_, id) = invite(&office, &owner, "bob@shop.example").await;
    office
        .by_provider("b1", "bob@shop.example")
        .await
        .expect(200);
    // Revoked and expired invitations permit no sign-up.
    let (secret, id_of_carol) = invite(&office, &owner, "carol@shop.example").await;
    for id in [id, id_of_carol] {
        let path = format!("/v1/auth/invitations/{}", id.as_str().unwrap());
        owner.delete(&path).await.expect(204);
    }
    refused(account("carol", Some(&secret))).await;
    let answer = office.by_provider("c1", "carol@shop.example").await;
    answer.problem(403, "not_invited");
    let (secret, _) = invite(&office, &owner, "dora@shop.example").await;
    office.app.clock.advance_days(8);
    refused(account("dora", Some(&secret))).await;
}
