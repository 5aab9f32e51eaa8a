//! A database for each test, copied from one that was migrated and filled once.
//!
//! The test program itself fills the template, so a template belongs to one build of one program, and its
//! name contains both. The first test makes the template under a lock, and all others copy it.

use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use service::{clock::SystemClock, db::Db, ids::Ids};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;

use crate::{Engine, until};

/// The advisory lock for making a template. Any number that nothing else uses.
const LOCK: i64 = 0x0070_6c61_6365_7400;
/// PostgreSQL's error code for a database that does not exist.
const NO_DATABASE: &str = "3D000";
/// And for one that somebody works on.
const IN_USE: &str = "55006";

/// A folder for a server's data, removed with the test. `PLACET_TEST_FOLDER` names its place. `cargo xtask
/// test` sets it to a folder in memory, which needs no disk.
#[expect(
    clippy::disallowed_methods,
    reason = "tests are set up through the environment"
)]
pub fn data_folder() -> TempDir {
    match std::env::var("PLACET_TEST_FOLDER") {
        Ok(place) => tempfile::tempdir_in(place),
        Err(_) => tempfile::tempdir(),
    }
    .expect("a temporary folder")
}

/// A database that is removed with its test.
pub struct Database {
    url: String,
    /// Server and name of a database to drop. SQLite's file is removed with its folder.
    on_server: Option<(String, String)>,
}

impl Database {
    /// An empty database.
    pub async fn empty(engine: Engine, folder: &Path) -> Self {
        match engine {
            Engine::Sqlite => Self::file(folder),
            Engine::Postgres => {
                let server = postgres_server();
                let name = unused_name();
                let made = ask(&server, format!("CREATE DATABASE {name}")).await;
                made.expect("a database for the test");
                Self::on_server(server, name)
            }
        }
    }

    /// A database in the state after a server's first start.
    pub async fn filled(engine: Engine, folder: &Path) -> Self {
        match engine {
            Engine::Sqlite => {
                let database = Self::file(folder);
                let template = sqlite_template().await;
                fs::copy(template, file_in(folder)).expect("a copy of the template");
                database
            }
            Engine::Postgres => {
                let server = postgres_server();
                let template = format!("{}_{}", BUILD.program, BUILD.build);
                let name = unused_name();
                let copy = format!("CREATE DATABASE {name} TEMPLATE {template}");
                let mut copied = ask(&server, copy.clone()).await;
                if is_missing(&copied) {
                    make_postgres_template(&server, &template).await;
                    copied = ask(&server, copy).await;
                }
                copied.expect("a copy of the template");
                Self::on_server(server, name)
            }
        }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its name on the server.
    fn name(&self) -> &str {
        self.on_server.as_ref().map_or("", |(_, name)| name)
    }

    fn file(folder: &Path) -> Self {
        Self {
            url: format!("sqlite:{}", file_in(folder).display()),
            on_server: None,
        }
    }

    fn on_server(server: String, name: String) -> Self {
        Self {
            url: address(&server, &name),
            on_server: Some((server, name)),
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let Some((server, name)) = self.on_server.take() else {
            return;
        };
        // A thread with its own runtime, because the test's runtime cannot block on another future here.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
            // The server may have gone already.
            let _ = runtime.block_on(ask(&server, sql));
        });
        let _ = dropping.join();
    }
}

/// A database as it was at one moment, when no process worked on it.
pub struct Saved {
    /// The files of SQLite; `None` for one that was not there.
    files: Vec<(PathBuf, Option<Vec<u8>>)>,
    /// Its name on PostgreSQL, and a copy there.
    copy: Option<(String, Database)>,
}

impl Saved {
    /// Saves the database at an address.
    pub async fn of(url: &str) -> Self {
        if let Some(file) = url.strip_prefix("sqlite:") {
            let files = ["", "-wal", "-shm"].map(|end| PathBuf::from(format!("{file}{end}")));
            let files = files.map(|path| (path.clone(), fs::read(path).ok()));
            return Self {
                files: files.into(),
                copy: None,
            };
        }
        let server = postgres_server();
        let url = url::Url::parse(url).expect("an address");
        let name = url.path().trim_start_matches('/').to_owned();
        let copy = Database::on_server(server.clone(), unused_name());
        copy_on_server(&server, &name, copy.name()).await;
        Self {
            files: Vec::new(),
            copy: Some((name, copy)),
        }
    }

    /// Brings the database back.
    pub async fn restore(&self) {
        for (path, bytes) in &self.files {
            match bytes {
                Some(bytes) => fs::write(path, bytes).expect("restored"),
                None => drop(fs::remove_file(path)),
            }
        }
        if let Some((name, copy)) = &self.copy {
            let server = postgres_server();
            let dropped = ask(&server, format!("DROP DATABASE {name} WITH (FORCE)")).await;
            dropped.expect("nobody works on it");
            copy_on_server(&server, copy.name(), name).await;
        }
    }
}

/// Copies a database, as soon as a process that was killed has left it.
async fn copy_on_server(server: &str, from: &str, to: &str) {
    until("nobody works on the database", async || {
        let copy = format!("CREATE DATABASE {to} TEMPLATE {from}");
        match ask(server, copy).await {
            Ok(()) => Some(()),
            Err(error) => {
                let code = error.as_database_error().and_then(|error| error.code());
                assert_eq!(code.as_deref(), Some(IN_USE), "{error}");
                None
            }
        }
    })
    .await;
}

/// The address of the PostgreSQL server for tests.
#[expect(
    clippy::disallowed_methods,
    reason = "tests are set up through the environment"
)]
fn postgres_server() -> String {
    std::env::var("PLACET_TEST_POSTGRES")
        .expect("PLACET_TEST_POSTGRES names a PostgreSQL server; `cargo xtask test` starts one")
}

fn file_in(folder: &Path) -> PathBuf {
    folder.join("placet.db")
}

fn unused_name() -> String {
    format!("t{}", Ids::new(Arc::new(SystemClock)).next().simple())
}

fn address(server: &str, database: &str) -> String {
    let mut url = url::Url::parse(server).expect("an address");
    url.set_path(database);
    url.to_string()
}

async fn ask(server: &str, sql: String) -> sqlx::Result<()> {
    let mut conn = PgConnection::connect(server).await?;
    sqlx::query(AssertSqlSafe(sql)).execute(&mut conn).await?;
    conn.close().await
}

fn is_missing(copied: &sqlx::Result<()>) -> bool {
    copied.as_ref().is_err_and(|error| {
        error
            .as_database_error()
            .is_some_and(|error| error.code().as_deref() == Some(NO_DATABASE))
    })
}

/// The identity of this program and of this build.
struct Build {
    program: String,
    build: String,
}

static BUILD: LazyLock<Build> = LazyLock::new(|| {
    let program = std::env::current_exe().expect("a path");
    let about = fs::metadata(&program).expect("the program is there");
    let built = about.modified().expect("a time");
    let hash = |value: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        value(&mut hasher);
        format!("{:016x}", hasher.finish())
    };
    Build {
        program: format!("golden_{}", hash(&|to| program.hash(to))),
        build: hash(&|to| (built, about.len()).hash(to)),
    }
});

/// The file to copy. Makes it if it does not exist.
async fn sqlite_template() -> PathBuf {
    let program = std::env::current_exe().expect("a path");
    let folder = program.parent().expect("its folder").join("golden");
    let template = folder.join(format!("{}_{}.db", BUILD.program, BUILD.build));
    if template.exists() {
        return template;
    }
    fs::create_dir_all(&folder).expect("a folder");
    let lock = File::create(folder.join(format!("{}.lock", BUILD.program))).expect("a lock");
    lock.lock().expect("it is locked");
    if template.exists() {
        return template;
    }
    // Removes templates of earlier builds, and an incomplete one of a process that died.
    for entry in fs::read_dir(&folder).expect("its files").flatten() {
        let name = entry.file_name().into_string().expect("text");
        if name.starts_with(&BUILD.program) && !name.ends_with(".lock") {
            fs::remove_file(entry.path()).expect("it goes");
        }
    }
    let half = folder.join(format!("{}_half", BUILD.program));
    fill(&format!("sqlite:{}", half.display())).await;
    fs::rename(half, &template).expect("the template");
    template
}

async fn make_postgres_template(server: &str, template: &str) {
    let mut conn = PgConnection::connect(server)
        .await
        .expect("PostgreSQL answers");
    // The lock ends with the connection.
    sqlx::query("SELECT pg_advisory_lock($1)")
        .bind(LOCK)
        .execute(&mut conn)
        .await
        .expect("the lock");
    let before: Vec<String> =
        sqlx::query_scalar("SELECT datname::text FROM pg_database WHERE starts_with(datname, $1)")
            .bind(&BUILD.program)
            .fetch_all(&mut conn)
            .await
            .expect("its databases");
    if before.iter().any(|name| name == template) {
        return;
    }
    let mut run = async |sql: String| {
        let ran = sqlx::query(AssertSqlSafe(sql)).execute(&mut conn).await;
        ran.expect("PostgreSQL does it");
    };
    // Removes templates of earlier builds, and an incomplete one of a process that died.
    for name in before {
        run(format!("DROP DATABASE {name} WITH (FORCE)")).await;
    }
    let half = format!("{}_half", BUILD.program);
    run(format!("CREATE DATABASE {half}")).await;
    fill(&address(server, &half)).await;
    // Only a complete template gets the final name.
    run(format!("ALTER DATABASE {half} RENAME TO {template}")).await;
}

async fn fill(url: &str) {
    let db = Db::open(url).await.expect("the template");
    service::prepare(&db).await.expect("it is filled");
    db.close().await;
}
