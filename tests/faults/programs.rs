//! Commands that an operator runs on the machine, beside a server that runs.

use serde_json::{Value, json};
use service::db::Db;
use tests::{Engine, Process};

macro_rules! on_both {
    ($name:ident) => {
        mod $name {
            use tests::Engine;

            #[tokio::test]
            async fn sqlite() {
                super::$name(Engine::Sqlite).await;
            }

            #[tokio::test]
            async fn postgres() {
                super::$name(Engine::Postgres).await;
            }
        }
    };
}

on_both!(accounts_are_made_and_get_passwords);
on_both!(keys_are_rotated_and_ended);
on_both!(the_doctor_finds_what_is_wrong);

async fn is_durable(process: &Process) -> bool {
    let db = process.database().await;
    let off = match &db {
        Db::Sqlite { .. } => 0,
        Db::Postgres(pool) => sqlx::query_scalar::<_, i64>(
            "SELECT COUNT(*) FROM pg_settings WHERE setting = 'off' \
             AND name IN ('fsync', 'synchronous_commit', 'full_page_writes')",
        )
        .fetch_one(pool)
        .await
        .expect("settings"),
    };
    db.close().await;
    off == 0
}

fn credentials(name: &str, password: &str) -> Value {
    json!({"username": name, "password": password})
}

async fn accounts_are_made_and_get_passwords(engine: Engine) {
    let process = Process::start(engine, &[]).await;
    let nobody = process.nobody();
    let create = ["user", "create", "ada", "--email", "ada@shop.example"];
    let flags = ["--email-verified", "--password-file", "-"];
    let ran = process.program(&create, &flags, "correct horse\nmore\n");
    assert!(ran.success, "{ran:?}");
    assert!(!ran.said.contains("correct horse"), "{ran:?}");
    let path = "/v1/auth/local/signin";
    let session = nobody
        .post(path, &credentials("ada", "correct horse"))
        .await;
    let session = session.expect(200).json();
    let mut ada = process.nobody();
    ada.token = session["token"].as_str().map(str::to_owned);
    let me = ada.get("/v1/auth/me").await.expect(200).json();
    assert_eq!(me["emailVerified"], true);

    let again = process.program(&create, &flags, "x");
    assert!(
        !again.success && again.complained.contains("taken"),
        "{again:?}"
    );
    let broken = ["user", "create", "a b", "--email", "nonsense"];
    let broken = process.program(&broken, &flags, "x");
    assert!(!broken.success, "{broken:?}");
    for field in ["username:", "email:"] {
        assert!(broken.complained.contains(field), "{broken:?}");
    }

    // A lost password: a new one is made, and nobody stays signed in.
    let ran = process.program(&["user", "password", "ada@shop.example"], &[], "");
    assert!(ran.success, "{ran:?}");
    ada.get("/v1/auth/me").await.expect(403);
    let (_, password) = ran.said.split_once("Password: ").expect("it is printed");
    nobody
        .post(path, &credentials("ada", "correct horse"))
        .await
        .expect(403);
    nobody
        .post(path, &credentials("ada", password.trim()))
        .await
        .expect(200);
    let unknown = process.program(&["user", "password", "bob"], &[], "");
    assert!(!unknown.success && unknown.complained.contains("no such account"));
}

async fn keys_are_rotated_and_ended(engine: Engine) {
    let mut process = Process::start(engine, &[]).await;
    let ada = process.user("ada").await;
    let kids = async |process: &Process| {
        let keys = process.nobody().get("/.well-known/jwks.json").await;
        let keys = keys.expect(200).json()["keys"].clone();
        let keys = keys.as_array().expect("a list").clone();
        keys.iter()
            .map(|key| key["kid"].as_str().expect("text").to_owned())
            .collect::<Vec<_>>()
    };
    let before = kids(&process).await;
    let ran = process.program(&["keys", "rotate"], &[], "");
    assert!(ran.success, "{ran:?}");
    process.restart(&[]);
    let both = kids(&process).await;
    assert_eq!(both.len(), 2);
    assert_eq!(both.last(), before.last());
    assert!(ran.said.contains(&both[0]), "{ran:?}");
    ada.get("/v1/auth/me").await.expect(200);

    let ran = process.program(&["keys", "rotate", "--end-sessions"], &[], "");
    assert!(ran.success, "{ran:?}");
    process.restart(&[]);
    assert_eq!(kids(&process).await.len(), 1);
    ada.get("/v1/auth/me").await.expect(403);
}

async fn the_doctor_finds_what_is_wrong(engine: Engine) {
    let process = Process::start(engine, &[]).await;
    let ran = process.program(&["doctor"], &[], "");
    // The PostgreSQL of tests may be set up to be fast instead of durable.
    let durable = is_durable(&process).await;
    assert_eq!(ran.success, durable, "{ran:?}");
    assert_eq!(ran.said.contains("✓ database"), durable, "{ran:?}");
    assert_eq!(ran.said.contains("loses acknowledged consents"), !durable);
    for part in ["data folder", "schema", "signing keys", "jobs"] {
        assert!(ran.said.contains(&format!("✓ {part}")), "{part}: {ran:?}");
    }
    assert!(ran.said.contains("✓ published files"), "{ran:?}");
    assert!(ran.said.contains("is ready"), "{ran:?}");
    assert!(ran.said.contains("! mail"), "{ran:?}");

    // Nothing listens on port 1, and a key of zeros has sealed nothing.
    let zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let broken = [
        "--smtp-url",
        "smtp://127.0.0.1:1",
        "--mail-from",
        "no-reply@shop.example",
        "--cdn-clear",
        "purge:http://127.0.0.1:1",
        "--secret-key",
        zeros,
    ];
    let ran = process.program(&["doctor"], &broken, "");
    assert!(!ran.success, "{ran:?}");
    for part in ["mail", "caches", "signing keys"] {
        assert!(ran.said.contains(&format!("✗ {part}")), "{part}: {ran:?}");
    }
    assert!(ran.complained.contains("parts do not work"), "{ran:?}");

    let nowhere = tempfile::tempdir().expect("a folder");
    let absent = nowhere.path().join("absent");
    let absent = absent.to_str().expect("text");
    let ran = tests::command(&["doctor", "--data-dir", absent]);
    assert!(
        !ran.success && ran.complained.contains("no installation"),
        "{ran:?}"
    );
    assert!(!std::path::Path::new(absent).exists());
}
