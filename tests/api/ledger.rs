//! The ledger: proofs of consents, as their members download them and as other programs read them.

use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Stdio},
};

use proof::{
    Hash, base64,
    commitment::{KeyChange, key_entry},
    inclusion::Inclusion,
    note::{Kind, Signer, Verifier},
    policy::Policy,
    tree::{self, InMemory, Node},
    verify::{Outcome, verify},
    witness::Cosigner,
};
use reqwest::Method;
use serde_json::{Value, json};
use service::{clock::Clock, ledger::Rotation, objects::sha256_hex};
use tests::{Answer, Authority, Client, Engine, Oracle, TestApp, both, on_both, until};

use super::{
    publish,
    shop::{Shop, choice, id},
};

/// Bundles that both verifiers judge; every other one is damaged in one byte.
const JUDGED: usize = 1_000;

/// Waits until a checkpoint covers a consent, and returns its bundle.
pub async fn bundle(owner: &Client, project: &str, consent: &str, query: &str) -> Answer {
    let path = format!("/v1/app/consents/{project}/{consent}/proof{query}");
    until("a checkpoint covers the consent", async || {
        let answer = owner.get(&path).await;
        if answer.status == 202 {
            assert_ne!(answer.header("retry-after"), "");
            return None;
        }
        Some(answer.expect(200))
    })
    .await
}

/// The operator's public facts about the ledger.
async fn about(app: &TestApp) -> Value {
    let about = app.nobody().get("/.well-known/placet-ledger.json").await;
    about.expect(200).json()
}

pub async fn policy(app: &TestApp) -> (String, Policy) {
    let about = about(app).await;
    let vkey = about["keys"][0]["vkey"].as_str().unwrap().to_owned();
    let policy = Policy::of_keys(vec![Verifier::parse(&vkey).unwrap()]);
    (vkey, policy)
}

/// The key of the ledger for ML-DSA-44.
async fn ml_dsa(app: &TestApp) -> Verifier {
    let about = about(app).await;
    let keys = about["keys"].as_array().unwrap();
    let newest = keys.last().unwrap()["vkey"].as_str().unwrap();
    let key = Verifier::parse(newest).unwrap();
    assert_eq!(key.kind(), Kind::MlDsa44);
    key
}

/// A published project and the id of its configuration.
async fn published(app: &TestApp) -> (Client, String, String) {
    let ada = app.user("ada").await;
    let (project, cookies) = publish::shop(&ada, "en").await;
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "complete", "{job}");
    (ada, project, cookies)
}

/// A visitor's answer that names the live publication.
pub async fn answer(app: &TestApp, project: &str, cookies: &str) -> String {
    let pointer = app.nobody().get(&format!("/cdn/{project}.json")).await;
    let publication = pointer.expect(200).json()["publications"][cookies].clone();
    let body = json!({"accept": true, "token": "visitor", "value": "zoë \u{1f36a}",
        "publication": publication, "preferences": {"vendors": {"own-stats": true}}});
    let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
    id(&app.nobody().post(&path, &body).await.expect(201))
}

/// Runs `tests/oracles/proof.py`. Each file gives 1 or 3, and the reason.
pub fn judged(vkey: &str, files: &[std::path::PathBuf]) -> Vec<String> {
    judged_by(&[vkey], files)
}

/// The same for somebody who believes several keys.
fn judged_by(vkeys: &[&str], files: &[std::path::PathBuf]) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles");
    let ran = Command::new(folder.join("venv/bin/python"))
        .arg(folder.join("proof.py"))
        .args(vkeys.iter().flat_map(|vkey| ["--key", vkey]))
        .args(files)
        .output()
        .expect("it runs");
    let said = String::from_utf8(ran.stdout).expect("text");
    let lines: Vec<String> = said.lines().map(str::to_owned).collect();
    let complained = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(lines.len(), files.len(), "{complained}");
    lines
}

both!(
    a_proof_is_read_alike_by_two_programs_and_each_change_is_noticed,
    |app| async move {
        let (ada, project, cookies) = published(&app).await;
        let consent = answer(&app, &project, &cookies).await;
        let found = bundle(&ada, &project, &consent, "").await;
        assert!(
            found
                .header("content-disposition")
                .contains(".placet-proof.json")
        );
        let whole = found.text;
        let hidden = bundle(&ada, &project, &consent, "?withhold=person,circumstances").await;
        let (vkey, _) = policy(&app).await;
        let of_trees = ml_dsa(&app).await.vkey();
        let keys = [&*vkey, &*of_trees];
        let policy = Policy::of_vkeys(keys).unwrap();
        for text in [&whole, &hidden.text] {
            let report = verify(text, Some(&policy));
            assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
            let publication = report
                .shown
                .iter()
                .any(|line| line.starts_with("Publication "));
            assert!(publication, "{report:?}");
        }
        assert!(whole.contains("visitor") && !hidden.text.contains("visitor"));

        let folder = tempfile::tempdir().unwrap();
        let file = |name: usize, text: &[u8]| {
            let path = folder.path().join(name.to_string());
            std::fs::write(&path, text).unwrap();
            path
        };
        let right = [&whole, &hidden.text];
        let right: Vec<_> = (JUDGED..)
            .zip(right)
            .map(|(name, text)| file(name, text.as_bytes()))
            .collect();
        for keys in [&keys[..1], &keys[1..], &keys] {
            assert_eq!(judged_by(keys, &right), ["3\tin order", "3\tin order"]);
        }
        // Of several kinds: whole, withheld, without a publication, and erased.
        let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
        let body = json!({"accept": false, "token": "other"});
        let other = id(&app.nobody().post(&path, &body).await.expect(201));
        let unnamed = bundle(&ada, &project, &other, "").await.text;
        let erase = format!("/v1/app/consents/{project}/tokens/other");
        ada.delete(&erase).await.expect(200);
        let erased = bundle(&ada, &project, &other, "").await.text;
        assert!(unnamed.contains("other") && erased.contains("erasedAt"));
        let kinds = [whole, hidden.text, unnamed, erased];
        let mut files = Vec::new();
        let mut ours = Vec::new();
        for number in 0..JUDGED {
            // Each kind in turn, and every other time as it is.
            let mut bytes = kinds[number / 2 % kinds.len()].clone().into_bytes();
            let at = fastrand::usize(..bytes.len());
            if number % 2 == 1 {
                bytes[at] ^= fastrand::u8(1..);
            }
            let text = std::str::from_utf8(&bytes);
            let outcome = text.map_or(Outcome::Failed, |text| verify(text, Some(&policy)).outcome);
            assert!(
                number % 2 == 1 || outcome == Outcome::Unwitnessed,
                "{number}"
            );
            ours.push((outcome, at, bytes[at]));
            files.push(file(number, &bytes));
        }
        for (judged, (outcome, at, byte)) in judged_by(&keys, &files).iter().zip(ours) {
            let refused = judged.starts_with('1');
            assert_eq!(
                refused,
                outcome == Outcome::Failed,
                "byte {at} is {byte:#x}: {judged}"
            );
        }
    }
);

/// A bundle without the lines by ML-DSA-44: a release before such keys gave it.
fn of_before(bundle: &str, key: &Verifier) -> String {
    let without = |proof: &mut Value| {
        let text = proof.as_str().unwrap();
        let (head, lines) = text.rsplit_once("\n\n").unwrap();
        // Those by Ed25519 are shorter than a hundred bytes behind their name.
        let is_short = |line: &&str| line.len() < key.name().len() + 200;
        let kept: Vec<&str> = lines.lines().filter(is_short).collect();
        assert_eq!(kept.len() + 1, lines.lines().count(), "{text}");
        *proof = json!(format!("{head}\n\n{}\n", kept.join("\n")));
    };
    let mut bundle: Value = serde_json::from_str(bundle).unwrap();
    for proof in bundle["proofs"].as_array_mut().unwrap() {
        without(proof);
    }
    without(&mut bundle["publication"]["proof"]);
    bundle.to_string()
}

both!(
    proofs_alone_are_signed_by_ml_dsa_and_older_ones_stay_good,
    |app| async move {
        let (ada, project, cookies) = published(&app).await;
        let consent = answer(&app, &project, &cookies).await;
        let text = bundle(&ada, &project, &consent, "").await.text;
        let (older, _) = policy(&app).await;
        let of_trees = ml_dsa(&app).await;
        let vkey = of_trees.vkey();
        let about = about(&app).await;
        let told = about["policy"].as_str().unwrap();
        assert_eq!(told, format!("log {older}\nlog {vkey}\nquorum none\n"));
        let prefix = about["prefix"].as_str().unwrap();
        let path = prefix.strip_prefix(&app.base).unwrap();
        let served = app
            .nobody()
            .get(&format!("{path}checkpoint"))
            .await
            .expect(200);
        assert_eq!(
            served.text.matches('\u{2014}').count(),
            1,
            "{}",
            served.text
        );

        let outcome = |text: &str, keys: &[&str]| {
            let policy = Policy::of_vkeys(keys.iter().copied()).unwrap();
            verify(text, Some(&policy)).outcome
        };
        let before = of_before(&text, &of_trees);
        let folder = tempfile::tempdir().unwrap();
        let files = [folder.path().join("now"), folder.path().join("before")];
        std::fs::write(&files[0], &text).unwrap();
        std::fs::write(&files[1], &before).unwrap();
        for (keys, is_good) in [
            (&[&*older][..], true),
            (&[&*older, &*vkey], true),
            (&[&*vkey], false),
        ] {
            assert_eq!(outcome(&text, keys), Outcome::Unwitnessed);
            assert_eq!(outcome(&before, keys) == Outcome::Unwitnessed, is_good);
            let judged = judged_by(keys, &files);
            assert_eq!(judged[0], "3\tin order");
            assert_eq!(judged[1] == "3\tin order", is_good, "{judged:?}");
        }
    }
);

both!(
    a_ledger_from_before_ml_dsa_gets_a_key_that_signs_its_older_proofs_too,
    |app| async move {
        let mut app = app;
        let (ada, project, cookies) = published(&app).await;
        let consent = answer(&app, &project, &cookies).await;
        bundle(&ada, &project, &consent, "").await;
        let first = ml_dsa(&app).await.vkey();
        let before = app.placet.ledger.status().await.unwrap().unwrap().published;
        // As the release before leaves it.
        let db = &app.placet.db;
        db.query("DELETE FROM ledger_ml_dsa_keys")
            .exec()
            .await
            .unwrap();
        app.restart().await;
        // Nobody answers, and still its entry is published.
        until("the ledger tells of its key", async || {
            let status = app.placet.ledger.status().await.unwrap().unwrap();
            (status.published == before + 1).then_some(())
        })
        .await;
        let second = ml_dsa(&app).await.vkey();
        assert_ne!(first, second);
        let text = bundle(&ada, &project, &consent, "").await.text;
        for (vkey, outcome) in [(&first, Outcome::Failed), (&second, Outcome::Unwitnessed)] {
            let policy = Policy::of_vkeys([vkey.as_str()]).unwrap();
            assert_eq!(verify(&text, Some(&policy)).outcome, outcome);
        }
        // Somebody who writes to the database gets no signature of another tree.
        let db = &app.placet.db;
        let origin = app.placet.ledger.status().await.unwrap().unwrap().origin;
        let theirs = Signer::new(&origin, &[7; 32]).unwrap();
        let adding =
            "INSERT INTO ledger_keys (public_key, private_key, from_index) VALUES ($1, $1, 0)";
        let public_key = theirs.verifier().key().to_vec();
        db.query(adding).bind(public_key).exec().await.unwrap();
        let notes = db.query("SELECT note FROM ledger_checkpoints");
        for note in notes.all_values::<String>().await.unwrap() {
            let (text, _) = note.split_once("\n\n").unwrap();
            let root = text.lines().nth(2).unwrap();
            let text = text.replace(root, &proof::base64(&[7; 32]));
            let forged = theirs.sign(&format!("{text}\n"));
            let changing = "UPDATE ledger_checkpoints SET note = $1 WHERE note = $2";
            db.query(changing)
                .bind(forged)
                .bind(note)
                .exec()
                .await
                .unwrap();
        }
        let path = format!("/v1/app/consents/{project}/{consent}/proof");
        let forged = ada.get(&path).await.expect(200).json();
        let proof = forged["proofs"][0].as_str().unwrap();
        assert_eq!(proof.matches('\u{2014}').count(), 1, "{proof}");
    }
);

both!(
    a_publication_is_proven_without_any_consent,
    |app| async move {
        let (ada, project, cookies) = published(&app).await;
        let pointer = app.nobody().get(&format!("/cdn/{project}.json")).await;
        let id = pointer.expect(200).json()["publications"][&cookies].clone();
        let id = id.as_str().unwrap();
        let path = format!("/v1/publish/publications/{project}/{cookies}/{id}");
        let told = until("a checkpoint covers the publication", async || {
            let answer = ada.get(&format!("{path}/proof")).await;
            if answer.status == 202 {
                assert_ne!(answer.header("retry-after"), "");
                return None;
            }
            Some(answer.expect(200).json())
        })
        .await;
        let entry = proof::from_base64(told["entry"].as_str().unwrap()).unwrap();
        let text = told["proof"].as_str().unwrap();
        let inclusion = Inclusion::parse(text).unwrap();
        inclusion.check(&entry).unwrap();
        assert_eq!(told["index"], inclusion.index);
        let (_, policy) = policy(&app).await;
        let origin = &inclusion.checkpoint.origin;
        policy.check(&inclusion.note, origin).unwrap();
        let manifest = sha256_hex(told["manifest"].as_str().unwrap().as_bytes());
        let entry: Value = serde_json::from_slice(&entry[1..]).unwrap();
        assert_eq!(
            (&entry["publication"], &entry["manifest"]),
            (&json!(id), &json!(manifest))
        );
        // Those of before the ledger have none.
        let sql = "UPDATE publications SET batch = NULL";
        app.placet.db.query(sql).exec().await.unwrap();
        let path = format!("{path}/proof");
        ada.get(&path).await.problem(409, "not_in_ledger");
        let unknown = path.replace(id, "0");
        ada.get(&unknown).await.problem(404, "not_found");
    }
);

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
    a_checkpoint_of_two_keys_is_read_by_another_program,
    |app| async move {
        let (ada, project, cookies) = published(&app).await;
        let (older, _) = policy(&app).await;
        let added = app.placet.ledger.add_key().await.unwrap();
        let Some(Rotation::Added(newer)) = added else {
            panic!("{added:?}");
        };
        let [newer, of_trees]: [String; 2] = newer.try_into().unwrap();
        let consent = answer(&app, &project, &cookies).await;
        let text = bundle(&ada, &project, &consent, "").await.text;
        let folder = tempfile::tempdir().unwrap();
        let file = [folder.path().join("of both")];
        std::fs::write(&file[0], &text).unwrap();
        for vkey in [&older, &newer, &of_trees] {
            assert_eq!(judged(vkey, &file), ["3\tin order"], "{vkey}");
        }
        let stranger = Signer::new("other.example/ledger/1", &[7; 32]).unwrap();
        let refused = judged(&stranger.verifier().vkey(), &file);
        assert!(refused[0].starts_with('1'), "{refused:?}");
    }
);

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

/// Runs a program of `tests/oracles` with Go's library of transparency logs, and returns what it says.
fn go(program: &str, arguments: &[&str], input: Stdio) -> String {
    let cache = tempfile::tempdir().unwrap();
    let ran = Command::new("go")
        .args(["run", program])
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/oracles"))
        .env("GO111MODULE", "off")
        .env("GOPATH", "/usr/share/gocode")
        .env("GOCACHE", cache.path())
        .stdin(input)
        .output()
        .expect("`cargo xtask test` installs Go");
    String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr)
}

/// Reads the files of a ledger with Go's library.
fn by_go(folder: &Path, vkey: &str) -> String {
    go(
        "ledger.go",
        &[folder.to_str().unwrap(), vkey],
        Stdio::null(),
    )
}

/// Leaves of the largest tree that Go is asked about: 256² and one.
const MOST_LEAVES: usize = 65_537;

/// Each size up to 600, and those around the powers of 256, with paths of some leaves and proofs of some smaller trees.
#[test]
fn go_agrees_on_trees_of_all_small_sizes_and_around_powers_of_256() {
    let leaves: Vec<Hash> = (0..MOST_LEAVES as u64)
        .map(|index| tree::leaf(&index.to_be_bytes()))
        .collect();
    let node = |node: &Node| {
        let wide = 1_usize << node.height;
        let from = usize::try_from(node.index).unwrap() * wide;
        InMemory::new(leaves[from..from + wide].to_vec()).root()
    };
    let folded =
        |nodes: &Vec<Node>| base64(&tree::fold(&nodes.iter().map(node).collect::<Vec<_>>()));
    let proof = |nodes: Vec<Vec<Node>>| nodes.iter().map(folded).collect::<Vec<_>>();
    let mut questions = Vec::new();
    let largest = [255, 256, 257, 65_535, 65_536, 65_537];
    for size in (1..=600).chain(largest) {
        let root = folded(&tree::cover(0, size));
        let some = [0, 255, 256, size / 3, size / 2, size - 1];
        let some: BTreeSet<u64> = some.into_iter().filter(|index| *index < size).collect();
        for index in some {
            let old = index + 1;
            questions.push(json!({"size": size, "root": root, "index": index,
                "path": proof(tree::inclusion(index, size)), "old": old,
                "prefix": proof(tree::consistency(old, size))}));
        }
    }
    let right = questions.len();
    // Each kind of answer, changed once.
    let last = questions[right - 2].clone();
    let other = base64(&[7; 32]);
    for (field, value) in [
        ("/root", json!(other)),
        ("/path/3", json!(other)),
        ("/index", json!(1)),
        ("/old", json!(300)),
    ] {
        let mut changed = last.clone();
        *changed.pointer_mut(field).unwrap() = value;
        questions.push(changed);
    }
    let lines: String = questions.iter().map(|one| format!("{one}\n")).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("questions");
    std::fs::write(&file, lines).unwrap();
    let input = std::fs::File::open(&file).unwrap();
    let said = go("tree.go", &[&MOST_LEAVES.to_string()], input.into());
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said.len(), questions.len(), "{:?}", said.last());
    for (place, (said, asked)) in said.iter().zip(&questions).enumerate() {
        assert_eq!(*said == "right", place < right, "{said}: {asked}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn go_and_sigstore_read_the_files_of_the_ledger_and_notice_a_change() {
    let app = TestApp::start(Engine::Sqlite).await;
    let shop = Shop::open(&app, "ada").await;
    let mut last = String::new();
    let mut proofs = Vec::new();
    // More than a tile, in several checkpoints.
    for part in 0..3 {
        let answers = (0..100).map(|number| {
            let body = choice(&format!("visitor {part} {number}"), true, true);
            let shop = &shop;
            let app = &app;
            async move { id(&shop.collect(app, &body).await.expect(201)) }
        });
        last = futures::future::join_all(answers).await.remove(99);
        let bundle = bundle(&shop.owner, &shop.project, &last, "").await.json();
        proofs.push(bundle["proofs"][0].as_str().unwrap().to_owned());
    }
    // Its batch may have been covered before the others.
    until("all entries are published", async || {
        let status = app.placet.ledger.status().await.unwrap().unwrap();
        (status.published == 301).then_some(())
    })
    .await;
    let (vkey, _) = policy(&app).await;
    let origin = about(&app).await["origin"].as_str().unwrap().to_owned();
    let (_, digits) = origin.rsplit_once('/').unwrap();
    let folder = app.placet.config.data_dir.join("cdn/ledger").join(digits);
    assert_eq!(by_go(&folder, &vkey).trim(), "right: 301", "{last}");
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let files = [read("tile/entries/000"), read("tile/entries/001.p/45")];
    let entries = files
        .iter()
        .flat_map(|file| proof::tile::entries(file).unwrap());
    let entries: Vec<_> = entries.collect();
    let sigstore = Oracle::start("merkle.py", &[]).await;
    for proof in &proofs {
        let index = Inclusion::parse(proof).unwrap().index;
        let place = usize::try_from(index).unwrap();
        for (place, is_right) in [(place, true), ((place + 1) % 301, false)] {
            let entry = base64(entries[place]);
            let asked = json!({"entry": entry, "proof": proof});
            sigstore.tell(&asked.to_string()).await;
            let said = sigstore.next(|_| true).await;
            assert_eq!(said["right"] == index, is_right, "{said}");
            assert_eq!(said["refused"].is_string(), !is_right, "{said}");
        }
    }
    let file = folder.join("tile/entries/000");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[1_000] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    assert!(by_go(&folder, &vkey).starts_with("refused"));
}

both!(
    operators_and_verifiers_are_told_of_the_witnesses,
    |app| async move {
        let mut app = app;
        let witness = |seed: u8| {
            let name = format!("w{seed}.example/witness");
            let key = Cosigner::new(&name, &[seed; 32]);
            key.unwrap().verifier().vkey()
        };
        let (one, two) = (witness(1), witness(2));
        // Nobody listens there.
        let rule = format!(
            "# ours\nwitness one {one} http://127.0.0.1:1/a\nwitness two {two} http://127.0.0.1:1/b\n\
             group both all one two\nquorum both\n"
        );
        let shop = Shop::open(&app, "ada").await;
        let operator = app.operator().await;
        until("the ledger begins", async || {
            app.placet.ledger.status().await.unwrap()
        })
        .await;
        assert!(
            about(&app).await["policy"]
                .as_str()
                .unwrap()
                .ends_with("\nquorum none\n")
        );
        let hour = std::time::Duration::from_hours(1);
        let witnesses = service::ledger::Witnesses::new(&rule, hour).unwrap();
        app.restart_with(|config| config.ledger.witnesses = Some(witnesses))
            .await;
        let consent = id(&shop
            .collect(&app, &choice("visitor", true, true))
            .await
            .expect(201));
        bundle(&shop.owner, &shop.project, &consent, "").await;
        let told = about(&app).await;
        let vkey = told["keys"][0]["vkey"].as_str().unwrap();
        let of_trees = ml_dsa(&app).await.vkey();
        let expected = format!(
            "log {vkey}\nlog {of_trees}\nwitness one {one}\nwitness two {two}\ngroup both 2 one two\nquorum both\n"
        );
        assert_eq!(told["policy"], expected);
        let path = "/v1/operator/ledger";
        let state = until("both were asked", async || {
            let state = operator.get(path).await.expect(200).json();
            let all = state["witnesses"].as_array().unwrap().clone();
            let asked = all.iter().all(|one| one["fault"].is_string());
            asked.then_some(state)
        })
        .await;
        assert_eq!(
            state["witnesses"][1]["name"], "w2.example/witness",
            "{state}"
        );
        assert_eq!(state["witnesses"][1]["vkey"], two.as_str());
        assert_eq!(state["witnesses"][1]["late"], false);
        app.clock.advance_seconds(3 * 3_600 + 1);
        let state = operator.get(path).await.expect(200).json();
        assert_eq!(state["witnesses"][0]["late"], true, "{state}");
    }
);

both!(
    operators_are_told_of_the_authority_that_stamps,
    |app| async move {
        let mut app = app;
        let shop = Shop::open(&app, "ada").await;
        let operator = app.operator().await;
        let path = "/v1/operator/ledger";
        let consent = id(&shop
            .collect(&app, &choice("visitor", true, true))
            .await
            .expect(201));
        bundle(&shop.owner, &shop.project, &consent, "").await;
        let state = operator.get(path).await.expect(200).json();
        assert!(state["authority"].is_null(), "{state}");
        // Its clock is eleven minutes behind ours.
        app.clock.advance_seconds(660);
        let stamping = Authority::start().await;
        let url = stamping.url.as_str();
        let day = std::time::Duration::from_hours(24);
        let authority = service::ledger::Authority::new(url, day).unwrap();
        app.restart_with(|config| config.ledger.authority = Some(authority))
            .await;
        let state = until("it was asked", async || {
            app.placet.ledger.ask_authority().await.unwrap();
            let state = operator.get(path).await.expect(200).json();
            state["authority"]["fault"].is_string().then_some(state)
        })
        .await;
        let told = &state["authority"];
        let fault = told["fault"].as_str().unwrap();
        assert!(
            fault.starts_with("stamped with a wrong time, 20"),
            "{fault}"
        );
        assert_eq!(told["url"], url, "{state}");
        assert!(told["size"].is_null() && told["faultAt"].is_string());
        assert_eq!(told["late"], false);
        app.clock.advance_seconds(2 * 86_400 + 1);
        let state = operator.get(path).await.expect(200).json();
        assert_eq!(state["authority"]["late"], true, "{state}");
    }
);

both!(
    an_authority_is_asked_once_a_day_if_there_is_something_new,
    |app| async move {
        let mut app = app;
        let shop = Shop::open(&app, "ada").await;
        let answered = async |app: &TestApp, token: &str| {
            let stored = shop.collect(app, &choice(token, true, true)).await;
            let consent = id(&stored.expect(201));
            bundle(&shop.owner, &shop.project, &consent, "").await;
        };
        answered(&app, "one").await;
        let stamping = Authority::start().await;
        let day = std::time::Duration::from_hours(24);
        let authority = service::ledger::Authority::new(&stamping.url, day).unwrap();
        app.restart_with(|config| config.ledger.authority = Some(authority))
            .await;
        let ask = async |app: &TestApp| {
            // The clock was turned, so the lease has to be renewed.
            app.placet.ledger.round().await.unwrap();
            app.placet.ledger.ask_authority().await.unwrap();
            stamping.asked()
        };
        assert_eq!(ask(&app).await, 1, "the first checkpoint");
        app.clock.advance_seconds(86_410);
        assert_eq!(ask(&app).await, 1, "nothing is new");
        answered(&app, "two").await;
        // A day behind our clock, so its stamp is not taken.
        assert_eq!(ask(&app).await, 2, "something is new");
        app.clock.advance_seconds(50);
        assert_eq!(ask(&app).await, 2, "not at once after a fault");
        app.clock.advance_seconds(20);
        assert_eq!(ask(&app).await, 3, "a minute after a fault");
        let state = app.placet.ledger.status().await.unwrap().unwrap();
        let told = state.authority.unwrap();
        assert!(told.size.is_some_and(|size| size < state.published));
        assert!(told.fault.is_some(), "{told:?}");
    }
);

/// Entries that stand in the table as transactions leave them: `batches` of so many leaves each.
async fn wait_for_indexes(app: &TestApp, batches: usize, leaves: usize) {
    let mut bytes = Vec::new();
    for _ in 0..leaves {
        proof::tile::add_entry(&mut bytes, &[9]).unwrap();
    }
    let mut tx = app.placet.db.begin().await.unwrap();
    for _ in 0..batches {
        tx.query("INSERT INTO ledger_batches (kind, leaves, entries) VALUES (1, $1, $2)")
            .bind(i64::try_from(leaves).unwrap())
            .bind(bytes.clone())
            .exec()
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
}

/// Waits until all entries are published, and returns their number.
async fn all_published(app: &TestApp) -> u64 {
    until("all entries are published", async || {
        let status = app.placet.ledger.status().await.unwrap()?;
        (status.published > 0 && status.to_publish() == 0).then_some(status.published)
    })
    .await
}

/// A ledger with a checkpoint an hour, after its first one, which tells of its key as well.
async fn hourly(engine: Engine) -> (TestApp, u64) {
    let app = TestApp::set_up(engine, None, |config| {
        config.ledger.every = std::time::Duration::from_hours(1);
    })
    .await;
    wait_for_indexes(&app, 1, 1).await;
    let published = all_published(&app).await;
    (app, published)
}

async fn one_checkpoint_covers_many_small_transactions_and_a_backlog_is_published_at_once(
    engine: Engine,
) {
    let (app, before) = hourly(engine).await;
    wait_for_indexes(&app, 1_100, 1).await;
    let status = until("all have an index", async || {
        let status = app.placet.ledger.status().await.unwrap().unwrap();
        (status.waiting == 0).then_some(status)
    })
    .await;
    assert_eq!(status.published, before, "it is not time for a checkpoint");
    app.clock.advance_seconds(3_600);
    // The next one is due in an hour, so one must have covered all of them.
    assert_eq!(all_published(&app).await, before + 1_100);
    wait_for_indexes(&app, 1, 65_536).await;
    wait_for_indexes(&app, 1, 65_536).await;
    assert_eq!(all_published(&app).await, before + 1_100 + 2 * 65_536);
}

on_both!(one_checkpoint_covers_many_small_transactions_and_a_backlog_is_published_at_once);

async fn a_clock_that_is_set_back_holds_no_checkpoint_up(engine: Engine) {
    let (app, before) = hourly(engine).await;
    // As a process leaves it that was killed.
    let taken = "UPDATE ledger SET holder = $1, held_until = $2";
    app.clock.advance_days(-1);
    let mut tx = app.placet.db.begin().await.unwrap();
    tx.query(taken)
        .bind(uuid::Uuid::nil())
        .bind(app.clock.now().plus_days(1))
        .exec()
        .await
        .unwrap();
    tx.commit().await.unwrap();
    wait_for_indexes(&app, 1, 1).await;
    assert_eq!(all_published(&app).await, before + 1);
}

on_both!(a_clock_that_is_set_back_holds_no_checkpoint_up);

/// The checkpoint and the lease of a year ahead must not hold up those of today.
async fn a_clock_that_runs_ahead_and_is_put_right_holds_no_checkpoint_up(engine: Engine) {
    let (app, before) = hourly(engine).await;
    for (days, published) in [(365, before + 1), (-365, before + 2)] {
        app.clock.advance_days(days);
        wait_for_indexes(&app, 1, 1).await;
        assert_eq!(all_published(&app).await, published, "{days}");
    }
    let status = app.placet.ledger.status().await.unwrap().unwrap();
    assert_eq!(status.stopped, None);
}

on_both!(a_clock_that_runs_ahead_and_is_put_right_holds_no_checkpoint_up);
