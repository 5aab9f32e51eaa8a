//! The ledger's files in a bucket that fails and comes back, while the server is killed in between: nothing that was signed
//! is signed otherwise, and every consent that was acknowledged is proven.

use std::collections::BTreeMap;

use proof::{
    checkpoint::Checkpoint,
    note::Note,
    tile::{self, Tile},
    tree,
};
use serde_json::Value;
use tests::{Engine, Oracle, Process, on_both};

use crate::ledger::{Answered, EVERY, root_of, status};

/// The flags of a server whose published files are in the bucket.
fn stored_in(amazon: &Oracle) -> Vec<String> {
    let said = |name: &str| amazon.start[name].as_str().expect("a text").to_owned();
    let flags = [
        ("--object-store", format!("s3://{}/sites", said("bucket"))),
        (
            "--s3-endpoint",
            format!("http://127.0.0.1:{}", amazon.start["port"]),
        ),
        ("--s3-region", "us-east-1".to_owned()),
        ("--aws-access-key-id", said("id")),
        ("--aws-secret-access-key", said("secret")),
    ];
    let named = flags
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value]);
    EVERY.map(str::to_owned).into_iter().chain(named).collect()
}

/// Tells the bucket to fail or to work, and waits until it does.
async fn tell(amazon: &Oracle, command: &str) {
    amazon.tell(command).await;
    let name = command.split(' ').next();
    amazon.next(|said| said["event"].as_str() == name).await;
}

/// Waits until the bucket has refused a file of the ledger.
async fn refused(amazon: &Oracle) {
    amazon
        .next(|said| {
            let path = said["path"].as_str().unwrap_or_default();
            said["refused"] == "as told" && path.contains("/ledger/")
        })
        .await;
}

/// The published checkpoint, as readers get it. `None` before the first one.
async fn checkpoint(process: &Process) -> Option<Checkpoint> {
    let nobody = process.nobody();
    let about = nobody.get("/.well-known/placet-ledger.json").await;
    let note = nobody.get(&path(&about.json(), "checkpoint")).await;
    let note = (note.status == 200).then_some(note.text)?;
    Some(Checkpoint::read(Note::parse(&note).expect("a note").text).expect("a checkpoint"))
}

/// The path of a file of the ledger on this server.
fn path(about: &Value, name: &str) -> String {
    let prefix = about["prefix"].as_str().expect("a prefix");
    let (_, files) = prefix.split_once("/cdn/").expect("files of this server");
    format!("/cdn/{files}{name}")
}

/// All older checkpoints are of the tree whose entries are served now.
async fn begins_with(process: &Process, old: &BTreeMap<u64, Checkpoint>) {
    let nobody = process.nobody();
    let about = nobody.get("/.well-known/placet-ledger.json").await;
    let about = about.expect(200).json();
    let new = checkpoint(process).await.expect("a checkpoint");
    let mut leaves = Vec::new();
    for place in 0..new.size.div_ceil(tile::WIDTH) {
        let index = place * tile::WIDTH;
        let name = Tile::of(tree::Node { height: 0, index }, new.size).entries_path();
        let request = nobody.request(reqwest::Method::GET, &path(&about, &name));
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{name}");
        let bundle = answer.bytes().await.expect("entries");
        leaves.extend(
            tile::entries(&bundle)
                .expect("entries")
                .into_iter()
                .map(tree::leaf),
        );
    }
    for old in old.values().chain([&new]) {
        assert!(new.size >= old.size, "the ledger shrank");
        assert_eq!(
            root_of(&leaves, old.size),
            old.root,
            "history was rewritten"
        );
    }
}

async fn a_ledger_in_a_bucket_that_fails_and_comes_back_proves_everything(engine: Engine) {
    let amazon = Oracle::start("storage.py", &[]).await;
    let flags = stored_in(&amazon);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let mut process = Process::start(engine, &flags).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 3).await;
    shop.is_proven(&process).await;
    let mut signed = BTreeMap::new();
    // It takes no entries; then everything after the first tile; then only the checkpoint is not taken.
    for fault in [
        "refuse /ledger/[0-9a-f]+/tile/entries/",
        "down /ledger/[0-9a-f]+/tile/0/",
        "refuse /ledger/[0-9a-f]+/checkpoint$",
    ] {
        let before = checkpoint(&process).await.expect("a checkpoint");
        tell(&amazon, fault).await;
        let known = shop.consents.len();
        shop.answer(&process, 3).await;
        refused(&amazon).await;
        process.kill();
        process.restart(&flags);
        shop.answer(&process, 2).await;
        assert_eq!(shop.consents.len(), known + 5, "{fault}: consents go on");
        let still = checkpoint(&process).await;
        assert_eq!(
            still.as_ref(),
            Some(&before),
            "{fault}: nothing is published"
        );
        let late = status(&process);
        assert!(late["toPublish"].as_u64() >= Some(5), "{fault}: {late}");
        // Killed once more, so that a process that has met no fault goes on from what is there.
        process.kill();
        tell(&amazon, "up").await;
        process.restart(&flags);
        shop.is_proven(&process).await;
        signed.insert(before.size, before);
        begins_with(&process, &signed).await;
        assert_eq!(status(&process)["stopped"], Value::Null, "{fault}");
    }
    let read = [&["--json"][..], &flags].concat();
    let audit = process.program(&["ledger", "audit"], &read, "");
    assert_eq!(audit.code, Some(0), "{}{}", audit.said, audit.complained);
}

on_both!(a_ledger_in_a_bucket_that_fails_and_comes_back_proves_everything);
