//! A ledger whose checkpoints an authority stamps: others verify the stamps in proofs, and an authority that fails or
//! lies holds nothing up.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};
use tests::{Authority, Engine, Oracle, Process, Ran, Stamps, command, on_both, until, verifier};

use crate::ledger::{Answered, EVERY};

/// The flags of a server that asks the authority as often as it may.
fn asking<'a>(authority: &'a Authority, every: &'a str) -> Vec<&'a str> {
    [&EVERY[..], &stamping(authority, every)].concat()
}

fn stamping<'a>(authority: &'a Authority, every: &'a str) -> [&'a str; 6] {
    [
        "--tsa-url",
        &authority.url,
        "--tsa-every",
        every,
        "--outbound-allow",
        "127.0.0.1",
    ]
}

fn status(process: &Process, authority: &Authority) -> Value {
    let flags = ["--json", "--tsa-url", &authority.url];
    let ran = process.program(&["ledger", "status"], &flags, "");
    serde_json::from_str(&ran.said).expect("JSON")
}

/// The keys that the ledger names: that for Ed25519, then that for ML-DSA-44.
async fn keys(process: &Process) -> Value {
    let about = process
        .nobody()
        .get("/.well-known/placet-ledger.json")
        .await;
    let about = about.expect(200).json();
    about["keys"].clone()
}

async fn vkey(process: &Process) -> String {
    let keys = keys(process).await;
    keys[0]["vkey"].as_str().expect("a key").to_owned()
}

/// Waits until a consent is stamped. Returns its proof.
async fn stamped(process: &Process, shop: &Answered, consent: &str) -> Value {
    until("the consent is stamped", async || {
        let bundle = shop.bundle(process, consent).await.json();
        let stamps = bundle["timestamps"].as_array().expect("a list").len();
        (stamps > 0).then_some(bundle)
    })
    .await
}

/// Judges a proof by both programs, which answer alike.
fn judged(folder: &Path, vkey: &str, bundle: &Value) -> Ran {
    let file = folder.join("bundle");
    fs::write(&file, bundle.to_string()).expect("written");
    let flags = ["--key", vkey, file.to_str().expect("text")];
    let own = verifier(&flags, "");
    let other = command(&[&["verify"], &flags[..]].concat());
    assert_eq!((own.code, &own.said), (other.code, &other.said));
    own
}

/// Runs a command that a program printed, in the folder of its files.
fn run(command: &str, folder: &Path) -> Output {
    let mut words = command.split(' ');
    Command::new(words.next().expect("a program"))
        .args(words)
        .current_dir(folder)
        .output()
        .expect("it runs")
}

async fn others_verify_the_earliest_stamp_over_a_consent(engine: Engine) {
    let authority = Authority::start().await;
    let mut process = Process::start(engine, &asking(&authority, "1")).await;
    let mut shop = Answered::open(&process).await;
    shop.answer(&process, 3).await;
    let first = shop.consents[0].clone();
    let bundle = stamped(&process, &shop, &first).await;
    let vkey = vkey(&process).await;
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let ml_dsa = keys(&process).await[1]["vkey"].clone();
    let ran = judged(folder, ml_dsa.as_str().expect("a key"), &bundle);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let ran = judged(folder, &vkey, &bundle);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let says = format!(
        "at the latest, as the time stamp of {} says, whose signature was not checked here.",
        authority.url
    );
    assert!(ran.said.contains(&says), "{ran:?}");
    let line = ran.said.lines().find(|line| line.contains("run: openssl"));
    let (_, command_of_it) = line.expect("a command").split_once("run: ").expect("it");

    // The files that are extracted satisfy OpenSSL, until one of them changes.
    let file = folder.join("bundle");
    let out = folder.join("out");
    let (file, into) = (file.to_str().expect("text"), out.to_str().expect("text"));
    let extracted = verifier(&["--extract", into, "--key", &vkey, file], "");
    assert_eq!((extracted.code, &extracted.said), (Some(3), &ran.said));
    let again = command(&["verify", "--extract", into, "--key", &vkey, file]);
    assert_eq!(again.code, Some(2), "nothing is overwritten: {again:?}");
    fs::copy(authority.root(), out.join("authority.pem")).expect("copied");
    let verified = run(command_of_it, &out);
    let readme = fs::read_to_string(out.join("README.txt")).expect("a file");
    assert!(verified.status.success(), "{verified:?}");
    assert!(readme.contains(command_of_it), "{readme}");
    let later = readme.lines().find(|line| line.contains("-attime "));
    let later = run(later.expect("a command"), &out);
    assert!(later.status.success(), "{later:?}");
    let text = fs::read_to_string(out.join("checkpoint-1.txt")).expect("a file");
    let python = Oracle::start("stamp.py", &[]).await;
    let root = fs::read_to_string(authority.root()).expect("a file");
    let ask = async |text: &str| {
        let token = &bundle["timestamps"][0]["token"];
        let asked = json!({"token": token, "text": text, "root": root});
        python.tell(&asked.to_string()).await;
        python.next(|_| true).await
    };
    let said = ask(&text).await;
    assert!(said["verified"].is_string(), "{said}");
    let (origin, rest) = text.split_once('\n').expect("lines");
    let (size, rest) = rest.split_once('\n').expect("lines");
    let size: u64 = size.parse().expect("a size");
    let other = format!("{origin}\n{}\n{rest}", size + 1);
    let said = ask(&other).await;
    assert!(said["refused"].is_string(), "{said}");
    fs::write(out.join("checkpoint-1.txt"), &other).expect("written");
    assert!(!run(command_of_it, &out).status.success());
    let changed = |field: &str, value: &str| {
        let mut bundle = bundle.clone();
        bundle["timestamps"][0][field] = json!(value);
        let ran = judged(folder, &vkey, &bundle);
        assert!(!ran.said.contains("openssl"), "{ran:?}");
        (
            ran.code,
            ran.said.lines().next().expect("a line").to_owned(),
        )
    };
    let checkpoint = bundle["timestamps"][0]["checkpoint"]
        .as_str()
        .expect("text");
    let (code, why) = changed("checkpoint", &checkpoint.replacen(&text, &other, 1));
    assert_eq!(
        (code, why.contains("no proof leads to the checkpoint")),
        (Some(1), true)
    );
    let token = bundle["timestamps"][0]["token"].as_str().expect("text");
    let (code, why) = changed("token", &token[..token.len() - 4]);
    assert_eq!(
        (code, why.contains("are malformed")),
        (Some(1), true),
        "{why}"
    );

    // A later consent has a later stamp, and the first one keeps its own.
    shop.answer(&process, 2).await;
    let last = shop.consents.last().expect("a consent").clone();
    let newer = stamped(&process, &shop, &last).await;
    assert_eq!(judged(folder, &vkey, &newer).code, Some(3));
    let of = |bundle: &Value| bundle["timestamps"][0]["checkpoint"].clone();
    assert_ne!(of(&newer), of(&bundle));
    let again = shop.bundle(&process, &first).await.json();
    assert_eq!(again["timestamps"], bundle["timestamps"]);
    let state = status(&process, &authority);
    let told = &state["authority"];
    assert!(told["size"].as_u64() >= Some(5), "{state}");
    assert!(
        told["stampedAt"].is_string() && told["fault"].is_null(),
        "{state}"
    );
    assert_eq!(told["late"], false);

    // Stamped a moment ago, so the next consent has to wait for a day, and its proof does not.
    process.restart(&asking(&authority, "86400"));
    shop.answer(&process, 1).await;
    let unstamped = shop.consents.last().expect("a consent").clone();
    let bundle = shop.bundle(&process, &unstamped).await.json();
    assert_eq!(bundle["timestamps"], json!([]));
    assert_eq!(bundle["proofs"].as_array().map(Vec::len), Some(1));
    let ran = judged(folder, &vkey, &bundle);
    assert!(ran.said.contains("Nobody independent states"), "{ran:?}");
    let none = verifier(&["--extract", into, "--key", &vkey, file], "");
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(
        none.complained.contains("neither a time stamp nor"),
        "{none:?}"
    );
    shop.is_proven(&process).await;
}

on_both!(others_verify_the_earliest_stamp_over_a_consent);

async fn an_authority_that_lies_or_fails_is_noted_and_holds_nothing_up(engine: Engine) {
    let authority = Authority::start().await;
    authority.stamps(Stamps::Busy);
    let process = Process::start(engine, &asking(&authority, "1")).await;
    let mut shop = Answered::open(&process).await;
    for (stamps, fault) in [
        (Stamps::Busy, "answered 503"),
        (Stamps::AnotherText, "the stamp is over another text"),
        (
            Stamps::AnotherQuestion,
            "the stamp answers another question: its nonce differs",
        ),
        (Stamps::Gigabyte, "answered more than 64 KiB"),
        (Stamps::Page, "the bytes of a time stamp are malformed"),
        (Stamps::Declined, "the authority declined, with status 2"),
        (Stamps::Never, "no answer in time"),
    ] {
        authority.stamps(stamps);
        shop.answer(&process, 1).await;
        shop.is_proven(&process).await;
        let state = until("the fault is told", async || {
            let state = status(&process, &authority);
            let told = state["authority"]["fault"].as_str()?.starts_with(fault);
            told.then_some(state)
        })
        .await;
        let told = &state["authority"];
        assert!(
            told["faultAt"].is_string() && told["size"].is_null(),
            "{state}"
        );
        assert!(state["stopped"].is_null(), "{state}");
    }
    let doctor = process.program(&["doctor"], &["--tsa-url", &authority.url], "");
    let line = doctor
        .said
        .lines()
        .find(|line| line.contains("time stamps"));
    let line = line.expect("a line").to_owned();
    assert!(
        line.starts_with('!')
            && line.contains("has never stamped; when it was asked: no answer in time"),
        "{line}"
    );
    authority.stamps(Stamps::Right);
    for consent in shop.consents.clone() {
        stamped(&process, &shop, &consent).await;
    }
    let state = status(&process, &authority);
    assert!(state["authority"]["fault"].is_null(), "{state}");
    let doctor = process.program(&["doctor"], &["--tsa-url", &authority.url], "");
    assert!(!doctor.said.contains("time stamps"), "{doctor:?}");
}

on_both!(an_authority_that_lies_or_fails_is_noted_and_holds_nothing_up);

async fn a_crash_while_the_authority_is_asked_is_made_good(engine: Engine) {
    let authority = Authority::start().await;
    let mut process = Process::start(engine, &EVERY).await;
    let mut shop = Answered::open(&process).await;
    for step in ["ledger-stamp-ask", "ledger-stamped"] {
        process.kill();
        process.restart(&[&asking(&authority, "1")[..], &["--crash-at", step]].concat());
        shop.answer(&process, 4).await;
        assert!(!process.wait_for_death().await.success(), "{step}");
        process.restart(&asking(&authority, "1"));
        shop.answer(&process, 2).await;
        for consent in shop.consents.clone() {
            stamped(&process, &shop, &consent).await;
        }
    }
    shop.is_proven(&process).await;
}

on_both!(a_crash_while_the_authority_is_asked_is_made_good);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_process_that_works_on_the_ledger_asks_and_no_other_one() {
    let authority = Authority::start().await;
    let flags = ["--ledger-every", "1", "--job-lease", "10"];
    let flags = [&flags[..], &["--base-url", "http://consent.test"]].concat();
    let mut one = Process::start(Engine::Postgres, &flags).await;
    let mut shop = Answered::open(&one).await;
    // The first one, which asks nobody, has the ledger.
    shop.answer(&one, 1).await;
    shop.is_proven(&one).await;
    let two = one.beside(&[&flags[..], &stamping(&authority, "1")].concat());
    for _ in 0..3 {
        shop.answer(&two, 2).await;
        shop.is_proven(&two).await;
    }
    assert_eq!(authority.asked(), 0);
    one.kill();
    shop.answer(&two, 1).await;
    let last = shop.consents.last().expect("a consent").clone();
    stamped(&two, &shop, &last).await;
    assert!(authority.asked() > 0);
}
