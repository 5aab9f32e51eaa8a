//! Imports whose rows wait to be moved, since the process that read their file has died.

use serde_json::{Value, json};
use service::clock::Clock;
use tests::{TestApp, both, until};
use uuid::Uuid;

use super::{Shop, parts};

/// An import that began now; `salt` tells two of them apart.
fn began_now(app: &TestApp, salt: u8) -> Uuid {
    let now = app.clock.now().millis().unsigned_abs();
    uuid::Builder::from_unix_timestamp_millis(now, &[salt; 10]).into_uuid()
}

/// A row as it waits.
fn entry(shop: &Shop, token: &str, number: u64) -> Value {
    json!({"row": number, "consent_id": Uuid::from_u128(u128::from(number)), "seek_twin": false,
        "collection": "cookies", "identifier": shop.cookies, "token": token,
        "accept": true, "outcome": "accepted", "preferences": "{}", "value": null,
        "publication": null, "decided_at": 1_700_000_000_000_000_i64, "page_host": null,
        "ip": null, "country": null, "user_agent": null, "erased_at": null})
}

/// Keeps rows as a part of an import. Processes of a release before name no project.
async fn keep(app: &TestApp, (import, number): (Uuid, i64), rows: &[Value], project: Option<&str>) {
    let part = app.placet.db.query(
        "INSERT INTO consent_import_parts (import_id, number, records, project_id) VALUES ($1, $2, $3, $4)",
    );
    let part = part
        .bind(import)
        .bind(number)
        .bind(json!(rows).to_string())
        .bind(project.map(|project| Uuid::parse_str(project).expect("an id")));
    part.exec().await.expect("a part");
}

/// Records the job that ends an import.
async fn decide(app: &TestApp, import: Uuid, shop: &Shop, status: &str) {
    let job = app.placet.db.query(
        "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, lease_until, \
         created_at) VALUES ($1, 'consents.import', 'import', $2, $3, 0, 1, 0, 0)",
    );
    let job = job.bind(import).bind(shop.project.as_str()).bind(status);
    job.exec().await.expect("a job");
    app.placet.jobs.wake();
}

both!(
    a_decided_import_is_finished_by_another_process,
    |app| async move {
        let owner = app.user("ada").await;
        let shop = Shop::open(&app, &owner).await;
        // State after two processes died: one had read two parts and decided, the other had not decided.
        let (decided, dead) = (began_now(&app, 1), began_now(&app, 2));
        for (part, row) in [((decided, 0), 1), ((decided, 1), 2), ((dead, 0), 3)] {
            let row = entry(&shop, &format!("t{row}"), row);
            keep(&app, part, &[row], None).await;
        }
        decide(&app, decided, &shop, "running").await;
        until("the import ends", async || {
            (app.placet.jobs.unfinished().await.expect("a count") == 0).then_some(())
        })
        .await;
        assert_eq!(shop.total().await, "2");
        app.placet.forget_expired().await.expect("housekeeping");
        assert_eq!(parts(&app).await, 1, "it may still be reading");
        app.clock.advance_days(2);
        app.placet.forget_expired().await.expect("housekeeping");
        assert_eq!(parts(&app).await, 0);
        assert_eq!(shop.list().await.len(), 2);
    }
);

both!(
    rows_that_were_stored_cost_nothing_whoever_ends_their_import,
    |app| async move {
        let owner = app.user("ada").await;
        let shop = Shop::open(&app, &owner).await;
        let account = Uuid::parse_str(&owner.user_id).expect("an id");
        let yesterday = app.clock.now().day() - 1;
        let db = &app.placet.db;
        let paid = db
            .query("INSERT INTO account_days (account_id, day, bytes) VALUES ($1, $2, 10000)")
            .bind(account)
            .bind(yesterday);
        paid.exec().await.expect("a day");
        let mut row = entry(&shop, "kim", 1);
        row["paid"] = json!([account, yesterday]);
        for salt in [1, 2] {
            let import = began_now(&app, salt);
            keep(
                &app,
                (import, 0),
                &[row.clone()],
                Some(shop.project.as_str()),
            )
            .await;
            decide(&app, import, &shop, "running").await;
            until("the import ends", async || {
                (app.placet.jobs.unfinished().await.expect("a count") == 0).then_some(())
            })
            .await;
        }
        assert_eq!(shop.list().await.len(), 1);
        let left = db
            .query("SELECT bytes FROM account_days WHERE account_id = $1 AND day = $2")
            .bind(account)
            .bind(yesterday);
        // Half a kilobyte for the consent, its token and its preferences.
        assert_eq!(left.one_value::<i64>().await.expect("a day"), 10_000 - 505);
    }
);

both!(an_erasure_takes_rows_that_wait, |app| async move {
    let owner = app.user("ada").await;
    let shop = Shop::open(&app, &owner).await;
    let (import, given_up) = (began_now(&app, 1), began_now(&app, 2));
    let project = Some(shop.project.as_str());
    let first = [entry(&shop, "zoe \"z\"", 1), entry(&shop, "kim", 2)];
    keep(&app, (import, 0), &first, project).await;
    keep(&app, (import, 1), &[entry(&shop, "lea", 3)], project).await;
    let path = format!("/v1/app/consents/{}/tokens/zoe%20%22z%22", shop.project);
    let erased = owner.delete(&path).await.expect(200).json();
    assert_eq!(erased["erased"], 1);
    owner.delete(&path).await.problem(404, "not_found");
    // Once for what was erased, and not for nothing.
    let entries = "SELECT COUNT(*) FROM audit WHERE action = 'consents_erased'";
    let entries = app.placet.db.query(entries).count().await;
    assert_eq!(entries.expect("a count"), 1);
    // A process goes on with the import, and stores its rows as they are now.
    decide(&app, import, &shop, "running").await;
    until("the import ends", async || {
        (parts(&app).await == 0).then_some(())
    })
    .await;
    let list = shop.list().await;
    let mut tokens: Vec<&str> = list
        .iter()
        .filter_map(|one| one["token"].as_str())
        .collect();
    tokens.sort_unstable();
    assert_eq!(tokens, ["kim", "lea"]);

    // The rows of an import that was given up stay for a month.
    keep(&app, (given_up, 0), &[], project).await;
    decide(&app, given_up, &shop, "failed").await;
    for (days, left) in [(29, 1), (2, 0)] {
        app.clock.advance_days(days);
        app.placet.forget_expired().await.expect("housekeeping");
        assert_eq!(parts(&app).await, left);
    }
});
