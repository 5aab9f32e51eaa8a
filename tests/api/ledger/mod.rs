//! The ledger from outside: its proofs, its files, and those who vouch for it.

mod audit;
mod cosignatures;
mod damages;
mod ended;
mod entries;
mod files;
mod forks;
mod hostile;
mod outsiders;
mod pace;
mod partial;
mod proofs;
mod pruned;
mod thinned;
mod trees;

use std::{path::Path, process::Command};

use proof::{
    note::{Kind, Verifier},
    policy::Policy,
};
use serde_json::{Value, json};
use tests::{Answer, Client, TestApp, until};

use super::{publish, shop::id};

/// Waits until a checkpoint covers a consent, and returns its bundle.
pub async fn bundle(owner: &Client, project: &str, consent: &str, query: &str) -> Answer {
    let path = format!("/v1/app/consents/{project}/{consent}/proof{query}");
    until("a checkpoint covers the consent", async || {
        let answer = owner.get(&path).await;
        if answer.status == 202 {
            assert_ne!(answer.header("retry-after"), "");
            return None;
        }
        Some(answer.expect(200))
    })
    .await
}

/// The operator's public facts about the ledger.
async fn about(app: &TestApp) -> Value {
    let about = app.nobody().get("/.well-known/placet-ledger.json").await;
    about.expect(200).json()
}

pub async fn policy(app: &TestApp) -> (String, Policy) {
    let about = about(app).await;
    let vkey = about["keys"][0]["vkey"].as_str().unwrap().to_owned();
    let policy = Policy::of_keys(vec![Verifier::parse(&vkey).unwrap()]);
    (vkey, policy)
}

/// The key of the ledger for ML-DSA-44.
async fn ml_dsa(app: &TestApp) -> Verifier {
    let about = about(app).await;
    let keys = about["keys"].as_array().unwrap();
    let newest = keys.last().unwrap()["vkey"].as_str().unwrap();
    let key = Verifier::parse(newest).unwrap();
    assert_eq!(key.kind(), Kind::MlDsa44);
    key
}

/// A published project and the id of its configuration.
async fn published(app: &TestApp) -> (Client, String, String) {
    let ada = app.user("ada").await;
    let (project, cookies) = publish::shop(&ada, "en").await;
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "complete", "{job}");
    (ada, project, cookies)
}

/// A visitor's answer that names the live publication.
pub async fn answer(app: &TestApp, project: &str, cookies: &str) -> String {
    let pointer = app.nobody().get(&format!("/cdn/{project}.json")).await;
    let publication = pointer.expect(200).json()["publications"][cookies].clone();
    let body = json!({"accept": true, "token": "visitor", "value": "zoë \u{1f36a}",
        "publication": publication, "preferences": {"vendors": {"own-stats": true}}});
    let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
    id(&app.nobody().post(&path, &body).await.expect(201))
}

/// Runs `tests/oracles/proof.py`. Each file gives 1 or 3, and the reason.
pub fn judged(vkey: &str, files: &[std::path::PathBuf]) -> Vec<String> {
    judged_by(&[vkey], files)
}

/// The same for somebody who believes several keys.
fn judged_by(vkeys: &[&str], files: &[std::path::PathBuf]) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles");
    let ran = Command::new(folder.join("venv/bin/python"))
        .arg(folder.join("proof.py"))
        .args(vkeys.iter().flat_map(|vkey| ["--key", vkey]))
        .args(files)
        .output()
        .expect("it runs");
    let said = String::from_utf8(ran.stdout).expect("text");
    let lines: Vec<String> = said.lines().map(str::to_owned).collect();
    let complained = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(lines.len(), files.len(), "{complained}");
    lines
}
