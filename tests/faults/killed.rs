//! The ledger under load, killed at random moments: no entry is missing, none is there twice, and nothing that was signed is
//! signed otherwise. `cargo xtask test --all` kills a thousand times.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use proof::checkpoint::Checkpoint;
use reqwest::Method;
use serde_json::{Value, json};
use tests::{Engine, Process, on_both, until};
use uuid::Uuid;

use crate::{
    ledger::{EVERY, begins_with_all, checkpoint, has_each_entry_once},
    shop::Shop,
};

/// Visitors at the same time.
const VISITORS: usize = 4;
/// Most milliseconds of load before a kill. The ledger works each second, and is met at some of its steps.
const LONGEST_LIFE: u64 = 1_500;
/// Checkpoints that are compared at the end.
const COMPARED: usize = 50;

async fn a_ledger_killed_at_random_moments_misses_and_doubles_nothing(engine: Engine) {
    let kills = match std::env::var_os("PLACET_TEST_ALL") {
        Some(_) => 500,
        None => 5,
    };
    let mut process = Process::start(engine, &EVERY).await;
    let shop = Shop::open(&process).await;
    let mut acknowledged = BTreeSet::new();
    let mut signed: Vec<Checkpoint> = Vec::new();
    for round in 0..kills {
        for id in answers_until_killed(&mut process, &shop.path).await {
            assert!(acknowledged.insert(id), "{id} was acknowledged twice");
        }
        if round % (kills / COMPARED).max(1) == 0 {
            signed.extend(checkpoint(process.folder()));
        }
        process.restart(&EVERY);
    }
    assert!(acknowledged.len() >= kills, "visitors were answered");
    has_each_entry_once(&process).await;
    begins_with_all(process.folder(), &signed);
    let db = process.database().await;
    let stored: Vec<Uuid> = db
        .query("SELECT consent_id FROM consents")
        .all_values()
        .await
        .expect("ids");
    db.close().await;
    let stored: BTreeSet<Uuid> = stored.into_iter().collect();
    assert_eq!(acknowledged.difference(&stored).next(), None);
}

on_both!(a_ledger_killed_at_random_moments_misses_and_doubles_nothing);

/// Visitors answer at the same time until the process is killed, a random time after its first answer. Returns all ids that
/// it acknowledged.
async fn answers_until_killed(process: &mut Process, path: &str) -> Vec<Uuid> {
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let known = |ids: &Mutex<Vec<Uuid>>| ids.lock().unwrap_or_else(PoisonError::into_inner).len();
    let visitors: Vec<_> = (0..VISITORS)
        .map(|visitor| {
            let (client, path) = (process.nobody(), path.to_owned());
            let acknowledged = acknowledged.clone();
            tokio::spawn(async move {
                let body = json!({"accept": true, "token": format!("visitor {visitor}")});
                loop {
                    let request = client.request(Method::POST, &path).json(&body);
                    let Ok(answer) = request.send().await else {
                        return;
                    };
                    assert_eq!(answer.status(), 201);
                    let Ok(told) = answer.json::<Value>().await else {
                        return;
                    };
                    let id = told["consentId"].as_str().expect("an id");
                    let id = Uuid::parse_str(id).expect("an id");
                    acknowledged
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(id);
                }
            })
        })
        .collect();
    until("visitors are answered", async || {
        (known(&acknowledged) > 0).then_some(())
    })
    .await;
    // The moment is what is random here; nothing is waited for.
    let life = Duration::from_millis(fastrand::u64(..LONGEST_LIFE));
    tokio::time::sleep(life).await;
    process.kill();
    for visitor in visitors {
        visitor.await.expect("each answer is a consent");
    }
    let ids = acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
    ids.clone()
}
