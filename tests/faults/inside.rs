//! A witness of other ledgers inside of `placet serve`.

use std::fs;

use proof::witness::request;
use reqwest::Method;
use tests::{Engine, Process, command, until};

use crate::{
    ledger::{Answered, EVERY, checkpoint, folder},
    witnessed::{asking, policy, vkey, vouched},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_a_witness_of_other_ledgers_and_never_of_its_own() {
    let mut log = Process::start(Engine::Sqlite, &EVERY).await;
    let mut shop = Answered::open(&log).await;
    let mut other = Process::start(Engine::Sqlite, &EVERY).await;
    let own = vkey(&other).await;
    let at = other.folder().join("witness");
    let at = at.to_str().expect("text").to_owned();
    let made = command(&[
        "witness",
        "init",
        "--name",
        "w.example/inside",
        "--data",
        &at,
    ]);
    let witness = made.said.lines().next().expect("a key").to_owned();
    let mut list = "logs/v0\n".to_owned();
    for one in [&vkey(&log).await, &own] {
        list.push_str(&format!("\nvkey {one}\nqpd 1000000\ncontact nobody\n"));
    }
    fs::write(format!("{at}/logs"), list).expect("a list");
    let inside = [&EVERY[..], &["--witness-data", &at]].concat();
    other.restart(&inside);

    let address = format!("{}/witness", other.base);
    let asked = policy(&log, &[(&witness, &address)]);
    log.restart(&asking(&asked, &[]));
    shop.answer(&log, 2).await;
    let (_, said) = vouched(&log, &shop, &shop.consents[0]).await;
    assert!(said.contains("as one independent witness signed"), "{said}");
    let origin = checkpoint(log.folder()).expect("a checkpoint").origin;
    let digits = service::objects::sha256_hex(origin.as_bytes());
    let path = format!("/witness/{digits}/checkpoint");
    let shown = other.nobody().get(&path).await.expect(200);
    assert!(shown.text.starts_with(&origin));

    // Its list has the ledger of its own server, and it does not know it.
    let mut its = Answered::open(&other).await;
    its.answer(&other, 1).await;
    its.is_proven(&other).await;
    let note = fs::read_to_string(folder(other.folder()).join("checkpoint")).expect("a note");
    let nobody = other.nobody();
    let ask = nobody.request(Method::POST, "/witness/add-checkpoint");
    let answer = nobody.send(ask.body(request(0, &[], &note))).await;
    answer.expect(404);
    // Nor is it asked by its own server.
    let itself = policy(&other, &[(&witness, &address)]);
    let both = [&asking(&itself, &[])[..], &inside[EVERY.len()..]].concat();
    assert!(!other.restart_and_die(&both).await.success());
    // A witness whose folder is taken does not start.
    other.restart(&inside);
    assert!(!log.restart_and_die(&inside).await.success());
    until("the first one goes on", async || {
        (other.nobody().get(&path).await.status == 200).then_some(())
    })
    .await;
}
