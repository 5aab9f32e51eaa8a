//! Checkpoints and files, as everybody reads them.

use proof::{
    commitment::{KeyChange, key_entry},
    inclusion::Inclusion,
    witness::Cosigner,
};
use serde_json::{Value, json};
use tests::both;

use super::{about, bundle, ml_dsa};
use crate::shop::{Shop, choice, id};

both!(
    checkpoints_are_listed_with_the_witnesses_that_signed,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let mut last = Value::Null;
        for token in ["one", "two"] {
            let stored = shop.collect(&app, &choice(token, true, true)).await;
            let consent = id(&stored.expect(201));
            let bundle = bundle(&shop.owner, &shop.project, &consent, "")
                .await
                .json();
            last = bundle["proofs"][0].clone();
        }
        let inclusion = Inclusion::parse(last.as_str().unwrap()).unwrap();
        let (size, root) = (inclusion.checkpoint.size, inclusion.checkpoint.root);
        let key = Cosigner::new("w.example/witness", &[7; 32]).unwrap();
        let vkey = key.verifier().vkey();
        let line = "\u{2014} w.example/witness AAAA\n";
        let mut tx = app.placet.db.begin().await.unwrap();
        tx.query("INSERT INTO ledger_cosignatures (size, witness, line, signed_at) VALUES ($1, $2, $3, 1796118067)")
            .bind(i64::try_from(size).unwrap())
            .bind(vkey.as_str())
            .bind(line)
            .exec()
            .await
            .unwrap();
        tx.commit().await.unwrap();
        let path = "/v1/ledger/checkpoints";
        let answer = shop.owner.get(path).await.expect(200);
        let listed = answer.json();
        let listed = listed.as_array().unwrap();
        let sizes: Vec<_> = listed
            .iter()
            .map(|one| one["size"].as_u64().unwrap())
            .collect();
        assert!(
            sizes.len() > 1 && sizes.is_sorted_by(|one, two| one > two),
            "{sizes:?}"
        );
        assert_eq!(answer.header("x-total-count"), sizes.len().to_string());
        let found = listed.iter().find(|one| one["size"] == size).unwrap();
        let note = found["note"].as_str().unwrap();
        let (text, _) = note.split_once("\n\n").unwrap();
        assert_eq!(inclusion.note.text, format!("{text}\n"));
        assert!(note.ends_with(line), "{note}");
        let root: String = root.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found["root"], root);
        let signed =
            json!([{"name": "w.example/witness", "vkey": vkey, "at": "2026-12-01T09:41:07.000Z"}]);
        assert_eq!(found["cosignedBy"], signed);
        let second = format!("{path}?page=2&perPage=1");
        let second = shop.owner.get(&second).await.expect(200).json();
        assert_eq!(second.as_array().unwrap().len(), 1);
        assert_eq!(second[0], listed[1]);
        app.nobody().get(path).await.problem(403, "unauthenticated");
    }
);

both!(
    the_files_of_the_ledger_are_served_to_everybody,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let consent = id(&shop
            .collect(&app, &choice("visitor", true, true))
            .await
            .expect(201));
        bundle(&shop.owner, &shop.project, &consent, "").await;
        let about = about(&app).await;
        let prefix = about["prefix"].as_str().unwrap();
        let path = prefix.strip_prefix(&app.base).unwrap();
        let nobody = app.nobody();
        let checkpoint = nobody.get(&format!("{path}checkpoint")).await.expect(200);
        assert_eq!(
            checkpoint.header("content-type"),
            "text/plain; charset=utf-8"
        );
        assert_eq!(checkpoint.header("cache-control"), "public, max-age=2");
        let mut lines = checkpoint.text.lines();
        assert_eq!(lines.next(), about["origin"].as_str());
        let size: usize = lines.next().unwrap().parse().unwrap();
        // One of them is that of the key for ML-DSA-44, the others are 33 bytes long.
        let key = key_entry(&ml_dsa(&app).await.vkey(), KeyChange::Added);
        let entries = 2 + key.len() + (size - 1) * 35;
        for (file, bytes) in [("tile/0/000", size * 32), ("tile/entries/000", entries)] {
            let tile = nobody
                .get(&format!("{path}{file}.p/{size}"))
                .await
                .expect(200);
            assert_eq!(tile.header("content-type"), "application/octet-stream");
            assert!(tile.header("cache-control").contains("immutable"));
            assert_eq!(tile.header("content-length"), bytes.to_string());
        }
        nobody.get(&format!("{path}tile/0/001")).await.expect(404);
    }
);
