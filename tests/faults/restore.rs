//! A backup taken as in `docs/operate.md`, while the server runs, can be restored completely.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use serde_json::{Value, json};
use service::db::Db;
use tests::{Client, Engine, Process, command, until};

use crate::cluster::Cluster;

/// State of the original at the time of the backup, which the copy must have.
struct Kept {
    token: Option<String>,
    project: String,
    consent: String,
    /// Published files, by key.
    files: BTreeMap<String, Vec<u8>>,
}

async fn upload(owner: &Client, project: &str, name: &str, text: &str) -> Value {
    let answer = owner.upload(project, name, text.into()).await.expect(201);
    answer.json()["id"].clone()
}

async fn fill(process: &Process) -> Kept {
    let ada = process.user("ada").await;
    let project = ada
        .create(
            "projects",
            &json!({"websiteURL": "https://shop.example", "title": "Shop"}),
        )
        .await;
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4 2\">\
        <circle r=\"1\"/></svg>";
    let picture = upload(&ada, &project, "logo.svg", svg).await;
    let terms = upload(&ada, &project, "terms.pdf", "%PDF-1.4\nterms").await;
    let steps = json!([{"name": "a", "layout": "welcome", "title": "Hi", "image": picture}]);
    let cookies = ada
        .create(
            "cookies",
            &json!({"projectId": project, "name": "en", "steps": steps}),
        )
        .await;
    ada.create(
        "contracts",
        &json!({"projectId": project, "title": "Terms", "file": terms}),
    )
    .await;
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "complete", "{job}");
    let answer = process
        .nobody()
        .post(
            &format!("/v1/app/consents/{project}/cookies/{cookies}"),
            &json!({"accept": true, "token": "visitor"}),
        )
        .await
        .expect(201)
        .json();
    let consent = answer["consentId"].as_str().expect("an id").to_owned();
    // A backup holds files of the ledger as soon as there are some.
    let proof = format!("/v1/app/consents/{project}/{consent}/proof");
    until("the ledger proves the consent", async || {
        let answer = ada.get(&proof).await;
        (answer.status != 202).then(|| answer.expect(200))
    })
    .await;
    // The programs of a publication by an earlier release: no later one makes them again.
    let cdn = process.folder().join("cdn");
    for earlier in [format!("sdk/{EARLIER}"), format!("{project}/{EARLIER}")] {
        fs::write(cdn.join(earlier), "by an earlier release").expect("written");
    }
    let files = published(process.folder());
    for kind in ["webp", "pdf", "js", "payload"] {
        let found = files.keys().any(|key| key.ends_with(&format!(".{kind}")));
        assert!(found, "{kind}: {:?}", files.keys());
    }
    Kept {
        token: ada.token.clone(),
        project,
        consent,
        files,
    }
}

/// A file of an earlier release, as its content names it.
const EARLIER: &str = "core.0123456789abcdef.js";

/// Published files of a data folder that do not name the job, without their compressed forms.
fn published(data: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in fs::read_dir(data.join("cdn")).expect("a folder").flatten() {
        if !folder.path().is_dir()
            || ["assets", "ledger"].contains(&&*folder.file_name().to_string_lossy())
        {
            continue;
        }
        for file in fs::read_dir(folder.path()).expect("a folder").flatten() {
            let name = file.file_name().into_string().expect("text");
            let compressed = [".br", ".gz"].iter().any(|end| name.ends_with(end));
            if !compressed && !name.starts_with("pointer.") {
                let folder = folder.file_name().into_string().expect("text");
                let bytes = fs::read(file.path()).expect("bytes");
                files.insert(format!("{folder}/{name}"), bytes);
            }
        }
    }
    files
}

/// Restores the files that `docs/operate.md` names. The database exists already.
fn restore(original: &Path, folder: &Path, database_url: &str) -> Process {
    fs::copy(original.join("secret.key"), folder.join("secret.key")).expect("the secret key");
    for kept in ["cdn/assets", "cdn/ledger", "cdn/sdk"] {
        copy_folder(&original.join(kept), &folder.join(kept));
    }
    for key in published(original)
        .keys()
        .filter(|key| key.ends_with(".js"))
    {
        let to = folder.join("cdn").join(key);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(original.join("cdn").join(key), to).expect("a copy");
    }
    let data = folder.to_str().expect("text");
    let place = ["--data-dir", data, "--database-url", database_url];
    // The guide's line names no address: the installation knows its own.
    let ran = command(&[&["republish", "--all"], &place[..]].concat());
    assert!(
        ran.success && ran.said.contains("1 published again"),
        "{ran:?}"
    );
    Process::start_in(folder, database_url, &FLAGS)
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

async fn assert_whole(process: &Process, kept: &Kept) {
    let mut ada = process.nobody();
    ada.token.clone_from(&kept.token);
    let path = format!("/v1/client/{}/consents/visitor", kept.project);
    let view = ada.get(&path).await.expect(200).json();
    assert_eq!(view["history"][0]["consentId"], kept.consent.as_str());
    let job = format!("/v1/publish/jobs/{}", kept.project);
    let job = ada.get(&job).await.expect(200).json()[0].clone();
    assert_eq!(job["status"], "complete", "{job}");
    // Everything that was published exists again and is the same.
    let nobody = process.nobody();
    for key in kept.files.keys() {
        let answer = nobody.get(&format!("/cdn/{key}")).await;
        assert_eq!(answer.status, 200, "{key}");
    }
    assert!(published(process.folder()) == kept.files);
    let pointer = nobody.get(&format!("/cdn/{}.json", kept.project)).await;
    assert_eq!(pointer.expect(200).json()["jobId"], job["_id"]);
    let proof = format!("/v1/app/consents/{}/{}/proof", kept.project, kept.consent);
    until("the ledger proves the consent", async || {
        let answer = ada.get(&proof).await;
        (answer.status != 202).then(|| answer.expect(200))
    })
    .await;
    // The copy accepts new data.
    ada.create(
        "projects",
        &json!({"websiteURL": "https://two.example", "title": "Two"}),
    )
    .await;
}

/// Both have this address, so the copy accepts the original's tokens.
const FLAGS: [&str; 4] = ["--base-url", "http://consent.test", "--ledger-every", "1"];

#[tokio::test]
async fn a_backup_of_sqlite() {
    let mut process = Process::start(Engine::Sqlite, &FLAGS).await;
    let kept = fill(&process).await;
    let elsewhere = tempfile::tempdir().expect("a folder");
    let copy = elsewhere.path().join("placet.db");
    // The statement of `sqlite3 placet.db "VACUUM INTO 'copy'"`.
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
    process.kill();

    let url = format!("sqlite:{}", copy.display());
    let restored = restore(process.folder(), elsewhere.path(), &url);
    assert_whole(&restored, &kept).await;
}

#[tokio::test]
async fn a_backup_of_postgresql() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = Process::start_in(folder.path(), &cluster.url(), &FLAGS);
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
    process.kill();

    let other = cluster.url_of("restored");
    client("psql", &["-qc", "CREATE DATABASE restored", &cluster.url()]);
    client("pg_restore", &["--no-owner", "-d", &other, dump]);
    let restored = restore(process.folder(), elsewhere.path(), &other);
    assert_whole(&restored, &kept).await;
}
