//! The ledger changes its key.

use proof::{
    policy::Policy,
    verify::{Outcome, verify},
};
use serde_json::{Value, json};
use tests::{Engine, Process, on_both, until};

use crate::ledger::{Answered, Backup, EVERY, audit, shown, status, stopped};

/// `placet ledger rotate`: its exit code, and what it said and complained of.
fn rotate(process: &Process, flags: &[&str]) -> (Option<i32>, String, String) {
    let ran = process.program(&["ledger", "rotate"], flags, "");
    (ran.code, ran.said, ran.complained)
}

/// The keys that the ledger names: those for Ed25519 first.
async fn keys(process: &Process) -> Value {
    let about = process
        .nobody()
        .get("/.well-known/placet-ledger.json")
        .await;
    about.expect(200).json()["keys"].clone()
}

/// Ends the older key, once a checkpoint covers the entry of the newer one. Returns what was said.
async fn finish_rotation(process: &Process) -> String {
    until("the new key is announced", async || {
        let (code, said, complained) = rotate(process, &["--finish"]);
        let is_early = complained.contains("no checkpoint covers");
        assert!(code == Some(0) || is_early, "{complained}");
        (code == Some(0)).then_some(said)
    })
    .await
}

/// New keys sign beside the older ones, and then alone.
async fn a_ledger_changes_its_key_beside_a_server_that_runs(engine: Engine) {
    let mut process = Process::start(engine, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    // The outcome for somebody who believes this key alone.
    let judged = |bundle: &str, vkey: &str| {
        let policy = Policy::of_vkeys([vkey]).expect("a key");
        verify(bundle, Some(&policy)).outcome
    };
    let (good, bad) = (Outcome::Unwitnessed, Outcome::Failed);
    shop.answer(&process, 1).await;
    let before = shop.bundle(&process, &shop.consents[0]).await.text;
    let older = status(&process)["key"].as_str().expect("a key").to_owned();
    let older_ml_dsa = keys(&process).await[1]["vkey"].clone();
    let older_ml_dsa = older_ml_dsa.as_str().expect("a key").to_owned();

    let (code, _, complained) = rotate(&process, &["--finish"]);
    assert_eq!(code, Some(1));
    assert!(complained.contains("one key signs"), "{complained}");
    let (code, said, complained) = rotate(&process, &[]);
    assert_eq!(code, Some(0), "{complained}");
    let mut told = said
        .lines()
        .map_while(|line| line.strip_prefix("new key  "))
        .map(str::to_owned);
    let [newer, newer_ml_dsa] = [(); 2].map(|()| told.next().expect("a key"));
    let (code, _, complained) = rotate(&process, &[]);
    assert_eq!(code, Some(1));
    assert!(complained.contains("two keys sign already"), "{complained}");
    let state = status(&process);
    assert_eq!(
        (&state["key"], &state["olderKey"]),
        (&json!(newer), &json!(older))
    );

    shop.answer(&process, 1).await;
    let between = shop.bundle(&process, &shop.consents[1]).await.text;
    process.kill();
    process.restart(&EVERY);
    let ended = finish_rotation(&process).await;
    assert!(
        ended.contains(&older) && ended.contains(&older_ml_dsa),
        "{ended}"
    );
    shop.answer(&process, 1).await;
    let after = shop.bundle(&process, &shop.consents[2]).await.text;
    for (bundle, by_older, by_newer) in [
        (&before, good, bad),
        (&between, good, good),
        (&after, bad, good),
    ] {
        for (older, newer) in [(&older, &newer), (&older_ml_dsa, &newer_ml_dsa)] {
            assert_eq!(
                (judged(bundle, older), judged(bundle, newer)),
                (by_older, by_newer)
            );
        }
    }
    // Lines by ML-DSA-44 are made anew with each proof. They are the same, by the key of then.
    for (consent, bundle) in shop.consents.iter().zip([&before, &between, &after]) {
        assert_eq!(&shop.bundle(&process, consent).await.text, bundle);
    }
    shop.is_proven(&process).await;
    let keys = keys(&process).await;
    for (older, newer) in [(0, 1), (2, 3)] {
        assert_eq!(keys[older]["from"], 0);
        assert_eq!(keys[newer]["retired"], Value::Null);
        let (from, retired) = (
            keys[newer]["from"].as_u64(),
            keys[older]["retired"].as_u64(),
        );
        assert!(from > Some(0) && from < retired, "{keys}");
    }
    assert_eq!(keys[3]["vkey"], newer_ml_dsa);
    let audit = audit(&process, 0);
    assert_eq!(
        (shown(&audit, "key"), &audit["faultCount"]),
        (5, &json!(0)),
        "{audit}"
    );
}

on_both!(a_ledger_changes_its_key_beside_a_server_that_runs);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_was_ended_does_not_sign_again_after_a_restore() {
    let (mut process, mut shop) = Answered::proven(Engine::Sqlite, 1).await;
    let early = shop.consents.clone();
    process.kill();
    assert_eq!(rotate(&process, &[]).0, Some(0));
    let (code, _, complained) = rotate(&process, &["--finish"]);
    assert_eq!(code, Some(1), "no server runs, so no checkpoint was signed");
    assert!(complained.contains("no checkpoint covers"), "{complained}");
    let between = Backup::of(&process).await;
    process.restart(&EVERY);
    finish_rotation(&process).await;
    shop.answer(&process, 2).await;
    shop.is_proven(&process).await;
    process.kill();
    between.restore_database().await;
    shop.consents = early;
    process.restart(&EVERY);
    stopped(&process, "was ended after this database was saved").await;
    assert_eq!(rotate(&process, &["--finish"]).0, Some(0));
    shop.answer(&process, 1).await;
    shop.is_proven(&process).await;
    let state = status(&process);
    assert_eq!(
        (&state["stopped"], &state["olderKey"]),
        (&Value::Null, &Value::Null)
    );
    process.kill();
    // The key of the first change is announced, and the one of the second is not.
    assert_eq!(rotate(&process, &[]).0, Some(0));
    let (code, _, complained) = rotate(&process, &["--finish"]);
    assert_eq!(code, Some(1), "{complained}");
}
