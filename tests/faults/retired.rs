//! A ledger ends, and another one begins: proofs of both are good, and no consent waits for ever.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use proof::{
    inclusion::Inclusion,
    policy::Policy,
    verify::{Outcome, verify},
};
use serde_json::{Value, json};
use tests::{Engine, Process, Ran, Witness, on_both, until};

use crate::{
    ledger::{Answered, Backup, EVERY, audit, status, stopped},
    witnessed::{asking, policy, vkey, vouched},
};

/// Runs `placet ledger retire`.
fn retire(process: &Process, flags: &[&str]) -> Ran {
    process.program(&["ledger", "retire"], flags, "")
}

/// The facts that the server tells verifiers.
async fn about(process: &Process) -> Value {
    until("the ledger is told of", async || {
        let about = process
            .nobody()
            .get("/.well-known/placet-ledger.json")
            .await;
        (about.status == 200).then(|| about.json())
    })
    .await
}

/// The vkeys of a list of keys.
fn vkeys(ledger: &Value) -> Vec<String> {
    let keys = ledger["keys"].as_array().expect("keys").iter();
    let keys = keys.map(|key| key["vkey"].as_str().expect("a key").to_owned());
    keys.collect()
}

/// The keys of all ledgers of a server.
async fn all_keys(process: &Process) -> Policy {
    let about = about(process).await;
    let before = about["predecessors"].as_array().into_iter().flatten();
    let keys: Vec<String> = before.chain([&about]).flat_map(vkeys).collect();
    Policy::of_vkeys(keys.iter().map(String::as_str)).expect("keys")
}

/// The proof of a consent and the name of the ledger that it stands in. It verifies, and two consents have two places.
async fn proven(process: &Process, shop: &Answered) -> Vec<(Value, String)> {
    let policy = all_keys(process).await;
    let (mut found, mut places) = (Vec::new(), BTreeSet::new());
    for consent in &shop.consents {
        let bundle = shop.bundle(process, consent).await;
        let report = verify(&bundle.text, Some(&policy));
        assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
        let bundle = bundle.json();
        let proof = bundle["proofs"][0].as_str().expect("a proof");
        let inclusion = Inclusion::parse(proof).expect("a proof");
        let origin = inclusion.checkpoint.origin.clone();
        assert!(places.insert((origin.clone(), inclusion.index)), "{origin}");
        found.push((bundle, origin));
    }
    found
}

/// A visitor answers to the publication of the shop.
async fn answer_to_publication(process: &Process, shop: &mut Answered) {
    let body = json!({"accept": true, "token": "reader", "publication": tests::PUBLICATION});
    let answer = process.nobody().post(&shop.shop.path, &body).await;
    let answer = answer.expect(201).json();
    let id = answer["consentId"].as_str().expect("an id").to_owned();
    shop.consents.push(id);
}

/// The files of a ledger, by its name.
fn files_of(data: &Path, origin: &str) -> PathBuf {
    let (_, folder) = origin.split_once('/').expect("a folder");
    data.join("cdn").join(folder)
}

/// The text of the last or only bundle of entries of a small ledger.
fn entries(data: &Path, origin: &str) -> String {
    let folder = files_of(data, origin);
    let note = fs::read_to_string(folder.join("checkpoint")).expect("a checkpoint");
    let size = note.lines().nth(1).expect("a size");
    let bundle = fs::read(folder.join(format!("tile/entries/000.p/{size}")));
    String::from_utf8_lossy(&bundle.expect("entries")).into_owned()
}

async fn a_ledger_that_ends_hands_over_to_the_next_one(engine: Engine) {
    let mut process = Process::start(engine, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    // Its publication was made beside the server, and has no entry yet.
    let older = vkey(&process).await;
    let ran = process.program(&["ledger", "backfill"], &[], "");
    assert_eq!(ran.code, Some(0), "{}", ran.complained);
    shop.answer(&process, 3).await;
    answer_to_publication(&process, &mut shop).await;
    let kept = proven(&process, &shop).await;
    let first = kept[0].1.clone();

    let refused = retire(&process, &["--yes"]);
    assert_eq!(refused.code, Some(1), "{}", refused.said);
    assert!(
        refused.complained.contains("a server works on the ledger"),
        "{}",
        refused.complained
    );
    process.terminate();
    assert!(process.wait_for_death().await.success());
    let unsure = retire(&process, &[]);
    assert_eq!(unsure.code, Some(1), "{}", unsure.said);
    assert!(unsure.complained.contains("--yes"), "{}", unsure.complained);
    assert_eq!(status(&process)["origin"], *first);
    // The command dies once its last entry has an index. A server that starts then puts nothing behind that entry.
    let lease = &EVERY[2..];
    let died = [&["--yes", "--crash-at", "ledger-closed"], lease].concat();
    assert_eq!(retire(&process, &died).code, None);
    process.restart(&EVERY);
    shop.answer(&process, 1).await;
    let doctor = process.program(&["doctor"], &[], "");
    assert!(
        doctor.code != Some(0) && doctor.said.contains("its end has begun"),
        "{}",
        doctor.said
    );
    process.terminate();
    assert!(process.wait_for_death().await.success());
    let again = [&["--yes"], lease].concat();
    let ran = until("the dead command's lease is over", async || {
        Some(retire(&process, &again)).filter(|ran| ran.code == Some(0))
    })
    .await;
    assert!(
        ran.said.starts_with(&format!("ended    {first} with ")),
        "{}",
        ran.said
    );

    process.restart(&EVERY);
    shop.answer(&process, 2).await;
    answer_to_publication(&process, &mut shop).await;
    let found = proven(&process, &shop).await;
    let told = about(&process).await;
    let next = told["origin"].as_str().expect("a name").to_owned();
    assert_ne!(next, first);
    let ledgers: Vec<&str> = found.iter().map(|(_, origin)| origin.as_str()).collect();
    assert_eq!(ledgers[..4], [first.as_str(); 4]);
    assert_eq!(ledgers[4..], [next.as_str(); 4]);
    // A proof of before is the same but for the line by ML-DSA-44, whose key is gone, and shows its publication, as that of
    // the same publication does in the next ledger.
    for (now, then) in [
        (&found[3].0["proofs"][0], &kept[3].0["proofs"][0]),
        (
            &found[3].0["publication"]["proof"],
            &kept[3].0["publication"]["proof"],
        ),
    ] {
        let [now, then] = [now, then].map(|proof| proof.as_str().expect("a proof"));
        assert!(
            then.starts_with(now) && then.len() > now.len() + 2_420,
            "{now}"
        );
    }
    for (bundle, _) in [&found[3], &found[7]] {
        assert!(bundle["publication"]["index"].is_number(), "{bundle}");
    }
    let before = &told["predecessors"][0];
    assert_eq!(before["origin"], *first);
    assert_eq!(vkeys(before).len(), 2, "of both kinds");
    assert_eq!(vkeys(before)[0], older);
    assert!(before["size"].as_u64() >= Some(6), "{before}");
    let data = process.folder().to_owned();
    let closed = format!("{{\"event\":\"closed\",\"successor\":\"{next}\"}}");
    assert!(entries(&data, &first).ends_with(&closed));
    let succeeds = format!("{{\"event\":\"succeeds\",\"origin\":\"{first}\",");
    assert!(entries(&data, &next).contains(&succeeds));

    // The erasure of a consent of before stands in the next ledger.
    let path = format!("/v1/app/consents/{}/tokens/reader", shop.shop.project);
    shop.shop.owner.delete(&path).await.expect(200);
    let found = proven(&process, &shop).await;
    let erasure = found[3].0["erasure"]["proof"].as_str().expect("an erasure");
    let erasure = Inclusion::parse(erasure).expect("a proof");
    assert_eq!(erasure.checkpoint.origin, next);
    let read = audit(&process, 0);
    // Four consents, and the publication, which has another entry in the next one.
    assert_eq!(
        (&read["inRetired"], &read["faultCount"]),
        (&json!(5), &json!(0)),
        "{read}"
    );
    let ended = &read["ended"][0];
    assert_eq!(ended["origin"], *first);
    let of_type = json!({"consent": 4, "event": 1, "key": 1, "publication": 1});
    assert_eq!(ended["ofType"], of_type, "{read}");
    let opened = json!({"byRow": 3, "byTombstone": 1, "removed": 0});
    assert_eq!(ended["consents"], opened, "{read}");
    for nothing in [
        "publicationsRemoved",
        "erasuresRemoved",
        "picturesRemoved",
        "keysUnknown",
        "lostFiles",
    ] {
        assert_eq!(ended[nothing], 0, "{nothing}: {read}");
    }

    // It ends again, with four consents and the two erasures.
    process.terminate();
    assert!(process.wait_for_death().await.success());
    let again = retire(&process, &["--yes"]);
    assert_eq!(again.code, Some(0), "{}{}", again.said, again.complained);
    process.restart(&EVERY);
    shop.answer(&process, 1).await;
    let found = proven(&process, &shop).await;
    assert_eq!(found[0].0["record"], kept[0].0["record"]);
    assert_eq!(found[0].1, first);
    let before = about(&process).await["predecessors"].clone();
    assert_eq!(before[1]["origin"], *next);
    let read = audit(&process, 0);
    assert_eq!(read["inRetired"], 12, "{read}");
    assert_eq!(read["ended"][1]["origin"], *next);
}

on_both!(a_ledger_that_ends_hands_over_to_the_next_one);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_that_lost_files_which_a_witness_has_seen_is_retired_and_consents_go_on() {
    let mut process = Process::start(Engine::Sqlite, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    let witness = Witness::start("w.example/witness", &[(&vkey(&process).await, 1_000_000)]);
    let asked = policy(&process, &[(&witness.vkey, &witness.base)]);
    let flags = asking(&asked, &[]);
    process.restart(&flags);
    shop.answer(&process, 2).await;
    let last = shop.consents[1].clone();
    vouched(&process, &shop, &last).await;
    process.kill();
    let data = process.folder().to_owned();
    let older = Backup::of(&process).await;
    let early = shop.consents.clone();
    process.restart(&flags);
    shop.answer(&process, 3).await;
    let last = shop.consents[4].clone();
    let (given, _) = vouched(&process, &shop, &last).await;
    process.kill();
    // The newest files and the database are lost.
    older.restore_database().await;
    older.restore_files(&data);
    shop.consents = early;
    process.restart(&flags);
    // An entry that waits has the ledger look.
    shop.answer(&process, 1).await;
    stopped(&process, "has seen").await;
    let first = status(&process)["origin"]
        .as_str()
        .expect("a name")
        .to_owned();
    shop.answer(&process, 3).await;
    assert_eq!(shop.consents.len(), 6, "consents go on");
    process.terminate();
    assert!(process.wait_for_death().await.success());
    let ran = retire(&process, &[&["--yes"][..], &flags[EVERY.len()..]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.said, ran.complained);
    assert!(
        ran.said.contains("because the ledger stood still"),
        "{}",
        ran.said
    );

    // The witness does not know the next one, which goes on without its signature.
    process.restart(&flags);
    shop.answer(&process, 1).await;
    let found = proven(&process, &shop).await;
    let ledgers: BTreeSet<&str> = found[2..].iter().map(|(_, origin)| &**origin).collect();
    assert_eq!(ledgers.len(), 1);
    assert!(found[0].1 == first && !ledgers.contains(&*first));
    assert_eq!(status(&process)["stopped"], Value::Null);
    assert!(!entries(&data, &first).contains("closed"));
    let read = audit(&process, 0);
    assert_eq!(
        (&read["faultCount"], &read["ended"][0]["origin"]),
        (&json!(0), &json!(first)),
        "{read}"
    );
    // A proof that was given out stays good, with the signature of the witness.
    let told = about(&process).await;
    let rule = Policy::parse(told["policy"].as_str().expect("a policy")).expect("a policy");
    assert_eq!(verify(&given, Some(&rule)).outcome, Outcome::Verified);
    let (again, _) = &found[0];
    assert_eq!(
        verify(&again.to_string(), Some(&rule)).outcome,
        Outcome::Verified
    );
}
