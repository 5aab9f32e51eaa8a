//! Files that are damaged, forged, or cannot be written.

use std::fs;

use proof::note::{Note, Signed};
use serde_json::Value;
use tests::{Engine, until};

use super::{
    Answered, EVERY, audit, begins_with, checkpoint, folder, status, stays_stopped, stopped,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_signed_over_a_damaged_tile() {
    let (mut process, mut shop) = Answered::proven(Engine::Sqlite, 3).await;
    let data = process.folder().to_owned();
    for tile in ["tile/0", "tile/entries"] {
        let signed = checkpoint(&data).expect("a checkpoint");
        process.kill();
        let file = folder(&data).join(format!("{tile}/000.p/{}", signed.size));
        let right = fs::read(&file).expect("a tile");
        let mut damaged = right.clone();
        *damaged.last_mut().expect("bytes") ^= 1;
        fs::write(&file, damaged).expect("written");
        process.restart(&EVERY);
        shop.answer(&process, 2).await;
        stopped(&process, "damaged").await;
        stays_stopped(&process, &mut shop, "damaged").await;
        let there = checkpoint(&data);
        assert_eq!(there.as_ref(), Some(&signed), "{tile}: nothing was signed");
        fs::write(&file, right).expect("written");
        shop.is_proven(&process).await;
        begins_with(&data, &signed);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_of_another_key_stops_the_ledger_and_no_consent() {
    let (mut process, mut shop) = Answered::proven(Engine::Sqlite, 1).await;
    process.kill();
    let file = folder(process.folder()).join("checkpoint");
    let note = fs::read_to_string(&file).expect("a note");
    let (text, _) = note.split_once("\n\n").expect("a note");
    let origin = text.lines().next().expect("an origin");
    let other = proof::note::Signer::new(origin, &[1; 32]).expect("a key");
    let forged = other.sign(&format!("{text}\n"));
    let forged_note = Note::parse(&forged).expect("a note");
    assert_eq!(other.verifier().signed(&forged_note), Ok(Signed::Yes));
    fs::write(&file, &forged).expect("written");
    process.restart(&EVERY);
    let before = shop.consents.len();
    shop.answer(&process, 5).await;
    assert_eq!(shop.consents.len(), before + 5, "consents go on");
    stopped(&process, "not its own").await;
    assert_eq!(
        fs::read_to_string(&file).expect("a note"),
        forged,
        "nothing was signed"
    );
    shop.answer(&process, 2).await;
    assert_eq!(shop.consents.len(), before + 7, "consents go on");
    fs::write(&file, &note).expect("written");
    shop.is_proven(&process).await;
    assert_eq!(status(&process)["stopped"], Value::Null);
    assert_eq!(audit(&process, 0)["faultCount"], 0);
    fs::write(&file, &forged).expect("written");
    assert_eq!(audit(&process, 1)["faultCount"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consents_go_on_while_the_files_cannot_be_written() {
    let (process, mut shop) = Answered::proven(Engine::Sqlite, 1).await;
    let away = process.folder().join("away");
    let cdn = process.folder().join("cdn");
    fs::rename(&cdn, &away).expect("moved");
    // Nothing can be made below a file.
    fs::write(&cdn, "").expect("a file");
    shop.answer(&process, 5).await;
    stopped(&process, "its files are missing").await;
    shop.answer(&process, 5).await;
    assert_eq!(shop.consents.len(), 11);
    let late = until("the lag grows", async || {
        let status = status(&process);
        (status["lagSeconds"].as_u64()? >= 2).then_some(status)
    })
    .await;
    assert!(late["toPublish"].as_u64() >= Some(5), "{late}");
    assert!(late["checkpointAt"].is_string());
    fs::remove_file(&cdn).expect("removed");
    fs::rename(&away, &cdn).expect("moved back");
    shop.is_proven(&process).await;
    until("nothing is late", async || {
        (status(&process)["lagSeconds"] == 0).then_some(())
    })
    .await;
}
