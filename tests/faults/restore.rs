//! A backup taken as `docs/operate.md` says it, while the server runs, is a whole Placet elsewhere.

use std::{fs, path::Path, process::Command};

use serde_json::json;
use service::db::Db;
use tests::{Engine, Process, seed};

use crate::cluster::Cluster;

/// What stands in the original when the backup is taken, and must stand in the copy.
struct Kept {
    token: Option<String>,
    project: String,
    consent: String,
}

async fn fill(process: &Process) -> Kept {
    let ada = process.user("ada").await;
    let project = ada
        .create(
            "projects",
            &json!({"websiteURL": "https://shop.example", "title": "Shop"}),
        )
        .await;
    let cookies = ada
        .create("cookies", &json!({"projectId": project, "name": "en"}))
        .await;
    let published = seed::Published {
        collection: "cookies",
        id: &cookies,
        publication: "made by hand",
        vendors: &["ads"],
    };
    let db = process.database().await;
    seed::publish(&db, &project, &json!({}), &[published]).await;
    db.close().await;
    let answer = process
        .nobody()
        .post(
            &format!("/v1/app/consents/{project}/cookies/{cookies}"),
            &json!({"accept": true, "token": "visitor", "preferences": {"vendors": {"ads": true}}}),
        )
        .await
        .expect(201)
        .json();
    Kept {
        token: ada.token.clone(),
        project,
        consent: answer["consentId"].as_str().expect("an id").to_owned(),
    }
}

async fn assert_whole(process: &Process, kept: &Kept) {
    let mut ada = process.nobody();
    ada.token.clone_from(&kept.token);
    let path = format!("/v1/client/{}/consents/visitor", kept.project);
    let view = ada.get(&path).await.expect(200).json();
    assert_eq!(view["history"][0]["consentId"], kept.consent.as_str());
    // It is alive: what is written goes on from there.
    ada.create(
        "projects",
        &json!({"websiteURL": "https://two.example", "title": "Two"}),
    )
    .await;
}

fn copy_key(from: &Path, to: &Path) {
    fs::copy(from.join("secret.key"), to.join("secret.key")).expect("the secret key");
}

/// Both have this address: tokens of the original are good in the copy.
const FLAGS: [&str; 2] = ["--base-url", "http://consent.test"];

#[tokio::test]
async fn a_backup_of_sqlite() {
    let process = Process::start(Engine::Sqlite, &FLAGS).await;
    let kept = fill(&process).await;
    let elsewhere = tempfile::tempdir().expect("a folder");
    let copy = elsewhere.path().join("placet.db");
    // What `sqlite3 placet.db "VACUUM INTO 'copy'"` does.
    let db = process.database().await;
    let Db::Sqlite { readers, .. } = &db else {
        unreachable!("it is SQLite")
    };
    sqlx::query("VACUUM INTO $1")
        .bind(copy.to_str().expect("text"))
        .execute(readers)
        .await
        .expect("a copy");
    db.close().await;
    copy_key(process.folder(), elsewhere.path());
    drop(process);

    let url = format!("sqlite:{}", copy.display());
    let restored = Process::start_in(elsewhere.path(), &url, &FLAGS);
    assert_whole(&restored, &kept).await;
}

#[tokio::test]
async fn a_backup_of_postgresql() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().expect("a folder");
    let process = Process::start_in(folder.path(), &cluster.url(), &FLAGS);
    let kept = fill(&process).await;
    let elsewhere = tempfile::tempdir().expect("a folder");
    let dump = elsewhere.path().join("placet.dump");
    let dump = dump.to_str().expect("text");
    let client = |program: &str, arguments: &[&str]| {
        let status = Command::new(cluster.program(program))
            .args(arguments)
            .status();
        assert!(status.expect(program).success(), "{program}");
    };
    client("pg_dump", &["-Fc", "-f", dump, &cluster.url()]);
    copy_key(process.folder(), elsewhere.path());
    drop(process);

    let other = cluster.url_of("restored");
    client("psql", &["-qc", "CREATE DATABASE restored", &cluster.url()]);
    client("pg_restore", &["--no-owner", "-d", &other, dump]);
    let restored = Process::start_in(elsewhere.path(), &other, &FLAGS);
    assert_whole(&restored, &kept).await;
}
