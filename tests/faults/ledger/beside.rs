//! Two processes that work on one ledger: two servers, and a command beside a server.

use serde_json::json;
use tests::{Engine, Process, on_both};

use super::{Answered, EVERY, audit, begins_with, checkpoint, has_each_entry_once};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_make_one_ledger() {
    // Both have this address, so each accepts the other's tokens.
    let flags = [&EVERY[..], &["--base-url", "http://consent.test"]].concat();
    let one = Process::start(Engine::Postgres, &flags).await;
    let two = Process::start_in(one.folder(), one.database_url(), &flags);
    let mut shop = Answered::open(&one).await;
    let mut old = None;
    for round in 0..6 {
        let process = if round % 2 == 0 { &one } else { &two };
        shop.answer(process, 10).await;
        // One that holds the ledger stands still in the midst of a round, past its lease, and wakes up beside a larger
        // tree.
        let paused = [(2, &one, &two), (3, &two, &one)];
        if let Some((_, still, other)) = paused.iter().find(|(at, ..)| *at == round) {
            still.pause();
            shop.answer(other, 5).await;
            shop.is_proven(other).await;
            still.wake();
        }
        shop.is_proven(&two).await;
        if let Some(old) = &old {
            begins_with(one.folder(), old);
        }
        old = checkpoint(one.folder());
    }
    let db = one.database().await;
    let stopped: Option<String> = db
        .query("SELECT stopped FROM ledger")
        .one_value()
        .await
        .expect("a row");
    assert_eq!(stopped, None);
    let roots: i64 = db
        .query("SELECT COUNT(*) FROM ledger_checkpoints")
        .one_value()
        .await
        .expect("a count");
    assert!(roots >= 6, "{roots}");
    db.close().await;
    has_each_entry_once(&one).await;
}

/// Consents from before the ledger was on.
async fn older_consents_get_entries_beside_a_server_that_runs(engine: Engine) {
    let mut process = Process::start(engine, &["--ledger", "off"]).await;
    let mut shop = Answered::open(&process).await;
    // More than one transaction of the command.
    shop.answer(&process, 230).await;
    let erased = shop.consents.pop().expect("a consent");
    let body = json!({"accept": true, "token": "visitor", "publication": tests::PUBLICATION});
    let named = process.nobody().post(&shop.shop.path, &body).await;
    let named = named.expect(201).json()["consentId"].clone();
    let without = process.program(&["ledger", "backfill"], &[], "");
    assert_eq!(without.code, Some(1), "{}", without.said);
    assert!(
        without.complained.contains("there is no ledger"),
        "{}",
        without.complained
    );

    process.restart(&EVERY);
    shop.answer(&process, 5).await;
    let consents = format!("/v1/app/consents/{}", shop.shop.project);
    let proof = format!("{consents}/{erased}/proof");
    let proof = shop.shop.owner.get(&proof).await;
    proof.problem(409, "not_in_ledger");
    let erasure = format!("{consents}/tokens/visitor%20229");
    shop.shop.owner.delete(&erasure).await.expect(200);
    for (consents, publications) in [(230, 1), (0, 0)] {
        let ran = process.program(&["ledger", "backfill"], &[], "");
        assert_eq!(ran.code, Some(0), "{}{}", ran.said, ran.complained);
        let said = format!("{consents} consents and {publications} publications have entries now");
        assert!(ran.said.starts_with(&said), "{}", ran.said);
        shop.answer(&process, 1).await;
    }
    shop.is_proven(&process).await;
    let audit = audit(&process, 0);
    assert_eq!(
        (&audit["withoutEntry"], &audit["faultCount"]),
        (&json!(1), &json!(0)),
        "{audit}"
    );
    // The publication stands before the consent that names it.
    let bundle = shop.bundle(&process, named.as_str().expect("an id")).await;
    let bundle = bundle.json();
    let shown = bundle["publication"]["index"].as_u64().expect("an index");
    let proof = bundle["proofs"][0].as_str().expect("a proof");
    let own = proof.lines().nth(1).and_then(|line| line.split(' ').nth(1));
    let own: u64 = own.and_then(|index| index.parse().ok()).expect("an index");
    assert!(shown < own, "{shown}, {own}");
}

on_both!(older_consents_get_entries_beside_a_server_that_runs);
