//! The ledger under load, killed at random moments: no entry is missing, none is there twice, and nothing that was signed is
//! signed otherwise. `cargo xtask test --all` kills a thousand times, half of them on each database; `PLACET_TEST_KILLS`
//! names another number for each.

use std::{
    collections::BTreeSet,
    io::Write,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use proof::checkpoint::Checkpoint;
use reqwest::Method;
use serde_json::{Value, json};
use tests::{Engine, Process, on_both, until};
use tokio::time::Instant;
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
/// Kills between two lines of progress.
const TOLD: usize = 50;
/// No kill is begun after this time. The comparisons at the end take the rest of forty minutes.
const LONGEST: Duration = Duration::from_secs(33 * 60);

/// Kills of each database.
fn wanted_kills() -> usize {
    let named = std::env::var_os("PLACET_TEST_KILLS");
    let number = |text: &std::ffi::OsStr| text.to_str()?.parse().ok();
    let named = named.map(|kills| number(&kills).expect("PLACET_TEST_KILLS is a number"));
    let is_all = std::env::var_os("PLACET_TEST_ALL").is_some();
    named.unwrap_or(if is_all { 500 } else { 5 })
}

/// Writes a line past the capture of the test's output, because a long test that says nothing looks as one that hangs.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

async fn a_ledger_killed_at_random_moments_misses_and_doubles_nothing(engine: Engine) {
    let (kills, began) = (wanted_kills(), Instant::now());
    let mut process = Process::start(engine, &EVERY).await;
    let shop = Shop::open(&process).await;
    let mut acknowledged = BTreeSet::new();
    let mut signed: Vec<Checkpoint> = Vec::new();
    let mut killed = 0;
    for round in 0..kills {
        if began.elapsed() > LONGEST {
            break;
        }
        for id in answers_until_killed(&mut process, &shop.path).await {
            assert!(acknowledged.insert(id), "{id} was acknowledged twice");
        }
        if round % (kills / COMPARED).max(1) == 0 {
            signed.extend(checkpoint(process.folder()));
        }
        process.restart(&EVERY);
        killed += 1;
        if killed % TOLD == 0 {
            let (seconds, answers) = (began.elapsed().as_secs(), acknowledged.len());
            tell(&format!(
                "{engine:?}: {killed} of {kills} kills in {seconds} s, {answers} consents acknowledged"
            ));
        }
    }
    assert!(acknowledged.len() >= killed, "visitors were answered");
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
    let (seconds, answers) = (began.elapsed().as_secs(), acknowledged.len());
    tell(&format!(
        "{engine:?}: {killed} kills in {seconds} s, {answers} consents acknowledged, none missing, none doubled"
    ));
    assert_eq!(killed, kills, "kills within {LONGEST:?}");
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
