//! Two histories: a tree is never signed beside another one of its size.

use tests::{TestApp, both, until};

use super::bundle;
use crate::shop::{Shop, choice, id};

/// Waits until the ledger stands still for this reason.
async fn stopped(app: &TestApp, why: &str) {
    until("the ledger stands still", async || {
        let status = app.placet.ledger.status().await.unwrap()?;
        (status.stopped.as_deref() == Some(why)).then_some(())
    })
    .await;
}

/// A root of nothing.
const OTHER: [u8; 32] = [7; 32];

both!(
    no_tree_is_signed_beside_another_one_of_its_size,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let mut consents = Vec::new();
        let answer = async || {
            let told = shop.collect(&app, &choice("visitor", true, true)).await;
            id(&told.expect(201))
        };
        consents.push(answer().await);
        let published = until("all entries are published", async || {
            let status = app.placet.ledger.status().await.unwrap()?;
            let size = status.published;
            (size > 0 && status.to_publish() == 0).then_some(size)
        })
        .await;
        let db = &app.placet.db;
        let size = i64::try_from(published).unwrap();
        let of_size = "SELECT root FROM ledger_checkpoints WHERE size = $1";
        let root: Vec<u8> = db.query(of_size).bind(size).one_value().await.unwrap();
        // Another process, or a database of before, has signed otherwise: the latest tree, and the next one.
        let other = "INSERT INTO ledger_checkpoints (size, root, note, created_at) \
                     SELECT size + 1, $1, note, created_at FROM ledger_checkpoints WHERE size = $2";
        let other = db.query(other).bind(OTHER.to_vec()).bind(size);
        assert_eq!(other.exec().await.unwrap(), 1);
        let sign = async |root: &[u8]| {
            let signing = "UPDATE ledger_checkpoints SET root = $1 WHERE size = $2";
            let signed = db.query(signing).bind(root.to_vec()).bind(size);
            assert_eq!(signed.exec().await.unwrap(), 1);
        };
        sign(&OTHER).await;
        consents.push(answer().await);
        stopped(
            &app,
            &format!("two trees of {size} leaves have different roots"),
        )
        .await;
        sign(&root).await;
        let next = size + 1;
        stopped(
            &app,
            &format!("two trees of {next} leaves have different roots"),
        )
        .await;
        // Consents go on, and nothing was signed.
        consents.push(answer().await);
        let status = app.placet.ledger.status().await.unwrap().unwrap();
        assert_eq!(status.published, published);
        let gone = "DELETE FROM ledger_checkpoints WHERE size = $1";
        assert_eq!(db.query(gone).bind(next).exec().await.unwrap(), 1);
        for consent in &consents {
            let text = bundle(&shop.owner, &shop.project, consent, "").await.text;
            let report = proof::verify::verify(&text, None);
            assert_ne!(report.outcome, proof::verify::Outcome::Failed, "{report:?}");
        }
        let status = app.placet.ledger.status().await.unwrap().unwrap();
        assert_eq!(status.stopped, None);
    }
);
