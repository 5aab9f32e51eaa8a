//! Commands that an operator runs beside a running server.

use std::os::unix::fs::PermissionsExt;

use reqwest::Method;
use serde_json::{Value, json};
use service::db::Db;
use tests::{Engine, Process, on_both, until};

use crate::shop::Shop;

on_both!(accounts_are_created_and_get_passwords);
on_both!(accounts_get_another_address);
on_both!(keys_are_rotated_and_ended);
on_both!(the_doctor_finds_faults);
on_both!(consents_are_exported_and_imported_by_file);

#[tokio::test]
async fn files_are_private_to_the_servers_user() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = format!("sqlite:{}", folder.path().join("placet.db").display());
    let process = Process::start_in(folder.path(), &database, &[]);
    process.user("ada").await;
    let mut folders = vec![folder.path().to_owned()];
    let mut names = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let mode = entry.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{:?}: {mode:o}", entry.path());
            if entry.path().is_dir() {
                folders.push(entry.path());
            }
            names.push(entry.file_name());
        }
    }
    assert!(names.iter().any(|name| name == "placet.db"), "{names:?}");
}

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

async fn accounts_are_created_and_get_passwords(engine: Engine) {
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

    // A lost password: a new one is made, and all sessions end.
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

    // API keys and invitations end with the password unless the operator says otherwise.
    let session = nobody
        .post(path, &credentials("ada", password.trim()))
        .await;
    ada.token = session.expect(200).json()["token"]
        .as_str()
        .map(str::to_owned);
    let wish = json!({"name": "Export, \"nightly\"", "scopes": ["read"]});
    let made = ada.post("/v1/auth/keys", &wish).await.expect(201).json();
    let mut key = process.nobody();
    key.token = made["secret"].as_str().map(str::to_owned);
    let replace = ["user", "password", "ada"];
    let ran = process.program(&replace, &["--keep-keys"], "");
    assert!(ran.success && !ran.said.contains("Ended"), "{ran:?}");
    ada.get("/v1/auth/me").await.expect(403);
    key.get("/v1/vault/projects").await.expect(200);
    let ran = process.program(&replace, &[], "");
    // Names come from users, so they are quoted and cannot look like the end of the list.
    let line = r#"Ended API keys: "Export, \"nightly\"""#;
    assert!(ran.said.lines().any(|said| said == line), "{ran:?}");
    key.get("/v1/vault/projects").await.expect(403);
    let unknown = process.program(&["user", "password", "bob"], &[], "");
    assert!(!unknown.success && unknown.complained.contains("no such account"));
}

async fn accounts_get_another_address(engine: Engine) {
    let process = Process::start(engine, &[]).await;
    let ada = process.user("ada").await;
    process.user("bob").await;
    let email = ["user", "email", "ada"];
    let change = |address: &str, flags: &[&str]| {
        let command: Vec<&str> = email.iter().copied().chain([address]).collect();
        process.program(&command, flags, "")
    };
    let ran = change("ada@new.example", &[]);
    assert!(ran.success, "{ran:?}");
    assert!(ran.said.contains("ada@new.example"), "{ran:?}");
    let me = ada.get("/v1/auth/me").await.expect(200).json();
    assert_eq!(me["email"], "ada@new.example");
    assert_eq!(me["emailVerified"], false);
    // The operator vouches for the same address, and names the account by it.
    let verified = ["user", "email", "Ada@new.example", "ada@new.example"];
    let ran = process.program(&verified, &["--email-verified"], "");
    assert!(ran.success, "{ran:?}");
    let me = ada.get("/v1/auth/me").await.expect(200).json();
    assert_eq!(me["emailVerified"], true);

    for (address, words) in [("BOB@shop.example", "taken"), ("nonsense", "email:")] {
        let ran = change(address, &[]);
        assert!(!ran.success && ran.complained.contains(words), "{ran:?}");
    }
    let unknown = ["user", "email", "eve", "eve@shop.example"];
    let ran = process.program(&unknown, &[], "");
    assert!(!ran.success && ran.complained.contains("no such account"));
    let me = ada.get("/v1/auth/me").await.expect(200).json();
    assert_eq!(me["email"], "ada@new.example");
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

async fn the_doctor_finds_faults(engine: Engine) {
    let process = Process::start(engine, &[]).await;
    let ran = process.program(&["doctor"], &[], "");
    // The PostgreSQL of tests may be configured for speed instead of durability.
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

async fn consents_are_exported_and_imported_by_file(engine: Engine) {
    let process = Process::start(engine, &[]).await;
    let ada = process.user("ada").await;
    let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &document).await;
    let cookies = json!({"projectId": project, "name": "en"});
    let cookies = ada.create("cookies", &cookies).await;
    let list = async || {
        let path = format!("/v1/app/consents/{project}?sort=decidedAt");
        ada.get(&path).await.expect(200).json()
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let row = |token: &str, day: u32| {
        json!({"token": token, "collection": "cookies", "identifier": cookies, "accept": true,
            "createdAt": format!("2026-02-{day:02}T00:00:00Z")})
    };
    let rows = |rows: &[Value]| {
        let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
        lines.join("\n")
    };
    let write = |name: &str, text: &str| {
        std::fs::write(path(name), text).expect("a file");
        path(name)
    };

    // One row breaks a rule: either nothing is imported, or the other rows. The exit code tells which.
    let broken = rows(&[row("a", 1), json!({"token": "b"}), row("=c", 3)]);
    let broken = write("broken.jsonl", &broken);
    let ran = process.program(&["import", &project, &broken], &[], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.complained.contains("row 2: "), "{ran:?}");
    assert!(ran.complained.contains("Nothing was imported"), "{ran:?}");
    assert_eq!(list().await, json!([]));
    let ran = process.program(&["import", &project, &broken], &["--partial"], "");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(
        ran.said.starts_with("2 imported, 0 there already"),
        "{ran:?}"
    );
    assert_eq!(list().await.as_array().expect("a list").len(), 2);

    // The export equals that of the API, and can be imported again.
    for format in ["csv", "ndjson"] {
        let name = path(&format!("all.{format}"));
        let flags = ["--format", format, "--output", &name];
        let ran = process.program(&["export", &project], &flags, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let file = std::fs::read_to_string(&name).expect("a file");
        let api = format!("/v1/app/exports/{project}.{format}");
        assert_eq!(file, ada.get(&api).await.expect(200).text);
        let ran = process.program(&["import", &project, &name], &[], "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(
            ran.said.starts_with("0 imported, 2 there already"),
            "{ran:?}"
        );
    }
    // A date at the end of a span includes its day.
    for (span, found) in [
        (["--start", "2026-02-01", "--end", "2026-02-02"], "a"),
        (["--start", "2026-02-02", "--end", "2026-02-03"], "=c"),
    ] {
        let ran = process.program(&["export", &project], &span, "");
        let line: Value = serde_json::from_str(ran.said.trim()).expect("one line");
        assert_eq!(line["token"], found);
    }

    let nobody = "01a1ff7e-1573-7de1-834c-8a491bbff7e4";
    let ran = process.program(&["export", nobody], &[], "");
    assert!(
        !ran.success && ran.complained.contains("no project"),
        "{ran:?}"
    );
    let ran = process.program(&["import", nobody, &broken], &[], "");
    assert!(
        !ran.success && ran.complained.contains("no project"),
        "{ran:?}"
    );
    let ran = process.program(&["import", &project, &path("absent.csv")], &[], "");
    assert!(
        !ran.success && ran.complained.contains("cannot be read"),
        "{ran:?}"
    );
    let ran = process.program(&["import", &project, &write("rows.txt", "")], &[], "");
    assert!(
        !ran.success && ran.complained.contains("--format"),
        "{ran:?}"
    );
}

/// The guide for operators names every option of `placet serve --help`, by flag or by variable.
#[test]
fn the_guide_knows_every_option() {
    let help = tests::command(&["serve", "--help"]);
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operate.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let named = |word: &str| {
        guide
            .split(|letter: char| !letter.is_ascii_alphanumeric() && !"-_".contains(letter))
            .any(|found| found == word)
    };
    let options: Vec<(&str, Option<&str>)> = help
        .said
        .split("\n      --")
        .skip(1)
        .map(|text| {
            let flag = text.split([' ', '\n']).next().unwrap_or_default();
            let variable = text.split_once("[env:").map(|(_, rest)| rest.trim_start());
            let variable = variable.and_then(|rest| rest.split(['=', ']']).next());
            (flag, variable)
        })
        .collect();
    assert!(options.len() > 40, "{}", help.said);
    let missing: Vec<&str> = options
        .into_iter()
        .filter(|(flag, variable)| !named(&format!("--{flag}")) && !variable.is_some_and(named))
        .map(|(flag, _)| flag)
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// The log has no token, even with everything logged.
#[tokio::test]
async fn a_token_in_the_query_is_never_logged() {
    let mut process = Process::start_logging("trace", &[]).await;
    let ada = process.user("ada").await;
    let token = ada.token.clone().expect("a token");
    let nobody = process.nobody();
    for (path, status) in [
        (format!("/v1/auth/me?access_token={token}"), 200),
        (format!("/v1/auth/me?access_token={token}x"), 403),
        (format!("/v1/nowhere?access_token={token}"), 404),
        (format!("/vault/projects?access_token={token}"), 200),
        (format!("/?access_token={token}"), 200),
    ] {
        let answer = nobody.get(&path).await;
        assert_eq!(answer.status.as_u16(), status, "{}", answer.text);
    }
    process.kill();
    let log = process.log();
    for path in ["/v1/auth/me", "/v1/nowhere", "/vault/projects"] {
        let told = log
            .lines()
            .any(|line| line.contains("answered") && line.contains(path));
        assert!(told, "{path} is in the log");
    }
    let found = log.lines().find(|line| line.contains(&token));
    assert_eq!(found, None);
}

/// The log has no token of a path: of an invitation's link, or of visitors.
#[tokio::test]
async fn a_token_in_a_path_is_never_logged() {
    let mut process = Process::start_logging("trace", &[]).await;
    let ada = process.user("ada").await;
    let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &document).await;
    let token = "5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f";
    let consents = format!("/v1/app/consents/{project}");
    for (method, path, status) in [
        (Method::GET, format!("/v1/auth/invitations/{token}"), 404),
        (
            Method::POST,
            format!("/v1/auth/invitations/{token}/accept"),
            404,
        ),
        (
            Method::GET,
            format!("/v1/client/{project}/consents/{token}"),
            200,
        ),
        (Method::DELETE, format!("{consents}/tokens/{token}"), 404),
        (Method::GET, format!("{consents}?token={token}"), 200),
    ] {
        let answer = ada.send(ada.request(method, &path)).await;
        assert_eq!(answer.status.as_u16(), status, "{path}: {}", answer.text);
    }
    process.kill();
    let log = process.log();
    for path in [
        "/v1/auth/invitations/…/accept",
        &format!("/v1/client/{project}/consents/…"),
        &format!("{consents}/tokens/…"),
    ] {
        let told = log
            .lines()
            .any(|line| line.contains("answered") && line.contains(path));
        assert!(told, "{path} is in the log");
    }
    let found = log.lines().find(|line| line.contains(token));
    assert_eq!(found, None);
}

#[tokio::test]
async fn each_limit_has_its_flag() {
    let unknown = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70";
    let flags = [
        ["--rate-limit", "on"],
        ["--limit-credentials", "101"],
        ["--limit-letters", "102"],
        ["--limit-collection", "103"],
        ["--limit-api", "104"],
        ["--limit-account", "4"],
        ["--limit-files", "105"],
        ["--limit-kilobytes", "6"],
    ]
    .concat();
    let process = Process::start(Engine::Sqlite, &flags).await;
    let ada = process.user("ada").await;
    let nobody = process.nobody();
    let consent = format!("/v1/app/consents/{unknown}/cookies/{unknown}");
    for (limit, method, path) in [
        ("101", Method::POST, "/v1/auth/local/signin"),
        ("102", Method::POST, "/v1/auth/local/forgot"),
        ("103", Method::POST, &consent),
        ("104", Method::GET, "/v1/vault/projects"),
        ("105", Method::GET, &format!("/v1/assets/{unknown}")),
    ] {
        let request = nobody.request(method, path).json(&json!({}));
        let answer = nobody.send(request).await;
        assert_eq!(answer.header("x-ratelimit-limit"), limit, "{path}");
    }
    let mut limits = Vec::new();
    for _ in 0..12 {
        let of_account = ada.get("/v1/auth/me").await;
        // Two of them have more bytes than an address may have.
        let of_address = nobody
            .post(&consent, &json!({"x": "x".repeat(5_000)}))
            .await;
        for answer in [of_account, of_address] {
            if answer.status == 429 {
                limits.push(answer.header("x-ratelimit-limit").to_owned());
            }
        }
    }
    // A minute may end between two requests, but not twice.
    limits.sort();
    limits.dedup();
    assert_eq!(limits, ["4", "6000"]);
    // One consent that was stored has more bytes than a project may have.
    for (flag, value, limit) in [
        ("--limit-project", "1", "1"),
        ("--limit-project-kilobytes", "4", "4000"),
    ] {
        let process = Process::start(Engine::Sqlite, &["--rate-limit", "on", flag, value]).await;
        let shop = Shop::open(&process).await;
        let preferences = json!({"vendors": {}, "gppString": "x".repeat(5_000)});
        let body = json!({"accept": true, "token": "visitor", "preferences": preferences});
        let refused = until("a limit is reached", async || {
            let answer = process.nobody().post(&shop.path, &body).await;
            (answer.status == 429).then_some(answer)
        });
        assert_eq!(refused.await.header("x-ratelimit-limit"), limit);
    }
}

/// Over TLS, cookies are bound to TLS and to this host.
#[tokio::test]
async fn the_session_of_pages_is_as_safe_as_the_address() {
    for (base, name, secure) in [
        ("https://consent.test", "__Host-placet_session=", true),
        ("http://consent.test", "placet_session=", false),
    ] {
        let process = Process::start(Engine::Sqlite, &["--base-url", base]).await;
        process.user("ada").await;
        let nobody = process.nobody();
        let sign_in = |origin: &str| {
            nobody
                .request(Method::POST, "/ui/sign-in")
                .header("origin", origin)
                .header("content-type", "application/x-www-form-urlencoded")
                .body("username=ada&password=ada%27s+password")
        };
        let foreign = nobody.send(sign_in("https://shop.example")).await;
        foreign.problem(403, "foreign_origin");
        let answer = nobody.send(sign_in(base)).await;
        let cookies = answer.headers.get_all("set-cookie").iter();
        let session = cookies
            .filter_map(|cookie| cookie.to_str().ok())
            .find(|cookie| cookie.starts_with(name))
            .unwrap_or_else(|| panic!("{base}: {:?}", answer.headers));
        let parts: Vec<&str> = session.split(';').map(str::trim).collect();
        for part in ["Path=/", "HttpOnly", "SameSite=Lax"] {
            assert!(parts.contains(&part), "{session}");
        }
        assert_eq!(parts.contains(&"Secure"), secure, "{session}");
        assert!(!session.contains("Domain"), "{session}");
    }
}
