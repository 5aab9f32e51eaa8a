//! The ledger survives faults: whatever was acknowledged has one proof, and what was signed once is never signed
//! otherwise.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use proof::{
    Hash,
    checkpoint::Checkpoint,
    note::{Note, Signed},
    policy::Policy,
    tile::{self, Tile},
    tree,
    verify::{Outcome, verify},
};
use serde_json::{Value, json};
use tests::{Answer, Engine, Process, Saved, on_both, until};

use crate::shop::Shop;

pub const EVERY: [&str; 4] = ["--ledger-every", "1", "--job-lease", "2"];

/// A project, and the consents that it acknowledged.
pub struct Answered {
    pub shop: Shop,
    pub consents: Vec<String>,
}

impl Answered {
    pub async fn open(process: &Process) -> Self {
        Self {
            shop: Shop::open(process).await,
            consents: Vec::new(),
        }
    }

    /// Visitors answer. Those who get no answer are not counted.
    pub async fn answer(&mut self, process: &Process, times: usize) {
        for number in 0..times {
            let body = json!({"accept": true, "token": format!("visitor {number}")});
            let request = process
                .nobody()
                .request(reqwest::Method::POST, &self.shop.path);
            let Ok(response) = request.json(&body).send().await else {
                return;
            };
            if response.status() != 201 {
                return;
            }
            let Ok(receipt) = response.json::<Value>().await else {
                return;
            };
            let id = receipt["consentId"].as_str().expect("an id");
            self.consents.push(id.to_owned());
        }
    }

    /// The proof of a consent, once there is one.
    pub async fn bundle(&self, process: &Process, consent: &str) -> Answer {
        let mut owner = process.nobody();
        owner.token.clone_from(&self.shop.owner.token);
        let path = format!("/v1/app/consents/{}/{consent}/proof", self.shop.project);
        until("a checkpoint covers the consent", async || {
            let answer = owner.get(&path).await;
            (answer.status != 202).then(|| answer.expect(200))
        })
        .await
    }

    /// Each acknowledged consent has a row and a proof that verifies.
    pub async fn is_proven(&self, process: &Process) {
        let about = process
            .nobody()
            .get("/.well-known/placet-ledger.json")
            .await;
        let about = about.expect(200).json();
        let keys = about["keys"].as_array().expect("keys").iter();
        let keys = keys.map(|key| key["vkey"].as_str().expect("a key"));
        let policy = Policy::of_vkeys(keys).expect("keys");
        let mut indexes = BTreeMap::new();
        for consent in &self.consents {
            let bundle = self.bundle(process, consent).await;
            let report = verify(&bundle.text, Some(&policy));
            assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
            let proof = bundle.json()["proofs"][0]
                .as_str()
                .expect("a proof")
                .to_owned();
            let index = proof.lines().nth(1).expect("an index").to_owned();
            let other = indexes.insert(index, consent);
            assert!(other.is_none(), "two consents have one index");
        }
    }
}

/// The state, as the command prints it.
pub fn status(process: &Process) -> Value {
    let ran = process.program(&["ledger", "status"], &["--json"], "");
    serde_json::from_str(&ran.said).expect("JSON")
}

/// The folder of the ledger's files.
pub fn folder(data: &Path) -> std::path::PathBuf {
    let ledgers = data.join("cdn/ledger");
    let mut all = fs::read_dir(&ledgers).expect("a ledger").flatten();
    let one = all.next().expect("a ledger").path();
    assert!(all.next().is_none(), "one ledger");
    one
}

/// The published checkpoint, if there is one.
pub fn checkpoint(data: &Path) -> Option<Checkpoint> {
    if !data.join("cdn/ledger").exists() {
        return None;
    }
    let note = fs::read_to_string(folder(data).join("checkpoint")).ok()?;
    Some(Checkpoint::read(Note::parse(&note).expect("a note").text).expect("a checkpoint"))
}

/// The leaves of the published tree, by the entries that are served now.
fn leaves(data: &Path, size: u64) -> Vec<Hash> {
    let folder = folder(data);
    let bundles = (0..size.div_ceil(tile::WIDTH)).map(|place| {
        let index = place * tile::WIDTH;
        let path = Tile::of(tree::Node { height: 0, index }, size).entries_path();
        fs::read(folder.join(path)).expect("entries")
    });
    let leaves = bundles.flat_map(|bundle| {
        let entries = tile::entries(&bundle).expect("entries");
        entries.into_iter().map(tree::leaf).collect::<Vec<_>>()
    });
    leaves.collect()
}

/// Checks an older checkpoint with the entries that are served now.
pub fn begins_with(data: &Path, old: &Checkpoint) {
    begins_with_all(data, std::slice::from_ref(old));
}

/// Checks older checkpoints with the entries that are served now.
pub fn begins_with_all(data: &Path, old: &[Checkpoint]) {
    let new = checkpoint(data).expect("a checkpoint");
    let leaves = leaves(data, new.size);
    for old in old.iter().chain([&new]) {
        assert!(new.size >= old.size, "the ledger shrank");
        let root = root_of(&leaves, old.size);
        assert_eq!(root, old.root, "history was rewritten");
    }
}

/// The root of the first `size` of these leaves.
pub fn root_of(leaves: &[Hash], size: u64) -> Hash {
    let nodes = tree::cover(0, size);
    let hashes = nodes.iter().map(|node| {
        let wide = 1_usize << node.height;
        let from = usize::try_from(node.index).expect("few") * wide;
        let mut row = leaves[from..from + wide].to_vec();
        while row.len() > 1 {
            row = row.chunks(2).map(tree::fold).collect();
        }
        row[0]
    });
    tree::fold(&hashes.collect::<Vec<_>>())
}

async fn a_ledger_that_is_killed_at_any_step_proves_everything_afterwards(engine: Engine) {
    let mut process = Process::start(engine, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 3).await;
    shop.is_proven(&process).await;
    let mut old = checkpoint(process.folder()).expect("a checkpoint");
    for step in ["assign", "integrate", "put", "sign", "publish", "forget"] {
        process.kill();
        let point = format!("ledger-{step}");
        process.restart(&[&EVERY[..], &["--crash-at", &point]].concat());
        // The process dies in a round with something to do; what it acknowledges until then counts.
        shop.answer(&process, 4).await;
        let ended = process.wait_for_death().await;
        assert!(!ended.success(), "{step}");
        process.restart(&EVERY);
        shop.answer(&process, 2).await;
        shop.is_proven(&process).await;
        has_each_entry_once(&process).await;
        begins_with(process.folder(), &old);
        old = checkpoint(process.folder()).expect("a checkpoint");
    }
}

/// The tree has as many leaves as there are consents, publications and keys for ML-DSA-44 (none has ended), whether they were
/// acknowledged or not.
pub async fn has_each_entry_once(process: &Process) {
    let db = process.database().await;
    let rows: i64 = db
        .query(
            "SELECT (SELECT COUNT(*) FROM consents WHERE salt IS NOT NULL) \
             + (SELECT COUNT(*) FROM publications WHERE batch IS NOT NULL) \
             + (SELECT COUNT(*) FROM ledger_ml_dsa_keys WHERE announced_in IS NOT NULL)",
        )
        .one_value()
        .await
        .expect("a count");
    db.close().await;
    let leaves = until("all is published", async || {
        // In this order: what waits while the sizes are read may be published when the state is.
        let waits = status(process)["toPublish"] != 0;
        let (size, integrated) = sizes(process).await;
        (!waits && size == integrated).then_some(size)
    })
    .await;
    assert_eq!(leaves, rows);
    keeps_one_root_a_size(process).await;
    let audit = audit(process, 0);
    let opened = json!({"byRow": shown(&audit, "consent"), "byTombstone": 0, "removed": 0});
    assert_eq!(audit["consents"], opened, "{audit}");
    assert_eq!(
        shown(&audit, "consent") + shown(&audit, "publication") + shown(&audit, "key"),
        rows
    );
    assert_eq!(
        (shown(&audit, "key"), &audit["keysUnknown"]),
        (1, &json!(0))
    );
    assert_eq!(
        (&audit["waiting"], &audit["faultCount"]),
        (&json!(0), &json!(0)),
        "{audit}"
    );
}

/// Checkpoints that are compared with the entries.
const COMPARED: i64 = 50;

/// Each of the latest checkpoints has the root of the entries that are served now.
async fn keeps_one_root_a_size(process: &Process) {
    let db = process.database().await;
    let kept: Vec<String> = db
        .query("SELECT note FROM ledger_checkpoints ORDER BY size DESC LIMIT $1")
        .bind(COMPARED)
        .all_values()
        .await
        .expect("notes");
    db.close().await;
    assert!(!kept.is_empty());
    let read = |note: &String| Checkpoint::read(Note::parse(note).expect("a note").text);
    let kept: Vec<Checkpoint> = kept
        .iter()
        .map(|note| read(note).expect("three lines"))
        .collect();
    begins_with_all(process.folder(), &kept);
}

/// Entries of a type.
pub fn shown(audit: &Value, kind: &str) -> i64 {
    audit["ofType"][kind].as_i64().unwrap_or(0)
}

/// The audit, as the command prints it.
pub fn audit(process: &Process, code: i32) -> Value {
    let ran = process.program(&["ledger", "audit"], &["--json"], "");
    assert_eq!(ran.code, Some(code), "{}{}", ran.said, ran.complained);
    serde_json::from_str(&ran.said).expect("JSON")
}

on_both!(a_ledger_that_is_killed_at_any_step_proves_everything_afterwards);

/// Consents from before the ledger was on.
async fn older_consents_get_entries_beside_a_server_that_runs(engine: Engine) {
    let mut process = Process::start(engine, &["--ledger", "off"]).await;
    let mut shop = Answered::open(&process).await;
    // More than one transaction of the command.
    shop.answer(&process, 230).await;
    let erased = shop.consents.pop().expect("a consent");
    let body = json!({"accept": true, "token": "visitor", "publication": "made by hand"});
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

async fn an_older_database_beside_newer_files_goes_on_without_a_fork(engine: Engine) {
    let mut process = Process::start(engine, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 5).await;
    shop.is_proven(&process).await;
    let (older, early, _) = two_backups(&mut process, &mut shop, 7).await;
    let data = process.folder().to_owned();
    let newer = checkpoint(&data).expect("a checkpoint");
    older.restore_database().await;
    shop.consents = early;
    process.restart(&EVERY);
    shop.answer(&process, 3).await;
    shop.is_proven(&process).await;
    begins_with(&data, &newer);
    let now = checkpoint(&data).expect("a checkpoint");
    // The restored event and the three new ones.
    assert!(
        now.size >= newer.size + 4,
        "{} after {}",
        now.size,
        newer.size
    );
    let entries = fs::read(folder(&data).join(format!("tile/entries/000.p/{}", now.size)));
    let entries = String::from_utf8_lossy(&entries.expect("entries")).into_owned();
    assert!(entries.contains("\"event\":\"restored\""));
}

on_both!(an_older_database_beside_newer_files_goes_on_without_a_fork);

/// The data that a backup would have copied, of a process that does not run.
pub struct Backup {
    database: Saved,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Backup {
    pub async fn of(process: &Process) -> Self {
        let mut files = Vec::new();
        collect(&folder(process.folder()), &mut files);
        Self {
            database: Saved::of(process.database_url()).await,
            files,
        }
    }

    pub async fn restore_database(&self) {
        self.database.restore().await;
    }

    pub fn restore_files(&self, data: &Path) {
        fs::remove_dir_all(folder(data)).expect("removed");
        for (path, bytes) in &self.files {
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, bytes).expect("written");
        }
    }
}

/// Backups of before and after `more` answers, and the consents of before. The process is stopped at the end.
async fn two_backups(
    process: &mut Process,
    shop: &mut Answered,
    more: usize,
) -> (Backup, Vec<String>, Backup) {
    process.kill();
    let older = Backup::of(process).await;
    let early = shop.consents.clone();
    process.restart(&EVERY);
    shop.answer(process, more).await;
    shop.is_proven(process).await;
    process.kill();
    (older, early, Backup::of(process).await)
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            let bytes = fs::read(&path).expect("read");
            files.push((path, bytes));
        }
    }
}

/// Leaves with an index, and leaves in the latest checkpoint.
async fn sizes(process: &Process) -> (i64, i64) {
    let db = process.database().await;
    let sizes = db.query("SELECT size, integrated FROM ledger").one().await;
    db.close().await;
    sizes.expect("a row")
}

/// The ledger gives no index and says so for some rounds, whatever comes meanwhile.
async fn stays_stopped(process: &Process, shop: &mut Answered, why: &str) {
    let before = sizes(process).await;
    for _ in 0..3 {
        shop.answer(process, 1).await;
        let mark = status(process)["lagSeconds"].as_u64();
        until("a second passes", async || {
            (status(process)["lagSeconds"].as_u64() > mark).then_some(())
        })
        .await;
        let told = status(process);
        let reason = told["stopped"].as_str();
        assert!(reason.is_some_and(|reason| reason.contains(why)), "{told}");
    }
    assert_eq!(sizes(process).await, before);
}

/// Waits until operators are told this reason.
pub async fn stopped(process: &Process, why: &str) {
    until("the ledger says why it stands still", async || {
        let told = status(process)["stopped"].as_str()?.contains(why);
        told.then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_whose_files_are_missing_gives_no_index_until_they_are_back() {
    let mut process = Process::start(Engine::Sqlite, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 3).await;
    shop.is_proven(&process).await;
    let data = process.folder().to_owned();
    let old = checkpoint(&data).expect("a checkpoint");
    let before = sizes(&process).await;
    let (there, away) = (data.join("cdn/ledger"), data.join("away"));
    fs::rename(&there, &away).expect("moved");
    shop.answer(&process, 4).await;
    stopped(&process, "its files are missing").await;
    assert_eq!(shop.consents.len(), 7, "consents go on");
    assert_eq!(sizes(&process).await, before);
    assert!(!there.exists(), "nothing was published");
    fs::rename(&away, &there).expect("moved back");
    shop.is_proven(&process).await;
    begins_with(&data, &old);
    // Older files than the database's are no better.
    let (older, _, newer) = two_backups(&mut process, &mut shop, 2).await;
    older.restore_files(&data);
    process.restart(&EVERY);
    let before = sizes(&process).await;
    shop.answer(&process, 2).await;
    stopped(&process, "older than its database").await;
    stays_stopped(&process, &mut shop, "older than its database").await;
    assert_eq!(sizes(&process).await, before);
    newer.restore_files(&data);
    shop.is_proven(&process).await;
    begins_with(&data, &old);
    // A late write of another process leaves an older note beside newer tiles. It is put right.
    let note = folder(&data).join("checkpoint");
    let before = checkpoint(&data).expect("a checkpoint");
    let (_, earlier) = older
        .files
        .iter()
        .find(|(path, _)| *path == note)
        .expect("a note");
    fs::write(&note, earlier).expect("written");
    shop.answer(&process, 1).await;
    shop.is_proven(&process).await;
    begins_with(&data, &before);
}

async fn entries_whose_indexes_are_taken_in_newer_files_get_others(engine: Engine) {
    let mut process = Process::start(engine, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 3).await;
    shop.is_proven(&process).await;
    let data = process.folder().to_owned();
    // The backup has entries with indexes that no checkpoint covers yet.
    let assigning = [&EVERY[..], &["--crash-at", "ledger-assign"]].concat();
    process.restart(&assigning);
    shop.answer(&process, 3).await;
    assert!(!process.wait_for_death().await.success());
    let older = Backup::of(&process).await;
    let early = shop.consents.clone();
    let before = early.len();
    process.restart(&EVERY);
    shop.answer(&process, 5).await;
    shop.is_proven(&process).await;
    process.kill();
    let newer = Backup::of(&process).await;
    let published = checkpoint(&data).expect("a checkpoint");
    // Restored with its own files, it gives further indexes.
    older.restore_database().await;
    older.restore_files(&data);
    shop.consents = early;
    process.restart(&assigning);
    shop.answer(&process, 4).await;
    assert!(!process.wait_for_death().await.success());
    newer.restore_files(&data);
    process.restart(&EVERY);
    shop.answer(&process, 2).await;
    until("the ledger follows its files", async || {
        let now = checkpoint(&data)?;
        (now.size > published.size).then_some(())
    })
    .await;
    shop.is_proven(&process).await;
    begins_with(&data, &published);
    // The restored event, those that were displaced, and two new ones. Those of the backup are there once. The process may
    // have died between storing a consent and its answer.
    let now = checkpoint(&data).expect("a checkpoint");
    let acknowledged = published.size + 1 + (shop.consents.len() - before) as u64;
    assert!(shop.consents.len() > before + 2, "some were displaced");
    assert!(
        (acknowledged..=acknowledged + 1).contains(&now.size),
        "{}",
        now.size
    );
}

on_both!(entries_whose_indexes_are_taken_in_newer_files_get_others);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_do_not_begin_as_the_database_stop_the_ledger() {
    let mut process = Process::start(Engine::Sqlite, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 3).await;
    shop.is_proven(&process).await;
    let (older, early, lost) = two_backups(&mut process, &mut shop, 2).await;
    let data = process.folder().to_owned();
    // Restored from an old backup, it signs another history than the lost one, which nobody can know.
    let larger = (1, "does not begin as this database's does");
    for (more, said) in [larger, (6, "or of another history")] {
        older.restore_database().await;
        older.restore_files(&data);
        shop.consents.clone_from(&early);
        process.restart(&EVERY);
        shop.answer(&process, more).await;
        shop.is_proven(&process).await;
        process.kill();
        // Then the lost files come back: larger than its tree, and smaller.
        lost.restore_files(&data);
        process.restart(&EVERY);
        shop.answer(&process, 2).await;
        stopped(&process, said).await;
        process.kill();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_signed_over_a_damaged_tile() {
    let mut process = Process::start(Engine::Sqlite, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 3).await;
    shop.is_proven(&process).await;
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
    let mut process = Process::start(Engine::Sqlite, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 1).await;
    shop.is_proven(&process).await;
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
    let process = Process::start(Engine::Sqlite, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 1).await;
    shop.is_proven(&process).await;
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
