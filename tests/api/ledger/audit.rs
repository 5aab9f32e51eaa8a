//! The audit of the ledger: it opens each entry by its row, and names each row and each file that was changed.

use std::sync::Once;

use proof::{commitment::Pictures, tile::add_entry};
use serde_json::json;
use service::{
    Placet,
    consents::{LedgerAudit, Opened},
    ledger::Rotation,
};
use tests::{TestApp, both, until};
use tokio::{runtime::Handle, task::block_in_place};

use crate::{publish, shop::id};

/// Answers of visitors. With the publication, an erasure and a key they take more than a tile.
const ANSWERS: u64 = 300;

/// As `placet ledger audit` does it: in a process of its own, which remembers no files.
async fn audit(app: &TestApp) -> LedgerAudit {
    let beside = Placet::open(app.config()).await.expect("another process");
    let audit = beside.consents.audit_ledger(&|_, _, _| {}).await;
    beside.close().await;
    audit.expect("an audit").expect("a ledger")
}

async fn published(app: &TestApp, entries: u64) {
    until("all entries are published", async || {
        let status = app.placet.ledger.status().await.unwrap()?;
        (status.published == entries).then_some(())
    })
    .await;
}

/// Answers of one visitor. Returns the ids of the consents.
async fn answer(app: &TestApp, path: &str, number: usize) -> Vec<String> {
    let body = json!({"accept": true, "token": "visitor", "preferences": {"vendors": {}}});
    let answers = (0..number).map(|_| {
        let (nobody, body) = (app.nobody(), &body);
        async move { id(&nobody.post(path, body).await.expect(201)) }
    });
    futures::future::join_all(answers).await
}

async fn changed(app: &TestApp, sql: &'static str) {
    let changed = app.placet.db.query(sql).exec().await.expect("a change");
    assert_eq!(changed, 1, "{sql}");
}

both!(
    an_audit_opens_each_entry_and_names_what_was_changed,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, cookies) = publish::shop(&ada, "en").await;
        ada.publish(&project).await;
        let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
        let nobody = app.nobody();
        let answers = (0..ANSWERS).map(|number| {
            let body = json!({"accept": true, "token": format!("visitor-{number}"), "preferences": {"vendors": {}}});
            let (nobody, path) = (&nobody, &path);
            async move { nobody.post(path, &body).await.expect(201) }
        });
        futures::future::join_all(answers).await;
        let erased = format!("/v1/app/consents/{project}/tokens/visitor-7");
        ada.delete(&erased).await.expect(200);
        published(&app, ANSWERS + 3).await;
        let before = audit(&app).await;
        assert_eq!(before.faults, Vec::<String>::new());
        let opened = Opened {
            by_row: ANSWERS - 1,
            by_tombstone: 1,
            removed: 0,
        };
        assert_eq!(before.present.consents, opened);
        let of_type = [
            ("consent", ANSWERS),
            ("erasure", 1),
            ("key", 1),
            ("publication", 1),
        ];
        assert_eq!(before.present.of_type, of_type.into_iter().collect());
        assert_eq!((before.waiting, before.without_entry), (0, 0));
        assert_eq!(before.present.keys_unknown, 0);

        // Somebody with the database removes a consent: its entry stays, and no row opens it. Somebody changes another.
        changed(&app, "DELETE FROM consents WHERE token = 'visitor-1'").await;
        let after = audit(&app).await;
        assert_eq!((after.present.consents.removed, after.fault_count), (1, 0));
        changed(
            &app,
            "UPDATE consents SET accept = NOT accept WHERE token = 'visitor-2'",
        )
        .await;
        changed(&app, "UPDATE publications SET manifest = manifest || ' '").await;
        changed(
            &app,
            "UPDATE consents SET erased_at = erased_at + 1 WHERE erased_at IS NOT NULL",
        )
        .await;
        let after = audit(&app).await;
        assert_eq!(after.present.consents.by_row, ANSWERS - 3);
        let about = ["the erasure of consent ", "consent ", "publication "];
        for about in about {
            let named = after.faults.iter().filter(|fault| fault.starts_with(about));
            assert_eq!(named.count(), 1, "{about}: {:?}", after.faults);
        }
        // A consent is made to look erased. Another loses its salt. A third one loses the entry of its erasure.
        for (sql, named) in [
            (
                "UPDATE consents SET erased_at = 1 WHERE token = 'visitor-3'",
                "salt",
            ),
            (
                "UPDATE consents SET salt = NULL WHERE token = 'visitor-4'",
                "lost a part",
            ),
            (
                "UPDATE consents SET erasure_batch = NULL WHERE erased_at IS NOT NULL AND token <> 'visitor-3'",
                "told of no erasure",
            ),
        ] {
            changed(&app, sql).await;
            let after = audit(&app).await;
            let is_named = |fault: &&String| fault.contains(named);
            assert_eq!(after.faults.iter().filter(is_named).count(), 1, "{named}");
        }
        let faults = audit(&app).await.fault_count;
        // A batch that ends behind the tree seems to wait for a checkpoint.
        changed(
            &app,
            "UPDATE ledger_batches SET leaves = leaves + 100000 WHERE id = \
             (SELECT batch FROM consents WHERE token = 'visitor-5')",
        )
        .await;
        let after = audit(&app).await;
        assert_eq!(after.waiting, 0);
        assert!(after.fault_count > faults, "{:?}", after.faults);
        let faults = after.fault_count;

        // Somebody changes a published file.
        let (_, digits) = before.present.origin.rsplit_once('/').unwrap();
        let folder = app.placet.config.data_dir.join("cdn/ledger").join(digits);
        for (file, named) in [
            ("tile/entries/000", "tile/0/000 has other hashes"),
            ("tile/0/000", "tile/0/000 has other hashes"),
            ("tile/1/000.p/1", "tile/1/000.p/1 has other hashes"),
            ("checkpoint", "the published checkpoint"),
        ] {
            let file = folder.join(file);
            let right = std::fs::read(&file).unwrap();
            let mut wrong = right.clone();
            let last = wrong.len() - 5;
            wrong[last] ^= 1;
            for (bytes, named) in [(Some(&wrong), named), (None, "is missing")] {
                match bytes {
                    Some(bytes) => std::fs::write(&file, bytes).unwrap(),
                    None => std::fs::remove_file(&file).unwrap(),
                }
                let after = audit(&app).await;
                let is_named = |fault: &String| fault.contains(named);
                assert!(
                    after.faults.iter().any(is_named),
                    "{named}: {:?}",
                    after.faults
                );
            }
            std::fs::write(&file, right).unwrap();
        }
        assert_eq!(audit(&app).await.fault_count, faults);
    }
);

both!(
    an_audit_counts_erasures_and_pictures_that_no_row_opens,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, cookies) = publish::shop(&ada, "en").await;
        ada.publish(&project).await;
        let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
        answer(&app, &path, 2).await;
        let erased = format!("/v1/app/consents/{project}/tokens/visitor");
        ada.delete(&erased).await.expect(200);
        // The list of a publication whose project is gone.
        let list = Pictures {
            publication: "aa",
            pictures: "bb",
        };
        let mut bytes = Vec::new();
        add_entry(&mut bytes, &list.entry()).unwrap();
        let db = &app.placet.db;
        let adding = "INSERT INTO ledger_batches (kind, leaves, entries) VALUES (0, 1, $1)";
        db.query(adding).bind(bytes).exec().await.unwrap();
        // With the publication and the key: two consents, their erasures, and the list.
        published(&app, 7).await;
        let counted = async || {
            let audit = audit(&app).await;
            assert_eq!(audit.faults, Vec::<String>::new());
            let tree = audit.present;
            let removed = tree.consents.removed;
            [removed, tree.erasures_removed, tree.pictures_removed]
        };
        assert_eq!(counted().await, [0, 0, 1]);
        let gone = "DELETE FROM consents WHERE consent_id = \
                    (SELECT consent_id FROM consents ORDER BY consent_id LIMIT 1)";
        changed(&app, gone).await;
        assert_eq!(counted().await, [1, 1, 1]);
    }
);

both!(
    entries_that_are_published_during_an_audit_are_no_fault,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, cookies) = publish::shop(&ada, "en").await;
        ada.publish(&project).await;
        let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
        answer(&app, &path, 10).await;
        published(&app, 12).await;
        let grow = async || {
            answer(&app, &path, 20).await;
            published(&app, 32).await;
        };
        let begun = Once::new();
        let beside = Placet::open(app.config()).await.expect("another process");
        let grown = |_: &str, _, _| {
            let runtime = Handle::current();
            begun.call_once(|| block_in_place(|| runtime.block_on(grow())));
        };
        let audit = beside.consents.audit_ledger(&grown).await;
        beside.close().await;
        let audit = audit.expect("an audit").expect("a ledger");
        assert!(begun.is_completed());
        assert_eq!(audit.faults, Vec::<String>::new());
        assert_eq!((audit.present.entries, audit.waiting), (12, 20));
    }
);

both!(
    an_audit_opens_each_change_of_the_keys_by_its_key,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = publish::shop(&ada, "en").await;
        ada.publish(&project).await;
        let ledger = &app.placet.ledger;
        let added = ledger.add_key().await.unwrap().unwrap();
        assert!(matches!(added, Rotation::Added(_)), "{added:?}");
        // The publication, the first key for ML-DSA-44, and two keys.
        published(&app, 4).await;
        let retired = ledger.retire_key().await.unwrap().unwrap();
        assert!(matches!(retired, Rotation::Retired(_)), "{retired:?}");
        published(&app, 6).await;
        let before = audit(&app).await;
        assert_eq!(before.faults, Vec::<String>::new());
        assert_eq!(
            (before.present.of_type["key"], before.present.keys_unknown),
            (5, 0)
        );

        // An earlier release kept no link to the entry of an end. The bytes of the entry name the key.
        changed(
            &app,
            "UPDATE ledger_keys SET ended_in = NULL WHERE ended_in IS NOT NULL",
        )
        .await;
        assert_eq!(audit(&app).await, before);
        // An end that the ledger was never told of is no such one.
        changed(
            &app,
            "UPDATE ledger_keys SET retired = 6 WHERE retired IS NULL",
        )
        .await;
        let after = audit(&app).await;
        assert_eq!((after.present.keys_unknown, after.fault_count), (0, 1));
        assert!(after.faults[0].starts_with("the end of the key "));
        changed(
            &app,
            "UPDATE ledger_keys SET retired = NULL WHERE retired = 6",
        )
        .await;

        // Somebody with the database hides when the newer key began, and has the older one sign again.
        changed(
            &app,
            "UPDATE ledger_keys SET announced_in = NULL WHERE retired IS NULL",
        )
        .await;
        let after = audit(&app).await;
        assert_eq!((after.present.keys_unknown, after.fault_count), (1, 1));
        assert!(after.faults[0].starts_with("the beginning of the key "));
        changed(
            &app,
            "UPDATE ledger_keys SET retired = NULL WHERE retired IS NOT NULL",
        )
        .await;
        let after = audit(&app).await;
        assert_eq!((after.present.keys_unknown, after.fault_count), (2, 1));
    }
);

/// Sizes of the checkpoints that the database keeps.
async fn sizes(app: &TestApp) -> Vec<i64> {
    let sizes = app
        .placet
        .db
        .query("SELECT size FROM ledger_checkpoints ORDER BY size");
    sizes.all_values().await.expect("sizes")
}

both!(
    old_checkpoints_are_kept_once_a_day_and_prove_everything,
    |app| async move {
        let mut app = app;
        let ada = app.user("ada").await;
        let (project, cookies) = publish::shop(&ada, "en").await;
        ada.publish(&project).await;
        app.clock.advance_to_window(86_400);
        let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
        let origin = app.placet.ledger.status().await.unwrap().unwrap().origin;
        let (_, digits) = origin.rsplit_once('/').unwrap();
        let folder = app.placet.config.data_dir.join("cdn/ledger").join(digits);
        let note = folder.join("checkpoint");
        let mut ids = answer(&app, &path, 100).await;
        published(&app, 102).await;
        let early = std::fs::read(&note).unwrap();
        // Two days with several checkpoints each.
        for part in 1..6 {
            ids.extend(answer(&app, &path, 100).await);
            published(&app, 102 + part * 100).await;
            app.clock.advance_days(i64::from(part % 3 == 2));
        }
        let all = sizes(&app).await;
        // The partial files of a size go a day later, with the next checkpoint, and only then the checkpoint may go.
        app.clock.advance_days(8);
        answer(&app, &path, 1).await;
        published(&app, 603).await;
        // Others have signed two of them.
        changed(
            &app,
            "INSERT INTO ledger_cosignatures (size, witness, line, signed_at) VALUES (402, 'w', '', 1)",
        )
        .await;
        let stamping =
            "INSERT INTO ledger_timestamps (size, url, token, stamped_at) VALUES (502, '', $1, 1)";
        let stamped = app.placet.db.query(stamping).bind(vec![1_u8]).exec();
        assert_eq!(stamped.await.expect("a stamp"), 1);
        app.placet.forget_expired().await.expect("housekeeping");
        let kept = sizes(&app).await;
        assert!(all.len() >= 6 && kept.len() < all.len(), "{all:?} {kept:?}");
        for size in [302, 402, 502, 602] {
            assert!(kept.contains(&size), "{size}: {kept:?}");
        }
        // A round that began on the day before may have signed one of the first 102.
        let of_first_day = |size: &&i64| (103..=302).contains(*size);
        assert_eq!(kept.iter().filter(of_first_day).count(), 1, "{kept:?}");
        app.placet.forget_expired().await.expect("housekeeping");
        assert_eq!(sizes(&app).await, kept);
        changed(&app, "DELETE FROM ledger_cosignatures").await;
        changed(&app, "DELETE FROM ledger_timestamps").await;
        // Everything is proven as before, against what is left.
        app.restart().await;
        for consent in [&ids[0], &ids[150], &ids[599]] {
            let path = format!("/v1/app/consents/{project}/{consent}/proof");
            let bundle = ada.get(&path).await.expect(200);
            let report = proof::verify::verify(&bundle.text, None);
            assert_ne!(report.outcome, proof::verify::Outcome::Failed, "{report:?}");
        }
        assert_eq!(audit(&app).await.fault_count, 0);
        // A late write of an old checkpoint, which the database knows no more, is put right.
        std::fs::write(&note, early).unwrap();
        answer(&app, &path, 1).await;
        published(&app, 604).await;
        let latest = std::fs::read_to_string(&note).unwrap();
        assert_eq!(latest.lines().nth(1), Some("604"));
    }
);
