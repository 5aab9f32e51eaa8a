//! The ledger survives faults: whatever was acknowledged has one proof, and what was signed once is never signed
//! otherwise.

use std::{collections::BTreeMap, fs, path::Path};

use proof::{
    checkpoint::Checkpoint,
    note::{Note, Signed, Verifier},
    policy::Policy,
    tree,
    verify::{Outcome, verify},
};
use serde_json::{Value, json};
use tests::{Answer, Engine, Process, on_both, until};

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
        let vkey = about["keys"][0]["vkey"].as_str().expect("a key");
        let policy = Policy::of_keys(vec![Verifier::parse(vkey).expect("a key")]);
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
    Some(Checkpoint::read(&Note::parse(&note).expect("a note")).expect("a checkpoint"))
}

/// Checks an older checkpoint with the entries that are served now.
pub fn begins_with(data: &Path, old: &Checkpoint) {
    let new = checkpoint(data).expect("a checkpoint");
    assert!(new.size >= old.size, "the ledger shrank");
    let entries = folder(data).join("tile/entries");
    let name = if new.size >= 256 {
        "000".to_owned()
    } else {
        format!("000.p/{}", new.size)
    };
    let bundle = fs::read(entries.join(name)).expect("entries");
    let entries = proof::tile::entries(&bundle).expect("entries");
    let leaves: Vec<_> = entries.iter().map(|entry| tree::leaf(entry)).collect();
    let root = |size: u64| {
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
    };
    assert_eq!(root(old.size), old.root, "history was rewritten");
    assert_eq!(root(new.size), new.root);
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
        begins_with(process.folder(), &old);
        old = checkpoint(process.folder()).expect("a checkpoint");
    }
}

on_both!(a_ledger_that_is_killed_at_any_step_proves_everything_afterwards);

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
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_database_beside_newer_files_goes_on_without_a_fork() {
    let mut process = Process::start(Engine::Sqlite, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 5).await;
    shop.is_proven(&process).await;
    process.kill();
    let data = process.folder().to_owned();
    let kept = ["placet.db", "placet.db-wal", "placet.db-shm"]
        .map(|name| (data.join(name), fs::read(data.join(name)).ok()));
    let early = shop.consents.clone();
    process.restart(&EVERY);
    shop.answer(&process, 7).await;
    shop.is_proven(&process).await;
    process.kill();
    let newer = checkpoint(&data).expect("a checkpoint");
    for (path, bytes) in kept {
        match bytes {
            Some(bytes) => fs::write(path, bytes).expect("restored"),
            None => drop(fs::remove_file(path)),
        }
    }
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
    until("the ledger stops", async || {
        let db = process.database().await;
        let stopped: Option<String> = db
            .query("SELECT stopped FROM ledger")
            .one_value()
            .await
            .expect("a row");
        db.close().await;
        stopped
    })
    .await;
    assert_eq!(
        fs::read_to_string(&file).expect("a note"),
        forged,
        "nothing was signed"
    );
    shop.answer(&process, 2).await;
    assert_eq!(shop.consents.len(), before + 7, "consents go on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consents_go_on_while_the_files_cannot_be_written() {
    let process = Process::start_logging("info", &EVERY).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 1).await;
    shop.is_proven(&process).await;
    let away = process.folder().join("away");
    let cdn = process.folder().join("cdn");
    fs::rename(&cdn, &away).expect("moved");
    // Nothing can be made below a file.
    fs::write(&cdn, "").expect("a file");
    shop.answer(&process, 5).await;
    until("the ledger meets the fault", async || {
        let stands = process.log().contains("the ledger stands still");
        stands.then_some(())
    })
    .await;
    shop.answer(&process, 5).await;
    assert_eq!(shop.consents.len(), 11);
    let status = || {
        let ran = process.program(&["ledger", "status"], &["--json"], "");
        serde_json::from_str::<Value>(&ran.said).expect("JSON")
    };
    let late = until("the lag grows", async || {
        let status = status();
        (status["lagSeconds"].as_u64()? >= 2).then_some(status)
    })
    .await;
    assert!(late["toPublish"].as_u64() >= Some(5), "{late}");
    assert!(late["checkpointAt"].is_string() && late["stopped"].is_null());
    fs::remove_file(&cdn).expect("removed");
    fs::rename(&away, &cdn).expect("moved back");
    shop.is_proven(&process).await;
    until("nothing is late", async || {
        (status()["lagSeconds"] == 0).then_some(())
    })
    .await;
}
