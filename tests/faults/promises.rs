//! Promises: kept whatever fails, and told when somebody breaks them.

use std::{fs, path::Path};

use proof::{inclusion::Inclusion, witness::Cosigner};
use serde_json::{Value, json};
use tests::{Engine, Process, Ran, command, on_both, verifier};
use uuid::Uuid;

use crate::ledger::{Answered, EVERY, folder};

/// Long after each promise of these tests.
const LATE: &str = "2100-01-01T00:00:00Z";
/// Long before.
const EARLY: &str = "2020-01-01T00:00:00Z";

/// A visitor's answer by a caller who wants a promise: the id of the consent, and the promise.
async fn promised(process: &Process, shop: &Answered) -> (String, Value) {
    let body = json!({"accept": true, "token": "visitor", "receipt": true});
    let told = process.nobody().post(&shop.shop.path, &body).await;
    let told = told.expect(201).json();
    let consent = told["consentId"].as_str().expect("an id").to_owned();
    (consent, told["receipt"]["promise"].clone())
}

/// The operator's public facts about the ledger.
async fn about(process: &Process) -> Value {
    let about = process
        .nobody()
        .get("/.well-known/placet-ledger.json")
        .await;
    about.expect(200).json()
}

/// The keys of the ledger and of its promises, as flags.
fn keys(about: &Value) -> Vec<String> {
    let keys = [&about["keys"][0]["vkey"], &about["promiseKey"]];
    let keys = keys.map(|key| format!("--key={}", key.as_str().expect("a key")));
    keys.into()
}

/// Asks both programs whether a promise was kept, by the files of the ledger at a time. They answer alike.
fn judged(about: &Value, promise: &Path, files: &Path, seen: &str) -> Ran {
    let keys = keys(about);
    let mut flags: Vec<&str> = keys.iter().map(String::as_str).collect();
    let files = files.to_str().expect("text");
    flags.extend(["--ledger", files, "--seen", seen]);
    flags.push(promise.to_str().expect("text"));
    let own = verifier(&flags, "");
    let other = command(&[&["verify"], &flags[..]].concat());
    assert_eq!((own.code, &own.said), (other.code, &other.said), "{own:?}");
    own
}

async fn a_promise_is_kept_after_a_kill_and_a_broken_one_is_told(engine: Engine) {
    let mut process = Process::start(engine, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 2).await;
    let keep = tempfile::tempdir().expect("a folder");
    let save = |name: &str, promise: &Value| {
        let path = keep.path().join(name);
        fs::write(&path, promise.to_string()).expect("written");
        path
    };

    // Killed between the answer and the index of its entry.
    let (consent, promise) = promised(&process, &shop).await;
    process.kill();
    let kept = save("kept", &promise);
    shop.consents.push(consent.clone());
    process.restart(&EVERY);
    shop.is_proven(&process).await;
    let told = about(&process).await;
    let files = folder(process.folder());
    let ran = judged(&told, &kept, &files, LATE);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.said.contains("The promise was kept"), "{ran:?}");
    // The same by its address, which the server alone reads.
    let keys = keys(&told);
    let mut flags = vec!["verify"];
    flags.extend(keys.iter().map(String::as_str));
    let (prefix, path) = (told["prefix"].as_str().expect("an address"), kept.to_str());
    flags.extend(["--ledger", prefix, path.expect("text")]);
    let by_address = command(&flags);
    assert_eq!(by_address.code, Some(3), "{by_address:?}");
    assert!(
        by_address.said.contains("The promise was kept"),
        "{by_address:?}"
    );
    // And by the proof of the consent.
    let proof = shop.bundle(&process, &consent).await.text;
    let bundle = keep.path().join("bundle");
    fs::write(&bundle, proof).expect("written");
    let beside = ["--proof", bundle.to_str().expect("text")];
    let flags: Vec<&str> = keys.iter().map(String::as_str).chain(beside).collect();
    let ran = verifier(&[&flags[..], &[kept.to_str().expect("text")]].concat(), "");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.said.contains("The promise was kept"), "{ran:?}");

    // Somebody takes a consent and its batch out of the database before its entry has an index.
    let broken = loop {
        let (consent, promise) = promised(&process, &shop).await;
        process.kill();
        let taken = taken_out(&process, &consent).await;
        process.restart(&EVERY);
        if taken {
            break save("broken", &promise);
        }
    };
    shop.answer(&process, 1).await;
    shop.is_proven(&process).await;
    for (seen, code, said) in [
        (LATE, 4, "The promise was broken"),
        (EARLY, 5, "and it was not due"),
    ] {
        let ran = judged(&told, &broken, &files, seen);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.said.contains(said), "{ran:?}");
    }
    assert_eq!(judged(&told, &kept, &files, LATE).code, Some(3));
}

on_both!(a_promise_is_kept_after_a_kill_and_a_broken_one_is_told);

/// Removes a consent and its batch. False if its entry has an index already.
async fn taken_out(process: &Process, consent: &str) -> bool {
    let consent = Uuid::parse_str(consent).expect("an id");
    let db = process.database().await;
    let mut tx = db.begin().await.expect("a transaction");
    let waits: Option<i64> = tx
        .query(
            "SELECT b.id FROM ledger_batches b JOIN consents c ON c.batch = b.id \
             WHERE c.consent_id = $1 AND b.first_index IS NULL",
        )
        .bind(consent)
        .optional_value()
        .await
        .expect("an answer");
    if let Some(batch) = waits {
        for (sql, is_batch) in [
            ("DELETE FROM consents WHERE consent_id = $1", false),
            ("DELETE FROM ledger_batches WHERE id = $1", true),
        ] {
            let statement = tx.query(sql);
            let statement = if is_batch {
                statement.bind(batch)
            } else {
                statement.bind(consent)
            };
            assert_eq!(statement.exec().await.expect("removed"), 1);
        }
    }
    tx.commit().await.expect("committed");
    db.close().await;
    waits.is_some()
}

/// When the promise of the documentation's example was due, in seconds since 1970.
const DUE: u64 = 1_795_593_601 + 86_400;

/// The proof of the documentation's example, whose witness signed at this time in place of its own.
fn signed_at(bundle: &str, time: u64) -> String {
    let seed = std::array::from_fn(|at| 0x40 + at as u8);
    let witness = Cosigner::new("witness.example/w1", &seed).expect("a key");
    let mut bundle: Value = serde_json::from_str(bundle).expect("JSON");
    for pointer in ["/proofs/0", "/publication/proof"] {
        let proof = bundle.pointer_mut(pointer).expect("a proof");
        let text = proof.as_str().expect("a text");
        let (rest, line) = text.rsplit_once("\u{2014} witness").expect("its line");
        assert_eq!(line.matches('\n').count(), 1, "it is the last one");
        let note = Inclusion::parse(text).expect("a proof").note.text;
        *proof = json!(format!("{rest}{}", witness.cosign(note, time)));
    }
    bundle.to_string()
}

#[test]
fn a_promise_whose_consent_witnesses_saw_too_late_is_open() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proof/example");
    let read = |name: &str| fs::read_to_string(examples.join(name)).expect("an example");
    let promise = examples.join("consent.placet-promise.json");
    let keep = tempfile::tempdir().expect("a folder");
    let (policy, proof) = (keep.path().join("policy"), keep.path().join("proof"));
    let trusted = format!("log {}{}", read("promise-key"), read("trusted.policy"));
    fs::write(&policy, trusted).expect("written");
    let [policy, beside, promise] =
        [&policy, &proof, &promise].map(|path| path.to_str().expect("text"));
    let flags = ["--policy", policy, "--proof", beside, promise];
    let bundle = read("consent.placet-proof.json");
    for (time, code, said) in [
        (DUE, 0, "The promise was kept: it stands at index 1."),
        (DUE + 1, 5, "whether it stood there in time is open."),
    ] {
        fs::write(&proof, signed_at(&bundle, time)).expect("written");
        let own = verifier(&flags, "");
        let other = command(&[&["verify"], &flags[..]].concat());
        assert_eq!((own.code, &own.said), (other.code, &other.said), "{own:?}");
        assert_eq!(own.code, Some(code), "{own:?}");
        assert!(own.said.contains(said), "{own:?}");
    }
}
