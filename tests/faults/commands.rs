//! Commands that an operator runs before a server starts, or without one.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, Command, Stdio},
};

use domain::payload::Payload;
use serde_json::{Value, json};
use service::db::Db;
use tests::{Database, Engine, Process, binary, command, on_both, until};

on_both!(migrate_prepares_the_database);
on_both!(a_newer_catalogue_is_loaded);
on_both!(a_command_leaves_the_jobs_of_a_server_alone);
on_both!(a_command_makes_no_installation);
on_both!(an_installation_publishes_with_its_own_addresses_only);

async fn migrate_prepares_the_database(engine: Engine) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::empty(engine, folder.path()).await;
    let url = database.url();
    let data = folder.path().to_str().expect("text");
    let on = ["--data-dir", data, "--database-url", url];
    let serve = [
        &["serve", "--no-migrate", "--listen", "127.0.0.1:0"][..],
        &on,
    ]
    .concat();
    let early = command(&serve);
    assert!(!early.success, "{early:?}");
    assert!(early.complained.contains("placet migrate"), "{early:?}");
    for _ in 0..2 {
        let ran = command(&[&["migrate"][..], &on].concat());
        assert!(ran.success, "{ran:?}");
    }
    let process = Process::start_in(folder.path(), url, &["--no-migrate"]);
    let ada = process.user("ada").await;
    // The server starts with `--no-migrate` and finds the catalogue that `placet migrate` loaded.
    let path = "/v1/vendors/solutions?data.name=matomo";
    let found = ada.get(path).await.expect(200).json();
    assert_eq!(found[0]["data"]["title"], "Matomo");
}

async fn a_command_makes_no_installation(engine: Engine) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::empty(engine, folder.path()).await;
    let absent = folder.path().join("absent");
    let data = absent.to_str().expect("text");
    let mut on = vec!["--data-dir", data];
    if engine == Engine::Postgres {
        on.extend(["--database-url", database.url()]);
    }
    for command_line in [
        &["user", "create", "ada", "--email", "ada@shop.example"][..],
        &["keys", "rotate"],
        &["republish", "--all", "--base-url", "https://consent.test"],
    ] {
        let ran = command(&[command_line, &on].concat());
        assert!(!ran.success, "{ran:?}");
        assert!(ran.complained.contains("no installation"), "{ran:?}");
        assert!(!absent.exists());
    }
    assert!(command(&[&["migrate"][..], &on].concat()).success);
    let create = ["user", "create", "ada", "--email", "ada@shop.example"];
    let ran = command(&[&create[..], &on].concat());
    assert!(ran.success, "{ran:?}");
}

/// A service cannot read the files that root makes beside its own.
#[tokio::test]
async fn root_does_not_work_on_the_files_of_another_user() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().to_str().expect("text");
    assert!(command(&["migrate", "--data-dir", data]).success);
    let give =
        |owner: u32| std::os::unix::fs::chown(folder.path().join("placet.db"), Some(owner), None);
    // Only root can give files away.
    if give(4_711).is_err() {
        return;
    }
    let rotate = ["keys", "rotate", "--data-dir", data];
    let ran = command(&rotate);
    assert!(
        !ran.success && ran.complained.contains("id 4711"),
        "{ran:?}"
    );
    // The user of the unit is none that `sudo -u` finds.
    assert!(ran.complained.contains("placet-do"), "{ran:?}");
    give(0).expect("root gives the file back");
    let ran = command(&rotate);
    assert!(ran.success, "{ran:?}");
}

#[tokio::test]
async fn a_server_works_and_stops_when_nobody_reads_its_log() {
    let mut process = Process::start_unread().await;
    let ada = process.user("ada").await;
    ada.get("/v1/auth/me").await.expect(200);
    process.terminate();
    let status = process.wait_for_death().await;
    assert!(status.success(), "{status}");
}

#[tokio::test]
async fn a_server_is_told_who_may_sign_up() {
    let account = json!({"displayName": "Ada", "username": "ada",
        "email": "ada@shop.example", "password": "correct horse"});
    for (door, code) in [
        ("open", None),
        ("invited", Some("not_invited")),
        ("off", Some("sign_up_off")),
    ] {
        let process = Process::start(Engine::Sqlite, &["--sign-up", door]).await;
        let nobody = process.nobody();
        let answer = nobody.post("/v1/auth/local/signup", &account).await;
        match code {
            None => drop(answer.expect(201)),
            Some(code) => drop(answer.problem(403, code)),
        }
    }
}

#[tokio::test]
async fn a_log_in_a_file_has_no_colours() {
    let process = Process::start_logging("info", &[]).await;
    let log = process.log();
    assert!(log.contains(" INFO "), "{log}");
    assert!(!log.contains('\u{1b}'), "{log}");
}

#[test]
fn a_log_at_a_terminal_has_colours_unless_its_reader_wants_none() {
    for (no_color, coloured) in [("", true), ("1", false)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let data = folder.path().display();
        let serve = format!("serve --listen 127.0.0.1:0 --data-dir {data}");
        let serve = format!("exec {} {serve}", binary().display());
        // The program of util-linux gives it a terminal.
        let child = Command::new("script")
            .args(["-qefc", &serve, "/dev/null"])
            .env("NO_COLOR", no_color)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        let mut terminal = Running(child.expect("script starts"));
        let lines = BufReader::new(terminal.0.stdout.take().expect("its output")).lines();
        let mut lines = lines.map_while(Result::ok);
        let line = lines.find(|line| line.contains(" INFO"));
        let line = line.expect("a line of the log");
        assert_eq!(line.contains('\u{1b}'), coloured, "{line:?}");
    }
}

#[test]
fn a_command_ends_quietly_when_nobody_reads_it() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut openapi = Command::new(binary());
    openapi.arg("openapi").stdout(writer);
    let ended = openapi
        .stderr(Stdio::piped())
        .spawn()
        .expect("placet starts");
    let ended = ended.wait_with_output().expect("it ends");
    assert!(
        ended.status.success() && ended.stderr.is_empty(),
        "{ended:?}"
    );
}

#[test]
fn the_program_says_its_name_and_version() {
    let ran = command(&["--version"]);
    let version = concat!("placet ", env!("CARGO_PKG_VERSION"));
    assert!(ran.said.starts_with(version), "{ran:?}");
}

async fn a_newer_catalogue_is_loaded(engine: Engine) {
    let process = Process::start(engine, &[]).await;
    let ada = process.user("ada").await;
    let title = async || {
        let path = "/v1/vendors/solutions?data.name=matomo";
        let found = ada.get(path).await.expect(200).json();
        found[0]["data"]["title"].clone()
    };
    assert_eq!(title().await, "Matomo");
    let catalogue = |version: u64| {
        [
            json!({"catalogue": {"version": version,
                "sources": {"editors": {"name": "Us", "licence": "MIT"}}}}),
            json!({"company": {"name": "Zeta"}}),
            json!({"service": {"name": "matomo", "title": "Matomo Next", "company": "Zeta",
                "categories": ["maps"]}}),
        ]
        .map(|line| line.to_string())
        .join("\n")
    };
    let load = |version| {
        let file = process.folder().join("catalogue.ndjson");
        std::fs::write(&file, catalogue(version)).expect("a file");
        process.program(
            &["catalogue", "import", file.to_str().expect("text")],
            &[],
            "",
        )
    };
    let older = load(1);
    assert!(!older.success, "{older:?}");
    assert!(older.complained.contains("was not loaded"), "{older:?}");
    assert_eq!(title().await, "Matomo");
    let newer = load(3_000_000_000);
    assert!(
        newer.success && newer.said.contains("1 services"),
        "{newer:?}"
    );
    // A running server shows it without a restart.
    assert_eq!(title().await, "Matomo Next");
}

async fn a_command_leaves_the_jobs_of_a_server_alone(engine: Engine) {
    let mut process = Process::start(engine, &[]).await;
    let ada = process.user("ada").await;
    let shop = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &shop).await;
    let steps = json!([{"name": "welcome", "layout": "welcome", "title": "Hello"}]);
    let cookies = json!({"projectId": project, "name": "en", "steps": steps});
    ada.create("cookies", &cookies).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    process.kill();
    let db = process.database().await;
    let count = async |what: &'static str| {
        let sql = format!("SELECT COUNT(*) FROM jobs WHERE {what}");
        db.query(sqlx::AssertSqlSafe(sql))
            .count()
            .await
            .expect("a count")
    };
    let change = async |sql: &'static str| {
        db.query(sql).exec().await.expect("a change");
    };
    // A running server holds this job. No other process may take it before its lease ends.
    const HELD: &str = "kind = 'held' AND status = 'running' AND lease_until = 9000000000000000";
    change(
        "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, lease_until, \
         created_at) SELECT project_id, 'held', 'held', '', 'running', 0, 1, 9000000000000000, 0 \
         FROM publish_jobs",
    )
    .await;
    assert_eq!(count(HELD).await, 1);
    // Only the server knows how to send letters.
    const LETTER: &str = "kind = 'mail' AND status = 'queued'";
    change(
        "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, created_at) \
         SELECT initiated_by, 'mail', 'mail', '', 'queued', 0, 0, 0 FROM publish_jobs",
    )
    .await;
    let before = count("status = 'done'").await;
    let program =
        tokio::task::spawn_blocking(move || process.program(&["republish"], &["--all"], ""));
    until("it is published again", async || {
        (count("status = 'done'").await > before).then_some(())
    })
    .await;
    assert_eq!([count(HELD).await, count(LETTER).await], [1, 1]);
    change("UPDATE jobs SET status = 'done', finished_at = 0 WHERE kind = 'held'").await;
    let ran = program.await.expect("it ends");
    assert!(
        ran.success && ran.said.contains("1 published again"),
        "{ran:?}"
    );
    db.close().await;
}

/// The address to which live configurations lead visitors.
fn led_to(folder: &Path, project: &str) -> String {
    let files = std::fs::read_dir(folder.join("cdn").join(project)).expect("a folder");
    let names = files.map(|file| file.expect("a file").path());
    let mut payloads = names.filter(|path| path.ends_with("en.payload"));
    let path = payloads.next().expect("a payload");
    let text = std::fs::read_to_string(path).expect("text");
    let payload = Payload::read(&text).expect("a payload");
    payload.api_url().to_owned()
}

async fn an_installation_publishes_with_its_own_addresses_only(engine: Engine) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::empty(engine, folder.path()).await;
    let url = database.url();
    let data = folder.path().to_str().expect("text");
    let on = ["--data-dir", data, "--database-url", url];
    let ran = |what: &[&str], flags: &[&str]| command(&[what, &on, flags].concat());
    let given = ["--base-url", "https://consent.test"];
    let cdn = ["--cdn-url", "https://cdn.consent.test/cdn"];
    // Before its first server an installation has no addresses.
    assert!(ran(&["migrate"], &[]).success);
    let early = ran(&["republish", "--all"], &[]);
    assert!(!early.success, "{early:?}");
    assert!(
        early.complained.contains("name them with --base-url"),
        "{early:?}"
    );
    let mut process = Process::start_in(folder.path(), url, &[given, cdn].concat());
    let ada = process.user("ada").await;
    let shop = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &shop).await;
    let steps = json!([{"name": "welcome", "layout": "welcome", "title": "Hello"}]);
    let cookies = json!({"projectId": project, "name": "en", "steps": steps});
    ada.create("cookies", &cookies).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let leads_to = |address: &str| assert_eq!(led_to(folder.path(), &project), address);
    leads_to("https://consent.test");
    process.kill();

    // A command without the environment of the service takes the addresses of the installation.
    let again = ran(&["republish", "--all"], &[]);
    assert!(
        again.success && again.said.contains("1 published again"),
        "{again:?}"
    );
    leads_to("https://consent.test");
    for flags in [
        &["--base-url", "http://127.0.0.1:8080"][..],
        &["--cdn-url", "https://elsewhere.test/cdn"],
        &given,
    ] {
        let refused = ran(&["republish", "--all"], flags);
        assert!(!refused.success, "{refused:?}");
        assert!(refused.complained.contains("--new-base-url"), "{refused:?}");
    }
    leads_to("https://consent.test");

    // A server with another address serves, and publishes nothing.
    let mut process = Process::start_in(folder.path(), url, &[]);
    let mut ada = process.nobody();
    let sign_in = json!({"username": "ada", "password": "ada's password"});
    let session = ada.post("/v1/auth/local/signin", &sign_in).await;
    ada.token = session.expect(200).json()["token"]
        .as_str()
        .map(str::to_owned);
    let job = ada.publish(&project).await;
    assert_eq!(job["error"]["code"], "build_failed", "{job}");
    let message = job["message"].as_str().expect("a message");
    assert!(message.contains("https://consent.test"), "{message}");
    leads_to("https://consent.test");
    process.kill();
    let opened = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
    };
    let key = folder.path().join("secret.key");
    opened(folder.path(), 0o755);
    opened(&key, 0o640);
    let doctor = ran(&["doctor"], &[]);
    let exposed = "other users of this machine can read secret.key: `chmod 600`";
    assert!(doctor.said.contains(exposed), "{doctor:?}");
    opened(&key, 0o600);
    let doctor = ran(&["doctor"], &[]);
    assert!(!doctor.said.contains("other users"), "{doctor:?}");
    let own = "1 live project sends its visitors to https://consent.test";
    assert!(doctor.said.contains(own), "{doctor:?}");
    let doctor = ran(&["doctor"], &["--base-url", "http://127.0.0.1:8080"]);
    assert!(!doctor.success, "{doctor:?}");
    assert!(doctor.said.contains("--new-base-url"), "{doctor:?}");

    // The installation moves if it is told so.
    let moved = ["--base-url", "https://new.test", "--new-base-url"];
    let again = ran(&["republish"], &moved);
    assert!(
        again.success && again.said.contains("1 published again"),
        "{again:?}"
    );
    leads_to("https://new.test");
    let next = ["--base-url", "https://next.test", "--new-base-url"];
    let made = ran(
        &["user", "create", "bob", "--email", "bob@shop.example"],
        &next,
    );
    assert!(made.success, "{made:?}");
    let doctor = ran(&["doctor"], &[]);
    let old = "to https://new.test; `placet republish --all`";
    assert!(!doctor.success && doctor.said.contains(old), "{doctor:?}");
    // A server that makes the move publishes again by itself.
    let third = ["--base-url", "https://third.test", "--new-base-url"];
    let process = Process::start_in(folder.path(), url, &third);
    until("it is published again", async || {
        (led_to(folder.path(), &project) == "https://third.test").then_some(())
    })
    .await;
    drop(process);
}

#[tokio::test]
async fn the_document_of_the_api_is_printed() {
    let ran = command(&["openapi"]);
    assert!(ran.success, "{ran:?}");
    let mut printed: Value = serde_json::from_str(&ran.said).expect("JSON");
    let process = Process::start(Engine::Sqlite, &[]).await;
    let served = process.nobody().get("/v1/openapi.json").await;
    let mut served = served.expect(200).json();
    // A running server names its own address, too.
    let servers = served["servers"].take();
    let address = servers[0]["url"].as_str();
    assert!(address.is_some_and(|url| url.starts_with("http://")));
    printed["servers"].take();
    assert_eq!(printed, served);
}

/// A running program, ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn the_demo_has_a_shop_that_asks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let addresses = || {
        let child = Command::new(binary())
            .args(["demo", "--listen", "127.0.0.1:0"])
            .args([
                "--shop-listen",
                "127.0.0.1:0",
                "--log",
                "warn",
                "--data-dir",
            ])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .spawn();
        let mut demo = Running(child.expect("placet starts"));
        let lines = BufReader::new(demo.0.stdout.take().expect("its output")).lines();
        let said: Vec<String> = lines
            .map(|line| line.expect("text"))
            .take_while(|line| !line.starts_with("Stop with"))
            .collect();
        let after = |word: &str| {
            let line = said.iter().find_map(|line| line.trim().strip_prefix(word));
            let line = line.unwrap_or_else(|| panic!("{word} is not said: {said:?}"));
            line.split_whitespace()
                .next()
                .expect("an address")
                .to_owned()
        };
        let found = ["Demo shop", "Admin UI", "API", "Published"].map(after);
        (demo, found)
    };
    let text = async |address: &str| {
        let answer = reqwest::get(address).await.expect("an answer");
        assert_eq!(answer.status(), 200, "{address}");
        answer.text().await.expect("text")
    };
    let (demo, [shop, admin, docs, published]) = addresses();
    let page = text(&shop).await;
    let id = published.rsplit('/').next().expect("a name");
    let id = id.trim_end_matches(".json");
    assert!(page.contains(id), "the shop embeds the project: {page}");
    assert!(text(&published).await.contains(id));
    assert!(text(&docs).await.contains("/vault/{resource}"));
    assert!(text(&admin).await.contains("Placet"));
    // Charts begin full: each of the last 90 days has consents, in all outcomes.
    let consents = async |admin: &str| {
        let http = reqwest::Client::new();
        let answer = http
            .post(format!("{admin}/v1/auth/local/signin"))
            .json(&json!({"username": "demo", "password": "demo"}))
            .send()
            .await
            .expect("an answer");
        let session: Value = answer.json().await.expect("JSON");
        let token = session["token"].as_str().expect("a token").to_owned();
        let export = http.get(format!("{admin}/v1/app/exports/{id}.ndjson"));
        let export = export.bearer_auth(token).send().await.expect("an answer");
        let export = export.text().await.expect("text");
        let lines = export.lines().map(serde_json::from_str);
        lines.collect::<Result<Vec<Value>, _>>().expect("JSON")
    };
    let made = consents(&admin).await;
    let mut days = BTreeMap::<String, usize>::new();
    let mut outcomes = BTreeMap::<String, usize>::new();
    for consent in &made {
        let text = |field: &str| consent[field].as_str().unwrap_or_default().to_owned();
        *days
            .entry(text("createdAt").chars().take(10).collect())
            .or_default() += 1;
        *outcomes.entry(text("outcome")).or_default() += 1;
        assert!(
            !text("country").is_empty() && !text("publication").is_empty(),
            "{consent}"
        );
    }
    assert_eq!(days.len(), 90);
    // The current day may have begun a moment ago.
    let whole = days.values().rev().skip(1);
    assert!(
        whole.clone().all(|count| (30..=120).contains(count)),
        "{days:?}"
    );
    for (outcome, percent) in [("accepted", 55), ("partial", 15), ("refused", 30)] {
        let share = outcomes[outcome] * 100 / made.len();
        assert!(share.abs_diff(percent) <= 3, "{outcomes:?}");
    }
    drop(demo);

    // The next start finds everything and makes no second demo.
    let (demo, [_, admin, _, published]) = addresses();
    assert!(published.ends_with(&format!("/{id}.json")), "{published}");
    assert_eq!(consents(&admin).await.len(), made.len());
    drop(demo);

    // Visitors are made later if the first start was stopped before.
    let database = format!("sqlite:{}", folder.path().join("placet.db").display());
    let db = Db::open(&database).await.expect("a database");
    db.query("DELETE FROM consents")
        .exec()
        .await
        .expect("no consents");
    db.close().await;
    let (_demo, [_, admin, _, _]) = addresses();
    assert_eq!(consents(&admin).await.len(), made.len());
}

/// The password of the demo's account is public, so a server must not take over its folder by chance.
#[test]
fn the_demo_and_a_server_have_folders_of_their_own() {
    for (name, folder) in [
        ("demo", "[default: demo-data]"),
        ("serve", "[default: data]"),
    ] {
        let help = command(&[name, "--help"]).said;
        let (_, rest) = help.split_once("--data-dir <FOLDER>").expect("the flag");
        let (own, _) = rest.split_once("--database-url").expect("the next flag");
        let own: Vec<&str> = own.split_whitespace().collect();
        assert!(own.join(" ").contains(folder), "{own:?}");
    }
}

/// The guide for operators names every command and subcommand.
#[test]
fn the_guide_knows_every_command() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operate.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let commands = |of: &[&str]| {
        let help = command(&[of, &["--help"]].concat()).said;
        let list = help.split_once("Commands:\n").map(|(_, list)| list);
        list.unwrap_or_default()
            .lines()
            .take_while(|line| !line.trim().is_empty())
            .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| *name != "help")
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut missing = Vec::new();
    let mut seen = 0;
    for name in commands(&[]) {
        let below = commands(&[&name]);
        let whole = if below.is_empty() {
            vec![format!("placet {name}")]
        } else {
            below
                .iter()
                .map(|sub| format!("placet {name} {sub}"))
                .collect()
        };
        seen += whole.len();
        missing.extend(whole.into_iter().filter(|name| !guide.contains(name)));
    }
    assert!(seen > 10, "{seen} commands");
    assert_eq!(missing, Vec::<String>::new());
}

/// Without a mail server the demo prints the links of letters, and `placet serve` does not.
#[tokio::test]
async fn only_the_demo_prints_the_links_of_letters() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("log.txt");
    let here = ["--listen", "127.0.0.1:0", "--shop-listen", "127.0.0.1:0"];
    let child = Command::new(binary())
        .arg("demo")
        .args(here)
        .args(["--log", "info", "--data-dir"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .stderr(File::create(&log).expect("a file"))
        .spawn();
    let mut demo = Running(child.expect("placet starts"));
    let mut lines = BufReader::new(demo.0.stdout.take().expect("its output")).lines();
    let base = lines
        .find_map(|line| {
            let line = line.expect("text");
            let address = line.strip_prefix("Placet listens on ")?;
            Some(address.split(' ').next()?.to_owned())
        })
        .expect("its address");
    lines
        .find(|line| {
            line.as_ref()
                .is_ok_and(|line| line.starts_with("Stop with"))
        })
        .expect("it is prepared")
        .expect("text");
    let http = reqwest::Client::new();
    let post = async |path: &str, body: &Value| {
        let answer = http.post(format!("{base}{path}")).json(body).send().await;
        answer.expect("an answer").status().as_u16()
    };
    let forgot = json!({"email": "demo@shop.example"});
    assert_eq!(post("/v1/auth/local/forgot", &forgot).await, 202);
    let start = format!("{base}/reset-password?token=");
    let token = until("the link is printed", async || {
        let log = std::fs::read_to_string(&log).expect("its log");
        let (_, rest) = log.split_once(&start)?;
        let word = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        let end = rest.find(|c| !word(c))?;
        rest.get(..end).map(str::to_owned)
    })
    .await;
    let reset = json!({"token": token, "password": "another one"});
    assert_eq!(post("/v1/auth/local/reset", &reset).await, 204);

    let mut server = Process::start_logging("trace", &[]).await;
    server.user("ada").await;
    let forgot = json!({"email": "ada@shop.example"});
    let nobody = server.nobody();
    nobody
        .post("/v1/auth/local/forgot", &forgot)
        .await
        .expect(202);
    server.kill();
    // The server logs this before it answers, so no letter waits that could print its link later.
    let asked = "a password reset was asked for, but no mail server is configured";
    assert!(server.log().contains(asked));
    assert!(!server.log().contains("token="));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_are_read_on_an_address_of_their_own() {
    let flags = ["--metrics-listen", "127.0.0.1:0", "--ledger-every", "1"];
    let server = Process::start_logging("info", &flags).await;
    let log = server.log();
    let (_, rest) = log.split_once("metrics are at ").expect("the address");
    let address = rest.split_whitespace().next().expect("a word");
    let read = async || {
        let answer = reqwest::get(address).await.expect("an answer");
        assert_eq!(answer.status(), 200);
        let kind = answer.headers()["content-type"]
            .to_str()
            .unwrap()
            .to_owned();
        assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
        answer.text().await.expect("a text")
    };
    let text = until("the ledger begins", async || {
        let text = read().await;
        text.contains("placet_ledger_stopped 0\n").then_some(text)
    })
    .await;
    for line in text.lines() {
        assert!(
            line.starts_with("# ") || line.starts_with("placet_"),
            "{line}"
        );
    }
    assert!(text.contains("placet_ledger_lag_seconds "), "{text}");
    // Nothing else is there, and nothing of it is on the address of visitors.
    let other = address.replace("/metrics", "/v1/openapi.json");
    assert_eq!(reqwest::get(other).await.expect("an answer").status(), 404);
    let public = format!("{}/metrics", server.base);
    assert_eq!(reqwest::get(public).await.expect("an answer").status(), 404);
}
