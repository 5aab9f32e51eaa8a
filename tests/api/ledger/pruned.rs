//! A ledger that keeps its entries for some years: older ones are removed, and everything that was proven stays so.

use proof::verify::{Outcome, verify};
use serde_json::{Value, json};
use service::Placet;
use tests::{Client, Engine, TestApp, on_both, until};

use super::{about, bundle, policy};
use crate::{publish, shop::id};

/// Entries of a tile.
const TILE: u64 = 256;

/// So many visitors answer at the same time, and a checkpoint covers exactly them. Returns the ids of their consents.
async fn answer(app: &TestApp, (path, body): (&str, &Value), number: u64, all: u64) -> Vec<String> {
    let answers = (0..number).map(|_| {
        let nobody = app.nobody();
        async move { id(&nobody.post(path, body).await.expect(201)) }
    });
    let consents = futures::future::join_all(answers).await;
    until("all entries are published", async || {
        let status = app.placet.ledger.status().await.expect("a status")?;
        (status.published == all).then_some(())
    })
    .await;
    consents
}

/// The proof shows the publication, and verifies.
async fn is_good(app: &TestApp, text: &str) {
    let (_, policy) = policy(app).await;
    let report = verify(text, Some(&policy));
    assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
    let mut shown = report.shown.iter();
    assert!(
        shown.any(|line| line.starts_with("Publication ")),
        "{report:?}"
    );
}

async fn entries_go_after_their_years_and_proofs_of_before_stay_good(engine: Engine) {
    let app = TestApp::set_up(engine, None, |config| {
        config.ledger.keep_years = Some(6);
    })
    .await;
    let ada = app.user("ada").await;
    let (project, cookies) = publish::shop(&ada, "en").await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    // A key outlives the session.
    let input = json!({"name": "all", "scopes": ["read", "consents"]});
    let key = ada.post("/v1/auth/keys", &input).await.expect(201).json();
    let mut owner: Client = app.nobody();
    owner.token = key["secret"].as_str().map(str::to_owned);
    let pointer = app.nobody().get(&format!("/cdn/{project}.json")).await;
    let publication = pointer.expect(200).json()["publications"][&cookies].clone();
    let body = json!({"accept": true, "token": "visitor", "publication": publication});
    let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
    let answers = (path.as_str(), &body);
    // The publication, a key, and consents until the tile is full; then a tile of consents alone; then a part of one.
    let first = answer(&app, answers, TILE - 2, TILE).await;
    let second = answer(&app, answers, TILE, 2 * TILE).await;
    let third = answer(&app, answers, 20, 2 * TILE + 20).await;
    let before = bundle(&owner, &project, &second[7], "").await.text;
    app.placet.ledger.prune().await.expect("nothing is old");
    assert_eq!(about(&app).await["prunedTo"], 0);
    assert_eq!(about(&app).await["keepYears"], 6);

    app.clock.advance_days(7 * 366);
    let last = answer(&app, answers, 1, 2 * TILE + 21).await;
    until("old entries go", async || {
        app.placet.ledger.prune().await.expect("a ledger in order");
        (about(&app).await["prunedTo"] == 2 * TILE).then_some(())
    })
    .await;
    app.placet.ledger.prune().await.expect("nothing is left");
    let prefix = about(&app).await["prefix"]
        .as_str()
        .expect("a text")
        .to_owned();
    let (_, folder) = prefix.split_once("/cdn/").expect("its files");
    // The tile with the publication stays.
    for (file, status) in [
        ("tile/entries/000", 200),
        ("tile/0/000", 200),
        ("tile/entries/001", 404),
        ("tile/0/001", 404),
        ("tile/1/000.p/2", 200),
        ("checkpoint", 200),
    ] {
        let answer = app.nobody().get(&format!("/cdn/{folder}{file}")).await;
        assert_eq!(answer.status, status, "{file}");
    }
    let proof = format!("/v1/app/consents/{project}/{}/proof", second[7]);
    owner.get(&proof).await.problem(410, "entry_removed");
    is_good(&app, &before).await;
    for consent in [&first[7], &third[7], &last[0]] {
        is_good(&app, &bundle(&owner, &project, consent, "").await.text).await;
    }
    let beside = Placet::open(app.config()).await.expect("another process");
    let audit = beside.consents.audit_ledger(&|_, _, _| {}).await;
    beside.close().await;
    let audit = audit.expect("an audit").expect("a ledger");
    assert_eq!(audit.faults, Vec::<String>::new());
    assert_eq!(
        (audit.present.pruned_to, audit.entry_removed),
        (2 * TILE, TILE)
    );
    assert_eq!(audit.present.of_type.get("removed"), Some(&(2 * TILE)));
}

on_both!(entries_go_after_their_years_and_proofs_of_before_stay_good);
