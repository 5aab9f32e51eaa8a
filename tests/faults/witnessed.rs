//! A ledger whose checkpoints witnesses sign: proofs say so, faults of either side are repaired, and a ledger that
//! contradicts a witness stops.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use axum::http::StatusCode;
use proof::witness::{Cosigner, Request};
use serde_json::{Value, json};
use service::clock::{Clock, SystemClock};
use tests::{Engine, Oracle, Process, Ran, Witness, command, on_both, until, verifier};

use crate::ledger::{
    Answered, Backup, EVERY, begins_with, checkpoint, status, stopped as stopped_for,
};

/// The public key of the ledger.
pub async fn vkey(process: &Process) -> String {
    let about = until("the ledger begins", async || {
        let about = process
            .nobody()
            .get("/.well-known/placet-ledger.json")
            .await;
        (about.status == 200).then_some(about)
    })
    .await;
    about.json()["keys"][0]["vkey"]
        .as_str()
        .expect("a key")
        .to_owned()
}

/// Writes a policy by which all of these witnesses must sign, given by key and address.
pub fn policy(process: &Process, witnesses: &[(&str, &str)]) -> PathBuf {
    let mut text = String::new();
    let mut names = Vec::new();
    for (number, (vkey, url)) in witnesses.iter().enumerate() {
        text.push_str(&format!("witness W{number} {vkey} {url}\n"));
        names.push(format!("W{number}"));
    }
    text.push_str(&format!(
        "group all-of-them all {}\nquorum all-of-them\n",
        names.join(" ")
    ));
    let path = process.folder().join("witnesses");
    fs::write(&path, text).expect("a policy");
    path
}

/// The flags of a server that asks witnesses.
pub fn asking<'a>(policy: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let policy = policy.to_str().expect("text");
    let flags = [
        "--witness-policy",
        policy,
        "--witness-every",
        "1",
        "--outbound-allow",
        "127.0.0.1",
    ];
    [&EVERY[..], &flags, more].concat()
}

/// A ledger that exists, and witnesses that know it.
async fn with_witnesses(
    engine: Engine,
    count: usize,
) -> (Process, Answered, Vec<Witness>, PathBuf) {
    let mut process = Process::start(engine, &EVERY).await;
    let shop = Answered::open(&process).await;
    let log = vkey(&process).await;
    let witnesses: Vec<Witness> = (0..count)
        .map(|number| Witness::start(&format!("w{number}.example/witness"), &[(&log, 1_000_000)]))
        .collect();
    let named: Vec<(&str, &str)> = witnesses
        .iter()
        .map(|witness| (witness.vkey.as_str(), witness.base.as_str()))
        .collect();
    let policy = policy(&process, &named);
    process.restart(&asking(&policy, &[]));
    (process, shop, witnesses, policy)
}

fn status_with(process: &Process, policy: &Path) -> Value {
    let flags = ["--json", "--witness-policy", policy.to_str().expect("text")];
    let ran = process.program(&["ledger", "status"], &flags, "");
    serde_json::from_str(&ran.said).expect("JSON")
}

/// Judges a proof by the policy that the server tells.
async fn judged(process: &Process, bundle: &str) -> Ran {
    let about = process
        .nobody()
        .get("/.well-known/placet-ledger.json")
        .await;
    let about = about.expect(200).json();
    let (rule, file) = (
        process.folder().join("rule"),
        process.folder().join("bundle"),
    );
    fs::write(&rule, about["policy"].as_str().expect("a policy")).expect("written");
    fs::write(&file, bundle).expect("written");
    let text = |path: &PathBuf| path.to_str().expect("text").to_owned();
    let (rule, file) = (text(&rule), text(&file));
    let own = verifier(&["--policy", &rule, &file], "");
    let other = command(&["verify", "--policy", &rule, &file]);
    assert_eq!((own.code, &own.said), (other.code, &other.said));
    own
}

/// Waits until witnesses vouch for a consent. Returns its proof and the sentences about it.
pub async fn vouched(process: &Process, shop: &Answered, consent: &str) -> (String, String) {
    until("witnesses vouch for the consent", async || {
        let bundle = shop.bundle(process, consent).await.text;
        let ran = judged(process, &bundle).await;
        (ran.code == Some(0)).then_some((bundle, ran.said))
    })
    .await
}

async fn a_proof_names_the_witnesses_that_signed(engine: Engine) {
    let (process, mut shop, witnesses, policy) = with_witnesses(engine, 2).await;
    shop.answer(&process, 3).await;
    let first = shop.consents[0].clone();
    let (bundle, said) = vouched(&process, &shop, &first).await;
    assert!(said.contains("as 2 independent witnesses signed"), "{said}");
    let bundle: Value = serde_json::from_str(&bundle).expect("JSON");
    let proof = bundle["proofs"][0].as_str().expect("a proof");
    for name in ["w0.example/witness", "w1.example/witness"] {
        assert!(proof.contains(&format!("\u{2014} {name} ")), "{proof}");
    }
    // The server tells verifiers the policy that the command prints, without addresses.
    let about = process
        .nobody()
        .get("/.well-known/placet-ledger.json")
        .await;
    let told = about.expect(200).json()["policy"]
        .as_str()
        .expect("a policy")
        .to_owned();
    let flags = ["--witness-policy", policy.to_str().expect("text")];
    assert_eq!(process.program(&["policy"], &flags, "").said, told);
    assert!(!told.contains("http") && witnesses.iter().all(|one| told.contains(&one.vkey)));

    // Later checkpoints are signed too, and the proof keeps the earliest time.
    let mut last = String::new();
    for _ in 0..2 {
        shop.answer(&process, 2).await;
        last = shop.consents.last().expect("a consent").clone();
        vouched(&process, &shop, &last).await;
    }
    let again = shop.bundle(&process, &first).await.json();
    assert_eq!(again["proofs"], bundle["proofs"]);
    let newer = shop.bundle(&process, &last).await.json();
    assert_ne!(newer["proofs"][0], bundle["proofs"][0]);
    let state = status_with(&process, &policy);
    let states = state["witnesses"].as_array().expect("a list");
    assert_eq!(states.len(), 2, "{state}");
    for one in states {
        assert!(
            one["size"].as_u64() >= Some(7) && one["late"] == false,
            "{state}"
        );
        assert!(
            one["fault"].is_null() && one["cosignedAt"].is_string(),
            "{state}"
        );
    }
}

on_both!(a_proof_names_the_witnesses_that_signed);

async fn a_crash_while_witnesses_are_asked_is_made_good(engine: Engine) {
    let (mut process, mut shop, _witnesses, policy) = with_witnesses(engine, 2).await;
    for step in ["ledger-ask", "ledger-cosigned"] {
        process.kill();
        process.restart(&asking(&policy, &["--crash-at", step]));
        shop.answer(&process, 4).await;
        assert!(!process.wait_for_death().await.success(), "{step}");
        process.restart(&asking(&policy, &[]));
        shop.answer(&process, 2).await;
        for consent in shop.consents.clone() {
            vouched(&process, &shop, &consent).await;
        }
    }
    assert_eq!(status(&process)["stopped"], Value::Null);
}

on_both!(a_crash_while_witnesses_are_asked_is_made_good);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_may_count_a_witness_by_its_ml_dsa_key_alone() {
    let (mut process, mut shop, witnesses, _) = with_witnesses(Engine::Sqlite, 1).await;
    let witness = &witnesses[0];
    let policy = policy(&process, &[(&witness.ml_dsa_vkey, &witness.base)]);
    process.restart(&asking(&policy, &[]));
    shop.answer(&process, 2).await;
    let (bundle, said) = vouched(&process, &shop, &shop.consents[0]).await;
    assert!(said.contains("as one independent witness signed"), "{said}");
    let bundle: Value = serde_json::from_str(&bundle).expect("JSON");
    let proof = bundle["proofs"][0].as_str().expect("a proof");
    // It answers with two lines, and the policy asks for one of them.
    assert_eq!(
        proof.matches("\u{2014} w0.example/witness ").count(),
        1,
        "{proof}"
    );
    let state = status_with(&process, &policy);
    assert_eq!(
        state["witnesses"][0]["vkey"], witness.ml_dsa_vkey,
        "{state}"
    );
    assert!(state["witnesses"][0]["fault"].is_null(), "{state}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_ask_for_one_ledger() {
    let address = ["--base-url", "http://consent.test"];
    let begun = Process::start(Engine::Postgres, &[&EVERY[..], &address].concat()).await;
    let mut shop = Answered::open(&begun).await;
    let log = vkey(&begun).await;
    let witness = Witness::start("w.example/witness", &[(&log, 1_000_000)]);
    let policy = policy(&begun, &[(&witness.vkey, &witness.base)]);
    let flags = asking(&policy, &address);
    let mut one = begun;
    one.restart(&flags);
    let two = one.beside(&flags);
    for round in 0..4 {
        shop.answer(if round % 2 == 0 { &one } else { &two }, 3)
            .await;
        let last = shop.consents.last().expect("a consent").clone();
        vouched(&two, &shop, &last).await;
    }
    let state = status_with(&one, &policy);
    assert!(
        state["stopped"].is_null() && state["witnesses"][0]["fault"].is_null(),
        "{state}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_witness_and_a_stranger_in_its_place_hold_nothing_up() {
    let (mut process, mut shop, witnesses, _) = with_witnesses(Engine::Sqlite, 1).await;
    let key = |seed| Cosigner::new("s.example/witness", &[seed; 32]).expect("a key");
    let (silent, stranger) = (key(1).verifier().vkey(), key(2).verifier().vkey());
    // Nobody listens at port 1, and the other address is somebody else's.
    let policy = policy(
        &process,
        &[
            (&silent, "http://127.0.0.1:1"),
            (&stranger, &witnesses[0].base),
        ],
    );
    process.restart(&asking(&policy, &[]));
    shop.answer(&process, 3).await;
    shop.is_proven(&process).await;
    let state = until("both faults are told", async || {
        let state = status_with(&process, &policy);
        let faults = state["witnesses"].as_array()?.iter();
        let all = faults.clone().all(|one| one["fault"].is_string());
        all.then_some(state)
    })
    .await;
    assert_eq!(state["witnesses"][0]["fault"], "the call failed", "{state}");
    let fault = state["witnesses"][1]["fault"].as_str().expect("a fault");
    assert!(
        fault.starts_with("answered without its signature"),
        "{fault}"
    );
    assert!(
        state["witnesses"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|one| one["size"].is_null())
    );
    let flags = ["--witness-policy", policy.to_str().expect("text")];
    let doctor = process.program(&["doctor"], &flags, "").said;
    assert!(
        doctor.contains("witness") && doctor.contains("has never signed"),
        "{doctor}"
    );
    // Their policy accepts no such proof, and that of the key alone does.
    let bundle = shop.bundle(&process, &shop.consents[0]).await.text;
    let ran = judged(&process, &bundle).await;
    assert_eq!(ran.code, Some(1), "{}", ran.said);
    assert!(
        ran.said.contains("too few of the policy's witnesses"),
        "{}",
        ran.said
    );
    shop.answer(&process, 2).await;
    shop.is_proven(&process).await;
}

/// Backups of after three answers and after nine, all of which a witness has seen, and the consents of the first one. The
/// process is stopped at the end.
async fn two_backups(
    process: &mut Process,
    shop: &mut Answered,
    policy: &Path,
) -> (Backup, Vec<String>, Backup) {
    shop.answer(process, 3).await;
    vouched(process, shop, &shop.consents[2]).await;
    process.kill();
    let older = Backup::of(process).await;
    let early = shop.consents.clone();
    process.restart(&asking(policy, &[]));
    shop.answer(process, 6).await;
    vouched(process, shop, &shop.consents[8]).await;
    process.kill();
    (older, early, Backup::of(process).await)
}

async fn stopped(process: &Process) -> String {
    until("the ledger stops", async || {
        status(process)["stopped"].as_str().map(str::to_owned)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_database_beside_a_newer_witness_stops_the_ledger_until_its_files_are_back() {
    let (mut process, mut shop, _witnesses, policy) = with_witnesses(Engine::Sqlite, 1).await;
    let (older, early, newer) = two_backups(&mut process, &mut shop, &policy).await;
    let data = process.folder().to_owned();
    let signed = checkpoint(&data).expect("a checkpoint");

    older.restore_database().await;
    older.restore_files(&data);
    let before = checkpoint(&data).expect("a checkpoint");
    assert!(before.size < signed.size);
    process.restart(&asking(&policy, &[]));
    shop.consents = early;
    shop.answer(&process, 4).await;
    let why = stopped(&process).await;
    assert!(why.contains("w0.example/witness has seen"), "{why}");
    shop.answer(&process, 2).await;
    assert_eq!(shop.consents.len(), 9, "consents go on");
    assert_eq!(
        checkpoint(&data).as_ref(),
        Some(&before),
        "nothing else was signed"
    );
    let doctor = process.program(&["doctor"], &[], "");
    assert!(
        !doctor.success && doctor.said.contains("has seen"),
        "{}",
        doctor.said
    );

    // A start without the flag goes on no more than one with it.
    process.restart(&EVERY);
    shop.answer(&process, 1).await;
    assert_eq!(stopped(&process).await, why);

    process.kill();
    newer.restore_files(&data);
    process.restart(&asking(&policy, &[]));
    shop.answer(&process, 1).await;
    shop.is_proven(&process).await;
    begins_with(&data, &signed);
    for consent in shop.consents.clone() {
        vouched(&process, &shop, &consent).await;
    }
    assert_eq!(status(&process)["stopped"], Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn witnesses_are_asked_again_before_a_ledger_goes_on_with_files_of_a_backup() {
    let (mut process, mut shop, _witnesses, policy) = with_witnesses(Engine::Sqlite, 1).await;
    let (older, early, newer) = two_backups(&mut process, &mut shop, &policy).await;
    let data = process.folder().to_owned();
    // The database alone is restored, and its old files come while the server runs.
    older.restore_database().await;
    let (there, away) = (data.join("cdn/ledger"), data.join("away"));
    fs::rename(&there, &away).expect("moved");
    process.restart(&asking(&policy, &[]));
    shop.consents = early;
    shop.answer(&process, 2).await;
    stopped_for(&process, "its files are missing").await;
    fs::rename(&away, &there).expect("moved");
    older.restore_files(&data);
    let before = checkpoint(&data).expect("a checkpoint");
    stopped_for(&process, "w0.example/witness has seen").await;
    assert_eq!(
        checkpoint(&data).as_ref(),
        Some(&before),
        "nothing was signed"
    );
    newer.restore_files(&data);
    shop.answer(&process, 1).await;
    for consent in shop.consents.clone() {
        vouched(&process, &shop, &consent).await;
    }
}

/// A witness that says to have seen a huge tree, until it is told to sign.
struct Liar {
    vkey: String,
    base: String,
    signs: Arc<AtomicBool>,
    signed: Arc<AtomicU64>,
    served: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Liar {
    async fn start() -> Self {
        let key = Arc::new(Cosigner::new("l.example/witness", &[9; 32]).expect("a key"));
        let (signs, signed) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU64::new(0)),
        );
        let (signing, counted, signer) = (signs.clone(), signed.clone(), key.clone());
        let answer = move |body: String| {
            let said = if signing.load(Ordering::SeqCst) {
                let asked = Request::parse(&body).expect("a request");
                counted.fetch_add(1, Ordering::SeqCst);
                let now = SystemClock.now().seconds().unsigned_abs();
                (StatusCode::OK, signer.cosign(asked.text(), now))
            } else {
                (StatusCode::CONFLICT, "999999999\n".to_owned())
            };
            std::future::ready(said)
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let routes = axum::Router::new().route("/add-checkpoint", axum::routing::post(answer));
        Self {
            vkey: key.verifier().vkey(),
            base,
            signs,
            signed,
            served: tokio::spawn(async move { axum::serve(listener, routes).await }),
        }
    }
}

impl Drop for Liar {
    fn drop(&mut self) {
        self.served.abort();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_witness_that_lies_does_not_hide_what_an_honest_one_has_seen() {
    let (mut process, mut shop, mut witnesses, alone) = with_witnesses(Engine::Sqlite, 1).await;
    shop.answer(&process, 3).await;
    vouched(&process, &shop, &shop.consents[2]).await;
    process.kill();
    let data = process.folder().to_owned();
    let older = Backup::of(&process).await;
    process.restart(&asking(&alone, &[]));
    shop.answer(&process, 6).await;
    vouched(&process, &shop, &shop.consents[8]).await;
    process.kill();
    let newer = Backup::of(&process).await;
    older.restore_database().await;
    older.restore_files(&data);
    let before = checkpoint(&data).expect("a checkpoint");

    // The liar is asked first: the honest one is away.
    witnesses[0].kill();
    let liar = Liar::start().await;
    let both = policy(
        &process,
        &[
            (&witnesses[0].vkey, &witnesses[0].base),
            (&liar.vkey, &liar.base),
        ],
    );
    process.restart(&asking(&both, &[]));
    shop.consents.truncate(3);
    shop.answer(&process, 2).await;
    let why = stopped(&process).await;
    assert!(
        why.contains("l.example/witness has seen 999999999"),
        "{why}"
    );
    witnesses[0].restart();
    until("the honest one contradicts the ledger", async || {
        let state = status_with(&process, &both);
        let fault = state["witnesses"][0]["fault"].as_str()?;
        fault.contains("w0.example/witness has seen").then_some(())
    })
    .await;
    // It has said so, and need not say so again.
    witnesses[0].kill();
    liar.signs.store(true, Ordering::SeqCst);
    until("the ledger stands still for the honest one", async || {
        let why = status(&process)["stopped"].as_str().map(str::to_owned);
        assert!(why.is_some(), "it went on");
        (liar.signed.load(Ordering::SeqCst) > 1 && why?.contains("w0.example/witness has seen"))
            .then_some(())
    })
    .await;
    shop.answer(&process, 2).await;
    assert_eq!(
        checkpoint(&data).as_ref(),
        Some(&before),
        "nothing else was signed"
    );

    process.kill();
    newer.restore_files(&data);
    process.restart(&asking(&both, &[]));
    shop.is_proven(&process).await;
    assert_eq!(status(&process)["stopped"], Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_that_has_forked_is_refused_and_stops() {
    let (mut process, mut shop, _witnesses, policy) = with_witnesses(Engine::Sqlite, 1).await;
    shop.answer(&process, 3).await;
    vouched(&process, &shop, &shop.consents[2]).await;
    process.kill();
    let data = process.folder().to_owned();
    let older = Backup::of(&process).await;
    process.restart(&asking(&policy, &[]));
    shop.answer(&process, 3).await;
    vouched(&process, &shop, &shop.consents[5]).await;
    process.kill();
    older.restore_database().await;
    older.restore_files(&data);
    // Without witnesses nobody notices.
    process.restart(&EVERY);
    shop.consents.truncate(3);
    shop.answer(&process, 9).await;
    shop.is_proven(&process).await;
    let forked = checkpoint(&data).expect("a checkpoint");
    process.restart(&asking(&policy, &[]));
    let why = stopped(&process).await;
    assert!(why.contains("has seen another tree"), "{why}");
    let before = shop.consents.len();
    shop.answer(&process, 2).await;
    assert_eq!(shop.consents.len(), before + 2, "consents go on");
    assert_eq!(checkpoint(&data), Some(forked));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_witness_by_others_follows_the_ledger_and_reads_our_witness() {
    let (mut process, mut shop, witnesses, _) = with_witnesses(Engine::Sqlite, 1).await;
    let theirs = Oracle::start("witness.py", &[]).await;
    let ask = async |asked: Value, field: &str| {
        theirs.tell(&asked.to_string()).await;
        theirs
            .next(|said| !said[field].is_null() || !said["refused"].is_null())
            .await
    };
    let log = vkey(&process).await;
    let known = ask(json!({"know": log}), "known").await;
    let text = |name: &str| theirs.start[name].as_str().expect("text").to_owned();
    let (key, url) = (text("vkey"), text("url"));
    let policy = policy(
        &process,
        &[
            (&witnesses[0].vkey, &witnesses[0].base),
            (&key, &url),
            (&witnesses[0].ml_dsa_vkey, &witnesses[0].base),
        ],
    );
    process.restart(&asking(&policy, &[]));
    let mut bundle = String::new();
    for round in 0..3 {
        shop.answer(&process, 3 + round).await;
        let last = shop.consents.last().expect("a consent").clone();
        bundle = vouched(&process, &shop, &last).await.0;
    }
    let seen = ask(json!({"seen": known["known"]}), "sizes").await;
    assert!(seen["sizes"].as_array().map(Vec::len) >= Some(3), "{seen}");
    assert_eq!(
        seen["refused"],
        json!([]),
        "each proof of consistency is right"
    );
    let file = process.folder().join("for-python");
    fs::write(&file, &bundle).expect("written");
    let oracles = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles");
    let judged = Command::new(oracles.join("venv/bin/python"))
        .arg(oracles.join("proof.py"))
        .args(["--key", &log])
        .arg(&file)
        .output()
        .expect("it runs");
    assert_eq!(String::from_utf8_lossy(&judged.stdout), "3\tin order\n");
    let bundle: Value = serde_json::from_str(&bundle).expect("JSON");
    let proof = bundle["proofs"][0].as_str().expect("a proof");
    let (_, note) = proof.split_once("\n\n").expect("a note");
    let vkeys = json!([witnesses[0].vkey, key, witnesses[0].ml_dsa_vkey]);
    let signed = ask(json!({"note": note, "vkeys": vkeys}), "signed").await;
    assert_eq!(
        signed["signed"].as_object().map(serde_json::Map::len),
        Some(3),
        "{signed}"
    );
    let other = note.replacen("\n\n", "0\n\n", 1);
    let refused = ask(json!({"note": other, "vkeys": vkeys}), "signed").await;
    assert!(refused["refused"].is_string(), "{refused}");
}
