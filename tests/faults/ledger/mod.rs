//! The ledger survives faults: whatever was acknowledged has one proof, and what was signed once is never signed
//! otherwise.

mod backups;
mod beside;
mod files;
mod steps;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use proof::{
    Hash,
    checkpoint::Checkpoint,
    note::Note,
    policy::Policy,
    tile::{self, Tile},
    tree,
    verify::{Outcome, verify},
};
use serde_json::{Value, json};
use tests::{Answer, Engine, Process, Saved, until};

use crate::shop::Shop;

pub const EVERY: [&str; 4] = ["--ledger-every", "1", "--job-lease", "2"];

/// A project, and the consents that it acknowledged.
pub struct Answered {
    pub shop: Shop,
    pub consents: Vec<String>,
}

impl Answered {
    /// A server with a ledger, and a project whose first answers are proven.
    pub async fn proven(engine: Engine, times: usize) -> (Process, Self) {
        let process = Process::start(engine, &EVERY).await;
        let mut shop = Self::open(&process).await;
        shop.answer(&process, times).await;
        shop.is_proven(&process).await;
        (process, shop)
    }

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
