//! Entries of consents, from imports and retries to erasure and retention.

use std::path::Path;

use proof::verify::{Outcome, verify};
use reqwest::Method;
use serde_json::{Value, json};
use tests::{Engine, TestApp, both, until};

use super::{answer, bundle, judged, policy, published};
use crate::shop::{Shop, choice, id};

both!(
    an_erased_consent_is_proven_by_its_tombstone_and_its_salt_is_gone,
    |app| async move {
        let (ada, project, cookies) = published(&app).await;
        let consent = answer(&app, &project, &cookies).await;
        let before = bundle(&ada, &project, &consent, "").await.text;
        let salts = async || -> Vec<Vec<u8>> {
            let sql = "SELECT salt FROM consents WHERE salt IS NOT NULL";
            app.placet.db.query(sql).all_values().await.unwrap()
        };
        let salt = salts().await.remove(0);
        assert_eq!(salt.len(), 32, "the salt was really read");
        let path = format!("/v1/app/consents/{project}/tokens/visitor");
        ada.delete(&path).await.expect(200);
        let remains = salts().await.remove(0);
        assert_eq!(remains.len(), 128);
        assert!(!remains.windows(32).any(|bytes| bytes == salt));
        let after = bundle(&ada, &project, &consent, "").await.text;
        assert!(!after.contains("visitor") && after.contains("erasedAt"));
        let (vkey, policy) = policy(&app).await;
        for text in [&before, &after] {
            let report = verify(text, Some(&policy));
            assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("after");
        std::fs::write(&file, &after).unwrap();
        assert_eq!(judged(&vkey, &[file]), ["3\tin order"]);
        // A later erasure of nothing adds nothing.
        let size = app.placet.ledger.status().await.unwrap().unwrap();
        ada.delete(&path).await.expect(404);
        let again = app.placet.ledger.status().await.unwrap().unwrap();
        assert_eq!(size.size + size.waiting, again.size + again.waiting);
    }
);

both!(
    after_retention_no_salt_is_left_and_an_earlier_proof_still_verifies,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let rule = json!({"retention": {"consentMonths": 1}});
        let project = format!("/v1/vault/projects/{}", shop.project);
        shop.owner.patch(&project, &rule).await.expect(200);
        let told = shop.collect(&app, &choice("visitor", true, true)).await;
        let consent = id(&told);
        let salt = json!({"salt": told.json()["receipt"]["salt"]});
        let before = bundle(&shop.owner, &shop.project, &consent, "").await.text;
        let salts = async || -> Vec<Vec<u8>> {
            let sql = "SELECT salt FROM consents WHERE salt IS NOT NULL";
            app.placet.db.query(sql).all_values().await.unwrap()
        };
        assert_eq!(salts().await.len(), 1);
        app.clock.advance_days(40);
        app.placet.forget_expired().await.unwrap();
        until("the salt is gone", async || {
            salts().await.is_empty().then_some(())
        })
        .await;
        let path = format!("/v1/app/proofs/{}/{consent}", shop.project);
        app.nobody()
            .post(&path, &salt)
            .await
            .problem(404, "not_found");
        let (_, policy) = policy(&app).await;
        let report = verify(&before, Some(&policy));
        assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
    }
);

both!(
    a_retry_is_one_entry_and_imports_have_entries_too,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        // Of consents; the ledger tells of its own key as well.
        let entries = async || -> i64 {
            let sql = "SELECT CAST(COALESCE(SUM(leaves), 0) AS BIGINT) FROM ledger_batches WHERE kind = 1";
            app.placet.db.query(sql).one_value().await.unwrap()
        };
        let mut body = choice("visitor", true, false);
        body["consentId"] = json!("019aa3f3-0d4e-7a51-8c3b-5f6a7b8c9d0e");
        let before = entries().await;
        for _ in 0..3 {
            shop.collect(&app, &body).await.expect(201);
        }
        assert_eq!(entries().await - before, 1);
        let row = |token: &str, more: Value| {
            let mut row = json!({"token": token, "collection": "cookies", "identifier": shop.cookies,
                "accept": true});
            row.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            row.to_string() + "\n"
        };
        let at = "2026-01-02T03:04:05.678901Z";
        let file = row("one", json!({"createdAt": at}))
            + &row("two", json!({}))
            + &row("visitor", json!({"consentId": body["consentId"]}));
        let path = format!("/v1/app/imports/{}", shop.project);
        let request = shop.owner.request(Method::POST, &path);
        let request = request
            .header("content-type", "application/x-ndjson")
            .body(file);
        let told = shop.owner.send(request).await.expect(200).json();
        assert_eq!(
            (&told["imported"], &told["skipped"]),
            (&json!(2), &json!(1)),
            "{told}"
        );
        assert_eq!(entries().await - before, 3);
        let (_, policy) = policy(&app).await;
        for consent in shop.list("").await {
            let consent = consent["consentId"].as_str().unwrap();
            let text = bundle(&shop.owner, &shop.project, consent, "").await.text;
            let report = verify(&text, Some(&policy));
            assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
        }
    }
);

both!(
    consents_without_an_entry_stay_as_they_are,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let consent = id(&shop
            .collect(&app, &choice("visitor", true, true))
            .await
            .expect(201));
        // As the release before has stored it.
        let sql = "UPDATE consents SET salt = NULL, batch = NULL";
        app.placet.db.query(sql).exec().await.unwrap();
        let path = format!("/v1/app/consents/{}/{consent}/proof", shop.project);
        shop.owner.get(&path).await.problem(409, "not_in_ledger");
        shop.owner
            .get(&format!("{path}?withhold=core"))
            .await
            .problem(400, "bad_request");
        shop.owner
            .get(&format!("{path}?with=core"))
            .await
            .problem(400, "bad_request");
        assert_eq!(shop.list("").await.len(), 1);
        let erase = format!("/v1/app/consents/{}/tokens/visitor", shop.project);
        shop.owner.delete(&erase).await.expect(200);
        shop.owner.get(&path).await.problem(409, "not_in_ledger");
    }
);

/// True if a file in a folder, or in a folder of it, has these bytes.
fn is_in_files(folder: &Path, sought: &[u8]) -> bool {
    std::fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return is_in_files(&path, sought);
        }
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(sought.len()).any(|bytes| bytes == sought)
    })
}

/// A deleted row is gone from its table, and its bytes may still be in the file of the database.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_file_keeps_a_salt_after_erasure_and_retention() {
    let mut app = TestApp::start(Engine::Sqlite).await;
    let shop = Shop::open(&app, "ada").await;
    let rule = json!({"retention": {"consentMonths": 1}});
    let project = format!("/v1/vault/projects/{}", shop.project);
    shop.owner.patch(&project, &rule).await.expect(200);
    for token in ["erased", "over"] {
        let consent = id(&shop.collect(&app, &choice(token, true, true)).await);
        bundle(&shop.owner, &shop.project, &consent, "").await;
    }
    let sql = "SELECT salt FROM consents";
    let salts: Vec<Vec<u8>> = app.placet.db.query(sql).all_values().await.unwrap();
    let folder = app.config().data_dir;
    let left = || {
        salts
            .iter()
            .filter(|salt| is_in_files(&folder, salt))
            .count()
    };
    app.stop().await;
    assert_eq!(left(), 2, "the files were really read");
    app.restart().await;
    let path = format!("/v1/app/consents/{}/tokens/erased", shop.project);
    shop.owner.delete(&path).await.expect(200);
    app.stop().await;
    assert_eq!(left(), 1);
    app.restart().await;
    app.clock.advance_days(40);
    app.placet.forget_expired().await.unwrap();
    until("the other consent is removed", async || {
        let rows = "SELECT COUNT(*) FROM consents WHERE token = 'over'";
        let rows = app.placet.db.query(rows);
        (rows.one_value::<i64>().await.unwrap() == 0).then_some(())
    })
    .await;
    app.stop().await;
    assert_eq!(left(), 0);
}
